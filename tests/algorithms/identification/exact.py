"""Tournaments as short plain programs, and their exact laws: all that can happen, with its probability.

A program is a generator. It yields `Chance`, what happens by chance, and is sent what has happened; it returns the
answer.
"""

from collections.abc import Callable, Generator, Sequence
from functools import cache, partial
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from duelbench.algorithms.contract import NO_WINNER
from duelbench.kernels.comparators import interval, majority, sprt
from tests.kernels.comparators.slow import law


class Chance(NamedTuple):
    """outcomes : (probability, what has happened) of each. duels : float. What it takes on average."""

    outcomes: Sequence[tuple[float, Any]]
    duels: float = 0.0


Program = Generator[Chance, Any, int]
Test = Callable[[float], Chance]
"""The test of a pair of which the first arm wins a duel with this probability; what happens is whether it wins it."""


class Laws(NamedTuple):
    """duels : float. The expected number of duels. answers : the probability of each answer."""

    duels: float
    answers: dict[int, float]


def exact(program: Callable[[], Program]) -> Laws:
    """The law of a program, by going through all that can happen."""
    duels, answers = 0.0, dict[int, float]()
    ahead: list[tuple[float, tuple[Any, ...]]] = [(1.0, ())]
    while ahead:
        probability, happened = ahead.pop()
        running = program()
        try:
            chance = next(running)
            for event in happened:
                chance = running.send(event)
        except StopIteration as end:
            answers[end.value] = answers.get(end.value, 0.0) + probability
            continue
        duels += probability * chance.duels
        ahead += [(probability * share, (*happened, event)) for share, event in chance.outcomes if share > 0]
    return Laws(duels, answers)


def drawn(program: Callable[[], Program], rng: np.random.Generator) -> tuple[float, int]:
    """One way in which a program can go: the duels, each test at its mean, and the answer."""
    running = program()
    duels = 0.0
    try:
        chance = next(running)
        while True:
            duels += chance.duels
            at = rng.choice(len(chance.outcomes), p=[share for share, _ in chance.outcomes])
            chance = running.send(chance.outcomes[at][1])
    except StopIteration as end:
        return duels, end.value


def any_order(arms: Sequence[int]) -> Chance:
    """All orders, equally likely."""
    orders = list(permutations(arms))
    return Chance([(1 / len(orders), order) for order in orders])


@cache
def made_by(verdict: Callable[..., int], *parameters: float) -> Test:
    """The test of a comparator with these parameters."""

    @cache
    def chance(p: float) -> Chance:
        first_wins, duels = law(partial(verdict, *parameters), p)
        return Chance([(first_wins, True), (1.0 - first_wins, False)], duels)

    return chance


def fixed(most: int) -> Test:
    return made_by(majority.verdict, most, most)


def until_ahead(h: float, error: float) -> Test:
    return made_by(sprt.verdict, sprt.lead_needed(h, error))


def better(epsilon: float, delta: float) -> Test:
    return made_by(interval.verdict, *interval.better_up_to(epsilon, delta))


def between(low: float, high: float, delta: float) -> Test:
    return made_by(interval.verdict, *interval.between(low, high, delta))


def a_round(P, arms, n_matches: int, test: Test) -> Generator[Chance, Any, list[int]]:
    """The arms that go on."""
    winners = []
    for m in range(n_matches):
        i, j = arms[2 * m], arms[2 * m + 1]
        winners.append(i if (yield test(P[i, j])) else j)
    return [*winners, *arms[2 * n_matches :]]


def select(P, most: int) -> Program:
    arms = yield any_order(range(len(P)))
    while len(arms) > 1:
        arms = yield from a_round(P, arms, len(arms) // 2, fixed(most))
    return arms[0]


def select_then_verify(P, most: int, test: Test) -> Program:
    order = yield any_order(range(len(P)))
    arms = order
    while len(arms) > 1:
        arms = yield from a_round(P, arms, len(arms) // 2, fixed(most))
    for j in order:
        if j != arms[0] and not (yield test(P[arms[0], j])):
            return NO_WINNER
    return arms[0]


def nts(P, test: Test) -> Program:
    """The knock-out written as a set of edges, as in the paper."""
    order = yield any_order(range(len(P)))
    edges = set()
    arms = list(order)
    n_matches = {2: 1, 3: 1, 4: 2, 5: 1}[len(P)]
    while len(arms) > 1:
        for m in range(n_matches):
            i, j = arms[2 * m : 2 * m + 2]
            edges.add((i, j) if (yield test(P[i, j])) else (j, i))
        losers = {j for _, j in edges}
        arms = [arm for arm in arms[: 2 * n_matches] if arm not in losers] + arms[2 * n_matches :]
        n_matches = len(arms) // 2
    (c,) = arms
    for j in order:
        if j != c and (c, j) not in edges:
            edges.add((c, j) if (yield test(P[c, j])) else (j, c))
            if {loser for _, loser in edges} == set(order):
                return NO_WINNER
    return c


def knockout(P, epsilon: float, delta: float) -> Program:
    arms, i = range(len(P)), 1
    while len(arms) > 1:
        arms = yield any_order(arms)
        test = better((2 ** (1 / 3) - 1) * epsilon / 2 ** (i / 3), delta / 2**i)
        arms = yield from a_round(P, arms, len(arms) // 2, test)
        i += 1
    return arms[0]


def seq_eliminate(P, arms, epsilon: float, delta: float) -> Program:
    order = yield any_order(arms)
    r = order[0]
    for c in order[1:]:
        if (yield between(0.0, epsilon, delta / len(order))(P[c, r])):
            r = c
    return r


def opt_maximize(P, epsilon: float, delta: float) -> Program:
    """For fewer than 123 arms, of which none are dropped, and all of which are tried for the anchor."""
    K = len(P)
    a = yield from seq_eliminate(P, range(K), epsilon / 3, delta / 8)
    for e in (yield any_order([e for e in range(K) if e != a])):
        if (yield between(2 * epsilon / 3, epsilon, delta / (4 * K))(P[e, a])):
            return (yield from seq_eliminate(P, range(K), epsilon, delta / 4))
    return a
