"""What samples say of Borda scores, and the two algorithms that look for the arms of the highest ones."""

import math

import numpy as np
import pytest
from scipy import stats

import duelbench
from duelbench.algorithms.contract import NEVER
from duelbench.algorithms.identification.borda.active_ranking import ACTIVE, ACTIVE_RANKING, IN, OUT
from duelbench.algorithms.identification.borda.lucb_borda import LUCB_BORDA
from duelbench.algorithms.identification.borda.scores import draw_opponent, log_term, radius
from duelbench.errors import InputError
from tests.algorithms.identification.answers import (
    CYCLIC,
    assert_labels_change_no_law_of_tau,
    assert_no_more_wrong_answers_than,
    begin,
    decision,
    play_to_the_answer,
    stopping_times,
)

CERTAIN = np.triu(np.ones((4, 4)), 1) + 0.5 * np.eye(4)
BOTH = pytest.mark.parametrize("algorithm", [ACTIVE_RANKING, LUCB_BORDA], ids=lambda algorithm: algorithm.id)


def plain_radius(n, n_arms, delta):
    ratio = n_arms / delta
    beta = math.log(ratio) + 0.75 * math.log(math.log(ratio)) + 1.5 * math.log(1 + math.log(n / 2))
    return math.sqrt(beta / (2 * n))


def test_the_radius_is_that_of_the_paper():
    assert round(radius(100, log_term(4, 0.05)), 6) == 0.198465
    for n in (1, 2, 17, 10**6):
        assert math.isclose(radius(n, log_term(7, 0.1)), plain_radius(n, 7, 0.1), rel_tol=1e-12)


def test_opponents_are_uniform_among_all_other_arms():
    rng = np.random.default_rng(1)
    for arm in range(4):
        counts = np.bincount([draw_opponent(arm, 4, rng) for _ in range(1000)], minlength=4)
        assert counts[arm] == 0
        assert stats.chisquare(np.delete(counts, arm)).pvalue > 1e-4


@BOTH
class TestBoth:
    def test_two_arms_of_which_one_always_wins_are_told_apart_as_soon_as_radii_allow(self, algorithm):
        # Means 1 and 0: 1 > f alpha(n), f = 4, or 1 - alpha(n) >= alpha(n).
        fits = (lambda a: 4 * a < 1) if algorithm is ACTIVE_RANKING else (lambda a: 1 - a >= a)
        n = next(n for n in range(1, 1000) if fits(plain_radius(n, 2, 0.05)))
        tau, wrong = stopping_times(algorithm, np.array([[0.5, 1.0], [0.0, 0.5]]), 5)
        assert (tau == 2 * n).all() and wrong == 0

    def test_places_are_those_of_the_k_best(self, algorithm):
        for k, expected in ((1, [0, 1, 1, 1]), (2, [0, 0, 1, 1]), (3, [0, 0, 0, 1])):
            state, _ = play_to_the_answer(algorithm, CERTAIN, k=k)
            places = np.full(4, -1)
            algorithm.rank(state, places)
            assert places.tolist() == expected
            assert algorithm.explored(state) == 0 and algorithm.recommend(state) < k

    def test_before_the_answer_the_best_means_have_the_first_places(self, algorithm):
        state, _ = begin(algorithm, 4, k=2)
        for arm, wins in enumerate((3, 9, 1, 6)):
            algorithm.update(state, arm, (arm + 1) % 4, wins, 10 - wins)
        places = np.full(4, -1)
        algorithm.rank(state, places)
        assert places.tolist() == [1, 0, 1, 0]
        assert algorithm.recommend(state) == 1

    def test_only_the_first_arm_has_a_sample(self, algorithm):
        state, _ = begin(algorithm, 3)
        algorithm.update(state, 2, 0, 5, 3)
        assert state.scores.wins.tolist() == [0, 0, 5]
        assert state.scores.samples.tolist() == [0, 0, 8]

    @pytest.mark.parametrize("k", [4, 9])
    def test_as_many_arms_as_there_are_are_refused(self, algorithm, k):
        with pytest.raises(InputError, match=f"from 1 to 3, got {k}"):
            duelbench.simulate(algorithm, CERTAIN, horizon=10, k=k)

    def test_a_delta_without_confidence_intervals_is_refused(self, algorithm):
        with pytest.raises(InputError, match="too large for its confidence intervals"):
            duelbench.simulate(algorithm, [[0.5, 0.7], [0.3, 0.5]], horizon=10, delta=0.5)
        duelbench.simulate(algorithm, [[0.5, 0.7], [0.3, 0.5]], horizon=10, delta=0.4)

    @pytest.mark.parametrize("delay", [1, 7])
    def test_answers_are_wrong_no_more_often_than_delta(self, algorithm, delay):
        options = {"factor": 2.0} if algorithm is ACTIVE_RANKING else {}
        _, wrong = stopping_times(algorithm, CYCLIC, 100, delta=0.2, seed=5, feedback_delay=delay, **options)
        assert_no_more_wrong_answers_than(0.2, wrong, 100)

    def test_labels_change_no_law_of_tau(self, algorithm):
        assert_labels_change_no_law_of_tau(algorithm, CYCLIC, 200)


class TestActiveRanking:
    def test_every_active_arm_has_a_sample_in_each_sweep_and_no_other(self):
        state, rng = begin(ACTIVE_RANKING, 5)
        state.side[state.scores.order[2]] = OUT
        state.ranked[:4] = np.delete(state.scores.order, 2)
        state.progress[0].n_active = 4
        active = np.delete(state.scores.order, 2).tolist()
        assert [decision(ACTIVE_RANKING, state, rng=rng)[0] for _ in range(12)] == active * 3

    def test_arms_are_judged_together_as_the_rule_says(self):
        rng = np.random.default_rng(3)
        seen = set()
        for _ in range(300):
            n_arms = int(rng.integers(2, 9))
            k = int(rng.integers(1, n_arms))
            factor = float(rng.uniform(2, 6))
            n = int(rng.integers(20, 3000))
            wins = rng.binomial(n, rng.choice([0.2, 0.3, 0.5, 0.55, 0.8], n_arms))
            state, _ = begin(ACTIVE_RANKING, n_arms, seed=int(rng.integers(1000)), k=k, factor=factor)
            for arm in range(n_arms):
                ACTIVE_RANKING.update(state, arm, 0, wins[arm], n - wins[arm])
            state.progress[0].turn = n_arms
            decision(ACTIVE_RANKING, state)
            expected = judged(wins / n, k, factor * plain_radius(n, n_arms, 0.05))
            assert state.side.tolist() == expected
            assert ACTIVE_RANKING.explored(state) == expected.count(ACTIVE)
            seen |= {(side, ACTIVE in expected) for side in expected}
        assert seen == {(IN, False), (OUT, False), (IN, True), (OUT, True), (ACTIVE, True)}

    def test_late_outcomes_are_judged_by_the_fewest_samples(self):
        for fewest, active in ((2, 2), (1000, 0)):
            state, _ = begin(ACTIVE_RANKING, 2)
            ACTIVE_RANKING.update(state, 0, 1, 1000, 0)
            ACTIVE_RANKING.update(state, 1, 0, 0, fewest)
            state.progress[0].turn = 2
            decision(ACTIVE_RANKING, state)
            assert ACTIVE_RANKING.explored(state) == active

    def test_an_arm_that_is_out_is_not_recommended_though_its_score_be_higher(self):
        state, _ = begin(ACTIVE_RANKING, 3)
        for arm, wins in enumerate((600, 500, 900)):
            ACTIVE_RANKING.update(state, arm, 0, wins, 1000 - wins)
        state.side[2] = OUT
        assert ACTIVE_RANKING.recommend(state) == 0


def judged(scores, k, width):
    """Sides by the rule, line by line."""
    best_first = sorted(scores, reverse=True)
    sides = [IN if s > best_first[k] + width else OUT if s < best_first[k - 1] - width else ACTIVE for s in scores]
    if sides.count(IN) == k:
        return [side if side == IN else OUT for side in sides]
    if sides.count(OUT) == len(scores) - k:
        return [side if side == OUT else IN for side in sides]
    return sides


class TestLUCB:
    def test_every_arm_has_one_sample_before_any_has_two(self):
        state, rng = begin(LUCB_BORDA, 5)
        assert [decision(LUCB_BORDA, state, rng=rng)[0] for _ in range(5)] == state.scores.order.tolist()

    def test_the_arms_at_the_border_are_sampled_or_told_apart(self):
        rng = np.random.default_rng(4)
        n_over = 0
        for _ in range(300):
            n_arms = int(rng.integers(2, 9))
            k = int(rng.integers(1, n_arms))
            n = rng.integers(10, 3000, n_arms)
            wins = rng.binomial(n, rng.choice([0.2, 0.5, 0.55, 0.8], n_arms))
            state, own = begin(LUCB_BORDA, n_arms, seed=int(rng.integers(1000)), k=k)
            for _ in range(n_arms):
                decision(LUCB_BORDA, state, rng=own)
            for arm in range(n_arms):
                LUCB_BORDA.update(state, arm, 0, wins[arm], n[arm] - wins[arm])
            place = state.scores.place
            s, a = wins / n, [plain_radius(m, n_arms, 0.05) for m in n]
            ranked = sorted(range(n_arms), key=lambda i: (-s[i], place[i]))
            c = min(ranked[:k], key=lambda i: (s[i] - a[i], place[i]))
            u = max(ranked[k:], key=lambda i: (s[i] + a[i], -place[i]))
            played = [decision(LUCB_BORDA, state, rng=own) for _ in range(2)]
            if s[c] - a[c] >= s[u] + a[u]:
                n_over += 1
                assert played == [(ranked[0], ranked[0], NEVER)] * 2
            else:
                assert [first for first, _, _ in played] == [c, u]
                assert all(second != first for first, second, _ in played)
        assert 30 < n_over < 270
