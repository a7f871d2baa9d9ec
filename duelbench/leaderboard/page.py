"""Makes the page of a leaderboard, and its tables in Markdown, from `Board.content`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from duelbench.common.pages.page import Page, Section, Table
from duelbench.experiments.figures.drawing.names import regret_name
from duelbench.leaderboard.runs import SETTINGS

COLUMNS = ("rank", "group", "algorithm", "times", "right", "locked in", "tail")

MEANINGS = {
    "rank": "A range: 2-5 means that at least one algorithm is better, and at most four are.",
    "group": "Algorithms that do not differ significantly from the first of their group.",
    "times": "Regret as a multiple of the first algorithm's, a geometric mean over the matrices.",
    "right": "The share of the runs that recommend a best arm at the end.",
    "locked in": "The share that recommend no best arm, neither at the end nor at a tenth of the rounds.",
    "tail": "The 95% quantile of regret divided by its mean.",
}
"""Column -> its meaning."""

MAX_FLOOR = 10.0
"""A larger `Table.floor` is not shown: with so few runs it is a guess."""


def html(content: Mapping[str, Any]) -> str:
    """Return one HTML file with all tables, which you can sort; it loads no other file."""
    made_with = ", ".join(f"{name} {version}" for name, version in content["made_with"].items())
    return Page(
        "Leaderboard of dueling bandits",
        [*(_section(content, table) for table in content["tables"]), Section("How to read a table", facts=MEANINGS)],
        f"Algorithms ranked by regret. All claimed differences are real in {100 * content['level']:.0f} of 100 tables.",
        footer=f"Made with {made_with}.",
    ).html()


def _section(content: Mapping[str, Any], table: Mapping[str, Any]) -> Section:
    title, horizon, regret, arms = SETTINGS[table["setting"]], table["horizon"], table["regret"], table["arms"]
    arms_in_words = "" if arms == "all" else f", {arms} arms"
    names = ", ".join(content["problems"][place]["name"] for place in table["problems"])
    notes = [f"Matrices: {names}."]
    if table["floor"] and table["floor"] < MAX_FLOOR:
        notes.insert(0, f"Differences below {table['floor']:.0%} usually cannot be seen with these runs.")
    if table["missing"]:
        notes.append(f"Not played on all of them, and so not ranked: {', '.join(table['missing'])}.")
    return Section(
        f"{title}: {regret_name(regret)} after {horizon:,} rounds{arms_in_words}",
        tables=[Table(COLUMNS, _rows(table), notes, header=COLUMNS.index("algorithm"))],
        choice={"setting": title, "rounds": f"{horizon:,}", "regret": regret, "arms": arms},
    )


def cells(rows: Iterable[Sequence[Any]]) -> list[list[str]]:
    """Return rows with the values of `duelbench.leaderboard.board.Row` as text, with a cell for each of `COLUMNS`."""
    return [
        [rank_of(low, high), str(group), label, f"{times:.4g}", percent(right), percent(locked_in), f"{tail:.3g}"]
        for label, low, high, group, times, right, locked_in, tail in rows
    ]


def _rows(table: Mapping[str, Any]) -> list[list[str]]:
    """Return the cells of a table of `Board.content`."""
    return cells(zip(*table["rows"].values(), strict=True))


def markdown(table: Mapping[str, Any]) -> str:
    """Return one table of a leaderboard in Markdown."""
    lines = [f"| {' | '.join(COLUMNS)} |", "|---|---:|---|---:|---:|---:|---:|"]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in _rows(table)]
    return "\n".join(lines)


def rank_of(low: int, high: int) -> str:
    """Return a range of ranks in words.

    Examples
    --------
    >>> rank_of(2, 5), rank_of(3, 3)
    ('2-5', '3')
    """
    return str(low) if low == high else f"{low}-{high}"


def percent(share: float | None) -> str:
    """Return a share as a percentage; a dash if there is none.

    Examples
    --------
    >>> percent(0.9512), percent(None)
    ('95.1%', '-')
    """
    return "-" if share is None else f"{share:.1%}"
