"""Sup-KLUCB by Borda scores in exact arithmetic, how its regret grows, and what locks it."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from duelbench.bandits.algorithms.sup_klucb import SUP_KLUCB
from tests.bandits.algorithms.comparing import assert_same_duels, growth, regrets
from tests.bandits.algorithms.odd_matrices import MATRICES
from tests.conformance.literal import sup_klucb as literal

CYCLIC = np.array(MATRICES["cyclic"])
LOSES_A_DUEL = np.array(MATRICES["one winner that loses a duel"])


class ExactBorda(literal.SupKLUCB):
    """The transcription with fractions for scores, so that equal ones are equal."""

    def scores(self):
        wins = self.W.tolist()
        return [sum(self.chance(wins[i][j], wins[j][i]) for j in range(self.K)) / self.K for i in range(self.K)]

    def chance(self, won, lost):
        return Fraction(won, won + lost) if won + lost else Fraction(1, 2)


def test_borda_plays_the_same_duels_as_the_literal_transcription_in_exact_arithmetic(monkeypatch):
    depth = literal.kl_upper_depth
    monkeypatch.setattr(literal, "kl_upper_depth", lambda mean, level: depth(float(mean), level))
    assert_same_duels(SUP_KLUCB, partial(ExactBorda, score="borda"), CYCLIC, 2, 200, score="borda")


@pytest.mark.thorough
def test_regret_is_logarithmic_where_no_score_can_be_one():
    assert 1.0 < growth(SUP_KLUCB, LOSES_A_DUEL, 20, 200_000, score="borda", regret="borda") < 1.15


@pytest.mark.thorough
def test_as_published_a_share_of_the_runs_locks_on_a_wrong_arm():
    runs = regrets(SUP_KLUCB, CYCLIC, 200, 40_000, [20_000])
    locked = runs[:, 1] > 1.99 * runs[:, 0]
    assert 0.1 < locked.mean() < 0.9
    assert runs[:, 1].mean() / runs[:, 0].mean() > 1.9
    assert np.all(runs[~locked, 1] < 1.2 * runs[~locked, 0])
