"""Relative Minimum Empirical Divergence: RMED1, RMED2, and RMED2FH for a fixed horizon.

RMED1 draws every arm that may still be the Condorcet winner, as the likelihood of the duels so far has it, against the
arm that most likely proves that it is not. In RMED2 an arm which is probably not the winner duels the arm b that shows
this at the least regret, and meets the likely winner only a little less often.

Assumes a Condorcet winner. RMED1 and RMED2 are anytime, RMED2FH needs the horizon.

References
----------
.. [1] J. Komiyama, J. Honda, H. Kashima, H. Nakagawa, "Regret Lower Bound and Optimal Algorithm in Dueling Bandit
   Problem", COLT 2015, Algorithms 1 and 2.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.contract import NEVER, Algorithm, Parameter
from duelbench.algorithms.rmed.candidate_lists import (
    CandidateLists,
    add_to_next,
    advance,
    at_first,
    is_alone,
    is_open,
    new_lists,
    present,
    remove_from_remaining,
)
from duelbench.kernels.decorators import inlined, kernel
from duelbench.kernels.divergence import kl_to_half
from duelbench.kernels.records import record
from duelbench.kernels.sampling import highest
from duelbench.kernels.threshold_rounds import LAST_ROUND, round_at
from duelbench.kernels.win_counts import recount_beaten

NO_ARM = -1


class Divergences(NamedTuple):
    """How unlikely the duels so far are if an arm is the Condorcet winner; arrays are updated in place."""

    wins: np.ndarray  # (K, K) int64. wins[i, j] = duels arm i has won against arm j.
    mean: np.ndarray  # (K, K) float64. mean[i, j] = wins[i, j] / plays; 1/2 before the first duel and on the diagonal.
    # (K, K) float64. Plays times d(mean[i, j], 1/2) where mean[i, j] <= 1/2, that is for j in O_i; 0 elsewhere.
    part: np.ndarray
    total: np.ndarray  # (K,) float64. I_i: row sums of `part`, added up from left to right.
    # (1,) bool. Whether only ``wins`` are kept up to date: the initial phase asks for nothing else.
    waiting: np.ndarray


def new_divergences(n_arms: int, waiting: bool) -> Divergences:
    """Before the first duel: every arm may be the winner."""
    return Divergences(
        wins=np.zeros((n_arms, n_arms), np.int64),
        mean=np.full((n_arms, n_arms), 0.5),
        part=np.zeros((n_arms, n_arms)),
        total=np.zeros(n_arms),
        waiting=np.array([waiting]),
    )


class State(NamedTuple):
    """Memory between rounds; arrays are updated in place."""

    divergences: Divergences  # I_i and what it is made of
    beaten: np.ndarray  # (K,) int64. How many arms each arm beats empirically.
    lists: CandidateLists  # L_C, L_R and L_N; item a is the arm order[a]
    order: np.ndarray  # (K,) int64. The private order of the arms, in which ties are broken.
    pairs: np.ndarray  # (K (K - 1) / 2, 2) int64. The pairs in the order of the initial phase.
    # (K,) int64. b(l) of every arm l, or NO_ARM; kept only where it is fixed after the initial phase.
    cheapest: np.ndarray
    memo: np.ndarray  # (1,) record of `_start`
    slack: float  # f(K)
    alpha: float  # A pair with fewer than alpha ln ln t duels is drawn before each pass
    first_rounds: int  # Rounds of the initial phase
    repeats: int  # How often the initial phase draws a pair in a row
    log_log_horizon: float  # ln ln T where the horizon is fixed, -inf where it is not
    asks_cheapest: bool  # Whether arms duel their b(l); RMED1 has none
    # float. Departures in the numerator of b: see `cheapest_opponent`.
    sign: float
    floor: float


def start_rmed1(n_arms, horizon, rng, standing, *, f_scale, f_exponent):
    """State of RMED1 before round 1; draws the private order of the arms."""
    state = _start(n_arms, rng, f_scale * n_arms**f_exponent, 0.0, None, "random")
    state.memo[0].due = NEVER
    return state._replace(asks_cheapest=False)


def start_rmed2(n_arms, horizon, rng, standing, *, f_scale, f_exponent, alpha, floor, order, ratio_sign, forced):
    """State of RMED2 before round 1; draws the private order of the arms."""
    state = _start(n_arms, rng, f_scale * n_arms**f_exponent, alpha, floor, order)
    n_pairs = len(state.pairs)
    rounds = n_pairs
    if forced == "once":
        state.memo[0].due = NEVER
        while rounds + 1 < n_pairs * alpha * log_log(rounds + 1):
            rounds += 1
    return state._replace(first_rounds=rounds, sign=float(ratio_sign))


def start_rmed2fh(n_arms, horizon, rng, standing, *, f_scale, f_exponent, alpha, floor, order):
    """State of RMED2FH before round 1; draws the private order of the arms."""
    state = _start(n_arms, rng, f_scale * n_arms**f_exponent, alpha, floor, order)
    state.memo[0].due = NEVER
    repeats = max(1, math.ceil(alpha * log_log(horizon))) if horizon >= 3 else 1
    return state._replace(
        repeats=repeats, first_rounds=repeats * len(state.pairs), log_log_horizon=max(1.0, log_log(horizon))
    )


def _start(n_arms: int, rng: np.random.Generator, slack: float, alpha: float, floor: float | None, kind: str) -> State:
    order = rng.permutation(n_arms) if kind == "random" else np.arange(n_arms)
    earlier, later = np.triu_indices(n_arms, 1)
    return State(
        divergences=new_divergences(n_arms, waiting=True),
        beaten=np.zeros(n_arms, np.int64),
        lists=new_lists(n_arms, n_arms),
        order=order,
        pairs=np.column_stack((order[earlier], order[later])),
        cheapest=np.full(n_arms, NO_ARM),
        memo=record(
            forced=0,  # the next pair that the draws before the present pass have to look at
            due=0,  # a round before which no pair has too few duels
            stepped=False,  # whether the last round was a step of the loop that is not closed yet
        ),
        slack=slack,
        alpha=alpha,
        first_rounds=earlier.size,
        repeats=1,
        log_log_horizon=-math.inf,
        asks_cheapest=True,
        sign=1.0,
        floor=-math.inf if floor is None else floor,
    )


@kernel
def select(state, t, rng):
    """Pair (l, m) for round ``t``; a lone candidate's self-duel stands until another arm is a candidate again.

    It ends before that where a pair has to be drawn before the next pass.
    """
    n_pairs = state.pairs.shape[0]
    if t <= state.first_rounds:
        pair = (t - 1) // state.repeats % n_pairs
        return state.pairs[pair, 0], state.pairs[pair, 1], 1
    if state.divergences.waiting[0]:
        begin(state.divergences)
    best = most_likely(state.divergences, state.order)
    fixed = state.log_log_horizon > 0.0
    if fixed and t == state.first_rounds + 1:
        for arm in state.order:
            state.cheapest[arm] = cheapest_opponent(state.divergences, state.order, arm, best, state.sign, state.floor)
    if state.memo[0].stepped:
        state.memo[0].stepped = False
        close_round(state, best, t - 1)
    if at_first(state.lists):
        pair = _forced_pair(state, t)
        if pair < n_pairs:
            return state.pairs[pair, 0], state.pairs[pair, 1], 1
    state.memo[0].stepped = True
    first = state.order[present(state.lists)]
    second = _target(state, first, best, fixed, t)
    if first == second and is_alone(state.lists):
        returns = return_round(state.divergences.total, first, state.slack)
        return first, second, max(1, min(returns + 1, state.memo[0].due) - t)
    return first, second, 1


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count duels of two different arms."""
    wins = state.divergences.wins
    before = wins[first, second] - wins[second, first]
    add_duels(state.divergences, first, second, first_wins, second_wins)
    recount_beaten(state.beaten, first, second, before, wins[first, second] - wins[second, first])


@kernel
def recommend(state):
    """The arm that beats most arms empirically."""
    return highest(state.beaten)


@inlined
def close_round(state, best, t):
    """After the draw of round ``t``: L_R <- L_R \\ {l}; every j not in L_R with I_j - I* <= ln t + f(K) joins L_N."""
    total = state.divergences.total
    lists = state.lists
    remove_from_remaining(lists)
    limit = math.log(t) + state.slack
    for a in range(total.size):
        if is_open(lists, a) and total[state.order[a]] - total[best] <= limit:
            add_to_next(lists, a)
    advance(lists)


@kernel
def return_round(total, w, slack):
    """First round t with I_j - I_w <= ln t + f(K) for some other arm j, as long as only w duels (itself)."""
    lead = math.inf
    for j in range(total.size):
        if j != w:
            lead = min(lead, total[j] - total[w])
    t, sure = round_at(lead - slack)
    if sure:
        return t
    while t > 1 and lead <= math.log(t - 1) + slack:
        t -= 1
    while lead > math.log(t) + slack:
        t += 1
    return t


@inlined
def add_duels(divergences, first, second, first_wins, second_wins):
    """Count the outcomes of duels between two different arms."""
    wins = divergences.wins
    wins[first, second] += first_wins
    wins[second, first] += second_wins
    if not divergences.waiting[0]:
        _recompute(divergences, first, second)
        _add_up(divergences, first)
        _recompute(divergences, second, first)
        _add_up(divergences, second)


@kernel
def begin(divergences):
    """After the initial phase: compute from ``wins`` what is kept up to date from now on."""
    divergences.waiting[0] = False
    for i in range(divergences.total.size):
        for j in range(divergences.total.size):
            if divergences.wins[i, j] + divergences.wins[j, i] > 0:
                _recompute(divergences, i, j)
        _add_up(divergences, i)


@inlined
def _recompute(divergences, i, j):
    """Entry (i, j)."""
    plays = divergences.wins[i, j] + divergences.wins[j, i]
    mean = divergences.wins[i, j] / plays
    divergences.mean[i, j] = mean
    divergences.part[i, j] = plays * kl_to_half(mean) if mean <= 0.5 else 0.0


@inlined
def _add_up(divergences, i):
    """I_i: added up again, so that no rounding error accumulates and zeros are exact."""
    total = 0.0
    for k in range(divergences.total.size):
        total += divergences.part[i, k]
    divergences.total[i] = total


@inlined
def most_likely(divergences, order):
    """i* = argmin_i I_i, the first in ``order`` among equals."""
    total = divergences.total
    best = order[0]
    for a in range(1, order.size):
        if total[order[a]] < total[best]:
            best = order[a]
    return best


@inlined
def opponent(divergences, order, first, best):
    """m, given l = ``first``: i* = ``best`` if it may beat l or if no arm does, else the arm that beats l most clearly.

    Equal to l only where l = i* and no arm may beat it: i* is never in its own O_l.
    """
    mean = divergences.mean
    if best != first and mean[first, best] <= 0.5:
        return best
    strongest = best
    least = 1.0
    for a in range(order.size):
        j = order[a]
        if j != first and mean[first, j] < least:
            strongest = j
            least = mean[first, j]
    return strongest if least <= 0.5 else best


@inlined
def _target(state, first, best, fixed, t):
    """m: b(l) if it may beat l, and if l has met i* at least 1 / ln ln t times as often; otherwise that of RMED1."""
    divergences = state.divergences
    if first != best and state.asks_cheapest:
        if fixed:
            cheapest = state.cheapest[first]
        else:
            cheapest = cheapest_opponent(divergences, state.order, first, best, state.sign, state.floor)
        if cheapest != NO_ARM and divergences.mean[first, cheapest] <= 0.5:
            divisor = state.log_log_horizon if fixed else max(1.0, log_log(t))
            if _plays(divergences, first, best) >= _plays(divergences, first, cheapest) / divisor:
                return cheapest
    return opponent(divergences, state.order, first, best)


@inlined
def cheapest_opponent(divergences, order, first, best, sign, floor):
    """b(l), given l = ``first`` and i* = ``best``: the arm that shows at the least regret that l is not the winner.

    That is argmin_j (p_i*l + p_i*j - 1) / d(p_lj, 1/2), p being empirical means, over the arms with p_lj < 1/2, or
    NO_ARM; the first in ``order`` among equals. The numerator is multiplied by ``sign`` and at least ``floor``.
    """
    mean = divergences.mean
    cheapest = NO_ARM
    least = math.inf
    for arm in order:
        if arm != first and mean[first, arm] < 0.5:
            regret = max(sign * (mean[best, first] + mean[best, arm] - 1.0), floor)
            information = kl_to_half(mean[first, arm])
            if regret / information < least:
                least = regret / information
                cheapest = arm
    return cheapest


@inlined
def _plays(divergences, i, j):
    return divergences.wins[i, j] + divergences.wins[j, i]


@inlined
def _forced_pair(state, t):
    """The next pair with fewer than alpha ln ln t duels in the sweep before a pass; the number of pairs at its end.

    Each pair has one turn in a sweep, in which it is drawn until it has enough. A sweep that would find none is left
    out: the pair with the fewest duels, whose number only grows, tells when the next one will.
    """
    memo = state.memo[0]
    n_pairs = state.pairs.shape[0]
    pair = memo.forced
    if pair == 0 and t < memo.due:
        return n_pairs
    while pair < n_pairs:
        plays = _plays(state.divergences, state.pairs[pair, 0], state.pairs[pair, 1])
        if is_too_rare(plays, state.alpha, t):
            memo.forced = pair
            return pair
        pair += 1
    fewest = NEVER
    for k in range(n_pairs):
        fewest = min(fewest, _plays(state.divergences, state.pairs[k, 0], state.pairs[k, 1]))
    memo.forced = 0
    memo.due = overdue_round(fewest, state.alpha)
    return n_pairs


@kernel
def log_log(t):
    """ln ln t; -inf for t < 3."""
    return math.log(math.log(t)) if t >= 3 else -math.inf


@kernel
def is_too_rare(plays, alpha, t):
    """Whether a pair has fewer than alpha ln ln t duels."""
    return plays < alpha * log_log(t)


@kernel
def overdue_round(plays, alpha):
    """First round t with plays < alpha ln ln t."""
    if plays / alpha > math.log(math.log(LAST_ROUND)):
        return NEVER
    t, sure = round_at(math.exp(plays / alpha))
    if sure:
        return t
    while t > 1 and is_too_rare(plays, alpha, t - 1):
        t -= 1
    while not is_too_rare(plays, alpha, t):
        t += 1
    return t


RMED1 = Algorithm.of_module(
    __name__,
    id="rmed1",
    name="RMED1",
    assumes="condorcet",
    anytime=True,
    parameters={
        "f_scale": Parameter(0.3, "a in f(K) = a K^b, by which a divergence may exceed ln t", low=0.0),
        "f_exponent": Parameter(1.01, "b in f(K) = a K^b", low=0.0, high=10.0),
    },
    reference="Komiyama, Honda, Kashima, Nakagawa 2015, Algorithms 1 and 2",
    start=start_rmed1,
    trace_version=2,
)

PARAMETERS = {
    **RMED1.parameters,
    "alpha": Parameter(
        3.0, "every pair is drawn at least about alpha ln ln t times (T for t in RMED2FH)", 0.0, 1e6, low_open=True
    ),
    "floor": Parameter(None, "least numerator of b(l); none unless given (0.01 in an author's library)"),
    "order": Parameter(
        "random",
        "order in which arms take turns and ties are broken; index: as in an author's library, which favours low "
        "indices",
        choices=("random", "index"),
    ),
}

RMED2 = Algorithm.of_module(
    __name__,
    id="rmed2",
    name="RMED2",
    assumes="condorcet",
    anytime=True,
    parameters={
        **PARAMETERS,
        "ratio_sign": Parameter(1, "sign of the numerator of b(l); -1 as in a published program", choices=(1, -1)),
        "forced": Parameter(
            "passes",
            "draws of pairs with fewer than alpha ln ln t duels: passes: before every pass; once: only after the first "
            "draws, all pairs in turn until t >= alpha ln ln t times their number, as in a published program",
            choices=("passes", "once"),
        ),
    },
    reference="Komiyama, Honda, Kashima, Nakagawa 2015, Algorithms 1 and 2",
    start=start_rmed2,
    trace_version=2,
)

RMED2FH = Algorithm.of_module(
    __name__,
    id="rmed2fh",
    name="RMED2FH",
    assumes="condorcet",
    anytime=False,
    parameters=PARAMETERS,
    reference="Komiyama, Honda, Kashima, Nakagawa 2015, Algorithms 1 and 2, with fixed horizon",
    start=start_rmed2fh,
    trace_version=2,
)
