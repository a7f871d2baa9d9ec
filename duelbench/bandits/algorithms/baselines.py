"""Random: draws both arms of every duel uniformly and independently. The baseline that every algorithm must beat."""

from typing import NamedTuple

from duelbench.bandits.algorithms.contract import Algorithm
from duelbench.bandits.kernels.decorators import kernel
from duelbench.bandits.kernels.records import IntPerPair, with_zeros
from duelbench.bandits.kernels.sampling import draw_index
from duelbench.bandits.kernels.win_counts import copeland_leader


class State(NamedTuple):
    """Memory between rounds; updated in place."""

    wins: IntPerPair  # wins[i, j] = duels arm i has won against arm j; used to recommend, never to choose.


def start(n_arms, horizon, rng, standing):
    """Return the state before round 1."""
    return with_zeros(State, n_arms)


@kernel
def select(state, t, rng):
    """Draw the pair for one round, each arm uniformly from all K."""
    n_arms = state.wins.shape[0]
    first = draw_index(n_arms, rng)
    second = draw_index(n_arms, rng)
    return first, second, 1


@kernel
def pair_probability(state, first, second):
    """Return 1 / K^2: all pairs are equally likely in every round."""
    return 1.0 / state.wins.size


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count the outcomes."""
    state.wins[first, second] += first_wins
    state.wins[second, first] += second_wins


@kernel
def recommend(state):
    """Return the empirical Copeland winner."""
    return copeland_leader(state.wins)


RANDOM = Algorithm.of_module(
    __name__,
    "random",
    "Random",
    "nothing",
    "baseline, e.g. Komiyama, Honda, Nakagawa 2016, section 5",
    trace_version=2,
    look=("grey", "dotted", "X"),
    source="own",
)
