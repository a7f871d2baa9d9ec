"""Winners of random parts of matrices against the size of the parts."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from duelbench.figures.drawing import canvas
from duelbench.figures.drawing.style import COLOURS, DASHES
from duelbench.problem.winner_study import SizeStudy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CSV_COLUMNS = (
    *("matrix", "n_arms", "draws", "condorcet", "winners", "losses"),
    *("winners_1", "winners_2", "winners_more", "losses_0", "losses_1", "losses_more"),
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
    ("sets by winners (share)", {"1 winner": "winners_1", "2 winners": "winners_2", "3+ winners": "winners_more"}),
    ("sets by losses (share)", {"no loss": "losses_0", "1 loss": "losses_1", "2+ losses": "losses_more"}),
)
"""Titles, and the curves of each, up to three: name -> field of `SizeStudy`."""

_MOST_TICKS = 10
_HUES = ("blue", "orange", "green", "pink", "wine", "black")
_LINES = ("solid", "dashed", "dotted")
_MARKERS = ("o", "s", "^")


def winner_figure(studies: Mapping[str, Sequence[SizeStudy]], title: str | None) -> "Figure":
    """Draw six panels: how often a Condorcet winner exists, how many Copeland winners, their losses, other notions.

    Parameters
    ----------
    studies : mapping
        Name of a matrix -> its study, at least one.
    title : str, optional
    """
    from matplotlib.lines import Line2D
    from matplotlib.ticker import MaxNLocator

    sizes = sorted({row.n_arms for rows in studies.values() for row in rows})
    hues = {matrix: COLOURS[_HUES[m % len(_HUES)]] for m, matrix in enumerate(studies)}
    with canvas.house_style():
        grid = canvas.new_grid(len(_PANELS), title)
        for axes, (name, curves) in zip(grid.panels, _PANELS, strict=True):
            for matrix, rows in studies.items():
                for k, field in enumerate(curves.values()):
                    heights = [getattr(row, field) for row in rows]
                    axes.plot([row.n_arms for row in rows], heights, color=hues[matrix], **_look(k))
            axes.set_title(canvas.wrapped(name, 0.9 * grid.panel_width))
            if len(sizes) <= _MOST_TICKS:
                axes.set_xticks(sizes)
            else:
                axes.xaxis.set_major_locator(MaxNLocator(integer=True))
            axes.set_ylim(bottom=0)
            if "share" in name:
                axes.set_ylim(0, 1.03)
        for axes in grid.panels[-grid.columns :]:
            axes.set_xlabel("number of arms K")
        draws = max(row.draws for rows in studies.values() for row in rows)
        handles = [
            *(Line2D([], [], color=hue, label=canvas.literal(matrix)) for matrix, hue in hues.items()),
            *(Line2D([], [], color=canvas.INK, label=_curves_called(k), **_look(k)) for k in range(len(_LINES))),
        ]
        canvas.add_legend(grid, handles, f"{draws} random sets of arms of each size")
    return grid.figure


def _look(number: int) -> dict[str, Any]:
    """How curve ``number`` of a panel is drawn, whatever its colour."""
    return {"linestyle": (0, DASHES[_LINES[number]] or None), "marker": _MARKERS[number]}


def _curves_called(number: int) -> str:
    """What curve ``number`` of the panels with several is, for the legend."""
    return "; ".join(list(curves)[number] for _, curves in _PANELS if len(curves) > 1)


def plotted_numbers(studies: Mapping[str, Sequence[SizeStudy]]) -> str:
    """The numbers of the figure as CSV, with the columns `CSV_COLUMNS`."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for matrix, rows in studies.items():
        writer.writerows([matrix, *(getattr(row, name) for name in CSV_COLUMNS[1:])] for row in rows)
    return text.getvalue()
