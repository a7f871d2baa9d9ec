"""Interleaved comparisons gone through one by one: all orders, coins, lists, clicks and assignments, in fractions.

Slow on purpose, and written from the procedures as they are described; it imports nothing of duelbench.
"""

from fractions import Fraction
from itertools import pairwise, permutations, product

HALF = Fraction(1, 2)


def orders(scores):
    """All orders of the documents, the highest score first, and how likely each is."""
    found = [order for order in permutations(range(len(scores))) if _falls([scores[d] for d in order])]
    return [(order, Fraction(1, len(found))) for order in found]


def _falls(values):
    return all(x >= y for x, y in pairwise(values))


def clicks(shown, click, stop):
    """All sets of clicked places of a list of grades, and how likely each is."""
    found = []
    for pattern in product((False, True), repeat=len(shown)):
        probability, still_reads = Fraction(1), Fraction(0)
        clicked = [place for place, is_clicked in enumerate(pattern) if is_clicked]
        # The user reads on after every click but the last one, and there may stop, or read the rest without a click.
        for place, grade in enumerate(shown):
            p, s = Fraction(click[grade]).limit_denominator(), Fraction(stop[grade]).limit_denominator()
            if not clicked or place < clicked[-1]:
                probability *= p * (1 - s) if pattern[place] else 1 - p
            elif place == clicked[-1]:
                probability *= p
                still_reads, ended = probability * (1 - s), probability * s
            else:
                still_reads *= 1 - p
        found.append((clicked, probability if not clicked else ended + still_reads))
    assert sum(probability for _, probability in found) == 1
    return found


def won(difference):
    """What ranker a wins by so many more clicks."""
    return HALF if difference == 0 else Fraction(int(difference > 0))


def probabilistic(order_a, order_b, grades, length, click, stop):
    """Lists drawn place by place, and the clicks on them credited by Bayes's rule over all assignments."""
    total = Fraction(0)
    for shown in permutations(range(len(grades)), min(length, len(grades))):
        by = [[_share(order, shown, place) for place in range(len(shown))] for order in (order_a, order_b)]
        joint = {}
        for assignment in product((0, 1), repeat=len(shown)):
            probability = Fraction(1)
            for place, ranker in enumerate(assignment):
                probability *= HALF * by[ranker][place]
            joint[assignment] = probability
        for clicked, probability in clicks([grades[d] for d in shown], click, stop):
            a_wins = sum(p for who, p in joint.items() if sum(1 - 2 * who[k] for k in clicked) > 0)
            b_wins = sum(p for who, p in joint.items() if sum(1 - 2 * who[k] for k in clicked) < 0)
            total += sum(joint.values()) * probability * won(a_wins - b_wins)
    return total


def _share(order, shown, place):
    """How likely a ranker draws the document at a place, among those that are not above."""
    weights = {d: Fraction(1, (rank + 1) ** 3) for rank, d in enumerate(order)}
    return weights[shown[place]] / sum(weight for d, weight in weights.items() if d not in shown[:place])


def team_draft(order_a, order_b, grades, length, click, stop):
    """Rounds in which both rankers add their best document, a coin saying who is first."""
    n_shown = min(length, len(grades))
    total = Fraction(0)
    n_rounds = -(-n_shown // 2)
    for coins in product((0, 1), repeat=n_rounds):
        shown, teams = [], []
        for coin in coins:
            for ranker in (coin, 1 - coin):
                if len(shown) < n_shown:
                    shown.append(next(d for d in (order_a, order_b)[ranker] if d not in shown))
                    teams.append(1 - 2 * ranker)
        for clicked, probability in clicks([grades[d] for d in shown], click, stop):
            total += Fraction(1, 2**n_rounds) * probability * won(sum(teams[k] for k in clicked))
    return total


def balanced(order_a, order_b, grades, length, click, stop):
    """Two orders merged, and clicks compared down to the rank of the lowest one."""
    n_shown = min(length, len(grades))
    total = Fraction(0)
    for a_first in (True, False):
        shown, k_a, k_b = [], 0, 0
        while len(shown) < n_shown:
            if k_a < k_b or (k_a == k_b and a_first):
                d, k_a = order_a[k_a], k_a + 1
            else:
                d, k_b = order_b[k_b], k_b + 1
            if d not in shown:
                shown.append(d)
        for clicked, probability in clicks([grades[d] for d in shown], click, stop):
            difference = 0
            if clicked:
                lowest = shown[clicked[-1]]
                k = 1 + min(order_a.index(lowest), order_b.index(lowest))
                difference = sum((shown[c] in order_a[:k]) - (shown[c] in order_b[:k]) for c in clicked)
            total += HALF * probability * won(difference)
    return total


def probability(interleave, scores_a, scores_b, grades, length, click, stop):
    """Of ranker a to win a comparison on a query, a tie counting one half."""
    return sum(
        p * q * interleave(order_a, order_b, grades, length, click, stop)
        for order_a, p in orders(scores_a)
        for order_b, q in orders(scores_b)
    )
