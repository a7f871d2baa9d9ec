"""The files of duelbench that a module's compiled code is made of: its own, and all that it imports, transitively.

Constants that another file defines are frozen into compiled code as its functions are, so all that is imported counts,
whatever it is. Read from the syntax trees, as nothing needs to be imported for it.
"""

import ast
import hashlib
import os
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from duelbench.bandits import third_party

PACKAGE = Path(__file__).absolute().parents[2]
KERNEL_PACKAGES = ("kernels", "algorithms", "simulation")


def files_of(modules: Iterable[str]) -> dict[str, Path]:
    """The files of modules of duelbench, and of all that they import of it, by the names of their modules.

    Examples
    --------
    >>> sorted(files_of(["duelbench.bandits.kernels.never"]))
    ['duelbench.bandits.kernels.never']
    """
    found: dict[str, Path] = {}
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        file = _file_of(module)
        if module not in found and file is not None:
            found[module] = file
            waiting += _imported(module, file)
    return found


def all_files() -> dict[str, Path]:
    """The files in the packages that hold compiled code, by their places: for code that may use any of it."""
    files = [
        PACKAGE / "plugin.py",
        *(file for package in KERNEL_PACKAGES for file in (PACKAGE / package).rglob("*.py")),
    ]
    return {str(file.relative_to(PACKAGE)): file for file in files}


def digest(files: dict[str, Path]) -> str:
    """Digest of files and of the folder of this duelbench, by which Numba finds what it caches."""
    summary = hashlib.sha256(os.fsencode(PACKAGE))
    for name in sorted(files):
        summary.update(f"{name} {hashlib.sha256(files[name].read_bytes()).hexdigest()} ".encode())
    return summary.hexdigest()[:20]


def are_as_imported(files: dict[str, Path]) -> bool:
    """Whether files are surely what this process imports: older than it, and not in an archive, where none is found."""
    return bool(files) and max(file.stat().st_mtime for file in files.values()) < third_party.STARTED


def _file_of(module: str) -> Path | None:
    """The file of a module of duelbench; None for any other name."""
    top, *below = module.split(".")
    if top != PACKAGE.name:
        return None
    path = PACKAGE.joinpath(*below)
    files = (path / "__init__.py", path.with_suffix(".py"))
    return next((file for file in files if file.is_file()), None)


@lru_cache(maxsize=1000)
def _imported(module: str, file: Path) -> tuple[str, ...]:
    place = f"{module}.__init__" if file.name == "__init__.py" else module
    names = third_party.named_by_imports(_executed(ast.parse(file.read_bytes())), place)
    return tuple(dict.fromkeys(name if _file_of(name) else name.rpartition(".")[0] for name in names))


def _executed(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those that are there for type checkers only."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        yield node
        yield from _executed(node)
