"""Compiled code that is not part of duelbench is tried before it is trusted.

Compiled code does not notice when it reads or writes outside of an array, and what Numba says of code that it cannot
compile is long. So the first rounds are played three times, each in a process of its own, which may crash: interpreted,
where Python names the line of a mistake; compiled with every index checked; and compiled as all runs are. The duels
must be the same. That is done once for the same sources, and remembered beside the compiled code.
"""

import contextlib
import functools
import hashlib
import importlib
import io
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import cloudpickle

from duelbench import foreign, system
from duelbench.algorithms import registry
from duelbench.algorithms.contract import Algorithm
from duelbench.errors import InputError
from duelbench.kernels.decorators import FOLDER_VARIABLE, Kernel, compiled_with, folder_of_all
from duelbench.problem.decision_rule import Decision
from duelbench.problem.scalar_bandit import ScalarBandit
from duelbench.simulation.game import Problem, answers_are_arms, begin, play
from duelbench.simulation.global_randomness import untouched_global_randomness
from duelbench.simulation.mistakes import check_types, described, guarded
from duelbench.simulation.run_log import new_log
from duelbench.simulation.streams import streams
from duelbench.simulation.trace import log_checkpoints

ROUNDS = 5000
"""So many rounds are played in all three ways, if the interpreter comes so far, and looked at one by one."""

INTERPRETED_SECONDS = 2.0

FURTHER_ROUNDS = 100_000
FURTHER_SECONDS = 10.0
"""Compiled code plays on to this round, or for so long: an array may be too short for later rounds only."""

SEARCH_SECONDS = 20.0
"""So long the interpreter may take for the first round, and look for a mistake that compiled code has made later."""

LIMIT_SECONDS = 300.0
"""For starting and compiling, after which nothing is known, and the code is played untried."""

VARIABLE = "DUELBENCH_TRIAL"
"""Set in the processes of a trial: which of the three ways is theirs."""

INTERPRETED, CHECKED, COMPILED = "interpreted", "compiled with every index checked", "compiled"

ELSEWHERE = "NUMBA_DISABLE_JIT=1 plays it interpreted"

_verdicts: dict[tuple[Any, ...], str | None] = {}


@dataclass(frozen=True)
class Game:
    """What is played; it can be pickled.

    Parameters
    ----------
    algorithm : str or Algorithm
        Its id, where the other process can find it by that.
    problem : PreferenceMatrix or ScalarBandit
    horizon : int
        What ``start`` is told, in rounds.
    parameters : mapping
        All of the algorithm's.
    rounds : int
        How many are played.
    further : int
        To which round compiled code plays another time; 0 for not at all.
    seconds : float
        When interpreted code is stopped.
    is_strict : bool
        Whether interpreted code raises an error where NumPy divides by zero, as compiled code does.
    """

    algorithm: str | Algorithm
    problem: Problem
    horizon: int
    parameters: Mapping[str, Any]
    rounds: int
    further: int = 0
    seconds: float = INTERPRETED_SECONDS
    is_strict: bool = False


def is_due(algorithm: Algorithm, problem: Problem) -> bool:
    """Whether `require` would take its time: something is compiled and foreign, and not tried yet."""
    subject = _subject(algorithm, problem)
    return subject is not None and subject not in _verdicts and not _is_remembered(algorithm, problem)


def require(algorithm: Algorithm, problem: Problem, horizon: int, parameters: Mapping[str, Any]) -> None:
    """Try an algorithm and the decision of a scalar bandit, if they are compiled, one is foreign, and it was not tried.

    Parameters
    ----------
    algorithm : Algorithm
    problem : PreferenceMatrix or ScalarBandit
    horizon : int
        Rounds.
    parameters : mapping
        All of the algorithm's.

    Raises
    ------
    InputError
        When there is a mistake in it, naming file and line, or when it cannot be handed over to another process.
    """
    subject = _subject(algorithm, problem)
    if subject is None:
        return
    if subject not in _verdicts:
        passed = _is_remembered(algorithm, problem)
        _verdicts[subject] = None if passed else _verdict(algorithm, problem, horizon, parameters)
        if _verdicts[subject] is None and not passed:
            _remember(algorithm, problem)
    verdict = _verdicts[subject]
    if verdict is not None:
        raise InputError(verdict)


def _things(algorithm: Algorithm, problem: Problem) -> list[Any]:
    return [algorithm, *([problem.decision] if isinstance(problem, ScalarBandit) else [])]


def _subject(algorithm: Algorithm, problem: Problem) -> tuple[Any, ...] | None:
    """What is to be tried, as this process knows it; None for nothing, and where a trial could not be ended in time."""
    if system.ALARM is None:
        return None
    if not algorithm.foreign_modules and not isinstance(problem, ScalarBandit):
        return None
    things = _things(algorithm, problem)
    modules = foreign.modules(things)
    if not modules or not all(thing.compiled for thing in things) or numba.config.DISABLE_JIT or VARIABLE in os.environ:
        return None
    return algorithm.id, *(thing.state for thing in things)


def _mark(algorithm: Algorithm, problem: Problem) -> Path | None:
    """The file that says that these sources have passed; None where it is not known that they are those in use."""
    things = _things(algorithm, problem)
    sources = foreign.sources(foreign.modules(things))
    if sources is None or not sources.are_as_imported:
        return None
    names = [algorithm.id, *(thing.state.__qualname__ for thing in things)]
    digest = hashlib.sha256(f"{names} {sources.digest}".encode()).hexdigest()[:20]
    return folder_of_all() / f"tried-{digest}"


def _is_remembered(algorithm: Algorithm, problem: Problem) -> bool:
    mark = _mark(algorithm, problem)
    return mark is not None and mark.exists()


def _remember(algorithm: Algorithm, problem: Problem) -> None:
    mark = _mark(algorithm, problem)
    if mark is not None:
        with contextlib.suppress(OSError):
            mark.touch()


# --- the process that wants to know ---


def _verdict(algorithm: Algorithm, problem: Problem, horizon: int, parameters: Mapping[str, Any]) -> str | None:
    """What is wrong, in words; None where nothing was found."""
    is_known = registry.is_known(algorithm.id) and registry.get(algorithm.id) is algorithm
    named = algorithm.id if is_known else algorithm
    game = Game(named, problem, horizon, dict(parameters), min(horizon, ROUNDS))
    try:
        _packed(game)
    except Exception as error:  # whatever something in it raises
        words = " ".join(str(error).split()) or type(error).__name__
        wrong: str | None = (
            f"something that it uses cannot be handed over to the process that tries compiled code ({words});"
            f" keep it in a module; {ELSEWHERE}"
        )
    else:
        wrong = _wrong(game)
    if wrong is None:
        return None
    things = [thing for thing in _things(algorithm, problem) if foreign.modules([thing])]
    whose = ", ".join(getattr(thing, "id", None) or thing.name for thing in things)
    return wrong if wrong.startswith((f"{whose} ", f"{whose}:")) else f"{whose}: {wrong}"


def _wrong(game: Game) -> str | None:
    first, *_ = [*_Player(game, INTERPRETED).reports(), None]
    if first is None:
        return None
    if "error" in first:
        return _sentence(first)
    further = min(game.horizon, FURTHER_ROUNDS)
    plays_on = further > first["rounds"] and not first["is_stuck"]
    game = replace(game, rounds=first["rounds"], further=further if plays_on else 0)
    if not game.rounds:
        return None
    with tempfile.TemporaryDirectory(prefix="duelbench-") as folder:
        players = _Player(game, COMPILED), _Player(game, CHECKED, XDG_CACHE_HOME=folder)
        compiled, checked = (player.reports() for player in players)
    for report in [*checked, *compiled]:
        if "error" in report:
            return _located(report, game)
    n_columns = 1 if isinstance(game.problem, ScalarBandit) else game.problem.n_arms
    for report in [*compiled[:1], *checked[:1]]:
        if (difference := _difference(first, report, n_columns)) is not None:
            return difference
    if len(compiled) == len(checked) == 2 and compiled[1] != checked[1]:
        return f"other duels are played {CHECKED} than without; does it use what np.empty found? {ELSEWHERE}"
    return None


def _sentence(report: Mapping[str, Any]) -> str:
    return "; ".join(part for part in (report["error"], report.get("mend")) if part)


def _located(report: Mapping[str, Any], game: Game) -> str:
    """The error, from the interpreter where that meets one too: it knows the line."""
    if not report["is_located"]:
        searching = replace(game, rounds=max(game.rounds, game.further), seconds=SEARCH_SECONDS, is_strict=True)
        for found in _Player(searching, INTERPRETED).reports():
            if "error" in found:
                return _sentence(found)
    return _sentence(report)


def _difference(first: Mapping[str, Any], other: Mapping[str, Any], n_columns: int) -> str | None:
    """In which round compiled code plays or recommends otherwise than interpreted code."""
    for what, name in (("pairs", "played"), ("recommended", "recommended")):
        for t, answers in enumerate(zip(first[what], other[what], strict=True), start=1):
            if answers[0] != answers[1]:
                own, others = (divmod(n, n_columns) if what == "pairs" else n for n in answers)
                return (
                    f"interpreted, {own} is {name} in round {t}; compiled, {others} is. Compiled code takes what stands"
                    f" in a module for constants, and whole numbers have 64 bits; {ELSEWHERE}"
                )
    return None


class _Packer(cloudpickle.Pickler):
    """Pickles algorithms and decisions by the names that they have in their modules.

    Those that stand in the program itself, or within a function, are pickled with their code.
    """

    def persistent_id(self, thing: Any) -> tuple[str, str] | None:
        if isinstance(thing, (Algorithm, Decision)):
            for module in set(foreign.modules([thing])) - {"__main__"}:
                for name, value in vars(sys.modules.get(module, object)).items():
                    if value is thing:
                        return module, name
        return None

    def reducer_override(self, thing: Any) -> Any:
        if isinstance(thing, Kernel) and _is_hidden(thing.py_func):
            return compiled_with, (thing.options, thing.py_func)
        return super().reducer_override(thing)


def _is_hidden(function: Callable[..., Any]) -> bool:
    """Whether another process does not find a function by its name."""
    return function.__module__ == "__main__" or "<locals>" in function.__qualname__


class _Unpacker(pickle.Unpickler):
    def persistent_load(self, place: tuple[str, str]) -> Any:
        module, name = place
        return getattr(importlib.import_module(module), name)


def _packed(game: Game) -> bytes:
    file = io.BytesIO()
    _Packer(file).dump(game)
    return file.getvalue()


class _Player:
    """A process that plays a game in one of the ways."""

    def __init__(self, game: Game, way: str, **variables: str) -> None:
        environment = {name: value for name, value in os.environ.items() if name != "NUMBA_BOUNDSCHECK"}
        environment |= {VARIABLE: way, **variables}
        if way == INTERPRETED:
            environment["NUMBA_DISABLE_JIT"] = "1"
        if way == CHECKED:  # Numba would not notice that what it has kept is compiled otherwise
            environment["NUMBA_BOUNDSCHECK"] = "1"
            environment.pop(FOLDER_VARIABLE, None)
        folders = [str(folder) for folder in sys.path]
        code = f"import sys; sys.path[:] = {folders!r}; from duelbench.simulation.trial import answer; answer()"
        self._way = way
        question = pickle.dumps(list(registry.named_plug_ins)) + _packed(game)
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError), self._process.stdin as pipe:
            pipe.write(question)
        self._process.stdin = None

    def reports(self) -> list[dict[str, Any]]:
        """What it says before it ends."""
        try:
            said, _ = self._process.communicate(timeout=LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            return []
        finally:
            self._process.kill()
            self._process.wait()
        reports = [json.loads(line) for line in said.splitlines()]
        code = self._process.returncode
        if code not in (0, -system.ALARM):
            died = f"it ended its process (exit code {code}) in the first rounds, {self._way}"
            reports.append({"error": died, "is_located": False})
        return reports


# --- the process that plays ---


def answer() -> None:
    """Play the game that comes through standard input; on standard output say how it went, one line for a report."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what an algorithm prints is no report
    registry.load_named_plug_ins(pickle.load(sys.stdin.buffer))
    game: Game = _Unpacker(sys.stdin.buffer).load()
    for report in _played(game, os.environ[VARIABLE]):
        print(json.dumps(report), file=out, flush=True)


def _played(game: Game, way: str) -> Iterator[dict[str, Any]]:
    algorithm = registry.get(game.algorithm) if isinstance(game.algorithm, str) else game.algorithm
    table = _Table(algorithm, game)
    try:
        if way == INTERPRETED:
            yield table.interpreted()
            return
        yield table.compiled(game.rounds)
        if game.further:
            system.set_timer(FURTHER_SECONDS)  # ends the process, also from within compiled code
            yield table.compiled(game.further)
    except BaseException as error:  # whatever a plug-in raises
        system.set_timer(0)
        yield described(error, table.state, way)


class _Enough(BaseException):
    """The interpreter has played for long enough."""


class _Table:
    """Where a game is played: the algorithm, its state and the log, also after something went wrong."""

    def __init__(self, algorithm: Algorithm, game: Game) -> None:
        self.algorithm = algorithm
        self.game = game
        self.state: Any = None
        self.log: Any = None

    def interpreted(self) -> dict[str, Any]:
        """Play until the time is over, but one round at least; a round that takes half of the time will not end."""
        start = began = time.monotonic()

        @functools.wraps(self.algorithm.select)
        def select(state: Any, t: int, rng: np.random.Generator) -> Any:
            nonlocal began
            began = time.monotonic()
            return chosen(state, t, rng)

        def stop(*_: Any) -> None:
            if not self._recorded() and time.monotonic() - start < SEARCH_SECONDS:
                system.set_timer(self.game.seconds)
                return
            raise _Enough

        chosen = self.algorithm.select
        signal.signal(system.ALARM, stop)
        system.set_timer(self.game.seconds)
        is_stuck = False
        rounds = self.game.rounds
        try:
            self._play(replace(self.algorithm, select=select), rounds, is_guarded=True)
            system.set_timer(0)
        except _Enough:
            is_stuck = time.monotonic() - began > self.game.seconds / 2
            rounds = self._recorded()
        return {**self._report(rounds), "is_stuck": is_stuck}

    def _recorded(self) -> int:
        """How many rounds are in the log; of the last one perhaps not all."""
        return 0 if self.log is None else max(0, int(np.count_nonzero(self.log.recommended >= 0)) - 1)

    def compiled(self, rounds: int) -> dict[str, Any]:
        """Play so many rounds."""
        self._play(self.algorithm, rounds)
        return self._report(self.log.checkpoints.size)

    def _play(self, algorithm: Algorithm, rounds: int, is_guarded: bool = False) -> None:
        problem = self.game.problem
        random = streams(0, 0)
        played, self.state = begin(algorithm, problem, self.game.horizon, random.algorithm, True, self.game.parameters)
        check_types(foreign.place_of_function(self.algorithm.start), self.state)
        if is_guarded:
            self.state = guarded(self.state)
        checkpoints = np.arange(1, rounds + 1) if rounds <= ROUNDS else log_checkpoints(rounds, 100)
        n_columns = 1 if isinstance(problem, ScalarBandit) else problem.n_arms
        # A round costs the number of its pair (from 1): the regret of each round says which it was.
        losses = np.arange(1.0, problem.n_arms * n_columns + 1).reshape(1, problem.n_arms, n_columns)
        prices = np.zeros((1, problem.losses.size)) if isinstance(problem, ScalarBandit) else None
        self.log = new_log(checkpoints, losses, prices, algorithm.explored is not None, answers_are_arms(problem))
        self.log.recommended[:] = -1
        errors: Any = {"all": "ignore"} if not self.game.is_strict else {"divide": "raise", "invalid": "raise"}
        with untouched_global_randomness(), np.errstate(**errors):
            play(played, self.state, problem, self.log, random)

    def _report(self, rounds: int) -> dict[str, Any]:
        pairs = np.diff(self.log.regret[0, :rounds], prepend=0.0) - 1 if rounds else np.zeros(0)
        recommended = self.log.recommended[:rounds] if rounds else np.zeros(0)
        return {"rounds": rounds, "pairs": list(map(int, pairs)), "recommended": list(map(int, recommended))}
