"""What comes with duelbench and is called by a name: the specs of the papers, and their matrices."""

import json
from pathlib import Path

import pytest

import duelbench
from duelbench.bandits.problem.families import generate
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.cli.algorithms.list_ import list_
from duelbench.common import shipped
from duelbench.errors import InputError
from duelbench.experiments.comparing import paths_and_labels
from duelbench.experiments.execution.plan import make_plan, prepare
from duelbench.experiments.places import results_at
from duelbench.experiments.results.manifest import open_results, other_spec, spec_called
from duelbench.experiments.running import plans_of
from duelbench.experiments.spec.load import load
from tests.experiments.execution.experiments import TWO, plan_of, play, write_spec

ROOT = Path(__file__).parents[2]
CYCLIC = ROOT / "matrices" / "cyclic.csv"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A working folder in which there is nothing."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


# --- specs ---


def test_every_spec_and_every_matrix_of_the_checkout_has_a_name():
    assert sorted(shipped.specs().values()) == sorted((ROOT / "configs").rglob("*.yaml"))
    assert sorted(shipped.matrices().values()) == sorted((ROOT / "matrices").rglob("*.csv"))
    assert shipped.specs()["paper:wu2016/1a"] == ROOT / "configs" / "wu2016" / "1a.yaml"
    assert shipped.SCHEMA == ROOT / "configs" / "spec.schema.json"


def test_the_figures_of_a_paper_are_listed_by_number(capsys):
    names = [name for name in shipped.specs() if name.startswith("paper:urvoy2013/")]
    assert names[-2:] == ["paper:urvoy2013/10", "paper:urvoy2013/11"]
    list_("specs")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(shipped.specs())
    assert any("Wu & Liu 2016, Figure 1(a) (scales: quick)" in line for line in lines)


def test_the_spec_of_a_paper_runs_in_any_folder_and_its_results_go_to_results(here):
    (plan,) = plans_of(["paper:wu2016/4c"], Path("results"), scale="quick")
    assert plan.folder == Path("results/wu2016-4c-quick")
    assert plan.spec == load(ROOT / "configs" / "wu2016" / "4c.yaml", "quick")
    assert plan.spec.called == "paper:wu2016/4c"


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("paper:wu2016/1z", "(did you mean 'paper:wu2016/1a'?)"),
        ("paper:wu2016/1a.yaml", "(did you mean 'paper:wu2016/1a'?)"),
        ("paper:", "comes with duelbench; `duelbench list specs` shows them"),
        ("paper:nix", "comes with duelbench; `duelbench list specs` shows them"),
        ("wu2016/1a", "(did you mean 'paper:wu2016/1a'?)"),
        ("configs/mslr5.yaml", "(did you mean 'paper:mslr5'?)"),
    ],
)
def test_a_name_that_no_spec_has_is_told_with_the_one_that_was_meant(here, name, meant):
    with pytest.raises(InputError) as wrong:
        load(name)
    assert str(wrong.value).startswith(name) and meant in str(wrong.value)


def test_results_are_found_by_the_name_of_their_spec(here):
    (plan,) = plans_of(["paper:mslr5"], Path("results"), runs=1)
    prepare(plan)
    (found,), _ = results_at([Path("paper:mslr5")])
    assert found.folder == Path("results/mslr5")
    assert paths_and_labels(["results/mslr5", "paper:mslr5", "D-TS"]) == (
        [Path("results/mslr5"), Path("paper:mslr5")],
        ["D-TS"],
    )
    with pytest.raises(InputError, match=r"paper:tails: there is no folder results.tails with its results"):
        results_at([Path("paper:tails")])
    with pytest.raises(InputError, match="name the results folder"):
        duelbench.load("paper:mslr5")


def test_results_say_by_name_which_spec_of_a_paper_they_are_of(here):
    (plan,) = plans_of(["paper:mslr5"], Path("results"), runs=1)
    prepare(plan)
    content = json.loads((plan.folder / "manifest.json").read_text(encoding="utf-8"))
    assert content["file"] == "paper:mslr5" == spec_called(plan.folder, content)
    assert other_spec(plan.folder, content, load(ROOT / "configs" / "mslr5.yaml")) is None
    assert other_spec(plan.folder, content, load("paper:tails")) == "paper:mslr5"
    content["file"] = "paper:gone"
    assert spec_called(plan.folder, content) is None
    open_results(plan.folder)


# --- matrices ---


def test_a_matrix_is_found_by_its_name_wherever_one_is_taken(here):
    named, read = PreferenceMatrix.load("cyclic"), PreferenceMatrix.load(CYCLIC)
    assert named == read and named.source == "cyclic"
    made = generate("submatrix", matrix="cyclic", n_arms=4)
    assert made.sha256 == generate("submatrix", matrix=str(CYCLIC), n_arms=4).sha256
    assert duelbench.simulate("random", "cyclic", horizon=10).duels.shape == (4, 4)


def test_a_file_goes_before_a_name_and_a_folder_does_not(here):
    (here / "cyclic").mkdir()
    assert PreferenceMatrix.load("cyclic").n_arms == 4
    (here / "results").mkdir()
    with pytest.raises(InputError, match="results: is a folder"):
        PreferenceMatrix.load("results")
    (here / "gap").write_text(TWO)
    assert PreferenceMatrix.load("gap").n_arms == 2


@pytest.mark.parametrize("path", ["./cyclic", "matrices/cyclic", "cyclic.csv", "Cyclic"])
def test_what_has_a_slash_or_an_ending_is_a_path(here, path):
    with pytest.raises(InputError, match="there is no such file"):
        PreferenceMatrix.load(path)


def test_a_name_that_is_neither_a_file_nor_a_matrix_is_told_with_the_one_that_was_meant(here):
    (here / "survey.csv").write_text(TWO)
    for name, meant in (("cyclik", "cyclic"), ("CYCLIC", "cyclic"), ("survey", "survey.csv")):
        with pytest.raises(InputError, match=rf"^{name}: there is no such file.*\(did you mean '{meant}'\?\)"):
            PreferenceMatrix.load(name)


def test_in_a_spec_a_file_beside_it_goes_before_a_name_and_one_in_the_working_folder_does_not(here):
    (here / "gap").write_text(TWO)
    folder = here / "specs"
    assert load(write_spec(folder, matrix="gap")).problems[0].matrix.n_arms == 5
    (folder / "gap").write_text(TWO)
    assert load(write_spec(folder, matrix="gap")).problems[0].matrix.n_arms == 2
    with pytest.raises(InputError, match="there is no such file"):
        load(write_spec(folder, matrix="./cyclic"))


def test_runs_are_the_same_whether_their_matrix_was_named_or_its_file(here):
    play(here, matrix=str(CYCLIC), algorithms=["random"])
    plan = plan_of(here, matrix="cyclic", algorithms=["random"])
    assert plan.n_todo == 0
    other = make_plan(load(write_spec(here, matrix="gap", algorithms=["random"])), here / "results" / "demo")
    assert other.n_todo == 4


def test_a_file_with_the_name_of_a_shipped_spec_goes_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "paper:wu2016").mkdir()
    Path("paper:wu2016/1a").write_text("matrix: cyclic\nname: mine\nhorizon: 100\nalgorithms: [random]\n")
    assert load(Path("./paper:wu2016/1a")).name == "mine"
    assert load(Path("paper:wu2016/1b")).name == "wu2016-1b"
