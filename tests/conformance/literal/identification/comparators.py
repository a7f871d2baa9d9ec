"""Tests of one pair: each is made with its parameters, and looks at n duels, of which the first arm has won some.

It returns FIRST, SECOND or MIDDLE, and OPEN while the test goes on.
"""

import functools
import math

from .evidence import log_evidence

FIRST, SECOND, OPEN = 1, -1, 0
MIDDLE = 2


def of_pair(outcome):
    """Make of ``outcome(n, wins, *parameters)`` what is called with the parameters and returns a test of n and wins."""

    @functools.wraps(outcome)
    def made(*parameters):
        return lambda n, wins: outcome(n, wins, *parameters) if n > 0 else OPEN

    return made


def side(first):
    return FIRST if first else SECOND


@of_pair
def majority(n, wins, N):
    return side(2 * wins >= N) if n == N else OPEN


@of_pair
def curtailed_majority(n, wins, N):
    """The same winner, as soon as an arm has more than half of all N."""
    return side(2 * wins >= N) if 2 * wins > N or 2 * (n - wins) > N or n == N else OPEN


@of_pair
def sprt(n, wins, h, g):
    x = math.log((1 - g) / g) / math.log((0.5 + h) / (0.5 - h))
    return side(2 * wins > n) if abs(2 * wins - n) > x else OPEN


def anytime_radius(n, dl):
    return math.sqrt(math.log(4 * n**2 / dl) / (2 * n))


@of_pair
def cmp1(n, wins, e, dl):
    q = wins / n
    is_over = abs(q - 0.5) > anytime_radius(n, dl) - e or n > math.log(2 / dl) / (2 * e**2)
    return side(q > 0.5) if is_over else OPEN


@of_pair
def cmp2(n, wins, lo, hi, dl):
    q, mid = wins / n, (lo + hi) / 2
    is_over = abs(q - 0.5 - mid) > anytime_radius(n, dl) or n == math.ceil(2 * math.log(2 / dl) / (hi - lo) ** 2)
    return side(q - 0.5 > mid) if is_over else OPEN


@of_pair
def ppr(n, wins, x):
    """The density of Beta(W + 1, L + 1) at 1/2."""
    log_ways = math.lgamma(n + 1) - math.lgamma(wins + 1) - math.lgamma(n - wins + 1)
    log_density = math.log(n + 1) + log_ways - n * math.log(2)
    return side(2 * wins > n) if log_density <= math.log(x) else OPEN


def pi_radius(n, y):
    return math.sqrt(math.log(math.pi**2 * n**2 / (3 * y)) / (2 * n))


@of_pair
def place(n, wins, e, su, sd, dl):
    q, b = wins / n, pi_radius(n, dl)
    if q - b > 0.5 + su:
        return FIRST
    if q + b < 0.5 - sd:
        return SECOND
    if n < math.ceil(2 * math.log(4 / dl) / e**2):
        return OPEN
    if q > 0.5 + e / 2 + su:
        return FIRST
    return SECOND if q < 0.5 - e / 2 - sd else MIDDLE


def stage(g, s):
    """Length T of stage ``s`` (1-based) of `doubling`, in duels, and the deviation of 2 W / T from 1 that ends it."""
    h = 2.0 ** (-s - 1)
    g_s = 6 * g / (math.pi * s) ** 2
    return math.ceil(8 * math.log(4 / g_s) / h**2), h


@of_pair
def doubling_stage(n, wins, g, s):
    """At the end of stage ``s``, where MIDDLE asks for the next one, with fresh duels."""
    T, h = stage(g, s)
    if n < T:
        return OPEN
    return side(2 * wins > T) if abs(2 * wins / T - 1) > h else MIDDLE


@of_pair
def kt(n, wins, x):
    evidence = log_evidence(min(wins, n - wins), max(wins, n - wins))  # the loser's, which is the larger one
    return side(2 * wins > n) if evidence >= math.log(1 / x) else OPEN


@of_pair
def insertion(n, wins, e, y, coin):
    """The comparison of IIR; ``coin()`` says whether the first arm wins where both have won as often at the end."""
    q = wins / n
    if abs(q - 0.5) <= pi_radius(n, y) and n < math.ceil(math.log(2 / y) / (2 * e**2)):
        return OPEN
    return side(coin() if q == 0.5 else q > 0.5)


def fewest(test, n, wins):
    """Fewest further duels after which ``test`` could end, whatever they show: one by one, all mixes of them."""
    m = 0
    while all(test(n + m, wins + won) == OPEN for won in range(m + 1)):
        m += 1
    return m
