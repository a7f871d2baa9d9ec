"""Beat the Mean (BTM).

Duels the arm with the fewest duels against a random one, and drops the arm with the worst share of wins as soon as it
is surely worse than the best. The last arm then plays all later rounds.

Assumes a total order with the stochastic triangle inequality and gamma-relaxed strong stochastic transitivity. Needs
the horizon.

References
----------
.. [1] Y. Yue, T. Joachims, "Beat the Mean Bandit", ICML 2011, Algorithm 1, by descriptions and public programs.
"""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import NEVER, Algorithm, Parameter
from duelbench.bandits.algorithms.exploration.parameter_sets import DELTA
from duelbench.bandits.kernels.decorators import inlined, kernel
from duelbench.bandits.kernels.records import IntPerArm, IntPerPair, with_zeros
from duelbench.bandits.kernels.sampling import draw_index


class State(NamedTuple):
    active: np.ndarray  # (K,) int64. The set W in increasing order; the first n_active entries count.
    n_active: np.ndarray  # (1,) int64
    is_active: np.ndarray  # (K,) bool
    plays: IntPerPair  # plays[b, b'] = duels of b with b' in which b was the first arm.
    wins: IntPerPair  # How many of them b has won.
    active_plays: IntPerArm  # n_b: row sums over the arms of W. Arms count duels as b, not as b'.
    active_wins: IntPerArm  # w_b, likewise.
    mean: np.ndarray  # (K,) float64. P^_b = w_b / n_b; 1/2 if n_b = 0.
    scale: float  # The confidence radius is c(n) = scale / sqrt(n)
    enough: int  # N: the smallest n_b that ends the PAC mode; NEVER in online mode
    self_duels: bool  # Whether b' may be b
    lowest: bool  # Whether ties for b go to the lowest index instead of a random arm
    misread: bool  # Whether max P^ is read at the place of the best arm in W, as if it were its index


def start(n_arms, horizon, rng, standing, *, gamma, const, self_duels, ties, maximum, epsilon, delta):
    """Return the state before round 1: W = all arms."""
    if epsilon > 0:
        failure = 1 / horizon if delta is None else delta
        enough = pac_plays(n_arms, gamma, epsilon, failure)
        log_term = math.log(n_arms**3 * enough / failure)
    else:
        enough = NEVER
        log_term = math.log(2 * horizon * n_arms)  # delta = 1 / (2 T K)
    return with_zeros(
        State,
        n_arms,
        active=np.arange(n_arms),
        n_active=np.array([n_arms]),
        is_active=np.ones(n_arms, np.bool_),
        mean=np.full(n_arms, 0.5),
        scale=const * gamma * gamma * math.sqrt(log_term),
        enough=enough,
        self_duels=self_duels,
        lowest=ties == "lowest",
        misread=maximum == "misread",
    )


def pac_plays(n_arms, gamma, epsilon, delta):
    """Return N of the PAC mode, the least whole number with N = ceil(36 gamma^6 / epsilon^2 ln(K^3 N / delta))."""
    factor = 6 * gamma * gamma * gamma / epsilon
    n = 1
    while True:
        needed = factor * factor * math.log(n_arms**3 * n / delta)
        if needed > NEVER:
            return NEVER
        if needed <= n:
            return n
        n = math.ceil(needed)


@kernel
def select(state, t, rng):
    """Return the pair (b, b') for round ``t``, after at most one elimination; a single arm's self-duel is final."""
    n_active = state.n_active
    fewest, n_fewest = _fewest(state.active, n_active[0], state.active_plays)
    if _drops_worst(state, fewest, rng):
        fewest, n_fewest = _fewest(state.active, n_active[0], state.active_plays)
    if fewest >= state.enough:
        _keep_best(state, rng)
    if n_active[0] == 1:
        return state.active[0], state.active[0], NEVER
    skip = 0 if state.lowest else draw_index(n_fewest, rng)
    b = _pick(state.active, n_active[0], state.active_plays, fewest, skip)
    a = draw_index(n_active[0] - (not state.self_duels), rng)  # b' is uniform in W, or in W \\ {b}
    if not state.self_duels and state.active[a] >= b:
        a += 1
    return b, state.active[a], 1


@kernel
def _fewest(active, n_active, plays):
    """Return n* = min n_b over W, and how many arms have it."""
    fewest = NEVER
    count = 0
    for a in range(n_active):
        n = plays[active[a]]
        if n < fewest:
            fewest = n
            count = 1
        elif n == fewest:
            count += 1
    return fewest, count


@kernel
def _pick(active, n_active, values, value, skip):
    """Return the arm at place ``skip`` among the arms of W with values[arm] = ``value``."""
    b = -1
    for a in range(n_active):
        b = active[a]
        if values[b] == value:
            if skip == 0:
                break
            skip -= 1
    return b


@inlined
def _drops_worst(state, fewest, rng):
    """Drop the arm with the least P^ if min P^ + c* <= max P^ - c*, which no c* above 1/2 allows; whether one went."""
    c = state.scale / math.sqrt(fewest) if fewest > 0 else 1.0  # c* = c(n*)
    drops = False
    if c <= 0.5:
        low, n_low, high = _extremes(state.active, state.n_active[0], state.mean, state.misread)
        drops = low + c <= high - c
        if drops:
            _drop(state, _pick(state.active, state.n_active[0], state.mean, low, draw_index(n_low, rng)))
    return drops


@kernel
def _extremes(active, n_active, mean, misread):
    """Return min P^ over W, how many arms have it, and max P^ (or the value that a published program uses for it)."""
    low = math.inf
    high = -math.inf
    n_low = 0
    for a in range(n_active):
        p = mean[active[a]]
        if p > high:
            high = mean[a] if misread else p
        if p < low:
            low = p
            n_low = 1
        elif p == low:
            n_low += 1
    return low, n_low, high


@kernel
def _drop(state, r):
    """W <- W \\ {r}, and the comparisons of all other arms with r are deleted."""
    state.is_active[r] = False
    kept = 0
    for a in range(state.n_active[0]):
        b = state.active[a]
        if b != r:
            state.active[kept] = b
            kept += 1
            state.active_plays[b] -= state.plays[b, r]
            state.active_wins[b] -= state.wins[b, r]
            _average(state, b)
    state.n_active[0] = kept


@kernel
def _best(active, n_active, mean):
    """Return argmax P^ over W, the lowest index on ties."""
    best = active[0]
    for a in range(1, n_active):
        if mean[active[a]] > mean[best]:
            best = active[a]
    return best


@kernel
def _keep_best(state, rng):
    """W <- {argmax P^}: the end of the PAC mode."""
    high = state.mean[_best(state.active, state.n_active[0], state.mean)]
    n_high = 0
    for a in range(state.n_active[0]):
        n_high += state.mean[state.active[a]] == high
    best = _pick(state.active, state.n_active[0], state.mean, high, draw_index(n_high, rng))
    for b in range(state.is_active.size):
        state.is_active[b] = b == best
    state.active[0] = best
    state.n_active[0] = 1


@inlined
def _average(state, b):
    """Update P^_b = w_b / n_b."""
    plays = state.active_plays[b]
    state.mean[b] = state.active_wins[b] / plays if plays > 0 else 0.5


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count duels for b alone; those with an arm that has been dropped meanwhile are deleted at once."""
    if not state.is_active[second]:
        return
    state.plays[first, second] += first_wins + second_wins
    state.wins[first, second] += first_wins
    state.active_plays[first] += first_wins + second_wins
    state.active_wins[first] += first_wins
    _average(state, first)


@kernel
def recommend(state):
    """Return the arm of W with the highest P^ (lowest index on ties)."""
    return _best(state.active, state.n_active[0], state.mean)


@kernel
def explored(state):
    """Return the arms still in play: the size of W."""
    return state.n_active[0]


BTM = Algorithm.of_module(
    __name__,
    "btm",
    "BTM",
    "total order",
    "Yue, Joachims 2011, Algorithm 1",
    answers=("condorcet",),
    anytime=False,
    parameters={
        "gamma": Parameter(1.0, "relaxation of stochastic transitivity; 1 is none", low=1.0),
        "const": Parameter(3.0, "of the confidence radius const gamma^2 sqrt(ln(2TK) / n)", low=0.0, low_open=True),
        "self_duels": Parameter(True, "whether an arm may be its own opponent, as the paper has it"),
        "ties": Parameter(
            "random", "for b: random, or lowest index as in a published program", choices=("random", "lowest")
        ),
        "maximum": Parameter(
            "right", "max P^: right, or misread as in a published program (see the page)", choices=("right", "misread")
        ),
        "epsilon": Parameter(0.0, "0: online mode; > 0: PAC mode, which stops at an epsilon-optimal arm", low=0.0),
        "delta": replace(DELTA, description="failure probability of the PAC mode; 1/T unless given"),
    },
    reads_self_duels=True,
    look=("olive", "dashed", "<"),
    source="description",
)
