"""What an algorithm cannot play is said when the spec is read, and by `simulate`: before anything runs."""

import numpy as np
import pytest

import duelbench
from duelbench.errors import InputError
from duelbench.experiments.spec import fitting
from tests.experiments.execution.experiments import spec_of
from tests.plug_ins import PLAIN, write

TOO_MANY = "cw-rmed cannot play this: .* takes 100 arms at most, not 101"
LINEAR_101 = {"family": "linear", "n_arms": 101}
SWEEP = {"over": "n_arms", "values": [3, 101], "games": 1}


def test_too_many_arms_are_named_with_file_and_line(tmp_path):
    several = {"matrix": None, "problems": {"few": "cyclic.csv", "many": LINEAR_101}}
    for changes, place in [
        ({"matrix": LINEAR_101, "algorithms": ["random", "cw-rmed"]}, r"algorithms\.1"),
        (several | {"algorithms": ["cw-rmed"]}, r"algorithms\.0"),
        ({"matrix": {"family": "linear"}, "algorithms": ["cw-rmed"], "sweep": SWEEP}, "sweep: at n_arms = 101,"),
    ]:
        with pytest.raises(InputError, match=rf"demo\.yaml:\d+:\d+ {place}:? {TOO_MANY}"):
            spec_of(tmp_path, **changes)
    # The matrix that a sweep replaces is not judged.
    assert spec_of(tmp_path, matrix=LINEAR_101, algorithms=["cw-rmed"], sweep=SWEEP | {"values": [3, 100]})


def test_a_number_for_a_decision_has_no_worth(tmp_path):
    problem = {"means": [0.9, 0.5], "decision": "counting"}
    says = "ucb1-wrapped cannot play this: the decision counting is not an arm"
    with pytest.raises(InputError, match=rf"algorithms\.0: {says}"):
        spec_of(tmp_path, matrix=None, problem=problem, regret=["announced"], algorithms=["ucb1-wrapped"])
    with pytest.raises(InputError, match=says):
        duelbench.simulate("ucb1-wrapped", duelbench.scalar_bandit([0.9, 0.5], "counting"), horizon=10)


def test_a_plug_in_refuses_by_raising_in_start(tmp_path, load):
    check = '    if n_arms * each > 30:\n        raise ValueError("at most 30, please")\n    return State('
    load(write(tmp_path, PLAIN.replace("    return State(", check)))
    says = r"commit cannot play this: at most 30, please \(.*commit\.py:\d+, in start"
    with pytest.raises(InputError, match=rf"demo\.yaml:\d+:\d+ algorithms\.0: {says}"):
        spec_of(tmp_path, algorithms=["commit"])
    assert spec_of(tmp_path, algorithms=[{"commit": {"each": 7}}])
    with pytest.raises(InputError, match=says):
        duelbench.simulate("commit", np.full((4, 4), 0.5), horizon=10)


def test_a_plug_in_that_says_what_it_refuses_is_not_started(tmp_path, load):
    refuses = 'compiled=False, refuses=lambda n_arms, horizon, each: "too short" if horizon < 500 else None'
    broken = PLAIN.replace("    return State(", "    raise AssertionError\n    return State(")
    load(write(tmp_path, broken.replace("compiled=False", refuses)))
    with pytest.raises(InputError, match="commit cannot play this: too short"):
        spec_of(tmp_path, algorithms=["commit"])
    assert spec_of(tmp_path, algorithms=["commit"], horizon=500)


def test_every_question_is_asked_once_however_many_cells_there_are(tmp_path, load, monkeypatch):
    load(write(tmp_path))
    asked = []
    begin = fitting.game.begin
    monkeypatch.setattr(fitting.game, "begin", lambda *arguments: asked.append(arguments) or begin(*arguments))
    sweep = {"over": "n_arms", "values": [3, 4], "games": 20}
    spec_of(tmp_path, matrix={"family": "random-order"}, algorithms=["commit", "random"], sweep=sweep)
    assert len(asked) == 2
