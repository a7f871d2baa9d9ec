"""The baselines on scalar bandits: literal transcriptions, the paper's elimination times."""

import math

import numpy as np
import pytest

import duelbench
from duelbench.errors import InputError
from duelbench.simulation.streams import streams

FIGURE_2 = np.array([0.95, 0.9, 0.9, 0.9, 0.55, *[0.5] * 5, *[0.0] * 90])


def ranking(x):
    return sorted(range(len(x)), key=lambda i: (-x[i], i))


class Literal:
    """Counts; f and U of the rigged bandit with m rigged arms."""

    def __init__(self, n, m):
        self.n, self.m = n, m
        self.t, self.ones = [0] * n, [0] * n

    def means(self):
        return [a / b if b else 0.5 for a, b in zip(self.ones, self.t, strict=True)]

    def f(self):
        return ranking(self.means())[self.m]

    def values(self, wrapped):
        x = self.means()
        return [0.0 if wrapped and i in ranking(x)[: self.m] else x[i] for i in range(self.n)]


def uniform(s):
    while True:
        yield from range(s.n)


def ucb(s, wrapped):
    yield from range(s.n)
    while True:
        total = sum(s.t)
        v = s.values(wrapped)
        index = [v[i] + math.sqrt(2 * math.log(total)) * (1 / math.sqrt(s.t[i])) for i in range(s.n)]
        yield index.index(max(index))


def elimination(s, wrapped, delta, c=4):
    S = list(range(s.n))
    for sweep in range(1, 10**9):
        yield from S
        alpha = math.sqrt(math.log(c * s.n * sweep**2 / delta) / sweep)
        v = s.values(wrapped)
        S = [i for i in S if max(v[k] for k in S) - v[i] < 2 * alpha]
        if len(S) == 1:
            return


CASES = {
    "round-robin": uniform,
    "ucb1": lambda s: ucb(s, wrapped=False),
    "ucb1-wrapped": lambda s: ucb(s, wrapped=True),
    "elimination": lambda s: elimination(s, wrapped=False, delta=1 / 1200),
    "elimination-wrapped": lambda s: elimination(s, wrapped=True, delta=1 / 1200),
}


@pytest.mark.parametrize("m", [0, 2])
@pytest.mark.parametrize("id", CASES)
def test_samples_and_announces_what_the_literal_transcription_does(id, m):
    ended = 0
    for run in range(8):
        means = np.random.default_rng(run).choice([0.02, 0.3, 0.5, 0.98], size=5)
        horizon = 1200
        bandit = duelbench.scalar_bandit(means, "rigged", m=m)
        trace = duelbench.simulate(id, bandit, horizon=horizon, run=run, checkpoints=range(1, horizon))
        literal = Literal(5, m)
        rng = streams(0, run).duels
        announced = []
        for i in CASES[id](literal):
            literal.t[i] += 1
            literal.ones[i] += int(rng.random() < means[i])
            announced.append(literal.f())
            if len(announced) == horizon:
                break
        n = len(announced)
        assert trace.recommended[:n].tolist() == announced
        played = trace.duels[:, 0].copy()
        if n < horizon:
            ended += 1
            assert trace.finished == n + 1 and set(trace.recommended[n:]) == {announced[-1]}
            played[announced[-1]] -= horizon - n
        assert played.tolist() == literal.t
    assert ended > 0 or not id.startswith("elimination") or (m == 2 and id == "elimination-wrapped")


@pytest.mark.parametrize(
    ("id", "decision", "expected"),
    [
        ("elimination", "argmax", {16229: 10.0, 25305: 4.013, 235527: 4.013, 411000: 1.005}),
        ("elimination", "rigged", {16152: 10.19, 25237: 4.02, 235037: 4.007, 411000: 1.005}),
        ("elimination-wrapped", "rigged", {25237: 99.77, 61614: 6.091, 235037: 6.012, 901094: 1.005}),
    ],
)
def test_arms_leave_when_they_do_in_figures_3_and_8(id, decision, expected):
    at = sorted(expected)
    bandit = duelbench.scalar_bandit(FIGURE_2, decision)
    left = np.array(
        [
            duelbench.simulate(id, bandit, horizon=2 * 10**6, run=run, checkpoints=at, shuffle_arms=True).explored
            for run in range(60)
        ]
    )
    for k, t in enumerate(at):
        # One run in a few hundred keeps all arms for long, in the figure: 60 runs need not show one.
        error = max(1.0, left[:, k].std(ddof=1)) * math.sqrt(1 / 60 + 1 / 1000)
        assert abs(left[:, k].mean() - expected[t]) < 4 * error + 0.006 * expected[t]


def test_an_arm_has_no_worth_where_the_decision_is_a_number():
    for id in ("ucb1-wrapped", "elimination-wrapped"):
        with pytest.raises(InputError, match="counting is no arm"):
            duelbench.simulate(id, duelbench.scalar_bandit([0.5], "counting"), horizon=10)
    for id in ("ucb1", "elimination", "round-robin"):
        trace = duelbench.simulate(id, duelbench.scalar_bandit([0.5, 0.0], "counting"), horizon=1000)
        assert trace.duels.sum() == 1000


@pytest.mark.parametrize("id", CASES)
@pytest.mark.parametrize("delay", [1, 11])
def test_every_baseline_plays_round_by_round_the_same(id, delay):
    bandit = duelbench.scalar_bandit([0.95, 0.1, 0.5, 0.4], "rigged", m=1)
    options = {"horizon": 2000, "shuffle_arms": True, "feedback_delay": delay, "checkpoints": 30}
    on = duelbench.simulate(id, bandit, **options)
    off = duelbench.simulate(id, bandit, standing_decisions=False, **options)
    assert np.array_equal(on.duels, off.duels) and np.array_equal(on.regret, off.regret)
    assert np.array_equal(on.explored, off.explored) and on.duels.sum() == 2000
