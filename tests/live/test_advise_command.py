"""`duelbench advise`: what it prints, and what it refuses."""

import json

import pytest
from typer.testing import CliRunner

from duelbench.cli.app import app
from duelbench.errors import InputError
from tests.plug_ins import write

QUICK = ("--algorithms", "rucb,uniform", "-j", "1")


@pytest.fixture(autouse=True)
def few_matrices(monkeypatch):
    monkeypatch.setattr("duelbench.cli.live.advise.MATRICES", 8)


def told(*words):
    result = CliRunner().invoke(app, ["advise", *QUICK, *words])
    if isinstance(result.exception, InputError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def test_json_says_what_the_table_says():
    words = ("--arms", "3", "--duels", "10", "--gap", "0.2", "--seed", "7")
    document = json.loads(told(*words, "--json"))
    lines = told(*words).splitlines()
    assert lines[0].startswith("3 arms, 10 duels") and {line.split()[0] for line in lines[2:4]} == {"rucb", "uniform"}
    assert document["known"] == "the winner's smallest gap is 0.2"
    said = lines.index(document["sentences"][0])
    assert lines[said : said + len(document["sentences"])] == document["sentences"]
    assert document["command"] == f"duelbench live ARMS --algorithm {document['advice']} --budget 10"
    assert lines[-1] == f"To begin: {document['command']}"
    assert [one["duels"] for one in document["budgets"]] == [2, 4, 5, 7, 10, 14, 20, 28, 40]
    now = next(one for one in document["budgets"] if one["duels"] == 10)
    assert document["advice"] == now["algorithms"][0]["algorithm"] == now["best"][0]
    assert all(line["low"] <= line["chance"] <= line["high"] for line in now["algorithms"])


def test_a_table_of_wins_is_taken_as_matrix_import_reads_it_and_what_it_decides_is_said_first(tmp_path):
    games = tmp_path / "games.csv"
    games.write_text("winner,loser,count\ntuna,egg,30\negg,squid,30\n")
    text = told("--wins", str(games), "--duels", "6")
    assert text.startswith(f"3 arms, 6 duels; 60 duels of {games} are known")
    games.write_text("winner,loser,count\ntuna,egg,1000000\n")
    lines = told("--wins", str(games), "--duels", "6").splitlines()
    assert lines[lines.index("") + 1].startswith("The table already decides: tuna wins")
    document = json.loads(told("--wins", str(games), "--duels", "6", "--json"))
    assert document["decided"] == {"winner": "tuna"} and document["told"] == ["rucb", "uniform"]
    assert document["command"].endswith(f"--warm {games} --budget 6")
    assert document["likeliest"] == {"arms": ["tuna"], "chance": 1.0} and document["duels_for_it"] == 0


def test_the_command_says_what_a_session_would_not_do_by_default():
    words = ("--arms", "2", "--duels", "6", "--error", "0.1", "--json", "--algorithms")
    command = json.loads(told(*words, "kelly-elimination"))["command"]
    assert command.endswith("kelly-elimination --delta 0.1 --budget 6")
    assert "--param horizon=6 --delta 0.1" in json.loads(told(*words, "rex3"))["command"]


def test_an_algorithm_of_a_plug_in_is_advised_on(tmp_path, load):
    file = write(tmp_path)
    text = told("--arms", "3", "--duels", "5", "--plug-in", str(file), "--algorithms", "rucb,commit")
    assert {line.split()[0] for line in text.splitlines()[2:4]} == {"rucb", "commit"}
    load(file)  # forgets what was loaded


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "--arms K"),
        (("--arms", "3", "--gap", "much"), "--gap much"),
        (("--arms", "3", "--chance", "nan"), "--chance nan"),
        (("--arms", "3", "--algorithms", ","), "names none"),
        (("--wins", "nowhere.csv"), "no such file"),
        (("--wins", "matrix.csv"), "matrix.csv: holds probabilities"),
    ],
)
def test_what_makes_no_sense_is_refused(words, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "matrix.csv").write_text("0.5,0.7\n0.3,0.5\n")
    with pytest.raises(InputError, match=said):
        told("--duels", "6", *words)
