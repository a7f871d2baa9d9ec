"""Beat the Mean: eliminations against facts derived by hand; its statistics; what it promises and where it fails."""

import math

import numpy as np
import pytest

import duelbench
from duelbench.algorithms.contract import NEVER
from duelbench.algorithms.exploration.btm import BTM

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
    # T = 1000, K = 3 and const = 1: c(n) = sqrt(ln(6000) / n), c(870) = 0.099996, c(869) = 0.10005.

    @pytest.mark.parametrize(("plays", "remaining"), [(870, [0, 1]), (869, [0, 1, 2])])
    def test_the_worst_arm_goes_when_it_is_two_radii_below_the_best(self, plays, remaining):
        state = new_state(3, const=1)
        for b, share in enumerate((0.6, 0.5, 0.4)):
            BTM.update(state, b, 0, round(share * 10_000), 10_000 - round(share * 10_000))
        state.active_plays[1] = plays  # n* is the smallest n_b
        decide(state)
        assert active(state) == remaining

    def test_at_most_one_arm_goes_in_a_round(self):
        state = new_state(4)
        for b, won in enumerate((10_000, 9_000, 100, 0)):
            BTM.update(state, b, b, won, 10_000 - won)
        remaining = []
        for _ in range(3):
            decide(state)
            remaining.append(active(state))
        assert remaining == [[0, 1, 2], [0, 1], [0, 1]]

    def test_comparisons_with_a_dropped_arm_are_deleted(self):
        state = new_state(3)
        BTM.update(state, 0, 1, 20_000, 0)
        BTM.update(state, 0, 2, 10_000, 5)
        BTM.update(state, 1, 0, 10_000, 10_000)
        BTM.update(state, 1, 2, 3, 4)
        BTM.update(state, 2, 0, 0, 20_000)
        decide(state)
        assert active(state) == [0, 1]
        assert state.active_plays[:2].tolist() == [20_000, 20_000]
        assert state.active_wins[:2].tolist() == [20_000, 10_000]
        assert state.mean[:2].tolist() == [1.0, 0.5]

    def test_late_reports_about_a_dropped_arm_are_deleted_too(self):
        state = new_state(3)
        for b, won in enumerate((10_000, 10_000, 0)):
            BTM.update(state, b, b, won, 10_000 - won)
        decide(state)
        BTM.update(state, 0, 2, 7, 7)
        assert state.active_plays[0] == 10_000

    def test_equally_bad_arms_are_dropped_equally_often(self):
        dropped = []
        for seed in range(300):
            state = new_state(3)
            for b, won in enumerate((0, 10_000, 0)):
                BTM.update(state, b, b, won, 10_000 - won)
            decide(state, seed)
            dropped.append({0, 1, 2} - set(active(state)))
        assert all(arm in ({0}, {2}) for arm in dropped)
        assert abs(dropped.count({0}) - 150) < 5 * math.sqrt(75)

    def test_the_last_arm_is_played_without_end(self):
        state = new_state(2)
        BTM.update(state, 0, 0, 0, 10_000)
        BTM.update(state, 1, 1, 10_000, 0)
        assert decide(state) == (1, 1, NEVER)

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
    def test_the_arm_with_the_fewest_duels_duels_any_arm(self):
        state = new_state(3)
        BTM.update(state, 0, 2, 1, 0)
        BTM.update(state, 2, 2, 1, 0)
        pairs = [decide(state, seed) for seed in range(300)]
        assert {first for first, _, _ in pairs} == {1}
        for arm in range(3):
            assert abs(sum(second == arm for _, second, _ in pairs) - 100) < 5 * math.sqrt(200 / 3)

    def test_ties_for_the_fewest_duels_are_random_or_go_to_the_lowest_index(self):
        state = new_state(3)
        BTM.update(state, 0, 2, 1, 0)
        assert {decide(state, seed)[0] for seed in range(50)} == {1, 2}
        state = new_state(3, ties="lowest")
        assert {decide(state, seed)[0] for seed in range(50)} == {0}

    def test_an_arm_need_not_duel_itself(self):
        trace = simulate(STRONG_ORDER, horizon=300, self_duels=False, checkpoints=[300])
        assert np.trace(trace.duels) == 0
        assert np.trace(simulate(STRONG_ORDER, horizon=300, checkpoints=[300]).duels) > 30

    def test_a_self_duel_is_a_coin_that_counts(self):
        state = new_state(2)
        BTM.update(state, 1, 1, 3, 1)
        assert state.mean.tolist() == [0.5, 0.75]
        assert state.active_plays.tolist() == [0, 4]


@pytest.mark.parametrize("const", [1.0, 3.0])
def test_two_arms_of_which_one_always_wins_duel_until_the_radius_is_one_half(const):
    # The means are 1 and 0, so that 2 c(n*) <= 1 decides: n* >= 4 const^2 ln(2 T K), K = 2, for both arms.
    horizon = 10**6
    trace = simulate(CERTAIN, horizon=horizon, const=const, self_duels=False)
    rounds = 2 * math.ceil(4 * const**2 * math.log(4 * horizon))
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


def test_regret_grows_like_the_logarithm_of_the_horizon_once_it_suffices():
    def mean_regret(horizon):
        return np.mean(
            [simulate(STRONG_ORDER, horizon=horizon, run=run, shuffle_arms=True).regret[0, -1] for run in range(40)]
        )

    # ln(8 * 4 * 10^4) / ln(8 * 2 * 10^4) = 1.06, for a new run at each horizon.
    assert 0.9 < mean_regret(4 * 10**4) / mean_regret(2 * 10**4) < 1.2


def test_with_the_printed_constant_small_gaps_cost_the_whole_horizon():
    # An elimination takes 36 ln(2 T K) / gap^2 > 36 * 12 / 0.2^2 duels of each arm: more than there are.
    linear = 0.5 + 0.04 * (np.arange(6)[None, :] - np.arange(6)[:, None])
    trace = simulate(linear, horizon=20_000, checkpoints=[10_000])
    assert trace.regret[0, 1] / trace.regret[0, 0] == pytest.approx(2, abs=0.05)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"const": 0.2},
        {"self_duels": False, "const": 0.2},
        {"epsilon": 2.0},
        {"epsilon": 1e-300, "gamma": 1e200},  # beyond any number of rounds, and of floating point
    ],
)
def test_copes_with_delay_and_ties(options):
    for matrix in (np.full((3, 3), 0.5), STRONG_ORDER, CERTAIN):
        trace = simulate(matrix, horizon=5000, feedback_delay=11, **options)
        assert trace.duels.sum() == 5000
