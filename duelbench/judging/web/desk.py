"""Hands out the questions of a session to browser tabs: each tab has its own question, and each is answered once."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from duelbench.common.words import counted
from duelbench.errors import InputError
from duelbench.judging.arms import Arm, judge_named
from duelbench.judging.judges import Watch
from duelbench.judging.outputs import Draws
from duelbench.judging.session import Pair, Session

SILENCE = 150.0
"""Seconds without a request after which a tab counts as closed. Browsers let a hidden tab send one per minute."""

REPLIES = {
    "first": "Saved: A was better.",
    "second": "Saved: B was better.",
    "tie": "Saved: a tie.",
    "skip": "Skipped: that pair is asked again later.",
}
"""The note on the page after each answer of a judge; A is the arm shown first."""


class Closed(Exception):
    """The server is ending."""


class Desk:
    """Hands out the questions of a session and takes answers, from any number of threads.

    Parameters
    ----------
    shown : sequence of mapping
        The content of each arm for the page, in the order of ``session.arms``.
    arms : sequence of Arm
        The arms, needed only if they have outputs on inputs.
    question : str
        The question in words.
    instructions : str, optional
        How to judge, in words.
    judge : str, optional
        The name of the judge of answers without a name.
    budget : int, optional
        The number of answers at which the session stops asking.
    over : callable
        Called after the last answer with the reason why the session is over, in words.
    warn : callable
        Called with each warning about a judge, in words.
    clock : callable
        Returns the time in seconds.
    """

    def __init__(
        self,
        session: Session,
        shown: Sequence[Mapping[str, Any]],
        *,
        arms: Sequence[Arm] = (),
        question: str = "Which is better?",
        instructions: str | None = None,
        judge: str | None = None,
        budget: int | None = None,
        over: Callable[[str], None] = lambda why: None,
        warn: Callable[[str], None] = lambda warning: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._say_over, self._watch = over, Watch(session, warn)
        self._session, self._shown, self._instructions = session, shown, instructions
        self._draws = Draws(session, {arm.name: arm for arm in arms or map(Arm, session.arms)})
        self._question_text, self._judge, self._budget, self._clock = question, judge, budget, clock
        self._lock = threading.Lock()
        self._is_closed = False
        self._last_seen: dict[str, float] = {}  # the time of each tab's last request
        self._held: dict[str, Pair] = {}  # the question of each tab
        self._answered: list[str] = []  # the tab of each answer that this desk has taken

    def look(self, tab: str) -> dict[str, Any]:
        """Return the view of a tab for ``page.js``, with the question of this tab, or a new one if it has none."""
        with self._serving(tab):
            return self._view(tab)

    def answer(
        self,
        tab: str,
        number: int,
        outcome: str,
        judge: str = "",
        arms: Sequence[int] | None = None,
        input_key: str | None = None,
    ) -> dict[str, Any]:
        """Take an answer to a question, one of `REPLIES`, and return the view with the next question.

        The answer is not saved if the question was answered already, or if the page showed other ``arms`` (numbers in
        ``session.arms``) or another input.

        Raises
        ------
        InputError
            If the outcome is not one of `REPLIES`, or the name of the judge is wrong.
        """
        if outcome not in REPLIES:
            raise InputError(f"an outcome must be one of {', '.join(REPLIES)}, not {outcome!r}")
        by = judge_named(judge, "Judge") if judge.strip() else self._judge
        with self._serving(tab):
            pair = self._answerable(tab, number)
            if pair is None:
                return self._view(tab, "This question was answered already; your answer was not saved.")
            if self._budget is not None and self._session.told >= self._budget and outcome != "skip":
                return self._view(tab, "The session had all its answers already; yours was not saved.")
            question = self._draws.of(pair)
            if arms is not None and ([*arms], input_key) != (self._arms(pair), question.key):
                return self._view(tab, "That answer was to a question of another session, and was not saved.")
            if outcome == "skip":
                if number in self._out():
                    self._session.skip(pair, input=question.input)
            else:
                if outcome == "tie":
                    self._session.tie(pair, judge=by, input=question.input)
                else:
                    self._session.tell(pair, pair[outcome == "second"], judge=by, input=question.input)
                self._answered.append(tab)
                self._watch()
                reason = self._why_over()
                if reason:
                    self._say_over(reason)
            self._held = {holder: held for holder, held in self._held.items() if held.number != number}
            return self._view(tab, REPLIES[outcome])

    def undo(self, tab: str) -> dict[str, Any]:
        """Take the last answer back, unless another open tab gave it; this tab then gets its question."""
        with self._serving(tab):
            if not self._may_undo(tab):
                return self._view(tab, "Only the last answer can be taken back, by the page that gave it.")
            open_before = self._out()
            self._session.undo()
            self._answered = self._answered[:-1]
            for number in self._out().keys() - open_before.keys():
                self._held[tab] = self._out()[number]
            return self._view(tab, "The last answer is taken back: here is its pair.")

    def over(self) -> str:
        """Return the reason why the session asks nothing more, in words; empty while it asks."""
        with self.session():
            return self._why_over()

    def leave(self, tab: str) -> None:
        """Take back the question of a closed tab; the next tab without a question gets it."""
        with self._lock:
            self._forget(tab)

    def close(self) -> None:
        """Refuse all further requests, after the current one."""
        with self._lock:
            self._is_closed = True

    @contextmanager
    def session(self) -> Iterator[Session]:
        """Lock the session for the ``with`` block."""
        with self._lock:
            if self._is_closed:
                raise Closed
            yield self._session

    @contextmanager
    def _serving(self, tab: str) -> Iterator[None]:
        """Lock the session for a request of a tab, and forget tabs that count as closed."""
        with self.session():
            now = self._clock()
            self._last_seen[tab] = now
            for silent_tab in [seen_tab for seen_tab, seen in self._last_seen.items() if now - seen > SILENCE]:
                self._forget(silent_tab)
            yield

    def _forget(self, tab: str) -> None:
        self._last_seen.pop(tab, None)
        self._held.pop(tab, None)

    def _out(self) -> dict[int, Pair]:
        """Return the open questions by number."""
        return {pair.number: pair for pair in self._session.out}

    def _answerable(self, tab: str, number: int) -> Pair | None:
        """Return the question with this number if it is open, or if this tab has it and it was withdrawn meanwhile."""
        held = self._held.get(tab)
        return held if held is not None and held.number == number else self._out().get(number)

    def _arms(self, pair: Pair) -> list[int]:
        return [self._session.arms.index(name) for name in pair]

    def _may_undo(self, tab: str) -> bool:
        is_of_open_tab = not self._last_seen.keys().isdisjoint(self._answered[-1:])
        is_of_another_tab = self._answered[-1:] != [tab] and is_of_open_tab
        return bool(self._session.judges) and not is_of_another_tab

    def _question(self, tab: str) -> Pair | None:
        """Return the question of a tab: its own, else the oldest open one that no tab has, else a new one."""
        if self._why_over():
            return None
        held = self._held.pop(tab, None)
        if held is None or held.number not in self._out():
            if self._budget is not None and self._session.told + len(self._held) >= self._budget:
                return None  # other tabs hold the questions for the answers that are left
            question = self._draws.next({pair.number for pair in self._held.values()}, self._budget)
            held = None if question is None else question.pair
        if held is not None:
            self._held[tab] = held
        return held

    def _view(self, tab: str, note: str = "") -> dict[str, Any]:
        pair, told = self._question(tab), self._session.told
        asking = None
        if pair is not None:
            arms, question = self._arms(pair), self._draws.of(pair)
            sides = [dict(self._shown[arm]) for arm in arms]
            if question.input is not None:
                sides[0]["text"], sides[1]["text"] = question.first.text, question.second.text
            asking = {"number": pair.number, "arms": arms, "sides": sides}
            asking |= {"input": question.key, "input_text": question.input_text}
        return {
            "asked": self._question_text,
            "instructions": self._instructions or "",
            "question": asking,
            "message": "" if pair is not None else self._why_nothing(),
            "progress": counted(told, "answer") + (f" of {self._budget}" if self._budget else ""),
            "told": told,
            "over": bool(self._why_over()),
            "undo": self._may_undo(tab),
            "note": note,
            "judge": self._judge or "",
            "result": None if pair is not None or self._session.out else self._result(),
        }

    def _result(self) -> dict[str, Any] | None:
        """Return the ranking at the end, for the page."""
        from duelbench.judging.ranking.rank import result_of

        return result_of(self._session)

    def _why_nothing(self) -> str:
        """Return the reason why a tab has no question, in words."""
        reason = self._why_over()
        if reason:
            return f"{reason} Thank you; you can close this page."
        if self._session.out:
            return "Other tabs hold all open questions. This page continues when one of them is answered or closed."
        return f"No more questions. {self._session.status()}"

    def _why_over(self) -> str:
        if self._session.done:
            winner = self._session.answer
            return f"It is decided: {'no option beats all others' if winner is None else f'{winner} is the best'}."
        if self._budget is not None and self._session.told >= self._budget:
            return f"All {self._budget} answers are given."
        return ""
