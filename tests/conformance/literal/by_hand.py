"""What the cases worked out by hand share: matrices, and a generator that gives the answers it is told."""

import numpy as np

from . import play
from .matrices import circle, total_order

TWO_ARMS, TOTAL_ORDER, CIRCLE = total_order(2, 1.0), total_order(3, 1.0), circle(3, 1.0)
SURE_CIRCLE = {(0, 1): 99, (1, 2): 99, (2, 0): 99}


class Script:
    """Generator that gives the answers it is told, and fails on any draw that is not the next one expected.

    An answer is ("random", value), ("integers", n, value) for a draw from 0..n-1, ("permutation", n, order), or
    ("beta", a, b, value).
    """

    def __init__(self, *answers):
        self.answers = list(answers)

    def random(self):
        kind, value = self.answers.pop(0)
        assert kind == "random"
        return value

    def integers(self, low, high):
        kind, n, value = self.answers.pop(0)
        assert (kind, low, high) == ("integers", 0, n)
        return value

    def permutation(self, n):
        kind, expected, order = self.answers.pop(0)
        assert (kind, n) == ("permutation", expected)
        return np.array(order)

    def beta(self, a, b):
        kind, *parameters, value = self.answers.pop(0)
        assert (kind, *parameters) == ("beta", a, b)
        return value


def make(oracle_class, n_arms, *answers, wins=None, horizon=100, **parameters):
    """Oracle that draws ``answers`` first, with ``wins`` {(i, j): count} behind it."""
    oracle = oracle_class(n_arms, horizon, Script(*answers), **parameters)
    for pair, count in (wins or {}).items():
        oracle.W[pair] = count
    return oracle


def choice(oracle, t):
    """Pair of round ``t``, once all the answers are used up."""
    pair = oracle.choose(t)
    assert oracle.rng.answers == []
    return pair


def in_order(*order):
    return "permutation", len(order), list(order)


def duels(oracle, P, horizon):
    """The pairs of ``play`` where arms always or never win, once all the answers are used up."""
    pairs = play(oracle, P, horizon, np.random.default_rng(0))
    assert oracle.rng.answers == []
    return pairs
