"""Regret over time as nested bands of the runs: a panel per algorithm and problem."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from duelbench.figures.drawing import canvas
from duelbench.figures.drawing.regret_figure import axis_name
from duelbench.figures.drawing.style import Style
from duelbench.figures.numbers import names_of, table_of
from duelbench.figures.options import FigureOptions
from duelbench.figures.picture import OfRuns, Picture, Request, about, in_reading_order, panel_per_algorithm
from duelbench.results.experiments import LoadedCell
from duelbench.statistics import tails
from duelbench.statistics.curves import count_of
from duelbench.statistics.tails import BANDS, fewest_runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

CSV_COLUMNS = (
    *("problem", "algorithm", "label", "round", "median"),
    *(end + band for band in BANDS for end in ("low", "high")),
    "runs",
)

_SHADES = dict(zip(BANDS, (0.42, 0.28, 0.18, 0.1), strict=True))


@dataclass(frozen=True, eq=False, kw_only=True)
class _Quantiles(OfRuns):
    """One algorithm on one problem: the median of the runs, and nested bands around it."""

    rounds: np.ndarray  # (n,) int64, 1-based, increasing
    median: np.ndarray  # (n,) float64, in duels
    bands: dict[str, tuple[np.ndarray, np.ndarray]]  # from the narrowest: those that the runs can show
    restarts: bool  # each point is the end of runs of its own
    counts: np.ndarray  # (n,) int64: how many runs each point is of


def quantiles(request: Request) -> Picture:
    """The distribution of regret over time, of every algorithm on every problem that has runs."""
    groups: dict[tuple[str, int], list[LoadedCell]] = {}
    for cell in in_reading_order(request.experiment.cells):
        groups.setdefault((cell.stored.problem, cell.stored.position), []).append(cell)
    found = request.shown([_quantiles(own, request.which) for own in groups.values() if any(c.n_runs for c in own)])
    first = request.first_round(max((int(one.rounds[-1]) for one in found), default=1))
    until = int(request.options.x[1]) if request.options.x else None
    return Picture(lambda: _figure(request, found, first), lambda: _numbers(found, first, until))


def _quantiles(cells: Sequence[LoadedCell], which: int) -> _Quantiles:
    """The cells are the horizons of an algorithm."""
    there = sorted((cell for cell in cells if cell.n_runs), key=lambda cell: cell.stored.horizon)
    own = slice(-1, None) if len(cells) > 1 else slice(None)
    samples = [cell.regret[:, which, own] for cell in there]
    bands = {}
    for band in tails.bands_of(min(cell.n_runs for cell in there)):
        low, high = zip(*(tails.band_ends(each, band) for each in samples), strict=True)
        bands[band] = np.concatenate(low), np.concatenate(high)
    return _Quantiles(
        **about(cells),
        rounds=np.concatenate([cell.rounds[own] for cell in there]),
        median=np.concatenate([np.median(each, axis=0) for each in samples]),
        bands=bands,
        restarts=len(cells) > 1,
        counts=np.concatenate([np.full(each.shape[1], each.shape[0]) for each in samples]),
    )


def _figure(request: Request, found: Sequence[_Quantiles], first_round: int) -> "Figure":
    """Several problems stand side by side, each with one axis of regret for all algorithms."""

    def draw(axes: "Axes", one: _Quantiles) -> None:
        _draw(axes, one, request.looks[one.key])
        _set_axes(axes, [other for other in found if other.problem == one.problem], request.options, first_round)

    with canvas.house_style():
        grid = panel_per_algorithm(request, found, draw)
        canvas.name_axes(grid, "round t", axis_name(request.regret))
        colour = request.looks[found[0].key].colour if len(found) == 1 else canvas.INK
        canvas.add_legend(grid, _handles(found, colour), _caption(found))
    return grid.figure


def _caption(found: Sequence[_Quantiles]) -> str:
    """How many runs there are, and which bands they are too few for."""
    counts = [int(n) for one in found for n in (one.counts.min(), one.counts.max())]
    lacking = [band for band in BANDS if any(band not in one.bands for one in found)]
    needed = ", ".join(f"{band}% needs {fewest_runs(band)} runs" for band in lacking)
    said = f"median of {count_of(counts)}, bands of the runs around it"
    return f"{said}; left out: {needed}" if needed else said


def _draw(axes: "Axes", one: _Quantiles, look: Style) -> None:
    """Bands from the widest, each over the one before; bars where each point has runs of its own."""
    for k, (band, (low, high)) in enumerate(reversed(one.bands.items())):
        if one.restarts:
            axes.vlines(one.rounds, low, high, color=look.colour, alpha=_SHADES[band], linewidth=3 + 1.5 * k, zorder=2)
        else:
            axes.fill_between(one.rounds, low, high, color=look.colour, alpha=_SHADES[band], lw=0, zorder=2)
    joined: dict[str, Any] = {"marker": "o", "linestyle": "none"} if one.restarts else {}
    axes.plot(one.rounds, one.median, color=look.colour, zorder=3, **joined)


def _set_axes(axes: "Axes", together: Sequence[_Quantiles], options: FigureOptions, first_round: int) -> None:
    last = max(max(int(one.rounds[-1]) for one in together), first_round + 1)
    axes.set_xscale("log")
    axes.set_xlim(first_round, options.x[1] if options.x else last)
    canvas.name_few(axes.xaxis)
    drawn = [(one, one.rounds >= first_round) for one in together]
    heights = [end[kept] for one, kept in drawn for ends in [(one.median,), *one.bands.values()] for end in ends]
    top = max((float(part.max(initial=0.0)) for part in heights), default=0.0) or 1.0
    if options.y_scale != "linear":
        axes.set_yscale("log", nonpositive="clip")
        positive = [float(part[part > 0].min(initial=np.inf)) for part in heights]
        lowest = min(min(positive, default=np.inf), top / 10)
        low, high = options.y or (0, 1.3 * top)
        axes.set_ylim(low or lowest / 1.3, high)
        return
    low, high = options.y or (0, 1.05 * top)
    axes.set_ylim(low, high)
    canvas.shorten_numbers(axes.yaxis, high)


def _handles(found: Sequence[_Quantiles], colour: str) -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    drawn = [band for band in BANDS if any(band in one.bands for one in found)]
    handles: list[Any] = [Line2D([], [], color=colour, label="median")]
    paper = 1.0
    for band in reversed(drawn):  # as bands lie over each other
        paper *= 1 - _SHADES[band]
        handles.insert(1, Patch(facecolor=colour, alpha=1 - paper, lw=0, label=f"{band}% of the runs"))
    return handles


def _numbers(found: Sequence[_Quantiles], first_round: int, last_round: int | None) -> "DataFrame":
    """Empty where there is no such band."""
    rows = []
    for one in found:
        columns = {"round": one.rounds, "median": one.median, "runs": one.counts}
        for band, (low, high) in one.bands.items():
            columns |= {f"low{band}": low, f"high{band}": high}
        rows += [
            {**names_of(one), **{name: values[k].item() for name, values in columns.items()}}
            for k, t in enumerate(one.rounds.tolist())
            if first_round <= t <= (last_round or t)
        ]
    return table_of(CSV_COLUMNS, rows)
