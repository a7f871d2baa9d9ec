"""What a live session knows: everything that follows from its settings and from what has happened since."""

import math
from collections.abc import Set
from typing import Any, NamedTuple

import numpy as np

from duelbench.algorithms.contract import NO_WINNER
from duelbench.algorithms.stopping import rule as rules
from duelbench.kernels.interpreting import interpreted
from duelbench.live.evidence import log_pair_level, log_sign_evidence, stand_of_pairs
from duelbench.live.player import Player
from duelbench.live.settings import Settings
from duelbench.simulation.streams import session_streams

ROUNDS_WHILE_WAITING = 100
"""While answers are out, the clock passes over so many rounds at most, or as many as there were before the oldest
question that is out."""


def tell_rule(tests: Any, wins: np.ndarray) -> None:
    """Tell the tests of a stopping rule of duels of before; interpreted, for compiling takes longer.

    Parameters
    ----------
    tests : NamedTuple
        The rule's state.
    wins : (K, K) int64
        ``wins[i, j]`` = how often i had beaten j.
    """
    with interpreted(math.inf):
        for i in range(len(wins)):
            for j in range(i):
                if wins[i, j] + wins[j, i] > 0:
                    rules.tell(tests, i, j, int(wins[i, j]), int(wins[j, i]))


def whole_wins(counts: np.ndarray, coins: np.random.Generator) -> np.ndarray:
    """Counts in which a fair coin decides each tie that is left over.

    Parameters
    ----------
    counts : (K, K) float64
        Duels won, ties half each.
    coins : Generator
        From which as many numbers are drawn as pairs have half a win.

    Returns
    -------
    (K, K) int64

    Examples
    --------
    >>> whole_wins(np.array([[0.0, 2.5], [1.5, 0.0]]), np.random.default_rng(0)).sum()
    np.int64(4)
    """
    whole = np.floor(counts).astype(np.int64)
    for i, j in np.argwhere(np.triu(counts != whole)):
        winner, loser = (i, j) if coins.random() < 0.5 else (j, i)
        whole[winner, loser] += 1
    return whole


class Question(NamedTuple):
    """A duel that somebody was asked about.

    number : int. From 0.
    first, second : int. The arms, as the algorithm names them.
    swapped : bool. Whether they were shown the other way round.
    offered : bool. Whether the session chose it, and not the algorithm, which is not told the answer.
    round, passed : int. Of the player, when it was asked first.
    """

    number: int
    first: int
    second: int
    swapped: bool
    offered: bool
    round: int
    passed: int

    @property
    def pair(self) -> tuple[int, int]:
        """The two arms in the order of their numbers."""
        return min(self.first, self.second), max(self.first, self.second)

    @property
    def shown(self) -> tuple[int, int]:
        """The two arms in the order in which they were shown."""
        return (self.second, self.first) if self.swapped else (self.first, self.second)


class Memory:
    """What a session knows.

    Parameters
    ----------
    settings : Settings

    Attributes
    ----------
    wins, ties : ndarray of int64, shape (K, K)
        Outcomes as people gave them: ``wins[i, j]`` = i beat j; ``ties`` is symmetric.
    first_won, n_shown : int
        How often the arm shown first has won, of so many answers to questions that were no ties.
    out : dict of int to Question
        Questions that are not answered yet, by number, oldest first.
    """

    def __init__(self, settings: Settings) -> None:
        K = len(settings.arms)
        self._settings = settings
        self._coins, self._order = session_streams(settings.seed)
        self.warm = np.array(settings.warm)
        self._whole_warm = whole_wins(self.warm, self._coins)
        pairs = {*settings.forbidden, *((j, i) for i, j in settings.forbidden)}
        self.player = Player(
            settings.algorithm,
            K,
            settings.horizon,
            settings.seed,
            settings.standing_decisions,
            settings.self_duels,
            pairs,
            settings.parameters,
            self._whole_warm,
        )
        self.wins = np.zeros((K, K), np.int64)
        self.ties = np.zeros((K, K), np.int64)
        self.told = 0
        self.first_won = 0
        self.n_shown = 0
        self.out: dict[int, Question] = {}
        self.asked_pairs: set[tuple[int, int]] = set()
        self._again: list[Question] = []  # skipped, or tied where ties are dropped
        self._barred: tuple[int, int] | None = None  # the pair that was skipped just now, or was a tie again
        self._tied: set[tuple[int, int]] = set()  # pairs whose last answer was a tie that was dropped
        self._swapped: dict[tuple[int, int], bool] = {}
        self._tests = self._begin_tests()

    def _begin_tests(self) -> Any:
        rule = self._settings.rule
        if rule is None:
            return None
        rules.register(rule)
        K = len(self._settings.arms)
        own = {name: value for name, value in (self._settings.stop or {}).items() if name != "rule"}
        tests = rule.start(K, **own)
        tell_rule(tests, self._whole_warm)
        with interpreted(math.inf):
            rules.settle(tests)
        return tests

    # --- questions ---

    def ask(self, number: int) -> Question | None:
        """The next question, which is out then; None where there is none now. The clock may have moved all the same."""
        barred, self._barred = self._barred, None
        question = self._next(barred)
        if question is None:
            self._barred = barred
            return None
        pair = question.pair
        if pair[0] != pair[1]:
            before = self._swapped.get(pair)
            shown_low_first = self._order.random() < 0.5 if before is None else not before
            self._swapped[pair] = shown_low_first
            question = question._replace(swapped=shown_low_first != (question.first == pair[0]))
        self.out[number] = question = question._replace(number=number)
        self.asked_pairs.add(pair)
        return question

    def _next(self, barred: tuple[int, int] | None) -> Question | None:
        """What to ask; not the pair that was skipped just now, if anything else can be asked.

        After a skip, pairs that are not waiting to be asked again have their turn, so that those that are never decided
        do not keep out all others.
        """
        if barred is None and self._again:
            return self._again.pop(0)
        waiting = {barred, *(question.pair for question in self._again)}
        waits = False
        chosen = self.player.next(self._most_passed())
        if chosen is not None:
            question = self._question(*chosen, offered=False)
            if question.pair not in waiting:
                return question
            self._again.append(question)
        else:
            waits = not (self.player.is_over or self.player.has_given_up)
        if not waits and (offered := self._least_compared(waiting)) is not None:
            return self._question(*offered, offered=True)
        for k, question in enumerate(self._again):
            if question.pair != barred:
                return self._again.pop(k)
        if self._again:
            return self._again.pop(0)
        offered = None if waits else self._least_compared(set())
        return None if offered is None else self._question(*offered, offered=True)

    def _question(self, first: int, second: int, offered: bool) -> Question:
        return Question(-1, first, second, False, offered, self.player.round - (not offered), self.player.passed)

    def _most_passed(self) -> float:
        if not self.out:
            return math.inf
        oldest = next(iter(self.out.values()))
        return oldest.passed + max(oldest.round, ROUNDS_WHILE_WAITING)

    def _least_compared(self, waiting: Set[tuple[int, int] | None]) -> tuple[int, int] | None:
        """Of the pairs that may still decide who wins, the one that was compared least; of equal ones, the least sure.

        Not simply the least sure one: of two arms that are equally good, nobody ever becomes sure, and no other pair
        would have its turn.
        """
        taken = {*waiting, *self._settings.forbidden, *(question.pair for question in self.out.values())}
        won = self.warm + self.wins
        compared = won + won.T + self.ties
        found = [
            (compared[i, j], evidence, (i, j)) for (i, j), evidence in self.open_pairs().items() if (i, j) not in taken
        ]
        return min(found)[2] if found else None

    def open_pairs(self) -> dict[tuple[int, int], float]:
        """The pairs whose sign is not sure and may decide who wins, with ln of the evidence of their sign.

        A sign is sure where the evidence against the other one is 1 / delta' or more, delta' being the delta of the
        stopping rule shared out among all signs. It may decide who wins where one of the two arms may still win as
        many duels against others as any other arm surely does.
        """
        delta = (self._settings.stop or {}).get("delta", 0.05)
        counts = self.evidence()
        level = log_pair_level(len(counts), delta / 2)
        against = log_sign_evidence(counts)
        may_win, _ = stand_of_pairs(against, counts > counts.T, level)
        of_sign = np.maximum(against, against.T)
        is_open = (of_sign < level) & (may_win[:, np.newaxis] | may_win)
        return {(int(i), int(j)): float(of_sign[i, j]) for i, j in np.argwhere(np.triu(is_open, 1))}

    # --- answers ---

    def answer(self, number: int, winner: int | None, coin: int | None) -> None:
        """An answer to a question that is out; a tie where ``winner`` is None, for which ``coin`` is told."""
        question = self.out.pop(number)
        first, second = question.shown
        self._count(first, second, winner)
        if winner is not None and first != second:
            self.n_shown += 1
            self.first_won += winner == first
        told = winner if winner is not None else coin
        if told is None:
            self._again_later(question, is_barred=question.pair in self._tied)
            self._tied.add(question.pair)
            return
        self._tied.discard(question.pair)
        self._tell_tests(first, second, told)
        if not question.offered:
            self.player.tell(question.first, question.second, told == question.first)

    def add(self, first: int, second: int, winner: int | None, coin: int | None) -> None:
        """The outcome of a duel that nobody was asked about, which the algorithm is not told."""
        self._count(first, second, winner)
        told = winner if winner is not None else coin
        if told is not None:
            self._tell_tests(first, second, told)

    def skip(self, number: int) -> None:
        """No answer to a question that is out: it will be asked again."""
        self._again_later(self.out.pop(number), is_barred=True)

    def _again_later(self, question: Question, is_barred: bool) -> None:
        self._barred = question.pair if is_barred else None
        if not question.offered:
            self._again.append(question)

    def _count(self, first: int, second: int, winner: int | None) -> None:
        self.told += 1
        if first == second:
            return
        if winner is None:
            self.ties[first, second] += 1
            self.ties[second, first] += 1
        else:
            self.wins[winner, second if winner == first else first] += 1

    def _tell_tests(self, first: int, second: int, winner: int) -> None:
        if self._tests is None or first == second:
            return
        with interpreted(math.inf):
            rules.tell(self._tests, first, second, int(winner == first), int(winner != first))
            rules.settle(self._tests)

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
        """Whether the stopping rule has its answer."""
        with interpreted(math.inf):
            return self._tests is not None and rules.n_left(self._tests) == 0

    @property
    def verdict(self) -> int | None:
        """The answer of the stopping rule: an arm; None before it, and where it is that there is no winner."""
        if not self.is_done:
            return None
        with interpreted(math.inf):
            said = int(rules.verdict(self._tests))
        return None if said == NO_WINNER else said

    def recommend(self) -> int:
        """The answer of the stopping rule; before it, and where it is that nobody wins, what the algorithm says."""
        said = self.verdict
        return self.player.recommend() if said is None else said
