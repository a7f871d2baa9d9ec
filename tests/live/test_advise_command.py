"""`duelbench advise`: what it prints, and what it refuses."""

import json

import pytest
from typer.testing import CliRunner

from duelbench.cli.app import app
from duelbench.errors import InputError
from duelbench.live import advising
from tests.plug_ins import write

QUICK = ("--algorithms", "rucb,uniform", "--matrices", "20", "-j", "1")


def told(*words):
    result = CliRunner().invoke(app, ["advise", *QUICK, *words])
    if isinstance(result.exception, InputError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*words):
    with pytest.raises(InputError) as caught:
        told(*words)
    return str(caught.value)


def test_the_table_has_a_line_for_each_algorithm_and_sentences_below():
    lines = told("--arms", "3", "--duels", "10").splitlines()
    assert lines[0] == "3 arms, 10 duels; gaps are like those of people; 20 matrices"
    assert lines[1].split("  ")[0] == "algorithm"
    assert {line.split()[0] for line in lines[2:4]} == {"rucb", "uniform"}
    assert any(line.startswith("Take ") for line in lines)


def test_json_says_what_the_table_says():
    words = ("--arms", "3", "--duels", "10", "--gap", "0.2", "--seed", "7")
    document = json.loads(told(*words, "--json"))
    assert document["known"] == "the winner's smallest gap is 0.2"
    assert told(*words).splitlines()[-len(document["sentences"]) :] == document["sentences"]
    assert [one["duels"] for one in document["budgets"]] == [2, 4, 5, 7, 10, 14, 20, 28, 40]
    now = next(one for one in document["budgets"] if one["duels"] == 10)
    assert document["advice"] == now["algorithms"][0]["algorithm"] == now["best"][0]
    assert all(line["low"] <= line["chance"] <= line["high"] for line in now["algorithms"])


def test_a_table_of_wins_is_taken_as_matrix_import_reads_it(tmp_path):
    games = tmp_path / "games.csv"
    games.write_text("winner,loser,count\ntuna,egg,30\negg,squid,30\n")
    text = told("--wins", str(games), "--duels", "6")
    assert text.startswith(f"3 arms, 6 duels; 60 duels of {games} are known")
    assert "by these alone the likeliest Copeland winner is tuna, with a chance of" in text


def test_what_a_table_says_without_any_duel_is_said_first(tmp_path):
    games = tmp_path / "games.csv"
    games.write_text("winner,loser,count\ntuna,egg,1_000_000\n".replace("_", ""))
    lines = told("--wins", str(games), "--duels", "6").splitlines()
    assert lines[0].startswith(f"2 arms, 6 duels; 1000000 duels of {games} are known")
    assert "told of the table, as a session would: rucb, uniform; the others begin without" in lines
    decision, algorithm = lines[lines.index("") + 1 :]
    assert decision.startswith("The table already decides: tuna wins")
    assert algorithm.startswith("If they are judged all the same, take ")
    document = json.loads(told("--wins", str(games), "--duels", "6", "--json"))
    assert document["decided"] == {"winner": "tuna"} and document["told"] == ["rucb", "uniform"]
    assert document["likeliest"] == {"arms": ["tuna"], "chance": 1.0}
    assert document["duels_for_it"] == 0


def test_a_table_without_duels_names_no_favourite(tmp_path):
    games = tmp_path / "games.csv"
    games.write_text("0,0\n0,0\n")
    text = told("--wins", str(games), "--duels", "6")
    assert "the table says nothing yet" in text and "likeliest" not in text


def test_an_algorithm_of_a_plug_in_is_advised_on(tmp_path, load):
    file = write(tmp_path)
    text = told("--arms", "3", "--duels", "5", "--plug-in", str(file), "--algorithms", "rucb,commit")
    assert {line.split()[0] for line in text.splitlines()[2:4]} == {"rucb", "commit"}
    load(file)  # forgets what was loaded


def test_a_file_of_probabilities_is_refused(tmp_path):
    matrix = tmp_path / "matrix.csv"
    matrix.write_text("0.5,0.7\n0.3,0.5\n")
    assert refused("--wins", str(matrix), "--duels", "6") == (
        f"{matrix}: holds probabilities, which do not say how many duels there were; give counts"
    )


def test_a_file_that_is_not_there_is_refused():
    assert "there is no such file" in refused("--wins", "nowhere.csv", "--duels", "6")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "say --arms K"),
        (("--arms", "3", "--gap", "0.1", "--gaps", "small"), "leave one of them out"),
        (("--arms", "3", "--wins", "games.csv"), "--arms: the table of --wins says that already"),
        (("--wins", "games.csv", "--gaps", "small"), "--gaps: the table of --wins says that already"),
        (("--arms", "3", "--gap", "0.5"), "--gap 0.5: write a number between 0 and 0.5, both excluded"),
        (("--arms", "3", "--gap", "much"), "--gap much: write a number"),
        (("--arms", "3", "--error", "1"), "--error 1: write a number between 0 and 1"),
        (("--arms", "3", "--chance", "nan"), "--chance nan: write a number"),
        (("--arms", "3", "--seed", "-1"), "--seed:"),
        (("--arms", "101"), "101 arms are more than the 100"),
    ],
)
def test_what_makes_no_sense_is_refused(words, said):
    assert said.lower() in refused("--duels", "6", *words).lower()


def test_an_algorithm_that_cannot_be_asked_is_refused():
    result = CliRunner().invoke(app, ["advise", "--arms", "3", "--duels", "6", "--algorithms", "rucb,ucb1"])
    assert str(result.exception) == "ucb1 plays no duels, and nobody can be asked to judge them"
    result = CliRunner().invoke(app, ["advise", "--arms", "3", "--duels", "6", "--algorithms", ","])
    assert "names none" in str(result.exception)


def test_ctrl_c_is_answered_by_one_line(monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(advising, "advise", interrupted)
    result = CliRunner().invoke(app, ["advise", "--arms", "3", "--duels", "6"])
    assert result.stderr.splitlines()[0] == "interrupted; nothing is kept" and result.exit_code == 130


def test_what_is_compiled_is_said_before(monkeypatch):
    monkeypatch.setattr(advising, "are_compiled", lambda chosen, *_: chosen.id == "rucb")
    monkeypatch.setattr(advising, "is_warm", lambda chosen: False)
    result = CliRunner().invoke(app, ["advise", "--arms", "3", "--duels", "6", *QUICK])
    assert result.stderr.startswith("compiling rucb (first use, about ")
