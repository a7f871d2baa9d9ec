"""SAVAGE for any decision on scalar bandits: an oracle, plain Python, PAC correctness, counts, the paper's figures."""

import csv
import dataclasses
import math

import numpy as np
import pytest
from scipy import stats

import duelbench
from duelbench.algorithms import registry
from duelbench.algorithms.contract import NEVER
from duelbench.algorithms.exploration import scalar_decisions
from duelbench.errors import InputError
from duelbench.problem.decision_rule import Decision, Hooks
from tests.optional_data import optional

FIGURE_2 = np.array([0.95, 0.9, 0.9, 0.9, 0.55, *[0.5] * 5, *[0.0] * 90])


class LiteralSavage:
    """Algorithm 1 with the predicates of section 3.1, over all of W after every sample or every so many sweeps."""

    def __init__(self, n, horizon, f, independent, delta, test_every):
        self.n, self.f, self.independent, self.test_every = n, f, independent, test_every
        self.log = math.log(2 * n * horizon / delta)
        self.W = list(range(n))
        self.t = [0] * n
        self.ones = [0] * n
        self.a, self.b = [0.0] * n, [1.0] * n

    def mean(self, i):
        return self.ones[i] / self.t[i] if self.t[i] else 0.5

    def explore(self, sample):
        """Samples until W is empty, as (parameter, f(mu^) afterwards, size of W before the sample)."""
        while self.W:
            for _ in range(self.test_every * len(self.W) or 1):
                i = min(self.W, key=lambda k: self.t[k])
                size = len(self.W)
                self.t[i] += 1
                self.ones[i] += sample(i)
                c = math.sqrt(self.log / (2 * self.t[i]))
                low, high = max(self.a[i], self.mean(i) - c), min(self.b[i], self.mean(i) + c)
                if low > high:
                    low = high = min(max(self.mean(i), self.a[i]), self.b[i])
                self.a[i], self.b[i] = low, high
                yield i, self.f([self.mean(k) for k in range(self.n)]), size
            self.W = [i for i in self.W if not self.independent(self, i)]


def argmax(x):
    return x.index(max(x))


def second(x):
    return sorted(range(len(x)), key=lambda i: (-x[i], i))[1]


def count(x):
    return sum(0.4 < p < 0.6 for p in x)


def argmax_independent(s, i):
    others = [k for k in range(s.n) if k != i]
    return any(s.b[i] <= s.a[j] for j in others) or all(s.b[k] <= s.a[i] for k in others)


def second_independent(s, i):
    others = [k for k in range(s.n) if k != i]
    above = sum(s.b[i] <= s.a[j] for j in others)
    below = sum(s.b[k] <= s.a[i] for k in others)
    return above >= 2 or below >= s.n - 1


def count_independent(s, i):
    return s.b[i] <= 0.4 or s.a[i] >= 0.6 or (s.a[i] > 0.4 and s.b[i] < 0.6)


CASES = {
    "argmax": ({}, argmax, argmax_independent),
    "rigged": ({"m": 1}, second, second_independent),
    "counting": ({}, count, count_independent),
}


@pytest.mark.parametrize("test_every", [0, 1, 7])
@pytest.mark.parametrize("name", CASES)
def test_samples_what_the_literal_transcription_samples(name, test_every):
    parameters, f, independent = CASES[name]
    ended = 0
    for run in range(12):
        rng = np.random.default_rng(run)
        means = rng.choice([0.05, 0.3, 0.5, 0.55, 0.7, 0.95], size=int(rng.integers(3, 7)))
        bandit = duelbench.scalar_bandit(means, name, **parameters)
        horizon = 1500
        trace = duelbench.simulate(
            "savage",
            bandit,
            horizon=horizon,
            run=run,
            checkpoints=range(1, horizon),
            delta=0.9,
            test_every=test_every,
            accept="empty",
        )
        duel_rng = duelbench.simulation.streams.streams(0, run).duels
        literal = LiteralSavage(len(means), horizon, f, independent, 0.9, test_every)

        def sample(i, means=means, duel_rng=duel_rng):
            return int(duel_rng.random() < means[i])

        sampled = [0] * len(means)
        announced, sizes = [], []
        for i, d, size in literal.explore(sample):
            sampled[i] += 1
            announced.append(d)
            sizes.append(size)
            if len(announced) == horizon:
                break
        n = len(announced)
        assert trace.recommended[:n].tolist() == announced
        # A checkpoint sees W after the tests before its own round.
        assert trace.explored[: n - 1].tolist() == sizes[: n - 1]
        if n < horizon:
            ended += 1
            assert trace.finished == n + 1
            assert trace.duels.sum() - horizon == 0 and trace.explored[-1] == 0
        played = trace.duels[:, 0].copy()
        losses = bandit.losses
        assert trace.regret[0, n - 1] == pytest.approx(sum(losses[d] for d in announced))
        if bandit.decision.names_parameter and n < horizon:
            played[trace.recommended[-1]] -= horizon - n
        if bandit.decision.names_parameter:
            assert played.tolist() == sampled
    assert ended >= 2 or name == "rigged"


def plain_argmax(decision, values):
    return max(range(len(values)), key=lambda i: (values[i], -i))


def plain_independent(decision, low, high, e):
    others = [k for k in range(len(low)) if k != e]
    return any(high[e] <= low[j] for j in others) or all(high[k] <= low[e] for k in others)


PLAIN = Decision("plain", "the best, in plain Python", plain_argmax, lambda means: means.max() - means)


def test_a_decision_in_plain_python_is_explored_like_a_compiled_one():
    means = [0.9, 0.2, 0.4, 0.1]
    own = dataclasses.replace(PLAIN, independent=plain_independent)
    theirs = dataclasses.replace(scalar_decisions.ARGMAX, bound=None, hooks=Hooks())
    assert not own.compiled and theirs.compiled
    for test_every in (0, 5):
        options = {"horizon": 1500, "delta": 0.5, "test_every": test_every, "accept": "empty", "shuffle_arms": True}
        a = duelbench.simulate("savage", duelbench.scalar_bandit(means, own), **options)
        b = duelbench.simulate("savage", duelbench.scalar_bandit(means, scalar_decisions.ARGMAX), **options)
        assert np.array_equal(a.duels, b.duels) and np.array_equal(a.recommended, b.recommended)
        assert np.array_equal(a.explored, b.explored) and a.finished == b.finished > 0
        assert np.array_equal(a.regret, b.regret)


def test_hooks_may_still_be_given_one_by_one_with_a_warning():
    def losses(means):
        return means.max() - means

    with pytest.warns(DeprecationWarning, match=r"is now Decision\(hooks=Hooks\(worth=...\)\)"):
        former = Decision("plain", "the best, in plain Python", plain_argmax, losses, worth=plain_independent)
    assert former == Decision("plain", "the best, in plain Python", plain_argmax, losses, state=former.state,
        start=former.start, hooks=Hooks(worth=plain_independent))  # fmt: skip
    assert former.rules == {"decide": plain_argmax, "worth": plain_independent}


def test_sampled_independence_needs_the_decision_alone():
    means = [0.95, 0.1, 0.2, 0.1]
    own = duelbench.scalar_bandit(means, PLAIN)
    options = {"horizon": 900, "delta": 0.5, "test_every": 5, "simulations": 20, "moves": 5}
    a = duelbench.simulate("savage-sampling", own, **options)
    b = duelbench.simulate("savage-sampling", duelbench.scalar_bandit(means), **options)
    assert a.finished == b.finished > 0
    assert np.array_equal(a.duels, b.duels) and np.array_equal(a.recommended, b.recommended)


def test_without_test_or_bound_savage_never_ends():
    trace = duelbench.simulate("savage", duelbench.scalar_bandit([1.0, 0.0], PLAIN), horizon=400)
    assert trace.finished == 0 and trace.duels[:, 0].tolist() == [200, 200]


class TestSampleCounts:
    """Certain outcomes: a mean of 0 or 1 has the interval [0, c(t)] or [1 - c(t), 1]."""

    @pytest.mark.parametrize("horizon", [10**4, 10**8])
    def test_counting_knows_each_arm_when_its_interval_leaves_the_middle(self, horizon):
        # c(t) <= 0.4 from t = ln(2NT / delta) / 0.32 on.
        n = math.ceil(math.log(2 * 4 * horizon**2) / (2 * 0.4**2))
        for accept in ("singleton", "empty"):
            trace = duelbench.simulate(
                "savage", duelbench.scalar_bandit([0, 1, 1, 0], "counting"), horizon=horizon, accept=accept
            )
            assert trace.finished == 4 * n + 1
            assert trace.recommended[-1] == 0

    def test_without_a_horizon_the_radius_grows_with_the_samples(self):
        # ln(pi^2 N t^2 / (3 delta)) / (2 t) <= 0.16.
        n = next(t for t in range(1, 999) if math.log(math.pi**2 * 2 * t**2 / (3 * 0.1)) / (2 * t) <= 0.4**2)
        for horizon in (10**3, 10**7):
            bandit = duelbench.scalar_bandit([0, 1], "counting")
            trace = duelbench.simulate("savage", bandit, horizon=horizon, eta="anytime", delta=0.1)
            assert trace.finished == 2 * n + 1

    def test_epsilon_ends_exploration_when_the_decision_costs_that_at_most(self):
        # Two arms that always give 1: b_k - a_d = c(t) <= epsilon.
        bandit = duelbench.scalar_bandit([1.0, 1.0])
        log = math.log(2 * 2 * 10**6 / 0.05)
        for epsilon in (0.3, 0.1):
            n = math.ceil(log / (2 * epsilon**2))
            trace = duelbench.simulate("savage", bandit, horizon=10**6, delta=0.05, epsilon=epsilon)
            assert 2 * n - 1 <= trace.finished - 1 <= 2 * n
        assert duelbench.simulate("savage", bandit, horizon=10**4, delta=0.05).finished == 0


@pytest.mark.parametrize(
    ("name", "parameters", "means", "options"),
    [
        ("argmax", {}, [0.7, 0.4, 0.5, 0.3], {}),
        ("argmax", {}, [0.7, 0.4, 0.5, 0.3], {"eta": "anytime"}),
        ("argmax", {}, [0.7, 0.65, 0.5, 0.3], {"epsilon": 0.15}),
        ("rigged", {"m": 1}, [0.9, 0.6, 0.2, 0.25], {}),
        ("rigged", {"m": 1}, [0.9, 0.6, 0.55, 0.25], {"epsilon": 0.2, "test_every": 3}),
        ("counting", {}, [0.5, 0.1, 0.9], {}),
    ],
)
def test_the_final_decision_costs_more_than_epsilon_with_probability_delta_at_most(name, parameters, means, options):
    bandit = duelbench.scalar_bandit(means, name, **parameters)
    delta, runs = 0.3, 1500
    wrong = 0
    for run in range(runs):
        trace = duelbench.simulate(
            "savage", bandit, horizon=10**5, delta=delta, run=run, checkpoints=1, shuffle_arms=True, **options
        )
        assert trace.finished > 0
        wrong += bandit.losses[trace.recommended[-1]] > options.get("epsilon", 0.0)
    assert stats.binomtest(wrong, runs, delta, alternative="greater").pvalue > 1e-4


def test_after_exploration_the_arm_is_played_and_a_number_is_not():
    trace = duelbench.simulate("savage", duelbench.scalar_bandit([0.1, 0.9]), horizon=10**6, regret=["played"])
    assert trace.duels[1, 0] > 999_000 and trace.decisions == trace.finished
    assert trace.regret[0, -1] == pytest.approx(0.8 * trace.duels[0, 0])
    with pytest.raises(InputError, match="needs a decision that is an arm"):
        duelbench.simulate("savage", duelbench.scalar_bandit([0.1], "counting"), horizon=9, regret="played")
    state = registry.get("savage").start(
        2, 10**6, None, True, question=(scalar_decisions.COUNTING, {"above": 0.4, "below": 0.6}),
        **registry.get("savage").resolve({}),
    )  # fmt: skip
    state.final[0] = 1
    assert registry.get("savage").select(state, 1, np.random.default_rng(0)) == (0, 0, NEVER)


def test_the_kinds_of_problem_are_told_apart():
    with pytest.raises(InputError, match=r"rucb plays duels.*savage"):
        duelbench.simulate("rucb", duelbench.scalar_bandit([0.1, 0.9]), horizon=9)
    with pytest.raises(InputError, match="savage plays scalar bandits only"):
        duelbench.simulate("savage", [[0.5, 0.9], [0.1, 0.5]], horizon=9)


def figure(number, panel, algorithm):
    """{samples: value} of a digitised curve."""
    with open(optional("data", "urvoy2013_curves.csv"), encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if (row["figure"], row["panel"]) == (f"fig{number}", panel)]
    return {int(row["samples"]): float(row["value"]) for row in rows if row["algorithm"] == algorithm}


@pytest.mark.parametrize(("number", "decision", "test_every"), [(3, "rigged", 75), (8, "argmax", 1)])
def test_accuracy_and_explored_arms_follow_the_figures(number, decision, test_every):
    # Read off the figures, of 1000 runs. The end of Figure 3, from 2e5 samples on, is a little later than ours.
    accuracy = figure(number, "accuracy", "SAVAGE")
    explored = figure(number, "explored", "SAVAGE")
    at = [t for t in accuracy if t >= 1000]
    runs = 200
    options = {"horizon": 2 * 10**6, "checkpoints": at, "shuffle_arms": True, "test_every": test_every, "seed": 5}
    bandit = duelbench.scalar_bandit(FIGURE_2, decision)
    traces = [duelbench.simulate("savage", bandit, run=run, **options) for run in range(runs)]
    right = np.array([np.isin(trace.recommended, bandit.best) for trace in traces])
    left = np.array([np.maximum(trace.explored, 1) for trace in traces])  # the arm decided on is drawn as explored
    for k, t in enumerate(at):
        p = accuracy[t]
        error = math.sqrt(max(p * (1 - p), 0.002) * (1 / 1000 + 1 / runs))
        assert abs(right[:, k].mean() - p) < 4 * error + 0.006, (t, right[:, k].mean(), p)
        if t in explored and (number == 8 or not 2e5 < t < 3e5):
            error = left[:, k].std(ddof=1) * math.sqrt(1 / 1000 + 1 / runs)
            assert abs(left[:, k].mean() - explored[t]) < 4 * error + 0.012 * explored[t], (t, left[:, k].mean())
