"""Relative Minimum Empirical Divergence, second version (RMED2, and RMED2FH for a fixed horizon).

RMED1, except that an arm which is probably not the Condorcet winner duels the arm b that shows this at the least
regret, and meets the likely winner only a little less often.

Assumes a Condorcet winner. RMED2 is anytime, RMED2FH needs the horizon.

References
----------
.. [1] J. Komiyama, J. Honda, H. Kashima, H. Nakagawa, "Regret Lower Bound and Optimal Algorithm in Dueling Bandit
   Problem", COLT 2015, Algorithms 1 and 3. Below equation (6) the sign of Delta^_ij is a misprint: see the
   page of RMED2.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import NEVER, Algorithm, Parameter
from duelbench.bandits.algorithms.rmed import rmed1
from duelbench.bandits.algorithms.rmed.candidate_lists import CandidateLists, new_lists, present
from duelbench.bandits.kernels.decorators import inlined, kernel
from duelbench.bandits.kernels.divergence import kl_to_half
from duelbench.bandits.kernels.records import IntPerArm, record
from duelbench.bandits.kernels.sampling import highest
from duelbench.bandits.kernels.threshold_rounds import LAST_ROUND, round_at
from duelbench.bandits.kernels.win_counts import recount_beaten

NO_ARM = -1


class State(NamedTuple):
    """Memory between rounds; arrays are updated in place."""

    divergences: rmed1.Divergences  # I_i and its terms
    beaten: IntPerArm  # How many arms each arm beats empirically.
    lists: CandidateLists  # L_C, L_R and L_N; item a is the arm order[a]
    order: IntPerArm  # The private order of the arms, in which ties are broken.
    pairs: np.ndarray  # (K (K - 1) / 2, 2) int64. The pairs in the order of the initial phase.
    cheapest: IntPerArm  # b(l) of every arm l, or NO_ARM; only if it is fixed after the initial phase.
    memo: np.ndarray  # (1,) record of `_start`
    slack: float  # f(K)
    alpha: float  # A pair with fewer than alpha ln ln t duels is drawn before each pass
    first_rounds: int  # Rounds of the initial phase
    repeats: int  # How often the initial phase draws a pair in a row
    log_log_horizon: float  # ln ln T if the horizon is fixed, otherwise -inf
    sign: float  # Departures in the numerator of b: see `cheapest_opponent`.
    floor: float


def start_rmed2(n_arms, horizon, rng, standing, *, f_scale, f_exponent, alpha, floor, order, ratio_sign, forced):
    """Return the state of RMED2 before round 1, with a random private order of the arms."""
    state = _start(n_arms, rng, f_scale * n_arms**f_exponent, alpha, floor, order)
    n_pairs = len(state.pairs)
    rounds = n_pairs
    if forced == "once":
        state.memo[0].due = NEVER
        while rounds + 1 < n_pairs * alpha * log_log(rounds + 1):
            rounds += 1
    return state._replace(first_rounds=rounds, sign=float(ratio_sign))


def start_rmed2fh(n_arms, horizon, rng, standing, *, f_scale, f_exponent, alpha, floor, order):
    """Return the state of RMED2FH before round 1, with a random private order of the arms."""
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
        divergences=rmed1.new_divergences(n_arms, waiting=True),
        beaten=np.zeros(n_arms, np.int64),
        lists=new_lists(n_arms, n_arms),
        order=order,
        pairs=np.column_stack((order[earlier], order[later])),
        cheapest=np.full(n_arms, NO_ARM),
        memo=record(
            forced=0,  # the next pair that the draws before the present pass have to check
            due=0,  # a round before which no pair has too few duels
            stepped=False,  # whether the last round was a step of the loop that is not completed yet
        ),
        slack=slack,
        alpha=alpha,
        first_rounds=earlier.size,
        repeats=1,
        log_log_horizon=-math.inf,
        sign=1.0,
        floor=-math.inf if floor is None else floor,
    )


@kernel
def select(state, t, rng):
    """Return the pair (l, m) for round ``t``; a lone candidate's self-duel holds until another pair is due."""
    n_pairs = state.pairs.shape[0]
    if t <= state.first_rounds:
        pair = (t - 1) // state.repeats % n_pairs
        return state.pairs[pair, 0], state.pairs[pair, 1], 1
    if state.divergences.waiting[0]:
        rmed1.end_initial_phase(state.divergences)
    best = rmed1.most_likely(state.divergences, state.order)
    fixed = state.log_log_horizon > 0.0
    if fixed and t == state.first_rounds + 1:  # RMED2FH: b(l) of all arms, once for all
        for arm in state.order:
            state.cheapest[arm] = cheapest_opponent(state.divergences, state.order, arm, best, state.sign, state.floor)
    if state.memo[0].stepped:
        state.memo[0].stepped = False
        rmed1.close_round(state, best, t - 1)
    if state.lists.place[0].cursor == 0:
        pair = _forced_pair(state, t)
        if pair < n_pairs:
            return state.pairs[pair, 0], state.pairs[pair, 1], 1
    state.memo[0].stepped = True
    first = state.order[present(state.lists)]
    second = _target(state, first, best, fixed, t)
    if first == second and state.lists.place[0].n_current == 1:
        returns = rmed1.return_round(state.divergences.total, first, state.slack)
        return first, second, max(1, min(returns + 1, state.memo[0].due) - t)
    return first, second, 1


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count duels of two different arms."""
    wins = state.divergences.wins
    before = wins[first, second] - wins[second, first]
    rmed1.add_duels(state.divergences, first, second, first_wins, second_wins)
    recount_beaten(state.beaten, first, second, before, wins[first, second] - wins[second, first])


@kernel
def recommend(state):
    """Return the arm that beats most arms empirically."""
    return highest(state.beaten)


@inlined
def _target(state, first, best, fixed, t):
    """Return m: b(l) if it may beat l and l has met i* at least 1 / ln ln t times as often; otherwise as in RMED1."""
    divergences = state.divergences
    if first != best:
        if fixed:
            cheapest = state.cheapest[first]
        else:
            cheapest = cheapest_opponent(divergences, state.order, first, best, state.sign, state.floor)
        if cheapest != NO_ARM and divergences.mean[first, cheapest] <= 0.5:
            divisor = state.log_log_horizon if fixed else max(1.0, log_log(t))
            if _plays(divergences, first, best) >= _plays(divergences, first, cheapest) / divisor:
                return cheapest
    return rmed1.opponent(divergences, state.order, first, best)


@inlined
def cheapest_opponent(divergences, order, first, best, sign, floor):
    """Return b(l) for l = ``first`` and i* = ``best``: argmin_j (p_i*l + p_i*j - 1) / d(p_lj, 1/2), or NO_ARM.

    Over the arms with p_lj < 1/2, the first in ``order`` among equals. The numerator is multiplied by ``sign`` and at
    least ``floor``.
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
    """Return the next pair with fewer than alpha ln ln t duels in the sweep before a pass, or the number of pairs.

    A sweep that would find none is left out: the pair with the fewest duels tells when the next one will.
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
    """Return ln ln t; -inf for t < 3."""
    return math.log(math.log(t)) if t >= 3 else -math.inf


@kernel
def is_too_rare(plays, alpha, t):
    """Return whether a pair has fewer than alpha ln ln t duels."""
    return plays < alpha * log_log(t)


@kernel
def overdue_round(plays, alpha):
    """Return the first round t with plays < alpha ln ln t."""
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


PARAMETERS = {
    **rmed1.RMED1.parameters,
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
    "rmed2",
    "RMED2",
    "condorcet",
    "Komiyama, Honda, Kashima, Nakagawa 2015, Algorithms 1 and 3",
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
    trace_version=2,
    look=("brown", "dashed", "D"),
    source="paper",
)

RMED2FH = Algorithm.of_module(
    __name__,
    "rmed2fh",
    "RMED2FH",
    "condorcet",
    "Komiyama, Honda, Kashima, Nakagawa 2015, Algorithms 1 and 3, with fixed horizon",
    anytime=False,
    trace_version=2,
    look=("olive", "dotted", "D"),
    source="paper",
)
