"""Copeland Confidence Bound: Zoghi, Karnin, Whiteson, de Rijke, NIPS 2015, Algorithm 1."""

from . import Case, Transcription
from .common import Oracle, challenger, pick, upper_bounds
from .matrices import NO_CONDORCET_WINNER, Turning, total_order


class CCB(Oracle):
    """CCB.

    Draws per round, each only where more than one outcome is possible:

    - line 9C: ``integers`` into the increasing list of an over-full Bo[j] for each element to drop (i in Ct,
      then j, both increasing);
    - line 10: ``random() < 1/4`` when there is a pair to check, then ``integers`` for the pair in order of
      (i, j);
    - line 11: ``random() < 2/3`` when the shortlist is a proper part of Ct;
    - line 12: ``integers`` on Ct;
    - line 13: ``random() < 1/2`` for Bo[c] when it has an admissible arm, then ``integers`` among tied
      challengers.
    """

    def __init__(self, n_arms, horizon, rng, alpha=0.51, unplayed_ucb=2.0):
        super().__init__(n_arms, rng)  # line 1: W <- 0
        self.alpha = alpha
        self.unplayed_ucb = unplayed_ucb
        self._reset()

    def _reset(self):
        self.B = set(range(self.K))  # line 2: potential winners
        self.Bo = [set() for _ in range(self.K)]  # line 3: Bo[i], arms believed to beat i
        self.LC = self.K  # line 4: estimated most losses of a Copeland winner

    def choose(self, t):
        arms = range(self.K)
        u = upper_bounds(self.W, t, self.alpha, self.unplayed_ucb)  # line 6
        up = [sum(1 for k in arms if k != i and u[i, k] >= 0.5) for i in arms]  # line 7
        lo = [sum(1 for k in arms if k != i and u[k, i] <= 0.5) for i in arms]  # l_ik >= 1/2
        Ct = [i for i in arms if up[i] == max(up)]  # line 8
        self._revise_hypotheses(u, up, lo, Ct)  # line 9

        unsure = [(i, j) for i in arms for j in sorted(self.Bo[i]) if u[j, i] >= 0.5 and u[i, j] >= 0.5]
        if unsure and self.rng.random() < 0.25:  # line 10, l_ij <= 1/2 <= u_ij
            return pick(self.rng, unsure)

        shortlist = [i for i in Ct if i in self.B]
        if shortlist and shortlist != Ct and self.rng.random() < 2 / 3:  # line 11
            Ct = shortlist
        c = pick(self.rng, Ct)  # line 12
        return c, challenger(u, c, self._admissible(u, c), self.rng)  # line 13

    def _revise_hypotheses(self, u, up, lo, Ct):
        arms = range(self.K)
        if any(u[j, i] < 0.5 for i in arms for j in self.Bo[i]):  # line 9A: l_ij > 1/2 disproves j in Bo[i]
            self._reset()

        for i in sorted(self.B):  # line 9B
            if any(up[i] < lo[j] for j in arms):
                self.B.remove(i)
                if len(self.Bo[i]) != self.LC + 1:
                    self.Bo[i] = {k for k in arms if u[i, k] < 0.5}
        if not self.B:
            self._reset()

        for i in Ct:  # line 9C
            if up[i] == lo[i]:
                self.B.add(i)
                self.Bo[i] = set()
                self.LC = self.K - 1 - up[i]
                for j in arms:
                    if j != i:
                        self._fit(j)

    def _fit(self, j):
        """Line 9C for one j: empty Bo[j] when too small, trim it at random when too large."""
        if len(self.Bo[j]) < self.LC + 1:
            self.Bo[j] = set()
        while len(self.Bo[j]) > self.LC + 1:
            self.Bo[j].remove(pick(self.rng, sorted(self.Bo[j])))

    def _admissible(self, u, c):
        """Line 13: the j with l_jc <= 1/2, of Bo[c] or of all arms; of all where Bo[c] has none."""
        believed = [j for j in sorted(self.Bo[c]) if u[c, j] >= 0.5]
        if believed and self.rng.random() < 0.5:
            return believed
        return [j for j in range(self.K) if u[c, j] >= 0.5]


ORACLES = {
    "ccb": Transcription(
        CCB,
        matrices={"winners last": NO_CONDORCET_WINNER[::-1, ::-1]},
        cases=(Case({"turning": Turning(total_order(3, 0.8), 60)}, horizon=1500),),
        by_the_engine=False,
        draws_differ=True,
    ),
}
