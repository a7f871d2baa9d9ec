"""Regret: the cost of a duel of each pair, by ten definitions from the literature.

A definition turns a preference matrix into a (K, K) table: entry [i, j] is the regret of one round in which arms i and
j duel, in duels. The regret of a run is the sum over pairs of how often they dueled times their table entry.

Without ties ``copeland`` = ``copeland-komiyama`` = ``copeland-zoghi`` / 2; with a tie the first two differ.
``condorcet-sum`` = 2 ``condorcet``; ``weak`` <= ``condorcet`` <= ``strong`` <= ``condorcet-sum``.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.winners import (
    as_array,
    borda_scores,
    borda_winners,
    condorcet_winner,
    copeland_winners,
    inferior_counts,
    superior_counts,
)
from duelbench.common.words import plural
from duelbench.errors import InputError, nearest_or_all


@dataclass(frozen=True)
class RegretDefinition:
    """A definition of the cost of a round on a preference matrix."""

    name: str  # the name in specs
    description: str  # the formula in one line
    reference: str  # the paper that defines it
    needs_condorcet_winner: bool
    # (K, K) preferences -> the regret of a duel of each pair, (K, K); or of an announced arm, (K,)
    formula: Callable[[np.ndarray], np.ndarray]


def loss(name: str, P: PreferenceMatrix | ArrayLike) -> np.ndarray:
    """Return the regret of a duel of each pair under one of `DEFINITIONS`, in duels: (K, K) float64, symmetric, >= 0.

    Raises an InputError if there is no such definition, or it needs a Condorcet winner and there is none.

    Examples
    --------
    Arm 0 beats both others, arm 1 beats arm 2: Copeland scores 1, 1/2, 0.

    >>> loss("copeland", [[0.5, 0.75, 1.0], [0.25, 0.5, 0.75], [0.0, 0.25, 0.5]]).tolist()
    [[0.0, 0.25, 0.5], [0.25, 0.5, 0.75], [0.5, 0.75, 1.0]]
    """
    if name not in DEFINITIONS:
        raise InputError(f"there is no regret {name!r}{nearest_or_all(name, DEFINITIONS)}")
    definition = DEFINITIONS[name]
    if definition.needs_condorcet_winner and condorcet_winner(P) is None:
        raise InputError(_no_condorcet_winner(name, P))
    return definition.formula(as_array(P))


def _no_condorcet_winner(name: str, P: PreferenceMatrix | ArrayLike) -> str:
    matrix, winners = P if isinstance(P, PreferenceMatrix) else PreferenceMatrix(P), copeland_winners(P)
    defined = ", ".join(definition.name for definition in DEFINITIONS.values() if not definition.needs_condorcet_winner)
    return (
        f"{matrix.label}: regret '{name}' needs a Condorcet winner and there is none;"
        f" {plural(len(winners), 'Copeland winner')} (counted from 0): {matrix.listed(winners)}; use one of {defined}"
    )


def _copeland(P: np.ndarray) -> np.ndarray:
    # Whole numbers until the last division, so that a duel of two winners costs exactly 0.
    missed = inferior_counts(P).max() - inferior_counts(P)
    return np.add.outer(missed, missed) / (2 * (len(P) - 1))


def _copeland_komiyama(P: np.ndarray) -> np.ndarray:
    excess = superior_counts(P) - superior_counts(P).min()
    return np.add.outer(excess, excess) / (2 * (len(P) - 1))


def _copeland_binary(P: np.ndarray) -> np.ndarray:
    cost = np.ones(P.shape)
    cost[np.ix_(copeland_winners(P), copeland_winners(P))] = 0
    return cost


def gaps_to_winner(P: np.ndarray) -> np.ndarray:
    """Return D_i = P[w, i] - 1/2 for the Condorcet winner w: 0 for w, positive for every other arm; (K,) float64."""
    return P[condorcet_winner(P)] - 0.5


def _weak_binary(P: np.ndarray) -> np.ndarray:
    cost = np.ones(P.shape)
    winner = condorcet_winner(P)
    cost[winner] = cost[:, winner] = 0
    return cost


def borda_gaps(P: np.ndarray) -> np.ndarray:
    """Return b* - b_i, (K,) float64, b the Borda score; exactly 0 for winners, whose scores differ by rounding."""
    missed = borda_scores(P).max() - borda_scores(P)
    missed[list(borda_winners(P))] = 0
    return missed


def _borda(P: np.ndarray) -> np.ndarray:
    return np.add.outer(borda_gaps(P), borda_gaps(P)) / 2


def _outer_gaps(combine: np.ufunc) -> Callable[[np.ndarray], np.ndarray]:
    return lambda P: combine.outer(gaps_to_winner(P), gaps_to_winner(P))


_SCORE = "z_i the normalised Copeland score"
_GAP = "D_i = P[w, i] - 1/2 for the Condorcet winner w"
_KOMIYAMA = "Komiyama et al. 2016, section 2"
_ZOGHI = "Zoghi et al. 2015, definition 1"
_LOSSES = "(L_i + L_j - 2 min L) / (2 (K - 1)), L_i the number of arms that beat arm i"
_ONE_OF_TWO = "0 if the Condorcet winner is one of the two arms, else 1"

_condorcet_sum = _outer_gaps(np.add)

DEFINITIONS: dict[str, RegretDefinition] = {
    definition[0]: RegretDefinition(*definition)
    for definition in (
        ("copeland", f"z* - (z_i + z_j) / 2, {_SCORE}", "Wu and Liu 2016, equation 1", False, _copeland),
        ("copeland-komiyama", _LOSSES, _KOMIYAMA, False, _copeland_komiyama),
        ("copeland-zoghi", f"2 z* - z_i - z_j, {_SCORE}", _ZOGHI, False, lambda P: 2 * _copeland(P)),
        ("copeland-binary", "0 if both arms are Copeland winners, else 1", _KOMIYAMA, False, _copeland_binary),
        ("condorcet", f"(D_i + D_j) / 2, {_GAP}", "Zoghi et al. 2014", True, lambda P: _condorcet_sum(P) / 2),
        ("condorcet-sum", f"D_i + D_j, {_GAP}", "Yue et al. 2012", True, _condorcet_sum),
        ("strong", f"max(D_i, D_j), {_GAP}", "Yue et al. 2012", True, _outer_gaps(np.maximum)),
        ("weak", f"min(D_i, D_j), {_GAP}", "Yue et al. 2012", True, _outer_gaps(np.minimum)),
        ("weak-binary", _ONE_OF_TWO, "Kolpaczki, Bengs and Hüllermeier 2022", True, _weak_binary),
        ("borda", "b* - (b_i + b_j) / 2, b_i the Borda score", "Urvoy et al. 2013", False, _borda),
    )
}
"""The definitions by name; ``copeland`` is the default of specs."""
