"""CCB: its sets against facts derived by hand; shared rounds."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import duelbench
from duelbench.bandits.algorithms.ccb import CCB, self_duel_probability
from duelbench.bandits.algorithms.contract import NEVER, SEVERAL
from tests.bandits.algorithms.comparing import assert_pairs, assert_same_distribution, decide, state_after
from tests.bandits.algorithms.odd_matrices import MATRICES

SHIPPED = Path(__file__).parents[3] / "matrices"


class TestSets:
    """Of 100 wins to 0 the bound stays below 1/2 until t = exp(100 / 4 / 0.51) = 2e21: they decide permanently."""

    @pytest.mark.parametrize("standing", [False, True])
    def test_in_a_cycle_all_arms_are_winners_and_play_themselves_in_turn(self, standing):
        state = state_after(CCB, 3, {(0, 1): 100, (1, 2): 100, (2, 0): 100}, standing)
        first, second, rounds = decide(CCB, state, 10)
        assert first == second
        assert not state.superiors.any()
        assert state.memo[0].losses == 1
        if standing:
            assert (first, rounds) == (SEVERAL, NEVER - 10)
            assert [self_duel_probability(state, arm) for arm in range(3)] == [1 / 3, 1 / 3, 1 / 3]
        else:
            assert rounds == 1  # which of them plays is drawn every round
            assert_pairs(CCB, state, 10, {(0, 0): 1 / 3, (1, 1): 1 / 3, (2, 2): 1 / 3})

    def test_arms_that_are_no_winners_have_no_share(self):
        beaten = dict.fromkeys([(1, 2), (2, 3), (3, 1), (1, 0), (2, 0), (3, 0)], 100)
        state = state_after(CCB, 4, beaten)
        assert decide(CCB, state, 10) == (SEVERAL, SEVERAL, NEVER - 10)
        assert [self_duel_probability(state, arm) for arm in range(4)] == [0.0, 1 / 3, 1 / 3, 1 / 3]

    def test_the_settled_decision_stands_until_a_bound_reaches_one_half(self):
        # 5 to 0 is decided until t = exp(5 / 4 / 0.51) = 11.6.
        state = state_after(CCB, 3, {(0, 1): 5, (0, 2): 100, (1, 2): 100})
        assert decide(CCB, state, 10) == (0, 0, 2)
        assert decide(CCB, state, 12)[0] != decide(CCB, state, 12)[1]


LAWS = {
    "three winners": (MATRICES["three winners"], 1, {100: 1000, 1000: 1000, 10_000: 600}),
    "three winners, in batches": (MATRICES["three winners"], 7, {100: 1000, 1000: 1000, 10_000: 600}),
    "deterministic cycle": (MATRICES["deterministic cycle"], 1, {100: 1000, 1000: 1000, 10_000: 600}),
    "noncondorcet-cyclic": (SHIPPED / "noncondorcet-cyclic.csv", 1, {30_000: 200, 100_000: 200}),
}
"""Matrix, batch of feedback, and how many runs to which horizon."""


def looks(P, horizon, runs, **options):
    """Of each run: its regret, how many self-duels there were of each arm, of all, and how unevenly shared."""
    rows = []
    for run in range(runs):
        trace = duelbench.simulate("ccb", P, horizon=horizon, run=run, checkpoints=1, shuffle_arms=True, **options)
        selves = np.diag(trace.duels)
        uneven = np.square(selves - selves.sum() / 3).sum() / max(1, selves.sum())
        rows.append([trace.regret[0, -1], *selves, selves.sum(), uneven])
    return np.array(rows)


@pytest.mark.thorough
@pytest.mark.parametrize("setting", LAWS)
def test_standing_decisions_of_several_winners_change_no_distribution(setting):
    matrix, batch, runs_to = LAWS[setting]
    P = duelbench.PreferenceMatrix.load(matrix) if isinstance(matrix, Path) else matrix
    for horizon, runs in runs_to.items():
        on = looks(P, horizon, runs, seed=1, feedback_batch=batch)
        off = looks(P, horizon, runs, seed=2, feedback_batch=batch, standing_decisions=False)
        assert_same_distribution(on, off)


@pytest.mark.thorough
def test_several_winners_share_settled_rounds_like_independent_draws():
    # 10^6 rounds less 40 or so, in which others duel.
    rows = []
    for run in range(300):
        trace = duelbench.simulate("ccb", MATRICES["deterministic cycle"], horizon=10**6, run=run)
        rows.append(np.diag(trace.duels))
    assert trace.decisions < 200
    table = np.array(rows)
    assert stats.chisquare(table.sum(axis=0)).pvalue > 1e-5
    expected = table.sum(axis=1, keepdims=True) / 3
    dispersion = (np.square(table - expected) / expected).sum()
    assert 1e-5 < stats.chi2(2 * len(table)).cdf(dispersion) < 1 - 1e-5


def test_shared_out_rounds_are_those_recorded():
    # The golden traces end before rounds are shared out. Whoever changes this has to raise the trace_version.
    trace = duelbench.simulate("ccb", MATRICES["deterministic cycle"], horizon=10**6, seed=7)
    assert CCB.trace_version == 2
    assert trace.duels.tolist() == [[332908, 1, 28], [28, 333632, 1], [1, 28, 333373]]
    assert trace.decisions == 110


def test_five_hundred_arms_need_nine_megabytes():
    state = CCB.start(500, 1, None, True, **CCB.resolve({}))
    own = [member for member in state if isinstance(member, np.ndarray)]
    shared = [member for member in state.bounds if isinstance(member, np.ndarray)]
    assert sum(array.nbytes for array in own + shared) < 9_000_000
