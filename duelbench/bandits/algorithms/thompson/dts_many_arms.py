"""D-TS with many arms: only draws the signs that may decide the vote, one row at a time.

For each candidate whose signs are not drawn, the probability that it gets as many votes as the best so far has a known
bound. Rows are drawn until these bounds are small; then one uniform number decides about all other candidates at once.
A sign takes 16 random bits of SplitMix64 [1]_, compared with the whole part of 65,536 p, and one more uniform number if
they are equal. For line 14, only samples that exceed the largest so far are drawn.

This is exact. For x >= 0, the votes V_i of candidate i reach v with probability at most
q_i = e^(-x v) prod_j (1 - p_j + p_j e^x). Draw i with probability q_i, its signs with the tilted probabilities
p_j e^x / (1 - p_j + p_j e^x), and accept V_i >= v with probability e^(-x (V_i - v)): each row then has the probability
that it should have. If n candidates reach v, each could have been drawn, so one time in n counts. Otherwise none
reaches v, and its signs do not matter. Any larger bound is exact too: q_i = exp(-g^2 / (2 d)), with g the votes missing
in expectation, and d the sum of p (1 - p) for p >= 1/2, of (1 - 2 p) / (2 ln((1 - p) / p)) below [2]_.

References
----------
.. [1] G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014; with the
   constants of Vigna's splitmix64.c.
.. [2] M. Kearns, L. Saul, "Large Deviation Methods for Approximate Probabilistic Inference", UAI 1998.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.thompson.dts_standing import ANY_OTHER, NO_ARM, NO_OTHER
from duelbench.bandits.kernels.decorators import inlined, kernel, not_inlined
from duelbench.bandits.kernels.posteriors import beta_above_half, beta_beyond
from duelbench.bandits.kernels.records import FloatPerArm

MANY = 32  # From this many arms on, D-TS draws rows of signs.
BLOCK = 32  # Rows are padded to a multiple of it, and draws start at a multiple.
BITS, OPEN, WON, VOTES, GENERATOR = 0, 1, 2, 3, 4  # rows of SignRows.bench
STEEPEST = 40.0  # The largest x in bounds of the kind exp(-x v) E exp(x V).
FAR = math.exp(-12.0)  # The bound of every candidate without a bound of its own.

ALL_BITS = 2**64 - 1
STEP = 0x9E3779B97F4A7C15
FIRST_FACTOR = 0xBF58476D1CE4E5B9
SECOND_FACTOR = 0x94D049BB133111EB


class SignRows(NamedTuple):
    """The tables for drawing and counting rows of signs; rows are padded, arrays are updated in place."""

    # (K, width) uint16. For i and j, the whole part of 65,536 P(theta_ij > 1/2), but at most 65,535.
    threshold: np.ndarray
    # (5, width) uint16. Scratch, by row: random BITS; 1 for the OPENed arms, whose signs are asked for; the signs of
    # a row: which are WON; VOTES of the arms against which rows were drawn; the memory of the GENERATOR.
    bench: np.ndarray
    words: np.ndarray  # (5, width / 4) uint64. The same memory.


class ManyArms(NamedTuple):
    """The memory for many arms; arrays are updated in place."""

    rows: SignRows  # The tables for rows of signs
    mean: FloatPerArm  # For each arm i, the sum of P(theta_ij > 1/2).
    spread: FloatPerArm  # The same sum of `spread_of`: bounds how far the votes exceed their mean.
    expected: FloatPerArm  # Scratch: the expected votes of each arm, given the rows that are known.


def new_many_arms(n_arms, rng):
    """Return the memory before the first duel: every probability is 1/2; ``rng`` seeds the generator."""
    width = -(-n_arms // BLOCK) * BLOCK
    bench = np.zeros((5, width), np.uint16)
    words = bench.view(np.uint64)
    words[GENERATOR, 0] = rng.integers(0, 2**64, dtype=np.uint64)
    return ManyArms(
        rows=SignRows(np.full((n_arms, width), 2**15, np.uint16), bench, words),
        mean=np.full(n_arms, (n_arms - 1) / 2),
        spread=np.full(n_arms, (n_arms - 1) / 4),
        expected=np.zeros(n_arms),
    )


@kernel
def update_many(many, above, i, j, before):
    """Update after a duel of i and j: P(theta_ij > 1/2) was ``before``. Does nothing if there are few arms."""
    if many is None:
        return
    after = above[i, j]
    many.rows.threshold[i, j] = threshold_of(after)
    many.rows.threshold[j, i] = threshold_of(above[j, i])
    many.mean[i] += after - before
    many.mean[j] -= after - before
    many.spread[i] += spread_of(after) - spread_of(before)
    many.spread[j] += spread_of(1.0 - after) - spread_of(1.0 - before)


@inlined
def threshold_of(p):
    """Return the whole part of 65,536 p; at most 65,535, so that for p = 1 the rest is 1."""
    return min(int(65536.0 * p), 65535)


@kernel
def open_all_but(rows, left_out):
    """Open all arms except those ``left_out``, and forget the votes."""
    for j in range(left_out.size):
        rows.bench[OPEN, j] = left_out[j] == 0
    for j in range(rows.bench[VOTES].size):
        rows.bench[VOTES, j] = 0


@not_inlined
def draw_row(rows, above, i, begin, rng):
    """Draw the signs of arm i against the open arms from ``begin`` on; a 0 votes for them. Return the votes of i."""
    rows.bench[OPEN, i] = 0
    opened = rows.bench[OPEN, begin:]
    bits = rows.bench[BITS, begin:]
    won = rows.bench[WON, begin:]
    votes = rows.bench[VOTES, begin:]
    threshold = rows.threshold[i, begin:]
    words = rows.words[BITS, begin // 4 :]
    x = int(rows.words[GENERATOR, 0])
    for k in range(words.size):
        x = (x + STEP) & ALL_BITS
        z = ((x ^ (x >> 30)) * FIRST_FACTOR) & ALL_BITS
        z = ((z ^ (z >> 27)) * SECOND_FACTOR) & ALL_BITS
        words[k] = z ^ (z >> 31)
    rows.words[GENERATOR, 0] = x
    count = np.uint16(0)
    undecided = np.uint16(0)
    for j in range(threshold.size):
        won[j] = np.uint16(bits[j] < threshold[j]) & opened[j]
        votes[j] += opened[j] - won[j]
        count = np.uint16(count + won[j])
        undecided |= np.uint16(bits[j] == threshold[j]) & opened[j]
    total = int(rows.bench[VOTES, i]) + int(count)
    if undecided:
        for j in range(begin, above.shape[1]):
            q = rows.threshold[i, j]
            if rows.bench[OPEN, j] and rows.bench[BITS, j] == q and rng.random() < 65536.0 * above[i, j] - q:
                rows.bench[WON, j] = 1
                rows.bench[VOTES, j] -= 1
                total += 1
    return total


@not_inlined
def draw_opponents(rows, above, a, crossing, t, chosen, rng):
    """Choose the arms i with ``crossing[a, i]`` <= t whose sample against a is above 1/2; return their number."""
    opened = rows.bench[OPEN]
    won = rows.bench[WON]
    for i in range(chosen.size):
        opened[i] = crossing[a, i] <= t
    draw_row(rows, above, a, 0, rng)
    count = 0
    for i in range(chosen.size):
        chosen[i] = opened[i] > won[i]
        count += chosen[i]
    return count


@kernel
def spread_of(p):
    """Return v such that E exp(x (B - p)) <= exp(v x^2 / 2) for all x >= 0; B is 1 with probability p, else 0.

    It is the variance if p >= 1/2, and otherwise the constant of Kearns and Saul (1998).
    """
    if p >= 0.499:
        return min(p * (1.0 - p), 0.25) if p >= 0.5 else 0.25
    if p < 1e-300:
        return 0.0
    return (1.0 - 2.0 * p) / (2.0 * (math.log1p(-p) - math.log(p)))


@not_inlined
def find_near(many, candidate, most, near):
    """Mark the open candidates that may get ``most`` votes with probability `FAR` or more; return their number."""
    opened = many.rows.bench[OPEN]
    count = 0
    for i in range(near.size):
        gap = most - many.expected[i] - 1e-6
        close = (gap < 0.6) | (gap * gap < 24.0 * (many.spread[i] + 1e-6))
        near[i] = close & candidate[i] & (opened[i] != 0)
    for i in range(near.size):
        count += near[i]
    return count


@not_inlined
def draw_near_rows(many, signs, above, candidate, n_candidates, vote_bound, tilts, near, rng):
    """Draw rows until the bounds of all other candidates are small; return the most votes, and who may overtake.

    ``near`` is scratch.
    """
    rows = many.rows
    expected = many.expected
    votes = signs.votes
    known = signs.known
    n_arms = expected.size
    top = NO_ARM
    for i in range(n_arms):
        expected[i] = many.mean[i]
        near[i] = False
        if candidate[i] and (top == NO_ARM or expected[i] > expected[top]):
            top = i
    open_all_but(rows, known)
    near[top] = True
    most = 0
    drawn = 0
    left = ANY_OTHER
    others = 0.0
    worth = 1.0 / (8.0 + 0.2 * n_candidates)
    while True:
        before = drawn
        for i in range(n_arms):
            if near[i] and 3 * drawn <= n_candidates:
                bound = _bound_free_votes(many, vote_bound, tilts, i, most)
                others += bound
                if bound > worth:
                    votes[i] += draw_row(rows, above, i, 0, rng)
                    known[i] = n_arms - drawn
                    drawn += 1
                    most = max(most, votes[i])
                    for j in range(n_arms):
                        expected[j] += above[i, j] - rows.bench[WON, j]
                    _keep_signs(signs, i, rows.bench[WON])
        if 3 * drawn > n_candidates:
            break
        if drawn == before:
            if others < 0.5:
                left = rng.random()
                if left >= others:
                    left = NO_OTHER
                break
            worth *= 0.5
        n_near = find_near(many, candidate, most, near)
        others = FAR * (n_candidates - drawn - n_near)
    tied = 0
    for i in range(n_arms):
        if known[i]:
            tied += votes[i] == most
        else:
            votes[i] += rows.bench[VOTES, i]
            if left >= 0.0 and candidate[i] and not near[i]:
                _bound_free_votes(many, vote_bound, tilts, i, most)
                vote_bound[i] = FAR
    return most, ANY_OTHER if tied > 1 and signs.are_kept else left


@kernel
def _bound_free_votes(many, vote_bound, tilts, i, most):
    """Bound the probability that arm i gets ``most`` votes, given the rows that are known."""
    gap = most - many.expected[i] - 1e-6  # the sums of many terms are not exact
    if gap <= 0.0:
        tilts[i] = 0.0
        vote_bound[i] = 1.0
        return 1.0
    spread = many.spread[i] + 1e-6
    tilt = min(STEEPEST, gap / spread)
    log_bound = tilt * (0.5 * tilt * spread - gap)
    tilts[i] = tilt
    vote_bound[i] = math.exp(max(log_bound, -40.0))
    return vote_bound[i]


@not_inlined
def draw_open_rows(many, signs, above, candidate, rng):
    """Draw all unknown signs that may matter, one by one as in the plain algorithm."""
    rows = many.rows
    known = signs.known
    open_all_but(rows, known)
    closed = 0  # all arms before this one are closed
    for i in range(known.size):
        if not known[i] and (signs.are_kept or candidate[i]):
            signs.votes[i] += draw_row(rows, above, i, closed - closed % BLOCK, rng)
            _keep_signs(signs, i, rows.bench[WON])
        if closed == i and not rows.bench[OPEN, i]:
            closed += 1


@inlined
def _keep_signs(signs, i, won):
    """Store the signs of arm i's row, which D-TS+ needs after the vote."""
    if signs.are_kept:
        for j in range(signs.known.size):
            signs.above[i, j] = won[j] > 0


@kernel
def strongest_of_many(posterior, wins, chosen, a, rng):
    """Line 14: return the chosen arm with the largest sample; only draw samples above the largest so far."""
    best = a
    largest = 0.5
    log_up = 0.0
    log_down = 0.0
    for i in range(chosen.size):
        if not chosen[i]:
            continue
        theta = -1.0
        if 0.5 < largest < 1.0:
            theta = beta_beyond(posterior, wins, i, a, largest, log_up, log_down, rng)
        if theta < 0.0:
            theta = beta_above_half(wins[i, a] + 1, wins[a, i] + 1, rng)
        if theta > largest:
            best = i
            largest = theta
            if largest < 1.0:
                log_up = math.log(2.0 * largest)
                log_down = math.log(2.0 - 2.0 * largest)
    return best
