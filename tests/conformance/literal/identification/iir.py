"""IIR, exact ranking by insertion: Ren, Liu, Shroff, NeurIPS 2019."""

import itertools
import math

from .. import Case, Transcription
from ..matrices import CLEAR, STEEP
from .comparators import FIRST, insertion
from .framework import Identification

Q = 15 / 16


class IIR(Identification):
    """Each next arm is inserted into the ranking of those before by a walk on a binary tree.

    Draws: ``permutation(K)``, the order of insertion; ``random() < 0.5`` for the first arm where a comparison has
    ended with as many wins as losses. Recommended is the best arm of the ranking as it is.
    """

    def __init__(self, n_arms, horizon, rng, delta=0.05):
        super().__init__(n_arms, rng)
        self.delta = delta
        self.S = [self.arms[0]]  # ascending

    def _identify(self):
        for i in self.arms[1:]:
            x = self.delta / self.K
            for t in itertools.count(1):
                place = yield from self._attempt(i, 2.0 ** (-t - 1), 6 * x / (math.pi * t) ** 2)
                if place is not None:
                    break
            self.S.insert(place, i)
        return self.S[-1]

    def _attempt(self, i, e, x):
        """How many arms of S stand below arm i, or None where the walk has not found out."""
        m = len(self.S)
        h = 1 + math.ceil(math.log2(m + 1))
        M = math.ceil(max(4 * h, 512 * math.log(2 / x) / 25))
        path, count = [(0, m + 1)], {}

        for s in range(1, M + 1):
            below, above = path[-1]
            mid = (below + above) // 2
            if len(path) == 1:
                path.append((mid, above) if (yield from self._beats(i, mid, e, 1 - Q)) else (below, mid))
            elif above == below + 1:
                y = 1 - math.sqrt(Q)
                if (yield from self._lies_in(i, below, above, e, y)):
                    count[below] = count.get(below, 0) + 1
                    if count[below] > 1 + s / 2 + math.sqrt(s / 2 * math.log(math.pi**2 * s**2 / (3 * x))):
                        return below
                elif count.get(below, 0) > 0:
                    count[below] -= 1
                else:
                    path.pop()
            else:
                y = 1 - Q ** (1 / 3)
                if not (yield from self._lies_in(i, below, above, e, y)):
                    path.pop()
                else:
                    path.append((mid, above) if (yield from self._beats(i, mid, e, y)) else (below, mid))
        return next((below for below in sorted(count) if count[below] >= 1 + 5 * M / 16), None)

    def _lies_in(self, i, below, above, e, y):
        """Whether arm i beats the one at ``below`` and not the one at ``above``, which is asked only after a win."""
        if not (yield from self._beats(i, below, e, y)):
            return False
        return not (yield from self._beats(i, above, e, y))

    def _beats(self, i, place, e, y):
        """Whether arm i beats the arm at ``place`` of S, from 1; everybody beats place 0, and nobody place m + 1."""
        if place in (0, len(self.S) + 1):
            return place == 0
        test_of_pair = insertion(e, y, lambda: self.rng.random() < 0.5)
        return (yield from self.compare(i, self.S[place - 1], test_of_pair)) == FIRST

    def estimate(self):
        return self.S[-1]

    def ranking(self):
        """The arms, the best first; those that are not inserted yet are the last, in the private order."""
        return [*reversed(self.S), *(arm for arm in self.arms if arm not in self.S)]


ORACLES = {
    # Short walks.
    "iir": Transcription(
        IIR,
        parameters={"delta": 0.9},
        matrices={**STEEP, **CLEAR},
        cases=(Case(CLEAR, {"delta": 0.9}, horizon=3000),),
        draws_differ=True,
    ),
}
