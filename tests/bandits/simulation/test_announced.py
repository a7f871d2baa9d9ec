"""Regret of what is announced, explored parameters, scalar bandits: the engine against loops in plain Python."""

import numpy as np
import pytest

import duelbench
from duelbench.bandits.algorithms import registry
from duelbench.bandits.problem import round_losses
from duelbench.bandits.simulation.streams import streams

P = duelbench.PreferenceMatrix([[0.5, 0.9, 0.3, 0.8], [0.1, 0.5, 0.9, 0.9], [0.7, 0.1, 0.5, 0.8], [0.2, 0.1, 0.2, 0.5]])
PRICES = round_losses.costs(P, ["announced-copeland"]).announced[0]


def announced_in_a_loop(id, horizon, run, batch=1, **parameters):
    """(arms announced after each round) of a plain loop over the algorithm's functions."""
    algorithm = registry.get(id)
    random = streams(0, run)
    state = algorithm.start(P.n_arms, horizon, random.algorithm, True, **algorithm.resolve(parameters))
    announced, held = [], []
    for t in range(1, horizon + 1):
        first, second, _ = algorithm.select(state, t, random.algorithm)
        if first != second or algorithm.reads_self_duels:
            won = int(random.duels.random() < P.P[first, second])
            held.append((first, second, won))
        if t % batch == 0:
            for pair in dict.fromkeys((first, second) for first, second, _ in held):
                wins = [won for first, second, won in held if (first, second) == pair]
                algorithm.update(state, *pair, sum(wins), len(wins) - sum(wins))
            held = []
        announced.append(int(algorithm.recommend(state)))
    return announced


@pytest.mark.parametrize("batch", [1, 6])
@pytest.mark.parametrize(
    ("id", "parameters"),
    [
        ("rucb", {}),
        ("savage-copeland", {"delta": 0.9}),
        ("btm", {"const": 0.2}),
        ("interleaved-filter", {}),
    ],
)
def test_announced_regret_is_the_sum_over_rounds(id, parameters, batch):
    for run in range(2):
        expected = np.cumsum(PRICES[announced_in_a_loop(id, 300, run, batch, **parameters)])
        trace = duelbench.simulate(
            id,
            P,
            horizon=300,
            run=run,
            feedback_batch=batch,
            regret=["announced-copeland", "copeland"],
            checkpoints=range(1, 301),
            **parameters,
        )
        assert trace.regret[0].tolist() == expected.tolist()
        if id != "interleaved-filter":  # whose batches are one draw where nothing is announced
            options = {"horizon": 300, "run": run, "feedback_batch": batch, "checkpoints": range(1, 301), **parameters}
            plain = duelbench.simulate(id, P, regret="copeland", **options)
            assert np.array_equal(trace.duels, plain.duels)
            assert np.array_equal(trace.regret[1:], plain.regret)


def test_a_decision_that_stands_without_end_stays_one_decision():
    order = np.triu(np.ones((3, 3)), 1) + 0.5 * np.eye(3)
    trace = duelbench.simulate("savage-copeland", order, horizon=10**9, regret="announced-copeland")
    assert trace.decisions < 10**4 and trace.regret[0, -1] < 10


def test_shuffled_arms_are_announced_by_the_names_of_the_problem():
    bandit = duelbench.scalar_bandit([0.0, 0.0, 1.0, 0.0])
    for run in range(5):
        trace = duelbench.simulate("savage", bandit, horizon=10**5, run=run, shuffle_arms=True)
        assert trace.recommended[-1] == 2 and trace.duels[2, 0] > 9 * 10**4
        assert trace.duels.shape == (4, 1) and trace.duels.sum() == 10**5


def test_explored_and_finished_are_there_for_explorers_only():
    trace = duelbench.simulate("rucb", P, horizon=100)
    assert trace.explored is None and trace.finished is None
    trace = duelbench.simulate("savage-condorcet", [[0.5, 1.0], [0.0, 0.5]], horizon=10**4, checkpoints=[1, 10, 10**4])
    assert trace.explored.tolist() == [1, 1, 0]
    assert trace.finished == trace.duels[0, 1] + 1


@pytest.mark.parametrize("batch", [1, 9])
def test_scalar_bandits_know_batches_of_feedback_and_single_rounds(batch):
    bandit = duelbench.scalar_bandit([0.9, 0.3, 0.5], "counting")
    options = {"horizon": 1000, "delta": 0.9, "feedback_batch": batch, "shuffle_arms": True}
    on = duelbench.simulate("savage", bandit, **options)
    off = duelbench.simulate("savage", bandit, standing_decisions=False, **options)
    assert np.array_equal(on.regret, off.regret) and np.array_equal(on.recommended, off.recommended)
    assert on.finished == off.finished and on.duels.sum() == 1000
