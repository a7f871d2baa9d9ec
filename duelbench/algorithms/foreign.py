"""Code that is not part of duelbench: what it consists of, and where in it a mistake is.

Results and compiled code of such an algorithm or decision are good for its very sources only. The digest of these
covers the modules in which its functions stand, the packages that these modules are in, and all that they import; but
for libraries (the standard library, installed packages, duelbench itself) and the folder in which the files lie.
"""

import ast
import hashlib
import importlib.util
import inspect
import linecache
import os
import sys
import sysconfig
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from duelbench.errors import InputError, nearest

PACKAGE = Path(__file__).resolve().parent.parent

FILE_PREFIX = "duelbench_plug_in_"
"""How the modules of files are called that a user names: see `duelbench.algorithms.registry.load_plug_in`."""

_STARTED = time.time()
_INSTALLED = ("site-packages", "dist-packages")
_KNOWN = (PACKAGE, *(Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")))


class Sources(NamedTuple):
    """What code consists of: the SHA-256 of its files, and whether all are older than this process.

    A file that is younger may have been changed after it was imported.
    """

    digest: str
    are_as_imported: bool


def is_foreign(part: Any) -> bool:
    """Whether a function or a class stands in a module that is not duelbench's.

    Examples
    --------
    >>> is_foreign(is_foreign), is_foreign(Path)
    (False, True)
    """
    return not _is_ours(_module_of(part))


def modules(things: Iterable[Any]) -> tuple[str, ...]:
    """The foreign modules, by name, in which functions and classes of algorithms and decisions stand.

    Examples
    --------
    >>> from duelbench.algorithms import registry
    >>> modules([registry.get("rucb")])
    ()
    """
    parts = [value for thing in things for value in vars(thing).values() if callable(value)]
    return tuple(sorted({_module_of(part) for part in parts if is_foreign(part)}))


def _module_of(part: Any) -> str:
    while isinstance(part, partial):
        part = part.func
    return str(getattr(part, "__module__", None) or type(part).__module__)


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] == "duelbench"


def sources(roots: Iterable[str | Path]) -> Sources | None:
    """What modules consist of, given by their names or as files; None where one of them has no file.

    Examples
    --------
    A file that imports another one beside it:

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> sys.path.append(str(folder))
    >>> _ = (folder / "rule.py").write_text("import constants_of_the_rule")
    >>> _ = (folder / "constants_of_the_rule.py").write_text("a = 1")
    >>> before = sources([folder / "rule.py"]).digest
    >>> _ = (folder / "constants_of_the_rule.py").write_text("a = 2")
    >>> sources([folder / "rule.py"]).digest == before
    False
    """
    files: dict[Path, str] = {}
    waiting: list[str] = []
    for root in roots:
        found = {root: ""} if isinstance(root, Path) else dict(_files_of(root, is_root=True))
        if not found:
            return None
        _add(found, files, waiting)
    looked_for: set[str] = set()
    while waiting:
        module = waiting.pop()
        if module not in looked_for:
            looked_for.add(module)
            _add(dict(_files_of(module, is_root=False)), files, waiting)
    try:
        digests = sorted((name, hashlib.sha256(path.read_bytes()).hexdigest()) for path, name in files.items())
        newest = max(path.stat().st_mtime for path in files)
    except OSError:
        return None
    return Sources(hashlib.sha256(repr(digests).encode()).hexdigest(), newest < _STARTED)


def _add(found: dict[Path, str], files: dict[Path, str], waiting: list[str]) -> None:
    """Put files that are new beside the others, and the names of what they import among those that wait."""
    for path, name in found.items():
        if path not in files:
            files[path] = name
            waiting += _imported(path, name)


def _imported(path: Path, module: str) -> Iterator[str]:
    """The names of modules that a file may import; of a name after ``from`` it is not known whether it is one."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, ValueError, SyntaxError):
        return  # compiled, or not to be imported anyway
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = module.split(".")[: -node.level] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _files_of(module: str, is_root: bool) -> Iterator[tuple[Path, str]]:
    """The files of a module, each with a name that does not depend on where they lie; none of a library.

    A module that is in a package stands for all of it: what a package imports of itself is not looked at.
    """
    top, *below = _real_name(module).split(".")
    if _is_ours(top) or (top in sys.stdlib_module_names and not is_root):
        return
    file, folders = _find(top)
    for part in below if file is None else ():  # of a package without __init__.py only what is asked for
        file, folders = _find_in(folders, part)
        if file is not None:
            break
    if file is None or not file.is_file() or (is_library(file) and not is_root):
        return
    if file.name == "__init__.py":
        yield from ((path, str(path.relative_to(file.parent.parent))) for path in file.parent.rglob("*.py"))
    else:
        is_named_by_path = top.startswith(FILE_PREFIX) or top == "__main__"
        yield file, "" if is_named_by_path else _real_name(module)


def _real_name(module: str) -> str:
    """The name; of the program itself, where it is a module (``python -m``), that of the module."""
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


def place_of(error: BaseException) -> str | None:
    """Where in foreign code an error was raised, with the line of code; None where it was raised in no such code."""
    frames = [
        (frame, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if not is_library(frame.f_code.co_filename) and os.path.isfile(frame.f_code.co_filename)
    ]
    if not frames:
        return None
    frame, line = frames[-1]
    file = frame.f_code.co_filename
    function = frame.f_code.co_name
    inside = "" if function.startswith("<") else f", in {function}"
    return f"{shown(file)}:{line}{inside}{_quoted(file, line)}"


def line_of(file: str | Path, line: int) -> str:
    """A line of a file (from 1), as in ``rule.py:3: `return arm` ``."""
    return f"{shown(file)}:{line}{_quoted(str(file), line)}"


def _quoted(file: str, line: int) -> str:
    linecache.checkcache(file)
    text = linecache.getline(file, line).strip()
    return f": `{text[:100]}`" if text else ""


def place_of_function(function: Callable[..., Any]) -> str:
    """The name of a function, and where it stands if it is foreign, as in ``select (rule.py:12)``.

    Examples
    --------
    >>> from duelbench.algorithms.rucb import select
    >>> place_of_function(select)
    'select'
    """
    name = getattr(function, "__name__", type(function).__name__)
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None or not is_foreign(function):
        return name
    return f"{name} ({shown(code.co_filename)}:{code.co_firstlineno})"


def shown(file: str | Path) -> str:
    """A path as a person would say it: from the working folder if it is in it."""
    try:
        return str(Path(file).relative_to(os.getcwd()))
    except (ValueError, OSError):
        return str(file)


# --- what must be so ---


def check_arguments(owner: str, function: Callable[..., Any], names: Iterable[str], by_name: bool) -> None:
    """Whether a function takes the arguments that it will be called with.

    Parameters
    ----------
    owner : str
        Whose function it is, for the message.
    function : callable
    names : iterable of str
        Of the arguments, in their order.
    by_name : bool
        Whether they must have these very names, as those of compiled functions.

    Raises
    ------
    InputError
        When it does not, naming the function's file and line.
    """
    wanted = list(names)
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # a class or a builtin that does not tell
    try:
        signature.bind(*wanted)
        is_right = not by_name or list(signature.parameters) == wanted
    except TypeError:
        is_right = False
    if not is_right:
        given = ", ".join(signature.parameters)
        raise InputError(
            f"{owner}: {place_of_function(function)} takes ({given}), but is called with ({', '.join(wanted)});"
            " give it these arguments"
        )


def check_keywords(owner: str, function: Callable[..., Any], names: Iterable[str], keywords: Iterable[str]) -> None:
    """Whether a function takes these arguments by place, and those keywords, and needs no others.

    Raises
    ------
    InputError
        When it does not, naming the function's file and line.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*names, **dict.fromkeys(keywords))
    except TypeError as error:
        unknown = [name for name in keywords if f"'{name}'" in str(error)]
        hint = nearest(unknown[0], signature.parameters) if unknown else ""
        called = ", ".join([*names, *(f"{name}=..." for name in keywords)])
        raise InputError(
            f"{owner}: {place_of_function(function)} is called as {function.__name__}({called}): {error}{hint}"
        ) from None


def check_class(owner: str, state: type | None, functions: Iterable[Callable[..., Any]]) -> None:
    """Whether compiled functions can be found by a class of states: it must be a NamedTuple's, and not one of ours.

    Raises
    ------
    InputError
        When they cannot.
    """
    if not (isinstance(state, type) and issubclass(state, tuple) and hasattr(state, "_fields")):
        raise InputError(f"{owner}: its state must be a class derived from NamedTuple, for it is compiled")
    others = [function for function in functions if is_foreign(function)]
    if others and not is_foreign(state):
        raise InputError(
            f"{owner}: compiled functions are found by the class of the state, and {state.__qualname__} of"
            f" {state.__module__} leads to others than {place_of_function(others[0])}; make a class of your own, as in"
            f" `class OwnState({state.__qualname__}): pass`, and return it from start"
        )


def check_alone(thing: Any, other: Any) -> None:
    """Whether two compiled algorithms or decisions with the same class of states have the same functions.

    Raises
    ------
    InputError
        When one of them would play with the functions of the other.
    """
    own = {name: inspect.unwrap(function) for name, function in thing.rules.items()}
    if own == {name: inspect.unwrap(function) for name, function in other.rules.items()}:
        return
    name, others = (getattr(one, "id", None) or one.name for one in (thing, other))
    raise InputError(
        f"{name}: compiled functions are found by the class of the state, and {thing.state.__qualname__} leads to those"
        f" of {others if others != name else 'another one of this name'}; give each a class of its own"
    )
