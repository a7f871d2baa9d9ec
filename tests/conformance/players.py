"""Slow ways to play an algorithm of the package, for comparison with the engine and with the oracles."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import NEVER, SEVERAL, Algorithm
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.scalar_bandit import ScalarBandit
from duelbench.bandits.simulation.game import begin, in_plain_python, play
from duelbench.bandits.simulation.run_log import new_log
from duelbench.bandits.simulation.streams import Streams, streams
from tests.conformance.literal import Sampled


class OneDrawIntegers:
    """A generator whose ``integers`` spends one uniform number, as the package's kernels do."""

    def __init__(self, rng: np.random.Generator):
        self._rng = rng

    def integers(self, low, high):
        return low + int(self._rng.random() * (high - low))

    def __getattr__(self, name):
        return getattr(self._rng, name)


def decisions_played(
    algorithm: Algorithm, P, horizon, algorithm_rng, duel_rng, standing=True, **parameters
) -> Iterator[tuple[list[tuple[int, int]], Any]]:
    """Decision by decision, the pairs (first, second) of its rounds and the state after their duels, by plain Python.

    Which of several arms duels itself is drawn for each round with one number of the algorithm's generator.
    """
    state = algorithm.start(len(P), horizon, algorithm_rng, standing, **algorithm.resolve(parameters))
    t = 1
    while t <= horizon:
        first, second, rounds = algorithm.select(state, t, algorithm_rng)
        rounds = min(rounds if standing else 1, horizon - t + 1)
        t += rounds
        if first == second == SEVERAL:
            arms = [one_of_several(algorithm, state, len(P), algorithm_rng.random()) for _ in range(rounds)]
            yield [(arm, arm) for arm in arms], state
            continue
        if first != second or algorithm.reads_self_duels:
            wins = sum(int(duel_rng.random() < P[first, second]) for _ in range(rounds))
            algorithm.update(state, first, second, wins, rounds - wins)
        yield [(int(first), int(second))] * rounds, state


def pairs_played(algorithm: Algorithm, P, horizon, algorithm_rng, duel_rng, standing=True, **parameters):
    """The pairs of all rounds of `decisions_played`."""
    decisions = decisions_played(algorithm, P, horizon, algorithm_rng, duel_rng, standing, **parameters)
    return [pair for pairs, _ in decisions for pair in pairs]


class Played(NamedTuple):
    """What was played in each round, and what was recommended after it."""

    pairs: list[tuple[int, int]]
    recommended: list[int]


def played_by_the_engine(algorithm: Algorithm, P, horizon, algorithm_rng, duel_rng, **parameters) -> Played:
    """Rounds 1 to ``horizon`` by the engine's loop, one decision a round: the pair (i, j) costs regret i K + j."""
    problem = PreferenceMatrix(np.array(P))
    n_arms = problem.n_arms
    numbers = np.arange(float(n_arms * n_arms)).reshape(1, n_arms, n_arms)
    log = new_log(np.arange(1, horizon + 1), numbers, explores=algorithm.explored is not None)
    algorithm, state = begin(algorithm, problem, horizon, algorithm_rng, False, algorithm.resolve(parameters))
    unused = np.random.default_rng(0)
    play(algorithm, state, problem, log, Streams(unused, duel_rng, algorithm_rng, unused), standing=False)
    played = np.diff(log.regret[0], prepend=0.0).astype(int)
    return Played([divmod(number, n_arms) for number in played.tolist()], log.recommended.tolist())


def state_after(algorithm: Algorithm, P, horizon, run):
    """An algorithm's state after a run with seed 0, as the engine's loop leaves it."""
    problem = PreferenceMatrix(np.array(P))
    random = streams(0, run)
    log = new_log(np.array([horizon]), np.zeros((1, problem.n_arms, problem.n_arms)))
    algorithm, state = begin(algorithm, problem, horizon, random.algorithm, True, algorithm.resolve({}))
    play(algorithm, state, problem, log, random)
    return state


def one_of_several(algorithm: Algorithm, state, n_arms: int, uniform: float) -> int:
    """The arm that duels itself in a round: the law that the algorithm states, inverted."""
    assert algorithm.self_duel_probability is not None
    below = 0.0
    for arm in range(n_arms):
        below += algorithm.self_duel_probability(state, arm)
        if uniform < below:
            return arm
    raise AssertionError("not all of the round is shared out")


def samples_played(
    algorithm: Algorithm, bandit: ScalarBandit, horizon, algorithm_rng, sample_rng, **parameters
) -> list[Sampled]:
    """What is sampled in rounds 1 to ``horizon``, or until a decision stands permanently.

    What is announced and explored after a round is read once the next decision has been made: tests may wait for it.
    """
    if not bandit.decision.compiled:
        algorithm = in_plain_python(algorithm)
    state = algorithm.start(
        bandit.n_arms, horizon, algorithm_rng, True, question=bandit.question, **algorithm.resolve(parameters)
    )
    sampled: list[int] = []
    seen: list[tuple[int, int]] = []
    rounds = 0
    while len(sampled) < horizon and rounds < NEVER:
        arm, house, rounds = algorithm.select(state, len(sampled) + 1, algorithm_rng)
        if sampled:
            seen.append((int(algorithm.recommend(state)), int(algorithm.explored(state))))
        if rounds < NEVER:
            assert (house, rounds) == (0, 1)
            won = int(sample_rng.random() < bandit.means[arm])
            algorithm.update(state, arm, 0, won, 1 - won)
            sampled.append(int(arm))
    if rounds < NEVER:
        seen.append((int(algorithm.recommend(state)), int(algorithm.explored(state))))
    return [Sampled(arm, *after) for arm, after in zip(sampled, seen, strict=True)]
