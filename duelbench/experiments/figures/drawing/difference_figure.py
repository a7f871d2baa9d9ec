"""Differences of regret with their intervals, one line for each pair of algorithms, one panel for each problem."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from duelbench.experiments.figures.comparisons import PLURALS, ROUNDS, UNDECIDED, Comparison
from duelbench.experiments.figures.drawing import canvas
from duelbench.experiments.figures.drawing.names import regret_name, unit
from duelbench.experiments.figures.drawing.style import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_LINES = 400
"""In a figure: a page of 100 inches can still be opened."""

_LINE_INCHES = 0.22
_SQUEEZED = 20.0  # the largest difference over the lower quartile, from which on the axis is logarithmic


def difference_figure(
    pairs: Sequence[Comparison], title: str | None, warning: str | None = None, note: str = ""
) -> "Figure":
    """Draw comparisons of one definition of regret: a mark, filled where two are told apart, and an interval.

    The warning is written across every panel, the note behind the caption.
    """
    from matplotlib.lines import Line2D

    problems = list(dict.fromkeys(pair["problem"] for pair in pairs))
    rounds = sorted({pair["round"] for pair in pairs})
    with canvas.house_style():
        round_of = {pair["problem"]: pair["round"] for pair in pairs}
        titles = problems
        if len(rounds) > 1:
            titles = [f"{problem}, after round {round_of[problem]}" for problem in problems]
        grid = canvas.new_grid(titles, title, 1)
        longest = max(sum(pair["problem"] == problem for pair in pairs) for problem in problems)
        width, height = grid.figure.get_size_inches()
        grid.figure.set_size_inches(max(width, 5.4), max(height, len(problems) * (1.0 + _LINE_INCHES * longest)))
        for axes, problem in zip(grid.panels, problems, strict=True):
            _draw_panel(axes, [pair for pair in pairs if pair["problem"] == problem])
            canvas.stamp(axes, warning)
        definition, statistic = pairs[0]["definition"], pairs[0]["of"]
        if definition == ROUNDS:
            limit = f", at most {rounds[0]}" if len(rounds) == 1 else ""
            quantity = f": rounds before the answer{limit}"
        else:
            after = f" after round {rounds[0]}" if len(rounds) == 1 else ""
            quantity = f"{after} ({unit(definition)}): {regret_name(definition)}"
        grid.panels[-1].set_xlabel(f"difference of the {statistic}s{quantity}", loc="right")
        marks = [("told apart", COLOURS["blue"]), (UNDECIDED, "white")]
        handles = [Line2D([], [], label=words, **_mark(colour)) for words, colour in marks]
        caption = f"95% intervals, {_counted(pairs)}; told apart: after Holm's correction{_censored(pairs)}"
        canvas.add_legend(grid, handles, f"{caption}; {note}" if note else caption)
    return grid.figure


def linear_up_to(differences: Sequence[float]) -> float | None:
    """Where an axis of differences turns from linear to logarithmic: a power of ten; None if all of it is linear.

    It is logarithmic if the largest difference is 20 times the lower quartile, which a linear axis would squeeze.

    Examples
    --------
    >>> linear_up_to([-5.0, 20.0, 9000.0, 9010.0, 30.0]), linear_up_to([-5.0, 20.0, 30.0])
    (10.0, None)
    """
    sizes = sorted(abs(difference) for difference in differences if difference)
    quartile = sizes[(len(sizes) - 1) // 4] if sizes else math.inf
    return float(10 ** math.floor(math.log10(quartile))) if sizes and sizes[-1] >= _SQUEEZED * quartile else None


def _counted(pairs: Sequence[Comparison]) -> str:
    """The number of runs, or of random matrices, behind the intervals."""
    plural = " or ".join(PLURALS[unit] for unit in dict.fromkeys(pair["unit"] for pair in pairs))
    counts = sorted({n for pair in pairs for n in (pair["n_a"], pair["n_b"])})
    return f"{counts[0]} {plural}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]} {plural}"


def _censored(pairs: Sequence[Comparison]) -> str:
    """Which algorithms have runs without an answer, in words."""
    late: dict[str, str] = {}
    for pair in pairs:
        for name, answered in ((pair["a"], pair["answered_a"]), (pair["b"], pair["answered_b"])):
            if answered is not None and answered < 1:
                late[f"{name} on {pair['problem']}"] = f"{1 - answered:.0%} of {name} on {pair['problem']}"
    return f"; without an answer, counted as the last round: {', '.join(late.values())}" if late else ""


def _mark(inside: str) -> dict[str, Any]:
    return {"color": COLOURS["blue"], "marker": "o", "markerfacecolor": inside, "linestyle": "-"}


def _draw_panel(axes: "Axes", pairs: Sequence[Comparison]) -> None:
    differences = [pair["difference"] for pair in pairs]
    ends = [pair[end] for pair in pairs for end in ("low", "high") if pair[end] is not None]
    values = [0.0, *ends, *differences]
    margin = 0.05 * (max(values) - min(values)) or 1.0
    left, right = min(values) - margin, max(values) + margin
    axes.axvline(0, color=canvas.INK, lw=0.8, zorder=2)
    for place, pair in enumerate(pairs):
        low = left if pair["low"] is None else pair["low"]
        high = right if pair["high"] is None else pair["high"]
        inside = "white" if pair["verdict"] == UNDECIDED else COLOURS["blue"]
        axes.plot([low, high], [place, place], color=COLOURS["blue"], zorder=3)
        axes.plot([pair["difference"]], [place], zorder=4, **_mark(inside))
    axes.set_xlim(left, right)
    linear = linear_up_to(differences)
    if linear is not None:
        axes.set_xscale("symlog", linthresh=linear)
        axes.set_xlim(min(left, 1.5 * left), max(right, 1.5 * right))
        axes.tick_params(axis="x", labelrotation=45)
    axes.set_ylim(len(pairs) - 0.4, -0.6)
    axes.set_yticks(range(len(pairs)), [canvas.literal(f"{pair['a']} - {pair['b']}") for pair in pairs])
    axes.grid(False, axis="y")
