"""Claims about ``python -m duelbench.leaderboard``."""

import json
import subprocess
import sys

from tests.figures.made_up import make_results


def build(*arguments):
    """What became of building a leaderboard."""
    command = [sys.executable, "-m", "duelbench.leaderboard", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_incomplete_results_write_nothing_unless_asked_for_and_then_data_digests_and_a_page(here):
    results = make_results(here / "made")
    next(results.rglob("run-*.npz")).unlink()
    told = build(results, "-o", "board")
    assert told.returncode == 4 and "3 of 4 runs" in told.stderr and not (here / "board").exists()
    told = build(results, "-o", "board", "--allow-partial")
    assert told.returncode == 0 and "3 of 4 runs" in told.stderr
    assert told.stdout.splitlines()[:3] == ["board/leaderboard.json", "board/digests.csv", "board/index.html"]
    assert json.loads((here / "board" / "leaderboard.json").read_text())["format"] == 1
    assert len((here / "board" / "digests.csv").read_text().splitlines()) == 16
