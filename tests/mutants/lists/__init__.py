"""Faults that somebody might put into the algorithms and stopping rules, and how the package is loaded with one in it.

Each module of this package lists some: id -> file -> (text, what stands there instead, what that gets wrong). The text
must stand exactly once in the file.
"""

import importlib
import importlib.util
import pkgutil
import sys
from pathlib import Path
from typing import NamedTuple

import duelbench

PACKAGE = Path(duelbench.__file__).parent
MUTATED = ("duelbench.algorithms", "duelbench.kernels")
LOADED_ONCE = {
    "duelbench.algorithms.contract",
    "duelbench.algorithms.registry",
    "duelbench.kernels.decorators",
    "duelbench.kernels.never",
}
"""Modules there that hold no rule of an algorithm."""


class Mutant(NamedTuple):
    """One fault: ``new`` in place of ``old`` in a file."""

    file: str
    old: str
    new: str
    fault: str


class UnfitError(Exception):
    """A mutant that does not fit the sources as they are."""


def mutants() -> dict[str, list[Mutant]]:
    """All mutants, by the id of the algorithm or stopping rule whose games must notice them."""
    found: dict[str, list[Mutant]] = {}
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        for id, files in importlib.import_module(module.name).MUTANTS.items():
            found[id] = [Mutant(file, *texts) for file, listed in files.items() for texts in listed]
    return found


def load(mutant: Mutant | None) -> None:
    """Forget all algorithms, so that they are imported again, the mutant's file with the fault in it."""
    for name in [name for name in sys.modules if name.startswith(tuple(f"{package}." for package in MUTATED))]:
        if name not in LOADED_ONCE:
            del sys.modules[name]
            _forget(name)
    if mutant is None:
        return
    paths = [path for name in MUTATED for path in (PACKAGE.parent / name.replace(".", "/")).rglob(mutant.file)]
    if len(paths) != 1:
        raise UnfitError(f"{len(paths)} files are called {mutant.file}")
    source = paths[0].read_text(encoding="utf-8")
    if source.count(mutant.old) != 1:
        raise UnfitError(f"{mutant.file} has it {source.count(mutant.old)} times: {mutant.old!r}")
    name = ".".join(paths[0].relative_to(PACKAGE.parent).with_suffix("").parts)
    spec = importlib.util.find_spec(name)
    assert spec is not None and spec.origin is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    package, _, child = name.rpartition(".")
    setattr(importlib.import_module(package), child, module)
    exec(compile(source.replace(mutant.old, mutant.new), spec.origin, "exec"), module.__dict__)


def _forget(name: str) -> None:
    """Take a module from its package, which may be forgotten already."""
    package, _, child = name.rpartition(".")
    if package in sys.modules and hasattr(sys.modules[package], child):
        delattr(sys.modules[package], child)
