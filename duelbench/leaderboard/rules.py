"""Which settings and sizes the leaderboard has, and which algorithms it leaves out by which rule."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, product
from typing import NamedTuple

import numpy as np

from duelbench.algorithms import registry
from duelbench.algorithms.contract import Algorithm
from duelbench.leaderboard.summary import SIZES, LeftOut, Summary
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.winners import condorcet_winner, gaps, inferior_counts
from duelbench.results.manifest import Results
from duelbench.spec.assumptions import NEED_CONDORCET_WINNER, ORDER, WINNER

MOST_MINUTES = {10**6: 10, 10**8: 2}
"""What all runs of an algorithm in a spec may take on one core, by the horizon."""

TOO_SLOW = {
    ("condorcet", "large", 10**6): "cw-rmed savage-sampling",
    ("condorcet", "large", 10**8): "cw-rmed d-exp3 d-exp3-hp d-ts-pure savage-sampling self-sparring vdb wiwr",
    ("condorcet", "small", 10**6): "savage-sampling",
    ("condorcet", "small", 10**8): (
        "anaconda d-exp3 d-exp3-hp detect savage-sampling self-sparring uniform vdb wiwr ws-w"
    ),
    ("copeland", "large", 10**6): "cw-rmed savage-sampling",
    ("copeland", "large", 10**8): "cw-rmed d-exp3 d-exp3-hp d-ts d-ts-plus rex3 savage-sampling",
    ("copeland", "small", 10**6): "savage-sampling",
    ("copeland", "small", 10**8): "bcb d-exp3 d-exp3-hp d-ts-plus rex3 savage-borda savage-sampling sup-klucb uniform",
    ("order", "large", 10**6): "cw-rmed savage-sampling",
    ("order", "large", 10**8): (
        "anaconda btm cw-rmed d-exp3 d-exp3-hp d-ts-pure doubler multisbm rex3 savage-borda "
        "savage-sampling self-sparring sparring vdb wiwr ws-w"
    ),
    ("order", "small", 10**6): "savage-sampling",
    ("order", "small", 10**8): (
        "anaconda bcb d-exp3 d-exp3-hp detect doubler multisbm savage-sampling self-sparring sparring "
        "uniform vdb wiwr ws-w"
    ),
}
"""Algorithms that take longer, by setting, size and horizon; measured on one core of a two-core machine."""


class Reason(NamedTuple):
    """The rule by which an algorithm is left out, as in `LeftOut`, and a sentence about one algorithm or several."""

    rule: str
    why: str


NOT_PLAYED = Reason("not played", "Not played on some of these matrices.")


class _Group(NamedTuple):
    """The matrices of one setting in an experiment."""

    setting: str
    matrices: Sequence[PreferenceMatrix]
    horizon: int

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of arms, increasing."""
        return tuple(sorted({matrix.n_arms for matrix in self.matrices}))


def setting_of(matrix: PreferenceMatrix) -> str:
    """The setting of a matrix, worked out from it.

    ``copeland`` where no arm beats all others. Elsewhere ``order`` where the arms can be ordered so that each beats all
    that come after it, some of which may be level with each other; else ``condorcet``.

    Examples
    --------
    >>> setting_of(PreferenceMatrix([[0.5, 0.6, 0.6], [0.4, 0.5, 0.5], [0.4, 0.5, 0.5]]))
    'order'
    """
    if condorcet_winner(matrix) is None:
        return "copeland"
    # In an order, an arm that beats more arms beats those that beat fewer, and is level with those that beat as many.
    beaten = inferior_counts(matrix)
    return "order" if np.array_equal(np.sign(gaps(matrix)), np.sign(beaten[:, None] - beaten)) else "condorcet"


def size_of(n_arms: int) -> str:
    """The key of `SIZES` for a number of arms.

    Examples
    --------
    >>> size_of(16), size_of(64)
    ('small', 'large')
    """
    return next(size for size, numbers in SIZES.items() if n_arms in numbers)


def candidates() -> list[Algorithm]:
    """All algorithms that play duels, those of loaded plug-ins included."""
    return [algorithm for id in registry.ids() if "duels" in (algorithm := registry.get(id)).plays]


def reason(algorithm: Algorithm, matrices: Sequence[PreferenceMatrix], horizon: int) -> Reason | None:
    """Why a spec of the leaderboard, with all its ``matrices``, is without an algorithm; None where no rule says so.

    Examples
    --------
    >>> circle = PreferenceMatrix([[0.5, 0.6, 0.4], [0.4, 0.5, 0.7], [0.6, 0.3, 0.5]])
    >>> reason(registry.get("rucb"), [circle], 10**6).rule, reason(registry.get("ccb"), [circle], 10**6)
    ('assumes', None)
    """
    delta = algorithm.parameters.get("delta")
    # Algorithms that explore before they exploit have no delta by default, and derive it from the horizon.
    if algorithm.answers and delta is not None and delta.default is not None:
        why = "Right with a given probability, and compared by how many duels that takes."
        return Reason("identification", why)
    settings = {setting_of(matrix) for matrix in matrices}
    lack = None
    if algorithm.assumes in NEED_CONDORCET_WINNER and "copeland" in settings:
        lack = WINNER
    elif algorithm.assumes == "total order" and settings != {"order"}:  # level arms break no order
        lack = ORDER
    if lack is not None:
        return Reason("assumes", f"Made for matrices with {lack}, which some of these do not have.")
    kinds = {(setting_of(matrix), size_of(matrix.n_arms), horizon) for matrix in matrices}
    if any(algorithm.id in TOO_SLOW.get(kind, "").split() for kind in kinds):
        most = MOST_MINUTES[horizon]
        why = f"All runs to {horizon:,} rounds on these matrices would take more than {most} minutes of one core."
        return Reason("time", why)
    return None


def left_out(summary: Summary, opened: Iterable[Results]) -> list[LeftOut]:
    """The algorithms that are missing in each setting at each horizon, with the numbers of arms of the matrices.

    These are all algorithms that play duels and that a rule leaves out of an experiment (``opened`` are all), and those
    that stand elsewhere on the leaderboard.
    """
    parts = [part for results in opened for part in _parts(results)]
    listed = {algorithm.id for algorithm in summary.algorithms}
    there = {
        (summary.problems[cell.problem].sha256, summary.algorithms[cell.algorithm].id, cell.horizon)
        for cell in summary.cells
    }
    order = {id: place for place, id in enumerate(registry.ids())}
    found = []
    for setting in summary.settings:
        for horizon in summary.horizons:
            groups: dict[tuple[Reason, tuple[int, ...] | None], set[str]] = {}
            for part, algorithm in product(_shortest(parts, setting.id, horizon), candidates()):
                if all((matrix.sha256, algorithm.id, horizon) in there for matrix in part.matrices):
                    continue
                why = reason(algorithm, part.matrices, part.horizon)
                if why is None and algorithm.id in listed:
                    why = NOT_PLAYED
                if why is not None:
                    n_arms = part.sizes if why.rule in ("time", NOT_PLAYED.rule) else None
                    groups.setdefault((why, n_arms), set()).add(algorithm.id)
            found += [
                LeftOut(
                    algorithms=sorted(ids, key=order.__getitem__),
                    setting=setting.id,
                    horizon=horizon,
                    n_arms=None if n_arms is None else list(n_arms),
                    rule=why.rule,
                    why=why.why,
                )
                for (why, n_arms), ids in sorted(groups.items(), key=lambda item: (item[0][0], item[0][1] or ()))
            ]
    return found


def _parts(results: Results) -> Iterator[_Group]:
    """An experiment by its settings."""
    matrices = {cell.matrix.sha256: cell.matrix for cell in results.cells if isinstance(cell.matrix, PreferenceMatrix)}
    for setting, group in groupby(sorted(matrices.values(), key=setting_of), setting_of):
        chosen = list(group)
        hashes = {matrix.sha256 for matrix in chosen}
        yield _Group(setting, chosen, max(cell.horizon for cell in results.cells if cell.matrix.sha256 in hashes))


def _shortest(parts: Sequence[_Group], setting: str, horizon: int) -> list[_Group]:
    """The parts of a setting that are the shortest of those that reach a horizon, for one of their matrices."""
    reaching = [part for part in parts if part.setting == setting and part.horizon >= horizon]
    least: dict[str, int] = {}
    for part in reaching:
        for matrix in part.matrices:
            least[matrix.sha256] = min(part.horizon, least.get(matrix.sha256, part.horizon))
    return [part for part in reaching if any(least[matrix.sha256] == part.horizon for matrix in part.matrices)]
