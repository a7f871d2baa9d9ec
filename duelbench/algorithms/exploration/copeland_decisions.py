"""Decisions about the probabilities p_ij of all pairs of K arms: the Copeland winner, and the Condorcet winner.

The parameters are the p_ij of the K (K - 1) / 2 pairs i < j in lexicographic order. Copeland's f is the arm that beats
most others (lowest index on ties); Condorcet's is the same, known to beat all others.

What is kept between tests serves speed, and changes none of them. `Scores` counts verdicts (a_ij > 1/2 or b_ij < 1/2)
as they change, and the tests of (9) and (12) read nothing else: as long as no verdict has changed, W stays as it is
(`may_drop_by_scores`). Where one has changed and no other arm is dominated than before, all pairs but that one read
what they read the last time, so that only it is tested (`revise_copeland`).

References
----------
.. [1] T. Urvoy, F. Clerot, R. Feraud, S. Naamane, "Generic Exploration and K-armed Voting Bandits", ICML 2013,
   equations (9), (11) and (12); appendix B.2 of the extended version (sampling within the set of Borda).
"""

from typing import NamedTuple

import numpy as np

from duelbench.algorithms.exploration.parameter_sets import NEWS, count_narrowed, drop, verdict
from duelbench.algorithms.exploration.scalar_decisions import draw_highest
from duelbench.kernels.decorators import inlined, kernel
from duelbench.problem.decision_rule import Decision, Hooks


class Scores(NamedTuple):
    """What is known of the arms' Copeland scores; arrays are updated in place."""

    arms: np.ndarray  # (N, 2) int64. i and j of each pair.
    score: np.ndarray  # (K,) int64. U(i, x) at the point x that is followed.
    leader: np.ndarray  # (1,) int64. The arm of the highest of them, the lowest index on ties.
    sums: np.ndarray  # (K,) float64. sum_j x_ij at that point, x_ii = 1/2.
    sure: np.ndarray  # (K,) int64. lo = minU: how many arms i surely beats, #{j : a_ij > 1/2}, with a_ji = 1 - b_ij.
    possible: np.ndarray  # (K,) int64. hi = maxU: how many arms i may beat, those that do not surely beat it.
    news: np.ndarray  # (1,) NEWS. How many verdicts have changed since the last tests, and the pair that did so last.
    value: np.ndarray  # (K,) int64. Scratch: how good a decision each arm is.


def new_scores(n_arms):
    """Before the first duel: everything is possible and nothing sure."""
    return Scores(
        arms=np.column_stack(np.triu_indices(n_arms, 1)),
        score=np.zeros(n_arms, np.int64),
        leader=np.zeros(1, np.int64),
        sums=np.full(n_arms, n_arms / 2),
        sure=np.zeros(n_arms, np.int64),
        possible=np.full(n_arms, n_arms - 1),
        news=np.rec.array([(0, 0)], dtype=NEWS),
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
        for j in range(i + 1, n_arms):  # without branches: "Rules" in docs/performance.md
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
def _restart(scores, values):
    """Count all pairs."""
    _add_up_scores(values, scores.score)
    scores.leader[0] = highest(scores.score)


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
def _follow(scores, values, e, before):
    """Scores change only where the value passes 1/2."""
    now = values[e]
    change_first = int(now > 0.5) - int(before > 0.5)
    change_second = int(now < 0.5) - int(before < 0.5)
    if change_first != 0 or change_second != 0:
        change_scores(scores.score, scores.leader, scores.arms[e, 0], scores.arms[e, 1], change_first, change_second)


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
    """f(x) = argmax U(i, x). Arrays are updated in place."""

    scores: Scores  # Scores
    dominated: np.ndarray  # (K,) bool. At the last tests, whether some arm surely had a higher score.
    borda: bool  # Whether points count as possible only where some arm's row sums to more than K / 2


def start_copeland(n_arms, *, borda=False):
    """Before the first duel."""
    return Copeland(new_scores(n_arms), np.zeros(n_arms, np.bool_), borda)


@kernel
def decide_copeland(decision, values):
    """The arm that beats most others.

    Examples
    --------
    p_01, p_02 and p_12: arm 1 beats both others.

    >>> decide_copeland(start_copeland(3), np.array([0.4, 0.9, 0.7]))
    1
    """
    _add_up_scores(values, decision.scores.value)
    return highest(decision.scores.value)


@kernel
def independent_copeland(decision, low, high, e):
    """Equation (9): the pair is decided, or both its arms surely have a lower score than some other arm.

    Pairs of an arm that is certain to win are not independent as long as they are not decided. What is certain about
    scores is taken from `Scores`, and whom that dominates from the last `revise_copeland`.
    """
    arms = decision.scores.arms
    is_decided = verdict(low[e], high[e]) != 0
    return is_decided or (decision.dominated[arms[e, 0]] and decision.dominated[arms[e, 1]])


@kernel
def bound_copeland(decision, low, high):
    """The arm that surely beats most others, and by how much another one's score may exceed its own."""
    scores = decision.scores
    best = 0
    for i in range(1, scores.sure.size):
        more = scores.sure[i] - scores.sure[best]
        if more > 0 or (more == 0 and scores.possible[i] > scores.possible[best]):
            best = i
    loss = 0
    for i in range(scores.sure.size):
        if i != best:
            loss = max(loss, scores.possible[i] - scores.sure[best])
    return best, float(loss)


@kernel
def restart_condorcet(decision, values):
    """Count all pairs."""
    _restart(decision.scores, values)


@kernel
def restart_copeland(decision, values):
    """Count all pairs, and add up the rows where they count."""
    _restart(decision.scores, values)
    if decision.borda:
        _add_up_rows(values, decision.scores.sums)


@inlined
def follow_copeland(decision, values, e, before):
    """One pair's value has changed."""
    _follow(decision.scores, values, e, before)
    if decision.borda:
        decision.scores.sums[decision.scores.arms[e, 0]] += values[e] - before
        decision.scores.sums[decision.scores.arms[e, 1]] -= values[e] - before


@inlined
def announced_leader(decision, values):
    """The leader."""
    return decision.scores.leader[0]


@kernel
def feasible_copeland(decision, values):
    """For sampling within the set of Borda: whether some arm wins more than every other duel on average."""
    n_above = 0
    for i in range(decision.scores.sums.size):
        n_above += decision.scores.sums[i] > decision.scores.sums.size / 2
    return n_above > 0 or not decision.borda


@inlined
def narrowed_scores(decision, explored, e, low, high):
    """Count what has become certain."""
    count_narrowed(decision.scores, explored, e, low, high)


@inlined
def may_drop_by_scores(decision, explored):
    """The tests depend on what is certain about pairs only."""
    return decision.scores.news[0].n_flips > 0


@kernel
def revise_copeland(decision, explored):
    """Drop the pairs that equation (9) tells, all of W being tested where more than one can have become independent."""
    scores = decision.scores
    dominated = decision.dominated
    best = scores.sure[highest(scores.sure)]
    tests_all = scores.news[0].n_flips > 1
    for i in range(dominated.size):
        is_dominated = scores.possible[i] < best
        tests_all = tests_all or is_dominated != dominated[i]
        dominated[i] = is_dominated
    scores.news[0].n_flips = 0
    if not tests_all:
        e = scores.news[0].last_flip
        if independent_copeland(decision, explored.low, explored.high, e):
            drop(explored, e)
        return
    for k in range(explored.place[0].n_listed):
        e = explored.listed[k]
        if independent_copeland(decision, explored.low, explored.high, e):
            drop(explored, e)


@kernel
def conclude_copeland(decision, explored, values, rng):
    """The arm with the largest lo, then hi, then U(i, mu^), then at random."""
    scores = decision.scores
    n_arms = scores.value.size
    for i in range(n_arms):
        scores.value[i] = (scores.sure[i] * n_arms + scores.possible[i]) * n_arms + scores.score[i]
    return draw_highest(scores.value, rng)


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
        announced=announced_leader,
        feasible=feasible_copeland,
        narrowed=narrowed_scores,
        may_drop=may_drop_by_scores,
        revise=revise_copeland,
        conclude=conclude_copeland,
    ),
)


class Condorcet(NamedTuple):
    """f(x) = the arm that beats all others, where it is known that there is one."""

    scores: Scores  # Scores


def start_condorcet(n_arms):
    """Before the first duel."""
    return Condorcet(new_scores(n_arms))


@kernel
def decide_condorcet(decision, values):
    """The arm that beats most others."""
    _add_up_scores(values, decision.scores.value)
    return highest(decision.scores.value)


@kernel
def independent_condorcet(decision, low, high, e):
    """Equation (12): one of the two arms is surely beaten by some arm."""
    scores = decision.scores
    everyone_else = scores.possible.size - 1
    return scores.possible[scores.arms[e, 0]] < everyone_else or scores.possible[scores.arms[e, 1]] < everyone_else


@kernel
def bound_condorcet(decision, low, high):
    """The arm that surely beats most others, and how many it does not surely beat."""
    sure = decision.scores.sure
    best = highest(sure)
    return best, float(sure.size - 1 - sure[best])


@inlined
def follow_condorcet(decision, values, e, before):
    """One pair's value has changed."""
    _follow(decision.scores, values, e, before)


@kernel
def revise_condorcet(decision, explored):
    """Drop the pairs that equation (12) tells."""
    decision.scores.news[0].n_flips = 0
    for k in range(explored.place[0].n_listed):
        e = explored.listed[k]
        if independent_condorcet(decision, explored.low, explored.high, e):
            drop(explored, e)


@kernel
def conclude_condorcet(decision, explored, values, rng):
    """Arms that may win every duel first (one, if a Condorcet winner exists); among them, or without any, U(i, mu^)."""
    scores = decision.scores
    n_arms = scores.value.size
    for i in range(n_arms):
        scores.value[i] = scores.score[i]
        if scores.possible[i] == n_arms - 1:
            scores.value[i] += n_arms
    return draw_highest(scores.value, rng)


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
        restart=restart_condorcet,
        follow=follow_condorcet,
        announced=announced_leader,
        narrowed=narrowed_scores,
        may_drop=may_drop_by_scores,
        revise=revise_condorcet,
        conclude=conclude_condorcet,
    ),
)
