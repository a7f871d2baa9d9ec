"""Decisions of D-TS for many rounds: similar rounds are counted instead of played, with the same distribution.

While no pair duels and no bound crosses 1/2, all rounds are independent and have the same distribution. The likelier
value of each sign (the side of 1/2 on which a sample falls) is expected; a sign *deviates* if it has the other value.
The *leaders* are the candidates that win the vote if no sign deviates: m of them, with v votes each. The *outlook* is
the forecast of the coming rounds: the leaders, and the probability that a round goes *as expected*. It does if

1. no sign of a leader in the first set deviates, so that each leader has v votes: with probability o;
2. no other candidate has v votes: at first only bounds q_i of these probabilities are known, with the sum q;
3. no sign of the second set is above 1/2 against the leader w that is then chosen: with probability s_w.

This has probability p = o (1 - q) mean(s_w), and the number of such rounds is geometric: one random number draws it. In
each of them w duels itself with probability s_w / (m mean(s_w)). The round that ends them is drawn given that it does
not go as expected: first which of the three fails, and where, then all other samples. If the first set fails, a
leader's sign deviates, the k-th first with probability p_1 ... p_(k-1) (1 - p_k), later signs free, or a round is
inspected for other candidates; if the second fails, w is drawn in proportion to 1 - s_w. When a bound crosses 1/2 the
draw is repeated: the geometric distribution has no memory. This does not apply to D-TS+ with several leaders, which
chooses among them by samples: see `dts_ties`. For 2 see `dts_many_arms`. The functions take parts of `dts.State`.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import NEVER, SEVERAL
from duelbench.bandits.kernels.confidence_bounds import is_below
from duelbench.bandits.kernels.decorators import kernel, not_inlined
from duelbench.bandits.kernels.records import BoolPerArm, BoolPerPair, FloatPerArm, IntPerArm, record, with_zeros
from duelbench.bandits.kernels.sampling import draw_index

NO_ARM = -1
WORTHWHILE = 0.8
"""A decision holds for many rounds only if the next round is an expected self-duel with at least this probability."""

FREE, OVERTAKEN, SECOND_SET = -1, -2, -3
"""The deviation: nothing known in advance, the votes of another candidate, or a sign of the second set. A number from 0
on is the place of a sign among the leaders' signs."""

NO_OTHER, ANY_OTHER = -1.0, -2.0
"""Which candidates may overtake the arms with known signs: no other, or any other. A number from 0 on chooses the
candidate to draw, see `is_overtaken`."""


class Signs(NamedTuple):
    """The part of the first set of samples that is drawn: scratch of one round; arrays are updated in place."""

    votes: IntPerArm  # For each arm i, the number of drawn samples theta_ij above 1/2.
    known: IntPerArm  # Positive for arms whose signs are all drawn, and larger for earlier ones; 0 for others.
    above: BoolPerPair  # theta_ij > 1/2, for one order of each pair, see `is_above`. Only for D-TS+.
    are_kept: bool  # D-TS+ needs the signs of all pairs, also after the vote


@kernel
def count_vote(signs, i, j, wins):
    """Count the vote of a sample: for i if it ``wins``, its sample against j being above 1/2, otherwise for j."""
    signs.votes[i] += wins
    signs.votes[j] += not wins
    if signs.are_kept:
        signs.above[i, j] = wins


@kernel
def is_above(signs, i, j):
    """Return whether theta_ij > 1/2, i < j; stored for the arm with signs drawn first, else for the lower index."""
    return signs.above[i, j] if signs.known[i] >= signs.known[j] else not signs.above[j, i]


class Outlook(NamedTuple):
    """The forecast of the coming rounds, as long as no pair duels; arrays are updated in place."""

    coming: np.ndarray  # (1,) record of `new_outlook`
    likely: IntPerArm  # For each arm i, the number of arms j with P(theta_ij > 1/2) > 1/2.
    leading: BoolPerArm  # The leaders.
    log_chosen_twice: FloatPerArm  # ln of the probability that a leader is chosen twice if chosen first.
    self_duel: FloatPerArm  # The probability that a leader duels itself in a round that goes as expected.
    vote_bound: FloatPerArm  # For other candidates, a bound of the probability that they get v votes.
    tilt: FloatPerArm  # For other candidates, the x that gives this bound.
    may_stand: bool  # Whether decisions may hold for many rounds


def new_outlook(n_arms, may_stand):
    """Return the outlook before round 1, without any expectation."""
    return with_zeros(
        Outlook,
        n_arms,
        coming=record(
            leader=NO_ARM,  # SEVERAL if there are several; NO_ARM if nothing is expected
            votes=0,  # v
            deviates_at=NEVER,  # the round in which something deviates
            log_probability=-np.inf,  # ln p
            others=1.0,  # q
        ),
        may_stand=may_stand,
    )


@kernel
def self_duel_probability(state, arm):
    """Return the probability that an arm is the leader that duels itself in a round that goes as expected."""
    return state.outlook.self_duel[arm]


@kernel
def look_ahead(outlook, above, crossing, candidate, n_candidates, plus, t):
    """After a duel, or once a bound has crossed 1/2: find the leaders.

    Also compute the probability p that a round goes as expected, if this is worthwhile.
    """
    coming = outlook.coming[0]
    coming.deviates_at = NEVER
    coming.leader = NO_ARM
    if not outlook.may_stand:
        return
    leading = outlook.leading
    n_arms = leading.size
    threshold = math.log(WORTHWHILE)
    most = -1
    n_leaders = 0
    for i in range(n_arms):
        if candidate[i]:
            if outlook.likely[i] > most:
                most = outlook.likely[i]
                n_leaders = 0
            n_leaders += outlook.likely[i] == most
    if n_leaders > 1 and plus:
        return
    kept = 0.0  # mean(s_w) - 1
    leader = NO_ARM
    for w in range(n_arms):
        leading[w] = candidate[w] and outlook.likely[w] == most
        outlook.self_duel[w] = 0.0
        if leading[w]:
            log_kept = 0.0
            for i in range(n_arms):
                if i != w and not is_below(crossing, w, i, t):
                    if above[i, w] > 0.5:
                        return
                    log_kept += math.log1p(-above[i, w])
                    if log_kept < threshold:
                        return
            outlook.log_chosen_twice[w] = log_kept
            outlook.self_duel[w] = math.exp(log_kept)
            kept += math.expm1(log_kept) / n_leaders
            leader = w
    log_undeviated = 0.0  # ln o
    others = 0.0  # q
    if n_candidates > 1:
        for w in range(n_arms):
            if leading[w]:
                for j in range(n_arms):
                    if j != w and (j > w or not leading[j]):
                        log_undeviated += math.log1p(-min(above[w, j], above[j, w]))
                if log_undeviated < threshold:
                    return
        for i in range(n_arms):
            if candidate[i] and not leading[i]:
                _bound_votes(outlook, above, i, most)
                others += outlook.vote_bound[i]
                if others > 1.0 - WORTHWHILE:
                    return
    coming.log_probability = log_undeviated + math.log1p(kept) + math.log1p(-others)
    if coming.log_probability < threshold:
        return
    coming.others = others
    coming.votes = most
    coming.leader = leader
    if n_leaders > 1:
        coming.leader = SEVERAL
        for w in range(n_arms):
            if leading[w]:
                outlook.self_duel[w] /= n_leaders * (1.0 + kept)


@kernel
def _bound_votes(outlook, above, i, votes):
    """Bound the probability that arm i gets this many ``votes``, if the signs against the leaders are as expected."""
    n_arms = outlook.leading.size
    turned = 0.0
    defeats = 0
    for j in range(n_arms):
        if j != i:
            if above[i, j] > 0.5:
                votes -= 1
            elif not outlook.leading[j]:
                turned += above[i, j]
                defeats += 1
    outlook.vote_bound[i] = 0.0
    if votes > defeats or turned == 0.0:
        return
    # This many of its defeats must turn, and `turned` are expected to: the best x is about the logarithm of the ratio.
    # Any x gives a bound; 30 keeps exp(x) finite.
    tilt = min(30.0, math.log(max(1.0, votes / turned)))
    outlook.tilt[i] = tilt
    more = math.expm1(tilt)
    less = math.expm1(-tilt)
    factor = 1.0
    for j in range(n_arms):
        if j != i and not outlook.leading[j]:
            factor *= 1.0 + (above[i, j] * more if above[i, j] <= 0.5 else above[j, i] * less)
    outlook.vote_bound[i] = min(1.0, factor * math.exp(-tilt * votes))


@kernel
def expected_rounds(coming, event, t, rng):
    """Return how many rounds from ``t`` on go as expected, before the ``event`` that a bound crosses 1/2.

    Return 0 if nothing is expected.
    """
    if coming.leader == NO_ARM or t == coming.deviates_at:
        return 0
    coming.deviates_at = NEVER
    limit = event - t
    if coming.log_probability == 0.0:
        return limit
    stay = math.log1p(-rng.random()) / coming.log_probability  # P(stay >= n) = exp(n log_probability)
    if stay >= limit:
        return limit
    coming.deviates_at = t + int(stay)
    return int(stay)


@kernel
def draw_deviation(outlook, above, crossing, n_candidates, t, rng):
    """Draw how a round deviates from what is expected: the deviation, FREE if nothing is expected, and two arms.

    If a sign of the second set deviates, these are the leader, and the first arm whose sample against it is above 1/2;
    otherwise both are NO_ARM.
    """
    if outlook.coming[0].leader == NO_ARM:
        return FREE, NO_ARM, NO_ARM
    deviates, left = _deviation(outlook.coming[0], outlook.leading, above, n_candidates, rng)
    if deviates != SECOND_SET:
        return deviates, NO_ARM, NO_ARM
    leading = outlook.leading
    left *= leading.sum()
    probability = 0.0
    a = NO_ARM
    for w in range(leading.size):
        if leading[w]:
            if a != NO_ARM:
                left -= probability
            a = w
            probability = -math.expm1(outlook.log_chosen_twice[w])
            if left < probability:
                break
    return deviates, a, deviating_opponent(above, crossing, a, max(0.0, left), t)


@kernel
def _deviation(coming, leading, above, n_candidates, rng):
    """Draw what deviates first (also SECOND_SET); return it, and the rest of the number that chose it."""
    n_arms = above.shape[0]
    coming.deviates_at = NEVER
    left = -math.expm1(coming.log_probability) * rng.random()
    if n_candidates == 1:
        return SECOND_SET, left
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
    others = before * coming.others
    if left < others:
        return OVERTAKEN, -1.0
    return SECOND_SET, (left - others) / (before - others)


@kernel
def deviating_opponent(above, crossing, a, left, t):
    """Return the first arm whose sample against a is above 1/2, by a number below the probability that one exists."""
    before = 1.0
    last = a
    for i in range(above.shape[0]):
        if i != a and not is_below(crossing, a, i, t):
            deviates = before * above[i, a]
            if left < deviates:
                return i
            left -= deviates
            before -= deviates
            last = i
    return last  # only rounding errors lead here


@kernel
def draw_leaders(signs, above, leading, others, deviates, rng):
    """Draw the leaders' signs: as expected before the place that deviates, not as expected there, then freely.

    With OVERTAKEN all are as expected: then return the number for `is_overtaken`, drawn below ``others``; otherwise
    ANY_OTHER.
    """
    known = signs.known
    n_arms = above.shape[0]
    place = 0
    n_known = 0
    for w in range(n_arms):
        if leading[w]:
            for j in range(n_arms):
                if j == w or known[j]:
                    continue
                if deviates == OVERTAKEN or place <= deviates:
                    wins = (above[w, j] > 0.5) != (place == deviates)
                else:
                    wins = rng.random() < above[w, j]
                place += 1
                count_vote(signs, w, j, wins)
            known[w] = n_arms - n_known
            n_known += 1
    if deviates == OVERTAKEN:
        return others * rng.random()
    return ANY_OTHER


@not_inlined
def is_overtaken(signs, above, candidate, vote_bound, tilts, votes, left, overtaking, rng):
    """Return whether a candidate with unknown signs, chosen by ``left``, gets this many ``votes``; see `is_counted`.

    Its signs are drawn from a distribution tilted towards more votes, and accepted in proportion to their true one. If
    it gets them, all candidates with unknown signs are marked as ``overtaking``.
    """
    known = signs.known
    n_arms = known.size
    i = NO_ARM
    for j in range(n_arms):
        if candidate[j] and not known[j]:
            i = j
            if left < vote_bound[j]:
                break
            left -= vote_bound[j]
    tilt = tilts[i]
    y = math.exp(tilt)
    log_ratio = -math.log(max(1e-300, vote_bound[i]))
    for j in range(n_arms):
        if j != i and not known[j]:
            factor = 1.0 + above[i, j] * (y - 1.0)
            wins = rng.random() * factor < above[i, j] * y
            log_ratio += math.log(factor) - tilt * wins
            count_vote(signs, i, j, wins)
    if signs.votes[i] < votes or math.log1p(-rng.random()) > log_ratio:
        return False
    for j in range(n_arms):
        overtaking[j] = candidate[j] and not known[j]
    known[i] = 1
    return True


@kernel
def is_counted(votes, overtaking, needed, rng):
    """Return True one time in n if n candidates overtake, as each of them might have been drawn; call it last."""
    count = 0
    for j in range(overtaking.size):
        count += overtaking[j] and votes[j] >= needed
    return draw_index(count, rng) == 0
