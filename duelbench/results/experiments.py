"""Reads experiments with all of their runs, and reports what is missing or damaged."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from duelbench.algorithms import registry
from duelbench.errors import IncompleteResults, InputError, nearest
from duelbench.problem import round_losses
from duelbench.problem.scalar_bandit import ScalarBandit
from duelbench.problem.worlds.world import World
from duelbench.results import failures
from duelbench.results.decided import Standing
from duelbench.results.manifest import Results, StoredCell, find_experiments, open_results
from duelbench.results.status import read_runs, standing_of
from duelbench.results.store import DamagedResult, NewerResult
from duelbench.simulation.streams import world_stream

_SHOWN_FAULTS = 3
_SHOWN_GAPS = 20


@dataclass(frozen=True, eq=False)
class LoadedCell:
    """The runs of one algorithm on one problem up to one horizon, ordered by their index."""

    stored: StoredCell  # what the manifest says of them
    rounds: np.ndarray  # checkpoints, 1-based; none where there is no run
    regret: np.ndarray  # (n_runs, n_definitions, n)
    recommendations: np.ndarray  # (n_runs, n): the arm (0-based) that each run recommends after each checkpoint
    decisions: np.ndarray  # (n_runs,): how many decisions each run took
    indices: np.ndarray  # (n_runs,): the number (0-based) of each run
    missing: int  # how many runs of the spec have no file, and did not fail
    damaged: tuple[DamagedResult, ...]  # runs whose file is damaged
    failed: tuple[failures.Record, ...] = ()  # what is on record of runs that failed
    duels: np.ndarray | None = None  # as `Trace.duels`, of all runs together; None for a matrix of a sweep
    answers: np.ndarray | None = None  # as `Trace.answer`, for each run; None without runs or where it has none
    finished: np.ndarray | None = None  # as `Trace.finished`, likewise
    places: np.ndarray | None = None  # as `Trace.places`, likewise
    explored: np.ndarray | None = None  # as `Trace.explored`, likewise
    real_duels: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))  # rounds in which two arms met

    @property
    def cell(self) -> StoredCell:
        """What the manifest says of them."""
        return self.stored

    @property
    def n_runs(self) -> int:
        """How many runs were read."""
        return len(self.indices)

    @property
    def recommended(self) -> np.ndarray:
        """The arm (0-based) that each run recommends at the horizon, (n_runs,) int64."""
        return self.recommendations[:, -1] if self.n_runs else np.zeros(0, dtype=np.int64)

    @property
    def is_whole(self) -> bool:
        """Whether every run of the spec was read."""
        return self.n_runs == self.stored.n_runs


@dataclass(frozen=True, eq=False)
class Experiment:
    """An experiment with all of its runs that can be read."""

    results: Results  # the manifest
    cells: tuple[LoadedCell, ...]  # in the order of the manifest
    environments: tuple[Mapping[str, str], ...]  # the different environments that computed the runs

    @property
    def name(self) -> str:
        """The experiment's name."""
        return self.results.name

    @property
    def title(self) -> str:
        """The experiment's title; its name where the spec has none."""
        return self.results.spec.get("title") or self.name

    @cached_property
    def standing(self) -> Standing | None:
        """What is decided, where the number of runs is decided while they run."""
        return standing_of(self.results, (_at_horizon(cell) for cell in self.cells))

    @property
    def definitions(self) -> tuple[str, ...]:
        """The regret definitions that were recorded."""
        return tuple(self.results.spec["regret"])

    @property
    def spec_sha256(self) -> str:
        """SHA-256 of the resolved spec."""
        return hashlib.sha256(json.dumps(self.results.spec, sort_keys=True).encode()).hexdigest()


def load_experiments(paths: Iterable[Path], *, allow_partial: bool = False) -> list[Experiment]:
    """Read the experiments at ``paths``, each once, with all of their runs.

    Raises
    ------
    InputError
        When a path is no results folder, and no folder of such folders.
    IncompleteResults
        When there is no run, or runs are missing or damaged; with ``allow_partial`` these are left out.
    """
    opened, incomplete = open_all(paths)
    experiments = load_what_is_whole(opened, incomplete, allow_partial=allow_partial)
    incomplete.raise_any()
    return experiments


@dataclass
class Incomplete:
    """What cannot be shown because it is incomplete, in sentences."""

    gaps: list[str] = field(default_factory=list)  # what is missing or damaged
    errors: list[str] = field(default_factory=list)  # whatever else cannot be shown, and how to fix it
    unreadable: dict[Path, str] = field(default_factory=dict)  # folders, and why; it is among the errors too

    def note_unreadable(self, folder: Path, error: IncompleteResults) -> None:
        """Note that the results in a folder cannot be read, and why."""
        self.errors.append(str(error))
        self.unreadable[folder] = str(error)

    def raise_any(self, but_some: bool = False, partial: str = "--allow-partial") -> None:
        """Raise `IncompleteResults` if there is anything; ``but_some`` says that the rest was shown.

        ``partial`` is how to ask for incomplete results.
        """
        parts = list(self.errors)
        if self.gaps:
            more = len(self.gaps) - _SHOWN_GAPS
            shown = [*self.gaps[:_SHOWN_GAPS], *([f"and {more} more"] if more > 0 else [])]
            head = f"these results are not complete{' and are left out' * but_some}:"
            hint = f"`duelbench run` with the experiment's spec computes what is missing; {partial} takes what is there"
            parts.insert(0, "\n  ".join([head, *shown]) + f"\n{hint}, and says so")
        if parts:
            raise IncompleteResults("\n".join(parts))


def load_what_is_whole(
    opened: Sequence[Results],
    incomplete: Incomplete,
    *,
    allow_partial: bool = False,
    count: Callable[[int, str], None] = lambda *_: None,
) -> list[Experiment]:
    """Read those experiments that are complete, and note in ``incomplete`` what the others lack.

    ``count`` is called with the number of all runs, and the experiment's name, as each run is read.
    """
    total = sum(cell.n_runs for results in opened for cell in results.cells)
    experiments = []
    for results in opened:
        try:
            experiment = _load(results, partial(count, total, results.name))
        except NewerResult as error:
            incomplete.note_unreadable(results.folder, error)
            continue
        gaps = gaps_of(experiment)
        if gaps and not allow_partial:
            incomplete.gaps += gaps
        elif not any(cell.n_runs for cell in experiment.cells):
            incomplete.errors.append(f"{results.folder}: no run of it is there; `duelbench run` its spec")
        else:
            experiments.append(experiment)
    return experiments


def open_all(paths: Iterable[Path]) -> tuple[list[Results], Incomplete]:
    """The manifests of all experiments at ``paths``, each once, and which cannot be read.

    Raises `InputError` as `load_experiments` does.
    """
    folders = {folder.resolve(): folder for path in paths for folder in find_experiments(path)}
    opened, incomplete = [], Incomplete()
    for folder in folders.values():
        try:
            opened.append(open_results(folder))
        except IncompleteResults as error:
            incomplete.note_unreadable(folder, error)
    return opened, incomplete


def gaps_of(experiment: Experiment) -> list[str]:
    """What is missing or damaged, one sentence per algorithm, problem and horizon, each with its folder.

    Where all runs are there, and interim analyses ask for more, a sentence says so.
    """
    gaps = [_gap(cell) for cell in experiment.cells if not cell.is_whole]
    found = experiment.standing
    if found is None or found.is_over or gaps:
        return gaps
    return [f"{experiment.results.folder}: runs {found.rule.words}: {found.summary}; {found.how_far}"]


def _at_horizon(cell: LoadedCell) -> dict[int, float]:
    """The number of each run -> its regret at the horizon, by the first definition."""
    return dict(zip(cell.indices.tolist(), cell.regret[:, 0, -1].tolist(), strict=True)) if cell.n_runs else {}


def _gap(cell: LoadedCell) -> str:
    stored = cell.stored
    counts = {"missing": cell.missing, "failed": len(cell.failed), "damaged": len(cell.damaged)}
    words = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    sentence = f"{stored.folder}: {cell.n_runs} of {stored.n_runs} runs of {stored.name} ({words})"
    faults = [f"{error.path.name}: {error.reason}" for error in cell.damaged[:_SHOWN_FAULTS]]
    more = len(cell.damaged) - len(faults)
    return "; ".join([sentence, *faults, *([f"{more} more"] if more > 0 else [])])


def notes(experiments: Sequence[Experiment]) -> list[str]:
    """Notes for readers of these results: versions, environments, bounds and changed code."""
    return [
        *version_notes(experiments),
        *environment_notes(experiments),
        *bound_notes(experiments),
        *code_notes(experiment.results for experiment in experiments),
    ]


def environment_notes(experiments: Sequence[Experiment]) -> list[str]:
    """One sentence if the runs were computed in several environments, naming what differs; else nothing."""
    different = {json.dumps(dict(env), sort_keys=True): env for e in experiments for env in e.environments}
    if len(different) < 2:
        return []
    environments = list(different.values())
    names = sorted({name for env in environments for name in env})
    varying = [(name, sorted({env.get(name, "unknown") for env in environments})) for name in names]
    words = "; ".join(f"{name} {' and '.join(values)}" for name, values in varying if len(values) > 1)
    return [f"the runs were computed in {len(environments)} environments, which differ in {words}"]


def version_notes(experiments: Sequence[Experiment]) -> list[str]:
    """One sentence per algorithm whose runs come from several trace versions, codes of a plug-in or results formats."""
    versions: dict[tuple[str, str | None], set[tuple[int, int, str | None]]] = {}
    for experiment in experiments:
        for cell in experiment.cells:
            identity = cell.stored.identity
            asked = cell.stored.algorithm, identity.decision
            versions.setdefault(asked, set()).add((identity.trace_version, identity.format, identity.code))
    return [
        f"the runs of {algorithm} come from {len(found)} trace versions, which cannot be compared"
        for (algorithm, _), found in versions.items()
        if len(found) > 1
    ]


def code_notes(opened: Iterable[Results]) -> list[str]:
    """One sentence per experiment and change of algorithms (of those that are loaded) since their runs."""
    known = {*registry.BUILT_IN, *(id for ids in registry.named_plug_ins.values() for id in ids)}
    changed: dict[tuple[str, str], dict[str, None]] = {}
    for results in opened:
        for cell in results.cells:
            if cell.algorithm.partition(registry.UNTIL)[0] in known and (change := _change_of_code(cell)):
                changed.setdefault((results.name, change), {})[cell.algorithm] = None
    return [
        f"{name}: {what} since the runs of {', '.join(algorithms)} were made; these are the old results:"
        f" `duelbench run` with the spec makes {'it' if len(algorithms) == 1 else 'them'} again"
        for (name, what), algorithms in changed.items()
    ]


def _change_of_code(cell: StoredCell) -> str | None:
    """What changed in the algorithm since the runs of a cell; None where nothing did."""
    decision = cell.matrix.decision if isinstance(cell.matrix, ScalarBandit) else None
    algorithm, identity = registry.get(cell.algorithm), cell.identity
    if identity.trace_version != algorithm.trace_version:
        return f"the trace version changed from {identity.trace_version} to {algorithm.trace_version}"
    return None if identity.code == registry.code_of(algorithm, decision) else "the plug-in's code changed"


def bound_notes(experiments: Sequence[Experiment]) -> list[str]:
    """One sentence per experiment whose spec asks for bounds that are not computed."""
    return [
        f"{experiment.name}: its bounds are not computed yet; `duelbench run` its spec, which repeats no run"
        for experiment in experiments
        if experiment.results.spec.get("bounds")
        and not any("bounds" in problem for problem in experiment.results.content["problems"])
    ]


def _load(results: Results, count: Callable[[], None]) -> Experiment:
    environments: dict[str, Mapping[str, str]] = {}
    failed = failures.read(results.folder)
    cells = tuple(_load_cell(stored, failed, environments, count) for stored in results.cells)
    return Experiment(results, cells, tuple(environments[key] for key in sorted(environments)))


def _load_cell(
    stored: StoredCell,
    on_record: Mapping[str, failures.Record],
    environments: dict[str, Mapping[str, str]],
    count: Callable[[], None],
) -> LoadedCell:
    runs: list[dict[str, Any]] = []  # by the names of `LoadedCell`
    duels: np.ndarray | None = None
    rounds = np.zeros(0, dtype=np.int64)
    missing = 0
    damaged: list[DamagedResult] = []
    failed: list[failures.Record] = []
    for run, what in enumerate(read_runs(stored, on_record)):
        count()
        if isinstance(what, DamagedResult):
            damaged.append(what)
        elif isinstance(what, failures.Record):
            failed.append(what)
        elif what is None:
            missing += 1
        else:
            trace, rounds = what.trace, what.trace.rounds
            self_duels = np.trace(trace.duels) if trace.duels.shape[0] == trace.duels.shape[1] else 0
            runs.append(
                {
                    "indices": run,
                    "regret": trace.regret,
                    "recommendations": trace.recommended,
                    "decisions": trace.decisions,
                    "real_duels": int(trace.duels.sum() - self_duels),
                    "answers": trace.answer,
                    "finished": trace.finished,
                    "places": trace.places,
                    "explored": trace.explored,
                }
            )
            if stored.point is None:
                duels = trace.duels if duels is None else duels + trace.duels
            environments.setdefault(json.dumps(dict(what.environment), sort_keys=True), what.environment)
    columns = {name: [run[name] for run in runs] for name in (runs[0] if runs else ())}
    arrays: dict[str, Any] = {
        name: np.array(values) for name, values in columns.items() if all(value is not None for value in values)
    }
    if not runs:
        arrays = {"regret": np.zeros(0), "recommendations": np.zeros((0, 0), np.int64)}
        arrays |= dict.fromkeys(("indices", "decisions", "real_duels"), np.zeros(0, np.int64))
    return LoadedCell(
        stored,
        rounds,
        missing=missing,
        damaged=tuple(damaged),
        failed=tuple(failed),
        duels=duels,
        **arrays,
    )


def bounds_of(experiment: Experiment, cell: LoadedCell, definition: str) -> dict[str, float]:
    """The bounds of a cell's problem on the regret of a definition: kind -> C of C ln t, in duels."""
    content = experiment.results.content
    number = content["cells"][experiment.cells.index(cell)]["problem"]
    lines = content["problems"][number].get("bounds", ())
    return {kind: constant for kind, constant, regret in lines if regret == definition}


def choose_definition(experiments: Sequence[Experiment], wanted: str | None) -> str:
    """The regret definition to show: the one wanted, or the first that was recorded; an InputError if it is unclear."""
    if wanted is None:
        firsts = sorted({experiment.definitions[0] for experiment in experiments})
        if len(firsts) > 1:
            raise InputError(f"the experiments record different regrets first ({', '.join(firsts)}): choose one")
        return firsts[0]
    for experiment in experiments:
        check_recorded(wanted, experiment.name, experiment.definitions)
    return wanted


def check_recorded(wanted: str, name: str, definitions: Sequence[str]) -> None:
    """Refuse a regret definition that the experiment called ``name`` did not record."""
    if wanted not in definitions:
        hint = nearest(wanted, definitions)
        raise InputError(f"regret {wanted}: {name} recorded {', '.join(definitions)} only{hint}")


def winners_of(definition: str, stored: StoredCell) -> np.ndarray:
    """The winners of ``definition``: the decisions (arms from 0, or numbers) that cost nothing permanently."""
    if isinstance(stored.matrix, World):
        raise InputError(f"{stored.problem} is a world that changes, and has other winners in other rounds")
    return round_losses.best_decisions(definition, stored.matrix)


_JUDGED_BY = {"borda-static": "borda", "condorcet-static": "copeland"}
"""Definitions whose comparator is one arm for all rounds, and those whose winners count in each round."""


def found_winner(definition: str, cell: LoadedCell) -> np.ndarray:
    """Whether runs recommended a winner of ``definition`` after each checkpoint, (n_runs, n) bool.

    In a world that changes the winners are those of the checkpoint's own round.
    """
    stored = cell.stored
    if not isinstance(stored.matrix, World):
        return np.isin(cell.recommendations, winners_of(definition, stored))
    world, seed, named = stored.matrix, stored.identity.seed, _JUDGED_BY.get(definition, definition)
    found = np.zeros(cell.recommendations.shape, bool)
    if not cell.n_runs:
        return found
    best = {id(matrix): round_losses.best_decisions(named, matrix) for matrix in world.matrices}
    segments = world.segments(stored.horizon, world_stream(seed, 0))
    for row, run in enumerate(cell.indices.tolist()):
        if world.per_run:
            segments = world.segments(stored.horizon, world_stream(seed, run))
        now = np.searchsorted([segment.start for segment in segments], cell.rounds, side="right") - 1
        for k, m in enumerate(now.tolist()):
            found[row, k] = cell.recommendations[row, k] in best[id(segments[m].matrix)]
    return found
