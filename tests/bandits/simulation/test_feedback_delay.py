"""Outcomes that arrive late, each by as many rounds: the engine against a plain loop that keeps a queue."""

from collections import deque

import numpy as np
import pytest

import duelbench
from duelbench.bandits.algorithms import registry
from duelbench.bandits.algorithms.contract import NEVER
from duelbench.bandits.simulation.streams import streams
from duelbench.errors import InputError
from tests.bandits.algorithms.comparing import assert_standing_decisions_change_no_law
from tests.bandits.simulation.test_engine import scripted

P = duelbench.PreferenceMatrix([[0.5, 0.9, 0.3, 0.8], [0.1, 0.5, 0.9, 0.9], [0.7, 0.1, 0.5, 0.8], [0.2, 0.1, 0.2, 0.5]])
CONDORCET = duelbench.PreferenceMatrix([[0.5, 0.6, 0.7], [0.4, 0.5, 0.8], [0.3, 0.2, 0.5]])
FLIP = duelbench.World((P, P.P[::-1, ::-1].copy()), [1, 121])


def loop(id, problem, horizon, run, delay, standing=False, **parameters):
    """(pairs played, arms recommended) in each round; the outcome of round t is told after round t + delay."""
    algorithm = registry.get(id)
    random = streams(0, run)
    state = algorithm.start(4, horizon, random.algorithm, standing, **algorithm.resolve(parameters))
    queue, pairs, recommended = deque(), [], []
    for t in range(1, horizon + 1):
        matrix = problem.P if isinstance(problem, duelbench.PreferenceMatrix) else problem.matrices[int(t > 120)].P
        first, second, _ = algorithm.select(state, t, random.algorithm)
        if first != second or algorithm.reads_self_duels:
            queue.append((t + delay, first, second, int(random.duels.random() < matrix[first, second])))
        while queue and queue[0][0] == t:
            _, *pair, won = queue.popleft()
            algorithm.update(state, *pair, won, 1 - won)
        pairs.append((first, second))
        recommended.append(int(algorithm.recommend(state)))
    return pairs, recommended


def pairs_counted(pairs):
    duels = np.zeros((4, 4), int)
    np.add.at(duels, tuple(np.transpose(pairs)), 1)
    return duels


DETERMINISTIC = [
    ("rucb", {}),
    ("rmed1", {}),
    ("ecw-rmed", {}),
    ("savage-copeland", {"delta": 0.9}),
    ("btm", {"const": 0.2}),
    ("interleaved-filter", {}),
    ("sup-klucb", {}),
]


def check_against_the_loop(id, problem, delay, standing, **parameters):
    horizon = 240
    for run in range(2):
        pairs, recommended = loop(id, problem, horizon, run, delay, **parameters)
        trace = duelbench.simulate(
            id,
            problem,
            horizon=horizon,
            run=run,
            regret="copeland",
            checkpoints=range(1, horizon + 1),
            feedback_delay=delay,
            standing_decisions=standing,
            **parameters,
        )
        assert np.array_equal(trace.duels, pairs_counted(pairs))
        assert trace.recommended.tolist() == recommended


@pytest.mark.parametrize("delay", [1, 7, 40, 240])
@pytest.mark.parametrize(("id", "parameters"), DETERMINISTIC)
def test_decisions_that_stand_are_those_of_a_loop_with_a_queue(id, parameters, delay):
    check_against_the_loop(id, P, delay, True, **parameters)


@pytest.mark.parametrize("id", ["d-ts", "d-ts-plus", "rcs", "random", "self-sparring", "ws-w", "doubler", "scb", "ccb"])
def test_randomised_rules_play_round_by_round_like_a_loop_with_a_queue(id):
    check_against_the_loop(id, P, 9, False)


@pytest.mark.parametrize("standing", [True, False])
def test_outcomes_of_a_world_are_those_of_the_round_that_was_played(standing):
    check_against_the_loop("rucb", FLIP, 30, standing)


@pytest.mark.compiled
@pytest.mark.parametrize(("id", "delay"), [("rucb", 7), ("rmed1", 40), ("d-ts", 9)])
def test_compiled_loops_deliver_as_late(id, delay):
    check_against_the_loop(id, P, delay, id != "d-ts")


LAWS = [("d-ts", {}, 12), ("rcs", {}, 12), ("wiwr", {"scale": 1 / 64}, 5), ("ws-w", {}, 5)]


@pytest.mark.parametrize(("id", "parameters", "delay"), LAWS)
@pytest.mark.thorough
def test_lengths_that_are_drawn_change_no_distribution(id, parameters, delay):
    looks = {"horizon": 1000, "checkpoints": [30, 100, 300, 1000]}
    assert_standing_decisions_change_no_law(id, CONDORCET.P, 1500, feedback_delay=delay, **looks, **parameters)


def test_no_delay_is_ordinary_feedback():
    with_none, plain = (
        duelbench.simulate("d-ts", P, horizon=300, seed=3, **late) for late in ({"feedback_delay": 0}, {})
    )
    assert with_none.regret.tobytes() == plain.regret.tobytes()


def test_an_outcome_is_told_so_many_rounds_after_its_duel():
    algorithm, state = scripted((0, 1, 1), (1, 2, 1), (2, 2, NEVER), (2, 2, NEVER), (2, 2, NEVER))
    duelbench.simulate(algorithm, P, horizon=1000, feedback_delay=10)
    assert [told[:3] for told in state.told] == [(3, 0, 1), (12, 1, 2)]
    assert state.calls == [1, 2, 3, 12, 13]  # asked again exactly when something has arrived


def test_a_delay_is_later_than_a_batch_of_as_many_rounds():
    def mean(**late):
        runs = [duelbench.simulate("d-ts", CONDORCET, horizon=150, seed=7, run=run, **late) for run in range(60)]
        return np.mean([trace.regret[0, -1] for trace in runs])

    assert mean(feedback_delay=100) > mean(feedback_batch=100) + 3 > mean() + 6


def test_an_adversary_flips_outcomes_that_arrive_late():
    algorithm, state = scripted((0, 1, 1))
    world = duelbench.World(([[0.5, 1.0], [0.0, 0.5]],), [1], flips=5)
    duelbench.simulate(algorithm, world, horizon=20, feedback_delay=3)
    assert [won for *_, won, _ in state.told] == [0] * 5 + [1] * 12


def test_samples_of_a_scalar_bandit_arrive_late():
    bandit = duelbench.scalar_bandit([0.9, 0.5, 0.2], "argmax")
    options = {"horizon": 600, "delta": 0.5, "feedback_delay": 11, "checkpoints": range(1, 601)}
    on, off = (duelbench.simulate("savage", bandit, standing_decisions=stands, **options) for stands in (True, False))
    assert on.regret.tobytes() == off.regret.tobytes()


@pytest.mark.parametrize(
    ("id", "late", "said"),
    [
        ("rucb", {"feedback_delay": 2, "feedback_batch": 2}, "exclude each other; remove one of the two"),
        ("rex3", {"feedback_delay": 2}, "give feedback_batch instead of feedback_delay"),
        ("rucb", {"feedback_delay": -1}, "feedback_delay must be a whole number from 0"),
        ("rucb", {"feedback_delay": 10**6 + 1}, "feedback_delay must be a whole number from 0"),
    ],
)
def test_feedback_that_cannot_be_is_refused(id, late, said):
    with pytest.raises(InputError, match=said):
        duelbench.simulate(id, P, horizon=10, **late)
