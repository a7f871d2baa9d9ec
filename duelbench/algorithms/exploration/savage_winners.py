"""SAVAGE for the winners of preference matrices: of Copeland, Condorcet and Borda.

For Copeland and Condorcet winners (`copeland_decisions`) the means are the p_ij of the pairs i < j, in lexicographic
order, and a duel of first = i with second = j is a sample of p_ij. For Borda winners they are the K probabilities that
an arm beats a random other one, and a duel of first = i with a random second arm is a sample of that of i.

Copeland SAVAGE assumes nothing (pairs with p_ij = 1/2 that matter are explored permanently), Condorcet SAVAGE a
Condorcet winner. All need the horizon.

Drawn, each only where more than one outcome is possible, in increasing index: the second arm in each round of Borda
SAVAGE; when exploration ends, the decision, among arms that are equally good.

References
----------
.. [1] T. Urvoy, F. Clerot, R. Feraud, S. Naamane, "Generic Exploration and K-armed Voting Bandits", ICML 2013,
   Algorithm 1 with equations (9), (12), (14).
"""

from dataclasses import replace
from typing import Any

import numpy as np

from duelbench.algorithms.contract import Algorithm, Parameter
from duelbench.algorithms.exploration.copeland_decisions import CONDORCET, COPELAND
from duelbench.algorithms.exploration.parameter_sets import DELTA, all_pairs
from duelbench.algorithms.exploration.savage import (
    ACCEPT,
    ANY_OTHER,
    ETA,
    NESTED,
    TEST_EVERY,
    State,
    begin,
    explored_parameters,
    recommend,
    select,
    update,
)
from duelbench.algorithms.exploration.scalar_decisions import ARGMAX

LATER_ETA = replace(ETA, later=True)


def start_copeland(n_arms, horizon, rng, standing, *, accept, epsilon, **options):
    """State of Copeland SAVAGE before round 1."""
    options = {"until_empty": accept == "empty", "tolerance": epsilon, "n_arms": n_arms, **options}
    return begin(COPELAND, {}, all_pairs(n_arms), horizon, **options)


def start_condorcet(n_arms, horizon, rng, standing, *, epsilon, **options):
    """State of Condorcet SAVAGE before round 1."""
    options = {"until_empty": epsilon == 0, "tolerance": epsilon, "n_arms": n_arms, **options}
    return begin(CONDORCET, {}, all_pairs(n_arms), horizon, **options)


def start_borda(n_arms, horizon, rng, standing, *, epsilon, **options):
    """State of Borda SAVAGE before round 1."""
    arms = np.column_stack((np.arange(n_arms), np.full(n_arms, ANY_OTHER)))
    return begin(ARGMAX, {}, arms, horizon, until_empty=epsilon == 0, tolerance=epsilon, **options)


_RULE: dict[str, Any] = {
    "anytime": False,
    "explored": explored_parameters,
    "state": State,
    "select": select,
    "update": update,
    "recommend": recommend,
}

SAVAGE_COPELAND = Algorithm.of_module(
    __name__,
    id="savage-copeland",
    name="SAVAGE (Copeland)",
    assumes="nothing",
    answers=("copeland", "condorcet"),
    parameters={
        "delta": DELTA,
        "test_every": TEST_EVERY,
        "accept": ACCEPT,
        "nested": NESTED,
        "eta": LATER_ETA,
        "epsilon": Parameter(0.0, "duels by which another score may be higher", low=0.0, later=True),
    },
    reference="Urvoy, Clerot, Feraud, Naamane 2013, Algorithm 1 with equation (9)",
    start=start_copeland,
    **_RULE,
)

SAVAGE_CONDORCET = Algorithm.of_module(
    __name__,
    id="savage-condorcet",
    name="SAVAGE (Condorcet)",
    assumes="condorcet",
    answers=("condorcet",),
    parameters={
        "delta": DELTA,
        "test_every": TEST_EVERY,
        "nested": NESTED,
        "eta": LATER_ETA,
        "epsilon": Parameter(0.0, "how many arms the decision need not surely beat", low=0.0, later=True),
    },
    reference="Urvoy, Clerot, Feraud, Naamane 2013, Algorithm 1 with equation (12)",
    start=start_condorcet,
    **_RULE,
)

SAVAGE_BORDA = Algorithm.of_module(
    __name__,
    id="savage-borda",
    name="SAVAGE (Borda)",
    assumes="borda",
    answers=("borda",),
    parameters={
        "delta": DELTA,
        "test_every": TEST_EVERY,
        "nested": NESTED,
        "eta": LATER_ETA,
        "epsilon": Parameter(0.0, "by how much another Borda score may be higher", low=0.0, later=True),
    },
    reference="Urvoy, Clerot, Feraud, Naamane 2013, Algorithm 1 with equation (14)",
    start=start_borda,
    **_RULE,
)
