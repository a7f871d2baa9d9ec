"""pairs: decides pair by pair which arm wins, and answers once these decisions imply the answer.

The decision that i beats j is final; it falls once E_ji, the evidence that j loses to i
(`duelbench.bandits.kernels.sign_evidence`), is at least K (K - 1) / 2 / delta. The rule answers with

- ``copeland``: an arm that has beaten as many arms as any other can still beat, up to epsilon (K - 1);
- ``condorcet``: an arm that has beaten all others, or that there is none if each has lost to another;
- ``ranking``: all arms, if of every two arms one is known to be above the other, directly or through others;
- ``top-k``: the k arms that are each known to be above all others, directly or through others.

The last two assume an order of all arms: an arm that beats i also beats all arms that i beats.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import NO_WINNER, Parameter
from duelbench.bandits.algorithms.stopping.duels import Duels, clear_new, new_duels, update
from duelbench.bandits.algorithms.stopping.rule import DELTA, Rule, rank_by_wins
from duelbench.bandits.kernels.decorators import kernel
from duelbench.bandits.kernels.never import NEVER
from duelbench.bandits.kernels.records import record
from duelbench.bandits.kernels.sign_evidence import log_evidence, losses_needed

TARGETS = ("condorcet", "copeland", "ranking", "top-k")
CONDORCET, COPELAND, RANKING, TOP_K = range(4)

OPEN = -2  # the answer before there is one
ROUNDING = 1e-9


class PairTests(NamedTuple):
    duels: Duels
    beats: np.ndarray  # (K, K) bool. beats[i, j]: it is decided that i beats j.
    above: np.ndarray  # (K, K) bool. The same, directly or through others; only for ``ranking`` and ``top-k``.
    stand: np.ndarray  # (1,) record of `new_tests`. How close the rule is to its answer.
    log_level: float  # ln(K (K - 1) / (2 delta))
    target: int  # The place in TARGETS
    slack: float  # epsilon (K - 1): by how many wins an answer may be worse than the best
    k: int  # Of ``top-k``


def new_tests(n_arms, delta, target, epsilon, k):
    """Return the tests before any duel: nothing is decided."""
    return PairTests(
        duels=new_duels(n_arms),
        beats=np.zeros((n_arms, n_arms), np.bool_),
        above=np.zeros((n_arms, n_arms), np.bool_),
        stand=record(
            n_left=n_arms,  # how many arms may still be the answer, 0 once it is known
            answer=OPEN,  # the answer, or OPEN
        ),
        log_level=math.log(n_arms * (n_arms - 1) / 2 / delta),
        target=TARGETS.index(target),
        slack=epsilon * (n_arms - 1),
        k=k,
    )


def refuses(n_arms, delta, target, epsilon, k):
    """Return why it cannot answer, or None."""
    if target == "top-k" and not 1 <= k < n_arms:
        return f"k must be from 1 to {n_arms - 1}, got {k}"
    return None


@kernel
def settle(tests):
    """Decide the pairs that have new outcomes, and see whether the answer follows."""
    if n_left(tests) == 0:
        return
    is_new = False
    wins = tests.duels.wins
    for k in range(tests.duels.n_new[0]):
        i = tests.duels.pairs[k, 0]
        j = tests.duels.pairs[k, 1]
        if _is_decided(tests, i, j):
            continue
        if log_evidence(wins[j, i], wins[i, j]) >= tests.log_level:
            _decide(tests, i, j)
            is_new = True
        elif log_evidence(wins[i, j], wins[j, i]) >= tests.log_level:
            _decide(tests, j, i)
            is_new = True
    clear_new(tests.duels)
    if not is_new:
        return
    if tests.target == COPELAND:
        _conclude_copeland(tests)
    elif tests.target == CONDORCET:
        _conclude_condorcet(tests)
    elif tests.target == RANKING:
        _conclude_ranking(tests)
    else:
        _conclude_top_k(tests)


@kernel
def _is_decided(tests, i, j):
    return tests.beats[i, j] or tests.beats[j, i]


@kernel
def _decide(tests, i, j):
    """Record that i beats j."""
    tests.beats[i, j] = True
    if tests.target < RANKING:
        return
    n_arms = tests.beats.shape[0]
    for a in range(n_arms):
        if a == i or tests.above[a, i]:
            for b in range(n_arms):
                if b == j or tests.above[j, b]:
                    tests.above[a, b] = True


@kernel
def _set_answer(tests, arm):
    tests.stand[0].n_left = 0
    tests.stand[0].answer = arm


@kernel
def _conclude_copeland(tests):
    """Check whether an arm has won as many pairs as any other can still win; on ties, take the first."""
    n_arms = tests.beats.shape[0]
    most = 0
    for i in range(n_arms):
        most = max(most, tests.beats[i].sum())
    n_able = 0
    for i in range(n_arms):
        n_able += n_arms - 1 - tests.beats[:, i].sum() >= most
    tests.stand[0].n_left = n_able
    for a in range(n_arms):
        others = 0
        for i in range(n_arms):
            if i != a:
                others = max(others, n_arms - 1 - tests.beats[:, i].sum())
        if tests.beats[a].sum() >= others - tests.slack - ROUNDING:
            _set_answer(tests, a)
            return


@kernel
def _conclude_condorcet(tests):
    n_arms = tests.beats.shape[0]
    n_unbeaten = 0
    for i in range(n_arms):
        if tests.beats[:, i].sum() == 0:
            n_unbeaten += 1
            if tests.beats[i].sum() == n_arms - 1:
                _set_answer(tests, i)
                return
    tests.stand[0].n_left = n_unbeaten
    if n_unbeaten == 0:
        tests.stand[0].answer = NO_WINNER


@kernel
def _conclude_ranking(tests):
    """Count the arms with an open place: those that are not compared with all others."""
    n_arms = tests.above.shape[0]
    n_open = 0
    for i in range(n_arms):
        for j in range(n_arms):
            if j != i and not (tests.above[i, j] or tests.above[j, i]):
                n_open += 1
                break
    tests.stand[0].n_left = n_open
    if n_open == 0:
        tests.stand[0].answer = _top(tests)


@kernel
def _top(tests):
    """Return the arm above the most others."""
    best = 0
    for i in range(tests.above.shape[0]):
        if tests.above[i].sum() > tests.above[best].sum():
            best = i
    return best


@kernel
def _conclude_top_k(tests):
    """Count the arms that may be among the k best or not: neither below k others nor above all but k - 1."""
    n_arms = tests.above.shape[0]
    n_in = 0
    n_open = 0
    are_apart = True
    for i in range(n_arms):
        n_in += _is_in(tests, i)
        n_open += not _is_in(tests, i) and tests.above[:, i].sum() < tests.k
        for j in range(n_arms):
            if _is_in(tests, i) and not _is_in(tests, j) and not tests.above[i, j]:
                are_apart = False
    if n_in == tests.k and are_apart:
        _set_answer(tests, _top(tests))
    else:
        tests.stand[0].n_left = max(1, n_open)


@kernel
def _is_in(tests, i):
    """Return whether i is above all but k - 1 arms."""
    return tests.above[i].sum() >= tests.above.shape[0] - tests.k


@kernel
def n_left(tests):
    """Return how many arms may still be the answer, or have an open place; 0 once it is known."""
    return tests.stand[0].n_left


@kernel
def rounds_to_next(tests, i, j):
    """Return the fewest further duels of i and j after which it can be decided who beats whom; NEVER once it is."""
    if _is_decided(tests, i, j):
        return NEVER
    wins = tests.duels.wins[i, j]
    losses = tests.duels.wins[j, i]
    fewest = min(losses_needed(wins, losses, tests.log_level), losses_needed(losses, wins, tests.log_level))
    return max(1, fewest)


@kernel
def answer(tests):
    """Return the answer once it is known; of a ranking or a set the arm above the most others."""
    return tests.stand[0].answer


def rank(tests, places):
    """Fill in the places by the ranking or the set once it is known; before, and for one arm, by the duels so far."""
    if n_left(tests) > 0 or tests.target < RANKING:
        rank_by_wins(tests.duels.wins, places)
        return
    n_arms = len(places)
    beaten = [int(tests.above[i].sum()) for i in range(n_arms)]
    order = sorted(range(n_arms), key=lambda i: (-beaten[i], i))
    for place, arm in enumerate(order):
        places[arm] = place if tests.target == RANKING else int(place >= tests.k)


PAIRS = Rule.of_module(
    __name__,
    id="pairs",
    description="the pairs whose winner is decided imply it",
    targets=TARGETS,
    state=PairTests,
    parameters={
        "delta": DELTA,
        "target": Parameter("condorcet", "what the rule looks for", choices=TARGETS),
        "epsilon": Parameter(0.0, "of copeland: how far from the best score", low=0.0, high=0.5, high_open=True),
        "k": Parameter(1, "of top-k: how many arms", low=1),
    },
    update=update,
)
