"""The costs of the program (2), and how it is taken up after a duel: it saves time and changes no decision.

**Costs.** c = r / d of a pair depends on its own duels, and on the L_i of all arms, which only a change of signs
changes. So a duel that changes no sign changes one cost. A cost is always computed from present numbers, never
corrected: the costs are, to the last bit, those that would be computed from nothing.

**The program.** The sets of (2) depend on signs alone. As long as these stay, the last solution still satisfies all
sets, and only the costs have changed: `covering_lp` goes on from there, and finds the answer that it would find from
nothing, because there is one answer only (of several optima the one of least effort, and of these the lexicographically
smallest). Often it is the last one, and no set has to be looked for.
"""

from typing import NamedTuple

import numpy as np

from duelbench.algorithms.rmed.evidence import two_least
from duelbench.kernels.covering_lp import begin, change_costs, settle
from duelbench.kernels.decorators import inlined

SIGNS = np.dtype([("costs", np.int64), ("program", np.int64)])


class Costs(NamedTuple):
    """What the pairs cost; arrays are updated in place."""

    # (n_pairs,) float64. r / d of each pair, in private order: Copeland regret of as many draws as raise q d by 1 /
    # ln t; 0 for a pair at 1/2.
    cost: np.ndarray
    effort: np.ndarray  # (n_pairs,) float64. 1 / d, as many draws; 1 for a pair at 1/2.
    signs: np.ndarray  # (1,) SIGNS. The versions of the signs that the costs, and the sets of the program, belong to.


def new_costs(n_pairs: int) -> Costs:
    """Costs that belong to no evidence."""
    return Costs(np.zeros(n_pairs), np.ones(n_pairs), np.rec.array([(-1, -1)], dtype=SIGNS))


@inlined
def keep_cost(evidence, arms_of, costs, item):
    """After duels of a pair: its cost. All others stay, unless signs have changed: then `compute_costs` is due."""
    if costs.signs[0].costs == evidence.version[0].signs:
        _compute(evidence, arms_of[item], costs, item)


@inlined
def compute_costs(evidence, arms_of, costs):
    """All costs, if signs have changed."""
    if costs.signs[0].costs != evidence.version[0].signs:
        for item in range(costs.cost.size):
            _compute(evidence, arms_of[item], costs, item)
        costs.signs[0].costs = evidence.version[0].signs


@inlined
def _compute(evidence, arms, costs, item):
    """Cost c = r / d, with r_ij = (L_i + L_j - 2 L_(1)) / (2 (K - 1)), and effort 1 / d of a pair of ``arms``."""
    i = arms[0]
    j = arms[1]
    costs.cost[item] = 0.0
    costs.effort[item] = 1.0
    if evidence.ahead[i, j] != 0:
        least, _ = two_least(evidence.losses)
        regret = (evidence.losses[i] + evidence.losses[j] - 2 * least) / (2 * (evidence.losses.size - 1))
        costs.cost[item] = regret / evidence.divergence[i, j]
        costs.effort[item] = 1.0 / evidence.divergence[i, j]


@inlined
def take_up(program, costs, evidence):
    """Begin the program, or go on from where it was. Whether the present shares are the answer already."""
    if costs.signs[0].program != evidence.version[0].signs:
        costs.signs[0].program = evidence.version[0].signs
        begin(program, costs.cost, costs.effort)
    elif change_costs(program, costs.cost, costs.effort):
        return True
    else:
        settle(program)
    return False
