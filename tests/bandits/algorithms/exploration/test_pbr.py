"""PBR: the sets C and D derived by hand, and facts about certain outcomes."""

import math

import numpy as np
import pytest

import duelbench
from duelbench.bandits.algorithms.exploration.pbr import PBR_COPELAND, is_selected_or_discarded
from tests.conformance.literal.by_hand import duels, make
from tests.conformance.literal.common import bounds_by_radius
from tests.conformance.literal.pbr import PBRCO

CERTAIN_ORDER = np.triu(np.ones((4, 4)), 1) + 0.5 * np.eye(4)


def simulate(P, **options):
    return duelbench.simulate(PBR_COPELAND, P, **options)


def new_state(n_arms):
    return PBR_COPELAND.start(n_arms, 10**4, None, True, **PBR_COPELAND.resolve({}))


def selected_and_discarded(state, tight):
    both = np.array([is_selected_or_discarded(state.certain, i, tight) for i in range(state.marked.size)])
    return tuple(np.flatnonzero(marks).tolist() for marks in both.T)


def sweeps_to_certainty(n_arms, horizon, n_max=None):
    """c(n) < 1/2 exactly when n > 2 ln(2 K^2 n_max / delta), with delta = 1 / T and n_max = T."""
    return math.floor(2 * math.log(2 * n_arms**2 * (n_max or horizon) * horizon)) + 1


class TestWhoIsSurelyBest:
    def test_in_a_certain_order(self):
        # w = 3, 2, 1, 0 and z = 0, 1, 2, 3. Printed: only arm 3 has two arms j with 4 - w_j < z. Tight: arm 0 has
        # three with 3 - z_j < w_0; arms 1, 2 and 3 have one with 3 - w_j < z.
        state = new_state(4)
        for i in range(4):
            for j in range(i + 1, 4):
                PBR_COPELAND.update(state, i, j, 1000, 0)
        assert selected_and_discarded(state, False) == ([], [3])
        assert selected_and_discarded(state, True) == ([0], [1, 2, 3])


class TestTheRace:
    def test_a_pair_is_played_until_both_its_arms_are_selected_or_discarded(self):
        """Arm 1 is discarded: it has lost to 0 and 2, and 0 has two wins. Arm 3 is open, and so are its pairs."""
        oracle = make(PBRCO, 4, wins={(0, 1): 99, (0, 2): 99, (2, 1): 99}, rule="tight")
        assert duels(oracle, CERTAIN_ORDER, 9)[6:] == [(0, 3), (1, 3), (2, 3)]
        assert oracle.selected_or_discarded(bounds_by_radius(oracle.W, oracle.radius)) == {1}

    @pytest.mark.parametrize("rule", ["paper", "tight"])
    @pytest.mark.parametrize("horizon", [10**4, 10**9])
    def test_certain_outcomes_are_decided_in_one_sweep(self, horizon, rule):
        n = sweeps_to_certainty(4, horizon)
        trace = simulate(CERTAIN_ORDER, horizon=horizon, rule=rule)
        assert trace.duels.tolist() == [[horizon - 6 * n, n, n, n], [0, 0, n, n], [0, 0, 0, n], [0, 0, 0, 0]]

    def test_it_ends_when_a_pair_has_dueled_more_than_n_max_times(self):
        trace = simulate(np.full((3, 3), 0.5), horizon=10**4, n_max=10)
        assert np.trace(trace.duels) == 10**4 - 3 * 11
        assert sweeps_to_certainty(4, 10**6, 10**3) < sweeps_to_certainty(4, 10**6)
        few = simulate(CERTAIN_ORDER, horizon=10**6, n_max=10**3)
        assert few.duels[0, 1] == sweeps_to_certainty(4, 10**6, 10**3)
