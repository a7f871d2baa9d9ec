"""Cells: the independent parts of an experiment, each one algorithm on one problem up to one horizon, many runs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any, Protocol, TypeVar

from duelbench.problem.family import game_seed
from duelbench.problem.worlds.world import AnyProblem
from duelbench.simulation.terms import SETTINGS, Identity, Terms
from duelbench.spec.experiment_spec import Entry, ExperimentSpec, Point, Problem, Sweep, is_swept, value_folder


@dataclass(frozen=True, kw_only=True)
class AnyCell:
    """A cell, of a spec or of a results folder."""

    problem: str  # what tables call the problem: its name, or the name of its matrix's file
    matrix: AnyProblem
    label: str  # what legends call the algorithm
    identity: Identity  # what determines its runs
    n_runs: int  # with interim analyses, those of the first
    point: Point | None = None  # where in the spec's sweep it stands

    @property
    def setting(self) -> str:
        """What tables call the problem when all random matrices at one value of a sweep are meant."""
        return self.point.setting if self.point else self.problem

    @property
    def base(self) -> str:
        """What tables call the problem, whatever the value of a sweep."""
        return self.point.problem if self.point else self.problem

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"{self.label} on {self.problem}"


@dataclass(frozen=True, kw_only=True)
class Cell(AnyCell):
    """One algorithm on one problem of a spec up to one horizon."""

    problem_name: str  # its name in the spec; empty where the spec has one matrix
    folder: PurePosixPath  # of its runs, relative to the experiment's folder
    terms: Terms


class OfCell(Protocol):
    """What belongs to a cell."""

    @property
    def cell(self) -> AnyCell: ...


Item = TypeVar("Item", bound=OfCell)


def cells(spec: ExperimentSpec) -> tuple[Cell, ...]:
    """The cells of a spec: problems in their order, in each of them the algorithms in theirs, horizons increasing."""
    if spec.sweep and not spec.sweep.problems:
        return tuple(cell for problem in spec.problems for cell in _swept_cells(spec, spec.sweep, problem))
    return tuple(
        _cell(spec, problem, entry, horizon)
        for problem in spec.problems
        for entry in spec.entries
        for horizon in entry.horizons
    )


def count_cells(spec: ExperimentSpec) -> int:
    """How many cells a spec has, without making them."""
    if spec.sweep and not spec.sweep.problems:
        n_swept = sum(is_swept(spec.sweep.over, entry) for entry in spec.entries)
        return len(spec.problems) * (len(spec.sweep.values) * n_swept + len(spec.entries) - n_swept)
    return len(spec.problems) * sum(len(entry.horizons) for entry in spec.entries)


def run_file(run: int) -> str:
    """The file name of a run (0-based): ``run-00007.npz``."""
    return f"run-{run:05d}.npz"


def _swept_cells(spec: ExperimentSpec, sweep: Sweep, problem: Problem) -> Iterator[Cell]:
    """The cells of a sweep that is not over matrices on one problem; an algorithm that it leaves as it is has one."""
    for k, value in enumerate(sweep.values):
        for entry in spec.entries:
            if is_swept(sweep.over, entry):
                yield _swept_cell(spec, problem, entry, value)
            elif k == 0:
                yield _cell(spec, problem, entry, spec.horizon)


def _swept_cell(spec: ExperimentSpec, problem: Problem, entry: Entry, value: Any) -> Cell:
    """The cell of a sweep that is not over matrices, at one value."""
    sweep = spec.sweep
    assert sweep is not None
    point = Point(problem.title, sweep.over, value)
    if point.over in SETTINGS:
        spec = replace(spec, settings=replace(spec.settings, **{point.over: value}))
    entry, horizon = sweep.settings(entry, value, spec.horizon)
    cell = _cell(spec, problem, entry, horizon)
    folder = PurePosixPath(problem.name, value_folder(point.over, value), entry.slug)
    return replace(cell, problem=str(point), folder=folder, point=point)


def _cell(spec: ExperimentSpec, problem: Problem, entry: Entry, horizon: int) -> Cell:
    folder = PurePosixPath(problem.name, entry.slug)
    terms = Terms(
        problem=problem.matrix,
        algorithm=entry.algorithm.id,
        parameters=entry.parameters,
        horizon=horizon,
        checkpoints=_checkpoints(spec, horizon),
        regret=spec.regret,
        seed=_seed(spec, problem),
        settings=replace(spec.settings, **entry.settings, cut_at_checkpoints=bool(spec.budget)),
    )
    return Cell(
        problem=problem.title,
        problem_name=problem.name,
        matrix=problem.matrix,
        label=entry.label,
        # Runs up to the experiment's horizon lie in the entry's own folder, those up to another one below it.
        folder=folder if horizon == spec.horizon else folder / f"horizon-{horizon}",
        terms=terms,
        identity=terms.identity,
        n_runs=spec.fewest_runs,
        point=problem.point,
    )


def _seed(spec: ExperimentSpec, problem: Problem) -> int:
    """The spec's seed; each game of a sweep has its own, for errors are those of independent games."""
    game = problem.point.game if problem.point else None
    return spec.seed if game is None else game_seed(spec.seed, game)


def _checkpoints(spec: ExperimentSpec, horizon: int) -> tuple[int, ...]:
    if horizon == spec.horizon:
        return spec.checkpoints
    if isinstance(spec.checkpoint_rule, tuple):
        return (*(t for t in spec.checkpoints if t < horizon), horizon)
    from duelbench.simulation.trace import log_checkpoints

    return tuple(log_checkpoints(horizon, spec.checkpoint_rule).tolist())


def games_together(items: Iterable[Item]) -> list[list[Item]]:
    """What belongs to cells, as tables list it: what differs in the random matrix only (of a sweep) in one list.

    The order is that of the cells; but what a sweep leaves as it is stands before its values.
    """
    groups: dict[tuple[str, str, int], list[Item]] = {}
    places: dict[str, int] = {}
    for item in items:
        cell = item.cell
        groups.setdefault((cell.setting, cell.label, cell.identity.horizon), []).append(item)
        places.setdefault(cell.base, len(places))
    return sorted(groups.values(), key=lambda group: (places[group[0].cell.base], group[0].cell.point is not None))
