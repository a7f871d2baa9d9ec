"""Oracles written as a generator of duels, which reads like the pseudocode."""

from .common import Oracle


class Pseudocode(Oracle):
    """Plays what ``_duels()`` yields: ``yield first, second``.

    ``observe`` counts; what stands after a ``yield`` is done at the beginning of the next round, before its draws.
    """

    def __init__(self, n_arms, rng):
        super().__init__(n_arms, rng)
        self.duels = self._duels()

    def choose(self, t):
        return next(self.duels)

    def observe(self, t, first, second, first_won):
        if first != second:
            super().observe(t, first, second, first_won)


class ExploreThenExploit(Pseudocode):
    """Urvoy et al., ICML 2013, Algorithm 4: duels of ``_explore()``, and then the arm that it returns, permanently."""

    decision = None

    def _duels(self):
        self.decision = yield from self._explore()
        while True:
            yield self.decision, self.decision

    def recommend(self):
        """The decision, and before there is one the answer to the counts as they are."""
        return self.estimate() if self.decision is None else self.decision

    def estimate(self):
        """Arm that is ahead of the most others in the counts; the lowest index among equals."""
        return super().recommend()
