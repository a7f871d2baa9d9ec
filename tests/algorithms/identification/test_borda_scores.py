"""What samples say of Borda scores, and the two algorithms that look for the arms of the highest ones."""

import math

import numpy as np
import pytest

import duelbench
from duelbench.algorithms.identification.borda.active_ranking import ACTIVE_RANKING, OUT
from duelbench.algorithms.identification.borda.lucb_borda import LUCB_BORDA
from duelbench.algorithms.identification.borda.scores import log_term, radius
from duelbench.algorithms.identification.borda.secs import BR, SECS
from duelbench.errors import InputError
from tests.algorithms.identification.games import (
    CERTAIN,
    begin,
    decision,
    play_to_the_answer,
    stopping_times,
)

BOTH = pytest.mark.parametrize("algorithm", [ACTIVE_RANKING, LUCB_BORDA], ids=lambda algorithm: algorithm.id)


def plain_radius(n, n_arms, delta):
    ratio = n_arms / delta
    beta = math.log(ratio) + 0.75 * math.log(math.log(ratio)) + 1.5 * math.log(1 + math.log(n / 2))
    return math.sqrt(beta / (2 * n))


def test_the_radius_is_that_of_the_paper():
    assert round(radius(100, log_term(4, 0.05)), 6) == 0.198465
    for n in (1, 2, 17, 10**6):
        assert math.isclose(radius(n, log_term(7, 0.1)), plain_radius(n, 7, 0.1), rel_tol=1e-12)


@BOTH
class TestBoth:
    def test_two_arms_of_which_one_always_wins_are_told_apart_as_soon_as_radii_allow(self, algorithm):
        # Means 1 and 0: 1 > f alpha(n), f = 4, or 1 - alpha(n) >= alpha(n).
        fits = (lambda a: 4 * a < 1) if algorithm is ACTIVE_RANKING else (lambda a: 1 - a >= a)
        n = next(n for n in range(1, 1000) if fits(plain_radius(n, 2, 0.05)))
        assert set(stopping_times(algorithm, np.array([[0.5, 1.0], [0.0, 0.5]]), 5)) == {2 * n}

    def test_places_are_those_of_the_k_best(self, algorithm):
        for k, expected in ((1, [0, 1, 1, 1]), (2, [0, 0, 1, 1]), (3, [0, 0, 0, 1])):
            state, _ = play_to_the_answer(algorithm, CERTAIN, k=k)
            places = np.full(4, -1)
            algorithm.rank(state, places)
            assert places.tolist() == expected
            assert algorithm.explored(state) == 0 and algorithm.recommend(state) < k

    @pytest.mark.parametrize("k", [4, 9])
    def test_as_many_arms_as_there_are_are_refused(self, algorithm, k):
        with pytest.raises(InputError, match=f"from 1 to 3, got {k}"):
            duelbench.simulate(algorithm, CERTAIN, horizon=10, k=k)

    def test_a_delta_without_confidence_intervals_is_refused(self, algorithm):
        with pytest.raises(InputError, match="too large for its confidence intervals"):
            duelbench.simulate(algorithm, [[0.5, 0.7], [0.3, 0.5]], horizon=10, delta=0.5)
        duelbench.simulate(algorithm, [[0.5, 0.7], [0.3, 0.5]], horizon=10, delta=0.4)


class TestActiveRanking:
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


@pytest.mark.parametrize("algorithm", [BR, SECS], ids=lambda algorithm: algorithm.id)
def test_a_turn_of_secs_ends_when_its_outcomes_are_there(algorithm):
    state, rng = begin(algorithm, 3, seed=4)
    duels = [decision(algorithm, state, rng=rng)]
    while (latest := decision(algorithm, state, rng=rng))[0] != latest[1]:
        duels.append(latest)
    best = int(state.order[0])
    assert latest == (best, best, 1)
    assert decision(algorithm, state, rng=rng) == (best, best, 1)
    for arm, opponent, _ in duels:
        algorithm.update(state, arm, opponent, 0, 1)
    first, second, _ = decision(algorithm, state, rng=rng)
    assert first != second
    assert state.progress[0].turn == 2
