"""``duelbench leaderboard add``: where an algorithm of your own stands."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duelbench.cli import options
from duelbench.cli.leaderboard.tables import (
    OfHorizon,
    OfSummary,
    Setting,
    as_json,
    as_text,
    board_at,
    horizon_of,
    wrapped,
)
from duelbench.cli.options import USUAL, DryRun, Json, PlugInFile
from duelbench.cli.printing import columns, tell, tell_notes
from duelbench.cli.run import INTERRUPTED, end_at_once, ending_at_failure, interrupted_by_signals
from duelbench.cli.streams import say, say_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duelbench.algorithms.contract import Algorithm
    from duelbench.leaderboard.adding import Addition
    from duelbench.leaderboard.summary import Summary, Table

FIRST = 3
"""Rows at the top of each table that are shown in addition to those of the new algorithms and their neighbours."""


def add(
    plug_in: PlugInFile,
    setting: Annotated[
        list[Setting] | None,
        typer.Option(
            help="What the matrices have in common; repeat for more.",
            show_default="all that have what the algorithm assumes",
        ),
    ] = None,
    horizon: OfHorizon = None,
    only_small: Annotated[bool, typer.Option("--only-small", help="Only matrices of up to 16 arms.")] = False,
    minutes: Annotated[
        float,
        typer.Option(
            "--minutes",
            metavar="N",
            min=0.0,
            help="Per spec, on one core: what takes longer gets a shorter horizon or is left out.",
        ),
    ] = 30.0,
    jobs: Annotated[int | None, options.jobs("Runs at the same time.")] = None,
    dry_run: DryRun = False,
    check: Annotated[
        bool, typer.Option("--check/--no-check", help="Check it first, as `duelbench check` does.")
    ] = True,
    summary: OfSummary = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FOLDER", help="Write the extended leaderboard there: data and page."),
    ] = None,
    json: Json = False,
) -> None:
    """Show where an algorithm of your own stands.

    \b
    Examples:
      duelbench leaderboard add my_rule.py --dry-run
      duelbench leaderboard add my_rule.py
      duelbench leaderboard add my_rule.py --setting condorcet --horizon 1e4 -o mine

    Checks the algorithm, runs it on the specs of the leaderboard with the same seed and number of runs as the others,
    and ranks it among them. Existing runs are reused: the same command resumes. Results and specs go to
    results/leaderboard-mine.
    """
    from duelbench.api.running import Playing
    from duelbench.execution.progress import duration
    from duelbench.leaderboard import adding, choosing
    from duelbench.leaderboard.page import writing

    board = board_at(summary)
    if output is not None:
        writing.check_folder(output)
    playing = Playing(
        jobs=jobs,
        fail_fast=True,
        listening=interrupted_by_signals,
        interrupted=partial(end_at_once, INTERRUPTED),
    )
    added = adding.addition(
        board,
        plug_in,
        USUAL,
        minutes,
        settings=setting or (),
        horizon=horizon_of(board, horizon),
        only_small=only_small,
        first=_check if check else lambda _: None,
    )
    if dry_run:
        say_json(_plan_as_json(added)) if json else say(_plan_as_text(added))
        return
    if added.n_todo:
        tell(f"{added.n_todo} runs to make, about {duration(added.seconds)} of core time")
    with ending_at_failure():
        experiments = adding.play_all(added, USUAL, plug_in, playing)
    whole = adding.summary_with(added, experiments, USUAL)
    if output is not None:
        for path in writing.write(output, whole, experiments):
            tell(str(path))
    tables = adding.tables_with(whole, added.labels, choosing.REGRET)
    say_json(_as_json(added, whole, tables)) if json else say(_as_text(added, whole, tables))


def _check(algorithm: "Algorithm") -> None:
    from duelbench.leaderboard.adding import check

    tell(f"checking {algorithm.id}")
    tell_notes(check(algorithm))


def _as_text(added: "Addition", summary: "Summary", tables: "Sequence[Table]") -> str:
    """The tables, how the added algorithms fare in them, and where the files are."""
    parts = []
    for table in tables:
        own = [number for number in table.algorithms if summary.algorithms[number].id in added.labels]
        stands = [_where(summary, table, number) for number in own]
        parts.append("\n".join([as_text(summary, table, FIRST, own), *wrapped(" ".join(stands))]))
    left_out = ["\n".join(_left_out(added))] if added.not_played else []
    return "\n\n".join([*parts, *left_out, f"results and their specs: {added.planned[0].plan.folder.parent}"])


def _where(summary: "Summary", table: "Table", number: int) -> str:
    """In words, where an algorithm stands."""
    place = table.algorithms.index(number)
    better, worse = table.low[place] - 1, len(table.algorithms) - table.high[place]
    return (
        f"{summary.algorithms[number].label}: of the others {better} have less regret, {worse} have more, and"
        f" {len(table.algorithms) - 1 - better - worse} cannot be told apart from it."
    )


def _as_json(added: "Addition", summary: "Summary", tables: "Sequence[Table]") -> dict[str, Any]:
    own = [number for number, algorithm in enumerate(summary.algorithms) if algorithm.id in added.labels]
    return {
        "results": [str(one.plan.folder) for one in added.planned],
        "left_out": [one.words for one in added.not_played],
        "tables": [as_json(summary, table, own) for table in tables],
    }


def _plan_as_text(added: "Addition") -> str:
    from duelbench.execution.progress import duration

    rows = [["algorithm", "part of the leaderboard", "runs", "todo", "~core time"]]
    for one in added.planned:
        time = duration(one.seconds) if one.plan.n_todo else "-"
        rows.append([one.part.entry.label, one.part.words, str(one.plan.n_runs), str(one.plan.n_todo), time])
    total = f"{added.n_todo} runs to make, about {duration(added.seconds)} of core time. Nothing was written."
    left_out = [*_left_out(added), ""] if added.not_played else []
    return "\n".join([*columns(rows, right=(2, 3, 4)), "", *left_out, total])


def _left_out(added: "Addition") -> list[str]:
    return ["left out:", *(line for one in added.not_played for line in wrapped(one.words, "  "))]


def _plan_as_json(added: "Addition") -> dict[str, Any]:
    return {
        "parts": [
            {
                "algorithm": one.part.entry.algorithm.id,
                "label": one.part.entry.label,
                "setting": one.part.setting,
                "arms": one.part.sizes,
                "horizons": list(one.part.horizons),
                "experiment": one.part.spec.name,
                "runs": one.plan.n_runs,
                "todo": one.plan.n_todo,
                "seconds_estimate": float(f"{one.seconds:.2g}"),
            }
            for one in added.planned
        ],
        "left_out": [one.words for one in added.not_played],
    }
