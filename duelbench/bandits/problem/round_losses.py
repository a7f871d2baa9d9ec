"""The cost of a round on any problem: of the duel or sample, or of the decision that is announced after it.

Pure exploration is judged by the latter: after every round an algorithm announces its decision, and pays for it.
For matrices, the definitions are here; for scalar bandits, the decision has losses of its own.

References
----------
.. [1] T. Urvoy, F. Clerot, R. Feraud, S. Naamane, "Generic Exploration and K-armed Voting Bandits", ICML 2013,
   section 5.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from duelbench.bandits.problem import regret
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.regret import RegretDefinition
from duelbench.bandits.problem.scalar_bandit import ScalarBandit
from duelbench.bandits.problem.winners import condorcet_winner, inferior_counts
from duelbench.errors import InputError, nearest_or_all

ANNOUNCED: dict[str, RegretDefinition] = {
    definition[0]: RegretDefinition(*definition)
    for definition in (
        (
            "announced-copeland",
            "U* - U_d of the arm d announced after each round, U the number of arms beaten",
            "Urvoy et al. 2013, section 5",
            False,
            lambda P: (inferior_counts(P).max() - inferior_counts(P)).astype(np.float64),
        ),
        (
            "announced-condorcet",
            "P[w, d] - 1/2 of the arm d announced after each round, w the Condorcet winner",
            "Urvoy et al. 2013, figure 11",
            True,
            regret.gaps_to_winner,
        ),
        (
            "announced-borda",
            "b* - b_d of the arm d announced after each round, b the Borda score",
            "Urvoy et al. 2013, section 4.2",
            False,
            regret.borda_gaps,
        ),
    )
}
"""Definitions of the cost of announcing an arm on a preference matrix, by name."""

SCALAR = {
    "announced": "cost of the decision announced after each round, by the decision's own measure",
    "played": "cost of the arm sampled in each round, if the decision is an arm: explore, then exploit",
}
"""Definitions of the cost of a round on a scalar bandit, by name."""

NAMES = (*regret.DEFINITIONS, *ANNOUNCED, *SCALAR)  # All names that a spec can record as regret


class Costs(NamedTuple):
    """The costs of rounds; each array has one entry per definition."""

    table: np.ndarray  # (n_definitions, K, K) or (n_definitions, N, 1) float64. Of each pair's duel, or arm's sample
    announced: np.ndarray  # (n_definitions, n_decisions) float64. Of announcing each; n_decisions is 0 if not needed


def default(problem: PreferenceMatrix | ScalarBandit) -> str:
    """Return the name of the regret that is recorded by default."""
    return "announced" if isinstance(problem, ScalarBandit) else "copeland"


def check(name: str, problem: PreferenceMatrix | ScalarBandit) -> None:
    """Raise an InputError unless the definition called ``name`` makes sense on a problem."""
    check_kind(name, isinstance(problem, ScalarBandit))
    if isinstance(problem, ScalarBandit):
        if name == "played" and not problem.decision.names_parameter:
            raise InputError(f"regret 'played' needs a decision that is an arm; {problem.decision.name} is a number")
    elif name in ANNOUNCED and ANNOUNCED[name].needs_condorcet_winner and condorcet_winner(problem) is None:
        raise InputError(f"regret '{name}' needs a Condorcet winner and there is none")


def check_kind(name: str, is_scalar: bool) -> None:
    """Raise an InputError unless the definition ``name`` is for scalar bandits, or for matrices if not ``is_scalar``.

    Examples
    --------
    >>> check_kind("weak", is_scalar=True)
    Traceback (most recent call last):
    ...
    duelbench.errors.InputError: regret 'weak' is one of preference matrices; scalar bandits have announced, played
    """
    if name not in NAMES:
        raise InputError(f"there is no regret {name!r}{nearest_or_all(name, NAMES)}")
    if is_scalar and name not in SCALAR:
        raise InputError(f"regret '{name}' is one of preference matrices; scalar bandits have {', '.join(SCALAR)}")
    if not is_scalar and name in SCALAR:
        raise InputError(f"regret '{name}' is one of scalar bandits, and this is a matrix")


def costs(problem: PreferenceMatrix | ScalarBandit, names: Sequence[str]) -> Costs:
    """Return the costs of rounds on a problem under the definitions ``names``, which are checked first.

    Examples
    --------
    Arm 0 beats both others, arm 1 beats arm 2.

    >>> P = PreferenceMatrix([[0.5, 0.75, 1.0], [0.25, 0.5, 0.75], [0.0, 0.25, 0.5]])
    >>> costs(P, ["announced-copeland"]).announced.tolist()
    [[0.0, 1.0, 2.0]]
    """
    for name in names:
        check(name, problem)
    if isinstance(problem, ScalarBandit):
        zeros, losses = np.zeros((problem.n_arms, 1)), problem.losses
        rows = [(losses[:, np.newaxis], None) if name == "played" else (zeros, losses) for name in names]
    else:
        zeros, P = np.zeros((problem.n_arms, problem.n_arms)), problem.P
        rows = [
            (zeros, ANNOUNCED[name].formula(P)) if name in ANNOUNCED else (regret.loss(name, problem), None)
            for name in names
        ]
    width = max((announced.size for _, announced in rows if announced is not None), default=0)
    announced = [np.zeros(width) if announced is None else announced for _, announced in rows]
    return Costs(np.array([table for table, _ in rows]), np.array(announced))


def best_decisions(name: str, problem: PreferenceMatrix | ScalarBandit) -> np.ndarray:
    """Return the decisions (arms from 0, or numbers) that cost nothing under the definition ``name``."""
    if isinstance(problem, ScalarBandit):
        return np.array(problem.best)
    if name in ANNOUNCED:
        return np.flatnonzero(ANNOUNCED[name].formula(problem.P) == 0)
    return np.flatnonzero(np.diag(regret.loss(name, problem)) == 0)
