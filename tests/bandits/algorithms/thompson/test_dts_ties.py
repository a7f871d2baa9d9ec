"""D-TS+ with several leaders: rounds drawn ahead are independent; `tests.conformance.sampled_games` has their law."""

import numpy as np
import pytest
from scipy import stats

import duelbench
from duelbench.bandits.algorithms.thompson import dts, dts_plus, dts_ties
from duelbench.bandits.algorithms.thompson.dts_standing import NO_ARM
from duelbench.bandits.kernels.divergence import kl_to_half

THREE = np.array([[0, 20, 2, 20], [2, 0, 20, 16], [20, 2, 0, 16], [2, 4, 4, 0]])
"""Wins by which arms 0, 1 and 2 beat each other in a circle, and arm 3."""

TWO = np.array([[0, 9, 12, 2], [4, 0, 11, 14], [2, 3, 0, 9], [12, 2, 3, 0]])
"""Arms 0 and 1 have two votes, arms 2 and 3 one, if all signs are the likelier ones."""


def state_after(wins, t):
    """The state of D-TS+ in round t after these duels, of which all arms are candidates."""
    rng = np.random.default_rng(3)
    state = dts_plus.start(len(wins), 1, rng, True, alpha=0.51, best_score="all")
    for i, j in zip(*np.triu_indices(len(wins), 1), strict=True):
        dts.update(state, i, j, wins[i, j], wins[j, i])
    dts.select(state, t, rng)
    state.candidate[:] = True
    state.memo[0].n_candidates = len(wins)
    state.outlook.coming[0].leader = NO_ARM
    return state


def skip_patience(ties):
    """The next rounds are drawn ahead, where any are."""
    if ties is not None:
        ties.ahead[0].age = dts_ties.WARM_UP


def play(state, t, n_rounds, rng):
    """The pairs of so many rounds, in all of which the state is that of round t: shape (n_rounds, 2)."""
    pairs = []
    now = t
    skip_patience(state.ties)
    while len(pairs) < n_rounds:
        first, second, rounds = dts.select(state, now, rng)
        pairs += [(first, second)] * rounds
        now += rounds
        if now >= min(state.bounds.event[0], t + 400):
            now = t
            skip_patience(state.ties)
    return np.array(pairs[:n_rounds])


def assert_same_distribution(a, b):
    """A chi-squared test that two samples of whole numbers have one law; rare ones are taken together."""
    values = np.union1d(a, b)
    table = np.array([[np.count_nonzero(sample == value) for value in values] for sample in (a, b)])
    rare = table.sum(axis=0) < 20
    table = np.column_stack([table[:, ~rare], table[:, rare].sum(axis=1)])
    table = table[:, table.sum(axis=0) > 0]
    assert table.shape[1] > 1 and stats.chi2_contingency(table).pvalue > 1e-5


@pytest.mark.thorough
@pytest.mark.parametrize("wins", [THREE, TWO], ids=["three leaders", "two leaders"])
def test_rounds_drawn_ahead_are_independent(wins):
    n_arms = len(wins)
    pair = play(state_after(wins, 40), 40, 60_000, np.random.default_rng(4))
    both = pair @ [n_arms, 1]
    after = both[1::2] * n_arms**2 + both[::2]
    shuffled = np.random.default_rng(5).permutation(both)
    assert_same_distribution(after, shuffled[1::2] * n_arms**2 + shuffled[::2])
    waits = np.diff(np.flatnonzero(pair[:, 0] != pair[:, 1]))
    p = np.mean(pair[:, 0] != pair[:, 1])
    assert stats.ks_2samp(waits, np.random.default_rng(6).geometric(p, len(waits))).pvalue > 1e-5


def test_arms_without_any_regret_are_drawn_evenly():
    # Three arms with one vote each: no arm has more votes than another, and all regrets are 0.
    wins = np.array([[0, 60, 3], [3, 0, 60], [60, 3, 0]])
    ahead = play(state_after(wins, 40), 40, 3000, np.random.default_rng(1))
    assert stats.chisquare(np.bincount(ahead[:, 0], minlength=3)).pvalue > 1e-5


def test_the_quick_ratio_is_as_close_as_the_comparison_takes_it_to_be():
    y = np.concatenate([np.linspace(1e-6, 1, 20_001), 1 - np.logspace(-12, -3, 200)])
    error = [dts_ties._ratio(x) * kl_to_half(0.5 + 0.5 * x) - 1.0 for x in y]
    assert np.max(np.abs(error)) < dts_ties.MARGIN
    assert dts_ties.CLOSE > (1 + dts_ties.MARGIN) / (1 - dts_ties.MARGIN)


@pytest.mark.thorough
def test_settles_where_winners_tie():
    matrix = [[0.5, 0.2, 0.8, 0.8], [0.8, 0.5, 0.2, 0.8], [0.2, 0.8, 0.5, 0.8], [0.2, 0.2, 0.2, 0.5]]
    few = duelbench.simulate("d-ts-plus", matrix, horizon=10**5, checkpoints=2)
    many = duelbench.simulate("d-ts-plus", matrix, horizon=10**5, checkpoints=300)
    assert few.decisions == many.decisions < 70_000
    assert np.array_equal(few.duels, many.duels) and few.duels.sum() == 10**5
