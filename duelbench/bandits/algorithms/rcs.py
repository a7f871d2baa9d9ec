"""Relative Confidence Sampling (RCS).

The winner of a tournament among posterior samples duels the arm that most plausibly beats it.

Assumes a Condorcet winner. Anytime; published without a regret bound.

Arm c wins the tournament with probability q_c = prod_j P(theta_cj > 1/2). At most one arm wins it, so one uniform
number chooses the champion.

References
----------
.. [1] M. Zoghi, S. Whiteson, M. de Rijke, R. Munos, "Relative Confidence Sampling for Efficient On-Line Ranker
   Evaluation", WSDM 2014, Algorithm 1, by descriptions and public programs.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import NEVER, Algorithm, Parameter
from duelbench.bandits.kernels import confidence_bounds, posteriors
from duelbench.bandits.kernels.confidence_bounds import Bounds, column_crossing, most_optimistic
from duelbench.bandits.kernels.decorators import kernel
from duelbench.bandits.kernels.posteriors import Posterior
from duelbench.bandits.kernels.records import BoolPerArm, FloatPerArm, IntPerArm, record, with_zeros
from duelbench.bandits.kernels.sampling import draw_index, draw_member, highest
from duelbench.bandits.kernels.win_counts import copeland_leader

NO_ARM = -1
WORTHWHILE = 0.8
"""A decision holds for many rounds only if the next round is the expected self-duel with at least this probability."""


class State(NamedTuple):
    """Memory between rounds; arrays are updated in place."""

    bounds: Bounds  # the wins, and the rounds at which bounds u_ij reach 1/2
    posterior: Posterior  # P(theta_ij > 1/2)
    winning: FloatPerArm  # q_c: the probability that arm c wins the tournament.
    championships: IntPerArm  # chi[c] of [1]_, without the rounds since ``memo.since``.
    sign_wins: IntPerArm  # Scratch: arms beaten in the tournament.
    fewest: BoolPerArm  # Scratch: arms to choose from when nobody wins it.
    memo: np.ndarray  # (1,) record of `start`
    unplayed: float  # u_ij of a pair that never dueled
    count_wins: bool  # Whether chi counts tournaments won
    by_count: bool  # Whether the champion is an arm of fewest championships when nobody wins; else a random arm
    standing: bool  # Whether decisions may hold for many rounds


def start(n_arms, horizon, rng, standing, *, alpha, unplayed, fallback):
    """Return the state before round 1."""
    return with_zeros(
        State,
        n_arms,
        bounds=confidence_bounds.new_bounds(n_arms, alpha),
        posterior=posteriors.new_posterior(n_arms),
        winning=np.full(n_arms, 0.5 ** (n_arms - 1)),
        memo=record(
            event=NEVER,  # the round in which the expected winner does not win
            champion=NO_ARM,  # the arm whose latest rounds are not counted yet
            since=0,  # the first of these rounds
        ),
        unplayed=unplayed,
        count_wins=fallback == "fewest",
        by_count=fallback != "random",
        standing=standing,
    )


@kernel
def select(state, t, rng):
    """Return the pair (c, d) for round ``t``; an expected self-duel holds until champion or challenger changes."""
    if state.memo[0].champion != NO_ARM:  # it was champion in all rounds since
        state.championships[state.memo[0].champion] += t - state.memo[0].since
        state.memo[0].champion = NO_ARM
    leader = NO_ARM
    if state.standing:
        c = highest(state.winning)
        if state.winning[c] >= WORTHWHILE and column_crossing(state.bounds, c) > t:
            leader = c  # very likely to win the tournament, and then to duel itself
    if leader != NO_ARM and t != state.memo[0].event:
        rounds = _expected_rounds(state, leader, t, rng)
        if rounds > 0:
            _crown(state, leader, t, state.count_wins)
            return leader, leader, rounds
    if leader != NO_ARM:  # a round in which the leader does not win
        state.memo[0].event = NEVER
        c = _winner_at(state, leader, -math.expm1(_log_winning(state, leader)) * rng.random())
    elif state.standing:
        c = _winner_at(state, NO_ARM, rng.random())
    else:
        c = _tournament_by_signs(state, rng)
    won = c != NO_ARM
    if not won:
        c = _fallback(state, rng)
    _crown(state, c, t, state.count_wins or not won)
    return c, most_optimistic(state.bounds, c, math.log(t), state.unplayed, rng), 1


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count the outcomes, and update everything that depends on the pair."""
    posteriors.observe(state.posterior, state.bounds.wins, first, second, first_wins, second_wins)
    confidence_bounds.count_duels(state.bounds, first, second, first_wins, second_wins)
    _refresh_winning(state, first)
    _refresh_winning(state, second)
    state.memo[0].event = NEVER


@kernel
def recommend(state):
    """Return the arm that beats most arms empirically."""
    return copeland_leader(state.bounds.wins)


@kernel
def _refresh_winning(state, c):
    """Compute q_c anew, so that no rounding errors accumulate."""
    above = state.posterior.above
    winning = 1.0
    for j in range(above.shape[0]):
        if j != c:
            winning *= above[c, j]
    state.winning[c] = winning


@kernel
def _crown(state, c, t, counts):
    """Record that arm c is champion from round ``t`` on."""
    if counts:
        state.memo[0].champion = c
        state.memo[0].since = t


@kernel
def _log_winning(state, c):
    """Return ln q_c, precisely even if q_c is close to 1."""
    above = state.posterior.above
    log_winning = 0.0
    for j in range(above.shape[0]):
        if j != c:
            log_winning += math.log1p(-above[j, c])
    return log_winning


@kernel
def _expected_rounds(state, leader, t, rng):
    """Return how many rounds from ``t`` on the leader wins, up to the round in which some u_jc reaches 1/2."""
    state.memo[0].event = NEVER
    limit = column_crossing(state.bounds, leader) - t
    log_winning = _log_winning(state, leader)
    if log_winning == 0.0:
        return limit
    rounds = math.log1p(-rng.random()) / log_winning  # P(rounds >= n) = q^n
    if rounds >= limit:
        return limit
    state.memo[0].event = t + int(rounds)
    return int(rounds)


@kernel
def _winner_at(state, leader, left):
    """Return the winner, not the leader: the first arm at which the sum of q_c exceeds ``left``, or NO_ARM."""
    for c in range(state.winning.size):
        if c != leader:
            if left < state.winning[c]:
                return c
            left -= state.winning[c]
    return NO_ARM


@kernel
def _tournament_by_signs(state, rng):
    """Play the tournament as in the paper, pair by pair."""
    n_arms = state.winning.size
    state.sign_wins[:] = 0
    for i in range(n_arms):
        for j in range(i + 1, n_arms):
            if rng.random() < state.posterior.above[i, j]:
                state.sign_wins[i] += 1
            else:
                state.sign_wins[j] += 1
    for c in range(n_arms):
        if state.sign_wins[c] == n_arms - 1:
            return c
    return NO_ARM


@kernel
def _fallback(state, rng):
    """Return the champion if no arm wins the tournament: an arm with the smallest chi, ties at random."""
    n_arms = state.championships.size
    if not state.by_count:
        return draw_index(n_arms, rng)
    smallest = state.championships[0]
    for i in range(1, n_arms):
        smallest = min(smallest, state.championships[i])
    count = 0
    for i in range(n_arms):
        state.fewest[i] = state.championships[i] == smallest
        count += state.fewest[i]
    return draw_member(state.fewest, count, rng)


PARAMETERS = {
    "alpha": Parameter(0.51, "exploration rate", low=0.0, low_open=True, proven_above=0.5),
    "unplayed": Parameter(2.0, "upper bound for a pair that never dueled; the papers' x/0 := 1 gives 2", low=1.0),
    "fallback": Parameter(
        "fewest",
        "champion when no arm wins the tournament: that with the fewest championships, with the fewest of those "
        "where no arm won (fewest-fallbacks), or any (random)",
        choices=("fewest", "fewest-fallbacks", "random"),
    ),
}

RCS = Algorithm.of_module(
    __name__,
    "rcs",
    "RCS",
    "condorcet",
    "Zoghi, Whiteson, de Rijke, Munos 2014, Algorithm 1",
    look=("grey", "dash-dot", "v"),
    learns_from_any_pair=True,
    source="description",
)
