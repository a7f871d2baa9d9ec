"""``duelbench run``: run the experiments of specs; existing runs are not repeated."""

import atexit
import contextlib
import os
import shlex
import signal
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from duelbench.cli import options
from duelbench.cli.options import USUAL, DryRun, Json, Output, PlugIn, Runs, RunTimeout, Scale
from duelbench.cli.streams import say, say_json
from duelbench.common.words import counted
from duelbench.errors import RunsFailed

if TYPE_CHECKING:
    from duelbench.experiments.execution.account import Outcome
    from duelbench.experiments.execution.plan import Plan

INTERRUPTED = 130

LONGEST_END_SECONDS = 1.5
"""Longest time that an interrupted command takes to clean up."""

LEFT = {"left_to_other_shards": "left to other shards", "not_chosen": "not chosen"}
"""Key of the summary -> why runs are left out, in the words of `duelbench.experiments.execution.plan`."""


def run(
    specs: Annotated[list[Path], options.Spec],
    jobs: Annotated[int | None, options.jobs("Runs at the same time.")] = None,
    output: Output = USUAL,
    dry_run: DryRun = False,
    json: Json = False,
    runs: Runs = None,
    scale: Scale = None,
    fail_fast: Annotated[bool, typer.Option("--fail-fast", help="Stop at the first run that fails.")] = False,
    run_timeout: RunTimeout = None,
    shard: Annotated[
        str | None, typer.Option(metavar="I/N", help="Run only part I of N, for example on one of N machines.")
    ] = None,
    problem: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Run only on this problem; repeat for more.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="LABEL", help="Run only this algorithm; repeat for more.")
    ] = None,
    plug_in: PlugIn = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Run on a Dask cluster: tcp://HOST:8786, or the path of a scheduler file.",
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
) -> None:
    """Run experiments on all cores.

    \b
    Examples:
      duelbench run first.yaml --dry-run
      duelbench run first.yaml --runs 500 --jobs 4
      duelbench run paper:wu2016/4c --scale quick

    Existing runs are reused: the same command resumes an interrupted experiment, repairs damaged files and tries failed
    runs again. Results go to DIR/<name of the spec>, those of a scale to DIR/<name of the spec>-<scale>.
    """
    from duelbench.experiments import running
    from duelbench.experiments.execution.plan import Chosen
    from duelbench.experiments.results.manifest import open_results
    from duelbench.experiments.stale import stale_figures

    chosen = Chosen(tuple(problem or ()), tuple(only or ()))
    ending = partial(end_at_once, INTERRUPTED)
    backend = running.DASK if scheduler else running.LOCAL
    playing = running.Playing(jobs, fail_fast, run_timeout, quiet, interrupted_by_signals, ending, backend, scheduler)
    plans = running.plans_of(specs, output, runs, scale, shard, run_timeout, plug_in or (), chosen, playing.tell)
    if dry_run:
        from duelbench.cli.dry_run import as_json, as_text

        with running.cluster_of(playing) as cluster:
            workers = cluster.n_threads if cluster else jobs or running.all_cores()
        say(as_json(plans, workers) if json else as_text(plans, workers))
        return
    experiments, outcomes = [], {}
    with ending_at_failure():
        for plan, outcome in running.play(plans, playing):
            outcomes[str(plan.folder)] = outcome
            stale = stale_figures(open_results(plan.folder))
            experiments.append({**_summary(plan, outcome), **({"stale": stale} if stale else {})})
            if not json:
                say("\n".join([*(plan.standing.lines() if plan.standing else []), *_lines(experiments[-1])]))
        if json:
            say_json({"experiments": experiments})
        running.raise_failed(outcomes)


@contextlib.contextmanager
def ending_at_failure() -> Iterator[None]:
    """If runs fail inside the block while others are still running, end the process at once."""
    try:
        yield
    except RunsFailed as error:
        from duelbench.experiments.execution.runner import is_running

        if is_running():
            end_at_once(error.exit_code, f"error: {error}")
        raise


@contextlib.contextmanager
def interrupted_by_signals() -> Iterator[None]:
    """Inside the block, let Ctrl-C and SIGTERM end the command at once, whatever workers do.

    Clusters send SIGTERM before they kill a job.
    """
    is_interrupted = False

    def interrupt(number: int, frame: Any) -> None:
        nonlocal is_interrupted
        if not is_interrupted:  # a second signal must not disturb the clean-up
            is_interrupted = True
            threading.Thread(target=_end_anyway, daemon=True).start()
            raise KeyboardInterrupt

    handlers = {signal.SIGTERM: signal.signal(signal.SIGTERM, interrupt)}
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # otherwise the parent process wants it ignored
        handlers[signal.SIGINT] = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        if not is_interrupted:
            for kind, handler in handlers.items():
                signal.signal(kind, handler)


def _end_anyway() -> None:
    """End the process after `LONGEST_END_SECONDS`, in case the clean-up hangs."""
    time.sleep(LONGEST_END_SECONDS)
    print("interrupted; run the same command to continue", file=sys.stderr, flush=True)
    os._exit(INTERRUPTED)


def end_at_once(code: int, message: str) -> NoReturn:
    """Print ``message`` and end the process, even if a thread is in compiled code, which Python cannot stop."""
    print(message, file=sys.stderr)
    atexit._run_exitfuncs()  # temporary folders are removed
    say("", end="", flush=True)
    sys.stderr.flush()
    os._exit(code)


def _summary(plan: "Plan", outcome: "Outcome") -> dict[str, Any]:
    failures = [
        {
            "problem": failure.cell.problem,
            "algorithm": failure.cell.identity.algorithm,
            "label": failure.cell.label,
            "horizon": failure.cell.identity.horizon,
            "run": failure.run,
            "error": failure.error,
        }
        for failure in outcome.failures
    ]
    failures.sort(key=itemgetter("problem", "label", "horizon", "run"))
    return {
        "experiment": plan.spec.name,
        "results": str(plan.folder),
        "runs": plan.n_runs,
        "reused": plan.n_runs - plan.n_todo - plan.n_others,
        "done": outcome.n_done,
        "failed": len(failures),
        **({"not_tried": outcome.n_not_tried} if outcome.n_not_tried else {}),
        **({"failures": failures} if failures else {}),
        **{key: plan.n_left(reason) for key, reason in LEFT.items() if plan.n_left(reason)},
        **({"until": plan.standing.content} if plan.standing else {}),
    }


def _lines(summary: dict[str, Any]) -> list[str]:
    complete, folder = summary["reused"] + summary["done"], summary["results"]
    is_whole = complete == summary["runs"]
    runs = counted(complete, "run") if is_whole else f"{complete} of {summary['runs']} runs"
    left = "".join(f", {summary[key]} {reason}" for key, reason in LEFT.items() if key in summary)
    return [
        f"{runs} complete ({summary['reused']} reused{left}): {folder}",
        *(f"stale: {line}" for line in summary.get("stale", ())),
        f"next: duelbench {'plot' if is_whole else 'status'} {shlex.quote(folder)}",
    ]
