"""Transcriptions of the algorithms that end with an answer: best arms, rankings, and that there is no winner."""

from typing import NamedTuple

import numpy as np

from .framework import Identification


class Ended(NamedTuple):
    """How a run has ended: its answer, or None where the cap came first, and the rounds before it."""

    answer: int | None
    rounds: int


def until_answered(oracle: Identification, P: np.ndarray, cap: int, duel_rng: np.random.Generator) -> Ended:
    """Play ``oracle`` until it answers, for ``cap`` rounds at most.

    Every round counts; of a self-duel nothing is told. One ``random()`` of ``duel_rng`` decides each other duel.
    """
    chances = P.tolist()
    for t in range(1, cap + 1):
        first, second = oracle.choose(t)
        if oracle.answer is not None:
            return Ended(oracle.answer, t - 1)
        oracle.observe(t, first, second, duel_rng.random() < chances[first][second] if first != second else None)
    oracle.choose(cap + 1)
    return Ended(oracle.answer, cap)
