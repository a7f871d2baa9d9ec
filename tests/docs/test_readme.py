"""What the documentation shows is true: commands of the README run, names it mentions exist, links lead somewhere."""

import contextlib
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from typer.testing import CliRunner

from duelbench.cli.app import app

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
PAGES = sorted(
    [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")), *(ROOT / "docs").rglob("*.md")]
)

SET_UP = ("make ", "source ", "git ", "pip ")
"""Beginnings of commands that set the machine up. Those of make are checked against the Makefile."""

MEASURES = "duelbench bench "
"""Beginning of commands whose numbers are times."""

READS = tuple(f"duelbench {name} " for name in ("plot", "report", "compare", "status", "show", "list", "matrix"))
"""Beginnings of commands that play nothing: no plug-in, no worker, no signal."""

MADE_IN = {
    "python": "3.11",
    "numpy": "2.4.6",
    "scipy": "1.17.1",
    "numba": "0.68.1",
    "system": "Linux",
    "machine": "x86_64",
}
"""Where the README's numbers were printed; elsewhere bits may differ, and means are compared within their errors."""

LIMIT_SECONDS = 120


class Block(NamedTuple):
    """A code block of the README: ``language`` is what stands behind the opening backquotes."""

    language: str
    content: str


class Command(NamedTuple):
    """A line after ``$`` in a console block, and the output shown below it."""

    line: str
    output: str


def blocks(page: str) -> list[Block]:
    """All code blocks of a page, in their order."""
    return [Block(*found) for found in re.findall(r"^```(\w+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)]


def commands(content: str) -> list[Command]:
    """The commands of a console block."""
    parts = re.split(r"^\$ ", content, flags=re.MULTILINE)[1:]
    return [Command(line, output) for line, _, output in (part.partition("\n") for part in parts)]


def agrees(shown: str, real: str) -> bool:
    """Whether real output is what is shown, ``...`` standing for anything; widths of columns then do not count."""
    if "..." not in shown:
        return shown.strip() == real.strip()
    pattern = ".*".join(re.escape(part.strip()) for part in _one_blank(shown).split("..."))
    return re.fullmatch(pattern, _one_blank(real), re.DOTALL) is not None


def _one_blank(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def shape(text: str) -> str:
    """Output without its numbers and the widths of its columns, which differ from machine to machine."""
    return _one_blank(re.sub(r"\d+(\.\d+)?", "0", text))


def agrees_within_errors(shown: str, real: str) -> bool:
    """Whether two reports have the same rows, with means that differ by five combined standard errors at most."""
    ours, theirs = report_rows(shown), report_rows(real)
    return ours.keys() == theirs.keys() and all(
        abs(mean - theirs[row][0]) <= 5 * math.hypot(sem, theirs[row][1]) for row, (mean, sem) in ours.items()
    )


def report_rows(text: str) -> dict[str, tuple[float, float]]:
    """Problem, algorithm, round and runs of each row of a report -> mean and standard error."""
    rows = re.findall(r"^(\S.*?\d+ +\d+) +([\d.]+) +([\d.]+) +[\d.]+ +[\d.]+ +[\d.]+ +\d+%$", text, re.MULTILINE)
    return {_one_blank(row): (float(mean), float(sem)) for row, mean, sem in rows}


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


def run_here(line: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """A command of duelbench in this process, which need not load it again."""
    with contextlib.chdir(folder):
        done = CliRunner().invoke(app, shlex.split(line, comments=True)[1:], catch_exceptions=False)
    return subprocess.CompletedProcess(line, done.exit_code, done.stdout, done.stderr)


def check_command(command: Command, folder: Path) -> None:
    """Run a command; it must print what is shown, and end with 0, or with 2 where an error is shown."""
    if command.line.startswith(SET_UP):
        return
    is_refused = command.output.startswith("error:")
    only_reads = command.line.startswith(READS) and not is_refused
    done = run_here(command.line, folder) if only_reads else run(command.line, folder)
    assert done.returncode == (2 if is_refused else 0), f"{command.line}\n{done.stderr}"
    real = done.stderr if is_refused else done.stdout
    assert prints(command, real), f"{command.line}\nprints\n{real}\nand not\n{command.output}"


def prints(command: Command, real: str) -> bool:
    """Whether a command prints what the README shows: to the last digit, but for what depends on the machine."""
    if command.line.startswith(MEASURES):
        return shape(command.output) == shape(real)
    if agrees(command.output, real):
        return True
    return present_environment() != MADE_IN and agrees_within_errors(command.output, real)


def present_environment() -> dict[str, str]:
    """What bits depend on; of Python's version the first two numbers."""
    from duelbench.results.environment import environment

    present = environment()
    return {name: ".".join(present[name].split(".")[:2]) if name == "python" else present[name] for name in MADE_IN}


def save(text: str, folder: Path) -> bool:
    """Save what begins with the name of a file under this name; whether it does."""
    name = re.match(r"# (\S+\.(?:yaml|py|csv|txt))\n", text)
    if name:
        (folder / name[1]).write_text(text)
    return name is not None


def follow(page: str, folder: Path) -> None:
    """Do what a page says, in a folder: what has a name is saved, commands and other Python are run."""
    for block in blocks(page):
        if block.language in ("yaml", "csv"):
            assert save(block.content, folder), f"it must begin with its file's name:\n{block.content}"
        if block.language == "console":
            for command in commands(block.content):
                check_command(command, folder)
        if block.language == "python" and not save(block.content, folder):
            done = run([sys.executable, "-W", "error", "-c", block.content], folder)
            assert done.returncode == 0, f"{block.content}\n{done.stderr}"


def test_the_readme_can_be_followed_from_top_to_bottom(tmp_path):
    """In a folder with the configs and matrices alone."""
    for name in ("configs", "matrices"):
        shutil.copytree(ROOT / name, tmp_path / name)
    follow(README, tmp_path)


def test_there_is_something_to_follow():
    shown = blocks(README)
    lines = [command.line for block in shown for command in commands(block.content) if block.language == "console"]
    assert len([line for line in lines if line.startswith("duelbench ")]) > 10
    assert {"make run", "make test"} <= set(lines)
    assert len([block for block in shown if block.language == "python"]) >= 3


def test_dots_stand_for_anything_and_every_other_digit_counts():
    assert agrees("20 runs, ...\nend", "20 runs,  12.25 s\nanything\nat all\nend")
    assert not agrees("20 runs, ...\nend", "21 runs,  12.25 s\nend")
    assert not agrees("20 runs", "20 runs failed")
    assert not agrees("20  runs", "20 runs")


SHOWN = "problem  algorithm       t  runs   mean    sem  median    q05    q95  winner\n"


def test_a_report_of_other_runs_is_not_what_the_readme_shows():
    row = "cyclic   D-TS       100000    20  361.2  19.48   337.5  260.8  506.1    100%\n"
    another = "cyclic   D-TS       100000    20  345.6  19.65   338.2  225.6  485.7    100%\n"
    report = Command("duelbench report results/first", SHOWN + row)
    assert prints(report, SHOWN + row)
    assert not agrees(report.output, SHOWN + another)
    assert agrees_within_errors(report.output, SHOWN + another)
    assert not agrees_within_errors(report.output, SHOWN + another.replace("345.6", "545.6"))
    assert not agrees_within_errors(report.output, SHOWN + another.replace("D-TS", "RUCB"))


def test_of_times_only_the_shape_counts():
    bench = Command("duelbench bench rucb", "rucb  0.501  6083")
    assert prints(bench, "rucb   1.5   12")
    assert not prints(bench, "rucb   1.5   12   3")


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
    steps = ["-m venv .venv", "--no-compile --editable .", *expected]
    assert all(step in done.stdout for step in steps)
    assert [done.stdout.index(step) for step in steps] == sorted(done.stdout.index(step) for step in steps)


def test_the_run_of_the_readme_has_as_many_runs_as_it_says():
    from duelbench.results.cells import cells
    from duelbench.spec.load import load

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
    from duelbench.spec.document import KEYS

    explained = re.findall(r"^\| `(\w+)` \|", README, re.MULTILINE)
    assert explained == list(KEYS)


MADE_WITH_THE_SITE = (ROOT / "docs" / "leaderboard" / "index.html",)
"""What `make docs` makes and the repository does not hold; its tests look whether links lead there."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"https?://", target):
            continue
        path, _, heading = target.partition("#")
        aim = (page.parent / path).resolve() if path else page
        assert aim.exists() or aim in MADE_WITH_THE_SITE, target
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
