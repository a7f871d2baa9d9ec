"""Balanced interleaving: two orders are merged, so that each prefix has as many documents of both, or one more of one.

If the ranker that places the lowest clicked document higher has it at rank k, the clicks on the first k
documents of each ranker are compared; more clicks win, a tie counting one half.

References
----------
.. [1] T. Joachims, "Evaluating Retrieval Performance Using Clickthrough Data", 2003.
.. [2] O. Chapelle, T. Joachims, F. Radlinski, Y. Yue, "Large-Scale Validation and Analysis of Interleaved Search
   Evaluation", ACM TOIS 30, 2012.
"""

from duelbench.bandits.kernels.decorators import kernel


@kernel
def work(n, shown):
    """Two lists, each with a lowest click at each place, and the clicks above it."""
    return 2.0 * shown * shown


@kernel
def expected(distribution, merged, a, b, n, shown, grades, start, click, stop):
    """The probability that ranker a wins plus half that of a tie, given both orders.

    ``distribution`` and ``merged`` are memory.
    """
    total = 0.0
    for b_first in range(2):
        _merge(merged, a, b, shown, b_first)
        total += 0.5 * _of_list(distribution, merged, a, b, shown, grades, start, click, stop)
    return total


@kernel
def _merge(merged, a, b, shown, b_first):
    """Make the list of ``shown`` documents; ``b_first`` says whether b's best document comes first."""
    next_a = next_b = 0
    n_merged = 0
    while n_merged < shown:
        if next_a < next_b or (next_a == next_b and b_first == 0):
            d = a.documents[next_a]
            next_a += 1
        else:
            d = b.documents[next_b]
            next_b += 1
        if a.used[a.positions[d]] == 0:
            a.used[a.positions[d]] = 1
            merged[n_merged] = d
            n_merged += 1
    for place in range(shown):
        a.used[a.positions[merged[place]]] = 0


@kernel
def _of_list(distribution, merged, a, b, shown, grades, start, click, stop):
    """Sum over the place of the lowest click, with all clicks above it followed down the list."""
    total = 0.0
    unclicked_below = 1.0
    for lowest in range(shown - 1, -1, -1):
        d = merged[lowest]
        grade = grades[start + d]
        depth = min(a.positions[d], b.positions[d])
        ends = click[grade] * (stop[grade] + (1 - stop[grade]) * unclicked_below)
        if ends > 0:
            total += ends * _of_lowest(distribution, merged, a, b, lowest, depth, grades, start, click, stop)
        unclicked_below *= 1 - click[grade]
    return total + 0.5 * unclicked_below


@kernel
def _of_lowest(distribution, merged, a, b, lowest, depth, grades, start, click, stop):
    """The expected win of a if the click at ``lowest`` is the last, times the probability that the user gets there.

    ``distribution[lowest + 1 + m]`` is the probability that m more clicks were on the first documents of a than
    on those of b.
    """
    middle = lowest + 1
    for m in range(2 * middle + 1):
        distribution[m] = 0.0
    distribution[middle] = 1.0
    for place in range(lowest):
        d = merged[place]
        grade = grades[start + d]
        side = _side(a, b, d, depth)
        goes_on = click[grade] * (1 - stop[grade])
        if side == 0:
            for m in range(2 * middle + 1):
                distribution[m] *= 1 - click[grade] + goes_on
        else:
            for k in range(-place, place + 1):
                m = middle - k * side
                distribution[m + side] += distribution[m] * goes_on
                distribution[m] *= 1 - click[grade]
    last = _side(a, b, merged[lowest], depth)
    total = 0.0
    for m in range(2 * middle + 1):
        difference = m - middle + last
        if difference >= 0:
            total += distribution[m] * (1.0 if difference > 0 else 0.5)
    return total


@kernel
def _side(a, b, d, depth):
    """1 for a document that only a has at the ranks up to ``depth``, -1 if only b has, else 0."""
    by_a, by_b = a.positions[d] <= depth, b.positions[d] <= depth
    if by_a == by_b:
        return 0
    return 1 if by_a else -1
