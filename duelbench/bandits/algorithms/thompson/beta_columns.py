"""Draws many samples from one Beta posterior, restricted to values above 1/2, with a table of columns [1]_.

With theta = (1 + y) / 2, the density of y in (0, 1] is proportional to f(y) = (1 + y)^won (1 - y)^lost. From its mode
outwards, f is covered by columns of the same area, each as high as f at its inner end. A draw chooses a column and a
point in it, both uniformly, until the point lies below f. Most points lie below f at the outer end of their column:
they cost one random number, whose integer part is the column, and whose fractional part is the place in it.

References
----------
.. [1] J. H. Ahrens, "A one-table method for sampling from continuous and discrete distributions", Computing 54 (1995).
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.thompson.dts_many_arms import ALL_BITS, FIRST_FACTOR, SECOND_FACTOR
from duelbench.bandits.algorithms.thompson.dts_many_arms import STEP as WEYL
from duelbench.bandits.kernels.decorators import inlined, kernel, not_inlined

SURE, BEGIN, STEP, WIDTH = 0, 1, 2, 3
"""The entries of a column: the share of its height that is below f everywhere; its inner end; its width, towards the
outer end, divided by that share; and its width itself."""

MOST_COLUMNS = 128  # The most columns of one posterior.
AIM = 84  # The area under f divided by the area of a column, at first.


class Uniforms(NamedTuple):
    """Uniform numbers, many at a time, of SplitMix64 as in `dts_many_arms`; arrays are updated in place."""

    memory: np.ndarray  # (1,) uint64. The memory of the generator.
    number: np.ndarray  # (n,) float64. The numbers drawn last.
    again: np.ndarray  # (n,) int64. Scratch: the numbers that are still in use.


def new_uniforms(most: int, seed: int) -> Uniforms:
    """Return memory for up to ``most`` numbers at a time; none is drawn yet."""
    return Uniforms(np.array([seed], np.uint64), np.zeros(most), np.zeros(most, np.int64))


@not_inlined
def draw_uniforms(uniforms, n):
    """Draw ``n`` numbers in [0, 1).

    Examples
    --------
    The first number of SplitMix64 from 0 is 0xE220A8397B1DCDAF.

    >>> uniforms = new_uniforms(1, seed=0)
    >>> draw_uniforms(uniforms, 1)
    >>> uniforms.number[0] == (0xE220A8397B1DCDAF >> 11) / 2**53
    np.True_
    """
    x = int(uniforms.memory[0])
    for k in range(n):
        x = (x + WEYL) & ALL_BITS
        z = ((x ^ (x >> 30)) * FIRST_FACTOR) & ALL_BITS
        z = ((z ^ (z >> 27)) * SECOND_FACTOR) & ALL_BITS
        uniforms.number[k] = np.int64((z ^ (z >> 31)) >> 11) * 2.0**-53
    uniforms.memory[0] = x


@inlined
def _log_density(y, won, lost):
    """Return the logarithm of f."""
    return won * math.log1p(y) + (lost * math.log1p(-y) if lost > 0 else 0.0)


@not_inlined
def fill_columns(columns, won, lost):
    """Fill in the table of a posterior, ``columns`` of shape (MOST_COLUMNS, 4), and return its number of columns."""
    mode = max(0, won - lost) / max(1, won + lost)
    peak = _log_density(mode, won, lost)
    if won > lost:
        under_f = math.sqrt(2.0 * math.pi * (1.0 - mode * mode) / (won + lost)) + 2.0 / (won + lost)
    else:
        under_f = 1.0 / (1.0 + lost - won + math.sqrt(2.0 / math.pi * (won + lost)))
    area = under_f / AIM
    while True:
        count = 0
        for end in (1.0, 0.0):
            begin = mode
            height = 1.0
            while begin != end and count < MOST_COLUMNS:
                width = area / height if end > mode else -area / height
                columns[count, BEGIN] = begin
                columns[count, WIDTH] = width
                begin = end if abs(end - begin) <= abs(width) else begin + width
                outer = 0.0 if begin == end else max(1e-300, math.exp(_log_density(begin, won, lost) - peak))
                columns[count, SURE] = outer / height
                columns[count, STEP] = width * height / max(1e-300, outer)
                height = outer
                count += 1
            if begin != end:
                count = MOST_COLUMNS + 1
        if count <= MOST_COLUMNS:
            return count
        area *= 1.25


@not_inlined
def draw_samples(columns, count, won, lost, uniforms, places, n, samples, rng):
    """Draw ``n`` values y = 2 theta - 1 in (0, 1] from a table; value k goes to ``samples[places[k]]``."""
    draw_uniforms(uniforms, n)
    number = uniforms.number
    again = uniforms.again
    n_again = 0
    for k in range(n):
        u = number[k] * count
        c = int(u)
        samples[places[k]] = columns[c, BEGIN] + columns[c, STEP] * (u - c)
        again[n_again] = k
        n_again += u - c >= columns[c, SURE]
    for k in range(n_again):
        samples[places[again[k]]] = _finish_draw(columns, count, number[again[k]], won, lost, rng)


@kernel
def _finish_draw(columns, count, number, won, lost, rng):
    """Finish a draw whose point in the column may lie above f, and return its y."""
    while True:
        c = int(number * count)
        height = number * count - c
        begin = columns[c, BEGIN]
        share = rng.random()
        y = begin + columns[c, WIDTH] * share
        if height < columns[c, SURE]:
            return y
        if 0.0 < y < 1.0:
            above = columns[c, SURE] > 0.0 and height < 1.0 + share * math.log(columns[c, SURE])
            if above or math.log(height) < _log_density(y, won, lost) - _log_density(begin, won, lost):
                return y
        number = rng.random()
