"""A command decides the duels of a live session: several at a time, each with a time limit and retries."""

import json
import math
import shlex
import shutil
import subprocess
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, NamedTuple

from duelbench.bandits.problem.matrix_files import quoted
from duelbench.common import system
from duelbench.common.words import counted
from duelbench.errors import InputError, RunsFailed
from duelbench.judging.arms import Arm
from duelbench.judging.judges import Watch
from duelbench.judging.outputs import Draws, Question
from duelbench.judging.session import Session

TIE = "tie"
"""What a command prints of two arms that are equally good."""

SECONDS, RETRIES = 300.0, 2
"""That a command has for an answer, and how often it is retried."""

PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 1.0, 60.0
"""Before the first retry, and at most; each pause is twice as long as the one before."""

FIRST_FAILURES, FAILURES_IN_A_ROW, FAILURES_OF_A_PAIR = 3, 5, 3
"""Duels in a row that are set aside, before the first answer and later, after which a session ends; and how often a
pair is set aside before the command is not called for it any more."""

ENDS_SESSION = 78
"""Exit code of a command that can decide nothing as it is set up, such as with a wrong key: EX_CONFIG of sysexits.h."""

LINGERING_SECONDS = 1.0
"""Wait for the output of a process that was ended."""


class Judge(NamedTuple):
    """A command that decides duels. Times are in seconds, ``pause`` before the first retry."""

    words: tuple[str, ...]
    timeout: float = SECONDS
    retries: int = RETRIES
    pause: float = PAUSE_SECONDS
    attempts_before: int = 0  # of the same question
    asks: str | None = None  # the question in words, and how to answer it, for the command to read
    instructions: str | None = None


def judge_of(command: str, arms: Sequence[Arm], timeout: float = SECONDS) -> Judge:
    """A judge by a command line: a program and its arguments, quoted as for a shell, though no shell sees it.

    Raises
    ------
    InputError
        When there is no such program, or an arm is called like an answer.

    Examples
    --------
    >>> judge_of("python3 judge.py", [Arm("tea"), Arm("water")]).words
    ('python3', 'judge.py')
    """
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise InputError(f"the command {quoted(command)}: {str(error).lower()}") from None
    if not words or shutil.which(words[0]) is None:
        what = f"there is no program {quoted(words[0])}" if words else "names no program"
        raise InputError(f"the command {quoted(command)}: {what}; a program of this folder is called as ./judge.sh")
    for arm in arms:
        if arm.name.lower() in ("1", "2", TIE):
            raise InputError(f"an arm is called {quoted(arm.name)}, which a command prints as an answer; rename it")
    return Judge(words, timeout)


class Undecided(Exception):
    """What a command did instead of deciding a duel."""


class Refused(Undecided):
    """The command decides nothing until somebody changes something; asking again does not help."""


class OutOfCalls(Undecided):
    """The command may not be called again."""


class Answer(NamedTuple):
    """What a command has decided."""

    winner: str | None  # None for a tie
    details: Mapping[str, Any] = {}  # what else it printed
    input: str | None = None  # on which it has compared the two, where it says so
    flipped: bool | None = None  # whether another one won in the other order, if that was asked, too


def line_of(question: Question, judge: Judge, attempt: int = 1) -> str:
    """What a command reads from standard input: one line of JSON."""
    sides = {
        side: {
            **arm.more,
            "name": arm.name,
            "text": arm.text,
            "path": None if arm.path is None else str(arm.path.absolute()),
        }
        for side, arm in (("first", question.first), ("second", question.second))
    }
    line = {"number": question.pair.number, "attempt": attempt, "question": judge.asks}
    line |= {"instructions": judge.instructions, "input": question.input, "input_text": question.input_text}
    return json.dumps({**line, **sides}, ensure_ascii=False) + "\n"


def answer_of(printed: str, first: str, second: str) -> Answer:
    """What a command printed: a name, ``1``, ``2``, ``tie``, or JSON with one of these as ``winner``; or `Undecided`.

    Examples
    --------
    >>> answer_of("1", "tea", "milk").winner, answer_of('{"winner": 2, "model": "m"}', "tea", "milk")[:2]
    ('tea', ('milk', {'model': 'm'}))
    """
    answers = {first: first, second: second, "1": first, "2": second, TIE: None}
    named, details = printed.strip(), {}
    if named.startswith("{") and named not in answers:
        details = _object_of(named)
        named = str(details.pop("winner", "")).strip()
    if named not in answers:
        what = f"printed {quoted(printed.strip())}" if printed.strip() else "printed nothing"
        raise Undecided(f"{what}; an answer is 1, 2, tie, {quoted(first)} or {quoted(second)}")
    input = details.pop("input") if isinstance(details.get("input"), str) else None
    return Answer(answers[named], details, input)


def _object_of(text: str) -> dict[str, Any]:
    """A JSON object; empty where it is none."""
    try:
        value = json.loads(text)
        json.dumps(value, allow_nan=False)  # a log is JSON that every program reads
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def spending(details: Iterable[Mapping[str, Any]]) -> str:
    """What answers have cost by what the command says of them, in a sentence; empty where it says nothing.

    Examples
    --------
    >>> spending([{"tokens": 1500, "cost": 0.02}, {"tokens": 500, "cost": 0.01}])
    'Answers took 2,000 tokens and cost $0.0300.'
    >>> spending([{"tokens": 1500}]), spending([{}])
    ('Answers took 1,500 tokens; the cost is unknown.', '')
    """
    calls = [call for answer in details for call in answer.get("orders", [answer]) if call]
    if not calls:
        return ""
    tokens, costs = (
        [call[key] for call in calls if isinstance(call.get(key), (int, float))] for key in ("tokens", "cost")
    )
    took = f"Answers took {sum(tokens):,} tokens" if len(tokens) == len(calls) else "Answers took unknown tokens"
    if not costs:
        return f"{took}; the cost is unknown."
    n_unknown = len(calls) - len(costs)
    return f"{took} and cost ${sum(costs):.4f}" + (f", and {n_unknown} an unknown sum." if n_unknown else ".")


class Processes:
    """The commands that run at this moment; at the end of the ``with`` they are ended, and no other is started.

    After ``most`` calls there is none any more.
    """

    def __init__(self, most: float = math.inf) -> None:
        self.ended = threading.Event()
        self.calls_left = most
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()

    def __enter__(self) -> "Processes":
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self.ended.set()
            for process in self._running:
                system.end_group(process)

    def outcome(self, judge: Judge, question: Question, note: Callable[[str], object], in_both_orders: bool) -> Answer:
        """The answer to a question; if it is another one in the other order, and that is asked, too, it is a tie."""
        answer = self.decide(judge, question, note)
        if not in_both_orders:
            return answer
        turned = self.decide(judge, question.turned, note)
        is_same = turned.winner == answer.winner
        details = {"orders": [answer.details, turned.details]} if answer.details or turned.details else {}
        return Answer(answer.winner if is_same else None, details, answer.input, not is_same)

    def decide(self, judge: Judge, question: Question, note: Callable[[str], object]) -> Answer:
        """The answer of a command to a question, in this order; ``note`` gets the reason of each retry."""
        pause = judge.pause
        for attempt in range(1, judge.retries + 2):
            try:
                self._count_call()
                return self.answer(judge, question, judge.attempts_before + attempt)
            except Undecided as error:
                if attempt > judge.retries or self.ended.is_set() or isinstance(error, (Refused, OutOfCalls)):
                    raise
                note(f"{_against(question)}: {error}; again in {pause:g} s")
            self.ended.wait(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
        raise AssertionError("the last attempt returns or raises")

    def _count_call(self) -> None:
        with self._lock:
            if self.calls_left < 1:
                raise OutOfCalls("no call is left")
            self.calls_left -= 1

    def answer(self, judge: Judge, question: Question, attempt: int) -> Answer:
        """The same by one call of the command."""
        first, second = question.first.name, question.second.name
        process = self._start([*judge.words, first, second])
        try:
            printed, complaint = process.communicate(line_of(question, judge, attempt).encode(), judge.timeout)
        except subprocess.TimeoutExpired:
            raise Undecided(f"no answer within {judge.timeout:g} s") from None
        finally:
            self._end(process)
        if process.returncode:
            last = (complaint.strip() or printed.strip()).rpartition(b"\n")[2].decode(errors="replace").strip()
            plain = "".join(character if character.isprintable() else "?" for character in last)
            shown = f": {plain[:200]}{'...' * (len(plain) > 200)}" if plain else ""
            if process.returncode == ENDS_SESSION:
                raise Refused(f"the command ends the session (exit code {ENDS_SESSION}){shown}")
            raise Undecided(f"exit code {process.returncode}{shown}")
        return answer_of(printed.decode(errors="replace"), first, second)

    def _start(self, command: Sequence[str]) -> "subprocess.Popen[bytes]":
        with self._lock:
            if self.ended.is_set():
                raise Undecided("the session has ended")
            try:
                process = system.start_apart(
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
                )
            except (OSError, ValueError) as error:
                raise Undecided(f"cannot be started: {getattr(error, 'strerror', None) or error}") from None
            self._running.add(process)
            return process

    def _end(self, process: "subprocess.Popen[bytes]") -> None:
        """End the process, if it still runs."""
        with self._lock:
            self._running.discard(process)
            if process.poll() is None:
                system.end_group(process)
        try:
            process.communicate(timeout=LINGERING_SECONDS)
        except (subprocess.TimeoutExpired, ValueError):
            """Somebody outside of its group holds its pipes, or they are closed already."""


def _against(question: Question) -> str:
    return f"{quoted(question.first.name)} against {quoted(question.second.name)}"


def play(
    session: Session,
    arms: Mapping[str, Arm],
    judge: Judge,
    *,
    jobs: int = 1,
    budget: int | None = None,
    max_calls: int | None = None,
    by: str | None = None,
    in_both_orders: bool = False,
    stops_on_failure: bool = False,
    note: Callable[[str], object] = print,
    progress: Callable[[], object] = lambda: None,
) -> None:
    """Let a command decide the duels of a session, of arms by their names, until it has nothing more to ask.

    Parameters
    ----------
    jobs : int
        Duels that are decided at the same time. With several, the questions depend on the order of the answers, too.
    budget : int, optional
        Answers of the session, earlier ones included, after which nothing more is asked.
    max_calls : int, optional
        Calls of the command, retries included, after which none is made. A question that is not decided stays open.
    by : str, optional
        What the log calls the judge.
    in_both_orders : bool
        True to call the command twice for each duel, with the two in either order: where it answers the same, that is
        the outcome, and otherwise it is a tie, which the log marks as flipped.
    stops_on_failure : bool
        True to end with the first duel that the command does not decide in all its tries. Otherwise such a duel is set
        aside, as by `Session.skip`, until nothing else may decide who wins, or too many come in a row.
    note : callable
        Gets the reason of each retry, from any thread, what was set aside, and warnings of the judge.
    progress : callable
        Called after each answer.

    Raises
    ------
    RunsFailed
        When it ended for duels without an answer, or because the command said so by its exit code, `ENDS_SESSION`; the
        answers of others that run at that moment count.
    """
    watch, draws = Watch(session, note), Draws(session, arms)
    waiting: dict[Future[Answer], Question] = {}
    failures: Counter[frozenset[str]] = Counter()  # of pairs that were set aside, since their last answer
    first_told, n_aside, in_a_row = session.told, 0, 0
    last, end = "", ""  # what failed last, and why the session ends for it
    most_calls = math.inf if max_calls is None else max_calls
    calls_each = 2 if in_both_orders else 1  # of a question that is decided at once
    with ThreadPoolExecutor(jobs) as pool, Processes(most_calls) as processes:  # the pool waits until all are ended
        while True:
            while not end and len(waiting) < jobs and processes.calls_left >= calls_each * (len(waiting) + 1):
                taken = {question.pair.number for question in waiting.values()}
                question = draws.next(taken, None if budget is None else budget - len(waiting))
                if question is None:
                    break
                pair = question.pair
                so_far = failures[frozenset(pair)]
                if so_far < FAILURES_OF_A_PAIR:
                    before = judge.retries + so_far if question.input is None else 0  # another input, another question
                    tried = judge._replace(retries=0, attempts_before=before) if so_far else judge
                    waiting[pool.submit(processes.outcome, tried, question, note, in_both_orders)] = question
                    continue
                session.skip(pair)
                if not session.has_open_pair({pair for pair, n in failures.items() if n >= FAILURES_OF_A_PAIR}):
                    end = "the answer needs it"
                elif waiting:
                    break
            if not waiting:
                break
            over = wait(waiting, return_when=FIRST_COMPLETED).done
            for future in sorted(over, key=lambda future: waiting[future].pair.number):
                question = waiting.pop(future)
                pair = question.pair
                try:
                    answer = future.result()
                except Undecided as error:
                    if end or isinstance(error, OutOfCalls):
                        continue
                    last = f"{_against(question)}: {error}"
                    if stops_on_failure or isinstance(error, Refused):
                        end = "stop"
                        continue
                    session.skip(pair, input=question.input)
                    n_aside, in_a_row = n_aside + 1, in_a_row + 1
                    failures[frozenset(pair)] += 1
                    note(f"{last}; set aside")
                    if in_a_row >= (FIRST_FAILURES if session.told == first_told else FAILURES_IN_A_ROW):
                        end = f"{in_a_row} in a row"
                    continue
                del failures[frozenset(pair)]
                in_a_row = 0
                told: dict[str, Any] = {"judge": by, "flipped": answer.flipped, "details": answer.details or None}
                told["input"] = answer.input if question.input is None else question.input
                if answer.winner is None:
                    session.tie(pair, **told)
                else:
                    session.tell(pair, answer.winner, **told)
                progress()
                watch()
    aside = f"{counted(n_aside, 'duel')} without an answer set aside"
    if end:
        raise RunsFailed(f"{shlex.join(judge.words)}: {last}" + (f"; {aside}, {end}" if n_aside else ""))
    if n_aside:
        note(aside)
    if processes.calls_left < calls_each and not session.done:
        note(f"{most_calls - processes.calls_left:g} of {counted(int(most_calls), 'call')} of the command are made")
