"""Where randomness comes from: four streams per run, derived from the seed and the run's index alone.

The streams do not depend on the algorithm, the problem or the order of execution. Runs of the same index share their
arm order in all algorithms, so that two algorithms can be compared run by run.
"""

from typing import NamedTuple

import numpy as np

ROLES = {"arms": 0, "duels": 1, "algorithm": 2, "division": 3}
WORLD = 4
"""The role of the stream that what is random of a world is drawn from."""

COINS, ORDER = 5, 6
"""The roles of a live session's own streams: coins that stand for outcomes, and which arm is shown first."""


class LoopStreams(NamedTuple):
    """The generators that the loop draws from, once the arms are in order.

    ``division`` divides rounds among several arms: no decision depends on it, nor on the checkpoints.
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
        """Without that of the arms, which costs time to hand over."""
        return LoopStreams(self.duels, self.algorithm, self.division)


def streams(seed: int, run: int) -> Streams:
    """The generators of run ``run`` (0-based) of an experiment with seed ``seed`` (0 <= seed < 2**128).

    Examples
    --------
    >>> a, b = streams(7, 0), streams(7, 1)
    >>> a.duels.random() == streams(7, 0).duels.random(), a.duels.random() == b.duels.random()
    (True, False)
    """
    return Streams(*(_generator(seed, run, role) for role in ROLES.values()))


def world_stream(seed: int, run: int) -> np.random.Generator:
    """What is random of a world is drawn from this stream of a run; the algorithm has no part in it."""
    return _generator(seed, run, WORLD)


def session_streams(seed: int, run: int = 0) -> tuple[np.random.Generator, np.random.Generator]:
    """What a live session draws besides `streams`: coins for ties, and which arm of a pair is shown first."""
    return _generator(seed, run, COINS), _generator(seed, run, ORDER)


_idle: list[Streams] = []
"""Generators that no run uses."""


def borrow(seed: int, run: int) -> Streams:
    """The same as `streams`, in generators that an earlier run has given back, where there are some.

    Numba never frees a generator that was handed to a kernel: new ones for every run would take ten kilobytes each.
    """
    fresh = streams(seed, run)
    try:
        used = _idle.pop()
    except IndexError:
        return fresh
    for generator, new in zip(used, fresh, strict=True):
        generator.bit_generator.state = new.bit_generator.state
    return used


def give_back(borrowed: Streams) -> None:
    """Let a later run have these generators, which are no longer in use."""
    _idle.append(borrowed)


def _generator(seed: int, run: int, role: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(run, role))))
