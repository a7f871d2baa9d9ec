"""The types of fields: what they make of text and of Python values, and what models say of keys."""

import math
import subprocess
import sys
from typing import Annotated, Any, ClassVar

import numpy as np
import pytest
from jsonschema import Draft7Validator
from pydantic import Field, ValidationError

from duelbench.experiments.spec.fields import (
    Choice,
    IfGiven,
    Length,
    Line,
    Name,
    OneOrMore,
    Part,
    Positive,
    Real,
    Rounds,
    Share,
    Together,
    Truth,
    Whole,
    adapter,
    json_schema_of,
    mistakes,
)
from duelbench.experiments.spec.yaml_source import Scalar


def bare(text: str, truth: bool) -> Scalar:
    """A word that YAML reads as a truth value."""
    scalar = Scalar(text)
    scalar.truth = truth
    return scalar


YES, NO = bare("yes", True), bare("no", False)
RUNS = Annotated[int, Whole(1, 1000, "runs")]
LENGTH = Annotated[str, Length()]
KIND = Annotated[str, Choice({"linear": "equal steps", "log": "equal factors"}, "a scale")]
SHARE = Annotated[float, Share()]

READ = [
    (RUNS, ["1e2", "100", "1_00", 100, 100.0, np.int64(100), np.float64(100)], 100),
    (Annotated[float, Real()], ["0.5", ".5", 0.5, np.float32(0.5)], 0.5),
    (Positive, ["1e-3", 0.001], 0.001),
    (SHARE, ["2%", "0.02", 0.02, "2 %"], 0.02),
    (Truth, [True, YES, np.True_], True),
    (Truth, [False, NO], False),
    (Line, ["a b", " a b "], "a b"),
    (Name, ["a.b-1"], "a.b-1"),
    (KIND, ["log"], "log"),
    (LENGTH, ["3.25in"], "3.25in"),
    (LENGTH, [3, "3in"], "3in"),
]

REFUSED = [
    (RUNS, [True, False, YES, None, "", 1.5, "1.5", 0, 1001, "1e9", "010", "0x10", [1], {"a": 1}, math.nan, math.inf]),
    (Annotated[float, Real(0, 1, high_open=True)], [True, NO, None, "x", -1, 1, "1.0", [0.5], math.nan, "1e999999999"]),
    (Positive, [0, "-1", True]),
    (SHARE, [True, 0, 1, "100%", "x%", None, []]),
    (Truth, ["yes", "true", 1, 0, None, []]),
    (Line, ["", "a\nb", "x" * 201, YES, None, True, ["a"], object()]),
    (Name, ["../up", "", "CON", "a b", YES, None]),
    (KIND, ["lin", "", None, True, YES, ["log"]]),
    (LENGTH, ["3", "3 miles", "0.1in", "41in", True, None, ["3in"]]),
]


@pytest.mark.parametrize(("kind", "values", "expected"), READ)
def test_text_and_python_values_are_the_same_value(kind, values, expected):
    for value in values:
        read = adapter(kind).validate_python(value)
        assert read == expected and type(read) is type(expected)


@pytest.mark.parametrize(("kind", "values"), REFUSED)
def test_what_is_no_such_value_is_refused_in_words(kind, values):
    for value in values:
        with pytest.raises(ValidationError) as refused:
            adapter(kind).validate_python(value)
        (mistake,) = mistakes(refused.value)
        assert (mistake.location == () and mistake.message[0].islower()) or mistake.message[0] == "'"
        assert "Input should" not in mistake.message and "Value error" not in mistake.message


def test_the_schema_accepts_what_is_read_and_refuses_what_is_not():
    for kind, values, _ in READ:
        schema = Draft7Validator(json_schema_of(kind))
        assert all(schema.is_valid(value) for value in values if type(value) in (int, float, str, bool)), kind
    for kind, value in [(RUNS, 0), (RUNS, "x"), (Positive, 0), (SHARE, 1), (Truth, "yes"), (KIND, "lin"), (Line, "")]:
        assert not Draft7Validator(json_schema_of(kind)).is_valid(value)


class Sampling(Part):
    """How often to draw."""

    example: ClassVar[str] = "{runs: 3}"

    runs: Annotated[RUNS, Together(add="add 'runs: 3'")]
    seeds: Annotated[tuple[Rounds, ...], OneOrMore()] = (1,)
    scale: KIND = "log"
    base: Annotated[IfGiven[Positive], Together(only_with="scale: log")] = None
    step: Annotated[IfGiven[Positive], Together(not_beside=("base",))] = Field(None, description="In place of base.")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"runs": "0", "seeds": ["1", "x", "1"]}, {("runs",): "at least 1", ("seeds", 1): "not a whole number"}),
        ({"rums": 3}, {("rums",): "(did you mean 'runs'?)"}),
        ({}, {(): "the key 'runs' is missing; add 'runs: 3'"}),
        ({"runs": 3, "seeds": [5, 5]}, {("seeds", 1): "'5' appears twice"}),
        ({"runs": 3, "seeds": "x"}, {("seeds",): "not a whole number"}),
        ({"runs": 3, "scale": "linear", "base": 2}, {("base",): "is for 'scale: log'; remove it"}),
        ({"runs": 3, "scale": "log", "base": 2, "step": 1}, {("step",): "conflicts with 'base'"}),
        ({"runs": 3, "base": None}, {("base",): "has no value"}),
        ([3], {(): "must be keys, as in '{runs: 3}', not a list"}),
        (None, {(): "must be keys, as in '{runs: 3}', not empty"}),
    ],
)
def test_a_model_says_everything_that_is_wrong_with_its_keys(given: Any, expected: dict):
    with pytest.raises(ValidationError) as refused:
        Sampling.model_validate(given)
    found = {mistake.location: mistake.message for mistake in mistakes(refused.value)}
    assert found.keys() == expected.keys()
    assert all(words in found[location] for location, words in expected.items())


def test_keys_that_are_left_out_have_no_default_in_the_schema():
    properties = json_schema_of(Sampling)["properties"]
    assert {name: key["default"] for name, key in properties.items() if "default" in key} == {
        "seeds": [1],
        "scale": "log",
    }
    part = Sampling.model_validate({"runs": "3", "step": "2"})
    assert part.explicit == {"runs": 3, "step": 2} and part.base is None and part.seeds == (1,)


def test_pydantic_is_imported_only_when_a_spec_is_read():
    program = """
import sys
from typer.testing import CliRunner
import duelbench, duelbench.experiments.results.manifest
from duelbench.cli.app import app
CliRunner().invoke(app, ["--help"])
print("pydantic" in sys.modules)
from duelbench.experiments.spec.load import load
load({"name": "a", "matrix": "cyclic", "horizon": 10, "algorithms": ["random"]})
print("pydantic" in sys.modules)
"""
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["False", "True"]
