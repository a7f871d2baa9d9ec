"""Transcriptions of ECW-RMED and CW-RMED, against cases worked out by hand."""

import numpy as np
import pytest

from . import play
from .by_hand import TWO_ARMS, make
from .common import kl_half
from .cw_rmed import CWRMED, constraints, inequalities, optimum, untied
from .ecw_rmed import ECWRMED


class TestECWRMED:
    def test_ecw_rmed_forces_draws_and_then_exploits(self):
        """All duels are won: forced while N < 3 sqrt(ln t), in rounds 1 to 4, 17 = ceil(exp((5/3)^2)) and 55.

        Round 5 draws the pair in the loop, and 5 ln 2 >= ln 5 settles on the winner's self pair.
        """
        oracle = ECWRMED(2, 55, np.random.default_rng(0))
        pairs = play(oracle, TWO_ARMS, 55, np.random.default_rng(1))
        assert [t for t, pair in enumerate(pairs, start=1) if pair == (1, 0)] == [1, 2, 3, 4, 5, 17, 55]
        assert set(pairs) == {(1, 0), (0, 0)}

    def test_ecw_rmed_draws_the_pair_again_when_its_evidence_falls_behind_the_clock(self):
        """Evidence N d(W / N, 1/2) is 0.964, 1.456 and 1.981 after 4, 5 and 6 wins in 5, 6 and 7 duels.

        It is behind ln t after rounds 3, 5 and 8, and the loop after each is the pair, then the self pair.
        """
        oracle = ECWRMED(2, 10, np.random.default_rng(0), alpha=0.0, beta=0.0)
        oracle.W[:] = [[0, 3], [1, 0]]
        pairs = play(oracle, TWO_ARMS, 10, np.random.default_rng(1))
        assert [t for t, pair in enumerate(pairs, start=1) if pair == (1, 0)] == [1, 4, 6, 9]

    @pytest.mark.parametrize(("forced", "eighth"), [("round", (2, 1)), ("loop", (0, 0))])
    def test_forced_rounds_are_no_steps_of_the_loop(self, forced, eighth):
        """With four wins per pair, rounds 5 to 7 draw the three pairs, the last two because 4 < 3 sqrt(ln 6).

        As steps of the loop they end it, and the winner's self pair is next; forced, they leave it waiting.
        """
        answers = ("permutation", 3, [1, 2, 0]), ("permutation", 3, [0, 1, 2])
        oracle = make(ECWRMED, 3, *answers, wins={(0, 1): 4, (0, 2): 4, (1, 2): 4}, forced=forced)
        pairs = []
        for t in range(5, 9):
            pairs.append(oracle.choose(t))
            oracle.observe(t, *pairs[-1], False)
        assert pairs == [(2, 0), (2, 1), (1, 0), eighth]

    def test_of_several_sure_winners_the_first_in_the_order_of_arms_is_played(self):
        answers = ("permutation", 3, [0, 1, 2]), ("permutation", 3, [1, 2, 0])
        circle = {(0, 1): 99, (1, 2): 99, (2, 0): 99}
        oracle = make(ECWRMED, 3, *answers, wins=circle)
        oracle.observe(5, *oracle.choose(5), False)
        assert oracle.LN == [(1, 1)]

    @pytest.mark.parametrize(
        ("wins_of_2", "expected"),
        [((3, 1), [(2, 0), (2, 1), (3, 1), (1, 1)]), ((4, 0), [(1, 0), (2, 0), (3, 2), (2, 2)])],
    )
    def test_of_several_unsure_winners_the_one_of_least_constant_is_explored(self, wins_of_2, expected):
        """Arms 0, 1, 2 beat arm 3, and each other in a circle: i pays (1/3) / d(ph_i3, 1/2), arm 1 the least.

        Arm 1 needs its inferiors 2 and 3, and (2, 0), without which arm 0 would have no loss. When arm 2 pays
        as little, it is the earlier in the order of arms, and needs 0 and 3, and (1, 0).
        """
        circle = {(0, 1): 3, (1, 0): 1, (1, 2): 3, (2, 1): 1, (2, 0): 3, (0, 2): 1}
        wins = circle | {(0, 3): 3, (3, 0): 1, (1, 3): 4, (2, 3): wins_of_2[0], (3, 2): wins_of_2[1]}
        answers = ("permutation", 6, range(6)), ("permutation", 4, [0, 2, 1, 3])
        oracle = make(ECWRMED, 4, *answers, wins=wins, alpha=0.0)
        oracle.LR = [(1, 0)]
        oracle.observe(100, *oracle.choose(100), False)
        assert list(oracle.LC) == expected


def preferences(n_arms, ahead):
    """Matrix with ``ahead`` {(i, j): p_ij}; all other pairs are even."""
    p = np.full((n_arms, n_arms), 0.5)
    for (i, j), probability in ahead.items():
        p[i, j], p[j, i] = probability, 1.0 - probability
    return p


def solution(p, i1, first=()):
    """C* of the winner ``i1`` and {(larger, smaller arm): e > 0}, the pairs ``first`` leading the private order."""
    listed = [(i, j) for i in range(len(p)) for j in range(i)]
    pairs = untied(p, [*first, *(pair for pair in listed if pair not in first)])
    constant, e = optimum(p, i1, pairs, *inequalities(constraints(p, i1), pairs))
    assert (e == e.T).all()
    return constant, {(i, j): e[i, j] for i, j in listed if e[i, j] > 0}


class TestOptimum:
    def test_of_equal_regrets_fewer_draws_are_better(self):
        """Superiors {3, 4}, {0, 5}, {0, 1}, {1, 2, 4}, {1, 2, 5}, {0, 2, 3}, so that 0, 1, 2 win with L = 2.

        With two winners more, arm 0 needs e = 1 for its inferiors 1, 2, 5, for (5, 1) and for (2, 1); of
        arm 5, e_52 + e_53 >= 1, where 52 has r = 1/10 and 53 has 2/10. Of arms 3 and 4 any two superiors
        must have e + e' >= 1, at 1/10, 1/10, 2/10: 1, 1, 0 costs as much as 1/2 for each, but has more draws.
        """
        superiors = [{3, 4}, {0, 5}, {0, 1}, {1, 2, 4}, {1, 2, 5}, {0, 2, 3}]
        p = preferences(6, {(j, i): 0.9 for i, S in enumerate(superiors) for j in S})
        constant, e = solution(p, 0, first=[(4, 3), (5, 4)])
        whole = dict.fromkeys([(1, 0), (2, 0), (5, 0), (5, 1), (2, 1), (5, 2)], 1.0)
        assert e == whole | dict.fromkeys([(3, 1), (3, 2), (4, 3), (4, 1), (4, 2), (5, 4)], 0.5)
        assert constant == pytest.approx(7 / 10 / kl_half(0.9), rel=1e-14)

    @pytest.mark.parametrize(
        ("first", "spared"),
        [([(1, 0), (2, 0)], {(1, 0), (2, 1)}), ([(2, 0), (1, 0)], {(2, 0), (3, 1)}), ([(3, 1)], {(2, 0), (3, 1)})],
    )
    def test_of_equal_regrets_and_draws_the_first_pair_in_the_private_order_is_spared(self, first, spared):
        """Cyclic, but with 0.9 for (0, 3) and 0.6 for (2, 3), which is too dear: e_03 = 1 stands in for it.

        There remain e_01 + e_02 >= 1, e_01 + e_13 >= 1 and e_02 + e_12 >= 1: e_01 = e_12 = x with
        e_02 = e_13 = 1 - x is as good for every x in [0, 1].
        """
        p = preferences(4, {(0, 1): 0.6, (0, 2): 0.6, (0, 3): 0.9, (1, 2): 0.9, (2, 3): 0.6, (3, 1): 0.9})
        constant, e = solution(p, 0, first)
        assert e == dict.fromkeys({(1, 0), (2, 0), (3, 0), (2, 1), (3, 1)} - spared, 1.0)
        by_hand = 1 / 3 / kl_half(0.6) + (1 / 3 + 2 / 3) / kl_half(0.9)
        assert constant == pytest.approx(by_hand, rel=1e-14)


class TestCWRMED:
    @pytest.mark.parametrize(
        ("constants", "best"),
        [
            ((1.0, 1 - 5e-10, 1.0), 2),
            ((1.0, 1 - 2e-9, 1 - 2.5e-9), 0),
            ((1.0, 1 - 5e-10, 1 - 1.2e-9), 1),
            ((0, 0, 0), 2),
        ],
    )
    def test_a_later_winner_must_gain_more_than_a_billionth(self, constants, best):
        oracle = make(CWRMED, 3, ("permutation", 3, range(3)), ("permutation", 3, [2, 0, 1]))
        assert oracle._cheapest({i: (constant, None) for i, constant in zip([2, 0, 1], constants, strict=True)}) == best
