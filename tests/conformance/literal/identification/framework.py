"""What the transcriptions of identification share: a private order of the arms, tests, and the answer at the end."""

from dataclasses import dataclass

from ..common import Pseudocode

NO_WINNER = -1


@dataclass
class Test:
    """Counts of the pair under test, from its beginning on; ``wins`` are those of ``first``."""

    first: int
    second: int
    duels: int = 0
    wins: int = 0

    __test__ = False


class Identification(Pseudocode):
    """Plays what ``_identify()`` yields, until it returns the answer: an arm, or NO_WINNER.

    From then on the arm that it recommends duels itself. Draws: ``permutation(K)``, the private order ``arms``.
    """

    answer = None
    test = None  # that is running, or ran last

    def __init__(self, n_arms, rng):
        super().__init__(n_arms, rng)
        self.arms = [int(arm) for arm in rng.permutation(n_arms)]
        self.won = None

    def _duels(self):
        self.answer = yield from self._identify()
        while True:
            arm = self.recommend()
            yield arm, arm

    def observe(self, t, first, second, first_won):
        super().observe(t, first, second, first_won)
        self.won = first_won
        if self.test is not None and self.answer is None:
            self.test.duels += 1
            self.test.wins += first_won

    def compare(self, first, second, test_of_pair):
        """Duel the two with fresh counts until ``test_of_pair(duels, wins of the first)`` is not None; return it."""
        self.test = Test(first, second)
        while (outcome := test_of_pair(self.test.duels, self.test.wins)) is None:
            yield first, second
        return outcome

    def recommend(self):
        if self.answer is not None and self.answer != NO_WINNER:
            return self.answer
        return self.estimate()

    def estimate(self):
        """What is recommended before there is an answer, or where the answer is that there is none."""
        raise NotImplementedError

    def first_best(self, arms, quality):
        """Of ``arms`` the one with the highest ``quality``; among equals the first in the private order."""
        arms = set(arms)
        return max((arm for arm in self.arms if arm in arms), key=quality)
