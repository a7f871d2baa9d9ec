"""Compiled code is never stale, and a folder that cannot be written costs time and one warning, nothing else."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import duelbench
from duelbench.algorithms import registry
from duelbench.simulation import trial
from duelbench.simulation.compiled_loops import loop_of
from duelbench.simulation.delayed_outcomes import new_delayed_outcomes
from tests.plug_ins import DECISION, write

ROOT = Path(__file__).parents[2]
PROGRAM = """
import duelbench
trace = duelbench.simulate("random", [[0.5, 0.9], [0.1, 0.5]], horizon=300, seed=1)
print(trace.duels.tolist())
"""


@pytest.fixture
def copied(tmp_path):
    """A copy of the package that a test may change; `run` imports it in a fresh process."""
    shutil.copytree(ROOT / "duelbench", tmp_path / "duelbench", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def run(folder: Path, cache: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "DUELBENCH_KERNEL_FOLDER"}
    environment |= {"PYTHONPATH": str(folder), "XDG_CACHE_HOME": str(cache), "TMPDIR": str(folder), **variables}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM], cwd=folder, env=environment, capture_output=True, text=True
    )


def answer(folder: Path, cache: Path, **variables: str) -> str:
    done = run(folder, cache, **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def loops(folder: Path) -> set[str]:
    """The folders, by name, in which compiled loops are kept."""
    return {name.split(os.sep)[-3] for name in files(folder) if "engine.play" in name}


def test_a_change_of_a_helper_in_another_file_is_seen_and_so_is_its_withdrawal(copied, tmp_path):
    cache = tmp_path / "cache"
    helper = copied / "duelbench" / "kernels" / "sampling.py"
    original = helper.read_text()
    before = answer(copied, cache)
    assert original.count("return int(rng.random() * count)") == 1
    helper.write_text(original.replace("return int(rng.random() * count)", "return int(rng.random() ** 2 * count)"))
    assert answer(copied, cache) != before
    helper.write_text(original)
    assert answer(copied, cache) == before
    assert len(loops(cache)) == 2  # one folder for each state of the sources


OWN_DECISION = """
import sys; sys.path.append(sys.argv[1])
import duelbench, few_means
trace = duelbench.simulate("round-robin", duelbench.scalar_bandit([0.9, 0.2, 0.4], few_means.FEW), horizon=30)
print(trace.recommended[-1])
"""


EDITED_MEANWHILE = """
import sys
from pathlib import Path
import numpy as np
from duelbench.kernels import sampling
if len(sys.argv) > 1:
    file = Path(sampling.__file__)
    file.write_text(file.read_text().replace("if count > 1 else 0", "if count > 1 else -1"))
print(sampling.draw_index(1, np.random.default_rng(1)))
"""


def test_what_a_process_has_imported_is_not_kept_for_what_its_files_have_become(copied, tmp_path):
    environment = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = [sys.executable, "-c", EDITED_MEANWHILE]
    answers = [
        subprocess.check_output([*command, *more], cwd=copied, env=environment, text=True) for more in (["edit"], [])
    ]
    assert answers == ["0\n", "-1\n"]


ASKING = """
from duelbench.kernels.decorators import KERNEL_OPTIONS, kernel
from duelbench.kernels.dispatch_by_type import found_by_type
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


def test_a_kernel_called_from_python_is_never_stale_though_what_it_calls_stands_in_another_file(tmp_path):
    """It does not import that file: it finds the function by the class of a state."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}", "XDG_CACHE_HOME": str(tmp_path)}
    environment.pop("DUELBENCH_KERNEL_FOLDER", None)
    write(tmp_path, ASKING, "asking.py")
    answers = []
    for code in (ANSWERING, ANSWERING.replace("+ 1", "+ 20")):
        write(tmp_path, code, "answering.py")
        command = [sys.executable, "-c", "import answering, asking; print(asking.ask(answering.State(1)))"]
        answers.append(subprocess.check_output(command, env=environment, text=True))
    assert answers == ["2\n", "21\n"]


def test_loops_of_different_states_are_not_listed_in_one_file():
    """Two processes that add to the same list at once could give one the code of the other."""
    games = [registry.get(id) for id in ("doubler", "multisbm")]
    rng = np.random.default_rng(0)
    loops = [loop_of(game, game.start(3, 10, rng, True, **game.resolve({}))) for game in games]
    bases = [loop._cache._impl.filename_base for loop in loops]
    assert bases[0] != bases[1] and loops[0].stats.cache_path == loops[1].stats.cache_path


def test_a_loop_to_which_outcomes_come_late_is_another_one_and_listed_in_a_file_of_its_own():
    random = registry.get("random")
    state = random.start(3, 10, np.random.default_rng(0), True)
    at_once, late = (loop_of(random, state, new_delayed_outcomes(3, delay)) for delay in (1, 5))
    assert at_once._cache._impl.filename_base != late._cache._impl.filename_base
    assert at_once is loop_of(random, state) and late is loop_of(random, state, new_delayed_outcomes(3, 2))


@pytest.mark.thorough
def test_a_compiled_decision_of_your_own_is_never_stale_and_leaves_no_trace_in_our_code(tmp_path):
    environment = {name: value for name, value in os.environ.items() if name != "DUELBENCH_KERNEL_FOLDER"}
    environment |= {"XDG_CACHE_HOME": str(tmp_path / "cache"), trial.VARIABLE: trial.COMPILED}  # no trial of it
    answers = []
    for text in (DECISION, DECISION.replace("return 2", "return 3")):
        write(tmp_path, text, "few_means.py")
        command = [sys.executable, "-c", OWN_DECISION, str(tmp_path)]
        answers.append(subprocess.check_output(command, env=environment, text=True))
    assert answers == ["2\n", "3\n"]
    assert len(loops(tmp_path / "cache")) == 2
    assert all("plug-ins" in name for name in files(tmp_path / "cache") if "engine.play" in name)


@pytest.mark.thorough
def test_later_processes_add_no_files(copied, tmp_path):
    cache = tmp_path / "cache"
    answer(copied, cache)
    first = files(cache)
    assert any(name.endswith(".nbc") for name in first)
    for _ in range(3):
        answer(copied, cache)
    assert files(cache) == first


@pytest.mark.thorough
def test_cold_processes_at_once_agree(copied, tmp_path):
    environment = {name: value for name, value in os.environ.items() if name != "DUELBENCH_KERNEL_FOLDER"}
    environment |= {"PYTHONPATH": str(copied), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM], cwd=copied, env=environment, stdout=subprocess.PIPE, text=True
        )
        for _ in range(4)
    ]
    answers = {process.communicate()[0] for process in processes}
    assert all(process.returncode == 0 for process in processes)
    assert len(answers) == 1


@pytest.mark.thorough
def test_without_a_writable_cache_folder_everything_works_with_one_warning(copied, tmp_path):
    blocked = tmp_path / "a file where a folder should be"
    blocked.write_text("")
    done = run(copied, blocked)
    assert done.returncode == 0, done.stderr
    trace = duelbench.simulate("random", [[0.5, 0.9], [0.1, 0.5]], horizon=300, seed=1)  # as in the program
    assert done.stdout == f"{trace.duels.tolist()}\n"
    assert done.stderr.count("warning:") == 1
    assert "compiled code is not kept" in done.stderr


@pytest.mark.thorough
def test_boundary_checks_find_nothing(copied, tmp_path):
    assert answer(copied, tmp_path / "checked", NUMBA_BOUNDSCHECK="1") == answer(copied, tmp_path / "cache")
