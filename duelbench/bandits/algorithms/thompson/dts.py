"""Double Thompson Sampling (D-TS), and D-TS without confidence bounds.

Two independent sets of posterior samples choose the two arms; confidence bounds exclude arms that can no longer be
Copeland winners, and opponents that are already known to beat the first arm. Without them (pure D-TS) regret is
linear if a Copeland winner loses to an arm that is not a Copeland winner.

Assume only a Copeland winner, which always exists. Anytime.

If only the side of 1/2 on which a sample falls matters, only this sign is drawn. This file has the algorithm, and how
D-TS+ breaks ties. Other files make it faster without changing the distribution of any duel: `dts_standing` and
`dts_ties` (which count similar rounds instead of playing them) and `dts_many_arms` (which only draws signs that may
decide the vote).

References
----------
.. [1] H. Wu, X. Liu, "Double Thompson Sampling for Dueling Bandits", NIPS 2016: Algorithm 1 (the comments
   name its lines), section 4.3 (D-TS+) and appendix D.2.4.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import Algorithm, Parameter
from duelbench.bandits.algorithms.thompson import dts_many_arms, dts_standing, dts_ties
from duelbench.bandits.algorithms.thompson.dts_many_arms import ManyArms
from duelbench.bandits.algorithms.thompson.dts_standing import (
    ANY_OTHER,
    FREE,
    NO_ARM,
    Outlook,
    Signs,
    count_vote,
    is_above,
)
from duelbench.bandits.kernels import confidence_bounds, posteriors
from duelbench.bandits.kernels.confidence_bounds import Bounds, advance, is_below
from duelbench.bandits.kernels.decorators import inlined, kernel
from duelbench.bandits.kernels.divergence import kl_to_half
from duelbench.bandits.kernels.posteriors import Posterior, beta_above_half
from duelbench.bandits.kernels.records import BoolPerArm, record, with_zeros
from duelbench.bandits.kernels.sampling import draw_member
from duelbench.bandits.kernels.win_counts import copeland_leader, recount_beaten


class State(NamedTuple):
    """Memory between rounds; arrays are updated in place."""

    bounds: Bounds  # B of [1]_, the wins; and which bounds u and l are on which side of 1/2
    posterior: Posterior  # P(theta_ij > 1/2)
    candidate: BoolPerArm  # The set C: arms of maximal optimistic Copeland score.
    memo: np.ndarray  # (1,) record of `new_state`
    signs: Signs  # Scratch: the first set of samples
    chosen: BoolPerArm  # Scratch: arms to choose from.
    # (K,) float64. Scratch of D-TS+: sums of sampled regret-to-information ratios. None elsewhere: not compiled then.
    regret: np.ndarray | None
    plus: bool  # D-TS+
    over_all: bool  # D-TS+: the best sampled score is that of all arms, not only of the candidates
    outlook: Outlook  # The forecast of the coming rounds, if decisions may hold for many rounds
    # Only with many arms and decisions that may hold for many rounds; otherwise None, and not compiled.
    many: ManyArms | None


def start(n_arms, horizon, rng, standing, *, alpha=math.inf):
    """Return the state before round 1. Pure D-TS has alpha = inf: bounds never exclude anything."""
    return new_state(n_arms, standing, rng, alpha, plus=False)


def new_state(n_arms, standing, rng, alpha, plus, over_all=True):
    """Line 1: return the state before round 1, in which no arm has won a duel."""
    has_many = standing and n_arms >= dts_many_arms.MANY
    return State(
        bounds=confidence_bounds.new_bounds(n_arms, alpha),
        posterior=posteriors.new_posterior(n_arms),
        candidate=np.ones(n_arms, np.bool_),
        memo=record(
            version=-1,  # of the bounds that the rest belongs to
            n_candidates=n_arms,  # the size of C
        ),
        signs=with_zeros(Signs, n_arms, are_kept=plus),
        chosen=np.zeros(n_arms, np.bool_),
        regret=np.zeros(n_arms) if plus else None,
        plus=plus,
        over_all=over_all,
        outlook=dts_standing.new_outlook(n_arms, may_stand=standing),
        many=dts_many_arms.new_many_arms(n_arms, rng) if has_many else None,
    )


@kernel
def select(state, t, rng):
    """Return the pair (a, b) for round ``t``, and for how many rounds it holds."""
    return choose_pair(state, None, t, rng)


@inlined
def choose_pair(state, ties, t, rng):
    """Choose the pair of one round of Algorithm 1, or of several similar ones; ``ties`` is only for D-TS+."""
    advance(state.bounds, t)  # line 4
    if state.memo[0].version != state.bounds.version[0]:
        _find_candidates(state)  # lines 5-6
        dts_standing.look_ahead(state, t)
        dts_ties.forget_rounds(ties)
    rounds = dts_standing.expected_rounds(state, t, rng)
    if rounds > 0:
        leader = state.outlook.coming[0].leader
        return leader, leader, rounds
    if ties is not None and dts_ties.is_ahead(state, ties):
        deviates, a, first_above, rounds = dts_ties.next_rounds(state, ties, t, rng)
        if rounds > 0:
            return a, a, rounds
    else:
        deviates, a, first_above = dts_standing.draw_deviation(state, t, rng)
    if a == NO_ARM:
        a = _first_candidate(state, state.many, deviates, rng)  # lines 7-11
    return a, _second_candidate(state, state.many, a, first_above, t, rng), 1  # lines 12-15


@kernel
def _find_candidates(state):
    """Lines 5-6: find C, the arms i with the most j for which u_ij > 1/2: the fewest others surely beat them."""
    n_below = state.bounds.n_below
    memo = state.memo[0]
    fewest = n_below[0]
    for i in range(1, n_below.size):
        fewest = min(fewest, n_below[i])
    count = 0
    for i in range(n_below.size):
        state.candidate[i] = n_below[i] == fewest
        count += state.candidate[i]
    memo.n_candidates = count
    memo.version = state.bounds.version[0]


@kernel
def _first_candidate(state, many, deviates, rng):
    """Lines 7-11: return the candidate that wins the vote of the first set of samples."""
    if state.memo[0].n_candidates == 1:
        return draw_member(state.candidate, 1, rng)
    all_count = True
    if deviates != dts_ties.DRAWN:
        all_count = _draw_votes(state, many, deviates, rng)  # lines 7-10
    return _winner_of_the_vote(state, state.regret, all_count, rng)  # line 11


@kernel
def _draw_votes(state, many, deviates, rng):
    """Lines 7-10: draw the votes; return True if all candidates count, False if only those with known signs can win."""
    state.signs.votes[:] = 0
    state.signs.known[:] = 0
    most = 0
    overtaker = ANY_OTHER
    if deviates != FREE:
        most, overtaker = dts_standing.draw_leaders(state, deviates, rng)
    elif many is not None:
        most, overtaker = dts_many_arms.draw_near_rows(state, many, rng)
    all_count = overtaker == ANY_OTHER
    overtaken = overtaker >= 0.0 and dts_standing.is_overtaken(state, most, overtaker, rng)
    if all_count or overtaken:
        _draw_signs(state, many, rng)
    if overtaken:
        all_count = dts_standing.is_counted(state, most, rng)
    return all_count


@kernel
def _draw_signs(state, many, rng):
    """Draw the unknown signs: for D-TS+ of all pairs, for D-TS of pairs with at least one candidate."""
    if many is not None:
        dts_many_arms.draw_open_rows(state, many, rng)
        return
    candidate = state.candidate
    above = state.posterior.above
    for i in range(candidate.size):
        if state.signs.known[i]:
            continue
        for j in range(i + 1, candidate.size):
            if state.signs.known[j] or not (state.plus or candidate[i] or candidate[j]):
                continue
            count_vote(state.signs, i, j, rng.random() < above[i, j])


@kernel
def _winner_of_the_vote(state, regret, all_count, rng):
    """Line 11: return the candidate with most votes, only among the known ones unless ``all_count``."""
    votes = state.signs.votes
    most = -1
    count = 0
    for i in range(votes.size):
        state.chosen[i] = False
        if state.candidate[i] and (all_count or state.signs.known[i]) and votes[i] >= most:
            if votes[i] > most:
                most = votes[i]
                count = 0
                state.chosen[:i] = False
            state.chosen[i] = True
            count += 1
    if regret is not None and count > 1:
        return _least_sampled_regret(state, regret, rng)
    return draw_member(state.chosen, count, rng)


@kernel
def _least_sampled_regret(state, total, rng):
    """Section 4.3: return the tied arm with the least sum of sampled ratios of regret to information.

    The ratios of each arm are added up in ``total``.
    """
    votes = state.signs.votes
    n_arms = votes.size
    wins = state.bounds.wins
    most = 0
    for i in range(n_arms):
        total[i] = 0.0
        if state.over_all or state.candidate[i]:
            most = max(most, votes[i])
    for i in range(n_arms):
        for j in range(i + 1, n_arms):
            regret = (most - 0.5 * (votes[i] + votes[j])) / (n_arms - 1)
            if not (state.chosen[i] or state.chosen[j]) or regret == 0.0:
                continue
            if is_above(state.signs, i, j):
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
def _second_candidate(state, many, a, first_above, t, rng):
    """Lines 12-15: return the arm with the largest second sample among those that do not surely beat a.

    The sample of a is 1/2.
    """
    if many is not None and first_above == NO_ARM:
        count = dts_many_arms.draw_opponents(
            many.rows, state.posterior.above, a, state.bounds.crossing, t, state.chosen, rng
        )
    else:
        count = _draw_opponents(state, a, first_above, t, rng)
    if count == 0:
        return a
    if count == 1:
        return draw_member(state.chosen, 1, rng)
    if many is not None:
        return dts_many_arms.strongest_of_many(state, a, rng)
    return _strongest(state, a, rng)


@kernel
def _draw_opponents(state, a, first_above, t, rng):
    """Lines 13-14: choose the arms i with l_ia <= 1/2 whose samples against a are above 1/2; return their number."""
    above = state.posterior.above
    count = 0
    for i in range(above.shape[0]):
        state.chosen[i] = False
        if i != a and not is_below(state.bounds, a, i, t):
            state.chosen[i] = i == first_above or (i > first_above and rng.random() < above[i, a])
            count += state.chosen[i]
    return count


@kernel
def _strongest(state, a, rng):
    """Lines 13-14: return the chosen arm with the largest sample against a; all their samples are above 1/2."""
    wins = state.bounds.wins
    best = a
    largest = 0.5
    for i in range(state.chosen.size):
        if not state.chosen[i]:
            continue
        theta = beta_above_half(wins[i, a] + 1, wins[a, i] + 1, rng)
        if theta > largest:
            best = i
            largest = theta
    return best


@kernel
def update(state, first, second, first_wins, second_wins):
    """Lines 16-17."""
    above = state.posterior.above
    i = min(first, second)
    j = max(first, second)
    before = above[i, j]
    posteriors.observe(state.posterior, state.bounds.wins, first, second, first_wins, second_wins)
    confidence_bounds.add_duels(state.bounds, first, second, first_wins, second_wins)
    recount_beaten(state.outlook.likely, i, j, before - 0.5, above[i, j] - 0.5)
    dts_many_arms.update_many(state.many, above, i, j, before)


@kernel
def recommend(state):
    """Return the arm that beats most arms empirically."""
    return copeland_leader(state.bounds.wins)


DTS_PARAMETERS = {
    "alpha": Parameter(0.51, "exploration rate of the confidence bounds", low=0.0, low_open=True, proven_above=0.5)
}

DTS = Algorithm.of_module(
    __name__,
    "d-ts",
    "D-TS",
    "copeland",
    "Wu, Liu 2016, Algorithm 1",
    parameters=DTS_PARAMETERS,
    trace_version=3,
    self_duel_probability=dts_standing.self_duel_probability,
    look=("blue", "long", "o"),
    learns_from_any_pair=True,
    source="paper",
)

DTS_PURE = Algorithm.of_module(
    __name__,
    "d-ts-pure",
    "pure D-TS",
    "condorcet",
    "Wu, Liu 2016, appendix D.2.4",
    trace_version=3,
    self_duel_probability=dts_standing.self_duel_probability,
    look=("olive", "dotted", "o"),
    learns_from_any_pair=True,
    source="paper",
)
