"""What a table of wins shows about who wins, and how sure that is.

Intervals (all of them together) and the rule's answer hold with probability 1 - delta for any matrix, however the pairs
were chosen and whenever you stop.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from duelbench.bandits.algorithms.contract import NO_WINNER
from duelbench.judging.evidence import checked, intervals, log_e_value, open_pairs, shares, stand, surely_beats
from duelbench.judging.position import PositionBias, position_bias


@dataclass(frozen=True, eq=False)
class Certainty:
    """Who wins, and how sure that is. Arms are 0-based.

    Parameters
    ----------
    delta : float
        The maximum error probability of the intervals, and of the answer.
    rule : str
        ``e-condorcet``, or ``pairs``, which answers with a Copeland winner.
    low, high : (K, K) float64
        Ends of the interval of the probability that arm i beats arm j.
    copeland, copeland_low, copeland_high : (K,) float64
        The share of the other arms that each arm is ahead of, and the interval of the true share of those it beats.
    borda, borda_low, borda_high : (K,) float64
        The mean share of wins against the other arms, 1/2 where there is no duel, and the interval of the true one.
    may_win : (K,) bool
        The arms that may still be the answer of the rule.
    leader : int
        The answer, if it is an arm; before it the arm that is ahead of the most others, of these the one with the
        largest share of wins.
    is_decided : bool
        Whether the rule has an answer by these counts.
    e_value : float
        One over the least delta at which the rule would have one.
    open_pairs : list of (int, int)
        The pairs that keep the rule from its answer. First those of the leader with others that may win, then
        its other pairs, then the rest; of each kind the least sure first. Always asking for the first is a good way.
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
        """How many duels there were, ties among them."""
        return round(float(self.wins.sum()))

    @property
    def answer(self) -> int | None:
        """The rule's answer: an arm, or `NO_WINNER`; None before there is one."""
        if not self.is_decided:
            return None
        return self.leader if self.may_win[self.leader] else NO_WINNER

    @property
    def confidence(self) -> float:
        """1 - 1 / ``e_value``, at least 0: it reaches 1 - x with a wrong leader with probability x at most, ever."""
        return max(0.0, 1.0 - 1.0 / self.e_value) if self.e_value > 0.0 else 0.0


def certainty(
    wins: ArrayLike,
    *,
    delta: float = 0.05,
    first_wins: tuple[int, int] | None = None,
    rule: str = "e-condorcet",
) -> Certainty:
    """What a table of wins shows about who wins.

    Parameters
    ----------
    wins : array_like of shape (K, K)
        ``wins[i, j]`` = duels that arm i has won against arm j, a tie being half a win of each; 0 on the diagonal.
    delta : float
        In (0, 1).
    first_wins : pair of int, optional
        Duels that the arm shown first won, and duels with a winner.
    rule : str
        ``e-condorcet`` or ``pairs``.

    Raises
    ------
    InputError
        For counts that are no such table, and for another delta or rule.

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
    may_win, is_decided = stand(counts, delta, rule)
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
    """Row means without the diagonal."""
    return (values.sum(axis=1) - values.diagonal()) / (len(values) - 1)


def _in_order(is_open: np.ndarray, wins: np.ndarray, leader: int, may_win: np.ndarray) -> list[tuple[int, int]]:
    """The open pairs as `Certainty` has them; how sure one is: (wins - losses) / sqrt(duels + 1)."""
    surety = np.abs(wins - wins.T) / np.sqrt(wins + wins.T + 1.0)

    def place(pair: tuple[int, int]) -> tuple[bool, bool, float, tuple[int, int]]:
        return not (leader in pair and may_win[list(pair)].all()), leader not in pair, surety[pair], pair

    return sorted(((int(i), int(j)) for i, j in zip(*np.nonzero(np.triu(is_open)), strict=True)), key=place)
