"""All problems in one figure: interquartile means, performance profiles, probabilities of improvement."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from duelbench.errors import IncompleteResults, InputError
from duelbench.figures.drawing import canvas
from duelbench.figures.drawing.regret_figure import regret_name
from duelbench.figures.frame import current, framed
from duelbench.figures.kinds.relative import reference_of
from duelbench.figures.numbers import csv_of
from duelbench.figures.picture import Looks, Picture, Request, longest
from duelbench.problem.round_losses import costs
from duelbench.problem.worlds.world import World
from duelbench.results.experiments import Experiment, LoadedCell
from duelbench.statistics.aggregates import improvements, interquartile_mean, percentile_ends, profile, resamples
from duelbench.statistics.curves import FEWEST, count_of, missing_in_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CSV_COLUMNS = (
    *("statistic", "algorithm", "label", "against", "x", "value", "low", "high"),
    *("runs", "problems", "reference"),
)

MOST_NUMBERS = 8
"""Most algorithms for which the cells of the last panel carry their numbers."""

MOST_INTERVALS = 5
"""Most algorithms for which they carry their intervals, too."""

_PLACES = 101
_CELL_LETTERS = 7.0  # points
_DIGIT = 0.6  # width over size of letters

_NEARLY_NOTHING = 1e-9
"""Duels: what stands for the mean regret of a reference in a resample of runs without regret."""

_WithEnds = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Numbers, and the ends of their intervals: twice the numbers themselves where there are none."""


@dataclass(frozen=True, eq=False)
class _Aggregate:
    """The normalised regret of k algorithms on several problems at the horizon."""

    algorithms: tuple[tuple[str, str], ...]  # id and label, in the order of the spec
    problems: tuple[str, ...]
    runs: tuple[int, ...]  # of each algorithm, how many on each problem count
    planned: int
    reference: str  # the label whose mean regret others are divided by; empty for that of random duels
    mean: _WithEnds  # (k,): interquartile means
    at: np.ndarray  # (m,): scores at which the profile is known, increasing
    profile: _WithEnds  # (k, m): the share of the runs whose score is at most so large
    improvement: _WithEnds  # (k, k): the probability that a run of i has less regret than one of j

    @property
    def has_ends(self) -> bool:
        """Whether there are enough runs for intervals."""
        return min(self.runs) >= FEWEST

    @property
    def reference_in_words(self) -> str:
        """What regret is divided by."""
        return f"the mean of {self.reference}" if self.reference else "that of random duels"


def aggregate(request: Request) -> Picture:
    """Regret at the longest horizon over all problems, every random matrix of a sweep being one.

    A score is regret over the reference's mean regret on the same problem. Of each problem the first n runs count, n
    being the fewest that an algorithm has on any.
    """
    found = _aggregate(request)
    shown = [k for k, (_, label) in enumerate(found.algorithms) if request.only is None or label in request.only]
    return Picture(lambda: _figure(request, found, shown), lambda: _numbers(found, shown))


def _aggregate(request: Request) -> _Aggregate:
    experiment, options, which = request.experiment, request.options, request.which
    labels = {reference_of(experiment, options)} if options.reference else set()
    algorithms = _algorithms(experiment, None if request.only is None else labels.union(request.only))
    _check_problems(experiment, algorithms)
    stored = [own[0].stored for own in algorithms]
    samples = [_sample(own, which) for own in algorithms]
    place = [one.label for one in stored].index(options.reference) if options.reference else None
    expected = _expected_of_random(algorithms[0], request.regret)
    scale = expected if place is None else samples[place].mean(axis=0)
    for cell, number in zip(algorithms[0], scale.tolist(), strict=True):
        if not number > 0:
            raise InputError(
                f"{experiment.name}: the reference has no regret on {cell.stored.problem}, by which others could be"
                " divided; choose an algorithm that has as the 'reference'"
            )
    at = _places([sample / scale for sample in samples])

    def statistics(drawn: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
        """Interquartile means (..., k), profiles (..., k, m) and improvements (..., k, k) of (..., n, problems)."""
        by = expected if place is None else np.maximum(drawn[place].mean(axis=-2, keepdims=True), _NEARLY_NOTHING)
        scores = [(own / by).reshape(*own.shape[:-2], -1) for own in drawn]
        means = np.stack([interquartile_mean(own) for own in scores], axis=-1)
        return means, np.stack([profile(own, at) for own in scores], axis=-2), improvements(drawn)

    found = statistics(samples)
    ends = [(number, number) for number in found]
    if min(map(len, samples)) >= FEWEST:
        parts = [statistics(drawn) for drawn in resamples(samples, [one.position for one in stored])]
        ends = [percentile_ends(np.concatenate(part)) for part in zip(*parts, strict=True)]
    mean, profiles, improved = ((number, *both) for number, both in zip(found, ends, strict=True))
    return _Aggregate(
        algorithms=tuple((one.algorithm, one.label) for one in stored),
        problems=tuple(cell.stored.problem for cell in algorithms[0]),
        runs=tuple(len(sample) for sample in samples),
        planned=max(one.n_runs for one in stored),
        reference=options.reference or "",
        mean=mean,
        at=at,
        profile=profiles,
        improvement=improved,
    )


def _algorithms(experiment: Experiment, labels: Collection[str] | None) -> list[list[LoadedCell]]:
    """The cells of each algorithm whose label is in ``labels`` (None: of all), a cell for each problem."""
    found: dict[int, list[LoadedCell]] = {}
    for cell in longest(experiment.cells):
        if labels is None or cell.stored.label in labels:
            found.setdefault(cell.stored.position, []).append(cell)
    return [found[position] for position in sorted(found)]


def _check_problems(experiment: Experiment, algorithms: Sequence[Sequence[LoadedCell]]) -> None:
    """Refuse algorithms whose regret cannot be put together, and those without any run on a problem."""
    first = algorithms[0]
    for own in algorithms:
        label = own[0].stored.label
        if [cell.stored.problem for cell in own] != [cell.stored.problem for cell in first]:
            raise InputError(
                f"{experiment.name}: {label} does not play the same problems as {first[0].stored.label}, and there is"
                " nothing to aggregate over"
            )
        for cell, other in zip(own, first, strict=True):
            problem, ends = cell.stored.problem, (cell.stored.horizon, other.stored.horizon)
            if ends[0] != ends[1]:
                raise InputError(
                    f"{experiment.name}: on {problem} {label} is run to round {ends[0]}, and {other.stored.label} to"
                    f" round {ends[1]}: their regret cannot be aggregated"
                )
            if not cell.n_runs:
                raise IncompleteResults(f"{experiment.name}: no run of {label} on {problem}, which is aggregated over")


def _sample(cells: Sequence[LoadedCell], which: int) -> np.ndarray:
    """Regret at the horizon, (n, problems)."""
    n = min(cell.n_runs for cell in cells)
    return np.array([cell.regret[:n, which, -1] for cell in cells]).T


def _expected_of_random(cells: Sequence[LoadedCell], regret: str) -> np.ndarray:
    """Regret to be expected of uniformly random duels up to the horizon of each problem, (problems,)."""
    stored = [cell.stored for cell in cells]
    expected = []
    for one in stored:
        if isinstance(one.matrix, World):
            raise InputError(f"{one.problem} is a world that changes; choose another reference than random duels")
        expected.append(one.horizon * float(costs(one.matrix, [regret]).table[0].mean()))
    return np.array(expected)


def _places(scores: Sequence[np.ndarray]) -> np.ndarray:
    """Where the profile is known: evenly in the logarithm from the smallest positive score to the largest."""
    together = np.concatenate(scores)
    low = float(together[together > 0].min(initial=np.inf))
    high = float(together.max())
    if not high > 0:
        return np.array([1.0])
    places = np.geomspace(low, high, _PLACES)
    places[-1] = high
    return np.unique(places)


def _figure(request: Request, found: _Aggregate, shown: Sequence[int]) -> "Figure":
    """Three panels, in all of which less regret is better; in rows of fewer where a page is narrow."""
    looks = request.looks
    with framed(current().grown()), canvas.house_style():
        grid = canvas.new_grid(
            [
                "interquartile mean",
                "share of the runs with a score up to x",
                f"probability of less {regret_name(request.regret)} ...",
            ],
            request.title,
        )
        _draw_means(grid.panels[0], found, shown, looks)
        _draw_profiles(grid.panels[1], found, shown, looks)
        _draw_improvements(grid, found, shown)
        score = f"{regret_name(request.regret)} over {found.reference_in_words}"
        for axes, name in zip(grid.panels, (score, f"score x: {score}", "... than algorithm"), strict=True):
            axes.set_xlabel(canvas.wrapped(name, 0.8 * grid.panel_width))
            fewest = min(found.runs[k] for k in shown)
            canvas.stamp(axes, missing_in_words(fewest, found.planned), request.stamp)
        numbered = {found.algorithms[k]: f"{number}  {found.algorithms[k][1]}" for number, k in enumerate(shown, 1)}
        runs = count_of([found.runs[k] for k in shown])
        said = "95% intervals of a stratified bootstrap" if found.has_ends else f"fewer than {FEWEST}, no intervals"
        problems = "1 problem" if len(found.problems) == 1 else f"each of {len(found.problems)} problems"
        canvas.add_legend(grid, request.lines(numbered), f"{runs} on {problems}, {said}")
    return grid.figure


def _draw_means(axes: "Axes", found: _Aggregate, shown: Sequence[int], looks: Looks) -> None:
    mean, low, high = found.mean
    for place, k in enumerate(shown):
        look = looks[found.algorithms[k]]
        ends = np.maximum([[mean[k] - low[k]], [high[k] - mean[k]]], 0)
        style = canvas.line(look, joined=False)
        axes.errorbar(mean[k], place, xerr=ends, elinewidth=1.2, capsize=2.5, zorder=3, **style)
    _number_rows(axes, len(shown))
    axes.set_ylim(len(shown) - 0.5, -0.5)
    axes.grid(False, axis="y")
    axes.set_xlim(0, 1.08 * (float(max(high[k] for k in shown)) or 1.0))


def _number_rows(axes: "Axes", n: int) -> None:
    axes.set_yticks(range(n), [str(number) for number in range(1, n + 1)])
    axes.tick_params(axis="y", length=0)


def _draw_profiles(axes: "Axes", found: _Aggregate, shown: Sequence[int], looks: Looks) -> None:
    share, low, high = found.profile
    for number, k in enumerate(shown):
        look, zorder = looks[found.algorithms[k]], canvas.layer(number, len(shown))
        axes.fill_between(found.at, low[k], high[k], color=look.colour, alpha=0.16, lw=0, zorder=zorder - 1)
        marked = np.unique(np.searchsorted(share[k], canvas.marker_places(number, len(shown))))
        marked = marked.clip(0, len(found.at) - 1)
        axes.plot(found.at, share[k], zorder=zorder, markevery=marked.tolist(), **canvas.line(look))
    axes.set_xscale("log")
    axes.set_ylim(0, 1.03)


def _draw_improvements(grid: canvas.Grid, found: _Aggregate, shown: Sequence[int]) -> None:
    axes = grid.panels[2]
    value, low, high = (numbers[np.ix_(shown, shown)].copy() for numbers in found.improvement)
    axes.grid(False)
    axes.spines[:].set_visible(False)
    axes.imshow(value, cmap="RdBu", vmin=0, vmax=1, interpolation="nearest", aspect="auto")
    names = [str(number) for number in range(1, len(shown) + 1)]
    axes.set_xticks(range(len(shown)), names)
    _number_rows(axes, len(shown))
    axes.set_ylabel("algorithm")
    if len(shown) > MOST_NUMBERS:
        return
    size = _size_in_cells(grid.panel_width / len(shown), found.has_ends and len(shown) <= MOST_INTERVALS)
    for i in range(len(shown)):
        for j in range(len(shown)):
            if i == j:
                continue
            text = f"{value[i, j]:.2f}"
            if found.has_ends and len(shown) <= MOST_INTERVALS:
                text += f"\n{low[i, j]:.2f}\N{EN DASH}{high[i, j]:.2f}"
            colour = "white" if abs(value[i, j] - 0.5) > 0.33 else "black"
            axes.text(j, i, text, ha="center", va="center", fontsize=size, color=colour)


def _size_in_cells(width: float, with_interval: bool) -> float:
    """Points of the numbers in cells of this width in inches: those of the usual figure, or as many as find room."""
    if not current().has_size:
        return _CELL_LETTERS
    characters = len("0.00\N{EN DASH}0.00") if with_interval else len("0.00")
    return min(canvas.points(_CELL_LETTERS), 72 * width / (_DIGIT * (characters + 0.5)))


def _numbers(found: _Aggregate, shown: Sequence[int]) -> str:
    rows: list[dict[str, Any]] = []
    whole = {"problems": len(found.problems), "reference": found.reference_in_words}

    def add(statistic: str, k: int, numbers: Sequence[float], **said: object) -> None:
        algorithm, label = found.algorithms[k]
        value, low, high = map(float, numbers)
        ends = {"low": low, "high": high} if found.has_ends else {}
        names = {"statistic": statistic, "algorithm": algorithm, "label": label, "runs": found.runs[k]}
        rows.append({**names, **said, "value": value, **ends, **whole})

    for k in shown:
        add("interquartile mean", k, [numbers[k] for numbers in found.mean])
    for k in shown:
        for place, x in enumerate(found.at.tolist()):
            add("performance profile", k, [numbers[k, place] for numbers in found.profile], x=x)
    for k in shown:
        for other in (other for other in shown if other != k):
            numbers = [number[k, other] for number in found.improvement]
            add("probability of improvement", k, numbers, against=found.algorithms[other][1])
    return csv_of(CSV_COLUMNS, rows)
