"""Team-draft interleaving: in every round, each ranker adds its best document that is not yet in the list.

A coin decides which ranker is first.

A click counts for the ranker that added the document; the one with more clicks wins, and a tie counts as half a win.

References
----------
.. [1] F. Radlinski, M. Kurup, T. Joachims, "How Does Clickthrough Data Reflect Retrieval Quality?", CIKM 2008.
"""

from duelbench.bandits.kernels.decorators import kernel

MOST_SHOWN = 20  # Longest list: the coins of its ten rounds have 2^10 outcomes


@kernel
def work(n, shown):
    """The number of lists, times the number of places in each."""
    return 2.0 ** ((shown + 1) // 2) * shown


@kernel
def expected(distribution, a, b, n, shown, grades, start, click, stop):
    """The probability that ranker a wins plus half that of a tie, given both orders.

    For each outcome of the coins, follow the clicks down the list: ``distribution[shown + m]`` is the probability
    that the user still reads and m more clicks were a's than b's.
    """
    total = 0.0
    n_coins = (shown + 1) // 2
    for coins in range(1 << n_coins):
        total += _of_coins(distribution, a, b, shown, coins, grades, start, click, stop)
    return total / (1 << n_coins)


@kernel
def _of_coins(distribution, a, b, shown, coins, grades, start, click, stop):
    for m in range(2 * shown + 1):
        distribution[m] = 0.0
    distribution[shown] = 1.0
    total = 0.0
    best_a = best_b = 0
    for place in range(shown):
        # The coin of a round says whether b is first; the other ranker is second.
        is_b = ((coins >> (place // 2)) & 1) ^ (place & 1)
        if is_b:
            while b.used[best_b] == 1:
                best_b += 1
            d = b.documents[best_b]
        else:
            while a.used[best_a] == 1:
                best_a += 1
            d = a.documents[best_a]
        a.used[a.positions[d]] = b.used[b.positions[d]] = 1
        grade = grades[start + d]
        total += _read(distribution, shown, place, -1 if is_b else 1, click[grade], stop[grade])
    for m in range(2 * shown + 1):
        total += distribution[m] * _won(m - shown)
    for r in range(shown):
        # Every shown document is among the first ``shown`` documents of one of the orders.
        for d in (a.documents[r], b.documents[r]):
            a.used[a.positions[d]] = b.used[b.positions[d]] = 0
    return total


@kernel
def _read(distribution, middle, most, team, click, stop):
    """Add one more document, of ranker a (1) or b (-1), to the distribution; return a's win if the user stops there.

    The clicks so far differ by at most ``most``.
    """
    total = 0.0
    for k in range(-most, most + 1):
        m = middle - k * team  # in the order in which no entry is read after clicks were added to it
        total += distribution[m] * click * stop * _won(m + team - middle)
        distribution[m + team] += distribution[m] * click * (1 - stop)
        distribution[m] *= 1 - click
    return total


@kernel
def _won(difference):
    """1, 0 or 1/2: a has more clicks, fewer, or as many."""
    if difference == 0:
        return 0.5
    return 1.0 if difference > 0 else 0.0
