"""Regret: what a duel of a pair costs, by ten definitions of the literature.

A definition turns a preference matrix into a (K, K) table: entry [i, j] is the regret of one round in which
arms i and j duel, in duels. The regret of a run is the sum over pairs of how often they dueled times their
table entry.

Exact relations: without ties ``copeland`` = ``copeland-komiyama`` = ``copeland-zoghi`` / 2 (with a tie,
which is no win and no loss, the first two differ); ``condorcet-sum`` = 2 ``condorcet``; ``weak`` <=
``condorcet`` <= ``strong`` <= ``condorcet-sum``. Copeland, Condorcet and Borda regret cannot be converted
into each other.

References
----------
.. [1] H. Wu, X. Liu, "Double Thompson Sampling for Dueling Bandits", NIPS 2016, equation 1.
.. [2] J. Komiyama, J. Honda, H. Nakagawa, "Copeland Dueling Bandit Problem: Regret Lower Bound, Optimal
   Algorithm, and Computationally Efficient Algorithm", ICML 2016, section 2.
.. [3] M. Zoghi, Z. Karnin, S. Whiteson, M. de Rijke, "Copeland Dueling Bandits", NIPS 2015, definition 1.
.. [4] Y. Yue, J. Broder, R. Kleinberg, T. Joachims, "The K-armed dueling bandits problem", JCSS 78(5), 2012.
.. [5] M. Zoghi, S. Whiteson, R. Munos, M. de Rijke, "Relative Upper Confidence Bound for the K-Armed
   Dueling Bandit Problem", ICML 2014.
.. [6] T. Urvoy, F. Clerot, R. Feraud, S. Naamane, "Generic Exploration and K-armed Voting Bandits", ICML
   2013.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from duelbench.errors import InputError, nearest
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.winners import (
    as_array,
    borda_scores,
    borda_winners,
    condorcet_winner,
    copeland_winners,
    inferior_counts,
    superior_counts,
)


@dataclass(frozen=True)
class RegretDefinition:
    """One definition of the regret of a duel.

    Parameters
    ----------
    name : str
        What a spec says.
    description : str
        The formula in one line.
    reference : str
        The paper that defines it.
    needs_condorcet_winner : bool
        Whether it is defined only where some arm beats every other arm.
    formula : callable
        (K, K) float64 preferences -> (K, K) float64 regret per duel. Use `loss`, which checks the need first.
    """

    name: str
    description: str
    reference: str
    needs_condorcet_winner: bool
    formula: Callable[[np.ndarray], np.ndarray]

    def loss(self, P: PreferenceMatrix | ArrayLike) -> np.ndarray:
        """The regret of one duel of each pair.

        Returns
        -------
        ndarray, shape (K, K), float64
            Symmetric and >= 0; in duels.

        Raises
        ------
        InputError
            When the definition needs a Condorcet winner and there is none.

        Examples
        --------
        >>> DEFINITIONS["weak"].loss([[0.5, 0.75, 1.0], [0.25, 0.5, 0.5], [0.0, 0.5, 0.5]]).tolist()
        [[0.0, 0.0, 0.0], [0.0, 0.25, 0.25], [0.0, 0.25, 0.5]]
        """
        if self.needs_condorcet_winner and condorcet_winner(P) is None:
            raise InputError(_no_condorcet_winner(self.name, P))
        return self.formula(as_array(P))


def loss(name: str, P: PreferenceMatrix | ArrayLike) -> np.ndarray:
    """The regret of one duel of each pair under the definition called ``name``.

    Parameters
    ----------
    name : str
        One of `DEFINITIONS`.
    P : PreferenceMatrix or array_like, shape (K, K)

    Returns
    -------
    ndarray, shape (K, K), float64
        Symmetric and >= 0; in duels.

    Raises
    ------
    InputError
        When there is no such definition, or when it needs a Condorcet winner and the matrix has none.

    Examples
    --------
    Arm 0 beats both others, arm 1 beats arm 2: Copeland scores 1, 1/2, 0.

    >>> P = [[0.5, 0.75, 1.0], [0.25, 0.5, 0.75], [0.0, 0.25, 0.5]]
    >>> loss("copeland", P).tolist()
    [[0.0, 0.25, 0.5], [0.25, 0.5, 0.75], [0.5, 0.75, 1.0]]
    >>> loss("copland", P)
    Traceback (most recent call last):
    ...
    duelbench.errors.InputError: there is no regret 'copland' (did you mean 'copeland'?)
    """
    if name not in DEFINITIONS:
        hint = nearest(name, DEFINITIONS) or f" (there are {', '.join(DEFINITIONS)})"
        raise InputError(f"there is no regret {name!r}{hint}")
    return DEFINITIONS[name].loss(P)


def _no_condorcet_winner(name: str, P: PreferenceMatrix | ArrayLike) -> str:
    winners = copeland_winners(P)
    label = (P.source if isinstance(P, PreferenceMatrix) else None) or "the matrix"
    shown = P.listed(winners) if isinstance(P, PreferenceMatrix) else ", ".join(map(str, winners))
    defined = ", ".join(other.name for other in DEFINITIONS.values() if not other.needs_condorcet_winner)
    return (
        f"{label}: regret '{name}' needs a Condorcet winner and there is none; "
        f"Copeland winner{'s' if len(winners) > 1 else ''} (counted from 0): {shown}; use one of {defined}"
    )


def _pair_sums(values: np.ndarray) -> np.ndarray:
    """Entry [i, j]: ``values[i] + values[j]``."""
    return values[:, np.newaxis] + values[np.newaxis, :]


def _copeland(P: np.ndarray) -> np.ndarray:
    # In whole numbers until the last division, so that two winners cost exactly 0.
    missed = inferior_counts(P).max() - inferior_counts(P)
    return _pair_sums(missed) / (2 * (len(P) - 1))


def _copeland_komiyama(P: np.ndarray) -> np.ndarray:
    excess = superior_counts(P) - superior_counts(P).min()
    return _pair_sums(excess) / (2 * (len(P) - 1))


def _copeland_zoghi(P: np.ndarray) -> np.ndarray:
    return 2 * _copeland(P)


def _copeland_binary(P: np.ndarray) -> np.ndarray:
    cost = np.ones(P.shape)
    cost[np.ix_(copeland_winners(P), copeland_winners(P))] = 0
    return cost


def _gaps_to_winner(P: np.ndarray) -> np.ndarray:
    """D_i = P[w, i] - 1/2 for the Condorcet winner w: 0 for w, positive for every other arm."""
    return P[condorcet_winner(P)] - 0.5


def _condorcet(P: np.ndarray) -> np.ndarray:
    return _condorcet_sum(P) / 2


def _condorcet_sum(P: np.ndarray) -> np.ndarray:
    return _pair_sums(_gaps_to_winner(P))


def _strong(P: np.ndarray) -> np.ndarray:
    gaps = _gaps_to_winner(P)
    return np.maximum(gaps[:, np.newaxis], gaps[np.newaxis, :])


def _weak(P: np.ndarray) -> np.ndarray:
    gaps = _gaps_to_winner(P)
    return np.minimum(gaps[:, np.newaxis], gaps[np.newaxis, :])


def _weak_binary(P: np.ndarray) -> np.ndarray:
    cost = np.ones(P.shape)
    winner = condorcet_winner(P)
    cost[winner] = cost[:, winner] = 0
    return cost


def _borda(P: np.ndarray) -> np.ndarray:
    missed = borda_scores(P).max() - borda_scores(P)
    # Winners differ by rounding at most; their duels cost exactly 0.
    missed[list(borda_winners(P))] = 0
    return _pair_sums(missed) / 2


DEFINITIONS: dict[str, RegretDefinition] = {
    definition.name: definition
    for definition in (
        RegretDefinition(
            "copeland",
            "z* - (z_i + z_j) / 2, z_i the normalised Copeland score",
            "Wu and Liu 2016, equation 1",
            False,
            _copeland,
        ),
        RegretDefinition(
            "copeland-komiyama",
            "(L_i + L_j - 2 min L) / (2 (K - 1)), L_i the number of arms that beat arm i",
            "Komiyama et al. 2016, section 2",
            False,
            _copeland_komiyama,
        ),
        RegretDefinition(
            "copeland-zoghi",
            "2 z* - z_i - z_j, z_i the normalised Copeland score",
            "Zoghi et al. 2015, definition 1",
            False,
            _copeland_zoghi,
        ),
        RegretDefinition(
            "copeland-binary",
            "0 if both arms are Copeland winners, else 1",
            "Komiyama et al. 2016, section 2",
            False,
            _copeland_binary,
        ),
        RegretDefinition(
            "condorcet",
            "(D_i + D_j) / 2, D_i = P[w, i] - 1/2 for the Condorcet winner w",
            "Zoghi et al. 2014",
            True,
            _condorcet,
        ),
        RegretDefinition(
            "condorcet-sum",
            "D_i + D_j, D_i = P[w, i] - 1/2 for the Condorcet winner w",
            "Yue et al. 2012",
            True,
            _condorcet_sum,
        ),
        RegretDefinition(
            "strong",
            "max(D_i, D_j), D_i = P[w, i] - 1/2 for the Condorcet winner w",
            "Yue et al. 2012",
            True,
            _strong,
        ),
        RegretDefinition(
            "weak",
            "min(D_i, D_j), D_i = P[w, i] - 1/2 for the Condorcet winner w",
            "Yue et al. 2012",
            True,
            _weak,
        ),
        RegretDefinition(
            "weak-binary",
            "0 if the Condorcet winner is one of the two arms, else 1",
            "Kolpaczki, Bengs and Hüllermeier 2022",
            True,
            _weak_binary,
        ),
        RegretDefinition(
            "borda",
            "b* - (b_i + b_j) / 2, b_i the Borda score",
            "Urvoy et al. 2013",
            False,
            _borda,
        ),
    )
}
"""The definitions by name; ``copeland`` is the default of specs."""
