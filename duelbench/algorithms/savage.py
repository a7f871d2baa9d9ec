"""SAVAGE: Sensitivity Analysis of VAriables for Generic Exploration, for Copeland, Condorcet and Borda winners.

Samples unknown probabilities in turn and gives one up as soon as the decision cannot depend on it any more, whatever
the values within the confidence intervals of all. When none is left, the decision is played for ever.

The sampling is the same for every decision (`duelbench.algorithms.exploration`). What makes a decision one are three
functions: which parameters it is independent of, whether it is certain, and the decision itself. For Copeland and
Condorcet winners the parameters are the p_ij of the K (K - 1) / 2 pairs i < j, in lexicographic order, and a duel of
first = i with second = j is a sample of p_ij; for Borda winners they are the K probabilities that an arm beats a random
other one, and a duel of first = i with a random second arm is a sample of that of i.

Copeland SAVAGE assumes nothing (pairs with p_ij = 1/2 that matter are explored for ever), Condorcet SAVAGE a Condorcet
winner. All need the horizon.

Drawn, each only where more than one outcome is possible, always in increasing index: in each round of Borda SAVAGE the
second arm, among the K - 1 others; when exploration ends, the decision, among arms that are equally good.

References
----------
.. [1] T. Urvoy, F. Clerot, R. Feraud, S. Naamane, "Generic Exploration and K-armed Voting Bandits", ICML 2013,
   Algorithm 1 and equations (9), (12), (14); Algorithm 4 of the extended version (what follows exploration).
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.contract import NEVER, Algorithm, Parameter
from duelbench.algorithms.exploration import (
    DELTA,
    FLIPS,
    LAST_FLIP,
    LISTED,
    NO_ARM,
    SIZE,
    Exploration,
    Pairs,
    add_duels,
    add_samples,
    drop,
    empirical_leader,
    empirical_score,
    is_due,
    new_exploration,
    new_pairs,
    next_parameter,
    verdict,
)
from duelbench.algorithms.kernel import kernel
from duelbench.algorithms.statistics import draw_index

LOWEST_HIGH, HIGHEST_LOW = 0, 1  # places in ArmState.extremes

TEST_EVERY = Parameter(0, "sweeps between independence tests; 0 tests after every duel", low=0)
NESTED = Parameter(True, "whether an interval is intersected with all earlier ones, as the paper has it")


def log_term(n_parameters, horizon, delta):
    """ln(eta / delta) with eta = 2NT, and delta = 1 / T unless given.

    Examples
    --------
    >>> log_term(10, 10**4, 0.1) == math.log(2e6), log_term(1, 10, None) == math.log(200)
    (True, True)
    """
    return math.log(2 * n_parameters * horizon / (1 / horizon if delta is None else delta))


def explored_parameters(state) -> int:
    """How many parameters are still explored: the size of W.

    Parameters
    ----------
    state : PairState or ArmState

    Examples
    --------
    >>> explored_parameters(start_copeland(4, 100, None, True, delta=None, test_every=0, accept="empty", nested=True))
    6
    """
    explored = state.explored if isinstance(state, ArmState) else state.pairs.explored
    return int(explored.place[SIZE])


class PairState(NamedTuple):
    """Memory of Copeland and Condorcet SAVAGE between rounds; arrays are updated in place.

    pairs : what is known of the p_ij, and the bounds lo = minU and hi = maxU on the Copeland scores (`sure` and
        `possible`).
    decision : (1,) int64. The arm to be played for ever; NO_ARM during exploration.
    dominated : (K,) bool. At the last tests, whether some arm surely had a higher score.
    value : (K,) int64. Scratch: how good a decision each arm is.
    test_every : int. Sweeps between independence tests; 0 tests after every duel.
    condorcet : bool. Which decision.
    until_empty : bool. Whether exploration goes on until W is empty, even if the decision is certain.
    """

    pairs: Pairs
    decision: np.ndarray
    dominated: np.ndarray
    value: np.ndarray
    test_every: int
    condorcet: bool
    until_empty: bool


def start_copeland(n_arms, horizon, rng, standing, *, delta, test_every, accept, nested):
    """State of Copeland SAVAGE before round 1."""
    return _start_pairs(n_arms, horizon, delta, test_every, nested, condorcet=False, until_empty=accept == "empty")


def start_condorcet(n_arms, horizon, rng, standing, *, delta, test_every, nested):
    """State of Condorcet SAVAGE before round 1."""
    return _start_pairs(n_arms, horizon, delta, test_every, nested, condorcet=True, until_empty=True)


def _start_pairs(n_arms, horizon, delta, test_every, nested, condorcet, until_empty):
    return PairState(
        pairs=new_pairs(n_arms, log_term(n_arms * (n_arms - 1) // 2, horizon, delta), nested),
        decision=np.array([NO_ARM]),
        dominated=np.zeros(n_arms, np.bool_),
        value=np.zeros(n_arms, np.int64),
        test_every=test_every,
        condorcet=condorcet,
        until_empty=until_empty,
    )


@kernel
def select(state, t, rng):
    """The pair whose turn it is, after the independence tests; an arm against itself for ever when they are through.

    The tests depend on what is certain about pairs only, so they are left out where nothing of that has changed.
    """
    pairs = state.pairs
    if pairs.news[FLIPS] > 0 and state.decision[0] == NO_ARM and is_due(pairs.explored, state.test_every):
        _revise(state, rng)
        pairs.news[FLIPS] = 0
    d = state.decision[0]
    if d != NO_ARM:
        return d, d, NEVER
    e = next_parameter(pairs.explored)
    return pairs.arms[e, 0], pairs.arms[e, 1], 1


@kernel
def update(state, first, second, first_wins, second_wins):
    """Steps 2 and 3: count the duels of the pair and narrow its interval."""
    add_duels(state.pairs, first, second, first_wins, second_wins)


@kernel
def recommend(state):
    """f(mu^), the arm that beats most arms in the counts (lowest index on ties); after exploration the decision."""
    d = state.decision[0]
    return empirical_leader(state.pairs) if d == NO_ARM else d


@kernel
def _revise(state, rng):
    """Step 4, and the decision if exploration ends: W empty, or |f(H)| = 1."""
    if state.condorcet:
        _drop_condorcet(state.pairs)
    else:
        _drop_copeland(state.pairs, state.dominated)
    if state.pairs.explored.place[SIZE] == 0 or (not state.until_empty and _is_certain(state.pairs)):
        if state.condorcet:
            _value_condorcet(state.pairs, state.value)
        else:
            _value_copeland(state.pairs, state.value)
        state.decision[0] = _best(state.value, rng)


@kernel
def _drop_copeland(pairs, dominated):
    """Drop the pairs that equation (9) tells, all of W being tested where more than one can have become independent."""
    explored = pairs.explored
    best = _highest(pairs.sure)
    tests_all = pairs.news[FLIPS] > 1
    for i in range(dominated.size):
        is_dominated = pairs.possible[i] < best
        tests_all = tests_all or is_dominated != dominated[i]
        dominated[i] = is_dominated
    if not tests_all:
        e = pairs.news[LAST_FLIP]
        if is_independent(pairs, e, dominated):
            drop(explored, e)
        return
    for k in range(explored.place[LISTED]):
        if is_independent(pairs, explored.listed[k], dominated):
            drop(explored, explored.listed[k])


@kernel
def is_independent(pairs, e, dominated):
    """Equation (9): the pair is decided, or both its arms surely have a lower score than some other arm.

    Pairs of an arm that is certain to win are not independent as long as they are not decided.
    """
    return verdict(pairs.explored, e) != 0 or (dominated[pairs.arms[e, 0]] and dominated[pairs.arms[e, 1]])


@kernel
def _drop_condorcet(pairs):
    """Drop the pairs that equation (12) tells: those of which either arm is surely beaten by some arm."""
    everyone_else = pairs.possible.size - 1
    explored = pairs.explored
    for k in range(explored.place[LISTED]):
        e = explored.listed[k]
        if pairs.possible[pairs.arms[e, 0]] < everyone_else or pairs.possible[pairs.arms[e, 1]] < everyone_else:
            drop(explored, e)


@kernel
def _is_certain(pairs):
    """Whether some arm l is surely a Copeland winner: lo_l >= hi_i for all other arms i."""
    best = _highest(pairs.sure)
    n_above = 0
    above = NO_ARM
    for i in range(pairs.possible.size):
        if pairs.possible[i] > best:
            n_above += 1
            above = i
    return n_above == 0 or (n_above == 1 and pairs.sure[above] == best)


@kernel
def _value_copeland(pairs, value):
    """Arms in order of lo, then hi, then U(i, mu^), as one number."""
    n_arms = value.size
    for i in range(n_arms):
        value[i] = (pairs.sure[i] * n_arms + pairs.possible[i]) * n_arms + empirical_score(pairs, i)


@kernel
def _value_condorcet(pairs, value):
    """Arms that may win every duel first (one, if a Condorcet winner exists); among them, or without any, U(i, mu^)."""
    n_arms = value.size
    for i in range(n_arms):
        value[i] = empirical_score(pairs, i)
        if pairs.possible[i] == n_arms - 1:
            value[i] += n_arms


@kernel
def _highest(values):
    highest = values[0]
    for i in range(1, values.size):
        highest = max(highest, values[i])
    return highest


@kernel
def _best(values, rng):
    """An arm of the highest value, at random."""
    highest = _highest(values)
    count = 0
    for i in range(values.size):
        count += values[i] == highest
    skip = draw_index(count, rng)
    for i in range(values.size):
        if values[i] == highest:
            if skip == 0:
                return i
            skip -= 1
    return NO_ARM


class ArmState(NamedTuple):
    """Memory of Borda SAVAGE between rounds; arrays are updated in place.

    explored : what is known of each arm's probability to beat a random other arm.
    decision : (1,) int64. The arm to be played for ever; NO_ARM during exploration.
    value : (K,) float64. Scratch: the means.
    extremes : (2,) float64. The lowest b_i of W and the highest a_i of all arms since the last test.
    test_every : int. Sweeps between independence tests; 0 tests after every duel.
    """

    explored: Exploration
    decision: np.ndarray
    value: np.ndarray
    extremes: np.ndarray
    test_every: int


def start_borda(n_arms, horizon, rng, standing, *, delta, test_every, nested):
    """State of Borda SAVAGE before round 1."""
    return ArmState(
        explored=new_exploration(n_arms, log_term(n_arms, horizon, delta), nested=nested),
        decision=np.array([NO_ARM]),
        value=np.zeros(n_arms),
        extremes=np.array([1.0, 0.0]),
        test_every=test_every,
    )


@kernel
def select_borda(state, t, rng):
    """The arm whose turn it is against a random one, after the independence tests; the decision once they are through.

    No test can succeed as long as the lowest b_i is above the highest a_i, so they are left out until it is not.
    """
    explored = state.explored
    extremes = state.extremes
    test_may_succeed = extremes[LOWEST_HIGH] <= extremes[HIGHEST_LOW]
    if state.decision[0] == NO_ARM and test_may_succeed and is_due(explored, state.test_every):
        _revise_borda(state, rng)
    d = state.decision[0]
    if d != NO_ARM:
        return d, d, NEVER
    i = next_parameter(explored)
    j = draw_index(explored.samples.size - 1, rng)
    return i, j if j < i else j + 1, 1


@kernel
def update_borda(state, first, second, first_wins, second_wins):
    """Steps 2 and 3: count the duels of the first arm, not of its opponent, and narrow its interval."""
    explored = state.explored
    extremes = state.extremes
    add_samples(explored, first, first_wins, second_wins)
    extremes[LOWEST_HIGH] = min(extremes[LOWEST_HIGH], explored.high[first])
    extremes[HIGHEST_LOW] = max(extremes[HIGHEST_LOW], explored.low[first])


@kernel
def recommend_borda(state):
    """The arm with the highest mean (lowest index on ties); after exploration the decision."""
    if state.decision[0] != NO_ARM:
        return state.decision[0]
    best = 0
    for i in range(1, state.value.size):
        if _mean(state.explored, i) > _mean(state.explored, best):
            best = i
    return best


@kernel
def _revise_borda(state, rng):
    """Step 4, and the decision if exploration ends, which is when W is empty: |f(H)| = 1 is the same here."""
    explored = state.explored
    _drop_argmax(explored)
    lowest_high = math.inf
    for i in range(explored.gone.size):
        if not explored.gone[i]:
            lowest_high = min(lowest_high, explored.high[i])
    # A single arm leaves when it is surely better than all others, and they are not in W: it is tested every time.
    state.extremes[LOWEST_HIGH] = lowest_high if explored.place[SIZE] > 1 else -math.inf
    state.extremes[HIGHEST_LOW] = _highest(explored.low)
    if explored.place[SIZE] == 0:
        for i in range(state.value.size):
            state.value[i] = _mean(explored, i)
        state.decision[0] = _best(state.value, rng)


@kernel
def _drop_argmax(explored):
    """Drop the arms that are surely not better than some other arm, or surely as good as all others.

    The first is b_i <= a_j for some j other than i, the second b_k <= a_i for all k other than i. In either case the
    other arms' extreme counts, so two are kept of each: the best of all and the best of all but that arm.
    """
    low = explored.low
    high = explored.high
    first_low = _argmax_but(low, NO_ARM)
    second_low = _argmax_but(low, first_low)
    first_high = _argmax_but(high, NO_ARM)
    second_high = _argmax_but(high, first_high)
    for k in range(explored.place[LISTED]):
        i = explored.listed[k]
        other_low = low[second_low if i == first_low else first_low]
        other_high = high[second_high if i == first_high else first_high]
        if high[i] <= other_low or other_high <= low[i]:
            drop(explored, i)


@kernel
def _argmax_but(values, excluded):
    """The lowest index of the highest value, that of ``excluded`` left out."""
    best = NO_ARM
    for i in range(values.size):
        if i != excluded and (best == NO_ARM or values[i] > values[best]):
            best = i
    return best


@kernel
def _mean(explored, i):
    """mu^_i; 1/2 before the first sample."""
    return explored.ones[i] / explored.samples[i] if explored.samples[i] > 0 else 0.5


SAVAGE_COPELAND = Algorithm(
    id="savage-copeland",
    name="SAVAGE (Copeland)",
    assumes="nothing",
    anytime=False,
    parameters={
        "delta": DELTA,
        "test_every": TEST_EVERY,
        "accept": Parameter(
            "singleton",
            "when exploration ends: singleton, the winner is certain; empty, so are all pairs that could matter",
            choices=("singleton", "empty"),
        ),
        "nested": NESTED,
    },
    reference="Urvoy, Clerot, Feraud, Naamane 2013, Algorithm 1 with equation (9)",
    state=PairState,
    start=start_copeland,
    select=select,
    update=update,
    recommend=recommend,
)

SAVAGE_CONDORCET = Algorithm(
    id="savage-condorcet",
    name="SAVAGE (Condorcet)",
    assumes="condorcet",
    anytime=False,
    parameters={"delta": DELTA, "test_every": TEST_EVERY, "nested": NESTED},
    reference="Urvoy, Clerot, Feraud, Naamane 2013, Algorithm 1 with equation (12)",
    state=PairState,
    start=start_condorcet,
    select=select,
    update=update,
    recommend=recommend,
)

SAVAGE_BORDA = Algorithm(
    id="savage-borda",
    name="SAVAGE (Borda)",
    assumes="borda",
    anytime=False,
    parameters={"delta": DELTA, "test_every": TEST_EVERY, "nested": NESTED},
    reference="Urvoy, Clerot, Feraud, Naamane 2013, Algorithm 1 with equation (14)",
    state=ArmState,
    start=start_borda,
    select=select_borda,
    update=update_borda,
    recommend=recommend_borda,
)
