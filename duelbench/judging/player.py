"""Plays an algorithm one duel at a time, with outcomes from outside.

A duel of two arms is one round. Self-duels are not asked; the clock skips their rounds. A fair coin decides forbidden
pairs, as if the two arms were equally good. The algorithm's functions are interpreted: a session makes few decisions,
and compiling would take longer than all of them.
"""

import copy
import hashlib
import math
from typing import Any

import numpy as np

from duelbench.bandits.algorithms import dispatch
from duelbench.bandits.algorithms.contract import NEVER, SEVERAL, Algorithm
from duelbench.bandits.algorithms.dispatch import WrongAnswer
from duelbench.bandits.kernels.interpreting import interpreted
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.simulation.game import begin, check
from duelbench.bandits.simulation.streams import streams
from duelbench.judging.settings import Settings

PATIENCE = 1000
"""The number of decisions in a row without a question after which the session chooses the pair."""


def warm_start(algorithm: Algorithm, state: Any, wins: np.ndarray) -> int:
    """Teach an algorithm earlier duels, and return the number of rounds that they take; 0 if it cannot learn from them.

    ``wins[i, j]`` = how often arm i had beaten arm j, int64.
    """
    if not algorithm.learns_from_any_pair:
        return 0
    with interpreted(math.inf):
        for i in range(len(wins)):
            for j in range(i + 1, len(wins)):
                if wins[i, j] + wins[j, i] > 0:
                    dispatch.update(state, i, j, int(wins[i, j]), int(wins[j, i]))
    return int(wins.sum())


class Player:
    """An algorithm that plays duel by duel, after the earlier duels ``warm`` (see `warm_start`).

    It draws from the stream of run 0 of its seed, as in `duelbench.simulate`. Raises an `InputError` if the algorithm
    cannot play with these settings.
    """

    def __init__(self, settings: Settings, warm: np.ndarray) -> None:
        n_arms = len(settings.arms)
        self._settings, self._algorithm = settings, settings.algorithm
        self._one_by_one = settings.self_duels or not settings.standing_decisions
        self._random = streams(settings.seed, 0)
        self._asked = np.zeros((n_arms, n_arms), np.int64)  # duels that are not answered yet
        self._held = np.zeros((n_arms, n_arms, 2), np.int64)  # outcomes that wait for others of the same pair
        self._coins: dict[int, list[int]] = {}  # outcomes of open self-duels, by arm
        even = PreferenceMatrix(np.full((n_arms, n_arms), 0.5))
        terms = self._algorithm, even, settings.horizon
        with interpreted(math.inf):
            check(*terms, settings.parameters)
            _, self._state = begin(*terms, self._random.algorithm, not self._one_by_one, settings.parameters)
        self._asked_at = warm_start(self._algorithm, self._state, warm)  # the round of the last question
        self.round = self._asked_at + 1  # the next round
        self.passed = 0  # rounds without a question so far
        self.has_given_up = False  # whether `next` made `PATIENCE` decisions in vain, and found no duel since

    def next(self, most_passed: float = math.inf) -> tuple[int, int] | None:
        """Play up to the next duel that needs a judge, and return its arms in the algorithm's order.

        Returns None at the horizon, after ``most_passed`` rounds without a question, or after `PATIENCE` decisions.
        """
        with interpreted(math.inf):
            for _ in range(PATIENCE):
                left = min(self._settings.horizon - self.round + 1, most_passed - self.passed)
                if left <= 0:
                    return None
                first, second, standing_rounds = self._select()
                if self._is_asked(first, second):
                    if first == second and self._algorithm.reads_self_duels:
                        self._coins.setdefault(first, []).append(self._coin())
                    self._asked[first, second] += 1
                    self._asked_at = self.round
                    self.has_given_up = False
                    self.round += 1
                    return first, second
                self._pass_over(first, second, min(standing_rounds, left))
        self.has_given_up = True
        return None

    def _is_asked(self, first: int, second: int) -> bool:
        if first == second:
            return self._settings.self_duels
        return (min(first, second), max(first, second)) not in self._settings.forbidden

    def _select(self) -> tuple[int, int, int]:
        first, second, rounds = dispatch.select(self._state, self.round, self._random.algorithm)
        arms = range(len(self._asked))
        if rounds < 1 or not (first == second == SEVERAL or (first in arms and second in arms)):
            raise WrongAnswer(
                f"the algorithm's select returned {(first, second, rounds)} in round {self.round}; the arms are 0 to"
                f" {len(arms) - 1}, and a decision must last for at least 1 round"
            )
        if first == SEVERAL and self._settings.self_duels:
            first = second = self._one_of_several()
        return first, second, rounds

    def _one_of_several(self) -> int:
        """Draw the arm that duels itself in this round, if the decision leaves several."""
        left = 1.0
        for arm in range(len(self._asked)):
            probability = dispatch.self_duel_probability(self._state, arm)
            if probability >= left - 1e-12 or self._random.division.random() < probability / left:
                return arm
            left -= probability
        return arm

    def _pass_over(self, first: int, second: int, standing_rounds: float) -> None:
        """Play rounds without a question; a fair coin decides a round from which the algorithm learns."""
        learns = first != second or self._algorithm.reads_self_duels
        rounds = 1 if learns or self._one_by_one else int(standing_rounds)
        if learns:
            wins = self._coin()
            self._update(first, second, wins, 1 - wins)
        self.round += rounds
        self.passed += rounds

    def _coin(self) -> int:
        return int(self._random.duels.random() < 0.5)

    def tell(self, first: int, second: int, first_has_won: bool) -> None:
        """Teach the algorithm the outcome of a duel that `next` returned, in that order; a coin decides a self-duel."""
        self._asked[first, second] -= 1
        if first != second:
            self._update(first, second, int(first_has_won), int(not first_has_won))
        elif self._algorithm.reads_self_duels:
            wins = self._coins[first].pop(0)
            self._update(first, first, wins, 1 - wins)

    def _update(self, first: int, second: int, first_wins: int, second_wins: int) -> None:
        """Teach the algorithm outcomes; if it needs all outcomes of a pair together, wait until none is missing."""
        held = self._held[first, second]
        held += first_wins, second_wins
        if self._algorithm.tells_together and self._asked[first, second] > 0:
            return
        with interpreted(math.inf):
            dispatch.update(self._state, first, second, int(held[0]), int(held[1]))
        held[:] = 0

    def recommend(self) -> int:
        """Return the arm that the algorithm recommends now."""
        with interpreted(math.inf):
            return int(dispatch.recommend(self._state))

    def answer(self) -> int | None:
        """Return the answer of the algorithm's own test, an arm or NO_WINNER; None while it is undecided.

        The next decision shows whether the test has ended. It is made on a copy of the state, which does not change.
        """
        state, rng = copy.deepcopy((self._state, self._random.algorithm))
        with interpreted(math.inf):
            if dispatch.select(state, self.round, rng)[2] < NEVER:
                return None
            return int((self._algorithm.answer or dispatch.recommend)(state))

    @property
    def is_over(self) -> bool:
        """Whether the horizon is reached."""
        return self.round > self._settings.horizon

    @property
    def is_settled(self) -> bool:
        """Whether the algorithm has stopped asking: see `Session.settled`."""
        stretch = self.round - 1 - self._asked_at
        return self.is_over or self.has_given_up or stretch >= max(self._asked_at, self._asked.size)

    def random_digest(self) -> str:
        """Return the first digits of a digest of the state of the algorithm's random generator."""
        state = repr(self._random.algorithm.bit_generator.state)
        return hashlib.sha256(state.encode()).hexdigest()[:8]
