"""SAVAGE: Urvoy, Clerot, Feraud, Naamane, ICML 2013, Algorithms 1 and 4, for Copeland, Condorcet and Borda winners."""

from . import Transcription
from .common import pick
from .generic_savage import GenericSAVAGE
from .matrices import CLEAR, IN_DOUBT, STEEP
from .questions import Argmax, CondorcetWinner, CopelandWinner


class OnAMatrix:
    """Before a `GenericSAVAGE`: its samples are duels, and one of the ``answers()`` duels itself when it has ended.

    ``duel(i)`` is a pair whose first arm wins with probability mu_i, ``sampled(first, second)`` the i of a pair.

    Draws: ``integers`` among the answers when exploration ends.
    """

    decision = None

    def choose(self, t):
        i = super().choose(t)
        if i is not None:
            return self.duel(i)
        if self.decision is None:
            self.decision = pick(self.rng, self.answers())
        return self.decision, self.decision

    def observe(self, t, first, second, first_won):
        if first_won is not None:
            super().observe(t, self.sampled(first, second), first_won)

    def recommend(self):
        """The decision, and before there is one the answer to the means as they are."""
        return self.announce() if self.decision is None else self.decision


class OfPairs(OnAMatrix):
    """Means of the pairs i < j, in lexicographic order: the probability that i beats j."""

    def __init__(self, n_arms, horizon, rng, **parameters):
        question = self.winner(n_arms)
        super().__init__(question, len(question.pairs), horizon, rng, **parameters)

    def duel(self, i):
        return self.question.pairs[i]

    def sampled(self, first, second):
        return self.question.pairs.index((first, second))

    def best(self, quality):
        """The arms with the highest ``quality``, increasing."""
        qualities = [quality(i) for i in range(self.question.n_arms)]
        return [i for i, value in enumerate(qualities) if value == max(qualities)]


class CopelandSAVAGE(OfPairs, GenericSAVAGE):
    """Copeland SAVAGE."""

    winner = CopelandWinner

    def answers(self):
        lo, hi = self.question.score_bounds(self.a, self.b)
        ahead = self.question.scores(self.means())
        return self.best(lambda i: (lo[i], hi[i], ahead[i]))


class CondorcetSAVAGE(OfPairs, GenericSAVAGE):
    """Condorcet SAVAGE. The answer is certain when W is empty, so that both kinds of ``accept`` are the same."""

    winner = CondorcetWinner

    def answers(self):
        """The candidate that is left; where the matrix has no Condorcet winner it may be none."""
        _, hi = self.question.score_bounds(self.a, self.b)
        ahead = self.question.scores(self.means())
        is_candidate = [i == self.question.n_arms - 1 for i in hi]
        return self.best(is_candidate.__getitem__ if any(is_candidate) else ahead.__getitem__)


class BordaSAVAGE(OnAMatrix, GenericSAVAGE):
    """Borda SAVAGE: the means are the probabilities that an arm beats one drawn from the others.

    Draws per round of exploration: ``integers`` into the other arms by increasing index, unless there is one.
    """

    def __init__(self, n_arms, horizon, rng, **parameters):
        super().__init__(Argmax(), n_arms, horizon, rng, **parameters)

    def duel(self, i):
        return i, pick(self.rng, [j for j in range(self.N) if j != i])

    def sampled(self, first, second):
        return first

    def answers(self):
        means = self.means()
        return [i for i in range(self.N) if means[i] == max(means)]


ORACLES = {
    "savage-copeland": Transcription(CopelandSAVAGE, matrices={**STEEP, **CLEAR, **IN_DOUBT}),
    "savage-condorcet": Transcription(CondorcetSAVAGE, matrices={**STEEP, **CLEAR, **IN_DOUBT}),
    "savage-borda": Transcription(BordaSAVAGE, matrices={**STEEP, **CLEAR, **IN_DOUBT}),
}
