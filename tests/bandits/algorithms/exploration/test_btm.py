"""Beat the Mean: eliminations against facts derived by hand; its statistics."""

import math

import numpy as np
import pytest

import duelbench
from duelbench.bandits.algorithms.exploration.btm import BTM

STRONG_ORDER = np.where(np.triu(np.ones((4, 4)), 1) > 0, 0.9, np.where(np.eye(4) > 0, 0.5, 0.1))
CERTAIN = np.array([[0.5, 1.0], [0.0, 0.5]])


def simulate(P, **options):
    return duelbench.simulate(BTM, P, **options)


def new_state(n_arms, horizon=1000, **parameters):
    return BTM.start(n_arms, horizon, None, True, **BTM.resolve(parameters))


def decide(state, seed=0):
    return tuple(int(x) for x in BTM.select(state, 1, np.random.default_rng(seed)))


def active(state):
    return state.active[: state.n_active[0]].tolist()


class TestElimination:
    def test_late_reports_about_a_dropped_arm_are_deleted_too(self):
        state = new_state(3)
        for b, won in enumerate((10_000, 10_000, 0)):
            BTM.update(state, b, b, won, 10_000 - won)
        decide(state)
        BTM.update(state, 0, 2, 7, 7)
        assert state.active_plays[0] == 10_000

    def test_a_published_program_misreads_the_maximum_once_an_arm_is_gone(self):
        # Of W = {1, 2}, arm 2 is the best, at place 1 of W: the program takes the mean of arm 1 for the maximum.
        shares = (0, 4_000, 10_000)
        for maximum, remaining in (("right", [2]), ("misread", [1, 2])):
            state = new_state(3, maximum=maximum)
            for b, won in enumerate(shares):
                BTM.update(state, b, b, won, 10_000 - won)
            decide(state)
            assert active(state) == [1, 2]
            decide(state)
            assert active(state) == remaining


class TestChoice:
    def test_ties_for_the_fewest_duels_are_random_or_go_to_the_lowest_index(self):
        state = new_state(3)
        BTM.update(state, 0, 2, 1, 0)
        assert {decide(state, seed)[0] for seed in range(50)} == {1, 2}
        state = new_state(3, ties="lowest")
        assert {decide(state, seed)[0] for seed in range(50)} == {0}

    def test_an_arm_need_not_duel_itself(self):
        assert np.trace(simulate(STRONG_ORDER, horizon=300, self_duels=False).duels) == 0
        assert np.trace(simulate(STRONG_ORDER, horizon=300).duels) > 30


@pytest.mark.parametrize(("gamma", "const"), [(1.0, 1.0), (1.0, 3.0), (1.3, 1.0)])
def test_two_arms_of_which_one_always_wins_duel_until_the_radius_is_one_half(gamma, const):
    # The means are 1 and 0, so that 2 c(n*) <= 1 decides: n* >= 4 const^2 gamma^4 ln(2 T K), K = 2, for both arms.
    horizon = 10**6
    trace = simulate(CERTAIN, horizon=horizon, gamma=gamma, const=const, self_duels=False)
    rounds = 2 * math.ceil(4 * const**2 * gamma**4 * math.log(4 * horizon))
    assert trace.duels[0, 0] == horizon - rounds
    assert trace.duels[1, 1] == 0


def test_the_pac_mode_stops_at_n_duels_for_each_arm():
    # Two equal arms: nobody is ever dropped, and both have N = ceil(36 ln(8 N / delta) / epsilon^2) duels in the end.
    n = 1
    while n < 36 * math.log(8 * n / 0.1) / 0.5**2:
        n += 1
    trace = simulate(np.full((2, 2), 0.5), horizon=10**6, epsilon=0.5, delta=0.1, checkpoints=[2 * n, 2 * n + 1])
    assert trace.decisions == 2 * n + 1
    assert trace.recommended[0] == trace.recommended[-1] == np.argmax(np.diag(trace.duels))


def test_a_pac_mode_beyond_any_number_of_rounds_eliminates_nobody():
    trace = simulate(CERTAIN, horizon=200, epsilon=1e-300, gamma=1e200, feedback_batch=11)
    assert trace.decisions == 200
