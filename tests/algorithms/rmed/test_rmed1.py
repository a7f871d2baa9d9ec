"""RMED1: what the paper's text says of it, against facts derived by hand and a literal transcription."""

import math
from functools import partial

import numpy as np
import pytest

from duelbench.algorithms.rmed import rmed
from duelbench.algorithms.rmed.rmed import RMED1, add_duels, new_divergences
from tests.algorithms.comparing import assert_same_duels
from tests.algorithms.odd_matrices import MATRICES, assert_standing_decisions_change_no_bit
from tests.conformance.literal.rmed1 import RMED1 as LiteralRMED1
from tests.conformance.players import pairs_played

LN2 = math.log(2.0)


def divergences_after(n_arms, wins):
    """What is known after ``wins[i, j]`` victories of i over j."""
    divergences = new_divergences(n_arms, waiting=False)
    for (i, j), count in wins.items():
        add_duels(divergences, i, j, count, 0)
    return divergences


def start(n_arms, seed=0, **parameters):
    return RMED1.start(n_arms, 1, np.random.default_rng(seed), True, **RMED1.resolve(parameters))


class TestEmpiricalDivergence:
    def test_lost_duels_count_by_their_divergence_from_one_half(self):
        divergences = divergences_after(3, {(0, 1): 4, (2, 0): 3, (0, 2): 1})
        one_of_four = 4 * (LN2 + 0.25 * math.log(0.25) + 0.75 * math.log(0.75))
        assert divergences.total.tolist() == pytest.approx([one_of_four, 4 * LN2, 0.0])

    def test_is_exactly_zero_for_an_arm_that_no_arm_beats(self):
        divergences = divergences_after(3, {(0, 1): 1, (1, 0): 7, (0, 2): 2, (2, 0): 2})
        assert divergences.total[0] > 0
        add_duels(divergences, 0, 1, 6, 0)  # level with arm 1 again, as with arm 2
        assert divergences.total.tolist() == [0.0, 0.0, 0.0]


class TestStandingDecisions:
    @pytest.mark.parametrize("slack", [0.0, 0.3, 1.62])
    def test_a_candidate_returns_in_the_first_round_that_admits_it(self, slack):
        for lead in (*np.linspace(0.0, 7.0, 57), *(n * LN2 for n in range(11)), math.log(50.0) + slack):
            t = int(rmed.return_round(np.array([0.5, 0.5 + lead]), 0, slack))
            gap = (0.5 + lead) - 0.5
            assert gap <= math.log(t) + slack
            assert t == 1 or gap > math.log(t - 1) + slack


@pytest.mark.parametrize("seed", range(6))
def test_after_the_first_pairs_an_arm_is_left_out_once_its_divergence_is_too_large(seed):
    """After n loops arm 2 has lost 1 + n duels to arm 0 and one to arm 1: I_2 = (n + 2) ln 2.

    With f(3) = 0.910 it returns after loops 1 and 2, where 3 ln 2 <= ln 4 + f and 4 ln 2 <= ln 7 + f, but not after
    loop 3, where 5 ln 2 = 3.466 > ln 12 + f = 3.395. Arm 1 always does: 4 ln 2 <= ln 10 + f.
    """
    P = np.triu(np.ones((3, 3)), 1) + 0.5 * np.eye(3)
    a, b, c = order = np.random.default_rng(seed).permutation(3).tolist()
    pairs = pairs_played(RMED1, P, 14, np.random.default_rng(seed), np.random.default_rng(0))
    loop = [(arm, 0) for arm in order]
    assert pairs == [(a, b), (a, c), (b, c), *loop, *loop, *loop, *[pair for pair in loop if pair[0] != 2]]


@pytest.mark.parametrize("parameters", [{"f_scale": 0.0}, {"f_scale": 2.0, "f_exponent": 0.5}])
def test_plays_the_same_duels_as_the_literal_transcription(parameters):
    given = {"f_factor" if key == "f_scale" else key: value for key, value in parameters.items()}
    for P in MATRICES.values():
        assert_same_duels(RMED1, partial(LiteralRMED1, **given), P, 2, 200, **parameters)


@pytest.mark.thorough
@pytest.mark.parametrize("delay", [1, 7])
@pytest.mark.parametrize("f_scale", [0.3, 0.0])
def test_standing_decisions_change_no_bit_of_a_trace(f_scale, delay):
    assert_standing_decisions_change_no_bit("rmed1", 20_000, feedback_delay=delay, f_scale=f_scale)
