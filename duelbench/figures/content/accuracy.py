"""How often algorithms recommend a winner, or a wrong answer, over time."""

from collections.abc import Callable, Sequence

import numpy as np

from duelbench.errors import InputError
from duelbench.figures.content.changes import changes_of
from duelbench.figures.content.panels import Entry, Panel, check_number_of_panels
from duelbench.problem.identification import Question, right_arms
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.results.experiments import Experiment, LoadedCell, found_winner
from duelbench.statistics.curves import Curve, of_ends, proportion_interval

Horizons = dict[int, list[LoadedCell]]
"""Horizon -> the cells of an algorithm up to it: one, or one for each random matrix at one value of a sweep."""


def by_problem(experiment: Experiment) -> dict[str, list[Horizons]]:
    """Problem -> the algorithms on it, in the order of the spec, each with its horizons, increasing.

    The random matrices at one value of a sweep are one problem.
    """
    found: dict[str, dict[int, Horizons]] = {}
    for cell in sorted(experiment.cells, key=lambda cell: cell.stored.horizon):
        horizons = found.setdefault(cell.stored.setting, {}).setdefault(cell.stored.position, {})
        horizons.setdefault(cell.stored.horizon, []).append(cell)
    order = dict.fromkeys(cell.stored.setting for cell in experiment.cells)
    return {problem: [found[problem][position] for position in sorted(found[problem])] for problem in order}


def cells_of(algorithms: Sequence[Horizons]) -> list[LoadedCell]:
    """All cells of a problem."""
    return [cell for horizons in algorithms for together in horizons.values() for cell in together]


def entry_of(horizons: Horizons, curves: Sequence[Curve]) -> Entry:
    """An algorithm with its curve, or those of single points at increasing rounds."""
    cells = cells_of([horizons])
    restarts = len(horizons) > 1
    nothing = np.zeros(0)
    curve = Curve(np.zeros(0, np.int64), nothing, nothing, nothing, np.zeros(0, np.int64), "none")
    if curves:
        curve = of_ends(curves) if restarts or len(curves) > 1 else curves[0]
    stored = cells[0].stored
    n_found, planned = sum(cell.n_runs for cell in cells), sum(cell.stored.n_runs for cell in cells)
    return Entry(stored.algorithm, stored.label, curve, restarts, n_found, planned)


def accuracies(experiment: Experiment, regret: str) -> list[Panel]:
    """The share of the runs that recommend a winner, in place of regret: a panel per problem.

    The band is Wilson's 95% interval. Of several random matrices the share is the mean of theirs, and as runs on one
    matrix are alike, each matrix is one observation (`duelbench.statistics.curves.proportion_interval`).

    Parameters
    ----------
    experiment : Experiment
    regret : str
        The definition whose winners count, as in the column ``winner`` of reports.

    Raises
    ------
    InputError
        When there are too many problems for a figure.
    """
    return _shares(experiment, lambda cell: found_winner(regret, cell))


def errors(experiment: Experiment, question: Question) -> list[Panel]:
    """The share of the runs whose recommended arm is wrong, in place of regret: a panel per problem.

    Parameters
    ----------
    experiment : Experiment
    question : Question
        It says which arms are right.

    Raises
    ------
    InputError
        When the answer is no arm, or there are too many problems for a figure.
    """
    if question.is_ranked:
        raise InputError(
            f"{experiment.name}: its answers are rankings, of which none is recommended before the end; draw another"
            " kind of figure, such as 'waiting'"
        )
    return _shares(experiment, lambda cell: ~_right(cell, question)[cell.recommendations])


def _right(cell: LoadedCell, question: Question) -> np.ndarray:
    """Which arms are right answers, (K,) bool."""
    assert isinstance(cell.stored.matrix, PreferenceMatrix)  # others are not asked for answers
    return right_arms(cell.stored.matrix, question)


def _shares(experiment: Experiment, judged: Callable[[LoadedCell], np.ndarray]) -> list[Panel]:
    """The share of the runs that are so at each checkpoint; (n_runs, n) bool of each cell."""
    found = by_problem(experiment)
    check_number_of_panels(experiment, len(found))
    return [
        Panel(
            problem,
            problem,
            tuple(
                entry_of(horizons, [_curve(there, judged) for there in with_runs(horizons)]) for horizons in algorithms
            ),
            changes=changes_of(cells_of(algorithms)),
        )
        for problem, algorithms in found.items()
    ]


def with_runs(horizons: Horizons) -> list[list[LoadedCell]]:
    """For each horizon the cells that have runs, where there are any."""
    found = [[cell for cell in cells if cell.n_runs] for cells in horizons.values()]
    return [there for there in found if there]


def _curve(there: Sequence[LoadedCell], judged: Callable[[LoadedCell], np.ndarray]) -> Curve:
    shares = [judged(cell).mean(axis=0) for cell in there]
    n_runs = sum(cell.n_runs for cell in there)
    share = np.mean(shares, axis=0)
    low, high = proportion_interval(share, len(there) if len(there) > 1 else n_runs)
    rounds = there[0].rounds
    return Curve(rounds, share, low, high, np.full(len(rounds), n_runs), "ci95", games=len(there))
