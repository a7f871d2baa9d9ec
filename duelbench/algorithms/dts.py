"""Double Thompson Sampling (D-TS), its refinement D-TS+, and D-TS without confidence bounds.

Two independent sets of posterior samples choose the two arms; confidence bounds keep arms out that can no longer be
Copeland winners, and pairs whose outcome is known. Without them (pure D-TS) regret is linear where a Copeland winner
loses to an arm that is none.

Assume nothing but a Copeland winner, which always exists. Anytime. Parameter: ``alpha > 1/2``.

Where the rule only asks on which side of 1/2 a sample falls, only that is drawn; sample values are drawn, given their
side, where they are compared. When one arm w is all but certain to be chosen twice, the round is described by
independent signs, each of which is nearly certain: the number of rounds in which all come out as expected is
geometric, and the first other round is drawn given that some sign deviates. Only signs that decide the vote are asked
to be as expected: w's own, and as many defeats of each other candidate as keep it behind w.

References
----------
.. [1] H. Wu, X. Liu, "Double Thompson Sampling for Dueling Bandits", NIPS 2016: Algorithm 1 (its line numbers are
   given below), section 4.3 and appendix D.2.4.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms import posterior as posteriors
from duelbench.algorithms import statistics
from duelbench.algorithms.contract import NEVER, Algorithm, Parameter
from duelbench.algorithms.kernel import kernel
from duelbench.algorithms.posterior import Posterior, beta_above_half
from duelbench.algorithms.statistics import Bounds, advance, copeland_leader, draw_member, is_below

NO_ARM = -1
WORTHWHILE = 0.8
"""Decisions are made to stand only where the next round is at least so likely to be the expected self-duel."""

VERSION, N_CANDIDATES, LEADER, EVENT = 0, 1, 2, 3  # places in State.memo


class State(NamedTuple):
    """Memory between rounds; arrays are updated in place.

    bounds : which confidence bounds are on which side of 1/2; holds the wins, B of [1]_.
    posterior : P(theta_ij > 1/2).
    candidate : (K,) bool. The set C: arms of maximal optimistic Copeland score.
    votes : (K,) int64. Scratch: arms beaten in the first set of samples.
    chosen : (K,) bool. Scratch: arms to choose from.
    total : (K,) float64. Scratch: sampled regret-to-information ratios.
    sign : (K, K) bool. Scratch, entries i < j: theta1_ij > 1/2.
    decisive : (K, K) bool. Entries i < j: signs of the first set that together make w win the vote.
    memo : (4,) int64. Version of the bounds that the rest belongs to; size of C; the arm w that is expected to be
        chosen twice, or NO_ARM; the round in which some sign deviates, or NEVER.
    log_stay : (1,) float64. ln of the probability that a round goes as expected.
    tie_break : bool. D-TS+.
    over_all : bool. D-TS+: the best sampled score is that of all arms, not only of the candidates.
    standing : bool. Whether decisions may be made to stand.
    """

    bounds: Bounds
    posterior: Posterior
    candidate: np.ndarray
    votes: np.ndarray
    chosen: np.ndarray
    total: np.ndarray
    sign: np.ndarray
    decisive: np.ndarray
    memo: np.ndarray
    log_stay: np.ndarray
    tie_break: bool
    over_all: bool
    standing: bool


def start_dts(n_arms, horizon, rng, standing, *, alpha):
    """State of D-TS before round 1."""
    return _start(n_arms, standing, alpha, tie_break=False)


def start_dts_pure(n_arms, horizon, rng, standing):
    """State of pure D-TS before round 1: with alpha = inf no bound ever rules anything out."""
    return _start(n_arms, standing, alpha=math.inf, tie_break=False)


def start_dts_plus(n_arms, horizon, rng, standing, *, alpha, best_score):
    """State of D-TS+ before round 1."""
    return _start(n_arms, standing, alpha, tie_break=True, over_all=best_score == "all")


def _start(n_arms, standing, alpha, tie_break, over_all=True):
    return State(
        bounds=statistics.new_bounds(n_arms, alpha),
        posterior=posteriors.new_posterior(n_arms),
        candidate=np.ones(n_arms, np.bool_),
        votes=np.zeros(n_arms, np.int64),
        chosen=np.zeros(n_arms, np.bool_),
        total=np.zeros(n_arms),
        sign=np.zeros((n_arms, n_arms), np.bool_),
        decisive=np.zeros((n_arms, n_arms), np.bool_),
        memo=np.array([-1, n_arms, NO_ARM, NEVER]),
        log_stay=np.array([-np.inf]),
        tie_break=tie_break,
        over_all=over_all,
        standing=standing,
    )


@kernel
def select(state, t, rng):
    """Pair (a, b) for round ``t``; an expected self-duel stands until a sign deviates or a bound crosses 1/2."""
    advance(state.bounds, t)
    if state.memo[VERSION] != state.bounds.version[0]:
        _look(state, t)
    if state.memo[LEADER] == NO_ARM:
        a = _first_candidate(state, rng, NEVER)
        return a, _second_candidate(state, a, t, rng), 1
    if t != state.memo[EVENT]:
        w = state.memo[LEADER]
        rounds = _expected_rounds(state, t, rng)
        if rounds > 0:
            return w, w, rounds
    a, b = _deviating_pair(state, t, rng)
    return a, b, 1


@kernel
def update(state, first, second, first_wins, second_wins):
    """Lines 16-17."""
    posteriors.observe(state.posterior, state.bounds.wins, first, second, first_wins, second_wins)
    statistics.add_duels(state.bounds, first, second, first_wins, second_wins)


@kernel
def recommend(state):
    """The arm that beats most arms empirically."""
    return copeland_leader(state.bounds.wins)


@kernel
def _look(state, t):
    """After news: the set C (lines 4-6), and whether the coming rounds are likely to be alike."""
    n_below = state.bounds.n_below
    fewest = n_below[0]
    for i in range(1, n_below.size):
        fewest = min(fewest, n_below[i])
    state.memo[N_CANDIDATES] = 0
    for i in range(n_below.size):
        state.candidate[i] = n_below[i] == fewest
        state.memo[N_CANDIDATES] += state.candidate[i]
    state.memo[VERSION] = state.bounds.version[0]
    state.memo[EVENT] = NEVER
    state.memo[LEADER] = _expected_winner(state) if state.standing else NO_ARM
    if state.memo[LEADER] != NO_ARM:
        state.log_stay[0] = _log_stay(state, t)
        if state.log_stay[0] < math.log(WORTHWHILE):
            state.memo[LEADER] = NO_ARM


@kernel
def _first_candidate(state, rng, deviating):
    """Lines 7-11: sample the signs, let the candidates' votes count.

    ``deviating`` is the place, among the decisive signs, of the first that does not come out as expected; all others
    but those before it are free. NEVER frees all.
    """
    candidate = state.candidate
    if state.memo[N_CANDIDATES] == 1:
        return _only(candidate)
    n_arms = candidate.size
    above = state.posterior.above
    place = 0
    state.votes[:] = 0
    for i in range(n_arms):
        for j in range(i + 1, n_arms):
            if not (state.tie_break or candidate[i] or candidate[j]):
                continue
            if place <= deviating and deviating != NEVER and state.decisive[i, j]:
                sign = (above[i, j] > 0.5) != (place == deviating)
                place += 1
            else:
                sign = rng.random() < above[i, j]
            state.sign[i, j] = sign
            if sign:
                state.votes[i] += 1
            else:
                state.votes[j] += 1
    most = -1
    count = 0
    for i in range(n_arms):
        state.chosen[i] = False
        if candidate[i] and state.votes[i] >= most:
            if state.votes[i] > most:
                most = state.votes[i]
                count = 0
                state.chosen[:i] = False
            state.chosen[i] = True
            count += 1
    if count > 1 and state.tie_break:
        return _least_sampled_regret(state, rng)
    return draw_member(state.chosen, count, rng)


@kernel
def _only(member):
    """The index of the one true entry."""
    for i in range(member.size):
        if member[i]:
            return i
    return NO_ARM


@kernel
def _least_sampled_regret(state, rng):
    """D-TS+: among the tied arms, the one whose sampled regret-to-information ratios add up to least.

    A pair whose sampled regret is zero needs no sample: its term vanishes. Sums may be equal when all terms do.
    """
    n_arms = state.votes.size
    wins = state.bounds.wins
    total = state.total
    most = 0
    for i in range(n_arms):
        total[i] = 0.0
        if state.over_all or state.candidate[i]:
            most = max(most, state.votes[i])
    for i in range(n_arms):
        for j in range(i + 1, n_arms):
            regret = (most - 0.5 * (state.votes[i] + state.votes[j])) / (n_arms - 1)
            if not (state.chosen[i] or state.chosen[j]) or regret == 0.0:
                continue
            if state.sign[i, j]:
                theta = beta_above_half(wins[i, j] + 1, wins[j, i] + 1, rng)
            else:
                theta = beta_above_half(wins[j, i] + 1, wins[i, j] + 1, rng)
            ratio = regret / information(theta)
            total[i] += ratio
            total[j] += ratio
    least = np.inf
    count = 0
    for i in range(n_arms):
        if state.chosen[i]:
            if total[i] < least:
                least = total[i]
                count = 0
            count += total[i] == least
    for i in range(n_arms):
        state.chosen[i] = state.chosen[i] and total[i] == least
    return draw_member(state.chosen, count, rng)


@kernel
def information(theta):
    """d(theta, 1/2) in nats, also next to 1/2, where the textbook formula cancels.

    Examples
    --------
    >>> information(0.5 + 1e-9) > 0.0, round(information(0.75), 6)
    (True, 0.130812)
    """
    x = 2.0 * theta - 1.0
    if x >= 1.0:
        return math.log(2.0)
    square = x * x
    if square > 0.04:
        return 0.5 * ((1.0 + x) * math.log1p(x) + (1.0 - x) * math.log1p(-x))
    series = 0.0  # sum over k of x^2k / (2k (2k - 1)), to the last bit for x^2 <= 0.04
    for k in range(10, 0, -1):
        series = series * square + 1.0 / (2 * k * (2 * k - 1))
    return max(series * square, 1e-300)


@kernel
def _second_candidate(state, a, t, rng):
    """Lines 13-14: signs against a of all arms that may beat it or lose to it."""
    above = state.posterior.above
    count = 0
    for i in range(above.shape[0]):
        state.chosen[i] = i != a and not is_below(state.bounds, a, i, t) and rng.random() < above[i, a]
        count += state.chosen[i]
    return _strongest(state, a, count, rng)


@kernel
def _strongest(state, a, count, rng):
    """Line 14: of the ``count`` chosen arms, whose samples against a are above 1/2, the one with the largest; or a."""
    if count == 0:
        return a
    if count == 1:
        return _only(state.chosen)
    wins = state.bounds.wins
    best = a
    largest = 0.5
    for i in range(state.chosen.size):
        if state.chosen[i]:
            theta = beta_above_half(wins[i, a] + 1, wins[a, i] + 1, rng)
            if theta > largest:
                best = i
                largest = theta
    return best


@kernel
def _expected_winner(state):
    """The candidate that wins the vote when every sign is the likelier one, if there is exactly one such arm.

    Its and the others' expected votes are left in ``votes``.
    """
    above = state.posterior.above
    winner = NO_ARM
    most = -1
    for i in range(above.shape[0]):
        if state.candidate[i]:
            votes = 0
            for j in range(above.shape[0]):
                votes += above[i, j] > 0.5
            state.votes[i] = votes
            if votes >= most:
                winner = i if votes > most else NO_ARM
                most = votes
    return winner


@kernel
def _log_stay(state, t):
    """ln of the probability that a round goes as expected, or -inf where it is not worthwhile; sets ``decisive``."""
    w = state.memo[LEADER]
    above = state.posterior.above
    n_arms = above.shape[0]
    log_stay = 0.0
    threshold = math.log(WORTHWHILE)
    for i in range(n_arms):
        if i != w and not is_below(state.bounds, w, i, t):
            if above[i, w] > 0.5:
                return -np.inf
            log_stay += math.log1p(-above[i, w])
            if log_stay < threshold:
                return -np.inf
    if state.memo[N_CANDIDATES] == 1:
        return log_stay
    state.decisive[:] = False
    for j in range(n_arms):
        if j != w:
            state.decisive[min(w, j), max(w, j)] = True
    for i in range(n_arms):
        if i != w and state.candidate[i]:
            _keep_behind(state, i, state.votes[w])
    for i in range(n_arms):
        for j in range(i + 1, n_arms):
            if state.decisive[i, j]:
                log_stay += math.log1p(-min(above[i, j], above[j, i]))
                if log_stay < threshold:
                    return -np.inf
    return log_stay


@kernel
def _keep_behind(state, i, votes):
    """Make the likeliest defeats of arm i decisive, until it cannot get ``votes`` votes.

    It expects fewer, so it has defeats enough. Defeats that are decisive already count.
    """
    above = state.posterior.above
    n_arms = above.shape[0]
    missing = n_arms - votes
    for j in range(n_arms):
        if j != i and state.decisive[min(i, j), max(i, j)] and above[i, j] <= 0.5:
            missing -= 1
    while missing > 0:
        likeliest = NO_ARM
        for j in range(n_arms):
            if j == i or state.decisive[min(i, j), max(i, j)]:
                continue
            if likeliest == NO_ARM or above[i, j] < above[i, likeliest]:
                likeliest = j
        state.decisive[min(i, likeliest), max(i, likeliest)] = True
        missing -= 1


@kernel
def _expected_rounds(state, t, rng):
    """How many rounds from ``t`` on go as expected, up to the next round in which a bound crosses 1/2."""
    limit = state.bounds.event[0] - t
    log_stay = state.log_stay[0]
    if log_stay == 0.0:
        return limit
    stay = math.log1p(-rng.random()) / log_stay  # P(stay >= n) = exp(n log_stay)
    if stay >= limit:
        return limit
    rounds = int(stay)
    state.memo[EVENT] = t + rounds
    return rounds


@kernel
def _deviating_pair(state, t, rng):
    """A round given that not all signs are as expected: draw the first that is not, then the others freely."""
    w = state.memo[LEADER]
    above = state.posterior.above
    n_arms = above.shape[0]
    state.memo[EVENT] = NEVER
    left = -math.expm1(state.log_stay[0]) * rng.random()
    before = 1.0
    if state.memo[N_CANDIDATES] > 1:
        place = 0
        for i in range(n_arms):
            for j in range(i + 1, n_arms):
                if state.decisive[i, j]:
                    deviates = min(above[i, j], above[j, i])
                    if left < before * deviates:
                        a = _first_candidate(state, rng, place)
                        return a, _second_candidate(state, a, t, rng)
                    left -= before * deviates
                    before *= 1.0 - deviates
                    place += 1
    count = 0
    last = w
    for i in range(n_arms):
        state.chosen[i] = False
        if i == w or is_below(state.bounds, w, i, t):
            continue
        if count > 0:
            state.chosen[i] = rng.random() < above[i, w]
        else:
            state.chosen[i] = left < before * above[i, w]
            left -= before * above[i, w]
            before *= 1.0 - above[i, w]
            last = i
        count += state.chosen[i]
    if count == 0:  # rounding alone left the sum short of the whole
        state.chosen[last] = True
        count = 1
    return w, _strongest(state, w, count, rng)


_PARAMETERS = {"alpha": Parameter(0.51, "exploration rate of the confidence bounds", low=0.5, low_open=True)}

DTS = Algorithm(
    id="d-ts",
    name="D-TS",
    assumes="copeland",
    anytime=True,
    parameters=_PARAMETERS,
    reference="Wu, Liu 2016, Algorithm 1",
    state=State,
    start=start_dts,
    select=select,
    update=update,
    recommend=recommend,
)

DTS_PLUS = Algorithm(
    id="d-ts-plus",
    name="D-TS+",
    assumes="copeland",
    anytime=True,
    parameters={
        **_PARAMETERS,
        "best_score": Parameter(
            "all",
            "whose best sampled Copeland score counts: of all arms (the paper), or of the candidates (its program)",
            choices=("all", "candidates"),
        ),
    },
    reference="Wu, Liu 2016, section 4.3",
    state=State,
    start=start_dts_plus,
    select=select,
    update=update,
    recommend=recommend,
)

DTS_PURE = Algorithm(
    id="d-ts-pure",
    name="pure D-TS",
    assumes="condorcet",
    anytime=True,
    parameters={},
    reference="Wu, Liu 2016, appendix D.2.4",
    state=State,
    start=start_dts_pure,
    select=select,
    update=update,
    recommend=recommend,
)
