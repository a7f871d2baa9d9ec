"""D-TS and D-TS+: standing decisions change no distribution, and signs stand for full samples."""

import math

import numpy as np
import pytest
from scipy import stats

import duelbench
from duelbench.algorithms.dts import information
from tests.conformance.literal import play
from tests.conformance.literal.d_ts import DTS

CHECKPOINTS = [30, 100, 300, 1000, 3000]
MATRICES = {
    "condorcet winner": [[0.5, 0.6, 0.75, 0.8], [0.4, 0.5, 0.7, 0.75], [0.25, 0.3, 0.5, 0.52], [0.2, 0.25, 0.48, 0.5]],
    "one winner that loses a duel": [
        [0.5, 0.8, 0.8, 0.8, 0.3],
        [0.2, 0.5, 0.7, 0.2, 0.8],
        [0.2, 0.3, 0.5, 0.8, 0.8],
        [0.2, 0.8, 0.2, 0.5, 0.2],
        [0.7, 0.2, 0.2, 0.8, 0.5],
    ],
    "three winners": [[0.5, 0.2, 0.8, 0.8], [0.8, 0.5, 0.2, 0.8], [0.2, 0.8, 0.5, 0.8], [0.2, 0.2, 0.2, 0.5]],
    "near tie at the top": [[0.5, 0.53, 0.9], [0.47, 0.5, 0.9], [0.1, 0.1, 0.5]],  # early wrong beliefs last
}


def regrets(id, matrix, runs, **options):
    """Copeland regret at the checkpoints, shape (runs, checkpoints)."""
    return np.array(
        [
            duelbench.simulate(
                id, matrix, horizon=3000, run=run, checkpoints=CHECKPOINTS, shuffle_arms=True, **options
            ).regret[0]
            for run in range(runs)
        ]
    )


def assert_same_law(a, b):
    """Two-sample tests at every checkpoint: of the distribution, and of the mean, which has the heavy tail.

    There are about a hundred such tests in this file, so that each is made at the level 1e-5.
    """
    for k in range(a.shape[1]):
        assert stats.ks_2samp(a[:, k], b[:, k]).pvalue > 1e-5, f"checkpoint {k}"
        error = math.hypot(stats.sem(a[:, k]), stats.sem(b[:, k]))
        assert abs(a[:, k].mean() - b[:, k].mean()) < 4.5 * error + 1e-12, f"checkpoint {k}"


@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("id", ["d-ts", "d-ts-plus", "d-ts-pure"])
def test_standing_decisions_change_no_distribution(id, matrix):
    on = regrets(id, MATRICES[matrix], 3000, seed=1)
    off = regrets(id, MATRICES[matrix], 3000, seed=2, standing_decisions=False)
    assert_same_law(on, off)


def test_standing_decisions_change_no_distribution_under_delayed_feedback():
    on = regrets("d-ts", MATRICES["condorcet winner"], 2000, seed=1, feedback_delay=20)
    off = regrets("d-ts", MATRICES["condorcet winner"], 2000, seed=2, feedback_delay=20, standing_decisions=False)
    assert_same_law(on, off)


@pytest.mark.parametrize("matrix", ["condorcet winner", "three winners"])
@pytest.mark.parametrize("plus", [False, True])
def test_signs_stand_for_the_full_samples_of_the_paper(plus, matrix):
    P = np.array(MATRICES[matrix])
    scores = (P > 0.5).sum(axis=1) / (len(P) - 1)
    literal = []
    for run in range(250):
        oracle = DTS(len(P), 200, np.random.default_rng([8, run]), plus=plus, draws="betas")
        pairs = np.array(play(oracle, P, 200, np.random.default_rng([9, run])))
        literal.append(np.cumsum(scores.max() - scores[pairs].mean(axis=1))[[49, 199]])
    id = "d-ts-plus" if plus else "d-ts"
    ours = [duelbench.simulate(id, P, horizon=200, seed=3, run=run, checkpoints=[50]).regret[0] for run in range(2000)]
    assert_same_law(np.array(ours), np.array(literal))


def test_settles_when_there_is_a_condorcet_winner():
    trace = duelbench.simulate("d-ts", MATRICES["condorcet winner"], horizon=10**7)
    assert trace.decisions < 5000
    assert trace.duels[0, 0] > 0.999 * 10**7


def test_information_is_right_next_to_one_half():
    # d(1/2 + x, 1/2) = 2 x^2 + O(x^4); at 3/4 by hand: ln 2 + 3/4 ln 3/4 + 1/4 ln 1/4.
    assert information(0.5 + 1e-7) == pytest.approx(2e-14, rel=1e-6)
    assert information(0.75) == pytest.approx(math.log(2) + 0.75 * math.log(0.75) + 0.25 * math.log(0.25), rel=1e-14)
    assert information(0.59) == pytest.approx(information(0.41), rel=1e-12)
    assert information(1.0) == math.log(2)
