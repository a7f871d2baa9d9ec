"""ANACONDA: arms are eliminated, and replays of all arms find out when one has become good again.

An episode begins with all arms good, and ends when none is. Rounds duel two arms drawn from a set A. Where arm a
beats b by more than chance, over some window of the latest rounds, b is no longer good, and leaves A. Replays start
now and then, for 2^j rounds: within them A has all arms again, but for those that are eliminated by what their own
rounds show.

Assumes that every round has a Condorcet winner. Needs the horizon, and nothing about the number of changes. Notation:
docs/algorithms/anaconda.md.

References
----------
.. [1] T. Kleine Buening, A. Saha, "ANACONDA: An Improved Dynamic Regret Algorithm for Adaptive Non-Stationary Dueling
   Bandits", AISTATS 2023 (PMLR 206), Algorithms 1 and 2.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import NEVER, Algorithm, Parameter
from duelbench.bandits.kernels.decorators import kernel
from duelbench.bandits.kernels.records import FloatPerPair, record, with_zeros
from duelbench.bandits.kernels.sampling import draw_member

LAST_ROUND = 2**50  # no run is as long


class State(NamedTuple):
    episode: np.ndarray  # (1,) record of `start`
    members: np.ndarray  # (J + 3, K) bool. Row 0: the good arms; row d: the set of replay d, the outermost first.
    sizes: np.ndarray  # (J + 3,) int64. |A| of each.
    # (J + 3,) int64. First and last rounds of the replays.
    began: np.ndarray
    ends: np.ndarray
    gains: FloatPerPair  # G_ab.
    # (K, K, J + 1) int64. For each j, the last multiple of 2^j (as a number of these) at which G_ab is known.
    latest: np.ndarray
    earlier: np.ndarray  # (K, K, J + 1, 2) float64. G_ab there, and at the multiple before it.
    # Of rounds whose outcomes have not arrived: how many, and their sum of |A|^2.
    pending: FloatPerPair
    squares: FloatPerPair
    won: np.ndarray  # (K K, 2) int64. Pairs with wins that are not yet counted.
    fresh: FloatPerPair  # These wins, weighted.
    threshold: float  # C ln(T) K
    rho: float  # Replay factor
    standing: bool  # Whether replays are drawn ahead


def start(n_arms, horizon, rng, standing, *, C, rho):
    """Return the state before round 1."""
    J = (horizon - 1).bit_length()  # replays have 2^J rounds at most
    return with_zeros(
        State,
        n_arms,
        episode=record(
            start=1,  # t_l
            depth=0,  # the number of replays under way
            n_won=0,  # how many pairs have wins that are not yet counted
            replay=0,  # the next replay's round
            length=0,  # and its length
            is_drawn=0,  # whether these are drawn
        ),
        members=np.ones((J + 3, n_arms), np.bool_),
        sizes=np.full(J + 3, n_arms),
        began=np.ones(J + 3, np.int64),
        ends=np.full(J + 3, NEVER),
        latest=np.zeros((n_arms, n_arms, J + 1), np.int64),
        earlier=np.zeros((n_arms, n_arms, J + 1, 2)),
        won=np.zeros((n_arms * n_arms, 2), np.int64),
        threshold=C * math.log(horizon) * n_arms,
        rho=rho,
        standing=standing,
    )


@kernel
def select(state, t, rng):
    """Return two arms of the current set; one arm while the set has no other."""
    _count_wins(state, t)
    episode = state.episode[0]
    while episode.depth > 0 and t > state.ends[episode.depth]:
        episode.depth -= 1
    _start_replay(state, t, rng)
    top = episode.depth
    size = state.sizes[top]
    if size == 1:
        a = draw_member(state.members[top], 1, rng)
        last = min(state.ends[top], episode.replay - 1) if state.standing else t  # no replay begins with one arm
        return a, a, last - t + 1
    a = draw_member(state.members[top], size, rng)
    b = draw_member(state.members[top], size, rng)
    if a != b:
        state.pending[a, b] += 1
        state.squares[a, b] += size * size
    return a, b, 1


@kernel
def _start_replay(state, t, rng):
    """A replay of all arms, where one starts in round ``t``; those that would end before it end."""
    episode = state.episode[0]
    length = 0
    if not state.standing:
        for j in range(1, state.latest.shape[2] if t > episode.start else 0):
            if rng.random() < _chance(state.rho, j, t - episode.start):
                length = 1 << j
    else:
        if episode.is_drawn == 0:
            _draw_next_replay(state, max(t, episode.start + 1), rng)
        if t == episode.replay:
            length = episode.length
            episode.is_drawn = 0
    if length == 0:
        return
    while episode.depth > 0 and state.ends[episode.depth] <= t + length:
        episode.depth -= 1
    episode.depth += 1
    top = episode.depth
    state.members[top, :] = True
    state.sizes[top] = state.members.shape[1]
    state.began[top] = t
    state.ends[top] = t + length


@kernel
def _chance(rho, j, after):
    """Return the probability that a replay of 2^j rounds starts, ``after`` rounds into the episode."""
    return rho / math.sqrt(float(1 << j) * after)


@kernel
def _draw_next_replay(state, t, rng):
    """Ahead: the first round from ``t`` on in which a replay starts, and its length."""
    episode = state.episode[0]
    J = state.latest.shape[2] - 1
    episode.is_drawn = 1
    episode.replay = NEVER
    while t < LAST_ROUND and J > 0:
        most = 0.0
        for j in range(J, 0, -1):
            most += _chance(state.rho, j, t - episode.start)
        most = min(most, 1.0)
        if most < 1.0:  # no round has a larger chance later on: go to the first that would start one with this
            t += int(min(math.log(1.0 - rng.random()) / math.log1p(-most), float(LAST_ROUND)))
        left = rng.random() * most
        none_longer = 1.0
        for j in range(J, 0, -1):
            chance = _chance(state.rho, j, t - episode.start)
            left -= none_longer * chance
            if left < 0.0:
                episode.replay = t
                episode.length = 1 << j
                return
            none_longer *= 1.0 - chance
        t += 1


@kernel
def _count_wins(state, t):
    """Add the wins that have arrived, one pair after the other, and eliminate who lost too often."""
    episode = state.episode[0]
    rounds = t - episode.start
    for k in range(episode.n_won):
        a = state.won[k, 0]
        b = state.won[k, 1]
        gain = state.fresh[a, b]
        state.fresh[a, b] = 0.0
        if episode.start < t:
            _note_earlier(state, a, b, rounds - 1)
            state.gains[a, b] += gain
            u = _latest_proof(state, a, b, rounds)
            if u >= 0:
                _eliminate(state, b, u)
            if state.sizes[0] == 0:
                _new_episode(state, t)
    episode.n_won = 0


@kernel
def _note_earlier(state, a, b, until):
    """Up to ``until`` rounds, G_ab has not changed since its latest win: note it at the multiples passed since."""
    gain = state.gains[a, b]
    for j in range(state.latest.shape[2]):
        multiple = until >> j
        before = state.latest[a, b, j]
        if multiple == before:
            if multiple == 0:
                return  # nor has any longer power a multiple to note
            continue
        state.earlier[a, b, j, 1] = state.earlier[a, b, j, 0] if multiple == before + 1 else gain
        state.earlier[a, b, j, 0] = gain
        state.latest[a, b, j] = multiple


@kernel
def _latest_proof(state, a, b, rounds):
    """Return the largest u from which on arm a has beaten b too often; -1 where there is none."""
    gain = state.gains[a, b]
    latest = -1
    for j in range(state.latest.shape[2]):
        multiple = state.latest[a, b, j]
        for which in range(min(multiple, 1) + 1):
            u = (multiple - which) << j
            if u > latest and _is_proof(state, gain - state.earlier[a, b, j, which], rounds - u):
                latest = u
        if multiple == 0:
            break
    return latest


@kernel
def _is_proof(state, gain, n):
    """Return whether G_ab grows enough in n rounds to show that a beats b."""
    excess = gain - n / 2.0
    least = state.gains.shape[0]  # of the root: without it most tests are over
    return excess > state.threshold * least and excess > state.threshold * math.sqrt(float(max(n, least * least)))


@kernel
def _eliminate(state, b, u):
    """Arm b leaves the good arms, and the sets of the replays that had started when u rounds had been played."""
    episode = state.episode[0]
    for level in range(episode.depth + 1):
        if state.members[level, b] and (level == 0 or state.began[level] - episode.start <= u):
            state.members[level, b] = False
            state.sizes[level] -= 1


@kernel
def _new_episode(state, t):
    """All arms are good again in round ``t``, and nothing is known."""
    episode = state.episode[0]
    episode.start = t
    episode.depth = 0
    episode.is_drawn = 0
    state.members[0, :] = True
    state.sizes[0] = state.members.shape[1]
    state.gains[:, :] = 0.0
    state.latest[:, :, :] = 0
    state.earlier[:, :, :, :] = 0.0


@kernel
def update(state, first, second, first_wins, second_wins):
    """Keep the wins of the first arm, which count in the next round."""
    if first == second:
        return
    if first_wins > 0:
        if state.fresh[first, second] == 0.0:
            episode = state.episode[0]
            state.won[episode.n_won, 0] = first
            state.won[episode.n_won, 1] = second
            episode.n_won += 1
        state.fresh[first, second] += first_wins * (state.squares[first, second] / state.pending[first, second])
    state.pending[first, second] = 0.0
    state.squares[first, second] = 0.0


@kernel
def recommend(state):
    """Return the good arm whose G_ab add up to most (lowest index on ties)."""
    best = -1
    most = -1.0
    for a in range(state.gains.shape[0]):
        total = 0.0
        for b in range(state.gains.shape[0]):
            total += state.gains[a, b] + state.fresh[a, b]
        if state.members[0, a] and total > most:
            best = a
            most = total
    return best


ANACONDA = Algorithm.of_module(
    __name__,
    "anaconda",
    "ANACONDA",
    "condorcet",
    "Kleine Buening, Saha 2023, Algorithms 1 and 2",
    anytime=False,
    parameters={
        "C": Parameter(0.2, "factor of the threshold; the paper names no value", low=0.0, low_open=True),
        "rho": Parameter(
            0.1, "factor of the replays' probabilities; the paper's is 1", low=0.0, low_open=True, high=1.0
        ),
    },
    tells_together=True,
    look=("vermilion", "dash-dot-dot", ">"),
    source="paper",
)
