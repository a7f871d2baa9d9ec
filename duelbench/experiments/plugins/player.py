"""Plays third-party algorithms in another process, with bounds checks and a time limit for each round."""

import contextlib
import faulthandler
import math
import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from traceback import FrameSummary
from typing import Any, NamedTuple

from duelbench.bandits import opened_files, third_party
from duelbench.bandits.algorithms import registry
from duelbench.bandits.algorithms.contract import Algorithm
from duelbench.bandits.kernels.decorators import FOLDER_VARIABLE
from duelbench.bandits.kernels.interpreting import interpreted
from duelbench.bandits.problem.scalar_bandit import ScalarBandit
from duelbench.bandits.simulation.global_randomness import untouched_global_randomness
from duelbench.bandits.simulation.simulate import simulate
from duelbench.bandits.simulation.trace import Trace
from duelbench.errors import InputError
from duelbench.experiments.plugins.mistakes import described, guarded

ROUND_SECONDS = 10.0
"""How long a round may take."""

LOCKED_SECONDS = 1.0
"""After this further time, a round is assumed to hold Python's lock, so that only `faulthandler` can end it."""

COMPILING_SECONDS = 120.0
"""How long the first compiled round, including compiling, and the start of the process may each take."""

VARIABLE = "DUELBENCH_TRIAL"
"""The environment variable that is set in the process of a player, so that it does not try plug-ins itself."""


class PlayError(Exception):
    """A mistake in third-party code; the message has the place and says what to do."""


class Refused(PlayError):
    """The algorithm, or the engine, refuses the input."""


class Endless(PlayError):
    """A round did not return in time."""


class Unfinished(PlayError):
    """The whole play takes too long."""


class Order(NamedTuple):
    """A run that a `Player` must play."""

    options: Mapping[str, Any]  # the options of `simulate`
    problem: Any = None  # the problem of `simulate`; None for that of the player
    is_interpreted: bool = False  # whether kernels run as plain Python
    seconds: float = math.inf  # how long the whole play may take
    round_seconds: float = ROUND_SECONDS


class Answer(NamedTuple):
    """The result of an order: a trace or an error."""

    trace: Trace | None
    error: type[Exception] = PlayError
    message: str = ""
    opened: tuple[str, ...] = ()  # the files in its folder that the code has opened so far


class Player:
    """An algorithm and the process that plays it; a context manager, which ends the process.

    Orders without a problem play ``problem``; ``stderr`` is passed to `subprocess.Popen`, for the output of the code.
    """

    def __init__(self, algorithm: Algorithm, problem: Any = None, stderr: int | None = subprocess.DEVNULL) -> None:
        self.algorithm = algorithm
        self.problem = problem
        self._stderr = stderr
        self._process: subprocess.Popen[bytes] | None = None
        self._opened: tuple[str, ...] | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="duelbench-")

    def __enter__(self) -> "Player":
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()
        self._folder.cleanup()

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def play(self, order: Order) -> Trace:
        """Play an order; files that the code opens are recorded for the digests of its sources.

        Raises
        ------
        PlayError
            If there is a mistake in the algorithm, it cannot be handed over to the process, or it takes too long.
        """
        if self._process is None:
            self._process = self._start()
        assert self._process.stdin is not None and self._process.stdout is not None
        packed = self._packed(order)
        try:
            self._process.stdin.write(packed)
            self._process.stdin.flush()
            answer: Answer = pickle.load(self._process.stdout)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            exit_code = self._process.wait()
            self._stop()
            raise self._end(order, exit_code) from None
        if answer.error is Unfinished:
            self._stop()
        self._keep(answer.opened)
        if answer.trace is None:
            raise answer.error(answer.message)
        return answer.trace

    def _start(self) -> "subprocess.Popen[bytes]":
        """Start the process, and send the algorithm to it."""
        is_known = registry.is_known(self.algorithm.id) and registry.get(self.algorithm.id) is self.algorithm
        subject = self._packed((_program(), self.algorithm.id if is_known else self.algorithm, self.problem))
        environment = {**os.environ, VARIABLE: "1", "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
        if self.algorithm.compiled:
            # A separate cache: Numba does not notice that cached code was compiled without bounds checks.
            environment |= {"NUMBA_BOUNDSCHECK": "1", "XDG_CACHE_HOME": self._folder.name}
            environment.pop(FOLDER_VARIABLE, None)
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", f"from {__name__} import main; main()", self._folder.name],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
        )
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(pickle.dumps(list(registry.named_plug_ins)) + subject)
        return process

    def _packed(self, content: Any) -> bytes:
        from joblib import wrap_non_picklable_objects

        try:
            return pickle.dumps(wrap_non_picklable_objects(content, keep_wrapper=False))
        except Exception as error:  # anything that pickled objects raise
            reason = " ".join(str(error).split()) or type(error).__name__
            raise PlayError(
                f"something that it uses cannot be handed over to the process that tries compiled code ({reason}); keep"
                " it in a module; NUMBA_DISABLE_JIT=1 runs it interpreted"
            ) from error

    def _end(self, order: Order, exit_code: int) -> PlayError:
        """Return the error that explains why the process ended without an answer."""
        stack, rounds = (Path(self._folder.name, name) for name in ("stack", "rounds"))
        if not stack.exists() or stack.stat().st_size == 0:
            return PlayError(f"it ended its process (exit code {exit_code})")
        n_played = int(rounds.read_text(encoding="utf-8") or 0) if rounds.exists() else 0
        limit = _limit(self.algorithm, order, n_played)
        what = f"round {n_played + 1}" if rounds.exists() else "start"
        if rounds.exists() and time.time() - rounds.stat().st_mtime > limit / 2:
            what = "a round"  # code that holds Python's lock also stops the thread that writes the number of rounds
        place = _place_in(stack.read_text(encoding="utf-8", errors="replace"))
        return Endless(f"{what} did not return within {limit:g} seconds{f' ({place})' if place else ''}")

    def _keep(self, opened: tuple[str, ...]) -> None:
        """Keep the names of opened files."""
        if opened == self._opened:
            return
        self._opened = opened
        if sources := sources_of(self.algorithm, self.problem):
            opened_files.kept[sources.digest_of_code] = opened_files.keep(sources.digest_of_code, opened)
            registry.forget_sources()


def sources_of(algorithm: Algorithm, problem: Any) -> third_party.Sources | None:
    """Return the third-party sources of an algorithm and of the decision of a scalar bandit; None if there are none."""
    decision = problem.decision if isinstance(problem, ScalarBandit) else None
    modules = registry.modules_of(algorithm, decision)
    return third_party.sources(modules) if modules else None


def _program() -> str | None:
    """Return the file of the main program, whose functions are sent to the process without the file."""
    return getattr(sys.modules["__main__"], "__file__", None)


def _place_in(dump: str) -> str | None:
    """Return the innermost place in third-party code in a dump of `faulthandler`, which has innermost frames first."""
    text = dump.encode("ascii", "backslashreplace").decode("unicode_escape")
    text = text.replace("<dynamic-code>", _program() or "")
    lines = re.findall(r'File "([^"\n]*)", line (\d+) in ([^\n]+)', text)
    return third_party.place_in(FrameSummary(file, int(line), name) for file, line, name in reversed(lines))


def _limit(algorithm: Algorithm, order: Order, n_played: int) -> float:
    """Return how many seconds the next round may take."""
    is_compiling = n_played == 0 and algorithm.compiled and not order.is_interpreted
    return COMPILING_SECONDS if is_compiling else order.round_seconds


# --- the process of a player ---


def main() -> None:
    """Play orders from standard input, and write results to standard output, until there are no more orders."""
    faulthandler.dump_traceback_later(COMPILING_SECONDS, exit=True)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    orders, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of the code must not mix with the results
    opened_files.record()
    registry.load_named_plug_ins(pickle.load(orders))
    third_party.program, subject, problem = pickle.load(orders)
    algorithm = registry.get(subject) if isinstance(subject, str) else subject

    def answer(outcome: Answer) -> None:
        sources = sources_of(algorithm, problem)
        opened = () if sources is None else tuple(third_party.opened_beside(sources))
        pickle.dump(outcome._replace(opened=opened), answers)
        answers.flush()

    with contextlib.suppress(EOFError):
        while True:
            order: Order = pickle.load(orders)
            if order.problem is None:
                order = order._replace(problem=problem)
            with _watched(algorithm, order, lambda: answer(Answer(None, Unfinished))) as watch:
                outcome = played(algorithm, order, watch)
            answer(outcome)


def played(algorithm: Algorithm, order: Order, watch: Callable[[Any], object] | None = None) -> Answer:
    """Play an order in this process."""
    is_plain = order.is_interpreted or not algorithm.compiled
    interpreting = interpreted(math.inf) if order.is_interpreted else contextlib.nullcontext()
    subject = guarded(algorithm) if is_plain else algorithm
    try:
        with interpreting, untouched_global_randomness():
            return Answer(simulate(subject, order.problem, **{**order.options, "watch": watch}))
    except BaseException as error:  # anything that a plug-in raises
        kind = Refused if isinstance(error, InputError) else PlayError
        return Answer(None, kind, described(error, algorithm, "in plain Python" if is_plain else "compiled"))


@contextlib.contextmanager
def _watched(algorithm: Algorithm, order: Order, give_up: Callable[[], None]) -> Iterator[Callable[[Any], object]]:
    """End this process if a round, or the whole play, takes too long; yields the ``watch`` for `simulate`.

    A thread writes the stack and ends the process. If the code holds Python's lock, that thread cannot run, and
    `faulthandler` does the same a little later. `faulthandler` alone would read stacks while they change, and could
    lose the place.
    """
    stack, rounds = (Path(sys.argv[1], name) for name in ("stack", "rounds"))
    counts: list[Any] = []  # an array whose sum is the number of rounds so far; empty before the start
    is_over, ending = threading.Event(), threading.Lock()
    deadline = time.monotonic() + order.seconds

    def start(of_rounds: Any) -> None:
        counts.append(of_rounds)
        rounds.write_text("0", encoding="utf-8")

    def allow(n_played: int) -> float:
        """Start the clock of the next round; return when the round must be over."""
        limit = _limit(algorithm, order, n_played)
        faulthandler.dump_traceback_later(limit + LOCKED_SECONDS, file=file, exit=True)
        return time.monotonic() + limit

    def look(end_of_round: float) -> None:
        before = 0
        while not is_over.wait(0.1):
            n_played = int(counts[0].sum()) if counts else 0
            if n_played != before:
                before, end_of_round = n_played, allow(n_played)
            if counts:
                rounds.write_text(str(n_played), encoding="utf-8")
            with ending:
                if time.monotonic() > end_of_round and not is_over.is_set():
                    faulthandler.dump_traceback(file=file)
                    os._exit(1)
                if time.monotonic() > deadline and not is_over.is_set():
                    give_up()
                    os._exit(0)

    rounds.unlink(missing_ok=True)
    with open(stack, "w", encoding="utf-8") as file:
        thread = threading.Thread(target=look, args=[allow(0)], daemon=True)
        thread.start()
        try:
            yield start
        finally:
            with ending:
                is_over.set()
            thread.join()
            faulthandler.cancel_dump_traceback_later()
