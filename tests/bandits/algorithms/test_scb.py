"""SCB: epochs and duels counted by hand."""

import numpy as np

import duelbench
from duelbench.bandits.algorithms.scb import SCB

CERTAIN_CYCLE = [[0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]]


def duels_between_different_arms(matrix, horizon, **options):
    duels = duelbench.simulate(SCB, matrix, horizon=horizon, **options).duels
    return int(duels.sum() - np.trace(duels))


def test_answer_is_recommended_also_while_the_next_epoch_explores():
    end = 4 + 16 + 256 + 65536
    answers = set()
    for run in range(6):
        looks = [end, end + 1, end + 20]
        trace = duelbench.simulate(SCB, CERTAIN_CYCLE, horizon=end + 40, run=run, checkpoints=looks)
        assert trace.duels.trace() < end, "the last epoch explores"
        assert len(set(trace.recommended)) == 1
        answers |= set(trace.recommended)
    assert answers == {0, 1, 2}, "all three win; the answer is the first in private order"


def test_stops_when_all_pairs_are_decided_although_nobody_can_be_eliminated():
    # All three arms score 1/2. The fourth epoch has 65536 rounds, delta = ln(T) / T, and decides each of the three
    # pairs by n wins once n ln 2 > ln(36 n^2 / delta): 28 (19.41 against 18.93; for 27: 18.71 against 18.86).
    before = duels_between_different_arms(CERTAIN_CYCLE, 276)
    assert duels_between_different_arms(CERTAIN_CYCLE, 276 + 65536) - before == 3 * 28


def test_an_undecidable_pair_is_dueled_to_the_end_without_a_decision_per_round():
    trace = duelbench.simulate(SCB, [[0.5, 0.5], [0.5, 0.5]], horizon=65_812)
    assert trace.duels[0, 0] + trace.duels[1, 1] < 100
    assert trace.decisions < 3000
