"""See that the conformance tests notice faults: ``python -m tests.mutants [ID ...]``.

Plays the games of `tests.conformance.games` with each fault of `tests.mutants.lists`, or with those of the algorithms
and stopping rules named, in two processes. A line for each says id, fault and what became of it, between tabs. Fails
where one is not noticed or does not fit the sources, or where an algorithm as it is departs from its transcription.
"""

import argparse
import signal
import time
from multiprocessing import get_context
from typing import Any

import numpy as np

from tests.conformance.games import Game, games_of
from tests.mutants.lists import Mutant, UnfitError, load, mutants

PROCESSES = 2
LEAST_SECONDS, TIMES_AS_LONG = 20.0, 4.0
"""A mutant that takes so much longer, and more than that, never ends."""

CAUGHT = "caught"
UNFIT = (AttributeError, ImportError, NameError, SyntaxError, TypeError, UnfitError)
"""These say that a mutant does not fit the sources, not that the games noticed it."""


class TooLongError(Exception):
    """The time is up."""


def tried(id: str) -> list[tuple[str, str, str]]:
    """(id, fault, what became of it) of all mutants of an algorithm or rule."""
    np.seterr(all="ignore")
    load(None)
    start = time.process_time()
    games = [(game, game.expected()) for game in games_of(id)]
    found = [(id, "none", f"departs: {told}") for told in _differences(games)]
    limit = max(LEAST_SECONDS, TIMES_AS_LONG * (time.process_time() - start))
    return found + [(id, mutant.fault, outcome(mutant, games, limit)) for mutant in mutants()[id]]


def outcome(mutant: Mutant, games: list[tuple[Game, Any]], limit: float) -> str:
    """`CAUGHT` and how, or what is wrong."""

    def stop(number: int, frame: Any) -> None:
        raise TooLongError

    try:
        signal.signal(signal.SIGVTALRM, stop)
        signal.setitimer(signal.ITIMER_VIRTUAL, limit)
        load(mutant)
        difference = next(_differences(games), None)
    except UNFIT as error:
        return f"does not fit: {type(error).__name__}: {error}"
    except Exception as error:
        difference = f"{type(error).__name__}: {error}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return "survived" if difference is None else f"{CAUGHT}: {difference}"


def _differences(games: list[tuple[Game, Any]]) -> Any:
    return filter(None, (game.difference(expected) for game, expected in games))


def main() -> int:
    """Try them, and say how many are caught."""
    parser = argparse.ArgumentParser("python -m tests.mutants", description=__doc__)
    parser.add_argument("ids", nargs="*", metavar="ID", help="algorithms and stopping rules; all by default")
    ids = parser.parse_args().ids or list(mutants())
    wrong = n_tried = 0
    with get_context("spawn").Pool(PROCESSES) as pool:
        for lines in pool.imap_unordered(tried, ids):
            for line in lines:
                print(*line, sep="\t", flush=True)
                n_tried += 1
                wrong += not line[2].startswith(CAUGHT)
    print(f"{n_tried - wrong} of {n_tried} caught")
    return 1 if wrong else 0
