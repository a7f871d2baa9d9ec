"""The JSON Schema that editors use: in sync with the code, in a draft they know, in agreement with `load`."""

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from duelbench.bandits.algorithms import registry
from duelbench.bandits.problem.families import FAMILIES
from duelbench.bandits.problem.round_losses import NAMES
from duelbench.bandits.problem.worlds.losses import STATIC
from duelbench.cli.schema import rendered
from duelbench.errors import InputError
from duelbench.experiments.spec.document import KEYS
from duelbench.experiments.spec.load import load
from duelbench.experiments.spec.schema import schema
from tests.experiments.spec.conftest import completed, without_references
from tests.experiments.spec.test_canonical import SPECS
from tests.selection import quick

ROOT = Path(__file__).parents[3]


class EditorLoader(yaml.SafeLoader):
    """Reads numbers as editors do, by YAML 1.2: 1e6 is one."""


EditorLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[0-9]+(\.[0-9]*)?[eE][+-]?[0-9]+$"), list("0123456789")
)


def as_in_an_editor(text: str) -> dict:
    """What the schema is applied to."""
    return yaml.load(text, EditorLoader)


def test_the_committed_schema_is_what_the_command_prints_in_the_draft_that_editors_know():
    committed = (ROOT / "configs" / "spec.schema.json").read_text(encoding="utf-8")
    assert committed == rendered(), "run `make schema`"
    assert schema()["$schema"] == "http://json-schema.org/draft-07/schema#"
    assert "prefixItems" not in committed
    Draft7Validator.check_schema(schema())


def test_every_algorithm_family_regret_definition_and_parameter_can_be_chosen():
    properties = without_references(schema())["properties"]
    assert set(properties) == set(KEYS)
    for name, key in properties.items():
        assert "default" not in key or Draft7Validator(key).is_valid(key["default"]), name
    assert properties["algorithms"]["anyOf"][0]["enum"] == list(registry.ids())
    assert properties["regret"]["anyOf"][0]["enum"] == [*NAMES, *STATIC]
    _, with_parameters = properties["algorithms"]["anyOf"][1]["items"]["anyOf"]
    for id, algorithm in registry.algorithms().items():
        parameters = with_parameters["properties"][id]["properties"]
        stop = {"stop"} if "duels" in algorithm.plays else set()
        assert set(parameters) == {*algorithm.parameters, *stop, "label", "horizons", "shuffle_arms"}
        for name, parameter in algorithm.parameters.items():
            assert parameters[name]["default"] == parameter.default
            assert parameters[name]["description"] == parameter.description
    families = {
        kind["properties"]["family"]["enum"][0]: kind["properties"]
        for kind in properties["matrix"]["anyOf"]
        if "family" in kind.get("properties", {})
    }
    assert set(families) == set(FAMILIES)
    for name, family in FAMILIES.items():
        assert set(families[name]) - {"family", "seed"} == set(family.parameters)
        assert ("seed" in families[name]) == family.is_random


ACCEPTED = [
    *SPECS,
    "algorithms: [{rucb: {alpha: '0.7'}}]\nfigure: {y: ['0', '2.5']}",
    "matrix: {family: linear, n_arms: '4', slope: '0.2'}\nhorizon: '1e4'\nruns: '3'",
    "problem: {means: ['0.9', 0.5]}\nhorizon: 10\nalgorithms: [savage]",
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_the_schema_accepts_what_load_accepts(loaded, accepts, text):
    spec = loaded(text)
    assert accepts(as_in_an_editor(completed(text)))
    assert accepts(json.loads(json.dumps(spec.canonical())))


REFUSED = """
horizn: 1e4
horizon: 1.5
runs: {until: soon}
shuffle_arms: 3
regret: copland
problems: {a b: good.csv}
matrix: {family: lineal}
matrix: {family: linear, n_arms: 1}
matrix: {family: linear, seed: 1}
matrix: {family: cyclic-blocks, sizes: [x]}
matrix: {family: submatrix}
matrix: {source: mslr}
algorithms: [rukb]
algorithms: [{rucb: {alpha: 0.0}}]
algorithms: [{rucb: {alpha: '010'}}]
algorithms: [{rucb: {}, ccb: {}}]
algorithms: []
figure: {y: [1, 2, 3]}
sweep: {over: horizon}
scales: {quick: {rums: 3}}
scales: {quick: {}}
identify: {target: best}
world: {starts: sometimes}
""".strip().splitlines()


def test_the_schema_refuses_what_load_refuses(refusal, accepts):
    for text in REFUSED:
        assert refusal(completed(text)), text
        assert not accepts(as_in_an_editor(completed(text))), text


WHOLE = [
    "name: a\ntitle: b\nruns: 3\nseed: 1\nshuffle_arms: true\nfeedback_batch: 2\nregret: [copeland]\n"
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
        "there is no such file|at most the horizon|rounds must increase|needs a Condorcet|is not an option of",
        "is not the label|on a logarithmic axis|must be below the number of runs|needs the key 'sweep'",
        "is not a setting that|is not a parameter of an algorithm|sweep.values|appears twice",
        "names for|must increase|must list|leaves nothing|sizes add up|has 3 arms|is not an algorithm of",
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


@pytest.mark.parametrize("text", quick(WHOLE, WHOLE[1], *WHOLE[3:5]))
def test_the_schema_and_the_reader_agree_on_every_key(folder, accepts, text):
    said = []
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
