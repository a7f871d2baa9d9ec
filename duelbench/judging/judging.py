"""Lets a command decide the duels of a live session: several at a time, with a time limit and retries."""

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
"""The output of a command for two arms that are equally good."""

SECONDS, RETRIES = 300.0, 2
"""The time limit of a command, and the number of retries."""

PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 1.0, 60.0
"""The pause before the first retry, and the longest pause; each pause is twice as long as the last."""

FIRST_FAILURES, FAILURES_IN_A_ROW, FAILURES_OF_A_PAIR = 3, 5, 3
"""The number of failed duels in a row that end the session, before its first new answer and after it; and the number of
failures of a pair after which the command is not called for that pair again."""

ENDS_SESSION = 78
"""The exit code by which a command ends the session, such as for a wrong key: EX_CONFIG of sysexits.h."""

LINGERING_SECONDS = 1.0
"""How long to wait for the output of a process that was ended."""


class Judge(NamedTuple):
    """A command that decides duels."""

    words: tuple[str, ...]
    timeout: float = SECONDS
    retries: int = RETRIES
    pause: float = PAUSE_SECONDS  # before the first retry
    attempts_before: int = 0  # earlier attempts at the same question
    asks: str | None = None  # the question in words, which the command reads
    instructions: str | None = None  # how to judge, in words


def judge_of(command: str, arms: Sequence[Arm], timeout: float = SECONDS) -> Judge:
    """Return the judge of a command line: a program and its arguments, quoted as for a shell, but run without one.

    Raises
    ------
    InputError
        If the program does not exist, or the name of an arm is also an answer.

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
        problem = f"there is no program {quoted(words[0])}" if words else "names no program"
        raise InputError(f"the command {quoted(command)}: {problem}; write a program in this folder as ./judge.sh")
    for arm in arms:
        if arm.name.lower() in ("1", "2", TIE):
            raise InputError(f"an arm is called {quoted(arm.name)}, which a command prints as an answer; rename it")
    return Judge(words, timeout)


class Undecided(Exception):
    """A command has not decided a duel."""


class Refused(Undecided):
    """The command has ended the session by its exit code, `ENDS_SESSION`."""


class OutOfCalls(Undecided):
    """The command may not be called again."""


class Answer(NamedTuple):
    """The answer of a command."""

    winner: str | None  # None for a tie
    details: Mapping[str, Any] = {}  # further values that the command printed
    input: str | None = None  # the input of the comparison, if the command printed it
    flipped: bool | None = None  # whether the answer differed in the other order; None if asked in one order


def line_of(question: Question, judge: Judge, attempt: int = 1) -> str:
    """Return the line of JSON that a command reads from standard input."""
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
    """Read the output of a command: a name, ``1``, ``2``, ``tie``, or JSON with one of these as ``winner``.

    Raises `Undecided` if it is something else.

    Examples
    --------
    >>> answer_of("1", "tea", "milk").winner, answer_of('{"winner": 2, "model": "m"}', "tea", "milk")[:2]
    ('tea', ('milk', {'model': 'm'}))
    """
    answers = {first: first, second: second, "1": first, "2": second, TIE: None}
    text, details = printed.strip(), {}
    if text.startswith("{") and text not in answers:
        details = _object_of(text)
        text = str(details.pop("winner", "")).strip()
    if text not in answers:
        problem = f"printed {quoted(printed.strip())}" if printed.strip() else "printed nothing"
        raise Undecided(f"{problem}; an answer is 1, 2, tie, {quoted(first)} or {quoted(second)}")
    input = details.pop("input") if isinstance(details.get("input"), str) else None
    return Answer(answers[text], details, input)


def _object_of(text: str) -> dict[str, Any]:
    """Read a JSON object; empty if the text is something else."""
    try:
        value = json.loads(text)
        json.dumps(value, allow_nan=False)  # many programs that read logs refuse NaN
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def spending(details: Iterable[Mapping[str, Any]]) -> str:
    """Return a sentence on tokens and cost, as the command printed them; empty if it printed no details.

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
    """Calls commands, at most ``most`` times; leaving the ``with`` block ends running ones and prevents new ones."""

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
        """Return the answer to a question; with ``in_both_orders``, a tie if the answers in the two orders differ."""
        answer = self.decide(judge, question, note)
        if not in_both_orders:
            return answer
        turned = self.decide(judge, question.turned, note)
        is_same = turned.winner == answer.winner
        details = {"orders": [answer.details, turned.details]} if answer.details or turned.details else {}
        return Answer(answer.winner if is_same else None, details, answer.input, not is_same)

    def decide(self, judge: Judge, question: Question, note: Callable[[str], object]) -> Answer:
        """Return the answer to a question in this order, with retries; ``note`` gets the reason of each retry."""
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
        """Return the answer of a single call of the command, or raise `Undecided`."""
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
        """End the process if it still runs."""
        with self._lock:
            self._running.discard(process)
            if process.poll() is None:
                system.end_group(process)
        try:
            process.communicate(timeout=LINGERING_SECONDS)
        except (subprocess.TimeoutExpired, ValueError):
            """Another process holds its pipes, or they are closed already."""


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
    """Let a command decide the duels of a session until the session has nothing more to ask.

    Parameters
    ----------
    arms : mapping of str to Arm
        The arms by name.
    jobs : int
        The number of duels decided at the same time. With several, the questions also depend on the order in which
        answers arrive.
    budget : int, optional
        The number of answers, earlier ones included, at which the session stops asking.
    max_calls : int, optional
        The maximum number of calls of the command, retries included. Questions without an answer stay open.
    by : str, optional
        The name of the judge in the log.
    in_both_orders : bool
        True to call the command twice for each duel, once in each order. If the answers differ, the duel is a tie,
        which the log marks as flipped.
    stops_on_failure : bool
        True to stop at the first duel that the command does not decide after all retries. Otherwise such a duel is set
        aside, as by `Session.skip`, and the session stops if only such pairs are left or too many fail in a row.
    note : callable
        Called with the reason of each retry (from any thread), each duel that is set aside, and each warning about
        the judge.
    progress : callable
        Called after each answer.

    Raises
    ------
    RunsFailed
        If the session stopped because of duels without an answer, or the command ended it by its exit code,
        `ENDS_SESSION`. Commands that are still running then are waited for, and their answers count.
    """
    watch, draws = Watch(session, note), Draws(session, arms)
    waiting: dict[Future[Answer], Question] = {}
    failures: Counter[frozenset[str]] = Counter()  # failures of each pair since its last answer
    first_told, n_aside, in_a_row = session.told, 0, 0
    last, end = "", ""  # the last failure, and the reason if it ends the session
    most_calls = math.inf if max_calls is None else max_calls
    calls_each = 2 if in_both_orders else 1  # calls that a question needs without retries
    with ThreadPoolExecutor(jobs) as pool, Processes(most_calls) as processes:  # processes end before the pool waits
        while True:
            while not end and len(waiting) < jobs and processes.calls_left >= calls_each * (len(waiting) + 1):
                taken = {question.pair.number for question in waiting.values()}
                question = draws.next(taken, None if budget is None else budget - len(waiting))
                if question is None:
                    break
                pair = question.pair
                n_failures = failures[frozenset(pair)]
                if n_failures < FAILURES_OF_A_PAIR:
                    # A new input is a new question, which has no earlier attempts.
                    attempts = judge.retries + n_failures if question.input is None else 0
                    adjusted = judge._replace(retries=0, attempts_before=attempts) if n_failures else judge
                    waiting[pool.submit(processes.outcome, adjusted, question, note, in_both_orders)] = question
                    continue
                session.skip(pair)
                if not session.has_open_pair({pair for pair, n in failures.items() if n >= FAILURES_OF_A_PAIR}):
                    end = "no other pair can decide the session"
                elif waiting:
                    break
            if not waiting:
                break
            done = wait(waiting, return_when=FIRST_COMPLETED).done
            for future in sorted(done, key=lambda future: waiting[future].pair.number):
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
                fields: dict[str, Any] = {"judge": by, "flipped": answer.flipped, "details": answer.details or None}
                fields["input"] = answer.input if question.input is None else question.input
                if answer.winner is None:
                    session.tie(pair, **fields)
                else:
                    session.tell(pair, answer.winner, **fields)
                progress()
                watch()
    summary = f"{counted(n_aside, 'duel')} without an answer set aside"
    if end:
        raise RunsFailed(f"{shlex.join(judge.words)}: {last}" + (f"; {summary}, {end}" if n_aside else ""))
    if n_aside:
        note(summary)
    if processes.calls_left < calls_each and not session.done:
        note(f"{most_calls - processes.calls_left:g} of {counted(int(most_calls), 'call')} of the command are made")
