"""RMED2 and RMED2FH: whom an arm duels, which pairs are drawn before a pass, and literal transcriptions."""

import math
from functools import partial

import numpy as np
import pytest

from duelbench.algorithms.contract import NEVER
from duelbench.algorithms.rmed.rmed import (
    NO_ARM,
    RMED2,
    RMED2FH,
    add_duels,
    cheapest_opponent,
    is_too_rare,
    log_log,
    new_divergences,
    overdue_round,
)
from tests.algorithms.comparing import assert_same_duels, regrets
from tests.algorithms.odd_matrices import MATRICES, assert_standing_decisions_change_no_bit
from tests.conformance.literal.rmed2 import RMED2 as LiteralRMED2
from tests.conformance.literal.rmed2fh import RMED2FH as LiteralRMED2FH

UNUSED = np.random.default_rng(0)


def start(algorithm, n_arms, horizon=10**5, **parameters):
    return algorithm.start(n_arms, horizon, np.random.default_rng(0), True, **algorithm.resolve(parameters))


def decide(algorithm, state, t):
    return tuple(int(x) for x in algorithm.select(state, t, UNUSED))


def divergences_after(n_arms, results):
    """What is known after ``results[i, j]`` = (victories of i over j, victories of j over i)."""
    divergences = new_divergences(n_arms, waiting=False)
    for (i, j), (wins, losses) in results.items():
        add_duels(divergences, i, j, wins, losses)
    return divergences


RESULTS = {(0, 1): (6, 4), (0, 2): (7, 3), (2, 1): (9, 1)}
ORDER = np.arange(3)


class TestCheapestOpponent:
    def ratio(self, p_best_first, p_best_other, p):
        return (p_best_first + p_best_other - 1) / (math.log(2) + p * math.log(p) + (1 - p) * math.log(1 - p))

    def test_has_the_least_regret_per_information(self):
        divergences = divergences_after(3, RESULTS)
        assert self.ratio(0.6, 0.7, 0.1) < self.ratio(0.6, 0.5, 0.4)
        assert cheapest_opponent(divergences, ORDER, 1, 0, 1.0, -math.inf) == 2
        close = divergences_after(3, {**RESULTS, (2, 1): (11, 9)})
        assert self.ratio(0.6, 0.7, 0.45) > self.ratio(0.6, 0.5, 0.4)
        assert cheapest_opponent(close, ORDER, 1, 0, 1.0, -math.inf) == 0

    def test_an_arm_that_no_arm_beats_has_none(self):
        divergences = divergences_after(3, {(0, 1): (6, 4), (0, 2): (5, 5)})
        assert cheapest_opponent(divergences, ORDER, 0, 0, 1.0, -math.inf) == NO_ARM

    def test_negative_regret_counts_as_it_is_unless_there_is_a_floor(self):
        # Arm 0, the likely winner, has lost to 2; so have 1 to 2 and, more clearly, 1 to 0.
        divergences = divergences_after(3, {(0, 1): (7, 3), (0, 2): (2, 8), (2, 1): (6, 4)})
        assert cheapest_opponent(divergences, ORDER, 1, 0, 1.0, -math.inf) == 2  # 0.7 + 0.2 - 1 < 0
        assert cheapest_opponent(divergences, ORDER, 1, 0, 1.0, 0.3) == 0  # 0.3 for both: information decides

    def test_ties_go_to_the_first_arm_in_private_order(self):
        divergences = divergences_after(
            4, {(0, 1): (6, 4), (0, 2): (6, 4), (0, 3): (6, 4), (2, 1): (9, 1), (3, 1): (9, 1)}
        )
        assert cheapest_opponent(divergences, np.array([0, 1, 2, 3]), 1, 0, 1.0, -math.inf) == 2
        assert cheapest_opponent(divergences, np.array([3, 2, 1, 0]), 1, 0, 1.0, -math.inf) == 3


class TestTarget:
    def state(self, algorithm, results, **parameters):
        """A state in which all arms have their turns, in index order, in every pass."""
        state = start(algorithm, 3, order="index", f_scale=1000.0, **parameters)
        for (i, j), (wins, losses) in results.items():
            algorithm.update(state, i, j, wins, losses)
        return state

    def turns(self, algorithm, state, t):
        return [decide(algorithm, state, t + k)[:2] for k in range(3)]

    def results(self, with_winner, with_cheapest):
        """Arm 0 beats 1, just so, and 2; arm 2 beats 1 without exception, so that b(1) = 2; b(2) = 0."""
        wins = with_winner // 2 + 1
        return {(0, 1): (wins, with_winner - wins), (0, 2): (10, 1), (2, 1): (with_cheapest, 0)}

    def test_is_the_cheapest_as_long_as_the_winner_was_met_often_enough(self):
        t = 10_000  # ln ln t = 2.2203...
        assert 222 / log_log(t + 1) < 100 < 223 / log_log(t + 1)
        often = self.state(RMED2, self.results(100, 222), alpha=0.1)
        assert self.turns(RMED2, often, t) == [(0, 0), (1, 2), (2, 0)]
        too_often = self.state(RMED2, self.results(100, 223), alpha=0.1)
        assert self.turns(RMED2, too_often, t) == [(0, 0), (1, 0), (2, 0)]

    def test_the_divisor_is_at_least_one(self):
        # In round 5, ln ln t = 0.48.
        assert self.turns(RMED2, self.state(RMED2, self.results(12, 12), alpha=0.1), 4)[1] == (1, 2)
        assert self.turns(RMED2, self.state(RMED2, self.results(12, 13), alpha=0.1), 4)[1] == (1, 0)

    def test_with_a_fixed_horizon_the_horizon_divides_and_the_cheapest_stays(self):
        # ln ln 10^5 = 2.4434..., so that 30 duels with the winner allow for 73 with the cheapest.
        state = self.state(RMED2FH, self.results(30, 73))
        t = state.first_rounds + 1
        assert self.turns(RMED2FH, state, t) == [(0, 0), (1, 2), (2, 0)]
        assert state.cheapest.tolist() == [NO_ARM, 2, 0]
        RMED2FH.update(state, 2, 1, 1, 0)
        assert self.turns(RMED2FH, state, t + 3)[1] == (1, 0)
        RMED2FH.update(state, 0, 1, 1, 0)
        assert self.turns(RMED2FH, state, t + 6)[1] == (1, 2)
        RMED2FH.update(state, 0, 1, 60, 40)
        RMED2FH.update(state, 1, 2, 75, 0)  # 149 duels are few enough, but arm 1 is ahead of arm 2 now
        assert self.turns(RMED2FH, state, t + 9)[1] == (1, 0)
        assert state.cheapest[1] == 2

    @pytest.mark.parametrize(("floor", "cheapest_of_3"), [({}, 2), ({"floor": 0.01}, 1)])
    def test_with_a_fixed_horizon_the_floor_is_that_of_the_parameter(self, floor, cheapest_of_3):
        # Arm 0 wins although 2 and 3 beat it. Of arm 3: -0.2 / 0.0201 or 0.01 / 0.0201 for 2, 0.1 / 0.368 for 1.
        state = start(RMED2FH, 4, order="index", **floor)
        for (i, j), wins in {(0, 1): 7, (0, 2): 4, (0, 3): 4, (1, 2): 9, (1, 3): 9, (2, 3): 6}.items():
            RMED2FH.update(state, i, j, wins, 10 - wins)
        decide(RMED2FH, state, state.first_rounds + 1)
        assert state.cheapest[3] == cheapest_of_3


class TestDrawsBeforeAPass:
    @pytest.mark.parametrize("alpha", [0.1, 1.0, 3.0, 7.3])
    def test_are_due_in_the_first_round_that_says_so(self, alpha):
        for plays in range(30):
            t = overdue_round(plays, alpha)
            assert t == NEVER or (is_too_rare(plays, alpha, t) and not is_too_rare(plays, alpha, t - 1))
            assert t < NEVER or not is_too_rare(plays, alpha, 10**15)

    def test_take_the_pairs_in_turn_each_until_it_has_enough(self):
        state = start(RMED2, 3, order="index", alpha=2.0)
        for t, pair in enumerate([(0, 1), (0, 2), (1, 2)], 1):
            assert decide(RMED2, state, t) == (*pair, 1)
            RMED2.update(state, *pair, 1, 0)
        # 2 ln ln t exceeds 1 from round 6 on, and 2 from round 16 on (e^e = 15.15...).
        assert overdue_round(1, 2.0) == 6 and overdue_round(2, 2.0) == 16
        assert [decide(RMED2, state, t)[:2] for t in (4, 5, 6)] == [(0, 0), (1, 0), (2, 0)]
        for t, pair in zip((20, 21, 22, 23), [(0, 1), (0, 1), (0, 2), (0, 2)], strict=True):
            assert decide(RMED2, state, t)[:2] == pair
            RMED2.update(state, *pair, 1, 0)
        assert decide(RMED2, state, 24)[:2] == (1, 2)
        RMED2.update(state, 1, 2, 1, 0)
        assert decide(RMED2, state, 25)[:2] == (1, 2)

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


@pytest.mark.parametrize("parameters", [{"alpha": 12.0}, {"floor": 0.01, "alpha": 1.0}], ids=str)
@pytest.mark.parametrize(("algorithm", "oracle"), [(RMED2, LiteralRMED2), (RMED2FH, LiteralRMED2FH)], ids=["any", "fh"])
def test_plays_the_same_duels_as_the_literal_transcription(algorithm, oracle, parameters):
    for P in MATRICES.values():
        assert_same_duels(algorithm, partial(oracle, **parameters), P, 2, 200, **parameters)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("algorithm", "parameters"),
    [
        ("rmed2", {}),
        ("rmed2", {"alpha": 9.0, "f_scale": 0.0}),
        ("rmed2", {"forced": "once", "ratio_sign": -1}),
        ("rmed2fh", {}),
    ],
    ids=["rmed2", "rmed2 with many draws", "rmed2 as published", "rmed2fh"],
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
