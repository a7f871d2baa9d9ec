"""Double Thompson Sampling: Wu and Liu, NIPS 2016, Algorithm 1 (D-TS) and section 4.3 (D-TS+)."""

import math
from functools import partial

import numpy as np
from scipy.special import bdtr

from . import Transcription
from .common import Oracle, add_up, kl_half, pick, upper_bounds


def beta_above_half_by_rejection(a, b, rng):
    """Draw from Beta(a, b) given that it is above 1/2, by the definition of a conditional law."""
    while True:
        theta = rng.beta(a, b)
        if theta > 0.5:
            return theta


def beta_above_half(a, b, rng):
    """Draw from the same law with fewer draws where 1/2 lies far above the mean: y = theta - 1/2 by rejection.

    Its density is below f(1/2) e^(-r y), r = 2 (b - a): the exponential law, cut off at 1/2, inverted at ``random()``.
    """
    if a == b == 1:
        return 1 - rng.random() / 2
    if a >= b or (b - a) ** 2 <= a + b:
        return beta_above_half_by_rejection(a, b, rng)
    r = 2 * (b - a)
    mass = -math.expm1(-r / 2)
    while True:
        y = -math.log1p(-mass * rng.random()) / r
        if not 0 < y < 0.5:
            continue
        log_ratio = (a - 1) * math.log1p(2 * y) + (b - 1) * math.log1p(-2 * y)  # ln f(1/2 + y) / f(1/2)
        if math.log1p(-rng.random()) <= log_ratio + r * y:
            return 0.5 + y


class DTS(Oracle):
    """D-TS, or D-TS+ with ``plus``.

    ``draws="betas"`` samples every theta of the paper. ``draws="signs"`` has the same law and these draws:

    - lines 7-11, only if C has several arms: ``random() < P(theta_ij > 1/2)`` for i < j in order of (i, j),
      the pairs with an arm of C (all pairs for D-TS+); then, among arms with equally many votes, ``integers``
      for D-TS, and for D-TS+ ``beta_above_half`` for the pairs with a tied arm in order of (i, j), but for
      those of two arms with the most votes of all, whose regret r_ij is zero whatever theta_ij, and ``integers``
      among arms whose regrets are equal all the same;
    - lines 13-14: ``random() < P(theta_ia > 1/2)`` for the arms i != a with l_ia <= 1/2 by increasing i;
      then, if several are above, ``beta_above_half`` for each of them in that order.
    """

    def __init__(self, n_arms, horizon, rng, alpha=0.51, plus=False, draws="signs", beta_above_half=beta_above_half):
        super().__init__(n_arms, rng)  # line 1
        self.alpha = alpha
        self.plus = plus
        self.draws = draws
        self.beta_above_half = beta_above_half

    def choose(self, t):
        u = upper_bounds(self.W, t, self.alpha)  # line 4
        C = self.candidates(u)
        if self.draws == "betas":
            a = self._first_by_betas(C)
            return a, self._second_by_betas(u, a)
        a = C[0] if len(C) == 1 else self._first_by_signs(C)
        return a, self._second_by_signs(u, a)

    def candidates(self, u):
        """Lines 5-6: the arms with the highest upper bound of the Copeland score."""
        arms = range(self.K)
        score = [sum(1 for j in arms if j != i and u[i, j] > 0.5) for i in arms]
        return [i for i in arms if score[i] == max(score)]

    def above_half(self, i, j):
        """P(theta_ij > 1/2) for theta_ij ~ Beta(W_ij + 1, W_ji + 1): Bin(N_ij + 1, 1/2) is at most W_ij."""
        return bdtr(int(self.W[i, j]), int(self.W[i, j] + self.W[j, i] + 1), 0.5)

    def _uncertain(self, u, a):
        """The i != a with l_ia <= 1/2 (line 14)."""
        return [i for i in range(self.K) if i != a and not u[a, i] < 0.5]

    # As printed, with every sample.

    def _first_by_betas(self, C):
        theta = np.full((self.K, self.K), 0.5)
        for i in range(self.K):  # lines 7-10
            for j in range(i + 1, self.K):
                theta[i, j] = self.rng.beta(self.W[i, j] + 1, self.W[j, i] + 1)
                theta[j, i] = 1.0 - theta[i, j]
        votes = (theta > 0.5).sum(axis=1)
        A1 = [i for i in C if votes[i] == max(votes[C])]  # line 11
        return pick(self.rng, least_regret(A1, votes, theta) if self.plus else A1)

    def _second_by_betas(self, u, a):
        opponents = [i for i in range(self.K) if i != a]
        theta = {i: self.rng.beta(self.W[i, a] + 1, self.W[a, i] + 1) for i in opponents}  # line 13
        theta[a] = 0.5
        return max([a, *self._uncertain(u, a)], key=theta.__getitem__)  # line 14

    # By signs first, and samples only where they decide.

    def _first_by_signs(self, C):
        above = np.zeros((self.K, self.K), bool)
        for i in range(self.K):
            for j in range(i + 1, self.K):
                if self.plus or i in C or j in C:
                    above[i, j] = self.rng.random() < self.above_half(i, j)
                    above[j, i] = not above[i, j]
        votes = above.sum(axis=1)
        A1 = [i for i in C if votes[i] == max(votes[C])]
        if len(A1) == 1:
            return A1[0]
        if not self.plus:
            return pick(self.rng, A1)
        theta = np.full((self.K, self.K), 0.5)
        for i in range(self.K):
            for j in range(i + 1, self.K):
                if (i in A1 or j in A1) and 2 * max(votes) != votes[i] + votes[j]:
                    theta[i, j] = self._given_the_sign(above[i, j], i, j)
                    theta[j, i] = 1.0 - theta[i, j]
        return pick(self.rng, least_regret(A1, votes, theta))

    def _given_the_sign(self, above, i, j):
        if above:
            return self.beta_above_half(self.W[i, j] + 1, self.W[j, i] + 1, self.rng)
        return 1.0 - self.beta_above_half(self.W[j, i] + 1, self.W[i, j] + 1, self.rng)

    def _second_by_signs(self, u, a):
        above = [i for i in self._uncertain(u, a) if self.rng.random() < self.above_half(i, a)]
        if not above:
            return a
        if len(above) == 1:
            return above[0]
        theta = {i: self.beta_above_half(self.W[i, a] + 1, self.W[a, i] + 1, self.rng) for i in above}
        return max(above, key=theta.__getitem__)


def least_regret(A1, votes, theta):
    """Arms of ``A1`` with the least estimated regret of section 4.3.

    It is the sum over j != i of r_ij / d(theta_ij, 1/2), with r_ij = z* - (z_i + z_j) / 2,
    z_i = votes_i / (K - 1) and z* the largest z of all arms.
    """
    n_arms = len(votes)
    z = [votes[i] / (n_arms - 1) for i in range(n_arms)]

    def regret(i):
        opponents = [j for j in range(n_arms) if theta[i, j] != 0.5]  # 0.5 also stands for "not drawn"
        return add_up((max(z) - (z[i] + z[j]) / 2) / max(kl_half(theta[i, j]), 1e-300) for j in opponents)

    regrets = {i: regret(i) for i in A1}
    return [i for i in A1 if regrets[i] == min(regrets.values())]


ORACLES = {
    "d-ts": Transcription(DTS, standing=False, draws_differ=True),
    "d-ts-plus": Transcription(partial(DTS, plus=True), standing=False, draws_differ=True),
}
