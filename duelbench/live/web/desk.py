"""The desk between a session and the tabs of browsers: each tab has its own question, and each is answered once."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from duelbench.errors import InputError
from duelbench.live.names import judge_named
from duelbench.live.session import Pair, Session

SILENCE = 150.0
"""Seconds without a word after which a tab counts as closed. Browsers let a hidden one speak once a minute."""

FIRST, SECOND, TIE, SKIP = OUTCOMES = ("first", "second", "tie", "skip")
"""What can be said of a pair: the one shown first is better, the other one is, neither is, or nothing."""

LONGEST = 100
"""Characters of a tab's name."""


class Closed(Exception):
    """The session has ended: nothing more is taken."""


class Desk:
    """Hands out a session's questions and takes the answers, from any number of threads.

    Parameters
    ----------
    session : Session
        All of its methods are called under one lock.
    shown : sequence of mapping
        What a page is to show of each arm, in the order of ``session.arms``.
    asked : str
        The question itself, in words.
    judge : str, optional
        Who answers, where a page does not say.
    budget : int, optional
        After how many answers no more questions are asked.
    over : callable
        Is told why, in words, when an answer is the last one.
    clock : callable
        Seconds that never run backwards.
    """

    def __init__(
        self,
        session: Session,
        shown: Sequence[Mapping[str, Any]],
        *,
        asked: str = "Which is better?",
        judge: str | None = None,
        budget: int | None = None,
        over: Callable[[str], None] = lambda why: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._say_over = over
        self._session, self._asked, self._judge, self._budget, self._clock = session, asked, judge, budget, clock
        self._numbers = {name: number for number, name in enumerate(session.arms)}
        self._shown = dict(zip(session.arms, shown, strict=True))
        self._lock = threading.Lock()
        self._is_closed = False
        self._heard: dict[str, float] = {}
        """Tab -> when it was last heard of."""
        self._held: dict[str, Pair] = {}
        """Tab -> its question."""
        self._answered: list[str] = []
        """The tabs of the answers that this desk has taken, in their order."""

    def look(self, tab: str) -> dict[str, Any]:
        """What a tab is to show: the question that it has, or a new one where it has none.

        Parameters
        ----------
        tab : str
            A name that the tab has given itself.

        Returns
        -------
        dict
            What ``page.js`` shows.
        """
        with self._attending(tab):
            return self._view(tab)

    def answer(
        self, tab: str, number: int, outcome: str, judge: str = "", arms: Sequence[int] | None = None
    ) -> dict[str, Any]:
        """Take an answer, and hand out the next question.

        A question that somebody has answered already is not answered again, nor one of an earlier session: the page is
        told so, and goes on.

        Parameters
        ----------
        tab : str
        number : int
            Of the question.
        outcome : str
            One of `OUTCOMES`.
        judge : str
            Who has answered.
        arms : sequence of int, optional
            The two that the page showed, as numbers in ``session.arms``.

        Raises
        ------
        InputError
            If there is no such outcome, or the judge's name cannot be kept.
        """
        if outcome not in OUTCOMES:
            raise InputError(f"an outcome must be one of {', '.join(OUTCOMES)}, not {outcome!r}")
        by = judge_named(judge, "Judge") if judge.strip() else self._judge
        with self._attending(tab):
            pair = self._answerable(tab, number)
            if pair is None:
                return self._view(tab, "This question was answered already.")
            if arms is not None and [*arms] != self._arms(pair):
                return self._view(tab, "That answer was to a question of another session, and was not taken.")
            if outcome != SKIP:
                self._tell(pair, outcome, by)
                self._answered.append(tab)
                if self._is_over():
                    self._say_over(self._why_over())
            elif number in self._out():
                self._session.skip(pair)
            self._held = {other: held for other, held in self._held.items() if held.number != number}
            return self._view(tab, _REPLIES[outcome])

    def undo(self, tab: str) -> dict[str, Any]:
        """Take the last answer back; its pair is this tab's question again.

        Not where another tab that is still open has given it.
        """
        with self._attending(tab):
            if not self._may_undo(tab):
                return self._view(tab, "There is no answer of this page to take back.")
            before = self._out()
            self._session.undo()
            self._answered = self._answered[:-1]
            for number, pair in self._out().items():
                if number not in before:
                    self._held[tab] = pair
            return self._view(tab, "The last answer is taken back: here is its pair.")

    def over(self) -> str:
        """Why nothing more is asked, in words; empty where it is not so."""
        with self.session():
            return self._why_over() if self._is_over() else ""

    def leave(self, tab: str) -> None:
        """Take back the question of a tab that is closed: the next tab that asks gets it."""
        with self._lock:
            self._forget(tab)

    def close(self) -> None:
        """Take nothing more; an answer that is being kept is kept first."""
        with self._lock:
            self._is_closed = True

    @contextmanager
    def session(self) -> Iterator[Session]:
        """The session, for as long as nobody else may call it."""
        with self._lock:
            if self._is_closed:
                raise Closed
            yield self._session

    @contextmanager
    def _attending(self, tab: str) -> Iterator[None]:
        with self.session():
            now = self._clock()
            self._heard[tab] = now
            for other in [other for other, when in self._heard.items() if now - when > SILENCE]:
                self._forget(other)
            yield

    def _forget(self, tab: str) -> None:
        self._heard.pop(tab, None)
        self._held.pop(tab, None)

    def _out(self) -> dict[int, Pair]:
        """The questions that are out, by number."""
        return {pair.number: pair for pair in self._session.out}

    def _answerable(self, tab: str, number: int) -> Pair | None:
        """The question of a number, if it may be answered.

        One that is not out any more may be where this tab still has it: an answer was taken back, and what was asked
        after it was withdrawn.
        """
        held = self._held.get(tab)
        return held if held is not None and held.number == number else self._out().get(number)

    def _arms(self, pair: Pair) -> list[int]:
        return [self._numbers[name] for name in pair]

    def _tell(self, pair: Pair, outcome: str, judge: str | None) -> None:
        if outcome == TIE:
            self._session.tie(pair, judge=judge)
        else:
            self._session.tell(pair, pair[0] if outcome == FIRST else pair[1], judge=judge)

    def _may_undo(self, tab: str) -> bool:
        is_others = self._answered[-1:] != [tab] and not self._heard.keys().isdisjoint(self._answered[-1:])
        return self._session.told > 0 and not is_others

    def _question(self, tab: str) -> Pair | None:
        """The tab's own question, else the oldest that nobody has, else a new one."""
        if self._is_over():
            return None
        out = self._out()
        held = self._held.get(tab)
        if held is None or held.number not in out:
            taken = {other.number for other in self._held.values()}
            held = next((pair for number, pair in out.items() if number not in taken), None) or self._session.ask()
        if held is None:
            self._held.pop(tab, None)
        else:
            self._held[tab] = held
        return held

    def _is_over(self) -> bool:
        return self._session.done or (self._budget is not None and self._session.told >= self._budget)

    def _view(self, tab: str, note: str = "") -> dict[str, Any]:
        pair = self._question(tab)
        return {
            "asked": self._asked,
            "question": None if pair is None else self._asking(pair),
            "message": "" if pair is not None else self._why_nothing(),
            "progress": self._progress(),
            "told": self._session.told,
            "undo": self._may_undo(tab),
            "note": note,
            "judge": self._judge or "",
        }

    def _asking(self, pair: Pair) -> dict[str, Any]:
        return {"number": pair.number, "arms": self._arms(pair), "sides": [self._shown[arm] for arm in pair]}

    def _why_nothing(self) -> str:
        """Why a tab has no question, in words."""
        if self._is_over():
            return f"{self._why_over()} Thank you; this page can be closed."
        if self._session.out:
            return (
                "All questions are with other tabs just now. This page goes on when one of them is answered or closed."
            )
        return f"There is nothing more to ask. {self._session.status()}"

    def _why_over(self) -> str:
        if self._session.done:
            winner = self._session.answer
            return f"It is decided: {'nobody beats all others' if winner is None else f'{winner} wins'}."
        return f"All {self._budget} answers that were asked for are given."

    def _progress(self) -> str:
        told = self._session.told
        answers = f"{told} {'answer' if told == 1 else 'answers'}"
        return answers if self._budget is None else f"{answers} of {self._budget}"


_REPLIES = {
    FIRST: "Kept: A was better.",
    SECOND: "Kept: B was better.",
    TIE: "Kept: a tie.",
    SKIP: "Skipped: that pair is asked again later.",
}
