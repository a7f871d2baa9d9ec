"""The JSON Schema that editors use: in sync with the code, in a draft they know, in agreement with `load`."""

import json
import re
from pathlib import Path

import pytest
import yaml

from duelbench.algorithms import registry
from duelbench.cli.schema import rendered
from duelbench.problem.families import FAMILIES
from duelbench.problem.round_losses import NAMES
from duelbench.spec.document import KEYS
from duelbench.spec.schema import schema
from tests.spec.conftest import completed
from tests.spec.draft7 import is_valid
from tests.spec.test_canonical import SPECS

ROOT = Path(__file__).parents[2]


def test_the_committed_schema_is_what_the_command_prints():
    committed = (ROOT / "spec.schema.json").read_text(encoding="utf-8")
    assert committed == rendered(), "run `duelbench schema > spec.schema.json`"


def test_the_schema_is_of_the_draft_that_editors_know():
    assert schema()["$schema"] == "http://json-schema.org/draft-07/schema#"
    assert "$defs" not in rendered()
    assert "prefixItems" not in rendered()


def test_every_key_has_a_description():
    described = schema()
    assert set(described["properties"]) == set(KEYS)
    assert all(len(key["description"]) > 10 for key in described["properties"].values())


def test_every_algorithm_and_regret_definition_can_be_chosen():
    properties = schema()["properties"]
    assert properties["algorithms"]["anyOf"][0]["enum"] == list(registry.ids())
    assert properties["regret"]["anyOf"][0]["enum"] == list(NAMES)


def test_every_parameter_has_its_default_description_and_range():
    _, with_parameters = schema()["properties"]["algorithms"]["anyOf"][1]["items"]["anyOf"]
    for id, algorithm in registry.algorithms().items():
        parameters = with_parameters["properties"][id]["properties"]
        assert set(parameters) == {*algorithm.parameters, "label", "horizons", "shuffle_arms"}
        for name, parameter in algorithm.parameters.items():
            assert parameters[name]["default"] == parameter.default
            assert parameters[name]["description"] == parameter.description
    alpha = with_parameters["properties"]["rucb"]["properties"]["alpha"]
    assert (alpha["type"], alpha["exclusiveMinimum"]) == ("number", 0.5)


def test_every_family_and_its_parameters_are_described():
    families = {
        kind["properties"]["family"]["enum"][0]: kind["properties"]
        for kind in schema()["properties"]["matrix"]["anyOf"]
        if "family" in kind.get("properties", {})
    }
    assert set(families) == set(FAMILIES)
    for name, family in FAMILIES.items():
        assert set(families[name]) - {"family", "seed"} == set(family.parameters)
        assert ("seed" in families[name]) == family.is_random
        for parameter in family.parameters:
            assert families[name][parameter]["description"] == family.parameters[parameter].description


def test_defaults_are_valid():
    for name, key in schema()["properties"].items():
        assert "default" not in key or is_valid(key["default"], key), name


class EditorLoader(yaml.SafeLoader):
    """Reads numbers as editors do, by YAML 1.2: 1e6 is one."""


EditorLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[0-9]+(\.[0-9]*)?[eE][+-]?[0-9]+$"), list("0123456789")
)


def as_in_an_editor(text: str) -> dict:
    """What the schema is applied to."""
    return yaml.load(text, EditorLoader)


SHIPPED = sorted((ROOT / "configs").rglob("*.yaml"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_schema_accepts_the_shipped_specs(path):
    assert is_valid(as_in_an_editor(path.read_text(encoding="utf-8")), schema())


@pytest.mark.parametrize("text", SPECS)
def test_the_schema_accepts_what_load_accepts(loaded, text):
    loaded(text)
    assert is_valid(as_in_an_editor(completed(text)), schema())
    assert is_valid(json.loads(json.dumps(loaded(text).canonical())), schema())


REFUSED = [
    "horizn: 1e4",
    "horizon: 0",
    "horizon: 1.5",
    "horizon: soon",
    "runs: -3",
    "name: ../up",
    "shuffle_arms: 3",
    "regret: copland",
    "bounds: [zoghi]",
    "matrix: ''",
    "matrix: good.csv\nproblems: [cycle.csv]",
    "problems: {a b: good.csv}",
    "matrix: {family: lineal}",
    "matrix: {family: linear, n_amrs: 3}",
    "matrix: {family: linear, n_arms: 1}",
    "matrix: {family: linear, seed: 1}",
    "matrix: {family: mallows, phi: 1}",
    "matrix: {family: random, winners: one}",
    "matrix: {family: cyclic-blocks, sizes: [x]}",
    "matrix: {family: bradley-terry, utilities: 1}",
    "matrix: {family: submatrix}",
    "matrix: {source: mslr}",
    "matrix: {source: mslr-perfect, arms: [0, 1]}",
    "matrix: {source: mslr-perfect, arms: all}",
    "problems: [{n_arms: 3}]",
    "algorithms: rukb",
    "algorithms: [rukb]",
    "algorithms: [{rukb: {}}]",
    "algorithms: [{rucb: {aplha: 1}}]",
    "algorithms: [{rucb: {alpha: 0.5}}]",
    "algorithms: [{rucb: {variant: old}}]",
    "algorithms: [{rucb: {}, ccb: {}}]",
    "algorithms: []",
]


@pytest.mark.parametrize("text", REFUSED)
def test_the_schema_refuses_what_load_refuses(refusal, text):
    refusal(completed(text))
    assert not is_valid(as_in_an_editor(completed(text)), schema())
