"""The least cost of the program (2) of Komiyama, Honda and Nakagawa (2016), with every constraint written out.

The constraints are those of the transcription of CW-RMED. Arms are 0-based.
"""

from itertools import combinations

import numpy as np
from scipy.optimize import linprog

from tests.conformance.literal import cw_rmed
from tests.conformance.literal.common import kl_half
from tests.conformance.literal.ecw_rmed import inferiors, superior_counts, superiors

Constraint = frozenset[tuple[int, int]]


def winners(P) -> list[int]:
    """The arms that the fewest arms beat."""
    losses = superior_counts(P)
    return [i for i, count in enumerate(losses) if count == min(losses)]


def constraints(P, i1) -> set[Constraint]:
    """Every constraint of (2) as the set of its pairs, none twice."""
    return {in_order(pair for part in parts for pair in part) for parts in cw_rmed.constraints(P, i1)}


def efficient_constraints(P, i1) -> set[Constraint]:
    """Every constraint of (4) and (5)."""
    losses = superior_counts(P)
    found = {in_order([(i1, j)]) for j in inferiors(P, i1)}
    for i2 in set(range(len(P))) - {i1}:
        for chosen in combinations([j for j in superiors(P, i2) if j != i1], losses[i2] - losses[i1] + 1):
            found.add(in_order((i2, j) for j in chosen))
    return found


def in_order(pairs) -> Constraint:
    return frozenset((min(pair), max(pair)) for pair in pairs)


def least_cost(P, constraints: set[Constraint]) -> float:
    """The least regret of draws that fulfil these constraints; pairs that are even cost nothing."""
    if not constraints:
        return 0.0
    pairs, losses = list(combinations(range(len(P)), 2)), superior_counts(P)
    regret = np.array([losses[i] + losses[j] - 2 * min(losses) for i, j in pairs]) / (2 * (len(P) - 1))
    cost = np.array([r / kl_half(P[pair]) if P[pair] != 0.5 else 0.0 for r, pair in zip(regret, pairs, strict=True)])
    rows = np.array([[-(pair in constraint) for pair in pairs] for constraint in constraints])
    scale = cost.max() or 1.0
    found = linprog(cost / scale, A_ub=rows, b_ub=-np.ones(len(rows)), bounds=(0, 1), method="highs")
    return float(found.fun * scale)
