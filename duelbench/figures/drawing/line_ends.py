"""Names at the ends of lines, in place of a legend: pushed apart where lines end side by side."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from duelbench.errors import InputError
from duelbench.figures.frame import current

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NAMELESS = r"_child\d+|_nolegend_"
"""What Matplotlib calls lines without a name."""

_TO_NAME = {"arrowstyle": "-", "lw": 0.6, "shrinkA": 0, "shrinkB": 0, "relpos": (0.0, 0.5)}
"""The line to the middle of the left edge of a name."""

_GAP = 1.2  # sizes of letters between a panel and the names
_BETWEEN = 0.12  # of the height of a name


def name_ends(figure: "Figure", panels: "Sequence[Axes]") -> None:
    """Write the label of each line on the right of its panel, with a thin line to it; the figure grows if it may.

    Raises
    ------
    InputError
        When the names beside a panel do not fit.
    """
    written = [(axes, _write(axes)) for axes in panels]
    if current().width is None:
        rows = {round(axes.get_position().y0, 6) for axes in panels}
        widest = max((text.get_window_extent().width for _, own in written for text in own), default=0.0)
        width, height = figure.get_size_inches()
        figure.set_size_inches(width + len(panels) // len(rows) * widest / figure.dpi, height)
    figure.draw_without_rendering()  # now panels have their heights
    for axes, own in written:
        if own:
            _push_apart(axes, own)


def _write(axes: "Axes") -> list[Any]:
    """A name for each line in a panel, at the height of its end."""
    texts = []
    for line in axes.lines:
        label, points = str(line.get_label()), np.asarray(line.get_xydata())
        if re.fullmatch(_NAMELESS, label) or not len(points):
            continue
        end = _end(axes.transAxes.inverted().transform(axes.transData.transform(points)))
        text = axes.annotate(
            label,
            end,
            (1.0, end[1]),
            xycoords="axes fraction",
            textcoords="axes fraction",
            va="center",
            ha="left",
            annotation_clip=False,
            arrowprops={**_TO_NAME, "color": line.get_color()},
            gid="end",
        )
        texts.append(text)
    return texts


def _end(points: np.ndarray) -> tuple[float, float]:
    """Where a line ends, or leaves the panel for good, in parts of the panel."""
    x, y = points[-1]
    edge = min(max(y, 0.0), 1.0)
    within = np.flatnonzero((points[:, 1] - edge) * (y - edge) <= 0)
    if y != edge and len(within):
        (x, y), (last_x, last_y) = points[within[-1]], points[within[-1] + 1]
        x += (last_x - x) * (edge - y) / (last_y - y)
    return min(x, 1.0), edge


def _push_apart(axes: "Axes", texts: Sequence[Any]) -> None:
    box = axes.get_window_extent()
    texts = sorted(texts, key=lambda text: text.xy[0])  # of lines that leave at the top, the first to leave is on top
    heights = [(1 + _BETWEEN) * text.get_window_extent().height for text in texts]
    if sum(heights) > box.height:
        raise InputError(
            f"legend: ends: {len(texts)} names do not fit beside a panel: choose a larger height, a smaller"
            " font_size, or the legend below"
        )
    places = apart([text.xy[1] * box.height for text in texts], heights, box.height)
    gap = _GAP * texts[0].get_fontsize() / 72 * axes.figure.dpi / box.width
    for text, place in zip(texts, places, strict=True):
        text.set_position((1.0 + gap, place / box.height))


def apart(wanted: Sequence[float], heights: Sequence[float], room: float) -> list[float]:
    """Middles of texts of these heights that do not overlap, as near to the wanted ones as can be, from 0 to ``room``.

    They keep the order of the wanted ones (the first of two equal ones on top); the heights sum to at most ``room``.

    Examples
    --------
    >>> apart([5.0, 5.0], [2.0, 2.0], 10.0)
    [6.0, 4.0]
    >>> apart([0.0, 9.0], [2.0, 2.0], 10.0)
    [1.0, 9.0]
    """
    from scipy.optimize import isotonic_regression

    order = sorted(range(len(wanted)), key=lambda k: (wanted[k], -k))
    own = np.array([heights[k] for k in order])
    offsets = np.cumsum(own) - own / 2  # with the heights of the texts below taken off, places must not decrease
    starts = isotonic_regression(np.array([wanted[k] for k in order]) - offsets).x
    places = [0.0] * len(wanted)
    for k, place in zip(order, (starts.clip(0.0, room - own.sum()) + offsets).tolist(), strict=True):
        places[k] = place
    return places
