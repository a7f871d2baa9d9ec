"""Decisions about the probabilities p_ij of all pairs of K arms: the Copeland winner, and the Condorcet winner.

The parameters are the p_ij of the K (K - 1) / 2 pairs i < j in lexicographic order. Equations are those of the paper of
`savage`. Tests (9) and (12) only depend on which pairs are certain (a_ij > 1/2 or b_ij < 1/2), and are skipped if that
has not changed.
"""

from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.exploration.dispatch import drop_independent
from duelbench.bandits.algorithms.exploration.parameter_sets import Certain, count_narrowed, drop, new_certain, settled
from duelbench.bandits.kernels.decorators import inlined, kernel
from duelbench.bandits.kernels.sampling import draw_highest, highest
from duelbench.bandits.problem.decision_rule import Decision, Hooks


class Copeland(NamedTuple):
    """f(x) = argmax U(i, x), the lowest index on ties."""

    certain: Certain  # lo = minU = `sure` and hi = maxU = `possible`
    score: np.ndarray  # (K,) int64. U(i, x) at the point x that is followed.
    value: np.ndarray  # (K,) int64. Scratch: how good a decision each arm is.
    dominated: np.ndarray  # (K,) bool. At the last tests, whether some arm surely had a higher score.


class Condorcet(Copeland):
    """f(x) = the arm that beats all others, if it is known that there is one."""


def start_copeland(n_arms):
    """Return the decision before the first duel."""
    score = np.zeros(n_arms, np.int64)
    return Copeland(new_certain(n_arms), score, np.zeros_like(score), np.zeros(n_arms, np.bool_))


def start_condorcet(n_arms):
    """Return the decision before the first duel."""
    return Condorcet(*start_copeland(n_arms))


@kernel
def decide_copeland(decision, values):
    """Return the arm that beats most others."""
    score = decision.score
    for i in range(score.size):
        score[i] = 0
    e = 0
    for i in range(score.size):
        score_i = score[i]
        for j in range(i + 1, score.size):  # without branches: "Rules" in docs/performance.md
            score_i += int(values[e] > 0.5)
            score[j] += int(values[e] < 0.5)
            e += 1
        score[i] = score_i
    return highest(score)


@inlined
def follow_copeland(decision, values, e, before, d):
    """Update the scores, which change only if the value passes 1/2, and return the leader."""
    change_first = int(values[e] > 0.5) - int(before > 0.5)
    change_second = int(values[e] < 0.5) - int(before < 0.5)
    if change_first != 0 or change_second != 0:
        arms = decision.certain.arms
        return _change_scores(decision.score, d, arms[e, 0], arms[e, 1], change_first, change_second)
    return d


@kernel
def _change_scores(score, leader, i, j, change_first, change_second):
    """Change two scores, and return the leader after that."""
    was = score[leader]
    score[i] += change_first
    score[j] += change_second
    if score[leader] < was:
        return highest(score)
    for k in (i, j):
        if score[k] > score[leader] or (score[k] == score[leader] and k < leader):
            leader = k
    return leader


@inlined
def narrowed_pair(decision, explored, e, low, high):
    """Count what has become certain."""
    count_narrowed(decision.certain, explored, e, low, high)


@kernel
def independent_copeland(decision, low, high, e):
    """Equation (9): return whether the pair is decided, or both arms surely have a lower score than another arm."""
    arms = decision.certain.arms
    is_decided = settled(low[e], high[e]) != 0
    return is_decided or (decision.dominated[arms[e, 0]] and decision.dominated[arms[e, 1]])


@inlined
def revise_copeland(decision, explored):
    """Drop the pairs that pass equation (9), if a pair has become certain."""
    if decision.certain.changes[0].n_flips == 0:
        return False
    _drop_independent(decision, explored)
    return True


@kernel
def _drop_independent(decision, explored):
    """Test the last pair that became certain, or all of W if others can have become independent."""
    certain = decision.certain
    dominated = decision.dominated
    best = certain.sure[highest(certain.sure)]
    tests_all = certain.changes[0].n_flips > 1
    for i in range(dominated.size):
        is_dominated = certain.possible[i] < best
        tests_all = tests_all or is_dominated != dominated[i]
        dominated[i] = is_dominated
    certain.changes[0].n_flips = 0
    for k in range(explored.place[0].n_listed if tests_all else 1):
        e = explored.listed[k] if tests_all else certain.changes[0].last_flip
        if independent_copeland(decision, explored.low, explored.high, e):
            drop(explored, e)


@kernel
def bound_copeland(decision, low, high):
    """Return the arm that surely beats most others, and by how much another one's score may exceed its own."""
    sure = decision.certain.sure
    possible = decision.certain.possible
    best = 0
    for i in range(1, sure.size):
        more = sure[i] - sure[best]
        if more > 0 or (more == 0 and possible[i] > possible[best]):
            best = i
    loss = 0
    for i in range(sure.size):
        if i != best:
            loss = max(loss, possible[i] - sure[best])
    return best, float(loss)


@kernel
def conclude_copeland(decision, explored, values, rng):
    """Return the arm with the largest lo, then hi, then U(i, mu^), then at random."""
    certain = decision.certain
    n_arms = decision.value.size
    for i in range(n_arms):
        decision.value[i] = (certain.sure[i] * n_arms + certain.possible[i]) * n_arms + decision.score[i]
    return draw_highest(decision.value, rng)


@kernel
def independent_condorcet(decision, low, high, e):
    """Equation (12): return whether some arm surely beats one of the two arms."""
    certain = decision.certain
    everyone_else = certain.possible.size - 1
    arms = certain.arms
    return certain.possible[arms[e, 0]] < everyone_else or certain.possible[arms[e, 1]] < everyone_else


@kernel
def revise_condorcet(decision, explored):
    """Drop the pairs that pass equation (12), if a pair has become certain."""
    if decision.certain.changes[0].n_flips == 0:
        return False
    decision.certain.changes[0].n_flips = 0
    drop_independent(decision, explored)
    return True


@kernel
def bound_condorcet(decision, low, high):
    """Return the arm that surely beats most others, and how many it does not surely beat."""
    sure = decision.certain.sure
    best = highest(sure)
    return best, float(sure.size - 1 - sure[best])


@kernel
def conclude_condorcet(decision, explored, values, rng):
    """Return the arm with the largest U(i, mu^), if possible among the arms that may win every duel."""
    n_arms = decision.value.size
    for i in range(n_arms):
        decision.value[i] = decision.score[i]
        if decision.certain.possible[i] == n_arms - 1:
            decision.value[i] += n_arms
    return draw_highest(decision.value, rng)


def _no_losses(means):
    raise NotImplementedError("regrets of preference matrices say what a winner costs")


COPELAND = Decision(
    name="copeland",
    description="the arm that beats most others",
    decide=decide_copeland,
    losses=_no_losses,
    independent=independent_copeland,
    bound=bound_copeland,
    start=start_copeland,
    state=Copeland,
    compiled=True,
    hooks=Hooks(follow=follow_copeland, narrowed=narrowed_pair, revise=revise_copeland, conclude=conclude_copeland),
)

CONDORCET = Decision(
    name="condorcet",
    description="the arm that beats all others",
    decide=decide_copeland,
    losses=_no_losses,
    independent=independent_condorcet,
    bound=bound_condorcet,
    start=start_condorcet,
    state=Condorcet,
    compiled=True,
    hooks=Hooks(follow=follow_copeland, narrowed=narrowed_pair, revise=revise_condorcet, conclude=conclude_condorcet),
)
