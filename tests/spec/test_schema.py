"""The JSON Schema that editors use: in sync with the code, in a draft they know, in agreement with `load`."""

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from duelbench.algorithms import registry
from duelbench.cli.schema import rendered
from duelbench.errors import InputError
from duelbench.problem.families import FAMILIES
from duelbench.problem.round_losses import NAMES
from duelbench.spec.document import KEYS
from duelbench.spec.kinds import Kind
from duelbench.spec.load import load
from duelbench.spec.schema import schema
from tests.spec.conftest import completed
from tests.spec.draft7 import is_valid, validator
from tests.spec.test_canonical import SPECS

ROOT = Path(__file__).parents[2]


def test_the_committed_schema_is_what_the_command_prints():
    committed = (ROOT / "spec.schema.json").read_text(encoding="utf-8")
    assert committed == rendered(), "run `duelbench schema > spec.schema.json`"


def test_the_schema_is_of_the_draft_that_editors_know():
    assert schema()["$schema"] == "http://json-schema.org/draft-07/schema#"
    assert "$defs" not in rendered()
    assert "prefixItems" not in rendered()


def test_a_kind_that_does_not_read_or_describe_itself_cannot_be_made():
    class Half(Kind):
        def read(self, value, at):
            return value

    with pytest.raises(TypeError, match="abstract"):
        Half()


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
        stop = {"stop"} if "duels" in algorithm.plays else set()
        assert set(parameters) == {*algorithm.parameters, *stop, "label", "horizons", "shuffle_arms"}
        for name, parameter in algorithm.parameters.items():
            assert parameters[name]["default"] == parameter.default
            assert parameters[name]["description"] == parameter.description
    alpha = with_parameters["properties"]["rucb"]["properties"]["alpha"]
    assert (alpha["anyOf"][0]["type"], alpha["anyOf"][0]["exclusiveMinimum"]) == ("number", 0.5)


@pytest.mark.parametrize(
    "text",
    [
        "algorithms: [{rucb: {alpha: '0.7'}}]",
        "matrix: {family: linear, n_arms: '4', slope: '0.2'}",
        "figure: {y: ['0', '2.5']}",
        "horizon: '1e4'\nruns: '3'",
        "problem: {means: ['0.9', 0.5]}\nhorizon: 10\nalgorithms: [savage]",
    ],
)
def test_the_schema_accepts_numbers_in_quotes_as_the_reader_does(folder, text):
    whole = text if text.startswith("problem") else completed(text)
    (folder / "spec.yaml").write_text(whole)
    load(folder / "spec.yaml")
    assert is_valid(as_in_an_editor(whole), schema())


@pytest.mark.parametrize("number", ["high", "010", "", "1e", "0.7 "])
def test_neither_schema_nor_reader_takes_other_text_for_a_number(refusal, number):
    text = completed(f"algorithms: [{{rucb: {{alpha: '{number}'}}}}]")
    refusal(text)
    assert not is_valid(as_in_an_editor(text), schema())


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


WHOLE = [
    "name: a\ntitle: b\nruns: 3\nseed: 1\nshuffle_arms: true\nfeedback_delay: 2\nregret: [copeland]\n"
    "checkpoints: [1, 5]\nbounds: [ecw]\nmatrix: good.csv\nhorizon: 10\nscales: {a: {runs: 1, figure: {band: sem}}}\n"
    "figure: {kind: regret, x: [1, 10], y: [0, 2], x_scale: log, y_scale: linear, band: iqr, columns: 2, pool: false}\n"
    "algorithms: [{rucb: {alpha: 0.6, variant: arxiv, label: A, horizons: [10], shuffle_arms: false}}, random]",
    "problems: {a: {family: random, n_arms: 4, seed: 1}, b: {family: cyclic-blocks, sizes: [1, 3]}}\nhorizon: 10\n"
    "figure: {kind: bars, statistic: mean, normalise_to: RUCB}\nalgorithms: rucb",
    "matrix: {family: random, n_arms: 4}\nhorizon: 10\nsweep: {over: n_arms, values: [3, 4], games: 2}\n"
    "figure: {kind: self-duels, run: 1}\nalgorithms: [rucb]",
    "problem: {means: [0.9, 0.5 x 2], decision: rigged, m: 1, names: [a, b, c]}\nhorizon: 10\nalgorithms: [savage]",
    "problems: {a: {means: [0.9, 0.5]}}\nhorizon: 10\nalgorithms: [savage]",
    "problems: [{family: submatrix, matrix: cycle.csv, n_arms: 2}, cycle.csv]\nhorizon: 10\nalgorithms: [random]",
]
JUNK = [None, True, -1, 0, 1.5, 10**17, "word", "", "a b", [], [None], {}, {"zzz": 1}]

OF_SEVERAL_KEYS = "|".join(
    [
        "there is no such file|at most the horizon|rounds must increase|needs a Condorcet|is no option of|is no label",
        "on a logarithmic axis|must be below the number of runs|needs the key 'sweep'|is no setting that|sweep.values",
        "stands twice|names for|must increase|must list|leaves nothing|sizes add up|has 3 arms|is not an algorithm of",
    ]
)
"""What is wrong only because of another key, another file or the other values of a list."""


def places(value: Any, way: tuple = ()) -> Iterator[tuple]:
    """The ways to all values inside."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in inside:
        yield (*way, step)
        yield from places(inner, (*way, step))


def changed(document: Any) -> Iterator[tuple[str, Any]]:
    """The document with each value replaced by junk, and with each left out."""
    for *way, last in places(document):
        for junk in [*JUNK, "left out"]:
            other = copy.deepcopy(document)
            around = other
            for step in way:
                around = around[step]
            if junk == "left out":
                del around[last]
            else:
                around[last] = junk
            yield f"{[*way, last]}: {junk!r}", other


def test_the_schema_and_the_reader_agree_on_every_key(folder):
    accepts = validator(schema())
    said = []
    for text in WHOLE:
        for what, document in changed(as_in_an_editor(text)):
            (folder / "spec.yaml").write_text(json.dumps(document))
            try:
                load(folder / "spec.yaml")
                message = ""
            except InputError as error:
                message = str(error)
            if accepts(document) != (not message) and not (message and re.search(OF_SEVERAL_KEYS, message)):
                said.append((what, message))
    assert not said
