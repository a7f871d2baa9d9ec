"""ANACONDA: eliminates arms, and replays all arms to detect when one has become good again.

An episode starts with all arms good, and ends when none is. Each round duels two arms drawn from a set A. If arm a
beats b significantly over some window of the latest rounds, b is no longer good, and leaves A. Replays start at random,
for 2^j rounds: A then has all arms again, except those that rounds of the replay eliminate.

Assumes that every round has a Condorcet winner. Needs the horizon, but not the number of changes.

In round t of an episode that began in round t_l, a replay of 2^j rounds starts with probability
rho / sqrt(2^j (t - t_l)), for each j = 1, ..., J = ceil(log2 T). The longest of them is played, and ends running ones
that would end before it. G_ab(e) sums |A|^2 over the first e rounds of the episode in which a was first, b second,
and a won. Arm b is eliminated if, with n = e - u, G_ab(e) - G_ab(u) - n / 2 > C ln(T) K sqrt(max(n, K^2)).

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

LAST_ROUND = 2**50  # longer than any run


class State(NamedTuple):
    episode: np.ndarray  # (1,) record of `start`
    members: np.ndarray  # (J + 3, K) bool. Row 0: the good arms; row d: the set of replay d, the outermost first.
    sizes: np.ndarray  # (J + 3,) int64. |A| of each row.
    # (J + 3,) int64. First and last rounds of the replays.
    began: np.ndarray
    ends: np.ndarray
    gains: FloatPerPair  # G_ab.
    # (K, K, J + 1) int64. For each j, the largest m for which G_ab after the first m 2^j rounds is recorded.
    latest: np.ndarray
    earlier: np.ndarray  # (K, K, J + 1, 2) float64. G_ab after m 2^j rounds, and after (m - 1) 2^j rounds.
    # The number of duels of a against b whose outcome has not arrived, and the sum of |A|^2 over these duels.
    pending: FloatPerPair
    squares: FloatPerPair
    won: np.ndarray  # (K K, 2) int64. Pairs with wins that are not yet counted.
    fresh: FloatPerPair  # These wins, weighted.
    threshold: float  # C ln(T) K
    rho: float  # Replay factor
    standing: bool  # Whether a decision may stand for several rounds; replays are then drawn ahead


def start(n_arms, horizon, rng, standing, *, C, rho):
    """Return the state before round 1."""
    J = (horizon - 1).bit_length()  # replays have 2^J rounds at most
    return with_zeros(
        State,
        n_arms,
        episode=record(
            start=1,  # t_l
            depth=0,  # the number of active replays
            n_won=0,  # the number of pairs with wins that are not yet counted
            replay=0,  # the round of the next replay
            length=0,  # its length
            is_drawn=0,  # whether the next replay is drawn
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
        last = min(state.ends[top], episode.replay - 1) if state.standing else t  # until a replay ends or starts
        return a, a, last - t + 1
    a = draw_member(state.members[top], size, rng)
    b = draw_member(state.members[top], size, rng)
    if a != b:
        state.pending[a, b] += 1
        state.squares[a, b] += size * size
    return a, b, 1


@kernel
def _start_replay(state, t, rng):
    """Start a replay of all arms if one is due in round ``t``, and end all replays that would not outlast it."""
    episode = state.episode[0]
    length = 0
    if not state.standing:
        for j in range(1, state.latest.shape[2] if t > episode.start else 0):
            if rng.random() < _replay_probability(state.rho, j, t - episode.start):
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
def _replay_probability(rho, j, elapsed):
    """Return the probability that a replay of 2^j rounds starts, ``elapsed`` rounds into the episode."""
    return rho / math.sqrt(float(1 << j) * elapsed)


@kernel
def _draw_next_replay(state, t, rng):
    """Draw ahead the first round from ``t`` on in which a replay starts, and its length."""
    episode = state.episode[0]
    J = state.latest.shape[2] - 1
    episode.is_drawn = 1
    episode.replay = NEVER
    while t < LAST_ROUND and J > 0:
        bound = 0.0  # on the probability that a replay starts in round t, and in each later round
        for j in range(J, 0, -1):
            bound += _replay_probability(state.rho, j, t - episode.start)
        bound = min(bound, 1.0)
        if bound < 1.0:  # skip the rounds that start no replay even with this probability
            t += int(min(math.log(1.0 - rng.random()) / math.log1p(-bound), float(LAST_ROUND)))
        point = rng.random() * bound
        none_longer = 1.0
        for j in range(J, 0, -1):
            probability = _replay_probability(state.rho, j, t - episode.start)
            point -= none_longer * probability
            if point < 0.0:
                episode.replay = t
                episode.length = 1 << j
                return
            none_longer *= 1.0 - probability
        t += 1


@kernel
def _count_wins(state, t):
    """Add the wins that have arrived, pair by pair, and eliminate each arm that is proven to lose to another."""
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
    """Record G_ab, which last changed at a's latest win, at each multiple of 2^j since then, up to ``until``."""
    gain = state.gains[a, b]
    for j in range(state.latest.shape[2]):
        multiple = until >> j
        before = state.latest[a, b, j]
        if multiple == before:
            if multiple == 0:
                return  # larger powers have no multiple to record either
            continue
        state.earlier[a, b, j, 1] = state.earlier[a, b, j, 0] if multiple == before + 1 else gain
        state.earlier[a, b, j, 0] = gain
        state.latest[a, b, j] = multiple


@kernel
def _latest_proof(state, a, b, rounds):
    """Return the largest u such that the wins after the first u rounds prove that a beats b; -1 if none does."""
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
    least = state.gains.shape[0]  # a lower bound on the root, which already decides most tests
    return excess > state.threshold * least and excess > state.threshold * math.sqrt(float(max(n, least * least)))


@kernel
def _eliminate(state, b, u):
    """Remove arm b from the good arms, and from the sets of replays that had started after u rounds."""
    episode = state.episode[0]
    for level in range(episode.depth + 1):
        if state.members[level, b] and (level == 0 or state.began[level] - episode.start <= u):
            state.members[level, b] = False
            state.sizes[level] -= 1


@kernel
def _new_episode(state, t):
    """Start an episode in round ``t``: all arms are good again, and nothing is known."""
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
    """Keep the wins of the first arm until the next round, in which they are counted."""
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
    """Return the good arm with the largest sum of G_ab (lowest index on ties)."""
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
