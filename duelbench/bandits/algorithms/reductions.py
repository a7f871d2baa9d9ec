"""Reductions of dueling bandits to ordinary ones: Doubler, MultiSBM, Sparring and Self-Sparring.

Bandit machines, which know nothing about duels, choose the arms of each duel; an arm is rewarded if it wins. A duel of
an arm with itself is a fair coin, and counts like any other duel. Anytime.

References
----------
.. [1] N. Ailon, Z. Karnin, T. Joachims, "Reducing Dueling Bandits to Cardinal Bandits", ICML 2014: Algorithms 2
   (Doubler), 3 (MultiSBM) and 4 (Sparring).
.. [2] Y. Sui, V. Zhuang, J. Burdick, Y. Yue, "Multi-dueling Bandits with Dependent Arms", UAI 2017:
   IndSelfSparring, with two arms a round.
"""

from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms import ucb_bandits
from duelbench.bandits.algorithms.adversarial import machines as adversarial
from duelbench.bandits.algorithms.adversarial.machines import Players
from duelbench.bandits.algorithms.contract import Algorithm, Parameter
from duelbench.bandits.algorithms.ucb_bandits import Machines
from duelbench.bandits.kernels.decorators import kernel, plain
from duelbench.bandits.kernels.records import IntPerArm
from duelbench.bandits.kernels.sampling import draw_index, highest

LEFT, RIGHT = 0, 1  # the machines of Sparring


class DoublerState(NamedTuple):
    """Memory of Doubler between rounds; epoch i takes the 2^i rounds from 2^i - 1 to 2^(i + 1) - 2."""

    machines: Machines  # the machine S
    pool: IntPerArm  # The multiset L: how often it has each arm.
    size: np.ndarray  # (1,) int64. Size of L.
    chosen: IntPerArm  # How often each arm was y in this epoch: the next L.


def start_doubler(n_arms, horizon, rng, standing, *, alpha):
    """Return the state before round 1: L = {a random arm}."""
    pool = np.zeros(n_arms, np.int64)
    pool[plain(draw_index)(n_arms, rng)] = 1
    return DoublerState(ucb_bandits.new_machines(1, n_arms, alpha), pool, np.array([1]), np.zeros(n_arms, np.int64))


@kernel
def select_doubler(state, t, rng):
    """Return the pair (x, y) for round ``t``: x from L, y from S."""
    if t > 1 and t & (t + 1) == 0:  # a new epoch: L <- the multiset of all y of the last epoch; reset(S)
        state.size[0] = state.chosen.sum()
        for i in range(state.pool.size):
            state.pool[i] = state.chosen[i]
            state.chosen[i] = 0
        ucb_bandits.reset(state.machines, 0)
    x = _element(state.pool, draw_index(state.size[0], rng))
    y = ucb_bandits.largest_index(state.machines, 0, t, rng)
    state.chosen[y] += 1
    return x, y, 1


@kernel
def _element(pool, place):
    """Return the element at ``place`` (0-based) of the sorted multiset."""
    x = 0
    while place >= pool[x]:
        place -= pool[x]
        x += 1
    return x


@kernel
def update_doubler(state, first, second, first_wins, second_wins):
    """Reward S if y wins."""
    ucb_bandits.observe(state.machines, 0, second, second_wins, first_wins)


@kernel
def recommend_doubler(state):
    """Return the most frequent arm of L (lowest index on ties)."""
    return highest(state.pool)


class MultiSBMState(NamedTuple):
    """Memory of MultiSBM between rounds; arrays are updated in place."""

    machines: Machines  # the machines S_x, one for each arm x
    last: np.ndarray  # (1,) int64. y_(t-1); before round 1, a random arm.


def start_multisbm(n_arms, horizon, rng, standing, *, alpha, unplayed, clock, ties):
    """Return the state before round 1: y_0 is a random arm."""
    return MultiSBMState(
        ucb_bandits.new_machines(n_arms, n_arms, alpha, unplayed, clock, ties),
        np.array([plain(draw_index)(n_arms, rng)]),
    )


@kernel
def select_multisbm(state, t, rng):
    """Return the pair (x, y) for round ``t``: x_t = y_(t-1), and y_t from S_x."""
    x = state.last[0]
    y = ucb_bandits.largest_index(state.machines, x, t, rng)
    state.last[0] = y
    return x, y, ucb_bandits.sure_rounds(state.machines, x) if x == y else 1


@kernel
def update_multisbm(state, first, second, first_wins, second_wins):
    """Reward S_x if y wins."""
    ucb_bandits.observe(state.machines, first, second, second_wins, first_wins)


@kernel
def recommend_multisbm(state):
    """Return the arm x that S_x chose most often; on ties, the arm that was y most often."""
    plays = state.machines.plays
    total = state.machines.total
    best = 0
    for x in range(1, total.size):
        if plays[x, x] > plays[best, best] or (plays[x, x] == plays[best, best] and total[x] > total[best]):
            best = x
    return best


class SparringState(NamedTuple):
    """Memory of Sparring between rounds; arrays are updated in place."""

    machines: Machines  # the machines L and R; if they are adversarial, only how often each arm was played
    failures: np.ndarray  # (2, K) int64. plays - rewards, for Thompson sampling.
    players: Players  # the machines L and R if they are adversarial
    thompson: bool  # Whether the machines are Thompson samplers and not SBM-UCB
    adversarial: bool  # Whether they come from `duelbench.bandits.algorithms.adversarial.machines`


def start_sparring(n_arms, horizon, rng, standing, *, machine, alpha, unplayed, clock, ties, gamma, eta, switches):
    """Return the state before round 1."""
    return SparringState(
        machines=ucb_bandits.new_machines(2, n_arms, alpha, unplayed, clock, ties),
        failures=np.zeros((2, n_arms), np.int64),
        players=adversarial.new_players(machine, n_arms, horizon, gamma, eta, switches),
        thompson=machine == "ts",
        adversarial=machine in adversarial.ADVERSARIAL,
    )


@kernel
def select_sparring(state, t, rng):
    """Return the pair (x, y) for round ``t``: x from L, y from R."""
    machines = state.machines
    if state.adversarial:
        x, y = adversarial.choose_both(state.players, t, rng)
        return x, y, 1
    if state.thompson:
        x = ucb_bandits.largest_sample(machines.rewards[LEFT], state.failures[LEFT], 1.0, rng)
        return x, ucb_bandits.largest_sample(machines.rewards[RIGHT], state.failures[RIGHT], 1.0, rng), 1
    x = ucb_bandits.largest_index(machines, LEFT, t, rng)
    y = ucb_bandits.largest_index(machines, RIGHT, t, rng)
    return x, y, min(ucb_bandits.sure_rounds(machines, LEFT), ucb_bandits.sure_rounds(machines, RIGHT))


@kernel
def update_sparring(state, first, second, first_wins, second_wins):
    """Reward L if x wins, R if y wins."""
    if state.adversarial:
        adversarial.observe_both(state.players, first, second, first_wins, second_wins)
        state.machines.total[first] += first_wins + second_wins
        state.machines.total[second] += first_wins + second_wins
        return
    ucb_bandits.observe(state.machines, LEFT, first, first_wins, second_wins)
    ucb_bandits.observe(state.machines, RIGHT, second, second_wins, first_wins)
    state.failures[LEFT, first] += second_wins
    state.failures[RIGHT, second] += first_wins


@kernel
def recommend_sparring(state):
    """Return the arm that L and R together played most often (lowest index on ties)."""
    return highest(state.machines.total)


def anytime_with_sparring(*, machine, gamma, eta, **others):
    """Return whether it plays without the horizon: adversarial machines need it unless they have a rate."""
    return not adversarial.needs_horizon(machine, gamma, eta)


class SelfSparringState(NamedTuple):
    """Memory of Self-Sparring between rounds; arrays are updated in place."""

    wins: IntPerArm  # S_i of [2]_, divided by eta.
    losses: IntPerArm  # F_i, likewise.
    eta: float  # Learning rate: the weight of a win or a loss
    self_update: bool  # Whether a duel of an arm with itself counts, as a win and a loss


def start_self_sparring(n_arms, horizon, rng, standing, *, eta, self_update):
    """Return the state before round 1: S_i = F_i = 0."""
    return SelfSparringState(np.zeros(n_arms, np.int64), np.zeros(n_arms, np.int64), eta, self_update)


@kernel
def select_self_sparring(state, t, rng):
    """Choose each arm as the one with the largest sample theta_i ~ Beta(S_i + 1, F_i + 1), with new samples each."""
    first = ucb_bandits.largest_sample(state.wins, state.losses, state.eta, rng)
    return first, ucb_bandits.largest_sample(state.wins, state.losses, state.eta, rng), 1


@kernel
def update_self_sparring(state, first, second, first_wins, second_wins):
    """Add eta to S of the winner and to F of the loser."""
    if first == second and not state.self_update:
        return
    state.wins[first] += first_wins
    state.losses[second] += first_wins
    state.wins[second] += second_wins
    state.losses[first] += second_wins


@kernel
def recommend_self_sparring(state):
    """Return the arm with the largest posterior mean (S_i + 1) / (S_i + F_i + 2), the lowest index on ties."""
    best = 0
    largest = -1.0
    for i in range(state.wins.size):
        plays = state.wins[i] + state.losses[i]
        mean = (state.eta * state.wins[i] + 1) / (state.eta * plays + 2)
        if mean > largest:
            largest = mean
            best = i
    return best


DOUBLER = Algorithm.of_module(
    __name__,
    "doubler",
    "Doubler",
    "total order",
    "Ailon, Karnin, Joachims 2014, Algorithm 2",
    parameters={"alpha": ucb_bandits.PARAMETERS["alpha"]},
    state=DoublerState,
    reads_self_duels=True,
    look=("wine", "dotted", "v"),
    source="paper",
)

MULTISBM = Algorithm.of_module(
    __name__,
    "multisbm",
    "MultiSBM",
    "total order",
    "Ailon, Karnin, Joachims 2014, Algorithm 3",
    parameters=ucb_bandits.PARAMETERS,
    state=MultiSBMState,
    reads_self_duels=True,
    duel_by_duel=True,
    trace_version=2,
    look=("orange", "dashed", "X"),
    source="paper",
)

SPARRING = Algorithm.of_module(
    __name__,
    "sparring",
    "Sparring",
    "total order",
    "Ailon, Karnin, Joachims 2014, Algorithm 4",
    parameters={
        "machine": Parameter(
            "ucb",
            "ucb; ts: Thompson sampling, which has no parameters; exp3, exp3ix, exp3s: for adversarial duels",
            choices=("ucb", "ts", *adversarial.ADVERSARIAL),
        ),
        **ucb_bandits.PARAMETERS,
        "gamma": adversarial.GAMMA,
        "eta": adversarial.ETA,
        "switches": adversarial.SWITCHES,
    },
    state=SparringState,
    reads_self_duels=True,
    duel_by_duel=True,
    tells_together=True,
    look=("brown", "dash-dot-dot", "P"),
    source="paper",
)

SELF_SPARRING = Algorithm.of_module(
    __name__,
    "self-sparring",
    "Self-Sparring",
    "condorcet",
    "Sui, Zhuang, Burdick, Yue 2017, IndSelfSparring",
    parameters={
        "eta": Parameter(1.0, "learning rate: what a win or a loss counts", low=0.0, low_open=True),
        "self_update": Parameter(True, "whether a duel of an arm with itself counts, as a win and a loss"),
    },
    state=SelfSparringState,
    reads_self_duels=True,
    look=("indigo", "dashed", "P"),
    source="description",
)
