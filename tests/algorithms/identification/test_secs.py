"""BR and SECS: both conditions against the formulas line by line, and that looking seldom changes nothing."""

import numpy as np
import pytest

from duelbench.algorithms.contract import NEVER
from duelbench.algorithms.identification.borda.secs import BR, SECS, score_radius, sparse_radius
from tests.algorithms.identification.answers import (
    CYCLIC,
    assert_labels_change_no_law_of_tau,
    assert_no_more_wrong_answers_than,
    begin,
    decision,
    play_to_the_answer,
    stopping_times,
)

BOTH = pytest.mark.parametrize("algorithm", [BR, SECS], ids=lambda algorithm: algorithm.id)

SPARSE = np.array(
    [
        [0.5, 0.5, 0.5, 0.5, 0.5, 0.95],
        [0.5, 0.5, 0.5, 0.5, 0.5, 0.45],
        [0.5, 0.5, 0.5, 0.5, 0.5, 0.4],
        [0.5, 0.5, 0.5, 0.5, 0.5, 0.4],
        [0.5, 0.5, 0.5, 0.5, 0.5, 0.4],
        [0.05, 0.55, 0.6, 0.6, 0.6, 0.5],
    ]
)
"""The arms differ against one opponent only."""


def test_the_radii_are_those_of_the_paper():
    assert round(sparse_radius(100, 4, 0.05), 5) == 1.58060
    assert round(score_radius(100, 4, 0.05), 6) == 0.729777


@BOTH
class TestBoth:
    def test_in_a_turn_every_active_arm_duels_the_opponent(self, algorithm):
        state, rng = begin(algorithm, 5)
        state.is_active[state.order[1]] = False
        state.progress[0].n_active = 4
        opponents = set()
        for _ in range(40):
            expected = None
            while expected != []:
                arm, opponent, rounds = decision(algorithm, state, rng=rng)
                if expected is None:
                    expected = [int(a) for a in state.order if state.is_active[a] and a != opponent]
                assert (arm, rounds) == (expected.pop(0), 1)
                algorithm.update(state, arm, opponent, 1, 0)
            opponents.add(opponent)
        assert opponents == set(range(5))

    def test_a_turn_ends_when_its_outcomes_are_there(self, algorithm):
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

    def test_answers_are_wrong_no_more_often_than_delta(self, algorithm):
        _, wrong = stopping_times(algorithm, CYCLIC, 100, delta=0.2, seed=5)
        assert_no_more_wrong_answers_than(0.2, wrong, 100)

    def test_labels_change_no_law_of_tau(self, algorithm):
        assert_labels_change_no_law_of_tau(algorithm, CYCLIC, 200)

    def test_the_arm_that_is_left_is_the_answer(self, algorithm):
        state, _ = play_to_the_answer(algorithm, np.array([[0.5, 1.0], [0.0, 0.5]]))
        assert decision(algorithm, state) == (0, 0, NEVER)
        assert algorithm.recommend(state) == 0 and algorithm.explored(state) == 0


def who_leaves(state, t, k, no_sooner, const, delta):
    """Both conditions as they are printed: which arms leave by each of them."""
    Z, active, place = state.Z, np.flatnonzero(state.is_active), np.argsort(state.order)
    n_arms = len(Z)
    s = n_arms / (n_arms - 1) * Z.sum(axis=1) / t
    ph = n_arms / t * Z
    by_score, by_sparsity = set(), set()
    L = np.log(4 * n_arms**2 * t**2 / delta)
    C = np.sqrt(2 * n_arms * L / t) + 2 * n_arms * L / (3 * t)
    for j in active:
        for i in active:
            if i == j:
                continue
            if s[i] > s[j] + n_arms / (n_arms - 1) * np.sqrt(2 * np.log(4 * n_arms * t**2 / delta) / t):
                by_score.add(int(j))
            others = [o for o in range(n_arms) if o not in (i, j)]
            chosen = sorted(others, key=lambda o: (-abs(Z[i, o] - Z[j, o]), place[o]))[:k]
            gain = 2 * (ph[i, j] - 0.5) + sum(ph[i, o] - ph[j, o] for o in chosen)
            if t > no_sooner and gain > const * (k + 1) * C:
                by_sparsity.add(int(j))
    return by_score, by_sparsity


def state_with(Z, t, seed, **parameters):
    state, rng = begin(SECS, len(Z), seed=seed, **parameters)
    state.Z[:] = Z
    state.won[:] = Z.sum(axis=1)
    state.progress[0].turn = t
    return state, rng


def test_arms_leave_by_the_conditions_as_they_are_printed():
    rng = np.random.default_rng(7)
    seen = set()
    for _ in range(400):
        n_arms = int(rng.integers(2, 8))
        k = min(int(rng.integers(0, 4)), n_arms - 2)
        t = int(rng.integers(50, 4000))
        no_sooner = int(rng.choice([0, 1000]))
        const = float(rng.choice([0.1, 0.5]))
        turns = rng.multinomial(t, np.full(n_arms, 1 / n_arms))
        P = rng.choice([0.1, 0.5, 0.6, 0.9], (n_arms, n_arms))
        np.fill_diagonal(P, 0)
        state, own = state_with(rng.binomial(turns, P), t, int(rng.integers(1000)), k=k, t0=no_sooner, const=const)
        by_score, by_sparsity = who_leaves(state, t, k, no_sooner, const, 0.05)
        decision(SECS, state, rng=own)
        left = set(np.flatnonzero(state.is_active).tolist())
        if len(by_score | by_sparsity) < n_arms:
            assert left == set(range(n_arms)) - by_score - by_sparsity
            seen |= {(bool(by_score), bool(by_sparsity - by_score))}
    assert seen == {(False, False), (False, True), (True, False), (True, True)}


def test_of_equal_differences_the_first_in_private_order_counts():
    # K = 4, k = 1. Arm 0 is 30 ahead of arm 1 against arm 2, and 30 behind against arm 3: which of them is in O says
    # whether 2 * 45 + 30 > 114.9 makes arm 1 leave, or arm 0.
    Z = np.array([[0, 45, 50, 20], [45, 0, 20, 50], [45, 45, 0, 35], [45, 45, 35, 0]])
    seen = set()
    for seed in range(8):
        state, own = state_with(Z, 400, seed, k=1, const=0.1)
        order = state.order.tolist()
        loser = 1 if order.index(2) < order.index(3) else 0
        decision(SECS, state, rng=own)
        assert np.flatnonzero(~state.is_active).tolist() == [loser]
        seen.add(loser)
    assert seen == {0, 1}


def test_where_all_arms_are_about_to_leave_the_best_stays():
    state, own = state_with(np.array([[0, 300], [301, 0]]), 400, 1, const=0.01)
    assert set().union(*who_leaves(state, 400, 0, 0, 0.01, 0.05)) == {0, 1}
    assert decision(SECS, state, rng=own) == (1, 1, NEVER)


def test_pairs_that_are_looked_at_seldom_are_looked_at_in_time():
    n_fewer = 0
    for seed in range(6):
        rounds = []
        for always in (False, True):
            state, rng = begin(SECS, 6, seed=seed, k=1, const=0.3)
            duels = np.random.default_rng([seed, 1])
            played = []
            while len(played) < 4000:
                if always:
                    state.look_again[:] = 0
                    state.progress[0].next_look = 0
                first, second, length = decision(SECS, state, rng=rng)
                if length == NEVER:
                    break
                won = int(duels.random() < SPARSE[first, second])
                SECS.update(state, first, second, won, 1 - won)
                played.append((first, second))
            rounds.append(played)
        assert rounds[0] == rounds[1]
        n_fewer += int((~state.is_active).sum())
    assert n_fewer > 6
