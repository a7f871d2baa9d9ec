"""Probabilistic interleaving: for each place of the list, a coin chooses the ranker that draws a document.

A ranker draws the document at rank r (from 1) with a probability proportional to 1/r^3, among those that are not in the
list yet; ranks stay what they were. A click is credited to a ranker with the probability that the document came from
it, given the list; the rankers are compared by the number of clicks credited to them, a tie counting one half.

References
----------
.. [1] K. Hofmann, S. Whiteson, M. de Rijke, "A Probabilistic Method for Inferring Preferences from Clicks", CIKM 2011.
"""

from typing import NamedTuple

import numpy as np

from duelbench.bandits.kernels.decorators import inlined, kernel
from duelbench.data.rankings.orders import BEYOND, free_rank, swap

EXPONENT = 3  # How fast a ranker's weights fall with the rank
EQUAL = 1e-9  # Probabilities of winning that differ by less are equal: the difference is rounding


class Tree(NamedTuple):
    """Memory of a walk over lists and clicks. Level k is a list of k documents."""

    probability: np.ndarray  # (length + 1,) float64. Of the list and its clicks
    left_a: np.ndarray  # (length + 1,) float64. The weights of the documents that are left
    left_b: np.ndarray
    credit: np.ndarray  # (length + 1,) float64. Of the last document to the first ranker
    ranks_a: np.ndarray  # (length + 1,) int64. The last document's ranks
    ranks_b: np.ndarray
    clicked: np.ndarray  # (length + 1,) int64. Whether it was clicked
    n_clicks: np.ndarray  # (length + 1,) int64
    counts: np.ndarray  # (length + 1, length + 2) float64. [k, m]: probability that m clicks are the first ranker's
    weights: np.ndarray  # (most,) float64. Of each rank
    masses: np.ndarray  # (most + 1,) float64. [n]: sum of the weights of the first n ranks


def empty_tree(length: int, most: int) -> Tree:
    """Memory for lists of ``length`` out of at most ``most`` documents."""
    levels = length + 1
    probability, left_a, left_b, credit = np.zeros((4, levels))
    ranks_a, ranks_b, clicked, n_clicks = np.zeros((4, levels), dtype=np.int64)
    weights = 1.0 / np.arange(1, most + 1, dtype=np.float64) ** EXPONENT
    masses = np.concatenate([[0.0], np.cumsum(weights)])
    counts = np.zeros((levels, levels + 1))
    return Tree(probability, left_a, left_b, credit, ranks_a, ranks_b, clicked, n_clicks, counts, weights, masses)


@kernel
def work(n, shown):
    """How many lists of ``shown`` out of n documents there are, each with its clicks; at most `BEYOND`."""
    count = 1.0
    for k in range(shown):
        count = min(count * 2 * (n - k), BEYOND)
    return count


@kernel
def drawn(tree, a, b, n, shown, grades, start, click, stop, rng):
    """One list and the clicks on it: 1 where ranker a wins, 0 where b does, 1/2 for a tie."""
    weights = tree.weights
    left_a = left_b = tree.masses[n]
    counts = tree.counts
    counts[0, 0] = 1.0
    n_clicks = n_placed = 0
    for place in range(shown):
        u = rng.random()
        if u < 0.5:
            rank_a = _drawn_rank(a, n, weights, 2 * u * left_a)
            swap(a, rank_a, free_rank(a, rank_a, rng))
            d = a.documents[rank_a]
            rank_b = free_rank(b, b.positions[d], rng)
            swap(b, b.positions[d], rank_b)
        else:
            rank_b = _drawn_rank(b, n, weights, (2 * u - 1) * left_b)
            swap(b, rank_b, free_rank(b, rank_b, rng))
            d = b.documents[rank_b]
            rank_a = free_rank(a, a.positions[d], rng)
            swap(a, a.positions[d], rank_a)
        a.used[rank_a] = b.used[rank_b] = 1
        tree.ranks_a[place], tree.ranks_b[place] = rank_a, rank_b
        n_placed = place + 1
        grade = grades[start + d]
        v = rng.random()
        if v < click[grade]:
            _count_click(counts, 0, 0, n_clicks, _credit(weights[rank_a], left_a, weights[rank_b], left_b))
            n_clicks += 1
            if v < click[grade] * stop[grade]:
                break
        left_a -= weights[rank_a]
        left_b -= weights[rank_b]
    for place in range(n_placed):
        a.used[tree.ranks_a[place]] = b.used[tree.ranks_b[place]] = 0
    return _outcome(counts, 0, n_clicks)


@kernel
def expected(tree, a, b, n, shown, grades, start, click, stop):
    """The probability that ranker a wins plus half that of a tie, given both orders: over all lists and clicks."""
    total = 0.0
    tree.probability[0], tree.n_clicks[0], tree.counts[0, 0] = 1.0, 0, 1.0
    tree.left_a[0] = tree.left_b[0] = tree.masses[n]
    tree.ranks_a[0] = -1
    depth = 0
    while depth >= 0:
        if depth == shown:
            total += tree.probability[depth] * _outcome(tree.counts, depth, tree.n_clicks[depth])
            depth -= 1
        elif tree.ranks_a[depth] >= 0 and tree.clicked[depth] == 0:
            # The lists without a click here are done: now those with one, after which the user continues.
            tree.clicked[depth] = 1
            grade = grades[start + a.documents[tree.ranks_a[depth]]]
            depth = _descend(tree, depth, click[grade] * (1 - stop[grade]))
        elif _next_document(tree, a, b, n, depth):
            grade = grades[start + a.documents[tree.ranks_a[depth]]]
            if click[grade] * stop[grade] > 0:
                _count_click(tree.counts, depth, depth + 1, tree.n_clicks[depth], tree.credit[depth])
                ended = _placed(tree, depth) * click[grade] * stop[grade]
                total += ended * _outcome(tree.counts, depth + 1, tree.n_clicks[depth] + 1)
            depth = _descend(tree, depth, 1 - click[grade])
        else:
            depth -= 1
    return total


@kernel
def _next_document(tree, a, b, n, depth):
    """Put the next document, in ranker a's order, at this place; False if there are no more."""
    rank = tree.ranks_a[depth]
    if rank >= 0:
        a.used[rank] = b.used[tree.ranks_b[depth]] = 0
    rank += 1
    while rank < n and a.used[rank] == 1:
        rank += 1
    if rank == n:
        tree.ranks_a[depth] = -1
        return False
    rank_b = b.positions[a.documents[rank]]
    a.used[rank] = b.used[rank_b] = 1
    tree.ranks_a[depth], tree.ranks_b[depth], tree.clicked[depth] = rank, rank_b, 0
    weights = tree.weights
    tree.credit[depth] = _credit(weights[rank], tree.left_a[depth], weights[rank_b], tree.left_b[depth])
    return True


@kernel
def _placed(tree, depth):
    """The probability of the list and its clicks with the document at this place, before it is read."""
    by_a = tree.weights[tree.ranks_a[depth]] / tree.left_a[depth]
    by_b = tree.weights[tree.ranks_b[depth]] / tree.left_b[depth]
    return tree.probability[depth] * 0.5 * (by_a + by_b)


@kernel
def _descend(tree, depth, probability):
    """The depth at which to continue: one below, if that has a positive probability."""
    if probability <= 0:
        return depth
    below = depth + 1
    tree.probability[below] = _placed(tree, depth) * probability
    tree.left_a[below] = tree.left_a[depth] - tree.weights[tree.ranks_a[depth]]
    tree.left_b[below] = tree.left_b[depth] - tree.weights[tree.ranks_b[depth]]
    tree.n_clicks[below] = tree.n_clicks[depth] + tree.clicked[depth]
    tree.ranks_a[below] = -1
    if tree.clicked[depth] == 1:
        _count_click(tree.counts, depth, below, tree.n_clicks[depth], tree.credit[depth])
    else:
        for m in range(tree.n_clicks[depth] + 1):
            tree.counts[below, m] = tree.counts[depth, m]
    return below


@inlined
def _drawn_rank(side, n, weights, target):
    """The unused rank at which the weights from the top exceed ``target``; by rounding, the last unused one."""
    last = 0
    for r in range(n):
        if side.used[r] == 0:
            last = r
            target -= weights[r]
            if target < 0:
                break
    return last


@inlined
def _credit(weight_a, left_a, weight_b, left_b):
    """The probability that a document came from ranker a, given that it was drawn."""
    by_a, by_b = weight_a * left_b, weight_b * left_a
    return by_a / (by_a + by_b)


@inlined
def _count_click(counts, source, target, n_clicks, credit):
    """Update the distribution of ranker a's clicks by one more click, into row ``target``."""
    counts[target, n_clicks + 1] = counts[source, n_clicks] * credit
    for m in range(n_clicks, 0, -1):
        counts[target, m] = counts[source, m] * (1 - credit) + counts[source, m - 1] * credit
    counts[target, 0] = counts[source, 0] * (1 - credit)


@inlined
def _outcome(counts, row, n_clicks):
    """1, 0 or 1/2: ranker a is more likely to have more clicks than b, fewer, or equally likely."""
    difference = 0.0
    for m in range(n_clicks + 1):
        if 2 * m > n_clicks:
            difference += counts[row, m]
        elif 2 * m < n_clicks:
            difference -= counts[row, m]
    if difference > EQUAL:
        return 1.0
    return 0.0 if difference < -EQUAL else 0.5
