"""``duelbench run``: play the experiments that specs ask for; what is there already is not played again."""

import atexit
import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from duelbench.cli.completion import candidates
from duelbench.cli.folders import Json, PlugIn, Scale, jobs_option, whole
from duelbench.cli.streams import say, say_json
from duelbench.errors import RunsFailed

if TYPE_CHECKING:
    from duelbench.api.running import Playing
    from duelbench.execution.account import Failure, Outcome
    from duelbench.execution.plan import Plan

INTERRUPTED = 130

LONGEST_END_SECONDS = 1.5
"""How long an interrupted command may take to clear up."""


LEFT = {"left_to_other_shards": "left to other shards", "not_chosen": "not chosen"}
"""Key of the summary -> why runs are not played now, as `duelbench.execution.plan` says it."""

Output = Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Where results go.")]
Out = Annotated[Path | None, typer.Option("--out", hidden=True)]
Runs = Annotated[
    int | None,
    typer.Option(parser=whole(1, 10**6, "runs"), metavar="N", help="Runs of each algorithm, instead of the spec's."),
]


def run(
    specs: Annotated[
        list[Path],
        typer.Argument(
            metavar="SPEC",
            help="Experiment files (YAML), or names such as paper:wu2016/1a.",
            autocompletion=candidates.specs,
        ),
    ],
    jobs: Annotated[int | None, jobs_option("Runs played at a time.")] = None,
    output: Output = Path("results"),
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would run, why and roughly how long; write nothing.")
    ] = False,
    json: Json = False,
    runs: Runs = None,
    scale: Scale = None,
    fail_fast: Annotated[bool, typer.Option("--fail-fast", help="Stop at the first run that fails.")] = False,
    run_timeout: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="End runs that take longer; they count as failed.")
    ] = None,
    shard: Annotated[
        str | None, typer.Option(metavar="I/N", help="Play part I of N only, say on one of N machines.")
    ] = None,
    problem: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Play on this problem only; repeat for more.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="LABEL", help="Play this algorithm only; repeat for more.")
    ] = None,
    plug_in: PlugIn = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Let the workers of a Dask cluster run it: tcp://HOST:8786, or the path of a scheduler file.",
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress on standard error.")] = False,
    out: Out = None,
) -> None:
    """Run experiments on all cores.

    \b
    Examples:
      duelbench run first.yaml --dry-run
      duelbench run first.yaml --runs 500 --jobs 4
      duelbench run paper:wu2016/4c --scale quick

    Runs that are there are kept, so the same command resumes an interrupted experiment, repairs damaged files and tries
    failed runs again. Results go to DIR/<name of the spec>, those of a scale to DIR/<name of the spec>-<scale>.
    """
    from duelbench.api import running
    from duelbench.execution.plan import Chosen

    chosen = Chosen(tuple(problem or ()), tuple(only or ()))
    plans = running.plans_of(specs, out or output, runs, scale, shard, run_timeout, plug_in or (), chosen)
    ending = partial(end_at_once, INTERRUPTED)
    backend = running.DASK if scheduler else running.LOCAL
    playing = running.Playing(jobs, fail_fast, run_timeout, quiet, interrupted_by_signals, ending, backend, scheduler)
    if dry_run:
        from duelbench.cli.dry_run import as_json, as_text

        with running.cluster_of(playing) as cluster:
            workers = cluster.n_threads if cluster else jobs or running.all_cores()
        say(as_json(plans, workers) if json else as_text(plans, workers))
        return
    with ending_at_failure():
        _play(plans, json, playing)


def _play(plans: "Sequence[Plan]", json: bool, playing: "Playing") -> None:
    """Play the plans one after the other, and print what became of them."""
    from duelbench.api.running import play, raise_failed

    experiments = []
    outcomes = {}
    for plan, outcome in play(plans, playing):
        outcomes[str(plan.folder)] = outcome
        experiments.append(_summary(plan, outcome))
        if not json:
            _print_summary(experiments[-1], plan.standing.lines() if plan.standing else [])
    if json:
        say_json({"experiments": experiments})
    raise_failed(outcomes)


@contextlib.contextmanager
def ending_at_failure() -> Iterator[None]:
    """When runs have failed within it, end the process at once if others of them are still played."""
    try:
        yield
    except RunsFailed as error:
        from duelbench.execution.runner import is_running

        if is_running():
            end_at_once(error.exit_code, f"error: {error}")
        raise


@contextlib.contextmanager
def interrupted_by_signals() -> Iterator[None]:
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
    """What a signal does: it ends the command, and with it the workers, as Ctrl-C does. More do nothing more."""

    def __init__(self) -> None:
        self.is_heard = False

    def __call__(self, number: int, frame: Any) -> None:
        if self.is_heard:
            return
        self.is_heard = True
        threading.Thread(target=_end_anyway, daemon=True).start()
        raise KeyboardInterrupt


def _end_anyway() -> None:
    """End the process in a while, should what clears up not come to its end."""
    time.sleep(LONGEST_END_SECONDS)
    print("interrupted; run the same command to go on", file=sys.stderr, flush=True)
    os._exit(INTERRUPTED)


def end_at_once(code: int, message: str) -> NoReturn:
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
        **{key: plan.n_left(reason) for key, reason in LEFT.items() if plan.n_left(reason)},
        **({"until": plan.standing.content} if plan.standing else {}),
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


def _print_summary(summary: dict[str, Any], decisions: Sequence[str]) -> None:
    complete = summary["reused"] + summary["done"]
    runs = (
        f"{complete} run{'s' * (complete != 1)} complete"
        if complete == summary["runs"]
        else f"{complete} of {summary['runs']} runs complete"
    )
    left = "".join(f", {summary[key]} {reason}" for key, reason in LEFT.items() if key in summary)
    say("\n".join([*decisions, f"{runs} ({summary['reused']} reused{left}): {summary['results']}"]))
    if complete == summary["runs"]:
        say(f"next: duelbench plot {summary['results']}")
    else:
        say(f"next: duelbench status {summary['results']}")
