"""The events of a live session, their log, and the state that they lead to."""

import contextlib
import threading
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from duelbench.bandits.algorithms.contract import Algorithm
from duelbench.data.session_log import ANSWERS, corrected, effective, read
from duelbench.errors import InputError
from duelbench.experiments.results.environment import environment
from duelbench.judging.log import SessionLog
from duelbench.judging.memory import Memory
from duelbench.judging.settings import Settings, settle

FORMAT = 1
"""The version of the log format; it increases with each change that earlier releases cannot read."""

AUTOMATIC = {"identical": True}
"""The details of a tie that the session recorded itself, because both outputs are the same text."""

ENDS = {"answer": "answered", "evidence": "answered", "skip": "skipped"}
"""How each kind of event ends a question, in words."""


def is_automatic(event: Mapping[str, Any]) -> bool:
    """Return whether the session recorded an answer itself, without a judge."""
    return event.get("details") == AUTOMATIC


class Pair(tuple[str, str]):
    """Two arms to compare, in the order in which judges see them.

    Attributes
    ----------
    number : int
        The number of the question in its session, from 0.
    offered : bool
        Whether the session chose the pair, because the algorithm chose none. The answer counts in the results, but the
        algorithm does not learn it.
    swapped : bool
        Whether the algorithm named the two arms in the other order.

    Examples
    --------
    >>> pair = Pair("tea", "coffee", number=7)
    >>> first, second = pair
    >>> first, second, pair.number
    ('tea', 'coffee', 7)
    """

    number: int
    offered: bool
    swapped: bool

    def __new__(cls, first: str, second: str, number: int, offered: bool = False, swapped: bool = False) -> "Pair":
        pair = super().__new__(cls, (first, second))
        pair.number, pair.offered, pair.swapped = number, offered, swapped
        return pair

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (*self, self.number, self.offered, self.swapped)


class History:
    """The events of a session, and the state that they lead to; use `begin` or `open`."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.questions: list[Pair] = []  # all questions so far, by number
        self.ends: dict[int, str] = {}  # how each closed question ended, by number
        self._events: list[dict[str, Any]] = []
        self._memory: Memory | None = None  # None until the events are replayed
        self._replaying = threading.RLock()  # other threads wait for the end of a replay
        self._log: SessionLog | None = None
        self._closed_because = ""

    @classmethod
    def begin(cls, settings: Settings, log: Path | None) -> "History":
        """Start a history, with a new log if a path is given; refuse settings with which the algorithm cannot play."""
        history = cls(settings)
        history._memory = Memory(settings)  # refuses settings before the log exists
        if log is not None:
            header = {"event": "session", "format": FORMAT, **settings.header(), "environment": environment()}
            history._log = SessionLog.create(log, header)
        return history

    @classmethod
    def open(cls, path: Path, algorithm: Algorithm | None, read_only: bool) -> "tuple[History, list[str]]":
        """Replay a log; return its history, and notes. See `duelbench.Session.open`."""
        log = None
        if read_only:
            lines, notes = read(path)
        else:
            log, lines, notes = SessionLog.open(path)
        try:
            history = cls(_settings_of(path, lines[0], algorithm))
            history._events, history._log = lines[1:], log
            if read_only:
                history._closed_because = f"{path}: the session is read-only; open it without read_only=True"
            history._memory = history._replayed()
        except BaseException as error:
            if log is not None:
                log.close()
            if not isinstance(error, _Difference):
                raise
            log_versions, own_versions = (
                f"duelbench {versions['duelbench']} and NumPy {versions['numpy']}"
                for versions in (lines[0]["environment"], environment())
            )
            raise InputError(
                f"{path}: line {error.line}: {error}; it was made with {log_versions}, this is {own_versions}: open it"
                " with those, or start another session"
            ) from None
        return history, notes

    @property
    def notes(self) -> list[str]:
        """Notes on what happened to the log while it was open."""
        return [] if self._log is None else self._log.notes

    def close(self) -> None:
        """Close the log, if the session has one; later events are refused."""
        if self._log is not None:
            self._log.close()
            self._closed_because = f'the session is closed; continue it with Session.open("{self._log.path}")'

    def check_open(self) -> None:
        """Raise an `InputError` if the session is closed or read-only."""
        if self._closed_because:
            raise InputError(self._closed_because)

    def answers(self) -> list[dict[str, Any]]:
        """Return the answers that were not taken back."""
        return [event for event in self.happened() if event["event"] in ANSWERS]

    def happened(self) -> list[dict[str, Any]]:
        """Return all events that were not taken back, with corrected answers."""
        return [event for _, event in corrected(effective(self._events))]

    # --- events ---

    def ask(self) -> Pair | None:
        """Ask and return the next question; None if the session has no question now."""
        memory = self.memory
        round_before = memory.player.round
        with self._forgetting_on_errors():
            pair = self._next(memory, len(self.questions))
            if pair is not None or memory.player.round != round_before:  # a replay must move the clock, too
                self._record(_question_event(memory, pair), durable=False)
            if pair is not None:
                self.questions.append(pair)
        return pair

    def happen(self, event: dict[str, Any]) -> None:
        """Record and apply an answer, a skip or a correction."""
        memory = self.memory
        with self._forgetting_on_errors():
            if event.get("winner", "") is None and self.settings.ties == "half":
                event["coin"] = self.settings.arms[memory.flip(*self._arms(event))]
            self._record(event)
            self._apply(memory, event)

    def correct(self, answer: int, winner: str | None) -> None:
        """Replace the winner of an answer, counted from 1; None for a tie."""
        first, second = (self.answers()[answer - 1][side] for side in ("first", "second"))
        self.happen({"event": "correct", "answer": answer, "first": first, "second": second, "winner": winner})

    def undo(self) -> None:
        """Take back the last answer."""
        with self._forgetting_on_errors():
            self._record({"event": "undo"})
            self._memory = None

    def _record(self, event: dict[str, Any], durable: bool = True) -> None:
        """Write an event to the log, then add it to the events; if writing fails, the event is not added."""
        event["time"] = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        if self._log is not None:
            self._log.append(event, durable)
        self._events.append(event)

    @contextlib.contextmanager
    def _forgetting_on_errors(self) -> Iterator[None]:
        """Drop the state after an error or Ctrl-C, which may have left it incomplete; see `forget`."""
        try:
            yield
        except BaseException:
            self.forget()
            raise

    def forget(self) -> None:
        """Drop the state; the next use replays the events, which are read again from the log if the session has one."""
        self._memory = None
        if self._log is not None:
            with contextlib.suppress(InputError):  # the next answer raises the error again
                self._events = self._log.read_again()[1:]

    # --- state ---

    @property
    def memory(self) -> Memory:
        """The state after all events."""
        with self._replaying:
            if self._memory is None:
                self._memory = self._replayed()
            return self._memory

    def _replayed(self) -> Memory:
        """Replay all events and return the state; raise `_Difference` if this version asks another question."""
        memory = Memory(self.settings)
        self.questions = [
            Pair(event["first"], event["second"], event["number"]) for event in self._events if event["event"] == "ask"
        ]
        self.ends = dict.fromkeys(range(len(self.questions)), "withdrawn")
        for line, event in effective(self._events):
            if event["event"] in ("ask", "wait"):
                pair = self._next(memory, event.get("number", -1))  # a wait has no number
                replayed = _question_event(memory, pair)
                if not replayed.items() <= event.items():
                    raise _Difference(line, event, replayed)
                if pair is not None:
                    self.questions[pair.number] = pair
                    del self.ends[pair.number]
            else:
                if "coin" in event:
                    memory.flip(*self._arms(event))
                self._apply(memory, event)
        return memory

    def _next(self, memory: Memory, number: int) -> Pair | None:
        query = memory.ask(number)
        if query is None:
            return None
        first, second = (self.settings.arms[arm] for arm in query.shown)
        return Pair(first, second, number, query.offered, query.swapped)

    def _apply(self, memory: Memory, event: Mapping[str, Any]) -> None:
        """Change the state by an answer, a skip or a correction."""
        arms = self.settings.arms
        number = event.get("number")  # a correction has no number
        if event["event"] == "skip":
            memory.skip(event["number"])
        else:
            winner = None if event["winner"] is None else arms.index(event["winner"])
            coin = arms.index(event["coin"]) if "coin" in event else None
            if event["event"] == "answer":
                memory.answer(event["number"], winner, coin)
            elif event["event"] == "correct":
                memory.correct(event["answer"] - 1, winner, coin)
            else:
                memory.add(*self._arms(event), winner, coin)
        if number is not None:
            self.ends[number] = ENDS[event["event"]]

    def _arms(self, event: Mapping[str, Any]) -> tuple[int, int]:
        return self.settings.arms.index(event["first"]), self.settings.arms.index(event["second"])


class _Difference(Exception):
    """Raised if this version asks a different question than the log has."""

    def __init__(self, line: int, logged: Mapping[str, Any], replayed: Mapping[str, Any]) -> None:
        was_asked, is_asked = (
            "asks nothing" if event["event"] == "wait" else f"asks {event['first']!r} against {event['second']!r}"
            for event in (logged, replayed)
        )
        message = f"{was_asked}, but this version {is_asked}"
        if was_asked == is_asked:
            message = f"{was_asked}, and so does this version, but its random numbers differ"
        super().__init__(message)
        self.line = line


def _question_event(memory: Memory, pair: Pair | None) -> dict[str, Any]:
    """Return the event that the log stores for a question, or for having none."""
    event: dict[str, Any] = {"event": "wait"}
    if pair is not None:
        event = {"event": "ask", "number": pair.number, "first": pair[0], "second": pair[1], "offered": pair.offered}
    return {**event, "round": memory.player.round, "random": memory.player.random_digest()}


def _settings_of(path: Path, header: Mapping[str, Any], algorithm: Algorithm | None) -> Settings:
    """Return the settings in the first line of a log."""
    location = f"{path}: line 1"
    if header.get("event") != "session":
        raise InputError(f"{location} is not the first line of a session's log")
    if header["format"] > FORMAT:
        made = header["environment"]["duelbench"]
        raise InputError(
            f"{location}: written by duelbench {made} in format {header['format']}; this version reads format {FORMAT}:"
            " update duelbench"
        )
    settings = {key: value for key, value in header.items() if key not in ("event", "format", "environment")}
    if algorithm is not None and algorithm.id != settings["algorithm"]:
        raise InputError(f"{location}: the session's algorithm is {settings['algorithm']}, not {algorithm.id}")
    try:
        return settle(**{**settings, "algorithm": algorithm or settings["algorithm"]})
    except InputError as error:
        raise InputError(f"{location}: {error}") from None
