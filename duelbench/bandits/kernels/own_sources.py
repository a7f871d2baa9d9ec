"""The files of duelbench that determine a module's compiled code: the module and all its imports, transitively.

Compiled code contains the functions and constants of other files, so all imports count. They are read from the syntax
trees, without importing anything.
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
    """Return the files of modules of duelbench and of all their imports of duelbench, by module names.

    Examples
    --------
    >>> sorted(files_of(["duelbench.bandits.kernels.never"]))
    ['duelbench.bandits.kernels.never']
    """
    files: dict[str, Path] = {}
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        file = _file_of(module)
        if module not in files and file is not None:
            files[module] = file
            waiting += _imported(module, file)
    return files


def all_files() -> dict[str, Path]:
    """Return all files of the packages with compiled code, by relative paths: for code that may use any of them."""
    files = [
        PACKAGE / "plugin.py",
        *(file for package in KERNEL_PACKAGES for file in (PACKAGE / package).rglob("*.py")),
    ]
    return {str(file.relative_to(PACKAGE)): file for file in files}


def digest(files: dict[str, Path]) -> str:
    """Return a digest of files, and of the folder of this duelbench, which Numba's cache depends on."""
    summary = hashlib.sha256(os.fsencode(PACKAGE))
    for name in sorted(files):
        summary.update(f"{name} {hashlib.sha256(files[name].read_bytes()).hexdigest()} ".encode())
    return summary.hexdigest()[:20]


def are_as_imported(files: dict[str, Path]) -> bool:
    """Return whether all files are older than this process, so that it imported them as they are; False if none."""
    return bool(files) and max(file.stat().st_mtime for file in files.values()) < third_party.STARTED


def _file_of(module: str) -> Path | None:
    """Return the file of a module of duelbench; None for any other name."""
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
    """Yield all nodes except those for type checkers only."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        yield node
        yield from _executed(node)
