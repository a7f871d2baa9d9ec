"""MergeRUCB and MergeDTS: many arms, compared within small batches that merge as arms are eliminated.

An arm leaves its batch as soon as another arm of the batch surely beats it; it never returns. Once every other arm is
gone, the last one duels itself for ever.

Assume a Condorcet winner. Anytime. MergeRUCB promises its regret with probability 1 - ``delta``.

Notation of [1]_: batches of about p arms, stage S. Arms of a batch are kept in increasing order, so that "the first of
them" means the lowest index. All bounds are u_ij = W_ij / N_ij + sqrt(alpha ln(t + C) / N_ij), 2 before the first duel.

Draws: ``start`` draws a random order of the arms, which is cut into batches. Of a round, in this order:

- if batches merge, one number for each rank but the last, to choose among batches tied for the smallest size (none
  where there is no tie);
- if arms are eliminated one at a time, which of those that are beaten goes first (none where there is one);
- MergeRUCB: the first arm, of those of the batch; the second, of those tied for the largest bound;
- MergeDTS: for a < b, both of the batch, in lexicographic order, one number: theta_ab > 1/2 if it is below its
  probability; the first arm, of those tied for most wins; phi_jc ~ Beta(W_jc + 1, W_cj + 1) for the other arms j of the
  batch in increasing order (nothing where there is only one).

References
----------
.. [1] M. Zoghi, S. Whiteson, M. de Rijke, "MergeRUCB: A Method for Large-Scale Online Ranker Evaluation", WSDM 2015,
   Algorithm 1.
.. [2] C. Li, I. Markov, M. de Rijke, M. Zoghi, "MergeDTS: A Method for Effective Large-Scale Online Ranker Evaluation",
   ACM Transactions on Information Systems 38(4), 2020, Algorithm 1.
"""

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.contract import NEVER, Algorithm, Parameter
from duelbench.kernels import posteriors
from duelbench.kernels.confidence_bounds import upper_bound
from duelbench.kernels.decorators import apart, kernel
from duelbench.kernels.posteriors import Posterior
from duelbench.kernels.sampling import draw_index

NONE = -1
UNPLAYED = 2.0
"""u_ij of a pair that never dueled: x / 0 := 1."""

N_BATCHES, STAGE, N_NEW = 0, 1, 2  # places in Batches.counts


class Batches(NamedTuple):
    """The arms that are left; arrays are updated in place.

    arms : (K,) int64. Batch after batch, each in increasing order.
    begin : (n + 1,) int64, n the first number of batches. Batch m is arms[begin[m]:begin[m + 1]].
    counts : (3,) int64. The number of batches; the stage S; scratch: batches in ``new_arms``.
    new_arms, new_begin : scratch, as ``arms`` and ``begin``: the batches after a merge.
    rank : (n,) int64. Scratch: batches in order of size.
    beaten : (K,) bool. Scratch, by place in a batch: arms to be eliminated.
    size : int. p.
    surplus : int. Batches merge when K / 2^S + surplus arms are left.
    """

    arms: np.ndarray
    begin: np.ndarray
    counts: np.ndarray
    new_arms: np.ndarray
    new_begin: np.ndarray
    rank: np.ndarray
    beaten: np.ndarray
    size: int
    surplus: int


class RUCBState(NamedTuple):
    """Memory of MergeRUCB between rounds; arrays are updated in place.

    batches : the arms that are left.
    wins : (K, K) int64. wins[i, j] = duels arm i has won against arm j.
    tied : (K,) int64. Scratch: arms to choose from.
    alpha : float. Exploration rate.
    log_offset : float. ln C.
    """

    batches: Batches
    wins: np.ndarray
    tied: np.ndarray
    alpha: float
    log_offset: float


class DTSState(NamedTuple):
    """Memory of MergeDTS between rounds; arrays are updated in place.

    batches, wins, tied, alpha, log_offset : as of MergeRUCB.
    posterior : P(theta_ij > 1/2).
    votes : (K,) int64. Scratch, by place in a batch: kappa.
    """

    batches: Batches
    wins: np.ndarray
    tied: np.ndarray
    posterior: Posterior
    votes: np.ndarray
    alpha: float
    log_offset: float


def start_rucb(n_arms, horizon, rng, standing, *, alpha, batch_size, delta, lerot_compat):
    """State of MergeRUCB before round 1; draws the order of the arms."""
    wins = np.zeros((n_arms, n_arms), np.int64)
    if lerot_compat:
        wins += 1
        np.fill_diagonal(wins, 0)
    return RUCBState(
        batches=new_batches(rng.permutation(n_arms), batch_size, surplus=int(lerot_compat)),
        wins=wins,
        tied=np.zeros(n_arms, np.int64),
        alpha=alpha,
        log_offset=log_confidence_constant(n_arms, alpha, delta),
    )


def start_dts(n_arms, horizon, rng, standing, *, alpha, batch_size, offset):
    """State of MergeDTS before round 1; draws the order of the arms."""
    return DTSState(
        batches=new_batches(rng.permutation(n_arms), batch_size, surplus=0),
        wins=np.zeros((n_arms, n_arms), np.int64),
        tied=np.zeros(n_arms, np.int64),
        posterior=posteriors.new_posterior(n_arms),
        votes=np.zeros(n_arms, np.int64),
        alpha=alpha,
        log_offset=math.log(offset),
    )


def log_confidence_constant(n_arms, alpha, delta):
    """ln C(delta), C(delta) = ((4 alpha - 1) K^2 / ((2 alpha - 1) delta))^(1 / (2 alpha - 1)).

    Examples
    --------
    alpha = 1 makes the exponent 1: C = 3 * 2^2 / 0.5.

    >>> round(math.exp(log_confidence_constant(2, 1.0, 0.5)), 9)
    24.0
    """
    exponent = 1.0 / (2.0 * alpha - 1.0)
    return exponent * math.log((4.0 * alpha - 1.0) * n_arms**2 * exponent / delta)


def new_batches(order, size, surplus):
    """Consecutive pieces of ``order`` of ``size`` arms, the last one perhaps shorter.

    Examples
    --------
    >>> batches = new_batches(np.array([4, 2, 0, 3, 1]), 2, surplus=0)
    >>> batches.arms.tolist(), batches.begin.tolist(), int(batches.counts[N_BATCHES])
    ([2, 4, 0, 3, 1], [0, 2, 4, 5], 3)
    """
    n_arms = order.size
    begin = np.append(np.arange(0, n_arms, size), n_arms)
    pieces = [np.sort(order[a:b]) for a, b in pairwise(begin)]
    return Batches(
        arms=np.concatenate(pieces),
        begin=begin,
        counts=np.array([begin.size - 1, 1, 0]),
        new_arms=np.zeros(n_arms, np.int64),
        new_begin=np.zeros(begin.size, np.int64),
        rank=np.zeros(begin.size - 1, np.int64),
        beaten=np.zeros(n_arms, np.bool_),
        size=size,
        surplus=surplus,
    )


@kernel
def select_rucb(state, t, rng):
    """Pair (c, d) of the batch whose turn it is in round ``t``; the last arm duels itself for ever."""
    batches = state.batches
    log_t = _log_shifted(t, state.log_offset)
    merge_if_due(batches, state.wins.shape[0], rng)  # step 5 of the round before
    turn = t % batches.counts[N_BATCHES]
    while True:
        m = _open_batch(batches, turn)  # step 1
        if m == NONE and batches.counts[N_BATCHES] == 1:
            return batches.arms[0], batches.arms[0], NEVER
        if m == NONE:  # nobody could play: merge, although more arms are left than step 5 asks for
            merge(batches, rng)
            turn = t % batches.counts[N_BATCHES]
            continue
        eliminate(batches, m, state.wins, state.alpha, log_t, False, rng)  # step 2
        if _size(batches, m) > 1:
            break
        turn = (m + 1) % batches.counts[N_BATCHES]  # step 3
    c = batches.arms[batches.begin[m] + draw_index(_size(batches, m), rng)]  # step 4
    return c, _strongest_opponent(state, m, c, log_t, rng), 1


@kernel
def select_dts(state, t, rng):
    """Pair (c, d) of the batch whose turn it is in round ``t``; the last arm duels itself for ever."""
    batches = state.batches
    log_t = _log_shifted(t, state.log_offset)
    merge_if_due(batches, state.wins.shape[0], rng)  # step 6 of the round before
    while True:
        m = t % batches.counts[N_BATCHES]  # step 1
        if _size(batches, m) > 1:
            eliminate(batches, m, state.wins, state.alpha, log_t, True, rng)  # step 2
            if _size(batches, m) > 1:
                break
        if batches.counts[N_BATCHES] == 1:
            return batches.arms[0], batches.arms[0], NEVER
        join_next(batches, m)
    c = _sampled_winner(state, m, rng)
    return c, _sampled_victim(state, m, c, rng), 1


@kernel
def update_rucb(state, first, second, first_wins, second_wins):
    """Count the outcomes."""
    state.wins[first, second] += first_wins
    state.wins[second, first] += second_wins


@kernel
def update_dts(state, first, second, first_wins, second_wins):
    """Count the outcomes."""
    posteriors.observe(state.posterior, state.wins, first, second, first_wins, second_wins)
    state.wins[first, second] += first_wins
    state.wins[second, first] += second_wins


@kernel
def recommend(state):
    """Of the arms that are left, the one that beats most arms empirically (lowest index on ties)."""
    return _leader(state.batches, state.wins)


@kernel
def _leader(batches, wins):
    """The arm that `recommend` answers with."""
    best = NONE
    best_score = -1
    for k in range(batches.begin[batches.counts[N_BATCHES]]):
        i = batches.arms[k]
        score = 0
        for j in range(wins.shape[0]):
            score += wins[i, j] > wins[j, i]
        if score > best_score or (score == best_score and i < best):
            best = i
            best_score = score
    return best


@kernel
def _log_shifted(t, log_offset):
    """ln(t + C), however large C is."""
    if log_offset == -np.inf:
        return math.log(t)
    return log_offset + math.log1p(t * math.exp(-log_offset))


@kernel
def _size(batches, m):
    """Number of arms of batch m."""
    return batches.begin[m + 1] - batches.begin[m]


@kernel
def _open_batch(batches, m):
    """The first batch from m on, going round, with more than one arm; NONE where there is none."""
    n = batches.counts[N_BATCHES]
    for step in range(n):
        if _size(batches, (m + step) % n) > 1:
            return (m + step) % n
    return NONE


@kernel
def _strongest_opponent(state, m, c, log_t, rng):
    """MergeRUCB, step 4: d = argmax u_jc over the other arms j of batch m, ties at random."""
    wins = state.wins
    batches = state.batches
    largest = 0.0
    tied = 0
    for k in range(batches.begin[m], batches.begin[m + 1]):
        j = batches.arms[k]
        if j == c:
            continue
        u = upper_bound(wins[j, c], wins[j, c] + wins[c, j], state.alpha, log_t, UNPLAYED)
        if u > largest:
            largest = u
            tied = 0
        if u == largest:
            state.tied[tied] = j
            tied += 1
    return state.tied[draw_index(tied, rng)]


@kernel
def _sampled_winner(state, m, rng):
    """MergeDTS, step 3: the arm of batch m that wins most of the sampled duels within it, ties at random."""
    above = state.posterior.above
    arms = state.batches.arms
    begin = state.batches.begin[m]
    size = _size(state.batches, m)
    state.votes[:size] = 0
    for a in range(size):
        for b in range(a + 1, size):
            if rng.random() < above[arms[begin + a], arms[begin + b]]:
                state.votes[a] += 1
            else:
                state.votes[b] += 1
    most = 0
    tied = 0
    for a in range(size):
        if state.votes[a] > most:
            most = state.votes[a]
            tied = 0
        if state.votes[a] == most:
            state.tied[tied] = arms[begin + a]
            tied += 1
    return state.tied[draw_index(tied, rng)]


@kernel
def _sampled_victim(state, m, c, rng):
    """MergeDTS, step 4: d = argmin phi_jc, the other arm of batch m that c is most likely to eliminate."""
    wins = state.wins
    batches = state.batches
    only_one = _size(batches, m) == 2
    d = NONE
    smallest = 2.0
    for k in range(batches.begin[m], batches.begin[m + 1]):
        j = batches.arms[k]
        if j != c:
            phi = 1.0 if only_one else rng.beta(wins[j, c] + 1, wins[c, j] + 1)
            if phi < smallest:
                d = j
                smallest = phi
    return d


@kernel
def eliminate(batches, m, wins, alpha, log_t, one_by_one, rng):
    """Remove from batch m the arms i with u_ij < 1/2 for some j of it: all at once, unless all would go.

    Else, and where ``one_by_one``, remove one of them at random, and look again.

    Parameters
    ----------
    batches : Batches
        Updated in place.
    m : int
    wins : ndarray of int64, shape (K, K)
    alpha : float
    log_t : float
        ln(t + C).
    one_by_one : bool
    rng : Generator

    Examples
    --------
    100 wins to 0 decide, as 100 / 4 > 20:

    >>> batches = new_batches(np.arange(3), 3, surplus=0)
    >>> wins = np.array([[0, 100, 10], [0, 0, 10], [0, 0, 0]])
    >>> eliminate(batches, 0, wins, 1.0, 20.0, False, np.random.default_rng())
    >>> batches.arms[: batches.begin[1]].tolist()
    [0, 2]
    """
    while True:
        count = _mark_beaten(batches, m, wins, alpha, log_t)
        if count == 0:
            return
        one_by_one = one_by_one or count == _size(batches, m)
        skip = draw_index(count, rng) if one_by_one else 0
        for k in range(_size(batches, m) - 1, -1, -1):
            if batches.beaten[k]:
                count -= 1
                if not one_by_one or count == skip:
                    _remove(batches, m, k)


@kernel
def _mark_beaten(batches, m, wins, alpha, log_t):
    """Mark the arms of batch m that another arm of it surely beats; returns how many there are."""
    size = _size(batches, m)
    begin = batches.begin[m]
    batches.beaten[:size] = False
    for a in range(size):
        i = batches.arms[begin + a]
        for b in range(a + 1, size):
            j = batches.arms[begin + b]
            plays = wins[i, j] + wins[j, i]
            if 2 * wins[i, j] < plays and upper_bound(wins[i, j], plays, alpha, log_t, UNPLAYED) < 0.5:
                batches.beaten[a] = True
            elif 2 * wins[j, i] < plays and upper_bound(wins[j, i], plays, alpha, log_t, UNPLAYED) < 0.5:
                batches.beaten[b] = True
    count = 0
    for a in range(size):
        count += batches.beaten[a]
    return count


@apart
def _remove(batches, m, place):
    """Remove the arm in this place of batch m."""
    n = batches.counts[N_BATCHES]
    for k in range(batches.begin[m] + place, batches.begin[n] - 1):
        batches.arms[k] = batches.arms[k + 1]
    for b in range(m + 1, n + 1):
        batches.begin[b] -= 1


@kernel
def merge_if_due(batches, n_arms, rng):
    """Step 5 of MergeRUCB: merge once no more than K / 2^S + surplus arms are left.

    Examples
    --------
    >>> batches = new_batches(np.arange(4), 2, surplus=0)
    >>> merge_if_due(batches, 7, np.random.default_rng())  # 4 > 7 / 2
    >>> merge_if_due(batches, 8, np.random.default_rng())
    >>> int(batches.counts[N_BATCHES]), int(batches.counts[STAGE])
    (2, 2)
    """
    n = batches.counts[N_BATCHES]
    if n > 1 and batches.begin[n] <= n_arms / 2.0 ** batches.counts[STAGE] + batches.surplus:
        merge(batches, rng)


@apart
def merge(batches, rng):
    """Merge the batches, again if the smallest has not more than p / 2 arms; S <- S + 1.

    Examples
    --------
    >>> batches = new_batches(np.array([3, 0, 2, 1, 4]), 4, surplus=0)  # {0, 1, 2, 3} and {4}
    >>> merge(batches, np.random.default_rng())
    >>> batches.arms.tolist(), batches.begin[:2].tolist()
    ([0, 1, 2, 3, 4], [0, 5])
    """
    _pair_up(batches, rng)
    smallest = _size(batches, 0)
    for m in range(1, batches.counts[N_BATCHES]):
        smallest = min(smallest, _size(batches, m))
    if batches.counts[N_BATCHES] > 1 and 2 * smallest <= batches.size:
        _pair_up(batches, rng)
    batches.counts[STAGE] += 1


@kernel
def _pair_up(batches, rng):
    """Join the smallest batch with the largest, and so on; a batch too large for the smallest stays alone.

    The new batches are in the order in which they come about.
    """
    _rank(batches, rng)
    low = 0
    high = batches.counts[N_BATCHES] - 1
    while low <= high:
        small = batches.rank[low]
        large = batches.rank[high]
        if low < high and 2 * (_size(batches, small) + _size(batches, large)) <= 3 * batches.size:
            _emit(batches, small, large)
            low += 1
        else:
            _emit(batches, large, NONE)
        high -= 1
    _adopt(batches)


@kernel
def _rank(batches, rng):
    """Sort the batches by size, those of equal size in random order."""
    n = batches.counts[N_BATCHES]
    rank = batches.rank
    for m in range(n):
        rank[m] = m
    for r in range(n):
        smallest = _size(batches, rank[r])
        tied = 0
        for k in range(r, n):
            size = _size(batches, rank[k])
            if size < smallest:
                smallest = size
                tied = 0
            tied += size == smallest
        skip = draw_index(tied, rng)
        k = r
        while _size(batches, rank[k]) != smallest or skip > 0:
            skip -= _size(batches, rank[k]) == smallest
            k += 1
        chosen = rank[k]
        for h in range(k, r, -1):  # keep the others in their order
            rank[h] = rank[h - 1]
        rank[r] = chosen


@kernel
def _emit(batches, a, b):
    """Add the union of batches a and b (of a alone, if b is NONE) to the new batches."""
    new = batches.counts[N_NEW]
    end = batches.new_begin[new]
    i = batches.begin[a]
    j = batches.begin[b] if b != NONE else 0
    last_j = batches.begin[b + 1] if b != NONE else 0
    while i < batches.begin[a + 1] or j < last_j:
        if j == last_j or (i < batches.begin[a + 1] and batches.arms[i] < batches.arms[j]):
            batches.new_arms[end] = batches.arms[i]
            i += 1
        else:
            batches.new_arms[end] = batches.arms[j]
            j += 1
        end += 1
    batches.new_begin[new + 1] = end
    batches.counts[N_NEW] += 1


@kernel
def _adopt(batches):
    """Make the new batches the batches."""
    n = batches.counts[N_NEW]
    for m in range(n + 1):
        batches.begin[m] = batches.new_begin[m]
    for k in range(batches.begin[n]):
        batches.arms[k] = batches.new_arms[k]
    batches.counts[N_BATCHES] = n
    batches.counts[N_NEW] = 0


@apart
def join_next(batches, m):
    """Join batch m with the batch after it, or the last with the first, in whose place the union stays.

    Examples
    --------
    >>> batches = new_batches(np.array([0, 1, 2]), 1, surplus=0)
    >>> join_next(batches, 1)
    >>> batches.arms.tolist(), batches.begin[:3].tolist()
    ([0, 1, 2], [0, 1, 3])
    """
    n = batches.counts[N_BATCHES]
    after = (m + 1) % n
    for b in range(n):
        if b == after:
            _emit(batches, b, m)
        elif b != m:
            _emit(batches, b, NONE)
    _adopt(batches)


MERGERUCB = Algorithm(
    id="mergerucb",
    name="MergeRUCB",
    assumes="condorcet",
    anytime=True,
    parameters={
        "alpha": Parameter(1.01, "exploration rate", low=0.5, low_open=True),
        "batch_size": Parameter(4, "arms per batch at the start, p", low=2),
        "delta": Parameter(
            0.01, "probability with which the winner may be eliminated", low=0.0, low_open=True, high=1.0
        ),
        "lerot_compat": Parameter(
            False, "as the authors' program: counts start at 1, batches merge when K / 2^S + 1 arms are left"
        ),
    },
    reference="Zoghi, Whiteson, de Rijke 2015, Algorithm 1",
    state=RUCBState,
    start=start_rucb,
    select=select_rucb,
    update=update_rucb,
    recommend=recommend,
)

MERGE_DTS = Algorithm(
    id="merge-dts",
    name="MergeDTS",
    assumes="condorcet",
    anytime=True,
    parameters={
        "alpha": Parameter(0.8**6, "exploration rate; theory wants more than 1/2", low=0.0, low_open=True),
        "batch_size": Parameter(16, "arms per batch at the start, M", low=2),
        "offset": Parameter(4e5, "C in ln(t + C), rounds", low=1.0),
    },
    reference="Li, Markov, de Rijke, Zoghi 2020, Algorithm 1",
    state=DTSState,
    start=start_dts,
    select=select_dts,
    update=update_dts,
    recommend=recommend,
)
