"""A collection of judged documents, and how rankers order those of a query: by score, the highest first.

An order is stored as one number of 16 bits for each rank: which document of the query is there, and whether its score
equals that of the rank before.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from duelbench.bandits.kernels.decorators import inlined, kernel

TIED = 1 << 15  # This bit of a rank says that its score equals that of the rank before
MOST_DOCUMENTS = TIED  # Most documents of a query
BEYOND = 1e18  # The largest count of orders or lists; larger ones are not told apart


def order_of(scores: np.ndarray) -> np.ndarray:
    """How each of several rankers orders one query's documents, from their scores, (n_rankers, n) float64.

    For each rank the document there (0-based), the best first, uint16; documents of equal scores by their number, with
    the bit `TIED` in all but the first of them.

    Examples
    --------
    >>> order = order_of(np.array([[1.0, 1.0, 5.0]]))
    >>> (order % TIED).tolist(), (order >= TIED).tolist()
    ([[2, 0, 1]], [[False, False, True]])
    """
    order = np.argsort(-scores, axis=1, kind="stable")
    ranked = np.take_along_axis(scores, order, axis=1)
    packed = order.astype(np.uint16)
    packed[:, 1:][ranked[:, 1:] == ranked[:, :-1]] |= TIED
    return packed


@dataclass(frozen=True, eq=False)
class Collection:
    """Queries, the grades of their documents, and the orders of rankers."""

    starts: np.ndarray  # (n_queries + 1,) int64. Query q has the documents starts[q] to starts[q + 1] - 1, 0-based
    grades: np.ndarray  # (n_documents,) uint8. How relevant a document is to its query, from 0
    orders: np.ndarray  # (n_rankers, n_documents) uint16. Ranker k's `order_of` the documents of each query
    names: tuple[str, ...]  # of the rankers
    keys: tuple[int, ...]  # a number for each ranker, which seeds its draws: they do not depend on other rankers

    @property
    def n_queries(self) -> int:
        """How many queries there are."""
        return len(self.starts) - 1

    @property
    def most_documents(self) -> int:
        """The largest number of documents of a query."""
        return int(np.diff(self.starts).max())

    def of(self, rankers: list[int]) -> "Collection":
        """The same documents with some of the rankers (0-based, increasing)."""
        if len(rankers) == len(self.names):
            return self
        names, keys = zip(*((self.names[k], self.keys[k]) for k in rankers), strict=True) if rankers else ((), ())
        return replace(self, orders=self.orders[rankers], names=names, keys=keys)


def collected(grades: list[list[int]], scores: list[np.ndarray]) -> Collection:
    """A collection from the grades of each query's n documents, and their scores, (n_rankers, n), the best highest."""
    n_rankers = len(scores[0])
    return Collection(
        np.cumsum([0, *map(len, grades)], dtype=np.int64),
        np.array([grade for of_query in grades for grade in of_query], dtype=np.uint8),
        np.concatenate([order_of(of_query) for of_query in scores], axis=1),
        tuple(f"ranker {k}" for k in range(1, n_rankers + 1)),
        tuple(range(1, n_rankers + 1)),
    )


class Side(NamedTuple):
    """One ranker's order of the current query; ties are shuffled while lists are made."""

    documents: np.ndarray  # (n,) int64. The document at each rank
    positions: np.ndarray  # (n,) int64. The rank of each document
    firsts: np.ndarray  # (n,) int64. Of the ranks tied with each rank, the first
    ends: np.ndarray  # (n,) int64. Of the ranks tied with each rank, one beyond the last
    used: np.ndarray  # (n,) int64. 1 for ranks whose document is in the list, so that it stays there


def empty_side(most: int) -> Side:
    """Memory for queries of at most ``most`` documents."""
    return Side(*(np.zeros(most, dtype=np.int64) for _ in Side._fields))


@kernel
def load(side, order, start, n):
    """Take the order of a query, whose n ranks start at ``start``; mark all documents as unused."""
    first = 0
    for r in range(n):
        packed = int(order[start + r])
        d = packed % TIED
        if packed < TIED:
            for tied in range(first, r):
                side.ends[tied] = r
            first = r
        side.documents[r] = d
        side.positions[d] = r
        side.firsts[r] = first
        side.used[r] = 0
    for tied in range(first, n):
        side.ends[tied] = n


@inlined
def swap(side, r1, r2):
    """Swap the documents at two ranks."""
    d, e = side.documents[r1], side.documents[r2]
    side.documents[r1], side.documents[r2] = e, d
    side.positions[d], side.positions[e] = r2, r1


@inlined
def free_rank(side, r, rng):
    """A uniformly random unused rank among those tied with r; draws nothing if r has no ties."""
    first, size = side.firsts[r], side.ends[r] - side.firsts[r]
    if size == 1:
        return r
    rank = first + int(rng.random() * size)
    while side.used[rank] == 1:
        rank = first + int(rng.random() * size)
    return rank


@kernel
def shuffle(side, reach, rng):
    """Put tied documents into random order, if they can be at the first ``reach`` ranks."""
    for r in range(reach):
        size = side.ends[r] - r
        if size > 1:
            swap(side, r, r + int(rng.random() * size))


@kernel
def n_orders(side, reach):
    """How many orders differ only in ties that start below rank ``reach``; at most `BEYOND`."""
    count = 1.0
    r = 0
    while r < reach:
        for size in range(2, side.ends[r] - r + 1):
            count = min(count * size, BEYOND)
        r = side.ends[r]
    return count


@kernel
def next_order(side, reach):
    """Go on to the next of these orders and return True; after the last, go back to the first and return False."""
    r = reach - 1
    while r >= 0:
        first, end = side.firsts[r], side.ends[r]
        if _next_permutation(side, first, end):
            return True
        r = first - 1
    return False


@kernel
def _next_permutation(side, first, end):
    """The next order of the documents at the ranks from ``first`` to ``end - 1``, by their numbers."""
    documents = side.documents
    r = end - 2
    while r >= first and documents[r] > documents[r + 1]:
        r -= 1
    if r >= first:
        later = end - 1
        while documents[later] < documents[r]:
            later -= 1
        swap(side, r, later)
    low, high = r + 1 if r >= first else first, end - 1
    while low < high:
        swap(side, low, high)
        low, high = low + 1, high - 1
    return r >= first
