"""What `duelbench new` writes works as it is, and never takes the place of something else."""

from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

import duelbench
from duelbench.bandits.algorithms import registry
from duelbench.cli.app import app
from duelbench.errors import InputError
from duelbench.experiments.plugins import starting
from duelbench.experiments.plugins.checking import CHECKS
from duelbench.experiments.spec.load import load as load_spec
from tests.experiments.execution.experiments import CYCLIC
from tests.plug_ins import write

CIRCLE = "0.5,0.6,0.4\n0.4,0.5,0.7\n0.6,0.3,0.5\n"
CIRCLE_MATRIX = [[float(p) for p in line.split(",")] for line in CIRCLE.splitlines()]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words):
    return CliRunner().invoke(app, [*map(str, words)])


@pytest.mark.thorough
def test_a_new_algorithm_plays_in_a_new_spec_as_it_is(load):
    assert run("new", "algorithm", "my-rule").stdout == "my_rule.py\nnext: duelbench check my_rule.py\n"
    assert run("new", "spec", "first").stdout == "first.yaml\nnext: duelbench run first.yaml --dry-run\n"
    spec = Path("first.yaml")
    text = spec.read_text().replace("1e5", "1e3")
    spec.write_text(text.partition("  - random")[0] + "  - random\n  - my-rule\n")
    done = run("run", "first.yaml", "--runs", 2, "--jobs", 1, "--plug-in", "my_rule.py")
    assert done.exit_code == 0 and "4 runs complete" in done.stdout, done.output


def test_a_new_judge_is_a_program_and_its_option_is_for_no_other_kind():
    done = run("new", "judge", "my-judge")
    assert done.stdout == ('my_judge.py\nnext: duelbench live outputs.csv --exec "python3 my_judge.py" --budget 1\n')
    compile(Path("my_judge.py").read_text(), "my_judge.py", "exec")
    assert "already exists" in str(run("new", "judge", "my-judge", "--runs-prompts").exception)
    assert run("new", "judge", "my-judge", "--runs-prompts", "--force").exit_code == 0
    assert "--runs-prompts is for a judge" in str(run("new", "spec", "a", "--runs-prompts").exception)
    assert "would hide the module json" in str(run("new", "judge", "json").exception)


def test_a_new_algorithm_learns(load):
    (id,) = load(starting.write_algorithm("my-rule"))
    P = [[0.5, 0.8, 0.8], [0.2, 0.5, 0.8], [0.2, 0.2, 0.5]]
    trace = duelbench.simulate(id, P, horizon=1500, shuffle_arms=True)
    assert trace.duels[0, 0] > 800 and trace.recommended[-1] == 0


@pytest.mark.thorough
def test_the_compiled_one_passes_its_check_both_ways_and_plays_the_duels_of_the_plain_one(load, untried):
    plain, compiled = (starting.write_algorithm("my-rule", way, force=True).read_text() for way in (False, True))
    (id,) = load(write(Path("."), plain, "my_rule.py"))
    expected = duelbench.simulate(id, CIRCLE_MATRIX, horizon=500)
    load(write(Path("."), compiled, "my_rule.py"))
    trace = duelbench.simulate(id, CIRCLE_MATRIX, horizon=500)
    assert registry.get(id).compiled
    assert (trace.duels == expected.duels).all() and (trace.regret == expected.regret).all()
    done = run("check", "my_rule.py")
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    headings = [line for line in lines if not line.startswith(" ")]
    assert headings == ["my-rule, interpreted", "my-rule, compiled (some seconds)"]
    assert sum(line.startswith("  ok ") for line in lines) == 2 * len(CHECKS), done.stdout


@pytest.mark.parametrize(("rows", "suited"), [(CYCLIC, {"rucb", "rmed1"}), (CIRCLE, set())])
def test_the_algorithms_of_a_new_spec_suit_the_matrix(tmp_path, rows, suited):
    (tmp_path / "a folder").mkdir()
    (tmp_path / "a folder" / "m: 1.csv").write_text(rows)
    path = starting.write_spec("first", tmp_path / "a folder" / "m: 1.csv")
    assert yaml.safe_load(path.read_text())["matrix"] == "a folder/m: 1.csv"  # relative to the spec
    spec = load_spec(path)
    assert {entry.algorithm.id for entry in spec.entries} == {"random", "d-ts", "ecw-rmed"} | suited
    done = run("run", path, "--dry-run")
    assert done.exit_code == 0 and "note" not in done.stdout, done.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("algorithm ../up", "'../up': use small letters"),
        ("algorithm rucb", "'rucb': there is an algorithm with this id already"),
        ("algorithm numpy", "numpy.py would hide the module numpy"),
        ("algorithm " + "a" * 90, "use at most 80 characters, not 90"),
        ("algorithm there", "there.py already exists; "),
        ("spec there --matrix no.csv", "no.csv: there is no such file"),
        ("spec there", "there.yaml already exists; "),
    ],
)
def test_what_cannot_be_written_is_said_and_nothing_is_lost(tmp_path, words, said):
    for name in ("there.py", "there.yaml"):
        (tmp_path / name).write_text("mine")
    (tmp_path / "folder.py").mkdir()
    done = run("new", *words.split())
    assert isinstance(done.exception, InputError) and said in str(done.exception)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.py", "there.py", "there.yaml"]
    assert {(tmp_path / name).read_text() for name in ("there.py", "there.yaml")} == {"mine"}
    if words in ("algorithm there", "spec there"):
        assert run("new", *words.split(), "--force").exit_code == 0
