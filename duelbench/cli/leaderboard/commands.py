"""``duelbench leaderboard``: algorithms ranked over matrices."""

import shlex
from typing import Annotated, Literal

import typer

from duelbench.cli.leaderboard.add import add
from duelbench.cli.leaderboard.tables import (
    OfHorizon,
    OfSummary,
    Setting,
    as_json,
    as_text,
    board_at,
    horizon_of,
)
from duelbench.cli.options import Json
from duelbench.cli.streams import say, say_json

FIRST = 10
"""Rows of each table where several are shown."""

leaderboard = typer.Typer(
    help="Rank algorithms over matrices, yours among them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@leaderboard.command()
def show(
    setting: Annotated[
        Setting | None,
        typer.Option(help="What the matrices have in common.", show_default="all, the first ranks of each"),
    ] = None,
    horizon: OfHorizon = None,
    regret: Annotated[Literal["copeland", "weak", "borda"], typer.Option(help="Which regret.")] = "copeland",
    size: Annotated[
        Literal["small", "large"] | None,
        typer.Option(help="Only matrices of up to 16 arms, or only of 64.", show_default="both together"),
    ] = None,
    summary: OfSummary = None,
    json: Json = False,
) -> None:
    """Show the ranks of the leaderboard.

    \b
    Examples:
      duelbench leaderboard show
      duelbench leaderboard show --setting condorcet --horizon 1e4
      duelbench leaderboard show --setting order --size large --regret weak

    A rank such as 2-5 means that the runs cannot tell these places apart. `times` is regret as a multiple of the first
    one's, a geometric mean over the matrices. `right` is the share of runs that recommend a best arm in the end,
    `locked in` the share that recommend another one, then and already at a tenth of the rounds. `tail` is the 95%
    quantile of regret, divided by its mean.
    """
    from duelbench.leaderboard.summary import as_typed
    from duelbench.leaderboard.tables import tables_of

    board = board_at(summary)
    tables = tables_of(board, setting and [setting], horizon_of(board, horizon), regret, size)
    if json:
        say_json({"tables": [as_json(board, table) for table in tables]})
        return
    most = None if setting else FIRST
    say("\n\n".join(as_text(board, table, most) for table in tables))
    if setting is None:
        given = {"--horizon": horizon and as_typed(horizon), "--size": size, "--summary": summary}
        rest = [] if regret == "copeland" else ["--regret", regret]
        rest += [word for name, value in given.items() if value for word in (name, str(value))]
        say(f"\nnext: duelbench leaderboard show --setting {shlex.join([tables[0].setting, *rest])}")


leaderboard.command()(add)
