"""Differences of regret with their intervals, one line for each pair of algorithms, one panel for each problem."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from duelbench.figures.content.comparisons import PLURALS, ROUNDS, UNDECIDED, Comparison
from duelbench.figures.drawing import canvas
from duelbench.figures.drawing.names import regret_name, unit
from duelbench.figures.drawing.style import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_LINES = 400
"""In a figure: a page of 100 inches can still be opened."""

_LINE_INCHES = 0.22


def difference_figure(
    found: Sequence[Comparison], title: str | None, warning: str | None = None, note: str = ""
) -> "Figure":
    """Draw comparisons of one definition of regret: a mark, filled where two are told apart, and an interval.

    The warning is written across every panel, the note behind the caption.
    """
    from matplotlib.lines import Line2D

    problems = list(dict.fromkeys(one.problem for one in found))
    rounds = sorted({one.round for one in found})
    with canvas.house_style():
        grid = canvas.new_grid(_titles(found, problems), title, 1)
        longest = max(sum(one.problem == problem for one in found) for problem in problems)
        width, height = grid.figure.get_size_inches()
        grid.figure.set_size_inches(max(width, 5.4), max(height, len(problems) * (1.0 + _LINE_INCHES * longest)))
        for axes, problem in zip(grid.panels, problems, strict=True):
            own = [one for one in found if one.problem == problem]
            _draw_panel(axes, own)
            canvas.stamp(axes, warning)
        first = found[0]
        after = f" after round {rounds[0]}" if len(rounds) == 1 else ""
        what = f"{after} ({unit(first.definition)}): {regret_name(first.definition)}"
        what = ": rounds before the answer" if first.definition == ROUNDS else what
        grid.panels[-1].set_xlabel(f"difference of the {first.of}s{what}", loc="right")
        marks = [("told apart", COLOURS["blue"]), (UNDECIDED, "white")]
        handles = [Line2D([], [], label=words, **_mark(colour)) for words, colour in marks]
        caption = f"95% intervals, {_counted(found)}; told apart: after Holm's correction"
        canvas.add_legend(grid, handles, f"{caption}; {note}" if note else caption)
    return grid.figure


def _titles(found: Sequence[Comparison], problems: Sequence[str]) -> list[str]:
    """The problems, with their rounds where these differ."""
    rounds = {one.problem: one.round for one in found}
    after = len(set(rounds.values())) > 1
    return [f"{problem}, after round {rounds[problem]}" if after else problem for problem in problems]


def _counted(found: Sequence[Comparison]) -> str:
    """How many runs, or random matrices, the intervals are of."""
    plural = " or ".join(PLURALS[unit] for unit in dict.fromkeys(one.unit for one in found))
    counts = sorted({n for one in found for n in (one.n_a, one.n_b)})
    return f"{counts[0]} {plural}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]} {plural}"


def _mark(inside: str) -> dict[str, Any]:
    return {"color": COLOURS["blue"], "marker": "o", "markerfacecolor": inside, "linestyle": "-"}


def _draw_panel(axes: "Axes", found: Sequence[Comparison]) -> None:
    ends = [end for one in found for end in (one.difference.low, one.difference.high, 0.0) if np.isfinite(end)]
    values = [*ends, *(one.difference.value for one in found)]
    margin = 0.05 * (max(values) - min(values)) or 1.0
    left, right = min(values) - margin, max(values) + margin
    axes.axvline(0, color=canvas.INK, lw=0.8, zorder=2)
    for place, one in enumerate(found):
        low, high = max(one.difference.low, left), min(one.difference.high, right)
        inside = "white" if one.verdict == UNDECIDED else COLOURS["blue"]
        axes.plot([low, high], [place, place], color=COLOURS["blue"], zorder=3)
        axes.plot([one.difference.value], [place], zorder=4, **_mark(inside))
    axes.set_xlim(left, right)
    axes.set_ylim(len(found) - 0.4, -0.6)
    axes.set_yticks(range(len(found)), [canvas.literal(f"{one.a} - {one.b}") for one in found])
    axes.grid(False, axis="y")
