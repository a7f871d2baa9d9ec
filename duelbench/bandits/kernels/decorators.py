"""Decorators that compile functions and cache the compiled code.

Every compiled function of the package has one of these decorators: usually `kernel`; `inlined` or `not_inlined` if
measurements show that this helps; `compiled_once` for code that is the same for all algorithms. Numba checks only the
function's own file to see whether cached code is stale, so the name of the cache folder is a digest of all sources.
"""

import atexit
import contextlib
import functools
import hashlib
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba import types
from numba.extending import overload, register_jitable, typeof_impl

from duelbench.bandits import third_party
from duelbench.bandits.kernels import own_sources
from duelbench.bandits.kernels.interpreting import is_interpreted
from duelbench.bandits.third_party import Sources
from duelbench.common.system import user_cache

KEEP_DAYS = 30  # Compiled code of sources that were not used for this many days is removed.

FOLDER_VARIABLE = "DUELBENCH_KERNEL_FOLDER"
"""An environment variable that this module sets for its worker processes, so that all of them share one folder."""


@lru_cache(maxsize=1)
def cache_folder() -> Path:
    """Return the cache folder for these versions: in the user's cache, or a temporary one if that is not writable."""
    versions = (sys.version, np.__version__, numba.__version__, llvmlite.__version__)
    name = hashlib.sha256(repr(versions).encode()).hexdigest()[:20]
    inherited = os.environ.get(FOLDER_VARIABLE)
    if inherited and Path(inherited).name == name and _is_writable(Path(inherited)):
        return Path(inherited)
    parent = user_cache()
    if parent is not None and _is_writable(parent / name):
        folder = parent / name
        _prune(parent)
        _prune(folder)
    else:
        reason = f"{parent} cannot be written" if parent else "there is no home folder"
        print(f"warning: {reason}: compiled code is not cached, every start compiles again", file=sys.stderr)
        folder = Path(tempfile.mkdtemp(prefix="duelbench-")) / name
        folder.mkdir()
        atexit.register(shutil.rmtree, folder.parent, ignore_errors=True)
    os.environ[FOLDER_VARIABLE] = str(folder)
    return folder


def folder_of(modules: Iterable[str]) -> Path | None:
    """Return the folder in `cache_folder` for code compiled from these modules; None if it cannot be cached.

    Third-party code may use any part of duelbench. Code without a file, or with a file that is newer than this process,
    is not cached.
    """
    names = sorted(set(modules))
    others = [name for name in names if not third_party.is_ours(name)]
    files = own_sources.all_files() if others else own_sources.files_of(names)
    if not (others or files.keys() >= set(names)) or not own_sources.are_as_imported(files):
        return None
    if not others:
        return _used(cache_folder() / own_sources.digest(files))
    sources = third_party.sources(others)
    if sources is None or not sources.are_as_imported:
        return None
    # The digest includes the names of the modules: cached code cannot be read if they cannot be imported.
    digest = hashlib.sha256(f"{others} {sources.digest}".encode()).hexdigest()[:20]
    return _used(folder_of_all() / "plug-ins" / digest)


@lru_cache(maxsize=1000)
def _used(folder: Path) -> Path:
    """Create a folder in `cache_folder`, or mark it as used so that it is kept for `KEEP_DAYS`; return it."""
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
    return folder


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"\0" * 4096)
        os.utime(folder)
    except OSError:
        return False
    return True


def _prune(parent: Path) -> None:
    """Remove the folders in ``parent`` that were not used for `KEEP_DAYS`."""
    oldest = time.time() - KEEP_DAYS * 86400
    for folder in parent.iterdir():
        with contextlib.suppress(OSError):
            if folder.is_dir() and folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)


@lru_cache(maxsize=1)
def folder_of_all() -> Path:
    """Return the folder of compiled code that may use any part of duelbench, as third-party code may."""
    return _used(cache_folder() / own_sources.digest(own_sources.all_files()))


@contextlib.contextmanager
def cached_apart(sources: Sources | None) -> Iterator[None]:
    """Use a cache folder for exactly these sources within the ``with`` block, while their code is imported."""
    with cached_in(folder_of_all() / "plug-ins" / sources.digest[:20]) if sources else contextlib.nullcontext():
        yield


@contextlib.contextmanager
def cached_in(folder: Path) -> Iterator[None]:
    """Make Numba cache in ``folder`` the functions that are decorated within the ``with`` block."""
    with _changing:
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(folder)
        try:
            yield
        finally:
            numba.config.CACHE_DIR = before


_changing = threading.RLock()
"""Held while Numba's cache folder is changed, which affects all threads."""


def cached(function: Callable[..., Any], modules: Iterable[str], options: Mapping[str, Any]) -> Any:
    """Compile ``function`` on its first call, and cache the result on disk if its ``modules`` allow it."""
    folder = folder_of(modules)
    if folder is not None:
        with cached_in(folder), contextlib.suppress(RuntimeError):  # code typed at a prompt has no file
            return numba.njit(cache=True, **options)(function)
    return numba.njit(**options)(function)


def classes_in(value: Any) -> list[type]:
    """Return the classes of a state and of the tuples in it, by which compiled code finds functions."""
    if not isinstance(value, tuple):
        return []
    return [type(value)] * (type(value) is not tuple) + [cls for item in value for cls in classes_in(item)]


KERNEL_OPTIONS = {"nogil": True, "_nrt": False}
"""Compile kernels without the GIL, and without reference counts for arrays.

Reference counts made rounds ten times slower. Only code that makes arrays needs them, and Numba refuses to compile such
kernels: ``start`` makes all arrays. `Generator.integers` makes an array inside Numba; use `sampling.draw_index`. No
``fastmath`` and no ``parallel``: results must not depend on either.
"""

INLINED_OPTIONS = {**KERNEL_OPTIONS, "forceinline": True}
"""Inlined by LLVM: Numba's own ``inline="always"`` takes several times as long to compile."""

NOT_INLINED_OPTIONS = {**KERNEL_OPTIONS, "forceinline": False}
"""Without this option, Numba passes "forceinline" on to all functions that an inlined function calls."""

PART_OPTIONS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""For code that only kernels call: a wrapper that unpacks a state of a dozen arrays takes long to compile."""


class Kernel:
    """A function that is compiled on its first call: alone if called from Python, as a part of a kernel that calls it.

    ``options`` are those of `numba.njit`.
    """

    def __init__(self, function: Callable[..., Any], options: Mapping[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function
        self.options = options
        self._entries: dict[tuple[type, ...], Any] = {}
        self._let_kernels_call()

    def _let_kernels_call(self) -> None:
        """Let Numba find the function in kernels; constants are not typed as literals, so 0 and 1 share one version."""
        overload(self, jit_options={**self.options, **PART_OPTIONS}, strict=False)(lambda *_, **__: self.py_func)

    def _compiled(self, classes: tuple[type, ...]) -> Any:
        """Compile for calls from Python, with the functions of algorithms and decisions that ``classes`` refer to."""
        return cached(self.py_func, [part.__module__ for part in (self.py_func, *classes)], self.options)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        if is_interpreted():
            return self.py_func(*arguments, **named)
        classes = tuple(classes_in((*arguments, *named.values())))
        if classes not in self._entries:
            self._entries[classes] = self._compiled(classes)
        return self._entries[classes](*arguments, **named)

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Pickle by name, like any function, if another process can import it by that name."""
        if self.py_func.__module__ == "__main__" or "<locals>" in self.py_func.__qualname__:
            return compiled_with, (self.options, self.py_func)
        return self.py_func.__qualname__


class KernelOfItsOwn(Kernel):
    """A kernel that is compiled and cached once, for Python and for all kernels that call it."""

    def _let_kernels_call(self) -> None:
        self.dispatcher = cached(self.py_func, [self.py_func.__module__], self.options)

    def _compiled(self, classes: tuple[type, ...]) -> Any:
        return self.dispatcher


@typeof_impl.register(KernelOfItsOwn)
def _type_of_dispatcher(kernel: KernelOfItsOwn, context: Any) -> types.Dispatcher:
    return types.Dispatcher(kernel.dispatcher)


def compiled_with(options: Mapping[str, Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile ``function`` with these options on first call; plain Python under NUMBA_DISABLE_JIT=1."""
    return function if numba.config.DISABLE_JIT else Kernel(function, options)


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile ``function`` on its first call, from Python or from a kernel, and cache the result.

    Kernels cannot make arrays, lists or text: ``start`` makes all arrays. With NUMBA_DISABLE_JIT=1 the function stays
    plain Python.

    Examples
    --------
    >>> @kernel
    ... def lead(wins, i, j):
    ...     return wins[i, j] - wins[j, i]
    >>> int(lead(np.array([[0, 3], [1, 0]]), 0, 1))
    2
    """
    return compiled_with(KERNEL_OPTIONS, function)


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a `kernel` that is compiled into those that call it.

    Use it for parts that take a whole state: a call hands over each array as seven or more words, which for a dozen
    arrays costs more than the rule itself.

    Examples
    --------
    >>> @inlined
    ... def lead(wins, i, j):
    ...     return wins[i, j] - wins[j, i]
    """
    return compiled_with(INLINED_OPTIONS, function)


def not_inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a `kernel` that is never compiled into its callers.

    Use it for long code that does not run in every round: an inlined function is optimised again in every kernel that
    contains it (CW-RMED took 23 seconds to compile that way).

    Examples
    --------
    >>> @not_inlined
    ... def total(wins):
    ...     return wins.sum()
    """
    return compiled_with(NOT_INLINED_OPTIONS, function)


kernel_or_plain = register_jitable(**KERNEL_OPTIONS, **PART_OPTIONS)
"""Decorates a part of kernels that runs as plain Python if plain Python calls it: code that calls an algorithm or a
decision, which may be plain Python itself."""

inlined_or_plain = register_jitable(**INLINED_OPTIONS, **PART_OPTIONS)
"""The same, inlined: for code that runs in every round."""

not_inlined_or_plain = register_jitable(**NOT_INLINED_OPTIONS, **PART_OPTIONS)
"""The same, not inlined: for code that does not run in every round."""


def compiled_once(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile ``function`` once for all kernels that call it, and cache it: for code that takes long to compile."""
    if numba.config.DISABLE_JIT:
        return function
    return KernelOfItsOwn(function, NOT_INLINED_OPTIONS)


def plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the Python function behind a kernel, or the function itself if it is not compiled."""
    return getattr(function, "py_func", function)
