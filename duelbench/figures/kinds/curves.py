"""Curves over log time, a panel per problem: regret, shares of right and of wrong recommendations."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from duelbench.errors import InputError
from duelbench.figures.content.changes import changes_of
from duelbench.figures.content.panels import Entry, Options, Panel, entry_of, last_round
from duelbench.figures.drawing.regret_figure import regret_figure, visible
from duelbench.figures.kinds.answers import question_of
from duelbench.figures.numbers import names_of, table_of
from duelbench.figures.picture import Picture, Request
from duelbench.problem.identification import right_arms
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.results.experiments import Experiment, LoadedCell, found_winner
from duelbench.statistics.curves import Curve, count_of, proportion_interval

if TYPE_CHECKING:
    from pandas import DataFrame

Horizons = dict[int, list[LoadedCell]]
"""Horizon -> the cells of an algorithm up to it: one, or one for each random matrix at one value of a sweep."""


def accuracy(request: Request) -> Picture:
    """The share of the runs that recommend a winner of the regret that is shown, with Wilson's interval.

    Of several random matrices it is the mean of theirs, and each matrix is one observation.
    """
    found = _shares(request, lambda cell: found_winner(request.regret, cell))
    top = request.options.y[1] if request.options.y else 1.03
    return other_curves(request, found, "accuracy", "share that recommends a winner", _share_of, ymax=top)


def error(request: Request) -> Picture:
    """The share of the runs whose recommended arm is wrong, with Wilson's interval."""
    experiment, options = request.experiment, request.options
    question = question_of(experiment)
    if question.is_ranked:
        raise InputError(
            f"{experiment.name}: its answers are rankings, of which none is recommended before the end; draw another"
            " kind of figure, such as 'waiting'"
        )

    def wrong(cell: LoadedCell) -> np.ndarray:
        assert isinstance(cell.stored.matrix, PreferenceMatrix)  # others are not asked for answers
        return ~right_arms(cell.stored.matrix, question)[cell.recommendations]

    found = _shares(request, wrong)
    more: dict[str, Any] = {"ymax": options.y[1] if options.y else 1.03 if options.y_scale != "log" else None}
    if not options.x:  # the first round at which there is anything to see: the smallest budget, where there are such
        more["first_round"] = min(int(curve.rounds[0]) for curve in _curves(found))
    return other_curves(request, found, "error", "share of wrong recommendations", _share_of, **more)


def _share_of(of: str, _: Sequence[Curve]) -> str:
    return f"share of {of}, band: 95% confidence interval (Wilson)"


def other_curves(
    request: Request,
    panels: Sequence[Panel],
    column: str,
    y_name: str,
    caption: Callable[[str, Sequence[Curve]], str],
    said: dict[str, str] | None = None,
    **more: Any,
) -> Picture:
    """Curves over time other than regret, drawn as those are; ``more`` are further `Options`.

    ``column`` is the name of the numbers, of which each row has the columns ``said``, too; ``caption`` gets the number
    of runs in words, and the curves.
    """
    curves, last = _curves(panels), last_round(panels)
    runs = count_of([int(number) for curve in curves for number in (curve.runs.min(), curve.runs.max())])
    games = max(curve.games for curve in curves)
    of = runs + (f" on {games} matrices" if games > 1 else "")
    usual = how_drawn(request, last, more.pop("first_round", None))
    how = replace(usual, y_name=y_name, caption=caption(of, curves), **more)
    shown = [replace(panel, how=how) for panel in panels]
    return Picture(
        lambda: regret_figure(shown, request.only),
        lambda: _numbers([visible(panel, request.only) for panel in shown], column, said or {}),
    )


def how_drawn(request: Request, last: int, begins: int | None = None) -> Options:
    """How curves over time, which end at the round ``last``, are drawn; ``begins`` is that of `Request.first_round`."""
    options = request.options
    low, high = options.y or (None, None)
    return Options(
        regret=request.regret,
        log_regret=options.y_scale == "log",
        first_round=request.first_round(last, begins),
        ymin=low,
        ymax=high,
        title=request.title,
        last_round=int(options.x[1]) if options.x else None,
        log_time=options.x_scale != "linear",
        columns=options.columns,
    )


def _curves(panels: Sequence[Panel]) -> list[Curve]:
    """Those that have a point."""
    return [entry.curve for panel in panels for entry in panel.entries if len(entry.curve.rounds)]


def _numbers(panels: Sequence[Panel], column: str, said: dict[str, str]) -> "DataFrame":
    """Exactly the points drawn, in the order drawn; an interval without length is empty."""
    rows = []
    for panel in panels:
        for entry in panel.entries:
            curve = entry.curve
            names = {**names_of(entry), "problem": panel.problem, **said}
            for k, t in enumerate(curve.rounds.tolist()):
                low, high = float(curve.low[k]), float(curve.high[k])
                ends = {"low": low, "high": high} if low < high else {}
                rows.append({**names, "round": t, column: float(curve.mean[k]), "runs": int(curve.runs[k]), **ends})
    return table_of(("problem", "algorithm", "label", *said, "round", column, "low", "high", "runs"), rows)


def by_problem(experiment: Experiment) -> dict[str, list[Horizons]]:
    """Problem -> the algorithms on it, in the order of the spec, each with its horizons, increasing.

    The random matrices at one value of a sweep are one problem.
    """
    found: dict[str, dict[int, Horizons]] = {}
    for cell in experiment.cells:
        horizons = found.setdefault(cell.stored.setting, {}).setdefault(cell.stored.position, {})
        horizons.setdefault(cell.stored.horizon, []).append(cell)
    return {problem: list(own.values()) for problem, own in found.items()}


def cells_of(algorithms: Sequence[Horizons]) -> list[LoadedCell]:
    """All cells of a problem."""
    return [cell for horizons in algorithms for together in horizons.values() for cell in together]


def _shares(request: Request, judged: Callable[[LoadedCell], np.ndarray]) -> list[Panel]:
    """The share of the runs that are so at each checkpoint; (n_runs, n) bool of each cell."""
    panels = []
    for problem, algorithms in by_problem(request.experiment).items():
        entries = [
            entry_of(cells_of([horizons]), [_share(there, judged) for there in with_runs(horizons)], len(horizons) > 1)
            for horizons in algorithms
        ]
        panels.append(panel_of(request, problem, entries, algorithms))
    return panels


def panel_of(request: Request, problem: str, entries: Sequence[Entry], algorithms: Sequence[Horizons]) -> Panel:
    """The panel of a problem with these entries, of these algorithms."""
    return Panel(problem, problem, tuple(entries), stamp=request.stamp, changes=changes_of(cells_of(algorithms)))


def with_runs(horizons: Horizons) -> list[list[LoadedCell]]:
    """For each horizon the cells that have runs, where there are any."""
    found = [[cell for cell in cells if cell.n_runs] for cells in horizons.values()]
    return [there for there in found if there]


def _share(there: Sequence[LoadedCell], judged: Callable[[LoadedCell], np.ndarray]) -> Curve:
    shares = [judged(cell).mean(axis=0) for cell in there]
    n_runs = sum(cell.n_runs for cell in there)
    share = np.mean(shares, axis=0)
    low, high = proportion_interval(share, len(there) if len(there) > 1 else n_runs)
    rounds = there[0].rounds
    return Curve(rounds, share, low, high, np.full(len(rounds), n_runs), "ci95", games=len(there))
