"""Transcriptions of Thompson samplers, against cases worked out by hand."""

from collections import Counter
from functools import partial

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from .by_hand import SURE_CIRCLE, choice, make
from .common import upper_bounds
from .d_ts import DTS
from .d_ts_pure import PureDTS


class TestDTS:
    def test_candidates_have_the_most_possible_wins(self):
        oracle = make(DTS, 4, wins={(1, 0): 99, (2, 0): 99, (2, 3): 99})
        assert oracle.candidates(upper_bounds(oracle.W, 10, 0.51)) == [1, 2]

    def test_d_ts_leaves_out_challengers_that_surely_win(self):
        """A sure circle: one vote each, arm 0 by the tie, and arm 1 is the only uncertain one."""
        circle = {(0, 1): 99, (1, 2): 99, (2, 0): 99}
        signs = [("random", 0.4)] * 3
        oracle = make(DTS, 3, *signs, ("integers", 3, 0), ("random", 0.4), wins=circle)
        assert choice(oracle, 10) == (0, 0)

    def test_d_ts_counts_votes_against_all_arms_and_draws_signs_of_candidates_only(self):
        """Candidates 0 and 1 beat 2 and 3 nearly surely: chance 1 - 1 / 2^11. The pair (2, 3) is not drawn.

        Arm 0 is above 1, but unluckily below 2 and 3: votes 1 and 2 make arm 1 the first.
        """
        wins = {(0, 2): 10, (0, 3): 10, (1, 2): 10, (1, 3): 10}
        signs = [("random", x) for x in (0.4, 0.9999, 0.9999, 0.4, 0.4)]
        oracle = make(DTS, 4, *signs, *[("random", 0.9)] * 3, wins=wins)
        assert choice(oracle, 10) == (1, 1)

    def test_d_ts_draws_a_tie_at_random_and_values_for_several_challengers_above_half(self):
        given = []

        def second_is_higher(a, b, rng):
            given.append((a, b))
            return 0.5 + 0.1 * len(given)

        signs = [("random", x) for x in (0.4, 0.6, 0.4)]  # 0 above 1, 2 above 0, 1 above 2: one vote each
        rounds = [*signs, ("integers", 3, 1), ("random", 0.1), ("random", 0.1)]
        oracle = make(DTS, 3, *rounds, wins={(0, 1): 2, (1, 0): 2}, beta_above_half=second_is_higher)
        assert choice(oracle, 10) == (1, 2)
        assert given == [(3, 3), (1, 1)]

    @pytest.mark.parametrize(
        ("second", "values", "expected"),
        [((0.5, 0.9, 0.9), (), (3, 3)), ((0.5, 0.1, 0.1), (0.7, 0.8), (3, 2))],
    )
    def test_d_ts_plus_breaks_a_tie_by_the_regret_of_all_arms(self, second, values, expected):
        """Arm 0, no candidate, has three votes and the candidates 1, 2, 3 one each, so that z* = 1.

        Then r = 2/3 among candidates and 1/3 with arm 0. Arm 3 is farthest from 1/2 with both others: it has
        the least regret. With z* of the candidates alone all three would be equal.
        """
        samples = [0.9, 0.9, 0.9, 0.6, 0.9, 0.8, *values]
        asked = []

        def beta_above_half(a, b, rng):
            asked.append((a, b))
            return samples[len(asked) - 1]

        signs = [("random", x) for x in (0.0001, 0.0001, 0.0001, 0.1, 0.9, 0.1, *second)]
        wins = {(1, 0): 10, (2, 0): 10, (3, 0): 10}
        oracle = make(DTS, 4, *signs, wins=wins, plus=True, beta_above_half=beta_above_half)
        assert choice(oracle, 10) == expected
        assert asked == [(1, 11)] * 3 + [(1, 1)] * (3 + len(values))

    def test_d_ts_plus_needs_no_values_among_arms_of_most_votes_and_then_draws_the_arm(self):
        """One vote each: every r_ij is 0, whatever theta_ij."""
        draws = [*(("random", x) for x in (0.4, 0.6, 0.4)), ("integers", 3, 1), ("random", 0.9), ("random", 0.9)]
        assert choice(make(DTS, 3, *draws, plus=True, beta_above_half=None), 10) == (1, 1)


class TestPureDTS:
    def test_pure_d_ts_keeps_challengers_that_surely_win(self):
        """The sure circle on which D-TS plays (0, 0)."""
        signs = [("random", 0.4)] * 3
        oracle = make(PureDTS, 3, *signs, ("integers", 3, 0), *signs[:2], wins=SURE_CIRCLE)
        assert choice(oracle, 10) == (0, 2)


@pytest.mark.parametrize("make_one", [DTS, partial(DTS, plus=True), PureDTS], ids=["d-ts", "d-ts-plus", "d-ts-pure"])
def test_signs_and_samples_have_the_same_law(make_one):
    counts = []
    for seed, draws in enumerate(["signs", "betas"]):
        oracle = make_one(4, 100, np.random.default_rng(seed), draws=draws)
        oracle.W[:] = [[0, 5, 2, 3], [4, 0, 5, 1], [2, 3, 0, 6], [3, 2, 5, 0]]
        counts.append(Counter(oracle.choose(40) for _ in range(2000)))
    table = [[count[pair] for count in counts] for pair in counts[0] | counts[1]]
    assert chi2_contingency([row for row in table if sum(row) >= 20]).pvalue > 1e-3
