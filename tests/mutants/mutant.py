"""What a mutant is, and how the package is loaded with one in it."""

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import NamedTuple

import duelbench

PACKAGE = Path(duelbench.__file__).parent
ROOMS = ("duelbench.algorithms", "duelbench.kernels")
NEVER_MUTATED = {
    "duelbench.algorithms.contract",
    "duelbench.algorithms.registry",
    "duelbench.kernels.decorators",
    "duelbench.kernels.never",
}
"""Modules of these rooms that hold no rule of an algorithm; they are loaded once."""


class Mutant(NamedTuple):
    """A fault that somebody might put into one file of the algorithms or kernels.

    ``old`` must stand exactly once in the file; the mutant has ``new`` instead.
    """

    file: str
    old: str
    new: str
    fault: str


def path_of(mutant: Mutant) -> Path:
    """The file that the mutant is of."""
    (path,) = [path for room in ROOMS for path in (PACKAGE.parent / room.replace(".", "/")).rglob(mutant.file)]
    return path


def load(mutant: Mutant | None) -> None:
    """Forget all algorithms, so that they are imported again, the mutant's file with the fault in it."""
    for name in [name for name in sys.modules if name.startswith(tuple(f"{room}." for room in ROOMS))]:
        if name not in NEVER_MUTATED:
            del sys.modules[name]
            _forget(name)
    if mutant is None:
        return
    path = path_of(mutant)
    name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    spec = importlib.util.find_spec(name)
    assert spec is not None and spec.origin is not None
    source = path.read_text(encoding="utf-8")
    assert source.count(mutant.old) == 1, f"{mutant.file}: not exactly once: {mutant.old!r}"
    assert mutant.new != mutant.old, f"{mutant.file}: no change: {mutant.old!r}"
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
