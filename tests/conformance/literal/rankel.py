"""PAC rank elicitation for the Copeland order, reconstructed after Busa-Fekete et al., AAAI 2014."""

import itertools
import math

from . import Transcription
from .common import ExploreThenExploit, add_up, bounds_by_radius, empirical, pick
from .matrices import CLEAR, IN_DOUBT, STEEP


class RankElCopeland(ExploreThenExploit):
    """RankEl: samples until fewer than ``rho`` pairs of arms may be in the wrong order.

    Draws: whenever arms are ranked, at the beginning and after each sweep, from the first place to the last:
    ``integers`` among the arms tied for it, by increasing index.

    ``delta=None`` is 1 / horizon.
    """

    def __init__(self, n_arms, horizon, rng, delta=None, eps=0.0, rho=1):
        super().__init__(n_arms, rng)
        self.delta = 1.0 / horizon if delta is None else delta
        self.eps = eps
        self.rho = rho

    def _explore(self):
        while True:
            tau = self.ranking()
            u = bounds_by_radius(self.W, self.radius)
            bad = self.discordant(tau, u)
            if len(bad) < self.rho:
                return tau[0]
            concerned = set(itertools.chain.from_iterable(bad))
            for i, j in itertools.combinations(range(self.K), 2):
                if not self.settled(u, i, j) and (i in concerned or j in concerned):
                    yield i, j

    def radius(self, n):
        return math.sqrt(math.log(5.0 * self.K**2 * n**4 / (4.0 * self.delta)) / (2.0 * n))

    def settled(self, u, i, j):
        """l_ij >= 1/2 - eps, or u_ij <= 1/2 + eps."""
        return u[j][i] <= 0.5 + self.eps or u[i][j] <= 0.5 + self.eps

    def discordant(self, tau, u):
        """The (a, b) with a above b in ``tau`` for which "a below b" is not excluded."""
        arms = range(self.K)
        low_ds = [sum(1 for k in arms if k != i and u[k][i] <= 0.5 + self.eps) for i in arms]
        up_d = [sum(1 for k in arms if k != i and u[i][k] > 0.5 + self.eps) for i in arms]
        return [(a, b) for a, b in itertools.combinations(tau, 2) if low_ds[a] < up_d[b]]

    def merits(self):
        """What the arms are ranked by: how many they are ahead of, and then the mean of ybar_i."""
        y = empirical(self.W).tolist()
        ahead = [sum(1 for k in range(self.K) if y[i][k] > 0.5) for i in range(self.K)]
        means = [add_up(y[i][k] for k in range(self.K) if k != i) / (self.K - 1) for i in range(self.K)]
        return list(zip(ahead, means, strict=True))

    def ranking(self):
        """tau: the arms from the best to the worst."""
        merit = self.merits()
        tau = []
        while len(tau) < self.K:
            left = [i for i in range(self.K) if i not in tau]
            highest = max(merit[i] for i in left)
            tau.append(pick(self.rng, [i for i in left if merit[i] == highest]))
        return tau

    def estimate(self):
        return self.merits().index(max(self.merits()))


ORACLES = {"rankel-copeland": Transcription(RankElCopeland, matrices={**STEEP, **CLEAR, **IN_DOUBT})}
