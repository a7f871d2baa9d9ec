"""A live session: an algorithm asks which pair to compare, somebody answers."""

import contextlib
import os
import reprlib
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from duelbench.algorithms.contract import Algorithm
from duelbench.errors import InputError
from duelbench.live.log import Log, read
from duelbench.live.memory import Memory, Question
from duelbench.live.names import check_arm_names, judge_named
from duelbench.live.player import LEARNS_FROM_ANY_PAIR
from duelbench.live.settings import STOP, Settings, check_digests, settle_terms
from duelbench.live.verdicts import in_words
from duelbench.results.environment import environment

if TYPE_CHECKING:
    from duelbench.live.certainty import Certainty
    from duelbench.live.position import PositionBias

FORMAT = 1
"""Of logs; raised by a change after which older versions cannot read them."""

ANSWERS = ("answer", "evidence")
"""The events that `Session.undo` takes back."""

MOST_NAMES = 3
"""That one note has."""

ENDS = {"answer": "answered", "evidence": "answered", "skip": "skipped"}
"""What became of a question, by the event that says so."""


class Pair(tuple[str, str]):
    """Two arms to compare, in the order in which they are to be shown.

    Attributes
    ----------
    number : int
        Of the question, from 0; no two questions of a session have the same.
    offered : bool
        Whether the session chose the pair, because the algorithm wanted no other: the answer counts for what is known,
        and the algorithm is not told.
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


class Session:
    """Ask for pairs, tell who won, and learn who is best.

    Parameters
    ----------
    algorithm : str or Algorithm
        An id (``duelbench.algorithms()`` lists them) or an algorithm of your own.
    arms : iterable of str
        Names of what is compared, two at least, all different. Names can be printed, have no blanks around them, and
        2,000 characters at most.
    seed : int
        With the answers, it determines all questions; from 0 to 2^128 - 1.
    horizon : int, optional
        Rounds that the algorithm plays at most; 10^9 by default. Algorithms that must know it beforehand ask for it.
        An arm's duels with itself count, though nobody is asked about them.
    ties : {"half", "drop"}
        A tie counts half a win for each: the algorithm and the stopping rule are told a winner by a fair coin. Or it is
        told to nobody, and the pair is asked again.
    self_duels : bool
        True also asks about an arm's duels with itself, round by round, as `duelbench.simulate` plays them.
    stop : mapping, optional
        ``{"rule": "e-condorcet", "delta": 0.05}`` by default: the rule by which the session is done, and the
        probability with which its answer may be wrong; ``pairs`` and the other rules of
        `duelbench.algorithms.stopping.rules.RULES` are there, too. False for none.
    forbidden : iterable of (str, str)
        Pairs that are never asked. To the algorithm the two arms look equally good.
    warm : array_like of shape (K, K), or path, optional
        Duels of before: ``warm[i, j]`` = how often arm i has won against arm j, 1/2 for a tie; or a file of counts that
        ``duelbench matrix import`` reads, in which arms are found by name.
    log : str or path, optional
        A new file, in a folder that is there, in which everything is written down before it is acknowledged: see
        `open`.
    digests : mapping of str to str, optional
        By the names of arms, what tells their contents from others, such as a digest of a file; the log keeps it.
    standing_decisions : bool
        False passes over an arm's duels with itself round by round, slowly.
    **parameters
        The algorithm's own, e.g. ``alpha=0.51``.

    Raises
    ------
    InputError
        Naming what is wrong.

    Examples
    --------
    Two cups of tea, of which the first is always preferred. The evidence after n wins in a row is about
    2^(n+1) B(1/2, n + 1/2) / pi, 15.75 after five of them and 28.875 after six; it must reach 1 / delta = 20.

    >>> with Session("rucb", ["darjeeling", "bag"], seed=3) as session:
    ...     while (pair := session.ask()) is not None:
    ...         session.tell(pair, "darjeeling")
    >>> session.told, session.done, session.answer, session.recommend()
    (6, True, 'darjeeling', 'darjeeling')
    """

    _memory_or_none: Memory | None
    _log: Log | None

    def __init__(
        self,
        algorithm: str | Algorithm,
        arms: Iterable[str],
        *,
        seed: int = 0,
        horizon: int | None = None,
        ties: str = "half",
        self_duels: bool = False,
        stop: Mapping[str, Any] | bool | None = None,
        forbidden: Iterable[tuple[str, str]] = (),
        warm: npt.ArrayLike | str | os.PathLike[str] | None = None,
        log: str | os.PathLike[str] | None = None,
        digests: Mapping[str, str] | None = None,
        standing_decisions: bool = True,
        **parameters: Any,
    ) -> None:
        settings = settle_terms(
            algorithm,
            arms,
            seed,
            horizon,
            ties,
            self_duels,
            standing_decisions,
            stop,
            forbidden,
            warm,
            parameters,
            digests,
        )
        check_arm_names(settings.arms)  # here, so that logs of before there was this rule still open
        self._begin(settings)
        self._memory_or_none = Memory(settings)  # says what the algorithm cannot play, before there is a log
        if log is not None:
            self._log = Log.create(Path(log), _header(settings))

    def _begin(self, settings: Settings) -> None:
        self._settings = settings
        self._events: list[dict[str, Any]] = []
        self._questions: list[Pair] = []  # all of them, by number
        self._ends: dict[int, str] = {}  # the numbers of questions that are not out, and why
        self._memory_or_none = None
        self._playing_again = threading.RLock()  # who looks from another thread waits until all is known
        self._log = None
        self._closed_because = ""
        self.notes: list[str] = _notes(settings)

    @classmethod
    def open(
        cls,
        log: str | os.PathLike[str],
        *,
        algorithm: Algorithm | None = None,
        read_only: bool = False,
        digests: Mapping[str, str] | None = None,
    ) -> "Session":
        """Build a session again from its log, and go on.

        Everything is played again, and each question compared with the one in the log.

        Parameters
        ----------
        log : str or path
        algorithm : Algorithm, optional
            The one of the session, where it is your own and no plug-in.
        read_only : bool
            True to look only, also while another process has the session open: nothing can be asked or told.
        digests : mapping of str to str, optional
            What the arms are now: `notes` says which of them are not what they were when the session began.

        Raises
        ------
        InputError
            Naming the file, the line and the mend: when it is no log, was changed by hand, is in use, or was made by
            another version that asks other questions. Also when ``digests`` are no texts by names.
        """
        path = Path(log)
        if read_only:
            lines, notes = read(path)
            return cls._of_lines(path, lines, notes, algorithm, None, digests)
        opened, lines, notes = Log.open(path)
        try:
            return cls._of_lines(path, lines, notes, algorithm, opened, digests)
        except BaseException:
            opened.close()
            raise

    @classmethod
    def _of_lines(
        cls,
        path: Path,
        lines: list[dict[str, Any]],
        notes: list[str],
        algorithm: Algorithm | None,
        log: Log | None,
        digests: Mapping[str, str] | None,
    ) -> "Session":
        session = cls.__new__(cls)
        session._begin(_settings_of(path, lines[0], algorithm))
        session._log = log
        session.notes.extend([*notes, *_changes(session._settings, check_digests(digests))])
        if log is None:
            session._closed_because = f"{path}: the session was opened to look only; open it without read_only=True"
        session._events = lines[1:]
        try:
            session._memory  # noqa: B018  # is built
        except _Difference as error:
            made, here = lines[0]["environment"], environment()
            raise InputError(
                f"{path}: line {error.line}: {error}; it was made with duelbench {made['duelbench']} and NumPy"
                f" {made['numpy']}, this is duelbench {here['duelbench']} and NumPy {here['numpy']}: open it with"
                " those, or begin another session"
            ) from None
        return session

    # --- questions and answers ---

    def ask(self, n: int | None = None) -> Any:
        """The next pair to compare, or several.

        Parameters
        ----------
        n : int, optional
            How many new questions, to be out at once.

        Returns
        -------
        Pair or None, or list of Pair
            Without ``n`` a pair; None when there is none now: when the session is done, nothing is left that could
            matter, or the algorithm waits for answers to what is out. With ``n``, as many as there are, ``n`` at most.

        Raises
        ------
        InputError
            When ``n`` is no number from 1 on, or the session is closed.
        """
        if n is None:
            return self._ask()
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
            raise InputError(f"ask(n) takes a whole number from 1 on, got {n!r}")
        asked: list[Pair] = []
        while len(asked) < n and (pair := self._ask()) is not None:
            asked.append(pair)
        return asked

    def _ask(self) -> Pair | None:
        self._check_open()
        if self.done:
            return None
        memory = self._memory
        before = memory.player.round
        number = len(self._questions)
        with _Careful(self):
            question = memory.ask(number)
            if question is not None:
                pair = self._shown(question)
                self._note(_asked(memory, pair), durable=False)
                self._questions.append(pair)
                return pair
            if memory.player.round != before:  # without an event, the clock would stand elsewhere when opened again
                self._note(_asked(memory, None), durable=False)
        return None

    def tell(self, pair: Sequence[str], winner: str, *, judge: str | None = None, evidence: bool = False) -> None:
        """Who has won.

        Parameters
        ----------
        pair : Pair, or sequence of two names
            A question, or its two names: then the oldest question that asks for them and is out. A pair that was never
            asked is welcome, too: its outcome counts for what is known, and `notes` says so.
        winner : str
            One of the two.
        judge : str, optional
            Who says so.
        evidence : bool
            True for a duel from elsewhere, given by two names: it answers no question, whatever was asked, and counts
            for what is known and for the stopping rule.

        Raises
        ------
        InputError
            When there is no such arm or question, the winner is not in the pair, or it was answered before.
        """
        if winner is None:  # what a function without `return` says is no tie
            raise InputError(
                "the winner is None; name one of the two; for a tie: session.tie(pair), for no answer:"
                " session.skip(pair)"
            )
        self._tell(pair, winner, judge, evidence)

    def tie(self, pair: Sequence[str], *, judge: str | None = None, evidence: bool = False) -> None:
        """Neither is better; see ``ties`` for what that counts.

        Raises
        ------
        InputError
            As `tell`.
        """
        self._tell(pair, None, judge, evidence)

    def _tell(self, pair: Sequence[str], winner: str | None, judge: str | None, evidence: bool) -> None:
        self._check_open()
        first, second = self._names(pair)
        if winner is not None and winner not in (first, second):
            hint = "; for a tie: session.tie(pair)" if str(winner).lower() in ("tie", "draw", "none") else ""
            raise InputError(f"the winner {winner!r} is not in the pair, {first!r} against {second!r}{hint}")
        if judge is not None:
            if not isinstance(judge, str):
                raise InputError(f"judge must be a name, got {judge!r}")
            judge = judge_named(judge)
        if evidence and isinstance(pair, Pair):
            raise InputError(f"question {pair.number} is no duel from elsewhere; tell its answer without evidence=True")
        number = None if evidence else self._number_out(pair)
        is_out = number in self._memory.out
        shown = (first, second) if number is None else self._questions[number]
        event: dict[str, Any] = {"event": "answer" if is_out else "evidence", "number": number}
        event |= {"first": shown[0], "second": shown[1], "winner": winner, "judge": judge}
        self._happen(event)
        if not is_out:
            what = "is a duel from elsewhere" if evidence else "was not asked"
            self.notes.append(
                f"{first!r} against {second!r} {what}: the outcome counts for what is known, and the algorithm"
                " is not told"
            )

    def skip(self, pair: Sequence[str]) -> None:
        """No answer to this question: the pair is asked again, though not next if there is another.

        Raises
        ------
        InputError
            When it is not out.
        """
        self._check_open()
        self._names(pair)
        number = self._number_out(pair)
        if number is None or number not in self._memory.out:
            raise InputError(f"{pair[0]!r} against {pair[1]!r} is not out, so that there is nothing to skip")
        asked = self._questions[number]
        self._happen({"event": "skip", "number": number, "first": asked[0], "second": asked[1]})

    def undo(self) -> None:
        """Take back the last answer: its question is out again, and those asked since are withdrawn.

        Who answers a question that was withdrawn adds to what is known, and the algorithm is not told.

        Raises
        ------
        InputError
            When there is no answer.
        """
        self._check_open()
        if not any(event["event"] in ANSWERS for _, event in _effective(self._events)):
            raise InputError("there is no answer to take back")
        with _Careful(self):
            self._note({"event": "undo"})
            self._memory_or_none = None

    def _happen(self, event: dict[str, Any]) -> None:
        memory = self._memory
        with _Careful(self):
            if event.get("winner", "") is None and self._settings.ties == "half":
                event["coin"] = self.arms[memory.flip(*map(self._settings.arm, (event["first"], event["second"])))]
            self._note(event)
            self._apply(memory, event)

    def _note(self, event: dict[str, Any], durable: bool = True) -> None:
        """Write down what has happened; only then it has."""
        self._check_open()
        event["time"] = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        if self._log is not None:
            self._log.append(event, durable)
        self._events.append(event)

    def _check_open(self) -> None:
        if self._closed_because:
            raise InputError(self._closed_because)

    def _forget(self) -> None:
        """Let everything be worked out again from what has happened, which is what the log says, if there is one."""
        self._memory_or_none = None
        if self._log is not None:
            with contextlib.suppress(InputError):  # what is wrong with the file, the next answer will say
                self._events = self._log.read_again()[1:]

    @property
    def _memory(self) -> Memory:
        with self._playing_again:
            if self._memory_or_none is None:
                self._memory_or_none = self._played_again()
            return self._memory_or_none

    def _played_again(self) -> Memory:
        """What is known, worked out from what has happened.

        Raises
        ------
        _Difference
            Where something else is asked now.
        """
        memory = Memory(self._settings)
        self._questions = [
            Pair(event["first"], event["second"], event["number"]) for event in self._events if event["event"] == "ask"
        ]
        self._ends = dict.fromkeys(range(len(self._questions)), "withdrawn")
        for line, event in _effective(self._events):
            if event["event"] in ("ask", "wait"):
                question = memory.ask(event.get("number", -1))  # a wait has none
                pair = None if question is None else self._shown(question)
                now = _asked(memory, pair)
                if pair is not None and now.items() <= event.items():
                    self._questions[pair.number] = pair
                    del self._ends[pair.number]
                elif not now.items() <= event.items():
                    raise _Difference(line, event, now)
            else:
                if "coin" in event:
                    memory.flip(*map(self._settings.arm, (event["first"], event["second"])))
                self._apply(memory, event)
        return memory

    def _apply(self, memory: Memory, event: Mapping[str, Any]) -> None:
        """Let an answer count, or the lack of one."""
        number = event["number"]
        if event["event"] == "skip":
            memory.skip(number)
        else:
            arm = self._settings.arm
            winner = None if event["winner"] is None else arm(event["winner"])
            coin = arm(event["coin"]) if "coin" in event else None
            if event["event"] == "answer":
                memory.answer(number, winner, coin)
            else:
                memory.add(arm(event["first"]), arm(event["second"]), winner, coin)
        if number is not None:
            self._ends[number] = ENDS[event["event"]]

    def _shown(self, question: Question) -> Pair:
        first, second = (self.arms[arm] for arm in question.shown)
        return Pair(first, second, question.number, question.offered, question.swapped)

    def _names(self, pair: Sequence[str]) -> tuple[str, str]:
        """The two names of a pair, checked."""
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise InputError(f"a pair is what ask() returned, or two names, got {reprlib.repr(pair)}")
        for name in pair:
            self._settings.arm(name)
        if pair[0] == pair[1] and not self._settings.self_duels:
            raise InputError(f"{pair[0]!r} against itself says nothing; a pair has two different arms")
        return pair[0], pair[1]

    def _number_out(self, pair: Sequence[str]) -> int | None:
        """The number of the question that a pair answers, out or withdrawn; None where it was never asked."""
        memory = self._memory
        if isinstance(pair, Pair):
            number = pair.number
            if not 0 <= number < len(self._questions):
                raise InputError(f"question {number} was never asked in this session; the pair is from another one")
            asked = self._questions[number]
            if {*asked} != {*pair}:
                raise InputError(
                    f"question {number} asks {asked[0]!r} against {asked[1]!r}, not {pair[0]!r} against {pair[1]!r};"
                    " the pair is from another session"
                )
            if number in memory.out or self._ends[number] == "withdrawn":
                return number
            raise InputError(f"question {number}, {asked[0]!r} against {asked[1]!r}, was {self._ends[number]} already")
        i, j = sorted(self._settings.arm(name) for name in pair)
        for number, question in memory.out.items():
            if question.pair == (i, j):
                return number
        if (i, j) in memory.asked_pairs:
            raise InputError(
                f"{pair[0]!r} against {pair[1]!r} was answered already, and is not out again; for a duel from"
                " elsewhere, say evidence=True"
            )
        return None

    # --- what is known ---

    @property
    def arms(self) -> tuple[str, ...]:
        """The names of the arms, as given."""
        return self._settings.arms

    @property
    def terms(self) -> dict[str, Any]:
        """What the session was begun with: the algorithm and its parameters, arms, seed, rule, forbidden pairs."""
        return self._settings.header()

    @property
    def out(self) -> tuple[Pair, ...]:
        """The questions that were asked and are not answered yet, oldest first."""
        return tuple(self._questions[number] for number in self._memory.out)

    @property
    def told(self) -> int:
        """How many answers there were, ties included."""
        return self._memory.told

    @property
    def judges(self) -> dict[str | None, int]:
        """How many answers each judge gave; None stands for answers without a name."""
        return dict(Counter(event["judge"] for _, event in _effective(self._events) if event["event"] in ANSWERS))

    @property
    def wins(self) -> npt.NDArray[np.int64]:
        """(K, K): ``wins[i, j]`` = how often somebody said that arm i is better than arm j; without those in `warm`."""
        return self._memory.wins.copy()

    @property
    def ties(self) -> npt.NDArray[np.int64]:
        """(K, K), symmetric: how often somebody said that neither of two arms is better."""
        return self._memory.ties.copy()

    @property
    def warm(self) -> npt.NDArray[np.float64]:
        """(K, K): ``warm[i, j]`` = duels that arm i had won against arm j before the session, ties half each."""
        return self._memory.warm.copy()

    def recommend(self) -> str:
        """The arm to choose now: the answer of the stopping rule; before it, what the algorithm recommends."""
        memory = self._memory
        return self.arms[memory.recommend()]

    @property
    def settled(self) -> bool:
        """Whether the algorithm has made up its mind.

        It has where it asks for nothing more up to its horizon, or where the last stretch of rounds that nobody was
        asked about was at least as long as all rounds before it, of which there must be K^2. `ask` then still asks for
        what it wants; where it wants nothing, for the pair that is most useful to know.
        """
        return self._memory.player.is_settled

    @property
    def done(self) -> bool:
        """Whether the stopping rule has its answer."""
        return self._memory.is_done

    @property
    def answer(self) -> str | None:
        """The winner by the stopping rule; None before it is `done`, and where the answer is that nobody wins."""
        said = self._memory.verdict
        return None if said is None else self.arms[said]

    def certainty(self) -> "Certainty":
        """What the answers so far show, with intervals: see `duelbench.live.certainty`.

        By the session's stopping rule if that is e-condorcet or pairs, by e-condorcet otherwise.
        """
        from duelbench.live.certainty import certainty
        from duelbench.live.evidence import RULES

        memory, stop = self._memory, self._settings.stop or STOP
        return certainty(
            memory.evidence(),
            delta=stop["delta"],
            seed=self._settings.seed,
            first_wins=(memory.first_won, memory.n_shown),
            rule=stop["rule"] if stop["rule"] in RULES else STOP["rule"],
        )

    def position_bias(self) -> "PositionBias":
        """Whether being shown first is an advantage: see `duelbench.live.position`."""
        from duelbench.live.position import position_bias

        return position_bias(self._memory.first_won, self._memory.n_shown)

    def status(self) -> str:
        """How things stand, in a sentence."""
        before = self._settings.duels_of_before
        count = ", ".join([f"{self.told} answer{'s' * (self.told != 1)}", *([before] if before else [])])
        if self.done:
            stop = self._settings.stop or {}
            said = f"{in_words(stop, self.answer)} ({stop['rule']}, wrong with probability {stop['delta']:g} at most)"
            return f"{count}: done; {said}"
        waiting = f", {len(self.out)} out" if self.out else ""
        mind = "has settled on" if self.settled else "recommends"
        return f"{count}{waiting}: {self._settings.algorithm.name} {mind} {self.recommend()}"

    def __repr__(self) -> str:
        return f"<Session of {len(self.arms)} arms: {self.status()}>"

    def close(self) -> None:
        """Let others have the log, if there is one; nothing can be asked or told any more."""
        if self._log is not None:
            self._log.close()
            self._closed_because = f'the session is closed; go on with it by Session.open("{self._log.path}")'

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


class _Careful:
    """Where something ends halfway, as by Ctrl-C, the session works everything out again from what has happened."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def __enter__(self) -> None:
        pass

    def __exit__(self, error: type[BaseException] | None, *_rest: object) -> None:
        if error is not None:
            self._session._forget()


class _Difference(Exception):
    """Another question is asked now than then."""

    def __init__(self, line: int, then: Mapping[str, Any], now: Mapping[str, Any]) -> None:
        names = [
            "asks nothing" if event["event"] == "wait" else f"asks {event['first']!r} against {event['second']!r}"
            for event in (then, now)
        ]
        same = f"{names[0]}, and so does this version, but its randomness stands elsewhere"
        super().__init__(same if names[0] == names[1] else f"{names[0]}, where this version {names[1]}")
        self.line = line


def _asked(memory: Memory, pair: Pair | None) -> dict[str, Any]:
    """What is written down of a question, or of there being none, when it is asked."""
    event: dict[str, Any] = {"event": "wait"}
    if pair is not None:
        event = {"event": "ask", "number": pair.number, "first": pair[0], "second": pair[1], "offered": pair.offered}
    return {**event, "round": memory.player.round, "random": memory.player.place()}


def _effective(events: Iterable[dict[str, Any]]) -> list[tuple[int, dict[str, Any]]]:
    """What has happened and was not taken back: an undo takes the last answer with it, and all since.

    With the numbers of the lines in a log, whose first line comes before all that happens.
    """
    kept: list[tuple[int, dict[str, Any]]] = []
    for line, event in enumerate(events, start=2):
        if event["event"] == "undo":
            while kept.pop()[1]["event"] not in ANSWERS:
                pass
        else:
            kept.append((line, event))
    return kept


def _notes(settings: Settings) -> list[str]:
    """What there is to say of a session before anything happens."""
    if not settings.duels_of_before:
        return []
    is_told = settings.algorithm.id in LEARNS_FROM_ANY_PAIR
    who = f"and {settings.algorithm.name} is told of them" if is_told else f"but {settings.algorithm.name} is not told"
    return [f"{settings.duels_of_before}: they count for what is known and for the stopping rule, {who}"]


def _changes(settings: Settings, digests: Mapping[str, str]) -> list[str]:
    """Which arms are not what they were, in words."""
    before = settings.digests
    changed = [name for name, digest in digests.items() if before.get(name, digest) != digest]
    if not changed:
        return []
    names = ", ".join(map(repr, changed[:MOST_NAMES]))
    more = f" and {len(changed) - MOST_NAMES} more" if len(changed) > MOST_NAMES else ""
    return [
        f"what is shown of {names}{more} has changed since the session began; the answers to what it was still count"
    ]


def _header(settings: Settings) -> dict[str, Any]:
    """The first line of a log."""
    return {"event": "session", "format": FORMAT, **settings.header(), "environment": environment()}


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
    terms = {key: value for key, value in header.items() if key not in ("event", "format", "environment")}
    if algorithm is not None and algorithm.id != terms["algorithm"]:
        raise InputError(f"{place}: the session's algorithm is {terms['algorithm']}, not {algorithm.id}")
    try:
        return settle_terms(**{**terms, "algorithm": algorithm or terms["algorithm"]})
    except InputError as error:
        raise InputError(f"{place}: {error}") from None
