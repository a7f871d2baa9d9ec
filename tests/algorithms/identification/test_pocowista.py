"""POCOWISTA and TRA-POCOWISTA: what they know and whom they test, by hand; how often they are wrong."""

import itertools
import math

import numpy as np
import pytest

from duelbench.algorithms.identification.pocowista import (
    POCOWISTA,
    TRA_POCOWISTA,
    is_winner,
    leader,
    learn,
    new_state,
)
from tests.algorithms.identification.games import CERTAIN, stopping_times

CERTAIN_CIRCLE = np.array([[0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]])


def state_with(n_arms, victories, closes=False, seed=0):
    state = new_state(n_arms, np.random.default_rng(seed), 0.01, closes)
    for winner, loser in victories:
        learn(state, winner, loser)
    return state


def closure(n_arms, victories):
    """All victories that follow, by Warshall's algorithm."""
    beats = np.zeros((n_arms, n_arms), bool)
    for winner, loser in victories:
        beats[winner, loser] = True
    for k, i, j in itertools.product(range(n_arms), repeat=3):
        beats[i, j] |= beats[i, k] and beats[k, j]
    return beats


@pytest.mark.parametrize(("algorithm", "pairs"), [(POCOWISTA, 1.0), (TRA_POCOWISTA, 2 * math.log(2))])
@pytest.mark.parametrize("categories", [2, 3])
def test_two_arms_duel_until_the_density_is_low_enough(algorithm, pairs, categories):
    # (n + 1) / 2^n <= .05 / (pairs (categories - 1)): for POCOWISTA 8 and 9 straight wins, 9/256 = .035 and
    # 10/512 = .0195.
    level = 0.05 / pairs / (categories - 1)
    n = next(n for n in itertools.count() if (n + 1) / 2**n <= level)
    assert set(stopping_times(algorithm, [[0.5, 1.0], [0.0, 0.5]], 4, categories=categories)) == {n}


def test_tra_pocowista_tests_each_new_arm_once():
    # .05 / (2 * 4 ln 4) = .0045: 12 straight wins, too; three tests, in whatever order.
    assert set(stopping_times(TRA_POCOWISTA, CERTAIN, 100)) == {36}


def test_an_arm_of_a_certain_circle_is_a_copeland_winner_after_two_verdicts():
    # Two verdicts in a circle of three: a beats b, b beats c. co = (1, 1, 0), po = (2, 1, 1): a.
    # .05 / 3 / 2 = .00833: 11 straight wins.
    assert set(stopping_times(POCOWISTA, CERTAIN_CIRCLE, 20)) == {2 * 11}


def test_of_arms_with_as_many_victories_the_first_in_private_order_leads():
    leaders = set()
    for seed in range(20):
        state = state_with(4, [(0, 1), (1, 2), (3, 1)], seed=seed)  # co = 1, 1, 0, 1
        leaders.add(int(leader(state)))
        assert leader(state) == next(arm for arm in state.order if arm != 2)
    assert leaders == {0, 1, 3}


def test_a_leader_wins_that_no_other_arm_can_pass():
    assert not is_winner(state_with(3, [(0, 1)]), 0)
    assert is_winner(state_with(3, [(0, 1), (0, 2)]), 0)
    assert is_winner(state_with(3, [(0, 1), (1, 2)]), 0)
    assert not is_winner(state_with(4, [(0, 1), (0, 2), (3, 1)]), 0)


def test_what_is_known_is_counted_and_closed():
    rng = np.random.default_rng(6)
    for seed in range(60):
        order = rng.permutation(6)
        state = state_with(6, [], closes=True, seed=seed)
        victories = []
        for i, j in (sorted(rng.permutation(6)[:2].tolist()) for _ in range(8)):
            if not state.beats[order[i], order[j]]:
                victories.append((order[i], order[j]))
                learn(state, *victories[-1])
                assert np.array_equal(state.beats, closure(6, victories))
        assert np.array_equal(state.co, state.beats.sum(axis=1))
        assert np.array_equal(state.po, 5 - state.beats.sum(axis=0))


def test_the_arm_of_largest_po_meets_the_undecided_arm_of_largest_co():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        state = state_with(4, [(0, 1), (1, 2), (2, 3), (1, 3)], seed=seed)  # po = 3, 2, 2, 1; co = 1, 2, 1, 0
        assert [int(x) for x in POCOWISTA.select(state, 1, rng)][:2] == [0, 2]
