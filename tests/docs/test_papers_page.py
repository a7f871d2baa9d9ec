"""The page on figures for papers can be followed."""

import re
import shlex
import shutil

import pytest
from typer.testing import CliRunner

from duelbench.cli.app import app
from duelbench.spec.figure_key import LEGENDS, STYLES
from duelbench.spec.load import load
from tests.docs.test_readme import ROOT, commands
from tests.figures.made_up import make_results

PAGE = (ROOT / "docs" / "figures" / "for-papers.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
MOST_BYTES = 60_000


@pytest.fixture
def followed(tmp_path, monkeypatch):
    """A folder with the experiments of the page, whose regret is made up."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "matrices", "matrices")
    spec = BLOCKS[0][1].replace("horizon: 1e5", "horizon: 1e3").replace("runs: 100", "runs: 8") + "checkpoints: 20\n"
    text = spec.replace("{", "{{").replace("}", "}}")
    make_results(tmp_path, "first", spec=text, factor=lambda label, run: len(label) + run)
    second = text.replace("first", "second").replace("cyclic", "mslr5-condorcet")
    make_results(tmp_path, "second", spec=second, factor=lambda label, run: 2 * len(label) + run)
    return tmp_path


def test_the_page_can_be_followed_from_top_to_bottom(followed):
    for language, content in BLOCKS:
        if language == "yaml":
            (followed / "spec.yaml").write_text(content)
            assert load(followed / "spec.yaml").entries
        if language == "python":
            exec(content, {})
        for command in commands(content) if language == "console" else ():
            done = CliRunner().invoke(app, shlex.split(command.line)[1:])
            assert (done.exit_code, done.stdout) == (0, command.output), done.output
            assert "cuts texts off" not in done.stderr
    assert [language for language, _ in BLOCKS].count("console") == 5


def test_the_page_lists_every_style_and_place_of_a_legend():
    listed = re.findall(r"^\| `([a-z][a-z-]*)` \|", PAGE, re.MULTILINE)
    assert sorted(listed) == sorted([*STYLES, *LEGENDS])


def test_the_pictures_of_the_page_are_small():
    pictures = [ROOT / "docs" / "figures" / path for path in re.findall(r"!\[.*?\]\((.*?)\)", PAGE)]
    assert len(pictures) == 6
    assert [path.name for path in pictures if path.stat().st_size > MOST_BYTES] == []
