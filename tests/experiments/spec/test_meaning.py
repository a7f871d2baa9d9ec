"""What a right spec means: numbers however they are spelled, defaults, labels, folders, horizons."""

import dataclasses
import json
import re

import pytest

from duelbench.bandits.algorithms import registry
from duelbench.bandits.problem.families import generate
from duelbench.bandits.problem.identification import Question
from duelbench.bandits.problem.matrix_files import as_csv
from duelbench.bandits.simulation.terms import Settings
from duelbench.bandits.statistics.interim import Until
from duelbench.common.numerals import real_number
from duelbench.experiments.results.cells import cells
from duelbench.experiments.spec.identification import Identify
from duelbench.experiments.spec.load import load
from duelbench.experiments.spec.naming import FOLDER_NAME, folder_name, slug
from duelbench.experiments.spec.runs import RunsUntil
from tests.experiments.spec.conftest import completed


def test_what_is_not_said_has_a_default(loaded, folder):
    spec = loaded("")
    assert (spec.name, spec.title, spec.runs, spec.seed) == ("spec", "spec", 100, 0)
    assert (spec.settings, spec.regret, spec.bounds) == (Settings(), ("copeland",), ())
    assert (spec.checkpoint_rule, spec.source) == (200, folder / "spec.yaml")
    [entry] = spec.entries
    assert entry.parameters == registry.get("rucb").resolve({})
    assert (entry.label, entry.slug, entry.horizons) == ("RUCB", "rucb", (10_000,))
    assert loaded("name: mine").title == "mine" and loaded("name: mine\ntitle: x").title == "x"


def test_problems_are_named_by_their_files_keys_or_families(loaded):
    for said, names in {
        "matrix: good.csv": [""],
        "problems: good.csv": ["good"],
        "problems: [good.csv, ./cycle.csv]": ["good", "cycle"],
        "problems: {B: good.csv, a: cycle.csv}": ["B", "a"],
        "problems: {source: good.csv, target: cycle.csv}": ["source", "target"],
        "problems: [{family: linear, n_arms: 64}, {family: cyclic-blocks, sizes: [1, 3]}, good.csv]": [
            *("linear-n-arms-64", "cyclic-blocks-sizes-1-3", "good"),
        ],
    }.items():
        assert [problem.name for problem in loaded(said).problems] == names


def test_a_family_and_the_file_that_holds_the_same_numbers_have_one_identity(loaded, folder):
    made = generate("bradley-terry", n_arms=5, seed=3)
    (folder / "bt.csv").write_text(as_csv(made.P, made.names, ["a comment"]))
    spec = loaded("matrix: {family: bradley-terry, n_arms: 5, seed: 3}")
    assert spec.problems[0].origin["seed"] == 3 and spec.problems[0].matrix.sha256 == made.sha256
    [generated] = cells(spec)
    [read] = cells(loaded("matrix: bt.csv"))
    assert generated.identity.key(0) == read.identity.key(0)


@pytest.mark.parametrize("matrix", ["../good.csv", "{family: submatrix, matrix: ../cycle.csv, n_arms: 2}"])
def test_paths_are_relative_to_the_spec_and_not_to_the_working_folder(folder, monkeypatch, matrix):
    (folder / "configs").mkdir()
    (folder / "configs" / "up.yaml").write_text(completed(f"matrix: {matrix}"))
    monkeypatch.chdir("/")
    assert load(folder / "configs" / "up.yaml").problems[0].matrix.n_arms == 2


def test_checkpoints_are_listed_and_end_with_the_horizon_or_are_spaced_evenly_in_log_t(loaded):
    for said, rounds in {
        "[1, 10, 1e3]": (1, 10, 1000, 10_000),
        "[10, 1e4]": (10, 10_000),
        "5": (1, 10, 100, 1000, 10_000),
        "1": (10_000,),
    }.items():
        assert loaded(f"checkpoints: {said}").checkpoints == rounds


def test_an_algorithm_that_stands_twice_shows_the_parameters_that_are_not_the_default(loaded):
    spec = loaded(
        "algorithms:\n  - rucb\n  - rucb: {alpha: 0.8}\n  - rucb: {alpha: 0.8, unplayed: 1}\n  - ccb: {alpha: 1}"
    )
    labels = ["RUCB", "RUCB (alpha=0.8)", "RUCB (alpha=0.8, unplayed=1.0)", "CCB"]
    assert [entry.label for entry in spec.entries] == labels
    assert [entry.slug for entry in spec.entries] == ["rucb", "rucb-alpha-0.8", "rucb-alpha-0.8-unplayed-1.0", "ccb"]


def test_an_algorithm_that_needs_the_horizon_runs_once_per_decade(loaded, monkeypatch):
    assert loaded("horizon: 1e6").entries[0].horizons == (10**6,)
    restarted = dataclasses.replace(registry.get("rucb"), anytime=False)
    monkeypatch.setattr(registry, "get", lambda id: restarted)
    for horizon, horizons in {
        "1e6": (1000, 10_000, 100_000, 1_000_000),
        "5e4": (1000, 10_000, 50_000),
        "1001": (1000, 1001),
        "1000": (1000,),
        "1": (1,),
    }.items():
        assert loaded(f"horizon: {horizon}").entries[0].horizons == horizons
    [entry] = loaded("algorithms:\n  - rucb: {horizons: [1e4, 100, 1e3]}").entries
    assert entry.horizons == (100, 1000, 10_000)


def test_a_plug_in_that_cannot_be_loaded_is_named_at_its_place(refusal, monkeypatch):
    from importlib.metadata import EntryPoint

    broken = EntryPoint("mine", "no_such_module:MINE", "duelbench.algorithms")
    monkeypatch.setattr(registry, "_plug_ins", lambda: {broken.name: broken})
    line, _ = refusal(completed("algorithms:\n  - rucb\n  - mine"))
    assert line.startswith("spec.yaml:3:5 algorithms.1: ") and "no_such_module:MINE" in line


def test_an_algorithm_called_as_figures_call_it_is_answered_with_its_id():
    known = registry.algorithms()
    for algorithm in known.values():
        meant = registry.suggestion(algorithm.name.lower()).removeprefix(" (did you mean '").removesuffix("'?)")
        assert known[meant].name == algorithm.name


def test_numbers_are_exact_however_they_are_spelled(loaded):
    for million in ("1e6", "1_000_000", "1000000", "1.0e6", "1E+6", "+1e6", "0.1e7", "1000000.0", "'1e6'"):
        spec = loaded(f"horizon: {million}\nfeedback_batch: {million}\ncheckpoints: [{million}]")
        assert (spec.horizon, spec.settings.feedback_batch, spec.checkpoints) == (10**6, 10**6, (10**6,)), million
        assert type(spec.horizon) is int
    spec = loaded(f"horizon: 1e15\nseed: {2**128 - 1}")
    assert (spec.horizon, spec.seed) == (10**15, 2**128 - 1)
    for spelling, value in {"0.51": 0.51, "1": 1, ".75": 0.75, "6e-1": 0.6, "1_0.5": 10.5, "1e300": 1e300}.items():
        alpha = loaded(f"algorithms:\n  - rucb: {{alpha: {spelling}}}").entries[0].parameters["alpha"]
        assert alpha == value and isinstance(alpha, float)
    assert real_number("9007199254740993") == 2**53 + 1


def test_words_and_lists_mean_what_their_key_wants(loaded, folder):
    assert [loaded(f"shuffle_arms: {said}").settings.shuffle_arms for said in ("yes", "On", "false", "no")] == [
        1,
        1,
        0,
        0,
    ]
    spec = loaded("name: 2016\ntitle: 010\nalgorithms:\n  - rucb: {label: 1e6}")
    assert (spec.name, spec.title, spec.entries[0].label) == ("2016", "010", "1e6")
    alone = loaded("regret: strong\nbounds: ecw\nalgorithms: rucb\nproblems: good.csv")
    assert alone == loaded("regret: [strong]\nbounds: [ecw]\nalgorithms: [rucb]\nproblems: [good.csv]")
    spec = loaded("algorithms:\n  - rucb: &shared {alpha: 0.8}\n  - ccb: *shared")
    assert [entry.parameters["alpha"] for entry in spec.entries] == [0.8, 0.8]
    text = "\ufeff# first\r\nmatrix: good.csv\r\nhorizon: 1e4\r\nalgorithms: [rucb]\r\n"
    (folder / "windows.yaml").write_bytes(text.encode())
    assert load(folder / "windows.yaml").horizon == 10_000


HOSTILE_LABELS = [
    "../../x",
    "..",
    "/etc/passwd",
    "C:\\x",
    "CON",
    "~",
    "LPT1.5",
    "-",
    ".hidden",
    "x" * 200,
    "damaged",
    "勝者",
]


def test_a_label_cannot_name_anything_but_a_new_folder(loaded):
    for label in HOSTILE_LABELS:
        [entry] = loaded(f"algorithms:\n  - rucb: {{label: '{label}'}}").entries
        assert entry.label == label
        assert folder_name(entry.slug) == slug(label, "rucb") == entry.slug.lower()
        assert cells(loaded(f"algorithms:\n  - rucb: {{label: '{label}'}}"))[0].folder.parts == (entry.slug,)
    assert not any(re.fullmatch(FOLDER_NAME, name) for name in ("", ".", "..", "a/b", "a\\b", "~", "a b", "ä", "a\n"))


def test_the_rule_of_a_manifest_is_read_by_the_model_of_specs():
    for rule in (Until(0.02), Until(None, 8, 10, 0.03)):
        assert RunsUntil.model_validate(json.loads(json.dumps(rule.content()))).rule() == rule
    for wrong in ({"until": "soon"}, {"until": -1}, {"least": 0}, {"most": 5}, {"margin": float("nan")}, {"until": []}):
        with pytest.raises(ValueError):
            RunsUntil.model_validate({**Until(None).content(), **wrong})
    for question in (Question("borda", 0.1), Question("top-k", k=2, by="borda")):
        assert Identify.model_validate(json.loads(json.dumps(question.content()))).question() == question
