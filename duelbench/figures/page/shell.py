"""What stands around the content of every page: one HTML file that loads nothing, in light and in dark."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

from duelbench.version import VERSION

_STYLE = Path(__file__).with_name("page.css")

_SECURITY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
"""A browser loads nothing from elsewhere for a page, whatever stands in it."""


def whole_page(title: str, body: str, scripts: Sequence[Path]) -> str:
    """A page as HTML, with these files of JavaScript; ``title`` is plain text.

    Examples
    --------
    >>> "<title>a &lt; b</title>" in whole_page("a < b", "<p>Nothing.</p>", [])
    True
    """
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_SECURITY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f'<meta name="generator" content="duelbench {VERSION}">\n'
        '<link rel="icon" href="data:,">\n'  # else a browser asks the server for one
        f"<title>{escape(title)}</title>\n<style>\n{_text([_STYLE])}</style>\n</head>\n<body>\n{body}\n"
        f"<script>\n{_text(scripts)}</script>\n</body>\n</html>\n"
    )


def _text(files: Sequence[Path]) -> str:
    return "".join(file.read_text(encoding="utf-8") for file in files)
