"""The parts of tables on identification: how often answers were right, when they came, and errors at budgets."""

import math
from collections.abc import Sequence
from typing import Any

from duelbench.figures.content.answers import AtBudget, Identified
from duelbench.figures.numbers import TextTable, short
from duelbench.statistics.answers import QUANTILES, ErrorRate

SHOWN_QUANTILES = ("q10", "median", "q90", "q99")
"""Those of the table for people; programs get all."""

ANSWER_FIELDS = (
    *("right", "wrong", "unanswered", "error", "error_low", "error_high", "delta", "above_delta"),
    *("rounds_mean", "rounds_sem", "rounds_at_least", *(f"rounds_{name}" for name in QUANTILES)),
    *("duels_mean", "duels_sem", "duels_at_least", "least_duels", "duels_over_least"),
)
"""Columns of the CSV; rounds are those before the answer, empty where they are infinite. Where a run has not
answered, of rounds and duels only lower bounds of their means."""

BUDGET_FIELDS = ("error", "error_low", "error_high", "rank", "winner_rank")


def of_answers(lines: Sequence[tuple[str, str, Identified]]) -> TextTable:
    """The table of answers; each line is problem, label and answers."""
    question = lines[0][2].question
    heads = ("problem", "algorithm", "runs", "right", "wrong", "unanswered", "error", "rounds", "sem")
    cells: list[tuple[str, ...]] = [(*heads, *SHOWN_QUANTILES, "duels", "duels/bound")]
    for problem, label, one in lines:
        times = one.times
        named = dict(zip(QUANTILES, times.quantiles, strict=True))
        counts = (one.error.runs, one.right, one.error.wrong, one.unanswered)
        mean = short(times.mean) if times.mean is not None else f"> {short(times.at_least)}"
        quantiles = (short(named[name]) if math.isfinite(named[name]) else "-" for name in SHOWN_QUANTILES)
        duels = f"{'> ' if one.unanswered else ''}{short(one.duels[0])}"
        shown = (*map(str, counts), _error_in_words(one.error), mean, short(times.sem), *quantiles, duels)
        cells.append((problem, label, *shown, short(one.over_least)))
    return f"{question.words}: answers, and rounds before them", cells, _notes(lines)


def _notes(lines: Sequence[tuple[str, str, Identified]]) -> list[str]:
    """What the numbers mean, and which algorithms err too often."""
    said = ["error: share of wrong answers, with its 95% interval; duels: of two different arms"]
    if any(one.unanswered for _, _, one in lines):
        said.append("unanswered runs count as the horizon: means are lower bounds, '-' is beyond the horizon")
    if any(one.least is not None for _, _, one in lines):
        bounds = {(problem, one.question.delta): one.least for problem, _, one in lines if one.least is not None}
        words = ", ".join(
            f"{short(least)} on {problem} at delta {delta:g}" for (problem, delta), least in bounds.items()
        )
        said.append(f"bound: the mean number of duels that every algorithm needs at least: {words}")
    for problem, label, one in lines:
        but = f" (assumes {one.lacking}, which {problem} does not have)" if one.lacking else ""
        words = f"its runs show more errors than its delta, {one.question.delta:g}{but}"
        said += [f"above delta: {label} on {problem}: {words}"] if one.is_above else []
    return said


def of_budgets(lines: Sequence[tuple[str, str, AtBudget]]) -> TextTable:
    """The table of budgets; each line is problem, label and what is recommended after one budget."""
    cells: list[tuple[str, ...]] = [("problem", "algorithm", "budget", "runs", "error", "rank", "sem", "winner's rank")]
    for problem, label, one in lines:
        of_winner = None if one.winner_rank is None else one.winner_rank[0]
        numbers = (_error_in_words(one.error), short(one.rank[0]), *map(short, (one.rank[1], of_winner)))
        cells.append((problem, label, str(one.budget), str(one.error.runs), *numbers))
    hard = {problem: one.difficulty for problem, _, one in lines}
    words = ", ".join(f"{value:.6g} on {problem}" for problem, value in hard.items())
    below = [
        "error: share of wrong recommendations, with its 95% interval; rank: the true rank of what is recommended;"
        " winner's rank: that of the true winner in the algorithm's own order",
        f"squared gap of the two best arms: {words}",
    ]
    return "what is recommended after budgets, in rounds", cells, below


def _error_in_words(error: ErrorRate) -> str:
    """The share, and in brackets its interval where there is one, in per cent."""
    interval = f" [{100 * error.low:.1f}, {100 * error.high:.1f}]"
    return f"{100 * error.share:.1f}%" + ("" if (error.low, error.high) == (0.0, 1.0) else interval)


def numbers(one: Identified | None) -> list[Any]:
    """The values of `ANSWER_FIELDS`; None where there is none."""
    if one is None:
        return [None] * len(ANSWER_FIELDS)
    error, times = one.error, one.times
    return [
        *(one.right, error.wrong, one.unanswered, error.share, error.low, error.high, one.question.delta, one.is_above),
        *(times.mean, times.sem, times.at_least, *(x if math.isfinite(x) else None for x in times.quantiles)),
        *((None, None) if one.unanswered else one.duels),
        *(one.duels[0], one.least, one.over_least),
    ]


def content(one: Identified) -> dict[str, Any]:
    """The answers in plain JSON types, by the names of `ANSWER_FIELDS`."""
    return dict(zip(ANSWER_FIELDS, numbers(one), strict=True))


def budget_columns(rows: Sequence[Sequence[AtBudget]]) -> tuple[list[str], list[list[float | None]]]:
    """The columns of the CSV that these rows add, and the values of each row; None where it has no such budget."""
    budgets = sorted({one.budget for row in rows for one in row})
    missing: list[float | None] = [None] * len(BUDGET_FIELDS)
    known = [{one.budget: _at(one) for one in row} for row in rows]
    lines = [[number for budget in budgets for number in row.get(budget, missing)] for row in known]
    return [f"budget_{budget}_{name}" for budget in budgets for name in BUDGET_FIELDS], lines


def _at(one: AtBudget) -> list[float | None]:
    of_winner = None if one.winner_rank is None else one.winner_rank[0]
    return [one.error.share, one.error.low, one.error.high, one.rank[0], of_winner]


def budget_content(one: AtBudget) -> dict[str, Any]:
    """One budget in plain JSON types."""
    return {
        "budget": one.budget,
        "wrong": one.error.wrong,
        **dict(zip(BUDGET_FIELDS, _at(one), strict=True)),
        "rank_sem": one.rank[1],
        "winner_rank_sem": None if one.winner_rank is None else one.winner_rank[1],
        "difficulty": one.difficulty,
    }
