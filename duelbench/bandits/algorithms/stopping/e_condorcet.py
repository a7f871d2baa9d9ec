"""e-condorcet: identifies the Condorcet winner, however the duels were chosen.

Each arm i has one test, M_i, the product over all other arms j of 1 - rho + rho E_ij, with rho = 1 / (K - 1) and E_ij
the evidence that i loses to j (`duelbench.bandits.kernels.sign_evidence`). Arm i is out forever once M_i >= 1 / delta.
The rule answers once one arm is left; if none is left, that there is no Condorcet winner.

glr-condorcet is the same with a lower bound on E_ij: exp(n d(W / n, 1/2)) / (2 sqrt n) if i has lost more duels than it
has won, 1 before any duel of i and j, and 0 otherwise.
"""

import math
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import NO_WINNER
from duelbench.bandits.algorithms.stopping.duels import Duels, clear_new, new_duels, update
from duelbench.bandits.algorithms.stopping.rule import DELTA, Rule
from duelbench.bandits.kernels.decorators import kernel
from duelbench.bandits.kernels.divergence import kl_to_half
from duelbench.bandits.kernels.never import NEVER
from duelbench.bandits.kernels.searching import LARGEST, to_try
from duelbench.bandits.kernels.sign_evidence import log_evidence


class Tests(NamedTuple):
    duels: Duels
    log_factor: np.ndarray  # (K, K) float64. ln(1 - rho + rho E_ij); 0 on the diagonal.
    is_in: np.ndarray  # (K,) bool. Whether each arm may still be the answer.
    log_level: float  # ln(1 / delta)
    rho: float  # 1 / (K - 1)
    is_glr: bool  # Whether evidence is that of glr-condorcet

    @property
    def wins(self):
        """Wins of all pairs, (K, K) int64."""
        return self.duels.wins


def new_tests(n_arms, delta, is_glr=False):
    """Return the tests before any duel: all arms are in."""
    return Tests(
        duels=new_duels(n_arms),
        log_factor=np.zeros((n_arms, n_arms)),
        is_in=np.ones(n_arms, np.bool_),
        log_level=-math.log(delta),
        rho=1.0 / (n_arms - 1),
        is_glr=is_glr,
    )


@kernel
def settle(tests):
    """Test all arms; an arm that is out stays out, and the answer is final."""
    if is_decided(tests):
        return
    duels = tests.duels
    n_new = duels.n_new[0]
    for k in range(n_new):
        i = duels.pairs[k, 0]
        j = duels.pairs[k, 1]
        tests.log_factor[i, j] = _log_factor(tests, duels.wins[i, j], duels.wins[j, i])
        tests.log_factor[j, i] = _log_factor(tests, duels.wins[j, i], duels.wins[i, j])
    clear_new(duels)
    for k in range(n_new):
        _test(tests, duels.pairs[k, 0])
        _test(tests, duels.pairs[k, 1])


@kernel
def _test(tests, i):
    if tests.is_in[i] and log_test(tests, i) >= tests.log_level:
        tests.is_in[i] = False


@kernel
def log_test(tests, i):
    """Return ln M_i as of the latest `settle`."""
    total = 0.0
    for j in range(tests.is_in.size):
        total += tests.log_factor[i, j]
    return total


@kernel
def _log_factor(tests, wins, losses):
    """Return ln(1 - rho + rho E), even if E overflows."""
    if tests.is_glr:
        if wins >= losses:
            return math.log1p(-tests.rho) if tests.rho < 1.0 else -math.inf
        n = wins + losses
        evidence = math.log(tests.rho) + n * kl_to_half(wins / n) - math.log(2.0 * math.sqrt(n))
    else:
        evidence = math.log(tests.rho) + log_evidence(wins, losses)
    if tests.rho >= 1.0:
        return evidence
    rest = math.log1p(-tests.rho)
    high = max(evidence, rest)
    return high + math.log1p(math.exp(min(evidence, rest) - high))


@kernel
def rounds_to_next(tests, i, j):
    """Return the fewest further duels of i and j after which one of them is out, if it loses all; NEVER if both are."""
    return min(_losses_left(tests, i, j), _losses_left(tests, j, i))


@kernel
def _losses_left(tests, i, j):
    """Return after how many losses in a row to j arm i is out."""
    if not tests.is_in[i]:
        return NEVER
    others = 0.0
    for a in range(tests.is_in.size):
        if a != j:
            others += tests.log_factor[i, a]
    wins = tests.duels.wins[i, j]
    losses = tests.duels.wins[j, i]
    too_few, enough = 0, NEVER
    while enough - too_few > 1 and too_few < LARGEST:
        m = to_try(too_few, enough)
        if others + _log_factor(tests, wins, losses + m) < tests.log_level:
            too_few = m
        else:
            enough = m
    return enough


@kernel
def is_decided(tests):
    """Return whether the answer is known: at most one arm is left."""
    return tests.is_in.sum() <= 1


@kernel
def n_left(tests):
    """Return how many arms may still be the answer; 0 when it is known."""
    return 0 if is_decided(tests) else tests.is_in.sum()


@kernel
def answer(tests):
    """Return the arm that is left once the answer is known; NO_WINNER if none is left."""
    return np.argmax(tests.is_in) if tests.is_in.any() else NO_WINNER


E_CONDORCET = Rule.of_module(
    __name__,
    id="e-condorcet",
    description="at most one arm is left that the evidence has not ruled out",
    targets=("condorcet",),
    assumes="condorcet",
    state=Tests,
    parameters={"delta": DELTA},
    update=update,
)

GLR_CONDORCET = replace(
    E_CONDORCET,
    id="glr-condorcet",
    description="at most one arm is left that likelihood ratios have not ruled out, which takes more duels",
    start=partial(new_tests, is_glr=True),
)
