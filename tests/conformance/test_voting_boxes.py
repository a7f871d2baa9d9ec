"""Equations (9) and (12) of Urvoy et al., ICML 2013, in random boxes: which pairs stay in W, and what is certain.

What an arm surely and possibly scores is counted over all corners of the box, what the equations say is written out
from the paper, and that f cannot depend on a dropped pair is looked at in all corners.
"""

import itertools

import numpy as np
import pytest

from duelbench.algorithms.exploration import dispatch
from duelbench.algorithms.exploration.copeland_decisions import CONDORCET, COPELAND
from duelbench.algorithms.exploration.parameter_sets import new_exploration


def random_box(rng, pairs, share_open):
    """Ends of the interval of each p_ij, some of which hold 1/2."""
    low, high = np.sort(rng.random((2, len(pairs))), axis=0)
    is_open = rng.random(len(pairs)) < share_open
    above = rng.random(len(pairs)) < 0.5
    low = np.where(is_open, low / 2, np.where(above, 0.5 + low / 2, low / 2))
    high = np.where(is_open, 0.5 + high / 2, np.where(above, 0.5 + high / 2, high / 2))
    return low, high


def corners(n_arms, pairs, low, high):
    """Copeland scores at all corners of the box; no other point has others, since they change at 1/2 alone."""
    for x in itertools.product(*zip(low, high, strict=True)):
        scores = [0] * n_arms
        for (i, j), p in zip(pairs, x, strict=True):
            scores[i] += p > 0.5
            scores[j] += p < 0.5
        yield scores


def active_pairs(decision, n_arms, low, high):
    """(W after all pairs were tested, minU, maxU)."""
    dispatch.register(decision)
    explored = new_exploration(low.size, 1.0)
    state = decision.begin(n_arms, {})
    for e in range(low.size):
        explored.low[e], explored.high[e] = low[e], high[e]
        dispatch.narrowed(state, explored, e, 0.0, 1.0)
    dispatch.revise(state, explored)
    return [not gone for gone in explored.gone], state.scores.sure.tolist(), state.scores.possible.tolist()


@pytest.mark.parametrize("n_arms", [2, 3, 4])
def test_equation_9_tells_which_pairs_copeland_explores(n_arms):
    rng = np.random.default_rng(n_arms)
    pairs = list(itertools.combinations(range(n_arms), 2))
    kept = dominated = 0
    for _ in range(80):
        low, high = random_box(rng, pairs, 0.4)
        active, sure, possible = active_pairs(COPELAND, n_arms, low, high)
        a, b = {}, {}
        for e, (i, j) in enumerate(pairs):
            a[i, j], b[i, j] = low[e], high[e]
            a[j, i], b[j, i] = 1 - high[e], 1 - low[e]
        lo = [sum(a[i, j] > 0.5 for j in range(n_arms) if j != i) for i in range(n_arms)]
        decided = {(i, j): a[i, j] > 0.5 or b[i, j] < 0.5 for i, j in pairs}
        hi = [sum(b[i, j] > 0.5 for j in range(n_arms) if j != i) for i in range(n_arms)]
        assert (sure, possible) == (lo, hi)
        scores = list(corners(n_arms, pairs, low, high))
        assert lo == [min(s[i] for s in scores) for i in range(n_arms)]
        assert hi == [max(s[i] for s in scores) for i in range(n_arms)]
        expected = [
            not (decided[i, j] or any(lo[k] > hi[i] and lo[k] > hi[j] for k in range(n_arms))) for i, j in pairs
        ]
        assert active == expected
        kept += sum(active)
        for (i, j), is_active in zip(pairs, active, strict=True):
            if not is_active and not decided[i, j]:
                dominated += 1
                assert all(s[i] < max(s) and s[j] < max(s) for s in scores), "neither arm can win"
    assert kept > 20 and (dominated > 3 or n_arms < 4)


@pytest.mark.parametrize("n_arms", [2, 3, 4])
def test_equation_12_tells_which_pairs_condorcet_explores(n_arms):
    rng = np.random.default_rng(100 + n_arms)
    pairs = list(itertools.combinations(range(n_arms), 2))
    kept = dropped = 0
    for _ in range(80):
        low, high = random_box(rng, pairs, 0.6)
        active, _, _ = active_pairs(CONDORCET, n_arms, low, high)
        surely_beaten = {j for e, (i, j) in enumerate(pairs) if low[e] > 0.5}
        surely_beaten |= {i for e, (i, j) in enumerate(pairs) if high[e] < 0.5}
        assert active == [i not in surely_beaten and j not in surely_beaten for i, j in pairs]
        winners = {s.index(n_arms - 1) for s in corners(n_arms, pairs, low, high) if n_arms - 1 in s}
        for (i, j), is_active in zip(pairs, active, strict=True):
            kept += is_active
            dropped += not is_active
            assert is_active or not {i, j} <= winners, "one of the two cannot win"
    assert kept > 20 and dropped > 20
