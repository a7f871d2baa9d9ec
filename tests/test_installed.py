"""What pip installs: all of it is there, and it works in any folder, without the checkout."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE", "spec.schema.json", "Makefile")
FOLDERS = ("duelbench", "configs", "matrices", "docs", "tests")
NOT_SOURCES = shutil.ignore_patterns("__pycache__", "*.pyc", "*.egg-info")


def built(folder, *options):
    """What ``python -m build`` makes of a copy of the checkout; nothing is fetched."""
    copy = folder / "copy"
    copy.mkdir()
    for name in SOURCES:
        shutil.copy(ROOT / name, copy)
    for name in FOLDERS:
        shutil.copytree(ROOT / name, copy / name, ignore=NOT_SOURCES)
    words = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder / "dist"), *options, str(copy)]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return sorted((folder / "dist").iterdir())


def below(folder, pattern):
    return {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob(pattern) if path.is_file()}


@pytest.fixture(scope="module")
def sdist_and_wheel(tmp_path_factory):
    """The wheel is made of the sdist."""
    wheel, sdist = sorted(built(tmp_path_factory.mktemp("built")), key=lambda path: path.suffix, reverse=True)
    return sdist, wheel


@pytest.fixture(scope="module")
def installed(sdist_and_wheel, tmp_path_factory):
    """``installed(*words)`` runs `duelbench` as it was installed; the checkout is not to be found."""
    folder = tmp_path_factory.mktemp("installed")
    words = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(folder)]
    subprocess.run([*words, str(sdist_and_wheel[1])], check=True, capture_output=True)
    home = tmp_path_factory.mktemp("home")
    environment = {**os.environ, "PYTHONPATH": str(folder), "XDG_CACHE_HOME": str(home), "PYTHONSAFEPATH": "1"}

    def run(*arguments):
        words = [sys.executable, "-m", "duelbench", *arguments]
        done = subprocess.run(words, cwd=home, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    code = "import duelbench; print(duelbench.__file__)"
    where = subprocess.run([sys.executable, "-c", code], cwd=home, env=environment, capture_output=True, text=True)
    assert Path(where.stdout.strip()).is_relative_to(folder)
    return run, home


def test_the_wheel_holds_the_package_the_specs_the_matrices_and_the_schema(tmp_path):
    (wheel,) = built(tmp_path, "--wheel")
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    leaderboard = below("docs", "leaderboard.json")
    data = {"spec.schema.json", *below("configs", "*.yaml"), *below("matrices", "*"), *leaderboard}
    assert {name.removeprefix("duelbench/data/") for name in names if name.startswith("duelbench/data/")} == data
    others = {name for name in names if not name.startswith("duelbench/data/")}
    pages = {path for ending in ("css", "html", "js") for path in below("duelbench", f"*.{ending}")}
    assert others == below("duelbench", "*.py") | pages | {"duelbench/py.typed", "duelbench/execution/rates.json"}


@pytest.mark.thorough
def test_the_sdist_holds_the_tests_and_the_pages_too(sdist_and_wheel):
    with tarfile.open(sdist_and_wheel[0]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert set(SOURCES) <= names
    assert below("tests", "*.py") | below("docs", "*.md") | below("configs", "*.yaml") <= names


@pytest.mark.thorough
def test_what_is_installed_lists_runs_and_draws_the_specs_of_papers_in_any_folder(installed):
    run, home = installed
    assert "paper:wu2016/1a" in run("list", "specs")
    assert "cyclic  " in run("list", "matrices")
    assert run("schema") == (ROOT / "spec.schema.json").read_text(encoding="utf-8")
    assert run("show", "cyclic").startswith("cyclic: 4 arms")
    run("run", "paper:urvoy2013/4-tests", "--runs", "1", "--jobs", "1", "--quiet", "--dry-run")
    (home / "mine.yaml").write_text("matrix: cyclic\nhorizon: 500\nruns: 2\nalgorithms: [random]\n")
    run("run", "mine.yaml", "--jobs", "1", "--quiet")
    run("plot", "mine.yaml")
    assert (home / "results" / "mine" / "mine.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_what_is_installed_plays_the_figure_of_a_paper_at_its_quick_scale(installed):
    run, home = installed
    run("run", "paper:wu2016/1a", "--scale", "quick", "--quiet")
    run("plot", "paper:wu2016/1a", "--scale", "quick")
    assert (home / "results" / "wu2016-1a-quick" / "wu2016-1a-quick.png").exists()
