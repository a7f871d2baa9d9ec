"""Spreads, as grouped bars show them: regret at the horizon, and the self-duels of a run."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from duelbench.errors import IncompleteResults
from duelbench.figures.options import FigureOptions
from duelbench.results.experiments import Experiment, LoadedCell, winners_of


@dataclass(frozen=True, eq=False)
class Spread:
    """Spread of one algorithm's regret at the horizon on one problem, in duels.

    Parameters
    ----------
    problem, algorithm, label : str
    horizon : int
    value : float
        The statistic.
    reference : float
        What it is divided by: mean regret of the algorithm that all are normalised to, or 1.
    runs, planned : int
    """

    problem: str
    algorithm: str
    label: str
    horizon: int
    value: float
    reference: float
    runs: int
    planned: int

    @property
    def height(self) -> float:
        """Of the bar; nothing of nothing is 0."""
        return self.value / self.reference if self.reference else 0.0


@dataclass(frozen=True)
class SelfDuels:
    """How often one run of one algorithm dueled an arm with itself.

    Parameters
    ----------
    problem, algorithm, label : str
    run : int
        0-based.
    arm : str
        Name of a Copeland winner, or ``others``.
    count, total : int
        Of this arm (or of all others), and of all arms.
    """

    problem: str
    algorithm: str
    label: str
    run: int
    arm: str
    count: int
    total: int

    @property
    def share(self) -> float:
        """Of the self-duels of the run, in [0, 1]."""
        return self.count / self.total if self.total else 0.0


OTHERS = "others"


def spreads(experiment: Experiment, options: FigureOptions, regret: str) -> list[Spread]:
    """Spread of regret at the longest horizon, for every algorithm and problem with enough runs."""
    which = experiment.definitions.index(regret)
    ends: dict[str, list[LoadedCell]] = {}
    for cell in experiment.cells:
        if cell.stored.horizon == experiment.results.spec["horizon"] and cell.n_runs:
            ends.setdefault(cell.stored.problem, []).append(cell)
    found = []
    for problem, cells in ends.items():
        reference = _reference(experiment, problem, cells, options, which)
        for cell in cells:
            regrets = cell.regret[:, which, -1]
            if options.statistic == "std" and len(regrets) < 2:
                raise IncompleteResults(f"{experiment.name}: a standard deviation needs at least 2 runs")
            value = float(regrets.std(ddof=1) if options.statistic == "std" else regrets.mean())
            stored = cell.stored
            numbers = (stored.horizon, value, reference, cell.n_runs, stored.n_runs)
            found.append(Spread(problem, stored.algorithm, stored.label, *numbers))
    return found


def _reference(
    experiment: Experiment, problem: str, cells: Sequence[LoadedCell], options: FigureOptions, which: int
) -> float:
    """Mean regret of the algorithm that all are normalised to; 1 where there is none."""
    if options.normalise_to is None:
        return 1.0
    for cell in cells:
        if cell.stored.label == options.normalise_to:
            return float(cell.regret[:, which, -1].mean())
    raise IncompleteResults(
        f"{experiment.name}: no run of {options.normalise_to} on {problem}, which bars are relative to"
    )


def self_duels(experiment: Experiment, options: FigureOptions) -> list[SelfDuels]:
    """Self-duels of the Copeland winners, and of all other arms together, in one run of every algorithm."""
    found = []
    for cell in experiment.cells:
        stored = cell.stored
        if stored.horizon != experiment.results.spec["horizon"]:
            continue
        counts = np.diag(stored.read(options.run).trace.duels)
        winners = winners_of("copeland", stored)
        named = [(stored.matrix.names[arm], int(counts[arm])) for arm in winners.tolist()]
        total = int(counts.sum())
        for arm, count in [*named, (OTHERS, total - sum(count for _, count in named))]:
            found.append(SelfDuels(stored.problem, stored.algorithm, stored.label, options.run, arm, count, total))
    return found
