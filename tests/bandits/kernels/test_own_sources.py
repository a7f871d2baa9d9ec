"""Compiled code is kept by the sources that it is made of: no more of them, and no fewer."""

import importlib
import shutil
from pathlib import Path

from duelbench.bandits.algorithms import registry
from duelbench.bandits.kernels import own_sources
from duelbench.bandits.kernels.decorators import folder_of
from duelbench.bandits.simulation.compiled_loops import mark_of_loop

ROOT = Path(__file__).parents[3]


def parts_of_a_loop(id: str) -> dict[str, Path]:
    """What the loop of an algorithm imports while it is loaded, as Python itself counts it."""
    place = registry.BUILT_IN[id].partition(":")[0]
    return own_sources.files_of(["duelbench.bandits.simulation.engine", f"duelbench.bandits.algorithms.{place}"])


def test_a_change_of_a_file_concerns_whoever_imports_it(tmp_path, monkeypatch):
    package = tmp_path / "duelbench"
    shutil.copytree(ROOT / "duelbench", package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(own_sources, "PACKAGE", package)
    own_sources._imported.cache_clear()
    parts = {id: parts_of_a_loop(id) for id in registry.BUILT_IN}
    changed = {"algorithms.ccb": {"ccb"}, "simulation.engine": set(parts)}
    for module in ("kernels.never", "algorithms.rmed.evidence"):
        changed[module] = {id for id in parts if f"duelbench.bandits.{module}" in parts[id]}
        assert changed[module]
    before = {id: own_sources.digest(parts[id]) for id in parts}
    for module, concerned in changed.items():
        with open(package.joinpath("bandits", *module.split(".")).with_suffix(".py"), "a") as file:
            file.write("\nANOTHER = 1\n")
        after = {id: own_sources.digest(parts_of_a_loop(id)) for id in parts}
        assert {id for id in parts if before[id] != after[id]} == concerned, module
        before = after


def test_what_is_there_for_type_checkers_only_does_not_count(tmp_path):
    file = tmp_path / "rule.py"
    file.write_text(
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from duelbench.bandits.kernels import sampling\n"
        "def start():\n    from duelbench.bandits.kernels.never import NEVER\n    return NEVER\n"
    )
    assert own_sources._imported("duelbench.rule", file) == ("typing", "duelbench.bandits.kernels.never")


def test_the_compiled_code_of_an_algorithm_is_marked_by_its_modules():
    first, other = (mark_of_loop(registry.get("savage-" + winner), "tests") for winner in ("copeland", "borda"))
    assert first.parent == other.parent and first.name.startswith("tests-savage-copeland-") and first != other
    assert mark_of_loop(registry.get("rucb"), "tests").parent != first.parent


def test_what_python_finds_in_a_module_of_an_algorithm_is_counted():
    """Functions, classes and modules of duelbench among the names of each module that counts, followed up."""
    counted = parts_of_a_loop("cw-rmed")
    assert len(counted) > 10 and "duelbench" not in counted
    for name in counted:
        for value in vars(importlib.import_module(name)).values():
            home = getattr(getattr(value, "py_func", value), "__module__", None)
            assert not isinstance(home, str) or not home.startswith("duelbench.") or home in counted, (name, value)


def test_another_checkout_of_the_same_sources_is_not_taken_for_compiled_and_an_archive_keeps_nothing(
    monkeypatch, tmp_path
):
    """Numba finds what it keeps by the path of the source."""
    here = own_sources.digest(own_sources.files_of(["duelbench.bandits.kernels.never"]))
    assert folder_of(["duelbench.bandits.kernels.sampling"]) is not None
    assert folder_of(["duelbench.bandits.kernels.sampling", "duelbench.bandits.algorithms.gone"]) is None
    (tmp_path / "kernels").mkdir()
    shutil.copy(own_sources.PACKAGE / "bandits" / "kernels" / "never.py", tmp_path / "kernels")
    monkeypatch.setattr(own_sources, "PACKAGE", tmp_path)
    assert own_sources.digest({"duelbench.bandits.kernels.never": tmp_path / "kernels" / "never.py"}) != here
    monkeypatch.setattr(own_sources, "PACKAGE", tmp_path / "packed.zip" / "duelbench")
    assert folder_of(["duelbench.bandits.kernels.sampling"]) is None
