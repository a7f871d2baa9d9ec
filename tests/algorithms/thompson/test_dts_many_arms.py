"""Rows of signs: each sign has exactly its probability, and 16 random bits that do not decide are continued."""

import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from duelbench.algorithms.thompson.dts_many_arms import (
    FAR,
    GENERATOR,
    OPEN,
    STEEPEST,
    VOTES,
    WON,
    draw_opponents,
    draw_row,
    find_near,
    new_many_arms,
    open_all_but,
    threshold_of,
)

K = 70


def splitmix64(state, count):
    """The generator as published, with whole numbers of any size."""
    words = []
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        words.append(z ^ (z >> 31))
    return words


def bits_of(rows, begin=0):
    """The next 16-bit numbers of the arms from ``begin`` on."""
    words = splitmix64(int(rows.words[GENERATOR, 0]), (rows.bench.shape[1] - begin) // 4)
    return [(word >> (16 * k)) % 2**16 for word in words for k in range(4)]


def rows_of(p, seed=1):
    """Rows in which arm 0 wins against arm j with probability ``p[j]``, and the matrix of these."""
    above = np.full((len(p), len(p)), 0.5)
    above[0] = p
    above[:, 0] = 1.0 - np.asarray(p)
    rows = new_many_arms(len(p), np.random.default_rng(seed)).rows
    for j in range(len(p)):
        rows.threshold[0, j] = threshold_of(above[0, j])
        rows.threshold[j, 0] = threshold_of(above[j, 0])
    open_all_but(rows, np.zeros(len(p), np.int64))
    return rows, above


@pytest.mark.parametrize("begin", [0, 32, 64])
def test_signs_are_those_of_uniform_numbers_of_16_bits_and_more(begin):
    # A uniform number (r + u) / 65536, r of 16 bits and u in [0, 1), is below p or not; u is drawn where that matters.
    p = np.random.default_rng(3).random(K)
    p[1:8] = [0.0, 1.0, 1e-20, 1e-6, 1 - 1e-6, 2.0**-16, 1 - 2.0**-16]
    rows, above = rows_of(p)
    for trial in range(200):
        bits = bits_of(rows, begin)
        if trial % 2:  # all bits but some are undecided
            for j in range(max(begin, 8), K):
                above[0, j] = (bits[j - begin] + (j % 5) / 4) / 65536  # a rest of 0, 1/4, ..., 1
                rows.threshold[0, j] = threshold_of(above[0, j])
        before = rows.bench[VOTES].copy()
        open_all_but(rows, np.zeros(K, np.int64))
        rows.bench[OPEN, 20] = rows.bench[OPEN, 69] = 0
        rng = np.random.default_rng([4, trial])
        u = np.random.default_rng([4, trial])
        expected = []
        for j in range(begin, K):
            r, x = bits[j - begin], Fraction(65536 * above[0, j])
            undecided = j not in (0, 20, 69) and r == min(int(x), 65535)
            rest = Fraction(u.random()) if undecided else Fraction(1, 2)
            expected.append(int(j not in (0, 20, 69) and r + rest < x))
        total = draw_row(rows, above, 0, begin, rng)
        assert rows.bench[WON, begin:K].tolist() == expected
        assert total == sum(expected)
        opened = rows.bench[OPEN, begin:K]
        assert opened.sum() == K - begin - len([j for j in (0, 20, 69) if j >= begin])
        assert rows.bench[VOTES, begin:K].tolist() == (opened - expected).tolist()
        assert before[begin:].size and rows.bench[VOTES, :begin].sum() == 0
        assert rng.random() == u.random()  # no more was drawn


def test_opponents_are_those_that_win_and_may_do_so():
    p = np.array([0.5, 0.0, 1.0, 0.0, 1.0] + [0.5] * 35)  # arms 1 and 3 beat arm 0 for certain
    rows, above = rows_of(p)
    crossing = np.ones((40, 40), np.int64)
    crossing[0, 3:20] = 11
    chosen = np.zeros(40, np.bool_)
    count = draw_opponents(rows, above, 0, crossing, 10, chosen, np.random.default_rng(1))
    assert chosen[:20].tolist() == [False, True] + [False] * 18
    assert count == chosen.sum() > 5
    draw_opponents(rows, above, 0, crossing, 11, chosen, np.random.default_rng(1))
    assert chosen[:5].tolist() == [False, True, False, True, False]


def test_arms_that_are_not_near_have_a_small_bound():
    # Of the bounds exp(x (x spread / 2 - gap)), 0 <= x <= 40, the least is at most e^-12 for all that are left out.
    many = new_many_arms(40, np.random.default_rng(1))
    candidate = np.arange(40) != 7
    near = np.zeros(40, np.bool_)
    rng = np.random.default_rng(9)
    left_out = 0
    for _ in range(300):
        many.spread[:] = 10.0 ** rng.uniform(-9, 2, 40)
        many.expected[:] = 50 - 10.0 ** rng.uniform(-2, 2, 40)
        open_all_but(many.rows, np.zeros(40, np.int64))
        many.rows.bench[OPEN, 11] = 0
        assert find_near(many, candidate, 50, near) == near.sum()
        assert not near[7] and not near[11]
        gap = 50 - many.expected - 1e-6
        slope = np.minimum(STEEPEST, gap / (many.spread + 1e-6))
        bound = np.exp(slope * (0.5 * slope * (many.spread + 1e-6) - gap))
        others = ~near & candidate & (many.rows.bench[OPEN, :40] == 1)
        assert np.all(bound[others] <= FAR * (1 + 1e-12))
        left_out += others.sum()
    assert left_out > 1000


FORTY_ARMS = """
import numpy as np, duelbench
P = 0.5 + 0.2 * np.sign(np.arange(40) - np.arange(40)[:, None])
print(duelbench.simulate("d-ts-plus", P, horizon=300, seed=3).duels.tolist())
"""


@pytest.mark.thorough
def test_rows_are_the_same_compiled_or_not():
    # Which is to say: vector instructions of any width, and none, draw the same duels.
    printed = [
        subprocess.run(
            [sys.executable, "-W", "error", "-c", FORTY_ARMS],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for disabled in ("0", "1")
    ]
    assert printed[0] == printed[1] and len(printed[0]) > 4800
