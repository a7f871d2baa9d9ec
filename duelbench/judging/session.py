"""A live session: an algorithm asks which pair to compare, somebody answers."""

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from duelbench.bandits.algorithms.contract import Algorithm
from duelbench.bandits.simulation.simulate import LONGEST, whole
from duelbench.bandits.statistics.bradley_terry import LEVEL_DIFFERENCE
from duelbench.common.words import counted
from duelbench.data.votes import Votes, read_votes
from duelbench.errors import InputError
from duelbench.judging.arms import first_of, judge_named
from duelbench.judging.cycles import Question, repeats_agree, repeats_agree_beyond_chance, shortest_cycle, tally
from duelbench.judging.history import History, Pair, is_automatic
from duelbench.judging.memory import Memory
from duelbench.judging.settings import STOP, Settings, arms_left_out, check_json, entry_of, pair_of, settle
from duelbench.judging.verdict import NONE_WINS, UNDECIDED, WINNER, answer_in_words, tournament_in_words

if TYPE_CHECKING:
    from duelbench.judging.certainty import Certainty
    from duelbench.judging.judges import JudgeRecord, Weighed
    from duelbench.judging.position import PositionBias


class Session:
    """Ask for pairs, tell who won, and learn who is best.

    Parameters
    ----------
    algorithm : str, mapping or Algorithm
        An id (``duelbench.algorithms()`` lists them), one with its parameters as in a spec,
        ``{"rucb": {"alpha": 0.8}}``, or an algorithm of your own.
    arms : iterable of str
        Names of the arms, at least two, all different, printable and of 2,000 characters at most.
    seed : int
        Determines all questions, together with the answers; from 0 to 2^128 - 1.
    horizon : int, optional
        The most rounds of the algorithm, self-duels included; 10^9 by default. Some algorithms must know it.
    ties : {"half", "drop"}
        ``half`` counts a tie as half a win for each; for the algorithm and the stopping rule a fair coin draws the
        winner. ``drop`` does not count a tie, and asks the pair again.
    self_duels : bool
        True to ask also about duels of an arm with itself, round by round, as `duelbench.simulate` plays them.
    stop : mapping or callable, optional
        The stopping rule, one of `duelbench.bandits.algorithms.stopping.rules.RULES`, and its parameters, or False for
        none. The default is ``{"rule": "e-bets", "delta": 0.05}``, with ``warm`` the rule ``e-condorcet``. The rule
        ``own`` is the algorithm's own test, and the default if the algorithm has one, without ``warm`` and
        ``forbidden``; its ``delta`` is that of the algorithm. Alternatively a function of the session that returns
        whether it is `done`; the log does not store it, so pass it to `open` again.
    forbidden : iterable of (str, str)
        Pairs that are never asked. To the algorithm the two arms look equally good.
    warm : array_like of shape (K, K), or path, optional
        Earlier duels: ``warm[i, j]`` = how often arm i has won against arm j, 1/2 for a tie; or a file of counts that
        ``duelbench matrix import`` reads. Arms in the file are found by name, and others are left out.
    log : str or path, optional
        A new file, to which every event is written before it is acknowledged: see `open`.
    digests : mapping of str to str, optional
        A digest of the content of each arm, by name; the log stores it.
    orders : {"random", "first", "both"}
        ``random`` shows a pair in both orders in turn, the first one drawn at random; ``first`` shows the arm first
        that comes first in ``arms``; ``both`` is ``random``, and records that a judge answers each question in both
        orders: see ``flipped`` of `tell`.
    presentation : mapping, optional
        How questions are shown, as JSON values that the log stores: ``duelbench live`` stores question and names there.
    standing_decisions : bool
        False to skip duels of an arm with itself round by round, which is slow.
    once : bool
        True to ask each pair at most once, as in a tournament: for judges who always answer a pair alike, such as a
        model at temperature 0. The session then has no stopping rule, and chooses the pairs without the algorithm.
    parameters : mapping, optional
        Parameters of the algorithm, e.g. ``{"alpha": 0.51, "ties": "first"}``.
    **more
        Further parameters of the algorithm, unless the session has a parameter of the same name.

    Raises
    ------
    InputError
        If a parameter is wrong.

    Examples
    --------
    Two cups of tea, of which the first is always preferred:

    >>> with Session("rucb", ["darjeeling", "bag"], seed=3) as session:
    ...     while (pair := session.ask()) is not None:
    ...         session.tell(pair, "darjeeling")
    >>> session.told, session.done, session.answer, session.recommend()
    (9, True, 'darjeeling', 'darjeeling')
    """

    def __init__(
        self,
        algorithm: str | Mapping[str, Mapping[str, Any]] | Algorithm,
        arms: Iterable[str],
        *,
        parameters: Mapping[str, Any] | None = None,
        seed: int = 0,
        horizon: int | None = None,
        ties: str = "half",
        self_duels: bool = False,
        stop: Mapping[str, Any] | Callable[["Session"], bool] | bool | None = None,
        forbidden: Iterable[tuple[str, str]] = (),
        warm: npt.ArrayLike | str | os.PathLike[str] | None = None,
        log: str | os.PathLike[str] | None = None,
        digests: Mapping[str, str] | None = None,
        orders: str = "random",
        presentation: Mapping[str, Any] | None = None,
        standing_decisions: bool = True,
        once: bool = False,
        **more: Any,
    ) -> None:
        chosen, algorithm_parameters = entry_of(algorithm, parameters, more)
        self._stops: Callable[[Session], bool] | None = stop if callable(stop) else None
        earlier = read_votes(warm) if isinstance(warm, (str, os.PathLike)) else warm
        settings = settle(
            algorithm=chosen,
            arms=arms,
            seed=seed,
            horizon=horizon,
            ties=ties,
            self_duels=self_duels,
            orders=orders,
            standing_decisions=standing_decisions,
            once=once,
            stop=False if callable(stop) else stop,
            forbidden=forbidden,
            warm=earlier,
            parameters=algorithm_parameters,
            digests=digests,
            presentation=presentation,
        )
        self._take(History.begin(settings, None if log is None else Path(log)))
        if isinstance(earlier, Votes):
            unknown = arms_left_out(earlier, self.arms)
            if unknown:
                names = first_of(unknown)
                self.notes.append(f"{earlier.source}: duels with {names} are left out; they are no arms here")

    def _take(self, history: History) -> None:
        self._history, self._settings = history, history.settings
        self.notes: list[str] = _notes(history.settings)

    @classmethod
    def open(
        cls,
        log: str | os.PathLike[str],
        *,
        algorithm: Algorithm | None = None,
        read_only: bool = False,
        digests: Mapping[str, str] | None = None,
        stop: Callable[["Session"], bool] | None = None,
    ) -> "Session":
        """Restore a session from its log, and continue it.

        All events are replayed, and each question is compared with the one in the log.

        Parameters
        ----------
        algorithm : Algorithm, optional
            The algorithm of the session, if it is your own and no plug-in.
        read_only : bool
            True to read the session only, even while another process has it open.
        digests : mapping of str to str, optional
            Digests of the arms' current content: `notes` names the arms that have changed since the session started.
        stop : callable, optional
            A function of the session that returns whether it is done, in addition to its stopping rule.

        Raises
        ------
        InputError
            If the file is no log, was changed by hand, is in use, or was made by a version that asks other questions.
            The message names the file, the line and what to do.
        """
        history, notes = History.open(Path(log), algorithm, read_only)
        session = cls.__new__(cls)
        session._stops = stop
        session._take(history)
        session.notes += [*notes, *_changes(history.settings, digests or {})]
        return session

    # --- questions and answers ---

    @overload
    def ask(self, n: None = None) -> Pair | None: ...

    @overload
    def ask(self, n: int) -> list[Pair]: ...

    def ask(self, n: int | None = None) -> Pair | list[Pair] | None:
        """Ask the next question, or several.

        Parameters
        ----------
        n : int, optional
            The number of new questions.

        Returns
        -------
        Pair or None, or list of Pair
            Without ``n`` a pair; None if the session is done, no other answer matters, or the algorithm waits for
            answers to open questions. With ``n``, a list of at most ``n`` pairs.
        """
        if n is None:
            return self._ask()
        return list(islice(iter(self._ask, None), whole("n", n, 1, LONGEST)))

    def _ask(self) -> Pair | None:
        self._history.check_open()
        return None if self.done else self._history.ask()

    def tell(
        self,
        pair: Sequence[str],
        winner: str,
        *,
        judge: str | None = None,
        evidence: bool = False,
        flipped: bool | None = None,
        input: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        """Record the winner of a duel.

        Parameters
        ----------
        pair : Pair, or sequence of two names
            A question, or two names, which mean the oldest open question about them. A pair that was never asked is
            accepted, too: its outcome counts in the results, the algorithm does not learn it, and `notes` says so.
        winner : str
            One of the two.
        judge : str, optional
            The name of the judge.
        evidence : bool
            True for a duel from elsewhere, given by two names: it answers no question, and counts in the results and
            for the stopping rule, but not for the rule ``own``.
        flipped : bool, optional
            If the judge answered in both orders, whether the two answers differed: for `judge_records`.
        input : str, optional
            The input on which the two were compared; the log stores it, and `inputs_used` counts it.
        details : mapping, optional
            Further JSON values of the judge, such as the model and its reply; the log stores them.

        Raises
        ------
        InputError
            If the arm or the question does not exist, the winner is not in the pair, or the question was answered.
        """
        if winner is None:  # a judge may be a function without `return`
            raise InputError(
                "the winner is None; name one of the two; for a tie: session.tie(pair), for no answer:"
                " session.skip(pair)"
            )
        self._tell(pair, winner, judge=judge, evidence=evidence, flipped=flipped, input=input, details=details)

    def tie(
        self,
        pair: Sequence[str],
        *,
        judge: str | None = None,
        evidence: bool = False,
        flipped: bool | None = None,
        input: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        """Record a tie; ``ties`` of the session says how it counts. Parameters and errors are those of `tell`."""
        self._tell(pair, None, judge=judge, evidence=evidence, flipped=flipped, input=input, details=details)

    def _tell(
        self, pair: Sequence[str], winner: str | None, *, judge: str | None, evidence: bool, **optional: Any
    ) -> None:
        self._history.check_open()
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
        shown = (first, second) if number is None else self._history.questions[number]
        event: dict[str, Any] = {"event": "answer" if is_out else "evidence", "number": number}
        event |= {"first": shown[0], "second": shown[1], "winner": winner, "judge": judge, **_checked(**optional)}
        self._history.happen(event)
        if not is_out:
            reason = "is a duel from elsewhere" if evidence else "was not asked"
            learners = "the algorithm and its test do" if self._settings.is_own else "the algorithm does"
            self.notes.append(
                f"{first!r} against {second!r} {reason}: the outcome counts in the results, but {learners} not learn it"
            )

    def skip(self, pair: Sequence[str], *, input: str | None = None) -> None:
        """Close a question without an answer. Its pair is asked again later, but not next if there is another.

        Parameters
        ----------
        pair : Pair, or sequence of two names
            A question, or two names, which mean the oldest open question about them.
        input : str, optional
            The input that was shown, as for `tell`.

        Raises
        ------
        InputError
            If no such question is open.
        """
        self._history.check_open()
        self._names(pair)
        number = self._number_out(pair)
        if number is None or number not in self._memory.out:
            raise InputError(f"{pair[0]!r} against {pair[1]!r} is not an open question, so there is nothing to skip")
        first, second = self._history.questions[number]
        event = {"event": "skip", "number": number, "first": first, "second": second}
        self._history.happen({**event, **_checked(input=input)})

    def undo(self) -> None:
        """Take back the last answer: its question is open again, and later questions are withdrawn.

        An answer to a withdrawn question counts in the results, but the algorithm does not learn it. Automatic ties of
        equal outputs are taken back with the answer before them.

        Raises
        ------
        InputError
            If there is no answer.
        """
        self._history.check_open()
        answers = self._history.answers()
        n_since = sum(1 for _ in takewhile(is_automatic, reversed(answers)))
        if n_since == len(answers):
            raise InputError("there is no answer to take back")
        for _ in range(n_since + 1):
            self._history.undo()

    def correct(self, answer: int, winner: str | None) -> None:
        """Replace an answer, and keep all later answers.

        The results, the stopping rule and the statistics of judges count the new winner in place of the former one. The
        algorithm has learned the former winner, and keeps it.

        Parameters
        ----------
        answer : int
            The number of the answer, from 1, without answers that were taken back.
        winner : str or None
            One of the two arms; None for a tie.

        Raises
        ------
        InputError
            If there is no such answer, the winner is not in its pair, or the algorithm's own test is the rule.
        """
        self._history.check_open()
        answers = self._history.answers()
        if not isinstance(answer, int) or isinstance(answer, bool) or not 1 <= answer <= len(answers):
            raise InputError(f"there is no answer {answer!r}; this session has {counted(len(answers), 'answer')}")
        if self._settings.is_own:
            raise InputError(
                f"the test of {self._settings.algorithm.name} has learned this answer; use undo until this answer is"
                " taken back"
            )
        pair = answers[answer - 1]["first"], answers[answer - 1]["second"]
        if winner is not None and winner not in pair:
            raise InputError(f"answer {answer} is about {pair[0]!r} against {pair[1]!r}; {winner!r} is not one of them")
        self._history.correct(answer, winner)

    @property
    def _memory(self) -> Memory:
        return self._history.memory

    def _names(self, pair: Sequence[str]) -> tuple[str, str]:
        i, j = pair_of(pair, self.arms, "a pair is what ask() returned, or two names")
        if i == j and not self._settings.self_duels:
            raise InputError(f"{pair[0]!r} against itself says nothing; a pair has two different arms")
        return self.arms[i], self.arms[j]

    def _number_out(self, pair: Sequence[str]) -> int | None:
        """Return the number of the open or withdrawn question that a pair answers; None if it was never asked."""
        memory, questions = self._memory, self._history.questions
        if isinstance(pair, Pair):
            number = pair.number
            if not 0 <= number < len(questions) or {*questions[number]} != {*pair}:
                raise InputError(
                    f"question {number}, {pair[0]!r} against {pair[1]!r}, was never asked in this session; the pair is"
                    " from another one"
                )
            end = self._history.ends.get(number)
            if end not in (None, "withdrawn"):
                raise InputError(f"question {number}, {pair[0]!r} against {pair[1]!r}, was {end} already")
            return number
        i, j = sorted(map(self.arms.index, pair))
        for number, query in memory.out.items():
            if query.pair == (i, j):
                return number
        if (i, j) in memory.asked_pairs:
            raise InputError(
                f"{pair[0]!r} against {pair[1]!r} was answered already, and is not out again; for a duel from"
                " elsewhere, say evidence=True"
            )
        return None

    # --- results ---

    @property
    def notes_on_log(self) -> tuple[str, ...]:
        """Notes on changes to the log while the session was open, such as its removal."""
        return tuple(self._history.notes)

    @property
    def arms(self) -> tuple[str, ...]:
        """The names of the arms, in their order."""
        return self._settings.arms

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the session by name: algorithm, parameters, arms, seed, stopping rule, and others."""
        return self._settings.header()

    @property
    def out(self) -> tuple[Pair, ...]:
        """The open questions, oldest first."""
        return tuple(self._history.questions[number] for number in self._memory.out)

    @property
    def told(self) -> int:
        """The number of answers, ties included."""
        return self._memory.n_answers

    @property
    def judges(self) -> dict[str | None, int]:
        """The number of answers of each judge; answers without a name have the key None."""
        return dict(Counter(event["judge"] for event in self._history.answers() if not is_automatic(event)))

    def inputs_used(self, pair: Iterable[str]) -> Counter[str]:
        """Return how often each input was used for a pair, by answers and skips."""
        names = {*pair}
        inputs: Counter[str] = Counter()
        for event in self._history.happened():
            if "input" in event and {event.get("first"), event.get("second")} == names:
                inputs[event["input"]] += 1
        return inputs

    @property
    def details(self) -> list[Mapping[str, Any]]:
        """The ``details`` of each answer, empty for an answer without details."""
        return [event.get("details", {}) for event in self._history.answers() if not is_automatic(event)]

    def judge_records(self) -> "list[JudgeRecord]":
        """Return statistics of each judge's answers: see `duelbench.judging.judges`."""
        from duelbench.judging.judges import records

        return records(self._history.happened(), self.arms, self._settings.orders != "first")

    def weighed(self) -> "Weighed":
        """Return strengths of arms, with judges weighed by how well they agree: see `duelbench.judging.judges.weighed`.

        Questions and the stopping rule do not depend on it. Earlier duels do not count.
        """
        from duelbench.judging.judges import weighed

        return weighed(self._history.happened(), self.arms)

    @property
    def wins(self) -> npt.NDArray[np.int64]:
        """(K, K): ``wins[i, j]`` = how often arm i was judged better than arm j, without the duels in `warm`."""
        return self._memory.wins.copy()

    @property
    def ties(self) -> npt.NDArray[np.int64]:
        """(K, K), symmetric: how often neither of two arms was judged better."""
        return self._memory.ties.copy()

    @property
    def warm(self) -> npt.NDArray[np.float64]:
        """(K, K): ``warm[i, j]`` = duels that arm i won against arm j before the session, 1/2 for a tie."""
        return self._memory.warm.copy()

    def has_open_pair(self, without: Iterable[Iterable[str]] = ()) -> bool:
        """Return whether an answer may still decide the winner, apart from forbidden pairs and the pairs ``without``.

        With the rule ``own`` an algorithm that waits for a pair asks no other: then only open questions count.
        """
        excluded = {tuple(sorted(map(self.arms.index, pair))) for pair in without}
        if self._settings.is_own and excluded:
            return any(query.pair not in excluded for query in self._memory.out.values())
        excluded |= {*self._settings.forbidden}
        return any(pair not in excluded for pair, _ in self._memory.open_pairs())

    def recommend(self) -> str:
        """Return the arm to choose now, the first of `ranking`."""
        return self.ranking()[0]

    def ranking(self) -> tuple[str, ...]:
        """Return the arms, best first: the `answer` if it is an arm, then the others by a Bradley-Terry fit."""
        return tuple(self.arms[arm] for arm in self._memory.ranking())

    def strengths(self) -> dict[str, tuple[float, float, float]]:
        """Return the strength of each arm, best first, with its 95% interval.

        The strength is the expected share of wins against the other arms, by a Bradley-Terry fit with a normal prior.
        The interval is an ordinary one: it is valid for one look, if the model is right. The intervals of `certainty`
        are valid at every look, for any matrix.
        """
        strength = self._memory.fit()
        low, high = strength.share_intervals()
        shares = strength.shares
        return {
            self.arms[arm]: (float(shares[arm]), float(low[arm]), float(high[arm])) for arm in self._memory.ranking()
        }

    @property
    def settled(self) -> bool:
        """Whether the algorithm has stopped asking.

        It has if its own test has ended the session, its horizon is reached, many decisions in a row asked nothing, or
        the rounds since its last question are at least K^2 and at least as many as all rounds before. `ask` then
        returns further questions of the algorithm if it has any, else pairs that may still decide the winner, unless
        the algorithm's own test is the rule.
        """
        return self._memory.player.is_settled or (self._settings.is_own and self._memory.is_done)

    @property
    def done(self) -> bool:
        """Whether the session has its answer, or the function ``stop`` returns True."""
        return self._memory.is_done or (self._stops is not None and bool(self._stops(self)))

    @property
    def answer(self) -> str | None:
        """The best arm by the stopping rule; None if there is no answer yet, or no arm beats all others."""
        arm = self._memory.rule_answer
        return None if arm is None else self.arms[arm]

    @property
    def verdict(self) -> str:
        """The verdict on the best arm: ``winner`` (see `answer`), ``no winner`` or ``undecided``."""
        if not self._memory.is_done:
            return UNDECIDED
        return NONE_WINS if self.answer is None else WINNER

    def may_still_win(self) -> tuple[str, ...] | None:
        """Return the arms that the stopping rule has not ruled out; None after its answer, or if it keeps no list."""
        is_in = None if self._memory.is_done else self._memory.may_still_win()
        return None if is_in is None else tuple(name for name, may in zip(self.arms, is_in, strict=True) if may)

    @property
    def repeats_agree_beyond_chance(self) -> bool:
        """Whether questions that came again always got the same answer, improbable for independent answers.

        See `duelbench.judging.cycles.repeats_agree_beyond_chance`. Earlier duels do not count.
        """
        return repeats_agree_beyond_chance(self._tally(), self._memory.fit().probabilities)

    @property
    def repeats_agree(self) -> bool:
        """Whether questions that came again always got the same answer; earlier duels do not count.

        A question is a pair in its order, with its input.
        """
        return repeats_agree(self._tally())

    def _tally(self) -> dict[Question, Counter[int | None]]:
        index = {name: arm for arm, name in enumerate(self.arms)}
        return tally(
            (
                (index[event["first"]], index[event["second"]], event.get("input")),
                None if event["winner"] is None else index[event["winner"]],
            )
            for event in self._history.answers()
        )

    def certainty(self) -> "Certainty":
        """Return the evidence in the answers so far, with intervals: see `duelbench.judging.certainty`.

        The rule is that of the session if this is e-condorcet or pairs, else e-condorcet.
        """
        from duelbench.judging.certainty import certainty
        from duelbench.judging.evidence import RULES

        memory, stop = self._memory, self._settings.stop or STOP
        return certainty(
            memory.evidence(),
            delta=stop["delta"],
            first_wins=(memory.first_won, memory.n_shown),
            rule=stop["rule"] if stop["rule"] in RULES else "e-condorcet",
        )

    def position_bias(self) -> "PositionBias":
        """Test whether the arm shown first has an advantage: see `duelbench.judging.position`."""
        from duelbench.judging.position import position_bias

        return position_bias(self._memory.first_won, self._memory.n_shown)

    def status(self) -> str:
        """Return the number of answers, on how many inputs, and the answer of the session, in a sentence."""
        count = counted(self.told, "answer")
        inputs = {event["input"] for event in self._history.answers() if event.get("input") is not None}
        if inputs:
            count += f" on {counted(len(inputs), 'input')}"
        if self._settings.earlier_duels:
            count += f", {self._settings.earlier_duels}"
        if self._memory.is_done:
            return f"{count}: done; {self._answer_in_words()}"
        if not (self.told or self._settings.earlier_duels):
            return f"{count}: nothing is known yet"
        waiting = f", {counted(len(self.out), 'open question')}" if self.out else ""
        state = "done" if self.done else "undecided"
        utilities = sorted(self._memory.fit().utilities, reverse=True)
        if utilities[0] - utilities[1] < LEVEL_DIFFERENCE:
            return f"{count}{waiting}: {state}; no arm is ahead"
        return f"{count}{waiting}: {state}; {self.recommend()} is ahead by a Bradley-Terry fit"

    def _answer_in_words(self) -> str:
        cycle = []
        if self.answer is None:
            cycle = [self.arms[arm] for arm in shortest_cycle(self._memory.evidence())]
        if self._settings.stop is None:
            return tournament_in_words(self.answer, cycle)
        is_own = self._settings.is_own
        by = f"the test of {self._settings.algorithm.name}" if is_own else self._settings.stop["rule"]
        return answer_in_words(self._settings.stop, self.answer, by, cycle)

    def __repr__(self) -> str:
        return f"<Session of {len(self.arms)} arms: {self.status()}>"

    def close(self) -> None:
        """Close the log, if the session has one; this session takes no more answers, and others can open the log."""
        self._history.close()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def next_question(session: Session, taken: Collection[int] = ()) -> Pair | None:
    """Return the oldest open question whose number is not ``taken``; otherwise ask a new one, None if there is none."""
    for pair in session.out:
        if pair.number not in taken:
            return pair
    return session.ask()


def _checked(
    flipped: bool | None = None, input: str | None = None, details: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the optional values of an event that are given, as JSON values."""
    values: dict[str, Any] = {}
    if flipped is not None:
        values["flipped"] = bool(flipped)
    if input is not None:
        values["input"] = check_json("input", input, str)
    if details is not None:
        values["details"] = check_json("details", details, Mapping)
    return values


def _notes(settings: Settings) -> list[str]:
    """Return notes on the earlier duels of a session, if it has any."""
    if not settings.earlier_duels:
        return []
    is_warm = settings.algorithm.learns_from_any_pair
    start = f"{settings.algorithm.name} {'is warm-started with them' if is_warm else 'starts cold'}"
    return [f"{settings.earlier_duels} count in the results and for the stopping rule; {start}"]


def _changes(settings: Settings, digests: Mapping[str, str]) -> list[str]:
    """Return a note on the arms whose content has changed, if any."""
    changed = [repr(name) for name, digest in digests.items() if settings.digests.get(name, digest) != digest]
    if not changed:
        return []
    return [f"the content of {first_of(changed)} has changed since the session started; earlier answers still count"]
