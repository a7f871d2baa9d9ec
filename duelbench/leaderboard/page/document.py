"""The page of the leaderboard: its parts put together, with the summary inside."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from duelbench.figures.page.shell import whole_page

_FOLDER = Path(__file__).parent

_SCRIPTS = ("ranks.js", "cell.js", "page.js")
"""In the order in which they stand in the page; the last one starts it."""


def page(summary: Mapping[str, Any]) -> str:
    """The leaderboard, the content of a leaderboard.json, as HTML: it loads nothing and makes ranks again.

    A page of a summary without cells says that there are no results.
    """
    data = json.dumps(summary, ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    body = (_FOLDER / "page.html").read_text(encoding="utf-8")
    data_element = f'<script id="summary" type="application/json">{data}</script>'
    return whole_page(
        "Leaderboard of dueling bandits",
        f"{body}{data_element}",
        [_FOLDER / name for name in _SCRIPTS],
        [_FOLDER / "page.css"],
    )
