"""SAVAGE: Urvoy, Clerot, Feraud, Naamane, ICML 2013, Algorithm 1, for Copeland, Condorcet and Borda winners."""

import itertools
import math

from . import Transcription
from .common import pick
from .matrices import CLEAR, IN_DOUBT, STEEP
from .pseudocode import ExploreThenExploit


class SAVAGE(ExploreThenExploit):
    """The generic algorithm, which samples N parameters and drops those that the answer cannot depend on.

    A subclass has the list ``parameters``, the order in which they are sampled; ``duel(i)``, a pair whose first
    arm wins with probability mu_i, and ``sampled(first, second)``, the i of a pair; ``independence()``, which
    returns the test of a parameter; ``is_certain()``, |f(H)| = 1; and ``answers()``, the arms that f may return,
    increasing.

    Draws: ``integers`` among the answers when exploration ends.

    Parameters
    ----------
    delta : float or None
        Failure probability; None = 1 / horizon.
    test_every : int
        Steps 4 and "Accept" come after so many sweeps through the active parameters; 0 = after every step.
    accept : str
        ``"empty"`` explores until W is empty, ``"singleton"`` only until the answer is certain.
    """

    def __init__(self, n_arms, horizon, rng, delta=None, test_every=0, accept="singleton"):
        super().__init__(n_arms, rng)
        self.horizon = horizon
        self.delta = 1.0 / horizon if delta is None else delta
        self.test_every = test_every
        self.accept = accept
        self.active = list(self.parameters)  # the paper's W
        self.plays = dict.fromkeys(self.parameters, 0)  # t_i
        self.wins = dict.fromkeys(self.parameters, 0)
        self.a = dict.fromkeys(self.parameters, 0.0)  # H: mu_i is in [a_i, b_i]
        self.b = dict.fromkeys(self.parameters, 1.0)

    def radius(self, t):
        """c(t) = sqrt(ln(eta / delta) / (2 t)) with eta = 2 N T."""
        eta = 2.0 * len(self.parameters) * self.horizon
        return math.sqrt(math.log(eta / self.delta) / (2.0 * t))

    def mean(self, i):
        """muhat_i, 1/2 without samples."""
        return self.wins[i] / self.plays[i] if self.plays[i] > 0 else 0.5

    def _explore(self):
        while self.active and not (self.accept == "singleton" and self.is_certain()):
            for _ in range(self.test_every * len(self.active) or 1):
                i = min(self.active, key=lambda k: self.plays[k])  # step 1: the first of the least sampled
                yield self.duel(i)  # steps 2 and 3 are in observe
            independent = self.independence()
            self.active = [j for j in self.active if not independent(j)]  # step 4: all of them are tested
        return pick(self.rng, self.answers())

    def observe(self, t, first, second, first_won):
        super().observe(t, first, second, first_won)
        if first != second:
            i = self.sampled(first, second)
            self.plays[i] += 1  # step 2
            self.wins[i] += first_won
            self.narrow(i)

    def narrow(self, i):
        """Step 3: H <- H and {|x_i - muhat_i| < c(t_i)}; where nothing is left, the point nearest to muhat_i."""
        mean, c = self.mean(i), self.radius(self.plays[i])
        low, high = max(self.a[i], mean - c), min(self.b[i], mean + c)
        if low > high:
            low = high = min(max(mean, self.a[i]), self.b[i])
        self.a[i], self.b[i] = low, high


class PairSAVAGE(SAVAGE):
    """Parameters (i, j) with i < j, in lexicographic order: the probability that i beats j."""

    def __init__(self, n_arms, *args, **kwargs):
        self.parameters = list(itertools.combinations(range(n_arms), 2))
        super().__init__(n_arms, *args, **kwargs)

    def duel(self, pair):
        return pair

    def sampled(self, first, second):
        return first, second

    def score_bounds(self):
        """minU(i, H) and maxU(i, H) of every arm: the arms that it surely beats, and those that it may beat."""
        lo, hi = [0] * self.K, [0] * self.K
        for i, j in self.parameters:
            lo[i] += self.a[i, j] > 0.5
            hi[i] += self.b[i, j] > 0.5
            lo[j] += self.b[i, j] < 0.5  # a_ji = 1 - b_ij
            hi[j] += self.a[i, j] < 0.5
        return lo, hi

    def ahead_of(self, i):
        """U(i, muhat)."""
        return sum(1 for j in range(self.K) if self.W[i, j] > self.W[j, i])

    def best(self, arms, quality):
        """Those of ``arms`` with the highest ``quality``."""
        return [i for i in arms if quality(i) == max(map(quality, arms))]


class CopelandSAVAGE(PairSAVAGE):
    """Copeland SAVAGE."""

    def independence(self):
        """Equation (9)."""
        lo, hi = self.score_bounds()

        def independent(pair):
            i, j = pair
            decided = self.a[pair] > 0.5 or self.b[pair] < 0.5
            dominated = any(lo[k] > hi[i] and lo[k] > hi[j] for k in range(self.K))
            return decided or dominated

        return independent

    def is_certain(self):
        lo, hi = self.score_bounds()
        return any(all(lo[k] >= hi[i] for i in range(self.K) if i != k) for k in range(self.K))

    def answers(self):
        lo, hi = self.score_bounds()
        return self.best(range(self.K), lambda i: (lo[i], hi[i], self.ahead_of(i)))


class CondorcetSAVAGE(PairSAVAGE):
    """Condorcet SAVAGE. The answer is certain when W is empty, so that both kinds of ``accept`` are the same."""

    def independence(self):
        """Equation (12): one of the two arms cannot be the Condorcet winner."""
        _, hi = self.score_bounds()
        return lambda pair: any(hi[i] < self.K - 1 for i in pair)

    def is_certain(self):
        """Equation (13) with epsilon = 0."""
        lo, _ = self.score_bounds()
        return max(lo) >= self.K - 1

    def answers(self):
        """The candidate that is left; where the matrix has no Condorcet winner it may be none."""
        _, hi = self.score_bounds()
        candidates = [i for i in range(self.K) if hi[i] == self.K - 1]
        return candidates or self.best(range(self.K), self.ahead_of)


class BordaSAVAGE(SAVAGE):
    """Borda SAVAGE: one parameter per arm, the probability that it beats an arm drawn from the others.

    Draws per round of exploration: ``integers`` into the other arms by increasing index, unless there is one.
    """

    def __init__(self, n_arms, *args, **kwargs):
        self.parameters = list(range(n_arms))
        super().__init__(n_arms, *args, **kwargs)

    def duel(self, i):
        return i, pick(self.rng, [j for j in range(self.K) if j != i])

    def sampled(self, first, second):
        return first

    def independence(self):
        """Section 1.1, argmax: surely not better than another arm, or surely as good as all."""

        def independent(i):
            others = [k for k in range(self.K) if k != i]
            return any(self.b[i] <= self.a[j] for j in others) or all(self.b[k] <= self.a[i] for k in others)

        return independent

    def is_certain(self):
        return any(all(self.b[k] <= self.a[i] for k in range(self.K) if k != i) for i in range(self.K))

    def answers(self):
        means = [self.mean(i) for i in range(self.K)]
        return [i for i in range(self.K) if means[i] == max(means)]

    def estimate(self):
        return self.answers()[0]


ORACLES = {
    "savage-copeland": Transcription(CopelandSAVAGE, matrices={**STEEP, **CLEAR, **IN_DOUBT}),
    "savage-condorcet": Transcription(CondorcetSAVAGE, matrices={**STEEP, **CLEAR, **IN_DOUBT}),
    "savage-borda": Transcription(BordaSAVAGE, matrices={**STEEP, **CLEAR, **IN_DOUBT}),
}
