"""Evidence in whole arrays is that of the kernels and of the rules, and ties as half wins keep its promise."""

import itertools
import math

import numpy as np
import pytest

from duelbench.bandits.algorithms.stopping import e_condorcet, pairs
from duelbench.bandits.kernels import sign_evidence, threshold_evidence
from duelbench.bandits.kernels.interpreting import interpreted
from duelbench.judging import evidence

COUNTS = [(0, 0), (0, 1), (1, 0), (5, 3), (2, 8), (10, 300), (300, 10), (50_000, 49_000), (400_000, 500_000)]


def two_arms(wins, losses):
    return np.array([[0.0, wins], [losses, 0.0]])


def tables(n_arms, many, seed=0):
    """Tables of wins of up to some thousand duels, from pairs that were never asked to pairs that are clear."""
    random = np.random.default_rng([n_arms, seed])
    for _ in range(many):
        p = np.triu(random.random((n_arms, n_arms)), 1)
        n = np.triu(random.integers(0, 4, (n_arms, n_arms)) ** 3 * random.integers(1, 40), 1)
        wins = random.binomial(n, p)
        yield wins + (n - wins).T


@pytest.mark.parametrize(("wins", "losses"), COUNTS)
def test_evidence_and_intervals_are_those_of_the_kernels(wins, losses):
    ends = [0.0, 1.0]
    with interpreted(60.0):
        expected = sign_evidence.log_evidence(wins, losses)
        if wins + losses:
            sides = (threshold_evidence.lower_end, threshold_evidence.upper_end)
            ends = [side(wins, losses, math.log(20.0), threshold_evidence.MIXTURE) for side in sides]
    found = evidence.log_sign_evidence(two_arms(wins, losses))[0, 1]
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-7) or (found == -np.inf and expected < -600)
    low, high = evidence.intervals(two_arms(wins, losses), 0.05)
    assert [low[0, 1], high[0, 1]] == pytest.approx(ends, abs=1e-9)
    assert [1 - high[1, 0], 1 - low[1, 0]] == pytest.approx(ends, abs=1e-9)


def test_evidence_of_published_counts():
    """Worked out in exact arithmetic: G I(a, b) for five wins in eight duels, and for two in ten."""
    assert math.exp(evidence.log_sign_evidence(two_arms(5, 3))[0, 1]) == pytest.approx(0.169671, abs=1e-6)
    assert math.exp(evidence.log_sign_evidence(two_arms(2, 8))[0, 1]) == pytest.approx(3.26430, abs=1e-5)


@pytest.mark.parametrize("p", [0.5, 0.6, 0.9])
@pytest.mark.parametrize("tie", [0.0, 0.3])
def test_a_tie_as_half_a_win_of_each_makes_no_evidence_grow(p, tie):
    """P(win) + P(tie) / 2 = p. Whatever the counts, the mean factor of one more duel is at most 1."""
    tie = min(tie, 2 * (1 - p))
    chances = {1.0: p - tie / 2, 0.5: tie, 0.0: 1 - p - tie / 2}
    for wins, losses in [(0, 0), (0.5, 0.5), (3, 7.5), (20, 2), (100.5, 130)]:
        now = two_arms(wins, losses)
        after = {x: two_arms(wins + x, losses + 1 - x) for x in chances}
        two_sided = [q * _ratio(evidence.log_two_sided, after[x], now, p) for x, q in chances.items()]
        against = [q * _ratio(evidence.log_sign_evidence, after[x], now) for x, q in chances.items()]
        assert sum(two_sided) <= 1 + 1e-9 and sum(against) <= 1 + 1e-9
        if tie == 0.0:
            assert sum(two_sided) == pytest.approx(1.0)


def _ratio(log_of, after, now, *more):
    return math.exp(log_of(after, *more)[0, 1] - log_of(now, *more)[0, 1])


@pytest.mark.parametrize("rule", evidence.RULES)
def test_the_e_value_is_one_over_the_error_at_which_the_rule_answers(rule):
    found = 0
    for wins in tables(4, 60, seed=1):
        level = evidence.log_e_value(wins.astype(float), rule)
        if level > 0.0:
            found += 1
            assert evidence.decision(wins.astype(float), math.exp(-level) * (1 + 1e-9), rule)[1]
            assert not evidence.decision(wins.astype(float), math.exp(-level) * (1 - 1e-9), rule)[1]
        else:
            assert not evidence.decision(wins.astype(float), 0.999, rule)[1]
    assert found > 10


@pytest.mark.parametrize("n_arms", [2, 3, 5])
@pytest.mark.parametrize("rule", [e_condorcet, pairs], ids=["e-condorcet", "pairs"])
def test_the_rules_judge_the_same_counts_alike_of_one_table_and_of_many(rule, n_arms):
    name = "pairs" if rule is pairs else "e-condorcet"
    options = ("copeland", 0.0, 1) if rule is pairs else ()
    many = np.array(list(tables(n_arms, 30))).astype(float)
    all_may_win, all_decided = evidence.decision(many, 0.05, name)
    for k, wins in enumerate(many):
        with interpreted(60.0):
            tests = rule.new_tests(n_arms, 0.05, *options)
            for i, j in itertools.combinations(range(n_arms), 2):
                rule.update(tests, i, j, int(wins[i, j]), int(wins[j, i]))
            rule.settle(tests)
        may_win, is_decided = evidence.decision(wins, 0.05, name)
        assert may_win.tolist() == all_may_win[k].tolist() and is_decided == all_decided[k]
        if rule is pairs:
            with interpreted(60.0):
                n_left, answer = pairs.n_left(tests), pairs.answer(tests)
            assert is_decided == (n_left == 0)
            assert may_win[answer] if is_decided else may_win.sum() == n_left
        else:
            with interpreted(60.0):
                logs = [e_condorcet.log_test(tests, i) for i in range(n_arms)]
                expected = e_condorcet.is_decided(tests)
            assert evidence.log_tests(wins) == pytest.approx(logs, rel=1e-9, abs=1e-9)
            assert may_win.tolist() == tests.is_in.tolist() and is_decided == expected
    assert 0 < all_decided.sum() < 30
