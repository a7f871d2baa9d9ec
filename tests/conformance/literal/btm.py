"""Beat the Mean: Yue and Joachims, ICML 2011, Algorithm 1, in its online mode."""

import math

import numpy as np

from . import Transcription
from .common import ExploreThenExploit, pick


class BTM(ExploreThenExploit):
    """Beat-the-Mean, with delta = 1 / (2 T K) and the radius ``const`` gamma^2 sqrt(ln(1 / delta) / n).

    Draws per round of exploration, by increasing index: ``integers`` among the least played arms, and then
    ``integers`` on W for the opponent. After it, when one is to go: ``integers`` among the worst arms.

    ``own_opponent=False`` draws the opponent from the other arms of W.
    """

    reads_self_duels = True

    def __init__(self, n_arms, horizon, rng, const=3.0, gamma=1.0, own_opponent=True):
        super().__init__(n_arms, rng)
        self.log_term = math.log(2.0 * horizon * n_arms)  # ln(1 / delta)
        self.factor = const * gamma**2
        self.own_opponent = own_opponent
        self.active = list(range(n_arms))  # the paper's W
        self.n = np.zeros((n_arms, n_arms), np.int64)  # n[b, b'], comparisons that b was the first arm of
        self.w = np.zeros((n_arms, n_arms), np.int64)  # w[b, b'], those that b won

    def _explore(self):
        while len(self.active) > 1:
            plays = {b: self.plays(b) for b in self.active}
            b = pick(self.rng, [i for i in self.active if plays[i] == min(plays.values())])
            opponent = pick(self.rng, [i for i in self.active if self.own_opponent or i != b])
            yield b, opponent

            P = {i: self.mean(i) for i in self.active}
            c = self.radius()
            if min(P.values()) + c <= max(P.values()) - c:
                worst = pick(self.rng, [i for i in self.active if P[i] == min(P.values())])
                self.active.remove(worst)  # and with it the comparisons against it, as sums are over W
        return self.active[0]

    def observe(self, t, first, second, first_won):
        self.n[first, second] += 1
        self.w[first, second] += first_won

    def plays(self, b):
        return sum(int(self.n[b, i]) for i in self.active)

    def mean(self, b):
        """Phat_b, 1/2 without comparisons."""
        wins = sum(int(self.w[b, i]) for i in self.active)
        return wins / self.plays(b) if self.plays(b) > 0 else 0.5

    def radius(self):
        """c* of the least played arm, 1 if it has no comparisons."""
        least = min(self.plays(b) for b in self.active)
        return self.factor * math.sqrt(self.log_term / least) if least > 0 else 1.0

    def estimate(self):
        return max(self.active, key=self.mean)


ORACLES = {
    # The paper's constant eliminates nobody in so few rounds.
    "btm": Transcription(BTM, parameters={"const": 0.3}),
}
