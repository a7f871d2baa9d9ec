"""What CW-RMED and ECW-RMED share: Algorithm 1 of [1]_ but for the draws q* that it still asks for.

With the empirical preferences, the superiors S_i of an arm i are the arms that beat it, its inferiors I_i those that
it beats, L_i = |S_i|, and the arms of least L_i are the estimated Copeland winners.

References
----------
.. [1] J. Komiyama, J. Honda, H. Nakagawa, "Copeland Dueling Bandit Problem: Regret Lower Bound, Optimal Algorithm, and
   Computationally Efficient Algorithm", ICML 2016, Algorithm 1.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.contract import NEVER, Parameter
from duelbench.algorithms.rmed.candidate_lists import CURSOR, Passes, is_alone, new_passes, present
from duelbench.kernels.decorators import inlined, kernel, not_inlined
from duelbench.kernels.divergence import kl_to_half
from duelbench.kernels.threshold_rounds import round_after, round_at

NO_ARM = -1
NO_PAIR = -1
TINY = 1e-300
"""Least divergence: that of an even pair is 0, and costs are divided by it."""

DUELS, SIGNS = 0, 1  # places in Evidence.version
N_MARKED, FRONT, DUE = 0, 1, 2  # places in Forced.memo
BELONGS, N_WINNERS, FEWEST, SECOND = 0, 1, 2, 3  # places in Core.tally
CHECKS = ("R", "R-box", "E")
CAPPED, BOXED, EFFICIENT = 0, 1, 2  # places in CHECKS

PARAMETERS = {
    "alpha": Parameter(3.0, "a pair with fewer than alpha sqrt(ln t) duels is drawn at once", 0.0, low_open=True),
    "beta": Parameter(0.01, "a pair within beta / ln ln t of 1/2 is drawn at once", low=0.0),
    "forced": Parameter(
        "round",
        "round: such pairs are looked for in every round; loop: before each pass, each drawn once at most",
        choices=("round", "loop"),
    ),
    "check": Parameter(
        "R",
        "set of the test (3); R: (2), where draws beyond 1/d count as 1/d; R-box: (2) as printed, where no pair may "
        "have more; E: the smaller set of (4) and (5)",
        choices=CHECKS,
    ),
}


class Evidence(NamedTuple):
    """What the duels so far say about each pair of arms; arrays are updated in place.

    wins : (K, K) int64. wins[i, j] = duels arm i has won against arm j.
    ahead : (K, K) int64. 1 where i beats j empirically, -1 where j beats i, 0 where neither does.
    losses : (K,) int64. L_i.
    divergence : (K, K) float64. d(p, 1/2), p being the empirical preference of the arm ahead; symmetric.
    weight : (K, K) float64. Duels times divergence; symmetric.
    by_weight : (K, K - 1) int64. The other arms of each row in increasing order of weight.
    version : (2,) int64. Raised by every update; raised by every update that changes `ahead`.
    """

    wins: np.ndarray
    ahead: np.ndarray
    losses: np.ndarray
    divergence: np.ndarray
    weight: np.ndarray
    by_weight: np.ndarray
    version: np.ndarray


class Forced(NamedTuple):
    """The pairs of line 4: with too few duels, or an empirical preference too close to 1/2; arrays in place.

    A pair without a mark is surely not such a pair. Marked are, at first, all pairs; then those that dueled, and those
    whose duels have become too few as time passed. A mark goes when its turn comes and line 4 does not ask for it.

    marked : (n_pairs,) bool.
    memo : (3,) int64. How many pairs are marked; where to look first, in the private order (with `every_round` no
        mark is below, otherwise the present sweep has come so far); the round before which no pair without a mark
        has too few duels.
    alpha, beta : float. The parameters of line 4.
    every_round : bool. Whether line 4 is looked at in every round, or before each pass.
    """

    marked: np.ndarray
    memo: np.ndarray
    alpha: float
    beta: float
    every_round: bool


class Core(NamedTuple):
    """Memory between rounds, without the draws that are still asked for; arrays are updated in place.

    evidence, forced, passes : see there. The items of the passes are the pairs of different arms in private order,
        followed by the self-pairs.
    arms_of : (n_items, 2) int64. (i, j) of each item, with i > j, or i = j.
    item_of : (K, K) int64. The item of (i, j), and of (j, i).
    arm_order : (K,) int64. The private order of the arms, in which ties are broken.
    winners : (K,) int64. The estimated winners in private order; the first N_WINNERS entries count.
    tally : (4,) int64. The version of the evidence that this and the list belong to; how many winners; L_(1) and L_(2).
    named : (1,) int64. The arm that line 9 or line 11 named last, or NO_ARM: the one whose self-pair was enlisted.
    slack : (K,) float64. For an estimated winner i1, the largest ln t at which it passes the test (3), or, where it
        has failed, some lesser ln t.
    slack_version : (K,) int64. The version of the evidence that each entry of `slack` belongs to.
    rival : (K,) int64. For each i1, the arm i2 that (3) was looked at for last; where it failed, it is likely to fail
        for the same arm again.
    sums : (2, K) float64. Scratch.
    stepped : (1,) bool. Whether the last round was a step of the pass, not yet closed.
    check : int. Place in CHECKS of the set that the test (3) uses.
    """

    evidence: Evidence
    forced: Forced
    passes: Passes
    arms_of: np.ndarray
    item_of: np.ndarray
    arm_order: np.ndarray
    winners: np.ndarray
    tally: np.ndarray
    named: np.ndarray
    slack: np.ndarray
    slack_version: np.ndarray
    rival: np.ndarray
    sums: np.ndarray
    stepped: np.ndarray
    check: int


def new_core(
    n_arms: int,
    rng: np.random.Generator,
    alpha: float,
    beta: float,
    forced: str,
    check: str,
    ties: str = "private",
) -> Core:
    """Memory before round 1; draws the private orders, of the pairs first and then of the arms.

    The pairs are shuffled from the list (1, 0), (2, 0), (2, 1), (3, 0), ... With ``ties="index"`` nothing is drawn, and
    the orders are those of this list and of the arms' indices.

    Examples
    --------
    >>> core = new_core(3, np.random.default_rng(0), 3.0, 0.01, "round", "R")
    >>> sorted(core.arms_of.tolist())
    [[0, 0], [1, 0], [1, 1], [2, 0], [2, 1], [2, 2]]
    >>> core.passes.remaining.tolist()
    [True, True, True, False, False, False]
    """
    listed = np.column_stack(np.tril_indices(n_arms, -1))
    n_pairs = len(listed)
    by_index = ties == "index"
    order = np.arange(n_pairs) if by_index else rng.permutation(n_pairs)
    arm_order = np.arange(n_arms) if by_index else rng.permutation(n_arms)
    arms_of = np.concatenate((listed[order], np.column_stack((arm_order, arm_order))))
    item_of = np.zeros((n_arms, n_arms), np.int64)
    item_of[arms_of[:, 0], arms_of[:, 1]] = np.arange(len(arms_of))
    item_of[arms_of[:, 1], arms_of[:, 0]] = np.arange(len(arms_of))
    return Core(
        evidence=new_evidence(n_arms),
        forced=Forced(np.ones(n_pairs, np.bool_), np.array([n_pairs, 0, NEVER]), alpha, beta, forced == "round"),
        passes=new_passes(len(arms_of), n_pairs),
        arms_of=arms_of,
        item_of=item_of,
        arm_order=arm_order,
        winners=np.zeros(n_arms, np.int64),
        tally=np.array([-1, 0, 0, 0]),
        named=np.array([NO_ARM]),
        slack=np.zeros(n_arms),
        slack_version=np.full(n_arms, -1),
        rival=np.zeros(n_arms, np.int64),
        sums=np.zeros((2, n_arms)),
        stepped=np.zeros(1, np.bool_),
        check=CHECKS.index(check),
    )


def new_evidence(n_arms: int) -> Evidence:
    """Before the first duel: every pair is at 1/2.

    Examples
    --------
    >>> new_evidence(3).by_weight.tolist()
    [[1, 2], [0, 2], [0, 1]]
    """
    others = [[j for j in range(n_arms) if j != i] for i in range(n_arms)]
    return Evidence(
        wins=np.zeros((n_arms, n_arms), np.int64),
        ahead=np.zeros((n_arms, n_arms), np.int64),
        losses=np.zeros(n_arms, np.int64),
        divergence=np.full((n_arms, n_arms), TINY),
        weight=np.zeros((n_arms, n_arms)),
        by_weight=np.array(others, np.int64),
        version=np.zeros(2, np.int64),
    )


@inlined
def observe(core, first, second, first_wins, second_wins):
    """Count duels of two different arms; their pair is marked, for it may have come close to 1/2."""
    add_duels(core.evidence, first, second, first_wins, second_wins)
    _mark(core.forced, core.item_of[first, second])


@inlined
def add_duels(evidence, first, second, first_wins, second_wins):
    """Count the outcomes of duels between two different arms.

    Examples
    --------
    >>> evidence = new_evidence(2)
    >>> add_duels(evidence, 0, 1, 0, 3)
    >>> evidence.losses.tolist(), evidence.weight[0, 1] == 3 * math.log(2)
    ([1, 0], np.True_)
    """
    wins = evidence.wins
    signs = evidence.ahead
    losses = evidence.losses
    weight = evidence.weight
    wins[first, second] += first_wins
    wins[second, first] += second_wins
    won = wins[first, second]
    lost = wins[second, first]
    ahead = 1 if won > lost else (-1 if won < lost else 0)
    before = signs[first, second]
    if ahead != before:
        signs[first, second] = ahead
        signs[second, first] = -ahead
        losses[first] += int(ahead < 0) - int(before < 0)
        losses[second] += int(ahead > 0) - int(before > 0)
        evidence.version[SIGNS] += 1
    divergence = kl_to_half(max(won, lost) / (won + lost))
    weighed = weight[first, second]
    evidence.divergence[first, second] = evidence.divergence[second, first] = max(divergence, TINY)
    weight[first, second] = weight[second, first] = (won + lost) * divergence
    _reorder(evidence.by_weight[first], weight[first], second, weighed)
    _reorder(evidence.by_weight[second], weight[second], first, weighed)
    evidence.version[DUELS] += 1


@inlined
def _reorder(row, weight, j, before):
    """Move arm j to its place in a row of `by_weight`, after its weight has changed from ``before``."""
    k = 0
    above = row.size - 1
    while k < above:  # halving, to the first arm of that weight or more
        middle = (k + above) // 2
        if row[middle] != j and weight[row[middle]] < before:
            k = middle + 1
        else:
            above = middle
    while row[k] != j:
        k += 1
    while k > 0 and weight[row[k - 1]] > weight[j]:
        row[k] = row[k - 1]
        k -= 1
    while k < row.size - 1 and weight[row[k + 1]] < weight[j]:
        row[k] = row[k + 1]
        k += 1
    row[k] = j


@inlined
def _mark(forced, pair):
    if not forced.marked[pair]:
        forced.marked[pair] = True
        forced.memo[N_MARKED] += 1
    if forced.every_round:
        forced.memo[FRONT] = min(forced.memo[FRONT], pair)


@inlined
def forced_pair(core, t, log_t):
    """The pair that line 4 asks for in round ``t``, the first in private order, or NO_PAIR."""
    forced = core.forced
    if not forced.every_round and core.passes.place[CURSOR] > 0:
        return NO_PAIR
    if t >= forced.memo[DUE]:
        _mark_overdue(core.evidence.wins, core.arms_of, forced, log_t)
    if forced.memo[N_MARKED] == 0 and forced.every_round:
        return NO_PAIR
    return _first_forced(core.evidence.wins, core.arms_of, forced, log_t)


@kernel
def _first_forced(wins, arms_of, forced, log_t):
    """Look at the marked pairs for the first that line 4 asks for."""
    marked = forced.marked
    memo = forced.memo
    found = NO_PAIR
    k = memo[FRONT]
    while memo[N_MARKED] > 0 and k < marked.size and found == NO_PAIR:
        if marked[k]:
            won = wins[arms_of[k, 0], arms_of[k, 1]]
            plays = won + wins[arms_of[k, 1], arms_of[k, 0]]
            if is_too_rare(plays, forced.alpha, log_t) or is_too_close(won, plays, forced.beta, log_t):
                found = k
            else:
                marked[k] = False
                memo[N_MARKED] -= 1
                memo[DUE] = min(memo[DUE], overdue_round(plays, forced.alpha))
        k += 1
    if forced.every_round:
        memo[FRONT] = k if found == NO_PAIR else found
    else:
        memo[FRONT] = 0 if found == NO_PAIR else found + 1
    return found


@not_inlined
def _mark_overdue(wins, arms_of, forced, log_t):
    """Mark all pairs that now have too few duels, and foresee when the next one will."""
    forced.memo[DUE] = NEVER
    for k in range(forced.marked.size):
        if not forced.marked[k]:
            plays = wins[arms_of[k, 0], arms_of[k, 1]] + wins[arms_of[k, 1], arms_of[k, 0]]
            if is_too_rare(plays, forced.alpha, log_t):
                _mark(forced, k)
            else:
                forced.memo[DUE] = min(forced.memo[DUE], overdue_round(plays, forced.alpha))


@inlined
def is_too_rare(plays, alpha, log_t):
    """Line 4: N_ij < alpha sqrt(ln t).

    Examples
    --------
    >>> is_too_rare(6, 3.0, 4.0), is_too_rare(5, 3.0, 4.0)
    (False, True)
    """
    return plays < alpha * math.sqrt(log_t)


@inlined
def is_too_close(won, plays, beta, log_t):
    """Line 4: |p - 1/2| < beta / max(1, ln ln t), with p = 1/2 before the first duel.

    Examples
    --------
    >>> is_too_close(0, 0, 0.01, 0.0), is_too_close(0, 0, 0.0, 0.0), is_too_close(3, 5, 0.2, 2.0)
    (True, False, True)
    """
    distance = abs(won / plays - 0.5) if plays > 0 else 0.0
    if distance >= beta:
        return False
    return log_t <= math.e or distance < beta / max(1.0, math.log(log_t))


@kernel
def overdue_round(plays, alpha):
    """First round t with plays < alpha sqrt(ln t).

    Examples
    --------
    >>> overdue_round(0, 3.0), overdue_round(3, 3.0), overdue_round(100, 3.0) == NEVER  # ln 3 = 1.09...
    (2, 3, True)
    """
    ratio = plays / alpha
    t, sure = round_at(ratio * ratio)
    if sure:
        return t
    while t > 1 and is_too_rare(plays, alpha, math.log(t - 1)):
        t -= 1
    while not is_too_rare(plays, alpha, math.log(t)):
        t += 1
    return t


@not_inlined
def _list_winners(losses, arm_order, winners, tally):
    """Write down the estimated winners, in private order, how many they are, L_(1) and L_(2)."""
    tally[FEWEST], tally[SECOND] = two_least(losses)
    n = 0
    for i1 in arm_order:
        if losses[i1] == tally[FEWEST]:
            winners[n] = i1
            n += 1
    tally[N_WINNERS] = n


@inlined
def confident_arm(core, log_t):
    """Line 8: the first estimated winner, in private order, that the duels so far prove to be one, or NO_ARM."""
    evidence = core.evidence
    tally = core.tally
    slack = core.slack
    if tally[BELONGS] != evidence.version[SIGNS]:
        tally[BELONGS] = evidence.version[SIGNS]
        _list_winners(evidence.losses, core.arm_order, core.winners, tally)
    if core.check == BOXED and _heaviest(evidence.weight, evidence.by_weight) > log_t:
        return NO_ARM
    for k in range(tally[N_WINNERS]):
        i1 = core.winners[k]
        if core.slack_version[i1] != evidence.version[DUELS]:
            core.slack_version[i1] = evidence.version[DUELS]
            slack[i1] = _slack_down_to(evidence, i1, tally, core.check, core.rival, core.sums, log_t)
        if log_t <= slack[i1]:
            return i1
    return NO_ARM


@kernel
def exploited_arm(core):
    """The arm that is played where nothing more is asked for: the one named last, as long as it is an estimated winner.

    Before one is named, and where the duels since have told against it, the first estimated winner in private order.

    Examples
    --------
    Arms 0 and 1 have one loss each. By index arm 0 comes first, but line 11 named arm 1.

    >>> core = new_core(3, np.random.default_rng(0), 3.0, 0.01, "round", "R", ties="index")
    >>> for winner, loser in ((0, 1), (1, 2), (2, 0), (1, 2)):
    ...     observe(core, winner, loser, 1, 0)
    >>> int(exploited_arm(core))
    0
    >>> core.named[0] = 1
    >>> int(exploited_arm(core))
    1
    """
    losses = core.evidence.losses
    fewest, _ = two_least(losses)
    named = core.named[0]
    if named != NO_ARM and losses[named] == fewest:
        return named
    for arm in core.arm_order:
        if losses[arm] == fewest:
            return arm
    return NO_ARM


@inlined
def _slack_down_to(evidence, i1, tally, check, rival, sums, log_t):
    """The slack of i1; of a slack below ``log_t``, only that it is below: the first i2 that shows it is enough."""
    n_arms = rival.size
    result = math.inf
    i2 = rival[i1]
    for _ in range(n_arms):
        if i2 != i1 and result >= log_t:
            if check == EFFICIENT:
                ahead_by = efficient_lead(evidence, i1, i2, sums)
            else:
                ahead_by = lead(evidence, i1, i2, tally[FEWEST], tally[SECOND], sums)
            result = min(result, ahead_by)
            rival[i1] = i2
        i2 = i2 + 1 if i2 + 1 < n_arms else 0
    return result


@inlined
def _heaviest(weight, by_weight):
    """The largest weight of a pair."""
    result = 0.0
    for i in range(weight.shape[0]):
        result = max(result, weight[i, by_weight[i, -1]])
    return result


@inlined
def two_least(losses):
    """L_(1) and L_(2), the two smallest entries (equal where two arms share the smallest).

    Examples
    --------
    >>> least, second = two_least(np.array([3, 1, 2, 1]))
    >>> int(least), int(second)
    (1, 1)
    """
    least = min(losses[0], losses[1])
    second = max(losses[0], losses[1])
    for i in range(2, losses.size):
        second = min(second, max(least, losses[i]))
        least = min(least, losses[i])
    return least, second


@inlined
def lead(evidence, i1, i2, least, second, sums):
    """How far i1 is ahead of i2: the least total weight over the constraints of (2) for i1 and i2.

    Such a constraint is a set of pairs whose reversal would give i1 at least l + 1 superiors and i2 at most l:
    l + 1 - L_(1) inferiors of i1, and L_i2 - l superiors of i2 other than i1, one fewer where i2 is among those
    inferiors. For given l the lightest pairs matter. With q_ij = N_ij / ln t, that q d adds up to 1 over the set means
    that its weight is at least ln t; capping q at 1 / d, as (2) does, changes nothing, for one capped pair is enough.

    Parameters
    ----------
    evidence : Evidence
    i1 : int
        An arm of least L_i.
    i2 : int
        Another arm.
    least, second : int
        L_(1) and L_(2).
    sums : (2, K) float64
        Scratch.

    Returns
    -------
    float
        The largest ln t at which the constraints hold; infinite where there is none.

    Examples
    --------
    Arm 0 beat arm 1 twice and arm 2 three times; arms 1 and 2 have not met. Reversing the pair (0, 1) would make arm 1
    the winner; its weight is 2 ln 2.

    >>> evidence = new_evidence(3)
    >>> add_duels(evidence, 0, 1, 2, 0)
    >>> add_duels(evidence, 0, 2, 3, 0)
    >>> bool(lead(evidence, 0, 1, 0, 1, np.zeros((2, 3))) == 2 * math.log(2))
    True
    """
    a = sums[0]
    b = sums[1]
    losses_2 = evidence.losses[i2]
    weight = evidence.weight[i1, i2]
    flips = evidence.ahead[i1, i2] > 0
    n_a = _add_up(evidence, i1, 1, i2, second + 1 - least, a)
    n_b = _add_up(evidence, i2, -1, i1, losses_2 - max(0, least - 1), b)
    result = math.inf
    for level in range(max(0, least - 1), second + 1):
        n_i = level + 1 - least
        n_s = max(0, losses_2 - level)
        if n_i <= n_a and n_s <= n_b:
            result = min(result, a[n_i] + b[n_s])
        n_s = max(0, losses_2 - level - 1)
        if flips and 1 <= n_i <= n_a + 1 and n_s <= n_b:
            result = min(result, weight + a[n_i - 1] + b[n_s])
    return result


@inlined
def efficient_lead(evidence, i1, i2, sums):
    """As `lead`, with the constraints of (4) and (5): the pair itself if i1 beats i2, and L_i2 - L_i1 + 1 superiors.

    Examples
    --------
    >>> evidence = new_evidence(3)
    >>> add_duels(evidence, 0, 1, 2, 0)
    >>> bool(efficient_lead(evidence, 0, 1, np.zeros((2, 3))) == 2 * math.log(2))
    True
    """
    result = evidence.weight[i1, i2] if evidence.ahead[i1, i2] > 0 else math.inf
    n_s = evidence.losses[i2] - evidence.losses[i1] + 1
    if n_s <= _add_up(evidence, i2, -1, i1, n_s, sums[1]):
        result = min(result, sums[1, n_s])
    return result


@inlined
def _add_up(evidence, i, ahead, excluded, most, sums):
    """sums[n] = weight of the n lightest pairs (i, j) with ahead[i, j] == ``ahead``, j != excluded; how many there are.

    No more than ``most`` are added up. Written so that the compiler needs no branch, which it would often guess wrong.
    """
    signs = evidence.ahead[i]
    weight = evidence.weight[i]
    n = 0
    total = 0.0
    sums[0] = 0.0
    for j in evidence.by_weight[i]:
        if n >= most:
            break
        counts = signs[j] == ahead and j != excluded
        total += weight[j] if counts else 0.0
        n += 1 if counts else 0
        sums[n] = total
    return n


@inlined
def step(core, t, log_t, confident):
    """Line 6: the next pair of the pass, (first, second, rounds).

    A lone self-pair (w, w) stands while w stays the first confident arm and line 4 asks for nothing: confidence fails
    at the end of the first round t with ln t > slack, and later than now no arm before w becomes confident.
    """
    core.stepped[0] = True
    item = present(core.passes)
    arms_of = core.arms_of
    i = arms_of[item, 0]
    j = arms_of[item, 1]
    rounds = 1
    if i == j and i == confident and is_alone(core.passes):
        slack = core.slack[i]
        memo = core.forced.memo
        if log_t <= slack and memo[N_MARKED] == 0:
            rounds = min(round_after(slack) + 1, memo[DUE]) - t
    return i, j, rounds
