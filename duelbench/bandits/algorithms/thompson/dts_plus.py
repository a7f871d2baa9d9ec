"""D-TS+: D-TS that breaks ties of the vote by sampled regret.

The algorithm is in `dts`. With several winners ties are common, so `dts_ties` draws such rounds ahead.

References
----------
.. [1] H. Wu, X. Liu, "Double Thompson Sampling for Dueling Bandits", NIPS 2016: section 4.3.
"""

from duelbench.bandits.algorithms.contract import Algorithm, Parameter
from duelbench.bandits.algorithms.thompson import dts, dts_standing


class State(dts.State):
    """The same fields as in D-TS; its own class gives D-TS+ its own compiled loop."""


def start(n_arms, horizon, rng, standing, *, alpha, best_score):
    """Return the state of D-TS+ before round 1."""
    return State(*dts.new_state(n_arms, standing, rng, alpha, plus=True, over_all=best_score == "all"))


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
    select=dts.select,
    update=dts.update,
    recommend=dts.recommend,
    self_duel_probability=dts_standing.self_duel_probability,
    trace_version=4,
    look=("vermilion", "solid", "o"),
    learns_from_any_pair=True,
    source="paper",
)
