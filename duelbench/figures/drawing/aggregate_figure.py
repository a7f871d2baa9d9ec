"""All problems in one figure: interquartile means, performance profiles, probabilities of improvement."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from duelbench.figures.content.aggregates import Aggregate
from duelbench.figures.drawing import canvas
from duelbench.figures.drawing.regret_figure import csv_of
from duelbench.figures.drawing.style import Style, styles_of
from duelbench.figures.frame import current, framed
from duelbench.statistics.curves import FEWEST, count_of, missing_in_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CSV_COLUMNS = (
    "statistic",
    "algorithm",
    "label",
    "against",
    "x",
    "value",
    "low",
    "high",
    "runs",
    "problems",
    "reference",
)

MOST_NUMBERS = 8
"""Most algorithms for which the cells of the last panel carry their numbers."""

MOST_INTERVALS = 5
"""Most algorithms for which they carry their intervals, too."""

_MARKERS_PER_CURVE = 6
_CELL_LETTERS = 7.0  # points
_DIGIT = 0.6  # width over size of letters


def aggregate_figure(
    found: Aggregate,
    looks_of: Sequence[tuple[str, str]],
    title: str | None,
    only: Iterable[str] | None,
    stamp: str | None,
) -> "Figure":
    """Draw three panels, in all of which less regret is better; in rows of fewer where a page is narrow.

    Parameters
    ----------
    found : Aggregate
    looks_of : sequence of (str, str)
        Id and label of all algorithms of the experiment, which decide the looks.
    title : str, optional
    only : iterable of str, optional
        Labels to draw; by default all.
    stamp : str, optional
        A warning across every panel, beside that of missing runs.
    """
    looks = styles_of(looks_of)
    kept = shown(found, only)
    with framed(current().grown()), canvas.house_style():
        grid = canvas.new_grid(3, title)
        _draw_means(grid.panels[0], found, kept, looks)
        _draw_profiles(grid.panels[1], found, kept, looks)
        _draw_improvements(grid, found, kept)
        score = f"regret over {found.reference_in_words}"
        for axes, name, heading in zip(
            grid.panels,
            (score, f"score x: {score}", "... than algorithm"),
            ("interquartile mean", "share of the runs with a score up to x", "probability of less regret ..."),
            strict=True,
        ):
            axes.set_xlabel(canvas.wrapped(name, 0.8 * grid.panel_width))
            axes.set_title(canvas.wrapped(heading, 0.9 * grid.panel_width))
            fewest = min(found.runs[k] for k in kept)
            canvas.stamp(axes, missing_in_words(fewest, found.planned), stamp)
        runs = count_of([found.runs[k] for k in kept])
        said = "95% intervals of a stratified bootstrap" if found.has_ends else f"fewer than {FEWEST}, no intervals"
        problems = "1 problem" if len(found.problems) == 1 else f"each of {len(found.problems)} problems"
        canvas.add_legend(grid, _handles(found, kept, looks), f"{runs} on {problems}, {said}")
    return grid.figure


def shown(found: Aggregate, only: Iterable[str] | None) -> list[int]:
    """The places of the algorithms whose label is in ``only`` (None: all)."""
    labels = None if only is None else set(only)
    return [k for k, (_, label) in enumerate(found.algorithms) if labels is None or label in labels]


def _handles(found: Aggregate, kept: Sequence[int], looks: dict[tuple[str, str], Style]) -> list[Any]:
    from matplotlib.lines import Line2D

    numbered = [(number, found.algorithms[k]) for number, k in enumerate(kept, 1)]
    return [Line2D([], [], label=canvas.literal(f"{n}  {key[1]}"), **canvas.line(looks[key])) for n, key in numbered]


def _draw_means(axes: "Axes", found: Aggregate, kept: Sequence[int], looks: dict[tuple[str, str], Style]) -> None:
    mean, low, high = found.mean
    for place, k in enumerate(kept):
        look = looks[found.algorithms[k]]
        ends = np.maximum([[mean[k] - low[k]], [high[k] - mean[k]]], 0)
        style = canvas.line(look, joined=False)
        axes.errorbar(mean[k], place, xerr=ends, elinewidth=1.2, capsize=2.5, zorder=3, **style)
    _number_rows(axes, len(kept))
    axes.set_ylim(len(kept) - 0.5, -0.5)
    axes.grid(False, axis="y")
    axes.set_xlim(0, 1.08 * (float(max(high[k] for k in kept)) or 1.0))


def _number_rows(axes: "Axes", n: int) -> None:
    axes.set_yticks(range(n), [str(number) for number in range(1, n + 1)])
    axes.tick_params(axis="y", length=0)


def _draw_profiles(axes: "Axes", found: Aggregate, kept: Sequence[int], looks: dict[tuple[str, str], Style]) -> None:
    share, low, high = found.profile
    for number, k in enumerate(kept):
        look, layer = looks[found.algorithms[k]], 3 + 0.001 * (len(kept) - number)
        axes.fill_between(found.at, low[k], high[k], color=look.colour, alpha=0.16, lw=0, zorder=layer - 1)
        phase = (number + 0.5) / len(kept)
        marked = np.unique(np.searchsorted(share[k], (np.arange(_MARKERS_PER_CURVE) + phase) / _MARKERS_PER_CURVE))
        marked = marked.clip(0, len(found.at) - 1)
        axes.plot(found.at, share[k], zorder=layer, markevery=marked.tolist(), **canvas.line(look))
    axes.set_xscale("log")
    axes.set_ylim(0, 1.03)


def _draw_improvements(grid: canvas.Grid, found: Aggregate, kept: Sequence[int]) -> None:
    axes = grid.panels[2]
    value, low, high = (numbers[np.ix_(kept, kept)].copy() for numbers in found.improvement)
    axes.grid(False)
    axes.spines[:].set_visible(False)
    axes.imshow(value, cmap="RdBu", vmin=0, vmax=1, interpolation="nearest", aspect="auto")
    names = [str(number) for number in range(1, len(kept) + 1)]
    axes.set_xticks(range(len(kept)), names)
    _number_rows(axes, len(kept))
    axes.set_ylabel("algorithm")
    if len(kept) > MOST_NUMBERS:
        return
    size = _size_in_cells(grid.panel_width / len(kept), found.has_ends and len(kept) <= MOST_INTERVALS)
    for i in range(len(kept)):
        for j in range(len(kept)):
            if i == j:
                continue
            text = f"{value[i, j]:.2f}"
            if found.has_ends and len(kept) <= MOST_INTERVALS:
                text += f"\n{low[i, j]:.2f}\N{EN DASH}{high[i, j]:.2f}"
            colour = "white" if abs(value[i, j] - 0.5) > 0.33 else "black"
            axes.text(j, i, text, ha="center", va="center", fontsize=size, color=colour)


def _size_in_cells(width: float, with_interval: bool) -> float:
    """Points of the numbers in cells of this width in inches: those of the usual figure, or as many as find room."""
    if not current().has_size:
        return _CELL_LETTERS
    characters = len("0.00\N{EN DASH}0.00") if with_interval else len("0.00")
    return min(canvas.points(_CELL_LETTERS), 72 * width / (_DIGIT * (characters + 0.5)))


def aggregate_numbers(found: Aggregate, only: Iterable[str] | None) -> str:
    """The numbers of the figure as CSV, with the columns `CSV_COLUMNS`; they are read back to the last bit."""
    kept = shown(found, only)
    rows: list[dict[str, Any]] = []

    def add(statistic: str, k: int, numbers: Sequence[float], against: str = "", x: str = "") -> None:
        algorithm, label = found.algorithms[k]
        value, low, high = (repr(float(number)) for number in numbers)
        ends = {"low": low, "high": high} if found.has_ends else {"low": "", "high": ""}
        whole = {"runs": found.runs[k], "problems": len(found.problems), "reference": found.reference_in_words}
        names = {"statistic": statistic, "algorithm": algorithm, "label": label, "against": against, "x": x}
        rows.append({**names, "value": value, **ends, **whole})

    for k in kept:
        add("interquartile mean", k, [numbers[k] for numbers in found.mean])
    for k in kept:
        for place, x in enumerate(found.at.tolist()):
            add("performance profile", k, [numbers[k, place] for numbers in found.profile], x=repr(x))
    for k in kept:
        for other in kept:
            if other != k:
                numbers = [number[k, other] for number in found.improvement]
                add("probability of improvement", k, numbers, against=found.algorithms[other][1])
    return csv_of(CSV_COLUMNS, rows)
