"""RMED1, RMED2 and RMED2FH: who returns, which pairs are drawn before a pass, and literal transcriptions."""

import math
from functools import partial

import numpy as np
import pytest

from duelbench.algorithms.contract import NEVER
from duelbench.algorithms.rmed.rmed1 import RMED1, return_round
from duelbench.algorithms.rmed.rmed2 import RMED2, RMED2FH, is_too_rare, overdue_round
from tests.algorithms.comparing import assert_same_duels, decide, regrets
from tests.algorithms.odd_matrices import MATRICES, assert_standing_decisions_change_no_bit
from tests.conformance.literal.rmed1 import RMED1 as LiteralRMED1
from tests.conformance.literal.rmed2 import RMED2 as LiteralRMED2
from tests.conformance.literal.rmed2fh import RMED2FH as LiteralRMED2FH


def start(algorithm, n_arms, horizon=10**5, **parameters):
    return algorithm.start(n_arms, horizon, np.random.default_rng(0), True, **algorithm.resolve(parameters))


@pytest.mark.parametrize("slack", [0.0, 0.3, 1.62])
def test_a_candidate_returns_in_the_first_round_that_admits_it(slack):
    for lead in (*np.linspace(0.0, 7.0, 57), *(n * math.log(2.0) for n in range(11)), math.log(50.0) + slack):
        t = int(return_round(np.array([0.5, 0.5 + lead]), 0, slack))
        gap = (0.5 + lead) - 0.5
        assert gap <= math.log(t) + slack
        assert t == 1 or gap > math.log(t - 1) + slack


class TestDrawsBeforeAPass:
    @pytest.mark.parametrize("alpha", [0.1, 1.0, 3.0, 7.3])
    def test_are_due_in_the_first_round_that_says_so(self, alpha):
        for plays in range(30):
            t = overdue_round(plays, alpha)
            assert t == NEVER or (is_too_rare(plays, alpha, t) and not is_too_rare(plays, alpha, t - 1))
            assert t < NEVER or not is_too_rare(plays, alpha, 10**15)

    def test_once_only_they_follow_the_first_draws(self):
        # Ten pairs: 39 >= 10 x 3 ln ln 39 = 38.95..., and 38 < 10 x 3 ln ln 38 = 38.74...
        state = start(RMED2, 5, forced="once", order="index")
        assert state.first_rounds == 38
        drawn = [decide(RMED2, state, t)[:2] for t in range(1, 39)]
        assert drawn[:10] == drawn[10:20] == drawn[20:30] == [(i, j) for i in range(5) for j in range(i + 1, 5)]
        assert drawn[30:] == drawn[:8]

    def test_with_a_fixed_horizon_come_first_each_pair_in_a_row(self):
        # 3 ln ln 10^5 = 7.33...
        state = start(RMED2FH, 3, order="index")
        drawn = [decide(RMED2FH, state, t)[:2] for t in range(1, 25)]
        assert drawn == [(0, 1)] * 8 + [(0, 2)] * 8 + [(1, 2)] * 8
        assert start(RMED2FH, 3, horizon=2).first_rounds == 3
        assert start(RMED2FH, 3, horizon=3, alpha=1.0).first_rounds == 3  # ln ln 3 = 0.09...


@pytest.mark.parametrize("parameters", [{"f_scale": 0.0}, {"f_scale": 2.0, "f_exponent": 0.5}])
def test_rmed1_plays_the_same_duels_as_the_literal_transcription(parameters):
    given = {"f_factor" if key == "f_scale" else key: value for key, value in parameters.items()}
    for P in MATRICES.values():
        assert_same_duels(RMED1, partial(LiteralRMED1, **given), P, 2, 200, **parameters)


@pytest.mark.parametrize("parameters", [{"alpha": 12.0}, {"floor": 0.01, "alpha": 1.0}], ids=str)
@pytest.mark.parametrize(("algorithm", "oracle"), [(RMED2, LiteralRMED2), (RMED2FH, LiteralRMED2FH)], ids=["any", "fh"])
def test_plays_the_same_duels_as_the_literal_transcription(algorithm, oracle, parameters):
    for P in MATRICES.values():
        assert_same_duels(algorithm, partial(oracle, **parameters), P, 2, 200, **parameters)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("algorithm", "parameters"),
    [
        ("rmed1", {}),
        ("rmed1", {"f_scale": 0.0}),
        ("rmed2", {}),
        ("rmed2", {"alpha": 9.0, "f_scale": 0.0}),
        ("rmed2", {"forced": "once", "ratio_sign": -1}),
        ("rmed2fh", {}),
    ],
    ids=["rmed1", "rmed1 without f", "rmed2", "rmed2 with many draws", "rmed2 as published", "rmed2fh"],
)
def test_standing_decisions_change_no_bit_of_a_trace(algorithm, parameters):
    assert_standing_decisions_change_no_bit(algorithm, 3, **parameters)
    for delay in (1, 7):
        assert_standing_decisions_change_no_bit(algorithm, 20_000, feedback_delay=delay, **parameters)


@pytest.mark.thorough
def test_regret_is_less_than_that_of_rmed1_where_other_opponents_say_more_unless_the_sign_is_reversed():
    def mean_regret(id, **parameters):
        return regrets(id, MATRICES["cyclic"], 60, 100_000, [100_000], **parameters).mean()

    right = mean_regret("rmed2")
    assert max(right, mean_regret("rmed2fh")) < 0.5 * mean_regret("rmed1")
    assert mean_regret("rmed2", ratio_sign=-1) > 2 * right
