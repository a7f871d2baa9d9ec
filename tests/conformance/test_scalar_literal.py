"""On scalar bandits every algorithm samples, explores and announces what a transcription of its paper does."""

import importlib
import itertools
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest

from duelbench.bandits.algorithms import registry
from duelbench.bandits.algorithms.contract import NEVER
from duelbench.bandits.kernels.decorators import plain
from duelbench.bandits.problem.decision_rule import Decision
from duelbench.bandits.problem.scalar_bandit import ScalarBandit
from tests.conformance.literal import Asker, Sampled, questions, sample
from tests.conformance.literal.generic_savage import GenericSamplingSAVAGE, GenericSAVAGE
from tests.conformance.literal.scalar_baselines import UCB1, Elimination, RoundRobin
from tests.conformance.players import OneDrawIntegers, samples_played
from tests.selection import quick

SEEDS = [(range(1, 3), 350), (range(3, 6), 1200)]
"""Seeds, and how many rounds are compared of each."""
MEANS = {
    "far apart": [0.05, 0.95, 0.5, 0.75, 0.25],
    "sure": [0.0, 1.0, 0.5, 0.0, 1.0, 1.0],
    "close": [0.9, 0.8, 0.85, 0.5, 0.45, 0.05, 0.0],
}
MAJORITY = questions.Majority()


def independent_of(decision, low, high, e):
    return MAJORITY.independent(list(low), list(high), e)


def least_cost(decision, low, high):
    costs = MAJORITY.costs(list(low), list(high))
    return costs.index(min(costs)), min(costs)


ONE_S_OWN = Decision(
    "majority",
    "whether more than half of the means are above 1/2, in plain Python",
    decide=lambda decision, values: MAJORITY.f(list(values)),
    losses=lambda means: np.arange(2) != MAJORITY.f(list(means)),
    independent=independent_of,
    bound=least_cost,
    names_parameter=False,
)
QUESTIONS: dict[str, tuple[type, str | Decision, dict[str, Any]]] = {
    "argmax": (questions.Argmax, "argmax", {}),
    "rigged": (questions.Rigged, "rigged", {"m": 2}),
    "the best as none is rigged": (questions.Rigged, "rigged", {"m": 0}),
    "counting": (questions.Counting, "counting", {"above": 0.35, "below": 0.8}),
    "your own": (questions.Majority, ONE_S_OWN, {}),
}


ARMS = ("argmax", "rigged", "the best as none is rigged")
"""Questions that have an arm for an answer."""


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
    "ucb1-wrapped": Oracle(partial(UCB1, wrapped=True), ARMS),
    "elimination": Oracle(Elimination, settings=({}, {"delta": 0.9, "const": 1.0})),
    "elimination-wrapped": Oracle(partial(Elimination, wrapped=True), ARMS, ({}, {"delta": 0.9, "const": 1.0})),
}


def test_every_algorithm_of_scalar_bandits_has_an_oracle():
    assert set(ORACLES) == {id for id in registry.BUILT_IN if "samples" in registry.get(id).plays}


class Game(NamedTuple):
    """What an algorithm is compared with its transcription on."""

    id: str
    question: str
    setting: int
    means: tuple[float, ...]
    seed: int
    horizon: int

    def expected(self) -> tuple[list[Sampled], list[int] | None]:
        """The transcription's rounds, and the decisions that it may end with, if it says so and has ended."""
        make, _, parameters = QUESTIONS[self.question]
        literal = ORACLES[self.id].make(
            make(**parameters),
            len(self.means),
            self.horizon,
            OneDrawIntegers(np.random.default_rng(self.seed)),
            **ORACLES[self.id].settings[self.setting],
        )
        rounds = sample(literal, self.means, self.horizon, np.random.default_rng([self.seed, 1]))
        return rounds, getattr(literal, "finals", None)

    def played(self) -> list[Sampled]:
        """The algorithm's rounds; the decision's functions are those of the module as it is loaded now."""
        _, asked, parameters = QUESTIONS[self.question]
        get = importlib.import_module("duelbench.bandits.algorithms.exploration.scalar_decisions").get
        return samples_played(
            registry.get(self.id),
            ScalarBandit(self.means, get(asked) if isinstance(asked, str) else asked, parameters),
            self.horizon,
            np.random.default_rng(self.seed),
            np.random.default_rng([self.seed, 1]),
            **ORACLES[self.id].settings[self.setting],
        )

    def difference(self, expected: tuple[list[Sampled], list[int] | None]) -> str | None:
        """Where the algorithm departs from what is expected."""
        played = self.played()
        rounds, finals = expected
        for t, (mine, right) in enumerate(zip(played, rounds, strict=False), 1):
            if finals and t == len(rounds):  # then the decision that it ended with is announced, one of these
                if mine.announced not in finals:
                    return f"seed {self.seed}: it ended with {mine.announced}, not one of {finals}"
                mine = mine._replace(announced=right.announced)
            if mine != right:
                return f"seed {self.seed}, round {t}: {mine}, not {right}"
        if len(played) != len(rounds):
            return f"seed {self.seed}: exploration of {len(played)} rounds, not {len(rounds)}"
        return None


@pytest.mark.parametrize(("seeds", "horizon"), quick(SEEDS, SEEDS[0]), ids=["short", "long"])
@pytest.mark.parametrize(
    ("id", "question", "setting"),
    [(id, q, k) for id, oracle in ORACLES.items() for q in oracle.questions for k in range(len(oracle.settings))],
)
def test_samples_explores_and_announces_what_the_literal_transcription_does(id, question, setting, seeds, horizon):
    for seed in seeds:
        means = [*MEANS.values()][seed % len(MEANS)]
        game = Game(id, question, setting, tuple(means), seed, horizon)
        assert game.difference(game.expected()) is None


class LeftTheBox(NamedTuple):
    """Samples after which f(H) = {0}, while arm 1, which was dropped long ago, still has the highest mean."""

    id: str = "savage"

    def expected(self) -> int:
        return 0

    def difference(self, expected: int) -> str | None:
        """Whether the algorithm, sampling what the transcription samples, ends with another decision."""
        outcomes = [
            itertools.chain([1] * 16, [0, 1, 1] * 14, [1] * 8, itertools.repeat(0)),
            itertools.chain([0] * 16, itertools.repeat(1)),
            itertools.chain([0] * 14, [1, 0, 0] * 14, [1] * 12, itertools.repeat(0)),
        ]
        literal = GenericSAVAGE(questions.Argmax(), 3, 1000, None, delta=0.9)
        algorithm = registry.get(self.id)
        question = (
            importlib.import_module("duelbench.bandits.algorithms.exploration.scalar_decisions").get("argmax"),
            {},
        )
        state = algorithm.start(3, 1000, None, True, question=question, **algorithm.resolve({"delta": 0.9}))
        for t in itertools.count(1):
            arm, _, rounds = algorithm.select(state, t, np.random.default_rng(0))
            if literal.finals is not None or rounds >= NEVER:
                break
            if arm != literal.choose(t):
                return f"round {t}: {arm}, not {literal.choose(t)}"
            one = next(outcomes[arm])
            literal.observe(t, arm, one)
            algorithm.update(state, arm, 0, one, 1 - one)
        assert literal.announce() == 1 and t > 200
        assert all(low < high for low, high in zip(literal.a, literal.b, strict=True)), "no interval is empty"
        ended = rounds >= NEVER and literal.finals == [expected]
        return (
            None if ended and algorithm.recommend(state) == expected else "not the decision that is right for the box"
        )


def test_the_final_decision_is_right_for_the_box_also_where_the_means_have_left_it():
    game = LeftTheBox()
    assert game.difference(game.expected()) is None


class Boxes(NamedTuple):
    """Random boxes, and what a question says of them: who is independent, and what each decision costs at worst.

    The transcription's own answers are checked by trying all points in `literal.test_scalar_oracles`.
    """

    question: str
    number: int

    def boxes(self) -> list[tuple[np.ndarray, np.ndarray]]:
        rng = np.random.default_rng(11)
        least = QUESTIONS[self.question][2].get("m", 0) + 1
        boxes = []
        for trial in range(self.number):
            n = int(rng.integers(least, 8))
            ends = np.sort(rng.random((n, 2)) * rng.choice([0.3, 1.0]) + rng.random((n, 1)), axis=1).clip(0, 1)
            if trial % 4 == 0 and self.question != "counting":
                ends = ends.round(1)  # with equal ends
            boxes.append((np.ascontiguousarray(ends[:, 0]), np.ascontiguousarray(ends[:, 1])))
        return boxes

    def expected(self) -> list[tuple[list[bool], list[float]]]:
        make, _, parameters = QUESTIONS[self.question]
        literal = make(**parameters)
        answers = []
        for low, high in self.boxes():
            a, b = low.tolist(), high.tolist()
            answers.append(([literal.independent(a, b, i) for i in range(len(a))], literal.costs(a, b)))
        return answers

    def difference(self, expected: list[tuple[list[bool], list[float]]]) -> str | None:
        _, name, parameters = QUESTIONS[self.question]
        decision = importlib.import_module("duelbench.bandits.algorithms.exploration.scalar_decisions").get(name)
        independent, bound = plain(decision.independent), plain(decision.bound)
        for (low, high), (is_independent, costs) in zip(self.boxes(), expected, strict=True):
            state = decision.begin(len(low), parameters)
            mine = [bool(independent(state, low, high, i)) for i in range(len(low))]
            if mine != is_independent:
                return f"{low} to {high}: independent {mine}, not {is_independent}"
            d, loss = bound(state, low, high)
            if max(abs(loss - costs[d]), abs(loss - min(costs))) > 1e-12:
                return f"{low} to {high}: {d} costs {loss}, of {costs}"
        return None


BOXED = ("argmax", "rigged", "the best as none is rigged", "counting")


@pytest.mark.parametrize("question", BOXED)
def test_independence_and_worst_costs_are_those_of_the_transcription_in_random_boxes(question):
    game = Boxes(question, 1500)
    expected = game.expected()
    assert sum(sum(is_independent) for is_independent, _ in expected) > 500
    assert sum(min(costs) == 0 for _, costs in expected) > 50
    assert game.difference(expected) is None
