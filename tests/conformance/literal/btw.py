"""Beat the Winner: Kolpaczki, Bengs, Huellermeier 2022, after the authors' program."""

import math

from . import Case, Transcription
from .common import Oracle
from .matrices import MATRICES


class BtW(Oracle):
    """BtW: the incumbent meets the arms of a queue in races of growing length.

    Draws: one ``permutation`` of the arms, before the first round, unless it is given an ``order``: incumbent,
    challenger, queue.
    """

    def __init__(self, n_arms, horizon, rng, order=None):
        super().__init__(n_arms, rng)
        self.I, self.C, *self.queue = rng.permutation(n_arms).tolist() if order is None else order
        self.c = 1
        self.wins = {self.I: 0, self.C: 0}

    def choose(self, t):
        return self.I, self.C

    def observe(self, t, first, second, first_won):
        super().observe(t, first, second, first_won)
        self.wins[first if first_won else second] += 1
        if max(self.wins.values()) == self.length(self.c):
            self._end_race()

    def _end_race(self):
        stays = self.wins[self.I] > self.wins[self.C]
        loser = self.C if stays else self.I
        self.I = self.I if stays else self.C
        self.queue.append(loser)
        self.C = self.queue.pop(0)
        self.c = self.next_race(stays)
        self.wins = {self.I: 0, self.C: 0}

    def length(self, c):
        """Wins that decide race ``c``."""
        return c

    def next_race(self, stays):
        """Number of the race after one in which the incumbent ``stays``, or does not."""
        return self.c + 1

    def recommend(self):
        """The incumbent."""
        return self.I


class BtWR(BtW):
    """BtWR: the races of a new incumbent begin with the first again.

    Race c needs c wins, as in the authors' program; with ``p_min``, which no p_wj - 1/2 may fall short of, so many
    that an arm w which beats all others loses it with probability (1 - 1/e) / (c (c + 1)) at most. Draws as `BtW`.
    """

    def __init__(self, n_arms, horizon, rng, p_min=None):
        super().__init__(n_arms, horizon, rng)
        self.p_min = p_min

    def length(self, c):
        if self.p_min is None:
            return c
        return math.ceil(math.log(c * (c + 1) * math.e / (math.e - 1)) / (4 * self.p_min**2))

    def next_race(self, stays):
        return self.c + 1 if stays else 1


ORACLES = {
    "btw": Transcription(BtW, draws_differ=True, settles=False),
    "btwr": Transcription(BtWR, cases=(Case(MATRICES, {"p_min": 0.1}),), draws_differ=True, settles=False),
}
