"""What ``import duelbench`` offers: its names are listed, and what it returns can be printed. What git ignores."""

import shutil
import subprocess
from pathlib import Path

import duelbench


def test_every_public_name_is_listed_and_there():
    assert set(duelbench.__all__) <= set(dir(duelbench))
    assert all(hasattr(duelbench, name) for name in dir(duelbench))


def test_a_trace_is_printed_in_one_short_line():
    trace = duelbench.simulate("random", [[0.5, 0.9], [0.1, 0.5]], horizon=2000, regret=["copeland", "weak"])
    first, second = trace.regret[:, -1]
    assert (
        str(trace)
        == repr(trace)
        == (
            f"Trace(random, 2_000 rounds: copeland regret {first:.6g}, weak regret {second:.6g}, "
            f"recommends {trace.recommended[-1]}, {trace.decisions:_} decisions)"
        )
    )
    one = duelbench.simulate("random", [[0.5, 0.9], [0.1, 0.5]], horizon=1)
    assert "random, 1 round: " in str(one)
    assert str(one).endswith("1 decision)")


def test_git_ignores_a_virtual_environment_that_is_a_link(tmp_path):
    shutil.copy(Path(__file__).parents[1] / ".gitignore", tmp_path)
    (tmp_path / ".venv").symlink_to(tmp_path)
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    subprocess.run(["git", "check-ignore", "--quiet", ".venv"], cwd=tmp_path, check=True)
