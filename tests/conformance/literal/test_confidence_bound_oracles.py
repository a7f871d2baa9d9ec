"""Transcriptions of algorithms with confidence bounds, against cases worked out by hand."""

from collections import Counter

import numpy as np
import pytest

from . import play
from .by_hand import TWO_ARMS, Script, choice, in_order, make
from .rucb import RUCB
from .scb import SCB
from .sup_klucb import SupKLUCB


class TestRUCB:
    def test_rucb_on_two_arms_settles_until_a_bound_expires(self):
        """After n duels all won the loser's sqrt(alpha ln t / n) is below 1/2 while t < exp(n / 4 alpha).

        These ends are 2.7, 4.3, 7.1 and 11.6 for n = 2, 3, 4 and 5.
        """
        oracle = RUCB(2, 12, np.random.default_rng(0))
        pairs = play(oracle, TWO_ARMS, 12, np.random.default_rng(1))
        duels = [t for t, (first, second) in enumerate(pairs, start=1) if first != second]
        assert duels == [1, 2, 3, 5, 8, 12]
        assert {pairs[t - 1] for t in range(1, 13) if t not in duels} == {(0, 0)}

    def test_rucb_without_candidates_draws_from_all_arms(self):
        oracle = make(RUCB, 3, ("integers", 3, 2), wins={(0, 1): 99, (1, 2): 99, (2, 0): 99})
        assert choice(oracle, 2) == (2, 1)

    def test_rucb_favours_its_champion_by_a_coin_and_draws_from_the_other_candidates(self):
        tails = make(RUCB, 3, ("random", 0.5), ("integers", 2, 0), ("integers", 2, 0))
        tails.B = 1
        assert choice(tails, 1) == (0, 1)
        heads = make(RUCB, 3, ("random", 0.49), ("integers", 2, 1))
        heads.B = 1
        assert choice(heads, 1) == (1, 2)

    def test_rucb_forgets_a_champion_that_is_no_candidate(self):
        oracle = make(RUCB, 3, ("integers", 2, 0), wins={(0, 1): 99})
        oracle.B = 1
        assert choice(oracle, 2) == (0, 2)
        assert oracle.B is None


class TestSCB:
    def test_sweeps_go_on_until_all_pairs_of_the_candidates_are_resolved(self):
        """Arm 0 has met 1, 1 has met 2, 2 has met 1: 0 against 2 is open, and the second sweep asks for it."""
        draws = [in_order(0, 1, 2), *[("integers", 2, k) for k in (0, 1, 1, 1)]]
        oracle = make(SCB, 3, *draws, wins={(0, 1): 99, (1, 2): 99}, reuse_stats=True)
        assert choice(oracle, 1) == (0, 2)

    @pytest.mark.parametrize(
        ("good", "found", "sweeps"),
        [({0, 1}, 1, {0: 27, 1: 27, 2: 14, 3: 14}), ({2}, 2, {0: 14, 1: 14, 2: 14, 3: 14})],
    )
    def test_kl_intervals_drop_arms_and_end_the_search(self, good, found, sweeps):
        """Rewards 1 of good arms, 0 of others, and delta = 0.1. With c = (ln(160 n) + 2 ln ln n) / n, the intervals
        are [exp(-c), 1] and [0, 1 - exp(-c)]: apart when c < ln 2, n = 14 (0.690; 0.733 for 13), and narrower than
        1/3 when c < ln 1.5, n = 27 (0.398; 0.411 for 26).
        """

        class Known(SCB):
            def _reward(self, i):
                calls[i] += 1
                return int(i in good)
                yield

        calls = Counter()
        oracle = Known(4, 100, Script(in_order(3, 1, 0, 2)))
        oracle.delta, oracle.winner = 0.1, {}
        with pytest.raises(StopIteration) as end:
            next(oracle._solve())
        assert end.value.value == found
        assert calls == sweeps


class TestSupKLUCB:
    @pytest.mark.parametrize(("n_arms", "c1", "c2"), [(2, 1.0, 1.5), (4, 0.5, 10.75)])
    def test_the_constants_of_the_paper(self, n_arms, c1, c2):
        oracle = SupKLUCB(n_arms, 1, np.random.default_rng(0))
        assert (oracle.c1, oracle.c2) == (c1, c2)

    @pytest.mark.parametrize(
        ("c1", "c2", "n", "expected"),
        [(0.1, 0.0, 21, (0, 1)), (0.1, 0.0, 26, (2, 2)), (0.0, 0.2, 26, (0, 1)), (0.0, 0.2, 38, (2, 2))],
    )
    def test_the_index_weighs_the_scores_against_the_plays(self, c1, c2, n, expected):
        """Scores 1/2, 1/2, 0: products 1/4 of pairs played very often, with -ln(1 - q) = 0.288, and of (2, 2) 0.

        Played once, it has -ln(1 - q) = 0.1 ln 15 = 0.271, 0.1 ln 20 = 0.300, 0.2 ln(ln 20 + 1) = 0.277 or
        0.2 ln(ln 32 + 1) = 0.299.
        """
        wins = {(0, 1): 10**6, (1, 0): 10**6, (0, 2): 2 * 10**6, (1, 2): 2 * 10**6}
        tie = [("integers", 3, 1)] if expected == (0, 1) else []
        oracle = make(SupKLUCB, 3, in_order(*range(6)), *tie, wins=wins, c1=c1, c2=c2)
        oracle.self_duels = [2 * 10**6, 2 * 10**6, 1]
        assert choice(oracle, n) == expected

    def test_the_floor_forces_pairs_in_the_drawn_order(self):
        """2 sqrt(ln 10) = 3.03: self-duels do not count."""
        draws = in_order(0, 4, 2, 1, 3, 5)  # (1, 2), (0, 2), (0, 1) among the pairs of two arms
        oracle = make(SupKLUCB, 3, draws, wins={(0, 1): 3, (0, 2): 3, (1, 2): 4}, explore_floor=2.0)
        assert choice(oracle, 10) == (0, 2)
