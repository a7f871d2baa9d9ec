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
from duelbench.statistics import tails


def rows(experiment: Experiment, definition: str | None = None) -> list[Row]:
    """One row per algorithm, problem and horizon of which there are runs.

    The random matrices at one value of a sweep are one problem.

    Parameters
    ----------
    experiment : Experiment
    definition : str, optional
        The regret definition; by default the first that was recorded.
    """
    definition = definition or experiment.definitions[0]
    return [
        _row(experiment, cells[0], definition) if len(cells) == 1 else _row_of_games(experiment, cells, definition)
        for cells in games_together(cell for cell in experiment.cells if cell.n_runs)
    ]


def _row(experiment: Experiment, cell: LoadedCell, definition: str) -> Row:
    stored = cell.stored
    at_end, curve = describe(cell.rounds, cell.regret[:, experiment.definitions.index(definition)])
    found = found_winner(definition, cell)
    locked = int(tails.locked(cell.rounds, found).sum())
    low, high = tails.clopper_pearson(np.array(locked), cell.n_runs)
    return Row(
        experiment=experiment.name,
        problem=stored.problem,
        algorithm=stored.algorithm,
        label=stored.label,
        horizon=stored.horizon,
        definition=definition,
        runs=cell.n_runs,
        planned=stored.n_runs,
        regret=at_end,
        curve=curve,
        recommends_winner=float(found[:, -1].mean()),
        locked=locked / cell.n_runs,
        locked_low=float(low),
        locked_high=float(high),
        bounds=tuple(
            against_bound(kind, constant, curve, stored.anytime)
            for kind, constant in bounds_of(experiment, cell, definition).items()
        ),
        verdicts=_verdicts(experiment, cell),
        **_answers(experiment, [cell]),
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
    """What the looks have decided about a cell."""
    stored, found = cell.stored, experiment.standing
    return tuple(
        one
        for one in (found.verdicts if found else ())
        if (one.problem, one.horizon) == (stored.setting, stored.horizon) and stored.label in one.labels
    )


def _row_of_games(experiment: Experiment, cells: Sequence[LoadedCell], definition: str) -> Row:
    """One row for all runs on several random matrices. Runs on one matrix are alike: errors are those of its means."""
    stored = cells[0].stored
    which = experiment.definitions.index(definition)
    of_runs = [cell.regret[:, which] for cell in cells]
    at_end, curve = describe(cells[0].rounds, np.concatenate(of_runs))
    of_means, curve_of_means = describe(cells[0].rounds, np.array([regret.mean(axis=0) for regret in of_runs]))
    found = np.concatenate([found_winner(definition, cell) for cell in cells])
    return Row(
        experiment=experiment.name,
        problem=stored.setting,
        algorithm=stored.algorithm,
        label=stored.label,
        horizon=stored.horizon,
        definition=definition,
        runs=sum(cell.n_runs for cell in cells),
        planned=sum(cell.stored.n_runs for cell in cells),
        regret=replace(at_end, sem=of_means.sem),
        curve=tuple((t, mean, sem) for (t, mean, _), (_, _, sem) in zip(curve, curve_of_means, strict=True)),
        recommends_winner=float(found[:, -1].mean()),
        locked=float(tails.locked(cells[0].rounds, found).mean()),
        **_answers(experiment, cells),
    )
