"""What a table of wins says: chances by enumeration, scores from intervals, the pairs that are open."""

import itertools
import re

import numpy as np
import pytest
from scipy.special import betainc

from duelbench.errors import InputError
from duelbench.live import evidence
from duelbench.live.certainty import DRAWS, NO_WINNER, certainty
from duelbench.live.evidence import log_tests
from tests.live.test_evidence import tables


def enumerated(wins):
    """Chances to win, summed over all tournaments one by one."""
    n_arms = len(wins)
    pairs = list(itertools.combinations(range(n_arms), 2))
    beats = [float(betainc(wins[j][i] + 1, wins[i][j] + 1, 0.5)) for i, j in pairs]
    chance = np.zeros(n_arms)
    for signs in itertools.product((0, 1), repeat=len(pairs)):
        weight, score = 1.0, [0] * n_arms
        for (i, j), sign, q in zip(pairs, signs, beats, strict=True):
            weight *= q if sign else 1 - q
            score[i if sign else j] += 1
        chance += weight * np.array([score[arm] == max(score) for arm in range(n_arms)])
    return chance


def test_chances_are_those_of_all_tournaments():
    for wins in tables(4, 5, seed=2):
        expected = enumerated(wins.tolist())
        error = np.sqrt(expected * (1 - expected) / DRAWS)
        assert (np.abs(certainty(wins).chance_to_win - expected) <= 4 * error + 1e-12).all()


def test_open_pairs_begin_with_those_of_the_leader_least_sure_first():
    """Arm 0 leads 5 : 1 and 4 : 2; arm 3 is out, as it has lost to arms 1 and 2 for sure, and 6 : 3 to arm 0."""
    known = certainty([[0, 5, 4, 6], [1, 0, 2, 30], [2, 1, 0, 30], [3, 0, 0, 0]])
    assert known.leader == 0 and known.may_win.tolist() == [True, True, True, False]
    assert known.open_pairs == [(0, 2), (0, 1), (0, 3), (1, 2)]


@pytest.mark.parametrize("rule", evidence.RULES)
def test_to_ask_for_the_first_open_pair_leads_to_the_right_answer(rule):
    """Four arms in order, each beaten by 0.7 of the duels, three at a time: some hundred are enough."""
    random = np.random.default_rng(13)
    wins = np.zeros((4, 4))
    while (known := certainty(wins, rule=rule)).open_pairs:
        i, j = known.open_pairs[0]
        won = random.binomial(3, 0.7)
        wins[i, j] += won
        wins[j, i] += 3 - won
        assert known.n_duels < 1000
    assert known.answer == 0


def test_before_any_duel_nothing_is_known():
    known = certainty(np.zeros((3, 3)))
    assert (known.copeland_low == 0).all() and (known.copeland_high == 1).all()
    assert (known.borda_low == 0).all() and (known.borda_high == 1).all()
    assert (known.borda == 0.5).all() and known.n_duels == 0
    assert sorted(known.open_pairs) == [(0, 1), (0, 2), (1, 2)]
    assert not known.is_decided and known.answer is None and known.confidence == 0.0
    assert known.chance_to_win == pytest.approx(
        np.full(3, 0.5), abs=0.02
    )  # of 8 tournaments 2 are circles, in which all win


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


def test_a_pair_that_cannot_decide_is_not_open():
    """Arms 1 and 2 have both lost to arm 0 for sure: that they are even is of no interest."""
    known = certainty([[0, 40, 40], [0, 0, 1], [0, 1, 0]], rule="pairs")
    assert known.is_decided and known.answer == 0 and known.open_pairs == []
    almost = certainty([[0, 40, 40, 3], [0, 0, 1, 0], [0, 1, 0, 0], [0, 20, 20, 0]], rule="pairs")
    assert almost.open_pairs == [(0, 3)] and almost.may_win.tolist() == [True, False, False, True]


@pytest.mark.parametrize("rule", evidence.RULES)
@pytest.mark.parametrize("n_arms", [2, 3, 4, 7])
def test_some_pair_is_open_until_the_rule_has_an_answer_and_none_afterwards(rule, n_arms):
    for wins in tables(n_arms, 12, seed=4):
        known = certainty(wins, rule=rule)
        assert bool(known.open_pairs) != known.is_decided
        assert known.is_decided == (known.e_value >= 20 * (1 - 1e-9)) == (known.answer is not None)


def test_the_leader_is_the_answer_also_where_the_chances_say_otherwise():
    """A circle, surely: every arm is out, so that there is no Condorcet winner, and someone leads all the same."""
    circle = certainty([[0, 50, 0], [0, 0, 50], [50, 0, 0]])
    assert circle.answer == NO_WINNER and circle.leader in (0, 1, 2) and circle.open_pairs == []
    assert certainty([[0, 50, 0], [0, 0, 50], [50, 0, 0]], rule="pairs").answer == 0


def test_the_names_of_the_arms_play_no_part():
    order = np.array([2, 0, 3, 1])
    for wins in tables(4, 5, seed=5):
        known, other = certainty(wins), certainty(wins[np.ix_(order, order)])
        for name in ("copeland", "copeland_low", "copeland_high", "borda", "borda_low", "borda_high", "may_win"):
            assert getattr(other, name) == pytest.approx(getattr(known, name)[order])
        assert other.chance_to_win == pytest.approx(known.chance_to_win[order], abs=0.03)
        assert other.e_value == pytest.approx(known.e_value)


def test_the_same_seed_gives_the_same_chances_and_another_one_others():
    wins = [[0, 3, 1], [2, 0, 4], [1, 1, 0]]
    first, again, other = certainty(wins, seed=1), certainty(wins, seed=1), certainty(wins, seed=2)
    assert (first.chance_to_win == again.chance_to_win).all() and first.open_pairs == again.open_pairs
    assert (first.chance_to_win != other.chance_to_win).any()


def test_two_ties_count_as_a_win_and_a_loss():
    ties, both = certainty([[0, 0.5 * 20], [0.5 * 20, 0]]), certainty([[0, 10], [10, 0]])
    assert ties.e_value == both.e_value and ties.n_duels == both.n_duels == 20


def test_a_table_is_left_as_it_was():
    wins = np.array([[0.0, 3.0], [1.0, 0.0]])
    certainty(wins)
    assert wins.tolist() == [[0, 3], [1, 0]]


@pytest.mark.parametrize(
    ("wins", "words"),
    [
        ([[0, 1]], "K rows and K columns"),
        ([[0]], "K >= 2"),
        ([[0, -1], [0, 0]], "numbers from 0"),
        ([[0, float("nan")], [0, 0]], "numbers from 0"),
        ([[1, 1], [0, 0]], "diagonal"),
        ([[0, "x"], [0, 0]], "numbers"),
        ([[0, 1], [0]], "numbers"),
    ],
)
def test_what_is_no_table_of_wins_is_refused(wins, words):
    with pytest.raises(InputError, match=words):
        certainty(wins)


def test_an_error_beyond_0_and_1_and_an_unknown_rule_are_refused():
    for delta in (0.0, 1.0, -1.0, float("nan")):
        with pytest.raises(InputError, match="delta"):
            certainty([[0, 1], [0, 0]], delta=delta)
    with pytest.raises(InputError, match="e-condorcet or pairs"):
        certainty([[0, 1], [0, 0]], rule="borda")


def test_the_chances_are_right_for_matrices_drawn_from_their_belief():
    """All probabilities equally likely, 12 duels a pair: what was promised all arms together happens as often."""
    random = np.random.default_rng(12)
    promised, happened, variance = np.zeros(2), np.zeros(2), np.zeros(2)
    for _ in range(300):
        p = np.triu(random.random((4, 4)), 1)
        wins = np.triu(random.binomial(12, p), 1)
        chance = certainty(wins + np.triu(12 - wins, 1).T).chance_to_win
        beaten = (p > 0.5).sum(axis=1) + (np.triu(1 - p, 1).T > 0.5).sum(axis=1)
        is_winner = beaten == beaten.max()
        for half, some in enumerate((chance < 0.5, chance >= 0.5)):
            promised[half] += chance[some].sum()
            happened[half] += is_winner[some].sum()
            variance[half] += (chance[some] * (1 - chance[some])).sum()
    assert (np.abs(promised - happened) <= 4 * np.sqrt(variance)).all()
    assert (promised > 50).all()


def test_an_arm_is_surely_beaten_exactly_where_the_interval_is_above_a_half():
    for wins in tables(4, 30, seed=6):
        low, high = evidence.intervals(wins.astype(float), 0.05)
        assert (evidence.surely_beats(wins.astype(float), 0.05) == (low > 0.5)).all()
        assert (low <= high).all() and (low + high.T == 1).all()


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


def test_of_two_even_arms_e_condorcet_names_one_more_often_than_delta_and_within_twice_delta():
    assert 0.05 < chance_to_be_named(1000, 0.05) == pytest.approx(0.071, abs=5e-4)
    assert chance_to_be_named(1000, 0.05) <= 2 * 0.05


def test_six_wins_to_none_are_an_answer_and_an_interval_that_holds_a_half():
    known = certainty([[0, 6], [0, 0]])
    assert known.is_decided and known.answer == 0
    assert known.borda_low[0] == pytest.approx(0.474, abs=5e-4) and known.borda_high[0] == 1.0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"first_wins": (1,)}, "first_wins must be two numbers"),
        ({"first_wins": 3}, "first_wins must be two numbers"),
        ({"first_wins": ("a", 2)}, "a number of duels must be a whole number from 0"),
        ({"delta": "0.05"}, "must be between 0 and 1, not '0.05'"),
        ({"delta": None}, "must be between 0 and 1, not None"),
        ({"seed": -1}, "seed must be a whole number from 0"),
        ({"seed": "x"}, "seed must be a whole number from 0"),
    ],
)
def test_what_has_the_wrong_form_is_refused_by_name(given, said):
    with pytest.raises(InputError, match=re.escape(said)):
        certainty([[0, 1], [0, 0]], **given)
