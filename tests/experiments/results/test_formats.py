"""Promise 11: results stay readable. ``format-<n>`` holds results as the first release with that format wrote them.

Never written again: a reader that cannot read them is wrong. ``expected.json`` says what is in them.
"""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from duelbench.cli.app import app
from duelbench.experiments.results.manifest import open_results

FORMATS = sorted(Path(__file__).parent.glob("format-*"))


def test_there_is_an_example_of_every_format():
    from duelbench.bandits.simulation.terms import FORMAT

    assert [path.name for path in FORMATS] == [f"format-{version}" for version in range(1, FORMAT + 1)]


@pytest.mark.parametrize("folder", FORMATS, ids=lambda path: path.name)
def test_results_of_every_format_are_read_as_they_were_written(folder):
    expected = json.loads((folder / "expected.json").read_text())
    found = []
    for cell in open_results(folder / "demo").cells:
        for run in range(cell.n_runs):
            trace = cell.read(run).trace
            arrays = {"round": trace.rounds, "regret": trace.regret, "duels": trace.duels}
            arrays["recommended"] = trace.recommended
            found.append(
                {
                    "label": cell.label,
                    "run": run,
                    **{name: array.tolist() for name, array in arrays.items()},
                    "decisions": trace.decisions,
                }
            )
    assert found == expected
    assert CliRunner().invoke(app, ["status", str(folder)]).exit_code == 0
