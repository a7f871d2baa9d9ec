"""What a table of wins says: scores from intervals, the leader, the pairs that are open."""

import numpy as np
import pytest

from duelbench.errors import InputError
from duelbench.judging import evidence
from duelbench.judging.certainty import NO_WINNER, certainty
from duelbench.judging.evidence import log_tests
from tests.judging.test_evidence import tables


def test_open_pairs_begin_with_those_of_the_leader_least_sure_first_and_are_those_that_may_decide():
    """First: arm 0 leads 5 : 1 and 4 : 2; arm 3 is out, as it has lost to arms 1 and 2 for sure, and 6 : 3 to arm 0."""
    known = certainty([[0, 5, 4, 6], [1, 0, 2, 30], [2, 1, 0, 30], [3, 0, 0, 0]])
    assert known.leader == 0 and known.may_win.tolist() == [True, True, True, False]
    assert known.open_pairs == [(0, 2), (0, 1), (0, 3), (1, 2)]
    known = certainty([[0, 40, 40], [0, 0, 1], [0, 1, 0]], rule="pairs")  # two losers may be even
    assert known.is_decided and known.answer == 0 and known.open_pairs == []
    almost = certainty([[0, 40, 40, 3], [0, 0, 1, 0], [0, 1, 0, 0], [0, 20, 20, 0]], rule="pairs")
    assert almost.open_pairs == [(0, 3)] and almost.may_win.tolist() == [True, False, False, True]


def test_answers_of_six_wins_to_none_and_of_a_circle():
    """Of six wins the interval holds a half; in a circle every arm is out, and someone leads all the same."""
    known = certainty([[0, 6], [0, 0]])
    assert known.answer == 0 and known.borda_low[0] == pytest.approx(0.474, abs=5e-4) and known.borda_high[0] == 1.0
    circle = [[0, 50, 0], [0, 0, 50], [50, 0, 0]]
    assert certainty(circle).answer == NO_WINNER and certainty(circle).leader in (0, 1, 2)
    assert certainty(circle, rule="pairs").answer == 0


def test_scores_are_counted_from_what_is_sure():
    """Arm 0 has beaten arm 1 thirty times, arms 1 and 2 are even, and arms 0 and 2 never met."""
    known = certainty([[0, 30, 0], [0, 0, 5], [0, 5, 0]])
    assert known.copeland.tolist() == [0.5, 0.0, 0.0]
    assert known.copeland_low.tolist() == [0.5, 0.0, 0.0]
    assert known.copeland_high.tolist() == [1.0, 0.5, 1.0]
    assert known.borda.tolist() == [0.75, 0.25, 0.5]
    assert known.borda_low[0] == pytest.approx(known.low[0, 1] / 2)
    assert known.borda_high[0] == pytest.approx((1 + 1) / 2)
    assert known.borda_high[1] == pytest.approx((known.high[1, 0] + known.high[1, 2]) / 2)


@pytest.mark.parametrize("rule", evidence.RULES)
@pytest.mark.parametrize("n_arms", [2, 4])
def test_some_pair_is_open_until_the_rule_has_an_answer_and_none_afterwards(rule, n_arms):
    for wins in tables(n_arms, 12, seed=4):
        known = certainty(wins, rule=rule)
        assert bool(known.open_pairs) != known.is_decided
        assert known.is_decided == (known.e_value >= 20 * (1 - 1e-9)) == (known.answer is not None)


def chance_to_be_named(n_duels, delta):
    """How likely e-condorcet names one of two arms that are exactly even by then: all paths, summed up."""
    going, named = np.zeros(n_duels + 1), 0.0
    going[0] = 1.0
    for n in range(1, n_duels + 1):
        going = (going + np.concatenate([[0.0], going[:-1]])) / 2
        wins = np.zeros((n + 1, 2, 2))
        wins[:, 0, 1] = np.arange(n + 1)
        wins[:, 1, 0] = n - wins[:, 0, 1]
        ends = np.flatnonzero(log_tests(wins).max(axis=-1) >= np.log(1 / delta))
        named += going[ends].sum()
        going[ends] = 0.0
    return named


@pytest.mark.thorough
def test_of_two_even_arms_e_condorcet_names_one_more_often_than_delta_and_within_twice_delta():
    assert 0.05 < chance_to_be_named(1000, 0.05) == pytest.approx(0.071, abs=5e-4)
    assert chance_to_be_named(1000, 0.05) <= 2 * 0.05


def test_the_names_of_the_arms_play_no_part():
    order = np.array([2, 0, 3, 1])
    for wins in tables(4, 3, seed=5):
        known = certainty(wins)
        other = certainty(wins[np.ix_(order, order)])
        for name in ("copeland", "copeland_low", "copeland_high", "borda", "borda_low", "borda_high", "may_win"):
            assert getattr(other, name) == pytest.approx(getattr(known, name)[order])
        assert other.e_value == pytest.approx(known.e_value)


def test_before_an_answer_the_leader_is_ahead_of_most_others_and_then_wins_most():
    """Arm 0 is ahead of both by little; arm 1 has the largest share of wins. Of a circle the largest share leads."""
    assert certainty([[0, 3, 3], [2, 0, 9], [2, 0, 0]]).leader == 0
    assert certainty([[0, 3, 0], [1, 0, 5], [2, 0, 0]]).leader == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"wins": [[0, 1]]}, "K rows"),
        ({"wins": [[0, -1], [0, 0]]}, "0 or more"),
        ({"wins": [[1, 1], [0, 0]]}, "diagonal"),
        ({"first_wins": ("a", 2)}, "whole number"),
        ({"delta": 1.0}, "delta"),
        ({"rule": "borda"}, "e-condorcet or pairs"),
    ],
)
def test_what_has_the_wrong_form_is_refused_by_name(given, said):
    with pytest.raises(InputError, match=said):
        certainty(**{"wins": [[0, 1], [0, 0]], **given})
