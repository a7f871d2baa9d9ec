"""The test of a pair that is running: its counts, and what it may say."""

from duelbench.kernels.decorators import kernel
from duelbench.kernels.records import record

OPEN = 0
FIRST = 1
SECOND = -1
MIDDLE = 2  # The test has ended, and neither arm has it.


def new_test(first, second):
    """A test of this pair before its first duel: a (1,) record."""
    return record(first=first, second=second, n=0, wins=0)


@kernel
def begin(test, first, second):
    """Forget the counts and test another pair, or the same again."""
    running = test[0]
    running.first = first
    running.second = second
    running.n = 0
    running.wins = 0


@kernel
def count_duels(state, first, second, first_wins, second_wins):
    """Count duels of the pair under test, ``state.test``; those of other pairs come late, and belong to no test."""
    test = state.test[0]
    if first == test.first and second == test.second:
        test.n += first_wins + second_wins
        test.wins += first_wins
