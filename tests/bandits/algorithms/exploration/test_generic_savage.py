"""SAVAGE for any decision on scalar bandits: decisions in plain Python, sample counts worked out by hand."""

import math

import numpy as np
import pytest

import duelbench
from duelbench.bandits.algorithms import registry
from duelbench.bandits.algorithms.contract import NEVER
from duelbench.bandits.algorithms.exploration import scalar_decisions
from duelbench.bandits.problem.decision_rule import Decision


def plain_argmax(decision, values):
    return max(range(len(values)), key=lambda i: (values[i], -i))


PLAIN = Decision("plain", "the best, in plain Python", plain_argmax, lambda means: means.max() - means)


def test_sampled_independence_needs_the_decision_alone():
    means = [0.95, 0.1, 0.2, 0.1]
    own = duelbench.scalar_bandit(means, PLAIN)
    options = {"horizon": 900, "delta": 0.5, "test_every": 5, "simulations": 20, "moves": 5}
    a = duelbench.simulate("savage-sampling", own, **options)
    b = duelbench.simulate("savage-sampling", duelbench.scalar_bandit(means), **options)
    assert a.finished == b.finished > 0
    assert np.array_equal(a.duels, b.duels) and np.array_equal(a.recommended, b.recommended)


def test_without_test_or_bound_savage_never_ends():
    trace = duelbench.simulate("savage", duelbench.scalar_bandit([1.0, 0.0], PLAIN), horizon=200)
    assert trace.finished == 0 and trace.duels[:, 0].tolist() == [100, 100]


class TestSampleCounts:
    """Certain outcomes: a mean of 0 or 1 has the interval [0, c(t)] or [1 - c(t), 1]."""

    @pytest.mark.parametrize("horizon", [10**4, 10**8])
    def test_counting_knows_each_arm_when_its_interval_leaves_the_middle(self, horizon):
        # c(t) <= 0.4 from t = ln(2NT / delta) / 0.32 on.
        n = math.ceil(math.log(2 * 4 * horizon**2) / (2 * 0.4**2))
        for accept in ("singleton", "empty"):
            trace = duelbench.simulate(
                "savage", duelbench.scalar_bandit([0, 1, 1, 0], "counting"), horizon=horizon, accept=accept
            )
            assert trace.finished == 4 * n + 1
            assert trace.recommended[-1] == 0

    def test_without_a_horizon_the_radius_grows_with_the_samples(self):
        # ln(pi^2 N t^2 / (3 delta)) / (2 t) <= 0.16.
        n = next(t for t in range(1, 999) if math.log(math.pi**2 * 2 * t**2 / (3 * 0.1)) / (2 * t) <= 0.4**2)
        for horizon in (10**3, 10**7):
            bandit = duelbench.scalar_bandit([0, 1], "counting")
            trace = duelbench.simulate("savage", bandit, horizon=horizon, eta="anytime", delta=0.1)
            assert trace.finished == 2 * n + 1

    def test_epsilon_ends_exploration_when_the_decision_costs_that_at_most(self):
        # Two arms that always give 1: b_k - a_d = c(t) <= epsilon.
        bandit = duelbench.scalar_bandit([1.0, 1.0])
        log = math.log(2 * 2 * 10**6 / 0.05)
        for epsilon in (0.3, 0.1):
            n = math.ceil(log / (2 * epsilon**2))
            trace = duelbench.simulate("savage", bandit, horizon=10**6, delta=0.05, epsilon=epsilon)
            assert 2 * n - 1 <= trace.finished - 1 <= 2 * n
        assert duelbench.simulate("savage", bandit, horizon=1000, delta=0.05).finished == 0


def test_after_exploration_the_arm_is_played_and_a_number_is_not():
    trace = duelbench.simulate("savage", duelbench.scalar_bandit([0.1, 0.9]), horizon=10**6, regret=["played"])
    assert trace.duels[1, 0] > 999_000 and trace.decisions == trace.finished
    assert trace.regret[0, -1] == pytest.approx(0.8 * trace.duels[0, 0])
    state = registry.get("savage").start(
        2, 10**6, None, True, question=(scalar_decisions.COUNTING, {"above": 0.4, "below": 0.6}),
        **registry.get("savage").resolve({}),
    )  # fmt: skip
    state.final[0] = 1
    assert registry.get("savage").select(state, 1, np.random.default_rng(0)) == (0, 0, NEVER)


@pytest.mark.parametrize("name", scalar_decisions.DECISIONS)
def test_losses_are_zero_for_f_of_the_means_and_positive_for_others(name):
    decision = scalar_decisions.DECISIONS[name]
    means = np.random.default_rng(4).random(30)
    losses = decision.losses(means, **decision.resolve({}))
    right = decision.decide(decision.begin(30, decision.resolve({})), means)
    assert losses[right] == 0 and np.count_nonzero(losses == 0) == 1 and losses.min() == 0
    assert len(losses) == (30 if decision.names_parameter else 31)


def test_the_losses_of_figure_2():
    means = np.array([0.95, 0.9, 0.9, 0.9, 0.55, *[0.5] * 5, *[0.0] * 90])
    rigged = scalar_decisions.RIGGED.losses(means, m=4)
    assert rigged[:5].tolist() == [0.55, 0.55, 0.55, 0.55, 0.0]
    assert math.isclose(rigged[5], 0.05) and rigged[99] == 0.55
    assert scalar_decisions.COUNTING.losses(means, above=0.4, below=0.6)[[0, 6, 7]].tolist() == [6, 0, 1]


@pytest.mark.parametrize("id", ["savage", "round-robin", "ucb1-wrapped", "elimination", "elimination-wrapped"])
@pytest.mark.parametrize("batch", [1, 11])
def test_decisions_on_scalar_bandits_stand_as_long_as_they_say(id, batch):
    bandit = duelbench.scalar_bandit([0.95, 0.1, 0.5, 0.4], "rigged", m=1)
    options = {"horizon": 700, "shuffle_arms": True, "feedback_batch": batch, "checkpoints": 30}
    on = duelbench.simulate(id, bandit, **options)
    off = duelbench.simulate(id, bandit, standing_decisions=False, **options)
    assert np.array_equal(on.duels, off.duels) and np.array_equal(on.regret, off.regret)
    assert np.array_equal(on.explored, off.explored) and on.duels.sum() == 700
