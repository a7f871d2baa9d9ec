"""Computes the evidence in tables of wins, on whole arrays.

The numbers are those of `duelbench.bandits.kernels.sign_evidence`, `duelbench.bandits.kernels.threshold_evidence` and
the rules ``e-condorcet`` and ``pairs``, computed with SciPy instead of compiled code. Two things differ. First, wins
may be fractional: a tie is half a win for each arm. A duel multiplies the evidence by a convex function of its outcome,
so ties do not increase the mean of the evidence. Second, the rules use the current counts only, so an arm that was
ruled out earlier may become possible again.

Arrays named ``wins`` have shape (..., K, K): ``wins[..., i, j]`` = duels that arm i has won against arm j.
"""

import math
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from duelbench.errors import InputError

RULES = ("e-condorcet", "pairs")
"""The stopping rules: for the Condorcet winner, and for a Copeland winner."""

HALVINGS = 60
"""Steps of the bisection of `intervals`."""


def checked(wins: ArrayLike, delta: float, rule: str) -> np.ndarray:
    """Return a copy of a table of wins as float64; refuse a wrong table, ``delta`` or ``rule``."""
    if not isinstance(delta, Real) or not 0.0 < delta < 1.0:
        raise InputError(f"delta, the maximum error probability, must be between 0 and 1, not {delta!r}")
    if rule not in RULES:
        raise InputError(f"the rule must be {' or '.join(RULES)}, not {rule!r}")
    try:
        counts = np.array(wins, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("wins must be a table of numbers, K rows and K columns") from None
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or len(counts) < 2:
        raise InputError(f"wins must be a table of K rows and K columns, K >= 2, not of shape {counts.shape}")
    if not (np.isfinite(counts).all() and (counts >= 0).all()):
        raise InputError("wins must be finite numbers, 0 or more")
    if counts.diagonal().any():
        raise InputError("wins on the diagonal must be 0: duels of an arm with itself do not count")
    return counts


def log_sign_evidence(wins: np.ndarray) -> np.ndarray:
    """Return ln E[i, j], the evidence against p_ij >= 1/2; 0 on the diagonal.

    If p_ij >= 1/2, the probability that E[i, j] ever reaches 1 / x is at most x.
    """
    from scipy.special import betainc

    losses = np.swapaxes(wins, -1, -2)
    with np.errstate(divide="ignore"):
        log_evidence = log_two_sided(wins) + np.log(2.0 * betainc(wins + 0.5, losses + 0.5, 0.5))
    return _without_diagonal(log_evidence)


def log_two_sided(wins: np.ndarray, p: float | np.ndarray = 0.5) -> np.ndarray:
    """Return ln M(p), where M(p) is the likelihood of a mixture of all win probabilities divided by that of p.

    M(1/2) = (E_ij + E_ji) / 2. If p is the probability of a win, the probability that M(p) ever reaches 1 / x is at
    most x.
    """
    from scipy.special import betaln, xlog1py, xlogy

    losses = np.swapaxes(wins, -1, -2)
    return betaln(wins + 0.5, losses + 0.5) - math.log(math.pi) - xlogy(wins, p) - xlog1py(losses, -p)


def intervals(wins: np.ndarray, delta: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of intervals of all p_ij, which hold together and at all times with probability 1 - delta.

    An interval contains each p with M(p) < 1 / x, where x = 2 delta / (K (K - 1)); ``wins`` is a single table.

    Examples
    --------
    60 wins in 100 duels of two arms:

    >>> low, high = intervals(np.array([[0.0, 60.0], [40.0, 0.0]]), 0.05)
    >>> round(low[0, 1], 4), round(high[0, 1], 4)
    (np.float64(0.4343), np.float64(0.7514))
    """
    level = log_pair_level(len(wins), delta)
    outside = np.zeros(wins.shape)
    inside = shares(wins, 0.0)
    for _ in range(HALVINGS):
        middle = 0.5 * (outside + inside)
        is_inside = log_two_sided(wins, middle) < level
        inside = np.where(is_inside, middle, inside)
        outside = np.where(is_inside, outside, middle)
    low = np.where(wins > 0, outside, 0.0)
    np.fill_diagonal(low, 0.5)
    return low, 1.0 - low.T


def shares(wins: np.ndarray, without_duels: float) -> np.ndarray:
    """Return the share of duels that each arm won against each other arm; ``without_duels`` for pairs without duels."""
    n = wins + wins.T
    return np.where(n > 0, wins / np.where(n > 0, n, 1.0), without_duels)


def log_pair_level(n_arms: int, delta: float) -> float:
    """Return ln(K (K - 1) / (2 delta)), the evidence that a pair needs if all pairs share delta."""
    return math.log(n_arms * (n_arms - 1) / 2 / delta)


def surely_beats(wins: np.ndarray, delta: float) -> np.ndarray:
    """Return whether arm i surely beats arm j, (..., K, K) bool: whether the interval of p_ij is above 1/2.

    Examples
    --------
    With two arms M(1/2) must reach 1 / delta = 20. After n straight wins it is 2^n B(1/2, n + 1/2) / pi: 14.4 for
    n = 6, and 26.8 for n = 7.

    >>> [bool(surely_beats(np.array([[0.0, n], [0.0, 0.0]]), 0.05)[0, 1]) for n in (6.0, 7.0)]
    [False, True]
    """
    return _is_ahead(wins) & (log_two_sided(wins) >= log_pair_level(wins.shape[-1], delta))


def log_tests(wins: np.ndarray) -> np.ndarray:
    """Return ln M_i of ``e-condorcet``, the evidence against arm i as the Condorcet winner, (..., K).

    M_i is the product over all other arms j of 1 - rho + rho E_ij, with rho = 1 / (K - 1). The probability that M_i of
    the Condorcet winner ever reaches 1 / delta is at most delta.
    """
    rho = 1.0 / (wins.shape[-1] - 1)
    with np.errstate(divide="ignore"):
        rest = np.log(1.0 - rho)
    factors = np.logaddexp(math.log(rho) + log_sign_evidence(wins), rest)
    return _without_diagonal(factors).sum(axis=-1)


def decision(wins: np.ndarray, delta: float, rule: str) -> tuple[np.ndarray, np.ndarray]:
    """Return which arms may still be the answer of a rule, (..., K) bool, and whether the rule has an answer, (...)."""
    if rule == "e-condorcet":
        may_win = log_tests(wins) < -math.log(delta)
        return may_win, may_win.sum(axis=-1) <= 1
    return decision_of_pairs(log_sign_evidence(wins), _is_ahead(wins), log_pair_level(wins.shape[-1], delta))


def open_pairs(wins: np.ndarray, delta: float, rule: str) -> np.ndarray:
    """Return the pairs of which a rule needs more duels, as (..., K, K) bool, symmetric.

    At least one arm of such a pair may still be the answer, and the winner of the pair is not sure. Such pairs exist
    until the rule has its answer.
    """
    may_win, is_decided = decision(wins, delta, rule)
    is_sure = log_two_sided(wins) >= log_pair_level(wins.shape[-1], delta)
    matters = may_win[..., :, np.newaxis] | may_win[..., np.newaxis, :]
    return matters & ~is_sure & ~np.eye(wins.shape[-1], dtype=bool) & ~is_decided[..., np.newaxis, np.newaxis]


def log_e_value(wins: np.ndarray, rule: str) -> float:
    """Return ln(1 / delta) for the smallest delta at which a rule has an answer from one table; -inf without one."""
    if rule == "e-condorcet":
        return float(np.sort(log_tests(wins))[1])  # at this level only the arm with the least evidence remains
    evidence, is_ahead = log_sign_evidence(wins), _is_ahead(wins)
    levels = np.unique(evidence.T[is_ahead])[::-1]
    deciding = (level for level in levels if decision_of_pairs(evidence, is_ahead, level)[1])
    return float(next(deciding, -np.inf)) - log_pair_level(len(wins), 1.0)


def decision_of_pairs(evidence: np.ndarray, is_ahead: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the `decision` of the rule ``pairs``: an arm wins if it beats at least as many as any other still can.

    Parameters
    ----------
    evidence : (..., K, K) float64
        The result of `log_sign_evidence`.
    is_ahead : (..., K, K) bool
        Whether arm i has won more duels against arm j than it has lost.
    level : float
        The log evidence at or above which the winner of a pair is sure.
    """
    beats = is_ahead & (np.swapaxes(evidence, -1, -2) >= level)
    least = beats.sum(axis=-1)
    most = evidence.shape[-1] - 1 - beats.sum(axis=-2)
    ordered = np.sort(most, axis=-1)
    of_others = np.where(most == ordered[..., -1:], ordered[..., -2:-1], ordered[..., -1:])
    return most >= least.max(axis=-1, keepdims=True), (least >= of_others).any(axis=-1)


def _is_ahead(wins: np.ndarray) -> np.ndarray:
    return wins > np.swapaxes(wins, -1, -2)


def _without_diagonal(values: np.ndarray) -> np.ndarray:
    return np.where(np.eye(values.shape[-1], dtype=bool), 0.0, values)
