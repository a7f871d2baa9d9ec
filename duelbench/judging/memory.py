"""What a live session knows: everything that follows from its settings and from what has happened since."""

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
from duelbench.judging.evidence import log_pair_level, log_sign_evidence, log_tests, stand_of_pairs
from duelbench.judging.player import Player
from duelbench.judging.settings import STOP, Settings

ROUNDS_WHILE_WAITING = 100
"""While answers are out, the clock passes over no more rounds than this, or than there were before the oldest question
that is out."""


def record_earlier(tests: Any, wins: np.ndarray) -> None:
    """Let earlier duels, (K, K) int64, count in the tests of a stopping rule."""
    with interpreted(math.inf):
        for i in range(len(wins)):
            for j in range(i):
                if wins[i, j] + wins[j, i] > 0:
                    rules.update(tests, i, j, int(wins[i, j]), int(wins[j, i]))


def whole_wins(counts: np.ndarray, coins: np.random.Generator) -> np.ndarray:
    """Counts of wins, ties half each, as whole numbers: a fair coin decides each tie that is left over."""
    whole = np.floor(counts).astype(np.int64)
    for i, j in np.argwhere(np.triu(counts != whole)):
        winner, loser = (i, j) if coins.random() < 0.5 else (j, i)
        whole[winner, loser] += 1
    return whole


@dataclass
class Query:
    """A duel that somebody is asked about.

    The arms are in the algorithm's order, ``swapped`` where they are shown the other way round. The session chose what
    is ``offered``, and the algorithm does not learn the answer.
    """

    first: int
    second: int
    offered: bool
    round: int  # of the player when it was asked first, as is `passed`
    passed: int
    swapped: bool = False

    @property
    def pair(self) -> tuple[int, int]:
        """The two arms in the order of their numbers."""
        return min(self.first, self.second), max(self.first, self.second)

    @property
    def shown(self) -> tuple[int, int]:
        """The two arms in the order in which they are shown."""
        return (self.second, self.first) if self.swapped else (self.first, self.second)


class Outcome(NamedTuple):
    """A duel in the order in which the arms were shown; the winner is None for a tie, which a coin may decide."""

    first: int
    second: int
    winner: int | None
    coin: int | None
    is_in_random_order: bool


class Memory:
    """What a session knows."""

    def __init__(self, settings: Settings) -> None:
        K = len(settings.arms)
        self._settings = settings
        self._coins, self._order = session_streams(settings.seed)
        self.warm = np.array(settings.warm)
        self._whole_warm = whole_wins(self.warm, self._coins)
        self.player = Player(settings, self._whole_warm)
        self.wins = np.zeros((K, K), np.int64)  # outcomes as people gave them
        self.ties = np.zeros((K, K), np.int64)  # symmetric
        self.n_answers = 0
        self.first_won = 0  # how often the arm shown first has won,
        self.n_shown = 0  # of this many answers that were no ties, to questions in random order
        self.out: dict[int, Query] = {}  # questions that are not answered yet, by number, oldest first
        self.asked_pairs: set[tuple[int, int]] = set()
        self._again: list[Query] = []  # skipped, or tied where ties are dropped
        self._barred: tuple[int, int] | None = None  # the pair that was skipped just now, or was a tie again
        self._tied: set[tuple[int, int]] = set()  # pairs whose last answer was a tie that was dropped
        self._low_shown_first: dict[tuple[int, int], bool] = {}
        self._outcomes: list[Outcome] = []
        self._tests = self._begin_tests()
        self._own_answer: int | None = None  # of the algorithm's test, where that ends the session
        self.verdict: int | None = None  # the answer of the session, an arm or NO_WINNER; None while it is undecided
        self._decide()

    def _begin_tests(self) -> Any:
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
        """The next question, which is out then; None where there is none now. The clock may have moved all the same."""
        barred, self._barred = self._barred, None
        query = self._next(barred)
        if query is None:
            self._barred = barred
            return None
        pair = query.pair
        if self._settings.orders == "first":
            query.swapped = query.first != pair[0]
        elif pair[0] != pair[1]:
            before = self._low_shown_first.get(pair)
            low_first = self._order.random() < 0.5 if before is None else not before
            self._low_shown_first[pair] = low_first
            query.swapped = low_first != (query.first == pair[0])
        self.out[number] = query
        self.asked_pairs.add(pair)
        return query

    def _next(self, barred: tuple[int, int] | None) -> Query | None:
        """What to ask; not the pair that was skipped just now, if anything else can be asked.

        After a skip, pairs that are not waiting to be asked again have their turn, so that those that are never decided
        do not keep out all others.
        """
        if self._settings.once:
            return self._next_of_tournament(barred)
        if (pair := self._doubtful_pair()) is not None and pair != barred and pair not in self._pairs_out():
            return Query(*pair, True, self.player.round, self.player.passed)
        if barred is None and self._again:
            return self._again.pop(0)
        waiting = {barred, *(query.pair for query in self._again)}
        waits = False
        chosen = self.player.next(self._most_passed())
        if chosen is not None:
            query = Query(*chosen, False, self.player.round - 1, self.player.passed)
            if query.pair not in waiting:
                return query
            self._again.append(query)
        else:
            self._ask_own_test()
            waits = not (self.player.is_over or self.player.has_given_up)
        if not waits and (offered := self._least_compared(waiting)) is not None:
            return offered
        if self._again:
            return self._again.pop(next((k for k, query in enumerate(self._again) if query.pair != barred), 0))
        return None if waits else self._least_compared(set())

    def _next_of_tournament(self, barred: tuple[int, int] | None) -> Query | None:
        """The next pair of a tournament; the pair that was skipped just now only if there is no other."""
        for left_out in ({barred}, set[tuple[int, int] | None]()):
            may_be_asked = self._may_be_asked()
            for i, j in filter(None, left_out | self._pairs_out()):
                may_be_asked[i, j] = may_be_asked[j, i] = False
            pair = tournament.next_pair(self.warm + self.wins, self.ties, may_be_asked)
            if pair is not None:
                return Query(*pair, True, self.player.round, self.player.passed)
        return None

    def _may_be_asked(self) -> np.ndarray:
        """(K, K) bool: the pairs that are not forbidden."""
        allowed = ~np.eye(len(self.wins), dtype=bool)
        for i, j in self._settings.forbidden:
            allowed[i, j] = allowed[j, i] = False
        return allowed

    def _pairs_out(self) -> set[tuple[int, int]]:
        return {query.pair for query in self.out.values()}

    def _doubtful_pair(self) -> tuple[int, int] | None:
        """The pair that keeps the arm that the rule has left from being the answer; None if there is none.

        The arm must lead in each pair of its own with answers. Of several pairs it is the one with the largest deficit.
        """
        arm = self._arm_left()
        if arm is None or arm == NO_WINNER or self.verdict is not None or not self._settings.is_about_condorcet:
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
        """Of the pairs that may still decide who wins, the one that was compared least; of equal ones, the least sure.

        The least sure one alone would keep out all others where two arms are equally good. None where the algorithm's
        own test ends the session, for it would not learn the outcome.
        """
        if self._settings.is_own:
            return None
        taken = {*waiting, *self._settings.forbidden, *self._pairs_out()}
        won = self.warm + self.wins
        compared = won + won.T + self.ties
        candidates = [(compared[pair], evidence, pair) for pair, evidence in self.open_pairs() if pair not in taken]
        return Query(*min(candidates)[2], True, self.player.round, self.player.passed) if candidates else None

    def open_pairs(self) -> list[tuple[tuple[int, int], float]]:
        """The pairs whose sign is not sure and may decide who wins, with ln of the evidence of their sign.

        A sign is sure where the evidence against the other one is 1 / delta' or more, delta' being the delta of the
        stopping rule shared out among all signs. It may decide who wins where one of the two arms may still win as
        many duels against others as any other arm surely does.
        """
        counts = self.evidence()
        level = log_pair_level(len(counts), (self._settings.stop or STOP)["delta"] / 2)
        against = log_sign_evidence(counts)
        may_win, _ = stand_of_pairs(against, counts > counts.T, level)
        of_sign = np.maximum(against, against.T)
        is_open = (of_sign < level) & (may_win[:, np.newaxis] | may_win)
        return [((int(i), int(j)), float(of_sign[i, j])) for i, j in np.argwhere(np.triu(is_open, 1))]

    # --- answers ---

    def answer(self, number: int, winner: int | None, coin: int | None) -> None:
        """Count an answer to a question that is out; a tie where ``winner`` is None, which ``coin`` may decide."""
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
            self._ask_own_test()

    def _ask_own_test(self) -> None:
        """Let the algorithm's test end the session, if that is its rule; an answer is final."""
        if self._settings.is_own and self._own_answer is None:
            self._own_answer = self.player.answer()
            self._decide()

    def add(
        self, first: int, second: int, winner: int | None, coin: int | None, is_in_random_order: bool = False
    ) -> int | None:
        """Count an outcome, for the rule but not for the algorithm; return the winner as it counts for the rule."""
        self.n_answers += 1
        self._outcomes.append(Outcome(first, second, winner, coin, is_in_random_order))
        counted = self._count(self._outcomes[-1])
        self._decide()
        return counted

    def correct(self, number: int, winner: int | None, coin: int | None) -> None:
        """Replace the winner of an outcome, by its number from 0, and count all outcomes again.

        The algorithm learned the former winner, and does not learn this one.
        """
        self._outcomes[number] = self._outcomes[number]._replace(winner=winner, coin=coin)
        for counts in (self.wins, self.ties):
            counts[:] = 0
        self.first_won = self.n_shown = 0
        self._tests = self._begin_tests()
        for outcome in self._outcomes:
            self._count(outcome)
        self.verdict = None
        self._decide()

    def _count(self, outcome: "Outcome") -> int | None:
        """Count an outcome; return the winner as it counts for the rule."""
        first, second, winner, coin, is_in_random_order = outcome
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
        """No answer to a question that is out: it will be asked again."""
        self._again_later(self.out.pop(number), is_barred=True)

    def _again_later(self, query: Query, is_barred: bool) -> None:
        self._barred = query.pair if is_barred else None
        if not query.offered:
            self._again.append(query)

    def flip(self, first: int, second: int) -> int:
        """A fair coin between two arms."""
        return first if self._coins.random() < 0.5 else second

    # --- what is known ---

    def evidence(self) -> np.ndarray:
        """(K, K) float64: duels won before the session and in it; ties count half for each, or are dropped."""
        ties = self.ties / 2 if self._settings.ties == "half" else 0.0
        return self.warm + self.wins + ties

    @property
    def is_done(self) -> bool:
        """Whether the session has an answer, be it that no arm beats all others."""
        return self.verdict is not None

    def _arm_left(self) -> int | None:
        """The arm that the stopping rule has left, or NO_WINNER; None before."""
        if self._tests is None:
            return self._own_answer
        with interpreted(math.inf):
            return int(rules.answer(self._tests)) if rules.n_left(self._tests) == 0 else None

    def _decide(self) -> None:
        """Decide on the answer of the session, which is final.

        If the rule is about an arm that beats all others, the arm that it has left must also lead in each of its pairs.
        Otherwise the answer is that there is no such arm, once the evidence against this arm is 1 / delta, too.
        """
        if self.verdict is not None:
            return
        if self._settings.once:
            self.verdict = tournament.answer(self.warm + self.wins, self.ties, self._may_be_asked())
            return
        arm = self._arm_left()
        if arm is None or arm == NO_WINNER or self._doubtful_pair() is None:
            self.verdict = arm
        elif log_tests(self.evidence())[arm] >= -math.log((self._settings.stop or STOP)["delta"]):
            self.verdict = NO_WINNER

    @property
    def rule_answer(self) -> int | None:
        """The arm that is the answer of the session; None before, and if the answer is that no arm beats all others."""
        return None if self.verdict == NO_WINNER else self.verdict

    def may_still_win(self) -> np.ndarray | None:
        """(K,) bool: the arms that the stopping rule has not ruled out; None if it does not say."""
        is_in = getattr(self._tests, "is_in", None)
        return None if is_in is None else np.array(is_in)

    def fit(self) -> Fit:
        """The Bradley-Terry fit of all duels."""
        return fit(self.evidence())

    def ranking(self) -> list[int]:
        """The arms, best first: the answer, then the others by the Bradley-Terry fit, in their order if it is equal."""
        utilities = self.fit().utilities
        return sorted(range(len(utilities)), key=lambda arm: (arm != self.rule_answer, -utilities[arm], arm))
