"""The transcription of CW-RMED against cases worked out by hand and a general solver."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from scipy.optimize import linprog

from . import play
from .by_hand import CYCLIC, GAP, TWO_ARMS, make
from .common import empirical, kl_half
from .cw_rmed import CWRMED, constraints, inequalities, least_evidence, lexicographic_minimum, optimum, untied
from .ecw_rmed import ECWRMED, confident, divergences, superior_counts


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


def pairs_of(sets):
    """Each constraint as a sorted list of pairs (larger, smaller arm)."""
    return [sorted((max(pair), min(pair)) for part in parts for pair in part) for parts in sets]


class TestConstraints:
    def test_three_arms_in_a_total_order_have_four(self):
        """L = 0, 1, 2. i2 = 1 has no S without arm 0: I = {1} and I = {1, 2} alone, of l = 0 and 1.

        For i2 = 2, S can be {1}: l = 0 has I = {2} with it, l = 1 has I = {1, 2} without.
        """
        sets = pairs_of(constraints(preferences(3, {(0, 1): 0.9, (0, 2): 0.9, (1, 2): 0.9}), 0))
        assert sets == [[(1, 0)], [(1, 0), (2, 0)], [(2, 0), (2, 1)], [(1, 0), (2, 0)]]

    def test_three_arms_in_a_circle_have_three(self):
        """L = 1, 1, 1, I of arm 0 is {1}. For i2 = 1 that is all; for i2 = 2 also l = 0 with S = {1}."""
        sets = pairs_of(constraints(preferences(3, {(0, 1): 0.9, (1, 2): 0.9, (2, 0): 0.9}), 0))
        assert sets == [[(1, 0)], [(2, 1)], [(1, 0)]]

    def test_an_even_pair_is_in_none(self):
        """L = 0, 0, 2, l = 0: I = {2}, and for i2 = 2 with S = {1}."""
        sets = pairs_of(constraints(preferences(3, {(0, 2): 0.9, (1, 2): 0.9}), 0))
        assert sets == [[(2, 0)], [(2, 0), (2, 1)]]

    def test_cyclic_has_five_for_each_other_arm(self):
        """L = 0, 2, 2, 2. l = 0: {i2} and its other superior; l = 1: {i2, j} twice, {j, k} and that superior;
        l = 2: all three.
        """
        sets = pairs_of(constraints(CYCLIC, 0))
        assert len(sets) == 15
        of_arm_1 = [[(1, 0), (3, 1)], [(1, 0), (2, 0)], [(1, 0), (3, 0)], [(2, 0), (3, 0), (3, 1)]]
        assert sets[:5] == [*of_arm_1, [(1, 0), (2, 0), (3, 0)]]

    def test_without_data_there_is_none_and_every_arm_is_sure(self):
        oracle = make(CWRMED, 2, ("permutation", 1, [0]), ("permutation", 2, [1, 0]), alpha=0.0, beta=0.0)
        oracle.LR = [(0, 0)]
        oracle.observe(1, *oracle.choose(1), None)
        assert oracle.LC == [(1, 1)]


class TestOptimum:
    def test_cyclic_halves_all_six_pairs(self):
        constant, e = solution(CYCLIC, 0)
        assert constant == pytest.approx(3 / 2 * (1 / 3 / kl_half(0.6) + 2 / 3 / kl_half(0.9)), rel=1e-14)
        assert constant == pytest.approx(27.5487, abs=5e-5)
        assert e == {(i, j): 0.5 for i in range(4) for j in range(i)}

    def test_gap_leaves_out_the_almost_equals(self):
        """L = 1, 2, 2, 3, 2; r = 1/8 twice, 2/8 and 3/8 each three times."""
        constant, e = solution(GAP, 0)
        assert constant == pytest.approx(17 / 8 / kl_half(0.8), rel=1e-14)
        assert constant == pytest.approx(11.0249, abs=5e-5)
        assert e == dict.fromkeys([(1, 0), (2, 0), (2, 1), (3, 1), (3, 2), (4, 1), (4, 2), (4, 3)], 1.0)

    @pytest.mark.parametrize(("p02", "p12", "second"), [(0.6, 0.6, (2, 0)), (0.55, 0.95, (2, 1))])
    def test_a_total_order_shows_the_last_arm_beaten_where_it_is_cheapest(self, p02, p12, second):
        """e_01 = 1, and one of e_02 and e_12, at 2/4 and 3/4 per draw."""
        p = preferences(3, {(0, 1): 0.8, (0, 2): p02, (1, 2): p12})
        constant, e = solution(p, 0)
        assert e == {(1, 0): 1.0, second: 1.0}
        by_hand = 1 / 4 / kl_half(0.8) + min(2 / 4 / kl_half(p02), 3 / 4 / kl_half(p12))
        assert constant == pytest.approx(by_hand, rel=1e-14)

    def test_pairs_that_cost_nothing_are_drawn_as_little_as_possible(self):
        """In a circle of three winners all is free; arm 0 needs (1, 0) and (2, 1)."""
        assert solution(preferences(3, {(0, 1): 0.9, (1, 2): 0.7, (2, 0): 0.6}), 0) == (0.0, {(1, 0): 1.0, (2, 1): 1.0})

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

    def test_the_dual_simplex_algorithm_takes_the_first_of_all_corners(self):
        """Each objective, and then each e, leaves the corners that have least of it: with costs of 0 to 3, many.

        A dear winner, as in Cyclic, makes some of the best e fractions.
        """
        rng = np.random.default_rng(8)
        seen: Counter = Counter()
        for p in [CYCLIC, GAP[:4, :4], *random_games([4] * 4, rng)]:
            winner = superior_counts(p).index(min(superior_counts(p)))
            pairs = untied(p, [(i, j) for i in range(4) for j in range(i)])
            rows, limits = inequalities(constraints(p, winner), pairs)
            all_corners = corners(rows, limits)
            for _ in range(40):
                costs = rng.integers([[0], [1]], 4, size=(2, len(pairs)))
                costs[0] += rng.integers(3) * np.array([winner in pair for pair in pairs])
                values, denominator = lexicographic_minimum(costs.astype(object), rows, limits)
                best = all_corners
                for number, value in enumerate([*costs, *np.eye(len(pairs))]):
                    seen["ties", min(number, 2)] += len(best) > 1
                    best = best[best @ value < (best @ value).min() + 1e-9]
                np.testing.assert_allclose([values[2:]], denominator * best, rtol=1e-8)
                seen["fractions"] += any(value % denominator for value in values)
        assert min(seen["fractions"], seen["ties", 1], seen["ties", 2]) >= 10

    def test_its_regret_and_its_draws_are_those_of_a_general_solver(self):
        rng = np.random.default_rng(9)
        for p in random_games([5] * 12 + [6] * 4, rng):
            n_arms, losses, d = len(p), superior_counts(p), divergences(p)
            pairs = untied(p, [(i, j) for i in range(n_arms) for j in range(i)])
            draws = np.array([1 / d[pair] for pair in pairs])
            regret = draws * [losses[i] + losses[j] - 2 * min(losses) for i, j in pairs] / (2 * (n_arms - 1))
            for winner in (i for i in range(n_arms) if losses[i] == min(losses)):
                rows, limits = inequalities(constraints(p, winner), pairs)
                constant, e = optimum(p, winner, pairs, rows, limits)
                e = np.array([e[pair] for pair in pairs])
                assert (rows @ e >= limits - 1e-14).all()
                assert constant == pytest.approx(regret @ e, rel=1e-12)
                least = linprog(regret, A_ub=-rows, b_ub=-limits).fun
                assert constant == pytest.approx(least, rel=1e-7, abs=1e-7)
                enough, allowed = np.vstack([-rows, regret]), [*-limits, least * (1 + 1e-7) + 1e-7]
                assert draws @ e == pytest.approx(linprog(draws, A_ub=enough, b_ub=allowed).fun, rel=1e-4)

    def test_the_dual_simplex_algorithm_takes_the_corner_of_a_triangle(self):
        """x + y >= 1, x + 2 y >= 1, 3 x + y >= 1: 2 x + y is least at (0, 1), x + y at (0, 1) and (1, 0)."""
        rows, limits = np.array([[1, 1], [1, 2], [3, 1]]), np.array([1, 1, 1])
        for objective, expected in (([2, 1], [0, 1]), ([1, 1], [0, 1]), ([1, 2], [1, 0])):
            values, denominator = lexicographic_minimum(np.array([objective], object), rows, limits)
            assert values[1:] == [denominator * x for x in expected]


def random_games(sizes, rng):
    """Matrices where each pair is even one time in ten; arm 0 beats the others in every other one."""
    for number, n_arms in enumerate(sizes):
        p = np.full((n_arms, n_arms), 0.5)
        for i, j in itertools.combinations(range(n_arms), 2):
            ahead = rng.uniform(0.55, 0.95)
            p[i, j] = ahead if rng.random() < 0.5 or (number % 2 and i == 0) else 1.0 - ahead
            if rng.random() < 0.1:
                p[i, j] = 0.5
            p[j, i] = 1.0 - p[i, j]
        yield p


def corners(rows, limits):
    """All corners of rows @ e >= limits: of each choice of n rows that meet in a point, the point if no row fails."""
    both = np.unique(np.column_stack([rows, limits]), axis=0)
    rows, limits = both[:, :-1], both[:, -1]
    chosen = np.array(list(itertools.combinations(range(len(rows)), rows.shape[1])))
    chosen = chosen[np.abs(np.linalg.det(rows[chosen])) > 0.5]
    points = np.linalg.solve(rows[chosen], limits[chosen][..., None])[..., 0]
    return np.unique(points[(points @ rows.T >= limits - 1e-9).all(axis=1)].round(9), axis=0)


class TestCWRMED:
    def test_the_confidence_test_is_that_of_the_transcribed_shortcut_to_the_last_bit(self):
        """Where arms of many losses have little evidence, the least sums are long enough for their order to count."""
        rng = np.random.default_rng(3)
        long = 0
        for p in random_games([5] * 60 + [6] * 180, rng):
            losses = np.array(superior_counts(p))
            upper = np.triu(rng.lognormal(size=p.shape) / 5.0 ** np.maximum.outer(losses, losses), 1)
            G, winner = upper + upper.T, int(losses.argmin())
            sets = constraints(p, winner)
            evidence = least_evidence(sets, G)
            long += evidence in [least_evidence([parts], G) for parts in sets if sum(map(len, parts)) > 2]
            for log_t in (evidence, math.nextafter(evidence, math.inf), math.nextafter(evidence, 0.0)):
                expected = log_t <= evidence
                assert confident(p, G, winner, log_t) == expected
                assert CWRMED(len(p), 100, rng).confident(p, G, winner, log_t) == expected
        assert long >= 50

    def test_without_constraints_any_evidence_is_enough(self):
        assert least_evidence([], np.zeros((3, 3))) == math.inf

    def test_two_arms_are_played_as_by_ecw_rmed(self):
        expected = play(ECWRMED(2, 200, np.random.default_rng(0)), TWO_ARMS, 200, np.random.default_rng(1))
        oracle = CWRMED(2, 200, np.random.default_rng(0))
        assert play(oracle, TWO_ARMS, 200, np.random.default_rng(1)) == expected

    @pytest.mark.parametrize(("t", "cycle_is_short"), [(10**3, False), (10**4, True)])
    def test_cyclic_draws_the_pairs_of_its_losers_too(self, t, cycle_is_short):
        """Ten duels, nine won: short once ln t / 2 > 10 d(0.9) = 3.68, at t = 1576. The others: 10 d(0.6) = 0.2."""
        wins = {(i, j): round(10 * CYCLIC[i, j]) for i in range(4) for j in range(4) if i != j}
        answers = ("permutation", 6, range(6)), ("permutation", 4, range(4))
        oracle = make(CWRMED, 4, *answers, wins=wins, alpha=0.0)
        oracle.LR = [(0, 0)]
        oracle.observe(t, *oracle.choose(t), None)
        cycle = {(2, 1), (3, 1), (3, 2)} if cycle_is_short else set()
        assert set(oracle.LC) == {(1, 0), (2, 0), (3, 0), (0, 0)} | cycle

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
        oracle = make(CWRMED, 4, *answers, wins=wins, alpha=0.0)
        oracle.LR = [(0, 0)]
        oracle.observe(100, *oracle.choose(100), None)
        assert list(oracle.LC) == expected

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

    def test_evidence_and_plans_follow_the_duels(self):
        """What is kept from one round to the next is what a fresh one computes."""
        oracle = CWRMED(4, 400, np.random.default_rng(2), alpha=0.5)
        rng = np.random.default_rng(5)
        solved = 0
        for t in range(1, 401):
            first, second = oracle.choose(t)
            oracle.observe(t, first, second, None if first == second else bool(rng.random() < CYCLIC[first, second]))
            p = empirical(oracle.W)
            for i, evidence in oracle.evidence.items():
                assert evidence == least_evidence(constraints(p, i), (oracle.W + oracle.W.T) * divergences(p))
            for i, (constant, e) in oracle.optima.items():
                pairs = untied(p, oracle.pairs)
                fresh = optimum(p, i, pairs, *inequalities(constraints(p, i), pairs))
                assert constant == fresh[0]
                assert (e == fresh[1]).all()
                solved += 1
        assert solved >= 50
