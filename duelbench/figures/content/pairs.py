"""How often each pair of arms duels."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from duelbench.errors import InputError
from duelbench.figures.content.finals import longest
from duelbench.figures.content.panels import check_number_of_panels
from duelbench.problem.scalar_bandit import ScalarBandit
from duelbench.results.experiments import Experiment, LoadedCell


@dataclass(frozen=True, eq=False)
class PairDuels:
    """Mean number of duels of each pair, of one algorithm on one problem up to its longest horizon.

    Parameters
    ----------
    problem, algorithm, label : str
    names : tuple of str
        Of the arms.
    mean : (K, K) float64
        Symmetric: duels of arms i and j, whichever came first; on the diagonal those of an arm with itself.
    runs, planned : int
        How many runs there are, and how many the spec asks for.
    """

    problem: str
    algorithm: str
    label: str
    names: tuple[str, ...]
    mean: np.ndarray
    runs: int
    planned: int


def pair_duels(experiment: Experiment, only: Iterable[str] | None = None) -> list[PairDuels]:
    """Mean numbers of duels, of every algorithm on every problem that has runs; the runs are read for them.

    Parameters
    ----------
    experiment : Experiment
    only : iterable of str, optional
        Labels; by default all.

    Raises
    ------
    InputError
        When they are too many for a figure, or a problem has no pairs.
    """
    labels = None if only is None else set(only)
    cells = [
        cell for cell in longest(experiment.cells) if cell.n_runs and (labels is None or cell.stored.label in labels)
    ]
    check_number_of_panels(experiment, len(cells))
    for cell in cells:
        if isinstance(cell.stored.matrix, ScalarBandit):
            raise InputError(
                f"{experiment.name}: {cell.stored.problem} is a scalar bandit, whose arms are sampled one by one; there"
                " are no duels of pairs to draw"
            )
    return [_pair_duels(cell) for cell in cells]


def _pair_duels(cell: LoadedCell) -> PairDuels:
    stored = cell.stored
    total = cell.duels if cell.duels is not None else _added_up(cell)
    both_orders = total + total.T - np.diag(np.diag(total))
    names = tuple(stored.matrix.names)
    return PairDuels(
        stored.problem, stored.algorithm, stored.label, names, both_orders / cell.n_runs, cell.n_runs, stored.n_runs
    )


def _added_up(cell: LoadedCell) -> np.ndarray:
    """Of one of the random matrices of a sweep, whose duels are not kept: the runs are read for them."""
    return np.sum([cell.stored.read(run).trace.duels for run in cell.indices.tolist()], axis=0)
