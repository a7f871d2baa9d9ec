"""Random streams: four per run, derived only from the seed and the run's index.

The streams do not depend on the algorithm, the problem or the order of execution. Runs with the same index have the
same order of the arms for all algorithms, so that two algorithms can be compared run by run.
"""

from typing import NamedTuple

import numpy as np

ROLES = {"arms": 0, "duels": 1, "algorithm": 2, "division": 3}
WORLD = 4
"""The role of the stream for the random parts of a world."""

COINS, ORDER = 5, 6
"""The roles of a live session's own streams: coins for outcomes, and which arm is shown first."""


class LoopStreams(NamedTuple):
    """The generators that the loop draws from, which is all but the one for the order of the arms.

    ``division`` divides rounds among several arms. Decisions depend neither on it nor on the checkpoints.
    """

    duels: np.random.Generator
    algorithm: np.random.Generator
    division: np.random.Generator


class Streams(NamedTuple):
    """The generators of one run."""

    arms: np.random.Generator
    duels: np.random.Generator
    algorithm: np.random.Generator
    division: np.random.Generator

    @property
    def of_loop(self) -> LoopStreams:
        """The streams of the loop, without that of the arms, which takes time to pass on."""
        return LoopStreams(self.duels, self.algorithm, self.division)


def streams(seed: int, run: int) -> Streams:
    """Return the generators of run ``run`` (0-based) of an experiment with seed ``seed`` (0 <= seed < 2**128).

    Examples
    --------
    >>> a, b = streams(7, 0), streams(7, 1)
    >>> a.duels.random() == streams(7, 0).duels.random(), a.duels.random() == b.duels.random()
    (True, False)
    """
    return Streams(*(_generator(seed, run, role) for role in ROLES.values()))


def world_stream(seed: int, run: int) -> np.random.Generator:
    """Return the stream of a run for the random parts of a world; the algorithm does not draw from it."""
    return _generator(seed, run, WORLD)


def session_streams(seed: int, run: int = 0) -> tuple[np.random.Generator, np.random.Generator]:
    """Return the additional streams of a live session: coins for ties, and which arm of a pair is shown first."""
    return _generator(seed, run, COINS), _generator(seed, run, ORDER)


_idle: list[Streams] = []
"""Generators that earlier runs have given back."""


def borrow(seed: int, run: int) -> Streams:
    """Return the generators of `streams`, but reuse those that an earlier run has given back, if there are any.

    Numba never frees a generator that was handed to a kernel: new ones for every run would take ten kilobytes each.
    """
    try:
        used = _idle.pop()
    except IndexError:
        return streams(seed, run)
    for generator, role in zip(used, ROLES.values(), strict=True):
        generator.bit_generator.state = _bits(seed, run, role).state
    return used


def give_back(borrowed: Streams) -> None:
    """Make these generators available for a later run."""
    _idle.append(borrowed)


def _generator(seed: int, run: int, role: int) -> np.random.Generator:
    return np.random.Generator(_bits(seed, run, role))


def _bits(seed: int, run: int, role: int) -> np.random.PCG64:
    return np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(run, role)))
