"""What a table of wins says about who wins, and how sure that is.

Two kinds of statements stand side by side. Those of the first kind hold with probability 1 - delta for any matrix,
however the pairs were chosen and whenever one stops: the intervals of the pairs and of the Copeland and Borda scores
(all of them together), and the answer of the stopping rule. Those of the second kind are degrees of belief, right for
whoever thinks all probabilities equally likely in advance: the chances to win, and with them who leads.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from duelbench.errors import InputError
from duelbench.live.evidence import checked, intervals, log_e_value, open_pairs, stand, surely_beats
from duelbench.live.position import PositionBias, position_bias
from duelbench.simulation.simulate import MOST_SEED, whole

NO_WINNER = -1
"""The answer that there is no Condorcet winner."""

DRAWS = 10_000
"""Of who beats whom; a chance is off by more than 0.01 for one arm in twenty at most."""

CHUNK = 1000
"""So many are drawn at a time, to save memory."""

LARGEST = 700.0
"""The largest logarithm that is turned into a number."""


@dataclass(frozen=True, eq=False)
class Certainty:
    """Who wins, and how sure that is. Arms are 0-based.

    Parameters
    ----------
    wins : (K, K) float64
        ``wins[i, j]`` = duels that arm i has won against arm j, a tie being half a win of each.
    delta : float
        The error that intervals and answer may have, each on its own.
    rule : str
        The stopping rule: ``e-condorcet``, which is right where there is a Condorcet winner, or ``pairs``, which
        answers with a Copeland winner.
    low, high : (K, K) float64
        Ends of the interval of the probability that arm i beats arm j.
    copeland, copeland_low, copeland_high : (K,) float64
        The share of the other arms that each arm is ahead of, and the interval of the true share of those it beats:
        from those it surely beats to those that do not surely beat it.
    borda, borda_low, borda_high : (K,) float64
        The mean share of wins against the other arms, 1/2 where there is no duel, and the interval of the true one.
    chance_to_win : (K,) float64
        How likely it is that the arm is a Copeland winner. There may be several, and the sum may be above 1.
    may_win : (K,) bool
        The arms that may still be the answer of the rule.
    leader : int
        The answer, if it is an arm; before it the arm with the best chance.
    is_decided : bool
        Whether the rule has an answer by these counts.
    e_value : float
        One over the least error at which the rule would have an answer by these counts.
    open_pairs : list of (int, int)
        The pairs that stand between the rule and its answer: those of arms that may win of which it is not sure who
        beats whom. First those of the leader with others that may win, then its other pairs, then the rest; of each
        kind the one first that is least sure. To ask for the first one always is a good way to the answer.
    position : PositionBias or None
        Whether the order in which arms are shown plays a part.
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
    chance_to_win: np.ndarray
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
        """The arm that the rule answers with; `NO_WINNER` where no arm is left, None before it has an answer."""
        if not self.is_decided:
            return None
        return self.leader if self.may_win[self.leader] else NO_WINNER

    @property
    def confidence(self) -> float:
        """1 - 1 / ``e_value``: ever to find it at 1 - x or more while the leader is wrong has probability x at most.

        0 where the e-value is below 1, and 1 where it is so large that a float cannot tell the two: beyond 10^16.
        """
        return max(0.0, 1.0 - 1.0 / self.e_value) if self.e_value > 0.0 else 0.0


def certainty(
    wins: ArrayLike,
    *,
    delta: float = 0.05,
    seed: int = 0,
    first_wins: Sequence[int] | None = None,
    rule: str = "e-condorcet",
) -> Certainty:
    """What a table of wins says about who wins.

    Parameters
    ----------
    wins : array_like of shape (K, K)
        ``wins[i, j]`` = duels that arm i has won against arm j, a tie being half a win of each; 0 on the diagonal.
    delta : float
        In (0, 1).
    seed : int
        Of the draws behind the chances.
    first_wins : pair of int, optional
        In how many duels the arm shown first won, and of how many duels with a winner.
    rule : str
        ``e-condorcet`` or ``pairs``.

    Returns
    -------
    Certainty

    Raises
    ------
    InputError
        For counts that are no such table, and for another delta or rule.

    Examples
    --------
    Two arms, five wins to none. If all probabilities are equally likely in advance, the chance of the second arm is
    (1/2)^6; and the evidence for the first one is E = 15.6418, not yet the 20 that an error of 5% takes.

    >>> known = certainty([[0, 5], [0, 0]])
    >>> known.leader, known.is_decided, known.open_pairs, round(known.e_value, 4)
    (0, False, [(0, 1)], 15.6418)
    >>> abs(known.chance_to_win[0] - 63 / 64) < 0.005
    np.True_
    >>> certainty([[0, 6], [0, 0]]).answer
    0
    """
    counts = checked(wins, delta, rule)
    whole("seed", seed, 0, MOST_SEED)
    low, high = intervals(counts, delta)
    beats = surely_beats(counts, delta)
    may_win, is_decided = stand(counts, delta, rule)
    chance = _chances(counts, seed)
    n_others = len(counts) - 1
    borda = _mean_of_others(_shares(counts))
    leader = _leader(counts, may_win & is_decided, chance, borda)
    return Certainty(
        wins=counts,
        delta=delta,
        rule=rule,
        low=low,
        high=high,
        copeland=(counts > counts.T).sum(axis=1) / n_others,
        copeland_low=beats.sum(axis=1) / n_others,
        copeland_high=1.0 - beats.sum(axis=0) / n_others,
        borda=borda,
        borda_low=_mean_of_others(low),
        borda_high=_mean_of_others(high),
        chance_to_win=chance,
        may_win=may_win,
        leader=leader,
        is_decided=bool(is_decided),
        e_value=float(np.exp(min(log_e_value(counts, rule), LARGEST))),
        open_pairs=_in_order(open_pairs(counts, delta, rule), counts, leader, may_win),
        position=None if first_wins is None else _position(first_wins),
    )


def _position(first_wins: Sequence[int]) -> PositionBias:
    try:
        first_won, n = first_wins
    except (TypeError, ValueError):
        raise InputError(
            f"first_wins must be two numbers, duels that the arm shown first won and duels with a winner, got"
            f" {first_wins!r}"
        ) from None
    return position_bias(first_won, n)


def _shares(wins: np.ndarray) -> np.ndarray:
    """The share of wins of each arm against each other; 1/2 without duels."""
    n = wins + wins.T
    return np.where(n > 0, wins / np.where(n > 0, n, 1.0), 0.5)


def _mean_of_others(values: np.ndarray) -> np.ndarray:
    """Row means without the diagonal."""
    return (values.sum(axis=1) - values.diagonal()) / (len(values) - 1)


def _chances(wins: np.ndarray, seed: int) -> np.ndarray:
    """How likely each arm is a Copeland winner, (K,) float64.

    Each probability has the law Beta(1 + wins, 1 + losses), so that who beats whom is an independent coin for each
    pair.
    """
    from scipy.special import betainc

    n_arms = len(wins)
    i, j = np.triu_indices(n_arms, 1)
    beats = betainc(wins[j, i] + 1.0, wins[i, j] + 1.0, 0.5)
    score_of_i, score_of_j = np.eye(n_arms, dtype=np.float32)[[i, j]]
    random = np.random.default_rng(np.random.SeedSequence(seed))
    won = np.zeros(n_arms)
    for _ in range(DRAWS // CHUNK):
        is_i = (random.random((CHUNK, len(i))) < beats).astype(np.float32)
        scores = is_i @ score_of_i + (1.0 - is_i) @ score_of_j
        won += (scores == scores.max(axis=1, keepdims=True)).sum(axis=0)
    return won / DRAWS


def _leader(wins: np.ndarray, is_answer: np.ndarray, chance: np.ndarray, borda: np.ndarray) -> int:
    """The answer; else the arm with the best chance, then with the best score, then the first."""
    return max(range(len(wins)), key=lambda arm: (is_answer[arm], chance[arm], borda[arm], -arm))


def _in_order(is_open: np.ndarray, wins: np.ndarray, leader: int, may_win: np.ndarray) -> list[tuple[int, int]]:
    """The open pairs: the leader's with arms that may win, its others, the rest; of each the least sure first.

    How sure a pair is: the difference between wins and losses in standard deviations of n + 1 even duels.
    """
    surety = np.abs(wins - wins.T) / np.sqrt(wins + wins.T + 1.0)

    def place(pair: tuple[int, int]) -> tuple[bool, bool, float, tuple[int, int]]:
        return not (leader in pair and may_win[list(pair)].all()), leader not in pair, surety[pair], pair

    return sorted(((int(i), int(j)) for i, j in zip(*np.nonzero(np.triu(is_open)), strict=True)), key=place)
