"""RUCB: what the paper's text says of it."""

import math

import numpy as np
import pytest

from duelbench.bandits.algorithms.rucb import NO_ARM, RUCB, restart


@pytest.mark.parametrize(("variant", "of_the_champion"), [("icml", 1 / 2), ("arxiv", 1 / 4)])
def test_a_champion_is_drawn_half_of_the_time_and_in_the_first_version_as_often_as_any_candidate(
    variant, of_the_champion
):
    state = RUCB.start(4, 1, None, True, **RUCB.resolve({"variant": variant}))
    state.champion[0] = 2  # before the first duel all four arms are candidates
    rng = np.random.default_rng(20131213)
    draws = 4000
    counts = np.bincount([RUCB.select(state, 1, rng)[0] for _ in range(draws)], minlength=4)
    others = (1 - of_the_champion) / 3
    for arm, p in enumerate((others, others, of_the_champion, others)):
        assert abs(counts[arm] / draws - p) < 5 * math.sqrt(p * (1 - p) / draws)


def test_with_ties_to_the_lowest_index_a_settled_winner_duels_itself():
    state = RUCB.start(3, 10**6, None, True, **RUCB.resolve({"ties": "lowest"}))
    rng = np.random.default_rng(1)
    RUCB.select(state, 1, rng)
    for loser in (0, 1):
        RUCB.update(state, 2, loser, 1000, 0)
    first, second, rounds = RUCB.select(state, 2001, rng)
    assert first == second == 2 and rounds > 1


def test_after_a_restart_there_is_no_champion():
    state = RUCB.start(3, 100, None, True, **RUCB.resolve({}))
    state.champion[0] = 2
    restart(state, None)
    assert state.champion.tolist() == [NO_ARM]
