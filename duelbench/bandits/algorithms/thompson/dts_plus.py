"""D-TS+: D-TS that breaks ties of the vote by sampled regret.

The algorithm is in `dts`. With several winners ties are common, so `dts_ties` draws such rounds ahead.

References
----------
.. [1] H. Wu, X. Liu, "Double Thompson Sampling for Dueling Bandits", NIPS 2016: section 4.3.
"""

from typing import NamedTuple

from duelbench.bandits.algorithms.contract import Algorithm, Parameter
from duelbench.bandits.algorithms.thompson import dts, dts_standing, dts_ties
from duelbench.bandits.algorithms.thompson.dts_ties import Ties
from duelbench.bandits.kernels.decorators import kernel


class State(NamedTuple):
    """Memory of D-TS+ between rounds."""

    core: dts.State  # the state of D-TS
    # The rounds drawn ahead, or None. Separate from ``core``, because calls pass all arrays of a state.
    ties: Ties | None


def start(n_arms, horizon, rng, standing, *, alpha, best_score):
    """Return the state of D-TS+ before round 1."""
    core = dts.new_state(n_arms, standing, rng, alpha, plus=True, over_all=best_score == "all")
    return State(core, dts_ties.new_ties(n_arms, rng) if standing and core.many is None else None)


@kernel
def select(state, t, rng):
    """Return the pair (a, b) for round ``t``, and for how many rounds it holds."""
    return dts.choose_pair(state.core, state.ties, t, rng)


@kernel
def update(state, first, second, first_wins, second_wins):
    """Lines 16-17."""
    dts.update(state.core, first, second, first_wins, second_wins)
    dts_ties.forget_tables(state.ties, first, second)


@kernel
def recommend(state):
    """Return the arm that beats most arms empirically."""
    return dts.recommend(state.core)


@kernel
def self_duel_probability(state, arm):
    """Return the probability of an arm to be the leader that duels itself in a round as expected."""
    return dts_standing.self_duel_probability(state.core, arm)


PARAMETERS = {
    **dts.DTS_PARAMETERS,
    "best_score": Parameter(
        "all",
        "whose best sampled Copeland score counts: of all arms (the paper), or of the candidates (its program)",
        choices=("all", "candidates"),
    ),
}

DTS_PLUS = Algorithm.of_module(
    __name__,
    "d-ts-plus",
    "D-TS+",
    "copeland",
    "Wu, Liu 2016, section 4.3",
    trace_version=4,
    look=("vermilion", "solid", "o"),
    learns_from_any_pair=True,
    source="paper",
)
