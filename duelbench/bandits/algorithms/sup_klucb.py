"""Sup-KLUCB: every pair of arms, self-pairs included, is one arm of a KL-UCB bandit.

The mean of a pair is not an average of rewards, but the product of the two arms' empirical scores, so that the pair
with the largest mean is the self-pair of the arm with the largest score.

Assumes that only one arm has the largest score. Anytime.

References
----------
.. [1] N. Agrawal, P. Chaporkar, "KLUCB Approach to Copeland Bandits", arXiv:1902.02778, 2019, Algorithm 1.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import NEVER, Algorithm, Parameter
from duelbench.bandits.algorithms.rmed.forced_draws import is_too_rare, overdue_round
from duelbench.bandits.kernels.decorators import inlined, kernel
from duelbench.bandits.kernels.divergence import divergence_at, kl_ucb, negative_entropy
from duelbench.bandits.kernels.records import FloatPerArm, IntPerPair, record
from duelbench.bandits.kernels.sampling import draw_index, highest
from duelbench.bandits.kernels.searching import to_try
from duelbench.bandits.kernels.threshold_rounds import LAST_ROUND

NO_PAIR = -1
GRID = 2.0**40
"""Means are rounded to multiples of 1 / GRID, so that equal scores stay equal whatever the order of summation."""

SAFE = 1e-9
"""The margin, above rounding errors, by which a divergence must exceed its limit to extend a self-duel."""


class State(NamedTuple):
    """Memory between rounds; arrays are updated in place."""

    wins: IntPerPair  # wins[i, j] = duels arm i has won against arm j.
    score: FloatPerArm  # Sup_i times K - 1 (Copeland) or K (Borda).
    plays: np.ndarray  # (n_pairs,) int64. N_k of the pairs i <= j in lexicographic order.
    mean: np.ndarray  # (n_pairs,) float64. mu_k = Sup_i Sup_j, rounded to a multiple of 1 / GRID.
    negentropy: np.ndarray  # (n_pairs,) float64. mu_k ln mu_k + (1 - mu_k) ln(1 - mu_k).
    arms_of: np.ndarray  # (n_pairs, 2) int64. (i, j) of each pair.
    pair_of: IntPerPair  # The pair of i and j, and of j and i.
    order: np.ndarray  # (n_pairs,) int64. The private order of the pairs.
    memo: np.ndarray  # (1,) record of `start`
    c1: float  # Coefficients of the budget
    c2: float
    explore_floor: float  # A pair of two arms with fewer than explore_floor sqrt(ln t) duels comes first
    scale: float  # (K - 1)^2 or K^2: the divisor of a product of scores
    borda: bool  # Whether scores are Borda scores


def start(n_arms, horizon, rng, standing, *, score, c1, c2, explore_floor):
    """Return the state before round 1, with a random private order of the pairs."""
    first, second = np.triu_indices(n_arms)
    n_pairs = first.size
    pair_of = np.zeros((n_arms, n_arms), np.int64)
    pair_of[first, second] = pair_of[second, first] = np.arange(n_pairs)
    borda = score == "borda"
    state = State(
        wins=np.zeros((n_arms, n_arms), np.int64),
        score=np.full(n_arms, n_arms / 2) if borda else np.zeros(n_arms),
        plays=np.zeros(n_pairs, np.int64),
        mean=np.zeros(n_pairs),
        negentropy=np.zeros(n_pairs),
        arms_of=np.column_stack((first, second)),
        pair_of=pair_of,
        order=rng.permutation(n_pairs),
        memo=record(
            last=NO_PAIR,  # the pair played last
            since=1,  # its first round that is not counted yet, if it is a self-pair
        ),
        c1=2 / n_arms if c1 is None else c1,
        c2=3 / n_arms + (40 / (n_arms - 2) ** 2 if n_arms > 2 else 0.0) if c2 is None else c2,
        explore_floor=explore_floor,
        scale=float(n_arms**2 if borda else (n_arms - 1) ** 2),
        borda=borda,
    )
    for i in range(n_arms):
        _update_means(state, i)
    return state


@kernel
def select(state, t, rng):
    """Return the pair (i, j), i <= j, for round ``t``; a self-duel stands while its index is surely the largest."""
    last = state.memo[0].last
    if last != NO_PAIR and state.arms_of[last, 0] == state.arms_of[last, 1]:
        state.plays[last] += t - state.memo[0].since  # line 10 for self-duels, which are not reported to `update`
    n = t - state.order.size
    rounds = 1
    if n <= 0:  # lines 2-5
        pair = state.order[t - 1]
    else:
        pair = _neglected(state, t)
        if pair == NO_PAIR:
            budget = exploration_budget(n, state.c1, state.c2)
            pair, ties = _largest_index(state, budget, rng)  # lines 7-9
            if ties == 1 and state.arms_of[pair, 0] == state.arms_of[pair, 1]:
                rounds = min(_rounds_on_top(state, pair, n), _neglect_round(state) - t)
    state.memo[0].last = pair
    state.memo[0].since = t
    return state.arms_of[pair, 0], state.arms_of[pair, 1], rounds


@kernel
def update(state, first, second, first_wins, second_wins):
    """Lines 10-11: count duels of two different arms, and update their scores."""
    state.wins[first, second] += first_wins
    state.wins[second, first] += second_wins
    state.plays[state.pair_of[first, second]] += first_wins + second_wins
    _rescore(state, first)
    _rescore(state, second)


@kernel
def recommend(state):
    """Return the arm of largest score (lowest index on ties)."""
    return highest(state.score)


@kernel
def _rescore(state, i):
    """Line 7: compute Sup_i, summed in the order of the arms; if it has changed, update the means of i's pairs."""
    total = 0.0
    for j in range(state.score.size):
        won = state.wins[i, j]
        lost = state.wins[j, i]
        if not state.borda:
            total += 1.0 if won > lost else 0.0
        elif won + lost == 0:
            total += 0.5
        else:
            total += won / (won + lost)
    if total != state.score[i]:
        state.score[i] = total
        _update_means(state, i)


@kernel
def _update_means(state, i):
    """Compute the means of all pairs of arm i (line 8)."""
    for j in range(state.score.size):
        pair = state.pair_of[i, j]
        mean = math.floor(GRID * state.score[i] * state.score[j] / state.scale + 0.5) / GRID
        state.mean[pair] = mean
        state.negentropy[pair] = negative_entropy(mean)


@kernel
def exploration_budget(n, c1, c2):
    """Return the right-hand side of line 9: the limit on plays times divergence, n rounds after the initial ones."""
    log_n = math.log(n)
    return c1 * log_n + c2 * math.log(log_n + 1.0)


@inlined
def _index(state, pair, budget):
    """Return the index q of a pair (line 9) as s = -ln(1 - q); q = 1 while none of its outcomes has arrived."""
    if state.plays[pair] == 0:
        return math.inf
    return kl_ucb(state.mean[pair], state.negentropy[pair], budget / state.plays[pair])


@kernel
def _largest_index(state, budget, rng):
    """Return the pair of largest index (line 9), ties broken uniformly, and the number of pairs that tie.

    One pass finds it, from the pair played last on; it computes the indices of successive leaders only.
    """
    leader = state.memo[0].last
    s = _index(state, leader, budget)
    q = -math.expm1(-s)
    log_q = math.log(q) if q > 0.0 else 0.0  # if q = 0, it does not matter: all means above 0 are ahead
    for pair in range(state.plays.size):
        if s == math.inf:
            break
        is_ahead = state.mean[pair] > q or state.plays[pair] == 0
        if not is_ahead:
            divergence = divergence_at(state.mean[pair], state.negentropy[pair], s, log_q)
            is_ahead = state.plays[pair] * divergence < budget
        if is_ahead and not _ties(state, pair, leader, budget):
            leader = pair
            s = _index(state, leader, budget)
            q = -math.expm1(-s)
            log_q = math.log(q)
    ties = 0
    for pair in range(state.plays.size):
        ties += _ties(state, pair, leader, budget)
    skip = draw_index(ties, rng)
    for pair in range(state.plays.size):
        if ties > 1 and _ties(state, pair, leader, budget):
            if skip == 0:
                return pair, ties
            skip -= 1
    return leader, ties


@inlined
def _ties(state, a, b, budget):
    """Return whether two pairs have the same index: both 1, or equal means, with equal plays or a budget of 0."""
    top = state.plays[a] == 0 or state.mean[a] >= 1.0
    if state.plays[b] == 0 or state.mean[b] >= 1.0:
        return top
    return not top and state.mean[a] == state.mean[b] and (state.plays[a] == state.plays[b] or budget == 0.0)


@kernel
def _rounds_on_top(state, self_pair, n):
    """Return for how many rounds from the n-th on a self-pair surely keeps the largest index if only it is played.

    For n >= 3 its index falls with budget / plays, since n and plays <= n both grow by one. All other indices rise.
    """
    if state.mean[self_pair] >= 1.0 or (state.c1 == 0.0 and state.c2 == 0.0):
        return NEVER
    if n < 3:
        return 1
    stays, leaves = 0, NEVER
    while leaves - stays > 1 and (leaves < NEVER or 2 * stays <= LAST_ROUND):
        rounds = to_try(stays, leaves)
        if _stays_on_top(state, self_pair, n, rounds):
            stays = rounds
        else:
            leaves = rounds
    return leaves


@inlined
def _stays_on_top(state, self_pair, n, later):
    """Return whether a self-pair surely still has the largest index ``later`` rounds, all its own, after the n-th."""
    budget = exploration_budget(n + later, state.c1, state.c2)
    s = kl_ucb(state.mean[self_pair], state.negentropy[self_pair], budget / (state.plays[self_pair] + later))
    q = -math.expm1(-s)
    log_q = math.log(q) if q > 0.0 else 0.0
    for pair in range(state.plays.size):
        if pair != self_pair:
            mean = state.mean[pair]
            divergence = divergence_at(mean, state.negentropy[pair], s, log_q)
            if mean > q or state.plays[pair] * (divergence - SAFE) <= budget:
                return False
    return True


@inlined
def _neglected(state, t):
    """Return the first pair of two arms in private order with plays < explore_floor sqrt(ln t), or NO_PAIR."""
    if state.explore_floor > 0.0:
        for pair in state.order:
            of_two = state.arms_of[pair, 0] != state.arms_of[pair, 1]
            if of_two and is_too_rare(state.plays[pair], state.explore_floor, math.log(t)):
                return pair
    return NO_PAIR


@kernel
def _neglect_round(state):
    """Return the first round in which `_neglected` finds a pair, if no pair of two arms is played before."""
    first = NEVER
    if state.explore_floor > 0.0:
        for pair in range(state.plays.size):
            if state.arms_of[pair, 0] != state.arms_of[pair, 1]:
                first = min(first, overdue_round(state.plays[pair], state.explore_floor))
    return first


PARAMETERS = {
    "score": Parameter(
        "copeland",
        "copeland; condorcet: the same; borda: the mean probability of winning, 1/2 against itself included",
        choices=("copeland", "condorcet", "borda"),
    ),
    "c1": Parameter(
        None, "coefficient of ln n in the budget; 2 / K unless given", low=0.0, high=math.inf, high_open=True
    ),
    "c2": Parameter(
        None,
        "coefficient of ln(ln n + 1) in the budget; 3 / K + 40 / (K - 2)^2 unless given (K = 2: 3 / K)",
        low=0.0,
        high=math.inf,
        high_open=True,
    ),
    "explore_floor": Parameter(
        0.0, "a pair of two arms with fewer than explore_floor sqrt(ln t) duels comes first; 0: off", low=0.0
    ),
}

SUP_KLUCB = Algorithm.of_module(
    __name__,
    "sup-klucb",
    "Sup-KLUCB",
    "copeland",
    "Agrawal, Chaporkar 2019, Algorithm 1",
    look=("indigo", "solid", "P"),
    source="paper",
)
