"""MergeDTS: within small batches of arms, the sampled winner duels the arm that it most likely eliminates.

An arm leaves its batch as soon as another arm of the batch surely beats it; batches merge as arms are eliminated.

Assumes a Condorcet winner, and that at most a third of the arms are uninformative. Anytime.

Algorithm 1 of [1]_ in round t, its steps numbered as below, with u_ij as in `batches`:

1. m = t mod the number of batches; if batch m has one arm, it joins the next batch: again.
2. Remove arms i from batch m with u_ij < 1/2 for some j in it; if one arm is left, it joins the next batch: again.
3. theta_ij ~ Beta(W_ij + 1, W_ji + 1) for the pairs of batch m; c = argmax #{j : theta_ij > 1/2}.
4. phi_jc ~ Beta(W_jc + 1, W_cj + 1) for the other arms j of the batch; d = argmin phi_jc.
5. c and d duel, and the winner's W is counted.
6. If no more than K / 2^S arms are left, merge small batches with large ones, and S <- S + 1.

References
----------
.. [1] C. Li, I. Markov, M. de Rijke, M. Zoghi, "MergeDTS: A Method for Effective Large-Scale Online Ranker Evaluation",
   ACM Transactions on Information Systems 38(4), 2020, Algorithm 1, by the authors' program;
   docs/algorithms/merge-dts.md says where this departs from it.
"""

import math
from typing import NamedTuple

from duelbench.bandits.algorithms.contract import NEVER, Algorithm, Parameter
from duelbench.bandits.algorithms.merging import batches as merging
from duelbench.bandits.algorithms.merging.batches import Batches
from duelbench.bandits.kernels import posteriors
from duelbench.bandits.kernels.decorators import kernel
from duelbench.bandits.kernels.posteriors import Posterior
from duelbench.bandits.kernels.records import IntPerArm, IntPerPair, with_zeros
from duelbench.bandits.kernels.sampling import draw_highest


class State(NamedTuple):
    """Memory between rounds; arrays are updated in place."""

    batches: Batches  # the arms that are left
    wins: IntPerPair  # wins[i, j] = duels arm i has won against arm j.
    posterior: Posterior  # P(theta_ij > 1/2)
    votes: IntPerArm  # Scratch, by place in a batch: #{j : theta_ij > 1/2}.
    alpha: float  # Exploration rate
    log_offset: float  # ln C


def start(n_arms, horizon, rng, standing, *, alpha, batch_size, offset):
    """Return the state before round 1, with a random order of the arms."""
    return with_zeros(
        State,
        n_arms,
        batches=merging.new_batches(rng.permutation(n_arms), batch_size, surplus=0),
        posterior=posteriors.new_posterior(n_arms),
        alpha=alpha,
        log_offset=math.log(offset),
    )


@kernel
def select(state, t, rng):
    """Return the pair (c, d) of the current batch for round ``t``; once one arm is left, its self-duel forever."""
    batches = state.batches
    log_t = merging.log_shifted(t, state.log_offset)
    merging.merge_if_due(batches, state.wins.shape[0], rng)  # step 6 of the round before
    while True:
        m = t % batches.n_batches[0]  # step 1
        if merging.size_of(batches, m) > 1:
            merging.eliminate(batches, m, state.wins, state.alpha, log_t, True, rng)  # step 2
            if merging.size_of(batches, m) > 1:
                break
        if batches.n_batches[0] == 1:
            return batches.arms[0], batches.arms[0], NEVER
        merging.join_next(batches, m)
    c = _sampled_winner(state, m, rng)  # step 3
    return c, _sampled_victim(state, m, c, rng), 1  # step 4


@kernel
def update(state, first, second, first_wins, second_wins):
    """Step 5."""
    posteriors.observe(state.posterior, state.wins, first, second, first_wins, second_wins)
    state.wins[first, second] += first_wins
    state.wins[second, first] += second_wins


@kernel
def _sampled_winner(state, m, rng):
    """Step 3: the arm of batch m that wins most of the sampled duels within it, ties at random."""
    above = state.posterior.above
    arms = state.batches.arms
    begin = state.batches.begin[m]
    size = merging.size_of(state.batches, m)
    votes = state.votes[:size]
    votes[:] = 0
    for a in range(size):
        for b in range(a + 1, size):
            if rng.random() < above[arms[begin + a], arms[begin + b]]:
                votes[a] += 1
            else:
                votes[b] += 1
    return arms[begin + draw_highest(votes, rng)]


@kernel
def _sampled_victim(state, m, c, rng):
    """Step 4: d = argmin phi_jc, the other arm of batch m that c is most likely to eliminate."""
    wins = state.wins
    batches = state.batches
    only_one = merging.size_of(batches, m) == 2
    d = merging.NONE
    smallest = 2.0
    for k in range(batches.begin[m], batches.begin[m + 1]):
        j = batches.arms[k]
        if j != c:
            phi = 1.0 if only_one else rng.beta(wins[j, c] + 1, wins[c, j] + 1)
            if phi < smallest:
                d = j
                smallest = phi
    return d


PARAMETERS = {
    "alpha": Parameter(0.8**6, "exploration rate", low=0.0, low_open=True, proven_above=0.5),
    "batch_size": Parameter(16, "arms per batch at the start, M", low=2),
    "offset": Parameter(4e5, "C in ln(t + C), rounds", low=1.0),
}

MERGE_DTS = Algorithm.of_module(
    __name__,
    "merge-dts",
    "MergeDTS",
    "condorcet",
    "Li, Markov, de Rijke, Zoghi 2020, Algorithm 1",
    recommend=merging.recommend,
    look=("sky", "long", "s"),
    source="program",
)
