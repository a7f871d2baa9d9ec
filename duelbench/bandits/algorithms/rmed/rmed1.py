"""Relative Minimum Empirical Divergence (RMED1).

Duels every arm that, by the likelihood of the duels so far, may still be the Condorcet winner, against the arm that
most likely disproves it.

Assumes a Condorcet winner. Anytime.

References
----------
.. [1] J. Komiyama, J. Honda, H. Kashima, H. Nakagawa, "Regret Lower Bound and Optimal Algorithm in Dueling Bandit
   Problem", COLT 2015, Algorithms 1 and 2.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import Algorithm, Parameter
from duelbench.bandits.algorithms.rmed import candidate_lists
from duelbench.bandits.kernels.decorators import inlined, kernel
from duelbench.bandits.kernels.divergence import kl_to_half
from duelbench.bandits.kernels.records import FloatPerArm, FloatPerPair, IntPerArm, IntPerPair, with_zeros
from duelbench.bandits.kernels.threshold_rounds import round_at
from duelbench.bandits.kernels.win_counts import copeland_leader


class Divergences(NamedTuple):
    """The evidence that an arm is not the Condorcet winner; arrays are updated in place."""

    wins: IntPerPair  # wins[i, j] = duels arm i has won against arm j.
    mean: FloatPerPair  # mean[i, j] = wins[i, j] / plays; 1/2 before the first duel and on the diagonal.
    part: FloatPerPair  # Plays times d(mean[i, j], 1/2) if mean[i, j] <= 1/2, that is, j in O_i; else 0.
    total: FloatPerArm  # I_i: row sums of `part`, added up from left to right.
    # (1,) bool. Whether only ``wins`` are up to date: the initial phase needs nothing else.
    waiting: np.ndarray


class State(NamedTuple):
    """Memory between rounds; arrays are updated in place."""

    divergences: Divergences  # I_i and its terms
    lists: candidate_lists.CandidateLists  # L_C, L_R and L_N; item a is the arm order[a]
    order: IntPerArm  # The private order of the arms, in which ties are broken.
    first_draws: np.ndarray  # (K (K - 1) / 2, 2) int64. The pairs of the initial phase, one a round.
    slack: float  # f(K)


def new_divergences(n_arms: int, waiting: bool = False) -> Divergences:
    """Return the divergences before the first duel: every arm may be the winner."""
    return with_zeros(Divergences, n_arms, mean=np.full((n_arms, n_arms), 0.5), waiting=np.array([waiting]))


def start(n_arms, horizon, rng, standing, *, f_scale, f_exponent):
    """Return the state before round 1, with a random private order of the arms."""
    order = rng.permutation(n_arms)
    earlier, later = np.triu_indices(n_arms, 1)
    return State(
        divergences=new_divergences(n_arms, waiting=True),
        lists=candidate_lists.new_lists(n_arms, n_arms),
        order=order,
        first_draws=np.column_stack((order[earlier], order[later])),
        slack=f_scale * n_arms**f_exponent,
    )


@kernel
def select(state, t, rng):
    """Return the pair (l, m) for round ``t``; a lone candidate's self-duel holds until another arm is a candidate."""
    n_first = state.first_draws.shape[0]
    if t <= n_first:
        return state.first_draws[t - 1, 0], state.first_draws[t - 1, 1], 1
    if state.divergences.waiting[0]:
        end_initial_phase(state.divergences)
    best = most_likely(state.divergences, state.order)
    if t > n_first + 1:
        close_round(state, best, t - 1)
    first = state.order[candidate_lists.present(state.lists)]
    second = opponent(state.divergences, state.order, first, best)
    if first == second and state.lists.place[0].n_current == 1:
        return first, second, return_round(state.divergences.total, first, state.slack) - t + 1
    return first, second, 1


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count duels of two different arms."""
    add_duels(state.divergences, first, second, first_wins, second_wins)


@kernel
def recommend(state):
    """Return the arm that beats most arms empirically."""
    return copeland_leader(state.divergences.wins)


@inlined
def close_round(state, best, t):
    """After the draw of round ``t``: L_R <- L_R \\ {l}; add every j not in L_R with I_j - I* <= ln t + f(K) to L_N."""
    total = state.divergences.total
    lists = state.lists
    lists.remaining[candidate_lists.present(lists)] = False  # L_R <- L_R \ {l}
    limit = math.log(t) + state.slack
    for a in range(total.size):
        if candidate_lists.is_open(lists, a) and total[state.order[a]] - total[best] <= limit:
            candidate_lists.add_to_next(lists, a)
    candidate_lists.advance(lists)


@kernel
def return_round(total, w, slack):
    """Return the first round t with I_j - I_w <= ln t + f(K) for some other arm j, as long as only w duels (itself)."""
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
def end_initial_phase(divergences):
    """After the initial phase, compute all fields from ``wins``; from then on, duels update them."""
    divergences.waiting[0] = False
    for i in range(divergences.total.size):
        for j in range(divergences.total.size):
            if divergences.wins[i, j] + divergences.wins[j, i] > 0:
                _recompute(divergences, i, j)
        _add_up(divergences, i)


@inlined
def _recompute(divergences, i, j):
    """Compute mean and part of the entry (i, j)."""
    plays = divergences.wins[i, j] + divergences.wins[j, i]
    mean = divergences.wins[i, j] / plays
    divergences.mean[i, j] = mean
    divergences.part[i, j] = plays * kl_to_half(mean) if mean <= 0.5 else 0.0


@inlined
def _add_up(divergences, i):
    """Compute I_i anew, so that no rounding errors accumulate and zeros are exact."""
    total = 0.0
    for k in range(divergences.total.size):
        total += divergences.part[i, k]
    divergences.total[i] = total


@inlined
def most_likely(divergences, order):
    """Return i* = argmin_i I_i, on ties the first in ``order``."""
    total = divergences.total
    best = order[0]
    for a in range(1, order.size):
        if total[order[a]] < total[best]:
            best = order[a]
    return best


@inlined
def opponent(divergences, order, first, best):
    """Return m for l = ``first``: i* = ``best`` if it may beat l or no arm does, else the arm that beats l most."""
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


PARAMETERS = {
    "f_scale": Parameter(0.3, "a in f(K) = a K^b, by which a divergence may exceed ln t", low=0.0),
    "f_exponent": Parameter(1.01, "b in f(K) = a K^b", low=0.0, high=10.0),
}

RMED1 = Algorithm.of_module(
    __name__,
    "rmed1",
    "RMED1",
    "condorcet",
    "Komiyama, Honda, Kashima, Nakagawa 2015, Algorithms 1 and 2",
    trace_version=2,
    look=("orange", "solid", "D"),
    learns_from_any_pair=True,
    source="paper",
)
