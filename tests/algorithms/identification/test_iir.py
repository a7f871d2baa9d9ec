"""IIR: its steps where all is certain, by hand; that it ranks; how often it is wrong."""

import numpy as np
import pytest
from scipy import stats

from duelbench.algorithms.contract import NEVER
from duelbench.algorithms.identification.iir import BETWEEN, IIR, LOWER, UPPER, go_on, n_steps
from tests.algorithms.identification.games import STEEP, stopping_times


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


@pytest.mark.parametrize(("m", "steps"), [(1, 8), (2, 12), (3, 12), (4, 16), (7, 16), (8, 20)])
def test_a_walk_has_time_to_go_down_and_up_the_tree(m, steps):
    # 4 h, h = 1 + ceil(log2(m + 1)); x = 1.9 asks for 2 steps only.
    assert n_steps(m, 1.9) == steps


@pytest.mark.thorough
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
