"""The state of a live session after its settings and events: open questions, counts, and the answer."""

import math
from collections.abc import Set
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import NO_WINNER
from duelbench.bandits.algorithms.stopping import rule as rules
from duelbench.bandits.kernels.interpreting import interpreted
from duelbench.bandits.simulation.streams import session_streams
from duelbench.bandits.statistics.bradley_terry import Fit, fit
from duelbench.judging import tournament
from duelbench.judging.evidence import decision_of_pairs, log_pair_level, log_sign_evidence, log_tests
from duelbench.judging.player import Player
from duelbench.judging.settings import STOP, Settings

ROUNDS_WHILE_WAITING = 100
"""Rounds without a question that the clock may skip while questions are open; if the oldest open question is of a later
round, the number of that round."""


def record_earlier(tests: Any, wins: np.ndarray) -> None:
    """Add earlier duels, (K, K) int64, to the tests of a stopping rule."""
    with interpreted(math.inf):
        for i in range(len(wins)):
            for j in range(i):
                if wins[i, j] + wins[j, i] > 0:
                    rules.update(tests, i, j, int(wins[i, j]), int(wins[j, i]))


def whole_wins(counts: np.ndarray, coins: np.random.Generator) -> np.ndarray:
    """Round counts of wins to whole numbers: a fair coin decides a tie that leaves a half."""
    whole = np.floor(counts).astype(np.int64)
    for i, j in np.argwhere(np.triu(counts != whole)):
        winner, loser = (i, j) if coins.random() < 0.5 else (j, i)
        whole[winner, loser] += 1
    return whole


@dataclass
class Query:
    """A duel that needs a judge; the arms are in the algorithm's order."""

    first: int
    second: int
    offered: bool  # whether the session chose it, so that the algorithm does not learn the answer
    round: int  # the player's round when it was first asked
    passed: int  # the player's rounds without a question at that time
    swapped: bool = False  # whether it is shown in the other order

    @property
    def pair(self) -> tuple[int, int]:
        """The two arms in the order of their numbers."""
        return min(self.first, self.second), max(self.first, self.second)

    @property
    def shown(self) -> tuple[int, int]:
        """The two arms in the order in which they are shown."""
        return (self.second, self.first) if self.swapped else (self.first, self.second)


class Outcome(NamedTuple):
    """The outcome of a duel, its arms in the order shown."""

    first: int
    second: int
    winner: int | None  # None for a tie
    coin: int | None  # the winner of a tie by a coin, if ties count
    is_in_random_order: bool


class Memory:
    """The state of a session, which changes with each question and answer."""

    def __init__(self, settings: Settings) -> None:
        K = len(settings.arms)
        self._settings = settings
        self._coins, self._order = session_streams(settings.seed)
        self.warm = np.array(settings.warm)
        self._whole_warm = whole_wins(self.warm, self._coins)
        self.player = Player(settings, self._whole_warm)
        self.wins = np.zeros((K, K), np.int64)  # answers of judges, without ties
        self.ties = np.zeros((K, K), np.int64)  # symmetric
        self.n_answers = 0
        self.first_won = 0  # wins of the arm shown first, in questions with random order
        self.n_shown = 0  # answers to these questions, without ties
        self.out: dict[int, Query] = {}  # open questions by number, oldest first
        self.asked_pairs: set[tuple[int, int]] = set()
        self._again: list[Query] = []  # to ask again after a skip, or after a tie if ties are dropped
        self._barred: tuple[int, int] | None = None  # the pair of the last question if it was skipped, or tied again
        self._tied: set[tuple[int, int]] = set()  # pairs whose last answer was a tie that was dropped
        self._low_shown_first: dict[tuple[int, int], bool] = {}
        self._outcomes: list[Outcome] = []
        self._fit: Fit | None = None  # of all duels; None until it is needed after a new one
        self._tests = self._new_tests()
        self._own_answer: int | None = None  # the answer of the algorithm's test, if that is the rule
        self.conclusion: int | None = None  # the answer of the session, an arm or NO_WINNER; None while it is undecided
        self._decide()

    def _new_tests(self) -> Any:
        rule, stop, warm = self._settings.rule, self._settings.stop, self._whole_warm
        if rule is None or stop is None:
            return None
        rules.register(rule)
        tests = rule.start(len(warm), **{name: value for name, value in stop.items() if name != "rule"})
        record_earlier(tests, warm)
        with interpreted(math.inf):
            rules.settle(tests)
        return tests

    # --- questions ---

    def ask(self, number: int) -> Query | None:
        """Open and return the next question; None if there is none now, although the clock may have moved."""
        barred, self._barred = self._barred, None
        query = self._next(barred)
        if query is None:
            self._barred = barred
            return None
        pair = query.pair
        if self._settings.orders == "first":
            query.swapped = query.first != pair[0]
        elif pair[0] != pair[1]:
            was_low_first = self._low_shown_first.get(pair)
            low_first = self._order.random() < 0.5 if was_low_first is None else not was_low_first
            self._low_shown_first[pair] = low_first
            query.swapped = low_first != (query.first == pair[0])
        self.out[number] = query
        self.asked_pairs.add(pair)
        return query

    def _next(self, barred: tuple[int, int] | None) -> Query | None:
        """Return the next question; one about the pair ``barred`` only if it is the only one.

        After a skip, other pairs come before those that wait to be asked again. Otherwise pairs that nobody decides
        would block all others.
        """
        if self._settings.once:
            return self._next_of_tournament(barred)
        pair = self._doubtful_pair(self._arm_left())
        if pair is not None and pair != barred and pair not in self._pairs_out():
            return Query(*pair, True, self.player.round, self.player.passed)
        if barred is None and self._again:
            return self._again.pop(0)
        waiting = {barred, *(query.pair for query in self._again)}
        waits_for_answers = False
        chosen = self.player.next(self._most_passed())
        if chosen is not None:
            query = Query(*chosen, False, self.player.round - 1, self.player.passed)
            if query.pair not in waiting:
                return query
            self._again.append(query)
        else:
            self._check_own_test()
            waits_for_answers = not (self.player.is_over or self.player.has_given_up)
        if not waits_for_answers:
            least_compared = self._least_compared(waiting)
            if least_compared is not None:
                return least_compared
        if self._again:
            others = [k for k, query in enumerate(self._again) if query.pair != barred]
            return self._again.pop(others[0] if others else 0)
        return None if waits_for_answers else self._least_compared(set())

    def _next_of_tournament(self, barred: tuple[int, int] | None) -> Query | None:
        """Return the next question of a tournament; one about the pair ``barred`` only if it is the only one."""
        for excluded in ({barred}, set[tuple[int, int] | None]()):
            may_be_asked = self._may_be_asked()
            for i, j in filter(None, excluded | self._pairs_out()):
                may_be_asked[i, j] = may_be_asked[j, i] = False
            pair = tournament.next_pair(self.warm + self.wins, self.ties, may_be_asked)
            if pair is not None:
                return Query(*pair, True, self.player.round, self.player.passed)
        return None

    def _may_be_asked(self) -> np.ndarray:
        """Return the pairs that are not forbidden, as (K, K) bool."""
        allowed = ~np.eye(len(self.wins), dtype=bool)
        for i, j in self._settings.forbidden:
            allowed[i, j] = allowed[j, i] = False
        return allowed

    def _pairs_out(self) -> set[tuple[int, int]]:
        return {query.pair for query in self.out.values()}

    def _doubtful_pair(self, arm: int | None) -> tuple[int, int] | None:
        """Return a pair that ``arm``, of `_arm_left`, must win before it is the answer; None if there is none.

        The arm must lead in each of its pairs that has answers and is not forbidden. Of several pairs, this is the one
        with the largest deficit.
        """
        if arm is None or arm == NO_WINNER or self.conclusion is not None or not self._settings.is_about_condorcet:
            return None
        counts = self.evidence()
        lead = counts[arm] - counts[:, arm]
        has_answers = (counts[arm] + counts[:, arm] > 0) & self._may_be_asked()[arm]
        if not (lead[has_answers] <= 0).any():
            return None
        rival = int(np.argmin(np.where(has_answers, lead, np.inf)))
        return min(arm, rival), max(arm, rival)

    def _most_passed(self) -> float:
        if not self.out:
            return math.inf
        oldest = next(iter(self.out.values()))
        return oldest.passed + max(oldest.round, ROUNDS_WHILE_WAITING)

    def _least_compared(self, waiting: Set[tuple[int, int] | None]) -> Query | None:
        """Return the pair with the fewest comparisons, then the least evidence, that may still decide the winner.

        Always asking about the pair with the least evidence would block all others if two arms are equally good.
        Returns None if the algorithm's own test ends the session, because the test would not learn the outcome.
        """
        if self._settings.is_own:
            return None
        taken = {*waiting, *self._settings.forbidden, *self._pairs_out()}
        won = self.warm + self.wins
        compared = won + won.T + self.ties
        candidates = [(compared[pair], evidence, pair) for pair, evidence in self.open_pairs() if pair not in taken]
        if not candidates:
            return None
        _, _, pair = min(candidates)
        return Query(*pair, True, self.player.round, self.player.passed)

    def open_pairs(self) -> list[tuple[tuple[int, int], float]]:
        """Return the pairs that may still decide the winner, each with ln of the evidence on who wins the pair.

        The winner of a pair is sure if the evidence against the other arm is at least K (K - 1) / delta. A pair whose
        winner is not sure matters if one of its arms may still beat as many arms as any other arm surely beats.
        """
        counts = self.evidence()
        level = log_pair_level(len(counts), (self._settings.stop or STOP)["delta"] / 2)
        against = log_sign_evidence(counts)
        may_win, _ = decision_of_pairs(against, counts > counts.T, level)
        evidence = np.maximum(against, against.T)
        is_open = (evidence < level) & (may_win[:, np.newaxis] | may_win)
        return [((int(i), int(j)), float(evidence[i, j])) for i, j in np.argwhere(np.triu(is_open, 1))]

    # --- answers ---

    def answer(self, number: int, winner: int | None, coin: int | None) -> None:
        """Count an answer to an open question; a ``winner`` of None is a tie, which ``coin`` may decide."""
        query = self.out.pop(number)
        first, second = query.shown
        is_in_random_order = self._settings.orders != "first"
        counted = self.add(first, second, winner, coin, is_in_random_order)
        if counted is None:
            self._again_later(query, is_barred=query.pair in self._tied)
            self._tied.add(query.pair)
            return
        self._tied.discard(query.pair)
        if not query.offered:
            self.player.tell(query.first, query.second, counted == query.first)
            self._check_own_test()

    def _check_own_test(self) -> None:
        """Take the answer of the algorithm's own test, if that is the rule; it is final."""
        if self._settings.is_own and self._own_answer is None:
            self._own_answer = self.player.answer()
            self._decide()

    def add(
        self, first: int, second: int, winner: int | None, coin: int | None, is_in_random_order: bool = False
    ) -> int | None:
        """Count an outcome for the rule, but not for the algorithm; return the winner that the rule counts, if any."""
        self.n_answers += 1
        self._outcomes.append(Outcome(first, second, winner, coin, is_in_random_order))
        counted = self._count(self._outcomes[-1])
        self._decide()
        return counted

    def correct(self, number: int, winner: int | None, coin: int | None) -> None:
        """Replace the winner of an outcome, numbered from 0, and count all outcomes again.

        The algorithm has learned the former winner, and does not learn the new one.
        """
        self._outcomes[number] = self._outcomes[number]._replace(winner=winner, coin=coin)
        for counts in (self.wins, self.ties):
            counts[:] = 0
        self.first_won = self.n_shown = 0
        self._tests = self._new_tests()
        for outcome in self._outcomes:
            self._count(outcome)
        self.conclusion = None
        self._decide()

    def _count(self, outcome: "Outcome") -> int | None:
        """Add an outcome to the counts and tests; return the winner that the rule counts, if any."""
        first, second, winner, coin, is_in_random_order = outcome
        self._fit = None
        counted = coin if winner is None else winner
        if first == second:
            return counted
        if winner is None:
            self.ties[first, second] += 1
            self.ties[second, first] += 1
        else:
            self.wins[winner, second if winner == first else first] += 1
            if is_in_random_order:
                self.n_shown += 1
                self.first_won += winner == first
        if counted is not None and self._tests is not None:
            with interpreted(math.inf):
                rules.update(self._tests, first, second, int(counted == first), int(counted != first))
                rules.settle(self._tests)
        return counted

    def skip(self, number: int) -> None:
        """Close an open question without an answer; it is asked again."""
        self._again_later(self.out.pop(number), is_barred=True)

    def _again_later(self, query: Query, is_barred: bool) -> None:
        self._barred = query.pair if is_barred else None
        if not query.offered:
            self._again.append(query)

    def flip(self, first: int, second: int) -> int:
        """Draw one of two arms with a fair coin."""
        return first if self._coins.random() < 0.5 else second

    # --- results ---

    def evidence(self) -> np.ndarray:
        """Return wins before and in the session, (K, K) float64; ties are half a win for each, or dropped."""
        ties = self.ties / 2 if self._settings.ties == "half" else 0.0
        return self.warm + self.wins + ties

    @property
    def is_done(self) -> bool:
        """Whether the session has an answer, which may be that no arm beats all others."""
        return self.conclusion is not None

    def _arm_left(self) -> int | None:
        """Return the only arm that the stopping rule has not ruled out, or NO_WINNER; None if there are several."""
        if self._tests is None:
            return self._own_answer
        with interpreted(math.inf):
            return int(rules.answer(self._tests)) if rules.n_left(self._tests) == 0 else None

    def _decide(self) -> None:
        """Set the answer of the session if it has one now; it is final.

        If the rule seeks an arm that beats all others, its remaining arm must also lead in each of its pairs. If it
        does not, and the evidence against this arm reaches 1 / delta, the answer is that no arm beats all others.
        """
        if self.conclusion is not None:
            return
        if self._settings.once:
            self.conclusion = tournament.answer(self.warm + self.wins, self.ties, self._may_be_asked())
            return
        arm = self._arm_left()
        if arm is None or arm == NO_WINNER or self._doubtful_pair(arm) is None:
            self.conclusion = arm
        elif log_tests(self.evidence())[arm] >= -math.log((self._settings.stop or STOP)["delta"]):
            self.conclusion = NO_WINNER

    @property
    def rule_answer(self) -> int | None:
        """The arm that is the answer; None if it is that no arm beats all others, and while there is no answer."""
        return None if self.conclusion == NO_WINNER else self.conclusion

    def may_still_win(self) -> np.ndarray | None:
        """Return the arms that the stopping rule has not ruled out, (K,) bool; None if the rule keeps no such list."""
        is_in = getattr(self._tests, "is_in", None)
        return None if is_in is None else np.array(is_in)

    def fit(self) -> Fit:
        """Return the Bradley-Terry fit of all duels."""
        if self._fit is None:
            self._fit = fit(self.evidence())
        return self._fit

    def ranking(self) -> list[int]:
        """Return the arms, best first: the answer, then the others by the Bradley-Terry fit."""
        utilities = self.fit().utilities
        return sorted(range(len(utilities)), key=lambda arm: (arm != self.rule_answer, -utilities[arm], arm))
