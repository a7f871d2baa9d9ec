"""The set of played pairs: regret is a sum over them, and with many arms most pairs are never played."""

from typing import NamedTuple

import numpy as np

from duelbench.bandits.kernels.decorators import inlined_or_plain, kernel

WORD = 32
BIT = np.zeros(37, np.int64)
BIT[[2**bit % 37 for bit in range(WORD)]] = np.arange(WORD)
"""``BIT[2**bit % 37]`` is ``bit``: the powers of two below 2^36 leave different remainders."""


class PlayedPairs(NamedTuple):
    """A set of pairs, by their numbers from 0."""

    words: np.ndarray  # int64, updated in place. One bit for each pair, `WORD` bits in each number


def new_played_pairs(n_rows: int, n_columns: int) -> PlayedPairs:
    """Return the set before the first round: the pairs of an arm with itself.

    The pair (i, j) has the number ``i * n_columns + j``. On a scalar bandit there is one column, and the set is empty.

    Examples
    --------
    >>> pairs = new_played_pairs(3, 3)
    >>> add(pairs, 5)
    >>> [pair for pair in range(9) if pairs.words[0] >> pair & 1]
    [0, 4, 5, 8]
    """
    pairs = PlayedPairs(np.zeros(-(-n_rows * n_columns // WORD), np.int64))
    if n_columns > 1:
        diagonal = np.arange(n_rows) * (n_columns + 1)
        np.bitwise_or.at(pairs.words, diagonal // WORD, 1 << diagonal % WORD)
    return pairs


@inlined_or_plain
def add(pairs, pair):
    """Put a pair into the set."""
    pairs.words[pair // WORD] |= 1 << (pair % WORD)


@kernel
def total(pairs, counts, losses):
    """Return the sum of counts times losses over the pairs in the set, in the order of their numbers.

    It is bitwise equal to the sum over all pairs in this order, because the counts of the others are 0.

    Examples
    --------
    >>> float(total(new_played_pairs(2, 2), np.array([3, 0, 0, 1]), np.array([0.5, 9.0, 9.0, 0.25])))
    1.75
    """
    result = 0.0
    for word in range(pairs.words.size):
        bits = pairs.words[word]
        while bits > 0:
            lowest = bits & -bits
            bits ^= lowest
            pair = WORD * word + BIT[lowest % 37]
            result += counts[pair] * losses[pair]
    return result
