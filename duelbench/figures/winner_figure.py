"""Winners of random parts of matrices against the size of the parts."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from duelbench.figures import drawing
from duelbench.figures.style import COLOURS, DASHES
from duelbench.problem.winner_study import SizeStudy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CSV_COLUMNS = (
    *("matrix", "n_arms", "draws", "condorcet", "winners", "losses"),
    *("borda", "random_walk", "von_neumann"),
)

_PANELS = (
    ("a Condorcet winner exists (share)", {"": "condorcet"}),
    ("number of Copeland winners (mean)", {"": "winners"}),
    ("losses of a Copeland winner (mean)", {"": "losses"}),
    (
        "winner is a Copeland winner (share)",
        {"Borda": "borda", "random walk": "random_walk", "von Neumann": "von_neumann"},
    ),
)
"""Titles, and the curves of each: what is added to the matrix' name -> field of `SizeStudy`."""

_HUES = ("blue", "orange", "green", "pink", "wine", "black")
_LINES = ("solid", "dashed", "dotted")
_MARKERS = ("o", "s", "^")


def winner_figure(studies: Mapping[str, Sequence[SizeStudy]], title: str | None) -> "Figure":
    """Draw four panels: how often a Condorcet winner exists, how many Copeland winners, their losses, other notions.

    Parameters
    ----------
    studies : mapping
        Name of a matrix -> its study, at least one.
    title : str, optional
    """
    from matplotlib.lines import Line2D

    handles = {}
    with drawing.house_style():
        grid = drawing.new_grid(len(_PANELS), title)
        for axes, (name, curves) in zip(grid.panels, _PANELS, strict=True):
            for m, (matrix, rows) in enumerate(studies.items()):
                for k, (notion, field) in enumerate(curves.items()):
                    look: dict[str, Any] = {
                        "color": COLOURS[_HUES[m % len(_HUES)]],
                        "linestyle": (0, DASHES[_LINES[k]] or None),
                        "marker": _MARKERS[k],
                    }
                    axes.plot([row.n_arms for row in rows], [getattr(row, field) for row in rows], **look)
                    label = f"{matrix}, {notion}" if notion else matrix
                    handles[label] = Line2D([], [], label=drawing.literal(label), **look)
            axes.set_title(drawing.wrapped(name, 0.9 * grid.panel_width))
            axes.set_ylim(bottom=0)
            if "share" in name:
                axes.set_ylim(0, 1.03)
        for axes in grid.panels[-grid.columns :]:
            axes.set_xlabel("number of arms K")
        draws = max(row.draws for rows in studies.values() for row in rows)
        drawing.add_legend(grid, list(handles.values()), f"{draws} random sets of arms of each size")
    return grid.figure


def plotted_numbers(studies: Mapping[str, Sequence[SizeStudy]]) -> str:
    """The numbers of the figure as CSV, with the columns `CSV_COLUMNS`."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for matrix, rows in studies.items():
        writer.writerows([matrix, *(getattr(row, name) for name in CSV_COLUMNS[1:])] for row in rows)
    return text.getvalue()
