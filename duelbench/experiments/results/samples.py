"""Samples: the runs of one algorithm on one problem up to one horizon; tables and figures are made of them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from duelbench.errors import InputError
from duelbench.experiments.results.cells import games_together
from duelbench.experiments.results.experiments import Experiment, LoadedCell
from duelbench.experiments.results.manifest import StoredCell

ALL_PROBLEMS = "all problems"

Together = Literal["matrix", "games", "all"]
"""The matrices that count as one problem: each one, the random ones at a value of a sweep, or all of an experiment."""


@dataclass(frozen=True, eq=False)
class Sample:
    """The runs of one algorithm on one problem up to one horizon."""

    problem: str  # the problem's name in tables and panels
    cells: tuple[LoadedCell, ...]  # one for each matrix, with or without runs; at least one

    @property
    def stored(self) -> StoredCell:
        """The cell of the first matrix in the manifest."""
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
        """The number of runs."""
        return sum(cell.n_runs for cell in self.cells)

    @property
    def planned(self) -> int:
        """The number of runs in the spec."""
        return sum(cell.stored.n_runs for cell in self.cells)

    @property
    def rounds(self) -> np.ndarray:
        """The checkpoints, (n,) int64, 1-based; empty without runs."""
        return self.played[0].rounds if self.played else np.zeros(0, np.int64)

    @property
    def games(self) -> np.ndarray:
        """The index (0-based) of the matrix of each run, (runs,) int64."""
        return np.repeat(np.arange(len(self.played)), [cell.n_runs for cell in self.played])

    @property
    def n_units(self) -> int:
        """The number of independent observations: of matrices if there are several, else of runs."""
        return len(self.played) if len(self.played) > 1 else self.runs

    @property
    def identity(self) -> dict[str, Any]:
        """The first columns of most tables."""
        stored = self.stored
        names = {"problem": self.problem, "algorithm": stored.algorithm, "label": stored.label}
        return {**names, "horizon": stored.horizon}

    def values(self, of: Callable[[LoadedCell], np.ndarray]) -> np.ndarray:
        """Return the results of ``of`` for all cells with runs, joined: one row for each run."""
        parts = [of(cell) for cell in self.played]
        if len(parts) == 1:
            return parts[0]
        return np.concatenate(parts) if parts else np.zeros(0)

    def regret(self, which: int) -> np.ndarray:
        """Return the cumulative regret by the definition in row ``which``, (runs, n) float64."""
        return self.values(lambda cell: cell.regret[:, which])


def samples(experiment: Experiment, together: Together = "games") -> list[Sample]:
    """Return the samples of an experiment in the order of its spec; those that a sweep does not change come first.

    Raises
    ------
    InputError
        When runs with different checkpoints would be one sample.
    """
    if together == "games":
        groups = games_together(experiment.cells)
    else:
        cells_of: dict[tuple[str, int, int], list[LoadedCell]] = {}
        for cell in experiment.cells:
            problem = cell.stored.problem if together == "matrix" else ALL_PROBLEMS
            cells_of.setdefault((problem, cell.stored.position, cell.stored.horizon), []).append(cell)
        groups = list(cells_of.values())
    joined = []
    for cells in groups:
        stored = cells[0].stored
        problem = {"matrix": stored.problem, "games": stored.setting, "all": ALL_PROBLEMS}[together]
        sample = Sample(problem, tuple(cells))
        if any(not np.array_equal(cell.rounds, sample.rounds) for cell in sample.played):
            raise InputError(f"{experiment.name}: runs to different horizons cannot be pooled into one curve")
        joined.append(sample)
    return joined


def at_every_value(cells: Sequence[LoadedCell]) -> tuple[LoadedCell, ...]:
    """Return the cells of a sweep, with a copy of each cell that it does not change at each of its values."""
    points: dict[str, dict[str, Any]] = {}
    for stored in (cell.stored for cell in cells):
        if stored.point is not None:
            points.setdefault(stored.base, {}).setdefault(stored.problem, stored.point)
    spread = []
    for cell in cells:
        stored = cell.stored
        if stored.point is not None or stored.base not in points:
            spread.append(cell)
            continue
        for problem, point in points[stored.base].items():
            spread.append(replace(cell, stored=replace(stored, problem=problem, point=point)))
    return tuple(spread)


def entries(samples: Iterable[Sample]) -> list[list[Sample]]:
    """Return the samples of each algorithm on each problem: one sample, or one for each horizon, increasing."""
    groups: dict[tuple[str, int], list[Sample]] = {}
    for sample in samples:
        groups.setdefault((sample.problem, sample.stored.position), []).append(sample)
    return list(groups.values())


def longest(samples: Iterable[Sample]) -> list[Sample]:
    """Return the sample with the longest horizon of each algorithm on each problem."""
    return [by_horizon[-1] for by_horizon in entries(samples)]
