"""Computes intervals and the answer of a stopping rule from a table of wins.

With probability 1 - delta, all intervals hold together; with the same probability, so does the rule's answer. Both are
true for any matrix, however the pairs were chosen and whenever you stop.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from duelbench.bandits.algorithms.contract import NO_WINNER
from duelbench.judging.evidence import checked, decision, intervals, log_e_value, open_pairs, shares, surely_beats
from duelbench.judging.position import PositionBias, position_bias


@dataclass(frozen=True, eq=False)
class Certainty:
    """The evidence in a table of wins. Arms are 0-based.

    Parameters
    ----------
    delta : float
        The maximum error probability of the intervals, and of the answer.
    rule : str
        ``e-condorcet``, or ``pairs``, whose answer is a Copeland winner.
    low, high : (K, K) float64
        Ends of the interval of the probability that arm i beats arm j.
    copeland, copeland_low, copeland_high : (K,) float64
        The share of the other arms that each arm leads against, and the interval of its true Copeland score.
    borda, borda_low, borda_high : (K,) float64
        The mean share of wins against the other arms, 1/2 for pairs without duels, and the interval of the true mean.
    may_win : (K,) bool
        The arms that may still be the answer of the rule.
    leader : int
        The answer, if it is an arm; otherwise the arm that leads against the most others. The larger ``borda`` breaks
        ties.
    is_decided : bool
        Whether the rule has an answer.
    e_value : float
        1 / delta for the smallest delta at which the rule has an answer.
    open_pairs : list of (int, int)
        The pairs of which the rule needs more duels: first the pairs of the leader with other arms that may win, then
        the other pairs of the leader, then all others; each kind by increasing evidence. Ask about the first pair next.
    """

    wins: np.ndarray
    delta: float
    rule: str
    low: np.ndarray
    high: np.ndarray
    copeland: np.ndarray
    copeland_low: np.ndarray
    copeland_high: np.ndarray
    borda: np.ndarray
    borda_low: np.ndarray
    borda_high: np.ndarray
    may_win: np.ndarray
    leader: int
    is_decided: bool
    e_value: float
    open_pairs: list[tuple[int, int]]
    position: PositionBias | None = None

    @property
    def n_duels(self) -> int:
        """The number of duels, ties included."""
        return round(float(self.wins.sum()))

    @property
    def answer(self) -> int | None:
        """The rule's answer: an arm or `NO_WINNER`; None while it is undecided."""
        if not self.is_decided:
            return None
        return self.leader if self.may_win[self.leader] else NO_WINNER

    @property
    def confidence(self) -> float:
        """1 - 1 / ``e_value``, at least 0.

        The probability that the confidence ever reaches 1 - x while the leader is wrong is at most x.
        """
        return max(0.0, 1.0 - 1.0 / self.e_value) if self.e_value > 0.0 else 0.0


def certainty(
    wins: ArrayLike,
    *,
    delta: float = 0.05,
    first_wins: tuple[int, int] | None = None,
    rule: str = "e-condorcet",
) -> Certainty:
    """Compute the evidence in a table of wins.

    Parameters
    ----------
    wins : array_like of shape (K, K)
        ``wins[i, j]`` = duels that arm i has won against arm j, a tie being half a win for each; 0 on the diagonal.
    delta : float
        The maximum error probability, in (0, 1).
    first_wins : pair of int, optional
        The number of duels that the arm shown first won, and the number of duels with a winner.
    rule : str
        ``e-condorcet`` or ``pairs``.

    Raises
    ------
    InputError
        If ``wins`` is not such a table, or ``delta`` or ``rule`` is wrong.

    Examples
    --------
    Two arms, five wins to none: E = 15.6418, not yet 1 / delta = 20.

    >>> known = certainty([[0, 5], [0, 0]])
    >>> known.leader, known.is_decided, known.open_pairs, round(known.e_value, 4)
    (0, False, [(0, 1)], 15.6418)
    >>> certainty([[0, 6], [0, 0]]).answer
    0
    """
    counts = checked(wins, delta, rule)
    low, high = intervals(counts, delta)
    beats = surely_beats(counts, delta)
    may_win, is_decided = decision(counts, delta, rule)
    n_others = len(counts) - 1
    borda = _mean_of_others(shares(counts, 0.5))
    is_answer = may_win & is_decided
    copeland = (counts > counts.T).sum(axis=1) / n_others
    leader = max(range(len(counts)), key=lambda arm: (is_answer[arm], copeland[arm], borda[arm], -arm))
    return Certainty(
        wins=counts,
        delta=delta,
        rule=rule,
        low=low,
        high=high,
        copeland=copeland,
        copeland_low=beats.sum(axis=1) / n_others,
        copeland_high=1.0 - beats.sum(axis=0) / n_others,
        borda=borda,
        borda_low=_mean_of_others(low),
        borda_high=_mean_of_others(high),
        may_win=may_win,
        leader=leader,
        is_decided=bool(is_decided),
        e_value=float(np.exp(min(log_e_value(counts, rule), 700.0))),
        open_pairs=_in_order(open_pairs(counts, delta, rule), counts, leader, may_win),
        position=None if first_wins is None else position_bias(*first_wins),
    )


def _mean_of_others(values: np.ndarray) -> np.ndarray:
    """Return row means without the diagonal."""
    return (values.sum(axis=1) - values.diagonal()) / (len(values) - 1)


def _in_order(is_open: np.ndarray, wins: np.ndarray, leader: int, may_win: np.ndarray) -> list[tuple[int, int]]:
    """Return pairs in the order of `Certainty.open_pairs`; their evidence is |wins - losses| / sqrt(duels + 1)."""
    evidence = np.abs(wins - wins.T) / np.sqrt(wins + wins.T + 1.0)

    def priority(pair: tuple[int, int]) -> tuple[bool, bool, float, tuple[int, int]]:
        is_of_rivals = leader in pair and bool(may_win[list(pair)].all())
        return not is_of_rivals, leader not in pair, float(evidence[pair]), pair

    pairs = [(int(i), int(j)) for i, j in np.argwhere(np.triu(is_open))]
    return sorted(pairs, key=priority)
