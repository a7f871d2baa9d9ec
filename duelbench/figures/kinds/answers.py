"""Identification: the share of the runs without an answer, over time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from duelbench.errors import InputError
from duelbench.figures.content.answers import with_own_delta
from duelbench.figures.drawing import canvas
from duelbench.figures.kinds.distribution import Steps, draw_steps, table_of_steps, with_band
from duelbench.figures.numbers import names_of
from duelbench.figures.picture import OfRuns, Picture, Request, about, longest, panel_per_problem
from duelbench.problem.identification import Question
from duelbench.problem.identification_bounds import least_duels
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.results.experiments import Experiment, LoadedCell
from duelbench.statistics.curves import count_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BOUND: dict[str, Any] = {"color": canvas.INK, "linestyle": (0, (1, 1.6)), "linewidth": 1.0, "zorder": 1.5}


@dataclass(frozen=True, eq=False, kw_only=True)
class _Answers(OfRuns):
    """The answers of one algorithm on one problem."""

    rounds: np.ndarray  # (n_runs,) float64, before the answer; infinite for runs without one
    horizon: int  # rounds after which a run ended without an answer
    bound: float | None  # on the mean number of duels before the answer, where one is known

    @property
    def n_answered(self) -> int:
        """How many runs have an answer."""
        return int(np.isfinite(self.rounds).sum())


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
        lambda: _figure(request, drawn, draw, names, said),
        lambda: table_of_steps(list(map(_still_waiting, drawn)), "round"),
    )


def _still_waiting(one: _Answers) -> Steps:
    """The share of the runs without an answer, after each round in which one comes."""
    x, counts = np.unique(one.rounds[np.isfinite(one.rounds)], return_counts=True)
    band = with_band(1 - np.cumsum(counts) / max(one.runs, 1), one.runs, 1.0)
    shaded = (1, -1 if one.n_answered == one.runs else None)  # where all wait, or none, bands say nothing
    return Steps(**names_of(one), runs=one.runs, planned=one.planned, x=x, **band, shaded=shaded)


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
        horizon=cell.stored.horizon,
        bound=least_duels(matrix, asked),
    )


def _figure(
    request: Request,
    drawn: Sequence[_Answers],
    draw: "Callable[[Axes, list[_Answers]], None]",
    names: tuple[str, str],
    said: str,
) -> "Figure":
    """A panel per problem, with the lower bound where one is known."""
    from matplotlib.lines import Line2D

    def draw_with_bound(axes: "Axes", own: list[_Answers]) -> None:
        draw(axes, own)
        if own[0].bound:
            axes.axvline(own[0].bound, **_BOUND)

    def handles() -> list[Any]:
        bound = [Line2D([], [], label="lower bound on the mean", **_BOUND)] if any(one.bound for one in drawn) else []
        return request.handles(drawn, joined=True) + bound

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
