"""Tests for position bias: whether the arm that is shown first wins more or less often than half of the duels.

If a fair coin draws the order, and the order has no effect, the arm shown first wins each duel with probability 1/2.
The test uses `duelbench.judging.evidence.log_two_sided`, and is valid for any number of looks.
"""

import math
from dataclasses import dataclass

import numpy as np

from duelbench.bandits.problem.labelled import MAX_COUNT
from duelbench.bandits.simulation.simulate import whole
from duelbench.errors import InputError
from duelbench.judging.evidence import intervals, log_two_sided

LEVEL = 0.05
"""The largest p-value that counts as a bias; the interval has the level 1 - `LEVEL`."""


@dataclass(frozen=True)
class PositionBias:
    """The result of the test.

    The interval contains the true share at all times with probability 95%. If the order has no effect, the probability
    that ``p_value`` is ever x or less is at most x.
    """

    first_won: int
    n: int  # duels with a winner
    share: float  # 1/2 without duels
    low: float
    high: float
    p_value: float

    @property
    def is_seen(self) -> bool:
        """Whether the test finds a bias, with an error probability of at most 5%."""
        return self.p_value <= LEVEL

    @property
    def sentence(self) -> str:
        """The result in words."""
        if self.n == 0:
            return "No duel with a winner was shown in random order, so the effect of the order is unknown."
        won = f"The arm shown first won {self.first_won} of {self.n} duels ({100 * self.share:.0f}%)"
        ends = f"{100 * self.low:.0f}% and {100 * self.high:.0f}%"
        if not self.is_seen:
            return f"{won}: no sign that the order plays a part; its share is between {ends}."
        which = "first" if self.share > 0.5 else "second"
        return f"{won}: whoever judges favours the arm shown {which}; the first one's share is between {ends}."


def position_bias(first_won: int, n: int) -> PositionBias:
    """Test whether the arm that is shown first wins half of the ``n`` duels, ties left out; ``0 <= first_won <= n``.

    Examples
    --------
    Seven wins in seven duels: the likelihood of the mixture is 2^7 B(1/2, 15/2) / pi = 26.8 times that of 1/2.

    >>> bias = position_bias(7, 7)
    >>> bias.is_seen, round(1 / bias.p_value, 1)
    (True, 26.8)
    >>> print(position_bias(9, 20).sentence)
    The arm shown first won 9 of 20 duels (45%): no sign that the order plays a part; its share is between 16% and 77%.
    """
    for count in (first_won, n):
        whole("a number of duels", count, 0, MAX_COUNT)
    if first_won > n:
        raise InputError(f"the arm shown first cannot have won {first_won} of {n} duels")
    wins = np.array([[0.0, first_won], [n - first_won, 0.0]])
    low, high = intervals(wins, LEVEL)
    p_value = min(1.0, math.exp(-float(log_two_sided(wins)[0, 1])))
    share = first_won / n if n else 0.5
    return PositionBias(first_won, n, share, float(low[0, 1]), float(high[0, 1]), p_value)
