"""MergeRUCB: within small batches of arms, an arm drawn at random duels the one that may beat it most.

An arm leaves its batch as soon as another arm of the batch surely beats it; batches merge as arms are eliminated.

Assumes a Condorcet winner. Anytime. Promises its regret with probability 1 - ``delta``.

Algorithm 1 of [1]_ in round t, its steps numbered as below, with u_ij as in `batches`:

1. m = t mod the number of batches; while batch m has one arm, m is the next one.
2. Remove every arm i from batch m with u_ij < 1/2 for some j in it.
3. If it now has one arm, continue with the next batch at 1.
4. c at random from batch m; d = argmax u_jc over its other arms j. They duel, and the winner's W is counted.
5. If no more than K / 2^S arms are left, merge small batches with large ones, and S <- S + 1.

References
----------
.. [1] M. Zoghi, S. Whiteson, M. de Rijke, "MergeRUCB: A Method for Large-Scale Online Ranker Evaluation", WSDM 2015,
   Algorithm 1, by descriptions and public programs.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import NEVER, Algorithm, Parameter
from duelbench.bandits.algorithms.merging import batches as merging
from duelbench.bandits.algorithms.merging.batches import Batches
from duelbench.bandits.kernels.confidence_bounds import upper_bound
from duelbench.bandits.kernels.decorators import kernel
from duelbench.bandits.kernels.records import FloatPerArm, IntPerPair
from duelbench.bandits.kernels.sampling import draw_highest, draw_index


class State(NamedTuple):
    """Memory between rounds; arrays are updated in place."""

    batches: Batches  # the arms that are left
    wins: IntPerPair  # wins[i, j] = duels arm i has won against arm j.
    bound: FloatPerArm  # Scratch, by place in a batch: u_jc.
    alpha: float  # Exploration rate
    log_offset: float  # ln C(delta), C(delta) = ((4 alpha - 1) K^2 / ((2 alpha - 1) delta))^(1 / (2 alpha - 1))


def start(n_arms, horizon, rng, standing, *, alpha, batch_size, delta, lerot_compat):
    """Return the state before round 1, with a random order of the arms."""
    wins = np.zeros((n_arms, n_arms), np.int64)
    if lerot_compat:
        wins += 1
        np.fill_diagonal(wins, 0)
    exponent = 1.0 / (2.0 * alpha - 1.0)
    return State(
        batches=merging.new_batches(rng.permutation(n_arms), batch_size, surplus=int(lerot_compat)),
        wins=wins,
        bound=np.zeros(n_arms),
        alpha=alpha,
        log_offset=exponent * math.log((4.0 * alpha - 1.0) * n_arms**2 * exponent / delta),
    )


@kernel
def select(state, t, rng):
    """Return the pair (c, d) of the current batch for round ``t``; once one arm is left, its self-duel forever."""
    batches = state.batches
    log_t = merging.log_shifted(t, state.log_offset)
    merging.merge_if_due(batches, state.wins.shape[0], rng)  # step 5 of the round before
    turn = t % batches.n_batches[0]
    while True:
        m = _open_batch(batches, turn)  # step 1
        if m == merging.NONE and batches.n_batches[0] == 1:
            return batches.arms[0], batches.arms[0], NEVER
        if m == merging.NONE:  # nobody could play: merge, although more arms are left than step 5 asks for
            merging.merge(batches, rng)
            turn = t % batches.n_batches[0]
            continue
        merging.eliminate(batches, m, state.wins, state.alpha, log_t, False, rng)  # step 2
        if merging.size_of(batches, m) > 1:
            break
        turn = (m + 1) % batches.n_batches[0]  # step 3
    c = batches.arms[batches.begin[m] + draw_index(merging.size_of(batches, m), rng)]  # step 4
    return c, _strongest_opponent(state, m, c, log_t, rng), 1


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count the outcomes."""
    state.wins[first, second] += first_wins
    state.wins[second, first] += second_wins


@kernel
def _open_batch(batches, m):
    """Return the first batch from m on, cyclically, with more than one arm; NONE if there is none."""
    n = batches.n_batches[0]
    for step in range(n):
        if merging.size_of(batches, (m + step) % n) > 1:
            return (m + step) % n
    return merging.NONE


@kernel
def _strongest_opponent(state, m, c, log_t, rng):
    """Step 4: d = argmax u_jc over the other arms j of batch m, ties at random."""
    wins = state.wins
    batches = state.batches
    bound = state.bound[: merging.size_of(batches, m)]
    for k in range(bound.size):
        j = batches.arms[batches.begin[m] + k]
        u = upper_bound(wins[j, c], wins[j, c] + wins[c, j], state.alpha, log_t, merging.UNPLAYED)
        bound[k] = u if j != c else -1.0
    return batches.arms[batches.begin[m] + draw_highest(bound, rng)]


PARAMETERS = {
    "alpha": Parameter(1.01, "exploration rate", low=0.0, low_open=True, proven_above=0.5),
    "batch_size": Parameter(4, "arms per batch at the start, p", low=2),
    "delta": Parameter(0.01, "probability with which the winner may be eliminated", low=0.0, low_open=True, high=1.0),
    "lerot_compat": Parameter(
        False, "as the authors' program: counts start at 1, batches merge when K / 2^S + 1 arms are left"
    ),
}

MERGERUCB = Algorithm.of_module(
    __name__,
    "mergerucb",
    "MergeRUCB",
    "condorcet",
    "Zoghi, Whiteson, de Rijke 2015, Algorithm 1",
    recommend=merging.recommend,
    look=("black", "dotted", "^"),
    source="description",
)
