"""Running the experiments of specs; existing runs are not repeated."""

import contextlib
import dataclasses
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from numbers import Real
from pathlib import Path
from typing import Any

from duelbench.algorithms import registry
from duelbench.algorithms.contract import Algorithm
from duelbench.api import loading
from duelbench.errors import FULL_DISK, InputError, RunsFailed, nearest_or_all
from duelbench.execution.account import Outcome
from duelbench.execution.cluster import Cluster, connect
from duelbench.execution.fan_out import can_start_workers
from duelbench.execution.interim import plan_of, play_until_decided
from duelbench.execution.plan import EVERYTHING, Chosen, Plan, Shard, Work, check_writable, count_files, prepare
from duelbench.execution.progress import Progress
from duelbench.execution.runner import execute
from duelbench.execution.worker import is_ours, note_warm
from duelbench.plugins import trial
from duelbench.problem.worlds.world import at_first
from duelbench.results.cells import Cell
from duelbench.simulation.simulate import whole
from duelbench.spec.experiment_spec import MAX_RUNS, ExperimentSpec
from duelbench.spec.load import load

LOCAL, DASK = "local", "dask"
"""Where runs are made: on this machine, or by the workers of a cluster."""

SpecLike = ExperimentSpec | Mapping[str, Any] | str | os.PathLike[str]


def _tell(text: str) -> None:
    print(text, file=sys.stderr)


@dataclass(frozen=True)
class Playing:
    """How plans are run; the fields are as in `run`, and hooks of the command line."""

    jobs: int | None = None
    fail_fast: bool = False
    run_timeout: float | None = None
    quiet: bool = False
    listening: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext  # around runs: for signals
    interrupted: Callable[[str], None] = _tell  # prints how many runs are done when Ctrl-C ends it
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
    """Run an experiment on all cores, as ``duelbench run`` does, and read its results.

    Existing runs are reused: the same call resumes an interrupted experiment, repairs damaged files and tries
    failed runs again.

    Parameters
    ----------
    spec : path, mapping or ExperimentSpec
        A YAML file; or the same keys as a mapping, ``name`` among them, with paths relative to the working folder. A
        matrix in it can be a DataFrame, an array, a list of rows or a `PreferenceMatrix`.
    out : path
        Results go to the folder in it that has the name of the spec.
    jobs : int, optional
        Worker processes; by default as many as there are cores. On a cluster, the most runs at a time.
    runs : int, optional
        Runs of each algorithm, instead of the spec's; also where the spec has ``until``.
    scale : str, optional
        One of the sizes in the spec's ``scales``.
    fail_fast : bool
        Whether to stop at the first run that fails.
    run_timeout : float, optional
        Seconds after which a run is ended and counts as failed.
    shard : str, optional
        ``i/n``: run part i of n only. The result then has the runs that exist.
    problem, only : str or iterable of str
        Run on these problems, as tables call them, and these algorithms, by label, only; by default all.
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
        When anything about the spec or an argument is wrong: nothing was run then.
    RunsFailed
        When runs failed, after the others were written.
    KeyboardInterrupt
        After the workers were ended; finished runs are saved.
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
    """The plans of specs, or one error with all mistakes; nothing is written.

    Plug-ins that have not run before are run for some rounds; ``tell`` is called before that.
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
    if _observe_plug_ins(plans, tell):
        plans = [plan_of(spec, out / spec.name, part, chosen) for spec in loaded]
    return plans


def _observe_plug_ins(plans: Sequence[Plan], tell: Callable[[str], None]) -> bool:
    """Learn which files new plug-ins open, since results depend on them; return whether there are any."""
    opened = False
    for cell in _of_plug_ins(cell_plan.cell for plan in plans for cell_plan in plan.cells):
        algorithm = registry.get(cell.identity.algorithm)
        problem = at_first(cell.matrix)
        if not trial.is_observed(algorithm, problem):
            if trial.is_due(algorithm, problem):
                _tell_trial(algorithm, tell)
            options = {"horizon": cell.identity.horizon, **cell.identity.parameters}
            opened |= trial.observe(algorithm, problem, options)
    return opened


def _of_plug_ins(cells: Iterable[Cell]) -> list[Cell]:
    """Of each algorithm and decision that is not part of duelbench the first cell."""
    first: dict[tuple[str, str | None], Cell] = {}
    for cell in cells:
        if not is_ours(cell):
            first.setdefault((cell.identity.algorithm, cell.identity.decision), cell)
    return list(first.values())


def _tell_trial(algorithm: Algorithm, tell: Callable[[str], None]) -> None:
    tell(f"trying {algorithm.id} (first use of this code) ...")


def _check_chosen(chosen: Chosen, specs: Sequence[ExperimentSpec]) -> None:
    """Refuse the name of a problem, and the label of an algorithm, that no spec has."""
    problems = [one.point.problem if one.point else one.title for spec in specs for one in spec.problems]
    labels = [entry.label for spec in specs for entry in spec.entries]
    mistakes = []
    for what, asked, known in (
        ("the specs have no problem of that name", chosen.problems, problems),
        ("no algorithm of the specs has that label", chosen.labels, labels),
    ):
        unknown = (name for name in asked if name not in known)
        mistakes += [f"{name}: {what}{nearest_or_all(name, dict.fromkeys(known))}" for name in unknown]
    _raise_any(mistakes)


def _raise_any(mistakes: Sequence[str]) -> None:
    if mistakes:
        raise InputError("\n".join(mistakes))


def _load(specs: Sequence[SpecLike], scale: str | None) -> list[ExperimentSpec]:
    """All specs, or one error with all mistakes in them."""
    loaded: list[ExperimentSpec] = []
    mistakes = []
    for given in specs:
        try:
            spec = given if isinstance(given, ExperimentSpec) else load(given, scale)
        except InputError as error:
            mistakes.append(str(error))
            continue
        if spec.name.lower() in (other.name.lower() for other in loaded):  # one folder on some file systems
            mistakes.append(f"{given}: another spec of this command has the name '{spec.name}' too; change one of them")
        loaded.append(spec)
    _raise_any(mistakes)
    return loaded


def all_cores() -> int:
    """How many processors this process may use."""
    from joblib import cpu_count  # imported lazily: joblib is slow to load

    return cpu_count()


def check_backend(backend: str, scheduler: str | None) -> None:
    """Refuse an unknown backend, and a scheduler without a backend that has one."""
    if backend not in (LOCAL, DASK):
        raise InputError(f"unknown backend '{backend}'{nearest_or_all(backend, (LOCAL, DASK))}")
    if scheduler is not None and backend != DASK:
        raise InputError(f"scheduler {scheduler}: is for a Dask cluster; choose the backend {DASK}")


def cluster_of(playing: Playing) -> AbstractContextManager[Cluster | None]:
    """The cluster that is to run it; None for this machine."""
    if playing.backend == LOCAL:
        return contextlib.nullcontext()
    return contextlib.closing(connect(playing.scheduler, playing.jobs))


def play(plans: Sequence[Plan], playing: Playing) -> Iterator[tuple[Plan, Outcome]]:
    """Run plans one after the other, and yield each with its outcome as soon as it is over.

    Where interim analyses decide the number of runs, the plan is the last of several.

    Raises
    ------
    InputError
        Before anything is written: when a folder cannot be written to, a plug-in's code makes mistakes, a time limit
        needs workers that this process cannot start, or the cluster cannot run it.
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
    """Say that no worker processes can be started, or refuse a time limit, which only they can keep."""
    reason = (
        "this process may not start worker processes (it is daemonic, a thread that joblib started, or"
        " JOBLIB_MULTIPROCESSING is 0)"
    )
    if playing.run_timeout is not None:
        raise InputError(f"a time limit for runs needs worker processes: {reason}; leave the limit out")
    if playing.jobs is not None and playing.jobs > 1:
        playing.tell(f"note: {reason}; all runs happen in it, one after the other")


def raise_failed(outcomes: Mapping[str, Outcome]) -> None:
    """Raise `RunsFailed` if runs failed; ``outcomes`` are by results folder."""
    failed = sum(len(outcome.failures) for outcome in outcomes.values())
    if not failed:
        return
    folders = " ".join(folder for folder, outcome in outcomes.items() if outcome.failures)
    not_tried = sum(outcome.n_not_tried for outcome in outcomes.values())
    runs = "1 run" if failed == 1 else f"{failed} runs"
    others = f" and {not_tried} {'was' if not_tried == 1 else 'were'} not tried" if not_tried else ""
    them = "it" if failed + not_tried == 1 else "them"
    is_plug_in = any(failure.cell.identity.code for outcome in outcomes.values() for failure in outcome.failures)
    check = "; `duelbench check FILE` finds the mistakes of a plug-in" if is_plug_in else ""
    raise RunsFailed(
        f"{runs} failed{others}; `duelbench status {folders}` says why, and the same command tries {them} again{check}"
    )


def _try_plug_ins(plans: Sequence[Plan], playing: Playing) -> None:
    """Try the compiled plug-ins that will run; one error lists all that is wrong with them."""
    mistakes = []
    for cell in _of_plug_ins(cell_plan.cell for plan in plans for cell_plan in plan.cells if cell_plan.todo):
        algorithm = registry.get(cell.identity.algorithm)
        is_due = trial.is_due(algorithm, at_first(cell.matrix))
        if is_due:
            _tell_trial(algorithm, playing.tell)
        options = {"horizon": cell.identity.horizon, **cell.identity.parameters}
        try:
            trial.require(algorithm, at_first(cell.matrix), options)
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
    """Run what is left to do in a prepared folder, and show the progress."""
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
