"""`duelbench list`: everything of a kind, or one thing by its name."""

import json

import pytest
from typer.testing import CliRunner

from duelbench.cli.app import app
from duelbench.errors import InputError
from duelbench.problem.round_losses import NAMES
from duelbench.problem.worlds.losses import STATIC
from tests.plug_ins import write


def run(*arguments):
    result = CliRunner().invoke(app, ["list", *arguments])
    if isinstance(result.exception, InputError):
        return str(result.exception)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "two.csv").write_text("0.5,0.9\n0.1,0.5\n")
    (tmp_path / "tie.csv").write_text("0.5,0.5\n0.5,0.5\n")
    return str(tmp_path)


def test_one_algorithm_is_shown_with_its_parameters():
    shown = run("algorithms", "rucb")
    assert shown.splitlines()[0].startswith("rucb                 RUCB: assumes condorcet, anytime.")
    assert "alpha = 0.51  exploration rate" in shown
    assert shown in run("algorithms")
    (item,) = json.loads(run("algorithms", "rucb", "--json"))
    assert item["id"] == "rucb"


def test_one_family_one_regret_and_one_matrix_are_shown(folder):
    assert run("families", "linear").startswith("linear ")
    assert run("regrets", "weak").startswith("weak ")
    assert len(run("matrices", "two", "--folder", folder).splitlines()) == 1


def test_every_regret_that_a_spec_can_record_is_listed():
    items = {item["name"]: item for item in json.loads(run("regrets", "--json"))}
    assert list(items) == [*NAMES, *STATIC]
    assert [line.split()[0] for line in run("regrets").splitlines()] == [*NAMES, *STATIC]
    assert items["announced-condorcet"]["needs_condorcet_winner"] and items["announced-condorcet"]["of"] == "matrices"
    assert items["played"]["of"] == "scalar bandits"
    assert run("regrets", "played").endswith("(of scalar bandits)\n")
    assert run("regrets", "borda-static").endswith("(of worlds that change)\n")


def test_algorithms_of_a_plug_in_are_listed_too(tmp_path, load):
    path = str(write(tmp_path))
    (item,) = json.loads(run("algorithms", "commit", "--plug-in", path, "--json"))
    assert item["parameters"]["each"]["default"] == 10
    load(path)  # forgets what was loaded
    assert "commit.py: there is no such file" in run("algorithms", "--plug-in", str(tmp_path / "none" / "commit.py"))


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (("algorithms", "RUCB"), "there is no algorithm 'RUCB' (did you mean 'rucb'?)"),
        (("algorithms", "magic"), "there is no algorithm 'magic' (`duelbench list algorithms` shows them; `--plug-in"),
        (("families", "liner"), "there is no family 'liner' (did you mean 'linear'?)"),
        (("families", "zzz"), "there is no family 'zzz' (`duelbench list families` shows what there is)"),
        (("regrets", "Weak"), "there is no regret 'Weak' (did you mean 'weak'?)"),
        (("matrices", "twoo"), "there is no matrix 'twoo' (did you mean 'two'?)"),
    ],
)
def test_what_is_not_there_is_answered_with_the_nearest(folder, asked, message):
    assert run(*asked, "--folder", folder).startswith(message)


def test_a_matrix_file_that_is_wrong_is_named_after_the_others(folder, tmp_path):
    (tmp_path / "bad.csv").write_text("0.5,0.9\n0.9,0.5\n")
    for asked, listed in (([], 2), (["two"], 1), (["bad"], 0)):
        result = CliRunner().invoke(app, ["list", "matrices", *asked, "--folder", folder, "--json"])
        assert len(json.loads(result.stdout)) == listed
        assert (result.exit_code == 0) == (asked == ["two"])
        assert asked == ["two"] or str(result.exception).startswith(str(tmp_path / "bad.csv"))
