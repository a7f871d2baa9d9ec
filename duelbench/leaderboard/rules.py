"""Which algorithms the leaderboard leaves out, worked out from the registry and the matrices."""

from collections.abc import Sequence
from typing import NamedTuple

from duelbench.algorithms import registry
from duelbench.algorithms.contract import Algorithm
from duelbench.leaderboard.settings import setting_of, size_of
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.spec.assumptions import NEED_CONDORCET_WINNER, ORDER, WINNER

MOST_MINUTES = {10**6: 10, 10**8: 2}
"""What all runs of an algorithm in a spec may take on one core, by the horizon."""

TOO_SLOW = {
    ("condorcet", "large", 10**6): "cw-rmed savage-sampling",
    ("condorcet", "large", 10**8): "cw-rmed d-exp3 d-exp3-hp d-ts-pure savage-sampling self-sparring vdb wiwr",
    ("condorcet", "small", 10**6): "savage-sampling",
    (
        "condorcet",
        "small",
        10**8,
    ): "anaconda d-exp3 d-exp3-hp detect savage-sampling self-sparring uniform vdb wiwr ws-w",
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
    """Why an algorithm is left out.

    rule : str
        ``identification``, ``assumes`` or ``time``.
    why : str
        A sentence about one algorithm or several.
    """

    rule: str
    why: str


def candidates() -> list[Algorithm]:
    """All algorithms that play duels, those of plug-ins that are loaded included."""
    known = [registry.get(id) for id in registry.ids()]
    return [algorithm for algorithm in known if "duels" in algorithm.plays]


def reason(algorithm: Algorithm, matrices: Sequence[PreferenceMatrix], n_runs: int, horizon: int) -> Reason | None:
    """Why a spec of the leaderboard is without an algorithm; None where no rule says so.

    Parameters
    ----------
    algorithm : Algorithm
    matrices : sequence of PreferenceMatrix
        All that the spec has.
    n_runs : int
        Of each algorithm on each of them.
    horizon : int
        Of the runs, in rounds.

    Examples
    --------
    >>> circle = PreferenceMatrix([[0.5, 0.6, 0.4], [0.4, 0.5, 0.7], [0.6, 0.3, 0.5]])
    >>> reason(registry.get("rucb"), [circle], 50, 10**6).rule, reason(registry.get("ccb"), [circle], 50, 10**6)
    ('assumes', None)
    """
    if is_fixed_confidence(algorithm):
        why = "Right with a given probability, and compared by how many duels that takes."
        return Reason("identification", why)
    lack = _lacking(algorithm, {setting_of(matrix) for matrix in matrices})
    if lack is not None:
        return Reason("assumes", f"Made for matrices with {lack}, which some of these do not have.")
    kinds = {(setting_of(matrix), size_of(matrix.n_arms), horizon) for matrix in matrices}
    if any(algorithm.id in TOO_SLOW.get(kind, "").split() for kind in kinds):
        most = MOST_MINUTES[horizon]
        why = f"All runs to {horizon:,} rounds on these matrices would take more than {most} minutes of one core."
        return Reason("time", why)
    return None


def _lacking(algorithm: Algorithm, found: set[str]) -> str | None:
    """What an algorithm assumes and matrices of these settings do not have; arms that are level break no order."""
    if algorithm.assumes in NEED_CONDORCET_WINNER and "copeland" in found:
        return WINNER
    return ORDER if algorithm.assumes == "total order" and found != {"order"} else None


def is_fixed_confidence(algorithm: Algorithm) -> bool:
    """Whether an algorithm ends with an answer that is right with a probability that it is given, whatever the horizon.

    Those that explore before they exploit derive theirs from the horizon.

    Examples
    --------
    >>> is_fixed_confidence(registry.get("knockout")), is_fixed_confidence(registry.get("savage-copeland"))
    (True, False)
    """
    delta = algorithm.parameters.get("delta")
    return bool(algorithm.answers) and delta is not None and delta.default is not None
