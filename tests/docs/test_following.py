"""What pages tell their reader to do can be done, and prints what they show."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from duelbench.cli.app import app
from duelbench.experiments.spec.load import load
from tests.docs.following import ROOT, blocks, commands, follow
from tests.experiments.figures.made_up import make_results

TUTORIALS = sorted(path.stem for path in (ROOT / "docs" / "tutorial").glob("*.md"))


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """One with the configs, matrices and examples alone, and nothing fetched."""
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    for name in ("configs", "matrices", "docs/examples"):
        shutil.copytree(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.mark.compiled
def test_the_readme_can_be_followed_from_top_to_bottom(folder, monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME")  # what is compiled is there
    follow(page("README.md"), folder)


DOORS = re.compile(r"^\| `(duelbench .*?)` \| `(duelbench .*?)` \|$", re.MULTILINE)


def test_the_commands_on_the_first_screen_of_the_readme_and_the_index_work_as_printed(folder, monkeypatch):
    of_readme, of_index = (DOORS.findall(page(name)) for name in ("README.md", "docs/index.md"))
    assert len(of_readme) == 1 and of_readme == of_index
    ((left, right),) = of_readme
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(app, [*shlex.split(left)[1:], "--dry-run"], catch_exceptions=False)
    assert done.exit_code == 0 and "700 runs to do" in done.stdout
    assert right.endswith(" --web")
    words = [*shlex.split(right.removesuffix(" --web"))[1:], "--budget", "1"]
    done = CliRunner().invoke(app, words, input="1\n", catch_exceptions=False)
    assert done.exit_code == 0 and "1 answer" in done.output


def test_the_page_on_ranking_votes_can_be_followed(folder):
    follow(page("docs/rank.md"), folder)
    assert all((folder / name).exists() for name in ("report.html", "strengths.svg", "answers.csv"))


LONGEST = "eight-prompts"
"""A tutorial whose scripts hold hundreds of live sessions."""


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name", [*(f"tutorial/{name}" for name in TUTORIALS if name != LONGEST), "matrices", "scripts"]
)
def test_a_page_can_be_followed_from_top_to_bottom(name, folder, monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME")
    follow(page(f"docs/{name}.md"), folder)


@pytest.mark.slow
def test_the_tutorial_on_live_sessions_can_be_followed_from_top_to_bottom(folder, monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME")
    follow(page(f"docs/tutorial/{LONGEST}.md"), folder)


# Pages on results: the regret is made up.


def follow_on_results(text: str, *specs: str) -> None:
    """Follow a page in the working folder, where there are made-up results of ``specs``."""
    for k, spec in enumerate(specs):
        name = re.search(r"^name: (\w+)", spec, re.MULTILINE)[1]
        escaped = spec.replace("{", "{{").replace("}", "}}")
        make_results(Path(), name, spec=escaped, factor=lambda label, run, k=k: (k + 1) * len(label) + run)
    for language, content in blocks(text):
        if language == "yaml":
            Path("spec.yaml").write_text(content)
            assert load("spec.yaml").entries
        if language == "python":
            exec(content, {})
        for command in commands(content) if language == "console" else ():
            done = CliRunner().invoke(app, shlex.split(command.line)[1:], catch_exceptions=False)
            assert (done.exit_code, done.stdout) == (0, command.output), done.output
            assert "cuts texts off" not in done.stderr


@pytest.mark.slow
def test_the_page_on_figures_for_papers_can_be_followed(folder, monkeypatch):
    monkeypatch.chdir(folder)
    text = page("docs/figures/for-papers.md")
    paper = blocks(text)[0].content.replace("horizon: 1e5", "horizon: 1e3").replace("runs: 100", "runs: 8")
    second = paper.replace("name: paper", "name: second").replace("cyclic", "mslr5-condorcet")
    follow_on_results(text, paper + "checkpoints: 20\n", second + "checkpoints: 20\n")


@pytest.mark.thorough
def test_the_page_on_results_in_python_can_be_followed(folder, monkeypatch):
    monkeypatch.chdir(folder)
    spec = "name: first\nmatrix: two.csv\nhorizon: 1000\nruns: 4\ncheckpoints: [1, 10, 100]\nalgorithms: [d-ts, random]"
    make_results(folder, "first", spec=spec)
    follow_on_results(page("docs/results-in-python.md"))
    assert all(Path(name).exists() for name in ("both.pdf", "both.csv", "two.csv", "curves.csv", "runs.csv"))


@pytest.mark.parametrize("name", ["docs/figures/README.md", "docs/identification.md"])
def test_the_specs_on_a_page_can_be_run(name, folder):
    specs = [content for language, content in blocks(page(name)) if language == "yaml"]
    assert specs
    for text in specs:
        (folder / "spec.yaml").write_text(text.replace("../../matrices", "matrices"))
        assert load(folder / "spec.yaml").entries


@pytest.mark.parametrize(
    ("target", "expected"),
    [("run", ["duelbench run configs/mslr5.yaml", "duelbench plot results/"]), ("test", ["/pytest "])],
)
def test_make_does_all_its_own_set_up(folder, target, expected):
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, folder / name)
    words = ["make", "--no-print-directory", "--dry-run", target]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True)
    places = [done.stdout.find(step) for step in ("-m venv .venv", "--editable .", *expected)]
    assert -1 not in places and places == sorted(places)
