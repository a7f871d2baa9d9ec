"""``duelbench leaderboard``: algorithms ranked over matrices."""

import typer

from duelbench.cli.leaderboard.add import add
from duelbench.cli.leaderboard.build import build
from duelbench.cli.leaderboard.compare import compare
from duelbench.cli.leaderboard.show import show

leaderboard = typer.Typer(
    help="Rank algorithms over matrices, yours among them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

leaderboard.command("build")(build)
leaderboard.command("show")(show)
leaderboard.command("add")(add)
leaderboard.command("compare")(compare)
