"""How the regret of runs is distributed: at the horizon, and over time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from duelbench.figures.content.panels import check_number_of_panels
from duelbench.results.experiments import Experiment, LoadedCell
from duelbench.statistics import tails


@dataclass(frozen=True, eq=False)
class Survival:
    """Which share of the runs of one algorithm on one problem has more than so much regret at the horizon.

    Parameters
    ----------
    problem, algorithm, label : str
    x : (n,) float64
        Regret in duels, increasing; see `duelbench.statistics.tails.survival`.
    share, low, high : (n,) float64
        Of the runs that have more, and the 95% confidence interval of its probability, point by point.
    runs, planned : int
        How many runs there are, and how many the spec asks for.
    """

    problem: str
    algorithm: str
    label: str
    x: np.ndarray
    share: np.ndarray
    low: np.ndarray
    high: np.ndarray
    runs: int
    planned: int


@dataclass(frozen=True, eq=False)
class Quantiles:
    """Regret of one algorithm on one problem over time: the median of the runs, and nested bands around it.

    Parameters
    ----------
    problem, algorithm, label : str
    rounds : (n,) int64
        1-based, increasing.
    median : (n,) float64
        In duels.
    bands : mapping of str to (low, high)
        From the narrowest, keys of `duelbench.statistics.tails.BANDS`: those that the runs can show.
    restarts : bool
        Whether each point is the end of runs of its own, as for algorithms that are run again for every horizon.
    counts : (n,) int64
        How many runs each point is of.
    runs, planned : int
        How many runs there are and how many the spec asks for, all horizons together.
    """

    problem: str
    algorithm: str
    label: str
    rounds: np.ndarray
    median: np.ndarray
    bands: dict[str, tuple[np.ndarray, np.ndarray]]
    restarts: bool
    counts: np.ndarray
    runs: int
    planned: int


def survivals(experiment: Experiment, regret: str) -> list[Survival]:
    """The distribution of regret at the longest horizon, of every algorithm on every problem.

    Raises
    ------
    InputError
        When there are too many problems for a figure.
    """
    which = experiment.definitions.index(regret)
    found = [_survival(cells[-1], which) for cells in _by_algorithm(experiment)]
    check_number_of_panels(experiment, len({one.problem for one in found}))
    return found


def quantiles(experiment: Experiment, regret: str, only: Iterable[str] | None = None) -> list[Quantiles]:
    """The distribution of regret over time, of every algorithm on every problem that has runs.

    Parameters
    ----------
    experiment : Experiment
    regret : str
        The definition of regret.
    only : iterable of str, optional
        Labels; by default all.

    Raises
    ------
    InputError
        When they are too many for a figure.
    """
    which = experiment.definitions.index(regret)
    found = [
        _quantiles(cells, which)
        for cells in _by_algorithm(experiment)
        if any(cell.n_runs for cell in cells) and (only is None or cells[0].stored.label in only)
    ]
    check_number_of_panels(experiment, len(found))
    return found


def _by_algorithm(experiment: Experiment) -> list[list[LoadedCell]]:
    """The cells of each algorithm on each problem, by increasing horizon."""
    groups: dict[tuple[str, int], list[LoadedCell]] = {}
    for cell in experiment.cells:
        groups.setdefault((cell.stored.problem, cell.stored.position), []).append(cell)
    return [sorted(cells, key=lambda cell: cell.stored.horizon) for cells in groups.values()]


def _survival(cell: LoadedCell, which: int) -> Survival:
    stored = cell.stored
    x, above = tails.survival(cell.regret[:, which, -1] if cell.n_runs else np.zeros(0))
    low, high = tails.clopper_pearson(above, cell.n_runs)
    share = above / max(cell.n_runs, 1)
    return Survival(stored.problem, stored.algorithm, stored.label, x, share, low, high, cell.n_runs, stored.n_runs)


def _quantiles(cells: Sequence[LoadedCell], which: int) -> Quantiles:
    """The cells are the horizons of an algorithm."""
    restarts, stored = len(cells) > 1, cells[0].stored
    there = [cell for cell in cells if cell.n_runs]
    own = slice(-1, None) if restarts else slice(None)
    samples = [cell.regret[:, which, own] for cell in there]
    shown = tails.bands_of(min(cell.n_runs for cell in there))
    ends = {band: [tails.band_ends(each, band) for each in samples] for band in shown}
    return Quantiles(
        stored.problem,
        stored.algorithm,
        stored.label,
        np.concatenate([cell.rounds[own] for cell in there]),
        np.concatenate([np.median(each, axis=0) for each in samples]),
        {
            band: (np.concatenate([low for low, _ in both]), np.concatenate([high for _, high in both]))
            for band, both in ends.items()
        },
        restarts,
        np.concatenate([np.full(each.shape[1], each.shape[0]) for each in samples]),
        sum(cell.n_runs for cell in cells),
        sum(cell.stored.n_runs for cell in cells),
    )
