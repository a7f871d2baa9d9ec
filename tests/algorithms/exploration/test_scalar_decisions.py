"""Decisions against brute force on small boxes: a parameter is independent when its value cannot change f anywhere."""

import itertools
import math

import numpy as np
import pytest

from duelbench.algorithms.exploration import dispatch
from duelbench.algorithms.exploration.copeland_decisions import CONDORCET, COPELAND
from duelbench.algorithms.exploration.parameter_sets import new_exploration
from duelbench.algorithms.exploration.scalar_decisions import ARGMAX, COUNTING, DECISIONS, RIGGED
from duelbench.kernels.decorators import plain

CASES = {
    "argmax": (ARGMAX, {}, 3),
    "argmax of four": (ARGMAX, {}, 4),
    "second best": (RIGGED, {"m": 1}, 3),
    "worst": (RIGGED, {"m": 2}, 3),
    "second of four": (RIGGED, {"m": 1}, 4),
    "third of four": (RIGGED, {"m": 2}, 4),
    "best as none rigged": (RIGGED, {"m": 0}, 3),
    "counting": (COUNTING, {"above": 0.4, "below": 0.6}, 3),
    "counting, another interval": (COUNTING, {"above": 0.25, "below": 0.8}, 4),
}
MARKS = (0.25, 0.4, 0.6, 0.8)


def box(rng, n):
    """Intervals with ends that are different from each other and from the marks."""
    middle = rng.random(n)
    width = 0.5 * rng.random(n) ** 2
    return np.maximum(middle - width, 0.001 * rng.random(n)), np.minimum(middle + width, 1 - 0.001 * rng.random(n))


def points(low, high):
    """For each coordinate values that stand in every order to the ends and marks, and to those of other coordinates."""
    cuts = np.unique([0.0, *low, *high, *MARKS, 1.0])
    n = len(low)
    coordinates = []
    for e in range(n):
        inside = [
            a + (b - a) * (n * k + e + 1) / (n * n + 1)
            for a, b in itertools.pairwise(cuts)
            if low[e] <= a and b <= high[e]
            for k in range(n if n < 4 else 2)
        ]
        coordinates.append(inside)
    return coordinates


def f_everywhere(decision, coordinates):
    """f at all points of the grid; axis e is that of coordinate e. Written apart from the decisions' own code."""
    grid = np.stack(np.meshgrid(*coordinates, indexing="ij"))
    kind, parameters = decision
    if kind == "counting":
        return ((grid > parameters["above"]) & (grid < parameters["below"])).sum(axis=0), grid
    order = np.argsort(-grid, axis=0, kind="stable")
    return order[parameters.get("m", 0)], grid


def depends_on(f, e):
    return bool((f.min(axis=e) != f.max(axis=e)).any())


@pytest.mark.parametrize("case", CASES)
def test_the_predicate_is_exact(case):
    # But for what the paper's test of the rigged bandit leaves out: that e is surely the (m + 1)-th best itself.
    decision, parameters, n = CASES[case]
    rng = np.random.default_rng(2013)
    independent = plain(decision.independent)
    counts = [0, 0]
    for _ in range(120 if n == 3 else 40):
        low, high = box(rng, n)
        state = decision.begin(n, parameters)
        f, _ = f_everywhere((decision.name, parameters), points(low, high))
        for e in range(n):
            expected = not depends_on(f, e) and not (decision is RIGGED and bool((f == e).all()))
            assert bool(independent(state, low, high, e)) == expected, (low, high, e)
            counts[expected] += 1
    assert min(counts) > 20


@pytest.mark.parametrize("case", CASES)
def test_the_bound_holds_for_every_point_and_is_zero_exactly_when_f_is_certain(case):
    decision, parameters, n = CASES[case]
    rng = np.random.default_rng(5)
    certain = 0
    for _ in range(80 if n == 3 else 25):
        low, high = box(rng, n)
        f, grid = f_everywhere((decision.name, parameters), points(low, high))
        d, loss = decision.bound(decision.begin(n, parameters), low, high)
        assert loss >= 0
        if decision is COUNTING:
            worst = np.abs(f - d).max()
            assert worst == loss
        else:
            worth = grid.copy()
            order = np.argsort(-grid, axis=0, kind="stable")
            for place in range(parameters.get("m", 0)):
                np.put_along_axis(worth, order[place : place + 1], 0.0, axis=0)
            best = np.take_along_axis(worth, f[None], axis=0)[0]
            assert (best - worth[d]).max() <= loss + 1e-12
        assert (loss == 0) == (f.min() == f.max() == d)
        certain += loss == 0
    assert certain > 0


@pytest.mark.parametrize("case", CASES)
def test_decide_is_f_and_following_a_walk_is_the_same(case):
    decision, parameters, n = CASES[case]
    dispatch.register(decision)
    rng = np.random.default_rng(3)
    state = decision.begin(n, parameters)
    values = np.full(n, 0.5)
    for step in range(1500):
        e = int(rng.integers(n))
        before = values[e]
        values[e] = rng.integers(0, 11) / 10 if step % 2 else rng.random()  # with ties
        dispatch.follow(state, values, e, before)
        f, _ = f_everywhere((decision.name, parameters), [[x] for x in values])
        assert dispatch.announced(state, values) == decision.decide(decision.begin(n, parameters), values) == f.item()
        if step % 100 == 99:
            values[:] = rng.random(n)
            dispatch.restart(state, values)


@pytest.mark.parametrize("case", CASES)
def test_testing_all_of_w_at_once_is_testing_each(case):
    decision, parameters, few = CASES[case]
    dispatch.register(decision)
    rng = np.random.default_rng(8)
    dropped = 0
    for n in (few, 12):
        for _ in range(150):
            explored = new_exploration(n, 1.0)
            explored.low[:], explored.high[:] = box(rng, n)
            ends = np.round(np.stack(box(rng, n)), 1)  # many equal ends
            if rng.random() < 0.5:
                explored.low[:], explored.high[:] = ends
            state = decision.begin(n, parameters)
            expected = [
                bool(decision.independent(state, explored.low, explored.high, e)) for e in range(explored.low.size)
            ]
            dispatch.revise(state, explored)
            assert explored.gone.tolist() == expected
            dropped += sum(expected)
    assert dropped > 50


def pairs_box(rng, n_arms):
    """Intervals of p_ij: some surely above 1/2, some surely below, some in doubt."""
    n = n_arms * (n_arms - 1) // 2
    kind = rng.choice(3, n, p=[0.35, 0.35, 0.3])
    low = np.where(kind == 0, 0.6, 0.1)
    high = np.where(kind == 1, 0.4, 0.9)
    return low, high


def voted(decision, n_arms, low, high):
    """A decision that knows the box, and all of W tested."""
    dispatch.register(decision)
    explored = new_exploration(low.size, 1.0)
    state = decision.begin(n_arms, {})
    for e in range(low.size):
        explored.low[e], explored.high[e] = low[e], high[e]
        dispatch.narrowed(state, explored, e, 0.0, 1.0)
    dispatch.revise(state, explored)
    return state, explored


def scores_everywhere(n_arms, low, high):
    """(K, ...) Copeland scores; axis 1 + e is that of pair e, with a value below 1/2 and one above where possible."""
    values = [[x for x in (0.2, 0.8) if a <= x <= b] for a, b in zip(low, high, strict=True)]
    values = [x or [(a + b) / 2] for x, a, b in zip(values, low, high, strict=True)]
    grid = np.meshgrid(*values, indexing="ij")
    scores = np.zeros((n_arms, *grid[0].shape), int)
    for e, (i, j) in enumerate(itertools.combinations(range(n_arms), 2)):
        scores[i] += grid[e] > 0.5
        scores[j] += grid[e] < 0.5
    return scores


@pytest.mark.parametrize("n_arms", [3, 4, 5])
def test_copeland_drops_only_pairs_that_no_winner_depends_on(n_arms):
    rng = np.random.default_rng(9)
    dropped = 0
    for _ in range(60):
        low, high = pairs_box(rng, n_arms)
        state, explored = voted(COPELAND, n_arms, low, high)
        scores = scores_everywhere(n_arms, low, high)
        winners = scores == scores.max(axis=0)
        for e in range(low.size):
            if explored.gone[e]:
                assert (winners.min(axis=1 + e) == winners.max(axis=1 + e)).all()
                dropped += low[e] < 0.5 < high[e]
        best, loss = COPELAND.bound(state, explored.low, explored.high)
        assert loss >= (scores.max(axis=0) - scores[best]).max() >= 0
        assert state.scores.sure.tolist() == scores.reshape(n_arms, -1).min(axis=1).tolist()
        assert state.scores.possible.tolist() == scores.reshape(n_arms, -1).max(axis=1).tolist()
    assert dropped > 0 or n_arms == 3


@pytest.mark.parametrize("n_arms", [3, 4, 5])
def test_condorcet_drops_only_pairs_that_the_condorcet_winner_does_not_depend_on(n_arms):
    rng = np.random.default_rng(10)
    compared = 0
    for _ in range(60):
        low, high = pairs_box(rng, n_arms)
        _, explored = voted(CONDORCET, n_arms, low, high)
        scores = scores_everywhere(n_arms, low, high)
        winner = np.where(scores.max(axis=0) == n_arms - 1, scores.argmax(axis=0), -1)
        for e in range(low.size):
            if explored.gone[e] and winner.shape[e] == 2:
                one, other = winner.take(0, axis=e), winner.take(1, axis=e)
                both = (one >= 0) & (other >= 0)
                assert (one == other)[both].all()
                compared += int(both.sum())
    assert compared >= 20


def test_worked_example_b3_of_the_paper():
    # Rows (. 1 1 1 0), (0 . 1 1 0), (0 0 . ? ?), (0 0 ? . 1), (1 1 ? 0 .).
    known = {(0, 1): 1, (0, 2): 1, (0, 3): 1, (0, 4): 0, (1, 2): 1, (1, 3): 1, (1, 4): 0, (3, 4): 1}
    pairs = list(itertools.combinations(range(5), 2))
    low = np.array([0.6 if known.get(pair) == 1 else 0.1 for pair in pairs])
    high = np.array([0.4 if known.get(pair) == 0 else 0.9 for pair in pairs])
    state, explored = voted(COPELAND, 5, low, high)
    assert state.scores.sure.tolist() == [3, 2, 0, 1, 2]
    assert state.scores.possible.tolist() == [3, 2, 2, 2, 3]
    assert [pairs[e] for e in np.flatnonzero(~explored.gone)] == [(2, 4)]
    assert COPELAND.bound(state, low, high) == (0, 0.0)


def test_worked_example_b4_of_the_paper():
    # Rows (. ? ? ? 1), (? . 0 ? ?), (? 1 . 0 ?), (? ? 1 . 0), (0 ? ? 1 .).
    known = {(0, 4): 1, (1, 2): 0, (2, 3): 0, (3, 4): 0}
    pairs = list(itertools.combinations(range(5), 2))
    low = np.array([0.6 if known.get(pair) == 1 else 0.1 for pair in pairs])
    high = np.array([0.4 if known.get(pair) == 0 else 0.9 for pair in pairs])
    state, explored = voted(CONDORCET, 5, low, high)
    assert list(zip(state.scores.sure.tolist(), state.scores.possible.tolist(), strict=True)) == [
        (1, 4),
        (0, 3),
        (1, 3),
        (1, 3),
        (1, 3),
    ]
    assert explored.gone.all()


def test_figure_1_of_the_paper_is_independent_of_its_second_parameter_where_the_first_decides():
    # The binary decision of Figure 1, in three lines; brute force stands in for the test it does not have.
    def f(decision, x):
        return int(x[0] > 1 / 8 and (x[0] < 1 / 2 or x[1] > x[0]))

    for low, high, expected in (((0.2, 0.0), (0.4, 1.0), True), ((0.4, 0.0), (0.7, 1.0), False)):
        grid = np.meshgrid(*(np.linspace(a, b, 41) for a, b in zip(low, high, strict=True)), indexing="ij")
        values = np.array([f(None, x) for x in zip(grid[0].ravel(), grid[1].ravel(), strict=True)]).reshape(41, 41)
        assert (not depends_on(values, 1)) == expected


@pytest.mark.parametrize("name", DECISIONS)
def test_losses_are_zero_for_f_of_the_means_and_positive_for_others(name):
    decision = DECISIONS[name]
    means = np.random.default_rng(4).random(30)
    parameters = decision.resolve({})
    losses = decision.losses(means, **parameters)
    right = decision.decide(decision.begin(30, parameters), means)
    assert losses[right] == 0 and np.count_nonzero(losses == 0) == 1 and losses.min() == 0
    assert len(losses) == (30 if decision.names_parameter else 31)


def test_the_losses_of_figure_2():
    means = np.array([0.95, 0.9, 0.9, 0.9, 0.55, *[0.5] * 5, *[0.0] * 90])
    rigged = RIGGED.losses(means, m=4)
    assert rigged[:5].tolist() == [0.55, 0.55, 0.55, 0.55, 0.0]
    assert math.isclose(rigged[5], 0.05) and rigged[99] == 0.55
    assert COUNTING.losses(means, above=0.4, below=0.6)[[0, 6, 7]].tolist() == [6, 0, 1]
    assert ARGMAX.losses(means)[0] == 0
