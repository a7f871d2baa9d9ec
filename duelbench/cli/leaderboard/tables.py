"""Tables of the leaderboard on a terminal, 80 columns wide."""

import textwrap
from collections.abc import Collection
from enum import StrEnum, auto
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duelbench.cli.options import rounds
from duelbench.cli.printing import columns, counted
from duelbench.errors import InputError

if TYPE_CHECKING:
    from duelbench.leaderboard.summary import Summary, Table
    from duelbench.leaderboard.tables import Row

WIDTH = 80

NEIGHBOURS = 2
"""Rows that are shown on each side of a marked one, where not all are."""

LONGEST = 10**6
"""Most rounds of the usual table."""

HEAVY_TAIL, OFTEN = 2.0, 0.05
"""From which `tail` and share of runs locked in a first place has a warning: its mean hides runs that go wrong."""


class Setting(StrEnum):
    """What the matrices of a table have in common."""

    order = auto()
    condorcet = auto()
    copeland = auto()


OfHorizon = Annotated[
    int | None,
    typer.Option(
        "--horizon",
        metavar="T",
        parser=rounds,
        help="Rounds: 1e4, 1e6 or 1e8.",
        show_default="1e6, or the longest of the leaderboard below",
    ),
]
OfSummary = Annotated[
    Path | None,
    typer.Option(
        "--summary", metavar="FILE", help="A leaderboard.json.", show_default="the one that comes with duelbench"
    ),
]


def board_at(path: Path | None) -> "Summary":
    """The leaderboard in a file, checked; by default the one that comes with duelbench."""
    from duelbench import shipped
    from duelbench.leaderboard.summary import read
    from duelbench.leaderboard.tables import check_tables

    if path is None:
        if not shipped.LEADERBOARD.is_file():
            raise InputError("no leaderboard came with this duelbench; give one with --summary FILE")
        return read(shipped.LEADERBOARD)
    board = read(path)
    try:
        check_tables(board)
    except ValueError as error:
        raise InputError(f"{path}: {error}; `python -m duelbench.leaderboard` makes them again") from None
    return board


def horizon_of(board: "Summary", asked: int | None) -> int:
    """The horizon that was asked for; by default the longest of the leaderboard up to `LONGEST`."""
    return asked or max((one for one in board.horizons if one <= LONGEST), default=min(board.horizons, default=LONGEST))


def as_text(summary: "Summary", table: "Table", most: int | None = None, marked: Collection[int] = ()) -> str:
    """A table with its head, and below it what it leaves open.

    Parameters
    ----------
    most : int, optional
        How many of the first rows to show, in addition to marked ones and their neighbours; by default all.
    marked : collection of int
        Algorithms (0-based, in the summary) whose rows begin with ``>``.
    """
    from duelbench.leaderboard.choosing import NOT_TAKEN
    from duelbench.leaderboard.tables import rows

    found = rows(summary, table)
    shown = _shown(found, len(found) if most is None else most, marked)
    head = ["", "rank", "group", "algorithm", "times", "right", "locked in", "tail"]
    cells = [head, *(_cells(found[k], found[k].algorithm in marked) for k in shown)]
    lines = columns(cells, right=(2, 4, 5, 6, 7))
    for place in range(len(shown) - 1, 0, -1):
        if shown[place] > shown[place - 1] + 1:
            lines.insert(place + 1, f"{'':<3}...")
    if shown[-1] < len(found) - 1:
        lines.append(f"{'':<3}... and {len(found) - 1 - shown[-1]} more")
    floor = f"Differences below {table.floor:.0%} cannot be seen with these runs. " if table.floor else ""
    notes = [f"{floor}An algorithm is not told apart from the first of its group."]
    algorithms = [summary.algorithms[found[k].algorithm] for k in shown]
    notes += [f"{one.label} is not recommended: {NOT_TAKEN[one.id]}." for one in algorithms if one.id in NOT_TAKEN]
    notes += [
        f"{row.label} has a heavy tail: {row.locked_in:.1%} of its runs are locked in on a wrong arm."
        " docs/studies/tails.md shows what such runs cost."
        for row in (found[k] for k in shown)
        if row.low == 1 and row.tail >= HEAVY_TAIL and (row.locked_in or 0) >= OFTEN
    ]
    below = [line for note in notes for line in wrapped(note)]
    return "\n".join([*wrapped(_title(summary, table)), "", *lines, "", *below])


def _shown(found: "list[Row]", most: int, marked: Collection[int]) -> list[int]:
    """Places of the rows to show."""
    places = {*range(min(most, len(found)))}
    for place, row in enumerate(found):
        if row.algorithm in marked:
            places |= {*range(max(place - NEIGHBOURS, 0), min(place + NEIGHBOURS + 1, len(found)))}
    return sorted(places)


def _cells(row: "Row", is_marked: bool) -> list[str]:
    return [
        ">" * is_marked,
        str(row.low) if row.low == row.high else f"{row.low}-{row.high}",
        str(row.group),
        textwrap.shorten(row.label, 30, placeholder="..."),
        f"{row.times:.{2 if row.times < 10 else 1 if row.times < 100 else 0}f}",
        f"{row.right:.1%}",
        "-" if row.locked_in is None else f"{row.locked_in:.1%}",
        f"{row.tail:.2f}",
    ]


def _title(summary: "Summary", table: "Table") -> str:
    from duelbench.leaderboard.summary import as_typed

    (title,) = (setting.title for setting in summary.settings if setting.id == table.setting)
    sizes = sorted({summary.problems[problem].n_arms for problem in table.problems})
    arms = f"{sizes[0]} arms" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} arms"
    matrices = f"{counted(len(table.problems), 'matrix', 'matrices')} of {arms}"
    return f"{title}: {table.regret.capitalize()} regret after {as_typed(table.horizon)} rounds, {matrices}"


def wrapped(text: str, indent: str = "") -> list[str]:
    """The lines of a paragraph."""
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent)


def as_json(summary: "Summary", table: "Table", marked: Collection[int] = ()) -> dict[str, Any]:
    """A table in plain JSON types."""
    from duelbench.leaderboard.tables import rows

    return {
        "setting": table.setting,
        "horizon": table.horizon,
        "regret": table.regret,
        "size": table.size,
        "matrices": [summary.problems[problem].name for problem in table.problems],
        "floor": table.floor,
        "rows": [
            {
                "id": summary.algorithms[row.algorithm].id,
                **{key: value for key, value in row._asdict().items() if key != "algorithm"},
                **({"added": row.algorithm in marked} if marked else {}),
            }
            for row in rows(summary, table)
        ],
    }
