"""SAVAGE: Sensitivity Analysis of VAriables for Generic Exploration, for any decision.

Samples unknown means in turn and gives one up as soon as the decision cannot depend on it any more, whatever the values
within the confidence intervals of all. When none is left, the decision is played for ever.

The algorithm is one for all decisions; a decision is a small object of its own (`duelbench.problem.decision_rule`).
`savage` takes the decision of the problem that it is played on: N means, sampled one at a time. The others find winners
of preference matrices. For Copeland and Condorcet winners (`duelbench.algorithms.exploration.copeland_decisions`) the
means are the p_ij of the K (K - 1) / 2 pairs i < j, in lexicographic order, and a duel of first = i with second = j is
a sample of p_ij; for Borda winners they are the K probabilities that an arm beats a random other one, the decision is
the highest, and a duel of first = i with a random second arm is a sample of that of i. `savage-sampling` finds out by
simulation what the decision depends on, for which it needs nothing but the decision.

Copeland SAVAGE assumes nothing (pairs with p_ij = 1/2 that matter are explored for ever), Condorcet SAVAGE a Condorcet
winner. All need the horizon.

Drawn, each only where more than one outcome is possible, always in increasing index: in each round of Borda SAVAGE the
second arm, among the K - 1 others; when exploration ends, the decision, among arms that are equally good; with sampled
independence what `_drop_unseen` says.

References
----------
.. [1] T. Urvoy, F. Clerot, R. Feraud, S. Naamane, "Generic Exploration and K-armed Voting Bandits", ICML 2013,
   Algorithms 1 and 2, equations (9), (12), (14); Algorithm 4 of the extended version (what follows exploration).
"""

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from duelbench.algorithms.contract import NEVER, Algorithm, Parameter
from duelbench.algorithms.exploration.copeland_decisions import CONDORCET, COPELAND
from duelbench.algorithms.exploration.dispatch import (
    announced,
    bound,
    conclude,
    feasible,
    follow,
    may_drop,
    narrowed,
    register,
    restart,
    revise,
)
from duelbench.algorithms.exploration.parameter_sets import (
    CURSOR,
    DELTA,
    LISTED,
    NO_ARM,
    SIZE,
    Exploration,
    add_samples,
    drop,
    is_due,
    new_exploration,
    next_parameter,
    pair_number,
)
from duelbench.algorithms.exploration.scalar_decisions import ARGMAX
from duelbench.kernels.decorators import either, either_inlined, kernel
from duelbench.kernels.sampling import draw_index

ANY_OTHER = -1
"""In place of a second arm: a random one."""

TEST_EVERY = Parameter(0, "sweeps between independence tests; 0 tests after every duel", low=0)
NESTED = Parameter(True, "whether an interval is intersected with all earlier ones, as the paper has it")
ACCEPT = Parameter(
    "singleton",
    "when exploration ends: singleton, the decision is certain; empty, no parameter is left that could matter",
    choices=("singleton", "empty"),
)
ETA = Parameter(
    "horizon",
    "of the radius sqrt(ln(eta / delta) / (2t)): horizon, 2NT; anytime, pi^2 N t^2 / 3",
    choices=("horizon", "anytime"),
)
EPSILON = Parameter(0.0, "what the decision may cost; 0: it must be certain", low=0.0)
LATER_ETA = replace(ETA, later=True)


def log_term(n_parameters, horizon, delta):
    """ln(eta / delta) with eta = 2NT, and delta = 1 / T unless given.

    Examples
    --------
    >>> log_term(10, 10**4, 0.1) == math.log(2e6), log_term(1, 10, None) == math.log(200)
    (True, True)
    """
    return math.log(2 * n_parameters * horizon / (1 / horizon if delta is None else delta))


def anytime_log_term(n_parameters, delta):
    """ln(eta / delta) - 2 ln t with eta = pi^2 N t^2 / 3, for exploration without a horizon.

    Examples
    --------
    >>> round(math.exp(anytime_log_term(3, 0.1)), 6) == round(math.pi**2 / 0.1, 6)
    True
    """
    return math.log(math.pi**2 * n_parameters / 3 / delta)


class State(NamedTuple):
    """Memory of SAVAGE between rounds; arrays are updated in place.

    explored : what is known of each mean, and W.
    means : (N,) float64. mu^; 1/2 before the first sample.
    decision : NamedTuple. Which decision, and what it remembers.
    arms : (N, 2) int64. The duel that is a sample of each parameter; the second arm can be ANY_OTHER.
    final : (1,) int64. The decision that exploration has ended with; NO_ARM before.
    n_arms : int. K where parameters are pairs of K arms; 0 where they are first arms.
    self_duels : bool. Whether arm d is played as the duel of d with itself.
    playable : bool. Whether the decision is an arm, that can be played.
    test_every : int. Sweeps between independence tests; 0 tests after every sample.
    until_empty : bool. Whether exploration goes on until W is empty, even if the decision is certain.
    tolerance : float. epsilon: what the decision may cost.
    """

    explored: Exploration
    means: np.ndarray
    decision: Any
    arms: np.ndarray
    final: np.ndarray
    n_arms: int
    self_duels: bool
    playable: bool
    test_every: int
    until_empty: bool
    tolerance: float


def _start(decision, asked, arms, log_terms, *, test_every, nested, until_empty, tolerance=0.0, n_arms=0, house=False):
    """State before round 1; ``asked`` is the `Decision` that ``decision`` belongs to."""
    register(asked)
    return State(
        explored=new_exploration(len(arms), log_terms[0], log_terms[1], nested),
        means=np.full(len(arms), 0.5),
        decision=decision,
        arms=arms,
        final=np.array([NO_ARM]),
        n_arms=n_arms,
        self_duels=not house,
        playable=asked.names_parameter or not house,
        test_every=test_every,
        until_empty=until_empty,
        tolerance=tolerance,
    )


def _all_pairs(n_arms):
    return np.column_stack(np.triu_indices(n_arms, 1))


def start_copeland(n_arms, horizon, rng, standing, *, delta, test_every, accept, nested, eta="horizon", epsilon=0.0):
    """State of Copeland SAVAGE before round 1."""
    pairs = _all_pairs(n_arms)
    return _start(
        COPELAND.begin(n_arms, {}),
        COPELAND,
        pairs,
        _log_terms(len(pairs), horizon, delta, eta),
        test_every=test_every,
        nested=nested,
        until_empty=accept == "empty",
        tolerance=epsilon,
        n_arms=n_arms,
    )


def start_condorcet(n_arms, horizon, rng, standing, *, delta, test_every, nested, eta="horizon", epsilon=0.0):
    """State of Condorcet SAVAGE before round 1."""
    pairs = _all_pairs(n_arms)
    return _start(
        CONDORCET.begin(n_arms, {}),
        CONDORCET,
        pairs,
        _log_terms(len(pairs), horizon, delta, eta),
        test_every=test_every,
        nested=nested,
        until_empty=epsilon == 0,
        tolerance=epsilon,
        n_arms=n_arms,
    )


def start_borda(n_arms, horizon, rng, standing, *, delta, test_every, nested, eta="horizon", epsilon=0.0):
    """State of Borda SAVAGE before round 1."""
    return _start(
        ARGMAX.begin(n_arms, {}),
        ARGMAX,
        np.column_stack((np.arange(n_arms), np.full(n_arms, ANY_OTHER))),
        _log_terms(n_arms, horizon, delta, eta),
        test_every=test_every,
        nested=nested,
        until_empty=epsilon == 0,
        tolerance=epsilon,
    )


def start(n_arms, horizon, rng, standing, *, question, delta, eta, epsilon, test_every, accept, nested):
    """State of SAVAGE before round 1, for N = ``n_arms`` means and the question (decision, its parameters)."""
    asked, parameters = question
    return _start(
        asked.begin(n_arms, parameters),
        asked,
        _one_by_one(n_arms),
        _log_terms(n_arms, horizon, delta, eta),
        test_every=test_every,
        nested=nested,
        until_empty=accept == "empty",
        tolerance=epsilon,
        house=True,
    )


def _one_by_one(n_parameters):
    return np.column_stack((np.arange(n_parameters), np.zeros(n_parameters, np.int64)))


def _log_terms(n_parameters, horizon, delta, eta):
    """(log_term, power) of `exploration.radius`."""
    if eta == "anytime":
        return anytime_log_term(n_parameters, 1 / horizon if delta is None else delta), 2.0
    return log_term(n_parameters, horizon, delta), 0.0


@kernel
def select(state, t, rng):
    """The sample whose turn it is, after the independence tests; the decision for ever when they are through."""
    if (
        state.final[0] == NO_ARM
        and (state.tolerance > 0.0 or may_drop(state.decision, state.explored))
        and is_due(state.explored, state.test_every)
    ):
        revise(state.decision, state.explored)
        _accept(state, rng)
    return _next(state, rng)


@either
def _accept(state, rng):
    """End exploration if W is empty or, unless that is asked for, the decision costs epsilon at most for sure.

    The answer about the means of a scalar bandit is one that is right for all points of the box, wherever there is
    one: f(mu^) need not be, because intervals are nested and mu^ may lie outside of the box.
    """
    explored = state.explored
    is_empty = explored.place[SIZE] == 0
    if state.until_empty and not is_empty:
        return
    d, loss = bound(state.decision, explored.low, explored.high)
    if loss <= state.tolerance and (loss > 0.0 or not state.self_duels):
        state.final[0] = d
    elif is_empty or loss <= state.tolerance:
        state.final[0] = conclude(state.decision, explored, state.means, rng)


@either_inlined
def _next(state, rng):
    """What is played: a sample of the parameter whose turn it is, or the decision.

    A decision that is no arm cannot be played: the last parameter stands there for ever, of which no sample is taken.
    """
    explored = state.explored
    d = state.final[0]
    if d != NO_ARM:
        first = d if state.playable else explored.listed[max(explored.place[CURSOR] - 1, 0)]
        return first, first if state.self_duels else 0, NEVER
    e = next_parameter(explored)
    first = state.arms[e, 0]
    second = state.arms[e, 1]
    if second == ANY_OTHER:
        second = draw_index(explored.samples.size - 1, rng)
        second += second >= first
    return first, second, 1


@kernel
def update(state, first, second, first_wins, second_wins):
    """Steps 2 and 3."""
    _count(state, first, second, first_wins, second_wins)


@either_inlined
def _count(state, first, second, first_wins, second_wins):
    """Count the samples of the parameter and narrow its interval."""
    explored = state.explored
    e = pair_number(first, second, state.n_arms) if state.n_arms > 0 else first
    low = explored.low[e]
    high = explored.high[e]
    before = state.means[e]
    add_samples(explored, e, first_wins, second_wins)
    state.means[e] = explored.ones[e] / explored.samples[e]
    follow(state.decision, state.means, e, before)
    narrowed(state.decision, explored, e, low, high)


@kernel
def recommend(state):
    """f(mu^) (lowest index on ties); after exploration the decision."""
    d = state.final[0]
    return announced(state.decision, state.means) if d == NO_ARM else d


@kernel
def explored_parameters(state):
    """How many parameters are still explored: the size of W; 0 after exploration.

    Examples
    --------
    >>> state = start_condorcet(4, 9, None, True, delta=None, test_every=0, nested=True)
    >>> int(explored_parameters(state))
    6
    """
    return state.explored.place[SIZE] if state.final[0] == NO_ARM else 0


class SampledState(NamedTuple):
    """Memory of SAVAGE Sampling between rounds; arrays are updated in place.

    core : State
    twin : NamedTuple. The decision once more, for points within the box.
    point : (N,) float64. A point of the box.
    unseen : (N,) int64. Parameters of W that have not been seen to matter; how many of them is a local matter.
    simulations : int. Moves per parameter and test.
    moves : int. Moves of one walk.
    """

    core: State
    twin: Any
    point: np.ndarray
    unseen: np.ndarray
    simulations: int
    moves: int


def start_sampling(
    n_arms,
    horizon,
    rng,
    standing,
    *,
    question=None,
    delta,
    eta="horizon",
    test_every,
    nested,
    simulations,
    moves,
    within,
):
    """State of SAVAGE Sampling before round 1: for N means and a question, or for the Copeland winner of K arms."""
    if question is None:
        asked, parameters, arms = COPELAND, {"borda": within == "borda"}, _all_pairs(n_arms)
    else:
        asked, parameters = question
        arms = _one_by_one(n_arms)
    core = _start(
        asked.begin(n_arms, parameters),
        asked,
        arms,
        _log_terms(len(arms), horizon, delta, eta),
        test_every=test_every,
        nested=nested,
        until_empty=True,
        n_arms=0 if question is not None else n_arms,
        house=question is not None,
    )
    return SampledState(
        core=core,
        twin=asked.begin(n_arms, parameters),
        point=np.zeros(len(arms)),
        unseen=np.zeros(len(arms), np.int64),
        simulations=simulations,
        moves=moves,
    )


@kernel
def select_sampling(state, t, rng):
    """The sample whose turn it is, after the sampled tests; the decision for ever when they are through.

    There is no test before the first sample. W being empty, the decision is f(mu^): parameters that were dropped need
    not be certain, so that nothing can be said of the box.
    """
    core = state.core
    if t > 1 and core.final[0] == NO_ARM and is_due(core.explored, core.test_every):
        _drop_unseen(core.explored, state.twin, state.point, state.unseen, state.simulations, state.moves, rng)
        if core.explored.place[SIZE] == 0:
            core.final[0] = announced(core.decision, core.means)
    return _next(core, rng)


@either
def _drop_unseen(explored, twin, point, unseen, simulations, moves, rng):
    """Algorithm 2: W <- the parameters that are seen to matter in random walks within the box.

    So many walks that there are ``simulations`` moves for each parameter of W; the paper says the product only. A
    parameter that is not seen to matter is dropped, whatever it does: there is no guarantee.

    Drawn: for each walk all coordinates of its start, uniformly, in increasing order, anew while they are not feasible
    (at most so many times as there are moves); for each move the parameter, among those not yet seen, and its new
    value, anew while it is not feasible (as often). Those not yet seen are in the order of W, but that the last takes
    the place of one that is seen.
    """
    n_unseen = 0
    for k in range(explored.place[LISTED]):
        e = explored.listed[k]
        if not explored.gone[e]:
            unseen[n_unseen] = e
            n_unseen += 1
    for _walk in range(max(1, n_unseen * simulations // moves)):
        if n_unseen == 0:
            break
        _draw_point(explored, twin, point, moves, rng)
        f = announced(twin, point)
        for _move in range(moves):
            if n_unseen == 0:
                break
            k = draw_index(n_unseen, rng)
            could_move = _move_one(explored, twin, point, unseen[k], moves, rng)
            now = announced(twin, point)
            if now != f or not could_move:
                n_unseen -= 1
                unseen[k] = unseen[n_unseen]
            f = now
    for k in range(n_unseen):
        drop(explored, unseen[k])


@either
def _draw_point(explored, twin, point, attempts, rng):
    """A uniform point of the box that is feasible; any point of the box after so many that are not."""
    for _ in range(attempts):
        for e in range(point.size):
            point[e] = explored.low[e] + (explored.high[e] - explored.low[e]) * rng.random()
        restart(twin, point)
        if feasible(twin, point):
            break


@either
def _move_one(explored, twin, point, e, attempts, rng):
    """Draw x_e anew until the point is feasible; False where so many attempts fail: x_e is then what it was."""
    before = point[e]
    for _ in range(attempts):
        last = point[e]
        point[e] = explored.low[e] + (explored.high[e] - explored.low[e]) * rng.random()
        follow(twin, point, e, last)
        if feasible(twin, point):
            return True
    last = point[e]
    point[e] = before
    follow(twin, point, e, last)
    return False


@kernel
def update_sampling(state, first, second, first_wins, second_wins):
    """Steps 2 and 3."""
    _count(state.core, first, second, first_wins, second_wins)


@kernel
def recommend_sampling(state):
    """f(mu^) (lowest index on ties); after exploration the decision."""
    d = state.core.final[0]
    return announced(state.core.decision, state.core.means) if d == NO_ARM else d


@kernel
def explored_sampling(state):
    """How many parameters are still explored; 0 after exploration."""
    return state.core.explored.place[SIZE] if state.core.final[0] == NO_ARM else 0


SAVAGE_COPELAND = Algorithm(
    id="savage-copeland",
    name="SAVAGE (Copeland)",
    assumes="nothing",
    anytime=False,
    parameters={
        "delta": DELTA,
        "test_every": TEST_EVERY,
        "accept": ACCEPT,
        "nested": NESTED,
        "eta": LATER_ETA,
        "epsilon": Parameter(0.0, "duels by which another score may be higher", low=0.0, later=True),
    },
    reference="Urvoy, Clerot, Feraud, Naamane 2013, Algorithm 1 with equation (9)",
    state=State,
    start=start_copeland,
    select=select,
    update=update,
    recommend=recommend,
    explored=explored_parameters,
)

SAVAGE_CONDORCET = Algorithm(
    id="savage-condorcet",
    name="SAVAGE (Condorcet)",
    assumes="condorcet",
    anytime=False,
    parameters={
        "delta": DELTA,
        "test_every": TEST_EVERY,
        "nested": NESTED,
        "eta": LATER_ETA,
        "epsilon": Parameter(0.0, "how many arms the decision need not surely beat", low=0.0, later=True),
    },
    reference="Urvoy, Clerot, Feraud, Naamane 2013, Algorithm 1 with equation (12)",
    state=State,
    start=start_condorcet,
    select=select,
    update=update,
    recommend=recommend,
    explored=explored_parameters,
)

SAVAGE_BORDA = Algorithm(
    id="savage-borda",
    name="SAVAGE (Borda)",
    assumes="borda",
    anytime=False,
    parameters={
        "delta": DELTA,
        "test_every": TEST_EVERY,
        "nested": NESTED,
        "eta": LATER_ETA,
        "epsilon": Parameter(0.0, "by how much another Borda score may be higher", low=0.0, later=True),
    },
    reference="Urvoy, Clerot, Feraud, Naamane 2013, Algorithm 1 with equation (14)",
    state=State,
    start=start_borda,
    select=select,
    update=update,
    recommend=recommend,
    explored=explored_parameters,
)

SAVAGE = Algorithm(
    id="savage",
    name="SAVAGE",
    assumes="nothing",
    anytime=False,
    parameters={
        "delta": DELTA,
        "eta": ETA,
        "epsilon": EPSILON,
        "test_every": TEST_EVERY,
        "accept": ACCEPT,
        "nested": NESTED,
    },
    reference="Urvoy, Clerot, Feraud, Naamane 2013, Algorithm 1",
    state=State,
    start=start,
    select=select,
    update=update,
    recommend=recommend,
    explored=explored_parameters,
    plays=("samples",),
    trace_version=2,
)

SAVAGE_SAMPLING = Algorithm(
    id="savage-sampling",
    name="SAVAGE Sampling",
    assumes="nothing",
    anytime=False,
    parameters={
        "delta": DELTA,
        "test_every": Parameter(1, "sweeps between independence tests; 0 tests after every sample, at a price", low=0),
        "nested": NESTED,
        "simulations": Parameter(1000, "moves of the random walks per parameter and test", low=1),
        "moves": Parameter(10, "moves of each walk; there are as many walks as that leaves", low=1),
        "within": Parameter(
            "box",
            "where the walks go, on matrices: box, or the part where some arm's Borda score is above 1/2",
            choices=("box", "borda"),
        ),
        "eta": LATER_ETA,
    },
    reference="Urvoy, Clerot, Feraud, Naamane 2013, Algorithms 1 and 2",
    state=SampledState,
    start=start_sampling,
    select=select_sampling,
    update=update_sampling,
    recommend=recommend_sampling,
    explored=explored_sampling,
    plays=("duels", "samples"),
    trace_version=2,
)
