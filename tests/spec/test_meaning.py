"""What a right spec means: numbers however they are spelled, defaults, labels, folders, horizons."""

import pytest

from duelbench.algorithms import registry
from duelbench.errors import InputError
from duelbench.problem.families import generate
from duelbench.problem.matrix_files import as_csv
from duelbench.results.cells import cells
from duelbench.spec.load import load
from duelbench.spec.naming import FOLDER_NAME, folder_name, slug
from duelbench.spec.numerals import real_number
from tests.spec.conftest import completed

MILLION = [
    "1e6",
    "1_000_000",
    "1000000",
    "1.0e6",
    "1E6",
    "1e+6",
    "+1e6",
    "10e5",
    "0.1e7",
    "1000000.0",
    "'1e6'",
]


@pytest.mark.parametrize("spelling", MILLION)
def test_every_spelling_of_a_million_is_a_million(loaded, spelling):
    spec = loaded(f"horizon: {spelling}\nfeedback_delay: {spelling}\ncheckpoints: [{spelling}]")
    assert (spec.horizon, spec.feedback_delay, spec.checkpoints) == (10**6, 10**6, (10**6,))
    assert type(spec.horizon) is int


def test_the_largest_numbers_are_exact(loaded):
    spec = loaded(f"horizon: 1e15\nruns: 1e6\nseed: {2**128 - 1}\ncheckpoints: 1e5")
    assert (spec.horizon, spec.runs, spec.seed) == (10**15, 10**6, 2**128 - 1)


@pytest.mark.parametrize(
    ("spelling", "value"),
    [
        ("0.51", 0.51),
        ("1", 1),
        (".75", 0.75),
        ("6e-1", 0.6),
        ("+0.6", 0.6),
        ("1_0.5", 10.5),
        ("1e300", 1e300),
    ],
)
def test_numbers_with_a_fraction_are_read_to_the_last_bit(loaded, spelling, value):
    assert real_number(spelling) == value
    [entry] = loaded(f"algorithms:\n  - rucb: {{alpha: {spelling}}}").entries
    assert entry.parameters["alpha"] == value
    assert isinstance(entry.parameters["alpha"], float)


def test_what_is_not_said_has_a_default(loaded, folder):
    spec = loaded("")
    assert (spec.name, spec.title, spec.runs, spec.seed) == ("spec", "spec", 100, 0)
    assert (spec.shuffle_arms, spec.feedback_delay, spec.regret, spec.bounds) == (True, 1, ("copeland",), ())
    assert spec.checkpoint_rule == 200
    assert spec.source == folder / "spec.yaml"
    [entry] = spec.entries
    assert entry.parameters == registry.get("rucb").resolve({})
    assert (entry.label, entry.slug, entry.horizons) == ("RUCB", "rucb", (10_000,))


def test_the_title_is_the_name_unless_it_is_given(loaded):
    assert loaded("name: mine").title == "mine"
    assert loaded("name: mine\ntitle: 'Mine: the first'").title == "Mine: the first"


def test_one_matrix_has_no_name_of_its_own(loaded, folder):
    [problem] = loaded("matrix: good.csv").problems
    assert problem.name == ""
    assert problem.matrix.source == str(folder / "good.csv")
    assert problem.matrix.P.tolist() == [[0.5, 0.9], [0.1, 0.5]]


def test_problems_of_a_list_are_named_by_their_files_and_those_of_a_mapping_by_their_keys(loaded):
    assert [problem.name for problem in loaded("problems: [good.csv, ./cycle.csv]").problems] == [
        "good",
        "cycle",
    ]
    assert [problem.name for problem in loaded("problems: good.csv").problems] == ["good"]
    assert [problem.name for problem in loaded("problems: {B: good.csv, a: cycle.csv}").problems] == [
        "B",
        "a",
    ]


def test_a_family_gives_the_matrix_it_generates_with_every_default_said(loaded):
    [problem] = loaded("matrix: {family: random, n_arms: 1e1, winners: unique, seed: 7}").problems
    assert problem.matrix.sha256 == generate("random", n_arms=10, winners="unique", seed=7).sha256
    assert problem.origin == {"family": "random", "n_arms": 10, "winners": "unique", "min_gap": 0.0, "seed": 7}
    assert problem.title == problem.matrix.source == "random (winners=unique, seed=7)"
    [listed] = loaded("matrix: {family: plackett-luce, weights: [3, 1]}").problems
    assert listed.origin == {"family": "plackett-luce", "n_arms": 2, "weights": [3.0, 1.0], "seed": 0}
    [numbers] = loaded("matrix: {family: cyclic-blocks, sizes: 3}").problems
    assert numbers.matrix.n_arms == 3


def test_families_of_a_list_are_named_by_what_is_said_of_them(loaded):
    spec = loaded("problems: [{family: linear, n_arms: 64}, {family: cyclic-blocks, sizes: [1, 3]}, good.csv]")
    assert [problem.name for problem in spec.problems] == ["linear-n-arms-64", "cyclic-blocks-sizes-1-3", "good"]
    assert [problem.name for problem in loaded("problems: {family: flat}").problems] == ["flat"]


def test_the_matrix_of_a_submatrix_is_relative_to_the_spec(loaded, folder, monkeypatch):
    monkeypatch.chdir("/")
    [problem] = loaded("matrix: {family: submatrix, matrix: cycle.csv, n_arms: 2}").problems
    assert problem.matrix.n_arms == 2
    assert problem.origin["matrix"] == "cycle.csv"


def test_a_family_and_the_file_that_holds_the_same_numbers_have_one_identity(loaded, folder):
    made = generate("bradley-terry", n_arms=5, seed=3)
    (folder / "bt.csv").write_text(as_csv(made.P, made.names, ["a comment"]))
    [generated] = cells(loaded("matrix: {family: bradley-terry, n_arms: 5, seed: 3}"))
    [read] = cells(loaded("matrix: bt.csv"))
    assert generated.identity.key(0) == read.identity.key(0)


def test_a_problem_called_source_or_a_family_beside_others_is_a_name(loaded):
    spec = loaded("problems: {source: good.csv, target: cycle.csv}")
    assert [problem.name for problem in spec.problems] == ["source", "target"]


def test_paths_are_relative_to_the_spec_and_not_to_the_working_folder(folder, monkeypatch):
    (folder / "configs").mkdir()
    (folder / "configs" / "up.yaml").write_text(completed("matrix: ../good.csv"))
    monkeypatch.chdir("/")
    assert load(folder / "configs" / "up.yaml").problems[0].matrix.n_arms == 2


def test_a_lone_value_is_a_list_of_one(loaded):
    alone = loaded("regret: strong\nbounds: ecw\nalgorithms: rucb\nproblems: good.csv")
    listed = loaded("regret: [strong]\nbounds: [ecw]\nalgorithms: [rucb]\nproblems: [good.csv]")
    assert alone == listed


@pytest.mark.parametrize(("spelling", "value"), [("yes", True), ("On", True), ("false", False), ("no", False)])
def test_yes_and_no_are_true_and_false_where_one_of_them_is_wanted(loaded, spelling, value):
    assert loaded(f"shuffle_arms: {spelling}").shuffle_arms is value


def test_names_and_labels_may_look_like_numbers(loaded):
    spec = loaded("name: 2016\ntitle: 010\nalgorithms:\n  - rucb: {label: 1e6}")
    assert (spec.name, spec.title, spec.entries[0].label) == ("2016", "010", "1e6")


def test_anchors_repeat_what_they_name(loaded):
    spec = loaded("algorithms:\n  - rucb: &shared {alpha: 0.8}\n  - ccb: *shared")
    assert [entry.parameters["alpha"] for entry in spec.entries] == [0.8, 0.8]


def test_checkpoints_of_a_list_get_the_horizon_added(loaded):
    assert loaded("checkpoints: [1, 10, 1e3]").checkpoints == (1, 10, 1000, 10_000)
    assert loaded("checkpoints: [10, 1e4]").checkpoints == (10, 10_000)


def test_checkpoints_of_a_number_are_spaced_evenly_in_log_t(loaded):
    assert loaded("checkpoints: 5").checkpoints == (1, 10, 100, 1000, 10_000)
    assert loaded("checkpoints: 1").checkpoints == (10_000,)


def test_an_algorithm_alone_is_labelled_by_its_name_whatever_its_parameters(loaded):
    assert [entry.label for entry in loaded("algorithms:\n  - rucb: {alpha: 0.8}\n  - ccb").entries] == [
        "RUCB",
        "CCB",
    ]


def test_an_algorithm_that_stands_twice_shows_the_parameters_that_are_not_the_default(loaded):
    spec = loaded("algorithms:\n  - rucb\n  - rucb: {alpha: 0.8}\n  - rucb: {alpha: 0.8, unplayed: 1}")
    assert [entry.label for entry in spec.entries] == [
        "RUCB",
        "RUCB (alpha=0.8)",
        "RUCB (alpha=0.8, unplayed=1.0)",
    ]
    assert [entry.slug for entry in spec.entries] == ["rucb", "rucb-alpha-0.8", "rucb-alpha-0.8-unplayed-1.0"]


def test_a_label_stands_as_given(loaded):
    spec = loaded('algorithms:\n  - rucb: {label: "RUCB, α = 0.8"}\n  - rucb:\n      label: RUCB')
    assert [entry.label for entry in spec.entries] == ["RUCB, α = 0.8", "RUCB"]


def test_an_anytime_algorithm_runs_to_the_horizon_only(loaded):
    assert registry.get("rucb").anytime
    assert loaded("horizon: 1e6").entries[0].horizons == (10**6,)


@pytest.mark.parametrize(
    ("horizon", "horizons"),
    [
        ("1e6", (1000, 10_000, 100_000, 1_000_000)),
        ("5e4", (1000, 10_000, 50_000)),
        ("1001", (1000, 1001)),
        ("1000", (1000,)),
        ("999", (999,)),
        ("1", (1,)),
    ],
)
def test_an_algorithm_that_needs_the_horizon_runs_once_per_decade(loaded, monkeypatch, horizon, horizons):
    import dataclasses

    restarted = dataclasses.replace(registry.get("rucb"), anytime=False)
    monkeypatch.setattr(registry, "get", lambda id: restarted)
    assert loaded(f"horizon: {horizon}").entries[0].horizons == horizons


def test_horizons_that_are_given_are_put_in_order(loaded):
    [entry] = loaded("algorithms:\n  - rucb: {horizons: [1e4, 100, 1e3]}").entries
    assert entry.horizons == (100, 1000, 10_000)
    [entry] = loaded("algorithms:\n  - rucb: {horizons: 500}").entries
    assert entry.horizons == (500,)


def test_a_plug_in_that_cannot_be_loaded_is_named_at_its_place(refusal, monkeypatch):
    from importlib.metadata import EntryPoint

    broken = EntryPoint("mine", "no_such_module:MINE", "duelbench.algorithms")
    monkeypatch.setattr(registry, "_plug_ins", lambda: {broken.name: broken})
    line, _ = refusal(completed("algorithms:\n  - rucb\n  - mine"))
    assert line.startswith("spec.yaml:3:5 algorithms.1: the plug-in algorithm 'mine' (no_such_module:MINE) cannot be")


HOSTILE_LABELS = [
    "../../x",
    "..",
    "/etc/passwd",
    "CON",
    "a\\b",
    "LPT1.5",
    "-",
    ".hidden",
    "x" * 200,
    "damaged",
    "勝者",
]


@pytest.mark.parametrize("label", HOSTILE_LABELS)
def test_a_label_cannot_name_anything_but_a_new_folder(loaded, label):
    spec = loaded(f"algorithms:\n  - rucb: {{label: '{label}'}}")
    assert spec.entries[0].label == label
    assert folder_name(spec.entries[0].slug) == slug(label, "rucb")
    assert spec.entries[0].slug == spec.entries[0].slug.lower()


def test_a_folder_name_is_never_a_path():
    import re

    assert not any(re.fullmatch(FOLDER_NAME, name) for name in ("", ".", "..", "a/b", "a\\b", "~", "a b", "ä", "a\n"))


def test_specs_are_equal_when_they_ask_for_the_same(loaded, folder):
    spec = loaded("problems: [good.csv]")
    assert spec == loaded("problems: {good: good.csv}")
    assert spec != loaded("problems: [cycle.csv]")
    (folder / "good.csv").write_text("0.5,0.8\n0.2,0.5\n")
    changed = loaded("problems: [good.csv]")
    assert changed != spec
    assert hash(changed.problems[0]) != hash(spec.problems[0])


@pytest.mark.parametrize("written", ["2%", "ranked"])
def test_who_writes_until_when_in_the_place_of_how_often_is_told_how(tmp_path, written):
    (tmp_path / "x.yaml").write_text(f"matrix: cyclic\nhorizon: 100\nruns: {written}\nalgorithms: [random]\n")
    with pytest.raises(InputError, match=rf"runs: is how many; until when is written as {{until: {written}}}"):
        load(tmp_path / "x.yaml")
