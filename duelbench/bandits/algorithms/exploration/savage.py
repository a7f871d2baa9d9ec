"""SAVAGE: Sensitivity Analysis of VAriables for Generic Exploration, for any decision.

Samples unknown means in turn, and drops a mean as soon as the decision no longer depends on it, for any values within
all confidence intervals. Once none is left, the decision is played in all later rounds.

Assumes nothing; if the decision depends on the exact value of a mean, exploration never ends. Needs the horizon.

Algorithm 1 of [1]_ for the decision f of N means, with all parameters in W and the box H = [0, 1]^N at first. While not
Accept(f, H, W):

1. i in argmin t_i over W: it is the turn of the parameter sampled least.
2. Draw x from X_i; t_i <- t_i + 1; mu^_i <- (1 - 1 / t_i) mu^_i + x / t_i.
3. H <- the points x of H with |x_i - mu^_i| < c(t_i), c(t) = sqrt(ln(eta / delta) / (2t)).
4. Remove from W the parameters on which f does not depend in H.

Accept is W = {} (equation (2)) or that f is certain in H (3). In this module, a round starts with line 4 of the
previous round.

A decision is a separate object (`duelbench.bandits.problem.decision_rule`). `savage` uses the decision of the problem;
the others find Copeland or Condorcet winners from the p_ij of the pairs i < j, or Borda winners from the K
probabilities that an arm beats a random other arm. The decisions skip line 4 and Accept if none of their inputs has
changed; this makes it faster, and changes no sample.

References
----------
.. [1] T. Urvoy, F. Clerot, R. Feraud, S. Naamane, "Generic Exploration and K-armed Voting Bandits", ICML 2013,
   Algorithm 1, equations (2), (3), (9), (12), (14); Algorithm 4 of the extended version (what follows exploration).
"""

import math
from typing import Any, NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import NEVER, Algorithm, Parameter
from duelbench.bandits.algorithms.exploration import parameter_sets as sets
from duelbench.bandits.algorithms.exploration.copeland_decisions import CONDORCET, COPELAND
from duelbench.bandits.algorithms.exploration.dispatch import bound, conclude, follow, narrowed, register, revise
from duelbench.bandits.algorithms.exploration.parameter_sets import DELTA, NO_ARM, Exploration
from duelbench.bandits.algorithms.exploration.scalar_decisions import ARGMAX
from duelbench.bandits.kernels.decorators import inlined_or_plain, kernel, kernel_or_plain, plain
from duelbench.bandits.kernels.sampling import draw_index

RANDOM_ARM = -1  # as the second arm of a duel: one drawn from all other arms


class State(NamedTuple):
    explored: Exploration  # the samples and the interval of each mean, and W
    means: np.ndarray  # (N,) float64. mu^; 1/2 before the first sample.
    decision: Any  # NamedTuple. The decision and its memory.
    arms: np.ndarray  # (N, 2) int64. The duel that samples each parameter; the second arm can be RANDOM_ARM.
    announced: np.ndarray  # (1,) int64. f(mu^).
    final: np.ndarray  # (1,) int64. The decision that exploration has ended with; NO_ARM before.
    n_arms: int  # K if parameters are pairs of K arms; 0 if they are first arms
    self_duels: bool  # Whether arm d is played as the duel of d with itself
    playable: bool  # Whether the decision is an arm, which can be played
    test_every: int  # Sweeps between independence tests; 0 tests after every sample
    until_empty: bool  # Whether exploration goes on until W is empty, even if the decision is certain
    tolerance: float  # epsilon: the largest allowed cost of the decision


@kernel
def select(state, t, rng):
    """Return the sample whose turn it is; once the decision is accepted, return it for all later rounds."""
    is_tested = state.final[0] == NO_ARM and sets.is_due(state.explored, state.test_every)
    if is_tested and (revise(state.decision, state.explored) or state.tolerance > 0.0):  # line 4
        _accept(state, rng)
    return play(state, rng)  # line 1


@kernel_or_plain
def _accept(state, rng):
    """Accept: end exploration if W is empty or, unless that is required, the decision surely costs epsilon at most."""
    explored = state.explored
    is_empty = explored.place[0].n_left == 0
    if state.until_empty and not is_empty:
        return
    d, loss = bound(state.decision, explored.low, explored.high)
    if loss <= state.tolerance and (loss > 0.0 or not state.self_duels):
        state.final[0] = d  # f(mu^) may differ: mu^ may lie outside of nested intervals
    elif is_empty or loss <= state.tolerance:
        state.final[0] = conclude(state.decision, explored, state.means, rng)


@inlined_or_plain
def play(state, rng):
    """Return the next sample; after exploration, the decision.

    If the decision is no arm, return the last parameter sampled.
    """
    explored = state.explored
    d = state.final[0]
    if d != NO_ARM:
        first = d if state.playable else explored.listed[max(explored.place[0].cursor - 1, 0)]
        return first, first if state.self_duels else 0, NEVER
    e = sets.next_parameter(explored)
    first = state.arms[e, 0]
    second = state.arms[e, 1]
    if second == RANDOM_ARM:
        second = draw_index(explored.samples.size - 1, rng)
        second += second >= first
    return first, second, 1


@kernel
def update(state, first, second, first_wins, second_wins):
    """Lines 2 and 3."""
    count(state, first, second, first_wins, second_wins)


@inlined_or_plain
def count(state, first, second, first_wins, second_wins):
    """Count samples of a parameter and narrow its interval."""
    explored = state.explored
    e = sets.pair_number(first, second, state.n_arms) if state.n_arms > 0 else first
    low = explored.low[e]
    high = explored.high[e]
    before = state.means[e]
    sets.add_samples(explored, e, first_wins, second_wins)  # line 3
    state.means[e] = explored.ones[e] / explored.samples[e]  # line 2
    state.announced[0] = follow(state.decision, state.means, e, before, state.announced[0])
    narrowed(state.decision, explored, e, low, high)


@kernel
def recommend(state):
    """Return f(mu^) (lowest index on ties), or the decision after exploration."""
    return state.announced[0] if state.final[0] == NO_ARM else state.final[0]


@kernel
def explored_parameters(state):
    """Return how many parameters are still explored: the size of W; 0 after exploration."""
    return state.explored.place[0].n_left if state.final[0] == NO_ARM else 0


def begin(
    question, arms, horizon, *, delta, test_every, nested, eta, epsilon=0.0, accept=None, n_arms=0, samples=False
):
    """Return the state before round 1 for a ``question``: a `Decision` and its parameters.

    ``samples`` says whether it plays a scalar bandit. ``accept`` is None if the algorithm has no such parameter; with
    ``epsilon`` 0, exploration then ends only once W is empty.
    """
    asked, parameters = question
    register(asked)
    failure = 1 / horizon if delta is None else delta
    if eta == "anytime":  # pi^2 N t^2 / 3
        log_term, power = math.log(math.pi**2 * len(arms) / 3 / failure), 2.0
    else:  # 2NT
        log_term, power = math.log(2 * len(arms) * horizon / failure), 0.0
    means = np.full(len(arms), 0.5)
    decision = asked.begin(n_arms or len(arms), parameters)
    return State(
        explored=sets.new_exploration(len(arms), log_term, power, nested),
        means=means,
        decision=decision,
        arms=arms,
        announced=np.array([plain(asked.decide)(decision, means)], np.int64),
        final=np.array([NO_ARM]),
        n_arms=n_arms,
        self_duels=not samples,
        playable=asked.names_parameter or not samples,
        test_every=test_every,
        until_empty=epsilon == 0 if accept is None else accept == "empty",
        tolerance=epsilon,
    )


def start(n_arms, horizon, rng, standing, *, question, **options):
    """Return the state of SAVAGE before round 1, for N = ``n_arms`` means."""
    return begin(question, one_by_one(n_arms), horizon, samples=True, **options)


def start_copeland(n_arms, horizon, rng, standing, **options):
    """Return the state of Copeland SAVAGE before round 1."""
    return begin((COPELAND, {}), sets.all_pairs(n_arms), horizon, n_arms=n_arms, **options)


def start_condorcet(n_arms, horizon, rng, standing, **options):
    """Return the state of Condorcet SAVAGE before round 1."""
    return begin((CONDORCET, {}), sets.all_pairs(n_arms), horizon, n_arms=n_arms, **options)


def start_borda(n_arms, horizon, rng, standing, **options):
    """Return the state of Borda SAVAGE before round 1."""
    arms = np.column_stack((np.arange(n_arms), np.full(n_arms, RANDOM_ARM)))
    return begin((ARGMAX, {}), arms, horizon, **options)


def one_by_one(n_parameters):
    """Return the samples of N means, as duels whose second arm does not matter."""
    return np.column_stack((np.arange(n_parameters), np.zeros(n_parameters, np.int64)))


TEST_EVERY = Parameter(0, "sweeps between independence tests; 0 tests after every duel", low=0)
NESTED = Parameter(True, "whether an interval is intersected with all earlier ones, as the paper has it")
ACCEPT = Parameter(
    "singleton",
    "when exploration ends: singleton, the decision is certain; empty, no parameter is left that could matter",
    choices=("singleton", "empty"),
)
ETA = Parameter(
    "horizon",
    "eta in the radius sqrt(ln(eta / delta) / (2t)): horizon, 2NT; anytime, pi^2 N t^2 / 3",
    choices=("horizon", "anytime"),
)
EPSILON = Parameter(0.0, "largest allowed cost of the decision; 0: it must be certain", low=0.0)


def _parameters(epsilon: str, **more: Parameter) -> dict[str, Parameter]:
    """Return the parameters of SAVAGE on matrices, with this description of ``epsilon``."""
    tolerance = Parameter(0.0, epsilon, low=0.0)
    return {
        "delta": DELTA,
        "test_every": TEST_EVERY,
        **more,
        "nested": NESTED,
        "eta": ETA,
        "epsilon": tolerance,
    }


_RULE: dict[str, Any] = {"anytime": False, "explored": explored_parameters}

SAVAGE = Algorithm.of_module(
    __name__,
    "savage",
    "SAVAGE",
    "nothing",
    "Urvoy, Clerot, Feraud, Naamane 2013, Algorithm 1",
    parameters={
        "delta": DELTA,
        "eta": ETA,
        "epsilon": EPSILON,
        "test_every": TEST_EVERY,
        "accept": ACCEPT,
        "nested": NESTED,
    },
    plays=("samples",),
    trace_version=2,
    **_RULE,
    look=("vermilion", "solid", "h"),
    source="paper",
)

SAVAGE_COPELAND = Algorithm.of_module(
    __name__,
    "savage-copeland",
    "SAVAGE (Copeland)",
    "nothing",
    "Urvoy, Clerot, Feraud, Naamane 2013, Algorithm 1 with equation (9)",
    answers=("copeland", "condorcet"),
    parameters=_parameters("by how many beaten arms another arm may exceed the decision", accept=ACCEPT),
    start=start_copeland,
    **_RULE,
    look=("indigo", "dotted", "h"),
    source="paper",
)

SAVAGE_CONDORCET = Algorithm.of_module(
    __name__,
    "savage-condorcet",
    "SAVAGE (Condorcet)",
    "condorcet",
    "Urvoy, Clerot, Feraud, Naamane 2013, Algorithm 1 with equation (12)",
    answers=("condorcet",),
    parameters=_parameters("how many arms the decision need not be proven to beat"),
    start=start_condorcet,
    **_RULE,
    look=("sky", "dashed", "h"),
    source="paper",
)

SAVAGE_BORDA = Algorithm.of_module(
    __name__,
    "savage-borda",
    "SAVAGE (Borda)",
    "borda",
    "Urvoy, Clerot, Feraud, Naamane 2013, Algorithm 1 with equation (14)",
    answers=("borda",),
    parameters=_parameters("how much higher the Borda score of another arm may be"),
    start=start_borda,
    **_RULE,
    look=("brown", "dash-dot", "h"),
    source="paper",
)
