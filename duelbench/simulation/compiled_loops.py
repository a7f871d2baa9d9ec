"""The compiled loop of an algorithm, and where it is kept."""

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import llvmlite.binding
import numba

from duelbench import foreign
from duelbench.algorithms.contract import Algorithm
from duelbench.algorithms.exploration.dispatch import decision_of
from duelbench.kernels.decorators import KERNEL_OPTIONS, folder_of, folder_of_all, kept_in, plain
from duelbench.simulation.engine import play


def loop_of(algorithm: Algorithm, state: Any) -> Callable[..., int]:
    """`play` for a state of an algorithm: compiled, or plain Python where the algorithm is.

    Compiled code is kept on disk in a folder of its own for the classes in the state: it is made of the engine and of
    the modules of the algorithm and of the decision that these classes belong to, and good for these sources only.
    """
    if not algorithm.compiled:
        return plain(play)
    classes = tuple(dict.fromkeys(_classes(state)))
    if classes not in _loops:
        _loops[classes] = _compiled_loop(algorithm, classes)
    return _loops[classes]


_loops: dict[tuple[type, ...], Callable[..., int]] = {}


def _classes(value: Any) -> Iterator[type]:
    """The classes of a state and of all that is in it, as far as others than NumPy made them."""
    if type(value).__module__.partition(".")[0] not in ("numpy", "builtins"):
        yield type(value)
    if isinstance(value, tuple):
        for item in value:
            yield from _classes(item)


def _compiled_loop(algorithm: Algorithm, classes: tuple[type, ...]) -> Callable[..., int]:
    function = plain(play)
    copy = FunctionType(function.__code__, function.__globals__, function.__name__)
    folder = folder_of_loop(algorithm, classes)
    if folder is None:
        return numba.njit(**KERNEL_OPTIONS)(copy)
    with kept_in(folder):
        return numba.njit(cache=True, **KERNEL_OPTIONS)(copy)


def loop_name(algorithm: Algorithm) -> str:
    """A name that algorithms of duelbench have in common exactly if one compiled loop plays them all.

    A loop is compiled for the class of a state, whatever the state holds. But a class may leave open of which class a
    part is, as SAVAGE's does of the decision: then the loop is each algorithm's own.

    Examples
    --------
    >>> from duelbench.algorithms.registry import get
    >>> loop_name(get("d-ts")) == loop_name(get("d-ts-pure")), loop_name(get("savage-copeland"))
    (True, 'savage-copeland')
    """
    state = algorithm.state
    is_open = algorithm.foreign_modules or Any in state.__annotations__.values()
    return algorithm.id if is_open else f"{state.__module__}.{state.__qualname__}"


def kept_for() -> str:
    """A digest of what Numba keeps compiled code apart by within a folder: the processor, and where the sources lie."""
    processor = numba.config.CPU_NAME or llvmlite.binding.get_host_cpu_name(), numba.config.CPU_FEATURES
    described = repr((*processor, plain(play).__code__.co_filename))
    return hashlib.sha256(described.encode()).hexdigest()[:10]


def folder_of_loop(algorithm: Algorithm, classes: tuple[type, ...] = ()) -> Path | None:
    """Where the compiled loop of an algorithm is kept, with the classes in its state as far as they are known.

    Returns
    -------
    Path or None
        None where the sources of code that is not duelbench's are not those that were imported.
    """
    parts = foreign.modules_of([algorithm, *filter(None, map(decision_of.get, classes))])
    modules = sorted({play.__module__, *parts, *(cls.__module__ for cls in classes)})
    others = [module for module in modules if not foreign.is_ours(module)]
    if not others:
        return folder_of(modules)
    sources = foreign.sources(others)
    if sources is None or not sources.are_as_imported:
        return None
    # The names of the modules count, too: what is kept cannot be read where these cannot be imported.
    digest = hashlib.sha256(f"{others} {sources.digest}".encode()).hexdigest()[:20]
    return folder_of_all() / "plug-ins" / digest
