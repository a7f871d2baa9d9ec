"""e-condorcet: when a Condorcet winner is known, whoever has chosen the duels.

Each arm i has one test, M_i, the product over all other arms j of 1 - rho + rho E_ij, with rho = 1 / (K - 1) and E_ij
the evidence that i loses to j (`duelbench.kernels.sign_evidence`). Arm i is out permanently once M_i >= 1 / delta,
and the answer is there when one arm is left; where none is left, the answer is that there is no Condorcet winner.

If w is the Condorcet winner, a duel changes one factor of M_w, and its conditional mean does not grow, whichever pair
was chosen by what happened before: so M_w is a supermartingale from 1, and w is ever out with probability delta at
most (Ville's inequality). Only the test of w can do harm, and that is why delta is not shared out among arms or
pairs.

glr-condorcet is the same with a lower bound of E_ij, exp(n d(W / n, 1/2)) / (2 sqrt n) where i has lost more duels than
it has won, and 0 elsewhere: the likelihood ratio of the most likely p, which needs no mixture and answers later. Before
any duel of i and j it is E_ij itself, 1.
"""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.contract import NO_WINNER
from duelbench.algorithms.identification.parameters import DELTA
from duelbench.algorithms.stopping.rule import Rule
from duelbench.kernels.decorators import kernel
from duelbench.kernels.divergence import kl_to_half
from duelbench.kernels.never import NEVER
from duelbench.kernels.sign_evidence import log_evidence

TALLY = np.dtype([("n_in", np.int64), ("n_told", np.int64)])


class Tests(NamedTuple):
    """The tests of all arms; arrays are updated in place."""

    wins: np.ndarray  # (K, K) int64. wins[i, j] = duels that arm i has won against arm j.
    log_factor: np.ndarray  # (K, K) float64. ln(1 - rho + rho E_ij); 0 on the diagonal.
    is_in: np.ndarray  # (K,) bool. Whether each arm may still be the answer.
    # (K (K - 1) / 2, 2) int64. The pairs i > j with outcomes that the tests do not know yet; the first ``n_told``
    # entries count.
    told: np.ndarray
    is_told: np.ndarray  # (K, K) bool. Which pairs i > j are in ``told``.
    tally: np.ndarray  # (1,) TALLY. How many arms are in; how many pairs are in ``told``.
    log_level: float  # ln(1 / delta)
    rho: float  # 1 / (K - 1)
    is_glr: bool  # Whether evidence is that of glr-condorcet


def new_tests(n_arms, delta, is_glr=False):
    """The tests before any duel: all arms are in."""
    return Tests(
        wins=np.zeros((n_arms, n_arms), np.int64),
        log_factor=np.zeros((n_arms, n_arms)),
        is_in=np.ones(n_arms, np.bool_),
        told=np.zeros((n_arms * (n_arms - 1) // 2, 2), np.int64),
        is_told=np.zeros((n_arms, n_arms), np.bool_),
        tally=np.rec.array([(n_arms, 0)], dtype=TALLY),
        log_level=-math.log(delta),
        rho=1.0 / (n_arms - 1),
        is_glr=is_glr,
    )


def new_glr_tests(n_arms, delta):
    """The same for glr-condorcet."""
    return new_tests(n_arms, delta, is_glr=True)


@kernel
def tell(tests, i, j, wins, losses):
    """Count duels of two different arms, of which i has won ``wins``."""
    tests.wins[i, j] += wins
    tests.wins[j, i] += losses
    high = max(i, j)
    low = min(i, j)
    if not tests.is_told[high, low]:
        tests.is_told[high, low] = True
        count = tests.tally[0]
        tests.told[count.n_told, 0] = high
        tests.told[count.n_told, 1] = low
        count.n_told += 1


@kernel
def settle(tests):
    """Judge all arms by the outcomes so far; whoever is out stays out, and the answer remains what it is."""
    if is_decided(tests):
        return
    count = tests.tally[0]
    for k in range(count.n_told):
        i = tests.told[k, 0]
        j = tests.told[k, 1]
        tests.is_told[i, j] = False
        tests.log_factor[i, j] = _log_factor(tests, tests.wins[i, j], tests.wins[j, i])
        tests.log_factor[j, i] = _log_factor(tests, tests.wins[j, i], tests.wins[i, j])
    for k in range(count.n_told):
        _judge(tests, tests.told[k, 0])
        _judge(tests, tests.told[k, 1])
    count.n_told = 0


@kernel
def _judge(tests, i):
    if tests.is_in[i] and log_test(tests, i) >= tests.log_level:
        tests.is_in[i] = False
        tests.tally[0].n_in -= 1


@kernel
def log_test(tests, i):
    """ln M_i, by all outcomes so far.

    Examples
    --------
    Two arms, so that rho = 1. Arm 0 has lost its only duel: M_0 = E = 1 + 2 / pi.

    >>> tests = new_tests(2, 0.05)
    >>> tell(tests, 0, 1, 0, 1); settle(tests)
    >>> round(math.exp(log_test(tests, 0)) - 2 / math.pi, 12)
    1.0
    """
    total = 0.0
    for j in range(tests.is_in.size):
        if tests.is_told[max(i, j), min(i, j)]:
            total += _log_factor(tests, tests.wins[i, j], tests.wins[j, i])
        elif j != i:
            total += tests.log_factor[i, j]
    return total


@kernel
def leader(tests, order):
    """The arm of least M_i among those in; among all where none is in. Ties by their place in ``order``, (K,) int64.

    Examples
    --------
    Arm 1 has won the only duel.

    >>> tests = new_tests(2, 0.05)
    >>> tell(tests, 0, 1, 0, 1); settle(tests)
    >>> int(leader(tests, np.array([0, 1])))
    1
    """
    best = -1
    least = np.inf
    for place in range(order.size):
        i = order[place]
        if tests.is_in[i] or tests.tally[0].n_in == 0:
            value = log_test(tests, i)
            if best < 0 or value < least:
                least = value
                best = i
    return best


@kernel
def _sum_but_one(tests, i, left_out):
    total = 0.0
    for j in range(tests.is_in.size):
        if j != left_out:
            total += tests.log_factor[i, j]
    return total


@kernel
def _log_factor(tests, wins, losses):
    """ln(1 - rho + rho E), without leaving floats where E does."""
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
    """The fewest further duels of i and j after which one of the two can be out; NEVER where both are.

    No outcomes put an arm out sooner than losses alone.
    """
    return min(_losses_left(tests, i, j), _losses_left(tests, j, i))


@kernel
def _losses_left(tests, i, j):
    """After how many losses in a row to j arm i is out."""
    if not tests.is_in[i]:
        return NEVER
    others = _sum_but_one(tests, i, j)
    wins = tests.wins[i, j]
    losses = tests.wins[j, i]
    enough = 1
    while others + _log_factor(tests, wins, losses + enough) < tests.log_level:
        if enough > NEVER // 4:
            return NEVER
        enough *= 2
    too_few = enough // 2
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        if others + _log_factor(tests, wins, losses + middle) < tests.log_level:
            too_few = middle
        else:
            enough = middle
    return enough


@kernel
def is_decided(tests):
    """Whether the answer is known: at most one arm is left.

    Examples
    --------
    Two arms, delta = 1/5: the second is out once E >= 5, after four straight losses (E = 4.83 after three: not yet).

    >>> tests = new_tests(2, 0.2)
    >>> tell(tests, 0, 1, 3, 0); settle(tests); bool(is_decided(tests))
    False
    >>> tell(tests, 0, 1, 1, 0); settle(tests); bool(is_decided(tests)), verdict(tests)
    (True, 0)
    """
    return tests.tally[0].n_in <= 1


@kernel
def n_left(tests):
    """How many arms may still be the answer; 0 when it is known."""
    return 0 if is_decided(tests) else tests.tally[0].n_in


@kernel
def verdict(tests):
    """The arm that is left, once the answer is known; NO_WINNER where none is."""
    for arm in range(tests.is_in.size):
        if tests.is_in[arm]:
            return arm
    return NO_WINNER


E_CONDORCET = Rule(
    id="e-condorcet",
    description="at most one arm is left that the evidence does not show to be beaten",
    targets=("condorcet",),
    assumes="condorcet",
    state=Tests,
    parameters={"delta": DELTA},
    start=new_tests,
    tell=tell,
    settle=settle,
    n_left=n_left,
    rounds_to_next=rounds_to_next,
    verdict=verdict,
)

GLR_CONDORCET = replace(
    E_CONDORCET,
    id="glr-condorcet",
    description="the same as e-condorcet, by likelihood ratios, which speak later",
    start=new_glr_tests,
)
