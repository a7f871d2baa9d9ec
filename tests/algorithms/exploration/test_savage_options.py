"""Options that SAVAGE for preference matrices was given later: epsilon and eta; results from before are still found."""

import math
from dataclasses import replace

import numpy as np
import pytest

import duelbench
from duelbench.algorithms import registry
from duelbench.algorithms.contract import NEVER
from duelbench.results.identity import identify

KEYS = {
    "savage-copeland": "e070412f60a0d83e0a4ae0cc6df4377b21a81482157b5049b74c005a0e956f3e",
    "savage-condorcet": "985c4aa7c54824f52e6ba411e53acb88e024d3d7b2b341c1cc8cdb0eb84bf2f0",
    "savage-borda": "84a3b8ca40732a0fd87c0d7a19df3f99c03f29bdace5e073f56ed54f9d210bff",
    "savage-sampling": "ff511a000e885937e926c763ca96e3d1cee844696d0ec916a89369807cb222eb",
}
"""The keys of `identified` before there were epsilon and eta."""

LATER = [(id, {"eta": "anytime"}) for id in KEYS] + [(id, {"epsilon": 0.5}) for id in KEYS if id != "savage-sampling"]


def identified(id, **given):
    P = duelbench.PreferenceMatrix([[0.5, 0.75], [0.25, 0.5]])
    algorithm = replace(registry.get(id), trace_version=1)  # of then
    return identify(
        P, algorithm, given, horizon=1000, checkpoints=[1000], regret=("copeland",), seed=7,
        shuffle_arms=True, feedback_delay=1,
    )  # fmt: skip


@pytest.mark.parametrize("id", KEYS)
def test_runs_at_the_defaults_are_those_of_before(id):
    defaults = {name: parameter.default for name, parameter in registry.get(id).parameters.items()}
    assert identified(id).key(0) == identified(id, **defaults).key(0) == KEYS[id]


@pytest.mark.parametrize(("id", "given"), LATER)
def test_runs_with_other_values_are_other_runs(id, given):
    asked = identified(id, **given)
    assert asked.key(0) != KEYS[id]
    assert {name: asked.parameters[name] for name in given} == given


@pytest.mark.parametrize("id", KEYS)
def test_the_anytime_radius_is_the_papers(id):
    state = registry.get(id).start(
        4, 10**5, np.random.default_rng(0), True, **registry.get(id).resolve({"eta": "anytime", "delta": 0.1})
    )
    core = getattr(state, "core", state)
    n_parameters = 4 if id == "savage-borda" else 6
    registry.get(id).update(state, 0, 1, 500, 500)
    half_width = math.sqrt(math.log(math.pi**2 * n_parameters * 1000**2 / 3 / 0.1) / (2 * 1000))
    assert core.explored.low[0] == pytest.approx(0.5 - half_width)
    assert core.explored.high[0] == pytest.approx(0.5 + half_width)


def next_decision(id, n_arms, outcomes, **given):
    """What is played when the duels (i, j) have been won by i for certain."""
    algorithm = registry.get(id)
    rng = np.random.default_rng(0)
    state = algorithm.start(n_arms, 10**6, rng, True, **algorithm.resolve(given))
    for i, j in outcomes:
        won = (10**5, 0) if i < j else (0, 10**5)
        algorithm.update(state, min(i, j), max(i, j), *won)
    return tuple(int(x) for x in algorithm.select(state, 1, rng))


@pytest.mark.parametrize(("epsilon", "ends"), [(0, False), (0.9, False), (1, True), (2, True)])
def test_copeland_savage_ends_when_no_other_score_can_be_higher_by_more_than_epsilon(epsilon, ends):
    # Arm 0 has beaten 1 and 2: its score is at least 2. Arm 3 may beat all three others.
    decision = next_decision("savage-copeland", 4, [(0, 1), (0, 2)], epsilon=epsilon)
    assert decision == (0, 0, NEVER) if ends else decision[2] == 1


@pytest.mark.parametrize(("epsilon", "ends"), [(0, False), (1, True), (2, True)])
def test_condorcet_savage_ends_when_an_arm_surely_beats_all_but_epsilon_others(epsilon, ends):
    decision = next_decision("savage-condorcet", 4, [(2, 0), (2, 1)], epsilon=epsilon)
    assert decision == (2, 2, NEVER) if ends else decision[2] == 1


@pytest.mark.parametrize("epsilon", [0.3, 0.15, 0])
def test_borda_savage_is_off_by_epsilon_at_most_and_quicker_with_more(epsilon):
    P = duelbench.PreferenceMatrix(
        [[0.5, 0.6, 0.9, 0.9], [0.4, 0.5, 0.9, 0.9], [0.1, 0.1, 0.5, 0.5], [0.1, 0.1, 0.5, 0.5]]
    )
    scores = (P.P.sum(axis=1) - 0.5) / 3
    ended = {}
    for asked in (epsilon, epsilon + 0.1):
        for run in range(5):
            trace = duelbench.simulate("savage-borda", P, horizon=40_000, run=run, delta=0.1, epsilon=asked)
            assert scores.max() - scores[trace.recommended[-1]] <= asked + 1e-12
            assert trace.finished > 0
            ended[asked, run] = trace.finished
    assert all(ended[epsilon + 0.1, run] < ended[epsilon, run] for run in range(5))  # the same duels up to there
