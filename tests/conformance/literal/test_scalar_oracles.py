"""Transcriptions for scalar bandits, and the questions they ask, against cases worked out by hand."""

import itertools
import math

import numpy as np
import pytest

from . import sample
from .generic_savage import GenericSAVAGE, SampledIndependence
from .questions import Argmax, CopelandWinner, Counting, Majority, Rigged
from .savage_sampling import SamplingSAVAGE
from .scalar_baselines import UCB1, Elimination, RoundRobin

FIGURE_2 = [0.95, 0.9, 0.9, 0.9, 0.55, *[0.5] * 5, *[0.0] * 90]
SURE = [1.0, 0.0, 0.0, 1.0, 0.0]


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
        for _ in range(40):
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
        assert informative > 20 and certain > 3


def cost(question, x, d):
    """What d is short of f(x), from the definition of each question."""
    if isinstance(question, Argmax):
        return max(x) - x[d]
    if isinstance(question, Rigged):
        worth = question.worth(x)
        return worth[question.f(x)] - worth[d]
    return abs(question.f(x) - d)


class TestGenericSAVAGE:
    def test_radius_has_its_published_value(self):
        assert GenericSAVAGE(Argmax(), 10, 10**4, None, delta=0.1).radius(1) == pytest.approx(2.6934, abs=5e-5)
        anytime = GenericSAVAGE(Argmax(), 10, 10**4, None, delta=0.1, eta="anytime")
        assert anytime.radius(3) == pytest.approx(math.sqrt(math.log(300 * math.pi**2) / 6))

    @pytest.mark.parametrize(("question", "answer"), [(Argmax(), 0), (Rigged(1), 3), (Counting(0.4, 2.0), 2)])
    def test_sure_outcomes_are_told_apart_when_the_radius_is_below_one_half(self, question, answer):
        oracle = GenericSAVAGE(question, 5, 10**4, None, delta=0.1)
        means = SURE if not isinstance(question, Argmax) else [1.0, 0.0, 0.0, 0.0, 0.0]
        rounds = sample(oracle, means, 10**4, np.random.default_rng(0))
        needed = math.floor(2 * math.log(2 * 5 * 10**4 / 0.1)) + 1
        assert oracle.finals is None if isinstance(question, Rigged) else oracle.finals == [answer]
        if isinstance(question, Argmax):
            assert oracle.t == [needed] * 5 and len(rounds) == 5 * needed

    def test_an_empty_interval_becomes_the_point_nearest_to_the_mean(self):
        oracle = GenericSAVAGE(Argmax(), 2, 10, None, delta=0.99)
        oracle.a[0], oracle.b[0], oracle.t[0] = 0.8, 0.9, 10**6
        oracle.narrow(0)
        assert (oracle.a[0], oracle.b[0]) == (0.8, 0.8)

    def test_tests_after_sweeps(self):
        oracle = GenericSAVAGE(Argmax(), 2, 10**3, None, test_every=3)
        sample(oracle, [1.0, 0.0], 5, np.random.default_rng(0))
        assert not oracle.is_time_to_test()
        oracle.observe(6, 1, False)
        assert oracle.is_time_to_test()


class TestSampledIndependence:
    def test_what_f_does_not_read_is_never_seen_and_what_it_reads_is(self):
        sampled = SampledIndependence(lambda x: x[1] > 0.5, np.random.default_rng(0), 50, 10)
        assert sampled.seen([0, 1, 2], [0.0] * 3, [1.0] * 3) == [1]
        assert sampled.seen([0, 2], [0.0] * 3, [1.0] * 3) == []
        assert sampled.seen([0, 1, 2], [0.0, 0.6, 0.0], [1.0, 0.7, 1.0]) == []

    def test_each_move_is_compared_with_the_point_before(self):
        # x = (0.2, 0.8); x_0 moves to 0.9: f changes. x_1 moves to 0.1: the first is ahead as before.
        answers = Answers(0.2, 0.8, 0.0, 0.9, 0.1)
        assert SampledIndependence(lambda x: x[0] > x[1], answers, 1, 2).seen([0, 1], [0.0] * 2, [1.0] * 2) == [0]
        assert answers.numbers == []

    def test_a_parameter_that_cannot_move_is_kept(self):
        answers = Answers(0.2, *[0.9] * 4)
        sampled = SampledIndependence(lambda x: 0, answers, 4, 4, feasible=lambda x: x[0] < 0.5)
        assert sampled.seen([0], [0.0], [1.0]) == [0] and answers.numbers == []

    def test_the_set_of_borda(self):
        oracle = SamplingSAVAGE(3, 100, None)
        assert oracle.someone_is_above_average([0.9, 0.5, 0.5]) and not oracle.someone_is_above_average([0.5] * 3)
        assert oracle.winner.f([0.4, 0.6, 0.9]) == 1 and CopelandWinner(3).scores([0.4, 0.6, 0.9]) == [1, 2, 0]


class TestBaselines:
    def test_round_robin_takes_turns(self):
        rounds = sample(RoundRobin(Argmax(), 3, 7, None), [0.5] * 3, 7, np.random.default_rng(0))
        assert [r.arm for r in rounds] == [0, 1, 2, 0, 1, 2, 0]

    def test_ucb_by_hand(self):
        oracle = UCB1(Argmax(), 2, 10, None)
        for t, one in ((1, True), (2, False)):
            assert oracle.choose(t) == t - 1
            oracle.observe(t, t - 1, one)
        chosen = []
        for t in range(3, 9):  # 1 + sqrt(2 ln(t - 1) / n_0) against sqrt(2 ln(t - 1) / 1)
            i = oracle.choose(t)
            chosen.append(i)
            oracle.observe(t, i, i == 0)
        expected = []
        n = [1, 1]
        for t in range(2, 8):
            i = 0 if 1 + math.sqrt(2 * math.log(t) / n[0]) >= math.sqrt(2 * math.log(t) / n[1]) else 1
            n[i] += 1
            expected.append(i)
        assert chosen == expected and 1 in expected

    def test_the_zero_arms_leave_after_135_sweeps(self):
        """ALGORITHMS of the paper's Figures 3 and 8: 13.5k samples with 100 arms, T = 2 10^6, delta = 1 / T."""
        oracle = Elimination(Argmax(), 2, 2 * 10**6, None, const=4 * 100 / 2)
        rounds = sample(oracle, [0.95, 0.0], 10**4, np.random.default_rng(2))
        assert len(rounds) / 2 == pytest.approx(135, rel=0.1) and oracle.S == [0]

    def test_a_wrapped_elimination_drops_what_is_worth_nothing(self):
        oracle = Elimination(Rigged(1), 3, 10**5, None, wrapped=True)
        sample(oracle, [1.0, 0.9, 0.0], 10**5, np.random.default_rng(0))
        assert oracle.S == [1]
