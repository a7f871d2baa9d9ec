"""A trial of third-party code before its first run.

Compiled code does not notice when it reads or writes outside of an array, and Numba's messages are long. So a `Player`
plays the first rounds twice: interpreted, so that Python names the line of a mistake, and compiled with bounds checks.
The duels must be the same. Sources that have passed are recorded next to the compiled code.

Code in plain Python is only observed, to learn which files it opens: results depend on them.
"""

import contextlib
import functools
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from duelbench.bandits import opened_files, third_party
from duelbench.bandits.algorithms import registry
from duelbench.bandits.algorithms.contract import Algorithm
from duelbench.bandits.algorithms.dispatch import register
from duelbench.bandits.kernels.decorators import folder_of_all
from duelbench.bandits.kernels.interpreting import is_interpreted
from duelbench.bandits.problem.scalar_bandit import ScalarBandit
from duelbench.bandits.simulation import simulate as engine
from duelbench.bandits.simulation.trace import Trace
from duelbench.errors import InputError
from duelbench.experiments.plugins.player import (
    VARIABLE,
    Endless,
    Order,
    Player,
    PlayError,
    Refused,
    Unfinished,
    sources_of,
)

INTERPRETED = ((5000, 3.0), (100, 20.0))
"""Rounds to interpret, and the time for them; slow algorithms get fewer rounds."""

FURTHER_SECONDS = 3.0
"""How much longer compiled code runs: an array may be too short only for later rounds."""

OBSERVED_SECONDS = 3.0
"""How long the first rounds of code that is only observed may take."""

_observed: set[str] = set()
"""Digests of sources that `observe` has run in this process, in case the cache cannot be written."""

_mistakes: dict[tuple[Any, ...], str | None] = {}
"""The results of trials in this process, by `_subject`."""


@functools.wraps(engine.simulate)
def simulate(algorithm: str | Algorithm, P: Any, **options: Any) -> Trace:
    chosen = registry.get(algorithm) if isinstance(algorithm, str) and registry.is_known(algorithm) else algorithm
    if isinstance(chosen, Algorithm) and (chosen.third_party_modules or isinstance(P, ScalarBandit)):
        register(chosen)
        require(chosen, P, options)
    return engine.simulate(algorithm, P, **options)


def is_due(algorithm: Algorithm, P: Any) -> bool:
    """Return whether `require` will take some time, because compiled third-party code is not tried yet."""
    subject = _subject(algorithm, P)
    return subject is not None and subject not in _mistakes and not _has_passed(algorithm, P)


def require(algorithm: Algorithm, P: Any, options: Mapping[str, Any]) -> None:
    """Try an algorithm and the decision of a scalar bandit, if that is due; the arguments are as for `simulate`.

    Raises
    ------
    InputError
        If there is a mistake in the code, with file and line.
    """
    subject = _subject(algorithm, P)
    if subject is None:
        return
    if subject not in _mistakes:
        _mistakes[subject] = None if _has_passed(algorithm, P) else mistake_in(algorithm, P, options)
        if _mistakes[subject] is None:
            remember(algorithm, P)
    mistake = _mistakes[subject]
    if mistake is not None:
        parts = [part for part in _parts(algorithm, P) if third_party.modules([part])]
        owners = ", ".join(getattr(part, "id", None) or part.name for part in parts)
        raise InputError(mistake if mistake.startswith((f"{owners} ", f"{owners}:")) else f"{owners}: {mistake}")


def remember(algorithm: Algorithm, P: Any) -> None:
    """Record that these sources have passed."""
    mark = _mark(algorithm, P) if _subject(algorithm, P) else None
    if mark is not None:
        with contextlib.suppress(OSError):
            mark.touch()


def is_observed(algorithm: Algorithm, P: Any) -> bool:
    """Return whether the files that third-party code opens are known, or there is no such code."""
    sources = sources_of(algorithm, P)
    if sources is None or VARIABLE in os.environ:
        return True
    return sources.digest_of_code in _observed or opened_files.are_known(sources.digest_of_code)


def observe(algorithm: Algorithm, P: Any, options: Mapping[str, Any]) -> bool:
    """Run third-party code for the first time, to learn which files it opens; return whether there are any.

    Mistakes are not reported here: the runs will make them again.
    """
    sources = sources_of(algorithm, P)
    if sources is None:
        return False
    _observed.add(sources.digest_of_code)
    with contextlib.suppress(InputError, PlayError):
        if is_due(algorithm, P):
            require(algorithm, P, options)
        else:
            with Player(algorithm, P) as player:
                rounds = min(options["horizon"], INTERPRETED[0][0])
                player.play(_every_round(options, rounds)._replace(is_interpreted=True, seconds=OBSERVED_SECONDS))
    return bool(opened_files.names(sources.digest_of_code))


def mistake_in(algorithm: Algorithm, P: Any, options: Mapping[str, Any]) -> str | None:
    """Return the mistake that the first rounds show, in words; None if they show none.

    An endless interpreted round is a mistake only if the compiled round is endless, too.
    """
    endless = None
    with Player(algorithm, P) as player:
        try:
            try:
                interpreted = _interpreted(player, options)
                rounds = int(interpreted.rounds[-1])
            except Endless as error:
                interpreted, endless = None, str(error)
                rounds = min(options["horizon"], INTERPRETED[0][0])
            compiled = player.play(_every_round(options, rounds))
            if interpreted is not None and (difference := difference_of(interpreted, compiled)):
                return difference
            player.play(Order({**options, "checkpoints": [options["horizon"]]}, seconds=FURTHER_SECONDS))
        except Endless:
            return endless
        except (Refused, Unfinished):  # the run itself reports it
            return None
        except PlayError as error:
            return str(error)
    return None


def _interpreted(player: Player, options: Mapping[str, Any]) -> Trace:
    """Return the trace of as many rounds as the interpreter plays in time."""
    for most, seconds in INTERPRETED:
        order = _every_round(options, min(options["horizon"], most))
        with contextlib.suppress(Unfinished):
            return player.play(order._replace(is_interpreted=True, seconds=seconds))
    raise Unfinished


def _every_round(options: Mapping[str, Any], rounds: int) -> Order:
    """Return the order to play the first rounds, with a checkpoint after each."""
    return Order({**options, "horizon": rounds, "checkpoints": range(1, rounds + 1)})


def difference_of(interpreted: Trace, compiled: Trace) -> str | None:
    """Describe from which round on compiled code plays differently than interpreted code; None if it does not."""
    differ = (interpreted.regret != compiled.regret).any(axis=0) | (interpreted.recommended != compiled.recommended)
    if not differ.any() and (interpreted.duels == compiled.duels).all():
        return None
    since = f"from round {differ.argmax() + 1} on" if differ.any() else f"in the first {compiled.rounds[-1]} rounds"
    return (
        f"compiled, it chooses differently than interpreted {since}. Compiled code treats globals as constants, and"
        " whole numbers have 64 bits; NUMBA_DISABLE_JIT=1 runs it interpreted"
    )


# --- what has been tried ---


def _parts(algorithm: Algorithm, P: Any) -> list[Any]:
    return [algorithm, P.decision] if isinstance(P, ScalarBandit) else [algorithm]


def _subject(algorithm: Algorithm, P: Any) -> tuple[Any, ...] | None:
    """Return the sources to try, as a key of `_mistakes`; None if there is nothing to try."""
    parts = _parts(algorithm, P)
    if is_interpreted() or VARIABLE in os.environ or not all(part.compiled for part in parts):
        return None
    return (algorithm.id, *(part.state for part in parts)) if third_party.modules(parts) else None


def _mark(algorithm: Algorithm, P: Any) -> Path | None:
    """Return the file that records that these sources have passed; None if other sources may be in use."""
    parts = _parts(algorithm, P)
    sources = third_party.sources(third_party.modules(parts))
    if sources is None or not sources.are_as_imported:
        return None
    names = [algorithm.id, *(part.state.__qualname__ for part in parts)]
    digest = hashlib.sha256(f"{names} {sources.digest}".encode()).hexdigest()[:20]
    return folder_of_all() / f"tried-{digest}"


def _has_passed(algorithm: Algorithm, P: Any) -> bool:
    mark = _mark(algorithm, P)
    return mark is not None and mark.exists()
