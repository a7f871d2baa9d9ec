"""Code that is not part of duelbench: which files it consists of, and where in it a mistake is.

Results and compiled code of such an algorithm or decision are used again only while its sources are the same. Their
digest covers the modules of its functions, the packages of these modules, all that they import, and the files in their
folder that they have opened (`duelbench.bandits.opened_files`). It covers no library (the standard library, installed
packages, duelbench itself), no comment, no docstring, no environment variable, and not the name of the folder.
"""

import ast
import contextlib
import hashlib
import importlib.util
import inspect
import linecache
import os
import sys
import sysconfig
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from duelbench.bandits import opened_files

PACKAGE = Path(__file__).resolve().parents[1]

FILE_PREFIX = "duelbench_plug_in_"
"""Starts the names of modules that `duelbench.load_plug_in` makes from files."""

plugged_in: set[str] = set()
"""The names, up to the first dot, of modules with plug-ins that were loaded: some are installed like libraries."""

program: str | None = None
"""In a process that was handed functions of another one's program: the file of that program."""

STARTED = time.time()
"""When this process began to import duelbench: a file that is younger may not be what it has imported."""

_INSTALLED = ("site-packages", "dist-packages")
_KNOWN = (PACKAGE, *(Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")))


class Sources(NamedTuple):
    """The files of which code consists."""

    digest: str  # SHA-256
    digest_of_code: str  # the same without the files that were opened, which are known only once the code has run
    are_as_imported: bool  # all are older than this process; a younger one may differ from what was imported
    files: Mapping[Path, str]  # each with its place beside the others; that of a root is its name


def is_third_party(part: Any) -> bool:
    """Whether a function or a class stands in a module that is not duelbench's.

    Examples
    --------
    >>> is_third_party(is_third_party), is_third_party(Path)
    (False, True)
    """
    return not is_ours(_module_of(part))


def modules(things: Iterable[Any]) -> tuple[str, ...]:
    """The names of the third-party modules that hold functions and classes of algorithms and decisions."""
    return tuple(module for module in modules_of(things) if not is_ours(module))


def modules_of(things: Iterable[Any]) -> tuple[str, ...]:
    """The names of all modules that hold functions and classes of algorithms and decisions.

    Examples
    --------
    >>> from duelbench.bandits.algorithms import registry
    >>> modules_of([registry.get("rucb")])
    ('duelbench.bandits.algorithms.rucb',)
    """
    everything = [part for thing in things for part in (thing, *getattr(thing, "parts", ()))]
    parts = [value for one in everything for value in (*vars(one).values(), *one.rules.values()) if callable(value)]
    return tuple(sorted({_module_of(part) for part in parts}))


def _module_of(part: Any) -> str:
    while isinstance(part, partial):
        part = part.func
    return str(getattr(part, "__module__", None) or type(part).__module__)


def is_ours(module: str) -> bool:
    """Whether a module of that name is part of duelbench."""
    return module.partition(".")[0] == "duelbench"


def sources(roots: Iterable[str | Path]) -> Sources | None:
    """The sources of modules, given by their names or as files; None where one of them has no file.

    The digest does not depend on where the files lie, nor on the name of a root.
    """
    files: dict[Path, tuple[str, str]] = {}
    newest = 0.0
    waiting: list[tuple[str | Path, bool]] = [(root, True) for root in roots]
    looked_at: set[str | Path] = set()
    while waiting:
        module, is_root = waiting.pop(0)  # the roots first: what they are does not depend on what imports them
        if module in looked_at:
            continue
        looked_at.add(module)
        found = [(module, "")] if isinstance(module, Path) else list(_files_of(module, is_root))
        if is_root and not found:
            return None
        for path, name in found:
            if path in files:
                continue
            try:
                content = path.read_bytes()
                newest = max(newest, path.stat().st_mtime)
            except OSError:
                return None
            files[path] = name, _digest(path, content)
            waiting += [(imported, False) for imported in _imported(content, name)]
    code = hashlib.sha256(repr(sorted(files.values())).encode()).hexdigest()
    places = {path: _place(path, name) for path, (name, _) in files.items()}
    opened = {}
    for name in opened_files.names(code):
        path = _folder_of(places) / name
        try:
            opened[name] = _digest(path, path.read_bytes())
            newest = max(newest, path.stat().st_mtime)
            places[path] = name
        except OSError:
            opened[name] = "missing"
    digest = hashlib.sha256(f"{code} {sorted(opened.items())}".encode()).hexdigest() if opened else code
    return Sources(digest, code, newest < STARTED, places)


def opened_beside(known: Sources) -> list[str]:
    """The files in the folder of some sources that this process has opened beside them.

    The names are relative to that folder. A module that is installed as a single file has no folder of its own.
    """
    folder = _folder_of(known.files)
    root, place = next(iter(known.files.items()))
    top = folder / Path(place).parts[0] if is_library(root) else folder
    return sorted(path.relative_to(folder).as_posix() for path in opened_files.opened_in(top) - set(known.files))


_looked_at: dict[tuple[str | Path, ...], int] = {}
"""How many files had been opened when `keep_opened` last looked, by modules."""


def keep_opened(roots: Iterable[str | Path]) -> None:
    """Keep the names of the files that modules have opened in this process, for the digests of later processes."""
    roots = tuple(roots)
    if _looked_at.get(roots) == opened_files.count():
        return
    known = sources(roots)
    if known is not None:
        names = opened_beside(known)
        if not set(names) <= set(opened_files.names(known.digest_of_code)):
            opened_files.keep(known.digest_of_code, names)
    _looked_at[roots] = opened_files.count()


def _folder_of(places: Mapping[Path, str]) -> Path:
    """The folder that the places of files are relative to, by the first file."""
    path, place = next(iter(places.items()))
    return path.parents[len(Path(place).parts) - 1]


def _digest(path: Path, content: bytes) -> str:
    """SHA-256 of a file; of Python code without comments, docstrings and positions."""
    if path.suffix == ".py":
        with contextlib.suppress(ValueError, SyntaxError, RecursionError):
            content = repr(_essence(ast.parse(content))).encode()
    return hashlib.sha256(content).hexdigest()


def _essence(node: Any) -> Any:
    """A syntax tree as nested tuples, alike in all versions of Python: what is empty or None is left out."""
    if isinstance(node, list):
        return tuple(map(_essence, node))
    if not isinstance(node, ast.AST):
        return node
    fields = dict(ast.iter_fields(node))
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(node):
        fields["body"] = fields["body"][1:]
    essence = ((name, _essence(value)) for name, value in fields.items() if value is not None and value != [])
    return (type(node).__name__, *essence)


def _place(path: Path, name: str) -> str:
    """The place of a file beside the others, from its name in `_files_of`."""
    if not name:
        return path.name
    return name if name.endswith(".py") else f"{name.replace('.', '/')}{path.suffix}"


@lru_cache(maxsize=1000)
def _imported(content: bytes, name: str) -> tuple[str, ...]:
    """The names of modules that a file may import, without a package's own by relative names: all of it counts."""
    try:
        tree = ast.parse(content)
    except (ValueError, SyntaxError, RecursionError):
        return ()  # compiled, or not to be imported anyway
    nodes = (node for node in ast.walk(tree) if not ("/" in name and isinstance(node, ast.ImportFrom) and node.level))
    return tuple(named_by_imports(nodes, name))


def named_by_imports(nodes: Iterable[ast.AST], module: str) -> Iterator[str]:
    """The names in the import statements of a module; in ``from m import n`` it may be m or m.n that is a module.

    Examples
    --------
    >>> list(named_by_imports(ast.parse("import a.b; from c import d; from . import e").body, "package.module"))
    ['a.b', 'c.d', 'package.e']
    """
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = module.split(".")[: -node.level] if node.level else []
            base = [*above, *([node.module] if node.module else [])]
            yield from (".".join([*base, alias.name]) for alias in node.names)


def _files_of(module: str, is_root: bool) -> Iterator[tuple[Path, str]]:
    """The files of a module, or of its package, by names that do not depend on where they lie; none of a library."""
    name, *below = _real_name(module).split(".")
    if is_ours(name) or (name in sys.stdlib_module_names and not is_root):
        return
    file, folders = _find(name)
    while file is None and below:  # of a package without __init__.py only what is asked for
        file, folders = _find_in(folders, below[0])
        name = f"{name}.{below.pop(0)}"
    if file is None or not file.is_file() or (is_library(file) and not is_root):
        return
    if file.name == "__init__.py":
        yield from ((path, path.relative_to(file.parent.parent).as_posix()) for path in file.parent.rglob("*.py"))
    else:
        yield file, "" if is_root else name


def _real_name(module: str) -> str:
    """The name of a module, also of the program itself under ``python -m``."""
    spec = getattr(sys.modules.get("__main__"), "__spec__", None) if module == "__main__" else None
    return spec.name if spec is not None else module


def _find(top: str) -> tuple[Path | None, list[Path]]:
    """The file of a module that stands in no package, or the folders of a package without a file."""
    known: Any = sys.modules.get(top)
    if known is not None:
        file, folders = getattr(known, "__file__", None), getattr(known, "__path__", ())
    else:
        try:
            spec = importlib.util.find_spec(top)
        except (ImportError, ValueError):
            spec = None
        if spec is None:
            return None, []
        file, folders = spec.origin if spec.has_location else None, spec.submodule_search_locations or ()
    return (None if file is None else Path(file)), [Path(folder) for folder in folders]


def _find_in(folders: list[Path], part: str) -> tuple[Path | None, list[Path]]:
    for folder in folders:
        for file in (folder / part / "__init__.py", folder / f"{part}.py"):
            if file.is_file():
                return file, []
    return None, [folder / part for folder in folders if (folder / part).is_dir()]


def is_library(file: str | Path) -> bool:
    """Whether a file is part of duelbench, of an installed package or of the standard library."""
    path = Path(file)
    return any(part in _INSTALLED for part in path.parts) or any(path.is_relative_to(folder) for folder in _KNOWN)


# --- places ---


def is_of_plug_in(file: str | Path) -> bool:
    """Whether a file is no library, or one of those that hold plug-ins."""
    path = Path(file)
    if not path.is_file():
        return False  # <string>
    for name in plugged_in:
        module = sys.modules.get(name)
        own = getattr(module, "__file__", None)
        if own and (path == Path(own) or (hasattr(module, "__path__") and path.is_relative_to(Path(own).parent))):
            return True
    return not is_library(path)


def place_of(error: BaseException) -> str | None:
    """Where in third-party code an error was raised, with the line of code; None where it was raised elsewhere."""
    return place_in(traceback.extract_tb(error.__traceback__))


def place_in(frames: Iterable[traceback.FrameSummary]) -> str | None:
    """The innermost place in third-party code among the frames of a stack; None where there is none."""
    found = None
    for frame in frames:
        # cloudpickle hands functions over without their file
        file = program if program and frame.filename == "<dynamic-code>" else frame.filename
        if is_of_plug_in(file):
            inside = "" if frame.name.startswith("<") else f", in {frame.name}"
            found = f"{shown(file)}:{frame.lineno}{inside}{_quoted(file, frame.lineno or 0)}"
    return found


def line_of(file: str | Path, line: int) -> str:
    """A line of a file (from 1), as in ``rule.py:3: `return arm` ``."""
    return f"{shown(file)}:{line}{_quoted(str(file), line)}"


def _quoted(file: str, line: int) -> str:
    linecache.checkcache(file)
    text = linecache.getline(file, line).strip()
    return f": `{text[:100]}`" if text else ""


def place_of_function(function: Callable[..., Any]) -> str:
    """The name of a function, and where it stands if it is third-party, as in ``select (rule.py:12)``.

    Examples
    --------
    >>> from duelbench.bandits.algorithms.rucb import select
    >>> place_of_function(select)
    'select'
    """
    name = getattr(function, "__name__", type(function).__name__)
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None or not is_third_party(function):
        return name
    return f"{name} ({shown(code.co_filename)}:{code.co_firstlineno})"


def place_of_class(cls: Any) -> str:
    """The name of a class and where it stands, as in ``State (rule.py:7)``."""
    try:
        _, line = inspect.getsourcelines(cls)
        file = inspect.getsourcefile(cls)
    except (OSError, TypeError):
        return f"its state, {cls!r},"
    return f"its state {cls.__qualname__} ({shown(file or '')}:{line})"


def shown(file: str | Path) -> str:
    """A path for people: relative where it is in the working folder."""
    try:
        return str(Path(file).relative_to(os.getcwd()))
    except (ValueError, OSError):
        return str(file)
