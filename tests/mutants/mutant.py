"""What a mutant is, and how the package is loaded with one in it."""

import importlib
import importlib.util
import sys
from typing import NamedTuple

PACKAGE = "duelbench.algorithms"
NEVER_MUTATED = ("contract", "kernel", "registry")
"""Modules of the package that hold no rule of an algorithm; they are loaded once."""


class Mutant(NamedTuple):
    """A fault that somebody might put into one file of ``duelbench/algorithms``.

    ``old`` must stand exactly once in the file; the mutant has ``new`` instead.
    """

    file: str
    old: str
    new: str
    fault: str


def load(mutant: Mutant | None) -> None:
    """Forget all algorithms, so that they are imported anew, the mutant's file with the fault in it."""
    kept = {f"{PACKAGE}.{module}" for module in NEVER_MUTATED}
    for name in [name for name in sys.modules if name.startswith(f"{PACKAGE}.") and name not in kept]:
        del sys.modules[name]
        delattr(sys.modules[PACKAGE], name.removeprefix(f"{PACKAGE}."))
    if mutant is None:
        return
    name = f"{PACKAGE}.{mutant.file.removesuffix('.py')}"
    spec = importlib.util.find_spec(name)
    assert spec is not None and spec.origin is not None, f"there is no {mutant.file}"
    with open(spec.origin, encoding="utf-8") as file:
        source = file.read()
    assert source.count(mutant.old) == 1, f"{mutant.file}: not exactly once: {mutant.old!r}"
    assert mutant.new != mutant.old, f"{mutant.file}: no change: {mutant.old!r}"
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    setattr(sys.modules[PACKAGE], name.removeprefix(f"{PACKAGE}."), module)
    exec(compile(source.replace(mutant.old, mutant.new), spec.origin, "exec"), module.__dict__)
