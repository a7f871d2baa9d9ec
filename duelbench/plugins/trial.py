"""A trial of compiled third-party code before its first run.

Compiled code does not notice when it reads or writes outside of an array, and Numba's messages are long. So a process
of its own, which may crash, plays the first rounds twice: interpreted, where Python names the line of a mistake, and
compiled with every index checked. The duels must be the same. Sources that have passed are remembered beside the
compiled code.

The same process records which files the code opens, of code in plain Python, too (`observe`): they are part of what
results depend on.
"""

import contextlib
import functools
import hashlib
import json
import os
import pickle
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from duelbench import opened_files, third_party
from duelbench.algorithms import registry
from duelbench.algorithms.contract import Algorithm
from duelbench.algorithms.dispatch import register
from duelbench.errors import InputError
from duelbench.kernels.decorators import FOLDER_VARIABLE, folder_of_all
from duelbench.kernels.interpreting import TimeIsUp, interpreted, is_interpreted
from duelbench.plugins.mistakes import described, guarded
from duelbench.problem.scalar_bandit import ScalarBandit
from duelbench.simulation import simulate as engine
from duelbench.simulation.global_randomness import untouched_global_randomness
from duelbench.simulation.trace import Trace

INTERPRETED = ((5000, 2.0), (100, 20.0))
"""Rounds to interpret, and the seconds for them; fewer where the interpreter is slow."""

FURTHER_SECONDS = 3.0
"""How long compiled code runs on: an array may be too short for later rounds only."""

OBSERVED_SECONDS = 3.0
"""How long to wait for the first rounds of code that is only observed; as long again for its process to start."""

LIMIT_SECONDS = 300.0
"""For the whole trial; then nothing is known, and the code is used untried."""

VARIABLE = "DUELBENCH_TRIAL"
"""Set in the process of a trial, which tries nothing itself."""

_observed: set[str] = set()
"""Digests of sources that `observe` has run in this process: not all caches can be written."""

_mistakes: dict[tuple[Any, ...], str | None] = {}


@functools.wraps(engine.simulate)
def simulate(algorithm: str | Algorithm, P: Any, **options: Any) -> Trace:
    chosen = registry.get(algorithm) if isinstance(algorithm, str) and registry.is_known(algorithm) else algorithm
    if isinstance(chosen, Algorithm):
        prepare(chosen, P, options)
    return engine.simulate(algorithm, P, **options)


def prepare(algorithm: Algorithm, P: Any, options: Mapping[str, Any]) -> None:
    """Register and try an algorithm and the decision of a scalar bandit, where they are third-party; see `require`."""
    if algorithm.third_party_modules or isinstance(P, ScalarBandit):
        register(algorithm)
        require(algorithm, P, options)


def is_due(algorithm: Algorithm, P: Any) -> bool:
    """Whether `require` would take its time: something compiled and third-party is not tried yet."""
    subject = _subject(algorithm, P)
    return subject is not None and subject not in _mistakes and not _has_passed(_mark(algorithm, P))


def require(algorithm: Algorithm, P: Any, options: Mapping[str, Any]) -> None:
    """Try an algorithm and the decision of a scalar bandit, where that is due.

    Parameters
    ----------
    algorithm, P, options
        As for `duelbench.simulate`.

    Raises
    ------
    InputError
        When there is a mistake in it, naming file and line, or when it cannot be handed over to another process.
    """
    subject = _subject(algorithm, P)
    if subject is None:
        return
    if subject not in _mistakes:
        _mistakes[subject] = None if _has_passed(_mark(algorithm, P)) else _ask(algorithm, P, options)
        mark = _mark(algorithm, P)  # another one if the code has opened files
        if mark is not None and _mistakes[subject] is None:
            with contextlib.suppress(OSError):
                mark.touch()
    mistake = _mistakes[subject]
    if mistake is not None:
        things = [thing for thing in _things(algorithm, P) if third_party.modules([thing])]
        whose = ", ".join(getattr(thing, "id", None) or thing.name for thing in things)
        raise InputError(mistake if mistake.startswith((f"{whose} ", f"{whose}:")) else f"{whose}: {mistake}")


def is_observed(algorithm: Algorithm, P: Any) -> bool:
    """Whether it is known which files third-party code opens, or there is none to run."""
    sources = _sources(algorithm, P)
    if sources is None or VARIABLE in os.environ:
        return True
    return sources.digest_of_code in _observed or opened_files.are_known(sources.digest_of_code)


def observe(algorithm: Algorithm, P: Any, options: Mapping[str, Any]) -> bool:
    """Run third-party code for the first time, to learn which files it opens; return whether there are any.

    The parameters are as for `require`. Mistakes are not reported here: the runs will make them again.
    """
    sources = _sources(algorithm, P)
    if sources is None:
        return False
    _observed.add(sources.digest_of_code)
    if is_due(algorithm, P):
        with contextlib.suppress(InputError):
            require(algorithm, P, options)
    else:
        _ask(algorithm, P, options, is_observed=True)
    return bool(opened_files.names(sources.digest_of_code))


def _sources(algorithm: Algorithm, P: Any) -> third_party.Sources | None:
    modules = _modules(algorithm, P)
    return third_party.sources(modules) if modules else None


def _things(algorithm: Algorithm, P: Any) -> list[Any]:
    return [algorithm, *([P.decision] if isinstance(P, ScalarBandit) else [])]


def _modules(algorithm: Algorithm, P: Any) -> tuple[str, ...]:
    return registry.modules_of(algorithm, P.decision if isinstance(P, ScalarBandit) else None)


def _subject(algorithm: Algorithm, P: Any) -> tuple[Any, ...] | None:
    """What is to be tried, as this process knows it; None for nothing."""
    things = _things(algorithm, P)
    if is_interpreted() or VARIABLE in os.environ or not all(thing.compiled for thing in things):
        return None
    return (algorithm.id, *(thing.state for thing in things)) if third_party.modules(things) else None


def _mark(algorithm: Algorithm, P: Any) -> Path | None:
    """The file that says that these sources have passed; None where it is not known that they are those in use."""
    things = _things(algorithm, P)
    sources = third_party.sources(third_party.modules(things))
    if sources is None or not sources.are_as_imported:
        return None
    names = [algorithm.id, *(thing.state.__qualname__ for thing in things)]
    digest = hashlib.sha256(f"{names} {sources.digest}".encode()).hexdigest()[:20]
    return folder_of_all() / f"tried-{digest}"


def _has_passed(mark: Path | None) -> bool:
    return mark is not None and mark.exists()


def _ask(algorithm: Algorithm, P: Any, options: Mapping[str, Any], is_observed: bool = False) -> str | None:
    """The mistake that a trial in a new process finds, in words; None if it finds none, or is only ``is_observed``.

    The files that the code opened there are kept.
    """
    from joblib import wrap_non_picklable_objects

    is_known = registry.is_known(algorithm.id) and registry.get(algorithm.id) is algorithm
    program = getattr(sys.modules["__main__"], "__file__", None)
    question = program, algorithm.id if is_known else algorithm, P, {**options, "watch": None}, is_observed
    try:
        packed = pickle.dumps(wrap_non_picklable_objects(question, keep_wrapper=False))
    except Exception as error:  # whatever something in it raises
        words = " ".join(str(error).split()) or type(error).__name__
        return (
            f"something that it uses cannot be handed over to the process that tries compiled code ({words});"
            " keep it in a module; NUMBA_DISABLE_JIT=1 runs it interpreted"
        )
    with tempfile.TemporaryDirectory(prefix="duelbench-") as name:
        answer = Path(name, "answer")
        Path(name, "question").write_bytes(pickle.dumps(list(registry.named_plug_ins)) + packed)
        # Numba would not notice that what is cached was compiled without checks: the cache is another one.
        environment = {
            **os.environ,
            VARIABLE: "1",
            "NUMBA_BOUNDSCHECK": "1",
            "XDG_CACHE_HOME": name,
            "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path)),
        }
        environment.pop(FOLDER_VARIABLE, None)
        command, null = [sys.executable, "-m", __name__, name], subprocess.DEVNULL
        try:
            limit = 2 * OBSERVED_SECONDS if is_observed else LIMIT_SECONDS
            done = subprocess.run(
                command, env=environment, timeout=limit, check=False, stdin=null, stdout=null, stderr=null
            )
        except subprocess.TimeoutExpired:
            return None
        if done.returncode != 0 or not answer.exists():
            return f"it ended its process (exit code {done.returncode}) in the first rounds"
        mistake, opened = json.loads(answer.read_text(encoding="utf-8"))
    sources = _sources(algorithm, P)
    if sources is not None:
        opened_files.kept[sources.digest_of_code] = opened_files.keep(sources.digest_of_code, opened)
        registry.forget_sources()
    return mistake


# --- the process of a trial ---


def main(folder: Path) -> None:
    """Answer the question in a folder with the mistake in words, or null, and the files that were opened."""
    opened_files.record()
    with open(folder / "question", "rb") as file:
        registry.load_named_plug_ins(pickle.load(file))
        third_party.program, algorithm, P, options, is_observed = pickle.load(file)
    algorithm = registry.get(algorithm) if isinstance(algorithm, str) else algorithm

    def answer(mistake: str | None) -> None:
        sources = _sources(algorithm, P)
        opened = third_party.opened_beside(sources) if sources is not None else []
        (folder / "answer").write_text(json.dumps([mistake, opened]), encoding="utf-8")

    if is_observed:
        _observe(algorithm, P, options, answer)
        return
    for rounds in (_first_rounds, _further_rounds):
        mistake = _mistake_in(rounds, algorithm, P, options)
        answer(mistake)
        if mistake is not None:
            return


def _observe(algorithm: Algorithm, P: Any, options: Mapping[str, Any], answer: Callable[[None], None]) -> None:
    """Play the first rounds interpreted, for at most `OBSERVED_SECONDS`, and answer whatever happens."""

    def end() -> None:
        answer(None)
        os._exit(0)

    enough = threading.Timer(OBSERVED_SECONDS, end)
    enough.daemon = True
    enough.start()
    with contextlib.suppress(BaseException):  # the runs will say so
        _interpreted(algorithm, P, options)
    end()


Rounds = Callable[[Algorithm, Any, Mapping[str, Any]], str | None]


def _mistake_in(rounds: Rounds, algorithm: Algorithm, P: Any, options: Mapping[str, Any]) -> str | None:
    """What ``rounds`` returns, or the message of its error."""
    try:
        return rounds(algorithm, P, options)
    except (TimeIsUp, InputError):  # the run itself says what the input is
        return None
    except BaseException as error:  # whatever a plug-in raises
        return described(error, algorithm, "compiled")


def _first_rounds(algorithm: Algorithm, P: Any, options: Mapping[str, Any]) -> str | None:
    """Play the first rounds both ways, and return how they differ."""
    first = _interpreted(algorithm, P, options)
    return _difference(first, _played(algorithm, P, options, int(first.rounds[-1])))


def _further_rounds(algorithm: Algorithm, P: Any, options: Mapping[str, Any]) -> None:
    """Play the whole run, compiled, and end this process where that takes longer than `FURTHER_SECONDS`."""
    enough = threading.Timer(FURTHER_SECONDS, os._exit, [0])
    enough.daemon = True
    enough.start()
    try:
        _played(algorithm, P, options, options["horizon"], every=False)
    finally:
        enough.cancel()


def _interpreted(algorithm: Algorithm, P: Any, options: Mapping[str, Any]) -> Trace:
    """The trace of as many first rounds as the interpreter can run in time."""
    for most, seconds in INTERPRETED:
        rounds = min(options["horizon"], most)
        with contextlib.suppress(TimeIsUp), interpreted(seconds):
            return _played(guarded(algorithm), P, options, rounds)
    raise TimeIsUp


def _played(algorithm: Algorithm, P: Any, options: Mapping[str, Any], horizon: int, every: bool = True) -> Trace:
    """A run with checkpoints after every round, or at its end only."""
    changes = {"horizon": horizon, "checkpoints": range(1, horizon + 1) if every else [horizon]}
    with untouched_global_randomness():
        return engine.simulate(algorithm, P, **{**options, **changes})


def _difference(interpreted: Trace, compiled: Trace) -> str | None:
    """From which round on compiled code chooses or recommends differently than interpreted code."""
    differ = (interpreted.regret != compiled.regret).any(axis=0) | (interpreted.recommended != compiled.recommended)
    if not differ.any() and (interpreted.duels == compiled.duels).all():
        return None
    since = f"from round {differ.argmax() + 1} on" if differ.any() else f"in the first {compiled.rounds[-1]} rounds"
    return (
        f"compiled, it chooses differently than interpreted {since}. Compiled code treats globals as constants, and"
        " whole numbers have 64 bits; NUMBA_DISABLE_JIT=1 runs it interpreted"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
