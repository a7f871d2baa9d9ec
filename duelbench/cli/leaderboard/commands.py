"""``duelbench leaderboard``: algorithms ranked over matrices."""

import json as json_module
import shlex
from pathlib import Path
from typing import Annotated

import typer

from duelbench.cli.folders import PlugIn, Results
from duelbench.cli.leaderboard.add import add
from duelbench.cli.leaderboard.tables import (
    OfHorizon,
    OfSummary,
    Regret,
    Setting,
    Size,
    as_json,
    as_text,
    board_at,
    horizon_of,
)
from duelbench.cli.streams import say

FIRST = 10
"""Rows of each table where several are shown."""

leaderboard = typer.Typer(
    help="Rank algorithms over matrices, yours among them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@leaderboard.command()
def build(
    results: Results,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="The folder that the leaderboard is written into.")
    ] = Path("results/leaderboard"),
    allow_partial: Annotated[
        bool, typer.Option("--allow-partial", help="Rank incomplete results, by the runs that are there.")
    ] = False,
    plug_in: PlugIn = None,
) -> None:
    """Make a leaderboard of results.

    \b
    Examples:
      duelbench leaderboard build results/first
      duelbench leaderboard build results/mslr5 results/mine -o board

    The folder gets index.html, a page that needs no network; leaderboard.json, all that the page shows; and
    digests.csv, the SHA-256 of every run. Algorithms that have runs on all matrices of a setting (a total order, a
    Condorcet winner, none) are ranked by the geometric mean of their regret. docs/leaderboard.md says how it is read.
    """
    from duelbench.api import places
    from duelbench.execution.progress import Waiting
    from duelbench.leaderboard import writing
    from duelbench.leaderboard.building import build as built
    from duelbench.results.experiments import gaps_of, load_what_is_whole, notes

    writing.check_folder(output)
    waiting = Waiting()
    opened, incomplete = places.results_at(results, plug_in=plug_in or ())
    try:
        experiments = load_what_is_whole(opened, incomplete, allow_partial=allow_partial, count=waiting.reading)
        incomplete.raise_any()
        waiting.doing("ranking")
        summary = built(experiments)
        waiting.doing(f"writing {output}")
        written = writing.write(output, summary, experiments)
    finally:
        waiting.close()
    for gap in (gap for experiment in experiments for gap in gaps_of(experiment)):
        typer.echo(f"note: partial: {gap}", err=True)
    for note in notes(experiments):
        typer.echo(f"note: {note}", err=True)
    for path in written:
        say(str(path))
    say(f"next: duelbench leaderboard show --summary {shlex.quote(str(written[0]))}")


@leaderboard.command()
def show(
    setting: Annotated[
        Setting | None,
        typer.Option(
            "--setting", help="What the matrices have in common.", show_default="all, the first ranks of each"
        ),
    ] = None,
    horizon: OfHorizon = None,
    regret: Annotated[Regret, typer.Option("--regret", help="What is counted as regret.")] = Regret.copeland,
    size: Annotated[
        Size | None,
        typer.Option("--size", help="Matrices of up to 16 arms alone, or of 64.", show_default="both together"),
    ] = None,
    summary: OfSummary = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Show the ranks of the leaderboard.

    \b
    Examples:
      duelbench leaderboard show
      duelbench leaderboard show --setting condorcet --horizon 1e4
      duelbench leaderboard show --setting order --size large --regret weak

    A rank such as 2-5 is as far as the runs can tell. `times` is how many times the regret of the first one it is, a
    geometric mean over the matrices. `right` says how many runs recommend a best arm in the end, `locked in` how many
    recommend another one, and did so a tenth of the rounds before. `tail` is the 95% quantile of regret by its mean.
    """
    from duelbench.leaderboard.summary import as_typed
    from duelbench.leaderboard.tables import tables_of

    board = board_at(summary)
    tables = tables_of(
        board, setting and [setting.value], horizon_of(board, horizon), regret.value, size and size.value
    )
    if json:
        say(json_module.dumps({"tables": [as_json(board, table) for table in tables]}, indent=2))
        return
    most = None if setting else FIRST
    say("\n\n".join(as_text(board, table, most) for table in tables))
    if setting is None:
        given = {"--horizon": horizon and as_typed(horizon), "--size": size, "--summary": summary}
        rest = [] if regret is Regret.copeland else ["--regret", regret.value]
        rest += [word for name, value in given.items() if value for word in (name, str(value))]
        say(f"\nnext: duelbench leaderboard show --setting {shlex.join([tables[0].setting, *rest])}")


leaderboard.command()(add)
