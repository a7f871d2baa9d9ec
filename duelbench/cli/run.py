"""``duelbench run``: play the experiments that specs ask for; what is there already is not played again."""

import atexit
import contextlib
import dataclasses
import json as json_module
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from duelbench.cli.folders import whole
from duelbench.cli.streams import FULL_DISK, say
from duelbench.errors import InputError, RunsFailed

if TYPE_CHECKING:
    from duelbench.execution.account import Failure, Outcome
    from duelbench.execution.plan import Plan
    from duelbench.spec.experiment_spec import ExperimentSpec

INTERRUPTED = 130

LONGEST_END_SECONDS = 1.5
"""How long an interrupted command may take to clear up."""


def run(
    specs: Annotated[list[Path], typer.Argument(metavar="SPEC", help="Experiment files (YAML).")],
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", parser=whole(1), metavar="N", help="Worker processes.", show_default="all cores"),
    ] = None,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where results go.")] = Path("results"),
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would run, why and roughly how long; write nothing.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    runs: Annotated[
        int | None,
        typer.Option(
            "--runs", parser=whole(1, 10**6, "runs"), metavar="N", help="Runs of each algorithm, instead of the spec's."
        ),
    ] = None,
    scale: Annotated[
        str | None, typer.Option(metavar="NAME", help="One of the sizes in the specs' `scales`, such as quick.")
    ] = None,
    fail_fast: Annotated[bool, typer.Option("--fail-fast", help="Stop at the first run that fails.")] = False,
    run_timeout: Annotated[
        float | None,
        typer.Option("--run-timeout", metavar="SECONDS", help="End runs that take longer; they count as failed."),
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option(
            metavar="I/N", help="Play part I of N only, say on one of N machines; together the parts are the whole."
        ),
    ] = None,
    plug_in: Annotated[
        list[str] | None,
        typer.Option(
            "--plug-in", metavar="FILE", help="Load the algorithms in a .py file or a module; repeat for more."
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress on standard error.")] = False,
) -> None:
    """Run experiments on all cores.

    \b
    Examples:
      duelbench run configs/mslr5.yaml
      duelbench run first.yaml --dry-run
      duelbench run first.yaml --runs 500 --jobs 4
      duelbench run configs/wu2016/4c.yaml --scale quick

    Runs that are there are kept, so the same command resumes an interrupted experiment, repairs damaged files and tries
    failed runs again. Results go to DIR/<name of the spec>, those of a scale to DIR/<name of the spec>-<scale>.
    """
    from duelbench.algorithms.registry import load_plug_in
    from duelbench.execution.plan import Shard, make_plan

    if run_timeout is not None and not 0 < run_timeout < float("inf"):
        raise InputError(f"--run-timeout {run_timeout:g}: give a number of seconds above 0")
    part = None if shard is None else Shard.parse(shard)
    for name in plug_in or ():
        load_plug_in(name)
    loaded = [dataclasses.replace(spec, runs=runs or spec.runs) for spec in _load(specs, scale)]
    plans = [make_plan(spec, out / spec.name, part) for spec in loaded]
    if dry_run:
        from duelbench.cli.dry_run import as_json, as_text

        workers = jobs or _all_cores()
        say(as_json(plans, workers) if json else as_text(plans, workers))
        return
    _try_plug_ins(plans, quiet)
    try:
        _run(plans, json, Playing(jobs, fail_fast, run_timeout, quiet))
    except RunsFailed as error:
        from duelbench.execution.runner import is_playing

        if is_playing():
            _end_at_once(error.exit_code, f"error: {error}")
        raise


@dataclasses.dataclass(frozen=True)
class Playing:
    """How plans are played: workers (None for all cores), whether to stop at a failure, seconds for a run, silence."""

    jobs: int | None
    fail_fast: bool
    run_timeout: float | None
    quiet: bool


def _all_cores() -> int:
    """How many processors this process may use; joblib, which knows, takes long to load for who has nothing to play."""
    from joblib import cpu_count

    return cpu_count()


def _run(plans: "Sequence[Plan]", json: bool, playing: Playing) -> None:
    """Play the plans one after the other, and print what became of them."""
    from duelbench.execution.plan import check_writable

    experiments = []
    for plan in plans:
        check_writable(plan)
    for plan in plans:
        outcome = _execute(plan, playing)
        experiments.append(_summary(plan, outcome))
        if not json:
            _print_summary(experiments[-1])
        if outcome.failures and playing.fail_fast:
            break
    if json:
        say(json_module.dumps({"experiments": experiments}, indent=2))
    if any(summary["failed"] for summary in experiments):
        raise RunsFailed(_failure_message(experiments))


def _try_plug_ins(plans: "Sequence[Plan]", quiet: bool) -> None:
    """Try the compiled plug-ins of which runs are to be played; one error says what is wrong with any of them."""
    from duelbench.algorithms import registry
    from duelbench.execution.worker import is_ours, note_warm
    from duelbench.simulation import trial

    todo = [cell_plan.cell for plan in plans for cell_plan in plan.cells if cell_plan.todo]
    foreign = {(cell.identity.algorithm, cell.identity.decision): cell for cell in reversed(todo) if not is_ours(cell)}
    mistakes = []
    for cell in foreign.values():
        algorithm = registry.get(cell.identity.algorithm)
        if not trial.is_due(algorithm, cell.matrix):
            continue
        if not quiet:
            typer.echo(f"trying {algorithm.id} (first use of this code) ...", err=True)
        parameters = algorithm.resolve(cell.identity.parameters)
        try:
            trial.require(algorithm, cell.matrix, cell.identity.horizon, parameters)
            note_warm(algorithm.id)
        except InputError as error:
            mistakes.append(str(error))
    if mistakes:
        raise InputError("\n".join(mistakes))


def _load(paths: Sequence[Path], scale: str | None) -> "list[ExperimentSpec]":
    """All specs, or one error with everything that is wrong with any of them."""
    from duelbench.spec.load import load

    loaded: list[ExperimentSpec] = []
    mistakes = []
    for path in paths:
        try:
            spec = load(path, scale)
        except InputError as error:
            mistakes.append(str(error))
            continue
        if spec.name.lower() in (other.name.lower() for other in loaded):  # one folder on some file systems
            mistakes.append(f"{path}: another spec of this command has the name '{spec.name}' too; change one of them")
        loaded.append(spec)
    if mistakes:
        raise InputError("\n".join(mistakes))
    return loaded


def _execute(plan: "Plan", playing: Playing) -> "Outcome":
    """Prepare and play a plan."""
    from duelbench.execution.account import Outcome
    from duelbench.execution.plan import count_files, prepare

    for note in plan.notes():
        typer.echo(f"note: {note}", err=True)
    try:
        prepare(plan, say=lambda text: None if playing.quiet else typer.echo(text, err=True))
    except OSError as error:
        kind = RunsFailed if error.errno in FULL_DISK else InputError
        raise kind(f"cannot write results: {error.strerror or error}: {error.filename or plan.folder}") from None
    if not plan.n_todo:
        return Outcome()
    from duelbench.execution.progress import Progress
    from duelbench.execution.runner import execute

    progress = Progress(plan.n_todo, quiet=playing.quiet)
    try:
        with _interrupted_by_signals():
            outcome = execute(
                plan,
                jobs=playing.jobs or _all_cores(),
                fail_fast=playing.fail_fast,
                progress=progress,
                run_timeout=playing.run_timeout,
            )
    except KeyboardInterrupt:
        kept = count_files(plan)
        message = f"interrupted: {kept} of {plan.n_runs} runs are kept; run the same command to go on"
        progress.close()
        _end_at_once(INTERRUPTED, message)
    finally:
        progress.close()
    if (account := progress.account()) and not playing.quiet:
        typer.echo(account, err=True)
    return outcome


@contextlib.contextmanager
def _interrupted_by_signals() -> Iterator[None]:
    """Let Ctrl-C, and SIGTERM, which clusters send before they kill, end the command at once, whatever workers do."""
    interrupt = _Interrupt()
    before = {signal.SIGTERM: signal.signal(signal.SIGTERM, interrupt)}
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else who started the command has it ignored
        before[signal.SIGINT] = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        if not interrupt.is_heard:  # no other signal disturbs the end
            for kind, handler in before.items():
                signal.signal(kind, handler)


class _Interrupt:
    """What a signal does: the workers are ended, and the command as by Ctrl-C. More signals do nothing more."""

    def __init__(self) -> None:
        self.is_heard = False

    def __call__(self, number: int, frame: Any) -> None:
        from duelbench.execution.runner import end_workers

        if self.is_heard:
            return
        self.is_heard = True
        threading.Thread(target=_end_anyway, daemon=True).start()
        end_workers()
        raise KeyboardInterrupt


def _end_anyway() -> None:
    """End the process in a while, should what clears up not come to its end."""
    from duelbench.execution.runner import end_workers

    time.sleep(LONGEST_END_SECONDS)
    end_workers()
    print("interrupted; run the same command to go on", file=sys.stderr, flush=True)
    os._exit(INTERRUPTED)


def _end_at_once(code: int, message: str) -> NoReturn:
    """Say ``message`` and end the process, though a thread be inside compiled code, which Python could not end."""
    print(message, file=sys.stderr)
    atexit._run_exitfuncs()  # temporary folders are removed
    say("", end="", flush=True)
    sys.stderr.flush()
    os._exit(code)


def _summary(plan: "Plan", outcome: "Outcome") -> dict[str, Any]:
    failed = outcome.failures
    return {
        "experiment": plan.spec.name,
        "results": str(plan.folder),
        "runs": plan.n_runs,
        "reused": plan.n_runs - plan.n_todo - plan.n_others,
        "done": outcome.n_done,
        "failed": len(failed),
        **({"not_tried": outcome.n_not_tried} if outcome.n_not_tried else {}),
        **({"failures": sorted(map(_failure, failed), key=_place_of_failure)} if failed else {}),
        **({"left_to_other_shards": plan.n_others} if plan.n_others else {}),
    }


def _failure(failure: "Failure") -> dict[str, Any]:
    cell = failure.cell
    return {
        "problem": cell.problem,
        "algorithm": cell.identity.algorithm,
        "label": cell.label,
        "horizon": cell.identity.horizon,
        "run": failure.run,
        "error": failure.error,
    }


def _place_of_failure(failure: dict[str, Any]) -> tuple[str, str, int, int]:
    return failure["problem"], failure["label"], failure["horizon"], failure["run"]


def _print_summary(summary: dict[str, Any]) -> None:
    complete = summary["reused"] + summary["done"]
    runs = (
        f"{complete} runs complete" if complete == summary["runs"] else f"{complete} of {summary['runs']} runs complete"
    )
    others = summary.get("left_to_other_shards", 0)
    left = f", {others} left to other shards" if others else ""
    say(f"{runs} ({summary['reused']} reused{left}): {summary['results']}")
    if complete == summary["runs"]:
        say(f"next: duelbench plot {summary['results']}")
    else:
        say(f"next: duelbench status {summary['results']}")


def _failure_message(experiments: Sequence[dict[str, Any]]) -> str:
    """How many; the first of each experiment was told when it failed."""
    folders = " ".join(summary["results"] for summary in experiments if summary["failed"])
    failed, not_tried = (sum(summary.get(key, 0) for summary in experiments) for key in ("failed", "not_tried"))
    runs = "1 run" if failed == 1 else f"{failed} runs"
    others = f" and {not_tried} {'was' if not_tried == 1 else 'were'} not tried" if not_tried else ""
    them = "it" if failed + not_tried == 1 else "them"
    return f"{runs} failed{others}; `duelbench status {folders}` says why, and the same command tries {them} again"
