"""SELECT (Mohajer, Suh, Elmahdy, ICML 2017) and SELECT-then-verify (Haddenhorst et al., UAI 2021)."""

import math

from .. import Transcription
from ..matrices import MANY_ARMS
from .comparators import FIRST, curtailed_majority, majority, sprt
from .framework import NO_WINNER, Identification


class KnockOut(Identification):
    """Rounds of matches of neighbours, in which an odd last arm passes free.

    Recommended is the arm that has survived most rounds; among equals the one with most wins in the running round.
    """

    def __init__(self, n_arms, rng):
        super().__init__(n_arms, rng)
        self.survived = dict.fromkeys(self.arms, 0)
        self.scored = dict.fromkeys(self.arms, 0)  # wins in the running round, before the running match

    def knock_out(self, arms, test_of_pair):
        """One round among ``arms``; its winners, in their order."""
        self.scored = dict.fromkeys(self.arms, 0)
        winners = []
        for first, second in zip(arms[::2], arms[1::2], strict=False):
            won = (yield from self.compare(first, second, test_of_pair)) == FIRST
            winners.append(first if won else second)
            self.scored[first] = self.test.wins
            self.scored[second] = self.test.duels - self.test.wins
            self.survived[winners[-1]] += 1
        if len(arms) % 2:
            winners.append(arms[-1])
            self.survived[arms[-1]] += 1
        return winners

    def estimate(self):
        scored = dict(self.scored)
        if self.test is not None:
            scored[self.test.first] = self.test.wins
            scored[self.test.second] = self.test.duels - self.test.wins
        return self.first_best(self.arms, lambda arm: (self.survived[arm], scored[arm]))


class Select(KnockOut):
    """SELECT: every match has N duels, and goes to the arm that has won at least half of them, the first one if both.

    Draws: ``permutation(K)``, the order of the knock-out.
    """

    def __init__(self, n_arms, horizon, rng, h, delta=0.05, curtail=False):
        super().__init__(n_arms, rng)
        self.N = match_length(n_arms, h, delta)
        self.match = (curtailed_majority if curtail else majority)(self.N)

    def _identify(self):
        left = self.arms
        while len(left) > 1:
            left = yield from self.knock_out(left, self.match)
        return left[0]


def match_length(n_arms, h, delta):
    return math.ceil(math.log(math.log2(n_arms) / delta) / (2 * h**2))


class SelectThenVerify(Select):
    """SELECT with delta / 2, whose arm has then to win a test against each other arm, in the private order."""

    candidate = None

    def __init__(self, n_arms, horizon, rng, h, delta=0.05):
        super().__init__(n_arms, horizon, rng, h, delta / 2)
        self.test_of_pair = sprt(h, delta / (2 * (n_arms - 1)))

    def _identify(self):
        self.candidate = c = yield from super()._identify()
        for j in self.arms:
            if j != c and (yield from self.compare(c, j, self.test_of_pair)) != FIRST:
                return NO_WINNER
        return c

    def estimate(self):
        return super().estimate() if self.candidate is None else self.unless_led(self.candidate)


ORACLES = {
    "select": Transcription(Select, parameters={"h": 0.45}, matrices=MANY_ARMS, draws_differ=True),
    "select-then-verify": Transcription(SelectThenVerify, parameters={"h": 0.2}, matrices=MANY_ARMS, draws_differ=True),
}
