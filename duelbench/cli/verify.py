"""``duelbench verify``: repeat runs of results and compare them with their files."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duelbench.cli import options
from duelbench.cli.options import Json, PlugIn, Results, whole
from duelbench.cli.run import INTERRUPTED, end_at_once, interrupted_by_signals
from duelbench.cli.streams import say, say_json

if TYPE_CHECKING:
    from duelbench.experiments.verifying import Checked, Verification

SAMPLE = 50
"""Runs of an experiment that are repeated by default."""

SHOWN = 5
"""Most reasons that are listed."""


def _sample(text: str | int) -> int:
    """Parse a number of runs; 0 stands for ``all``."""
    return 0 if text == "all" else whole(1, 10**9, "runs")(text)


def verify(
    results: Results,
    sample: Annotated[
        int | None,
        typer.Option(
            metavar="N|all",
            parser=_sample,
            help="Runs of each experiment, chosen at random.",
            show_default=str(SAMPLE),
        ),
    ] = None,
    seed: Annotated[int | None, options.seed("Chooses the runs; the same seed chooses the same.", "random")] = None,
    jobs: Annotated[int | None, options.jobs()] = None,
    json: Json = False,
    plug_in: PlugIn = None,
) -> None:
    """Run a sample of results again and compare the files.

    \b
    Examples:
      duelbench verify results/first
      duelbench verify results/ --sample all -j 2

    With the same versions and processor a run is the same to the last byte. With others the last bit of a probability
    may differ, and with it a run: such runs are compared in distribution with the other runs of their algorithm. The
    results stay as they are. Exit code 4: a run differs, or cannot be run again.
    """
    from secrets import randbelow

    from duelbench.experiments import places, running, verifying

    opened, damaged = places.results_at(results, plug_in=plug_in or ())
    n_runs = SAMPLE if sample is None else sample or None  # None for all
    choice_seed = randbelow(10**6) if seed is None else seed
    playing = running.Playing(jobs=jobs, listening=interrupted_by_signals)
    try:
        play = partial(running.play_work, playing=playing)
        verifications = [verifying.verify(results, n_runs, choice_seed, play) for results in opened]
    except KeyboardInterrupt:
        end_at_once(INTERRUPTED, "interrupted: nothing was verified; the results are as they were")
    if json:
        say_json({"experiments": [_as_json(verification) for verification in verifications]})
    elif verifications:
        say("\n\n".join(_as_text(verification) for verification in verifications))
    damaged.errors += [_complaint(verification) for verification in verifications if not verification.is_good]
    damaged.raise_any()


def _as_json(verification: "Verification") -> dict[str, Any]:
    return {
        "experiment": verification.results.name,
        "results": str(verification.results.folder),
        "good": verification.is_good,
        "files": verification.n_files,
        "seed": verification.seed,
        "counts": verification.counts,
        **({} if verification.p_value is None else {"p_value": verification.p_value}),
        "runs": [
            {
                "problem": checked_run.cell.problem,
                "label": checked_run.cell.label,
                "horizon": checked_run.cell.horizon,
                "run": checked_run.run,
                "found": checked_run.kind,
                **({"why": checked_run.why} if checked_run.why else {}),
            }
            for checked_run in verification.checked
        ],
    }


def _as_text(verification: "Verification") -> str:
    from duelbench.experiments.verifying import DIFFERENT, FEWEST, NOT_RUN, OTHER_NUMBERS, WRONG

    n = len(verification.checked)
    lines = [
        f"{verification.results.name}: {n} of {verification.n_files} runs (--seed {verification.seed})"
        f" ({verification.results.folder})"
    ]
    lines += [f"  {count} {kind}" for kind, count in verification.counts.items()]
    alike: dict[tuple[str, str], list[Checked]] = {}
    for checked_run in verification.of(*WRONG, NOT_RUN):
        alike.setdefault((checked_run.kind, checked_run.why), []).append(checked_run)
    for (kind, why), runs in list(alike.items())[:SHOWN]:
        reason = f"differs in {why}" if kind == DIFFERENT else f"{kind}: {why}"
        more = f" and {len(runs) - 1} more" if len(runs) > 1 else ""
        lines.append(f"  {runs[0].cell.label} on {runs[0].cell.problem}, run {runs[0].run}{more}: {reason}")
    if len(alike) > SHOWN:
        lines.append(f"  and {len(alike) - SHOWN} more; --json lists all")
    if verification.p_value is not None:
        lines.append(
            f"  if only the last bit differed, runs this different would have probability {verification.p_value:.2g}"
        )
    elif OTHER_NUMBERS in verification.counts:
        lines.append(f"  too few runs with other numbers to compare their distribution: at least {FEWEST} are needed")
    return "\n".join(lines)


def _complaint(verification: "Verification") -> str:
    """The error for a verification that is not good."""
    from duelbench.experiments.verifying import NOT_RUN, WRONG

    n, folder = len(verification.checked), verification.results.folder
    wrong, not_run = verification.of(*WRONG), verification.of(NOT_RUN)
    if wrong:
        return (
            f"{folder}: the same code does not reproduce {len(wrong)} of {n} runs; `duelbench verify --json` says which"
            " and why"
        )
    if len(not_run) == n:
        return f"{folder}: nothing was verified; the report says why"
    if not_run:
        return f"{folder}: {len(not_run)} of {n} runs were not verified; the report says why"
    return f"{folder}: the runs have another distribution; `duelbench verify --json` has details"
