"""Identification: the share of the runs still without an answer over time, and algorithms by their duels and errors."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from duelbench.errors import InputError
from duelbench.figures.content.answers import with_own_delta
from duelbench.figures.drawing import canvas
from duelbench.figures.kinds.distribution import Steps, draw_steps, steps_in_csv, with_band
from duelbench.figures.numbers import csv_of, names_of
from duelbench.figures.picture import Looks, OfRuns, Picture, Request, about, longest, panel_per_problem
from duelbench.problem.identification import Question
from duelbench.problem.identification_bounds import least_duels
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.results.answers import judged
from duelbench.results.experiments import Experiment, LoadedCell
from duelbench.statistics.curves import count_of
from duelbench.statistics.tails import clopper_pearson

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ERROR_COLUMNS = (
    *("problem", "algorithm", "label", "rounds", "rounds_low", "rounds_high", "median"),
    *("error", "error_low", "error_high", "unanswered", "bound", "runs"),
)

_ARROW = 1.6  # length, on an axis of logarithms
_BOUND: dict[str, Any] = {"color": canvas.INK, "linestyle": (0, (1, 1.6)), "linewidth": 1.0, "zorder": 1.5}


@dataclass(frozen=True, eq=False, kw_only=True)
class _Answers(OfRuns):
    """The answers of one algorithm on one problem."""

    rounds: np.ndarray  # (n_runs,) float64, before the answer; infinite for runs without one
    is_right: np.ndarray  # (n_runs,) bool; False for runs without an answer
    horizon: int  # rounds after which a run ended without an answer
    delta: float  # the probability of a wrong answer that is allowed
    bound: float | None  # on the mean number of duels before the answer, where one is known

    @property
    def n_answered(self) -> int:
        """How many runs have an answer."""
        return int(np.isfinite(self.rounds).sum())

    @property
    def errors(self) -> tuple[float, float, float]:
        """The share of wrong answers and its confidence interval."""
        n_wrong, runs = self.n_answered - int(self.is_right.sum()), max(self.runs, 1)
        low, high = clopper_pearson(np.array([n_wrong]), runs)
        return n_wrong / runs, float(low[0]), float(high[0])

    @property
    def times(self) -> tuple[float, float, float]:
        """The mean of the rounds and its confidence interval; where a run has no answer the median, without one."""
        if self.n_answered < self.runs:
            return (float(np.quantile(self.rounds, 0.5, method="higher")),) * 3
        mean = float(self.rounds.mean()) if self.runs else np.nan
        half = 1.96 * float(self.rounds.std(ddof=1)) / self.runs**0.5 if self.runs > 1 else 0.0
        return mean, float(max(mean - half, self.rounds.min())), mean + half


def waiting(request: Request) -> Picture:
    """The share of the runs that have no answer yet, against log time: a panel per problem."""
    drawn = request.shown(_found(request.experiment))

    def draw(axes: "Axes", own: list[_Answers]) -> None:
        _set_rounds_axis(axes, own, request.options.x)
        axes.set_ylim(*(request.options.y or (0, 1.03)))
        draw_steps(axes, list(map(_still_waiting, own)), request)

    said = f"{count_of([one.runs for one in drawn])}, band: holds the whole distribution with 95% confidence"
    names = "round t", "share of the runs without an answer"
    return Picture(
        lambda: _figure(request, drawn, draw, names, said, joined=True),
        lambda: steps_in_csv(list(map(_still_waiting, drawn)), "round"),
    )


def _still_waiting(one: _Answers) -> Steps:
    """The share of the runs without an answer, after each round in which one comes."""
    x, counts = np.unique(one.rounds[np.isfinite(one.rounds)], return_counts=True)
    band = with_band(1 - np.cumsum(counts) / max(one.runs, 1), one.runs, 1.0)
    shaded = (1, -1 if one.n_answered == one.runs else None)  # where all wait, or none, bands say nothing
    return Steps(**names_of(one), runs=one.runs, planned=one.planned, x=x, **band, shaded=shaded)


def error_map(request: Request) -> Picture:
    """Each algorithm as a point: how many rounds its answer takes, how often it is wrong. A panel per problem.

    An algorithm with runs that have no answer stands at the median, with an arrow to the right; at the end of the axis
    where fewer than half have one.
    """
    drawn = request.shown(_found(request.experiment))

    def draw(axes: "Axes", own: list[_Answers]) -> None:
        _set_rounds_axis(axes, own, request.options.x)
        _draw_points(axes, own, request.looks, request.options.y)
        axes.axhline(own[0].delta, color=canvas.INK, linewidth=0.8, linestyle=(0, (4, 2)), zorder=1.5)

    runs = count_of([one.runs for one in drawn])
    said = f"mean of {runs}, 95% confidence intervals; arrow: some without an answer, at the median; dashes: delta"
    names = "rounds before the answer", "share of wrong answers"
    return Picture(
        lambda: _figure(request, drawn, draw, names, said, joined=False),
        lambda: csv_of(ERROR_COLUMNS, [_row(one) for one in drawn if one.runs]),
    )


def _found(experiment: Experiment) -> list[_Answers]:
    """The answers of every algorithm on every problem that ends with one; the others are left out."""
    question = question_of(experiment)
    if "budget" in experiment.results.spec:
        raise InputError(f"{experiment.name} has budgets instead of answers; draw the kind 'error'")
    found = [_answers(cell, question) for cell in longest(experiment.cells) if cell.finished is not None]
    if not found:
        raise InputError(f"{experiment.name}: no algorithm ends with an answer; give one the key 'stop'")
    return found


def question_of(experiment: Experiment) -> Question:
    """What the algorithms are to find out; an `InputError` where the spec does not say."""
    question = experiment.results.question
    if question is None:
        raise InputError(
            f"{experiment.name} does not say what to identify; add 'identify: {{target: condorcet}}' to its spec"
            " and run it again: its runs are used again"
        )
    return question


def _answers(cell: LoadedCell, question: Question) -> _Answers:
    asked, matrix = with_own_delta(cell, question), cell.stored.matrix
    assert cell.finished is not None and isinstance(matrix, PreferenceMatrix)
    return _Answers(
        **about([cell]),
        rounds=np.where(cell.finished > 0, cell.finished - 1.0, np.inf),
        is_right=judged(cell, asked) & (cell.finished > 0),
        horizon=cell.stored.horizon,
        delta=asked.delta,
        bound=least_duels(matrix, asked),
    )


def _figure(
    request: Request,
    drawn: Sequence[_Answers],
    draw: "Callable[[Axes, list[_Answers]], None]",
    names: tuple[str, str],
    said: str,
    joined: bool,
) -> "Figure":
    """A panel per problem, with the lower bound where one is known."""
    from matplotlib.lines import Line2D

    def draw_with_bound(axes: "Axes", own: list[_Answers]) -> None:
        draw(axes, own)
        if own[0].bound:
            axes.axvline(own[0].bound, **_BOUND)

    def handles() -> list[Any]:
        bound = [Line2D([], [], label="lower bound on the mean", **_BOUND)] if any(one.bound for one in drawn) else []
        return request.handles(drawn, joined=joined) + bound

    return panel_per_problem(request, drawn, draw_with_bound, names, said, handles=handles)


def _set_rounds_axis(axes: "Axes", own: Sequence[_Answers], ends: tuple[float, float] | None) -> None:
    """A logarithmic axis that holds every answer, and the bound."""
    axes.set_xscale("log")
    finite = [one.rounds[np.isfinite(one.rounds)] for one in own]
    there = np.concatenate([*finite, [one.bound for one in own if one.bound], [1.0 * min(one.horizon for one in own)]])
    low, high = float(there[there > 0].min()), float(there.max())
    if not any(one.n_answered < one.runs for one in own):
        high = max((float(part.max()) for part in finite if part.size), default=high)
    axes.set_xlim(*(ends or (low / 1.3, 1.3 * high)))
    canvas.name_few(axes.xaxis)


def _draw_points(axes: "Axes", own: Sequence[_Answers], looks: Looks, ends: tuple[float, float] | None) -> None:
    right = axes.get_xlim()[1]
    top = 2 * own[0].delta
    for one in (one for one in own if one.runs):
        look = looks[one.key]
        error, low, high = one.errors
        x, left_end, right_end = one.times
        is_open = one.n_answered < one.runs
        if is_open:
            x = left_end = right_end = min(x, right / _ARROW)
        bars: dict[str, Any] = {"xerr": [[x - left_end], [right_end - x]], "yerr": [[error - low], [high - error]]}
        axes.errorbar(x, error, elinewidth=0.8, zorder=3, **bars, **canvas.line(look, joined=False))
        if is_open:
            arrow = {"arrowstyle": "->", "color": look.colour, "linewidth": 1.2, "shrinkA": 0}
            axes.annotate("", (min(x * _ARROW, right), error), (x, error), arrowprops=arrow, zorder=3)
        top = max(top, 1.1 * high)
    axes.set_ylim(*(ends or (-0.03 * top, top)))


def _row(one: _Answers) -> dict[str, Any]:
    error, low, high = one.errors
    mean, left, right = one.times
    row = {"error": error, "error_low": low, "error_high": high, "bound": one.bound or None, "runs": one.runs}
    if one.n_answered == one.runs:
        row |= {"rounds": mean, "rounds_low": left, "rounds_high": right}
    median = float(np.quantile(one.rounds, 0.5, method="higher"))
    return {**names_of(one), **row, "median": median, "unanswered": one.runs - one.n_answered}
