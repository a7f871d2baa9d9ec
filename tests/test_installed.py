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
FOLDERS = ("duelbench", "configs", "docs", "matrices", "tests")


def copied(folder):
    """The checkout without what was made in it."""
    folder.mkdir()
    for path in ROOT.iterdir():
        if path.name in FOLDERS:
            shutil.copytree(path, folder / path.name, ignore=shutil.ignore_patterns("__pycache__"))
        elif path.is_file():
            shutil.copy(path, folder)
    return folder


def below(folder, pattern):
    paths = (path.relative_to(ROOT) for path in (ROOT / folder).rglob(pattern) if path.is_file())
    return {path.as_posix() for path in paths if "__pycache__" not in path.parts}


def called(*words, **options):
    done = subprocess.run(words, capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.thorough
def test_the_wheel_of_the_sdist_works_in_a_new_environment_and_in_any_folder(tmp_path):
    """They are built in isolation, as pip does, with what pyproject.toml asks for; this takes the network."""
    copy = copied(tmp_path / "copy")
    called(sys.executable, "-m", "build", "--outdir", str(tmp_path / "dist"), str(copy), cwd=tmp_path)
    wheel, sdist = sorted((tmp_path / "dist").iterdir(), key=lambda path: path.suffix, reverse=True)
    shutil.rmtree(copy)
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert below("tests", "*.py") | below("docs", "*.md") | below("configs", "*.yaml") | {"LICENSE"} <= names
    assert below("duelbench", "*") <= {*zipfile.ZipFile(wheel).namelist()}

    called(sys.executable, "-m", "venv", str(tmp_path / "venv"))
    python = tmp_path / "venv" / "bin" / "python"
    site = Path(called(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    (site / "dependencies.pth").write_text(os.path.dirname(os.path.dirname(pytest.__file__)))  # they are not fetched
    called(python, "-m", "pip", "install", "--quiet", "--no-deps", str(wheel))
    home = tmp_path / "home"
    home.mkdir()
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}

    def run(*words):
        return called(python.with_name("duelbench"), *words, cwd=home, env=variables)

    where = called(python, "-c", "import duelbench; print(duelbench.__file__)", cwd=home, env=variables)
    assert Path(where.strip()).is_relative_to(site)
    specs = run("list", "specs")
    assert all(f"paper:{path.removeprefix('configs/')[:-5]} " in specs for path in below("configs", "*.yaml"))
    assert run("schema") == (ROOT / "configs" / "spec.schema.json").read_text(encoding="utf-8")
    assert run("show", "cyclic").startswith("cyclic: 4 arms")
    (home / "mine.yaml").write_text("matrix: cyclic\nhorizon: 500\nruns: 2\nalgorithms: [random, ws-w]\n")
    run("run", "mine.yaml", "--jobs", "1", "--quiet")
    run("plot", "mine.yaml")
    run("report", "mine.yaml", "--html", "mine.html")
    assert "WS-W" in run("leaderboard", "mine.yaml", "--html", "board.html")
    assert (home / "results" / "mine" / "mine.png").read_bytes().startswith(b"\x89PNG")
