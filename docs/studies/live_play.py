"""Duels as a session has them: those of two different arms only, in the order in which an algorithm asks for them."""

from typing import Any, NamedTuple

import numba
import numpy as np

from duelbench.bandits.algorithms import dispatch, registry
from duelbench.bandits.algorithms.contract import NEVER
from duelbench.bandits.algorithms.stopping import rule as rules
from duelbench.bandits.algorithms.stopping.rules import RULES
from duelbench.bandits.problem.preferences import PreferenceMatrix

UNDECIDED = -2
HORIZON = 10**6
"""Rounds, self-duels included, after which a session without a rule is over."""

MATRICES = (
    "cyclic",
    "strong-borda",
    "arxiv",
    "noncondorcet-strong-borda",
    "multisol",
    "arithmetic8",
    "germanparties2009",
    "firstnames",
    "cemschoice",
    "soundquality",
)
"""Six of papers, three of them without a Condorcet winner or with a tie, and four of people."""


class Played(NamedTuple):
    """The duels of one run.

    winners, losers : (n,) int64. In the order of the duels.
    answer : int. Of the rule: an arm, -1 for none; UNDECIDED where the duels were not enough.
    """

    winners: np.ndarray
    losers: np.ndarray
    answer: int

    def wins(self, n_arms: int, n: int) -> np.ndarray:
        """The table of wins, (K, K) int64, after the first n duels."""
        table = np.zeros((n_arms, n_arms), np.int64)
        np.add.at(table, (self.winners[:n], self.losers[:n]), 1)
        return table


@numba.njit
def _play(state, tests, P, most_rounds, winners, losers, rng):
    """Fill in the duels until the rule has an answer; how many there were."""
    n = 0
    t = 1
    while n < winners.size and t <= most_rounds and rules.n_left(tests) > 0:
        first, second, rounds = dispatch.select(state, t, rng)
        if first == second or first < 0:
            t += rounds
            continue
        won = rng.random() < P[first, second]
        winners[n] = first if won else second
        losers[n] = second if won else first
        dispatch.update(state, first, second, int(won), int(not won))
        rules.update(tests, first, second, int(won), int(not won))
        rules.settle(tests)
        n += 1
        t += 1
    return n


def play(id: str, matrix: PreferenceMatrix, rule: str, duels: int, seed: list[int], delta: float = 0.05) -> Played:
    """One run of an algorithm, until the rule has an answer, or for so many duels; its arms in an order of the run.

    Parameters
    ----------
    id : str
        An algorithm; one that needs a horizon is told 10^6.
    matrix : PreferenceMatrix
    rule : str
        ``e-condorcet``, ``pairs`` (for a Copeland winner), or ``never``.
    duels : int
    seed : list of int
    delta : float
    """
    algorithm, chosen = registry.get(id), RULES["e-condorcet" if rule == "never" else rule]
    dispatch.register(algorithm)
    rules.register(chosen)
    rng = np.random.default_rng(seed)
    n_arms = len(matrix.P)
    order = rng.permutation(n_arms)
    shuffled = np.ascontiguousarray(matrix.P[np.ix_(order, order)])
    state = algorithm.start(n_arms, HORIZON, rng, True, **algorithm.resolve({}))
    more: dict[str, Any] = {"target": "copeland", "epsilon": 0.0, "k": 1} if rule == "pairs" else {}
    tests = chosen.start(n_arms, 1e-300 if rule == "never" else delta, **more)
    winners, losers = np.zeros(duels, np.int64), np.zeros(duels, np.int64)
    n = _play(state, tests, shuffled, HORIZON if rule == "never" else NEVER // 2, winners, losers, rng)
    answer = rules.answer(tests) if rules.n_left(tests) == 0 else UNDECIDED
    return Played(order[winners[:n]], order[losers[:n]], int(order[answer]) if answer >= 0 else int(answer))
