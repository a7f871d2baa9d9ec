"""The baselines of SAVAGE on scalar bandits: each arm in turn, UCB1, successive elimination.

All announce f(mu^), the decision at the sample means. Naive ones aim at the highest mean, wrapped ones at the highest
worth: the worth of an arm as the decision, if the sample means were true.

References
----------
.. [1] T. Urvoy, F. Clerot, R. Feraud, S. Naamane, "Generic Exploration and K-armed Voting Bandits", ICML 2013,
   section 5.1.
.. [2] P. Auer, N. Cesa-Bianchi, P. Fischer, "Finite-time analysis of the multiarmed bandit problem", Machine Learning
   47, 2002, UCB1.
.. [3] E. Even-Dar, S. Mannor, Y. Mansour, "PAC bounds for multi-armed bandit and Markov decision processes", COLT 2002,
   successive elimination.
"""

import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import NEVER, Algorithm, Parameter
from duelbench.bandits.algorithms.exploration.dispatch import follow, register, worth
from duelbench.bandits.algorithms.exploration.parameter_sets import DELTA, NO_ARM
from duelbench.bandits.kernels.decorators import inlined_or_plain, kernel, kernel_or_plain, plain
from duelbench.bandits.kernels.records import record


class Means(NamedTuple):
    """Means of samples and the decision at them."""

    samples: np.ndarray  # (N,) int64
    ones: np.ndarray  # (N,) int64. How many of the samples were 1.
    means: np.ndarray  # (N,) float64. 1/2 before the first sample.
    announced: np.ndarray  # (1,) int64. f(mu^).
    decision: Any  # NamedTuple
    wrapped: bool  # Whether an arm's worth takes the place of its mean


def _new_means(n_arms, question, wrapped=False):
    asked, parameters = question
    register(asked)
    decision = asked.begin(n_arms, parameters)
    means = np.full(n_arms, 0.5)
    announced = np.array([plain(asked.decide)(decision, means)], np.int64)
    return Means(np.zeros(n_arms, np.int64), np.zeros(n_arms, np.int64), means, announced, decision, wrapped)


@inlined_or_plain
def _count(seen, arm, ones, zeros):
    """Count samples of an arm."""
    before = seen.means[arm]
    seen.samples[arm] += ones + zeros
    seen.ones[arm] += ones
    seen.means[arm] = seen.ones[arm] / seen.samples[arm]
    seen.announced[0] = follow(seen.decision, seen.means, arm, before, seen.announced[0])


@inlined_or_plain
def _value(seen, i):
    """Return v_i, the mean of an arm or its worth as the decision."""
    return worth(seen.decision, seen.means, i, seen.announced[0]) if seen.wrapped else seen.means[i]


@kernel
def update_seen(state, first, second, first_wins, second_wins):
    """Count the sample."""
    _count(state.seen, first, first_wins, second_wins)


@kernel
def recommend_seen(state):
    """Return f(mu^)."""
    return state.seen.announced[0]


@kernel
def explored_always(state):
    """Return all arms."""
    return state.seen.means.size


def refuses_numbers(n_arms, horizon, *, question, **parameters):
    """Return why the wrapped ones cannot play: the decision must be an arm."""
    if question[0].names_parameter:
        return None
    return f"the decision {question[0].name} is not an arm: what an arm is worth is not defined"


class RoundRobinState(NamedTuple):
    seen: Means


def start_round_robin(n_arms, horizon, rng, standing, *, question):
    """Return the state before round 1."""
    return RoundRobinState(_new_means(n_arms, question))


@kernel
def select_round_robin(state, t, rng):
    """Return the arm whose turn it is."""
    return (t - 1) % state.seen.means.size, 0, 1


class UCBState(NamedTuple):
    seen: Means
    chosen: np.ndarray  # (N,) int64. How often each arm was chosen.
    spread: np.ndarray  # (N,) float64. 1 / sqrt(n_i) of the samples that have arrived; infinite before the first.


def start_ucb(n_arms, horizon, rng, standing, *, question, wrapped=False):
    """Return the state of UCB1 before round 1."""
    return UCBState(_new_means(n_arms, question, wrapped), np.zeros(n_arms, np.int64), np.full(n_arms, math.inf))


@kernel
def select_ucb(state, t, rng):
    """Return the least chosen arm without a sample, or if there is none, the largest v_i + sqrt(2 ln(t - 1) / n_i)."""
    n_arms = state.chosen.size
    width = math.sqrt(2 * math.log(t - 1)) if t > 1 else 0.0
    best = 0
    highest = -math.inf
    fewest = NEVER
    for i in range(n_arms):
        if state.seen.samples[i] == 0:
            if state.chosen[i] < fewest:
                fewest = state.chosen[i]
                best = i
        elif fewest == NEVER:
            index = _value(state.seen, i) + width * state.spread[i]
            if index > highest:
                highest = index
                best = i
    state.chosen[best] += 1
    return best, 0, 1


@kernel
def update_ucb(state, first, second, first_wins, second_wins):
    """Count the sample."""
    _count(state.seen, first, first_wins, second_wins)
    state.spread[first] = 1 / math.sqrt(state.seen.samples[first])


class EliminationState(NamedTuple):
    seen: Means
    active: np.ndarray  # (N,) int64. The set S in increasing order; the first n_left count.
    place: np.ndarray  # (1,) record: the place in S of the arm whose turn is next, the size of S, sweeps completed.
    final: np.ndarray  # (1,) int64. f(mu^) when one arm was left; NO_ARM before.
    log_term: float  # ln(c N / delta)
    playable: bool  # Whether the decision is an arm


def start_elimination(n_arms, horizon, rng, standing, *, question, delta, const, wrapped=False):
    """Return the state of elimination before round 1."""
    return EliminationState(
        seen=_new_means(n_arms, question, wrapped),
        active=np.arange(n_arms),
        place=record(cursor=0, n_left=n_arms, sweep=0),
        final=np.array([NO_ARM]),
        log_term=math.log(const * n_arms / (1 / horizon if delta is None else delta)),
        playable=question[0].names_parameter,
    )


@kernel
def select_elimination(state, t, rng):
    """Return the arm whose turn it is, after each sweep through S without the arms that fall too far behind."""
    place = state.place[0]
    if state.final[0] == NO_ARM and place.cursor == place.n_left:
        place.sweep += 1
        place.cursor = 0
        _eliminate(state)
    if state.final[0] != NO_ARM:
        return (state.final[0] if state.playable else state.active[0]), 0, NEVER
    arm = state.active[place.cursor]
    place.cursor += 1
    return arm, 0, 1


@kernel_or_plain
def _eliminate(state):
    """Drop from S all i with max v - v_i >= 2 alpha_t; once one arm is left, the announced decision is final."""
    place = state.place[0]
    highest = -math.inf
    for a in range(place.n_left):
        highest = max(highest, _value(state.seen, state.active[a]))
    alpha = math.sqrt((state.log_term + 2 * math.log(place.sweep)) / place.sweep)  # sqrt(ln(c N t^2 / delta) / t)
    kept = 0
    for a in range(place.n_left):
        i = state.active[a]
        if highest - _value(state.seen, i) < 2 * alpha:
            state.active[kept] = i
            kept += 1
    place.n_left = kept
    if kept == 1:
        state.final[0] = state.seen.announced[0]


@kernel
def recommend_elimination(state):
    """Return f(mu^), which is final once one arm is left."""
    return state.seen.announced[0] if state.final[0] == NO_ARM else state.final[0]


@kernel
def explored_elimination(state):
    """Return the size of S: 1 at the end."""
    return state.place[0].n_left


_REFERENCE = "baseline of Urvoy, Clerot, Feraud, Naamane 2013, section 5.1"
_BASELINE: dict[str, Any] = {
    "assumes": "nothing",
    "anytime": True,
    "parameters": {},
    "plays": ("samples",),
    "update": update_seen,
    "recommend": recommend_seen,
    "explored": explored_always,
}
_UCB = {**_BASELINE, "state": UCBState, "select": select_ucb, "update": update_ucb}
_ELIMINATION = {
    **_BASELINE,
    "anytime": False,
    "parameters": {"delta": DELTA, "const": Parameter(4.0, "c of the radius sqrt(ln(c N t^2 / delta) / t)", low=1.0)},
    "state": EliminationState,
    "select": select_elimination,
    "recommend": recommend_elimination,
    "explored": explored_elimination,
}

ROUND_ROBIN = Algorithm(
    id="round-robin",
    name="Uniform",
    reference=_REFERENCE,
    state=RoundRobinState,
    start=start_round_robin,
    select=select_round_robin,
    **_BASELINE,
    look=("grey", "dotted", "p"),
    source="paper",
)

UCB1 = Algorithm(
    id="ucb1",
    name="UCB1",
    reference=f"Auer, Cesa-Bianchi, Fischer 2002; {_REFERENCE}",
    start=start_ucb,
    **_UCB,
    look=("orange", "dashed", "v"),
    source="description",
)

UCB1_WRAPPED = Algorithm(
    id="ucb1-wrapped",
    name="UCB1 (wrapped)",
    reference=_REFERENCE,
    start=partial(start_ucb, wrapped=True),
    refuses=refuses_numbers,
    **_UCB,
    look=("brown", "long", "v"),
    source="description",
)

ELIMINATION = Algorithm(
    id="elimination",
    name="Elimination",
    reference=f"Even-Dar, Mannor, Mansour 2002; {_REFERENCE}",
    start=start_elimination,
    **_ELIMINATION,
    look=("pink", "dashed", "s"),
    source="description",
)

ELIMINATION_WRAPPED = Algorithm(
    id="elimination-wrapped",
    name="Elimination (wrapped)",
    reference=_REFERENCE,
    start=partial(start_elimination, wrapped=True),
    refuses=refuses_numbers,
    **_ELIMINATION,
    look=("wine", "dash-dot", "s"),
    source="description",
)
