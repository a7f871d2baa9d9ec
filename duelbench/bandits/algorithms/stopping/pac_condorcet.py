"""pac-condorcet: answers with an arm that loses to no other by more than epsilon, or with the Condorcet winner.

Half of delta is for the rule e-condorcet. With the other half, an arm is also the answer if the evidence that it wins
with probability above 1/2 - epsilon (`duelbench.bandits.kernels.threshold_evidence`) is at least 2 K / delta in all its
pairs.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import Parameter
from duelbench.bandits.algorithms.stopping import duels, e_condorcet
from duelbench.bandits.algorithms.stopping.rule import DELTA, Rule
from duelbench.bandits.kernels.decorators import kernel
from duelbench.bandits.kernels.never import NEVER
from duelbench.bandits.kernels.threshold_evidence import log_evidence_above, wins_needed

NO_ARM = -2


class PacTests(NamedTuple):
    exact: e_condorcet.Tests  # Of e-condorcet, at delta / 2
    shown: np.ndarray  # (K, K) bool. shown[i, j]: the evidence that i wins against j above 1/2 - epsilon suffices now.
    answer: np.ndarray  # (1,) int64. The arm shown to lose to none by more than epsilon, or NO_ARM.
    log_level: float  # ln(2 K / delta)
    threshold: float  # 1/2 - epsilon

    @property
    def wins(self):
        """Wins of all pairs, (K, K) int64."""
        return self.exact.wins


def new_tests(n_arms, delta, epsilon):
    """Return the tests before any duel."""
    return PacTests(
        exact=e_condorcet.new_tests(n_arms, delta / 2),
        shown=np.eye(n_arms, dtype=np.bool_),
        answer=np.array([NO_ARM]),
        log_level=math.log(2 * n_arms / delta),
        threshold=0.5 - epsilon,
    )


@kernel
def update(tests, i, j, wins, losses):
    """Count duels of two different arms, of which i has won ``wins``."""
    duels.update(tests.exact, i, j, wins, losses)


@kernel
def settle(tests):
    """Test the outcomes so far; nothing changes once the answer is known."""
    if n_left(tests) == 0:
        return
    exact = tests.exact
    n_new = exact.duels.n_new[0]
    for k in range(n_new):
        _show(tests, exact.duels.pairs[k, 0], exact.duels.pairs[k, 1])
        _show(tests, exact.duels.pairs[k, 1], exact.duels.pairs[k, 0])
    e_condorcet.settle(exact)
    if e_condorcet.is_decided(exact) or n_new == 0:
        return
    for i in range(tests.shown.shape[0]):
        if tests.shown[i].all():
            tests.answer[0] = i
            return


@kernel
def _show(tests, i, j):
    wins = tests.exact.duels.wins
    tests.shown[i, j] = log_evidence_above(wins[i, j], wins[j, i], tests.threshold) >= tests.log_level


@kernel
def n_left(tests):
    """Return how many arms may still be the Condorcet winner; 0 once the answer is known."""
    return 0 if tests.answer[0] != NO_ARM else e_condorcet.n_left(tests.exact)


@kernel
def rounds_to_next(tests, i, j):
    """Return the fewest further duels of i and j after which an arm can be out, or one of the two can be the answer."""
    fewest = e_condorcet.rounds_to_next(tests.exact, i, j)
    return min(fewest, min(_wins_left(tests, i, j), _wins_left(tests, j, i)))


@kernel
def _wins_left(tests, i, j):
    """Return after how many straight wins against j arm i can be the answer, if it still needs only j."""
    if tests.shown[i, j] or tests.shown[i].sum() < tests.shown.shape[0] - 1:
        return NEVER
    wins = tests.exact.duels.wins
    return max(1, wins_needed(wins[i, j], wins[j, i], tests.threshold, tests.log_level))


@kernel
def answer(tests):
    """Return the answer, once it is known."""
    return tests.answer[0] if tests.answer[0] != NO_ARM else e_condorcet.answer(tests.exact)


PAC_CONDORCET = Rule.of_module(
    __name__,
    id="pac-condorcet",
    description="e-condorcet does, or an arm is known to lose to none by more than epsilon",
    targets=("condorcet",),
    assumes="condorcet",
    state=PacTests,
    parameters={
        "delta": DELTA,
        "epsilon": Parameter(0.0, "by how much the answer may lose", low=0.0, high=0.5, high_open=True),
    },
)
