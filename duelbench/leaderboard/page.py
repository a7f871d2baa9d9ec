"""The page of a leaderboard, and its tables in Markdown; both of the content of a leaderboard, as `Board.content`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from duelbench.leaderboard.runs import SETTINGS

MAX_FLOOR = 10.0
"""A larger `Table.floor` is not shown: the runs are so few that it is a guess."""


def html(content: Mapping[str, Any]) -> str:
    """One HTML file with all tables, which sort; it loads nothing."""
    folder = FileSystemLoader(Path(__file__).parent)
    environment = Environment(loader=folder, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.filters |= {"rank": rank_of, "percent": percent}
    return environment.get_template("page.html").render(board=content, titles=SETTINGS, max_floor=MAX_FLOOR)


def markdown(table: Mapping[str, Any]) -> str:
    """One table of a leaderboard in Markdown."""
    lines = ["| rank | group | algorithm | times | right | locked in | tail |", "|---|---:|---|---:|---:|---:|---:|"]
    for label, low, high, group, times, right, locked_in, tail in zip(*table["rows"].values(), strict=True):
        label = label.replace("|", "\\|")
        shares = f"{percent(right)} | {percent(locked_in)}"
        lines.append(f"| {rank_of(low, high)} | {group} | {label} | {times:.4g} | {shares} | {tail:.3g} |")
    return "\n".join(lines)


def rank_of(low: int, high: int) -> str:
    """A range of ranks in words.

    Examples
    --------
    >>> rank_of(2, 5), rank_of(3, 3)
    ('2-5', '3')
    """
    return str(low) if low == high else f"{low}-{high}"


def percent(share: float | None) -> str:
    """A share as a percentage; a dash if there is none.

    Examples
    --------
    >>> percent(0.9512), percent(None)
    ('95.1%', '-')
    """
    return "-" if share is None else f"{share:.1%}"
