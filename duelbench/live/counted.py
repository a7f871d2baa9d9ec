"""An algorithm whose duels are counted: what it recommends when so many are over, and when it has an answer.

Rounds in which an arm duels itself cost nobody a judgement and are not counted: a budget is one of duels of two
different arms. So budgets are reached at rounds that nobody knows beforehand, and checkpoints cannot be put there.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from duelbench.algorithms import dispatch
from duelbench.algorithms.contract import NEVER, Algorithm
from duelbench.kernels.decorators import inlined_or_plain

TALLY = np.dtype([("n_duels", np.int64), ("n_reached", np.int64), ("answered", np.int64), ("before", np.int64)])

NOT_ANSWERED = -1


class Counted(NamedTuple):
    """Memory of an algorithm, and what is counted; arrays are updated in place.

    sampler : The state of the algorithm.
    budgets : (n,) int64. Duels of two different arms, increasing.
    recommended : (n,) int64. After each budget that was reached.
    tally : (1,) TALLY. The duels so far, how many budgets were reached, and after how many duels the algorithm wanted
        no others: its answer; NOT_ANSWERED before; and how many duels it was told of before round 1, from which its
        clock goes on.
    """

    sampler: Any
    budgets: np.ndarray
    recommended: np.ndarray
    tally: np.ndarray


def counted(algorithm: Algorithm, budgets: np.ndarray) -> Algorithm:
    """The algorithm, which plays until its last budget is spent or it has an answer.

    A batch of duels ends at a budget. From the end on arm 0 duels itself, which the engine plays in one step.

    Parameters
    ----------
    algorithm : Algorithm
    budgets : (n,) int64
        Increasing.
    """
    dispatch.register(algorithm)

    def start(n_arms, horizon, rng, standing, **parameters):
        tally = np.rec.array([(0, 0, NOT_ANSWERED, 0)], dtype=TALLY)
        sampler = algorithm.start(n_arms, horizon, rng, standing, **parameters)
        return Counted(sampler, budgets, np.zeros(len(budgets), np.int64), tally)

    return replace(
        algorithm,
        id=f"{algorithm.id}-counted",
        state=Counted,
        start=start,
        select=select,
        update=update,
        recommend=recommend,
        explored=None,
        answer=None,
        rank=None,
        self_duel_probability=None,
        pair_probability=None,
        duel_by_duel=False,
        parts=(*algorithm.parts, algorithm),
    )


# Not kernels: the algorithm may be in plain Python, and then these are, too.


@inlined_or_plain
def select(state, t, rng):
    """The algorithm's decision, no longer than up to the next budget."""
    tally = state.tally[0]
    while tally.n_reached < state.budgets.size and tally.n_duels >= state.budgets[tally.n_reached]:
        state.recommended[tally.n_reached] = dispatch.recommend(state.sampler)
        tally.n_reached += 1
    first, second, rounds = dispatch.select(state.sampler, t + tally.before, rng)
    if first == second and rounds >= NEVER and tally.answered == NOT_ANSWERED:
        tally.answered = tally.n_duels
    if tally.answered != NOT_ANSWERED or tally.n_reached == state.budgets.size:
        return 0, 0, NEVER
    if first == second:
        return max(first, 0), max(second, 0), rounds  # below 0 they are SEVERAL: which of them is all the same here
    return first, second, min(rounds, state.budgets[tally.n_reached] - tally.n_duels)


@inlined_or_plain
def update(state, first, second, first_wins, second_wins):
    """Tell the algorithm, and count."""
    if first != second:
        state.tally[0].n_duels += first_wins + second_wins
    dispatch.update(state.sampler, first, second, first_wins, second_wins)


@inlined_or_plain
def recommend(state):
    """What the algorithm recommends."""
    return dispatch.recommend(state.sampler)
