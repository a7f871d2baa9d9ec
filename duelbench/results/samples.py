"""Samples: the runs of one algorithm on one problem up to one horizon, of which everything that is shown is made."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from duelbench.errors import InputError
from duelbench.results.cells import games_together
from duelbench.results.experiments import Experiment, LoadedCell
from duelbench.results.manifest import StoredCell

ALL_PROBLEMS = "all problems"

Together = Literal["matrix", "games", "all"]
"""Which matrices are one problem: each of them, the random ones at one value of a sweep, or all of the experiment."""


@dataclass(frozen=True, eq=False)
class Sample:
    """The runs of one algorithm on one problem up to one horizon."""

    problem: str  # what tables and panels call it
    cells: tuple[LoadedCell, ...]  # one for each matrix, also without runs; at least one

    @property
    def stored(self) -> StoredCell:
        """What the manifest says of the first matrix."""
        return self.cells[0].stored

    @property
    def key(self) -> tuple[str, str]:
        """The algorithm's id and its label."""
        return self.stored.algorithm, self.stored.label

    @cached_property
    def played(self) -> tuple[LoadedCell, ...]:
        """The cells that have runs."""
        return tuple(cell for cell in self.cells if cell.n_runs)

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return sum(cell.n_runs for cell in self.cells)

    @property
    def planned(self) -> int:
        """How many runs the spec asks for."""
        return sum(cell.stored.n_runs for cell in self.cells)

    @property
    def rounds(self) -> np.ndarray:
        """The checkpoints, (n,) int64, 1-based; none without runs."""
        return self.played[0].rounds if self.played else np.zeros(0, np.int64)

    @property
    def games(self) -> np.ndarray:
        """Which of the matrices (0-based) each run is on, (runs,) int64."""
        return np.repeat(np.arange(len(self.played)), [cell.n_runs for cell in self.played])

    @property
    def n_units(self) -> int:
        """How many observations are independent: the matrices if there are several, else the runs."""
        return len(self.played) if len(self.played) > 1 else self.runs

    @property
    def identity(self) -> dict[str, Any]:
        """The first columns of nearly all tables."""
        stored = self.stored
        names = {"problem": self.problem, "algorithm": stored.algorithm, "label": stored.label}
        return {**names, "horizon": stored.horizon}

    def values(self, of: Callable[[LoadedCell], np.ndarray]) -> np.ndarray:
        """What ``of`` returns for each cell, one row per run, joined."""
        parts = [of(cell) for cell in self.played]
        if len(parts) == 1:
            return parts[0]
        return np.concatenate(parts) if parts else np.zeros(0)

    def regret(self, which: int) -> np.ndarray:
        """Cumulative regret, (runs, n) float64, of the definition in row ``which``."""
        return self.values(lambda cell: cell.regret[:, which])


def samples(experiment: Experiment, together: Together = "games") -> list[Sample]:
    """The samples of an experiment, in the order of its spec; what a sweep leaves as it is comes before its values.

    Raises
    ------
    InputError
        When runs to different checkpoints would be one sample.
    """
    if together == "games":
        groups = games_together(experiment.cells)
    else:
        by_key: dict[tuple[str, int, int], list[LoadedCell]] = {}
        for cell in experiment.cells:
            problem = cell.stored.problem if together == "matrix" else ALL_PROBLEMS
            by_key.setdefault((problem, cell.stored.position, cell.stored.horizon), []).append(cell)
        groups = list(by_key.values())
    found = []
    for cells in groups:
        stored = cells[0].stored
        problem = {"matrix": stored.problem, "games": stored.setting, "all": ALL_PROBLEMS}[together]
        sample = Sample(problem, tuple(cells))
        if any(not np.array_equal(cell.rounds, sample.rounds) for cell in sample.played):
            raise InputError(f"{experiment.name}: runs to different horizons cannot be pooled into one curve")
        found.append(sample)
    return found


def entries(found: Iterable[Sample]) -> list[list[Sample]]:
    """The samples of each algorithm on each problem: one, or one for each horizon, increasing."""
    groups: dict[tuple[str, int], list[Sample]] = {}
    for sample in found:
        groups.setdefault((sample.problem, sample.stored.position), []).append(sample)
    return list(groups.values())


def longest(found: Sequence[Sample]) -> list[Sample]:
    """Of each algorithm on each problem the sample with the longest horizon."""
    return [own[-1] for own in entries(found)]
