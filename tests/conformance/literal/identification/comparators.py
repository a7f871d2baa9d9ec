"""Tests of one pair: each is made with its parameters and is a verdict on n duels, of which the first arm has won some.

``verdict(n, wins)`` is FIRST, SECOND or MIDDLE, and OPEN while the test goes on.
"""

import math

from .evidence import log_evidence

FIRST, SECOND, OPEN = 1, -1, 0
MIDDLE = 2


def side(first):
    return FIRST if first else SECOND


def majority(N):
    return lambda n, wins: side(2 * wins >= N) if n == N else OPEN


def curtailed_majority(N):
    """The same winner, told as soon as an arm has more than half of all N."""

    def verdict(n, wins):
        if 2 * wins > N or 2 * (n - wins) > N or n == N:
            return side(2 * wins >= N)
        return OPEN

    return verdict


def sprt(h, g):
    x = math.log((1 - g) / g) / math.log((0.5 + h) / (0.5 - h))
    return lambda n, wins: side(2 * wins > n) if abs(2 * wins - n) > x else OPEN


def anytime_radius(n, dl):
    return math.sqrt(math.log(4 * n**2 / dl) / (2 * n))


def cmp1(e, dl):
    most = math.log(2 / dl) / (2 * e**2)

    def verdict(n, wins):
        if n == 0:
            return OPEN
        q = wins / n
        return side(q > 0.5) if abs(q - 0.5) > anytime_radius(n, dl) - e or n > most else OPEN

    return verdict


def cmp2(lo, hi, dl):
    mid = (lo + hi) / 2
    most = math.ceil(2 * math.log(2 / dl) / (hi - lo) ** 2)

    def verdict(n, wins):
        if n == 0:
            return OPEN
        q = wins / n
        return side(q - 0.5 > mid) if abs(q - 0.5 - mid) > anytime_radius(n, dl) or n == most else OPEN

    return verdict


def ppr(x):
    """The density of Beta(W + 1, L + 1) at 1/2."""

    def verdict(n, wins):
        log_ways = math.lgamma(n + 1) - math.lgamma(wins + 1) - math.lgamma(n - wins + 1)
        log_density = math.log(n + 1) + log_ways - n * math.log(2)
        return side(2 * wins > n) if log_density <= math.log(x) else OPEN

    return verdict


def pi_radius(n, y):
    return math.sqrt(math.log(math.pi**2 * n**2 / (3 * y)) / (2 * n))


def place(e, su, sd, dl):
    most = math.ceil(2 * math.log(4 / dl) / e**2)

    def verdict(n, wins):
        if n == 0:
            return OPEN
        q, b = wins / n, pi_radius(n, dl)
        if q - b > 0.5 + su:
            return FIRST
        if q + b < 0.5 - sd:
            return SECOND
        if n < most:
            return OPEN
        if q > 0.5 + e / 2 + su:
            return FIRST
        if q < 0.5 - e / 2 - sd:
            return SECOND
        return MIDDLE

    return verdict


def stage(g, s):
    """Length T of stage ``s`` (1-based) of `doubling`, in duels, and the deviation of 2 W / T from 1 that ends it."""
    h = 2.0 ** (-s - 1)
    g_s = 6 * g / (math.pi * s) ** 2
    return math.ceil(8 * math.log(4 / g_s) / h**2), h


def doubling_stage(g, s):
    """The verdict at the end of stage ``s``, where MIDDLE asks for the next one, with fresh duels."""
    T, h = stage(g, s)

    def verdict(n, wins):
        if n < T:
            return OPEN
        return side(2 * wins > T) if abs(2 * wins / T - 1) > h else MIDDLE

    return verdict


def kt(x):
    def verdict(n, wins):
        evidence = log_evidence(min(wins, n - wins), max(wins, n - wins))  # the loser's, which is the larger one
        return side(2 * wins > n) if evidence >= math.log(1 / x) else OPEN

    return verdict


def insertion(e, y, coin):
    """The comparison of IIR; ``coin()`` says whether the first arm wins where both have won as often at the end."""
    most = math.ceil(math.log(2 / y) / (2 * e**2))

    def verdict(n, wins):
        if n == 0:
            return OPEN
        q = wins / n
        if abs(q - 0.5) <= pi_radius(n, y) and n < most:
            return OPEN
        return side(coin() if q == 0.5 else q > 0.5)

    return verdict


def fewest(verdict, n, wins):
    """Fewest further duels after which ``verdict`` could speak, whatever they show: one by one, all mixes of them."""
    m = 0
    while all(verdict(n + m, wins + won) == OPEN for won in range(m + 1)):
        m += 1
    return m
