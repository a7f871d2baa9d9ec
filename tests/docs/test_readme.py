"""What the documentation shows is true: commands of the README run, names it mentions exist, links lead somewhere."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
PAGES = sorted(
    [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")), *(ROOT / "docs").rglob("*.md")]
)

SET_UP = ("make ", "source ", "git ", "pip ")
"""Beginnings of commands that set the machine up. Those of make are checked against the Makefile."""

LIMIT_SECONDS = 120


class Block(NamedTuple):
    """A code block of the README: ``language`` is what stands behind the opening backquotes."""

    language: str
    content: str


class Command(NamedTuple):
    """A line after ``$`` in a console block, and the output shown below it."""

    line: str
    output: str


def blocks() -> list[Block]:
    """All code blocks of the README, in their order."""
    return [Block(*found) for found in re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)]


def commands(content: str) -> list[Command]:
    """The commands of a console block."""
    parts = re.split(r"^\$ ", content, flags=re.MULTILINE)[1:]
    return [Command(line, output) for line, _, output in (part.partition("\n") for part in parts)]


def shape(text: str) -> str:
    """Output without its numbers and the widths of its columns, which may differ from machine to machine."""
    return re.sub(r"\s+", " ", re.sub(r"\d+(\.\d+)?", "0", text)).strip()


def agrees(shown: str, real: str) -> bool:
    """Whether real output has the shape that is shown, ``...`` standing for anything."""
    pattern = ".*".join(re.escape(part.strip()) for part in shape(shown).split("..."))
    return re.fullmatch(pattern, shape(real), re.DOTALL) is not None


def run(line: str | list[str], folder: Path) -> "subprocess.CompletedProcess[str]":
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        line,
        shell=isinstance(line, str),
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
    )


def check_command(command: Command, folder: Path) -> None:
    """Run a command; it must print what is shown, and end with 0, or with 2 where an error is shown."""
    if command.line.startswith(SET_UP):
        return
    done = run(command.line, folder)
    is_refused = command.output.startswith("error:")
    assert done.returncode == (2 if is_refused else 0), f"{command.line}\n{done.stderr}"
    real = done.stderr if is_refused else done.stdout
    assert agrees(command.output, real), f"{command.line}\nprints\n{real}\nand not\n{command.output}"


def save_spec(text: str, folder: Path) -> None:
    name = re.match(r"# (\S+\.yaml)\n", text)
    assert name, f"a spec in the README must begin with its file's name:\n{text}"
    (folder / name[1]).write_text(text)


def test_the_readme_can_be_followed_from_top_to_bottom(tmp_path):
    """In a folder with the configs and matrices alone: specs are saved, commands and Python are run."""
    for name in ("configs", "matrices"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for block in blocks():
        if block.language == "yaml":
            save_spec(block.content, tmp_path)
        if block.language == "console":
            for command in commands(block.content):
                check_command(command, tmp_path)
        if block.language == "python":
            done = run([sys.executable, "-W", "error", "-c", block.content], tmp_path)
            assert done.returncode == 0, f"{block.content}\n{done.stderr}"


def test_there_is_something_to_follow():
    lines = [command.line for block in blocks() for command in commands(block.content) if block.language == "console"]
    assert len([line for line in lines if line.startswith("duelbench ")]) > 10
    assert {"make run", "make test"} <= set(lines)
    assert len([block for block in blocks() if block.language == "python"]) >= 3


def test_another_number_of_words_is_another_shape():
    assert agrees("20 runs, 1.5 s\n...\nend", "7 runs,  12.25 s\nanything\nat all\nend")
    assert not agrees("20 runs", "no runs")
    assert not agrees("20 runs", "20 runs failed")


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("run", ["duelbench run configs/mslr5.yaml", "duelbench plot results/"]),
        ("test", ["ruff check .", "mypy", "pytest"]),
    ],
)
def test_make_does_all_its_own_set_up(tmp_path, target, expected):
    (tmp_path / "configs").mkdir()
    for name in ("Makefile", "pyproject.toml", "configs/figures.mk"):
        shutil.copy(ROOT / name, tmp_path / name)
    done = run(["make", "--no-print-directory", "--dry-run", target], tmp_path)
    assert done.returncode == 0, done.stderr
    steps = ["-m venv .venv", "pip install --quiet --editable .", *expected]
    assert all(step in done.stdout for step in steps)
    assert [done.stdout.index(step) for step in steps] == sorted(done.stdout.index(step) for step in steps)


def test_the_run_of_the_readme_has_as_many_runs_as_it_says():
    from duelbench.experiment.cells import cells
    from duelbench.experiment.spec import load

    n_runs = sum(cell.n_runs for cell in cells(load(ROOT / "configs" / "mslr5.yaml")))
    assert f"{n_runs:,} runs" in README


def test_every_test_that_the_readme_names_exists():
    named = re.findall(r"`(tests/[\w/]+\.py)?(?:::(\w+))?`", README)
    assert len([path for path, _ in named if path]) > 15
    text = ""
    for path, name in named:
        if path:
            text = (ROOT / path).read_text()
        assert not name or re.search(rf"^\s*def {name}\(", text, re.MULTILINE), name


def test_every_key_of_a_spec_is_explained():
    from duelbench.experiment.document import Document

    explained = re.findall(r"^\| `(\w+)` \|", README, re.MULTILINE)
    assert explained == list(Document.model_fields)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"https?://", target):
            continue
        path, _, heading = target.partition("#")
        aim = (page.parent / path).resolve() if path else page
        assert aim.exists(), target
        if heading:
            assert heading in headings(aim), target


def headings(page: Path) -> set[str]:
    """The anchors of a page's headings."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def test_the_index_links_every_page_and_every_algorithm():
    from duelbench.algorithms.registry import BUILT_IN

    index = ROOT / "docs" / "index.md"
    linked = {(index.parent / target).resolve() for target in re.findall(r"\]\(([^)\s#]+)", index.read_text())}
    algorithms = ROOT / "docs" / "algorithms"
    wanted = [page for page in PAGES if page != index and page.parent != algorithms]
    wanted += [algorithms / f"{id}.md" for id in BUILT_IN]
    missing = [str(page.relative_to(ROOT)) for page in wanted if page not in linked]
    assert not missing, f"docs/index.md does not link {', '.join(missing)}"


def test_the_picture_is_small():
    assert (ROOT / "docs" / "images" / "mslr5.png").stat().st_size < 150_000


def test_scripts_of_your_own_in_the_clone_are_not_checked(tmp_path):
    """What does not pass is the same in both places."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for folder in (tmp_path, tmp_path / "duelbench"):
        folder.mkdir(exist_ok=True)
        (folder / "mine.py").write_text("import os\nx=1\n")
        (folder / "__init__.py").touch()
    for check in (["check", "."], ["format", "--check", "."]):
        done = run([str(Path(sys.executable).parent / "ruff"), *check, "--no-cache"], tmp_path)
        assert done.returncode == 1
        places = set(re.findall(r"\S*mine\.py", done.stdout + done.stderr))
        assert places and all("duelbench" in Path(place.partition(":")[0]).parts for place in places), places
