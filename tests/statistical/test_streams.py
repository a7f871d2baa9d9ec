"""Promise 2: the random streams of runs are distinct, uncorrelated, permanently the same; duels follow the matrix."""

import gc

import numpy as np
import pytest
from scipy import stats

import duelbench
from duelbench.bandits.simulation.streams import ROLES, borrow, give_back, streams
from tests.selection import times

FIRST_WORDS = {
    0: (0x4414E63F33065D39, 0x1E0196D1223CE8CC, 0xDDF95A6D18F937C9, 0x44246AC7E4073D16),
    1: (0xAA47AA616A73E95D, 0x9966D671E8C413D8, 0x1973339C7DFFF0CD, 0x0868F4AE5BBCF1D9),
    42: (0x3E9569FC155DA1D9, 0x89729406720B90ED, 0x1FEBA771CEE5CB3A, 0x17CF4711CDBC5A2E),
    2147483647: (0x7FCF7EB66A0036B9, 0x32D60EDAE4EA67F9, 0x8B98EA4DD0B54C48, 0xBE1D8112B8744684),
    4294967301: (0x1852E74384EC2804, 0xA70AC47DE1EF71A6, 0x840E8EE932CF277A, 0x9A49BB78D0813703),
    9223372036854775808: (0x07BBC336D10EF2FB, 0x28C1D51F3EC24947, 0x7E678C6E87E35CE0, 0xD48253DA3EF001CE),
    18446744073709551617: (0xE0A7A05EE5A93159, 0xA1AC44E95C6FF776, 0x226F70FAA2A14A44, 0xAAB63D03B2D31DD8),
    340282366920938463463374607431768211455: (
        0x63A1C40C467616C7,
        0x6B5A53BFF2DD92A0,
        0x48BF18A208B60576,
        0x38AE026E1E76154F,
    ),
}
"""Seed -> the first 64-bit words of run 3: for the order of arms, the duels, the algorithm, and for rounds
divided among several arms. Never recorded again."""


def words(seed: int, run: int, count: int = 1) -> np.ndarray:
    """The first words of the four streams of a run, shape (4, count)."""
    return np.array([stream.bit_generator.random_raw(count) for stream in streams(seed, run)])


def test_streams_are_the_same_without_end():
    for seed, expected in FIRST_WORDS.items():
        assert tuple(int(word) for word in words(seed, 3)[:, 0]) == expected, seed


def test_generators_that_an_earlier_run_has_given_back_draw_what_new_ones_draw():
    earlier = borrow(1, 2)
    for generator in earlier:
        generator.integers(10, dtype=np.uint32)  # half a word is left over
    give_back(earlier)
    assert borrow(7, 3) is earlier
    for again, new in zip(earlier, streams(7, 3), strict=True):
        assert (
            again.integers(2**32, size=5, dtype=np.uint32).tolist()
            == new.integers(2**32, size=5, dtype=np.uint32).tolist()
        )


@pytest.mark.compiled
def test_runs_of_compiled_algorithms_leave_no_generators_behind():
    def play_ten() -> int:
        for run in range(10):
            duelbench.simulate("random", [[0.5, 0.6], [0.4, 0.5]], horizon=20, run=run)
        gc.collect()
        return sum(type(one) is np.random.Generator for one in gc.get_objects())

    assert play_ten() == play_ten()


def test_streams_are_distinct():
    """All roles of 3,000 runs and of runs of neighbouring seeds; `make test-long` looks at a hundred times as many."""
    seen = [(7, run) for run in range(times(3000))] + [(seed, 0) for seed in range(500)]
    first = np.concatenate([words(*one)[:, 0] for one in seen])
    assert len(np.unique(first)) == len(first) - len(ROLES)  # run 0 of seed 7 is there twice


def test_streams_are_uncorrelated():
    """Between any two of 300 streams (runs of one seed, all roles), by numbers drawn in the same place."""
    n_draws = 2000
    numbers = np.array([stream.random(n_draws) for run in range(100) for stream in streams(7, run)])
    correlations = np.corrcoef(numbers)[np.triu_indices(len(numbers), 1)]
    assert len(numbers) == 100 * len(ROLES)
    # Correlations of independent streams are nearly normal with variance 1 / n; the largest of m of them is below this.
    assert np.abs(correlations).max() * np.sqrt(n_draws) < stats.norm.isf(1e-3 / len(correlations) / 2)
    assert stats.kstest(correlations * np.sqrt(n_draws), "norm").pvalue > 1e-3


@pytest.mark.parametrize("shuffle_arms", [False, True])
def test_outcomes_of_all_pairs_follow_the_matrix(shuffle_arms):
    """An algorithm in plain Python tells what it is told; exact binomial tests, at 1% for all pairs together."""
    from tests.bandits.simulation.test_engine import scripted

    n_arms, rounds, calls = 6, 40, 120
    rng = np.random.default_rng(5)
    upper = np.triu(rng.random((n_arms, n_arms)), 1)
    P = upper + np.tril(1 - upper.T, -1) + 0.5 * np.eye(n_arms)
    pairs = [(i, j) for i in range(n_arms) for j in range(n_arms) if i != j]
    algorithm, state = scripted(*[(i, j, size) for i, j in pairs for size in (1, rounds - 1)])
    wins = np.zeros((n_arms, n_arms), np.int64)
    played = np.zeros((n_arms, n_arms), np.int64)
    for run in range(2):
        state.told.clear()
        state.calls.clear()
        duelbench.simulate(algorithm, P, horizon=rounds * calls * len(pairs), run=run, shuffle_arms=shuffle_arms)
        arms = streams(0, run).arms.permutation(n_arms) if shuffle_arms else np.arange(n_arms)
        for _, first, second, won, lost in state.told:
            wins[arms[first], arms[second]] += won
            played[arms[first], arms[second]] += won + lost
    assert all(played[pair] == 2 * rounds * calls for pair in pairs)
    assert min(stats.binomtest(int(wins[p]), int(played[p]), P[p]).pvalue for p in pairs) > 0.01 / len(pairs)
