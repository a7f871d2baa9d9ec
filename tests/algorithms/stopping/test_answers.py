"""Answers of stopping rules, compiled: how often they are wrong."""

import numpy as np
import pytest

import duelbench
from duelbench.algorithms.stopping.rules import RULES
from duelbench.problem.identification import Question, is_right
from duelbench.statistics.answers import error_rate

RUNS = 300


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("id", "question", "gap"),
    [
        ("random-until-pairs", Question("copeland", delta=0.3), 0.04),
        ("random-until-pairs", Question("ranking", delta=0.3), 0.04),
        ("random-until-pac-condorcet", Question("condorcet", delta=0.3, epsilon=0.01), 0.04),
        ("random-until-glr-condorcet", Question("condorcet", delta=0.3), 0.04),
        ("random-until-borda", Question("borda", delta=0.3), 0.1),  # many more duels
    ],
    ids=lambda value: getattr(value, "target", None),
)
def test_answers_are_wrong_no_more_often_than_delta(id, question, gap):
    P = 0.5 + gap * np.array([[0.0, 1.0, 1.5], [-1.0, 0.0, 1.0], [-1.5, -1.0, 0.0]])
    known = {"delta": question.delta, "target": question.target, "epsilon": question.epsilon}
    rule = RULES[id.partition("-until-")[2]]
    options = {f"stop_{name}": value for name, value in known.items() if name in rule.parameters}
    answered, wrong = 0, 0
    for run in range(RUNS):
        trace = duelbench.simulate(id, P, horizon=10**5, checkpoints=1, run=run, shuffle_arms=True, **options)
        if trace.answer != -2:
            answered += 1
            wrong += not is_right(P, question, trace.answer, trace.places)
    assert answered > 0.8 * RUNS
    assert not error_rate(wrong, RUNS).is_above(question.delta)
