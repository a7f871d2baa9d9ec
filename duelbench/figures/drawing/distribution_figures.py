"""How regret is distributed: the share of the runs above each regret, and bands of the runs over time."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from duelbench.figures.content.distributions import Quantiles, Survival
from duelbench.figures.content.labelled import in_reading_order, labelled, missing_of
from duelbench.figures.drawing import canvas
from duelbench.figures.drawing.regret_figure import REGRET_NAMES, axis_name, csv_of
from duelbench.figures.drawing.style import Style, styles_of
from duelbench.figures.options import FigureOptions
from duelbench.statistics.curves import count_of
from duelbench.statistics.tails import BANDS, fewest_runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SURVIVAL_COLUMNS = ("problem", "algorithm", "label", "x", "share", "low", "high", "runs")
QUANTILE_COLUMNS = (
    *("problem", "algorithm", "label", "round", "median"),
    *(end + band for band in BANDS for end in ("low", "high")),
    "runs",
)

_MARKERS_PER_CURVE = 6
_NEARLY_ALL = 0.98  # of the runs: where more are above, a curve shows nothing, and the axis need not
_SHADES = dict(zip(BANDS, (0.42, 0.28, 0.18, 0.1), strict=True))
_LINE = 1.3


def survival_figure(
    found: Sequence[Survival],
    options: FigureOptions,
    regret: str,
    title: str | None,
    only: Iterable[str] | None,
    stamp: str | None,
) -> "Figure":
    """Draw which share of the runs has more than so much regret at the horizon: a panel per problem.

    Parameters
    ----------
    found : sequence of Survival
        At least one, in the order of the spec.
    options : FigureOptions
    regret : str
        The definition of regret.
    title : str, optional
    only : iterable of str, optional
        Labels to draw; by default all.
    stamp : str, optional
        A warning across every panel, beside that of missing runs.
    """
    from matplotlib.lines import Line2D

    looks = styles_of((one.algorithm, one.label) for one in found)
    drawn = labelled(found, only)
    problems = list(dict.fromkeys(one.problem for one in drawn))
    usual = max((one.runs for one in drawn if one.runs == one.planned), default=0)
    with canvas.house_style():
        grid = canvas.new_grid(len(problems), title, options.columns)
        for k, (axes, problem) in enumerate(zip(grid.panels, problems, strict=True)):
            own = [one for one in drawn if one.problem == problem]
            _set_survival_axes(axes, own, options)
            for number, one in enumerate(own):
                look = looks[one.algorithm, one.label]
                _draw_survival(axes, one, look, (number + 0.5) / len(own), 3 + 0.001 * (len(own) - number))
            canvas.stamp(axes, missing_of(own), stamp)
            if len(problems) > 1:
                axes.set_title(canvas.wrapped(problem, 0.9 * grid.panel_width))
            if k + grid.columns >= len(problems):
                name = f"{REGRET_NAMES.get(regret, f'{regret} regret')} at the horizon, x (duels)"
                axes.set_xlabel(canvas.wrapped(name, 0.8 * grid.panel_width))
            if k % grid.columns == 0:
                axes.set_ylabel("share of the runs above x")
        labels = {(one.algorithm, one.label): _label(own_of(drawn, one), usual) for one in drawn}
        handles = [Line2D([], [], label=label, **canvas.line(looks[key])) for key, label in labels.items()]
        runs = count_of([usual] if usual else [one.runs for one in drawn])
        canvas.add_legend(grid, handles, f"{runs}, band: 95% confidence interval of each share")
    return grid.figure


def own_of(found: Sequence[Survival], one: Survival) -> list[Survival]:
    """The curves of the same algorithm on all problems."""
    return [other for other in found if (other.algorithm, other.label) == (one.algorithm, one.label)]


def _label(own: Sequence[Survival], usual: int) -> str:
    """The label, with the numbers of runs where they are not the usual ones."""
    others = [one for one in own if one.runs != usual]
    parts = [f"{one.runs} of {count_of([one.planned])}" for one in others if one.runs < one.planned]
    parts += [count_of([one.runs]) for one in others if one.runs == one.planned]
    said = ", ".join(dict.fromkeys(parts))
    return canvas.literal(f"{own[0].label} ({said})" if said else own[0].label)


def _draw_survival(axes: "Axes", one: Survival, look: Style, phase: float, layer: float) -> None:
    """A step curve from the left end of the axis, where all runs are above, to the largest run, where none is."""
    if not one.runs:
        return
    x = np.concatenate([[axes.get_xlim()[0]], one.x])
    share = np.concatenate([[1.0], one.share])
    places = (np.arange(_MARKERS_PER_CURVE) + phase) / _MARKERS_PER_CURVE
    marked = np.unique(np.searchsorted(-share[:-1], -((1 / one.runs) ** places)).clip(1, max(1, len(share) - 2)))
    axes.fill_between(one.x, one.low, one.high, step="post", color=look.colour, alpha=0.16, lw=0, zorder=layer - 1)
    style = canvas.line(look) | {"linewidth": _LINE}
    axes.plot(x, share, drawstyle="steps-post", markevery=marked.tolist(), zorder=layer, **style)


def _set_survival_axes(axes: "Axes", own: Sequence[Survival], options: FigureOptions) -> None:
    there = [one for one in own if one.runs]
    axes.set_xscale("log", nonpositive="clip")
    axes.set_yscale("log", nonpositive="clip")
    largest = max((float(one.x[-1]) for one in there), default=0.0) or 1.0
    begins = [one.x[one.share <= _NEARLY_ALL][0] for one in there]
    low = min((float(x) for x in begins if x > 0), default=largest / 10)
    left, right = options.x or (low / 1.1, max(largest, 1.1 * low) * 1.1)
    axes.set_xlim(left, right)
    most = max((one.runs for one in there), default=1)
    axes.set_ylim(*(options.y or (0.6 / most, 1.3)))


def survival_numbers(found: Sequence[Survival], only: Iterable[str] | None) -> str:
    """The numbers of the figure as CSV, with the columns `SURVIVAL_COLUMNS`; they are read back to the last bit."""
    rows = [
        {
            "problem": one.problem,
            "algorithm": one.algorithm,
            "label": one.label,
            "x": repr(x),
            "share": repr(share),
            "low": repr(low),
            "high": repr(high),
            "runs": one.runs,
        }
        for one in labelled(found, only)
        for x, share, low, high in zip(*(a.tolist() for a in (one.x, one.share, one.low, one.high)), strict=True)
    ]
    return csv_of(SURVIVAL_COLUMNS, rows)


def quantile_figure(
    found: Sequence[Quantiles],
    options: FigureOptions,
    regret: str,
    title: str | None,
    first_round: int,
    looks: dict[tuple[str, str], Style],
    stamp: str | None,
) -> "Figure":
    """Draw regret against log time as nested bands of the runs: a panel per algorithm and problem.

    Several problems stand side by side, each with one axis of regret for all algorithms.

    Parameters
    ----------
    found : sequence of Quantiles
        At least one.
    options : FigureOptions
    regret : str
        The definition of regret.
    title : str, optional
    first_round : int
        Left end of the time axes.
    looks : dict
        (algorithm id, label) -> look.
    stamp : str, optional
        A warning across every panel, beside that of missing runs.
    """
    problems = list(dict.fromkeys(one.problem for one in found))
    ordered = in_reading_order(found)
    columns = options.columns or (len(problems) if len(problems) > 1 else None)
    with canvas.house_style():
        grid = canvas.new_grid(len(ordered), title, columns and min(columns, 6))
        for k, (axes, one) in enumerate(zip(grid.panels, ordered, strict=True)):
            _draw_quantiles(axes, one, looks[one.algorithm, one.label])
            _set_quantile_axes(axes, [other for other in found if other.problem == one.problem], options, first_round)
            canvas.stamp(axes, missing_of([one]), stamp)
            if len(ordered) > 1:
                name = f"{one.label} on {one.problem}" if len(problems) > 1 else one.label
                axes.set_title(canvas.wrapped(name, 0.9 * grid.panel_width))
            if k + grid.columns >= len(ordered):
                axes.set_xlabel("round t")
            if k % grid.columns == 0:
                axes.set_ylabel(canvas.wrapped(axis_name(regret), 0.75 * grid.panel_height))
        colour = looks[ordered[0].algorithm, ordered[0].label].colour if len(ordered) == 1 else canvas.INK
        canvas.add_legend(grid, _band_handles(ordered, colour), quantile_caption(ordered))
    return grid.figure


def quantile_caption(found: Sequence[Quantiles]) -> str:
    """How many runs there are, and which bands they are too few for."""
    counts = [int(n) for one in found for n in (one.counts.min(), one.counts.max())]
    lacking = [band for band in BANDS if any(band not in one.bands for one in found)]
    needed = [f"{band}% needs {fewest_runs(band)} runs" for band in lacking]
    return f"median of {count_of(counts)}, bands of the runs around it" + (
        f"; left out: {', '.join(needed)}" * bool(needed)
    )


def _draw_quantiles(axes: "Axes", one: Quantiles, look: Style) -> None:
    """Bands from the widest, each over the one before; bars where each point has runs of its own."""
    for k, (band, (low, high)) in enumerate(reversed(one.bands.items())):
        if one.restarts:
            axes.vlines(one.rounds, low, high, color=look.colour, alpha=_SHADES[band], linewidth=3 + 1.5 * k, zorder=2)
        else:
            axes.fill_between(one.rounds, low, high, color=look.colour, alpha=_SHADES[band], lw=0, zorder=2)
    joined = {"marker": "o", "linestyle": "none"} if one.restarts else {}
    axes.plot(one.rounds, one.median, color=look.colour, zorder=3, **joined)  # type: ignore[arg-type]


def _set_quantile_axes(axes: "Axes", together: Sequence[Quantiles], options: FigureOptions, first_round: int) -> None:
    from matplotlib.ticker import FuncFormatter

    last = max(max(int(one.rounds[-1]) for one in together), first_round + 1)
    axes.set_xscale("log")
    axes.set_xlim(first_round, options.x[1] if options.x else last)
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
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: canvas.short_number(value, high)))


def _band_handles(found: Sequence[Quantiles], colour: str) -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    drawn = [band for band in BANDS if any(band in one.bands for one in found)]
    handles: list[Any] = [Line2D([], [], color=colour, label="median")]
    paper = 1.0
    for band in reversed(drawn):  # as bands lie over each other
        paper *= 1 - _SHADES[band]
        handles.insert(1, Patch(facecolor=colour, alpha=1 - paper, lw=0, label=f"{band}% of the runs"))
    return handles


def quantile_numbers(found: Sequence[Quantiles], first_round: int, last_round: int | None) -> str:
    """The numbers of the figure as CSV, with the columns `QUANTILE_COLUMNS`; empty where there is no such band."""
    rows = []
    for one in in_reading_order(found):
        for k, t in enumerate(one.rounds.tolist()):
            if t < first_round or (last_round is not None and t > last_round):
                continue
            row = {"problem": one.problem, "algorithm": one.algorithm, "label": one.label, "round": t}
            ends = {
                end + band: repr(float(numbers[k]))
                for band, both in one.bands.items()
                for end, numbers in zip(("low", "high"), both, strict=True)
            }
            rows.append({**row, "median": repr(float(one.median[k])), **ends, "runs": int(one.counts[k])})
    return csv_of(QUANTILE_COLUMNS, rows)
