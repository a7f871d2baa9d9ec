"""The test of a pair that is running: its counts, and what it may say."""

import numpy as np

from duelbench.kernels.decorators import kernel

OPEN = 0
FIRST = 1
SECOND = -1

MIDDLE = 2
"""The test has ended, and neither arm has it."""

TEST = np.dtype([("first", np.int64), ("second", np.int64), ("n", np.int64), ("wins", np.int64)])


def new_test(first, second):
    """A test of this pair before its first duel: a (1,) array of TEST, updated in place.

    Examples
    --------
    >>> test = new_test(3, 1)
    >>> count_duels(test, 3, 1, 2, 1); count_duels(test, 3, 0, 9, 9); print(test[0])
    (3, 1, 3, 2)
    """
    return np.rec.array([(first, second, 0, 0)], dtype=TEST)


@kernel
def begin(test, first, second):
    """Forget the counts and test another pair, or the same again."""
    running = test[0]
    running.first = first
    running.second = second
    running.n = 0
    running.wins = 0


@kernel
def count_duels(test, first, second, first_wins, second_wins):
    """Count duels of the pair under test; those of other pairs come late, and no test is left that they belong to."""
    running = test[0]
    if first == running.first and second == running.second:
        running.n += first_wins + second_wins
        running.wins += first_wins
