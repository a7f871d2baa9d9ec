"""What ``import duelbench`` offers: its names are listed, and what it returns can be printed. What git ignores."""

import shutil
import subprocess
from pathlib import Path

import pytest

import duelbench


def test_every_public_name_is_listed_and_there():
    assert set(duelbench.__all__) <= set(dir(duelbench))
    assert all(hasattr(duelbench, name) for name in dir(duelbench))


def test_a_trace_is_printed_in_one_short_line():
    trace = duelbench.simulate("random", [[0.5, 0.9], [0.1, 0.5]], horizon=2000, regret=["copeland", "weak"])
    assert str(trace) == repr(trace) and "\n" not in str(trace)
    assert f"copeland regret {trace.regret[0, -1]:.6g}, weak regret {trace.regret[1, -1]:.6g}" in str(trace)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not there")
def test_git_ignores_a_virtual_environment_that_is_a_link(tmp_path):
    shutil.copy(Path(__file__).parents[1] / ".gitignore", tmp_path)
    (tmp_path / ".venv").symlink_to(tmp_path)
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    subprocess.run(["git", "check-ignore", "--quiet", ".venv"], cwd=tmp_path, check=True)
