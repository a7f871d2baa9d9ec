"""VDB: its loss estimates by hand, late outcomes, regret."""

import numpy as np
import pytest

from duelbench.bandits.algorithms.vdb import VDB
from tests.bandits.algorithms.comparing import growth

CONDORCET = [[0.5, 0.6, 0.75, 0.8], [0.4, 0.5, 0.7, 0.75], [0.25, 0.3, 0.5, 0.52], [0.2, 0.25, 0.48, 0.5]]


def start(n_arms, **parameters):
    return VDB.start(n_arms, 1, None, True, **VDB.resolve(parameters))


class TestLossEstimates:
    """In round 1 all weights are 1 / K, and eta^2 = 16 is above them: b = 0."""

    def test_reduced_variance_charges_every_arm_a_half_and_the_arm_played_the_rest(self):
        # Round 64: eta^2 = 16 / 64 = 1/4 is below 1/2. Lost: 1/2 + (1 - 1/2) / (1/2) = 3/2; won: 1/2 - 1 = -1/2.
        state = start(2)
        i, j, _ = VDB.select(state, 64, np.random.default_rng(1))
        VDB.update(state, i, j, 0, 1)
        expected = np.full((2, 2), 0.5)
        expected[0, i], expected[1, j] = 1.5, -0.5
        assert state.losses == pytest.approx(expected, abs=1e-12)

    def test_importance_weighting_charges_the_arm_played_only(self):
        state = start(2, estimator="iw")
        i, j, _ = VDB.select(state, 64, np.random.default_rng(1))
        VDB.update(state, i, j, 0, 1)
        expected = np.zeros((2, 2))
        expected[0, i] = 2
        assert state.losses == pytest.approx(expected, abs=1e-12)

    @pytest.mark.parametrize("estimator", ["iw", "rv"])
    def test_late_outcomes_add_up_to_what_single_ones_would(self, estimator):
        # Until they arrive the losses are even and w = 1 / K, so that it does not matter which duel was lost.
        late = start(2, estimator=estimator)
        rng = np.random.default_rng(1)
        pairs = [tuple(VDB.select(late, t, rng)[:2]) for t in range(100, 130)]
        at_once = start(2, estimator=estimator)
        for pair in sorted(set(pairs)):
            duels = pairs.count(pair)
            VDB.update(late, *pair, duels - duels // 3, duels // 3)
            for k in range(duels):
                for player in (0, 1):
                    at_once.inverse[player][pair] = 2
                    at_once.offset[player][pair] = 1 if estimator == "rv" else 0
                    at_once.pending[player] = 0.5 if estimator == "rv" else 0
                VDB.update(at_once, *pair, int(k >= duels // 3), int(k < duels // 3))
        assert late.losses == pytest.approx(at_once.losses, rel=1e-12)


@pytest.mark.thorough
def test_regret_grows_slowly_with_a_condorcet_winner():
    assert growth(VDB, CONDORCET, 30, 10_000) < 1.3
