"""Claims about ``duelbench leaderboard build``."""

import json

import pytest
from typer.testing import CliRunner

from duelbench.cli.app import app
from duelbench.errors import IncompleteResults, InputError
from tests.figures.made_up import make_results


def _build(*arguments, fails=None):
    result = CliRunner().invoke(app, ["leaderboard", "build", *map(str, arguments)])
    if fails is None:
        assert result.exit_code == 0, result.exception or result.output
    else:
        assert isinstance(result.exception, fails), result.output
    return result


@pytest.fixture
def results(tmp_path):
    return make_results(tmp_path)


def test_a_folder_gets_data_digests_and_a_page(results, tmp_path):
    board = tmp_path / "board"
    *said, following = _build(results, "-o", board).stdout.splitlines()
    assert following == f"next: duelbench leaderboard show --summary {board / 'leaderboard.json'}"
    assert said == [str(board / name) for name in ("leaderboard.json", "digests.csv", "index.html")]
    assert json.loads((board / "leaderboard.json").read_text())["format"] == 1
    assert len((board / "digests.csv").read_text().splitlines()) == 17
    assert "RUCB" in (board / "index.html").read_text()


def test_a_second_time_gives_the_same_bytes(results, tmp_path):
    _build(results, "-o", tmp_path / "board")
    before = {path.name: path.read_bytes() for path in (tmp_path / "board").iterdir()}
    _build(results, "-o", tmp_path / "board")
    assert {path.name: path.read_bytes() for path in (tmp_path / "board").iterdir()} == before


def test_files_of_something_else_are_not_written_over(results, tmp_path):
    home = tmp_path / "site"
    home.mkdir()
    (home / "index.html").write_text("my home page")
    error = _build(results, "-o", home, fails=InputError).exception
    assert "index.html in it would be written over" in str(error)
    assert (home / "index.html").read_text() == "my home page"


def test_a_file_is_no_folder(results, tmp_path):
    assert "this is a file" in str(_build(results, "-o", results / "manifest.json", fails=InputError).exception)


def test_incomplete_results_write_nothing(results, tmp_path):
    next(results.rglob("run-*.npz")).unlink()
    _build(results, "-o", tmp_path / "board", fails=IncompleteResults)
    assert not (tmp_path / "board").exists()
    partial = _build(results, "-o", tmp_path / "board", "--allow-partial")
    assert "3 of 4 runs" in partial.stderr


def test_a_folder_without_results_is_refused(tmp_path):
    _build(tmp_path, fails=InputError)
    _build(tmp_path / "nothing", fails=InputError)
