"""The compiled loop of an algorithm, and where it is stored."""

import contextlib
import gc
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import FunctionType
from typing import Any

import llvmlite.binding
import numba

from duelbench.bandits import third_party
from duelbench.bandits.algorithms.contract import Algorithm
from duelbench.bandits.algorithms.exploration.dispatch import decision_of
from duelbench.bandits.kernels.decorators import NOT_INLINED_OPTIONS, cached, classes_in, folder_of, plain
from duelbench.bandits.kernels.interpreting import is_interpreted
from duelbench.bandits.simulation.engine import play


def loop_of(algorithm: Algorithm, arguments: Sequence[Any]) -> Callable[..., None]:
    """Return `play` for its ``arguments``: compiled, or plain Python if the algorithm or the kernels are.

    Each choice of the arguments that may be None has a loop of its own. Compiled code is stored in the folder of its
    modules: those of the engine, the algorithm and the decision in the state.
    """
    if not algorithm.compiled or is_interpreted():
        return plain(play)
    state, *others = arguments
    form = tuple(classes_in(state)), tuple(map(type, others))
    if form not in _loops:
        loop = _new_loop(algorithm, *form)
        with _without_garbage_collection():
            loop.compile(tuple(numba.typeof(argument) for argument in arguments))
        _loops[form] = loop
    return _loops[form]


_loops: dict[tuple[tuple[type, ...], tuple[type, ...]], Any] = {}


def _new_loop(algorithm: Algorithm, of_state: tuple[type, ...], others: tuple[type, ...]) -> Any:
    function = plain(play)
    copy = FunctionType(function.__code__, function.__globals__, function.__name__)
    # The digest becomes part of the cache file's name: two processes that write to one index could mix up its entries.
    names = [f"{cls.__module__}.{cls.__qualname__}" for cls in (*of_state, *others)]
    copy.__qualname__ = f"{function.__name__}_{hashlib.sha256(repr(names).encode()).hexdigest()[:20]}"
    return cached(copy, _modules(algorithm, of_state), NOT_INLINED_OPTIONS)


@contextlib.contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Do not search for garbage within the ``with`` block: a tenth of the time to compile is spent on it."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def loop_name(algorithm: Algorithm) -> str:
    """Return a name that algorithms of duelbench share exactly if the same compiled loop plays them.

    A loop is compiled for the class of a state. If this class leaves the class of a field open, as SAVAGE's does for
    the decision, each algorithm has its own loop.

    Examples
    --------
    >>> from duelbench.bandits.algorithms.registry import get
    >>> loop_name(get("d-ts")) == loop_name(get("d-ts-pure")), loop_name(get("savage-copeland"))
    (True, 'savage-copeland')
    """
    state = algorithm.state
    is_open = algorithm.third_party_modules or Any in state.__annotations__.values()
    return algorithm.id if is_open else f"{state.__module__}.{state.__qualname__}"


def kept_for() -> str:
    """Return a digest of what else compiled code depends on for Numba: the processor, and the path of the sources."""
    processor = numba.config.CPU_NAME or llvmlite.binding.get_host_cpu_name(), numba.config.CPU_FEATURES
    described = repr((*processor, plain(play).__code__.co_filename))
    return hashlib.sha256(described.encode()).hexdigest()[:10]


def _modules(algorithm: Algorithm, classes: Iterable[type]) -> list[str]:
    """Return the modules of the loop: those of the engine, the algorithm, and the decision that classes belong to."""
    parts = third_party.modules_of([algorithm, *filter(None, map(decision_of.get, classes))])
    return [play.__module__, *parts, *(cls.__module__ for cls in classes)]


def mark_of_loop(algorithm: Algorithm, use: str) -> Path | None:
    """Return the file that exists once one of an algorithm's loops is compiled for ``use``; None if `folder_of` is.

    The modules of a decision do not count, because the decision is not known in advance.
    """
    folder = folder_of(_modules(algorithm, []))
    return None if folder is None else folder / f"{use}-{loop_name(algorithm)}-{kept_for()}"
