"""MergeRUCB and MergeDTS: batches, eliminations and merges counted by hand; options; regret."""

import math

import numpy as np
import pytest

import duelbench
from duelbench.bandits.algorithms.merging.merge_dts import MERGE_DTS
from duelbench.bandits.algorithms.merging.mergerucb import MERGERUCB
from tests.bandits.algorithms.comparing import regrets
from tests.conformance.literal.by_hand import choice, in_order, make
from tests.conformance.literal.merge_dts import MergeDTS as LiteralMergeDTS
from tests.conformance.literal.mergerucb import MergeRUCB as LiteralMergeRUCB

FIRST_OF_TWO = [[0.5, 1.0], [0.0, 0.5]]
LINEAR = 0.5 + 0.05 * (np.arange(9)[None, :] - np.arange(9)[:, None])
BOTH = pytest.mark.parametrize("algorithm", [MERGERUCB, MERGE_DTS], ids=lambda algorithm: algorithm.id)


def test_constant_has_its_published_size_and_may_be_larger_than_any_float():
    rng = np.random.default_rng(0)
    usual, largest = (
        MERGERUCB.start(136, 1, rng, True, **MERGERUCB.resolve({"alpha": alpha})).log_offset for alpha in (1.01, 0.501)
    )
    assert math.exp(usual) == pytest.approx(4e6, rel=0.05) and largest > 710
    assert duelbench.simulate(MERGERUCB, LINEAR, horizon=100, alpha=0.501).duels.sum() == 100


@pytest.mark.parametrize(("algorithm", "wins"), [(MERGERUCB, 29), (MERGE_DTS, 14)])
def test_as_many_wins_decide_between_two_arms_as_worked_out(algorithm, wins):
    # MergeRUCB: C = (3.04 * 4 / (1.02 * 0.01))^(1 / 1.02) = 1038; n / 4 > 1.01 ln(t + C) with t = n + 1: 7.25 > 7.04
    # for n = 29, but 7.00 < 7.04 for n = 28. MergeDTS: n / 4 > 0.262144 ln(n + 1 + 4e5) = 3.38.
    duels = duelbench.simulate(algorithm, FIRST_OF_TWO, horizon=10**6).duels
    assert duels[0, 1] + duels[1, 0] == wins
    assert duels[0, 0] == 10**6 - wins


class TestTranscriptions:
    def test_the_challenger_of_mergerucb_is_the_most_optimistic_other_arm(self):
        """After four duels each, 3 to 1 and 2 to 2, u is 3/4 and 1/2 plus the same width; 2 is untested."""
        wins = {(1, 0): 3, (0, 1): 1, (3, 0): 2, (0, 3): 2, (2, 0): 40, (0, 2): 40}
        oracle = make(LiteralMergeRUCB, 4, in_order(0, 1, 2, 3), ("integers", 4, 0), wins=wins)
        assert choice(oracle, 1) == (0, 1)

    def test_the_opponent_of_merge_dts_is_the_weakest_sample(self):
        """Arm 0 is above 1 and 2 (chances 7/8 and 1/16); its posteriors against them are Beta(3, 1) and Beta(1, 4)."""
        signs = [("random", x) for x in (0.8, 0.06, 0.4)]
        draws = [in_order(2, 1, 0), *signs, ("beta", 1, 3, 0.3), ("beta", 4, 1, 0.2)]
        assert choice(make(LiteralMergeDTS, 3, *draws, wins={(0, 1): 2, (2, 0): 3}), 1) == (0, 2)


@BOTH
def test_batches_of_one_arm_each_are_joined(algorithm):
    # Five arms in batches of four and one: after three eliminations no batch has two arms.
    order = np.triu(np.ones((5, 5)), 1) + 0.5 * np.eye(5)
    for run in range(3):
        trace = duelbench.simulate(algorithm, order, horizon=10**5, run=run, shuffle_arms=True, batch_size=4)
        assert trace.recommended[-1] == 0
        assert trace.duels[0, 0] > 0.98 * 10**5


@pytest.mark.thorough
def test_merge_dts_has_far_less_regret_than_mergerucb():
    rucb = regrets(MERGERUCB, LINEAR, 30, horizon=20_000, checkpoints=[]).mean()
    dts = regrets(MERGE_DTS, LINEAR, 30, horizon=20_000, checkpoints=[]).mean()
    assert dts < 0.5 * rucb
