"""``duelbench leaderboard``: algorithms ranked over the matrices of finished experiments."""

import textwrap
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from duelbench.cli.options import AllowPartial, Json, PlugIn, Results, rounds
from duelbench.cli.printing import columns, tell, tell_notes
from duelbench.cli.streams import say
from duelbench.common.words import counted
from duelbench.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duelbench.experiments.results.experiments import Experiment
    from duelbench.leaderboard.board import Board, Table

WIDTH = 80

HEAVY_TAIL, MANY_LOCKED_IN = 2.0, 0.05
"""The `tail` and the share of locked-in runs from which a note warns that the mean hides bad runs."""


def leaderboard(
    results: Results,
    regret: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which recorded regret.", show_default="copeland, or the first")
    ] = None,
    horizon: Annotated[
        int | None,
        typer.Option(
            metavar="T", parser=rounds, help="Rounds: the horizon of some runs.", show_default="the longest up to 1e6"
        ),
    ] = None,
    json: Json = False,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write an HTML page with all tables, which sort.")
    ] = None,
    allow_partial: AllowPartial = False,
    plug_in: PlugIn = None,
) -> None:
    """Rank algorithms by their regret over matrices.

    \b
    Examples:
      duelbench leaderboard results/leaderboard-order results/leaderboard-order-64
      duelbench leaderboard results/ --horizon 1e4 --regret weak
      duelbench leaderboard results/ --html board.html --json > board.json

    There is a table for each of three settings: matrices with a total order, with a Condorcet winner and no order, and
    with no Condorcet winner. A rank such as 2-5 means that the runs cannot tell these places apart. `times` is regret
    as a multiple of the first one's, a geometric mean over the matrices. `right` is the share of runs that recommend a
    best arm in the end, `locked in` the share that recommend another one, then and already at a tenth of the rounds.
    `tail` is the 95% quantile of regret, divided by its mean. JSON and HTML have all rounds and all definitions of
    regret, and tables of the matrices up to and above 16 arms.
    """
    if html is not None and (html.is_dir() or html.suffix.lower() not in (".html", ".htm")):
        raise InputError(f"--html {html}: name a file that ends with .html")
    from duelbench.common.atomic import write_asked
    from duelbench.experiments import loading
    from duelbench.experiments.execution.progress import Waiting
    from duelbench.leaderboard import page
    from duelbench.leaderboard.board import build

    with closing(Waiting()) as waiting:
        experiments, incomplete = loading.read_all(results, plug_in, allow_partial, waiting)
        incomplete.raise_any()
        waiting.doing("ranking")
        board = build(experiments)
    tables = [] if json else _chosen(board, regret, horizon)
    if html is not None:
        write_asked(html, page.html(board.content()).encode(), f"--html {html}:")
        tell(f"wrote {html}")
    tell_notes([*loading.notes_on(experiments), *_left_out(experiments, tables)])
    if json:
        say(board.encode())
    else:
        say("\n\n".join(_as_text(board, table) for table in tables))


def _chosen(board: "Board", regret: str | None, horizon: int | None) -> "list[Table]":
    """The tables over matrices of all sizes, for a definition of regret and a number of rounds."""
    horizons = sorted({table.horizon for table in board.tables})
    usual = max((rounds for rounds in horizons if rounds <= 10**6), default=horizons[0])
    wanted = (regret or board.tables[0].regret, usual if horizon is None else horizon, "all")
    tables = [table for table in board.tables if (table.regret, table.horizon, table.arms) == wanted]
    if not tables:
        regrets = ", ".join(dict.fromkeys(table.regret for table in board.tables))
        raise InputError(
            f"there is no table of {wanted[0]} regret after {wanted[1]} rounds; these results have"
            f" --regret {regrets} and --horizon {', '.join(map(str, horizons))}"
        )
    return tables


def _left_out(experiments: "Sequence[Experiment]", tables: "Sequence[Table]") -> list[str]:
    """A sentence for each experiment that ends before the round of the tables; none without tables."""
    notes = []
    for experiment in experiments:
        longest = max(cell.stored.identity.horizon for cell in experiment.cells)
        if tables and longest < tables[0].horizon:
            notes.append(
                f"{experiment.name} ends after {longest} rounds and is not in this table: --horizon {longest} has it"
            )
    return notes


def _as_text(board: "Board", table: "Table") -> str:
    """Format a table with its title and notes."""
    from duelbench.experiments.figures.drawing.names import regret_name
    from duelbench.leaderboard.page import COLUMNS, MAX_FLOOR, cells, percent
    from duelbench.leaderboard.runs import SETTINGS

    lines = [list(COLUMNS)]
    for rank, group, label, *numbers in cells(table.rows):
        lines.append([rank, group, textwrap.shorten(label, 30, placeholder="...") or label[:30], *numbers])
    sizes = sorted({board.problems[place].n_arms for place in table.problems})
    arms = f"{sizes[0]} arms" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} arms"
    matrices = counted(len(table.problems), "matrix", "matrices")
    title = (
        f"{SETTINGS[table.setting]}, {matrices} of {arms}: {regret_name(table.regret)} after {table.horizon:,} rounds"
    )
    notes = ["An algorithm is not told apart from the first of its group."]
    if table.floor and table.floor < MAX_FLOOR:
        notes.append(f"Differences below {table.floor:.0%} usually cannot be seen with these runs.")
    if table.missing:
        notes.append(f"Not played on all matrices, and so not ranked: {', '.join(table.missing)}.")
    notes += [
        f"{row.label} has a heavy tail: {percent(row.locked_in)} of its runs are locked in on a wrong arm."
        for row in table.rows
        if row.low == 1 and row.tail >= HEAVY_TAIL and (row.locked_in or 0.0) >= MANY_LOCKED_IN
    ]
    below = [line for note in notes for line in textwrap.wrap(note, WIDTH)]
    return "\n".join([*textwrap.wrap(title, WIDTH), "", *columns(lines, right=(1, 3, 4, 5, 6)), "", *below])
