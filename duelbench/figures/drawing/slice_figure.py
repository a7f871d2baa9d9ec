"""Who wins in the preference matrices of three arms with p_01 + p_02 + p_12 = 1: a map for each notion of a winner.

These matrices are a triangle, the plane section of the cube of all (p_01, p_02, p_12) on which Urvoy et al. show how
the decision depends on what is measured.

References
----------
.. [1] T. Urvoy, F. Clerot, R. Feraud, S. Naamane, "Generic Exploration and K-armed Voting Bandits", ICML 2013,
   extended version, Figure 12.
"""

import csv
import io
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from duelbench.figures.drawing import canvas
from duelbench.figures.drawing.style import COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CSV_COLUMNS = ("notion", "winner", "share")

_HUES = ("blue", "orange", "green")
_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, math.sqrt(0.75)]])
"""Where in the plane p_01, p_02 and p_12 are 1."""


def small_triangles(steps: int) -> np.ndarray:
    """Equal triangles that fill the slice, as ``steps`` of them stand along each side.

    Returns
    -------
    (steps^2, 3, 3) int64
        Their corners; the coordinates p_01, p_02 and p_12 are in units of 1 / steps.

    Examples
    --------
    >>> small_triangles(1).tolist()
    [[[1, 0, 0], [0, 1, 0], [0, 0, 1]]]
    """
    triangles = []
    for a in range(steps):
        for b in range(steps - a):
            c = steps - 1 - a - b
            triangles.append([(a + 1, b, c), (a, b + 1, c), (a, b, c + 1)])
            if c > 0:
                triangles.append([(a + 1, b + 1, c - 1), (a + 1, b, c), (a, b + 1, c)])
    return np.array(triangles)


def copeland_scores(p: np.ndarray, one: int) -> np.ndarray:
    """How many others each arm beats.

    Parameters
    ----------
    p : (n, 3) int64
        p_01, p_02 and p_12 in units of 1 / one.
    one : int

    Returns
    -------
    (n, 3) int64

    Examples
    --------
    p_01 = 3/4, p_02 = 1/4, p_12 = 0: arm 2 beats both others, arm 0 beats arm 1.

    >>> copeland_scores(np.array([[3, 1, 0]]), 4).tolist()
    [[1, 0, 2]]
    """
    wins, losses = (2 * p > one).astype(int), (2 * p < one).astype(int)
    return np.column_stack((wins[:, 0] + wins[:, 1], losses[:, 0] + wins[:, 2], losses[:, 1] + losses[:, 2]))


def borda_scores(p: np.ndarray, one: int) -> np.ndarray:
    """The sum of each arm's probabilities to beat the others, in units of 1 / one; as `copeland_scores`.

    Examples
    --------
    >>> borda_scores(np.array([[3, 1, 0]]), 4).tolist()
    [[4, 1, 7]]
    """
    return np.column_stack((p[:, 0] + p[:, 1], one - p[:, 0] + p[:, 2], 2 * one - p[:, 1] - p[:, 2]))


NOTIONS: Mapping[str, Callable[[np.ndarray, int], np.ndarray]] = {"Borda": borda_scores, "Copeland": copeland_scores}
"""Notion of a winner -> scores."""


def winners(notion: str, steps: int) -> np.ndarray:
    """The winner (0-based, the lowest index on ties) in the middle of each of the `small_triangles`: (steps^2,) int64.

    Examples
    --------
    In the middle of the slice all p are 1/3: arm 2 beats both others.

    >>> winners("Copeland", 1).tolist(), winners("Borda", 1).tolist()
    ([2], [2])
    """
    middles = small_triangles(steps).sum(axis=1)  # three times the middle, in whole numbers: ties are exact
    return NOTIONS[notion](middles, 3 * steps).argmax(axis=1)


def slice_figure(steps: int, title: str | None) -> "Figure":
    """Draw a map for each notion.

    Parameters
    ----------
    steps : int
        Small triangles along a side.
    title : str, optional
    """
    from matplotlib.patches import Patch

    triangles = small_triangles(steps) @ _CORNERS / steps
    with canvas.house_style():
        grid = canvas.new_grid(len(NOTIONS), title)
        for axes, notion in zip(grid.panels, NOTIONS, strict=True):
            won = winners(notion, steps)
            axes.tripcolor(
                triangles[:, :, 0].ravel(),
                triangles[:, :, 1].ravel(),
                np.arange(3 * len(triangles)).reshape(-1, 3),
                facecolors=won.astype(float),
                cmap=_colours(),
                vmin=0,
                vmax=len(_HUES) - 1,
                rasterized=True,
            )
            axes.plot(*np.vstack((_CORNERS, _CORNERS[:1])).T, color=canvas.INK, linewidth=0.7)
            for corner, pair, place in zip(_CORNERS, ("01", "02", "12"), ("top", "top", "bottom"), strict=True):
                axes.annotate(
                    f"$p_{{{pair}}} = 1$", corner, (0, -4 if place == "top" else 4),
                    textcoords="offset points", ha="center", va=place,
                )  # fmt: skip
            axes.set_title(notion)
            axes.set_aspect("equal")
            axes.set_axis_off()
            axes.set_xlim(-0.15, 1.15)
            axes.set_ylim(-0.12, 1.0)
        patches = [Patch(color=COLOURS[hue], label=f"arm {arm}") for arm, hue in enumerate(_HUES)]
        canvas.add_legend(grid, patches, "winner (lowest index on ties)")
    return grid.figure


def _colours():
    from matplotlib.colors import ListedColormap

    return ListedColormap([COLOURS[hue] for hue in _HUES])


def plotted_numbers(steps: int) -> str:
    """The share of the slice that each arm (from 0) wins, as CSV with the columns `CSV_COLUMNS`."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for notion in NOTIONS:
        counts = np.bincount(winners(notion, steps), minlength=3)
        writer.writerows([notion, arm, repr(count / steps**2)] for arm, count in enumerate(counts.tolist()))
    return text.getvalue()
