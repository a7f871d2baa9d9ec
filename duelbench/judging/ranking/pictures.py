"""Draws the pictures of a ranking: intervals of strengths, and a heat map of the pairs."""

from typing import TYPE_CHECKING

import numpy as np

from duelbench.experiments.figures.drawing.canvas import house_style, literal
from duelbench.experiments.figures.drawing.heat_map import MOST_NUMBERS, name_arms
from duelbench.experiments.figures.drawing.style import COLOURS
from duelbench.judging.known import short
from duelbench.judging.ranking.ranking import Ranking
from duelbench.judging.ranking.sentences import number, shown_as_best

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_ARMS = 60
"""The maximum number of arms in a picture: the first ones of the ranking."""


def intervals(ranking: Ranking) -> "Figure":
    """Draw the strengths with their 95% intervals, the best at the top.

    Blue arms may be the best; there are none if comparisons follow from rankings.

    Examples
    --------
    >>> from duelbench import rank
    >>> figure = intervals(rank([[0, 3], [2, 0]], arms=["tea", "milk"]))
    >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
    ['tea', 'milk']
    """
    arms = [k for k, strength in enumerate(ranking.shares) if not np.isnan(strength)][:MOST_ARMS]
    names = short(ranking.arms)
    colours = [COLOURS["blue" if ranking.arms[arm] in shown_as_best(ranking) else "grey"] for arm in arms]
    with house_style():
        figure = _new_figure(5.0, 0.9 + 0.26 * len(arms))
        axes = figure.add_subplot()
        heights = np.arange(len(arms))
        axes.hlines(heights, ranking.low[arms], ranking.high[arms], colors=colours, linewidth=2)
        axes.scatter(ranking.shares[arms], heights, c=colours, zorder=3, s=22)
        axes.axvline(0.5, color="#AAAAAA", linewidth=0.8, zorder=0)
        axes.set_yticks(heights, [literal(names[ranking.arms[arm]]) for arm in arms])
        axes.set_ylim(len(arms) - 0.4, -0.6)
        axes.set_xlim(0, 1)
        axes.grid(axis="y", visible=False)
        axes.set_xlabel("strength, with its 95% interval")
        for boundary in np.flatnonzero(np.diff(ranking.group[arms])):
            axes.axhline(boundary + 0.5, color="#262626", linewidth=0.8)
    return figure


def pairs(ranking: Ranking) -> "list[Figure]":
    """Draw how often each arm won against each other arm, with the counts in the cells or in a second picture."""
    n_arms = min(len(ranking.arms), MOST_ARMS)
    compared = ranking.comparisons[:n_arms, :n_arms]
    shares = np.divide(ranking.wins[:n_arms, :n_arms], compared, out=np.full_like(compared, np.nan), where=compared > 0)
    figures = [_heat_map(ranking, shares, "RdBu", 1.0, "share of wins of the arm at the left")]
    if n_arms <= MOST_NUMBERS:
        with house_style():
            for i, j in np.argwhere(compared > 0).tolist():
                colour = "white" if abs(shares[i, j] - 0.5) > 0.33 else "black"
                text = f"{shares[i, j]:.0%}\n{number(compared[i, j])}"
                figures[0].axes[0].text(j, i, text, ha="center", va="center", fontsize=7, color=colour)
    else:
        counts = np.where(compared > 0, compared, np.nan)
        figures.append(_heat_map(ranking, counts, "viridis_r", float(compared.max()), "number of comparisons"))
    return figures


def _heat_map(ranking: Ranking, values: np.ndarray, colours: str, highest: float, label: str) -> "Figure":
    has_numbers = len(values) <= MOST_NUMBERS
    side = 4.0 + 0.38 * max(0, len(values) - 5) if has_numbers else 7.5
    names = short(ranking.arms)
    with house_style():
        figure = _new_figure(side + 1.0, side)
        axes = figure.add_subplot()
        axes.grid(False)
        image = axes.imshow(values, cmap=colours, vmin=0, vmax=highest, interpolation="nearest")
        axes.spines[:].set_visible(False)
        axes.set_facecolor("#D9D9D9")
        figure.colorbar(image, ax=axes, label=label, shrink=0.85)
        name_arms(axes, tuple(names[name] for name in ranking.arms[: len(values)]))
    return figure


def _new_figure(width: float, height: float) -> "Figure":
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    layout = ConstrainedLayoutEngine(w_pad=0.12)  # browsers may draw wider letters
    figure = Figure(figsize=(width, height), layout=layout)
    FigureCanvasAgg(figure)
    return figure
