"""What has happened in a live session, with its log if there is one, and what follows from that."""

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
"""Of logs; raised by a change after which earlier releases cannot read them."""

AUTOMATIC = {"identical": True}
"""The details of a tie that nobody was asked about, because both outputs are the same text."""

ENDS = {"answer": "answered", "evidence": "answered", "skip": "skipped"}
"""What became of a question, by the event that says so."""


def is_automatic(event: Mapping[str, Any]) -> bool:
    """Whether an answer was given by no judge."""
    return event.get("details") == AUTOMATIC


class Pair(tuple[str, str]):
    """Two arms to compare, in the order in which they are to be shown.

    Attributes
    ----------
    number : int
        Of the question, from 0; no two questions of a session have the same.
    offered : bool
        Whether the session chose the pair, because the algorithm wanted no other: the answer counts for what is known,
        and the algorithm does not learn it.
    swapped : bool
        Whether the algorithm named the two arms the other way round.

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
    """The events of a session, and all that follows from them; `begin` or `open` one."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.questions: list[Pair] = []  # all that were asked, by number
        self.ends: dict[int, str] = {}  # what became of those that are not out, by number
        self._events: list[dict[str, Any]] = []
        self._memory: Memory | None = None
        self._replaying = threading.RLock()  # other threads wait until all is known
        self._log: SessionLog | None = None
        self._closed_because = ""

    @classmethod
    def begin(cls, settings: Settings, log: Path | None) -> "History":
        """Nothing yet, and a new log if one is named; `InputError` where the algorithm cannot play this."""
        history = cls(settings)
        history._memory = Memory(settings)  # says what the algorithm cannot play, before there is a log
        if log is not None:
            header = {"event": "session", "format": FORMAT, **settings.header(), "environment": environment()}
            history._log = SessionLog.create(log, header)
        return history

    @classmethod
    def open(cls, path: Path, algorithm: Algorithm | None, read_only: bool) -> "tuple[History, list[str]]":
        """What a log says, played again, and notes; see `duelbench.Session.open`."""
        log = None
        if read_only:
            lines, notes = read(path)
        else:
            log, lines, notes = SessionLog.open(path)
        try:
            history = cls(_settings_of(path, lines[0], algorithm))
            history._events, history._log = lines[1:], log
            if read_only:
                history._closed_because = f"{path}: the session is open to look only; open it without read_only=True"
            history._memory = history._replayed()
        except BaseException as error:
            if log is not None:
                log.close()
            if not isinstance(error, _Difference):
                raise
            made, here = (
                f"duelbench {versions['duelbench']} and NumPy {versions['numpy']}"
                for versions in (lines[0]["environment"], environment())
            )
            raise InputError(
                f"{path}: line {error.line}: {error}; it was made with {made}, this is {here}: open it with those, or"
                " begin another session"
            ) from None
        return history, notes

    @property
    def notes(self) -> list[str]:
        """What happened to the log while it was open."""
        return [] if self._log is None else self._log.notes

    def close(self) -> None:
        """Close the log, if there is one; nothing can happen from then on."""
        if self._log is not None:
            self._log.close()
            self._closed_because = f'the session is closed; go on with it by Session.open("{self._log.path}")'

    def check_open(self) -> None:
        """Refuse what would happen after the end."""
        if self._closed_because:
            raise InputError(self._closed_because)

    def answers(self) -> list[dict[str, Any]]:
        """The events that are answers, and were not taken back."""
        return [event for event in self.happened() if event["event"] in ANSWERS]

    def happened(self) -> list[dict[str, Any]]:
        """All events that were not taken back, with answers as they were corrected."""
        return [event for _, event in corrected(effective(self._events))]

    # --- what happens ---

    def ask(self) -> Pair | None:
        """Ask the next question, if there is one now."""
        memory = self.memory
        before = memory.player.round
        with self._careful():
            pair = self._next(memory, len(self.questions))
            if pair is not None or memory.player.round != before:  # else the clock would stand elsewhere when replayed
                self._note(_asked(memory, pair), durable=False)
            if pair is not None:
                self.questions.append(pair)
        return pair

    def happen(self, event: dict[str, Any]) -> None:
        """An answer, or the lack of one."""
        memory = self.memory
        with self._careful():
            if event.get("winner", "") is None and self.settings.ties == "half":
                event["coin"] = self.settings.arms[memory.flip(*self._arms(event))]
            self._note(event)
            self._apply(memory, event)

    def correct(self, answer: int, winner: str | None) -> None:
        """Replace the winner of an answer, counted from 1; None for a tie."""
        first, second = (self.answers()[answer - 1][side] for side in ("first", "second"))
        self.happen({"event": "correct", "answer": answer, "first": first, "second": second, "winner": winner})

    def undo(self) -> None:
        """Take back the last answer."""
        with self._careful():
            self._note({"event": "undo"})
            self._memory = None

    def _note(self, event: dict[str, Any], durable: bool = True) -> None:
        """Write down what has happened; only then it has."""
        event["time"] = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        if self._log is not None:
            self._log.append(event, durable)
        self._events.append(event)

    @contextlib.contextmanager
    def _careful(self) -> Iterator[None]:
        """Where something ends halfway, as by Ctrl-C, everything is worked out again from what has happened."""
        try:
            yield
        except BaseException:
            self.forget()
            raise

    def forget(self) -> None:
        """Work everything out again when it is needed, from the log if there is one."""
        self._memory = None
        if self._log is not None:
            with contextlib.suppress(InputError):  # what is wrong with the file, the next answer will say
                self._events = self._log.read_again()[1:]

    # --- what follows from it ---

    @property
    def memory(self) -> Memory:
        """What is known."""
        with self._replaying:
            if self._memory is None:
                self._memory = self._replayed()
            return self._memory

    def _replayed(self) -> Memory:
        """What is known, worked out from what has happened; `_Difference` where something else is asked now."""
        memory = Memory(self.settings)
        self.questions = [
            Pair(event["first"], event["second"], event["number"]) for event in self._events if event["event"] == "ask"
        ]
        self.ends = dict.fromkeys(range(len(self.questions)), "withdrawn")
        for line, event in effective(self._events):
            if event["event"] in ("ask", "wait"):
                pair = self._next(memory, event.get("number", -1))  # a wait has none
                now = _asked(memory, pair)
                if not now.items() <= event.items():
                    raise _Difference(line, event, now)
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
        """Let an answer count, or the lack of one."""
        arms = self.settings.arms
        number = event.get("number")  # a correction has none
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
    """Another question is asked now than then."""

    def __init__(self, line: int, then: Mapping[str, Any], now: Mapping[str, Any]) -> None:
        did, does = (
            "asks nothing" if event["event"] == "wait" else f"asks {event['first']!r} against {event['second']!r}"
            for event in (then, now)
        )
        same = f"{did}, and so does this version, but its randomness stands elsewhere"
        super().__init__(same if did == does else f"{did}, where this version {does}")
        self.line = line


def _asked(memory: Memory, pair: Pair | None) -> dict[str, Any]:
    """What the log says of a question, or of there being none."""
    event: dict[str, Any] = {"event": "wait"}
    if pair is not None:
        event = {"event": "ask", "number": pair.number, "first": pair[0], "second": pair[1], "offered": pair.offered}
    return {**event, "round": memory.player.round, "random": memory.player.place()}


def _settings_of(path: Path, header: Mapping[str, Any], algorithm: Algorithm | None) -> Settings:
    """The settings in the first line of a log."""
    place = f"{path}: line 1"
    if header.get("event") != "session":
        raise InputError(f"{place} is not the first line of a session's log")
    if header["format"] > FORMAT:
        made = header["environment"]["duelbench"]
        raise InputError(
            f"{place}: written by duelbench {made} in format {header['format']}; this version reads format {FORMAT}:"
            " update duelbench"
        )
    settings = {key: value for key, value in header.items() if key not in ("event", "format", "environment")}
    if algorithm is not None and algorithm.id != settings["algorithm"]:
        raise InputError(f"{place}: the session's algorithm is {settings['algorithm']}, not {algorithm.id}")
    try:
        return settle(**{**settings, "algorithm": algorithm or settings["algorithm"]})
    except InputError as error:
        raise InputError(f"{place}: {error}") from None
