"""Claims about ``duelbench leaderboard build``."""

import json

from duelbench.errors import IncompleteResults
from tests.cli.commands import done, failed
from tests.figures.made_up import make_results


def _build(*arguments):
    return done("leaderboard", "build", *arguments)


def test_incomplete_results_write_nothing_unless_asked_for(here):
    results = make_results(here / "made")
    next(results.rglob("run-*.npz")).unlink()
    failed(IncompleteResults, "leaderboard", "build", results, "-o", "board")
    assert not (here / "board").exists()
    assert "3 of 4 runs" in _build(results, "-o", "board", "--allow-partial").stderr


def test_a_folder_gets_data_digests_and_a_page(here):
    said = _build(make_results(here / "made"), "-o", "board").stdout.splitlines()
    assert said[:3] == ["board/leaderboard.json", "board/digests.csv", "board/index.html"]
    assert json.loads((here / "board" / "leaderboard.json").read_text())["format"] == 1
    assert len((here / "board" / "digests.csv").read_text().splitlines()) == 17
