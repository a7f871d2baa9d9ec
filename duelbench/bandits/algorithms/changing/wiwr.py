"""Winner Isolation with Recourse (WIWR): robust against a few corrupted outcomes.

Epochs become longer and share their rounds among the arms: arm i is drawn with probability n_i / N, and duels an anchor
v. An arm that, over all epochs, has won more of its duels with the anchor than it has lost replaces it. At the end of
an epoch each arm has an estimate of its gap, which determines its share of the next epoch.

Assumes a Condorcet winner, and that few outcomes are corrupted. Needs the horizon.

D_i estimates the gap of arm i, at first as 1/2. n_i = lambda / D_i^2, lambda = 2304 scale ln(40 K^2 / delta ln T), and
N is their sum, the rounds of epoch m. W_j counts its rounds with the anchor j, r_i the wins of arm i (a self-duel is
1/2), R_ij those against the anchor j. At its end, if W_j >= N / 2 for some j (the lowest), q_j = 1/2 and
q_i = R_ij N / (W_j n_i); otherwise q_i = r_i / n_i. Then D_i becomes max(2^-m, 1/2 - q_i - D_i / 8). If no D_i is as
low as 2^-m, the least (the first of several) is set to it.

References
----------
.. [1] A. Agarwal, S. Agarwal, P. Patil, "Stochastic Dueling Bandits with Adversarial Corruption", ALT 2021 (PMLR 132),
   Algorithm 1.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import Algorithm, Parameter
from duelbench.bandits.kernels.decorators import kernel
from duelbench.bandits.kernels.records import FloatPerArm, IntPerArm, IntPerPair, record, with_zeros

NO_ARM = -1
NO_RUN = -1

LONGEST = 2**52  # no run has as many rounds


class State(NamedTuple):
    epoch: np.ndarray  # (1,) record of `start`
    gaps: np.ndarray  # (K,) float64. D_i.
    shares: FloatPerArm  # n_i.
    total: np.ndarray  # (1,) float64. N.
    net: IntPerPair  # Wins of i over j less losses, of all epochs.
    anchored: IntPerArm  # W_j.
    won: FloatPerArm  # r_i.
    won_against: IntPerPair  # R_ij.
    arrived: np.ndarray  # (K K, 2) int64. Pairs (u, v) with new outcomes.
    scale: float  # lambda
    standing: bool  # Whether the length of runs of self-duels is drawn


def start(n_arms, horizon, rng, standing, *, delta, scale):
    """Return the state before round 1."""
    state = with_zeros(
        State,
        n_arms,
        epoch=record(
            number=1,  # m
            end=0,  # its last round
            anchor=int(rng.random() * n_arms),  # v
            since=1,  # the first round in which v is not yet counted as anchor
            self_since=0,  # the first round of self-duels that are not yet counted; 0 if there are none
            run_end=NO_RUN,  # the last round of the run of self-duels
            n_arrived=0,  # the number of pairs with new outcomes
        ),
        gaps=np.full(n_arms, 0.5),
        total=np.zeros(1),
        arrived=np.zeros((n_arms * n_arms, 2), np.int64),
        scale=2304.0 * scale * math.log(40.0 * n_arms**2 / delta * math.log(max(horizon, 2))),
        standing=standing,
    )
    _share_out(state, 1)
    return state


@kernel
def _share_out(state, t):
    """Compute n_i, N and the end of the epoch that starts in round ``t``."""
    total = 0.0
    for i in range(state.gaps.size):
        state.shares[i] = state.scale / (state.gaps[i] * state.gaps[i])
        total += state.shares[i]
    state.total[0] = total
    state.epoch[0].end = t - 1 + math.ceil(min(total, float(LONGEST)))


@kernel
def select(state, t, rng):
    """Return an arm and the anchor."""
    epoch = state.epoch[0]
    if epoch.self_since > 0:
        state.won[epoch.anchor] += 0.5 * (t - epoch.self_since)
        epoch.self_since = 0
    anchor = _anchor_now(state)
    epoch.n_arrived = 0
    if anchor != epoch.anchor or t > epoch.end:
        state.anchored[epoch.anchor] += t - epoch.since
        epoch.since = t
        epoch.anchor = anchor
        epoch.run_end = NO_RUN
    if t > epoch.end:
        _end_epoch(state, t)
    v = epoch.anchor
    if t > epoch.run_end:
        u = _draw(state, v if t == epoch.run_end + 1 else NO_ARM, rng)
        epoch.run_end = NO_RUN
        if u != v:
            return u, v, 1
        if state.standing:
            ends = _others(state, v) / state.total[0]  # the probability that a self-duel is the last of its run
            epoch.run_end = t + int(min(math.log(1.0 - rng.random()) / math.log1p(-ends), float(LONGEST)))
    epoch.self_since = t
    return v, v, max(min(epoch.run_end, epoch.end) - t + 1, 1)


@kernel
def _others(state, v):
    """Return the sum of n_i over all arms but ``v``: not a difference, because n_v may be nearly all of N."""
    total = 0.0
    for i in range(state.shares.size):
        if i != v:
            total += state.shares[i]
    return total


@kernel
def _draw(state, barred, rng):
    """Draw an arm with probability n_i / N, but not the barred arm."""
    left = rng.random() * (state.total[0] if barred == NO_ARM else _others(state, barred))
    last = NO_ARM
    for i in range(state.shares.size):
        if i != barred:
            last = i
            left -= state.shares[i]
            if left < 0.0:
                return i
    return last


@kernel
def _anchor_now(state):
    """Return the anchor after the outcomes that have arrived."""
    anchor = state.epoch[0].anchor
    for k in range(state.epoch[0].n_arrived):
        u = state.arrived[k, 0]
        if state.arrived[k, 1] == anchor and state.net[u, anchor] > 0:
            anchor = u
    return anchor


@kernel
def _end_epoch(state, t):
    """Update all D_i; the next epoch starts in round ``t``."""
    epoch = state.epoch[0]
    isolated = NO_ARM
    for j in range(state.gaps.size - 1, -1, -1):
        if state.anchored[j] >= state.total[0] / 2.0:
            isolated = j
    floor = math.pow(2.0, -float(epoch.number))
    least = 0
    for i in range(state.gaps.size):
        q = state.won[i] / state.shares[i]
        if isolated != NO_ARM:
            q = state.won_against[i, isolated] * state.total[0] / (state.anchored[isolated] * state.shares[i])
        if i == isolated:
            q = 0.5
        state.gaps[i] = max(floor, 0.5 - q - state.gaps[i] / 8.0)
        if state.gaps[i] < state.gaps[least]:
            least = i
    state.gaps[least] = floor
    epoch.number += 1
    state.anchored[:] = 0
    state.won[:] = 0.0
    state.won_against[:, :] = 0
    _share_out(state, t)


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count the wins of the arm drawn against the anchor."""
    if first == second:
        return
    state.net[first, second] += first_wins - second_wins
    state.net[second, first] -= first_wins - second_wins
    state.won_against[first, second] += first_wins
    state.won[first] += first_wins
    epoch = state.epoch[0]
    for k in range(epoch.n_arrived):
        if state.arrived[k, 0] == first and state.arrived[k, 1] == second:
            return
    state.arrived[epoch.n_arrived, 0] = first
    state.arrived[epoch.n_arrived, 1] = second
    epoch.n_arrived += 1


@kernel
def recommend(state):
    """Return the anchor."""
    return _anchor_now(state)


WIWR = Algorithm.of_module(
    __name__,
    "wiwr",
    "WIWR",
    "condorcet",
    "Agarwal, Agarwal, Patil 2021, Algorithm 1",
    anytime=False,
    parameters={
        "delta": Parameter(0.1, "probability of an error", low=0.0, high=1.0, low_open=True, high_open=True),
        "scale": Parameter(
            1.0, "factor of lambda, which sets the length of epochs; the paper's is 1", low=0.0, low_open=True
        ),
    },
    look=("green", "dotted", ">"),
    source="paper",
)
