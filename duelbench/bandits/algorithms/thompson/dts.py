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
from duelbench.bandits.algorithms.thompson.dts_ties import Ties
from duelbench.bandits.kernels import confidence_bounds, posteriors
from duelbench.bandits.kernels.confidence_bounds import Bounds, advance, is_below
from duelbench.bandits.kernels.decorators import kernel
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
    # Only if decisions may hold for many rounds; otherwise None, and not compiled.
    many: ManyArms | None  # With many arms
    ties: Ties | None  # D-TS+ with fewer arms: the rounds drawn ahead


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
        ties=dts_ties.new_ties(n_arms, rng) if plus and standing and not has_many else None,
    )


@kernel
def select(state, t, rng):
    """Return the pair (a, b) for round ``t``, and for how many rounds it holds."""
    bounds, candidate, memo = state.bounds, state.candidate, state.memo[0]
    above, signs, outlook = state.posterior.above, state.signs, state.outlook
    coming = outlook.coming[0]
    advance(bounds, t)  # line 4
    if memo.version != bounds.version[0]:
        memo.version = bounds.version[0]
        memo.n_candidates = _find_candidates(bounds.n_below, candidate)  # lines 5-6
        dts_standing.look_ahead(outlook, above, bounds.crossing, candidate, memo.n_candidates, state.plus, t)
        dts_ties.forget_rounds(state.ties)
    # Rounds that go as expected are counted; this one may be known to deviate, or be drawn ahead.
    rounds = dts_standing.expected_rounds(coming, bounds.event[0], t, rng)
    if rounds > 0:
        return coming.leader, coming.leader, rounds
    deviates, a, first_above = FREE, NO_ARM, NO_ARM
    if coming.leader != NO_ARM:
        deviates, a, first_above = dts_standing.draw_deviation(
            outlook, above, bounds.crossing, memo.n_candidates, t, rng
        )
    elif memo.n_candidates > 1:
        deviates = dts_ties.draw_ahead(
            state.ties, signs, above, bounds.wins, bounds.crossing, bounds.event[0], candidate, t, rng
        )
        if deviates == dts_ties.AHEAD:
            deviates, a, first_above, rounds = dts_ties.next_rounds(state.ties, signs, above, bounds.crossing, t)
            if rounds > 0:
                return a, a, rounds
    # What is not known of this round is drawn.
    if a == NO_ARM and memo.n_candidates == 1:
        a = draw_member(candidate, 1, rng)
    elif a == NO_ARM:
        all_count = True
        if deviates != dts_ties.DRAWN:
            all_count = _draw_votes(
                signs, above, candidate, memo.n_candidates, outlook, state.many, state.chosen, deviates, rng
            )  # lines 7-10
        a = _winner_of_the_vote(
            candidate, signs, bounds.wins, all_count, state.over_all, state.chosen, state.regret, rng
        )  # line 11
    b = _second_candidate(
        state.posterior, bounds.wins, bounds.crossing, state.many, a, first_above, t, state.chosen, rng
    )  # lines 12-15
    return a, b, 1


@kernel
def _find_candidates(n_below, candidate):
    """Lines 5-6: find C, the arms i with the most j for which u_ij > 1/2: the fewest others surely beat them.

    Return the number of candidates.
    """
    fewest = n_below[0]
    for i in range(1, n_below.size):
        fewest = min(fewest, n_below[i])
    count = 0
    for i in range(n_below.size):
        candidate[i] = n_below[i] == fewest
        count += candidate[i]
    return count


@kernel
def _draw_votes(signs, above, candidate, n_candidates, outlook, many, chosen, deviates, rng):
    """Lines 7-10: draw the votes; return True if all candidates count, False if only those with known signs can win."""
    signs.votes[:] = 0
    signs.known[:] = 0
    most = 0
    overtaker = ANY_OTHER
    if deviates != FREE:
        overtaker = dts_standing.draw_leaders(signs, above, outlook.leading, outlook.coming[0].others, deviates, rng)
        most = outlook.coming[0].votes
    elif many is not None:
        most, overtaker = dts_many_arms.draw_near_rows(
            many, signs, above, candidate, n_candidates, outlook.vote_bound, outlook.tilt, chosen, rng
        )
    all_count = overtaker == ANY_OTHER
    overtaken = overtaker >= 0.0 and dts_standing.is_overtaken(
        signs, above, candidate, outlook.vote_bound, outlook.tilt, most, overtaker, chosen, rng
    )
    if all_count or overtaken:
        if many is not None:
            dts_many_arms.draw_open_rows(many, signs, above, candidate, rng)
        else:
            _draw_signs(signs, above, candidate, rng)
    if overtaken:
        all_count = dts_standing.is_counted(signs.votes, chosen, most, rng)
    return all_count


@kernel
def _draw_signs(signs, above, candidate, rng):
    """Draw the unknown signs: for D-TS+ of all pairs, for D-TS of pairs with at least one candidate."""
    for i in range(candidate.size):
        if signs.known[i]:
            continue
        for j in range(i + 1, candidate.size):
            if signs.known[j] or not (signs.are_kept or candidate[i] or candidate[j]):
                continue
            count_vote(signs, i, j, rng.random() < above[i, j])


@kernel
def _winner_of_the_vote(candidate, signs, wins, all_count, over_all, chosen, regret, rng):
    """Line 11: return the candidate with most votes, only among the known ones unless ``all_count``."""
    votes = signs.votes
    most = -1
    count = 0
    for i in range(votes.size):
        chosen[i] = False
        if candidate[i] and (all_count or signs.known[i]) and votes[i] >= most:
            if votes[i] > most:
                most = votes[i]
                count = 0
                chosen[:i] = False
            chosen[i] = True
            count += 1
    if regret is not None and count > 1:
        return _least_sampled_regret(candidate, signs, wins, over_all, chosen, regret, rng)
    return draw_member(chosen, count, rng)


@kernel
def _least_sampled_regret(candidate, signs, wins, over_all, chosen, total, rng):
    """Section 4.3: return the tied arm with the least sum of sampled ratios of regret to information.

    The ratios of each arm are added up in ``total``.
    """
    votes = signs.votes
    n_arms = votes.size
    most = 0
    for i in range(n_arms):
        total[i] = 0.0
        if over_all or candidate[i]:
            most = max(most, votes[i])
    for i in range(n_arms):
        for j in range(i + 1, n_arms):
            regret = (most - 0.5 * (votes[i] + votes[j])) / (n_arms - 1)
            if not (chosen[i] or chosen[j]) or regret == 0.0:
                continue
            if is_above(signs, i, j):
                theta = beta_above_half(wins[i, j] + 1, wins[j, i] + 1, rng)
            else:
                theta = beta_above_half(wins[j, i] + 1, wins[i, j] + 1, rng)
            ratio = regret / max(kl_to_half(theta), 1e-300)  # a sample may round to 1/2
            total[i] += ratio
            total[j] += ratio
    least = np.inf
    count = 0
    for i in range(n_arms):
        if chosen[i]:
            if total[i] < least:
                least = total[i]
                count = 0
            count += total[i] == least
    for i in range(n_arms):
        chosen[i] = chosen[i] and total[i] == least
    return draw_member(chosen, count, rng)


@kernel
def _second_candidate(posterior, wins, crossing, many, a, first_above, t, chosen, rng):
    """Lines 12-15: return the arm with the largest second sample among those that do not surely beat a.

    The sample of a is 1/2.
    """
    if many is not None and first_above == NO_ARM:
        count = dts_many_arms.draw_opponents(many.rows, posterior.above, a, crossing, t, chosen, rng)
    else:
        count = _draw_opponents(posterior.above, crossing, a, first_above, t, chosen, rng)
    if count == 0:
        return a
    if count == 1:
        return draw_member(chosen, 1, rng)
    if many is not None:
        return dts_many_arms.strongest_of_many(posterior, wins, chosen, a, rng)
    return _strongest(wins, chosen, a, rng)


@kernel
def _draw_opponents(above, crossing, a, first_above, t, chosen, rng):
    """Lines 13-14: choose the arms i with l_ia <= 1/2 whose samples against a are above 1/2; return their number."""
    count = 0
    for i in range(above.shape[0]):
        chosen[i] = False
        if i != a and not is_below(crossing, a, i, t):
            chosen[i] = i == first_above or (i > first_above and rng.random() < above[i, a])
            count += chosen[i]
    return count


@kernel
def _strongest(wins, chosen, a, rng):
    """Lines 13-14: return the chosen arm with the largest sample against a; all their samples are above 1/2."""
    best = a
    largest = 0.5
    for i in range(chosen.size):
        if not chosen[i]:
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
    dts_ties.forget_tables(state.ties, i, j)


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
