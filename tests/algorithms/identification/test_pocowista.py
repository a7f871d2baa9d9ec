"""POCOWISTA and TRA-POCOWISTA: what they know and whom they test, by hand; how often they are wrong."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

import duelbench
from duelbench.algorithms.contract import NEVER
from duelbench.algorithms.identification.pocowista import (
    POCOWISTA,
    TRA_POCOWISTA,
    is_winner,
    leader,
    learn,
    new_state,
)
from tests.algorithms.identification.games import CERTAIN, CYCLIC, STEEP, answers, off_and_renamed, stopping_times
from tests.conformance.players import pairs_played

BOTH = pytest.mark.parametrize("algorithm", [POCOWISTA, TRA_POCOWISTA], ids=lambda algorithm: algorithm.id)
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


def test_pocowista_takes_twelve_straight_wins_for_each_pair_it_tests():
    # (n + 1) / 2^n <= .05 / 12 for n = 12. The best of four arms is known once it has beaten all others: three pairs at
    # least, six at most.
    taus = stopping_times(POCOWISTA, CERTAIN, 100)
    assert set(taus) <= {36, 48, 60, 72} and len(set(taus)) > 1


def test_tra_pocowista_tests_each_new_arm_once():
    # .05 / (2 * 4 ln 4) = .0045: 12 straight wins, too; three tests, in whatever order.
    assert set(stopping_times(TRA_POCOWISTA, CERTAIN, 100)) == {36}


def test_tra_pocowista_makes_one_test_less_than_there_are_arms_even_in_a_circle():
    for run in range(20):
        trace = duelbench.simulate(TRA_POCOWISTA, CYCLIC, horizon=10**6, run=run, shuffle_arms=True)
        pairs = trace.duels + trace.duels.T - 2 * np.diag(np.diag(trace.duels))
        assert np.count_nonzero(np.triu(pairs)) == 3


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


def test_of_arms_with_as_many_victories_one_that_wins_for_sure_leads():
    for seed in range(20):
        circle = state_with(3, [(0, 1), (1, 2)], seed=seed)  # co = 1, 1, 0; po = 2, 1, 1
        assert leader(circle) == 0 and not is_winner(circle, 1)


def test_a_leader_wins_that_no_other_arm_can_pass():
    assert not is_winner(state_with(3, [(0, 1)]), 0)
    assert is_winner(state_with(3, [(0, 1), (0, 2)]), 0)
    assert is_winner(state_with(3, [(0, 1), (1, 2)]), 0)
    assert not is_winner(state_with(4, [(0, 1), (0, 2), (3, 1)]), 0)


def test_the_leader_is_a_winner_whenever_some_arm_is():
    rng = np.random.default_rng(5)
    pairs = list(itertools.combinations(range(5), 2))
    sure = 0
    for seed in range(400):
        chosen = rng.permutation(len(pairs))[: rng.integers(3, 10)]
        state = state_with(5, [pairs[k] if rng.random() < 0.5 else pairs[k][::-1] for k in chosen], seed=seed)
        winners = [a for a in range(5) if is_winner(state, a)]
        sure += bool(winners)
        assert is_winner(state, leader(state)) == bool(winners)
    assert 20 < sure < 380


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


def test_ties_of_the_pair_are_drawn_uniformly():
    counts = np.zeros((3, 3))
    for seed in range(600):
        rng = np.random.default_rng(seed)
        first, second, _ = POCOWISTA.select(state_with(3, []), 1, rng)
        counts[first, second] += 1
    assert np.trace(counts) == 0
    assert stats.chisquare(counts[~np.eye(3, dtype=bool)]).pvalue > 1e-4


@BOTH
def test_a_pair_is_decided_once_and_the_answer_is_what_the_verdicts_say(algorithm):
    for run in range(20):
        rng = np.random.default_rng(run)
        state = algorithm.start(4, NEVER, rng, True, **algorithm.resolve({}))
        tested = []
        while True:
            i, j, rounds = algorithm.select(state, 1, rng)
            if rounds == NEVER:
                break
            if not tested or tested[-1] != {i, j}:
                tested.append({i, j})
            won = int(rng.binomial(rounds, STEEP[i, j]))
            algorithm.update(state, i, j, won, rounds - won)
        assert len(tested) == len({frozenset(pair) for pair in tested})
        answer = algorithm.recommend(state)
        assert i == j == answer and algorithm.explored(state) == 0
        assert state.co[answer] >= max(state.po[k] for k in range(4) if k != answer)


def test_the_answer_is_no_copeland_winner_in_a_share_delta_of_runs_at_most():
    # Without a Condorcet winner: arms 0, 1 and 2 beat two others each, arms 3 and 4 one and none.
    P = duelbench.PreferenceMatrix(
        np.array(
            [
                [0.5, 0.7, 0.3, 0.7, 0.7],
                [0.3, 0.5, 0.7, 0.7, 0.7],
                [0.7, 0.3, 0.5, 0.7, 0.7],
                [0.3, 0.3, 0.3, 0.5, 0.7],
                [0.3, 0.3, 0.3, 0.3, 0.5],
            ]
        )
    )
    for algorithm, matrix, winners in (
        (POCOWISTA, P, (0, 1, 2)),
        (POCOWISTA, CYCLIC, (0,)),
        (TRA_POCOWISTA, STEEP, (0,)),
    ):
        wrong = ~np.isin(answers(algorithm, matrix, 300, delta=0.3, categories=2), winners)
        assert stats.binomtest(int(wrong.sum()), 300, 0.3, alternative="greater").pvalue > 1e-4


@BOTH
def test_batches_change_nothing(algorithm):
    for seed in range(3):
        rngs = [(np.random.default_rng(seed), np.random.default_rng([seed, 1])) for _ in range(2)]
        on = pairs_played(algorithm, STEEP, 500, *rngs[0], standing=True)
        assert on == pairs_played(algorithm, STEEP, 500, *rngs[1], standing=False)


@BOTH
def test_the_stopping_time_has_one_law_with_and_without_standing_decisions_and_however_arms_are_named(algorithm):
    on = stopping_times(algorithm, STEEP, 300)
    for other in off_and_renamed(algorithm, STEEP, 300, 10**4):
        assert stats.ks_2samp(on, other).pvalue > 1e-4
