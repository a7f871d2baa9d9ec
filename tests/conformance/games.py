"""The games in which algorithms are compared with their transcriptions.

Transcriptions are found by themselves: each module of `tests.conformance.literal` declares its own in ``ORACLES``.
``NUMBA_DISABLE_JIT=1 python -m tests.conformance.games`` plays the games that are always interpreted.
"""

import copy
import importlib
import pkgutil
import sys
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from duelbench.bandits.algorithms import registry
from duelbench.bandits.algorithms.stopping.rules import RULES
from tests.conformance import literal, rule_games, sampled_games
from tests.conformance.literal import Transcription, play
from tests.conformance.literal.matrices import MATRICES
from tests.conformance.players import OneDrawIntegers, decisions_played, played_by_the_engine

LONG, SHORT = 3000, 1200
"""Rounds of the first seed, which the engine plays too, and of the others."""

SEEDS = 3
LOOKS = range(1, 602, 20)
"""Rounds after which recommendations are compared."""


def declared() -> dict[str, Transcription]:
    """The transcriptions of all algorithms that duel, by id."""
    found: dict[str, Transcription] = {}
    for module in pkgutil.walk_packages(literal.__path__, f"{literal.__name__}."):
        if not module.name.rpartition(".")[2].startswith("test_"):
            found |= getattr(importlib.import_module(module.name), "ORACLES", {})
    return dict(sorted(found.items()))


ORACLES = declared()


class Game(Protocol):
    """Something that is played, and what must come of it."""

    def expected(self) -> Any: ...

    def difference(self, expected: Any) -> str | None: ...


class Played(NamedTuple):
    """What a transcription plays in each round, and what it recommends after each of `LOOKS`."""

    pairs: list[tuple[int, int]]
    recommended: dict[int, int]


class Duels(NamedTuple):
    """A game of an algorithm on a matrix."""

    id: str
    matrix: str
    P: Any
    parameters: Mapping[str, Any]
    seed: int
    horizon: int
    standing: bool

    def expected(self) -> Played:
        """By the transcription."""
        rng = OneDrawIntegers(np.random.default_rng(self.seed))
        oracle = _Asked(ORACLES[self.id].make(len(self.P), self.horizon, rng, **self.parameters))
        pairs = play(oracle, copy.copy(self.P), self.horizon, np.random.default_rng([self.seed, 1]))
        return Played(pairs, oracle.recommended)

    def difference(self, expected: Played) -> str | None:
        """Where the algorithm departs from it, decision by decision; recommendations count where a decision ends."""
        algorithm, t = registry.get(self.id), 0
        for pairs, state in decisions_played(
            algorithm, copy.copy(self.P), self.horizon, *self._rngs(), self.standing, **self.parameters
        ):
            for pair in pairs:
                t += 1
                if pair != expected.pairs[t - 1]:
                    return self._told(t, pair, expected.pairs[t - 1])
            if t in expected.recommended:
                recommended = int(algorithm.recommend(state))
                if recommended != expected.recommended[t]:
                    return self._told(t, f"recommends {recommended}", expected.recommended[t])
        return None

    def difference_of_the_engine(self, expected: Played) -> str | None:
        """Where the loop that runs play departs from it; recommendations count after each of `LOOKS`."""
        algorithm = registry.get(self.id)
        pairs, recommended = played_by_the_engine(algorithm, self.P, self.horizon, *self._rngs(), **self.parameters)
        for t, (pair, right) in enumerate(zip(pairs, expected.pairs, strict=True), 1):
            if pair != right and ORACLES[self.id].by_the_engine:
                return self._told(t, pair, right)
            if recommended[t - 1] != expected.recommended.get(t, recommended[t - 1]):
                return self._told(t, f"recommends {recommended[t - 1]}", expected.recommended[t])
        return None

    def _rngs(self) -> tuple[np.random.Generator, np.random.Generator]:
        return np.random.default_rng(self.seed), np.random.default_rng([self.seed, 1])

    def _told(self, t: int, got: Any, right: Any) -> str:
        return f"{self.matrix}, {dict(self.parameters)}, seed {self.seed}, round {t}: {got}, not {right}"


class _Asked:
    """An oracle that is asked what it recommends after each of `LOOKS`."""

    def __init__(self, oracle: Any):
        self._oracle = oracle
        self.choose = oracle.choose
        self.reads_self_duels = getattr(oracle, "reads_self_duels", False)
        self.recommended: dict[int, int] = {}

    def observe(self, t: int, first: int, second: int, first_won: bool | None) -> None:
        self._oracle.observe(t, first, second, first_won)
        if t in LOOKS:
            self.recommended[t] = int(self._oracle.recommend())


def main_games(id: str, seed: int, horizon: int, standing: bool) -> list[Duels]:
    """An algorithm on all its matrices, with the parameters that its transcription declares."""
    oracle = ORACLES[id]
    return [
        Duels(id, matrix, P, oracle.parameters, seed, horizon, standing)
        for matrix, P in {**MATRICES, **oracle.matrices}.items()
    ]


def duels_of(id: str) -> Iterator[Duels]:
    """All games of an algorithm on matrices: its matrices, and the cases that its transcription declares."""
    oracle = ORACLES[id]
    for seed in range(SEEDS):
        yield from main_games(id, seed, SHORT if seed else LONG, oracle.standing)
        for case in oracle.cases:
            for matrix, P in case.matrices.items():
                yield Duels(id, matrix, P, case.parameters, seed, case.horizon, oracle.standing)


def interpreted_games_of(id: str) -> list[Game]:
    """Games of an algorithm or a stopping rule that are never compiled."""
    return [*rule_games.games_of(id), *sampled_games.GAMES.get(id, ())]


if __name__ == "__main__":
    found = [
        game.difference(game.expected()) for id in (*sampled_games.GAMES, *RULES) for game in interpreted_games_of(id)
    ]
    sys.exit("\n".join(filter(None, found)) or None)
