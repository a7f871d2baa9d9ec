"""Relative Minimum Empirical Divergence: Komiyama, Honda, Kashima, Nakagawa, COLT 2015, Algorithms 1 and 2."""

import math

from . import Transcription
from .common import Oracle, add_up, empirical, kl_half


class RMED1(Oracle):
    """RMED1, with f(K) = ``f_factor`` * K ** ``f_exponent``.

    Draws: ``permutation(K)`` at the start, nothing afterwards. ``order[0]`` is the first arm of that private
    order, which settles the sequence of the initial phase and of each loop, and every tie.
    """

    def __init__(self, n_arms, horizon, rng, f_factor=0.3, f_exponent=1.01):
        super().__init__(n_arms, rng)
        self.f = f_factor * n_arms**f_exponent
        self.order = [int(arm) for arm in rng.permutation(n_arms)]
        self.initial = [(i, j) for a, i in enumerate(self.order) for j in self.order[a + 1 :]]
        self.LR = list(self.order)  # arms of the current loop not drawn yet; at its start this is LC
        self.LN = set()  # arms of the next loop

    def choose(self, t):
        if t <= len(self.initial):  # initial phase: every pair once
            return self.initial[t - 1]
        first = self.LR[0]  # l
        p = empirical(self.W)
        divergence = self._divergences(p)
        best = min(self.order, key=lambda i: divergence[i])  # i* = argmin I_i
        O_l = not_beaten_by(first, p)
        if best in O_l or not O_l:
            return first, best  # m = i*; a self-duel when l = i* beats every arm
        return first, min((j for j in self.order if j != first), key=lambda j: p[first, j])

    def observe(self, t, first, second, first_won):
        super().observe(t, first, second, first_won)
        if t <= len(self.initial):
            return
        self.LR.remove(first)
        divergence = self._divergences(empirical(self.W))
        for j in range(self.K):  # J_j(t): I_j - I* <= ln t + f(K), with this duel counted
            if j not in self.LR and divergence[j] - min(divergence) <= math.log(t) + self.f:
                self.LN.add(j)
        if not self.LR:
            self.LR = [j for j in self.order if j in self.LN]
            self.LN = set()

    def _divergences(self, p):
        """I_i = sum over j in O_i of N_ij d(ph_ij, 1/2), for every arm i."""
        N = self.W + self.W.T
        return [add_up(N[i, j] * kl_half(p[i, j]) for j in not_beaten_by(i, p)) for i in range(self.K)]


def not_beaten_by(i, p):
    """O_i = {j != i : p_ij <= 1/2}, increasing."""
    return [j for j in range(len(p)) if j != i and p[i, j] <= 0.5]


ORACLES = {"rmed1": Transcription(RMED1)}
