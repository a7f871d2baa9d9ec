"""The compiled loop of an algorithm, and where it is kept."""

import hashlib
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import numba

from duelbench import foreign
from duelbench.algorithms.contract import Algorithm
from duelbench.algorithms.exploration.dispatch import decision_of
from duelbench.kernels.decorators import KERNEL_OPTIONS, kernel, plain
from duelbench.simulation.engine import play


def loop_of(algorithm: Algorithm, state: Any) -> Callable[..., int]:
    """`play` for a state of an algorithm: compiled, or plain Python where the algorithm is.

    Compiled code is kept on disk by the type of the state, and what was kept is found by a list of these types. Where
    the state holds something of a class that is not duelbench's, an algorithm's or a decision's, there is a list of its
    own, named by the digest of its sources: another process may not know the class, and Numba would not notice that its
    code has changed.
    """
    if not algorithm.compiled:
        return plain(play)
    is_ours = not algorithm.foreign_modules and "samples" not in algorithm.plays  # else a decision may be another's
    classes = () if is_ours else tuple(dict.fromkeys(_foreign_classes(state)))
    if not classes:
        return play
    if classes not in _loops:
        _loops[classes] = _own_loop(algorithm, classes)
    return _loops[classes]


_loops: dict[tuple[type, ...], Callable[..., int]] = {}


def _foreign_classes(value: Any) -> Iterator[type]:
    """The classes of a state and of all that is in it, as far as others than duelbench and NumPy made them."""
    if type(value).__module__.partition(".")[0] not in ("duelbench", "numpy", "builtins"):
        yield type(value)
    if isinstance(value, tuple):
        for item in value:
            yield from _foreign_classes(item)


def _own_loop(algorithm: Algorithm, classes: tuple[type, ...]) -> Callable[..., int]:
    function = plain(play)
    copy = FunctionType(function.__code__, function.__globals__, function.__name__)
    modules = foreign.modules([algorithm, *filter(None, map(decision_of.get, classes))])
    modules = tuple(sorted({*modules, *(cls.__module__ for cls in classes)}))
    sources = foreign.sources(modules)
    if sources is None or not sources.are_as_imported:
        return numba.njit(**KERNEL_OPTIONS)(copy)
    # Kept under the names of the modules as well: the list of types cannot be read where these cannot be imported.
    digest = hashlib.sha256(f"{modules} {sources.digest}".encode()).hexdigest()[:20]
    copy.__qualname__ = f"{function.__name__}_{digest}"  # a part of the file's name
    return kernel(copy)
