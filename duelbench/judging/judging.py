"""A command decides the duels of a live session: several at a time, each with a time limit and retries."""

import json
import shlex
import shutil
import subprocess
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import NamedTuple

from duelbench.bandits.problem.matrix_files import quoted
from duelbench.common import system
from duelbench.common.words import counted
from duelbench.errors import InputError, RunsFailed
from duelbench.judging.arms import Arm
from duelbench.judging.judges import Watch
from duelbench.judging.session import Pair, Session, next_question

TIE = "tie"
"""What a command prints of two arms that are equally good."""

SECONDS, RETRIES = 300.0, 2
"""That a command has for an answer, and how often it is retried."""

PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 1.0, 60.0
"""Before the first retry, and at most; each pause is twice as long as the one before."""

FIRST_FAILURES, FAILURES_IN_A_ROW, FAILURES_OF_A_PAIR = 3, 5, 3
"""Duels in a row that are set aside, before the first answer and later, after which a session ends; and how often a
pair is set aside before the command is not called for it any more."""

LINGERING_SECONDS = 1.0
"""Wait for the output of a process that was ended."""


class Judge(NamedTuple):
    """A command that decides duels. Times are in seconds, ``pause`` before the first retry."""

    words: tuple[str, ...]
    timeout: float = SECONDS
    retries: int = RETRIES
    pause: float = PAUSE_SECONDS


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


def question(number: int, first: Arm, second: Arm) -> str:
    """What a command reads from standard input: one line of JSON."""
    sides = {
        side: {"name": arm.name, "text": arm.text, "path": None if arm.path is None else str(arm.path.absolute())}
        for side, arm in (("first", first), ("second", second))
    }
    return json.dumps({"number": number, **sides}, ensure_ascii=False) + "\n"


def winner_of(printed: str, first: str, second: str) -> str | None:
    """The winner that a command printed: a name, ``1``, ``2``, or ``tie``, for which it is None; or `Undecided`."""
    answers = {first: first, second: second, "1": first, "2": second, TIE: None}
    answer = printed.strip()
    if answer not in answers:
        what = f"printed {quoted(answer)}" if answer else "printed nothing"
        raise Undecided(f"{what}; an answer is 1, 2, tie, {quoted(first)} or {quoted(second)}")
    return answers[answer]


class Processes:
    """The commands that run at this moment; at the end of the ``with`` they are ended, and no other is started."""

    def __init__(self) -> None:
        self.ended = threading.Event()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()

    def __enter__(self) -> "Processes":
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self.ended.set()
            for process in self._running:
                system.end_group(process)

    def outcome(
        self, judge: Judge, number: int, first: Arm, second: Arm, note: Callable[[str], object], in_both_orders: bool
    ) -> tuple[str | None, bool | None]:
        """The winner, and whether it was another one in the other order, if that was asked, too: then it is a tie."""
        winner = self.decide(judge, number, first, second, note)
        if not in_both_orders:
            return winner, None
        is_same = self.decide(judge, number, second, first, note) == winner
        return winner if is_same else None, not is_same

    def decide(self, judge: Judge, number: int, first: Arm, second: Arm, note: Callable[[str], object]) -> str | None:
        """The winner of question ``number`` by a command, None for a tie; ``note`` gets the reason of each retry."""
        left, pause = judge.retries, judge.pause
        while True:
            try:
                return self.answer(judge, number, first, second)
            except Undecided as error:
                if not left or self.ended.is_set():
                    raise
                note(f"{quoted(first.name)} against {quoted(second.name)}: {error}; again in {pause:g} s")
            self.ended.wait(pause)
            left, pause = left - 1, min(2 * pause, LONGEST_PAUSE_SECONDS)

    def answer(self, judge: Judge, number: int, first: Arm, second: Arm) -> str | None:
        """The same by one call of the command."""
        process = self._start([*judge.words, first.name, second.name])
        try:
            printed, complaint = process.communicate(question(number, first, second).encode(), judge.timeout)
        except subprocess.TimeoutExpired:
            raise Undecided(f"no answer within {judge.timeout:g} s") from None
        finally:
            self._end(process)
        if process.returncode:
            last = (complaint.strip() or printed.strip()).rpartition(b"\n")[2].decode(errors="replace").strip()
            plain = "".join(character if character.isprintable() else "?" for character in last)
            shown = f": {plain[:200]}{'...' * (len(plain) > 200)}" if plain else ""
            raise Undecided(f"exit code {process.returncode}{shown}")
        return winner_of(printed.decode(errors="replace"), first.name, second.name)

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


def play(
    session: Session,
    arms: Mapping[str, Arm],
    judge: Judge,
    *,
    jobs: int = 1,
    budget: int | None = None,
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
        When it ended for duels without an answer; the answers of others that run at that moment count.
    """
    watch = Watch(session, note)
    waiting: dict[Future[tuple[str | None, bool | None]], Pair] = {}
    failures: Counter[frozenset[str]] = Counter()  # of pairs that were set aside, since their last answer
    first_told, n_aside, in_a_row = session.told, 0, 0
    last, end = "", ""  # what failed last, and why the session ends for it
    with ThreadPoolExecutor(jobs) as pool, Processes() as processes:  # the pool waits until all are ended
        while True:
            most = jobs if budget is None else min(jobs, budget - session.told)
            while not end and len(waiting) < most:
                pair = next_question(session, {pair.number for pair in waiting.values()})
                if pair is None:
                    break
                so_far = failures[frozenset(pair)]
                if so_far < FAILURES_OF_A_PAIR:
                    first, second = (arms[name] for name in pair)
                    tried = judge._replace(retries=0) if so_far else judge
                    outcome = pool.submit(processes.outcome, tried, pair.number, first, second, note, in_both_orders)
                    waiting[outcome] = pair
                    continue
                session.skip(pair)
                if not session.has_open_pair({pair for pair, n in failures.items() if n >= FAILURES_OF_A_PAIR}):
                    end = "the answer needs it"
                elif waiting:
                    break
            if not waiting:
                break
            over = wait(waiting, return_when=FIRST_COMPLETED).done
            for future in sorted(over, key=lambda future: waiting[future].number):
                pair = waiting.pop(future)
                try:
                    winner, flipped = future.result()
                except Undecided as error:
                    if end:
                        continue
                    last = f"{quoted(pair[0])} against {quoted(pair[1])}: {error}"
                    if stops_on_failure:
                        end = "stop"
                        continue
                    session.skip(pair)
                    n_aside, in_a_row = n_aside + 1, in_a_row + 1
                    failures[frozenset(pair)] += 1
                    note(f"{last}; set aside")
                    if in_a_row >= (FIRST_FAILURES if session.told == first_told else FAILURES_IN_A_ROW):
                        end = f"{in_a_row} in a row"
                    continue
                del failures[frozenset(pair)]
                in_a_row = 0
                if winner is None:
                    session.tie(pair, judge=by, flipped=flipped)
                else:
                    session.tell(pair, winner, judge=by, flipped=flipped)
                progress()
                watch()
    aside = f"{counted(n_aside, 'duel')} without an answer set aside"
    if end:
        raise RunsFailed(f"{shlex.join(judge.words)}: {last}" + (f"; {aside}, {end}" if n_aside else ""))
    if n_aside:
        note(aside)
