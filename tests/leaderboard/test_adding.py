"""An algorithm of one's own on the leaderboard: it plays what the others played, and stands where they would put it."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from duelbench.actions import running
from duelbench.algorithms import registry
from duelbench.cli.app import app
from duelbench.errors import InputError
from duelbench.leaderboard import adding, parts
from duelbench.leaderboard.building import build
from duelbench.leaderboard.summary import FILE, decode_correlations, encode_correlations, read
from duelbench.leaderboard.tables import tables
from duelbench.results.experiments import load_experiments
from duelbench.results.manifest import open_results
from duelbench.spec.load import load as load_spec
from tests.leaderboard.boards import HORIZONS, played
from tests.plug_ins import PLAIN

RANDOM = """
from dataclasses import replace
from duelbench.algorithms.baselines import RANDOM
MINE = replace(RANDOM, id="my-random", {})
"""
"""A built-in algorithm by another name."""

runner = CliRunner()


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    """The folder in which a small board was played; its summary is in it."""
    folder = tmp_path_factory.mktemp("board")
    (folder / FILE).write_bytes(played(folder).encode())
    return folder


@pytest.fixture
def here(board, tmp_path, monkeypatch, load):
    """A folder of one's own with the specs of the board, in which plug-ins are loaded as by a new process."""
    for name in (FILE, "order.yaml", "copeland.yaml", "circle.csv"):
        (tmp_path / name).write_bytes((board / name).read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name, text):
    Path(name).write_text(text)
    return name


def add(*arguments, code=0):
    words = ["leaderboard", "add", *map(str, arguments), "--summary", FILE, "-j", "1", "--quiet"]
    result = runner.invoke(app, words)
    if code == 0 and result.exception:
        raise result.exception
    return result


def found(*arguments):
    return json.loads(add(*arguments, "--json").stdout)


def addition(plug_in, minutes=1e9, **choice):
    return adding.addition(
        read(Path(FILE)), plug_in, parts.Choice(**{"horizon": 1000, **choice}), Path("results"), minutes
    )


def test_a_built_in_algorithm_by_another_name_has_the_very_numbers_of_its_own(here, monkeypatch):
    add(write("mine.py", RANDOM.format("name='Mine'")), "--no-check", "-o", "whole")
    whole = read(here / "whole" / FILE)
    mine, own = (
        {"Mine": n, "Random": n}[one.label] for n, one in enumerate(whole.algorithms) if one.label in ("Mine", "Random")
    )
    cells = {
        number: [
            replace(cell, algorithm=0, experiment="", spec="", scale=None)
            for cell in sorted(whole.cells, key=lambda one: (one.problem, one.horizon))
            if cell.algorithm == number
        ]
        for number in (mine, own)
    }
    assert cells[mine] == cells[own]
    assert len(cells[mine]) == 6  # three matrices, two horizons
    assert {one.label: one.plug_in for one in whole.algorithms if one.plug_in} == {"Mine": "mine.py"}


def test_it_stands_where_it_would_if_all_had_been_played_together_without_what_runs_have_in_common(here, board):
    add(write("mine.py", PLAIN), "--no-check", "-o", "whole")
    whole = read(here / "whole" / FILE)
    folders = sorted((here / "results" / "leaderboard-mine").glob("*/"))
    together = build(load_experiments([board / "results", *folders]), HORIZONS)
    names = [one.label for one in together.algorithms]
    mine = names.index("Commit")
    uncorrelated = {}
    for key, text in together.correlations.items():
        problem, horizon, regret = key.split("/")
        there = [
            n
            for n in range(len(names))
            if any(
                (one.problem, one.algorithm, one.horizon) == (int(problem), n, int(horizon)) and regret in one.regret
                for one in together.cells
            )
        ]
        matrix = decode_correlations(text, len(there))
        if mine in there:
            matrix[there.index(mine), :] = matrix[:, there.index(mine)] = 0
        uncorrelated[key] = encode_correlations(matrix)

    def comparable(summary, table):
        labels = [summary.algorithms[number].label for number in table.algorithms]
        return {**vars(table), "algorithms": labels}

    expected = [comparable(together, one) for one in tables(replace(together, correlations=uncorrelated))]
    assert [comparable(whole, one) for one in whole.tables] == expected
    assert any("Commit" in one["algorithms"] for one in expected)
    cells = {
        (together.problems[one.problem].name, one.horizon): (one.digest, one.regret, one.right)
        for one in together.cells
        if one.algorithm == mine
    }
    assert cells == {
        (whole.problems[one.problem].name, one.horizon): (one.digest, one.regret, one.right)
        for one in whole.cells
        if whole.algorithms[one.algorithm].label == "Commit"
    }
    # What the others have in common stays, and what a new one has in common with them is not known.
    key = f"{[one.name for one in whole.problems].index('linear')}/1000/copeland"
    before = decode_correlations(read(Path(FILE)).correlations[key], 4)
    after = decode_correlations(whole.correlations[key], 5)
    assert np.array_equal(after[:4, :4], before)
    assert (before[np.triu_indices(4, 1)] != 0).any()
    assert (after[4, :4] == 0).all()
    # The page and the digests hold it, too, and it cannot be added twice.
    assert "Commit" in (here / "whole" / "index.html").read_text(encoding="utf-8")
    assert "commit-order-1e3" in (here / "whole" / "digests.csv").read_text(encoding="utf-8")
    again = runner.invoke(app, ["leaderboard", "add", "mine.py", "--summary", "whole/leaderboard.json"])
    assert "the leaderboard has 'commit' already" in str(again.exception)


def test_the_spec_beside_the_results_is_what_was_played_and_leads_to_its_matrix(here):
    add(write("mine.py", PLAIN), "--no-check", "--setting", "copeland")
    (path,) = (here / "results" / "leaderboard-mine").glob("*.yaml")
    spec, results = load_spec(path), open_results(path.with_suffix(""))
    assert json.loads(json.dumps(spec.canonical())) == results.spec
    board = load_spec(here / "copeland.yaml")
    assert [one.matrix.sha256 for one in spec.problems] == [one.matrix.sha256 for one in board.problems]
    assert (spec.seed, spec.runs, spec.checkpoints) == (board.seed, board.runs, board.checkpoints)
    (plan,) = running.plans_of([path], here / "results" / "leaderboard-mine")
    assert plan.n_todo == 0


def test_runs_that_are_there_are_kept_and_an_algorithm_with_none_to_play_is_not_tried(here):
    add(write("mine.py", PLAIN), "--no-check")
    added = addition("mine.py")
    assert added.n_todo == 0
    (lost, *_) = sorted((here / "results").rglob("run-*.npz"))
    lost.unlink()
    tried = []
    again = adding.addition(
        read(Path(FILE)), "mine.py", parts.Choice(horizon=1000), Path("results"), 1e9, lambda one: tried.append(one.id)
    )
    assert again.n_todo == 1
    assert tried == ["commit"]


def test_an_algorithm_is_not_played_where_its_assumption_does_not_hold(here):
    added = addition(write("mine.py", PLAIN.replace('assumes="copeland"', 'assumes="condorcet"')))
    assert {one.part.setting for one in added.planned} == {"order"}
    (left,) = added.not_played
    assert (left.part.setting, left.rule) == ("copeland", "assumes")
    with pytest.raises(InputError, match="assumes a Condorcet winner, which these matrices do not have"):
        addition("mine.py", settings=["copeland"])


def test_an_algorithm_that_refuses_a_matrix_is_left_out_of_its_setting(here):
    refusing = PLAIN.replace(
        "def start",
        "def refuses(n_arms, horizon, *, each):\n    return 'no three' if n_arms == 3 else None\n\n\ndef start",
    )
    added = addition(write("mine.py", refusing.replace("compiled=False", "compiled=False, refuses=refuses")))
    assert [one.part.setting for one in added.planned] == ["copeland"]
    assert "no three" in added.not_played[0].words


def test_what_takes_too_long_is_played_to_a_shorter_horizon_and_said(here, monkeypatch):
    monkeypatch.setattr(parts, "measure", lambda play, horizon, *_: horizon / 10)  # 100 s for 1000 rounds
    added = addition(write("mine.py", PLAIN), minutes=6)  # 12 runs on two matrices, and 4 on the third
    assert [(one.part.setting, one.part.horizons, one.seconds) for one in added.planned] == [
        ("order", (100,), 120.0),
        ("copeland", (100,), 40.0),
    ]
    assert [(one.part.setting, one.horizons, one.rule) for one in added.not_played] == [
        ("order", (1000,), "time"),
        ("copeland", (1000,), "time"),
    ]
    assert "--minutes 20 plays it" in added.not_played[0].words
    with pytest.raises(InputError, match="nothing of the leaderboard is left to play"):
        addition("mine.py", minutes=0)
    for horizon in (50, 500, 2000):
        with pytest.raises(InputError, match=f"--horizon {horizon}: the leaderboard has 100, 1e3; take one of these"):
            addition("mine.py", horizon=horizon)


def test_the_pace_between_two_numbers_of_arms_follows_a_power(monkeypatch):
    monkeypatch.setattr(parts, "measure", lambda play, horizon, *_: float(play(horizon)))
    monkeypatch.setattr(
        parts, "simulate", lambda one, matrix, horizon, **_: type("Trace", (), {"decisions": matrix.n_arms**2})
    )
    matrices = [registry_matrix(n_arms) for n_arms in (5, 2, 32)]
    assert parts.Pace(registry.get("random"), matrices).seconds(8, 100) == pytest.approx(64)


def registry_matrix(n_arms):
    from duelbench.problem.preferences import PreferenceMatrix

    return PreferenceMatrix(np.full((n_arms, n_arms), 0.5))


def test_an_algorithm_that_needs_the_horizon_is_played_to_each_of_the_boards(here):
    needing = PLAIN.replace("anytime=True", "anytime=False")
    first, _ = addition(write("mine.py", needing)).planned
    assert first.part.spec.entries[0].horizons == (100, 1000)
    assert {one.cell.identity.horizon for one in first.plan.cells} == {100, 1000}
    shorter = addition("mine.py", horizon=100).planned[0]
    assert shorter.part.spec.name == "commit-order-100"
    assert shorter.part.spec.checkpoints == (10, 100)


def test_two_algorithms_of_one_name_are_told_apart_by_their_ids(here):
    second = "\nfrom dataclasses import replace\nOTHER = replace(COMMIT, id='other', name='COMMIT')\n"
    added = addition(write("mine.py", PLAIN + second))
    assert added.labels == {"commit": "Commit (commit)", "other": "COMMIT (other)"}
    assert addition_labels("taken.py", PLAIN.replace('"commit", name="Commit"', '"mine", name="rucb"')) == {
        "mine": "rucb (mine)"
    }


def addition_labels(name, text):
    return addition(write(name, text)).labels


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def start(:\n", "mine.py"),
        ("x = 1\n", "holds no duelbench Algorithm"),
        (PLAIN.replace('id="commit"', 'id="rucb"'), "there is another algorithm with the id 'rucb'"),
        (PLAIN.replace("return i, j, missing", "return i, j + t // 200 * 99, 1"), "commit fails the check"),
    ],
    ids=["syntax", "nothing", "taken", "wrong"],
)
def test_a_plug_in_that_is_wrong_is_refused_before_anything_is_written(here, text, said):
    before = {*Path().iterdir()}
    result = add(write("mine.py", text), code=2)
    assert isinstance(result.exception, InputError)
    assert said in str(result.exception)
    assert {*Path().iterdir()} - {Path("mine.py"), Path("__pycache__")} == before


def test_an_algorithm_that_raises_in_the_middle_ends_the_command_and_the_same_command_goes_on(here):
    raising = PLAIN.replace("    winner = leader(state.wins)\n    return", "    winner = 1 // (t < 20)\n    return")
    result = add(write("mine.py", raising), "--no-check", "--horizon", 1000, code=3)
    assert result.exception.exit_code == 3
    assert "the same command tries" in str(result.exception)


def test_a_dry_run_writes_nothing_and_says_what_would_be_played(here):
    text = add(write("mine.py", PLAIN), "--dry-run", "--no-check").stdout
    assert "16 runs to play" in text
    assert not Path("results").exists()
    content = found("mine.py", "--dry-run", "--no-check")
    assert [(one["setting"], one["runs"]) for one in content["parts"]] == [("order", 12), ("copeland", 4)]


def test_the_tables_mark_what_was_added_and_say_where_it_stands(here):
    text = add(write("mine.py", PLAIN), "--no-check").stdout
    marked = [line for line in text.splitlines() if line.startswith(">")]
    assert len(marked) == 4  # two settings, two horizons
    assert all("Commit" in line for line in marked)
    assert max(map(len, text.splitlines())) <= 80
    assert "Commit: " in text
    assert "results and their specs: results/leaderboard-mine" in text
    rows = found("mine.py")["tables"][0]["rows"]
    assert [row["label"] for row in rows if row["added"]] == ["Commit"]


def test_a_board_whose_spec_is_not_here_or_has_other_matrices_is_refused(here):
    write("mine.py", PLAIN)
    Path("circle.csv").write_text("0.5,0.9,0.3\n0.1,0.5,0.7\n0.7,0.3,0.5\n")
    with pytest.raises(InputError, match=r"copeland.yaml: circle there is not what it is on the leaderboard"):
        addition("mine.py")
    Path("order.yaml").unlink()
    with pytest.raises(InputError, match=r"order.yaml: the leaderboard was played from this spec, which is not here"):
        addition("mine.py")


def test_the_status_of_all_results_does_not_take_what_was_added_for_lost(here):
    add(write("mine.py", PLAIN), "--no-check", "--setting", "copeland")
    running.run(here / "copeland.yaml", here / "results", jobs=1, quiet=True)
    result = runner.invoke(app, ["status", "results"])
    assert result.exit_code == 0, result.output + str(result.exception)
