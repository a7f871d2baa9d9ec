"""Regret at the horizon, run by run."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from duelbench.figures.content.panels import check_number_of_panels
from duelbench.results.experiments import Experiment, LoadedCell


@dataclass(frozen=True, eq=False)
class Finals:
    """Regret of one algorithm at its longest horizon on one problem.

    Parameters
    ----------
    problem, algorithm, label : str
    regret : (n_runs,) float64
        In duels, in the order of the runs.
    planned : int
        How many runs the spec asks for.
    """

    problem: str
    algorithm: str
    label: str
    regret: np.ndarray
    planned: int

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return len(self.regret)


def finals(experiment: Experiment, regret: str) -> list[Finals]:
    """Regret at the longest horizon, of every algorithm on every problem.

    Raises
    ------
    InputError
        When there are too many problems for a figure.
    """
    which = experiment.definitions.index(regret)
    cells = longest(experiment.cells)
    check_number_of_panels(experiment, len({cell.stored.problem for cell in cells}))
    return [
        Finals(
            cell.stored.problem,
            cell.stored.algorithm,
            cell.stored.label,
            cell.regret[:, which, -1] if cell.n_runs else np.zeros(0),
            cell.stored.n_runs,
        )
        for cell in cells
    ]


def longest(cells: Iterable[LoadedCell]) -> list[LoadedCell]:
    """Of each algorithm on each problem the cell with the longest horizon."""
    found: dict[tuple[str, int], LoadedCell] = {}
    for cell in cells:
        known = found.setdefault((cell.stored.problem, cell.stored.position), cell)
        if cell.stored.horizon > known.stored.horizon:
            found[cell.stored.problem, cell.stored.position] = cell
    return list(found.values())
