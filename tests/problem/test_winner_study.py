"""Winners of random sets of arms: what is counted by hand on matrices where every set is known."""

import csv

import numpy as np
import pytest
from typer.testing import CliRunner

from duelbench.cli.app import app
from duelbench.errors import InputError
from duelbench.problem.families import generate
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.winner_study import random_walk, study

# Arm 0 beats all others, but narrowly; arm 1 beats the rest by far.
STRONG_BORDA = PreferenceMatrix(
    [[0.5, 0.55, 0.55, 0.55], [0.45, 0.5, 0.95, 0.95], [0.45, 0.05, 0.5, 0.95], [0.45, 0.05, 0.05, 0.5]]
)


def test_all_arms_are_one_set():
    (row,) = study(STRONG_BORDA, [4], draws=3)
    assert (row.n_arms, row.draws, row.condorcet, row.winners, row.losses) == (4, 3, 1, 1, 0)
    assert (row.borda, row.von_neumann) == (0, 1)  # the Borda winner is arm 1


def test_three_winners_in_a_circle_lose_once_each():
    (row,) = study(generate("copeland-cycle", n_arms=9), [9], draws=1)
    assert (row.condorcet, row.winners, row.losses, row.von_neumann) == (0, 3, 1, 1)


def test_sets_without_all_three_of_the_circle_have_a_condorcet_winner():
    # Of the 84 sets of 3 of 9 arms one is the circle.
    rows = study(generate("copeland-cycle", n_arms=9), [3], draws=2000, seed=5)
    assert 1 - rows[0].condorcet == pytest.approx(1 / 84, abs=4 * (1 / 84 / 2000) ** 0.5)


def test_numbers_of_winners_and_their_losses_have_shares():
    (row,) = study(generate("copeland-cycle", n_arms=9), [9], draws=1)
    assert (row.winners_1, row.winners_2, row.winners_more) == (0, 0, 1)
    assert (row.losses_0, row.losses_1, row.losses_more) == (0, 1, 0)
    (row,) = study(PreferenceMatrix([[0.5, 0.5, 0.9], [0.5, 0.5, 0.9], [0.1, 0.1, 0.5]]), [3], draws=1)
    assert (row.winners_1, row.winners_2, row.winners_more) == (0, 1, 0)
    for row in study(generate("random", n_arms=12, seed=1), [3, 7, 11], draws=50):
        assert row.winners_1 + row.winners_2 + row.winners_more == pytest.approx(1)
        assert row.losses_0 + row.losses_1 + row.losses_more == pytest.approx(1)
        assert row.losses_0 == row.condorcet  # without ties who loses to none beats all
        assert row.winners_1 + 2 * row.winners_2 + 3 * row.winners_more <= row.winners + 1e-12


def test_the_sets_of_a_size_depend_on_the_seed_and_nothing_else():
    matrix = generate("random", n_arms=12, seed=1)
    (alone,) = study(matrix, [6], draws=50, seed=3)
    assert study(matrix, [4, 6], draws=50, seed=3)[1] == alone
    assert study(matrix, [6], draws=50, seed=4) != [alone]


def test_a_random_walk_is_stationary():
    P = generate("random", n_arms=7, seed=2).P
    visits = random_walk(P)
    assert visits.sum() == pytest.approx(1) and (visits > 0).all()
    for i in range(7):
        into = sum(visits[j] * P[i, j] / 7 for j in range(7) if j != i)
        out = visits[i] * sum(P[j, i] / 7 for j in range(7) if j != i)
        assert into == pytest.approx(out)
    assert np.argmax(random_walk(STRONG_BORDA.P)) == 1


def test_sizes_that_cannot_be_drawn_are_refused():
    for size in (1, 5):
        with pytest.raises(InputError, match=f"sets of {size} arms cannot be drawn from 4: sizes are 2 to 4"):
            study(STRONG_BORDA, [size], draws=1)


@pytest.fixture
def matrix(tmp_path):
    np.savetxt(tmp_path / "four.csv", STRONG_BORDA.P, delimiter=",")
    return tmp_path / "four.csv"


def winners(*arguments):
    return CliRunner().invoke(app, ["matrix", "winners", *map(str, arguments)], catch_exceptions=False)


def test_the_command_writes_a_figure_and_its_numbers(matrix, tmp_path):
    result = winners(matrix, "--sizes", "2-3,4", "--draws", 5, "-o", tmp_path / "w.png")
    assert result.stdout.splitlines() == [str(tmp_path / "w.png"), str(tmp_path / "w.csv")]
    assert (tmp_path / "w.png").read_bytes().startswith(b"\x89PNG")
    rows = list(csv.DictReader((tmp_path / "w.csv").read_text().splitlines()))
    assert [(row["matrix"], row["n_arms"], row["draws"]) for row in rows] == [("four", k, "5") for k in "234"]
    assert rows[-1] == {
        "matrix": "four",
        "n_arms": "4",
        "draws": "5",
        "condorcet": "1.0",
        "winners": "1.0",
        "losses": "0.0",
        "winners_1": "1.0",
        "winners_2": "0.0",
        "winners_more": "0.0",
        "losses_0": "1.0",
        "losses_1": "0.0",
        "losses_more": "0.0",
        "borda": "0.0",
        "random_walk": "0.0",
        "von_neumann": "1.0",
    }


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["-o", "w.gif"], "--output w.gif: name a file that ends with one of .png, .pdf, .svg"),
        (["-o", "w.png", "--sizes", "few"], "--sizes few: write numbers and ranges with commas"),
        (["-o", "w.png", "--sizes", "9"], "sets of 9 arms cannot be drawn from 4"),
        (["-o", "w.png", "--seed", "-1"], "--seed: must be at least 0, got '-1'"),
    ],
)
def test_a_wrong_argument_is_named_and_nothing_written(matrix, tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=said):
        winners(matrix, *arguments)
    assert list(tmp_path.iterdir()) == [matrix]
