"""The linear program (2) of [1]_: how often each pair must duel before a Copeland winner i1 is proven to be one.

In the weights e_ij = q_ij d(p_ij, 1/2), q_ij being the draws of the pair per ln T, it reads: minimise the sum of
c_ij e_ij, c_ij = r_ij / d(p_ij, 1/2), such that 0 <= e <= 1 and, for every rival i2 and level l, every set of n
inferiors j of i1 and N superiors j of i2 other than i1 has

    sum of e_{i1,j} over the inferiors + sum of e_{i2,j} over the superiors >= 1,

n = l + 1 - L1, N = max(0, L_i2 - l), or max(0, L_i2 - l - 1) where i2 is among the inferiors: were all these pairs the
other way round, i2 would be beaten by l arms at most and i1 by l + 1. There are exponentially many constraints. For a
given e the least sum of a rival, a level and one of the two cases (i2 not among the inferiors, or among them) is that
of the smallest entries: the separation oracle of section 4.1.1, `least_sums`. Here all constraints that differ only
in their sets make one *family*, which is violated when its least sum is below 1.

`solve` generates families with the oracle until none is violated. Two facts, which are exact, keep its programs small:

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

References
----------
.. [1] J. Komiyama, J. Honda, H. Nakagawa, "Copeland Dueling Bandit Problem: Regret Lower Bound, Optimal Algorithm, and
   Computationally Efficient Algorithm", ICML 2016: Theorem 2 and section 4.1.1; Theorem 5 for `efficient_weights`.
"""

from typing import Any, NamedTuple

import numpy as np

WITHOUT, WITH = 0, 1
"""The two cases of a family: rival i2 is not among the inferiors of i1 that are counted, or is among them."""

TOLERANCE = 1e-9
"""A sum below 1 by more than this is a violated constraint; a relative gap below it is none."""

_SOLVER_TOLERANCE = 1e-9
_MAX_ROUNDS = 500
_FIRST_STEPS = 24


class Program(NamedTuple):
    """What (2) says of one winner i1. Arms are 0-based.

    winner : int. i1.
    losses : (K,) int64. L_i, how many arms beat each arm.
    levels : (n_levels,) int64. The l of (2).
    inferiors : (K,) bool. I_{i1}: the arms that i1 beats.
    superiors : (K, K) bool. superiors[i2, j] where j is in S_{i2} without i1; row i1 is empty.
    cost : (K, K) float64. c_ij, symmetric; 0 for ties and on the diagonal.
    order : (K, K) int64. In each row the superiors come first, in increasing order of cost.
    prefix : (K, K + 1) float64. prefix[i2, h] = cost of the h cheapest superiors; infinite where there are fewer.
    """

    winner: int
    losses: np.ndarray
    levels: np.ndarray
    inferiors: np.ndarray
    superiors: np.ndarray
    cost: np.ndarray
    order: np.ndarray
    prefix: np.ndarray


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


def divergence_to_half(gap: np.ndarray) -> np.ndarray:
    """Bernoulli divergence d(p, 1/2) for p = 1/2 + gap, in [0, ln 2], to a few units in the last place.

    The algorithms have `duelbench.kernels.divergence.kl_to_half`, which takes p. This one takes arrays of gaps,
    which are known more exactly than p next to 1/2; and nothing in this room uses the algorithms.

    Examples
    --------
    d(1, 1/2) = ln 2. For small gaps it is 2 gap^2.

    >>> divergence_to_half(np.array([0.0, 0.5, -0.5])).round(6).tolist()
    [0.0, 0.693147, 0.693147]
    >>> (divergence_to_half(np.array([1e-9])) / 2e-18).round(6).tolist()
    [1.0]
    """
    x = np.minimum(np.abs(2 * np.asarray(gap, dtype=np.float64)), 1.0)
    # With x = 2 gap, d = ((1 + x) ln(1 + x) + (1 - x) ln(1 - x)) / 2, of which nearly all cancels next to x = 0.
    low = np.minimum(x, 0.5)
    high = np.where(x < 1, x, 0.0)
    close = np.log1p(-low * low) / 2 + low * np.arctanh(low)
    far = np.where(x < 1, ((1 + high) * np.log1p(high) + (1 - high) * np.log1p(-high)) / 2, np.log(2.0))
    return np.where(x <= 0.5, close, far)


def antisymmetric_gaps(P: np.ndarray) -> np.ndarray:
    """(P[i, j] - P[j, i]) / 2, so that the two sides of a pair agree to the last bit.

    Examples
    --------
    >>> antisymmetric_gaps(np.array([[0.5, 0.75], [0.25, 0.5]])).tolist()
    [[0.0, 0.25], [-0.25, 0.0]]
    """
    return (P - P.T) / 2


def new_program(P: np.ndarray, winner: int) -> Program:
    """The program of a winner.

    Parameters
    ----------
    P : (K, K) float64
        Preference matrix.
    winner : int
        An arm that the fewest arms beat.

    Examples
    --------
    Arm 0 beats both others, arm 1 beats arm 2: L = 0, 1, 2, and arm 2 has the superior 1 beside arm 0.

    >>> program = new_program(np.array([[0.5, 0.7, 0.7], [0.3, 0.5, 0.7], [0.3, 0.3, 0.5]]), 0)
    >>> program.losses.tolist(), program.levels.tolist()
    ([0, 1, 2], [0, 1])
    >>> np.argwhere(program.superiors).tolist()
    [[2, 1]]
    """
    gaps = antisymmetric_gaps(P)
    n_arms = len(gaps)
    losses = np.count_nonzero(gaps < 0, axis=1)
    least, second = np.sort(losses)[:2].tolist()
    regret = (losses[:, np.newaxis] + losses[np.newaxis, :] - 2 * least) / (2 * (n_arms - 1))
    divergence = divergence_to_half(gaps)
    cost = np.divide(regret, divergence, out=np.zeros_like(gaps), where=divergence > 0)
    superiors = gaps < 0
    superiors[:, winner] = superiors[winner] = False
    dearest_last = np.where(superiors, cost, np.inf)
    order = np.argsort(dearest_last, axis=1, kind="stable")
    prefix = np.zeros((n_arms, n_arms + 1))
    np.cumsum(np.take_along_axis(dearest_last, order, axis=1), axis=1, out=prefix[:, 1:])
    levels = np.arange(max(0, least - 1), second + 1)
    return Program(winner, losses, levels, gaps[winner] > 0, superiors, cost, order, prefix)


def total_cost(program: Program, weights: np.ndarray) -> float:
    """The objective: the sum over pairs of cost times weight; ``weights`` is (K, K) and symmetric."""
    return float(np.triu(program.cost * weights).sum())


def family_sizes(program: Program, case: int) -> tuple[np.ndarray, np.ndarray]:
    """How many pairs of i1 and of the rival the constraints of a family have.

    Parameters
    ----------
    case : int
        `WITHOUT` or `WITH`.

    Returns
    -------
    of_winner : (n_levels,) int64
    of_rival : (n_levels, K) int64
    """
    return (
        program.levels + 1 - program.losses[program.winner],
        np.maximum(0, program.losses - program.levels[:, np.newaxis] - case),
    )


def least_sums(program: Program, weights: np.ndarray) -> np.ndarray:
    """The separation oracle: the least sum of each family of constraints; one below 1 is a violated constraint.

    Parameters
    ----------
    weights : (K, K) float64
        Symmetric.

    Returns
    -------
    ndarray, shape (2, n_levels, K), float64
        By case, level and rival. Infinite where there is no constraint.

    Examples
    --------
    Two arms: the one constraint, of level 0 with the rival among the inferiors, is that their pair has weight 1.

    >>> program = new_program(np.array([[0.5, 0.7], [0.3, 0.5]]), 0)
    >>> least_sums(program, np.array([[0.0, 0.25], [0.25, 0.0]])).tolist()
    [[[inf, inf], [inf, inf]], [[inf, 0.25], [inf, inf]]]
    """
    n_arms = len(program.losses)
    arms = np.arange(n_arms)
    of_rival = _prefix_sums(np.sort(np.where(program.superiors, weights, np.inf), axis=1))
    own = np.where(program.inferiors, weights[program.winner], np.inf)
    by_weight = np.argsort(own, kind="stable")
    rank = np.empty(n_arms, dtype=np.int64)
    rank[by_weight] = arms
    # Entry n is the sum of the n smallest, infinite where there are fewer.
    smallest = np.append(_prefix_sums(own[by_weight][np.newaxis])[0], np.inf)
    sums = np.full((2, len(program.levels), n_arms), np.inf)
    for case in (WITHOUT, WITH):
        of_winner, needed = family_sizes(program, case)
        for k, n in enumerate(of_winner.tolist()):
            if case == WITHOUT:
                mine = _smallest_of_others(smallest, own, rank, n)
            elif n >= 1:
                mine = own + _smallest_of_others(smallest, own, rank, n - 1)
            else:
                continue
            sums[case, k] = mine + of_rival[arms, needed[k]]
    sums[:, :, program.winner] = np.inf
    return sums


def _prefix_sums(rows: np.ndarray) -> np.ndarray:
    """Sums of the first 0, 1, 2, ... entries of each row."""
    return np.concatenate((np.zeros((len(rows), 1)), np.cumsum(rows, axis=1)), axis=1)


def _smallest_of_others(smallest: np.ndarray, own: np.ndarray, rank: np.ndarray, n: int) -> np.ndarray:
    """For each arm, the sum of the n smallest weights of i1's pairs, the pair with that arm left out."""
    is_among = (rank < n) & np.isfinite(own)
    return np.where(is_among, smallest[n + 1] - np.where(is_among, own, 0.0), smallest[n])


def least_constraint(
    program: Program, weights: np.ndarray, case: int, level: int, rival: int
) -> tuple[list[int], list[int]]:
    """The constraint of a family that has the least sum.

    Parameters
    ----------
    case, level, rival : int
        `WITHOUT` or `WITH`, place in ``program.levels``, and i2.

    Returns
    -------
    inferiors, superiors : list of int
        The constraint is on the pairs of i1 with ``inferiors`` and of the rival with ``superiors``; 0-based.
    """
    of_winner, of_rival = family_sizes(program, case)
    n = int(of_winner[level]) - case
    others = [j for j in np.flatnonzero(program.inferiors).tolist() if j != rival]
    chosen = sorted(others, key=lambda j: weights[program.winner, j])[:n]
    lost_to = np.flatnonzero(program.superiors[rival]).tolist()
    superiors = sorted(lost_to, key=lambda j: weights[rival, j])[: int(of_rival[level, rival])]
    return sorted([*chosen, rival] if case == WITH else chosen), sorted(superiors)


def efficient_weights(program: Program) -> np.ndarray:
    """The optimum of (4) and (5) by Theorem 5: weight 1 on i1's inferiors, equal ones on the h cheapest of each rival.

    Returns
    -------
    ndarray, shape (K, K), float64
        Symmetric. They satisfy every constraint of (2) as well (Theorem 6).

    Examples
    --------
    A circle in which each arm beats the next: L = 1, 1, 1. Arm 2 beats arm 0, so that arm 0 has to show that it beats
    arm 1 and that one arm (m = 1) beats arm 2, which arm 1 does.

    >>> circle = np.array([[0.5, 0.7, 0.3], [0.3, 0.5, 0.7], [0.7, 0.3, 0.5]])
    >>> efficient_weights(new_program(circle, 0)).tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """
    n_arms = len(program.losses)
    weights = np.zeros((n_arms, n_arms))
    weights[program.winner, program.inferiors] = 1.0
    for rival in _rivals(program):
        n_superiors = int(np.count_nonzero(program.superiors[rival]))
        surplus = n_superiors - int(program.losses[rival] - program.losses[program.winner] + 1)  # k of (6)
        if surplus < 0:
            continue
        h = np.arange(surplus + 1, n_superiors + 1)
        cheapest = int(h[np.argmin(program.prefix[rival, h] / (h - surplus))])
        weights[rival, program.order[rival, :cheapest]] = 1 / (cheapest - surplus)
    return np.maximum(weights, weights.T)


def _rivals(program: Program) -> list[int]:
    return [arm for arm in range(len(program.losses)) if arm != program.winner]


def feasible(program: Program, weights: np.ndarray) -> np.ndarray | None:
    """The weights scaled up, to 1 at most, until no constraint is violated; None where a sum is 0."""
    least = float(least_sums(program, weights).min())
    if least <= 0:
        return None
    return np.minimum(1.0, weights / min(1.0, least))


def solve(program: Program) -> Solution:
    """Minimise the cost over all constraints of (2).

    Returns
    -------
    Solution
        Where the solver fails or 500 programs do not suffice, ``value`` and ``bound`` are apart, and both still hold.

    Examples
    --------
    Two arms with p = 1: L = 0 and 1, regret 1/2 per duel, and one constraint, e = 1. So it costs (1/2) / ln 2.

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
