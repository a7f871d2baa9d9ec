"""Who is missing from a leaderboard, and by which rule."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from duelbench.algorithms import registry
from duelbench.leaderboard import rules
from duelbench.leaderboard.settings import setting_of
from duelbench.leaderboard.summary import LeftOut, Summary
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.results.manifest import Results

NOT_PLAYED = rules.Reason("not played", "Not played on some of these matrices.")


class _Asked(NamedTuple):
    """What an experiment asks for in one setting."""

    setting: str
    matrices: Sequence[PreferenceMatrix]
    runs: int
    horizon: int
    cells: frozenset[tuple[str, str, int]]  # SHA-256 of a matrix, id, horizon


def left_out(summary: Summary, opened: Iterable[Results]) -> list[LeftOut]:
    """Who is missing in each setting at each horizon, with the numbers of arms of the matrices.

    Those of all algorithms that play duels are named that a rule leaves out of an experiment, and of the others those
    that stand elsewhere on the leaderboard.

    Parameters
    ----------
    summary : Summary
        As far as its cells.
    opened : iterable of Results
        What it was made from.
    """
    asked = [one for results in opened for one in _asked(results)]
    listed = {algorithm.id for algorithm in summary.algorithms}
    there = {
        (summary.problems[cell.problem].sha256, summary.algorithms[cell.algorithm].id, cell.horizon)
        for cell in summary.cells
    }
    found = []
    for setting in (setting["id"] for setting in summary.settings):
        for horizon in summary.horizons:
            missing = [
                (reason, tuple(sorted({matrix.n_arms for matrix in one.matrices})), id)
                for one in _serving(asked, setting, horizon)
                for id, reason in _missing(one, horizon, there, listed)
            ]
            found += _grouped(setting, horizon, missing)
    return found


def _asked(results: Results) -> Iterator[_Asked]:
    """An experiment by its settings."""
    matrices = {cell.matrix.sha256: cell.matrix for cell in results.cells if isinstance(cell.matrix, PreferenceMatrix)}
    for setting, group in groupby(sorted(matrices.values(), key=setting_of), setting_of):
        chosen = list(group)
        hashes = {matrix.sha256 for matrix in chosen}
        cells = [cell for cell in results.cells if cell.matrix.sha256 in hashes]
        yield _Asked(
            setting,
            chosen,
            max(cell.n_runs for cell in cells),
            max(cell.horizon for cell in cells),
            frozenset((cell.matrix.sha256, cell.algorithm, cell.horizon) for cell in cells),
        )


def _serving(asked: Sequence[_Asked], setting: str, horizon: int) -> list[_Asked]:
    """Of all experiments with one matrix of a setting, the shortest that comes to a horizon."""
    reaching = [one for one in asked if one.setting == setting and one.horizon >= horizon]
    least: dict[str, int] = {}
    for one in reaching:
        for matrix in one.matrices:
            least[matrix.sha256] = min(one.horizon, least.get(matrix.sha256, one.horizon))
    return [one for one in reaching if any(least[matrix.sha256] == one.horizon for matrix in one.matrices)]


def _missing(
    asked: _Asked, horizon: int, there: set[tuple[str, str, int]], listed: set[str]
) -> Iterator[tuple[str, rules.Reason]]:
    """The algorithms without a cell on one of the matrices, and why."""
    for algorithm in rules.candidates():
        if all((matrix.sha256, algorithm.id, horizon) in there for matrix in asked.matrices):
            continue
        reason = rules.reason(algorithm, asked.matrices, asked.runs, asked.horizon)
        if reason is None and algorithm.id in listed:
            reason = NOT_PLAYED
        if reason is not None:
            yield algorithm.id, reason


def _grouped(setting: str, horizon: int, missing: Sequence[tuple[rules.Reason, tuple[int, ...], str]]) -> list[LeftOut]:
    """One entry for each reason, of the time it takes one for the matrices of each experiment."""
    order = {id: place for place, id in enumerate(registry.ids())}
    groups: dict[tuple[rules.Reason, tuple[int, ...] | None], set[str]] = {}
    for reason, n_arms, id in missing:
        is_of_size = reason.rule in ("time", NOT_PLAYED.rule)
        groups.setdefault((reason, n_arms if is_of_size else None), set()).add(id)
    return [
        LeftOut(
            algorithms=sorted(ids, key=order.__getitem__),
            setting=setting,
            horizon=horizon,
            n_arms=None if n_arms is None else list(n_arms),
            rule=reason.rule,
            why=reason.why,
        )
        for (reason, n_arms), ids in sorted(groups.items(), key=lambda item: (item[0][0], item[0][1] or ()))
    ]
