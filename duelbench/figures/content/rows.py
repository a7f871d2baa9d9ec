"""The rows of the table of an experiment: what its runs ended with."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from duelbench.figures.content.answers import at_budgets, identified
from duelbench.figures.table import Row, against_bound, describe
from duelbench.results.cells import games_together
from duelbench.results.decided import Verdict
from duelbench.results.experiments import Experiment, LoadedCell, bounds_of, found_winner
from duelbench.results.settings import played
from duelbench.statistics import tails


def rows(experiment: Experiment, definition: str | None = None) -> list[Row]:
    """One row per algorithm, problem and horizon with runs; random matrices at one value of a sweep are one problem.

    The definition of regret is by default the first that was recorded.
    """
    definition = definition or experiment.definitions[0]
    together = games_together(cell for cell in experiment.cells if cell.n_runs)
    return [_row(experiment, cells, definition) for cells in together]


def _row(experiment: Experiment, cells: Sequence[LoadedCell], definition: str) -> Row:
    """One row for all runs; on several random matrices errors are those of their means, for runs on one are alike."""
    first, stored = cells[0], cells[0].stored
    of_runs = [cell.regret[:, experiment.definitions.index(definition)] for cell in cells]
    at_end, curve = describe(first.rounds, np.concatenate(of_runs))
    found = np.concatenate([found_winner(definition, cell) for cell in cells])
    locked = tails.locked(first.rounds, found)
    only_of_one: dict[str, Any] = {}
    if len(cells) > 1:
        of_means, curve_of_means = describe(first.rounds, np.array([regret.mean(axis=0) for regret in of_runs]))
        at_end = replace(at_end, sem=of_means.sem)
        curve = tuple((t, mean, sem) for (t, mean, _), (_, _, sem) in zip(curve, curve_of_means, strict=True))
    else:
        low, high = tails.clopper_pearson(np.array(locked.sum()), len(locked))
        constants = bounds_of(experiment, first, definition)
        only_of_one = {
            "locked_low": float(low),
            "locked_high": float(high),
            "bounds": tuple(against_bound(kind, C, curve, stored.anytime) for kind, C in constants.items()),
            "verdicts": _verdicts(experiment, first),
        }
    return Row(
        experiment=experiment.name,
        problem=stored.setting,
        algorithm=stored.algorithm,
        label=stored.label,
        horizon=stored.horizon,
        definition=definition,
        runs=sum(cell.n_runs for cell in cells),
        planned=sum(cell.stored.n_runs for cell in cells),
        regret=at_end,
        curve=curve,
        recommends_winner=float(found[:, -1].mean()),
        locked=float(locked.mean()),
        played=tuple(played(cell.stored for cell in cells)),
        **only_of_one,
        **_answers(experiment, cells),
    )


def _answers(experiment: Experiment, cells: Sequence[LoadedCell]) -> dict[str, Any]:
    """What was identified, of an experiment that asks for it: the fields of a row."""
    question = experiment.results.question
    if question is None:
        return {}
    if "budget" in experiment.results.spec:
        return {"at_budgets": at_budgets(cells[0], question)}
    return {"identified": identified(cells, question)}


def _verdicts(experiment: Experiment, cell: LoadedCell) -> tuple[Verdict, ...]:
    """What the interim analyses have decided about a cell."""
    stored, found = cell.stored, experiment.standing
    return tuple(
        one
        for one in (found.verdicts if found else ())
        if (one.problem, one.horizon) == (stored.setting, stored.horizon) and stored.label in one.labels
    )
