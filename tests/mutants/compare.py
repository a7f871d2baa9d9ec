"""Compare mutated algorithms with their oracles, duel by duel, without compiling anything.

Usage: ``NUMBA_DISABLE_JIT=1 python -m tests.mutants.compare [--first N] [ID ...]`` tries all mutants of the algorithms
(of all that are registered, unless some are named), or the first N of each, and the algorithm as it is. One line is
printed for each: the id, the fault and the verdict, separated by tabs.
"""

import argparse
import signal
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from duelbench.algorithms import registry
from tests.conformance.literal import play
from tests.conformance.players import OneDrawIntegers, pairs_played
from tests.conformance.test_literal import MATRICES, ORACLES
from tests.mutants.lists import MUTANTS
from tests.mutants.mutant import Mutant, load

SEEDS = 3
HORIZON = 1200
TIME_LIMIT = 60
"""Seconds. A mutant that takes longer never ends."""

UNCHANGED = "(unchanged)"
SURVIVED = "survived"
NOT_A_MUTANT = (AttributeError, ImportError, NameError, SyntaxError, TypeError)
"""These say that a mutant is misspelt, not that the comparison noticed it."""


def total_order(n_arms: int, chance: float) -> np.ndarray:
    """Every arm beats every later one with the same ``chance``."""
    upper = np.triu(np.ones((n_arms, n_arms)), 1)
    return 0.5 + (chance - 0.5) * (upper - upper.T)


def circle(n_arms: int, chance: float) -> np.ndarray:
    """An odd number of arms, each of which beats the next half of them: all are Copeland winners."""
    ahead = (np.arange(n_arms)[None, :] - np.arange(n_arms)[:, None]) % n_arms
    return np.where(ahead == 0, 0.5, np.where(ahead <= n_arms // 2, chance, 1.0 - chance))


class Case(NamedTuple):
    """What an algorithm is compared on: matrices beside those of the conformance tests, parameters, a horizon."""

    matrices: Mapping[str, np.ndarray] = {}
    parameters: Mapping[str, Any] = {}
    horizon: int = HORIZON
    only_these: bool = False


STEEP = {"steep": total_order(5, 0.95), "certain": total_order(5, 1.0)[::-1, ::-1], "steep circle": circle(5, 0.95)}
"""So clear that algorithms with wide confidence intervals settle within the horizon."""

CASES: dict[str, list[Case]] = {
    "interleaved-filter": [Case(STEEP, horizon=2500)],
    "sparring": [Case(), Case(parameters={"machine": "ts"})],
    "scb": [Case({**STEEP, "certain, three arms": total_order(3, 1.0)})],
    "mergerucb": [
        Case({"certain, nine arms": total_order(9, 1.0)}, {"batch_size": 2}, only_these=True),
        Case({"certain, eleven arms": total_order(11, 1.0)}, horizon=3000, only_these=True),
        Case(),
    ],
    "merge-dts": [
        Case({"steep, eleven arms": total_order(11, 0.95)}, {"batch_size": 4}, only_these=True),
        Case({"steep, twenty arms": total_order(20, 0.95)}, only_these=True),
        Case(),
    ],
    "ws-s": [Case(STEEP), Case(STEEP, {"beta_ws": 1.7})],
    "vdb": [Case(), Case(parameters={"estimator": "iw"})],
    "pbr-copeland": [Case(STEEP), Case(STEEP, {"rule": "tight"})],
    **dict.fromkeys(("savage-copeland", "savage-condorcet", "savage-borda", "rankel-copeland"), [Case(STEEP)]),
}
"""Where the matrices of the conformance tests alone would not do."""


@cache
def games(id: str) -> list[tuple[Case, str, int]]:
    """All games in which an algorithm is compared: case, matrix and seed."""
    cases = CASES.get(id, [Case()])
    return [
        (case, matrix, seed)
        for seed in range(SEEDS)
        for case in cases
        for matrix in (*case.matrices, *(() if case.only_these else (*ORACLES[id].matrices, *MATRICES)))
    ]


expected: dict[tuple[str, int], list[tuple[int, int]]] = {}
"""What the oracle plays in each game; the same for all mutants."""


def first_difference(id: str) -> str | None:
    """Where the algorithm, as it is loaded, departs from its oracle."""
    oracle = ORACLES[id]
    algorithm = registry.get(id)
    for number, (case, matrix, seed) in enumerate(games(id)):
        P = {**case.matrices, **oracle.matrices, **MATRICES}[matrix]
        parameters = {**oracle.parameters, **case.parameters}
        if (id, number) not in expected:
            literal = oracle.make(len(P), case.horizon, OneDrawIntegers(np.random.default_rng(seed)), **parameters)
            expected[id, number] = play(literal, P, case.horizon, np.random.default_rng([seed, 1]))
        played = pairs_played(
            algorithm,
            P,
            case.horizon,
            np.random.default_rng(seed),
            np.random.default_rng([seed, 1]),
            standing=oracle.standing,
            **parameters,
        )
        for t, (pair, right) in enumerate(zip(played, expected[id, number], strict=True), 1):
            if pair != right:
                return f"{matrix}, seed {seed}, round {t}: {pair}, not {right}"
    return None


class TooLongError(Exception):
    """The time is up."""


def verdict(id: str, mutant: Mutant | None) -> str:
    """What the comparison says of a mutant, "caught: " and how, or `SURVIVED`; of the algorithm itself for None."""

    def stop(number, frame):
        raise TooLongError

    load(mutant)
    signal.signal(signal.SIGALRM, stop)
    signal.alarm(TIME_LIMIT)
    try:
        difference = first_difference(id)
    except TooLongError:
        difference = "it never ends"
    except NOT_A_MUTANT:
        raise
    except Exception as error:
        difference = f"{type(error).__name__}: {error}"
    finally:
        signal.alarm(0)
    return SURVIVED if difference is None else f"caught: {difference}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("ids", nargs="*")
    parser.add_argument("--first", type=int)
    options = parser.parse_args()
    for id in options.ids or [id for id in MUTANTS if id in registry.BUILT_IN]:
        mutants: list[Mutant | None] = [*MUTANTS[id][: options.first]]
        if options.first is None:
            mutants.append(None)
        for mutant in mutants:
            print(id, mutant.fault if mutant else UNCHANGED, verdict(id, mutant), sep="\t", flush=True)


if __name__ == "__main__":
    main()
