"""IIR: its steps where all is certain, by hand; that it ranks; how often it is wrong."""

import math

import numpy as np
import pytest
from scipy import stats

import duelbench
from duelbench.algorithms.contract import NEVER
from duelbench.algorithms.identification.iir import BETWEEN, IIR, LOWER, UPPER, go_on, n_steps
from tests.algorithms.identification.games import CERTAIN, STEEP, off_and_renamed, stopping_times
from tests.conformance.players import pairs_played


def new(n_arms, seed=0, delta=0.05):
    return IIR.start(n_arms, NEVER, np.random.default_rng(seed), True, delta=delta)


def ranking(state):
    places = np.full(state.order.size, -1)
    IIR.rank(state, places)
    return places


def insert(state, at, until=None):
    """Answer as an arm does that belongs above so many; ``until``: so many steps at most."""
    walk = state.walk[0]
    m, steps = walk.n_ranked, 0
    while walk.n_ranked == m and (until is None or steps < until):
        before = walk.step
        depth = walk.depth
        position = {
            LOWER: state.low[depth],
            UPPER: state.high[depth],
            BETWEEN: (state.low[depth] + state.high[depth]) // 2,
        }[walk.question]
        go_on(state, position <= at)
        steps += walk.step != before or walk.n_ranked != m


def test_two_arms_of_which_one_always_wins_take_33_steps():
    # The root takes 20 straight wins (y = 1/16, b(20)^2 = .2488). Each step at the leaf takes 22, y = 1 - sqrt(15/16):
    # b(22)^2 = ln(pi^2 484 / (3 y)) / 44 = .2460 < 1/4 < b(21)^2 = .2556. x_1 = 6 * .025 / pi^2 = .0152; the count
    # s - 1 exceeds 1 + s/2 + sqrt(s/2 ln(pi^2 s^2 / (3 x_1))) = 31.78 at s = 33, and at 32 it does not exceed 31.03.
    assert set(stopping_times(IIR, [[0.5, 1.0], [0.0, 0.5]], 4)) == {20 + 32 * 22}


def test_a_certain_order_is_ranked():
    P = np.triu(np.ones((6, 6)), 1) + 0.5 * np.eye(6)
    for run in range(5):
        rng = np.random.default_rng(run)
        state = new(6, run)
        rounds = 0
        while rounds != NEVER:
            i, j, rounds = IIR.select(state, 1, rng)
            if rounds != NEVER:
                won = int(P[i, j]) * rounds
                IIR.update(state, i, j, won, rounds - won)
        assert ranking(state).tolist() == [0, 1, 2, 3, 4, 5]
        assert i == j == 0 and IIR.explored(state) == 0


def test_an_arm_is_inserted_where_its_answers_say():
    for m in range(1, 6):
        for at in range(m + 1):
            state = new(7)
            for k in range(1, m):
                insert(state, k)  # each above all before
            before = state.ranked[:m].tolist()
            assert before == state.order[:m].tolist()
            insert(state, at)
            assert state.ranked[: m + 1].tolist() == [*before[:at], state.order[m], *before[at:]]
            expected = [*before[:at], state.order[m], *before[at:]][::-1] + state.order[m + 1 :].tolist()
            assert [int(ranking(state)[arm]) for arm in expected] == list(range(7))
            assert IIR.recommend(state) == state.ranked[m] and IIR.explored(state) == 6 - m


def test_a_walk_goes_down_to_a_leaf_counts_there_and_goes_back():
    state = new(5)
    for k in (1, 2):
        insert(state, k)
    walk = state.walk[0]  # three arms: root (0, 4), then (0, 2) or (2, 4), then leaves
    insert(state, 3, until=2)
    assert (state.low[2], state.high[2], walk.depth, walk.count, walk.question) == (3, 4, 2, 0, LOWER)
    insert(state, 3, until=2)
    assert (walk.depth, walk.count) == (2, 2)
    insert(state, 0, until=1)  # now the arm seems to be below all
    assert (walk.depth, walk.count) == (2, 1)
    insert(state, 0, until=2)
    assert (walk.depth, walk.count) == (1, 0)
    insert(state, 0, until=1)
    assert (walk.depth, walk.question) == (0, BETWEEN)


def test_a_leaf_that_the_arm_is_above_is_left_like_one_that_it_is_below():
    state = new(4)
    insert(state, 1)
    walk = state.walk[0]  # two arms: root (0, 3), leaf (0, 1), node (1, 3)
    insert(state, 0, until=2)
    assert (state.low[1], state.high[1], walk.count) == (0, 1, 1)
    insert(state, 1, until=2)
    assert (walk.depth, walk.count) == (0, 0)


def test_an_attempt_that_nothing_comes_of_is_followed_by_another():
    state = new(3)
    walk = state.walk[0]
    steps = 0
    while walk.attempt == 1:  # one arm is ranked: a step down to the upper leaf, a step back
        insert(state, 1 if walk.depth == 0 else 0, until=1)
        steps += 1
    x = 6 * 0.05 / 3 / math.pi**2
    assert steps == n_steps(1, x) == math.ceil(512 * math.log(2 / x) / 25)
    assert (walk.step, walk.depth, walk.count, walk.n_ranked) == (0, 0, 0, 1)


def test_a_count_of_five_sixteenths_of_the_steps_is_enough_at_the_end():
    state = new(2)
    walk = state.walk[0]
    x = 6 * 0.025 / math.pi**2
    M = n_steps(1, x)  # 100: the count has to be 32.25
    assert M == 100
    insert(state, 1, until=1)
    for _ in range(33):  # up and down, so that the count stays below the bound of each step
        insert(state, 1, until=1)
        insert(state, 0, until=1)
    assert walk.count == 0 and walk.step == 67
    insert(state, 1, until=32)
    assert (walk.count, walk.step, walk.n_ranked) == (32, 99, 1)
    insert(state, 1, until=1)
    assert walk.n_ranked == 2 and state.ranked.tolist() == state.order.tolist()


@pytest.mark.parametrize(("m", "steps"), [(1, 8), (2, 12), (3, 12), (4, 16), (7, 16), (8, 20)])
def test_a_walk_has_time_to_go_down_and_up_the_tree(m, steps):
    # 4 h, h = 1 + ceil(log2(m + 1)); x = 1.9 asks for 2 steps only.
    assert n_steps(m, 1.9) == steps


def test_ties_of_a_comparison_are_a_coin():
    right = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        state = new(2, seed)
        i, j, _ = IIR.select(state, 1, rng)
        IIR.update(state, i, j, 14, 14)  # the longest comparison at the root
        IIR.select(state, 1, rng)
        right += int(state.low[1])
    assert stats.binomtest(right, 400, 0.5).pvalue > 1e-4


def test_an_arm_is_out_of_its_place_in_a_share_delta_of_runs_at_most():
    wrong = 0
    for run in range(60):
        rng = np.random.default_rng(run)
        state = new(4, run, delta=0.3)
        rounds = 0
        while rounds != NEVER:
            i, j, rounds = IIR.select(state, 1, rng)
            if rounds != NEVER:
                won = int(rng.binomial(rounds, STEEP[i, j]))
                IIR.update(state, i, j, won, rounds - won)
        wrong += ranking(state).tolist() != [0, 1, 2, 3]
    assert stats.binomtest(wrong, 60, 0.3, alternative="greater").pvalue > 1e-4


def test_batches_change_nothing():
    rngs = [(np.random.default_rng(7), np.random.default_rng(8)) for _ in range(2)]
    on = pairs_played(IIR, STEEP, 3000, *rngs[0], standing=True)
    assert on == pairs_played(IIR, STEEP, 3000, *rngs[1], standing=False)


def test_the_stopping_time_has_one_law_with_and_without_standing_decisions_and_however_arms_are_named():
    P = STEEP[:3, :3]
    on = stopping_times(IIR, P, 150)
    for other in off_and_renamed(IIR, P, 150, 2 * 10**4):
        assert stats.ks_2samp(on, other).pvalue > 1e-4


def test_late_outcomes_do_not_mislead_it():
    for run in range(5):
        trace = duelbench.simulate(IIR, CERTAIN, horizon=10**6, run=run, shuffle_arms=True, feedback_delay=50)
        assert trace.recommended[-1] == 0 and trace.finished > 0
