"""Repeated runs compared with the cells of a leaderboard."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import hypot, inf, isfinite

from duelbench.errors import InputError
from duelbench.leaderboard.building import Source, cell_of
from duelbench.leaderboard.summary import Cell, Figures, Summary
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
    """How a cell compares with repeated runs."""

    problem: str
    label: str
    horizon: int
    kind: str  # one of `KINDS`
    why: str = ""  # what differs or is missing
    # The standard errors of their difference between the means, for the regret in which these are furthest apart
    apart: float | None = None


def compare(experiments: Sequence[Experiment], board: Summary) -> list[Comparison]:
    """Compare runs with the cells of a leaderboard that were read from the same runs.

    These are the cells of an experiment of the same name, matrix, algorithm, label and checkpoints, that record what
    the leaderboard shows. `InputError` when no run belongs to one; cells without runs are passed over.
    """
    sources = [
        Source(experiment, loaded)
        for experiment in experiments
        for loaded in experiment.cells
        if loaded.n_runs and isinstance(loaded.stored.matrix, PreferenceMatrix)
    ]
    found = [
        Comparison(
            board.problems[cell.problem].name,
            board.algorithms[cell.algorithm].label,
            cell.horizon,
            *_compared(source, cell, board),
        )
        for source in sources
        for cell in _cells_read_from(source, board)
    ]
    if not found:
        names = ", ".join(str(experiment.results.folder) for experiment in experiments)
        raise InputError(
            f"{names}: the leaderboard has no cell of these runs (it asks for the same experiment, matrix, algorithm,"
            " checkpoints and regret); run them with the command that its page shows for a number, or name another"
            " leaderboard"
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


def _compared(source: Source, cell: Cell, board: Summary) -> tuple[str, str, float | None]:
    """The kind of a comparison, why, and how far means lie apart."""
    loaded = source.loaded
    if loaded.n_runs != cell.runs:
        damaged = f", {len(loaded.damaged)} damaged" if loaded.damaged else ""
        return PARTIAL, f"{loaded.n_runs} runs are there{damaged}, and the leaderboard has {cell.runs}", None
    place = cell.problem, cell.algorithm, cell.horizon
    own = cell_of(source, place, board.problems[cell.problem].winners, cell.rounds)
    if own.digest == cell.digest:
        wrong = ", ".join(_other_numbers(own, cell))
        return (DIFFERENT, f"the runs are the same, but not the numbers ({wrong})", None) if wrong else (SAME, "", None)
    apart = max(_apart(own.regret[name], figures) for name, figures in cell.regret.items())
    known = apart if isfinite(apart) else None
    distance = (
        "the means differ, though the runs on each side are all alike"
        if known is None
        else f"the means lie {apart:.1f} standard errors apart"
    )
    version, expected = loaded.stored.identity.trace_version, board.algorithms[cell.algorithm].trace_version
    if version != expected:
        return DIFFERENT, f"trace version {version}, in the leaderboard {expected}; {distance}", known
    others = other_environment(source.experiment.environments, board.made_with)
    if not others:
        return DIFFERENT, f"other runs with the same versions and kind of machine; {distance}", known
    return OTHER_NUMBERS if apart <= FARTHEST else DIFFERENT, f"{distance}; {'; '.join(others)}", known


def _other_numbers(own: Cell, cell: Cell) -> list[str]:
    """What two cells of the same runs say otherwise."""
    wrong = [name for name in ("right", "locked_in") if getattr(own, name) != getattr(cell, name)]
    wrong += [f"{name} regret" for name, said in cell.regret.items() if own.regret.get(name) != said]
    curves = cell.curve or {}
    return wrong + [f"{name} curve" for name, said in curves.items() if (own.curve or {}).get(name) != said]


def _apart(one: Figures, other: Figures) -> float:
    """By how many standard errors of their difference two means differ."""
    distance = abs(one.mean - other.mean)
    if distance <= ROUNDING * max(one.mean, other.mean):
        return 0.0
    spread = hypot(one.mean * one.error, other.mean * other.error)
    return distance / spread if spread else inf


def other_environment(environments: Sequence[Mapping[str, str]], made_with: Mapping[str, str]) -> list[str]:
    """How the environments of runs differ from that of a leaderboard, in words; only what changes bits counts."""
    return [
        f"{name} {' and '.join(here)}, in the leaderboard {made_with.get(name, 'unknown')}"
        for name in DECISIVE
        if (here := sorted({one.get(name, "unknown") for one in environments})) != [made_with.get(name)]
    ]
