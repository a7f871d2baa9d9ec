"""Detects draws from global generators, which would make results depend on earlier runs."""

import contextlib
import importlib
import random
from collections.abc import Iterator
from typing import Any

import numpy as np


class GlobalRandomness(Exception):
    """An algorithm drew random numbers that do not come from the generator it was given."""


@contextlib.contextmanager
def untouched_global_randomness(python: bool = True) -> Iterator[None]:
    """Raise `GlobalRandomness` if a run draws from a global generator of Python (if ``python``), NumPy or Numba.

    The states of these generators carry over from run to run. They are restored at the end.
    """
    python_state, numpy_state, numba_state = random.getstate(), np.random.get_state(), _numba_state()
    try:
        yield
        changed = {
            "random": python and random.getstate() != python_state,
            "np.random": not _same_state(np.random.get_state(), numpy_state),
            "np.random in compiled code": _numba_state() != numba_state,
        }
        used = [name for name, is_changed in changed.items() if is_changed]
        if used:
            raise GlobalRandomness(f"it drew from the global generator ({used[0]}): draw from rng, which it is given")
    finally:
        random.setstate(python_state)
        np.random.set_state(numpy_state)


def _same_state(first: Any, second: Any) -> bool:
    """Return whether two states of NumPy's global generator are equal: a name, an array and three numbers."""
    return bool((first[1] == second[1]).all()) and first[2:] == second[2:]


def _numba_state() -> Any:
    """Return the state of the generator that compiled code of this thread shares, or None if Numba hides it."""
    try:
        helpers: Any = importlib.import_module("numba._helperlib")
        return helpers.rnd_get_state(helpers.rnd_get_np_state_ptr())
    except (ImportError, AttributeError):
        return None
