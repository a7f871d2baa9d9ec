"""Cumulative regret against log time: one panel per problem, the mean of the runs with a band."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from duelbench.figures.content.panels import Entry, Panel
from duelbench.figures.drawing import canvas
from duelbench.figures.drawing.style import DASHES, Style, styles_of
from duelbench.figures.numbers import names_of, table_of
from duelbench.figures.picture import Key, Looks, missing_of
from duelbench.problem.round_losses import SCALAR
from duelbench.statistics.curves import Curve, caption_of, count_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from pandas import DataFrame

REGRET_NAMES = {
    "copeland": "Copeland regret",
    "copeland-komiyama": "Copeland regret (Komiyama)",
    "copeland-zoghi": "Copeland regret (Zoghi)",
    "copeland-binary": "binary Copeland regret",
    "condorcet": "Condorcet regret",
    "condorcet-sum": "summed Condorcet regret",
    "strong": "strong regret",
    "weak": "weak regret",
    "borda": "Borda regret",
}
"""Regret definition -> its name on an axis."""

BASELINE = "random"
"""The algorithm that learns nothing: its linear regret may leave the axes, unless it is alone in them."""

CSV_COLUMNS = ("problem", "algorithm", "label", "round", "mean", "low", "high", "runs", "band")

MOST_ABOVE = 2.0
"""Times the highest curve: bounds beyond it leave a linear axis, which would show the curves flat."""

_MARKERS_PER_CURVE = 7
_NO_BREAK = "\N{NO-BREAK SPACE}"
_LABEL_WIDTH = 3.0  # inches, before a label of the legend goes on in a second line
_BOUND_LABEL_WIDTH = 2.0  # the caption's: beside one panel, the legend is as wide as its longest line
_MOST_TITLES = 2
_BEHIND = "#B8B8B8"
_BOUND_DASHES = ("dotted", "dashed", "dash-dot", "long")


def regret_figure(panels: Sequence[Panel], only: Iterable[str] | None = None) -> "Figure":
    """Draw cumulative regret against log time.

    Parameters
    ----------
    panels : sequence of Panel
        At least one, each with at least one entry.
    only : iterable of str, optional
        Labels to draw; these look as they do beside the others.
    """
    from matplotlib.lines import Line2D

    shown, how = [visible(panel, only) for panel in panels], panels[0].how
    looks = styles_of(entry.key for panel in panels for entry in panel.entries)
    beyond: dict[str, list[str]] = {}
    with canvas.house_style():
        grid = canvas.new_grid([panel.title for panel in shown], how.title, how.columns)
        handles = _entry_handles(shown, looks)
        names = {key: str(handle.get_label()) for key, handle in handles.items()}
        for axes, panel in zip(grid.panels, shown, strict=True):
            _draw_panel(axes, panel, looks, names, _bound_labels(shown))
            for label in _beyond(axes, panel):
                beyond.setdefault(label, []).append(panel.title)
        canvas.name_axes(grid, "round t", how.y_name or axis_name(how.regret))
        others = [Line2D([], [], label="the other algorithms", **_behind())]
        listed = others if shown[0].in_front else list(handles.values())
        listed += _bound_handles(shown)
        lost = ", ".join(label + _where(titles, len(shown)) for label, titles in beyond.items())
        entries = [entry for panel in shown for entry in panel.entries]
        said = [how.caption or caption(entries), *_changes_in_words(shown)]
        canvas.add_legend(grid, listed, "; ".join([*said, f"beyond the axes: {lost}"] if lost else said))
    return grid.figure


def _changes_in_words(panels: Sequence[Panel]) -> list[str]:
    """What a caption says of the changes of worlds."""
    where: dict[str, list[str]] = {}
    for panel in panels:
        if panel.changes.said:
            where.setdefault(panel.changes.said, []).append(panel.title)
    return [said + _where(titles, len(panels)) for said, titles in where.items()]


def visible(panel: Panel, only: Iterable[str] | None = None) -> Panel:
    """The panel as drawn: entries whose label is in ``only`` (None: all), within the ends of the time axis."""
    labels = None if only is None else set(only)
    entries = tuple(
        entry.between(panel.how.first_round, panel.how.last_round)
        for entry in panel.entries
        if labels is None or entry.label in labels
    )
    return replace(panel, entries=entries)


def caption(entries: Sequence[Entry]) -> str:
    """What lines and bands are, in words: ``mean of 100 runs, band: 95% confidence interval of the mean``."""
    games, usual = max(entry.curve.games for entry in entries), _usual_runs(entries)
    counts = {_runs(entry.curve) for entry in entries if len(entry.curve.rounds)} if usual is None else {usual}
    single = {len(entry.single) for entry in entries if entry.single is not None}
    thin = f"; thin lines: {count_of(single)} of each" if single else ""
    return caption_of(counts or {0}, games, {entry.curve.band for entry in entries}) + thin


def _usual_runs(entries: Sequence[Entry]) -> int | None:
    """How many runs most curves are of that are whole; None where none is, and each says its own number."""
    counts = Counter(_runs(entry.curve) for entry in entries if entry.runs == entry.planned)
    return max(counts, key=lambda runs: (counts[runs], runs), default=None)


def _runs(curve: Curve) -> int:
    return int(curve.runs.max(initial=0))


def _legend_label(drawn: Sequence[tuple[str, Entry]], usual: int | None, n_panels: int) -> str:
    """The label of a look, with its runs where the caption has others; ``drawn``: panels' titles, its entry in each."""
    label = drawn[0][1].label
    others: dict[str, list[str]] = {}
    for title, entry in drawn:
        runs = _runs(entry.curve)
        if entry.runs < entry.planned:
            others.setdefault(f"{entry.runs} of {count_of([entry.planned])}", []).append(title)
        elif runs != usual:
            others.setdefault(count_of([runs]), []).append(title)
    said = ", ".join(words + _where(titles, n_panels) for words, titles in others.items())
    return f"{label} ({said})" if said else label


def _where(titles: Sequence[str], n_panels: int) -> str:
    """In which panels something is; nothing where there is but one, or where it is in all of them."""
    if len(titles) == n_panels:
        return ""
    return f" in {' and '.join(titles)}" if len(titles) <= _MOST_TITLES else f" in {len(titles)} panels"


def _draw_panel(
    axes: "Axes",
    panel: Panel,
    looks: Looks,
    names: Mapping[Key, str],
    bounds: Sequence[str],
) -> None:
    """``names`` are the texts of the legend; ``bounds``, of all panels, decide the dashes."""
    first, last = panel.how.first_round, _last_round(panel)
    for change in panel.changes.rounds:
        axes.axvline(change, gid="change", color=_BEHIND, lw=canvas.points(0.8), zorder=1.9)
    for k, entry in enumerate(panel.entries):
        look = looks[entry.key]
        layer = canvas.layer(k, len(panel.entries))
        if panel.in_front not in (None, entry.label):
            axes.plot(entry.curve.rounds, entry.curve.line, **_behind(joined=not entry.restarts))
            continue
        if entry.single is not None:
            thin: dict[str, Any] = {"color": look.colour, "alpha": 0.5, "lw": canvas.points(0.4), "zorder": layer - 0.5}
            axes.plot(entry.curve.rounds, entry.single.T, gid="single", **thin)
        if entry.restarts:
            line = _draw_restarts(axes, entry.curve, look, layer)
        else:
            phase = (k + 0.5) / len(panel.entries)
            marked = _marked(entry.curve.rounds, first, last, phase)
            line = _draw_curve(axes, entry.curve, look, layer, marked)
        line.set_label(names[entry.key])
    for handle, (label, constant) in zip(_bound_handles([panel]), panel.bounds, strict=True):
        t = np.geomspace(first, last, 50)
        axes.plot(t, constant * np.log(t), label=handle.get_label(), **_bound_line(bounds.index(label)))
    canvas.stamp(axes, missing_of(panel.entries), panel.stamp)
    _set_scales(axes, panel, last)


def _last_round(panel: Panel) -> int:
    return max(int(entry.curve.rounds.max(initial=1)) for entry in panel.entries)


def _behind(joined: bool = True) -> dict[str, Any]:
    """How an algorithm is drawn in the panel of another one."""
    line = {"color": _BEHIND, "linewidth": canvas.points(0.8), "zorder": 2.2}
    return line if joined else {**line, "linestyle": "none", "marker": ".", "markersize": canvas.points(3)}


def _draw_curve(axes: "Axes", curve: Curve, look: Style, layer: float, marked: list[int]) -> "Line2D":
    if curve.band != "none":
        axes.fill_between(curve.rounds, curve.low, curve.high, color=look.colour, alpha=0.16, lw=0, zorder=layer - 1)
    return axes.plot(curve.rounds, curve.line, zorder=layer, markevery=marked, **canvas.line(look))[0]


def _draw_restarts(axes: "Axes", curve: Curve, look: Style, layer: float) -> "Line2D":
    below, above = curve.line - curve.low, curve.high - curve.line
    bars = np.zeros((2, len(curve.line))) if curve.band == "none" else np.maximum([below, above], 0)
    sizes: dict[str, Any] = {"elinewidth": canvas.points(1.0), "capsize": canvas.points(2.0), "zorder": layer}
    return axes.errorbar(curve.rounds, curve.line, yerr=bars, **sizes, **canvas.line(look, joined=False))[0]


def _beyond(axes: "Axes", panel: Panel) -> list[str]:
    """The labels of the curves and bounds of which a part is above the axes."""
    top = axes.get_ylim()[1]
    last = _last_round(panel)
    curves = [entry.label for entry in panel.entries if entry.curve.line.max(initial=0.0) > top]
    return curves + [label for label, constant in panel.bounds if constant * math.log(last) > top]


def _bound_line(number: int) -> dict[str, Any]:
    dash = DASHES[_BOUND_DASHES[number % len(_BOUND_DASHES)]]
    return {"color": "#555555", "linewidth": canvas.points(0.9), "linestyle": (0, dash), "zorder": 2.5}


def _marked(rounds: np.ndarray, first: int, last: int, phase: float) -> list[int]:
    """Indices of the points with a marker: evenly in log time, each curve shifted so that none are covered.

    The first fifth of the axis, where all curves still lie on each other, has none.
    """
    if last <= first or len(rounds) <= 2:
        return list(range(len(rounds)))
    places = 0.2 + 0.8 * (np.arange(_MARKERS_PER_CURVE) + phase) / _MARKERS_PER_CURVE
    wanted = first * (last / first) ** places
    return sorted({int(np.argmin(np.abs(np.log(rounds / t)))) for t in wanted if t <= rounds[-1]})


def _set_scales(axes: "Axes", panel: Panel, last: int) -> None:
    """By default a logarithmic axis reaches over everything, a linear one over what learns and bounds not far above."""
    options = panel.how
    last = max(options.last_round or last, options.first_round + 1)
    if options.log_time:
        axes.set_xscale("log")
        axes.set_xlim(options.first_round, last * (last / options.first_round) ** 0.02)  # room for a marker at the end
        canvas.name_few(axes.xaxis)
    else:
        axes.set_xlim(options.first_round, last + 0.02 * (last - options.first_round))
        canvas.shorten_numbers(axes.xaxis, last)
    bounds = [constant * math.log(last) for _, constant in panel.bounds]
    drawn = [entry for entry in panel.entries if len(entry.curve.rounds)]
    learning = [entry for entry in drawn if entry.algorithm != BASELINE] or drawn
    # Where the world changes, the most expensive may be run again for each horizon, and is no outlier beside the lines.
    lines = [entry for entry in learning if panel.changes.said or not entry.restarts] or learning
    if _spans_a_decade(lines) if options.log_regret is None else options.log_regret:
        top = options.ymax or 1.5 * max([_highest(panel.entries), *bounds])
        heights = np.concatenate([entry.curve.line for entry in panel.entries])
        smallest = float(heights[heights > 0].min()) if np.any(heights > 0) else 1.0
        axes.set_ylim(options.ymin or min(smallest / 1.5, top / 10), top)
        axes.set_yscale("log", nonpositive="clip")
        return
    highest = _highest(lines)
    top = options.ymax or 1.05 * max([highest, *(end for end in bounds if end <= MOST_ABOVE * highest)])
    axes.set_ylim(options.ymin or 0, top)
    canvas.shorten_numbers(axes.yaxis, top)


def _spans_a_decade(entries: Sequence[Entry]) -> bool:
    """Whether the curves end so far apart that a linear axis would show the lowest flat."""
    ends = [float(entry.curve.line[-1]) for entry in entries]
    return max(ends, default=0.0) >= 10 * min(ends, default=0.0) > 0


def _highest(entries: Sequence[Entry]) -> float:
    """The highest point of curves, their bands and single runs; 1 where nothing is above 0."""
    parts = [part for entry in entries for part in (entry.curve.line, entry.curve.high, entry.single)]
    return max((float(part.max(initial=0)) for part in parts if part is not None), default=0.0) or 1.0


def regret_name(definition: str) -> str:
    """What regret of a definition is called."""
    return REGRET_NAMES.get(definition, f"{definition} regret")


def axis_name(regret: str) -> str:
    """What an axis of cumulative regret of a definition is called."""
    return f"cumulative {regret_name(regret)} ({unit(regret)})"


def unit(regret: str) -> str:
    """What regret of a definition is counted in: duels, or samples of a scalar bandit.

    Examples
    --------
    >>> unit("copeland"), unit("announced")
    ('duels', 'samples')
    """
    return "samples" if regret in SCALAR else "duels"


def _entry_handles(panels: Sequence[Panel], looks: Looks) -> dict[Key, Any]:
    """(algorithm id, label) -> what the legend shows of it."""
    from matplotlib.lines import Line2D

    usual = _usual_runs([entry for panel in panels for entry in panel.entries])
    by_look: dict[Key, list[tuple[str, Entry]]] = {}
    for panel in panels:
        for entry in panel.entries:
            by_look.setdefault(entry.key, []).append((panel.title, entry))
    handles = {}
    for key, drawn in by_look.items():
        label = canvas.wrapped(_legend_label(drawn, usual, len(panels)), _LABEL_WIDTH)
        handles[key] = Line2D([], [], label=label, **canvas.line(looks[key], joined=not drawn[0][1].restarts))
    return handles


def _bound_labels(panels: Sequence[Panel]) -> list[str]:
    """The labels of the bounds of all panels, each once: not every bound is in every panel."""
    return list(dict.fromkeys(label for panel in panels for label, _ in panel.bounds))


def _bound_handles(panels: Sequence[Panel]) -> list[Any]:
    """One handle per bound; its constant is in the label unless several panels have it."""
    from matplotlib.lines import Line2D

    handles = []
    for k, name in enumerate(_bound_labels(panels)):
        constants = [constant for panel in panels for label, constant in panel.bounds if label == name]
        factor = f"{constants[0]:.4g}" if len(constants) == 1 else "C"
        formula = f"{factor} log t".replace(" ", _NO_BREAK)
        label = canvas.wrapped(f"{name}: {formula}", _BOUND_LABEL_WIDTH).replace(_NO_BREAK, " ")
        handles.append(Line2D([], [], label=label, **_bound_line(k)))
    return handles


def plotted_numbers(panels: Sequence[Panel], only: Iterable[str] | None = None) -> "DataFrame":
    """Exactly the points drawn, as a table with the columns `CSV_COLUMNS`; parameters are those of `regret_figure`.

    A bound has the algorithm ``bound`` and its value C log t at the ends of its line; a change of the world has the
    algorithm ``change``, its round, and no value.
    """
    rows: list[dict[str, Any]] = []
    for panel in (visible(whole, only) for whole in panels):
        problem, ends = panel.problem, (panel.how.first_round, _last_round(panel))
        for entry in panel.entries:
            names = {**names_of(entry), "problem": problem}
            points = zip(entry.curve.rounds.tolist(), numbers_of(entry.curve), strict=True)
            rows += [{**names, "round": t, **numbers} for t, numbers in points]
        for label, constant in panel.bounds:
            bound = {"problem": problem, "algorithm": "bound", "label": label, "band": "none"}
            rows += [{**bound, "round": t, "mean": constant * math.log(t)} for t in ends]
        change = {"problem": problem, "algorithm": "change", "label": "the world changes"}
        rows += [{**change, "round": t} for t in panel.changes.rounds]
    return with_medians(CSV_COLUMNS, rows)


def with_medians(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> "DataFrame":
    """Rows as a table; with a column ``median`` after ``mean`` where one of them has it."""
    if any(row.get("median") is not None for row in rows):
        place = columns.index("mean") + 1
        columns = [*columns[:place], "median", *columns[place:]]
    return table_of(columns, rows)


def numbers_of(curve: Curve) -> list[dict[str, Any]]:
    """What a CSV file says of each point: ``mean``, ``median``, ``low``, ``high``, ``runs`` and ``band``."""
    points = []
    for k, mean in enumerate(curve.mean.tolist()):
        point = {"mean": mean, "runs": int(curve.runs[k]), "band": "none" if curve.runs[k] == 1 else curve.band}
        if curve.median is not None:
            point["median"] = float(curve.median[k])
        if point["band"] != "none":
            point |= {"low": float(curve.low[k]), "high": float(curve.high[k])}
        points.append(point)
    return points
