"""Compiled code is kept by the sources that it is made of: no more of them, and no fewer."""

import importlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from duelbench.algorithms import registry
from duelbench.kernels import own_sources
from duelbench.kernels.decorators import folder_of
from duelbench.simulation.compiled_loops import mark_of_loop

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
from duelbench.simulation.compiled_loops import mark_of_loop
for id in registry.BUILT_IN:
    print(id, mark_of_loop(registry.get(id), "tests").parent.name)
"""


def folders(copied: Path) -> dict[str, str]:
    """The name of the folder of each algorithm's compiled loop, by its id."""
    command = [sys.executable, "-c", FOLDERS]
    lines = subprocess.check_output(command, cwd=copied, env={"XDG_CACHE_HOME": str(copied / "cache")}, text=True)
    return dict(line.split() for line in lines.splitlines())


def test_a_change_of_one_algorithm_concerns_that_one_alone(copied):
    before = folders(copied)
    with open(copied / "duelbench" / "algorithms" / "ccb.py", "a") as file:
        file.write("\nANOTHER = 1\n")
    after = folders(copied)
    assert {id for id in before if before[id] != after[id]} == {"ccb"}


def test_a_change_of_the_engine_concerns_all(copied):
    before = folders(copied)
    with open(copied / "duelbench" / "simulation" / "engine.py", "a") as file:
        file.write("\nANOTHER = 1\n")
    after = folders(copied)
    assert all(before[id] != after[id] for id in before)


@pytest.mark.parametrize("module", ["kernels.sampling", "kernels.never", "algorithms.rmed.evidence"])
def test_a_change_of_a_shared_file_concerns_whoever_imports_it(copied, module, monkeypatch):
    monkeypatch.setattr(own_sources, "PACKAGE", copied / "duelbench")
    own_sources._imported.cache_clear()
    concerned = {id for id in registry.BUILT_IN if f"duelbench.{module}" in parts_of_a_loop(id)}
    before = {id: own_sources.digest(parts_of_a_loop(id)) for id in registry.BUILT_IN}
    with open(copied.joinpath("duelbench", *module.split(".")).with_suffix(".py"), "a") as file:
        file.write("\nANOTHER = 1\n")
    after = {id: own_sources.digest(parts_of_a_loop(id)) for id in registry.BUILT_IN}
    assert concerned and {id for id in before if before[id] != after[id]} == concerned


@pytest.mark.parametrize("id", ["rucb", "d-ts", "savage", "cw-rmed"])
def test_what_python_finds_in_a_module_of_an_algorithm_is_counted(id):
    """Functions, classes and modules of duelbench among the names of each module that counts, followed up."""
    counted = parts_of_a_loop(id)
    assert len(counted) > 10
    for name in counted:
        for value in vars(importlib.import_module(name)).values():
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


def test_the_compiled_code_of_an_algorithm_is_marked_by_its_modules():
    first, other = (mark_of_loop(registry.get("savage-" + winner), "tests") for winner in ("copeland", "borda"))
    assert first.parent == other.parent and first.name.startswith("tests-savage-copeland-") and first != other
    assert mark_of_loop(registry.get("rucb"), "tests").parent != first.parent


def test_another_checkout_of_the_same_sources_is_not_taken_for_compiled(monkeypatch, tmp_path):
    """Numba finds what it keeps by the path of the source."""
    here = own_sources.digest(own_sources.files_of(["duelbench.kernels.never"]))
    (tmp_path / "kernels").mkdir()
    shutil.copy(own_sources.PACKAGE / "kernels" / "never.py", tmp_path / "kernels")
    monkeypatch.setattr(own_sources, "PACKAGE", tmp_path)
    assert own_sources.digest({"duelbench.kernels.never": tmp_path / "kernels" / "never.py"}) != here


def test_nothing_is_kept_of_a_package_in_an_archive_whose_files_cannot_be_looked_at(monkeypatch, tmp_path):
    assert folder_of(["duelbench.kernels.sampling"]) is not None
    monkeypatch.setattr(own_sources, "PACKAGE", tmp_path / "packed.zip" / "duelbench")
    assert folder_of(["duelbench.kernels.sampling"]) is None
    assert folder_of(["duelbench.kernels.sampling", __name__]) is None


def test_nothing_is_kept_of_a_module_whose_file_is_gone():
    assert folder_of(["duelbench.kernels.sampling", "duelbench.algorithms.gone"]) is None
