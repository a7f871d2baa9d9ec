"""Cells: the independent parts of an experiment, each one algorithm on one problem up to one horizon, many runs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any, Protocol, TypeVar

from duelbench.bandits.problem.family import game_seed
from duelbench.bandits.problem.worlds.world import AnyProblem
from duelbench.bandits.simulation.terms import SETTINGS, Identity, Terms
from duelbench.bandits.simulation.trace import log_checkpoints
from duelbench.experiments.spec.experiment_spec import (
    Entry,
    ExperimentSpec,
    Point,
    Problem,
    Sweep,
    is_swept,
    value_folder,
)


@dataclass(frozen=True, kw_only=True)
class AnyCell:
    """One algorithm on one problem up to one horizon, in a spec or in a results folder."""

    problem: str  # the problem's name in tables: that of the spec, or the name of the matrix's file
    matrix: AnyProblem
    label: str  # the algorithm's name in legends
    identity: Identity  # everything that determines the numbers of its runs
    n_runs: int  # with interim analyses, the runs before the first
    point: Point | None = None  # the value of the spec's sweep

    @property
    def setting(self) -> str:
        """The name in tables that all random matrices at one value of a sweep share; without a sweep, the problem's."""
        return self.point.setting if self.point else self.problem

    @property
    def base(self) -> str:
        """The problem's name in tables, without the value of a sweep."""
        return self.point.problem if self.point else self.problem

    @property
    def name(self) -> str:
        """The cell's name in messages."""
        return f"{self.label} on {self.problem}"


@dataclass(frozen=True, kw_only=True)
class Cell(AnyCell):
    """One algorithm on one problem of a spec up to one horizon."""

    problem_name: str  # the problem's name in the spec; empty if the spec has one matrix
    folder: PurePosixPath  # the folder of the runs, relative to the experiment's folder
    terms: Terms


class OfCell(Protocol):
    """Anything that belongs to a cell, such as its runs or their state."""

    @property
    def cell(self) -> AnyCell: ...


Item = TypeVar("Item", bound=OfCell)


def cells(spec: ExperimentSpec) -> tuple[Cell, ...]:
    """Return the cells of a spec, by problem, then by algorithm, then by horizon."""
    if spec.sweep and not spec.sweep.problems:
        return tuple(cell for problem in spec.problems for cell in _swept_cells(spec, spec.sweep, problem))
    return tuple(
        _cell(spec, problem, entry, horizon)
        for problem in spec.problems
        for entry in spec.entries
        for horizon in entry.horizons
    )


def count_cells(spec: ExperimentSpec) -> int:
    """Return the number of cells of a spec, without making them."""
    if spec.sweep and not spec.sweep.problems:
        n_swept = sum(is_swept(spec.sweep.over, entry) for entry in spec.entries)
        return len(spec.problems) * (len(spec.sweep.values) * n_swept + len(spec.entries) - n_swept)
    return len(spec.problems) * sum(len(entry.horizons) for entry in spec.entries)


def run_file(run: int) -> str:
    """Return the file name of a run (0-based): ``run-00007.npz``."""
    return f"run-{run:05d}.npz"


def _swept_cells(spec: ExperimentSpec, sweep: Sweep, problem: Problem) -> Iterator[Cell]:
    """Yield the cells on one problem, in a sweep over anything but matrices.

    An algorithm that the sweep does not change has one cell.
    """
    for k, value in enumerate(sweep.values):
        for entry in spec.entries:
            if is_swept(sweep.over, entry):
                yield _swept_cell(spec, sweep, problem, entry, value)
            elif k == 0:
                yield _cell(spec, problem, entry, spec.horizon)


def _swept_cell(spec: ExperimentSpec, sweep: Sweep, problem: Problem, entry: Entry, value: Any) -> Cell:
    """Return the cell at one value of a sweep over anything but matrices."""
    if sweep.over in SETTINGS:
        spec = replace(spec, settings=replace(spec.settings, **{sweep.over: value}))
    point = Point(problem.title, sweep.over, value)
    entry, horizon = sweep.settings(entry, value, spec.horizon)
    folder = PurePosixPath(problem.name, value_folder(sweep.over, value), entry.slug)
    return replace(_cell(spec, problem, entry, horizon), problem=str(point), folder=folder, point=point)


def _cell(spec: ExperimentSpec, problem: Problem, entry: Entry, horizon: int) -> Cell:
    folder = PurePosixPath(problem.name, entry.slug)
    if horizon != spec.horizon:
        folder /= f"horizon-{horizon}"
    game = problem.point.game if problem.point else None
    terms = Terms(
        problem=problem.matrix,
        algorithm=entry.algorithm.id,
        parameters=entry.parameters,
        horizon=horizon,
        checkpoints=_checkpoints(spec, horizon),
        regret=spec.regret,
        # The games of a sweep are independent: each has its own seed.
        seed=spec.seed if game is None else game_seed(spec.seed, game),
        settings=replace(spec.settings, **entry.settings, cut_at_checkpoints=bool(spec.budget)),
    )
    return Cell(
        problem=problem.title,
        problem_name=problem.name,
        matrix=problem.matrix,
        label=entry.label,
        folder=folder,
        terms=terms,
        identity=terms.identity,
        n_runs=spec.fewest_runs,
        point=problem.point,
    )


def _checkpoints(spec: ExperimentSpec, horizon: int) -> tuple[int, ...]:
    """Return the checkpoints of runs to a horizon, which may be shorter than the spec's."""
    if horizon == spec.horizon:
        return spec.checkpoints
    if isinstance(spec.checkpoint_rule, tuple):
        return (*(t for t in spec.checkpoints if t < horizon), horizon)
    return tuple(log_checkpoints(horizon, spec.checkpoint_rule).tolist())


def games_together(items: Iterable[Item]) -> list[list[Item]]:
    """Group items whose cells differ only in the random matrix of a sweep.

    The groups are in the order of the cells; on each problem, cells that a sweep does not change come before others.
    """
    groups: dict[tuple[str, str, int], list[Item]] = {}
    for item in items:
        cell = item.cell
        groups.setdefault((cell.setting, cell.label, cell.identity.horizon), []).append(item)
    problems = dict.fromkeys(group[0].cell.base for group in groups.values())
    places = {problem: k for k, problem in enumerate(problems)}

    return sorted(groups.values(), key=lambda group: (places[group[0].cell.base], group[0].cell.point is not None))
