"""All algorithms by id: the built-in ones of this package, and the plug-ins of other packages and files.

A file of this package declares an algorithm with ``NAME = Algorithm.of_module(__name__, "<id>", ...``. Another package
adds algorithms through the entry-point group ``duelbench.algorithms``: the entry's name is the id, its object an
`Algorithm`. A file or module that a user names (`load_plug_in`) adds the algorithms in it. There is no other way to add
code: a spec can only name ids.
"""

import contextlib
import dataclasses
import hashlib
import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Iterable
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType

from duelbench.bandits import third_party
from duelbench.bandits.algorithms.contract import Algorithm
from duelbench.bandits.problem.decision_rule import Decision
from duelbench.errors import InputError, letters, nearest

_DECLARATION = re.compile(r'^(\w+) = Algorithm(?:\.of_module\(\s*__name__,|\()\s*(?:id=)?"([^"]+)"', re.MULTILINE)


def _declared() -> dict[str, str]:
    """Return the declarations in this package, by id. They are read, not imported, which would take seconds."""
    folder = Path(__file__).parent
    declarations: dict[str, str] = {}
    for path in folder.rglob("*.py"):
        module = ".".join(path.relative_to(folder).with_suffix("").parts)
        for name, id in _DECLARATION.findall(path.read_text(encoding="utf-8")):
            assert id not in declarations, f"{id} is declared in {declarations[id]} and in {module}"
            declarations[id] = f"{module}:{name}"
    return dict(sorted(declarations.items()))


BUILT_IN = _declared()  # id -> module of this package and the name of its `Algorithm`.

named_plug_ins: dict[str, list[str]] = {}
"""The files and modules that `load_plug_in` has loaded, and the ids in them; worker processes load them too."""

_named: dict[str, Algorithm] = {}
"""The algorithms in these files and modules, by id."""

_home_modules: dict[str, str] = {}
"""The module of each plugged-in algorithm, by the algorithm's id."""

_digests: dict[tuple[str, ...], str] = {}
"""The digest of the sources of some modules, at the time when they were loaded, by these modules."""


UNTIL = "-until-"  # Separates the id of an algorithm from the id of a stopping rule.


def ids() -> tuple[str, ...]:
    """Return the ids of all algorithms, built-in ones first, without importing any.

    Examples
    --------
    >>> "rucb" in ids()
    True
    """
    return tuple(dict.fromkeys([*BUILT_IN, *_named, *_plug_ins()]))


def is_known(id: str) -> bool:
    """Return whether there is an algorithm called ``id``, which may include a stopping rule."""
    known = ids()
    if id in known or UNTIL not in id:
        return id in known
    from duelbench.bandits.algorithms.stopping.rules import RULES

    sampler, _, rule = id.partition(UNTIL)
    return sampler in known and rule in RULES


def get(id: str) -> Algorithm:
    """Return the algorithm called ``id``; ``<algorithm>-until-<rule>`` is an algorithm with a stopping rule.

    Raises
    ------
    InputError
        If there is none; the message names the nearest id.

    Examples
    --------
    >>> get("rucb").parameters["alpha"].default
    0.51
    >>> get("rucb-until-e-condorcet").name
    'RUCB until e-condorcet'
    """
    if id in BUILT_IN:
        module, attribute = BUILT_IN[id].split(":")
        return getattr(importlib.import_module(f"duelbench.bandits.algorithms.{module}"), attribute)
    if id in _named:
        return _named[id]
    plug_ins = _plug_ins()
    if id in plug_ins:
        return _load(plug_ins[id])
    if is_known(id):
        from duelbench.bandits.algorithms.stopping.stopped import stopped

        sampler, _, rule = id.partition(UNTIL)
        return stopped(get(sampler), rule)
    raise InputError(f"there is no algorithm '{id}'{suggestion(id)}")


def suggestion(word: str) -> str:
    """Return a hint for an unknown id: the algorithm that was probably meant, by its id or its name in figures.

    Examples
    --------
    >>> suggestion("D-TS+"), suggestion("pure D-TS"), suggestion("RMED")
    (" (did you mean 'd-ts-plus'?)", " (did you mean 'd-ts-pure'?)", " (did you mean 'rmed1'?)")
    >>> suggestion("alphabeta")
    ' (`duelbench list algorithms` shows them; `--plug-in FILE` adds your own)'
    """
    known = ids()
    wanted = letters(word)
    for spelling in (str, _name):
        for id in known:
            if letters(spelling(id)) == wanted:
                return f" (did you mean '{id}'?)"
    return nearest(word, known) or " (`duelbench list algorithms` shows them; `--plug-in FILE` adds your own)"


def _name(id: str) -> str:
    """Return the name of an algorithm in figures; empty if it is a plug-in that cannot be loaded."""
    try:
        return get(id).name
    except InputError:
        return ""


def algorithms() -> dict[str, Algorithm]:
    """Return all algorithms by id."""
    return {id: get(id) for id in ids()}


def load_plug_in(name: str | os.PathLike[str]) -> list[str]:
    """Register the algorithms of a Python file or an importable module, and return their ids.

    ``name`` is a path that ends with ``.py``, or a module's dotted name. This runs the code, which can import other
    files in its folder.

    Raises
    ------
    InputError
        If it cannot be loaded, has no algorithm, or has one with an id that is taken.
    """
    name = _checked_name(name)
    if name in named_plug_ins:
        return named_plug_ins[name]
    module = load_module(name, "the plug-in")
    defined = {id(value): value for value in vars(module).values() if isinstance(value, Algorithm)}.values()
    # A file may import built-in algorithms; these are not its own.
    new = [algorithm for algorithm in defined if algorithm.id not in BUILT_IN or algorithm is not get(algorithm.id)]
    if not new:
        raise InputError(f"the plug-in {third_party.shown(name)} defines no duelbench Algorithm at its top level")
    for algorithm in new:
        if algorithm.id in ids():
            taken = f"there is another algorithm with the id '{algorithm.id}'; rename it"
            raise InputError(f"the plug-in {third_party.shown(name)}: {taken}")
    for algorithm in new:
        _check_and_record(algorithm, module.__name__)
        _named[algorithm.id] = algorithm
    named_plug_ins[name] = [algorithm.id for algorithm in new]
    return named_plug_ins[name]


def _checked_name(name: str | os.PathLike[str]) -> str:
    """Return the absolute path of an existing file, or a module's name."""
    if not isinstance(name, (str, os.PathLike)):
        raise InputError(f"a plug-in is the path of a .py file, or the name of a module, got {name!r}")
    text = os.fspath(name)
    if not text:
        raise InputError("a plug-in has an empty name; give the path of a .py file, or the name of a module")
    path = Path(text)
    if path.suffix != ".py":
        if path.is_file() or isinstance(name, os.PathLike) or os.sep in text:
            hint = _ending_hint(text)
            raise InputError(f"the plug-in {text} is neither the path of a .py file nor the name of a module{hint}")
        return text
    if not path.is_file():
        hint = nearest(path.name, (neighbour.name for neighbour in path.parent.glob("*.py")))
        raise InputError(f"the plug-in {text}: there is no such file{hint}")
    return str(path.resolve())


def _ending_hint(name: str) -> str:
    return f" (did you mean '{name}.py'?)" if Path(f"{name}.py").is_file() else ""


def load_named_plug_ins(names: Iterable[str]) -> None:
    """Load the plug-ins of the parent in a worker process. If one cannot be loaded here, only its runs fail."""
    for name in names:
        with contextlib.suppress(InputError):
            load_plug_in(name)


def _check_and_record(algorithm: Algorithm, module: str) -> None:
    """Check an algorithm of a plug-in, and record its module and the digest of its sources."""
    algorithm.check()
    _home_modules[algorithm.id] = module
    third_party.plugged_in.update(name.partition(".")[0] for name in (module, *algorithm.third_party_modules))
    code_of(algorithm)


def code_of(algorithm: Algorithm, decision: Decision | None = None) -> str | None:
    """Return the SHA-256 of the third-party sources of an algorithm and a decision; None if there are none.

    The sources are those from which the algorithm was loaded. Raises an InputError if some of the code has no file.
    """
    modules = modules_of(algorithm, decision)
    if not modules:
        return None
    if modules not in _digests:
        sources = third_party.sources(modules)
        if sources is None:
            raise InputError(
                f"{algorithm.id}: there are no files with the sources of {', '.join(modules)}, so its results could not"
                " be distinguished from those of other code; put it into a .py file"
            )
        _digests[modules] = sources.digest
    return _digests[modules]


def modules_of(algorithm: Algorithm, decision: Decision | None = None) -> tuple[str, ...]:
    """Return the third-party modules of an algorithm and a decision, including the one that declares the algorithm."""
    home = _home_modules.get(algorithm.parts[0].id if algorithm.parts else algorithm.id)
    things = [algorithm] if decision is None else [algorithm, decision]
    return tuple(sorted({*third_party.modules(things), *([home] if home else [])}))


def forget_sources() -> None:
    """Read the sources of third-party code again on the next call of `code_of`, which may then find more files."""
    _digests.clear()


def load_module(name: str, what: str) -> ModuleType:
    """Run a .py file, by its absolute path, or an importable module, and return it; messages call it ``what``.

    Raises an InputError that names the line at which its code fails.
    """
    try:
        return _module(name)
    except (Exception, SystemExit) as error:
        hint = _ending_hint(name) if isinstance(error, ModuleNotFoundError) and error.name == name else ""
        raise InputError(f"{what} {third_party.shown(name)} cannot be loaded: {_why(error)}{hint}") from error


def _why(error: BaseException) -> str:
    """Return the message of an error, and the line of third-party code that raised it."""
    place = third_party.place_of(error)
    words = " ".join(str(error).split()) or type(error).__name__
    if misspelt := re.match(r"Algorithm.__init__\(\) got an unexpected keyword argument '(\w+)'", words):
        words = misspelt[0] + nearest(misspelt[1], (field.name for field in dataclasses.fields(Algorithm)))
    return words + (f" ({place})" if place else "")


def _module(name: str) -> ModuleType:
    from duelbench.bandits.kernels.decorators import cached_apart

    if not name.endswith(".py"):
        with cached_apart(third_party.sources([name])):
            return importlib.import_module(name)
    # The name is derived from the path, so that files of the same name differ; pickle finds its classes by it.
    module_name = f"{third_party.FILE_PREFIX}{hashlib.sha256(name.encode()).hexdigest()[:16]}"
    if module_name in sys.modules:
        return sys.modules[module_name]
    beside = str(Path(name).parent)
    if beside not in sys.path:
        sys.path.append(beside)
    spec = importlib.util.spec_from_file_location(module_name, name)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        with cached_apart(third_party.sources([Path(name)])):
            spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[module_name]
        raise
    return module


def check_plays(algorithm: Algorithm, is_scalar: bool) -> None:
    """Raise an InputError unless an algorithm can play scalar bandits or preference matrices, as ``is_scalar`` says."""
    if ("samples" if is_scalar else "duels") in algorithm.plays:
        return
    if is_scalar:
        able = ", ".join(id for id in ids() if "samples" in get(id).plays)
        raise InputError(f"{algorithm.id} plays duels of the arms of a matrix; scalar bandits are played by {able}")
    raise InputError(f"{algorithm.id} plays scalar bandits only, and this problem is a preference matrix")


def _plug_ins() -> dict[str, EntryPoint]:
    """Return the entry points that are installed on the current ``sys.path``."""
    return _installed(tuple(sys.path))


@lru_cache(maxsize=1)
def _installed(_folders: tuple[str, ...]) -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group="duelbench.algorithms")}


def _load(entry: EntryPoint) -> Algorithm:
    from duelbench.bandits.kernels.decorators import cached_apart

    what = f"the plug-in algorithm '{entry.name}' ({entry.value})"
    try:
        with cached_apart(third_party.sources([entry.module])):
            algorithm = entry.load()
    except Exception as error:
        raise InputError(f"{what} cannot be loaded: {_why(error)}") from error
    if not isinstance(algorithm, Algorithm):
        raise InputError(f"{what} is not a duelbench Algorithm")
    if algorithm.id not in _home_modules:
        _check_and_record(algorithm, entry.module)
    return algorithm
