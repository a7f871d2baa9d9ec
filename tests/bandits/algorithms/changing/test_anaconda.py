"""ANACONDA: replays by their closed form, wins by windows that a plain list of all rounds has."""

import math

import numpy as np
import pytest
from scipy import stats

from duelbench.bandits.algorithms.changing import anaconda
from duelbench.bandits.algorithms.changing.anaconda import ANACONDA

CONDORCET = [[0.5, 0.8, 0.9], [0.2, 0.5, 0.8], [0.1, 0.2, 0.5]]


def new_state(n_arms=3, horizon=10**5, standing=True, C=0.2, rho=1.0):
    return ANACONDA.start(n_arms, horizon, np.random.default_rng(0), standing, C=C, rho=rho)


def chance_of_a_replay(rho, J, after):
    none = 1.0
    for j in range(1, J + 1):
        none *= 1.0 - rho / math.sqrt(2**j * after)
    return 1.0 - none


@pytest.mark.parametrize("rho", [1.0, 0.1])
def test_a_replay_drawn_ahead_has_the_law_of_one_drawn_round_by_round(rho):
    assert chance_of_a_replay(1.0, 17, 1) == pytest.approx(0.962236, abs=1e-6)
    assert chance_of_a_replay(1.0, 17, 100) == pytest.approx(0.218035, abs=1e-6)
    rng = np.random.default_rng(2)
    n = 1500
    rounds, lengths = [], []
    state = new_state(rho=rho)
    for _ in range(n):
        anaconda._draw_next_replay(state, 3, rng)
        rounds.append(int(state.episode[0].replay))
        lengths.append(int(state.episode[0].length))
    survival, t = 1.0, 3
    expected = {}
    while survival > 0.05:
        now = chance_of_a_replay(rho, 17, t - 1)
        expected[t] = survival * now
        survival *= 1.0 - now
        t += 1
    counts = [sum(r == t for r in rounds) for t in expected]
    later = n - sum(counts)
    likely = [*expected.values(), survival]
    pooled = np.add.reduceat(np.array([*counts, later]), range(0, len(likely), max(1, len(likely) // 10)))
    law = np.add.reduceat(np.array(likely), range(0, len(likely), max(1, len(likely) // 10)))
    assert stats.chisquare(pooled, law * n).pvalue > 1e-4
    # The longest that starts in round 3, given that one does: 2^j unless a longer one does.
    at_three = [length for r, length in zip(rounds, lengths, strict=True) if r == 3]
    none_longer, by_length = 1.0, {}
    for j in range(17, 0, -1):
        by_length[2**j] = none_longer * rho / math.sqrt(2**j * 2)
        none_longer *= 1.0 - rho / math.sqrt(2**j * 2)
    shares = np.array([by_length[2**j] for j in range(1, 8)]) / sum(by_length.values())
    seen = np.array([at_three.count(2**j) for j in range(1, 8)])
    rest = len(at_three) - seen.sum()
    assert stats.chisquare([*seen, rest], np.array([*shares, 1 - shares.sum()]) * len(at_three)).pvalue > 1e-4


def test_late_wins_weigh_as_much_as_the_sets_that_were_played():
    state = new_state()
    state.pending[0, 1], state.squares[0, 1] = 3, 9 + 9 + 4
    anaconda.update(state, 0, 1, 2, 1)
    assert state.fresh[0, 1] == pytest.approx(2 * 22 / 3)
    assert state.pending[0, 1] == state.squares[0, 1] == state.fresh[1, 0] == 0


def test_an_episode_ends_when_no_arm_is_good():
    state = new_state(n_arms=2, horizon=1000, C=0.001)
    rng = np.random.default_rng(4)
    starts = set()
    for t in range(1, 400):
        first, second, _ = ANACONDA.select(state, t, rng)
        starts.add(int(state.episode[0].start))
        assert state.members[state.episode[0].depth].any() and state.sizes[0] == state.members[0].sum() > 0
        if first != second:
            ANACONDA.update(state, first, second, 1, 0)  # whoever is first: both are eliminated in the end
    assert len(starts) > 3
