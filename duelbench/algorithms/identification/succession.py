"""Arms that challenge a champion in turn: who wins its test against the champion takes its place."""

from typing import NamedTuple

import numpy as np

from duelbench.kernels.comparators.running_test import begin, new_test
from duelbench.kernels.comparators.verdicts import FIRST
from duelbench.kernels.decorators import kernel


class Succession(NamedTuple):
    """Who has been tested, and the test that is running; arrays are updated in place."""

    order: np.ndarray  # (K,) int64. The private order of the arms.
    place: np.ndarray  # (1,) int64. Place in ``order`` of the challenger; K once all arms have had their turn.
    test: np.ndarray  # (1,) TEST. The champion, the challenger, and their duels.


def new_succession(n_arms, rng):
    """The first arm in private order is the champion, the second the challenger.

    Examples
    --------
    >>> line = new_succession(2, np.random.default_rng(0))
    >>> bool(champion(line) == line.order[0]), int(n_left(line))
    (True, 2)
    >>> pass_on(line, -1)
    >>> bool(champion(line) == line.order[1]), n_left(line)
    (True, 0)
    """
    order = rng.permutation(n_arms)
    return Succession(order, np.array([1]), new_test(order[0], order[1]))


@kernel
def pass_on(line, verdict):
    """The winner of the test meets the next arm; after the last it stays the champion."""
    running = line.test[0]
    winner = running.first if verdict == FIRST else running.second
    line.place[0] += 1
    begin(line.test, winner, winner if is_over(line) else line.order[line.place[0]])


@kernel
def is_over(line):
    """Whether all arms have had their turn."""
    return line.place[0] == line.order.size


@kernel
def champion(line):
    """The arm that has won all its tests."""
    return line.test[0].first


@kernel
def n_left(line):
    """The champion, and the arms whose tests are not over; 0 when the answer is known."""
    return 0 if is_over(line) else line.order.size - line.place[0] + 1
