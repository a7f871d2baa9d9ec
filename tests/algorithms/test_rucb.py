"""RUCB: what the paper's text says of it, its bounds, and many arms."""

import math

import numpy as np
import pytest

from duelbench.algorithms.rucb import RUCB
from duelbench.kernels.confidence_bounds import (
    MANY,
    NEVER,
    add_duels,
    advance,
    crossing_round,
    list_most_optimistic,
    new_bounds,
    upper_bound,
)
from tests.algorithms.comparing import assert_same_duels
from tests.conformance.literal.rucb import RUCB as Literal


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


@pytest.mark.parametrize("alpha", [0.51, 0.8, 2.0])
def test_crossing_is_the_first_round_in_which_the_bound_reaches_one_half(alpha):
    for plays in range(1, 40):
        for wins in range(plays + 1):
            t = crossing_round(wins, plays, alpha)
            if t == NEVER:
                assert upper_bound(wins, plays, alpha, math.log(1e15), 2.0) < 0.5
                continue
            assert upper_bound(wins, plays, alpha, math.log(t), 2.0) >= 0.5
            assert t == 1 or upper_bound(wins, plays, alpha, math.log(t - 1), 2.0) < 0.5


MANY_ARMS = 0.5 + 0.02 * (np.arange(MANY + 3)[None, :] - np.arange(MANY + 3)[:, None])


def test_many_arms_duel_as_in_the_literal_transcription():
    assert_same_duels(RUCB, Literal, MANY_ARMS, 1, 400)


@pytest.mark.parametrize("n_arms", [2, 5, MANY - 1, MANY, 40])
def test_largest_bounds_are_those_computed_one_by_one(n_arms):
    rng = np.random.default_rng(n_arms)
    for _ in range(30):
        bounds = new_bounds(n_arms, 0.51)
        for _ in range(int(rng.integers(1, 60))):
            i, j = (int(arm) for arm in rng.choice(n_arms, 2, replace=False))
            add_duels(bounds, i, j, int(rng.integers(0, 4)), int(rng.integers(1, 3)))
        c, log_t, unplayed = int(rng.integers(n_arms)), float(rng.uniform(0.7, 9)), float(rng.choice([1.0, 2.0]))
        bounds.barred[:] = rng.random(n_arms) < 0.3
        bounds.barred[c] = True
        wins = bounds.wins
        u = [upper_bound(wins[j, c], wins[j, c] + wins[c, j], 0.51, log_t, unplayed) for j in range(n_arms)]
        for least in (0.0, 0.5, 1.2):
            top = max((u[j] for j in range(n_arms) if not bounds.barred[j]), default=-1.0)
            expected = [j for j in range(n_arms) if not bounds.barred[j] and u[j] == top] if top >= least else []
            count, largest = list_most_optimistic(bounds, c, log_t, unplayed, least)
            assert bounds.tied[:count].tolist() == expected
            assert largest == (top if expected else least)


def test_counts_and_events_after_an_update_are_those_counted_again():
    rng = np.random.default_rng(3)
    bounds = new_bounds(6, 0.51)
    t = 1
    for _ in range(1000):
        advance(bounds, t)
        below = bounds.crossing > t
        assert bounds.n_below.tolist() == below.sum(axis=1).tolist()
        assert bounds.event[0] == np.where(below, bounds.crossing, NEVER).min()
        for _ in range(int(rng.integers(0, 3))):  # none, or several at once
            i, j = sorted(int(arm) for arm in rng.choice(6, 2, replace=False))
            won = int(rng.random() < 0.8)
            add_duels(bounds, i, j, won, 1 - won)
        t += int(rng.choice([1, 1, 10, 1000]))
