"""``duelbench verify``: play runs of results again, and say whether they are what the files say."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duelbench.cli.folders import Json, PlugIn, Results, jobs_option, whole
from duelbench.cli.folders import seed as seed_parser
from duelbench.cli.run import INTERRUPTED, end_at_once, interrupted_by_signals
from duelbench.cli.streams import say, say_json

if TYPE_CHECKING:
    from duelbench.api.verifying import Verification

SHOWN = 5
"""Runs that are listed one by one."""


def _sample(text: str | int) -> int:
    """A number of runs; 0 for all of them."""
    return 0 if text == "all" else whole(1, 10**9, "runs")(text)


def verify(
    results: Results,
    sample: Annotated[
        int,
        typer.Option(metavar="N|all", parser=_sample, help="How many runs of each experiment, chosen at random."),
    ] = 50,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", parser=seed_parser, help="Choose the runs that this seed chose before."),
    ] = None,
    jobs: Annotated[int | None, jobs_option()] = None,
    json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress on standard error.")] = False,
    plug_in: PlugIn = None,
) -> None:
    """Play runs of results again and compare them with their files.

    \b
    Examples:
      duelbench verify results/first
      duelbench verify results/ --sample all -j 2
      duelbench verify configs/mslr5.yaml --sample 20 --seed 7

    With the same versions and processor a run is the same to the last byte. Other libraries or another processor may
    change the last bit of a probability, and with it a run: such runs are compared with the others of their algorithm
    in distribution. The results stay as they are. Exit code 4: a run differs, or none could be played again.
    """
    from secrets import randbelow

    from duelbench.api import places, running, verifying

    opened, damaged = places.results_at(results, plug_in=plug_in or ())
    chosen_with = randbelow(10**6) if seed is None else seed
    playing = running.Playing(jobs=jobs, quiet=quiet, listening=interrupted_by_signals)
    try:
        play = partial(running.play_work, playing=playing)
        found = [verifying.verify(one, sample or None, chosen_with, play) for one in opened]
    except KeyboardInterrupt:
        end_at_once(INTERRUPTED, "interrupted: nothing was verified; the results are as they were")
    if json:
        say_json({"experiments": [_as_json(one) for one in found]})
    elif found:
        say("\n\n".join(_as_text(one) for one in found))
    damaged.errors += [_complaint(one) for one in found if not one.is_good]
    damaged.raise_any()


def _as_json(found: "Verification") -> dict[str, Any]:
    return {
        "experiment": found.results.name,
        "results": str(found.results.folder),
        "good": found.is_good,
        "files": found.n_files,
        "seed": found.seed,
        "counts": found.counts,
        **({} if found.p_value is None else {"p_value": found.p_value}),
        "runs": [
            {
                "problem": one.cell.problem,
                "label": one.cell.label,
                "horizon": one.cell.horizon,
                "run": one.run,
                "found": one.kind,
                **({"why": one.why} if one.why else {}),
            }
            for one in found.verdicts
        ],
    }


def _as_text(found: "Verification") -> str:
    from duelbench.api.verifying import DIFFERENT, FEWEST, NOT_PLAYED, OTHER_NUMBERS, WRONG

    n = len(found.verdicts)
    lines = [f"{found.results.name}: {n} of {found.n_files} runs (--seed {found.seed}) ({found.results.folder})"]
    lines += [f"  {count} {kind}" for kind, count in found.counts.items()]
    told = [one for one in found.verdicts if one.kind in (*WRONG, NOT_PLAYED)]
    for one in told[:SHOWN]:
        what = "differs in " if one.kind == DIFFERENT else f"{one.kind}: "
        lines.append(f"  {one.cell.label} on {one.cell.problem}, run {one.run}: {what}{one.why}")
    if len(told) > SHOWN:
        lines.append(f"  and {len(told) - SHOWN} more; --json tells all")
    if found.p_value is not None:
        lines.append(f"  runs so different have a chance of {found.p_value:.2g} where nothing but the last bit differs")
    elif OTHER_NUMBERS in found.counts:
        lines.append(f"  too few runs with other numbers to compare their law: at least {FEWEST} are needed")
    return "\n".join(lines)


def _complaint(found: "Verification") -> str:
    if found.is_empty:
        return f"{found.results.folder}: nothing was verified: {found.verdicts[0].why}"
    if not found.wrong:
        return f"{found.results.folder}: the runs have another law; `duelbench verify --json` says more"
    n = len(found.wrong)
    what = f"{n} of {len(found.verdicts)} runs {'is' if n == 1 else 'are'} not what the same code gives"
    return f"{found.results.folder}: {what}; `duelbench verify --json` says which and why"
