"""The optimum of the linear program of `copeland_program`, with a lower bound that proves it.

`solve` generates families of constraints with the oracle of `copeland_program` until none is violated. Two facts, which
are exact, keep its programs small:

- The pairs that rival i2 has lost, to other arms than i1, are in constraints of i2 alone, and there only as "the N
  smallest of them". Exchanging two of their weights changes no constraint, so that some optimum has the larger weight
  where the cost is lower (the first step of the proof of Theorem 5). Such weights are sums of *steps*: step h puts one
  and the same weight on the h cheapest of the pairs. The N smallest of m weights sum to the sum of w_h max(0, h - m +
  N) over steps h of weight w_h. Steps are generated too, whenever the multipliers of the constraints say that one would
  pay.
- The n smallest of x_j = e_{i1,j} sum to the maximum over t of n t - sum of max(0, t - x_j), which t = x_(n), the n-th
  smallest, attains. The same t gives the sum of x_i2 and of the n - 1 smallest of the others: that plus max(0, x_i2 -
  t). So one t and one u_j >= max(0, t - x_j) per level serve all rivals.

What the solver reports is not believed: the weights are measured with the oracle and scaled until no constraint is
violated, and the multipliers give a lower bound by weak duality, whatever they are.
"""

from typing import Any, NamedTuple

import numpy as np

from duelbench.problem.copeland_program import (
    WITH,
    WITHOUT,
    Program,
    efficient_weights,
    family_sizes,
    feasible,
    least_sums,
    total_cost,
)

TOLERANCE = 1e-9
"""A sum below 1 by more than this is a violated constraint; a relative gap below it is none."""

_SOLVER_TOLERANCE = 1e-9
_MAX_ROUNDS = 500
_FIRST_STEPS = 24


class Solution(NamedTuple):
    """Weights that satisfy every constraint, and what is proven of them.

    weights : (K, K) float64. e_ij, symmetric, in [0, 1].
    value : float. Their cost, in duels of regret per ln T.
    bound : float. No weights that satisfy all constraints cost less.
    n_families : int. How many families of constraints were generated.
    n_rounds : int. How many programs were solved.
    """

    weights: np.ndarray
    value: float
    bound: float
    n_families: int
    n_rounds: int


def solve(program: Program) -> Solution:
    """Minimise the cost over all constraints of (2).

    Returns
    -------
    Solution
        Where the solver fails or 500 programs do not suffice, ``value`` and ``bound`` are apart, and both still hold.

    Examples
    --------
    Two arms with p = 1: L = 0 and 1, regret 1/2 per duel, and one constraint, e = 1. So it costs (1/2) / ln 2.

    >>> from duelbench.problem.copeland_program import new_program
    >>> solution = solve(new_program(np.array([[0.5, 1.0], [0.0, 0.5]]), 0))
    >>> round(solution.value, 6), solution.n_families
    (0.721348, 1)
    """
    nothing = np.zeros_like(program.cost)
    if least_sums(program, nothing).min() > 0:
        return Solution(nothing, 0.0, 0.0, 0, 0)  # there is no constraint
    weights = feasible(program, efficient_weights(program))
    assert weights is not None, "weights of Theorem 5 satisfy (2)"
    value, bound = total_cost(program, weights), 0.0
    families, steps = _Families(program), _first_steps(program)
    families.add_violated(program, nothing)
    scale = value
    rounds = 0
    while value - bound > TOLERANCE * value and rounds < _MAX_ROUNDS:
        rounds += 1
        point = _solve_restricted(program, families.present, steps, scale / max(1, program.inferiors.sum()))
        if point is None:
            break
        bound = max(bound, point.bound)
        found = feasible(program, point.weights)
        if found is not None and total_cost(program, found) < value:
            weights, value = found, total_cost(program, found)
        n_new = families.add_violated(program, point.weights) + _add_steps(steps, point)
        last_scale, scale = scale, total_cost(program, point.weights) or scale
        if not n_new and scale > last_scale / 10:
            break  # nothing is violated, nothing pays, and the solver's tolerances were fine enough
    return Solution(weights, value, bound, int(families.present.sum()), rounds)


class _Families:
    """The families of constraints that were generated.

    Levels are opened one by one, and constraints of the open ones preferred: every level costs variables, and most of
    them are never needed.
    """

    def __init__(self, program: Program) -> None:
        shape = (2, len(program.levels), len(program.losses))
        self.present = np.zeros(shape, dtype=bool)
        self._is_open = np.arange(shape[1]) < 2

    def add_violated(self, program: Program, weights: np.ndarray) -> int:
        """Add, for every rival and case, the most violated family; the number of those added."""
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
    """The steps h of each rival to begin with, (K, K + 1) bool: evenly in log h; the last can be feasible alone."""
    n_arms = len(program.losses)
    steps = np.zeros((n_arms, n_arms + 1), dtype=bool)
    for rival, n_superiors in enumerate(program.superiors.sum(axis=1).tolist()):
        if n_superiors:
            steps[rival, np.unique(np.geomspace(1, n_superiors, _FIRST_STEPS).round().astype(np.int64))] = True
    return steps


class _Point(NamedTuple):
    """Solution of a program with some of the families and steps.

    weights : (K, K) float64. Not necessarily feasible.
    bound : float. Lower bound on the optimum of (2), whatever the solver did.
    best_step : (K,) int64. The step of each rival that pays most.
    pays : (K,) bool. Whether it pays more than those that are there.
    """

    weights: np.ndarray
    bound: float
    best_step: np.ndarray
    pays: np.ndarray


def _add_steps(steps: np.ndarray, point: _Point) -> int:
    rivals = np.flatnonzero(point.pays)
    rivals = rivals[~steps[rivals, point.best_step[rivals]]]
    steps[rivals, point.best_step[rivals]] = True
    return len(rivals)


class _Layout(NamedTuple):
    """Where the variables of a restricted program lie: x, w, and t, s, u of each level in use.

    own : (K,) int64. Column of x_j, -1 for arms that are no inferiors.
    inferiors : (n_x,) int64. The arm of each x.
    step_rival, step_size : (n_w,) int64. i2 and h of each step.
    first_step : (K + 1,) int64. Where the steps of each rival begin.
    t, s, u : (n_levels,) int64. Column of t and s, and of the first u; -1 for levels that are not in use.
    size : int. How many variables there are.
    """

    own: np.ndarray
    inferiors: np.ndarray
    step_rival: np.ndarray
    step_size: np.ndarray
    first_step: np.ndarray
    t: np.ndarray
    s: np.ndarray
    u: np.ndarray
    size: int


def _layout(program: Program, levels: np.ndarray, steps: np.ndarray) -> _Layout:
    """The layout for the places in ``program.levels`` of the levels in use."""
    inferiors = np.flatnonzero(program.inferiors)
    own = np.full(len(program.losses), -1)
    own[inferiors] = np.arange(len(inferiors))
    rival, size = np.nonzero(steps)
    t, s, u = (np.full(len(program.levels), -1) for _ in range(3))
    begin = len(inferiors) + len(rival)
    number = np.arange(len(levels))
    t[levels], s[levels] = begin + number, begin + len(levels) + number
    u[levels] = begin + 2 * len(levels) + number * len(inferiors)
    n_variables = begin + len(levels) * (2 + len(inferiors))
    first = np.searchsorted(rival, np.arange(len(program.losses) + 1))
    return _Layout(own, inferiors, rival, size, first, t, s, u, n_variables)


class _Rows:
    """Rows of ``A z <= b``, collected as triplets."""

    def __init__(self) -> None:
        self.count = 0
        self._rows: list[np.ndarray] = []
        self._columns: list[np.ndarray] = []
        self._values: list[np.ndarray] = []
        self._right: list[np.ndarray] = []

    def begin(self, count: int, right: float) -> np.ndarray:
        """Begin ``count`` rows with this right-hand side; their numbers."""
        numbers = np.arange(self.count, self.count + count)
        self.count += count
        self._right.append(np.full(count, right))
        return numbers

    def put(self, rows: np.ndarray, columns: np.ndarray, values: "np.ndarray | float") -> None:
        """Add entries, one per row number and column."""
        rows, columns, entries = np.broadcast_arrays(rows, columns, np.asarray(values, dtype=np.float64))
        self._rows.append(rows)
        self._columns.append(columns)
        self._values.append(entries)

    def matrix(self, n_columns: int) -> tuple[Any, np.ndarray]:
        """A (sparse) and b."""
        from scipy.sparse import csr_array

        places = (np.concatenate(self._rows), np.concatenate(self._columns))
        return (
            csr_array((np.concatenate(self._values), places), shape=(self.count, n_columns)),
            np.concatenate(self._right),
        )


def _solve_restricted(program: Program, families: np.ndarray, steps: np.ndarray, scale: float) -> _Point | None:
    """Solve the program with these families and steps; None where the solver fails.

    ``scale`` is about the cost of one pair of i1: costs are divided by it, because the solver's tolerances are absolute
    and next to ties costs vary by many orders of magnitude.
    """
    from scipy.optimize import linprog

    case, level, rival = np.nonzero(families)
    of_winner = family_sizes(program, WITHOUT)[0]
    in_use = np.unique(level[of_winner[level] >= 1])
    layout = _layout(program, in_use, steps)
    rows = _Rows()
    spared = _family_rows(rows, program, layout, case, level, rival)
    _level_rows(rows, layout, in_use, of_winner)
    step_columns = len(layout.inferiors) + np.arange(len(layout.step_rival))
    rivals_total = rows.begin(len(program.losses), 1.0)  # a rival's weights are at most 1
    rows.put(rivals_total[layout.step_rival], step_columns, 1.0)
    A, b = rows.matrix(layout.size)
    cost = np.zeros(layout.size)
    cost[: len(layout.inferiors)] = program.cost[program.winner, layout.inferiors]
    cost[step_columns] = program.prefix[layout.step_rival, layout.step_size]
    upper = np.ones(layout.size)
    upper[layout.s[in_use]] = of_winner[in_use]
    result = linprog(
        cost / scale,
        A_ub=A,
        b_ub=b,
        bounds=np.column_stack((np.zeros(layout.size), upper)),
        method="highs",
        options={
            "primal_feasibility_tolerance": _SOLVER_TOLERANCE,
            "dual_feasibility_tolerance": _SOLVER_TOLERANCE,
        },
    )
    if not result.success:
        return None
    # linprog's marginals are the change of the optimum per unit of b, hence not positive.
    multipliers = np.maximum(0.0, -result.ineqlin.marginals) * scale
    reduced = cost + A.T @ multipliers
    reduced[step_columns] = 0.0
    of_families = multipliers[: len(case)]
    step_costs = _reduced_step_costs(program, rival, spared, of_families)
    cheapest = np.minimum(0.0, step_costs.min(axis=1))
    # Weak duality: the Lagrangian's minimum over the box of all variables, and over all steps, generated or not.
    bound = of_families.sum() + np.minimum(0.0, reduced * upper).sum() + cheapest.sum()
    pays = cheapest < -multipliers[rivals_total] - TOLERANCE * scale
    weights = _weights(program, layout, np.clip(result.x, 0.0, 1.0))
    return _Point(weights, float(bound), step_costs.argmin(axis=1), pays)


def _family_rows(
    rows: _Rows, program: Program, layout: _Layout, case: np.ndarray, level: np.ndarray, rival: np.ndarray
) -> np.ndarray:
    """One row per family, its least sum at least 1; returns how many of the rival's pairs each family spares.

    WITHOUT: s + (rival's part) >= 1, where s is the sum of the n smallest of all x. That x_i2 may be among them adds
    nothing to the family WITH, of the same level, which must hold as well.
    WITH: s + max(0, x_i2 - t) + (rival's part) >= 1, the maximum written as x_i2 - t + u_i2.
    """
    of_winner, _ = family_sizes(program, WITHOUT)
    needed = np.stack([family_sizes(program, each)[1] for each in (WITHOUT, WITH)])[case, level, rival]
    spared = program.superiors.sum(axis=1)[rival] - needed
    numbers = rows.begin(len(case), -1.0)
    counts = np.diff(layout.first_step)[rival]
    row = np.repeat(numbers, counts)
    within = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    step = np.repeat(layout.first_step[rival], counts) + within
    reach = layout.step_size[step] - spared[row]
    rows.put(row[reach > 0], len(layout.inferiors) + step[reach > 0], -reach[reach > 0])
    some = of_winner[level] >= 1
    rows.put(numbers[some], layout.s[level[some]], -1.0)
    among = case == WITH
    i2 = layout.own[rival[among]]
    rows.put(numbers[among], i2, -1.0)
    rows.put(numbers[among], layout.t[level[among]], 1.0)
    rows.put(numbers[among], layout.u[level[among]] + i2, -1.0)
    return spared


def _level_rows(rows: _Rows, layout: _Layout, in_use: np.ndarray, of_winner: np.ndarray) -> None:
    """u_j >= t - x_j, and s <= n t - sum of u_j, for each level in use."""
    x = np.arange(len(layout.inferiors))
    for level in in_use.tolist():
        numbers = rows.begin(len(x), 0.0)
        rows.put(numbers, layout.t[level], 1.0)
        rows.put(numbers, x, -1.0)
        rows.put(numbers, layout.u[level] + x, -1.0)
        number = rows.begin(1, 0.0)
        rows.put(number, layout.s[level], 1.0)
        rows.put(number, layout.t[level], -float(of_winner[level]))
        rows.put(number, layout.u[level] + x, 1.0)


def _reduced_step_costs(program: Program, rival: np.ndarray, spared: np.ndarray, multipliers: np.ndarray) -> np.ndarray:
    """The cost of each step h of each rival less multiplier times max(0, h - spared) of its families, (K, K + 1)."""
    n_arms = len(program.losses)
    at_spared = np.zeros((n_arms, n_arms + 1))
    np.add.at(at_spared, (rival, spared), multipliers)
    gained = np.zeros((n_arms, n_arms + 1))
    np.cumsum(np.cumsum(at_spared, axis=1)[:, :-1], axis=1, out=gained[:, 1:])
    return program.prefix - gained


def _weights(program: Program, layout: _Layout, z: np.ndarray) -> np.ndarray:
    """The (K, K) weights that variables z stand for."""
    n_arms = len(program.losses)
    steps = np.zeros((n_arms, n_arms + 1))
    begin = len(layout.inferiors)
    steps[layout.step_rival, layout.step_size] = z[begin : begin + len(layout.step_rival)]
    # The superior of rank p (from 0) is in the steps h > p.
    by_rank = np.cumsum(steps[:, ::-1], axis=1)[:, ::-1][:, 1:]
    weights = np.zeros((n_arms, n_arms))
    np.put_along_axis(weights, program.order, by_rank, axis=1)
    weights[~program.superiors] = 0.0
    weights[program.winner, layout.inferiors] = z[:begin]
    return np.minimum(1.0, np.maximum(weights, weights.T))
