"""Compare mutated algorithms with their oracles, duel by duel and sample by sample, without compiling anything.

Usage: ``NUMBA_DISABLE_JIT=1 python -m tests.mutants.compare [--first N] [ID ...]`` tries all mutants of the algorithms
named, or of all, and the algorithms as they are; or the first N mutants of each; or, with N = 0, the algorithms as they
are. One line is printed for each: id, fault and verdict, separated by tabs.
"""

import argparse
import copy
import signal
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from duelbench.algorithms import registry
from tests.conformance.literal import play
from tests.conformance.players import OneDrawIntegers, pairs_played
from tests.conformance.test_literal import MATRICES, ORACLES
from tests.conformance.test_scalar_literal import BOXED, Boxes, Game, LeftTheBox
from tests.conformance.test_scalar_literal import ORACLES as SCALAR_ORACLES
from tests.mutants.lists import MUTANTS
from tests.mutants.many_arms import GAMES as MANY_ARMS
from tests.mutants.many_arms import Undecided, Votes
from tests.mutants.mutant import Mutant, load
from tests.mutants.tied_rounds import GAMES as TIED_ROUNDS
from tests.mutants.tied_rounds import Columns, TiedRounds

SEEDS = 3
HORIZON = 1200
TIME_LIMIT = 20
"""CPU seconds. A mutant that takes longer never ends."""

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


class Turning:
    """A matrix that is turned round after so many duels: what seemed certain proves wrong."""

    def __init__(self, P: np.ndarray, duels: int):
        self._P = P
        self._left = duels

    def __len__(self) -> int:
        return len(self._P)

    def __getitem__(self, pair: tuple[int, int]) -> float:
        self._left -= 1
        return self._P[pair] if self._left >= 0 else 1.0 - self._P[pair]


def certain_but(
    n_arms: int, wins: Mapping[int, Iterable[int]], doubtful: Iterable[tuple[int, int]], chance: float = 0.7
) -> np.ndarray:
    """Arm i surely beats the arms ``wins[i]``; of each doubtful pair the first arm wins with this ``chance``."""
    P = np.full((n_arms, n_arms), 0.5)
    for i, losers in wins.items():
        for j in losers:
            P[i, j], P[j, i] = 1.0, 0.0
    for i, j in doubtful:
        P[i, j], P[j, i] = chance, 1.0 - chance
    return P


class Case(NamedTuple):
    """What an algorithm is compared on: matrices beside those of the conformance tests, parameters, a horizon."""

    matrices: Mapping[str, np.ndarray | Turning] = {}
    parameters: Mapping[str, Any] = {}
    horizon: int = HORIZON
    only_these: bool = False


STEEP = {"steep": total_order(5, 0.95), "certain": total_order(5, 1.0)[::-1, ::-1], "steep circle": circle(5, 0.95)}
"""So clear that algorithms with wide confidence intervals settle within the horizon."""

EXPLORERS = {
    **STEEP,
    "certain circle": circle(5, 1.0),
    "an arm dominated": certain_but(
        6, {0: (3, 4, 5), 1: (3, 4, 5), 3: (2, 4), 4: (2, 5), 5: (2, 3)}, [(0, 1), (0, 2), (1, 2)]
    ),
    "losers dominated": certain_but(
        6, dict.fromkeys((0, 1, 2), (3, 4, 5)), [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]
    ),
    "one arm in doubt": certain_but(
        6, {0: (3, 4, 5), 1: (0, 3), 2: (0, 1), 3: (2, 4), 4: (2, 5), 5: (2, 3)}, [(1, 4), (1, 5)]
    ),
    "one opponent in doubt": certain_but(5, {0: (1, 2, 3), 1: (2, 4), 2: (3, 4), 3: (1,), 4: (3,)}, [(0, 4)]),
}
"""Where pairs stay undecided that matter, or that no longer do."""

LOSES_TO_THE_WEAK = certain_but(
    8,
    {6: (0,), 7: (0,)},
    [
        *((0, j) for j in range(1, 6)),
        *((i, (i + step - 1) % 7 + 1) for i in range(1, 8) for step in (1, 2, 3)),
    ],
    chance=0.85,
)
"""The Copeland winner loses to two arms; what proves it is that these have several superiors of their own."""

EVEN_ODDS = {
    "certain circle": circle(5, 1.0),
    "certain circle of seven": circle(7, 1.0),
    "certain, five arms": total_order(5, 1.0),
    "circle": circle(5, 0.8),
    "five arms": total_order(5, 0.8),
    "losers in a circle": certain_but(5, {0: (1, 2, 3, 4), 1: (2, 3), 2: (3, 4), 3: (4,), 4: (1,)}, ()),
}
"""Where many proofs cost the same, as long as the pairs have dueled equally often."""

CASES: dict[str, list[Case]] = {
    "ccb": [Case(), Case({"turning": Turning(total_order(3, 0.8), 60)}, horizon=1500, only_these=True)],
    "batched-elimination": [
        Case(),
        Case({"certain, two arms": total_order(2, 1.0)}, {"batches": 100}, only_these=True),
    ],
    "cw-rmed": [Case(), Case(EVEN_ODDS, {"alpha": 0.3, "beta": 0.0}, horizon=400, only_these=True)],
    "ecw-rmed": [Case(), Case({"loses to the weak": LOSES_TO_THE_WEAK}, {"alpha": 1.0}, horizon=700, only_these=True)],
    "interleaved-filter": [Case(STEEP, horizon=2500)],
    "opt-maximize": [Case(), Case({"certain, 128 arms": total_order(128, 1.0)}, horizon=5000, only_these=True)],
    "sparring": [Case(), Case(parameters={"machine": "ts"})],
    "scb": [Case({**STEEP, "certain, three arms": total_order(3, 1.0)})],
    "mergerucb": [
        Case({f"certain, {n} arms": total_order(n, 1.0) for n in (8, 14)}, {"batch_size": 2}, only_these=True),
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
    "pbr-copeland": [Case(EXPLORERS), Case(EXPLORERS, {"rule": "tight"})],
    "savage-copeland": [Case(EXPLORERS)],
    "savage-condorcet": [Case(EXPLORERS)],
    "savage-borda": [Case(EXPLORERS)],
    "rankel-copeland": [Case(EXPLORERS)],
    "seebs": [Case(STEEP, horizon=2500)],
    "pocowista": [Case(EXPLORERS, {"delta": 0.5})],
    "tra-pocowista": [Case({"nine arms": total_order(9, 0.95), **EXPLORERS}, {"delta": 0.5})],
    "dkwt": [Case({"close": total_order(3, 0.59)}, {"delta": 0.9}, horizon=6000, only_these=True), Case(STEEP)],
    "kt-knockout": [Case(STEEP)],
    "iir": [Case(STEEP, horizon=3000)],
}
"""Where the matrices of the conformance tests alone would not do."""


class Duels(NamedTuple):
    """A game of an algorithm on a matrix."""

    id: str
    case: Case
    matrix: str
    seed: int

    def parameters(self) -> dict[str, Any]:
        return {**ORACLES[self.id].parameters, **self.case.parameters}

    def P(self) -> np.ndarray | Turning:
        return copy.copy({**self.case.matrices, **ORACLES[self.id].matrices, **MATRICES}[self.matrix])

    def expected(self) -> list[tuple[int, int]]:
        """The duels of the oracle."""
        P = self.P()
        rng = OneDrawIntegers(np.random.default_rng(self.seed))
        literal = ORACLES[self.id].make(len(P), self.case.horizon, rng, **self.parameters())
        return play(literal, P, self.case.horizon, np.random.default_rng([self.seed, 1]))

    def difference(self, expected: list[tuple[int, int]]) -> str | None:
        """Where the algorithm, as it is loaded, departs from them."""
        played = pairs_played(
            registry.get(self.id),
            self.P(),
            self.case.horizon,
            np.random.default_rng(self.seed),
            np.random.default_rng([self.seed, 1]),
            standing=ORACLES[self.id].standing,
            **self.parameters(),
        )
        for t, (pair, right) in enumerate(zip(played, expected, strict=True), 1):
            if pair != right:
                return f"{self.matrix}, seed {self.seed}, round {t}: {pair}, not {right}"
        return None


SAMPLES = {"few": (0.05, 0.95, 0.4), "close": (0.05, 0.95, 0.5, 0.75), "sure": (0.0, 1.0, 0.5, 0.0, 1.0, 1.0)}
SAMPLES_HORIZON = {"elimination": 2500, "elimination-wrapped": 2500}
"""Where 700 rounds are too few."""


@cache
def games(id: str) -> list[Duels | Game | Boxes | LeftTheBox | Votes | Undecided | TiedRounds | Columns]:
    """All games in which an algorithm is compared."""
    those: list[Duels | Game | Boxes | LeftTheBox | Votes | Undecided | TiedRounds | Columns] = []
    if id in ORACLES:
        those += [
            Duels(id, case, matrix, seed)
            for seed in range(SEEDS)
            for case in CASES.get(id, [Case()])
            for matrix in (*case.matrices, *(() if case.only_these else (*ORACLES[id].matrices, *MATRICES)))
        ]
    if id == "d-ts":
        those += MANY_ARMS
    if id == "d-ts-plus":
        those += TIED_ROUNDS
    if id in SCALAR_ORACLES:
        those += [
            Game(id, question, setting, means, seed, SAMPLES_HORIZON.get(id, 700))
            for seed, means in enumerate(SAMPLES.values())
            for setting in range(len(SCALAR_ORACLES[id].settings))
            for question in SCALAR_ORACLES[id].questions
        ]
    if id == "savage":
        those += [LeftTheBox(), *(Boxes(question, 300) for question in BOXED)]
    return those


expected: dict[tuple[str, int], Any] = {}
"""What the oracle plays in each game; the same for all mutants."""


def first_difference(id: str) -> str | None:
    """Where the algorithm, as it is loaded, departs from its oracle."""
    for number, game in enumerate(games(id)):
        if (id, number) not in expected:
            expected[id, number] = game.expected()
        difference = game.difference(expected[id, number])
        if difference is not None:
            return difference
    return None


class TooLongError(Exception):
    """The time is up."""


def verdict(id: str, mutant: Mutant | None) -> str:
    """What the comparison says of a mutant, "caught: " and how, or `SURVIVED`; of the algorithm itself for None."""

    def stop(number, frame):
        raise TooLongError

    load(mutant)
    signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, TIME_LIMIT)
    try:
        difference = first_difference(id)
    except TooLongError:
        difference = "it never ends"
    except NOT_A_MUTANT:
        raise
    except Exception as error:
        difference = f"{type(error).__name__}: {error}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return SURVIVED if difference is None else f"caught: {difference}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("ids", nargs="*")
    parser.add_argument("--first", type=int)
    options = parser.parse_args()
    for id in options.ids or MUTANTS:
        mutants: list[Mutant | None] = [*MUTANTS[id][: options.first]]
        if not options.first:
            mutants.append(None)
        for mutant in mutants:
            print(id, mutant.fault if mutant else UNCHANGED, verdict(id, mutant), sep="\t", flush=True)


if __name__ == "__main__":
    main()
