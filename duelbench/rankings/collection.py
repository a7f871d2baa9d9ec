"""A collection of queries with judged documents, and rankers that order them."""

from dataclasses import dataclass

import numpy as np

from duelbench.rankings.orders import order_of


@dataclass(frozen=True, eq=False)
class Collection:
    """Queries, the grades of their documents, and the orders of rankers."""

    # (n_queries + 1,), int64. Documents ``starts[q]`` to ``starts[q + 1] - 1`` are those of query q; all are 0-based
    starts: np.ndarray
    grades: np.ndarray  # (n_documents,), uint8. How relevant a document is to its query, from 0
    # (n_rankers, n_documents), uint16. ``orders[k]`` is ranker k's `order_of` the documents of each query
    orders: np.ndarray
    names: tuple[str, ...]  # of the rankers
    # a number from 0 for each ranker, by which its comparisons draw: those of two rankers do not depend on which others
    # there are
    keys: tuple[int, ...]

    @property
    def n_queries(self) -> int:
        """How many queries there are."""
        return len(self.starts) - 1

    @property
    def most_documents(self) -> int:
        """Of a query."""
        return int(np.diff(self.starts).max())


def collected(grades: list[list[int]], scores: list[np.ndarray]) -> Collection:
    """A collection from the grades of each query's n documents, and their scores, (n_rankers, n), the best highest.

    Examples
    --------
    Two rankers of the opposite mind on the two documents of one query.

    >>> made = collected([[1, 0]], [np.array([[2.0, 1.0], [1.0, 2.0]])])
    >>> made.n_queries, made.orders.tolist()
    (1, [[0, 1], [1, 0]])
    """
    n_rankers = len(scores[0])
    return Collection(
        np.cumsum([0, *map(len, grades)], dtype=np.int64),
        np.array([grade for of_query in grades for grade in of_query], dtype=np.uint8),
        np.concatenate([order_of(of_query) for of_query in scores], axis=1),
        tuple(f"ranker {k}" for k in range(1, n_rankers + 1)),
        tuple(range(1, n_rankers + 1)),
    )
