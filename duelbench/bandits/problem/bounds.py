"""Asymptotic bounds: multiples of ln T that the regret of a good algorithm cannot stay below.

Constants are in duels of regret per ln T, draws in duels per ln T. Arms are 0-based. A bound holds for one definition
of regret and one class of algorithms; docs/bounds.md says which:

- ``copeland``: min over winners of C*_i [1]_, Theorem 2: a lower bound on Copeland regret as defined in [1]_;
- ``ecw``: min over winners of C^E*_i [1]_, Theorems 4 to 6: what ECW-RMED needs, C* or more;
- ``condorcet``: a lower bound on Condorcet regret [2]_;
- ``rmed1``: what RMED1 needs [2]_;
- ``ccb``: 2 K (C + L1 + 1) / Delta^2, of CCB's guarantee [3]_ as [1]_ reads it.

References
----------
.. [1] J. Komiyama, J. Honda, H. Nakagawa, "Copeland Dueling Bandit Problem: Regret Lower Bound, Optimal Algorithm, and
   Computationally Efficient Algorithm", ICML 2016.
.. [2] J. Komiyama, J. Honda, H. Kashima, H. Nakagawa, "Regret Lower Bound and Optimal Algorithm in Dueling Bandit
   Problem", COLT 2015, section 3.
.. [3] M. Zoghi, Z. Karnin, S. Whiteson, M. de Rijke, "Copeland Dueling Bandits", NIPS 2015, Theorem 3.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from duelbench.bandits.problem import copeland_program, copeland_solver
from duelbench.bandits.problem.copeland_program import Program, antisymmetric_gaps, divergence_to_half
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.regret import loss
from duelbench.bandits.problem.winners import condorcet_winner, ties
from duelbench.errors import InputError, nearest_or_all

TIGHT = 1e-6  # The largest relative gap of a certificate with which the constant counts as proven

_ACTIVE = 1e-7

_OF_COPELAND = {"copeland-komiyama": 1.0, "copeland": 1.0, "copeland-zoghi": 2.0}
_OF_CONDORCET = {"condorcet": 1.0, "condorcet-sum": 2.0}
# kind -> regret -> factor by which the kind's constant bounds it; the regret that the constant is for comes first
_FACTORS: dict[str, dict[str, float]] = {
    "copeland": _OF_COPELAND,
    "ecw": _OF_COPELAND,
    "condorcet": _OF_CONDORCET,
    "rmed1": _OF_CONDORCET,
    "ccb": {"copeland-zoghi": 1.0, "copeland-komiyama": 0.5, "copeland": 0.5},
}


@dataclass(frozen=True)
class ActiveConstraint:
    """A constraint of (2) that holds with equality.

    It involves the pairs of the winner with ``inferiors`` and of the rival with ``superiors``. If all of them had the
    opposite outcome, ``level`` arms would beat the rival and ``level + 1`` the winner.
    """

    rival: int  # i2
    level: int  # l
    inferiors: tuple[int, ...]
    superiors: tuple[int, ...]
    total: float  # the sum of draws times divergence over these pairs: 1


@dataclass(frozen=True, eq=False)
class Certificate:
    """The proof of a constant C*_i: draws that satisfy every constraint, and a bound that no cheaper ones do."""

    dual_bound: float  # by weak duality, draws that satisfy all constraints cost at least this, even if a solver failed
    gap: float  # (constant - dual bound) / constant; 0 if the constant is 0
    least_sum: float  # least sum of a constraint, by the oracle: 1 or more up to rounding; infinite if there is none
    n_rounds: int  # how many linear programs were solved
    program: Program = field(repr=False)
    weights: np.ndarray = field(repr=False)  # (K, K) float64. Draws times divergence

    def active(self) -> tuple[ActiveConstraint, ...]:
        """Return the constraints that hold with equality, at most one for each rival, level and case.

        Examples
        --------
        >>> lower_bound([[0.5, 0.75], [0.25, 0.5]]).certificate.active()
        (ActiveConstraint(rival=1, level=0, inferiors=(1,), superiors=(), total=1.0),)
        """
        sums = copeland_program.least_sums(self.program, self.weights)
        active = []
        for case, level, rival in np.argwhere(sums <= 1 + _ACTIVE).tolist():
            arms = copeland_program.least_constraint(self.program, self.weights, case, level, rival)
            inferiors, superiors = map(tuple, arms)
            total = float(sums[case, level, rival])
            active.append(ActiveConstraint(rival, int(self.program.levels[level]), inferiors, superiors, total))
        return tuple(active)


@dataclass(frozen=True, eq=False)
class LowerBound:
    """The constant C of a bound C ln T on the regret after T rounds."""

    kind: str
    regret: str  # the definition of regret that it bounds
    constant: float  # duels of regret per ln T; infinite for ccb with ties
    winner: int | None  # the winner (0-based) whose proof is the cheapest; None for ccb, which is not about one winner
    # (K, K) float64, symmetric: how often the pair must duel, per ln T; None for ccb. The constant is the sum of draws
    # times regret over pairs i < j
    draws: np.ndarray | None
    constants: Mapping[int, float]  # of each winner
    certificate: Certificate | None = None  # for copeland, the winner's; the other kinds are closed forms
    notes: tuple[str, ...] = ()  # limits of the number: ties, or a certificate that is not tight


def lower_bound(P: PreferenceMatrix | ArrayLike, kind: str = "copeland", *, winner: int | None = None) -> LowerBound:
    """Return the asymptotic bound of a kind for a preference matrix.

    Parameters
    ----------
    P : PreferenceMatrix or array_like, shape (K, K)
        The theory requires p_ij != 1/2. Tied pairs count as neither win nor loss and are left out of all constraints;
        the winners are then the arms that are beaten by the fewest arms.
    kind : str
        ``copeland``, ``ecw``, ``condorcet``, ``rmed1`` or ``ccb``; see the module.
    winner : int, optional
        Take the proof that this arm (0-based) is a winner, instead of the cheapest proof of any winner.

    Examples
    --------
    Two arms: their pair has to duel 1 / d(1, 1/2) = 1 / ln 2 times per ln T, and each duel costs 1/2.

    >>> bound = lower_bound([[0.5, 1.0], [0.0, 0.5]])
    >>> round(bound.constant * math.log(2), 12), round(float(bound.draws[0, 1]) * math.log(2), 12), bound.winner
    (0.5, 1.0, 0)
    """
    if kind not in _BOUNDS:
        raise InputError(f"there is no bound {kind!r}{nearest_or_all(kind, _BOUNDS)}")
    matrix = P if isinstance(P, PreferenceMatrix) else PreferenceMatrix(P)
    return _BOUNDS[kind](matrix, winner)


def regret_factor(P: PreferenceMatrix | ArrayLike, kind: str, definition: str) -> float | None:
    """Return the factor by which the constant of a bound bounds another definition of regret; None if there is none.

    ``P`` must have a Condorcet winner if the kind or the definition needs one. With ties, the three Copeland regrets
    are not multiples of each other; then there is a factor only if it gives a lower bound for every pair.

    Examples
    --------
    >>> P = [[0.5, 0.75], [0.25, 0.5]]
    >>> regret_factor(P, "copeland", "copeland-zoghi"), regret_factor(P, "copeland", "borda")
    (2.0, None)
    """
    factor = _FACTORS[kind].get(definition)
    if factor is None or not ties(P):
        return factor
    is_covered = np.all(loss(definition, P) >= factor * loss(_regret_of(kind), P) - 1e-12)
    return factor if is_covered else None


def _regret_of(kind: str) -> str:
    """Return the definition of regret that the constant of a kind is for."""
    return next(iter(_FACTORS[kind]))


def _chosen(matrix: PreferenceMatrix, winner: int | None, winners: list[int]) -> list[int]:
    """Return the winners to compute constants for: the only one if ``winner`` is given, or all."""
    if winner is not None and winner not in winners:
        names = ", ".join(map(str, winners))
        raise InputError(f"{matrix.label}: arm {winner} is not a Copeland winner; those are (counted from 0): {names}")
    return winners if winner is None else [winner]


def _fewest_losses(matrix: PreferenceMatrix) -> list[int]:
    losses = np.count_nonzero(antisymmetric_gaps(matrix.P) < 0, axis=1)
    return np.flatnonzero(losses == losses.min()).tolist()


def _copeland(matrix: PreferenceMatrix, winner: int | None) -> LowerBound:
    arms = _chosen(matrix, winner, _fewest_losses(matrix))
    programs = {arm: copeland_program.new_program(matrix.P, arm) for arm in arms}
    solutions = {arm: copeland_solver.solve(program) for arm, program in programs.items()}
    constants = {arm: solution.value for arm, solution in solutions.items()}
    best = min(constants, key=constants.__getitem__)
    solution, program = solutions[best], programs[best]
    certificate = Certificate(
        dual_bound=min(solution.bound, solution.value),  # larger only by rounding
        gap=max(0.0, solution.value - solution.bound) / (solution.value or 1.0),
        least_sum=float(copeland_program.least_sums(program, solution.weights).min()),
        n_rounds=solution.n_rounds,
        program=program,
        weights=solution.weights,
    )
    notes = _tie_notes(matrix)
    if certificate.gap > TIGHT:
        notes += (
            f"not proven to the last digits: C* of arm {best} lies between {solution.bound:.6g} and "
            f"{solution.value:.6g}, because gaps near 0 make the linear program hard",
        )
    draws = _draws(matrix, solution.weights)
    return LowerBound("copeland", _regret_of("copeland"), constants[best], best, draws, constants, certificate, notes)


def _ecw(matrix: PreferenceMatrix, winner: int | None) -> LowerBound:
    constants, weights = {}, {}
    for arm in _chosen(matrix, winner, _fewest_losses(matrix)):
        program = copeland_program.new_program(matrix.P, arm)
        weights[arm] = copeland_program.efficient_weights(program)
        constants[arm] = copeland_program.total_cost(program, weights[arm])
    best = min(constants, key=constants.__getitem__)
    draws = _draws(matrix, weights[best])
    return LowerBound("ecw", _regret_of("ecw"), constants[best], best, draws, constants, notes=_tie_notes(matrix))


def _draws(matrix: PreferenceMatrix, weights: np.ndarray) -> np.ndarray:
    """Return the draws q = e / d; 0 for pairs without weight, such as ties."""
    divergence = divergence_to_half(antisymmetric_gaps(matrix.P))
    return np.divide(weights, divergence, out=np.zeros_like(weights), where=weights > 0)


def _of_condorcet_winner(kind: str, matrix: PreferenceMatrix, winner: int | None) -> LowerBound:
    """Return the bound if arm i loses to the winner (``rmed1``), or to the arm j of least cost (``condorcet``).

    The cost of a pair is (D_i + D_j) / 2 divided by the divergence of its duels.
    """
    best = condorcet_winner(matrix)
    if best is None:
        raise InputError(f"{matrix.label}: the bound '{kind}' needs a Condorcet winner and there is none")
    _chosen(matrix, winner, [best])
    gaps = matrix.P[best] - 0.5
    regret = (gaps[:, np.newaxis] + gaps[np.newaxis, :]) / 2
    pair_gaps = antisymmetric_gaps(matrix.P)
    divergence = divergence_to_half(pair_gaps)
    costs = np.divide(regret, divergence, out=np.full(regret.shape, np.inf), where=pair_gaps < 0)
    draws = np.zeros(costs.shape)
    paid = []
    for i in range(matrix.n_arms):
        if i != best:
            j = best if kind == "rmed1" else int(costs[i].argmin())
            draws[i, j] = draws[j, i] = 1 / divergence[i, j]
            paid.append(costs[i, j])
    constant = math.fsum(paid)
    return LowerBound(kind, _regret_of(kind), constant, best, draws, {best: constant})


def _ccb(matrix: PreferenceMatrix, winner: int | None) -> LowerBound:
    if winner is not None:
        raise InputError("the bound 'ccb' is not about one winner; leave 'winner' out")
    gaps = antisymmetric_gaps(matrix.P)
    smallest = float(np.abs(gaps[np.triu_indices(matrix.n_arms, k=1)]).min())
    losses = np.count_nonzero(gaps < 0, axis=1)
    n_winners, fewest = np.count_nonzero(losses == losses.min()), int(losses.min())
    constant = 2 * matrix.n_arms * (n_winners + fewest + 1) / smallest**2 if smallest > 0 else math.inf
    notes = ("with a tie the smallest gap is 0 and CCB's constant infinite",) if smallest == 0 else ()
    return LowerBound("ccb", _regret_of("ccb"), constant, None, None, {}, notes=notes)


def _tie_notes(matrix: PreferenceMatrix) -> tuple[str, ...]:
    """Return a note on ties in C* and C^E*."""
    tied = ties(matrix)
    if not tied:
        return ()
    pairs = "1 tied pair (p = 1/2) is" if len(tied) == 1 else f"{len(tied)} tied pairs (p = 1/2) are"
    winners = set(_fewest_losses(matrix))
    note = f"{pairs} left out: the theory assumes that there are no ties, and a larger constant may hold"
    if any(winners & set(pair) for pair in tied):
        note += "; a winner is in one of them, so there may be no finite constant"
    return (note,)


_BOUNDS: dict[str, Callable[[PreferenceMatrix, int | None], LowerBound]] = {
    "copeland": _copeland,
    "ecw": _ecw,
    "condorcet": partial(_of_condorcet_winner, "condorcet"),
    "rmed1": partial(_of_condorcet_winner, "rmed1"),
    "ccb": _ccb,
}

KINDS = tuple(_BOUNDS)  # The kinds of bounds, as the module describes them
NEED_CONDORCET_WINNER = ("condorcet", "rmed1")  # Kinds that need a Condorcet winner
