"""What an algorithm cannot play is said when the spec is read, and by `simulate` and `bench`: before anything runs."""

import numpy as np
import pytest
from typer.testing import CliRunner

import duelbench
from duelbench.algorithms import registry
from duelbench.cli.app import app
from duelbench.errors import InputError
from duelbench.spec import fitting
from tests.execution.experiments import spec_of
from tests.plug_ins import PLAIN, write

TOO_MANY = r"cw-rmed cannot play this: .* takes 100 arms at most, not 101; ecw-rmed has no such limit"
LINEAR_101 = {"family": "linear", "n_arms": 101}


def test_too_many_arms_are_named_with_file_line_and_mend(tmp_path):
    with pytest.raises(InputError, match=rf"demo\.yaml:\d+:\d+ algorithms\.1: {TOO_MANY}"):
        spec_of(tmp_path, matrix=LINEAR_101, algorithms=["random", "cw-rmed"])


def test_of_several_problems_one_is_enough(tmp_path):
    problems = {"few": "cyclic.csv", "many": LINEAR_101}
    with pytest.raises(InputError, match=rf"algorithms\.0: {TOO_MANY}"):
        spec_of(tmp_path, matrix=None, problems=problems, algorithms=[{"cw-rmed": {"alpha": 2.0}}])


def test_a_value_of_a_sweep_that_is_too_much_is_named(tmp_path):
    sweep = {"over": "n_arms", "values": [3, 101], "games": 1}
    changes = {"matrix": {"family": "linear"}, "algorithms": ["random", "cw-rmed"]}
    with pytest.raises(InputError, match=rf"demo\.yaml:\d+:\d+ sweep: at n_arms = 101, {TOO_MANY}"):
        spec_of(tmp_path, sweep=sweep, **changes)
    assert spec_of(tmp_path, sweep={**sweep, "values": [3, 100]}, **changes)
    # The matrix as the spec names it is not played.
    assert spec_of(tmp_path, sweep=sweep | {"values": [3]}, **{**changes, "matrix": LINEAR_101})


@pytest.mark.parametrize("algorithm", ["ucb1-wrapped", "elimination-wrapped"])
def test_a_number_for_a_decision_has_no_worth(tmp_path, algorithm):
    problem = {"means": [0.9, 0.5], "decision": "counting"}
    says = f"{algorithm} cannot play this: the decision counting is no arm"
    with pytest.raises(InputError, match=rf"algorithms\.0: {says}"):
        spec_of(tmp_path, matrix=None, problem=problem, regret=["announced"], algorithms=[algorithm])
    with pytest.raises(InputError, match=says):
        duelbench.simulate(algorithm, duelbench.scalar_bandit([0.9, 0.5], "counting"), horizon=10)


def test_a_plug_in_refuses_by_raising_in_start(tmp_path, load):
    check = '    if n_arms * each > 30:\n        raise ValueError("at most 30, please")\n    return State('
    load(write(tmp_path, PLAIN.replace("    return State(", check)))
    says = r"commit cannot play this: at most 30, please \(.*commit\.py:\d+, in start: `raise ValueError"
    with pytest.raises(InputError, match=rf"demo\.yaml:\d+:\d+ algorithms\.0: {says}"):
        spec_of(tmp_path, algorithms=["commit"])
    assert spec_of(tmp_path, algorithms=[{"commit": {"each": 7}}])
    with pytest.raises(InputError, match=says):
        duelbench.simulate("commit", np.full((4, 4), 0.5), horizon=10)


def test_a_plug_in_whose_start_breaks_is_told_with_its_line(tmp_path, load):
    load(write(tmp_path, PLAIN.replace("np.zeros((n_arms", "np.zeroes((n_arms")))
    with pytest.raises(InputError, match=r"commit cannot start: AttributeError: .*zeroes.*commit\.py:\d+, in start"):
        spec_of(tmp_path, algorithms=["commit"])


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


def test_bench_refuses_what_it_is_asked_for_before_it_measures_and_leaves_out_the_rest(monkeypatch):
    result = CliRunner().invoke(app, ["bench", "random", "cw-rmed", "--arms", "101", "--horizon", "10"])
    assert isinstance(result.exception, InputError) and "takes 100 arms at most" in str(result.exception)
    assert "linear-order" not in result.output
    monkeypatch.setattr(registry, "ids", lambda: ("random", "cw-rmed"))
    result = CliRunner().invoke(app, ["bench", "--arms", "101", "--horizon", "10", "--budget", "0"])
    assert result.exit_code == 0 and result.stdout.splitlines()[1].startswith("random")
    left_out = [line for line in result.stderr.splitlines() if line.startswith("left out")]
    assert [line.split(" ")[2] for line in left_out] == ["cw-rmed"]
