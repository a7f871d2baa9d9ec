"""Double Thompson Sampling (D-TS), its refinement D-TS+, and D-TS without confidence bounds.

Two independent sets of posterior samples choose the two arms; confidence bounds keep arms out that can no longer be
Copeland winners, and pairs whose outcome is known. Without them (pure D-TS) regret is linear where a Copeland winner
loses to an arm that is none.

Assume nothing but a Copeland winner, which always exists. Anytime. Parameter: ``alpha > 1/2``.

Where the rule only asks on which side of 1/2 a sample falls, only that is drawn; sample values are drawn, given their
side, where they are compared.

The leaders are the candidates that win the vote when every sign is the likelier one. A round is as expected when the
signs of the leaders are, no other candidate gets as many votes, and the leader that is chosen, any of them with equal
probability, is chosen twice. While no pair duels all these have fixed probabilities, so that the number of rounds as
expected is geometric, and in each of them the arm that duels itself is drawn anew; the first other round is drawn given
that something deviates. (Not for D-TS+ with several leaders, which chooses among them by samples.)

Of a candidate that is no leader, only a bound q of the probability of getting enough votes is needed: with probability
q its signs are drawn from a tilted law, and accepted in proportion to their own, which makes it have enough votes just
as often as it should. Where there are many arms, all rounds are drawn like this: signs are drawn only of those arms
that may well win the vote, and all others are dealt with by one uniform number, nearly always.

References
----------
.. [1] H. Wu, X. Liu, "Double Thompson Sampling for Dueling Bandits", NIPS 2016: Algorithm 1 (its line numbers are
   given below), section 4.3 and appendix D.2.4.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms import dts_signs, statistics
from duelbench.algorithms import posterior as posteriors
from duelbench.algorithms.contract import NEVER, SEVERAL, Algorithm, Parameter
from duelbench.algorithms.dts_signs import (
    BLOCK,
    FAR,
    OPEN,
    STEEPEST,
    WON,
    SignRows,
    draw_opponents,
    draw_row,
    find_near,
    open_all_but,
)
from duelbench.algorithms.dts_signs import VOTES as VOTES_ROW
from duelbench.algorithms.kernel import apart, inlined, kernel
from duelbench.algorithms.posterior import Posterior, beta_above_half, beta_beyond
from duelbench.algorithms.statistics import (
    Bounds,
    advance,
    copeland_leader,
    draw_index,
    draw_member,
    is_below,
    kl_to_half,
)

NO_ARM = -1
WORTHWHILE = 0.8
"""Decisions are made to stand only where the next round is at least so likely to be an expected self-duel."""

MANY = 32
"""From so many arms on, only the rows of signs are drawn that may well decide the vote."""

VERSION, N_CANDIDATES, LEADER, EVENT, VOTES = 0, 1, 2, 3, 4  # places in State.memo
LOG_STAY, OWN, OTHERS = 0, 1, 2  # places in State.chance
NOBODY, ANYBODY = -1.0, -2.0  # who else may win the vote
FREE, OVERTAKEN, SECOND = -1, -2, -3  # what deviates, beside the place of a leader's sign


class State(NamedTuple):
    """Memory between rounds; arrays are updated in place.

    bounds : which confidence bounds are on which side of 1/2; holds the wins, B of [1]_.
    posterior : P(theta_ij > 1/2).
    candidate : (K,) bool. The set C: arms of maximal optimistic Copeland score.
    likely : (K,) int64. For each arm i, the number of arms j with P(theta_ij > 1/2) > 1/2.
    leading : (K,) bool. The leaders: candidates that win the vote when every sign is as expected.
    log_keep : (K,) float64. Of each leader w, ln of the probability that it is chosen twice if chosen first.
    share : (K,) float64. The probability of each leader to be the arm that duels itself in a round as expected.
    reach : (K,) float64. Of the other candidates, a bound of the probability of getting the leaders' votes.
    slope : (K,) float64. Of the other candidates, the tilt that gives this bound.
    votes : (K,) int64. Scratch: arms beaten in the first set of samples.
    known : (K,) int64. Scratch: 0, or for arms all of whose signs are drawn the greater, the earlier they were.
    chosen : (K,) bool. Scratch: arms to choose from.
    total : (K,) float64. Scratch: sampled regret-to-information ratios; means of the signs not yet drawn.
    sign : (K, K) bool. Scratch of D-TS+, for one order of each pair, see `_won`: theta1_ij > 1/2.
    memo : (5,) int64. Version of the bounds that the rest belongs to; size of C; the leader, SEVERAL of them, or
        NO_ARM where nothing is expected; the round in which something deviates, or NEVER; votes of a leader.
    chance : (3,) float64. ln of the probability that a round goes as expected; the probability that all signs of the
        leaders are as expected; the sum of ``reach``.
    tie_break : bool. D-TS+.
    over_all : bool. D-TS+: the best sampled score is that of all arms, not only of the candidates.
    standing : bool. Whether decisions may be made to stand.
    rows : SignRows, where there are many arms: only those rows of signs are drawn that may well decide the vote. None
        elsewhere, a type of its own: what concerns rows is not compiled for it.
    """

    bounds: Bounds
    posterior: Posterior
    candidate: np.ndarray
    likely: np.ndarray
    leading: np.ndarray
    log_keep: np.ndarray
    share: np.ndarray
    reach: np.ndarray
    slope: np.ndarray
    votes: np.ndarray
    known: np.ndarray
    chosen: np.ndarray
    total: np.ndarray
    sign: np.ndarray
    memo: np.ndarray
    chance: np.ndarray
    tie_break: bool
    over_all: bool
    standing: bool
    rows: SignRows | None


def start_dts(n_arms, horizon, rng, standing, *, alpha):
    """State of D-TS before round 1."""
    return _start(n_arms, standing, rng, alpha, tie_break=False)


def start_dts_pure(n_arms, horizon, rng, standing):
    """State of pure D-TS before round 1: with alpha = inf no bound ever rules anything out."""
    return _start(n_arms, standing, rng, alpha=math.inf, tie_break=False)


def start_dts_plus(n_arms, horizon, rng, standing, *, alpha, best_score):
    """State of D-TS+ before round 1."""
    return _start(n_arms, standing, rng, alpha, tie_break=True, over_all=best_score == "all")


def _start(n_arms, standing, rng, alpha, tie_break, over_all=True):
    return State(
        bounds=statistics.new_bounds(n_arms, alpha),
        posterior=posteriors.new_posterior(n_arms),
        candidate=np.ones(n_arms, np.bool_),
        likely=np.zeros(n_arms, np.int64),
        leading=np.zeros(n_arms, np.bool_),
        log_keep=np.zeros(n_arms),
        share=np.zeros(n_arms),
        reach=np.zeros(n_arms),
        slope=np.zeros(n_arms),
        votes=np.zeros(n_arms, np.int64),
        known=np.zeros(n_arms, np.int64),
        chosen=np.zeros(n_arms, np.bool_),
        total=np.zeros(n_arms),
        sign=np.zeros((n_arms, n_arms), np.bool_),
        memo=np.array([-1, n_arms, NO_ARM, NEVER, 0]),
        chance=np.array([-np.inf, 0.0, 1.0]),
        tie_break=tie_break,
        over_all=over_all,
        standing=standing,
        rows=dts_signs.new_sign_rows(n_arms, rng) if standing and n_arms >= MANY else None,
    )


@kernel
def select(state, t, rng):
    """Pair (a, b) for round ``t``; expected self-duels stand until a sign deviates or a bound crosses 1/2."""
    advance(state.bounds, t)
    memo = state.memo
    if memo[VERSION] != state.bounds.version[0]:
        _look(state, t)
    deviates = FREE
    left = -1.0
    if memo[LEADER] != NO_ARM:
        if t != memo[EVENT]:
            rounds = _expected_rounds(state, t, rng)
            if rounds > 0:
                return memo[LEADER], memo[LEADER], rounds
        deviates, left = _deviation(state, rng)
    if deviates == SECOND:
        a, left = _deviating_leader(state, left)
    else:
        a = _first_candidate(state, deviates, rng)
    return a, _second_candidate(state, state.rows, a, left, t, rng), 1


@kernel
def update(state, first, second, first_wins, second_wins):
    """Lines 16-17."""
    above = state.posterior.above
    i = min(first, second)
    j = max(first, second)
    before = above[i, j]
    posteriors.observe(state.posterior, state.bounds.wins, first, second, first_wins, second_wins)
    statistics.add_duels(state.bounds, first, second, first_wins, second_wins)
    after = above[i, j]
    state.likely[i] += int(after > 0.5) - int(before > 0.5)
    state.likely[j] += int(after < 0.5) - int(before < 0.5)
    dts_signs.note(state.rows, above, i, j, before)


@kernel
def share(state, arm):
    """The probability of an arm to be the leader that duels itself in a round as expected."""
    return state.share[arm]


@kernel
def recommend(state):
    """The arm that beats most arms empirically."""
    return copeland_leader(state.bounds.wins)


@kernel
def _look(state, t):
    """After news: the set C (lines 4-6), and whether the coming rounds are likely to be alike."""
    n_below = state.bounds.n_below
    memo = state.memo
    fewest = n_below[0]
    for i in range(1, n_below.size):
        fewest = min(fewest, n_below[i])
    count = 0
    for i in range(n_below.size):
        state.candidate[i] = n_below[i] == fewest
        count += state.candidate[i]
    memo[N_CANDIDATES] = count
    memo[VERSION] = state.bounds.version[0]
    memo[EVENT] = NEVER
    memo[LEADER] = NO_ARM
    if state.standing:
        _expect(state, t)


@kernel
def _expect(state, t):
    """Find the leaders, and the probability that a round goes as expected; forget them where it is not worthwhile.

    It goes as expected where all signs of the leaders do, no other candidate gets as many votes, and no sign of the
    second set is against the leader that is chosen.
    """
    above = state.posterior.above
    leading = state.leading
    n_arms = leading.size
    threshold = math.log(WORTHWHILE)
    most = -1
    n_leaders = 0
    for i in range(n_arms):
        if state.candidate[i]:
            if state.likely[i] > most:
                most = state.likely[i]
                n_leaders = 0
            n_leaders += state.likely[i] == most
    if n_leaders > 1 and state.tie_break:
        return
    kept = 0.0
    leader = NO_ARM
    for w in range(n_arms):
        leading[w] = state.candidate[w] and state.likely[w] == most
        state.share[w] = 0.0
        if leading[w]:
            log_keep = 0.0
            for i in range(n_arms):
                if i != w and not is_below(state.bounds, w, i, t):
                    if above[i, w] > 0.5:
                        return
                    log_keep += math.log1p(-above[i, w])
                    if log_keep < threshold:
                        return
            state.log_keep[w] = log_keep
            state.share[w] = math.exp(log_keep)
            kept += math.expm1(log_keep) / n_leaders
            leader = w
    log_own = 0.0
    others = 0.0
    if state.memo[N_CANDIDATES] > 1:
        for w in range(n_arms):
            if leading[w]:
                for j in range(n_arms):
                    if j != w and (j > w or not leading[j]):
                        log_own += math.log1p(-min(above[w, j], above[j, w]))
                if log_own < threshold:
                    return
        for i in range(n_arms):
            if state.candidate[i] and not leading[i]:
                _bound_votes(state, i, most)
                others += state.reach[i]
                if others > 1.0 - WORTHWHILE:
                    return
    state.chance[LOG_STAY] = log_own + math.log1p(kept) + math.log1p(-others)
    if state.chance[LOG_STAY] < threshold:
        return
    state.chance[OWN] = math.exp(log_own)
    state.chance[OTHERS] = others
    state.memo[VOTES] = most
    state.memo[LEADER] = leader
    if n_leaders > 1:
        state.memo[LEADER] = SEVERAL
        for w in range(n_arms):
            if leading[w]:
                state.share[w] /= n_leaders * (1.0 + kept)


@kernel
def _bound_votes(state, i, votes):
    """Bound the probability that arm i gets so many ``votes``, if the signs against the leaders are as expected.

    P(V >= v) <= exp(-x v) E exp(x V) for every x >= 0. Where k of its defeats have to turn, whose expected number is d,
    the best x is about ln(k / d).
    """
    above = state.posterior.above
    n_arms = state.votes.size
    turned = 0.0
    defeats = 0
    for j in range(n_arms):
        if j != i:
            if above[i, j] > 0.5:
                votes -= 1
            elif not state.leading[j]:
                turned += above[i, j]
                defeats += 1
    state.reach[i] = 0.0
    if votes > defeats or turned == 0.0:
        return
    state.slope[i] = min(30.0, math.log(max(1.0, votes / turned)))
    more = math.expm1(state.slope[i])
    less = math.expm1(-state.slope[i])
    factor = 1.0
    for j in range(n_arms):
        if j != i and not state.leading[j]:
            factor *= 1.0 + (above[i, j] * more if above[i, j] <= 0.5 else above[j, i] * less)
    state.reach[i] = min(1.0, factor * math.exp(-state.slope[i] * votes))


@kernel
def _expected_rounds(state, t, rng):
    """How many rounds from ``t`` on go as expected, up to the next round in which a bound crosses 1/2."""
    state.memo[EVENT] = NEVER
    limit = state.bounds.event[0] - t
    log_stay = state.chance[LOG_STAY]
    if log_stay == 0.0:
        return limit
    stay = math.log1p(-rng.random()) / log_stay  # P(stay >= n) = exp(n log_stay)
    if stay >= limit:
        return limit
    state.memo[EVENT] = t + int(stay)
    return int(stay)


@kernel
def _deviation(state, rng):
    """In a round that does not go as expected: what deviates first, and what is left of the number that chose it.

    The first sign of a leader that is not as expected (its place among them), or the votes of another candidate
    (OVERTAKEN), or a sign of the second set (SECOND).
    """
    above = state.posterior.above
    n_arms = above.shape[0]
    leading = state.leading
    state.memo[EVENT] = NEVER
    left = -math.expm1(state.chance[LOG_STAY]) * rng.random()
    if state.memo[N_CANDIDATES] == 1:
        return SECOND, left
    before = 1.0
    place = 0
    for w in range(n_arms):
        if leading[w]:
            for j in range(n_arms):
                if j != w and (j > w or not leading[j]):
                    deviates = before * min(above[w, j], above[j, w])
                    if left < deviates:
                        return place, -1.0
                    left -= deviates
                    before -= deviates
                    place += 1
    others = before * state.chance[OTHERS]
    if left < others:
        return OVERTAKEN, -1.0
    return SECOND, (left - others) / (before - others)


@kernel
def _deviating_leader(state, left):
    """The leader whose second set of signs deviates, and what is left of the number that chose it."""
    n_leaders = 0
    for w in range(state.leading.size):
        n_leaders += state.leading[w]
    left *= n_leaders
    deviates = 0.0
    a = NO_ARM
    for w in range(state.leading.size):
        if state.leading[w]:
            if a != NO_ARM:
                left -= deviates
            a = w
            deviates = -math.expm1(state.log_keep[w])
            if left < deviates:
                break
    return a, max(0.0, left)


@kernel
def _first_candidate(state, deviates, rng):
    """Lines 7-11: sample the signs, let the candidates' votes count."""
    if state.memo[N_CANDIDATES] == 1:
        return _only(state.candidate)
    state.votes[:] = 0
    state.known[:] = 0
    most = state.memo[VOTES]
    left = ANYBODY
    if deviates != FREE:
        _draw_leaders(state, deviates, rng)
        if deviates == OVERTAKEN:
            left = state.chance[OTHERS] * rng.random()
    else:
        most, left = _draw_rows(state, state.rows, rng)
    all_count = left == ANYBODY
    if all_count:
        _draw_rest(state, state.rows, rng)
    elif left != NOBODY:
        all_count = _overtaken(state, most, left, rng)
    return _winner_of_the_vote(state, all_count, rng)


@kernel
def _draw_leaders(state, deviates, rng):
    """Signs of the leaders: as expected, but for the one in this place, and free after that."""
    above = state.posterior.above
    n_arms = above.shape[0]
    place = 0
    n_known = 0
    for w in range(n_arms):
        if state.leading[w]:
            for j in range(n_arms):
                if j == w or state.known[j]:
                    continue
                if deviates == OVERTAKEN or place <= deviates:
                    wins = (above[w, j] > 0.5) != (place == deviates)
                else:
                    wins = rng.random() < above[w, j]
                place += 1
                _count_vote(state, w, j, wins)
            state.known[w] = n_arms - n_known
            n_known += 1


@kernel
def _count_vote(state, i, j, wins):
    """Arm i's sample against arm j is above 1/2, or below. Only D-TS+ asks for signs after the vote."""
    state.votes[i] += wins
    state.votes[j] += not wins
    if state.tie_break:
        state.sign[i, j] = wins


@kernel
def _draw_rest(state, rows, rng):
    """All signs that are not known and may matter: of the candidates; for D-TS+, of all arms."""
    if rows is not None:
        _draw_open_rows(state, rows, rng)
        return
    candidate = state.candidate
    above = state.posterior.above
    for i in range(candidate.size):
        if state.known[i]:
            continue
        for j in range(i + 1, candidate.size):
            if state.known[j] or not (state.tie_break or candidate[i] or candidate[j]):
                continue
            _count_vote(state, i, j, rng.random() < above[i, j])


@apart
def _draw_open_rows(state, rows, rng):
    """`_draw_rest` for many arms."""
    open_all_but(rows, state.known)
    closed = 0  # all arms before this one are closed
    for i in range(state.votes.size):
        if not state.known[i] and (state.tie_break or state.candidate[i]):
            state.votes[i] += draw_row(rows, state.posterior.above, i, closed - closed % BLOCK, rng)
            if state.tie_break:
                _keep_signs(state.sign, i, rows.bench[WON])
        if closed == i and not rows.bench[OPEN, i]:
            closed += 1


@inlined
def _keep_signs(sign, i, won):
    """D-TS+ asks for the signs of arm i's row after the vote."""
    for j in range(sign.shape[0]):
        sign[i, j] = won[j] > 0


@apart
def _draw_rows(state, rows, rng):
    """Draw the signs of those candidates that may well win the vote.

    Of each candidate whose signs are not all drawn, the probability of getting as many votes as the best of the others
    is bounded: the free signs exceed their mean by x with probability at most exp(-x^2 / (2 spread)). Rows are drawn
    until the bounds are small; then one uniform number decides about the rest of them at once.

    Returns
    -------
    int
        The most votes of a known arm.
    float
        NOBODY where no other candidate has so many; ANYBODY where all signs are to be drawn; otherwise it chooses the
        candidate to look at in `_overtaken`.
    """
    if rows is None:
        return state.memo[VOTES], ANYBODY
    above = state.posterior.above
    near = state.chosen
    total = state.total
    n_arms = total.size
    n_candidates = state.memo[N_CANDIDATES]
    top = NO_ARM
    for i in range(n_arms):
        total[i] = rows.mean[i]
        near[i] = False
        if state.candidate[i] and (top == NO_ARM or total[i] > total[top]):
            top = i
    open_all_but(rows, state.known)
    near[top] = True
    most = 0
    drawn = 0
    left = ANYBODY
    others = 0.0
    worth = 1.0 / (8.0 + 0.2 * n_candidates)
    while True:
        before = drawn
        for i in range(n_arms):
            if near[i] and 3 * drawn <= n_candidates:
                reach = _bound_free_votes(state, rows, i, most)
                others += reach
                if reach > worth:
                    state.votes[i] += draw_row(rows, above, i, 0, rng)
                    state.known[i] = n_arms - drawn
                    drawn += 1
                    most = max(most, state.votes[i])
                    for j in range(n_arms):
                        total[j] += above[i, j] - rows.bench[WON, j]
                    if state.tie_break:
                        _keep_signs(state.sign, i, rows.bench[WON])
        if 3 * drawn > n_candidates:
            break
        if drawn == before:
            if others < 0.5:
                left = rng.random()
                if left >= others:
                    left = NOBODY
                break
            worth *= 0.5
        n_near = find_near(rows, state.candidate, total, most, near)
        others = FAR * (n_candidates - drawn - n_near)
    tied = 0
    for i in range(n_arms):
        if state.known[i]:
            tied += state.votes[i] == most
        else:
            state.votes[i] += rows.bench[VOTES_ROW, i]
            if left >= 0.0 and state.candidate[i] and not near[i]:
                _bound_free_votes(state, rows, i, most)
                state.reach[i] = FAR
    return most, ANYBODY if tied > 1 and state.tie_break else left


@kernel
def _bound_free_votes(state, rows, i, most):
    """Bound the probability that arm i gets ``most`` votes, given the rows that are known."""
    gap = most - state.total[i] - 1e-6  # the sums of many terms are not exact
    if gap <= 0.0:
        state.slope[i] = 0.0
        state.reach[i] = 1.0
        return 1.0
    spread = rows.spread[i] + 1e-6
    slope = min(STEEPEST, gap / spread)
    log_bound = slope * (0.5 * slope * spread - gap)
    state.slope[i] = slope
    state.reach[i] = math.exp(max(log_bound, -40.0))
    return state.reach[i]


@apart
def _overtaken(state, votes, left, rng):
    """Whether a candidate that is not known gets so many ``votes``; if so, all signs that matter are drawn.

    ``left`` chooses one such candidate i, with the probability reach[i]; its signs are drawn from the law tilted
    towards more votes, and accepted in proportion to their own law. Together, i gets so many votes exactly as often as
    it should; where n candidates do, each of them might have been chosen, so that one time in n counts.
    """
    i = NO_ARM
    for j in range(state.votes.size):
        if state.candidate[j] and not state.known[j]:
            i = j
            if left < state.reach[j]:
                break
            left -= state.reach[j]
    above = state.posterior.above
    y = math.exp(state.slope[i])
    log_ratio = -math.log(max(1e-300, state.reach[i]))
    for j in range(state.votes.size):
        if j != i and not state.known[j]:
            factor = 1.0 + above[i, j] * (y - 1.0)
            wins = rng.random() * factor < above[i, j] * y
            log_ratio += math.log(factor) - state.slope[i] * wins
            _count_vote(state, i, j, wins)
    if state.votes[i] < votes or math.log1p(-rng.random()) > log_ratio:
        return False
    count = 0
    for j in range(state.votes.size):
        state.chosen[j] = state.candidate[j] and not state.known[j]
    state.known[i] = 1
    _draw_rest(state, state.rows, rng)
    for j in range(state.votes.size):
        count += state.chosen[j] and state.votes[j] >= votes
    return draw_index(count, rng) == 0


@kernel
def _winner_of_the_vote(state, all_count, rng):
    """Line 11: the candidate with most votes; of the known ones only, unless ``all_count``."""
    most = -1
    count = 0
    for i in range(state.votes.size):
        state.chosen[i] = False
        if state.candidate[i] and (all_count or state.known[i]) and state.votes[i] >= most:
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
            if _won(state, i, j):
                theta = beta_above_half(wins[i, j] + 1, wins[j, i] + 1, rng)
            else:
                theta = beta_above_half(wins[j, i] + 1, wins[i, j] + 1, rng)
            ratio = regret / max(kl_to_half(theta), 1e-300)  # a sample may round to 1/2
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
def _won(state, i, j):
    """Whether theta1_ij > 1/2, where i < j: noted for the arm whose signs were drawn first, or for the lower index."""
    return state.sign[i, j] if state.known[i] >= state.known[j] else not state.sign[j, i]


@kernel
def _second_candidate(state, rows, a, left, t, rng):
    """Lines 13-14: signs against a of all arms that may beat it or lose to it.

    ``left`` >= 0, below the probability that one of them is against a, chooses the first that is.
    """
    count = -1
    if rows is not None and left < 0.0:
        count = draw_opponents(rows, state.posterior.above, a, state.bounds.crossing, t, state.chosen, rng)
    if count < 0:
        count = _choose_opponents(state, a, left, t, rng)
    if count == 0:
        return a
    if count == 1:
        return _only(state.chosen)
    return _strongest(state, rows, a, rng)


@kernel
def _choose_opponents(state, a, left, t, rng):
    """Choose the arms whose samples against a are above 1/2; how many there are."""
    above = state.posterior.above
    count = 0
    before = 1.0
    last = a
    for i in range(above.shape[0]):
        state.chosen[i] = False
        if i != a and not is_below(state.bounds, a, i, t):
            if left < 0.0:
                state.chosen[i] = rng.random() < above[i, a]
            else:
                deviates = before * above[i, a]
                state.chosen[i] = left < deviates
                left -= deviates
                before -= deviates
                last = i
            count += state.chosen[i]
    if left >= 0.0 and count == 0:  # rounding alone left the sum short of the whole
        state.chosen[last] = True
        count = 1
    return count


@kernel
def _strongest(state, rows, a, rng):
    """Line 14: of the chosen arms, whose samples against a are above 1/2, the one with the largest.

    Where there are many arms, only what exceeds the largest so far is drawn.
    """
    wins = state.bounds.wins
    best = a
    largest = 0.5
    log_up = 0.0
    log_down = 0.0
    for i in range(state.chosen.size):
        if not state.chosen[i]:
            continue
        theta = -1.0
        if rows is not None and 0.5 < largest < 1.0:
            theta = beta_beyond(state.posterior, wins, i, a, largest, log_up, log_down, rng)
        if theta < 0.0:
            theta = beta_above_half(wins[i, a] + 1, wins[a, i] + 1, rng)
        if theta > largest:
            best = i
            largest = theta
            if rows is not None and largest < 1.0:
                log_up = math.log(2.0 * largest)
                log_down = math.log(2.0 - 2.0 * largest)
    return best


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
    trace_version=3,
    share=share,
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
    trace_version=3,
    share=share,
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
    trace_version=3,
    share=share,
)
