"""Small pieces of HTML for notebooks. They load nothing from elsewhere."""

import math
from collections.abc import Sequence
from html import escape

WIDTH, HEIGHT = 160, 40  # of a curve, in pixels
MOST_POINTS = 40  # of a curve, so that it stays below a kilobyte


def table(
    head: Sequence[str],
    lines: Sequence[Sequence[str]],
    styles: Sequence[Sequence[str]] = (),
    pictures: Sequence[str] = (),
) -> str:
    """Return an HTML table of plain text.

    Parameters
    ----------
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
        line_styles = styles[k] if styles else [""] * len(line)
        cells = []
        for cell, style in zip(line, line_styles, strict=True):
            attribute = f' style="{escape(style)}"' if style else ""
            cells.append(f"<td{attribute}>{escape(cell)}</td>")
        cells += [f"<td>{picture}</td>" for picture in pictures[k : k + 1]]
        rows.append("".join(cells))
    return "\n".join(["<table>", *(f"<tr>{row}</tr>" for row in rows), "</table>"])


def paragraph(text: str, strong: bool = False) -> str:
    """Return an HTML paragraph of plain text.

    Examples
    --------
    >>> paragraph("a < b")
    '<p>a &lt; b</p>'
    """
    return f"<p><b>{escape(text)}</b></p>" if strong else f"<p>{escape(text)}</p>"


def curve(rounds: Sequence[int], values: Sequence[float]) -> str:
    """Return a small picture (SVG) of values, none below 0, against log time, from 0 to the largest value.

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
