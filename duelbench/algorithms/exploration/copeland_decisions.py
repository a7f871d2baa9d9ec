"""Decisions about the probabilities p_ij of all pairs of K arms: the Copeland winner, and the Condorcet winner.

The parameters are the p_ij of the K (K - 1) / 2 pairs i < j in lexicographic order. Copeland's f is the arm that beats
most others (lowest index on ties); Condorcet's is the same, known to beat all others.

References
----------
.. [1] T. Urvoy, F. Clerot, R. Feraud, S. Naamane, "Generic Exploration and K-armed Voting Bandits", ICML 2013,
   equations (9), (11) and (12); appendix B.2 of the extended version (sampling within the set of Borda).
"""

from typing import NamedTuple

import numpy as np

from duelbench.algorithms.exploration.parameter_sets import FLIPS, LAST_FLIP, LISTED, count_narrowed, drop, verdict
from duelbench.algorithms.exploration.scalar_decisions import draw_highest
from duelbench.kernels.decorators import inlined, kernel
from duelbench.problem.decision_rule import Decision, Hooks


class Votes(NamedTuple):
    """What is known of the arms' Copeland scores; arrays are updated in place.

    arms : (N, 2) int64. i and j of each pair.
    score : (K,) int64. U(i, x) at the point x that is followed.
    leader : (1,) int64. The arm of the highest of them, the lowest index on ties.
    sums : (K,) float64. sum_j x_ij at that point, x_ii = 1/2.
    sure : (K,) int64. lo = minU: how many arms i surely beats, #{j : a_ij > 1/2}, with a_ji = 1 - b_ij.
    possible : (K,) int64. hi = maxU: how many arms i may beat, those that do not surely beat it.
    news : (2,) int64. How many verdicts have changed since the last tests, and the pair that did so last.
    value : (K,) int64. Scratch: how good a decision each arm is.
    """

    arms: np.ndarray
    score: np.ndarray
    leader: np.ndarray
    sums: np.ndarray
    sure: np.ndarray
    possible: np.ndarray
    news: np.ndarray
    value: np.ndarray


def new_votes(n_arms):
    """Before the first duel: everything is possible and nothing sure."""
    return Votes(
        arms=np.column_stack(np.triu_indices(n_arms, 1)),
        score=np.zeros(n_arms, np.int64),
        leader=np.zeros(1, np.int64),
        sums=np.full(n_arms, n_arms / 2),
        sure=np.zeros(n_arms, np.int64),
        possible=np.full(n_arms, n_arms - 1),
        news=np.zeros(2, np.int64),
        value=np.zeros(n_arms, np.int64),
    )


@kernel
def _add_up_scores(values, score):
    """U(i, x) of every arm."""
    n_arms = score.size
    for i in range(n_arms):
        score[i] = 0
    e = 0
    for i in range(n_arms):
        own = score[i]
        for j in range(i + 1, n_arms):  # without branches: at random points they would be mispredicted half of the time
            own += int(values[e] > 0.5)
            score[j] += int(values[e] < 0.5)
            e += 1
        score[i] = own


@kernel
def highest(values):
    """The lowest index of the highest of integers."""
    best = 0
    for i in range(1, values.size):
        if values[i] > values[best]:
            best = i
    return best


@kernel
def _restart(votes, values):
    """Count all pairs."""
    _add_up_scores(values, votes.score)
    votes.leader[0] = highest(votes.score)


@kernel
def _add_up_rows(values, sums):
    """sum_j x_ij of every arm."""
    n_arms = sums.size
    for i in range(n_arms):
        sums[i] = 0.5
    e = 0
    for i in range(n_arms):
        own = sums[i]
        for j in range(i + 1, n_arms):
            own += values[e]
            sums[j] += 1.0 - values[e]
            e += 1
        sums[i] = own


@inlined
def _follow(votes, values, e, before):
    """Scores change only where the value passes 1/2."""
    now = values[e]
    change_first = int(now > 0.5) - int(before > 0.5)
    change_second = int(now < 0.5) - int(before < 0.5)
    if change_first != 0 or change_second != 0:
        change_scores(votes.score, votes.leader, votes.arms[e, 0], votes.arms[e, 1], change_first, change_second)


@kernel
def change_scores(score, leader, i, j, change_first, change_second):
    """Change two scores, and look at all only where the leader has lost."""
    was = score[leader[0]]
    score[i] += change_first
    score[j] += change_second
    if score[leader[0]] < was:
        leader[0] = highest(score)
        return
    for k in (i, j):
        if score[k] > score[leader[0]] or (score[k] == score[leader[0]] and k < leader[0]):
            leader[0] = k


class Copeland(NamedTuple):
    """f(x) = argmax U(i, x). Arrays are updated in place.

    votes : Votes
    dominated : (K,) bool. At the last tests, whether some arm surely had a higher score.
    borda : bool. Whether points count as possible only where some arm's row sums to more than K / 2.
    """

    votes: Votes
    dominated: np.ndarray
    borda: bool


def start_copeland(n_arms, *, borda=False):
    """Before the first duel."""
    return Copeland(new_votes(n_arms), np.zeros(n_arms, np.bool_), borda)


@kernel
def decide_copeland(decision, values):
    """The arm that beats most others.

    Examples
    --------
    p_01, p_02 and p_12: arm 1 beats both others.

    >>> decide_copeland(start_copeland(3), np.array([0.4, 0.9, 0.7]))
    1
    """
    _add_up_scores(values, decision.votes.value)
    return highest(decision.votes.value)


@kernel
def independent_copeland(decision, low, high, e):
    """Equation (9): the pair is decided, or both its arms surely have a lower score than some other arm.

    Pairs of an arm that is certain to win are not independent as long as they are not decided. What is certain about
    scores is taken from the votes, and whom that dominates from the last `revise_copeland`.
    """
    arms = decision.votes.arms
    is_decided = verdict(low[e], high[e]) != 0
    return is_decided or (decision.dominated[arms[e, 0]] and decision.dominated[arms[e, 1]])


@kernel
def bound_copeland(decision, low, high):
    """The arm that surely beats most others, and by how much another one's score may exceed its own."""
    votes = decision.votes
    best = 0
    for i in range(1, votes.sure.size):
        more = votes.sure[i] - votes.sure[best]
        if more > 0 or (more == 0 and votes.possible[i] > votes.possible[best]):
            best = i
    loss = 0
    for i in range(votes.sure.size):
        if i != best:
            loss = max(loss, votes.possible[i] - votes.sure[best])
    return best, float(loss)


@kernel
def restart_votes(decision, values):
    """Count all pairs."""
    _restart(decision.votes, values)


@kernel
def restart_copeland(decision, values):
    """Count all pairs, and add up the rows where they count."""
    _restart(decision.votes, values)
    if decision.borda:
        _add_up_rows(values, decision.votes.sums)


@inlined
def follow_copeland(decision, values, e, before):
    """One pair's value has changed."""
    _follow(decision.votes, values, e, before)
    if decision.borda:
        decision.votes.sums[decision.votes.arms[e, 0]] += values[e] - before
        decision.votes.sums[decision.votes.arms[e, 1]] -= values[e] - before


@inlined
def announced_votes(decision, values):
    """The leader."""
    return decision.votes.leader[0]


@kernel
def feasible_copeland(decision, values):
    """For sampling within the set of Borda: whether some arm wins more than every other duel on average."""
    n_above = 0
    for i in range(decision.votes.sums.size):
        n_above += decision.votes.sums[i] > decision.votes.sums.size / 2
    return n_above > 0 or not decision.borda


@inlined
def narrowed_votes(decision, explored, e, low, high):
    """Count what has become certain."""
    count_narrowed(decision.votes, explored, e, low, high)


@inlined
def may_drop_votes(decision, explored):
    """The tests depend on what is certain about pairs only."""
    return decision.votes.news[FLIPS] > 0


@kernel
def revise_copeland(decision, explored):
    """Drop the pairs that equation (9) tells, all of W being tested where more than one can have become independent."""
    votes = decision.votes
    dominated = decision.dominated
    best = votes.sure[highest(votes.sure)]
    tests_all = votes.news[FLIPS] > 1
    for i in range(dominated.size):
        is_dominated = votes.possible[i] < best
        tests_all = tests_all or is_dominated != dominated[i]
        dominated[i] = is_dominated
    votes.news[FLIPS] = 0
    if not tests_all:
        e = votes.news[LAST_FLIP]
        if independent_copeland(decision, explored.low, explored.high, e):
            drop(explored, e)
        return
    for k in range(explored.place[LISTED]):
        e = explored.listed[k]
        if independent_copeland(decision, explored.low, explored.high, e):
            drop(explored, e)


@kernel
def conclude_copeland(decision, explored, values, rng):
    """The arm with the largest lo, then hi, then U(i, mu^), then at random."""
    votes = decision.votes
    n_arms = votes.value.size
    for i in range(n_arms):
        votes.value[i] = (votes.sure[i] * n_arms + votes.possible[i]) * n_arms + votes.score[i]
    return draw_highest(votes.value, rng)


def _no_losses(means):
    raise NotImplementedError("what a winner costs is said by the regrets of preference matrices")


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
    hooks=Hooks(
        restart=restart_copeland,
        follow=follow_copeland,
        announced=announced_votes,
        feasible=feasible_copeland,
        narrowed=narrowed_votes,
        may_drop=may_drop_votes,
        revise=revise_copeland,
        conclude=conclude_copeland,
    ),
)


class Condorcet(NamedTuple):
    """f(x) = the arm that beats all others, where it is known that there is one.

    votes : Votes
    """

    votes: Votes


def start_condorcet(n_arms):
    """Before the first duel."""
    return Condorcet(new_votes(n_arms))


@kernel
def decide_condorcet(decision, values):
    """The arm that beats most others."""
    _add_up_scores(values, decision.votes.value)
    return highest(decision.votes.value)


@kernel
def independent_condorcet(decision, low, high, e):
    """Equation (12): one of the two arms is surely beaten by some arm."""
    votes = decision.votes
    everyone_else = votes.possible.size - 1
    return votes.possible[votes.arms[e, 0]] < everyone_else or votes.possible[votes.arms[e, 1]] < everyone_else


@kernel
def bound_condorcet(decision, low, high):
    """The arm that surely beats most others, and how many it does not surely beat."""
    sure = decision.votes.sure
    best = highest(sure)
    return best, float(sure.size - 1 - sure[best])


@inlined
def follow_condorcet(decision, values, e, before):
    """One pair's value has changed."""
    _follow(decision.votes, values, e, before)


@kernel
def revise_condorcet(decision, explored):
    """Drop the pairs that equation (12) tells."""
    decision.votes.news[FLIPS] = 0
    for k in range(explored.place[LISTED]):
        e = explored.listed[k]
        if independent_condorcet(decision, explored.low, explored.high, e):
            drop(explored, e)


@kernel
def conclude_condorcet(decision, explored, values, rng):
    """Arms that may win every duel first (one, if a Condorcet winner exists); among them, or without any, U(i, mu^)."""
    votes = decision.votes
    n_arms = votes.value.size
    for i in range(n_arms):
        votes.value[i] = votes.score[i]
        if votes.possible[i] == n_arms - 1:
            votes.value[i] += n_arms
    return draw_highest(votes.value, rng)


CONDORCET = Decision(
    name="condorcet",
    description="the arm that beats all others",
    decide=decide_condorcet,
    losses=_no_losses,
    independent=independent_condorcet,
    bound=bound_condorcet,
    start=start_condorcet,
    state=Condorcet,
    compiled=True,
    hooks=Hooks(
        restart=restart_votes,
        follow=follow_condorcet,
        announced=announced_votes,
        narrowed=narrowed_votes,
        may_drop=may_drop_votes,
        revise=revise_condorcet,
        conclude=conclude_condorcet,
    ),
)
