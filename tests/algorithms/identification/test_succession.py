"""DKWT and kt-knockout: what they take where all is certain, by hand; how often they are wrong; laws that agree."""

import numpy as np
import pytest
from scipy import stats

import duelbench
from duelbench.algorithms.contract import NEVER
from duelbench.algorithms.identification.dkwt import DKWT
from duelbench.algorithms.identification.kt_knockout import KT_KNOCKOUT
from tests.algorithms.identification.games import CERTAIN, CYCLIC, STEEP, answers, off_and_renamed, stopping_times
from tests.conformance.players import pairs_played

BOTH = pytest.mark.parametrize("algorithm", [DKWT, KT_KNOCKOUT], ids=lambda algorithm: algorithm.id)


def test_dkwt_takes_one_stage_for_each_pair_that_is_certain():
    # g = .05 / 4, so that the first stage has 803 duels; three tests.
    assert set(stopping_times(DKWT, CERTAIN, 5)) == {3 * 803}


def test_kt_knockout_takes_eight_straight_wins_for_each_pair_that_is_certain():
    assert set(stopping_times(KT_KNOCKOUT, CERTAIN, 5)) == {3 * 8}


def test_dkwt_begins_a_new_stage_where_the_last_told_nothing():
    rng = np.random.default_rng(0)
    state = DKWT.start(2, NEVER, rng, True, delta=0.025)  # g = .0125: stages of 803 and 3918 duels
    c, j, rounds = DKWT.select(state, 1, rng)
    assert rounds == 803
    DKWT.update(state, c, j, 450, 353)  # 2 q - 1 = .121, not above 1/4
    assert DKWT.select(state, 804, rng) == (c, j, 3918)
    DKWT.update(state, c, j, 1700, 2218)  # 2 q - 1 = -.132, below -1/8
    assert DKWT.select(state, 4722, rng) == (j, j, NEVER)


@BOTH
def test_the_winner_of_a_test_meets_the_next_arm_in_private_order(algorithm):
    rng = np.random.default_rng(1)
    state = algorithm.start(4, NEVER, rng, True, **algorithm.resolve({}))
    order = state.line.order.tolist()
    met = []
    for winner in (1, 1, 3):  # places in private order: the second arm wins two tests, and the fourth the last
        c, j, _ = algorithm.select(state, 1, rng)
        met.append({order.index(c), order.index(j)})
        won = order[winner] == c
        algorithm.update(state, c, j, 2000 * won, 2000 * (not won))
    assert met == [{0, 1}, {1, 2}, {1, 3}]
    assert algorithm.select(state, 1, rng) == (order[3], order[3], NEVER)
    assert algorithm.recommend(state) == order[3] and algorithm.explored(state) == 0


@BOTH
def test_outcomes_of_a_pair_that_is_not_under_test_do_not_count(algorithm):
    rng = np.random.default_rng(2)
    state = algorithm.start(4, NEVER, rng, True, **algorithm.resolve({}))
    c, j, rounds = algorithm.select(state, 1, rng)
    other = next(a for a in range(4) if a not in (c, j))
    algorithm.update(state, c, other, 5000, 0)
    algorithm.update(state, j, c, 5000, 0)
    assert algorithm.select(state, 1, rng) == (c, j, rounds)


@BOTH
def test_the_answer_is_wrong_in_a_share_delta_of_runs_at_most(algorithm):
    # A bound of one half: with delta = .5 a run in two may go wrong. Exact test at level 1e-4.
    wrong = answers(algorithm, CYCLIC, 600, delta=0.5) != 0
    assert stats.binomtest(int(wrong.sum()), wrong.size, 0.5, alternative="greater").pvalue > 1e-4
    wrong = answers(algorithm, CYCLIC, 200) != 0
    assert stats.binomtest(int(wrong.sum()), wrong.size, 0.05, alternative="greater").pvalue > 1e-4


@BOTH
def test_batches_change_nothing(algorithm):
    for seed in range(3):
        played = [
            pairs_played(
                algorithm,
                STEEP,
                2500,
                np.random.default_rng(seed),
                np.random.default_rng([seed, 1]),
                standing=standing,
            )
            for standing in (True, False)
        ]
        assert played[0] == played[1]


@BOTH
def test_the_stopping_time_has_one_law_with_and_without_standing_decisions_and_however_arms_are_named(algorithm):
    on = stopping_times(algorithm, STEEP, 300)
    for other in off_and_renamed(algorithm, STEEP, 300, 10**4):
        assert stats.ks_2samp(on, other).pvalue > 1e-4


@BOTH
def test_late_outcomes_lengthen_the_search_and_do_not_mislead_it(algorithm):
    late = [duelbench.simulate(algorithm, CERTAIN, horizon=10**5, run=run, feedback_delay=50) for run in range(5)]
    prompt = stopping_times(algorithm, CERTAIN, 1)[0]
    assert all(prompt < trace.finished <= prompt + 3 * 50 + 1 for trace in late)
    assert {trace.recommended[-1] for trace in late} == {0}
