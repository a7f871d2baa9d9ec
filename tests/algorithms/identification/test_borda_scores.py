"""What samples say of Borda scores, and the two algorithms that look for the arms of the highest ones."""

import math
from functools import partial

import numpy as np
import pytest

import duelbench
from duelbench.algorithms.identification.borda.active_ranking import ACTIVE_RANKING, OUT
from duelbench.algorithms.identification.borda.lucb_borda import LUCB_BORDA
from duelbench.algorithms.identification.borda.scores import log_term, radius
from duelbench.algorithms.identification.borda.secs import SECS
from duelbench.errors import InputError
from tests.algorithms.comparing import assert_same_duels
from tests.algorithms.identification.answers import (
    begin,
    decision,
    play_to_the_answer,
    stopping_times,
)
from tests.algorithms.identification.games import CERTAIN, STEEP
from tests.conformance.literal.identification import active_ranking as literal
from tests.conformance.literal.identification.borda import SECS as LiteralSECS

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
        tau, wrong = stopping_times(algorithm, np.array([[0.5, 1.0], [0.0, 0.5]]), 5)
        assert (tau == 2 * n).all() and wrong == 0

    def test_places_are_those_of_the_k_best(self, algorithm):
        for k, expected in ((1, [0, 1, 1, 1]), (2, [0, 0, 1, 1]), (3, [0, 0, 0, 1])):
            state, _ = play_to_the_answer(algorithm, CERTAIN, k=k)
            places = np.full(4, -1)
            algorithm.rank(state, places)
            assert places.tolist() == expected
            assert algorithm.explored(state) == 0 and algorithm.recommend(state) < k

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


@pytest.mark.parametrize(
    ("algorithm", "oracle", "parameters"),
    [
        (LUCB_BORDA, literal.LUCBBorda, {"k": 2}),
        (SECS, LiteralSECS, {"delta": 0.9, "k": 1, "const": 0.3}),
    ],
    ids=["lucb-borda", "secs"],
)
def test_plays_the_same_duels_as_the_literal_transcription(algorithm, oracle, parameters):
    assert_same_duels(algorithm, partial(oracle, **parameters), STEEP, 1, 1500, **parameters)
