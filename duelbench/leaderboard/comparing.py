"""Runs that somebody played again, compared with the cells of a leaderboard that say what they gave."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from duelbench.errors import InputError
from duelbench.leaderboard.building import Source, cell_of
from duelbench.leaderboard.summary import Cell, Summary
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.results.experiments import Experiment

DECISIVE = ("python", "numpy", "numba", "machine")
"""Where all of these are the same, runs are the same to the last bit."""

FARTHEST = 5.0
"""How many standard errors of their difference two means of the same law may lie apart."""

ROUNDING = 1e-6
"""Means that differ by less than this part of them are equal: a summary has eight digits."""

SAME = "the same, to the last bit"
OTHER_NUMBERS = "other numbers in another environment"
DIFFERENT = "DIFFERENT"
PARTIAL = "not compared"

KINDS = (SAME, OTHER_NUMBERS, DIFFERENT, PARTIAL)


@dataclass(frozen=True)
class Comparison:
    """What became of a cell whose runs were played again.

    Parameters
    ----------
    problem, label : str
        What the leaderboard calls them.
    horizon : int
        Rounds.
    kind : str
        `SAME`, `OTHER_NUMBERS`, `DIFFERENT` or `PARTIAL`.
    why : str
        What differs or is missing; empty where the runs are the same.
    apart : float or None
        How many standard errors of their difference the means lie apart, by the regret of which that is most; None
        where runs are the same or not compared, and infinite where all runs of both are alike.
    """

    problem: str
    label: str
    horizon: int
    kind: str
    why: str = ""
    apart: float | None = None


def compare(experiments: Sequence[Experiment], board: Summary) -> list[Comparison]:
    """Compare runs with the cells of a leaderboard that were read from the same runs.

    These are the cells of an experiment of the same name, matrix, algorithm, label and checkpoints, that record what
    the leaderboard shows. What has no run is passed over.

    Parameters
    ----------
    experiments : sequence of Experiment
        With the runs that are there.
    board : Summary

    Returns
    -------
    list of Comparison
        In the order of the experiments and of their cells, by horizon.

    Raises
    ------
    InputError
        When no run belongs to a cell of the leaderboard.
    """
    found = [
        _comparison(Source(experiment, loaded), cell, board)
        for experiment in experiments
        for loaded in experiment.cells
        if loaded.n_runs and isinstance(loaded.stored.matrix, PreferenceMatrix)
        for cell in _cells_read_from(Source(experiment, loaded), board)
    ]
    if not found:
        names = ", ".join(str(experiment.results.folder) for experiment in experiments)
        raise InputError(
            f"{names}: the leaderboard has no cell of these runs (it asks for the same experiment, matrix, algorithm,"
            " checkpoints and regret); play them with the command that its page has for a number, or name another"
            " leaderboard with --summary"
        )
    return found


def _cells_read_from(source: Source, board: Summary) -> Iterator[Cell]:
    stored = source.loaded.stored
    for cell in sorted(board.cells, key=lambda one: one.horizon):
        algorithm = board.algorithms[cell.algorithm]
        if (
            cell.experiment == source.experiment.name
            and board.problems[cell.problem].sha256 == source.matrix.sha256
            and (algorithm.label, algorithm.id) == (stored.label, stored.algorithm)
            and board.rounds[cell.rounds] == source.rounds
            and set(cell.regret) <= set(source.experiment.definitions)
        ):
            yield cell


def _comparison(source: Source, cell: Cell, board: Summary) -> Comparison:
    problem, algorithm = board.problems[cell.problem], board.algorithms[cell.algorithm]

    def found(kind: str, why: str = "", apart: float | None = None) -> Comparison:
        return Comparison(problem.name, algorithm.label, cell.horizon, kind, why, apart)

    loaded = source.loaded
    if loaded.n_runs != cell.runs:
        damaged = f", {len(loaded.damaged)} damaged" if loaded.damaged else ""
        return found(PARTIAL, f"{loaded.n_runs} runs are there{damaged}, and the leaderboard has {cell.runs}")
    place = cell.problem, cell.algorithm, cell.horizon
    own = cell_of(place, {place: source}, board.problems, [tuple(one) for one in board.rounds], board.horizons)
    if own.digest == cell.digest:
        wrong = _other_numbers(own, cell)
        return (
            found(DIFFERENT, f"the runs are the same, but not what is said of them ({', '.join(wrong)})")
            if wrong
            else found(SAME)
        )
    apart = max(_apart(own.regret[name], cell.regret[name]) for name in own.regret if name in cell.regret)
    lie = f"the means lie {apart:.1f} standard errors apart" if isfinite(apart) else "means differ of runs all alike"
    version = loaded.stored.identity.trace_version
    if version != algorithm.trace_version:
        return found(DIFFERENT, f"trace version {version}, in the leaderboard {algorithm.trace_version}; {lie}", apart)
    others = other_environment(source.experiment.environments, board.made_with)
    if not others:
        return found(DIFFERENT, f"other runs with the same versions and kind of machine; {lie}", apart)
    return found(OTHER_NUMBERS if apart <= FARTHEST else DIFFERENT, f"{lie}; {'; '.join(others)}", apart)


def _other_numbers(own: Cell, cell: Cell) -> list[str]:
    """What two cells of the same runs say otherwise."""
    wrong = [name for name in ("right", "locked_in") if getattr(own, name) != getattr(cell, name)]
    wrong += [f"{name} regret" for name, said in cell.regret.items() if own.regret.get(name) != said]
    curves = cell.curve or {}
    return wrong + [f"{name} curve" for name, said in curves.items() if (own.curve or {}).get(name) != said]


def _apart(one: Sequence[float], other: Sequence[float]) -> float:
    """By how many standard errors of their difference two means differ.

    Parameters
    ----------
    one, other : sequence of float
        Mean, and its standard error as a part of it, as in `Cell.regret`.

    Examples
    --------
    Errors of 3 and 4 make one of 5, and 110 is two of these from 100.

    >>> _apart([100, 0.03], [110, 4 / 110])
    2.0
    """
    distance = abs(one[0] - other[0])
    if distance <= ROUNDING * max(one[0], other[0]):
        return 0.0
    spread = float(np.hypot(one[0] * one[1], other[0] * other[1]))
    return distance / spread if spread else float("inf")


def other_environment(environments: Sequence[Mapping[str, str]], made_with: Mapping[str, str]) -> list[str]:
    """What is another where runs were played than where a leaderboard's were, in words; only what changes bits counts.

    Examples
    --------
    >>> made_with = {"python": "3.12.1", "numpy": "2.4.0", "numba": "0.63.1", "machine": "x86_64"}
    >>> other_environment([made_with | {"duelbench": "9.0"}], made_with)
    []
    >>> other_environment([made_with | {"numba": "0.64.0"}], made_with)
    ['numba 0.64.0, in the leaderboard 0.63.1']
    """
    return [
        f"{name} {' and '.join(here)}, in the leaderboard {made_with.get(name, 'unknown')}"
        for name in DECISIVE
        if (here := sorted({one.get(name, "unknown") for one in environments})) != [made_with.get(name)]
    ]
