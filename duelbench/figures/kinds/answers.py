"""Identification: the share of the runs still without an answer over time, and algorithms by their duels and errors."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from duelbench.errors import InputError
from duelbench.figures.content.answers import with_own_delta
from duelbench.figures.content.panels import check_number_of_panels
from duelbench.figures.drawing import canvas
from duelbench.figures.drawing.style import Style
from duelbench.figures.numbers import csv_of, names_of, points_of
from duelbench.figures.picture import (
    Looks,
    Picture,
    Request,
    labels_of,
    layer,
    line_handles,
    longest,
    marker_places,
    panel_per_problem,
)
from duelbench.problem.identification import Question
from duelbench.problem.identification_bounds import least_duels
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.results.answers import judged
from duelbench.results.experiments import Experiment, LoadedCell
from duelbench.statistics.curves import count_of
from duelbench.statistics.tails import clopper_pearson, simultaneous_half_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WAITING_COLUMNS = ("problem", "algorithm", "label", "round", "share", "low", "high", "runs")
ERROR_COLUMNS = (
    *("problem", "algorithm", "label", "rounds", "rounds_low", "rounds_high", "median"),
    *("error", "error_low", "error_high", "unanswered", "bound", "runs"),
)

_ARROW = 1.6  # length, on an axis of logarithms
_BOUND: dict[str, Any] = {"color": canvas.INK, "linestyle": (0, (1, 1.6)), "linewidth": 1.0, "zorder": 1.5}


@dataclass(frozen=True, eq=False)
class _Answers:
    """The answers of one algorithm on one problem."""

    problem: str
    algorithm: str
    label: str
    rounds: np.ndarray  # (n_runs,) float64, before the answer; infinite for runs without one
    is_right: np.ndarray  # (n_runs,) bool; False for runs without an answer
    planned: int
    horizon: int  # after so many rounds nobody waited any longer
    delta: float  # the probability of a wrong answer that is allowed
    bound: float | None  # on the mean number of duels before the answer, where one is known

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return len(self.rounds)

    @property
    def n_answered(self) -> int:
        """How many have an answer."""
        return int(np.isfinite(self.rounds).sum())

    @property
    def n_wrong(self) -> int:
        """How many have a wrong one."""
        return self.n_answered - int(self.is_right.sum())


def waiting(request: Request) -> Picture:
    """The share of the runs that have no answer yet, against log time: a panel per problem."""
    found = _found(request.experiment)
    return Picture(lambda: _figure(request, found), lambda: _waiting_numbers(request.shown(found)), labels_of(found))


def error_map(request: Request) -> Picture:
    """Each algorithm as a point: how many rounds its answer takes, how often it is wrong. A panel per problem.

    An algorithm with runs that have no answer stands at the median, with an arrow to the right; at the end of the axis
    where fewer than half have one.
    """
    found = _found(request.experiment)
    return Picture(lambda: _map(request, found), lambda: _error_numbers(request.shown(found)), labels_of(found))


def _found(experiment: Experiment) -> list[_Answers]:
    """The answers of every algorithm on every problem that ends with one; the others are left out."""
    question = question_of(experiment)
    if "budget" in experiment.results.spec:
        raise InputError(f"{experiment.name} has budgets, in place of answers; the kind 'error' draws their worth")
    cells = [cell for cell in longest(experiment.cells) if cell.finished is not None]
    if not cells:
        raise InputError(f"{experiment.name}: no algorithm ends with an answer; give one the key 'stop'")
    check_number_of_panels(experiment, len({cell.stored.problem for cell in cells}))
    return [_answers(cell, question) for cell in cells]


def question_of(experiment: Experiment) -> Question:
    """What the algorithms are to find out.

    Raises
    ------
    InputError
        When the spec does not say.
    """
    question = experiment.results.question
    if question is None:
        raise InputError(
            f"{experiment.name} does not say what is to be found out; add 'identify: {{target: condorcet}}' to its spec"
            " and run it again: what was played is used again"
        )
    return question


def _answers(cell: LoadedCell, question: Question) -> _Answers:
    stored, asked = cell.stored, with_own_delta(cell, question)
    assert cell.finished is not None and isinstance(stored.matrix, PreferenceMatrix)
    return _Answers(
        stored.problem,
        stored.algorithm,
        stored.label,
        np.where(cell.finished > 0, cell.finished - 1.0, np.inf),
        judged(cell, asked) & (cell.finished > 0),
        stored.n_runs,
        stored.horizon,
        asked.delta,
        least_duels(stored.matrix, asked),
    )


def _figure(request: Request, found: Sequence[_Answers]) -> "Figure":
    def draw(axes: "Axes", own: list[_Answers]) -> None:
        _set_rounds_axis(axes, own, request.options.x)
        axes.set_ylim(*(request.options.y or (0, 1.03)))
        for number, one in enumerate(own):
            _draw_waiting(axes, one, request.looks[one.algorithm, one.label], number, len(own))
        _draw_bound(axes, own)

    drawn = request.shown(found)
    said = f"{count_of([one.runs for one in drawn])}, band: holds the whole distribution with 95% confidence"
    names = "round t", "share of the runs without an answer"
    return panel_per_problem(request, found, draw, names, said, handles=_handles(request, drawn, joined=True))


def _map(request: Request, found: Sequence[_Answers]) -> "Figure":
    def draw(axes: "Axes", own: list[_Answers]) -> None:
        _set_rounds_axis(axes, own, request.options.x)
        _draw_points(axes, own, request.looks, request.options.y)
        axes.axhline(own[0].delta, color=canvas.INK, linewidth=0.8, linestyle=(0, (4, 2)), zorder=1.5)
        _draw_bound(axes, own)

    drawn = request.shown(found)
    runs = count_of([one.runs for one in drawn])
    said = f"mean of {runs}, 95% confidence intervals; arrow: some without an answer, at the median; dashes: delta"
    names = "rounds before the answer", "share of wrong answers"
    return panel_per_problem(request, found, draw, names, said, handles=_handles(request, drawn, joined=False))


def _set_rounds_axis(axes: "Axes", own: Sequence[_Answers], ends: tuple[float, float] | None) -> None:
    """A logarithmic axis that holds every answer, and the bound."""
    axes.set_xscale("log")
    finite = [one.rounds[np.isfinite(one.rounds)] for one in own]
    there = np.concatenate([*finite, [one.bound for one in own if one.bound], [1.0 * min(one.horizon for one in own)]])
    low, high = float(there[there > 0].min()), float(there.max())
    if not any(one.n_answered < one.runs for one in own):
        high = max((float(part.max()) for part in finite if part.size), default=high)
    axes.set_xlim(*(ends or (low / 1.3, 1.3 * high)))


def _draw_bound(axes: "Axes", own: Sequence[_Answers]) -> None:
    if own[0].bound:
        axes.axvline(own[0].bound, **_BOUND)


def _handles(request: Request, drawn: Sequence[_Answers], joined: bool) -> list[Any]:
    from matplotlib.lines import Line2D

    with canvas.house_style():
        bound = [Line2D([], [], label="lower bound on the mean", **_BOUND)] if any(one.bound for one in drawn) else []
    return line_handles(request, drawn, joined) + bound


def _curve(one: _Answers) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """After which rounds the share falls, the share from then on, and the ends of its band."""
    x, counts = np.unique(one.rounds[np.isfinite(one.rounds)], return_counts=True)
    share = 1 - np.cumsum(counts) / max(one.runs, 1)
    half = simultaneous_half_width(max(one.runs, 1))
    return x, share, np.maximum(share - half, 0.0), np.minimum(share + half, 1.0)


def _draw_waiting(axes: "Axes", one: _Answers, look: Style, number: int, n_curves: int) -> None:
    if not one.runs:
        return
    left, right = axes.get_xlim()
    zorder = layer(number, n_curves)
    x, share, low, high = _curve(one)
    half = min(1.0, simultaneous_half_width(one.runs))
    edges = np.concatenate([[min(left, *x[:1])] if x.size else [left], x, [right]])
    line, bottom, top = (
        np.concatenate([[start], part, part[-1:] if part.size else [start]])
        for start, part in zip((1.0, 1.0 - half, 1.0), (share, low, high), strict=True)
    )
    inner = slice(1, -1) if one.n_answered == one.runs else slice(1, None)  # where all wait, or none, bands say nothing
    shade: dict[str, Any] = {"color": look.colour, "alpha": 0.12, "lw": 0, "zorder": zorder - 1}
    axes.fill_between(edges[inner], bottom[inner], top[inner], step="post", **shade)
    marked = np.unique(np.searchsorted(-line[:-1], -marker_places(number, n_curves))).clip(0, len(line) - 1).tolist()
    axes.plot(edges, line, drawstyle="steps-post", markevery=marked, zorder=zorder, **canvas.line(look))


def _errors(one: _Answers) -> tuple[float, float, float]:
    """The share of wrong answers and its confidence interval."""
    low, high = clopper_pearson(np.array([one.n_wrong]), max(one.runs, 1))
    return one.n_wrong / max(one.runs, 1), float(low[0]), float(high[0])


def _rounds(one: _Answers) -> tuple[float, float, float]:
    """The mean and its confidence interval; where a run has no answer the median, without one."""
    if one.n_answered < one.runs:
        median = float(np.quantile(one.rounds, 0.5, method="higher"))
        return median, median, median
    mean = float(one.rounds.mean()) if one.runs else np.nan
    half = 1.96 * float(one.rounds.std(ddof=1)) / one.runs**0.5 if one.runs > 1 else 0.0
    return mean, max(mean - half, one.rounds.min()), mean + half


def _draw_points(axes: "Axes", own: Sequence[_Answers], looks: Looks, ends: tuple[float, float] | None) -> None:
    right = axes.get_xlim()[1]
    top = 2 * own[0].delta
    for one in own:
        if not one.runs:
            continue
        look = looks[one.algorithm, one.label]
        error, low, high = _errors(one)
        x, left_end, right_end = _rounds(one)
        is_open = one.n_answered < one.runs
        if is_open:
            x = left_end = right_end = min(x, right / _ARROW)
        axes.errorbar(
            x,
            error,
            xerr=[[x - left_end], [right_end - x]],
            yerr=[[error - low], [high - error]],
            elinewidth=0.8,
            zorder=3,
            **canvas.line(look, joined=False),
        )
        if is_open:
            arrow = {"arrowstyle": "->", "color": look.colour, "linewidth": 1.2, "shrinkA": 0}
            axes.annotate("", (min(x * _ARROW, right), error), (x, error), arrowprops=arrow, zorder=3)
        top = max(top, 1.1 * high)
    axes.set_ylim(*(ends or (-0.03 * top, top)))


def _waiting_numbers(found: Sequence[_Answers]) -> str:
    rows: list[dict[str, Any]] = []
    for one in found:
        curve = dict(zip(("round", "share", "low", "high"), _curve(one), strict=True))
        rows += points_of({**names_of(one), "runs": one.runs}, curve)
    return csv_of(WAITING_COLUMNS, rows)


def _error_numbers(found: Sequence[_Answers]) -> str:
    rows = []
    for one in (one for one in found if one.runs):
        error, low, high = _errors(one)
        mean, left, right = map(float, _rounds(one))
        row = {"error": error, "error_low": low, "error_high": high, "bound": one.bound or None, "runs": one.runs}
        if one.n_answered == one.runs:
            row |= {"rounds": mean, "rounds_low": left, "rounds_high": right}
        median = float(np.quantile(one.rounds, 0.5, method="higher"))
        rows.append({**names_of(one), **row, "median": median, "unanswered": one.runs - one.n_answered})
    return csv_of(ERROR_COLUMNS, rows)
