"""On scalar bandits every algorithm samples, explores and announces what a transcription of its paper does."""

import itertools
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest

import duelbench
from duelbench.algorithms import registry
from duelbench.algorithms.contract import NEVER
from tests.conformance.literal import Asker, questions, sample
from tests.conformance.literal.generic_savage import GenericSamplingSAVAGE, GenericSAVAGE
from tests.conformance.literal.scalar_baselines import UCB1, Elimination, RoundRobin
from tests.conformance.players import OneDrawIntegers, samples_played

SEEDS = range(8)
HORIZON = 1500
MEANS = {
    "far apart": [0.05, 0.95, 0.5, 0.75, 0.25],
    "sure": [0.0, 1.0, 0.5, 0.0, 1.0, 1.0],
    "close": [0.9, 0.8, 0.85, 0.5, 0.45, 0.05, 0.0],
}
QUESTIONS = {
    "argmax": (questions.Argmax, {}),
    "rigged": (questions.Rigged, {"m": 2}),
    "counting": (questions.Counting, {"above": 0.35, "below": 0.8}),
}


class Oracle(NamedTuple):
    """A transcription, the questions it can be asked, and settings beside the default, given to both."""

    make: Callable[..., Asker]
    questions: tuple[str, ...] = tuple(QUESTIONS)
    settings: tuple[Mapping[str, Any], ...] = ({},)


SAVAGE_SETTINGS: tuple[Mapping[str, Any], ...] = (
    {},
    {"delta": 0.9},
    {"delta": 0.9, "test_every": 1},
    {"delta": 0.9, "test_every": 7, "accept": "empty"},
    {"delta": 0.99, "accept": "empty", "nested": False},
    {"delta": 0.99, "eta": "anytime"},
    {"delta": 0.9, "nested": False},
    {"delta": 0.9, "epsilon": 0.3},
    {"delta": 0.9, "epsilon": 1, "test_every": 3},
)
SAMPLING_SETTINGS: tuple[Mapping[str, Any], ...] = (
    {"delta": 0.9, "simulations": 12, "moves": 5},
    {"delta": 0.9, "simulations": 3, "moves": 10, "test_every": 20},
    {"delta": 0.99, "simulations": 5, "moves": 2, "test_every": 0, "nested": False},
)
ORACLES = {
    "savage": Oracle(GenericSAVAGE, settings=SAVAGE_SETTINGS),
    "savage-sampling": Oracle(GenericSamplingSAVAGE, settings=SAMPLING_SETTINGS),
    "round-robin": Oracle(RoundRobin),
    "ucb1": Oracle(UCB1),
    "ucb1-wrapped": Oracle(partial(UCB1, wrapped=True), ("argmax", "rigged")),
    "elimination": Oracle(Elimination, settings=({}, {"delta": 0.9, "const": 1.0})),
    "elimination-wrapped": Oracle(
        partial(Elimination, wrapped=True), ("argmax", "rigged"), ({}, {"delta": 0.9, "const": 1.0})
    ),
}


def test_every_algorithm_of_scalar_bandits_has_an_oracle():
    assert set(ORACLES) == {id for id in registry.BUILT_IN if "samples" in registry.get(id).plays}


@pytest.mark.parametrize(
    ("id", "question", "setting"),
    [(id, q, k) for id, oracle in ORACLES.items() for q in oracle.questions for k in range(len(oracle.settings))],
)
def test_samples_explores_and_announces_what_the_literal_transcription_does(id, question, setting):
    make, parameters = QUESTIONS[question]
    settings = ORACLES[id].settings[setting]
    for seed in SEEDS:
        means = [*MEANS.values()][seed % len(MEANS)]
        literal = ORACLES[id].make(
            make(**parameters), len(means), HORIZON, OneDrawIntegers(np.random.default_rng(seed)), **settings
        )
        expected = sample(literal, means, HORIZON, np.random.default_rng([seed, 1]))
        played = samples_played(
            registry.get(id),
            duelbench.scalar_bandit(means, question, **parameters),
            HORIZON,
            np.random.default_rng(seed),
            np.random.default_rng([seed, 1]),
            **settings,
        )
        finals = getattr(literal, "finals", None)
        for t, (mine, right) in enumerate(zip(played, expected, strict=False), 1):
            if finals and t == len(expected):  # then the decision that it ended with is announced, one of these
                assert mine.announced in finals, f"seed {seed}: it ended with {mine.announced}, not one of {finals}"
                mine = mine._replace(announced=right.announced)
            assert mine == right, f"seed {seed}, round {t}: {mine}, not {right}"
        assert len(played) == len(expected), f"seed {seed}: exploration ended"


def test_the_final_decision_is_right_for_the_box_also_where_the_means_have_left_it():
    """f(H) = {0}, while arm 1, which was dropped long ago, still has the highest mean."""
    outcomes = [
        itertools.chain([1] * 16, [0, 1, 1] * 14, [1] * 8, itertools.repeat(0)),
        itertools.chain([0] * 16, itertools.repeat(1)),
        itertools.chain([0] * 14, [1, 0, 0] * 14, [1] * 12, itertools.repeat(0)),
    ]
    literal = GenericSAVAGE(questions.Argmax(), 3, 1000, None, delta=0.9)
    savage = registry.get("savage")
    question = duelbench.scalar_bandit([0.5, 0.4, 0.3]).question
    state = savage.start(3, 1000, None, True, question=question, **savage.resolve({"delta": 0.9}))
    rng = np.random.default_rng(0)
    for t in range(1, 1000):
        arm, _, rounds = savage.select(state, t, rng)
        if literal.finals is not None:
            assert rounds >= NEVER and t > 200
            break
        one = next(outcomes[arm])
        assert literal.choose(t) == arm
        literal.observe(t, arm, one)
        savage.update(state, arm, 0, one, 1 - one)
    assert literal.finals == [0] and literal.announce() == 1
    assert all(low < high for low, high in zip(literal.a, literal.b, strict=True)), "no interval is empty"
    assert savage.recommend(state) == 0
