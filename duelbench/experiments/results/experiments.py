"""Reads experiments with all of their runs, and lists missing and damaged ones."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from duelbench.bandits.algorithms import registry
from duelbench.bandits.problem import round_losses
from duelbench.bandits.problem.scalar_bandit import ScalarBandit
from duelbench.bandits.problem.worlds.world import World
from duelbench.bandits.simulation.streams import world_stream
from duelbench.common.words import first_few
from duelbench.errors import IncompleteResults, InputError, nearest
from duelbench.experiments.results import failures
from duelbench.experiments.results.decided import Standing
from duelbench.experiments.results.manifest import Results, StoredCell, find_experiments, open_results
from duelbench.experiments.results.status import read_runs, standing_of
from duelbench.experiments.results.store import DamagedResult, NewerResult

_SHOWN_FAULTS = 3
_SHOWN_GAPS = 20


@dataclass(frozen=True, eq=False)
class LoadedCell:
    """The runs of one algorithm on one problem up to one horizon, ordered by their index."""

    stored: StoredCell  # the cell in the manifest
    rounds: np.ndarray  # checkpoints, 1-based; empty without runs
    regret: np.ndarray  # (n_runs, n_definitions, n)
    recommendations: np.ndarray  # (n_runs, n): the arm (0-based) that each run recommends at each checkpoint
    decisions: np.ndarray  # (n_runs,): the decisions of each run
    indices: np.ndarray  # (n_runs,): the index (0-based) of each run
    missing: int  # runs of the spec that have no file, and did not fail
    damaged: tuple[DamagedResult, ...]
    failed: tuple[failures.Record, ...] = ()
    duels: np.ndarray | None = None  # the sum of `Trace.duels`; None for a matrix of a sweep
    answers: np.ndarray | None = None  # `Trace.answer` of each run; None if traces have none, or without runs
    finished: np.ndarray | None = None  # `Trace.finished`, likewise
    places: np.ndarray | None = None  # `Trace.places`, likewise
    explored: np.ndarray | None = None  # `Trace.explored`, likewise
    real_duels: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))  # duels of two different arms

    @property
    def cell(self) -> StoredCell:
        """The cell in the manifest."""
        return self.stored

    @property
    def n_runs(self) -> int:
        """The number of runs that were read."""
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
    environments: tuple[Mapping[str, str], ...]  # the environments that computed the runs, each once

    @property
    def name(self) -> str:
        """The experiment's name."""
        return self.results.name

    @property
    def title(self) -> str:
        """The experiment's title, by default its name."""
        return self.results.spec.get("title") or self.name

    @cached_property
    def standing(self) -> Standing | None:
        """The decisions of the interim analyses; None if the spec gives the number of runs."""
        final_regret = []
        for cell in self.cells:
            values = cell.regret[:, 0, -1].tolist() if cell.n_runs else []
            final_regret.append(dict(zip(cell.indices.tolist(), values, strict=True)))
        return standing_of(self.results, final_regret)

    @property
    def definitions(self) -> tuple[str, ...]:
        """The definitions of regret that were recorded."""
        return tuple(self.results.spec["regret"])

    @property
    def spec_sha256(self) -> str:
        """SHA-256 of the resolved spec."""
        return self.results.spec_sha256


def load_experiments(paths: Iterable[Path], *, allow_partial: bool = False) -> list[Experiment]:
    """Read the experiments at ``paths``, each once, with all of their runs.

    Raises
    ------
    InputError
        When a path is neither a results folder nor a folder of results folders.
    IncompleteResults
        When there are no runs, or some are missing or damaged; ``allow_partial`` leaves missing and damaged runs out.
    """
    opened, incomplete = open_all(paths)
    experiments = load_complete(opened, incomplete, allow_partial=allow_partial)
    incomplete.raise_any()
    return experiments


@dataclass
class Incomplete:
    """Results that cannot be shown, in sentences."""

    gaps: list[str] = field(default_factory=list)  # missing and damaged runs
    errors: list[str] = field(default_factory=list)  # other reasons, and how to fix them
    unreadable: dict[Path, str] = field(default_factory=dict)  # folder -> why; also among the errors

    def note_unreadable(self, folder: Path, error: IncompleteResults) -> None:
        """Record why the results in a folder cannot be read."""
        self.errors.append(str(error))
        self.unreadable[folder] = str(error)

    def raise_any(self, but_some: bool = False, partial: str = "--allow-partial") -> None:
        """Raise `IncompleteResults` if there are gaps or errors; ``but_some`` says whether other results were shown.

        ``partial`` is the option or argument that allows incomplete results.
        """
        parts = list(self.errors)
        if self.gaps:
            left_out = " and are left out" if but_some else ""
            lines = [f"these results are not complete{left_out}:", *first_few(self.gaps, _SHOWN_GAPS)]
            hint = (
                "`duelbench run` with the experiment's spec computes what is missing;"
                f" {partial} uses the runs that exist, and says so"
            )
            parts.insert(0, "\n  ".join(lines) + f"\n{hint}")
        if parts:
            raise IncompleteResults("\n".join(parts))


def load_complete(
    opened: Sequence[Results],
    incomplete: Incomplete,
    *,
    allow_partial: bool = False,
    count: Callable[[int, str], None] = lambda *_: None,
) -> list[Experiment]:
    """Read the experiments that are complete, and record in ``incomplete`` what the others lack.

    ``count`` is called for each run, with the number of all runs and the experiment's name.
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
            incomplete.errors.append(f"{results.folder}: has no runs yet; `duelbench run` its spec")
        else:
            experiments.append(experiment)
    return experiments


def open_all(paths: Iterable[Path]) -> tuple[list[Results], Incomplete]:
    """Return the manifests of all experiments at ``paths``, each once, and those that cannot be read.

    Raises `InputError` as `load_experiments`.
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
    """Return a sentence for each cell with missing or damaged runs, with its folder.

    If no cell has any, but the interim analyses need more runs, one sentence says so.
    """
    gaps = [_gap(cell) for cell in experiment.cells if not cell.is_whole]
    standing = experiment.standing
    if gaps or standing is None or standing.is_over:
        return gaps
    return [f"{experiment.results.folder}: runs {standing.rule.words}: {standing.summary}; {standing.how_far}"]


def _gap(cell: LoadedCell) -> str:
    stored = cell.stored
    counts = {"missing": cell.missing, "failed": len(cell.failed), "damaged": len(cell.damaged)}
    gaps = ", ".join(f"{count} {state}" for state, count in counts.items() if count)
    sentence = f"{stored.folder}: {cell.n_runs} of {stored.n_runs} runs of {stored.name} ({gaps})"
    faults = [f"{error.path.name}: {error.reason}" for error in cell.damaged]
    return "; ".join([sentence, *first_few(faults, _SHOWN_FAULTS, "{} more")])


def notes(experiments: Sequence[Experiment]) -> list[str]:
    """Return notes on the versions, environments, bounds and changed code of results."""
    return [
        *version_notes(experiments),
        *environment_notes(experiments),
        *bound_notes(experiments),
        *code_notes(experiment.results for experiment in experiments),
    ]


def environment_notes(experiments: Sequence[Experiment]) -> list[str]:
    """Return a sentence on what differs between the environments that computed the runs, if there are several."""
    environments = {frozenset(env.items()): env for experiment in experiments for env in experiment.environments}
    if len(environments) < 2:
        return []
    differences = []
    for name in sorted({name for env in environments.values() for name in env}):
        values = sorted({env.get(name, "unknown") for env in environments.values()})
        if len(values) > 1:
            differences.append(f"{name} {' and '.join(values)}")
    return [f"the runs were computed in {len(environments)} environments, which differ in {'; '.join(differences)}"]


def version_notes(experiments: Sequence[Experiment]) -> list[str]:
    """Return a sentence for each algorithm whose runs have several trace versions, plug-in codes or results formats."""
    versions_of: dict[tuple[str, str | None], set[tuple[int, int, str | None]]] = defaultdict(set)
    for experiment in experiments:
        for cell in experiment.cells:
            identity = cell.stored.identity
            version = identity.trace_version, identity.format, identity.code
            versions_of[cell.stored.algorithm, identity.decision].add(version)
    return [
        f"the runs of {algorithm} come from {len(versions)} trace versions, which cannot be compared"
        for (algorithm, _), versions in versions_of.items()
        if len(versions) > 1
    ]


def code_notes(opened: Iterable[Results]) -> list[str]:
    """Return a sentence for each experiment and each change of loaded algorithms since their runs."""
    loaded = {*registry.BUILT_IN, *(id for ids in registry.named_plug_ins.values() for id in ids)}
    changed: dict[tuple[str, str], list[str]] = defaultdict(list)
    for results in opened:
        for cell in results.cells:
            is_loaded = cell.algorithm.partition(registry.UNTIL)[0] in loaded
            change = _change_of_code(cell) if is_loaded else None
            if change is not None and cell.algorithm not in changed[results.name, change]:
                changed[results.name, change].append(cell.algorithm)
    return [
        f"{name}: {change} since the runs of {', '.join(algorithms)} were made; these are the old results:"
        f" `duelbench run` with the spec makes {'it' if len(algorithms) == 1 else 'them'} again"
        for (name, change), algorithms in changed.items()
    ]


def _change_of_code(cell: StoredCell) -> str | None:
    """Return the change of the algorithm since the runs of a cell, in words; None if it did not change."""
    decision = cell.matrix.decision if isinstance(cell.matrix, ScalarBandit) else None
    algorithm, identity = registry.get(cell.algorithm), cell.identity
    if identity.trace_version != algorithm.trace_version:
        return f"the trace version changed from {identity.trace_version} to {algorithm.trace_version}"
    return None if identity.code == registry.code_of(algorithm, decision) else "the plug-in's code changed"


def bound_notes(experiments: Sequence[Experiment]) -> list[str]:
    """Return a sentence for each experiment with bounds in its spec that are not computed yet."""
    return [
        f"{experiment.name}: its bounds are not computed yet; `duelbench run` its spec, which repeats no run"
        for experiment in experiments
        if experiment.results.spec.get("bounds")
        and not any("bounds" in problem for problem in experiment.results.content["problems"])
    ]


def _load(results: Results, count: Callable[[], None]) -> Experiment:
    """Read all runs of an experiment; ``count`` is called for each."""
    environments: dict[str, Mapping[str, str]] = {}
    failed = failures.read(results.folder)
    cells = tuple(_load_cell(stored, failed, environments, count) for stored in results.cells)
    return Experiment(results, cells, tuple(environments[key] for key in sorted(environments)))


def _load_cell(
    stored: StoredCell,
    failure_records: Mapping[str, failures.Record],
    environments: dict[str, Mapping[str, str]],
    count: Callable[[], None],
) -> LoadedCell:
    runs: list[dict[str, Any]] = []  # the fields of `LoadedCell` that are arrays
    duels: np.ndarray | None = None
    rounds = np.zeros(0, dtype=np.int64)
    missing = 0
    damaged: list[DamagedResult] = []
    failed: list[failures.Record] = []
    for run, state in enumerate(read_runs(stored, failure_records)):
        count()
        if isinstance(state, DamagedResult):
            damaged.append(state)
        elif isinstance(state, failures.Record):
            failed.append(state)
        elif state is None:
            missing += 1
        else:
            trace, rounds = state.trace, state.trace.rounds
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
            environments.setdefault(json.dumps(dict(state.environment), sort_keys=True), state.environment)
    arrays: dict[str, Any] = {}
    for name in runs[0] if runs else ():
        values = [run[name] for run in runs]
        if all(value is not None for value in values):
            arrays[name] = np.array(values)
    if not runs:
        arrays = {"regret": np.zeros(0), "recommendations": np.zeros((0, 0), np.int64)}
        arrays |= dict.fromkeys(("indices", "decisions", "real_duels"), np.zeros(0, np.int64))
    states: dict[str, Any] = {"missing": missing, "damaged": tuple(damaged), "failed": tuple(failed)}
    return LoadedCell(stored, rounds, duels=duels, **states, **arrays)


def bounds_of(experiment: Experiment, cell: LoadedCell, definition: str) -> dict[str, float]:
    """Return the bounds on the regret in a cell: kind -> C of C ln t, in duels."""
    content = experiment.results.content
    folders = [stored.folder for stored in experiment.results.cells]
    problem = content["cells"][folders.index(cell.stored.folder)]["problem"]
    lines = content["problems"][problem].get("bounds", ())
    return {kind: constant for kind, constant, regret in lines if regret == definition}


def choose_definition(experiments: Sequence[Experiment], wanted: str | None) -> str:
    """Return the definition of regret to show: ``wanted``, or the one that all experiments recorded first.

    Raises an `InputError` if an experiment has not recorded it, or the first ones differ.
    """
    if wanted is None:
        firsts = sorted({experiment.definitions[0] for experiment in experiments})
        if len(firsts) > 1:
            raise InputError(f"the experiments record different regrets first ({', '.join(firsts)}): choose one")
        return firsts[0]
    for experiment in experiments:
        check_recorded(experiment, wanted)
    return wanted


def check_recorded(experiment: Experiment, definition: str) -> None:
    """Refuse a definition of regret that an experiment did not record."""
    recorded = experiment.definitions
    if definition not in recorded:
        hint = nearest(definition, recorded)
        raise InputError(f"regret {definition}: {experiment.name} recorded {', '.join(recorded)} only{hint}")


def winners_of(definition: str, stored: StoredCell) -> np.ndarray:
    """Return the decisions (arms from 0, or numbers) without regret by ``definition``."""
    if isinstance(stored.matrix, World):
        raise InputError(f"{stored.problem} is a world that changes, and has other winners in other rounds")
    return round_losses.best_decisions(definition, stored.matrix)


_WINNERS_BY = {"borda-static": "borda", "condorcet-static": "copeland"}
"""For definitions whose comparator is one arm for all rounds: the definition of the winners of each round."""


def found_winner(definition: str, cell: LoadedCell) -> np.ndarray:
    """Return whether runs recommend a winner by ``definition`` at each checkpoint, (n_runs, n) bool.

    In a world that changes, the winners of the checkpoint's round count.
    """
    stored, world = cell.stored, cell.stored.matrix
    if not isinstance(world, World):
        return np.isin(cell.recommendations, winners_of(definition, stored))
    definition = _WINNERS_BY.get(definition, definition)
    is_winner = np.zeros(cell.recommendations.shape, bool)
    if not cell.n_runs:
        return is_winner
    winners = {id(matrix): round_losses.best_decisions(definition, matrix) for matrix in world.matrices}
    segments = world.segments(stored.horizon, world_stream(stored.identity.seed, 0))
    for row, run in enumerate(cell.indices.tolist()):
        if world.per_run:
            segments = world.segments(stored.horizon, world_stream(stored.identity.seed, run))
        starts = [segment.start for segment in segments]
        places = np.searchsorted(starts, cell.rounds, side="right") - 1
        for k, place in enumerate(places.tolist()):
            is_winner[row, k] = cell.recommendations[row, k] in winners[id(segments[place].matrix)]
    return is_winner
