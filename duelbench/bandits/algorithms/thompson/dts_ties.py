"""D-TS+ with several winners: draws many coming rounds at a time.

With several winners, several leaders (see `dts_standing`) tie in nearly every round, and which of them plays depends on
sampled regrets, whose distribution has no closed form. But as long as no pair duels and no bound crosses 1/2, all
rounds are independent and have the same distribution. So once `WARM_UP` rounds have passed without news,

1. the votes of up to `AT_MOST` rounds are drawn together. A sign is *sure* if its other value has a probability below
   `SURE`; one number draws the next round in which a sure sign deviates, and that round is drawn on its own;
2. if candidates tie, their sampled regrets R_w = sum of (v - v_j) / d(theta_wj, 1/2) are compared, with the votes v_j
   of arm j, and v the most of them: one candidate after another, in all of these rounds, up to the term that makes its
   regret the greater one in a round;
3. one more number for each round says whether the second set has a sample above 1/2 against the first arm, and which;
4. rounds in which the same first arm duels itself are one decision. News (a duel, a bound that crosses 1/2) discards
   all further rounds: none of them was played or used.

R_w is summed with 1 / d to 0.4 per cent, and exactly where sums are closer; leaders have no term in common. Pairs that
are often asked for samples get a table of columns (`beta_columns`), which is exact. The functions take parts of the
state of `dts`.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import NEVER
from duelbench.bandits.algorithms.thompson import beta_columns
from duelbench.bandits.algorithms.thompson.beta_columns import Uniforms, draw_uniforms
from duelbench.bandits.algorithms.thompson.dts_standing import FREE, NO_ARM, count_vote, deviating_opponent
from duelbench.bandits.kernels.confidence_bounds import is_below
from duelbench.bandits.kernels.decorators import inlined, kernel, not_inlined
from duelbench.bandits.kernels.divergence import kl_to_half
from duelbench.bandits.kernels.posteriors import beta_above_half
from duelbench.bandits.kernels.records import FloatPerArm, IntPerArm, IntPerPair, record, with_zeros
from duelbench.bandits.kernels.sampling import draw_index

SURE = 1 / 256  # A sign is sure if its other value is less likely than this.
WARM_UP = 16  # After news this many rounds are drawn one by one.
AT_FIRST, AT_MOST = 8, 64  # How many rounds are drawn ahead: twice as many each time.
OFTEN = 48  # A pair gets a table after this many samples since its last duel.
MARGIN = 0.004  # More than the relative error of `_ratio`.

CLOSE = 1.0 + 3.0 * MARGIN
"""Sums that differ by more than this factor, above (1 + MARGIN) / (1 - MARGIN), have the order of the exact ones."""

FIRST, MOST, EQUAL = range(3)
"""Rows of `Ties.numbers`. Of each round drawn ahead: the first arm, or NO_ARM if `dts` breaks the tie; the most
votes of a candidate; and how many candidates have these, later the least regret."""

TIED, ALIVE, WEIGHT, ASKED, ABOVE, BELOW = range(6)
"""Rows of `Ties.rounds`. Of each round drawn ahead: 1 if candidates tie; 1 if the current arm may still have the least
regret; by how much a sample of it counts. And lists of rounds: in which it counts; is above 1/2; is below."""

LEAST, TOTAL, TERM = range(3)
"""Rows of `Ties.sums`. Of each round: the least regret; the sum of the current arm. And rough sizes of terms."""

DRAWN, AHEAD = -4, -5
"""Two codes beside those of `dts_standing`: all signs of the first set are drawn, and the tie must be broken; the round
is drawn ahead."""


class Ties(NamedTuple):
    """The rounds drawn ahead, and the tables to draw them; arrays are updated in place."""

    ahead: np.ndarray  # (1,) record of `new_ties`
    pairs: np.ndarray  # (K (K - 1) / 2, 2) int64. The pairs i < j: the sure ones, then the others.
    sure_votes: IntPerArm  # The votes of each arm by sure signs.
    informs: FloatPerArm  # For each first arm, 1 - s.
    order: IntPerPair  # For each candidate the other arms, the largest terms of its regret first.
    n_asked: IntPerPair  # Samples since the last duel, given that the row's arm beats the other.
    n_columns: IntPerPair  # Columns of the table of these.
    columns: np.ndarray  # (K, K, MOST_COLUMNS, 4) float64. The tables.
    votes: np.ndarray  # (K, AT_MOST) int8. By round.
    signs: np.ndarray  # (K, K, AT_MOST) bool. The signs that are not sure, by round.
    samples: np.ndarray  # (K, K, AT_MOST) float64. |2 theta - 1|, by round.
    numbers: np.ndarray  # (3, AT_MOST) int8. By row, see `FIRST`.
    rounds: np.ndarray  # (6, AT_MOST) uint8. By row, see `TIED`.
    sums: np.ndarray  # (3, AT_MOST) float64. By row, see `LEAST`.
    uniforms: Uniforms  # Where most random numbers come from


def new_ties(n_arms, rng):
    """Return the memory before round 1; ``rng`` seeds the generator."""
    return with_zeros(
        Ties,
        n_arms,
        ahead=record(
            age=0,  # the rounds since the last news, up to `WARM_UP` + 1
            begin=0,  # the first round that is drawn
            end=0,  # the first that is not
            next_block=0,  # how many are to be drawn next
            n_sure=0,  # the number of sure pairs
            deviation=0.0,  # the probability that a sure sign deviates
            deviates_at=0,  # in which round one does
            favourite=0,  # the arm chosen last
        ),
        pairs=np.zeros((n_arms * (n_arms - 1) // 2, 2), np.int64),
        columns=np.zeros((n_arms, n_arms, beta_columns.MOST_COLUMNS, 4)),
        votes=np.zeros((n_arms, AT_MOST), np.int8),
        signs=np.zeros((n_arms, n_arms, AT_MOST), np.bool_),
        samples=np.ones((n_arms, n_arms, AT_MOST)),
        numbers=np.zeros((3, AT_MOST), np.int8),
        rounds=np.zeros((6, AT_MOST), np.uint8),
        sums=np.zeros((3, AT_MOST)),
        uniforms=beta_columns.new_uniforms(AT_MOST, int(rng.integers(2**64, dtype=np.uint64))),
    )


@kernel
def forget_tables(ties, i, j):
    """Update after a duel of i and j. Does nothing if rounds are not drawn ahead."""
    if ties is not None:
        ties.n_columns[i, j] = ties.n_columns[j, i] = 0
        ties.n_asked[i, j] = ties.n_asked[j, i] = 0


@kernel
def forget_rounds(ties):
    """After news, discard the rounds drawn ahead. Does nothing if rounds are not drawn ahead."""
    if ties is not None:
        ties.ahead[0].age = 0


@kernel
def draw_ahead(ties, signs, above, wins, crossing, event, candidate, t, rng):
    """Draw rounds from ``t`` on if none is drawn ahead; ``event`` is the round in which a bound crosses 1/2.

    Return FREE if nothing is known about round ``t``; AHEAD if it is drawn ahead; DRAWN if only its signs are drawn,
    because a sure one deviates.
    """
    if ties is None or not _is_patient(ties.ahead[0]):
        return FREE
    if t >= ties.ahead[0].end and _is_by_itself(ties, signs, above, wins, crossing, event, candidate, t, rng):
        return DRAWN
    return AHEAD


@kernel
def _is_patient(ahead):
    """Return whether there were `WARM_UP` rounds without news, in which candidates might tie; count this round."""
    if ahead.age == WARM_UP:
        ahead.end = 0
    if ahead.age <= WARM_UP:
        ahead.age += 1
    return ahead.age > WARM_UP


@kernel
def next_rounds(ties, signs, above, crossing, t):
    """Return the decision drawn ahead for round ``t``: the deviation, two arms, and a number of rounds.

    If the number is positive, the first arm duels itself for that many rounds. If it is 0, `dts` completes round ``t``;
    the opponent is then the first arm whose sample against the first arm is above 1/2. The result is DRAWN, without
    arms, if `dts` must break the tie.
    """
    if ties is None:
        return FREE, NO_ARM, NO_ARM, 0
    ahead = ties.ahead[0]
    first = ties.numbers[FIRST]
    left = ties.uniforms.number
    r = t - ahead.begin
    a = int(first[r])
    if a == NO_ARM:
        _hand_over(ties, signs, above, r)
        return DRAWN, NO_ARM, NO_ARM, 0
    if left[r] < ties.informs[a]:
        return FREE, a, deviating_opponent(above, crossing, a, left[r], t), 0
    last = r + 1
    while last < ahead.end - ahead.begin and first[last] == a and left[last] >= ties.informs[a]:
        last += 1
    return FREE, a, NO_ARM, last - r


@not_inlined
def _is_by_itself(ties, signs, above, wins, crossing, event, candidate, t, rng):
    """Return whether a sure sign deviates in round ``t``; if so draw its signs, else draw rounds until one does."""
    ahead = ties.ahead[0]
    if ahead.end == 0:
        _list_pairs(ties, above)
        for i in range(candidate.size):
            if candidate[i]:
                _find_order(ties, wins, i)
                ties.informs[i] = _informing(above, crossing, i, t)
        _find_deviation(ahead, t, event, rng)
    if t == ahead.deviates_at:
        _draw_deviating_signs(ties, signs, above, rng)
        _find_deviation(ahead, t + 1, event, rng)
        return True
    ahead.begin = t
    ahead.end = min(t + ahead.next_block, ahead.deviates_at, event)
    ahead.next_block = min(AT_MOST, 2 * ahead.next_block)
    n = ahead.end - t
    _draw_votes(ties, above, n)
    _count_votes(ties, candidate, n)
    for k in range(candidate.size):
        i = (ahead.favourite + k) % candidate.size
        if candidate[i]:
            _compare_regret(ties, above, wins, i, n, rng)
    for r in range(n):
        if ties.numbers[FIRST, r] != NO_ARM:
            ahead.favourite = ties.numbers[FIRST, r]
    draw_uniforms(ties.uniforms, n)  # they decide about the second set
    return False


@kernel
def _list_pairs(ties, above):
    """After news, find the sure pairs, and the probability that one of them deviates."""
    ahead = ties.ahead[0]
    n_arms = above.shape[0]
    ties.sure_votes[:] = 0
    ahead.next_block = AT_FIRST
    ahead.n_sure = 0
    ahead.deviation = 0.0
    last = ties.pairs.shape[0]
    for i in range(n_arms):
        for j in range(i + 1, n_arms):
            rare = min(above[i, j], above[j, i])
            if rare < SURE:
                ties.sure_votes[i] += above[i, j] > 0.5
                ties.sure_votes[j] += above[i, j] < 0.5
                place = ahead.n_sure
                ahead.n_sure += 1
                ahead.deviation += (1.0 - ahead.deviation) * rare
            else:
                last -= 1
                place = last
            ties.pairs[place, 0] = i
            ties.pairs[place, 1] = j


@kernel
def _find_deviation(ahead, t, event, rng):
    """Draw the first round from ``t`` on in which a sure sign deviates; NEVER if it is not before the next event."""
    ahead.deviates_at = NEVER
    if ahead.deviation > 0.0:
        stay = math.log1p(-rng.random()) / math.log1p(-ahead.deviation)
        if stay < event - t:
            ahead.deviates_at = t + int(stay)


@kernel
def _draw_deviating_signs(ties, signs, above, rng):
    """Draw all signs, given that a sure one deviates."""
    ahead = ties.ahead[0]
    left = ahead.deviation * rng.random()
    before = 1.0
    has_deviated = False
    signs.votes[:] = 0
    signs.known[:] = 0
    for k in range(ties.pairs.shape[0]):
        i = ties.pairs[k, 0]
        j = ties.pairs[k, 1]
        if has_deviated:
            wins = rng.random() < above[i, j]
        else:
            deviates = before * min(above[i, j], above[j, i])
            has_deviated = left < deviates or k == ahead.n_sure - 1
            left -= deviates
            before -= deviates
            wins = (above[i, j] > 0.5) != has_deviated
        count_vote(signs, i, j, wins)


@not_inlined
def _hand_over(ties, signs, above, r):
    """Give `dts` the votes and signs of a round drawn ahead."""
    signs.votes[:] = 0
    signs.known[:] = 0
    for k in range(ties.pairs.shape[0]):
        i = ties.pairs[k, 0]
        j = ties.pairs[k, 1]
        count_vote(signs, i, j, above[i, j] > 0.5 if k < ties.ahead[0].n_sure else ties.signs[i, j, r])


@kernel
def _draw_votes(ties, above, n):
    """Lines 7-10: draw the votes for ``n`` rounds in which no sure sign deviates."""
    votes = ties.votes
    number = ties.uniforms.number
    for i in range(votes.shape[0]):
        votes[i, :n] = ties.sure_votes[i]
    for k in range(ties.ahead[0].n_sure, ties.pairs.shape[0]):
        i = ties.pairs[k, 0]
        j = ties.pairs[k, 1]
        draw_uniforms(ties.uniforms, n)
        for r in range(n):
            wins = number[r] < above[i, j]
            ties.signs[i, j, r] = wins
            ties.signs[j, i, r] = not wins
            votes[i, r] += wins
            votes[j, r] += not wins


@kernel
def _count_votes(ties, candidate, n):
    """Line 11 if no candidates tie; otherwise mark the rounds in which no other arm has more votes."""
    first, most, count = ties.numbers[FIRST], ties.numbers[MOST], ties.numbers[EQUAL]
    tied = ties.rounds[TIED]
    for r in range(n):
        most[r] = -1
        first[r] = NO_ARM
        count[r] = 0
        tied[r] = 1
        ties.sums[LEAST, r] = np.inf
    for i in range(candidate.size):
        if candidate[i]:
            for r in range(n):
                most[r] = max(most[r], ties.votes[i, r])
    for i in range(candidate.size):
        votes = ties.votes[i]
        if candidate[i]:
            for r in range(n):
                leads = votes[r] == most[r]
                count[r] += leads
                first[r] = i if leads else first[r]
        else:
            for r in range(n):
                tied[r] &= votes[r] <= most[r]
    for r in range(n):
        tied[r] &= count[r] > 1
        first[r] = first[r] if count[r] == 1 else NO_ARM


@not_inlined
def _compare_regret(ties, above, wins, i, n, rng):
    """Section 4.3: choose candidate i in the rounds in which it ties and has the least regret so far."""
    most = ties.numbers[MOST]
    tied, alive, weight = ties.rounds[TIED], ties.rounds[ALIVE], ties.rounds[WEIGHT]
    weighted, above_half, below_half = ties.rounds[ASKED], ties.rounds[ABOVE], ties.rounds[BELOW]
    total, least = ties.sums[TOTAL], ties.sums[LEAST]
    for r in range(n):
        alive[r] = tied[r] & (ties.votes[i, r] == most[r])
        total[r] = 0.0
    for place in range(wins.shape[0] - 1):
        j = ties.order[i, place]
        votes = ties.votes[j]
        any_weight = 0
        for r in range(n):
            weight[r] = alive[r] * (most[r] - votes[r])
            any_weight |= weight[r]
        if any_weight == 0:
            continue
        n_weighted = n_above = n_below = 0
        for r in range(n):
            weighted[n_weighted] = r
            n_weighted += weight[r] > 0
        is_sure = min(above[i, j], above[j, i]) < SURE
        for k in range(n_weighted):
            sign = above[i, j] > 0.5 if is_sure else ties.signs[i, j, weighted[k]]
            above_half[n_above] = below_half[n_below] = weighted[k]
            n_above += sign
            n_below += not sign
        samples = ties.samples[i, j]
        _draw_samples(ties, wins, i, j, above_half, n_above, samples, rng)
        _draw_samples(ties, wins, j, i, below_half, n_below, samples, rng)
        for r in range(n):
            total[r] += weight[r] * _ratio(samples[r])
        for r in range(n):
            alive[r] &= total[r] <= CLOSE * least[r]
    for r in range(n):
        if alive[r]:
            _choose_less(ties, i, r, rng)


@kernel
def _choose_less(ties, i, r, rng):
    """Choose candidate i in round r if its regret is less than the least so far; at random if it is the same."""
    first, equal, least = ties.numbers[FIRST], ties.numbers[EQUAL], ties.sums[LEAST]
    total = ties.sums[TOTAL, r]
    difference = total - least[r]
    if CLOSE * total >= least[r]:
        difference = _exact_regret(ties, i, r) - _exact_regret(ties, int(first[r]), r)
    if difference < 0.0:
        first[r] = i
        equal[r] = 1
        least[r] = total
    elif difference == 0.0:
        equal[r] += 1
        if draw_index(int(equal[r]), rng) == 0:
            first[r] = i


@not_inlined
def _exact_regret(ties, i, r):
    """Return the regret of candidate i in round r, all terms of which are drawn."""
    total = 0.0
    for j in range(ties.votes.shape[0]):
        weight = ties.numbers[MOST, r] - ties.votes[j, r]
        if weight > 0:
            total += weight / max(kl_to_half(0.5 + 0.5 * ties.samples[i, j, r]), 1e-300)
    return total


@inlined
def _ratio(y):
    """Return 1 / d(theta, 1/2) for theta = (1 + y) / 2, 0 < y <= 1, with a relative error below `MARGIN`."""
    s = y * y
    return (0.99610294 + s * (-0.03288892 + s * (-0.76834899 + s * (1.27466534 - s * 0.7453717)))) * 2.0 / s


@not_inlined
def _find_order(ties, wins, i):
    """Order the arms by the terms that they add to the regret of arm i, roughly."""
    order = ties.order[i]
    term = ties.sums[TERM]
    n = 0
    for j in range(order.size):
        if j != i:
            plays = 1.0 + wins[i, j] + wins[j, i]
            y = (wins[i, j] - wins[j, i]) / plays
            term[j] = (1.0 + ties.sure_votes[i] - ties.sure_votes[j]) / (y * y + 1.0 / plays)
            k = n
            while k > 0 and term[order[k - 1]] < term[j]:
                order[k] = order[k - 1]
                k -= 1
            order[k] = j
            n += 1


@not_inlined
def _draw_samples(ties, wins, i, j, rounds, n, samples, rng):
    """Draw 2 theta_ij - 1, given that it is above 0, for ``n`` of the ``rounds``."""
    won = wins[i, j]
    lost = wins[j, i]
    if ties.n_asked[i, j] >= OFTEN and ties.n_columns[i, j] == 0 and n > 0:
        ties.n_columns[i, j] = beta_columns.fill_columns(ties.columns[i, j], won, lost)
    ties.n_asked[i, j] += n
    count = ties.n_columns[i, j]
    if count > 0:
        beta_columns.draw_samples(ties.columns[i, j], count, won, lost, ties.uniforms, rounds, n, samples, rng)
    else:
        for k in range(n):
            samples[rounds[k]] = 2.0 * beta_above_half(won + 1, lost + 1, rng) - 1.0


@kernel
def _informing(above, crossing, a, t):
    """Return the probability that some sample of the second set is above 1/2 against a."""
    informing = 0.0
    for i in range(above.shape[0]):
        if i != a and not is_below(crossing, a, i, t):
            informing += (1.0 - informing) * above[i, a]
    return informing
