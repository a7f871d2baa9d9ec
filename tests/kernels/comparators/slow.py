"""Comparators by slow, plain computations: what is claimed of each of them is compared with these."""

from collections.abc import Callable
from typing import NamedTuple

from duelbench.kernels.comparators.running_test import FIRST, OPEN

Winner = Callable[[int, int], int]
"""(n, wins) -> the winner, or OPEN."""


class Law(NamedTuple):
    """How a test ends.

    first_wins : float. The probability that the first arm wins it.
    duels : float. The expected number of duels.
    """

    first_wins: float
    duels: float


def law(winner: Winner, p: float, rest: float = 1e-13) -> Law:
    """The law of a test in which the first arm wins each duel with probability ``p``, duel by duel.

    What is left when the test is still open with probability ``rest`` only is left out.
    """
    still_open = {0: 1.0}  # wins -> probability
    first_wins = duels = 0.0
    n = 0
    while sum(still_open.values()) > rest:
        duels += sum(still_open.values())
        n += 1
        following: dict[int, float] = {}
        for wins, probability in still_open.items():
            for won, chance in ((1, p), (0, 1.0 - p)):
                if chance == 0.0:
                    continue
                ended = winner(n, wins + won)
                if ended == OPEN:
                    following[wins + won] = following.get(wins + won, 0.0) + probability * chance
                elif ended == FIRST:
                    first_wins += probability * chance
        still_open = following
    return Law(first_wins, duels)


def fewest_further_duels(winner: Winner, n: int, wins: int) -> int:
    """After how many further duels a test can end at the earliest, trying all outcomes."""
    more = 1
    while all(winner(n + more, wins + won) == OPEN for won in range(more + 1)):
        more += 1
    return more


def straight(winner: Winner, first: bool) -> int:
    """How many duels a test takes of which one arm wins all."""
    n = 1
    while winner(n, n if first else 0) == OPEN:
        n += 1
    return n
