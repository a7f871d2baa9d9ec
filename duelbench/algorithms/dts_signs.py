"""Rows of signs: on which sides of 1/2 the samples of one arm against many others fall, 16 random bits each.

With p = P(theta_ij > 1/2), q the whole part of 65,536 p and r 16 random bits, the sign is 1 where r < q and 0 where
r > q. Where r = q it is 1 with probability 65,536 p - q, for which a further number is drawn. Together

    P(sign = 1) = q / 65,536 + (65,536 p - q) / 65,536 = p,

nothing is rounded. All loops over a row are such that LLVM makes vector instructions of them: they run from 0 over flat
arrays of small whole numbers. What they yield does not depend on how many numbers such an instruction takes at a time.

The random bits are those of SplitMix64 [1]_, which depend on the generator's state alone, one sum and two products of
64 bits for each word. They are cut into four numbers by looking at the same memory as 16-bit numbers: the order of
these is that of all machines for which Numba compiles (little-endian).

References
----------
.. [1] G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014; with the
   constants of Vigna's splitmix64.c.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.kernel import apart, inlined, kernel

BLOCK = 32
"""Rows are padded to a multiple of so many arms, and drawn from a multiple on."""

BIT, OPEN, WON, VOTES, GENERATOR = 0, 1, 2, 3, 4  # rows of SignRows.bench
STEEPEST = 40.0
"""The largest x in bounds of the kind exp(-x v) E exp(x V)."""

FAR = math.exp(-12.0)
"""The bound of every candidate that is not looked at by itself."""

ALL_BITS = 2**64 - 1
STEP = 0x9E3779B97F4A7C15
FIRST_FACTOR = 0xBF58476D1CE4E5B9
SECOND_FACTOR = 0x94D049BB133111EB


class SignRows(NamedTuple):
    """What rows of signs are drawn from and counted in; a row is padded, arrays are updated in place.

    threshold : (K, width) uint16. For i and j, the whole part of 65,536 P(theta_ij > 1/2), but at most 65,535.
    bench : (5, width) uint16. Scratch: random bits; 1 for the open arms, whose signs are asked for; signs; votes of the
        arms against which rows were drawn. The last row is the memory of the generator.
    words : (5, width / 4) uint64. The same memory.
    mean : (K,) float64. For each arm i, the sum of P(theta_ij > 1/2).
    spread : (K,) float64. Likewise, of `deviation`: bounds how far the votes exceed their mean.
    """

    threshold: np.ndarray
    bench: np.ndarray
    words: np.ndarray
    mean: np.ndarray
    spread: np.ndarray


def new_sign_rows(n_arms: int, rng: np.random.Generator) -> SignRows:
    """Before the first duel: every probability is 1/2. The generator starts where ``rng`` says.

    Examples
    --------
    >>> new_sign_rows(40, np.random.default_rng(1)).threshold.shape
    (40, 64)
    """
    width = -(-n_arms // BLOCK) * BLOCK
    bench = np.zeros((5, width), np.uint16)
    words = bench.view(np.uint64)
    words[GENERATOR, 0] = rng.integers(0, 2**64, dtype=np.uint64)
    return SignRows(
        threshold=np.full((n_arms, width), 2**15, np.uint16),
        bench=bench,
        words=words,
        mean=np.full(n_arms, (n_arms - 1) / 2),
        spread=np.full(n_arms, (n_arms - 1) / 4),
    )


@kernel
def note(rows, above, i, j, before):
    """After a duel of i and j: P(theta_ij > 1/2) was ``before``. Nothing to do where there are no rows."""
    if rows is None:
        return
    after = above[i, j]
    rows.threshold[i, j] = threshold_of(after)
    rows.threshold[j, i] = threshold_of(above[j, i])
    rows.mean[i] += after - before
    rows.mean[j] -= after - before
    rows.spread[i] += deviation(after) - deviation(before)
    rows.spread[j] += deviation(1.0 - after) - deviation(1.0 - before)


@inlined
def threshold_of(p):
    """The whole part of 65,536 p; at most 65,535, so that for p = 1 the rest is 1.

    Examples
    --------
    >>> threshold_of(0.5), threshold_of(1.0), threshold_of(1e-9)
    (32768, 65535, 0)
    """
    return min(int(65536.0 * p), 65535)


@kernel
def open_all_but(rows, left_out):
    """Ask for the signs of all arms but those ``left_out``, and forget the votes."""
    opened = rows.bench[OPEN]
    votes = rows.bench[VOTES]
    for j in range(left_out.size):
        opened[j] = left_out[j] == 0
    for j in range(votes.size):
        votes[j] = 0


@apart
def draw_row(rows, above, i, begin, rng):
    """Draw the signs of arm i, which is closed, against the open arms from ``begin`` on, a multiple of `BLOCK`.

    These get a vote for each sign that is 0, and the others the sign 0.

    Returns
    -------
    int
        The votes that arm i had already, and the signs that are 1.
    """
    bench = rows.bench
    bench[OPEN, i] = 0
    opened = bench[OPEN, begin:]
    bits = bench[BIT, begin:]
    won = bench[WON, begin:]
    votes = bench[VOTES, begin:]
    threshold = rows.threshold[i, begin:]
    words = rows.words[BIT, begin // 4 :]
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
    total = int(bench[VOTES, i]) + int(count)
    if undecided:
        for j in range(begin, above.shape[1]):
            q = rows.threshold[i, j]
            if bench[OPEN, j] and bench[BIT, j] == q and rng.random() < 65536.0 * above[i, j] - q:
                bench[WON, j] = 1
                bench[VOTES, j] -= 1
                total += 1
    return total


@apart
def draw_opponents(rows, above, a, crossing, t, chosen, rng):
    """Choose the arms i whose sample against arm a is above 1/2, of those with ``crossing[a, i]`` <= t.

    Returns
    -------
    int
        How many there are.
    """
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
def deviation(p):
    """A number v such that E exp(x (B - p)) <= exp(v x^2 / 2) for all x >= 0, B being 1 with probability p, else 0.

    The variance where p >= 1/2; below, the constant of Kearns and Saul (1998).

    Examples
    --------
    >>> deviation(0.75), round(deviation(1 / (1 + math.e)), 6)  # 3/16; tanh(1/2) / 2
    (0.1875, 0.231059)
    """
    if p >= 0.499:
        return min(p * (1.0 - p), 0.25) if p >= 0.5 else 0.25
    if p < 1e-300:
        return 0.0
    return (1.0 - 2.0 * p) / (2.0 * (math.log1p(-p) - math.log(p)))


@apart
def find_near(rows, candidate, total, most, near):
    """Mark the open candidates that may get ``most`` votes with a probability not known to be below `FAR`.

    All others are so many votes g short of it that g^2 >= 24 (spread + 1e-6) and g >= 0.6. Then exp(-g^2 / (2 spread))
    is at most e^-12, and so is the bound of the steepest slope where that is used, for g > 40 spread:
    exp(40 (20 spread - g)) < exp(-20 g). What is certain to be too large does as a bound: with it a candidate is looked
    at more often than needed, and turned down as often.

    Returns
    -------
    int
        How many are marked.
    """
    opened = rows.bench[OPEN]
    count = 0
    for i in range(near.size):
        gap = most - total[i] - 1e-6
        close = (gap < 0.6) | (gap * gap < 24.0 * (rows.spread[i] + 1e-6))
        near[i] = close & candidate[i] & (opened[i] != 0)
    for i in range(near.size):
        count += near[i]
    return count
