"""An algorithm of one's own on the leaderboard: it plays what the others played, and stands where they would put it."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from duelbench.algorithms import registry
from duelbench.api import running
from duelbench.cli.app import app
from duelbench.errors import InputError
from duelbench.leaderboard import adding, parts
from duelbench.leaderboard.building import build
from duelbench.leaderboard.summary import FILE, decode_correlations, encode_correlations, read
from duelbench.leaderboard.tables import tables
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.results.experiments import load_experiments
from duelbench.results.manifest import open_results
from duelbench.spec.load import load as load_spec
from tests.leaderboard.conftest import HORIZONS
from tests.plug_ins import PLAIN

runner = CliRunner()


@pytest.fixture
def here(board, tmp_path, monkeypatch, load):
    """A folder of one's own with the specs of the board, in which plug-ins are loaded as by a new process."""
    for name in (FILE, "order.yaml", "copeland.yaml", "circle.csv"):
        (tmp_path / name).write_bytes((board / name).read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(text):
    Path("mine.py").write_text(text)
    return "mine.py"


def add(*arguments, code=0):
    words = ["leaderboard", "add", *map(str, arguments), "--summary", FILE, "-j", "1"]
    result = runner.invoke(app, words)
    if code == 0 and result.exception:
        raise result.exception
    return result


def addition(plug_in="mine.py", minutes=1e9, tell=lambda one: None, **choice):
    choice = {"horizon": 200, **choice}
    return adding.addition(read(Path(FILE)), plug_in, Path("results"), minutes, first=tell, **choice)


@pytest.mark.thorough
def test_it_stands_where_it_would_if_all_had_been_played_together_without_what_runs_have_in_common(here, board):
    text = add(write(PLAIN), "--no-check", "-o", "whole").stdout
    whole = read(here / "whole" / FILE)
    folders = sorted((here / "results" / "leaderboard-mine").glob("*/"))
    together = build(load_experiments([board / "results", *folders]), HORIZONS)

    def comparable(summary, table):
        return {**vars(table), "algorithms": [summary.algorithms[number].label for number in table.algorithms]}

    def played(summary):
        return {
            (summary.problems[one.problem].name, one.horizon): (one.digest, one.regret, one.right)
            for one in summary.cells
            if summary.algorithms[one.algorithm].label == "Commit"
        }

    expected = [comparable(together, one) for one in tables(without_correlations_of("Commit", together))]
    assert [comparable(whole, one) for one in whole.tables] == expected
    assert any("Commit" in one["algorithms"] for one in expected)
    assert played(whole) == played(together)
    # What the others have in common stays, and what a new one has in common with them is not known.
    key = f"{[one.name for one in whole.problems].index('linear')}/200/copeland"
    before = decode_correlations(read(Path(FILE)).correlations[key], 4)
    after = decode_correlations(whole.correlations[key], 5)
    assert np.array_equal(after[:4, :4], before) and (before[np.triu_indices(4, 1)] != 0).any()
    assert (after[4, :4] == 0).all()
    # The page, the digests and what is printed hold it, too, and it cannot be added twice.
    assert "Commit" in (here / "whole" / "index.html").read_text(encoding="utf-8")
    assert "commit-order-200" in (here / "whole" / "digests.csv").read_text(encoding="utf-8")
    marked = [line for line in text.splitlines() if line.startswith(">")]
    assert len(marked) == 4 and all("Commit" in line for line in marked)  # two settings, two horizons
    again = runner.invoke(app, ["leaderboard", "add", "mine.py", "--summary", "whole/leaderboard.json"])
    assert "'commit' already" in str(again.exception)


def without_correlations_of(label, summary):
    mine = [one.label for one in summary.algorithms].index(label)
    found = {}
    for key, text in summary.correlations.items():
        problem, horizon, regret = key.split("/")
        here = [one for one in summary.cells if (one.problem, one.horizon) == (int(problem), int(horizon))]
        there = sorted({one.algorithm for one in here if regret in one.regret})
        matrix = decode_correlations(text, len(there))
        if mine in there:
            matrix[there.index(mine), :] = matrix[:, there.index(mine)] = 0
        found[key] = encode_correlations(matrix)
    return replace(summary, correlations=found)


@pytest.mark.thorough
def test_the_spec_beside_the_results_is_what_was_played_and_runs_that_are_there_are_not_played_again(here):
    add(write(PLAIN), "--no-check", "--setting", "copeland")
    (path,) = (here / "results" / "leaderboard-mine").glob("*.yaml")
    spec, results = load_spec(path), open_results(path.with_suffix(""))
    assert json.loads(json.dumps(spec.canonical())) == results.spec
    board = load_spec(here / "copeland.yaml")
    assert [one.matrix.sha256 for one in spec.problems] == [one.matrix.sha256 for one in board.problems]
    assert (spec.seed, spec.runs, spec.checkpoints) == (board.seed, board.runs, board.checkpoints)
    (plan,) = running.plans_of([path], here / "results" / "leaderboard-mine")
    assert plan.n_todo == 0
    tried = []
    assert addition(settings=["copeland"], tell=lambda one: tried.append(one.id)).n_todo == 0 and not tried
    next((here / "results").rglob("run-*.npz")).unlink()
    assert addition(settings=["copeland"], tell=lambda one: tried.append(one.id)).n_todo == 1 and tried == ["commit"]


def test_an_algorithm_is_not_played_where_it_assumes_otherwise_or_refuses_a_matrix(here):
    added = addition(write(PLAIN.replace('assumes="copeland"', 'assumes="condorcet"')))
    assert {one.part.setting for one in added.planned} == {"order"}
    assert [(one.part.setting, one.rule) for one in added.not_played] == [("copeland", "assumes")]
    with pytest.raises(InputError, match="assumes a Condorcet winner"):
        addition(settings=["copeland"])
    refuses = "def refuses(n_arms, horizon, *, each):\n    return 'no three' if n_arms == 3 else None\n\n\ndef start"
    refusing = PLAIN.replace("def start", refuses).replace("compiled=False", "compiled=False, refuses=refuses")
    Path("refusing.py").write_text(refusing.replace('id="commit"', 'id="refusing"'))
    added = addition("refusing.py")
    assert [one.part.setting for one in added.planned] == ["copeland"] and "no three" in added.not_played[0].words


def test_what_takes_too_long_is_played_to_a_shorter_horizon_and_said(here, monkeypatch):
    monkeypatch.setattr(parts, "measure", lambda play, horizon, *_: horizon / 2)  # 100 s for 200 rounds
    added = addition(write(PLAIN), minutes=6)  # 12 runs on two matrices, and 4 on the third
    assert [(one.part.setting, one.part.horizons, one.seconds) for one in added.planned] == [
        ("order", (50,), 300.0),
        ("copeland", (50,), 100.0),
    ]
    assert [(one.horizons, one.rule) for one in added.not_played] == [((200,), "time"), ((200,), "time")]
    with pytest.raises(InputError, match=r"nothing .* is left to run"):
        addition(minutes=0)
    with pytest.raises(InputError, match="horizon 100: the leaderboard has 50, 200"):
        addition(horizon=100)


def test_the_pace_between_two_numbers_of_arms_follows_a_power(monkeypatch):
    monkeypatch.setattr(parts, "measure", lambda play, horizon, *_: float(play(horizon)))
    monkeypatch.setattr(
        parts, "simulate", lambda one, matrix, horizon, **_: type("Trace", (), {"decisions": matrix.n_arms**2})
    )
    matrices = [PreferenceMatrix(np.full((n_arms, n_arms), 0.5)) for n_arms in (5, 2, 32)]
    assert parts.pace(registry.get("random"), matrices)(8, 100) == pytest.approx(64)


def test_an_algorithm_that_needs_the_horizon_is_played_to_each_of_the_boards(here):
    first, _ = addition(write(PLAIN.replace("anytime=True", "anytime=False"))).planned
    assert first.part.spec.entries[0].horizons == (50, 200)
    assert {one.cell.identity.horizon for one in first.plan.cells} == {50, 200}
    shorter = addition(horizon=50).planned[0]
    assert shorter.part.spec.name == "commit-order-50" and shorter.part.spec.checkpoints == (10, 50)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1\n", "no duelbench Algorithm"),
        (PLAIN.replace('id="commit"', 'id="rucb"'), "'rucb'"),
        (PLAIN.replace("return i, j, missing", "return i, j + t // 200 * 99, 1"), "commit fails the check"),
    ],
    ids=["nothing", "taken", "wrong"],
)
def test_a_plug_in_that_is_wrong_is_refused_before_anything_is_written(here, text, said):
    before = {*Path().iterdir()}
    result = add(write(text), code=2)
    assert isinstance(result.exception, InputError) and said in str(result.exception)
    assert {*Path().iterdir()} - {Path("mine.py"), Path("__pycache__")} == before


def test_a_board_whose_spec_is_not_here_or_has_other_matrices_is_refused(here):
    write(PLAIN)
    Path("circle.csv").write_text("0.5,0.9,0.3\n0.1,0.5,0.7\n0.7,0.3,0.5\n")
    with pytest.raises(InputError, match=r"copeland.yaml: circle"):
        addition()
    Path("order.yaml").unlink()
    with pytest.raises(InputError, match=r"order.yaml: .* not here"):
        addition()


def test_a_dry_run_writes_nothing_and_says_what_would_be_played(here):
    content = json.loads(add(write(PLAIN), "--dry-run", "--no-check", "--json").stdout)
    assert [(one["setting"], one["runs"]) for one in content["parts"]] == [("order", 12), ("copeland", 4)]
    assert not Path("results").exists()
