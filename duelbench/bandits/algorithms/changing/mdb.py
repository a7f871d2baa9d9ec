"""Monitored Dueling Bandits (MDB): a base plays, and at regular intervals all pairs duel to detect changes.

Blocks of D rounds start with one duel of each of the N = K (K - 1) / 2 pairs, in a random order drawn once; in the
other rounds the base plays. The windows hold the latest w outcomes of each pair's duels at the start of blocks: if the
wins in the newer half and in the older half differ by more than b, the matrix has changed, and MDB starts again with
empty windows.

Assumes a Condorcet winner and few changes. Needs the horizon. Meant for strong regret.

With M segments and C = ln((4 T + 2) sqrt(T) / (sqrt(M) K)): w = 8 C / delta^2 rounded up to an even number,
b = sqrt(w C / 2), D = floor(N / gamma), gamma = min(1, sqrt(M w / T) (K - 1) / 2). The minimum is ours: above 1, blocks
would be shorter than N.

References
----------
.. [1] P. Kolpaczki, V. Bengs, E. Huellermeier, "Non-Stationary Dueling Bandits", arXiv:2202.00935, 2022, and
   "Piecewise-Stationary Dueling Bandits", TMLR 2024: only the abstracts were read.
.. [2] P. Kolpaczki, "Piecwise-Stationary-Dueling-Bandits", the authors' Java program, without its approximate windows.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from duelbench.bandits.algorithms.changing import bases
from duelbench.bandits.algorithms.changing.detect import even_ceiling
from duelbench.bandits.algorithms.changing.windows import Windows, enter, expect, new_windows, take, too_large
from duelbench.bandits.algorithms.contract import Algorithm, Parameter
from duelbench.bandits.kernels.decorators import kernel


class State(NamedTuple):
    base: Any  # NamedTuple. The state of the base since the latest start
    windows: Windows  # one for each pair, in the order of their duels
    pairs: np.ndarray  # (N, 2) int64. The pairs (i, j), i < j, in this order.
    place: np.ndarray  # (K, K) int64. The place of the pair (i, j) in this order; -1 if i >= j.
    began: np.ndarray  # (1,) int64. The first round since the latest start.
    shared: np.ndarray  # (1,) int64. The outcomes of windows that the base has counted since the latest start.
    block: int  # D
    transfer: bool  # Whether the base counts outcomes of windows


def start(n_arms, horizon, rng, standing, *, base, segments, delta, transfer, alpha, beta_ws):
    """Return the state before round 1."""
    window, b, block = settings(n_arms, horizon, segments, delta)
    pairs = np.array(np.triu_indices(n_arms, 1)).T
    pairs = pairs[rng.permutation(len(pairs))]
    place = np.full((n_arms, n_arms), -1)
    place[pairs[:, 0], pairs[:, 1]] = np.arange(len(pairs))
    return State(
        base=bases.new_base(base, n_arms, rng, alpha, beta_ws),
        windows=new_windows(len(pairs), window, b),
        pairs=pairs.copy(),
        place=place,
        began=np.array([1]),
        shared=np.array([0]),
        block=block,
        transfer=transfer and base == "rucb",
    )


def settings(n_arms: int, horizon: int, segments: int, delta: float) -> tuple[int, float, int]:
    """Return w, b and D."""
    c = max(0.0, math.log((4.0 * horizon + 2.0) * math.sqrt(horizon) / (math.sqrt(segments) * n_arms)))
    window = even_ceiling(8.0 * c / delta**2)
    gamma = min(1.0, math.sqrt(segments * window / horizon) * (n_arms - 1) / 2.0)
    n_pairs = n_arms * (n_arms - 1) // 2
    return window, math.sqrt(window * c / 2.0), math.floor(n_pairs / gamma)


def refuses(n_arms, horizon, *, base, segments, delta, transfer, alpha, beta_ws):
    """Return why it cannot play this, or None."""
    return too_large(n_arms * (n_arms - 1) // 2, settings(n_arms, horizon, segments, delta)[0])


@kernel
def select(state, t, rng):
    """Return the next pair of the block's start, or after it the base's pair, up to the next block."""
    if enter(state.windows):
        bases.restart(state.base, rng)
        state.began[0] = t
        state.shared[0] = 0
    n_pairs = state.pairs.shape[0]
    blocks, r = divmod(t - state.began[0], state.block)
    if r < n_pairs:
        expect(state.windows, r)
        return state.pairs[r, 0], state.pairs[r, 1], 1
    base_rounds = blocks * (state.block - n_pairs) + r - n_pairs
    first, second, rounds = bases.select(state.base, base_rounds + state.shared[0] + 1, rng)
    return first, second, min(rounds, state.block - r)


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count the outcomes of duels of the window for it, and all others for the base."""
    wins, duels = 0, 0
    if first < second:
        wins, duels = take(state.windows, state.place[first, second], first_wins, first_wins + second_wins)
    if state.transfer:
        state.shared[0] += duels
        bases.update(state.base, first, second, first_wins, second_wins)
    elif first_wins + second_wins > duels:
        bases.update(state.base, first, second, first_wins - wins, second_wins - (duels - wins))


@kernel
def recommend(state):
    """Return the base's recommendation."""
    return bases.recommend(state.base)


MDB = Algorithm.of_module(
    __name__,
    "mdb",
    "MDB",
    "condorcet",
    "Kolpaczki, Bengs, Huellermeier 2022, MDB (the authors' program)",
    anytime=False,
    parameters={
        "base": Parameter("rucb", "what plays between the blocks: rucb (arXiv form) or ws-s", choices=("rucb", "ws-s")),
        "segments": Parameter(4, "how often the matrix is another one, the first included", low=1),
        "delta": Parameter(0.5, "smallest change of a probability to be noticed", low=0.0, low_open=True, high=1.0),
        "transfer": Parameter(True, "whether the base rucb also learns from the duels of the windows"),
        **bases.PARAMETERS,
    },
    look=("indigo", "dash-dot", "^"),
    source="program",
)
