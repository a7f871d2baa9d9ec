"""Step curves of the share of the runs above or up to x, with their bands."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from duelbench.bandits.statistics.tails import simultaneous_half_width
from duelbench.experiments.figures.drawing import canvas
from duelbench.experiments.figures.numbers import joined, rows_of
from duelbench.experiments.figures.scene import Scene, groups
from duelbench.experiments.results.samples import Sample

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame


def step_numbers(
    chosen: "list[Sample]", x_name: str, start: float, steps_of: Callable[[Sample], Mapping[str, Any]]
) -> "DataFrame":
    """The steps of each sample, in increasing order: where the share changes, the share after that, and its band.

    Parameters
    ----------
    chosen : list of Sample
    x_name : str
        The name of the first column of steps.
    start : float
        The share before the first step: 0 or 1. A sample with runs and without steps has one row with this share.
    steps_of : callable
        Returns the columns ``x_name``, ``share``, ``low`` and ``high``.
    """
    parts = []
    for sample in chosen:
        columns = steps_of(sample) if sample.runs else {}
        if sample.runs and not len(columns[x_name]):
            columns = {x_name: [np.nan], "share": [start], "low": [np.nan], "high": [np.nan]}
        parts.append(rows_of(sample, columns))
    return joined(parts)


def with_band(share: np.ndarray, n: int) -> dict[str, np.ndarray]:
    """Shares of n runs with a band that holds the whole distribution with 95% confidence."""
    half = simultaneous_half_width(max(n, 1))
    return {"share": share, "low": np.maximum(share - half, 0.0), "high": np.minimum(share + half, 1.0)}


def draw_steps(
    axes: "Axes",
    rows: "DataFrame",
    scene: Scene,
    x_name: str,
    start: float,
    *,
    whole: bool,
    ends_with: str | None = None,
) -> None:
    """Draw the curves of all samples with runs, across the axis, and their bands from the first step to the last.

    The band of a curve that does not end at 0 or 1 reaches to the end of the axis.

    Parameters
    ----------
    axes : Axes
        Axes whose x axis has its ends set.
    rows : DataFrame
        The numbers that `step_numbers` returns.
    scene : Scene
    x_name : str
    start : float
        The share before the first step.
    whole : bool
        Whether the band is about the whole curve, and so starts with the axis.
    ends_with : str, optional
        The column that says where each curve ends; by default, curves end with the axis.
    """
    left, right = axes.get_xlim()
    curves = groups(rows, "algorithm", "label")
    for number, (key, curve) in enumerate(curves):
        n_runs = int(curve["runs"].iat[0])
        if not n_runs:
            continue
        style, zorder = scene.styles[key], canvas.layer(number, len(curves))
        steps = curve[curve[x_name].notna()]
        x = steps[x_name].to_numpy(np.float64)
        end = right if ends_with is None else min(right, float(curve[ends_with].iat[0]))
        edges = np.array([min(left, *x[:1]), *x, max(end, *x[-1:])] if x.size else [left, end])
        before = {name: float(ends[0]) for name, ends in with_band(np.array([start]), n_runs).items()}
        if not whole:
            before = dict.fromkeys(before, start)
        line, low, high = (
            np.array([before[name], *part, part[-1] if part.size else before[name]])
            for name in ("share", "low", "high")
            for part in [steps[name].to_numpy(np.float64)]
        )
        has_end = bool(x.size) and line[-1] in (0, 1)
        shaded = slice(1, -1 if has_end else None)
        shade: dict[str, Any] = {"color": style.colour, "alpha": 0.14, "lw": 0, "zorder": zorder - 1}
        axes.fill_between(edges[shaded], low[shaded], high[shaded], step="post", **shade)
        places = canvas.marker_places(number, len(curves))
        shares = (1 / n_runs) ** places if axes.get_yscale() == "log" else places
        sign = -1 if start else 1
        marked = np.unique(np.searchsorted(sign * line[:-1], sign * shares)).clip(1, len(line) - 1).tolist()
        axes.plot(edges, line, drawstyle="steps-post", markevery=marked, zorder=zorder, **canvas.line(style))
