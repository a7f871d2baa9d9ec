"""Preference-Based Racing: Busa-Fekete et al., ICML 2013, Algorithm 1 with PBR-CO (Procedure 2), for one arm."""

import itertools
import math

from . import Case, Transcription
from .common import ExploreThenExploit, bounds_by_radius, pick
from .matrices import CLEAR, IN_DOUBT, MATRICES, STEEP

KAPPA = 1  # arms to select


class PBRCO(ExploreThenExploit):
    """PBR-CO for the Copeland winner; one sample of the pair {i, j} is one of (i, j) and of (j, i).

    Draws: ``integers`` among the arms ahead of most others, when exploration ends.

    ``delta=None`` is 1 / horizon. ``rule="paper"`` has C and D as printed, ``"tight"`` without the slack of one
    arm. n_max is the horizon, which ends the run before any n_ij can exceed it.
    """

    def __init__(self, n_arms, horizon, rng, delta=None, rule="paper"):
        super().__init__(n_arms, rng)
        self.n_max = horizon
        self.delta = 1.0 / horizon if delta is None else delta
        self.rule = rule

    def _explore(self):
        A = list(itertools.combinations(range(self.K), 2))
        while A:
            yield from A
            u = bounds_by_radius(self.W, self.radius)
            certain = self.selected_or_discarded(u)
            A = [(i, j) for i, j in A if not (i in certain and j in certain) and u[i][j] >= 0.5 and u[j][i] >= 0.5]
        ahead = [sum(1 for j in range(self.K) if self.W[i, j] > self.W[j, i]) for i in range(self.K)]  # B
        return pick(self.rng, [i for i in range(self.K) if ahead[i] == max(ahead)])

    def radius(self, n):
        return math.sqrt(math.log(2.0 * self.K**2 * self.n_max / self.delta) / (2.0 * n))

    def selected_or_discarded(self, u):
        """C and D of Procedure 2, together, from the upper bounds ``u``."""
        arms = range(self.K)
        z = [sum(1 for j in arms if j != i and u[i][j] < 0.5) for i in arms]  # certain losses
        w = [sum(1 for j in arms if j != i and u[j][i] < 0.5) for i in arms]  # certain wins
        if self.rule == "paper":
            C = {i for i in arms if sum(1 for j in arms if self.K - z[j] < w[i]) > self.K - KAPPA}
            D = {i for i in arms if sum(1 for j in arms if self.K - w[j] < z[i]) > KAPPA}
        else:
            C = {i for i in arms if sum(1 for j in arms if self.K - 1 - z[j] < w[i]) >= self.K - KAPPA}
            D = {i for i in arms if sum(1 for j in arms if self.K - 1 - w[j] < z[i]) >= KAPPA}
        return C | D


ORACLES = {
    "pbr-copeland": Transcription(
        PBRCO,
        matrices={**STEEP, **CLEAR, **IN_DOUBT},
        cases=(Case(IN_DOUBT, {"rule": "tight"}), Case(CLEAR, {"rule": "tight"}), Case(MATRICES, {"rule": "tight"})),
    ),
}
