"""Compiled code is kept by the sources that it is made of: no more of them, and no fewer."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from duelbench.algorithms import registry
from duelbench.kernels import own_sources
from duelbench.simulation.compiled_loops import folder_of_loop

ROOT = Path(__file__).parents[2]


def parts_of_a_loop(id: str) -> dict[str, Path]:
    """What the loop of an algorithm imports while it is loaded, as Python itself counts it."""
    place = registry.BUILT_IN[id].partition(":")[0]
    return own_sources.files_of(["duelbench.simulation.engine", f"duelbench.algorithms.{place}"])


@pytest.fixture
def copied(tmp_path):
    """A copy of the package that a test may change."""
    shutil.copytree(ROOT / "duelbench", tmp_path / "duelbench", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


FOLDERS = """
from duelbench.algorithms import registry
from duelbench.simulation.compiled_loops import folder_of_loop
for id in registry.BUILT_IN:
    print(id, folder_of_loop(registry.get(id)).name)
"""


def folders(copied: Path) -> dict[str, str]:
    """The name of the folder of each algorithm's compiled loop, by its id."""
    command = [sys.executable, "-c", FOLDERS]
    lines = subprocess.check_output(command, cwd=copied, env={"XDG_CACHE_HOME": str(copied / "cache")}, text=True)
    return dict(line.split() for line in lines.splitlines())


def test_a_change_of_one_algorithm_concerns_that_one_alone(copied):
    before = folders(copied)
    with open(copied / "duelbench" / "algorithms" / "rucb.py", "a") as file:
        file.write("\nANOTHER = 1\n")
    after = folders(copied)
    assert {id for id in before if before[id] != after[id]} == {"rucb"}


def test_a_change_of_the_engine_concerns_all(copied):
    before = folders(copied)
    with open(copied / "duelbench" / "simulation" / "engine.py", "a") as file:
        file.write("\nANOTHER = 1\n")
    after = folders(copied)
    assert all(before[id] != after[id] for id in before)


SHARED = sorted(
    {name for id in registry.BUILT_IN for name in parts_of_a_loop(id)}
    - {f"duelbench.algorithms.{place.partition(':')[0]}" for place in registry.BUILT_IN.values()}
)


@pytest.mark.parametrize("module", SHARED)
def test_a_change_of_any_shared_file_concerns_whoever_imports_it(module, monkeypatch, tmp_path):
    changed = own_sources._file_of(module)
    concerned = {id for id in registry.BUILT_IN if module in parts_of_a_loop(id)}
    before = {id: digest(id) for id in registry.BUILT_IN}
    edited = tmp_path / changed.name
    edited.write_bytes(changed.read_bytes() + b"\nANOTHER = 1\n")
    file_of = own_sources._file_of
    monkeypatch.setattr(own_sources, "_file_of", lambda name: edited if name == module else file_of(name))
    after = {id: digest(id) for id in registry.BUILT_IN}
    assert concerned and {id for id in before if before[id] != after[id]} == concerned


def digest(id: str) -> str:
    return own_sources._digest(parts_of_a_loop(id))


@pytest.mark.parametrize("id", ["rucb", "d-ts", "savage", "cw-rmed"])
def test_what_python_finds_in_a_module_of_an_algorithm_is_counted(id):
    """Functions, classes and modules of duelbench among the names of each module that counts, followed up."""
    counted = parts_of_a_loop(id)
    for name in counted:
        module = sys.modules.get(name)
        for value in vars(module).values() if module else ():
            home = getattr(getattr(value, "py_func", value), "__module__", None)
            if isinstance(home, str) and home.startswith("duelbench."):
                assert home in counted, (name, value)


def test_what_is_there_for_type_checkers_only_does_not_count(tmp_path):
    file = tmp_path / "rule.py"
    file.write_text(
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from duelbench.kernels import sampling\n"
        "def start():\n    from duelbench.kernels.never import NEVER\n    return NEVER\n"
    )
    assert own_sources._imported("duelbench.rule", file) == ("typing", "duelbench.kernels.never")


def test_a_package_counts_where_a_name_is_taken_from_it_that_is_no_module():
    assert "duelbench" not in own_sources.files_of(["duelbench.simulation.engine"])
    assert own_sources._file_of("duelbench.algorithms") == ROOT / "duelbench" / "algorithms" / "__init__.py"
    assert own_sources._file_of("numpy.random") is None


def test_the_folder_of_a_loop_is_found_by_its_modules():
    assert folder_of_loop(registry.get("d-ts")) == folder_of_loop(registry.get("d-ts-plus"))
    assert folder_of_loop(registry.get("d-ts")) != folder_of_loop(registry.get("rucb"))
