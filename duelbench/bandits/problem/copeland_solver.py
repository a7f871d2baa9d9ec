"""The optimum of the linear program of `copeland_program`, with a lower bound that proves it.

`solve` generates families of constraints (rows) with the oracle of `copeland_program` until none is violated, and
columns until none has a negative reduced cost. The columns of rival i2 are *steps*: step h puts the same weight
on the h cheapest of its pairs. Per level, the sum of the n smallest x_j = e_{i1,j} is written with a threshold
t and, for each j, a u_j >= max(0, t - x_j). docs/bounds.md says why both are exact.

The solution of HiGHS is not trusted: its weights are checked by the oracle and scaled until no constraint is violated,
and any dual variables give a lower bound by weak duality.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duelbench.bandits.problem.copeland_program import (
    WITH,
    WITHOUT,
    Program,
    efficient_weights,
    family_sizes,
    feasible,
    least_sums,
    total_cost,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_array

TOLERANCE = 1e-9  # A constraint is violated by a sum below 1 - TOLERANCE; smaller relative gaps count as 0

_SOLVER_TOLERANCE = 1e-9
_MAX_ROUNDS = 500
_N_FIRST_STEPS = 24


class Solution(NamedTuple):
    """Weights that satisfy every constraint, and a lower bound on their cost."""

    weights: np.ndarray  # (K, K) float64. e_ij, symmetric, in [0, 1]
    value: float  # their cost, in duels of regret per ln T
    bound: float  # no weights that satisfy all constraints cost less
    n_rounds: int  # how many programs were solved


def solve(program: Program) -> Solution:
    """Return weights of least cost that satisfy all constraints of (2).

    If the solver fails or 500 programs are not enough, ``value`` and ``bound`` differ, and the optimum lies between
    them.

    Examples
    --------
    Two arms with p = 1: L = 0 and 1, regret 1/2 per duel, and one constraint, e = 1. So it costs (1/2) / ln 2.

    >>> from duelbench.bandits.problem.copeland_program import new_program
    >>> solution = solve(new_program(np.array([[0.5, 1.0], [0.0, 0.5]]), 0))
    >>> round(solution.value, 6), solution.n_rounds
    (0.721348, 1)
    """
    zeros = np.zeros_like(program.cost)
    if least_sums(program, zeros).min() > 0:
        return Solution(zeros, 0.0, 0.0, 0)  # there is no constraint
    weights = feasible(program, efficient_weights(program))
    assert weights is not None
    value, bound = total_cost(program, weights), 0.0
    families, steps = _Families(program), _first_steps(program)
    families.add_violated(program, zeros)
    scale, rounds = value, 0
    while value - bound > TOLERANCE * value and rounds < _MAX_ROUNDS:
        rounds += 1
        point = _solve_restricted(program, families.present, steps, scale / max(1, program.inferiors.sum()))
        if point is None:
            break
        bound = max(bound, point.bound)
        feasible_weights = feasible(program, point.weights)
        if feasible_weights is not None and total_cost(program, feasible_weights) < value:
            weights, value = feasible_weights, total_cost(program, feasible_weights)
        n_new = families.add_violated(program, point.weights) + point.new_steps.sum()
        steps |= point.new_steps
        last_scale, scale = scale, total_cost(program, point.weights) or scale
        if not n_new and scale > last_scale / 10:
            break  # nothing is violated, no step helps, and the solver's tolerances were fine enough
    return Solution(weights, value, bound, rounds)


class _Families:
    """The families of constraints that were generated.

    Levels are opened one by one, and constraints of open levels come first: every level adds variables, and most
    levels are never needed.
    """

    def __init__(self, program: Program) -> None:
        shape = (2, len(program.levels), len(program.losses))
        self.present = np.zeros(shape, dtype=bool)
        self._is_open = np.arange(shape[1]) < 2

    def add_violated(self, program: Program, weights: np.ndarray) -> int:
        """Add the most violated family for every rival and case; return how many were added."""
        sums = np.where(self.present, np.inf, least_sums(program, weights))
        worst = np.where(self._is_open, np.inf, sums.min(axis=(0, 2)))
        if worst.min() < 1 - TOLERANCE:
            self._is_open[worst.argmin()] = True
        sums[:, ~self._is_open] = np.inf
        level = sums.argmin(axis=1)
        case, rival = np.nonzero(sums.min(axis=1) < 1 - TOLERANCE)
        self.present[case, level[case, rival], rival] = True
        return len(case)


def _first_steps(program: Program) -> np.ndarray:
    """Return the first steps h of each rival, (K, K + 1) bool: evenly spaced in log h, the last with all its pairs."""
    n_arms = len(program.losses)
    steps = np.zeros((n_arms, n_arms + 1), dtype=bool)
    for rival, n_superiors in enumerate(program.superiors.sum(axis=1).tolist()):
        if n_superiors:
            steps[rival, np.unique(np.geomspace(1, n_superiors, _N_FIRST_STEPS).round().astype(np.int64))] = True
    return steps


class _Point(NamedTuple):
    """Solution of a program with some of the families and steps."""

    weights: np.ndarray  # (K, K) float64. Not necessarily feasible
    bound: float  # lower bound on the optimum of (2), valid even if the solver failed
    new_steps: np.ndarray  # (K, K + 1) bool. Steps not yet generated whose reduced cost is negative, one per rival


class _Columns(NamedTuple):
    """The variables of a restricted program: x, weights w of steps, and t, s and u of each level in use."""

    inferiors: np.ndarray  # (n_x,) int64. The arm of each x
    step_rival: np.ndarray  # (n_w,) int64. i2 of each step
    step_size: np.ndarray  # (n_w,) int64. h of each step
    w: np.ndarray  # (n_w,) int64. Column of each step
    t: np.ndarray  # (n_levels in use,) int64. Column of t
    s: np.ndarray  # (n_levels in use,) int64. Column of s
    u: np.ndarray  # (n_levels in use, n_x) int64. Columns of u
    size: int


def _columns(program: Program, n_levels: int, steps: np.ndarray) -> _Columns:
    inferiors = np.flatnonzero(program.inferiors)
    rival, size = np.nonzero(steps)
    n_x, n_w = len(inferiors), len(rival)
    t = n_x + n_w + np.arange(n_levels)
    u = n_x + n_w + 2 * n_levels + np.arange(n_levels * n_x).reshape(n_levels, n_x)
    n_columns = n_x + n_w + n_levels * (2 + n_x)
    return _Columns(inferiors, rival, size, n_x + np.arange(n_w), t, t + n_levels, u, n_columns)


class _Rows:
    """Rows of ``A z <= b``, collected as triplets."""

    def __init__(self) -> None:
        self.right: list[float] = []
        self._triplets: list[tuple[np.ndarray, ...]] = []

    def begin(self, count: int, right: float) -> np.ndarray:
        """Start ``count`` rows with this right-hand side; return their numbers."""
        numbers = np.arange(len(self.right), len(self.right) + count)
        self.right += [right] * count
        return numbers

    def put(self, rows: np.ndarray, columns: np.ndarray, values: "np.ndarray | float") -> None:
        """Add entries, one per row number and column."""
        self._triplets.append(np.broadcast_arrays(rows, columns, np.asarray(values, dtype=np.float64)))

    def matrix(self, n_columns: int) -> "csr_array":
        """Return A as a sparse matrix."""
        from scipy.sparse import csr_array

        rows, columns, values = (np.concatenate(part) for part in zip(*self._triplets, strict=True))
        return csr_array((values, (rows, columns)), shape=(len(self.right), n_columns))


def _solve_restricted(program: Program, families: np.ndarray, steps: np.ndarray, scale: float) -> _Point | None:
    """Solve the program with these families and steps; None if the solver fails.

    ``scale`` is roughly the cost of one pair of i1. Costs are divided by it, because the solver's tolerances are
    absolute, and costs vary by many orders of magnitude near ties.
    """
    from scipy.optimize import linprog

    case, level, rival = np.nonzero(families)
    of_winner = family_sizes(program, WITHOUT)[0]
    in_use = np.unique(level[of_winner[level] >= 1])
    columns = _columns(program, len(in_use), steps)
    rows = _Rows()
    left_out = _family_rows(rows, program, columns, in_use, case, level, rival)
    _level_rows(rows, columns, of_winner[in_use])
    rivals_total = rows.begin(len(program.losses), 1.0)  # a rival's weights are at most 1
    rows.put(rivals_total[columns.step_rival], columns.w, 1.0)
    A = rows.matrix(columns.size)
    n_x = len(columns.inferiors)
    cost = np.zeros(columns.size)
    cost[:n_x] = program.cost[program.winner, columns.inferiors]
    cost[columns.w] = program.prefix[columns.step_rival, columns.step_size]
    upper = np.ones(columns.size)
    upper[columns.s] = of_winner[in_use]
    result = linprog(
        cost / scale,
        A_ub=A,
        b_ub=np.array(rows.right),
        bounds=np.column_stack((np.zeros(columns.size), upper)),
        method="highs",
        options={
            "primal_feasibility_tolerance": _SOLVER_TOLERANCE,
            "dual_feasibility_tolerance": _SOLVER_TOLERANCE,
        },
    )
    if not result.success:
        return None
    # linprog's marginals are the change of the optimum per unit of b, hence not positive.
    duals = np.maximum(0.0, -result.ineqlin.marginals) * scale
    reduced = cost + A.T @ duals
    reduced[columns.w] = 0.0
    of_families = duals[: len(case)]
    step_costs = _reduced_step_costs(program, rival, left_out, of_families)
    cheapest = np.minimum(0.0, step_costs.min(axis=1))
    # Weak duality: the Lagrangian's minimum over the box of all variables, and over all steps, generated or not.
    bound = of_families.sum() + np.minimum(0.0, reduced * upper).sum() + cheapest.sum()
    pays = np.flatnonzero(cheapest < -duals[rivals_total] - TOLERANCE * scale)
    new_steps = np.zeros_like(steps)
    new_steps[pays, step_costs[pays].argmin(axis=1)] = True
    weights = _weights(program, columns, np.clip(result.x, 0.0, 1.0))
    return _Point(weights, float(bound), new_steps & ~steps)


def _family_rows(
    rows: _Rows,
    program: Program,
    columns: _Columns,
    in_use: np.ndarray,
    case: np.ndarray,
    level: np.ndarray,
    rival: np.ndarray,
) -> np.ndarray:
    """Add a row per family: its least sum is at least 1. Return how many superiors of its rival each family leaves out.

    WITHOUT: s + (rival's part) >= 1, where s is the sum of the n smallest of all x. If x_i2 is among them, the row
    follows from the family WITH of the same level, which must hold as well.
    WITH: s + max(0, x_i2 - t) + (rival's part) >= 1, the maximum written as x_i2 - t + u_i2.
    """
    needed = np.stack([family_sizes(program, each)[1] for each in (WITHOUT, WITH)])[case, level, rival]
    left_out = program.superiors.sum(axis=1)[rival] - needed
    numbers = rows.begin(len(case), -1.0)
    family, step = np.nonzero(rival[:, np.newaxis] == columns.step_rival)
    reach = columns.step_size[step] - left_out[family]
    rows.put(family[reach > 0], columns.w[step[reach > 0]], -reach[reach > 0])
    has_s = np.isin(level, in_use)
    place = np.searchsorted(in_use, level)
    rows.put(numbers[has_s], columns.s[place[has_s]], -1.0)
    is_with = case == WITH
    i2 = np.searchsorted(columns.inferiors, rival[is_with])
    rows.put(numbers[is_with], i2, -1.0)
    rows.put(numbers[is_with], columns.t[place[is_with]], 1.0)
    rows.put(numbers[is_with], columns.u[place[is_with], i2], -1.0)
    return left_out


def _level_rows(rows: _Rows, columns: _Columns, of_winner: np.ndarray) -> None:
    """Add rows for each level in use: u_j >= t - x_j, and s <= n t - sum of u_j."""
    x = np.arange(len(columns.inferiors))
    for t, s, u, n in zip(columns.t, columns.s, columns.u, of_winner, strict=True):
        numbers = rows.begin(len(x), 0.0)
        rows.put(numbers, t, 1.0)
        rows.put(numbers, x, -1.0)
        rows.put(numbers, u, -1.0)
        number = rows.begin(1, 0.0)
        rows.put(number, s, 1.0)
        rows.put(number, t, -float(n))
        rows.put(number, u, 1.0)


def _reduced_step_costs(program: Program, rival: np.ndarray, left_out: np.ndarray, duals: np.ndarray) -> np.ndarray:
    """Return the cost of each step h of each rival, minus dual * max(0, h - left_out) of its families: (K, K + 1)."""
    n_arms = len(program.losses)
    at_left_out = np.zeros((n_arms, n_arms + 1))
    np.add.at(at_left_out, (rival, left_out), duals)
    gained = np.zeros((n_arms, n_arms + 1))
    np.cumsum(np.cumsum(at_left_out, axis=1)[:, :-1], axis=1, out=gained[:, 1:])
    return program.prefix - gained


def _weights(program: Program, columns: _Columns, z: np.ndarray) -> np.ndarray:
    """Return the (K, K) weights of a solution z."""
    n_arms = len(program.losses)
    steps = np.zeros((n_arms, n_arms + 1))
    steps[columns.step_rival, columns.step_size] = z[columns.w]
    # The superior of rank p (from 0) is in the steps h > p.
    by_rank = np.cumsum(steps[:, ::-1], axis=1)[:, ::-1][:, 1:]
    weights = np.zeros((n_arms, n_arms))
    np.put_along_axis(weights, program.order, by_rank, axis=1)
    weights[~program.superiors] = 0.0
    weights[program.winner, columns.inferiors] = z[: len(columns.inferiors)]
    return np.minimum(1.0, np.maximum(weights, weights.T))
