"""Writes the tables of docs/leaderboard.md from docs/leaderboard/leaderboard.json.

python docs/_site/leaderboard.py
"""

import json
from pathlib import Path

from duelbench.leaderboard.page import markdown
from duelbench.leaderboard.runs import SETTINGS

DOCS = Path(__file__).parents[1]
PAGE = DOCS / "leaderboard.md"
CONTENT = DOCS / "leaderboard" / "leaderboard.json"
BEGIN, END = "<!-- tables -->", "<!-- end of the tables -->"
SHOWN = ("copeland", 10**6, "all")
"""Regret, rounds and arms of the tables on the page."""


def tables() -> str:
    """A heading and a Markdown table for each setting."""
    content = json.loads(CONTENT.read_text(encoding="utf-8"))
    parts = []
    for table in content["tables"]:
        if (table["regret"], table["horizon"], table["arms"]) == SHOWN:
            heading = f"### {SETTINGS[table['setting']]}, {len(table['problems'])} matrices"
            parts += [heading, markdown(table)]
    return "\n\n".join(parts)


def with_tables(page: str) -> str:
    """The page with its tables made again."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{tables()}\n\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
