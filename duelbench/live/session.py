"""A live session: an algorithm asks which pair to compare, somebody answers."""

import reprlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from duelbench.algorithms.contract import Algorithm
from duelbench.errors import InputError
from duelbench.live.memory import Memory, Question
from duelbench.live.settings import settle_terms

if TYPE_CHECKING:
    from duelbench.live.certainty import Certainty

ANSWERS = ("answer", "evidence")
"""The events that `Session.undo` takes back."""


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
        Names of what is compared, two at least, all different.
    seed : int
        With the answers, it determines all questions; from 0 to 2^128 - 1.
    horizon : int, optional
        Rounds that the algorithm plays at most; 10^6 by default. Algorithms that must know it beforehand ask for it.
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
    2^(n+1) B(1/2, n + 1/2) / pi: 15.75 after five of them, 28.875 after six, which is more than 1 / delta = 20.

    >>> with Session("rucb", ["darjeeling", "bag"], seed=3) as session:
    ...     while (pair := session.ask()) is not None:
    ...         session.tell(pair, "darjeeling")
    >>> session.told, session.done, session.answer, session.recommend()
    (6, True, 'darjeeling', 'darjeeling')
    """

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
        standing_decisions: bool = True,
        **parameters: Any,
    ) -> None:
        self._settings = settle_terms(
            algorithm, arms, seed, horizon, ties, self_duels, standing_decisions, stop, forbidden, parameters
        )
        K = len(self._settings.arms)
        self._warm = np.zeros((K, K))
        self._events: list[dict[str, Any]] = []
        self._questions: list[Pair] = []  # all of them, by number
        self._closed: dict[int, str] = {}  # the numbers of questions that are not out, and why
        self.notes: list[str] = []
        self._memory_or_none: Memory | None = Memory(self._settings, self._warm)

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
        if self.done:
            return None
        memory = self._memory
        before = memory.player.round
        with _Careful(self):
            question = memory.ask(len(self._questions))
        if question is None:
            if memory.player.round != before:  # the clock has gone on, which must happen again when all is played again
                self._note({"event": "wait", "number": len(self._questions)})
            return None
        pair = self._shown(question)
        self._questions.append(pair)
        self._note({"event": "ask", "number": pair.number, "first": pair[0], "second": pair[1]})
        return pair

    def tell(self, pair: Sequence[str], winner: str, *, judge: str | None = None) -> None:
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

        Raises
        ------
        InputError
            When there is no such arm or question, the winner is not in the pair, or it was answered before.
        """
        self._tell(pair, winner, judge)

    def tie(self, pair: Sequence[str], *, judge: str | None = None) -> None:
        """Neither is better; see ``ties`` for what that counts.

        Raises
        ------
        InputError
            As `tell`.
        """
        self._tell(pair, None, judge)

    def _tell(self, pair: Sequence[str], winner: str | None, judge: str | None) -> None:
        first, second = self._names(pair)
        if winner is not None and winner not in (first, second):
            hint = "; for a tie: session.tie(pair)" if str(winner).lower() in ("tie", "draw", "none") else ""
            raise InputError(f"the winner {winner!r} is not in the pair, {first!r} against {second!r}{hint}")
        if judge is not None and not isinstance(judge, str):
            raise InputError(f"judge must be a name, got {judge!r}")
        number = self._number_out(pair)
        shown = (first, second) if number is None else self._questions[number]
        event = {
            "event": "evidence" if number is None else "answer",
            "number": number,
            "first": shown[0],
            "second": shown[1],
            "winner": winner,
            "judge": judge,
        }
        self._happen(event)
        if number is None:
            self.notes.append(
                f"{first!r} against {second!r} was not asked: the outcome counts for what is known, the algorithm is"
                " not told"
            )
        else:
            self._closed[number] = "answered"

    def skip(self, pair: Sequence[str]) -> None:
        """No answer to this question: the pair is asked again, though not next if there is another.

        Raises
        ------
        InputError
            When it is not out.
        """
        self._names(pair)
        number = self._number_out(pair)
        if number is None:
            raise InputError(f"{pair[0]!r} against {pair[1]!r} is not out, so that there is nothing to skip")
        asked = self._questions[number]
        self._happen({"event": "skip", "number": number, "first": asked[0], "second": asked[1]})
        self._closed[number] = "skipped"

    def undo(self) -> None:
        """Take back the last answer: its question is out again, and those asked since are withdrawn.

        Who answers a question that was withdrawn adds to what is known, and the algorithm is not told.

        Raises
        ------
        InputError
            When there is no answer.
        """
        if not any(event["event"] in ANSWERS for event in _effective(self._events)):
            raise InputError("there is no answer to take back")
        self._note({"event": "undo"})
        self._forget()

    def _happen(self, event: dict[str, Any]) -> None:
        self._note(event)
        memory = self._memory
        with _Careful(self):
            memory.apply(event)

    def _note(self, event: dict[str, Any]) -> None:
        self._events.append(event)

    def _forget(self) -> None:
        """Let everything be worked out again from what has happened."""
        self._memory_or_none = None

    @property
    def _memory(self) -> Memory:
        if self._memory_or_none is None:
            memory = Memory(self._settings, self._warm)
            kept = _effective(self._events)
            for event in kept:
                memory.apply(event)
            self._closed = {
                event["number"]: {"answer": "answered", "skip": "skipped"}[event["event"]]
                for event in kept
                if event["event"] in ("answer", "skip")
            }
            asked = {event["number"] for event in kept if event["event"] == "ask"}
            for number in range(len(self._questions)):
                if number not in asked:
                    self._closed[number] = "withdrawn"
            self._memory_or_none = memory
        return self._memory_or_none

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
        """The number of the question that a pair answers; None where it was never asked."""
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
            if number in memory.out:
                return number
            if self._closed[number] == "withdrawn":
                return None
            raise InputError(
                f"question {number}, {asked[0]!r} against {asked[1]!r}, was {self._closed[number]} already"
            )
        i, j = sorted(self._settings.arm(name) for name in pair)
        for number, question in memory.out.items():
            if question.pair == (i, j):
                return number
        if (i, j) in memory.asked_pairs:
            raise InputError(f"{pair[0]!r} against {pair[1]!r} was answered already, and is not out again")
        return None

    # --- what is known ---

    @property
    def arms(self) -> tuple[str, ...]:
        """The names of the arms, as given."""
        return self._settings.arms

    @property
    def out(self) -> tuple[Pair, ...]:
        """The questions that were asked and are not answered yet, oldest first."""
        return tuple(self._questions[number] for number in self._memory.out)

    @property
    def told(self) -> int:
        """How many answers there were, ties included."""
        return self._memory.told

    @property
    def wins(self) -> npt.NDArray[np.int64]:
        """(K, K): ``wins[i, j]`` = how often somebody said that arm i is better than arm j."""
        return self._memory.wins.copy()

    @property
    def ties(self) -> npt.NDArray[np.int64]:
        """(K, K), symmetric: how often somebody said that neither of two arms is better."""
        return self._memory.ties.copy()

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
        """What the answers so far show, with intervals: see `duelbench.live.certainty`."""
        from duelbench.live.certainty import certainty

        delta = (self._settings.stop or {}).get("delta", 0.05)
        return certainty(self._memory.evidence(), delta=delta, seed=self._settings.seed)

    def status(self) -> str:
        """How things stand, in a sentence."""
        count = f"{self.told} answer{'s' * (self.told != 1)}"
        waiting = f", {len(self.out)} out" if self.out else ""
        if self.done:
            stop = self._settings.stop or {}
            said = "there is no Condorcet winner" if self.answer is None else f"{self.answer} is the winner"
            return f"{count}{waiting}: done, {said} ({stop['rule']}, wrong with probability {stop['delta']:g} at most)"
        mind = "has settled on" if self.settled else "recommends"
        return f"{count}{waiting}: {self._settings.algorithm.name} {mind} {self.recommend()}"

    def close(self) -> None:
        """Close the log, if there is one."""

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


def _effective(events: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """What has happened and was not taken back: an undo takes the last answer with it, and all since."""
    kept: list[dict[str, Any]] = []
    for event in events:
        if event["event"] == "undo":
            while kept.pop()["event"] not in ANSWERS:
                pass
        else:
            kept.append(event)
    return kept
