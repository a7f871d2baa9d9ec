"""Compiled code is never stale, and a folder that cannot be written costs time and one warning, nothing else."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.plug_ins import write

ROOT = Path(__file__).parents[3]
PROGRAM = """
import duelbench
trace = duelbench.simulate("random", [[0.5, 0.9], [0.1, 0.5]], horizon=300, seed=1)
print(trace.duels.tolist())
"""

SELECT = """
import numpy as np
from duelbench.bandits.algorithms.registry import get
rng = np.random.default_rng(1)
state = get("random").start(4, 30, rng, True)
print([get("random").select(state, t, rng) for t in range(1, 30)])
"""


@pytest.fixture
def copied(tmp_path):
    """A copy of the package that a test may change."""
    shutil.copytree(ROOT / "duelbench", tmp_path / "duelbench", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def environment_of(folder: Path, cache: Path, **variables: str) -> dict[str, str]:
    """That of a process that imports what is in a folder and keeps compiled code in another."""
    environment = {name: value for name, value in os.environ.items() if name != "DUELBENCH_KERNEL_FOLDER"}
    return environment | {"PYTHONPATH": str(folder), "XDG_CACHE_HOME": str(cache), "TMPDIR": str(folder), **variables}


def run(program: str, folder: Path, cache: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a fresh process, for which warnings of Python are errors."""
    command = [sys.executable, "-W", "error", "-c", program]
    environment = environment_of(folder, cache, **variables)
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def answer(program: str, folder: Path, cache: Path, **variables: str) -> str:
    done = run(program, folder, cache, **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.compiled
def test_a_change_of_a_helper_in_another_file_is_seen_and_its_withdrawal_compiles_nothing(copied, tmp_path):
    cache = tmp_path / "cache"
    helper = copied / "duelbench" / "bandits" / "kernels" / "sampling.py"
    original = helper.read_text()
    before = answer(SELECT, copied, cache)
    assert original.count("return int(rng.random() * count)") == 1
    helper.write_text(original.replace("return int(rng.random() * count)", "return int(rng.random() ** 2 * count)"))
    assert answer(SELECT, copied, cache) != before
    compiled = files(cache)
    helper.write_text(original)
    assert answer(SELECT, copied, cache) == before
    assert files(cache) == compiled and any(name.endswith(".nbc") for name in compiled)


@pytest.mark.thorough
def test_cold_processes_at_once_agree(copied, tmp_path):
    environment = environment_of(copied, tmp_path / "cache")
    command = [sys.executable, "-c", PROGRAM]
    processes = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    answers = {process.communicate()[0] for process in processes}
    assert all(process.returncode == 0 for process in processes)
    assert answers == {answer(PROGRAM, copied, tmp_path / "cache", NUMBA_DISABLE_JIT="1")}


@pytest.mark.thorough
def test_without_a_writable_cache_folder_everything_works_with_one_warning(copied, tmp_path):
    blocked = tmp_path / "a file where a folder should be"
    blocked.write_text("")
    done = run(PROGRAM, copied, blocked)
    assert done.returncode == 0, done.stderr
    assert done.stdout == answer(PROGRAM, copied, tmp_path / "cache", NUMBA_DISABLE_JIT="1")
    assert done.stderr.count("warning:") == 1 and "compiled code is not cached" in done.stderr


EDITED_MEANWHILE = """
import os
from pathlib import Path
import numpy as np
from duelbench.bandits.kernels import sampling
if "EDIT" in os.environ:
    file = Path(sampling.__file__)
    file.write_text(file.read_text().replace("if count > 1 else 0", "if count > 1 else -1"))
print(sampling.draw_index(1, np.random.default_rng(1)))
"""


@pytest.mark.thorough
def test_what_a_process_has_imported_is_not_kept_for_what_its_files_have_become(copied, tmp_path):
    assert answer(EDITED_MEANWHILE, copied, tmp_path / "cache", EDIT="yes") == "0\n"
    assert answer(EDITED_MEANWHILE, copied, tmp_path / "cache") == "-1\n"


ASKING = """
from duelbench.bandits.kernels.decorators import KERNEL_OPTIONS, kernel
from duelbench.bandits.kernels.dispatch_by_type import found_by_type
import sys

@found_by_type(lambda cls: sys.modules[cls.__module__].worth, KERNEL_OPTIONS)
def worth(state):
    raise NotImplementedError

@kernel
def ask(state):
    return worth(state)
"""
ANSWERING = """
from typing import NamedTuple

class State(NamedTuple):
    number: int

def worth(state):
    return state.number + 1
"""


@pytest.mark.thorough
def test_a_kernel_called_from_python_is_never_stale_though_what_it_calls_stands_in_another_file(tmp_path):
    """It does not import that file: it finds the function by the class of a state."""
    write(tmp_path, ASKING, "asking.py")
    answers = []
    for code in (ANSWERING, ANSWERING.replace("+ 1", "+ 20")):
        write(tmp_path, code, "answering.py")
        path = f"{ROOT}{os.pathsep}{tmp_path}"
        program = "import answering, asking; print(asking.ask(answering.State(1)))"
        answers.append(answer(program, tmp_path, tmp_path / "cache", PYTHONPATH=path))
    assert answers == ["2\n", "21\n"]
