"""Runs the experiments of specs, without repeating runs that exist."""

import contextlib
import dataclasses
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from numbers import Real
from pathlib import Path
from typing import Any

from duelbench.bandits.algorithms import registry
from duelbench.bandits.algorithms.contract import Algorithm
from duelbench.bandits.problem.worlds.world import at_first
from duelbench.bandits.simulation.simulate import whole
from duelbench.common import style_sheet
from duelbench.common.shipped import spec_file
from duelbench.common.words import counted
from duelbench.errors import FULL_DISK, InputError, RunsFailed, nearest_or_all
from duelbench.experiments import loading
from duelbench.experiments.execution.account import Outcome
from duelbench.experiments.execution.cluster import Cluster, connect
from duelbench.experiments.execution.fan_out import can_start_workers
from duelbench.experiments.execution.interim import plan_of, play_until_decided
from duelbench.experiments.execution.plan import (
    EVERYTHING,
    Chosen,
    Plan,
    Shard,
    Work,
    check_writable,
    count_files,
    prepare,
)
from duelbench.experiments.execution.progress import Progress
from duelbench.experiments.execution.runner import execute
from duelbench.experiments.execution.worker import is_ours, note_warm
from duelbench.experiments.plugins import trial
from duelbench.experiments.results.cells import Cell
from duelbench.experiments.spec.experiment_spec import MAX_RUNS, ExperimentSpec
from duelbench.experiments.spec.load import load

LOCAL, DASK = "local", "dask"
"""Backends: the processes of this machine, or the workers of a cluster."""

TRYING = "trying {} (first use of this code) ..."

SpecLike = ExperimentSpec | Mapping[str, Any] | str | os.PathLike[str]


def _tell(text: str) -> None:
    print(text, file=sys.stderr)


@dataclass(frozen=True)
class Playing:
    """How to run plans: arguments of `run`, and hooks of the command line."""

    jobs: int | None = None
    fail_fast: bool = False
    run_timeout: float | None = None
    quiet: bool = False
    listening: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext  # handles signals while runs last
    interrupted: Callable[[str], None] = _tell  # prints how many runs are done after Ctrl-C
    backend: str = LOCAL
    scheduler: str | None = None
    note: Callable[[str], None] = _tell  # prints the notes of a plan

    def tell(self, text: str) -> None:
        """Print a message on standard error, unless quiet."""
        if not self.quiet:
            _tell(text)


def run(
    spec: SpecLike,
    out: str | os.PathLike[str] = "results",
    *,
    jobs: int | None = None,
    runs: int | None = None,
    scale: str | None = None,
    fail_fast: bool = False,
    run_timeout: float | None = None,
    shard: str | None = None,
    problem: str | Iterable[str] = (),
    only: str | Iterable[str] = (),
    plug_in: str | Iterable[str] | None = None,
    quiet: bool = False,
    backend: str = LOCAL,
    scheduler: str | None = None,
) -> loading.Results:
    """Run an experiment on all cores, as ``duelbench run``, and read its results.

    Existing runs are used again: the same call resumes an interrupted experiment, repairs damaged files and tries
    failed runs again.

    Parameters
    ----------
    spec : path, mapping or ExperimentSpec
        A YAML file, or its keys as a mapping (with ``name``), whose paths are relative to the working folder. A matrix
        in it can be a DataFrame, an array, a list of rows or a `PreferenceMatrix`.
    out : path
        The folder for the results folder, which has the name of the spec.
    jobs : int, optional
        Worker processes; by default the number of cores. On a cluster, the largest number of runs at a time.
    runs : int, optional
        Runs of each algorithm, instead of the spec's ``runs``.
    scale : str, optional
        One of the ``scales`` in the spec.
    fail_fast : bool
        Whether to stop at the first run that fails.
    run_timeout : float, optional
        Seconds after which a run is stopped and counts as failed.
    shard : str, optional
        ``i/n``: run only part i of n. The result then has the runs that exist.
    problem, only : str or iterable of str
        Run only these problems (their names in tables) and algorithms (their labels); by default all.
    plug_in : str or iterable of str, optional
        .py files or modules with algorithms.
    quiet : bool
        Whether to print nothing on standard error, neither progress nor notes.
    backend : str
        ``local``, or ``dask`` for the workers of a Dask cluster.
    scheduler : str, optional
        The address of its scheduler, or a scheduler file.

    Raises
    ------
    InputError
        When the spec or an argument is wrong, before anything is run.
    RunsFailed
        When runs failed, after the others are written.
    KeyboardInterrupt
        After the workers have ended; finished runs are saved.
    """
    chosen = Chosen(loading.named(problem), loading.named(only))
    note = (lambda note: None) if quiet else _tell
    playing = Playing(None, fail_fast, run_timeout, quiet, backend=backend, scheduler=scheduler, note=note)
    (plan,) = plans_of([spec], Path(out), runs, scale, shard, run_timeout, loading.named(plug_in), chosen, playing.tell)
    check_backend(backend, scheduler)
    playing = dataclasses.replace(playing, jobs=None if jobs is None else whole("jobs", jobs, 1, MAX_RUNS))
    raise_failed({str(plan.folder): outcome for plan, outcome in play([plan], playing)})
    return loading.load(plan.folder, partial=shard is not None or not chosen.is_all)


def plans_of(
    specs: Sequence[SpecLike],
    out: Path,
    runs: int | None = None,
    scale: str | None = None,
    shard: str | None = None,
    run_timeout: float | None = None,
    plug_in: Iterable[str] = (),
    chosen: Chosen = EVERYTHING,
    tell: Callable[[str], None] = lambda text: None,
) -> list[Plan]:
    """The plans of specs. Writes nothing; raises one `InputError` with all mistakes.

    New plug-ins are run for some rounds; ``tell`` is called before that.
    """
    if run_timeout is not None and not (isinstance(run_timeout, Real) and 0 < run_timeout < float("inf")):
        raise InputError(f"a run's timeout must be a number of seconds above 0, got {run_timeout}")
    part = None if shard is None else Shard.parse(shard)
    n_runs = None if runs is None else whole("runs", runs, 1, MAX_RUNS)
    for name in plug_in:
        registry.load_plug_in(name)
    loaded = [dataclasses.replace(spec, runs=n_runs or spec.runs) for spec in _load(specs, scale)]
    _check_chosen(chosen, loaded)
    plans = [plan_of(spec, out / spec.name, part, chosen) for spec in loaded]
    if _open_files(plans, tell):  # opened files are part of the identity of runs
        plans = [plan_of(spec, out / spec.name, part, chosen) for spec in loaded]
    _check_style_sheets(plan.spec for plan in plans if plan.n_todo)
    return plans


def _check_style_sheets(specs: Iterable[ExperimentSpec]) -> None:
    """Refuse specs whose figures cannot be drawn, before they are run."""
    mistakes = []
    for spec in specs:
        sheet = style_sheet.of_figure(spec.figure, spec_file(spec.source).parent if spec.source else Path())
        if sheet is not None and (why := style_sheet.mistake(sheet)):
            mistakes.append(f"{spec.called}: figure.style: {why}")
    _raise_any(mistakes)


def _open_files(plans: Sequence[Plan], tell: Callable[[str], None]) -> bool:
    """Run new plug-ins to learn which files they open; return whether there are any."""
    opens_any = False
    for algorithm, problem, options in _plug_ins(cell_plan.cell for plan in plans for cell_plan in plan.cells):
        if not trial.is_observed(algorithm, problem):
            if trial.is_due(algorithm, problem):
                tell(TRYING.format(algorithm.id))
            opens_any |= trial.observe(algorithm, problem, options)
    return opens_any


def _plug_ins(cells: Iterable[Cell]) -> Iterator[tuple[Algorithm, Any, dict[str, Any]]]:
    """Each plug-in of the cells, once, with a problem and options with which it can be tried."""
    first: dict[tuple[str, str | None], Cell] = {}
    for cell in cells:
        if not is_ours(cell):
            first.setdefault((cell.identity.algorithm, cell.identity.decision), cell)
    for cell in first.values():
        options = {"horizon": cell.identity.horizon, **cell.identity.parameters}
        yield registry.get(cell.identity.algorithm), at_first(cell.matrix), options


def _check_chosen(chosen: Chosen, specs: Sequence[ExperimentSpec]) -> None:
    """Refuse names of problems and labels of algorithms that are in no spec."""
    problems = [
        problem.point.problem if problem.point else problem.title for spec in specs for problem in spec.problems
    ]
    labels = [entry.label for spec in specs for entry in spec.entries]
    mistakes = []
    for name in chosen.problems:
        if name not in problems:
            hint = nearest_or_all(name, dict.fromkeys(problems))
            mistakes.append(f"{name}: the specs have no problem of that name{hint}")
    for label in chosen.labels:
        if label not in labels:
            hint = nearest_or_all(label, dict.fromkeys(labels))
            mistakes.append(f"{label}: no algorithm of the specs has that label{hint}")
    _raise_any(mistakes)


def _raise_any(mistakes: Sequence[str]) -> None:
    if mistakes:
        raise InputError("\n".join(mistakes))


def _load(specs: Sequence[SpecLike], scale: str | None) -> list[ExperimentSpec]:
    """Load all specs; raise one error with all mistakes."""
    loaded: list[ExperimentSpec] = []
    names: set[str] = set()  # in lower case: some file systems do not tell folders apart by case
    mistakes = []
    for source in specs:
        try:
            spec = source if isinstance(source, ExperimentSpec) else load(source, scale)
        except InputError as error:
            mistakes.append(str(error))
            continue
        if spec.name.lower() in names:
            mistakes.append(f"{source}: another spec of this command is named '{spec.name}', too; change one of them")
        names.add(spec.name.lower())
        loaded.append(spec)
    _raise_any(mistakes)
    return loaded


def all_cores() -> int:
    """The number of processors that this process can use."""
    from joblib import cpu_count  # imported lazily: joblib is slow to load

    return cpu_count()


def check_backend(backend: str, scheduler: str | None) -> None:
    """Refuse an unknown backend, and a scheduler without the backend ``dask``."""
    if backend not in (LOCAL, DASK):
        raise InputError(f"unknown backend '{backend}'{nearest_or_all(backend, (LOCAL, DASK))}")
    if scheduler is not None and backend != DASK:
        raise InputError(f"scheduler {scheduler}: is for a Dask cluster; choose the backend {DASK}")


def cluster_of(playing: Playing) -> AbstractContextManager[Cluster | None]:
    """Connect to the cluster; None without one."""
    if playing.backend == LOCAL:
        return contextlib.nullcontext()
    return contextlib.closing(connect(playing.scheduler, playing.jobs))


def play(plans: Sequence[Plan], playing: Playing) -> Iterator[tuple[Plan, Outcome]]:
    """Run plans one after the other, and yield each with its outcome.

    With interim analyses, the last plan of an experiment is yielded.

    Raises
    ------
    InputError
        Before anything is written: when a folder is not writable, a plug-in has mistakes, a time limit needs workers
        that this process cannot start, or the cluster cannot run the plans.
    RunsFailed
        When results cannot be written.
    """
    needs_workers = playing.run_timeout is not None or any(plan.n_todo for plan in plans)
    if playing.backend == LOCAL and needs_workers and not can_start_workers():
        _run_in_this_process(playing)
    _try_plug_ins(plans, playing)
    for plan in plans:
        check_writable(plan)
    with cluster_of(playing) if any(plan.n_todo for plan in plans) else contextlib.nullcontext() as cluster:
        for plan in plans:
            for note in plan.notes():
                playing.note(f"note: {note}")
            play_one = partial(_play, playing=playing, cluster=cluster)
            if plan.standing is None:
                outcome = play_one(plan)
            else:
                plan, outcome = play_until_decided(plan, play_one, playing.tell, playing.fail_fast)
            yield plan, outcome
            if outcome.failures and playing.fail_fast:
                break


def _run_in_this_process(playing: Playing) -> None:
    """Say that this process cannot start workers, or refuse a time limit, which needs them."""
    reason = (
        "this process may not start worker processes (it is daemonic, a thread that joblib started, or"
        " JOBLIB_MULTIPROCESSING is 0)"
    )
    if playing.run_timeout is not None:
        raise InputError(f"a time limit for runs needs worker processes: {reason}; leave the limit out")
    if playing.jobs is not None and playing.jobs > 1:
        playing.tell(f"note: {reason}; all runs happen in it, one after the other")


def raise_failed(outcomes: Mapping[str, Outcome]) -> None:
    """Raise `RunsFailed` if runs failed; ``outcomes`` has the outcome of each results folder."""
    failures = [failure for outcome in outcomes.values() for failure in outcome.failures]
    if not failures:
        return
    message = f"{counted(len(failures), 'run')} failed"
    not_tried = sum(outcome.n_not_tried for outcome in outcomes.values())
    if not_tried:
        message += f" and {not_tried} {'was' if not_tried == 1 else 'were'} not tried"
    folders = shlex.join(folder for folder, outcome in outcomes.items() if outcome.failures)
    them = "it" if len(failures) + not_tried == 1 else "them"
    message += f"; `duelbench status {folders}` says why, and the same command tries {them} again"
    if any(failure.cell.identity.code for failure in failures):
        message += "; `duelbench check FILE` finds the mistakes of a plug-in"
    raise RunsFailed(message)


def _try_plug_ins(plans: Sequence[Plan], playing: Playing) -> None:
    """Try the compiled plug-ins in plans; raise one error with all mistakes."""
    mistakes = []
    cells = (cell_plan.cell for plan in plans for cell_plan in plan.cells if cell_plan.todo)
    for algorithm, problem, options in _plug_ins(cells):
        is_due = trial.is_due(algorithm, problem)
        if is_due:
            playing.tell(TRYING.format(algorithm.id))
        try:
            trial.require(algorithm, problem, options)
            if is_due:
                note_warm(algorithm.id)
        except InputError as error:
            mistakes.append(str(error))
    _raise_any(mistakes)


def _play(plan: Plan, playing: Playing, cluster: Cluster | None) -> Outcome:
    """Prepare and run a plan."""
    try:
        prepare(plan, say=playing.tell)
    except OSError as error:
        kind = RunsFailed if error.errno in FULL_DISK else InputError
        raise kind(f"cannot write results: {error.strerror or error}: {error.filename or plan.folder}") from None
    if not plan.n_todo:
        return Outcome()
    try:
        return play_work(plan, playing, cluster)
    except KeyboardInterrupt:
        kept = count_files(plan)
        playing.interrupted(f"interrupted: {kept} of {plan.n_runs} runs are done; run the same command to continue")
        raise


def play_work(work: Work, playing: Playing, cluster: Cluster | None = None) -> Outcome:
    """Compute the missing runs of a prepared folder, and show the progress."""
    progress = Progress(work.n_todo, quiet=playing.quiet)
    try:
        with playing.listening():
            outcome = execute(
                work,
                jobs=cluster.n_threads if cluster else playing.jobs or all_cores(),
                cluster=cluster,
                fail_fast=playing.fail_fast,
                progress=progress,
                run_timeout=playing.run_timeout,
            )
    finally:
        progress.close()
    if account := progress.account():
        playing.tell(account)
    return outcome
