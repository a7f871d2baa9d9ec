"""Monitored Dueling Bandits: Kolpaczki, Bengs, Huellermeier 2022, after the authors' program."""

import itertools
import math

from . import Case, Transcription
from .common import Oracle
from .matrices import CYCLIC, reversed_after
from .rucb import RUCB
from .window import Window, even_ceil
from .ws import WSS


class MDB(Oracle):
    """MDB: in each D rounds every pair is played once for its window; in the others the base plays.

    Draws: one ``permutation`` of the pairs i < j in order of (i, j), before the first round; then those of the base.
    The base, ``"rucb"`` of the arXiv kind or ``"ws-s"``, begins again after each alarm. With ``transfer`` RUCB learns
    from the duels of all pairs, too, and its clock counts them; WS-S never does.
    """

    def __init__(
        self, n_arms, horizon, rng, base="rucb", segments=4, delta=0.5, transfer=True, alpha=0.51, beta_ws=1.1
    ):
        super().__init__(n_arms, rng)
        K, T, M = n_arms, horizon, segments
        C = math.log((4 * T + 2) * math.sqrt(T) / (math.sqrt(M) * K))
        self.w = even_ceil(8 * C / delta**2)
        self.b = math.sqrt(self.w * C / 2)
        self.gamma = min(1.0, math.sqrt(M * self.w / T) * (K - 1) / 2)
        pairs = list(itertools.combinations(range(K), 2))
        self.pairs = [pairs[n] for n in rng.permutation(len(pairs)).tolist()]
        self.D = math.floor(len(pairs) / self.gamma)
        self.make_base = {
            "rucb": lambda: RUCB(K, T, rng, alpha, "arxiv"),
            "ws-s": lambda: WSS(K, T, rng, beta_ws),
        }[base]
        self.transfers = transfer and base == "rucb"
        self._restart()

    def _restart(self):
        self.alarmed = False
        self.tau = 1
        self.base = self.make_base()
        self.clock = 1  # the base's own
        self.windows = [Window(self.w, self.b) for _ in self.pairs]

    def choose(self, t):
        if self.alarmed:
            self._restart()
        r = (self.tau - 1) % self.D
        self.watched = r if r < len(self.pairs) else None
        return self.base.choose(self.clock) if self.watched is None else self.pairs[r]

    def observe(self, t, first, second, first_won):
        if self.watched is None or self.transfers:
            self.base.observe(self.clock, first, second, first_won)
            self.clock += 1
        if self.watched is not None:
            self.alarmed = self.windows[self.watched].push(first_won)
        self.tau += 1

    def recommend(self):
        """The base's."""
        return self.base.recommend()


ORACLES = {
    # Its windows are full within the horizon.
    "mdb": Transcription(
        MDB,
        parameters={"segments": 1, "delta": 1.0},
        cases=(
            Case(reversed_after(350), {"segments": 2, "delta": 1.0}, horizon=1500),
            Case({"cyclic": CYCLIC}, {"segments": 1, "delta": 1.0, "transfer": False}, horizon=3000),
            Case({"cyclic": CYCLIC}, {"segments": 1, "delta": 1.0, "base": "ws-s"}, horizon=3000),
            Case(reversed_after(350), {"segments": 2, "delta": 1.0, "base": "ws-s"}, horizon=1500),
        ),
        settles=False,
    ),
}
