"""Small pieces of HTML: what notebooks show of a matrix, a run or an experiment. They load nothing from elsewhere."""

import math
from collections.abc import Sequence
from html import escape

WIDTH, HEIGHT = 160, 40
"""Of a curve, in pixels."""

MOST_POINTS = 40
"""Of a curve: it stays below a kilobyte."""


def table(
    head: Sequence[str],
    lines: Sequence[Sequence[str]],
    styles: Sequence[Sequence[str]] = (),
    pictures: Sequence[str] = (),
) -> str:
    """A table of text, which may hold anything.

    Parameters
    ----------
    head : sequence of str
        Headings of the columns.
    lines : sequence of sequence of str
        Cells.
    styles : sequence of sequence of str, optional
        CSS of each cell.
    pictures : sequence of str, optional
        HTML for a last column, one for each line.

    Examples
    --------
    >>> table(["a < b"], [["1"]], [["color: red"]])
    '<table>\\n<tr><th>a &lt; b</th></tr>\\n<tr><td style="color: red">1</td></tr>\\n</table>'
    """
    rows = ["".join(f"<th>{escape(cell)}</th>" for cell in head)]
    for k, line in enumerate(lines):
        looks = styles[k] if styles else [""] * len(line)
        cells = [_cell(cell, look) for cell, look in zip(line, looks, strict=True)]
        rows.append("".join([*cells, *(f"<td>{picture}</td>" for picture in pictures[k : k + 1])]))
    return "\n".join(["<table>", *(f"<tr>{row}</tr>" for row in rows), "</table>"])


def _cell(text: str, style: str) -> str:
    return f'<td style="{escape(style)}">{escape(text)}</td>' if style else f"<td>{escape(text)}</td>"


def paragraph(text: str, strong: bool = False) -> str:
    """A line of text; ``strong``: one that must not be passed over.

    Examples
    --------
    >>> paragraph("a < b")
    '<p>a &lt; b</p>'
    """
    return f"<p><b>{escape(text)}</b></p>" if strong else f"<p>{escape(text)}</p>"


def curve(rounds: Sequence[int], values: Sequence[float]) -> str:
    """A small picture (SVG) of values against log time, from 0 to the largest of them.

    Parameters
    ----------
    rounds : sequence of int
        Increasing, 1-based.
    values : sequence of float
        None below 0.

    Examples
    --------
    >>> curve([1, 10, 100], [0.0, 1.0, 2.0]).count("<polyline")
    1
    """
    step = max(1, math.ceil(len(rounds) / MOST_POINTS))
    places = [*range(0, len(rounds) - 1, step), len(rounds) - 1]
    across = (WIDTH - 4) / (math.log(rounds[-1] / rounds[0]) or 1.0)
    up = (HEIGHT - 4) / (max(values) or 1.0)
    points = " ".join(
        f"{2 + across * math.log(rounds[k] / rounds[0]):.1f},{HEIGHT - 2 - up * values[k]:.1f}" for k in places
    )
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" role="img"><polyline points="{points}" fill="none"'
        ' stroke="#0072b2" stroke-width="1.5"/></svg>'
    )
