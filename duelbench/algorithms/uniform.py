"""Uniform: every pair in turn, for ever. What pure exploration must beat; `random` is its random counterpart.

Drawn: the private order of the pairs, once before round 1, as a permutation of the pairs i < j in lexicographic order.

References
----------
.. [1] T. Urvoy, F. Clerot, R. Feraud, S. Naamane, "Generic Exploration and K-armed Voting Bandits", ICML 2013,
   section 5.
"""

from typing import NamedTuple

import numpy as np

from duelbench.algorithms.baselines import recommend, update
from duelbench.algorithms.contract import Algorithm
from duelbench.algorithms.kernel import kernel


class State(NamedTuple):
    """Memory between rounds; arrays are updated in place.

    pairs : (K (K - 1) / 2, 2) int64. The pairs in private order.
    wins : (K, K) int64. wins[i, j] = duels arm i has won against arm j; used to recommend, never to choose.
    """

    pairs: np.ndarray
    wins: np.ndarray


def start(n_arms, horizon, rng, standing):
    """State before round 1; draws the private order of the pairs."""
    pairs = np.column_stack(np.triu_indices(n_arms, 1))
    return State(pairs[rng.permutation(len(pairs))], np.zeros((n_arms, n_arms), np.int64))


@kernel
def select(state, t, rng):
    """The pair whose turn it is."""
    turn = (t - 1) % state.pairs.shape[0]
    return state.pairs[turn, 0], state.pairs[turn, 1], 1


UNIFORM = Algorithm(
    id="uniform",
    name="Uniform",
    assumes="nothing",
    anytime=True,
    parameters={},
    reference="baseline of Urvoy, Clerot, Feraud, Naamane 2013, section 5",
    state=State,
    start=start,
    select=select,
    update=update,
    recommend=recommend,
)
