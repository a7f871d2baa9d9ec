"""Questions of scalar bandits and sampled independence, by all points of a grid and cases worked out by hand."""

import itertools

import numpy as np
import pytest

from .generic_savage import SampledIndependence
from .questions import Argmax, Counting, Majority, Rigged

FIGURE_2 = [0.95, 0.9, 0.9, 0.9, 0.55, *[0.5] * 5, *[0.0] * 90]


class Answers:
    """A generator whose numbers are given."""

    def __init__(self, *numbers):
        self.numbers = list(numbers)

    def random(self):
        return self.numbers.pop(0)

    def integers(self, low, high):
        return low + int(self.numbers.pop(0) * (high - low))


class TestQuestions:
    def test_f_of_figure_2(self):
        assert (Argmax().f(FIGURE_2), Rigged(4).f(FIGURE_2), Counting().f(FIGURE_2)) == (0, 4, 6)
        assert Rigged(2).worth([0.1, 0.9, 0.3, 0.9]) == [0.1, 0.0, 0.3, 0.0]
        assert Rigged(1).f([0.5, 0.5, 0.5]) == 1, "equal means rank by index"
        assert Majority().f([0.6, 0.5, 0.7]) == 1 and Majority().f([0.6, 0.5, 0.7, 0.0]) == 0

    def test_the_worst_that_a_decision_can_cost(self):
        a, b = [0.5, 0.0, 0.2, 0.1], [0.9, 0.4, 0.6, 0.3]
        assert Argmax().costs(a, b) == pytest.approx([0.1, 0.9, 0.7, 0.8])
        # m = 1. 0 may be the best: then the second may be worth 0.6. 1 may be the third: 0.6 - 0.0. 2 may be the best,
        # not below 0: then 0 is the second, 0.6 at most. 3 is at least the third: 0.6 - 0.1.
        assert Rigged(1).costs(a, b) == pytest.approx([0.6, 0.6, 0.6, 0.5])
        assert Counting(0.45, 0.95).costs(a, b) == [2, 1, 1, 2, 3]
        assert Majority().costs(a, b) == [0.0, 1.0]

    @pytest.mark.parametrize("question", [Argmax(), Rigged(0), Rigged(1), Rigged(2), Counting(), Majority()])
    def test_costs_and_independence_by_trying_all_points(self, question):
        rng = np.random.default_rng(5)
        informative = certain = 0
        for _ in range(20):
            ends = np.sort(rng.choice(20, (3, 2), replace=False) / 20 + 0.013, axis=1)
            a, b = ends[:, 0].tolist(), ends[:, 1].tolist()
            marks = sorted({m + e for m in (*a, *b, 0.4, 0.5, 0.6) for e in (-1e-9, 0, 1e-9)})
            axes = [[m for m in marks if low <= m <= high] for low, high in zip(a, b, strict=True)]
            f = {x: question.f(x) for x in itertools.product(*axes)}
            for i in range(3):
                rest = {}
                for x, d in f.items():
                    rest.setdefault(x[:i] + x[i + 1 :], set()).add(d)
                is_independent = all(len(ds) == 1 for ds in rest.values())
                surely_there = isinstance(question, Rigged) and len(set(f.values())) == 1
                assert question.independent(a, b, i) == is_independent or surely_there
                informative += is_independent
            if isinstance(question, Majority):
                highest = [max(float(d != f_x) for f_x in f.values()) for d in (0, 1)]
            else:
                highest = [max(cost(question, x, d) for x in f) for d in range(len(question.costs(a, b)))]
            assert question.costs(a, b) == pytest.approx(highest, abs=1e-8)
            certain += min(highest) < 1e-8
        assert informative > 10 and certain > 0


def cost(question, x, d):
    """What d is short of f(x), from the definition of each question."""
    if isinstance(question, Argmax):
        return max(x) - x[d]
    if isinstance(question, Rigged):
        worth = question.worth(x)
        return worth[question.f(x)] - worth[d]
    return abs(question.f(x) - d)


class TestSampledIndependence:
    def test_each_move_is_compared_with_the_point_before(self):
        # x = (0.2, 0.8); x_0 moves to 0.9: f changes. x_1 moves to 0.1: the first is ahead as before.
        answers = Answers(0.2, 0.8, 0.0, 0.9, 0.1)
        assert SampledIndependence(lambda x: x[0] > x[1], answers, 1, 2).seen([0, 1], [0.0] * 2, [1.0] * 2) == [0]
        assert answers.numbers == []

    def test_a_parameter_that_cannot_move_is_kept(self):
        answers = Answers(0.2, *[0.9] * 4)
        sampled = SampledIndependence(lambda x: 0, answers, 4, 4, feasible=lambda x: x[0] < 0.5)
        assert sampled.seen([0], [0.0], [1.0]) == [0] and answers.numbers == []
