"""Covering programs: the cheapest shares e >= 0 such that each of very many sets has at least 1 in total.

    minimise  sum_p cost_p e_p   subject to  sum_{p in S} e_p >= 1 for every set S,  e >= 0

The sets are generated: the caller finds a violated set and imposes it, until there is none. Of several optima the
answer is the one with the least sum of effort_p e_p, all effort_p > 0, and of several of these the lexicographically
smallest e. So the answer is unique.

The method is the lexicographic dual simplex of Gomory [1]_, with a row of the tableau per share and a column per
nonbasic variable: a share or the surplus of a set. A column is the change of (cost, effort, e_1, ..., e_n) as its
variable grows; the basis is optimal for the sets imposed so far while all columns are lexicographically positive. A set
that leaves the columns is forgotten, so that memory is bounded. After a change of costs, variables of negative columns
are replaced by their distance from their upper bounds, and the dual simplex continues.

References
----------
.. [1] R. E. Gomory, "An algorithm for integer solutions to linear programs", in: Recent Advances in Mathematical
   Programming, 1963 (the lexicographic dual simplex method with a row per variable).
"""

from typing import NamedTuple

import numpy as np

from duelbench.bandits.kernels.decorators import inlined, not_inlined
from duelbench.bandits.kernels.records import record

NOT_A_SHARE = -1
NO_COLUMN = -1
COST, EFFORT = 0, 1  # rows of Program.objective and reduced
TINY_SHARE = 1e-9  # Shares and sums of a set have errors of about 1e-15; smaller differences than this count as 0.
TIE = 1e-10  # Sums of costs are equal if they differ by less than this fraction of the sum of absolute terms.
NEAR = 1e-7  # Sums that differ by less than this fraction of the highest cost are computed again before comparison.
WORN = 10  # After this many steps per share since the last start, the program restarts to remove rounding errors.

GIVE_UP = 100
"""After this many steps per share since the last start, the program counts as unsolvable due to rounding errors."""


class Program(NamedTuple):
    """A program and its current solution; arrays are updated in place. Columns are variables x >= 0, now 0."""

    share: np.ndarray  # (n,) float64. The current e.
    tableau: np.ndarray  # (n, n) float64. tableau[p, k] = growth of share p per growth of variable k.
    # (n,) int64. The share that is the variable of a column, or NOT_A_SHARE: then the variable is the surplus of a
    # set, or the distance from an upper bound.
    nonbasic: np.ndarray
    column: np.ndarray  # (n,) int64. The column whose variable is the share, or NO_COLUMN.
    objective: np.ndarray  # (2, n) float64. Cost and effort of each share.
    reduced: np.ndarray  # (2, n) float64. Growth of the total cost and the total effort per growth of each variable.
    highest: np.ndarray  # (2,) float64. The highest cost and the highest effort.
    upper: np.ndarray  # (n,) float64. The largest possible value of each variable while all shares are in [0, 1].
    row: np.ndarray  # (n,) float64. Scratch: the growth of a violated share or set per growth of each variable.
    members: np.ndarray  # (2, n, longest) int64. Two buffers: the shares in the set of each column.
    n_members: np.ndarray  # (2, n) int64. The number of these shares; 0 if the variable is not the surplus of a set.
    memo: np.ndarray  # (1,) record of `new_program`


def new_program(n_shares: int, longest: int) -> Program:
    """Return a program of ``n_shares`` shares, with sets of at most ``longest`` shares.

    Examples
    --------
    Two sets, {0, 1} and {1, 2}: share 1 is in both, and at cost 3 it is cheaper than 0 and 2 together.

    >>> program = new_program(3, 2)
    >>> set_up(program, np.array([2.0, 3.0, 2.0]), np.ones(3))
    >>> impose(program, np.array([0, 1]), 2)
    >>> impose(program, np.array([1, 2]), 2)
    >>> program.share.tolist()
    [0.0, 1.0, 0.0]
    """
    return Program(
        share=np.zeros(n_shares),
        tableau=np.zeros((n_shares, n_shares)),
        nonbasic=np.zeros(n_shares, np.int64),
        column=np.zeros(n_shares, np.int64),
        objective=np.zeros((2, n_shares)),
        reduced=np.zeros((2, n_shares)),
        highest=np.zeros(2),
        upper=np.zeros(n_shares),
        row=np.zeros(n_shares),
        members=np.zeros((2, n_shares, longest), np.int64),
        n_members=np.zeros((2, n_shares), np.int64),
        memo=record(
            buffer=0,  # the current buffer of ``members``
            pivots=0,  # steps since the last start
            given_up=False,  # whether rounding errors prevent a solution; a new start clears this
        ),
    )


@inlined
def set_up(program, cost, effort):
    """Set the costs, and start without sets: all shares are zero."""
    program.highest[COST] = 0.0
    program.highest[EFFORT] = 0.0
    for p in range(cost.size):
        program.objective[COST, p] = cost[p]
        program.objective[EFFORT, p] = effort[p]
        program.highest[COST] = max(program.highest[COST], cost[p])
        program.highest[EFFORT] = max(program.highest[EFFORT], effort[p])
    _clear(program)


@not_inlined
def change_costs(program, cost, effort):
    """Change the costs; return whether the current shares are still the answer.

    Otherwise shares may be negative, and sets may be violated: call `settle`, then `impose`.
    """
    for stage in range(2):
        new = cost if stage == COST else effort
        program.highest[stage] = 0.0
        for p in range(new.size):
            change = new[p] - program.objective[stage, p]
            if change != 0.0:
                program.objective[stage, p] = new[p]
                _add_cost(program, stage, p, change)
            program.highest[stage] = max(program.highest[stage], new[p])
    unchanged = True
    for k in range(program.nonbasic.size):
        if _is_negative(program, k):
            _reflect(program, k)
            unchanged = False
    return unchanged


@inlined
def _reflect(program, k):
    """Replace the variable of column k by its distance from its upper bound."""
    for p in range(program.share.size):
        entry = program.tableau[p, k]
        program.share[p] += entry * program.upper[k]
        program.tableau[p, k] = -entry
    for stage in range(2):
        program.reduced[stage, k] = -program.reduced[stage, k]
    if program.nonbasic[k] != NOT_A_SHARE:
        program.column[program.nonbasic[k]] = NO_COLUMN
        program.nonbasic[k] = NOT_A_SHARE
    program.n_members[program.memo[0].buffer, k] = 0


@not_inlined
def settle(program):
    """Solve for e >= 0 and the sets in columns after a change of costs."""
    if program.memo[0].pivots > WORN * program.share.size:
        restart(program)
    else:
        _raise_negative_shares(program)


@not_inlined
def restart(program):
    """Solve again at the current costs, only with the sets that were in columns."""
    old = program.memo[0].buffer
    program.memo[0].buffer = 1 - old
    _clear(program)
    for k in range(program.nonbasic.size):
        impose(program, program.members[old, k], program.n_members[old, k])


@not_inlined
def impose(program, members, size):
    """Add the set of the first ``size`` of ``members`` (no set if there are none), and solve."""
    row = program.row
    row[:] = 0.0
    value = -1.0
    for m in range(size):
        p = members[m]
        value += program.share[p]
        for k in range(row.size):
            row[k] += program.tableau[p, k]
    if size == 0 or value >= -TINY_SHARE:
        return
    k = _pivot(program, value, NOT_A_SHARE)
    buffer = program.memo[0].buffer
    program.n_members[buffer, k] = size
    program.upper[k] = size - 1
    for m in range(size):
        program.members[buffer, k, m] = members[m]
    _raise_negative_shares(program)


@not_inlined
def _raise_negative_shares(program):
    """Solve for e >= 0."""
    row = program.row
    while not program.memo[0].given_up:
        p = 0
        for q in range(1, row.size):
            if program.share[q] < program.share[p]:
                p = q
        if program.share[p] >= -TINY_SHARE:
            break
        for k in range(row.size):
            row[k] = program.tableau[p, k]
        k = _pivot(program, program.share[p], p)
        program.n_members[program.memo[0].buffer, k] = 0


@inlined
def _clear(program):
    """Set all shares to zero, and make them the variables of the columns."""
    program.tableau[:] = 0.0
    program.n_members[program.memo[0].buffer] = 0
    for p in range(program.share.size):
        program.share[p] = 0.0
        program.tableau[p, p] = 1.0
        program.nonbasic[p] = p
        program.column[p] = p
        program.upper[p] = 1.0
        for stage in range(2):
            program.reduced[stage, p] = program.objective[stage, p]
    program.memo[0].pivots = 0
    program.memo[0].given_up = False


@not_inlined
def _pivot(program, value, p):
    """Make the share or set of ``program.row`` the variable of a column, and return that column.

    It is share ``p``, or a set (NOT_A_SHARE); ``value`` < 0 is its current value (for a set, its sum minus 1).
    """
    row = program.row
    share = program.share
    memo = program.memo[0]
    k = NO_COLUMN  # the column that raises the row to 0 at the least growth of (cost, effort, e_1, ..., e_n)
    for column in range(row.size):
        if row[column] > TINY_SHARE and (k == NO_COLUMN or _is_cheaper(program, column, k)):
            k = column
    memo.pivots += 1
    if k == NO_COLUMN or memo.pivots > GIVE_UP * row.size:
        memo.given_up = True
        return 0
    for q in range(row.size):
        factor = program.tableau[q, k] / row[k]
        if factor != 0.0:
            tableau = program.tableau[q]
            for column in range(row.size):
                grown = tableau[column] - factor * row[column]
                tableau[column] = grown if abs(grown) > 1e-12 else 0.0
            tableau[k] = factor
            share[q] -= factor * value
    if program.nonbasic[k] != NOT_A_SHARE:
        program.column[program.nonbasic[k]] = NO_COLUMN
    program.nonbasic[k] = p
    program.upper[k] = 1.0
    if p != NOT_A_SHARE:
        program.column[p] = k
        share[p] = 0.0
    for stage in range(2):
        reduced = program.reduced[stage]
        factor = reduced[k] / row[k]
        for column in range(row.size):
            reduced[column] -= factor * row[column]
        reduced[k] = factor
    return k


@inlined
def _add_cost(program, stage, p, cost):
    """Add the cost of share p to the reduced costs."""
    reduced = program.reduced[stage]
    k = program.column[p]
    if k != NO_COLUMN:
        reduced[k] += cost
    else:
        tableau = program.tableau[p]
        for k in range(reduced.size):
            reduced[k] += cost * tableau[k]


@not_inlined
def _add_up(program, stage, k):
    """Compute ``reduced[stage, k]`` again, and return a bound on its rounding error."""
    total = 0.0
    positive = 0.0
    for p in range(program.row.size):
        term = program.objective[stage, p] * program.tableau[p, k]
        total += term
        positive += abs(term)
    program.reduced[stage, k] = total
    return TIE * positive


@inlined
def _is_cheaper(program, k, best):
    row = program.row
    reduced = program.reduced
    for stage in range(2):
        difference = reduced[stage, k] / row[k] - reduced[stage, best] / row[best]
        tie = 0.0
        if abs(difference) <= NEAR * program.highest[stage] * (1.0 / row[k] + 1.0 / row[best]):
            tie = _add_up(program, stage, k) / row[k] + _add_up(program, stage, best) / row[best]
            difference = reduced[stage, k] / row[k] - reduced[stage, best] / row[best]
        if abs(difference) > tie:
            return difference < 0.0
    for p in range(row.size):
        difference = program.tableau[p, k] / row[k] - program.tableau[p, best] / row[best]
        if abs(difference) > TINY_SHARE:
            return difference < 0.0
    return False


@inlined
def _is_negative(program, k):
    """Return whether (cost, effort, e_1, ..., e_n) gets lexicographically smaller as the variable of column k grows."""
    for stage in range(2):
        tie = 0.0
        if abs(program.reduced[stage, k]) <= NEAR * program.highest[stage]:
            tie = _add_up(program, stage, k)
        if abs(program.reduced[stage, k]) > tie:
            return program.reduced[stage, k] < 0.0
    for p in range(program.row.size):
        if abs(program.tableau[p, k]) > TINY_SHARE:
            return program.tableau[p, k] < 0.0
    return False
