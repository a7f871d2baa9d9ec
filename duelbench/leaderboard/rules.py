"""Which algorithms the leaderboard leaves out, worked out from the registry, the matrices and the table of rates."""

from collections.abc import Sequence
from typing import NamedTuple

from duelbench.algorithms import registry
from duelbench.algorithms.contract import Algorithm
from duelbench.execution import rates
from duelbench.leaderboard.settings import setting_of, size_of
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.spec.assumptions import NEED_CONDORCET_WINNER, ORDER, WINNER

MOST_MINUTES = {10**6: 10.0, 10**8: 2.0}
"""What all runs of an algorithm in a spec may take on one core: by the horizon up to which that holds."""

MEASURED = {("sup-klucb", "copeland", "small", 10**8): 26.0}
"""Core-minutes of all runs of a spec, measured where the table of rates says much less: by algorithm, setting, size and
horizon. On three of these matrices Sup-KLUCB may never settle, and then decides in every round."""


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
    most = _most_minutes(horizon)
    minutes = core_minutes(algorithm, matrices, n_runs, horizon)
    if minutes is not None and minutes > most:
        why = f"All runs to {horizon:,} rounds on these matrices would take more than {most:g} minutes of one core."
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


def core_minutes(algorithm: Algorithm, matrices: Sequence[PreferenceMatrix], n_runs: int, horizon: int) -> float | None:
    """What ``n_runs`` runs on each matrix take, on the machine of the table of rates; None where nothing is known.

    Examples
    --------
    >>> two = PreferenceMatrix([[0.5, 0.6], [0.4, 0.5]])
    >>> one, ten = (core_minutes(registry.get("rucb"), [two], runs, 10**6) for runs in (1, 10))
    >>> round(ten / one, 9)
    10.0
    """
    kinds = {(setting_of(matrix), size_of(matrix.n_arms)) for matrix in matrices}
    measured = [MEASURED[algorithm.id, *kind, horizon] for kind in kinds if (algorithm.id, *kind, horizon) in MEASURED]
    if measured:
        return sum(measured)
    models = [rates.model(algorithm.id, matrix, rates.table()) for matrix in matrices]
    costs = [None if model is None else model.cost(horizon).seconds for model in models]
    known = [cost for cost in costs if cost is not None]
    return n_runs * sum(known) / 60 if len(known) == len(costs) else None


def _most_minutes(horizon: int) -> float:
    return next((minutes for upto, minutes in MOST_MINUTES.items() if horizon <= upto), min(MOST_MINUTES.values()))
