"""Compares two rankers: the probability that the first wins on a random query, a tie counting one half.

It is computed exactly for queries with few lists, clicks and orders of tied documents (``most_work``). For the others
comparisons are drawn: first a few on each query, then as many as the wanted standard error needs.

The draws of a pair come from ``PCG64(SeedSequence(seed, spawn_key=(i, j)))`` with the rankers' keys i < j, query by
query, so that they depend neither on other pairs nor on who compares them when.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from duelbench.bandits.kernels.decorators import kernel
from duelbench.data.rankings import balanced, probabilistic, team_draft
from duelbench.data.rankings.clicks import ClickModel
from duelbench.data.rankings.orders import Collection, Side, empty_side, load, n_orders, next_order, shuffle
from duelbench.data.rankings.probabilistic import Tree, empty_tree
from duelbench.errors import InputError

PROBABILISTIC, TEAM_DRAFT, BALANCED = 0, 1, 2
INTERLEAVINGS = {"probabilistic": PROBABILISTIC, "team-draft": TEAM_DRAFT, "balanced": BALANCED}

MOST_WORK = 4000.0  # A query is computed exactly if it has at most this many lists with clicks, times orders
PILOT = 1000  # The first comparisons of a pair; from these the number needed is estimated
ROUNDING = 1e-12  # A probability this close to 1/2 is set to 1/2: the difference is rounding
MOST_SHOWN = 100  # Longest list
MOST_COMPARISONS = 10**10  # Of a pair: about a day at some microseconds each
BLOCK_SECONDS = 0.2  # Roughly how long one call of compiled code runs
FIRST_BUDGET = 1000.0  # The budget of the first call, before its speed is known


@dataclass(frozen=True)
class Procedure:
    """How rankers are compared; raises an InputError if a value is out of range."""

    interleaving: str  # one of `INTERLEAVINGS`
    clicks: ClickModel
    standard_error: float = 0.005  # the largest allowed
    seed: int = 0  # 0 <= seed < 2**128
    length: int = 10  # documents of a list, if the query has that many
    # see `MOST_WORK`. Without ties, team-draft and balanced interleaving are always computed exactly
    most_work: float = MOST_WORK

    def __post_init__(self) -> None:
        most = team_draft.MOST_SHOWN if self.interleaving == "team-draft" else MOST_SHOWN
        if not 1 <= self.length <= most:
            raise InputError(f"lists of {self.length} documents: {self.interleaving} interleaving shows 1 to {most}")
        if not 1e-5 <= self.standard_error <= 0.1:
            raise InputError(f"a standard error of {self.standard_error:g}: it must be from 0.00001 to 0.1")


class Compared(NamedTuple):
    """The result of comparing two rankers."""

    probability: float  # Of the first ranker to win, a tie counting one half
    standard_error: float  # 0 where all was computed exactly; else at least one over the number of comparisons
    comparisons: int  # How many were drawn
    exact: int  # Queries that were computed exactly


class Memory(NamedTuple):
    """Memory of kernels."""

    a: Side  # The two orders
    b: Side
    tree: Tree  # Of probabilistic interleaving
    distribution: np.ndarray  # (2 length + 1,) float64. Of the others
    merged: np.ndarray  # (length,) int64


def compare(
    collection: Collection,
    first: int,
    second: int,
    procedure: Procedure,
    tell: Callable[[float], object] = lambda share: None,
) -> Compared:
    """Compare two rankers of a collection.

    Rankers are 0-based, ``first < second``; the click model must know every grade. ``tell`` is called several times a
    second with the share that is done; an exception that it raises ends the comparison.

    Examples
    --------
    One query, whose only relevant document the first ranker puts before the other one. It comes first in half of the
    lists, and then the first ranker wins; at the second place there was no choice, which is a tie: 1/2 + 1/2 * 1/2.

    >>> from duelbench.data.rankings.clicks import named
    >>> from duelbench.data.rankings.orders import collected
    >>> opposite = collected([[1, 0]], [np.array([[2.0, 1.0], [1.0, 2.0]])])
    >>> compare(opposite, 0, 1, Procedure("probabilistic", named("perfect", 2)))
    Compared(probability=0.75, standard_error=0.0, comparisons=0, exact=1)
    """
    arrays = collection.orders[first], collection.orders[second], collection.starts, collection.grades
    data = [np.asarray(array).view() for array in arrays]
    for view in data:  # read-only, as the kernels require, in memory or in a file
        view.flags.writeable = False
    model = np.array(procedure.clicks.click, dtype=float), np.array(procedure.clicks.stop, dtype=float)
    kind = INTERLEAVINGS[procedure.interleaving]
    shown = min(procedure.length, collection.most_documents)
    most = collection.most_documents
    merged = np.zeros(shown, dtype=np.int64)
    memory = Memory(empty_side(most), empty_side(most), empty_tree(shown, most), np.zeros(2 * shown + 1), merged)
    n_queries = collection.n_queries

    exact = np.zeros(n_queries)
    began = time.perf_counter()

    def go_through(budget: float, place: np.ndarray) -> None:
        _exactly(memory, kind, *data, *model, shown, float(procedure.most_work), budget, place, exact)
        tell(place[0] / n_queries)

    _in_blocks(go_through, n_queries)
    n_exact = int((exact >= 0).sum())
    n_drawn = n_queries - n_exact
    if not n_drawn:
        return Compared(_rounded(float(exact.sum()) / n_queries), 0.0, 0, n_exact)

    draws = _borrowed(procedure.seed, (collection.keys[first], collection.keys[second]))
    at_least = max(PILOT, math.ceil(2 / procedure.standard_error))
    sums, squares = np.zeros(n_queries), np.zeros(n_queries)
    visits, needed = 0, max(2, math.ceil(at_least / n_drawn))
    in_all = max(needed, _visits_for(n_drawn / 4, n_queries, procedure.standard_error))
    seconds_exact = time.perf_counter() - began

    def draw(budget: float, place: np.ndarray) -> None:
        more = needed - visits
        _draw(memory, kind, *data, *model, shown, more, int(budget), place, exact, sums, squares, draws)
        share = (visits + more * place[0] / n_queries) / in_all + place[1] / (n_queries * in_all)
        seconds = time.perf_counter() - began
        tell(seconds / (seconds_exact + (seconds - seconds_exact) / max(share, 1e-12)))

    while needed > visits:
        if needed * n_drawn > MOST_COMPARISONS:
            raise InputError(
                f"a standard error of {procedure.standard_error:g} needs {needed * n_drawn:.1e} comparisons of a pair;"
                f" at most {MOST_COMPARISONS:.0e} are drawn"
            )
        _in_blocks(draw, n_queries)
        visits = needed
        spread = _spread(sums, squares, visits)
        in_all = needed = _visits_for(spread, n_queries, procedure.standard_error)
    _idle.append(draws)
    known = float(exact[exact >= 0].sum())
    probability = (known + float(sums.sum()) / visits) / n_queries
    error = max(math.sqrt(spread / visits) / n_queries, 1 / (visits * n_queries))
    return Compared(_rounded(probability), error, visits * n_drawn, n_exact)


def _in_blocks(compiled: Callable[[float, np.ndarray], None], n_queries: int) -> None:
    """Call compiled code, each time for about `BLOCK_SECONDS`, until it has gone through all queries.

    Signals are handled only between the calls. ``place`` is where the next call continues: the query, and how much of
    it is done. The result does not depend on the budgets.
    """
    place = np.zeros(2, dtype=np.int64)
    budget = FIRST_BUDGET
    while place[0] < n_queries:
        began = time.perf_counter()
        compiled(budget, place)
        seconds = time.perf_counter() - began
        budget = max(1.0, budget * min(10.0, BLOCK_SECONDS / max(seconds, 1e-9)))


def _visits_for(spread: float, n_queries: int, standard_error: float) -> int:
    """How many comparisons each query needs, by `_spread`."""
    return math.ceil(spread / (n_queries * standard_error) ** 2)


def _rounded(probability: float) -> float:
    return 0.5 if abs(probability - 0.5) <= ROUNDING else probability


def _spread(sums: np.ndarray, squares: np.ndarray, visits: int) -> float:
    """The variance of one comparison, added up over the queries; those that were not drawn have none."""
    return float(np.maximum(squares - sums * sums / visits, 0.0).sum()) / (visits - 1)


_idle: list[np.random.Generator] = []
"""Unused generators, kept for reuse: Numba never frees one that was passed to a kernel."""


def _borrowed(seed: int, key: tuple[int, int]) -> np.random.Generator:
    fresh = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key))
    try:
        generator = _idle.pop()  # another thread may have taken the last one
    except IndexError:
        return np.random.Generator(fresh)
    generator.bit_generator.state = fresh.state
    return generator


@kernel
def _exactly(memory, kind, order_a, order_b, starts, grades, click, stop, length, most_work, budget, place, exact):
    """Put the exact results into ``exact``, and -1 for the other queries; continues at ``place`` (query, orders).

    The budget counts lists, clicks and orders; at least one order is computed.
    """
    spent = 0.0
    while place[0] < starts.size - 1 and spent < budget:
        q = place[0]
        start, n = starts[q], starts[q + 1] - starts[q]
        shown = min(length, n)
        work = _work(kind, n, shown)
        reach = n if kind == PROBABILISTIC else shown
        if place[1] == 0:
            exact[q] = -1.0
            spent += n
            if kind == PROBABILISTIC and work > most_work:
                place[0] += 1
                continue
            load(memory.a, order_a, start, n)
            load(memory.b, order_b, start, n)
        count = n_orders(memory.a, reach) * n_orders(memory.b, reach)
        if not (work * count <= most_work or (kind != PROBABILISTIC and count == 1)):
            place[0] += 1
            continue
        if place[1] == 0:
            exact[q] = 0.0
        more = True
        while more and (spent < budget or place[1] == 0):
            exact[q] += _expected(memory, kind, n, shown, grades, start, click, stop)
            place[1] += 1
            spent += work
            more = next_order(memory.a, reach) or next_order(memory.b, reach)
        if not more:
            exact[q] /= count
            place[0], place[1] = q + 1, 0


@kernel
def _draw(
    memory, kind, order_a, order_b, starts, grades, click, stop, length, more, budget, place, exact, sums, squares, rng
):
    """Draw ``more`` comparisons on each query that is not exact; add up what ranker a won, and the squares.

    At most ``budget`` comparisons are drawn, from ``place`` (query, comparisons) on.
    """
    spent = 0
    while place[0] < starts.size - 1 and spent < budget:
        q = place[0]
        if exact[q] >= 0:
            place[0] += 1
            continue
        start, n = starts[q], starts[q + 1] - starts[q]
        shown = min(length, n)
        if place[1] == 0:
            load(memory.a, order_a, start, n)
            load(memory.b, order_b, start, n)
        some = min(more - place[1], budget - spent)
        for _ in range(some):
            if kind == PROBABILISTIC:
                won = probabilistic.drawn(memory.tree, memory.a, memory.b, n, shown, grades, start, click, stop, rng)
            else:
                shuffle(memory.a, shown, rng)
                shuffle(memory.b, shown, rng)
                won = _expected(memory, kind, n, shown, grades, start, click, stop)
            sums[q] += won
            squares[q] += won * won
        spent += some
        place[1] += some
        if place[1] == more:
            place[0], place[1] = q + 1, 0


@kernel
def _work(kind, n, shown):
    if kind == PROBABILISTIC:
        return probabilistic.work(n, shown)
    return team_draft.work(n, shown) if kind == TEAM_DRAFT else balanced.work(n, shown)


@kernel
def _expected(memory, kind, n, shown, grades, start, click, stop):
    """Given both orders."""
    if kind == PROBABILISTIC:
        return probabilistic.expected(memory.tree, memory.a, memory.b, n, shown, grades, start, click, stop)
    if kind == TEAM_DRAFT:
        return team_draft.expected(memory.distribution, memory.a, memory.b, n, shown, grades, start, click, stop)
    return balanced.expected(
        memory.distribution, memory.merged, memory.a, memory.b, n, shown, grades, start, click, stop
    )
