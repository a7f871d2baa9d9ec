"""Urvoy et al. 2013, Figure 12: who wins in the preference matrices of three arms with p_01 + p_02 + p_12 = 1.

    python docs/studies/winner_slice.py FIGURE.png [STEPS]

draws a map for Borda and one for Copeland scores, made of STEPS small triangles along each side (240), and writes the
share of the triangle that each arm wins to a .csv beside it. `make fig-urvoy2013-12` does that.
"""

import csv
import io
import math
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from duelbench.common.atomic import write_asked
from duelbench.experiments.figures.drawing import canvas
from duelbench.experiments.figures.drawing.style import COLOURS
from duelbench.version import VERSION

HUES = [COLOURS[hue] for hue in ("blue", "orange", "green")]
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, math.sqrt(0.75)]])  # where p_01, p_02 and p_12 are 1


def small_triangles(steps: int) -> np.ndarray:
    """Corners of the equal triangles that fill the slice, in units of 1 / steps: (steps^2, 3, 3) int64."""
    triangles = []
    for a in range(steps):
        for b in range(steps - a):
            c = steps - 1 - a - b
            triangles.append([(a + 1, b, c), (a, b + 1, c), (a, b, c + 1)])
            if c > 0:
                triangles.append([(a + 1, b + 1, c - 1), (a + 1, b, c), (a, b + 1, c)])
    return np.array(triangles)


def copeland_scores(p: np.ndarray, one: int) -> np.ndarray:
    """How many others each arm beats; p: (n, 3) int64, p_01, p_02 and p_12 in units of 1 / one."""
    wins, losses = (2 * p > one).astype(int), (2 * p < one).astype(int)
    return np.column_stack((wins[:, 0] + wins[:, 1], losses[:, 0] + wins[:, 2], losses[:, 1] + losses[:, 2]))


def borda_scores(p: np.ndarray, one: int) -> np.ndarray:
    """The sum of each arm's probabilities to beat the others, in units of 1 / one."""
    return np.column_stack((p[:, 0] + p[:, 1], one - p[:, 0] + p[:, 2], 2 * one - p[:, 1] - p[:, 2]))


NOTIONS: Mapping[str, Callable[[np.ndarray, int], np.ndarray]] = {"Borda": borda_scores, "Copeland": copeland_scores}


def winners(notion: str, steps: int) -> np.ndarray:
    """The winner in the middle of each small triangle, the lowest index on ties: (steps^2,) int64."""
    middles = small_triangles(steps).sum(axis=1)  # three times the middle, in whole numbers: ties are exact
    return NOTIONS[notion](middles, 3 * steps).argmax(axis=1)


def drawn(steps: int, title: str) -> Figure:
    """A map for each notion."""
    triangles = small_triangles(steps) @ CORNERS / steps
    with canvas.house_style():
        grid = canvas.new_grid(list(NOTIONS), title)
        for axes, notion in zip(grid.panels, NOTIONS, strict=True):
            axes.tripcolor(
                triangles[:, :, 0].ravel(),
                triangles[:, :, 1].ravel(),
                np.arange(3 * len(triangles)).reshape(-1, 3),
                facecolors=winners(notion, steps).astype(float),
                cmap=ListedColormap(HUES),
                vmin=0,
                vmax=len(HUES) - 1,
                rasterized=True,
            )
            axes.plot(*np.vstack((CORNERS, CORNERS[:1])).T, color=canvas.INK, linewidth=0.7)
            for corner, pair, place in zip(CORNERS, ("01", "02", "12"), ("top", "top", "bottom"), strict=True):
                shift = (0, -4 if place == "top" else 4)
                text = f"$p_{{{pair}}} = 1$"
                axes.annotate(text, corner, shift, textcoords="offset points", ha="center", va=place)
            axes.set_title(notion)
            axes.set_aspect("equal")
            axes.set_axis_off()
            axes.set_xlim(-0.15, 1.15)
            axes.set_ylim(-0.12, 1.0)
        patches = [Patch(color=hue, label=f"arm {arm}") for arm, hue in enumerate(HUES)]
        canvas.add_legend(grid, patches, "winner (lowest index on ties)")
    return grid.figure


def numbers(steps: int) -> str:
    """The share of the slice that each arm (from 0) wins, as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("notion", "winner", "share"))
    for notion in NOTIONS:
        counts = np.bincount(winners(notion, steps), minlength=3)
        writer.writerows([notion, arm, repr(count / steps**2)] for arm, count in enumerate(counts.tolist()))
    return text.getvalue()


def main(output: Path, steps: int = 240) -> None:
    """Write the figure and its numbers."""
    title = "Urvoy et al. 2013, Figure 12"
    about = {"title": title, "description": f"p_01 + p_02 + p_12 = 1, {steps} steps; duelbench {VERSION}"}
    write_asked(output, canvas.render(drawn(steps, title), output.suffix[1:], about), str(output))
    write_asked(output.with_suffix(".csv"), numbers(steps).encode(), str(output))
    print(output)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
