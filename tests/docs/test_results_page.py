"""The page on results in Python can be followed."""

import re
import shutil

from typer.testing import CliRunner

from duelbench.cli.app import app
from tests.docs.test_readme import ROOT, commands
from tests.figures.made_up import make_results

PAGE = (ROOT / "docs" / "results-in-python.md").read_text()

SPEC = """
name: {name}
matrix: two.csv
horizon: 1000
runs: {runs}
checkpoints: [1, 10, 100]
algorithms: [d-ts, random]
"""


def test_the_page_can_be_followed_from_top_to_bottom(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "matrices", "matrices")
    make_results(tmp_path, "first", spec=SPEC)
    languages = []
    for language, content in re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        languages.append(language)
        if language == "python":
            exec(content, {})
        for command in commands(content) if language == "console" else ():
            done = CliRunner().invoke(app, command.line.split()[1:], catch_exceptions=False)
            assert (done.exit_code, done.stdout) == (0, command.output)
    assert languages == ["python", "python", "python", "python", "console"]
    assert {"both.pdf", "both.csv", "two.csv", "curves.csv", "runs.csv"} <= {path.name for path in tmp_path.iterdir()}


def test_the_page_names_everything_that_results_have():
    from duelbench import Results

    public = [name for name in vars(Results) if not name.startswith("_")]
    unnamed = {"name", "folder", "definitions", "experiment"}
    assert [name for name in public if f"`{name}" not in PAGE and name not in unnamed] == []
