"""What is wrong with compiled code that is not part of duelbench: one paragraph with the place and the mend."""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numba
import numpy as np

from duelbench import foreign
from duelbench.errors import InputError, nearest
from duelbench.simulation.dispatch import WrongAnswer


def check_types(start: str, state: Any) -> None:
    """Whether compiled code can take what is in a state that ``start`` has made.

    Raises
    ------
    InputError
        Naming the field.
    """
    for name, value in zip(state._fields, state, strict=True):
        if hasattr(value, "_fields"):
            check_types(start, value)
            continue
        try:
            is_right = not isinstance(value, (list, set, dict)) and numba.typeof(value) is not None
        except ValueError:
            is_right = False
        if not is_right:
            raise InputError(
                f"{start} puts an object of the class {type(value).__name__} into the field {name} of the state;"
                " compiled code takes arrays, numbers, and NamedTuples of them"
            )


def described(error: BaseException, state: Any, way: str) -> dict[str, Any]:
    """What an error says about code that was played in some way, with a state if it came so far.

    Returns
    -------
    dict
        ``error`` and ``mend``, in words, and ``is_located``, whether the place is known.
    """
    if isinstance(error, numba.core.errors.NumbaError):
        return _uncompilable(str(error))
    place = foreign.place_of(error)
    words = " ".join(str(error).split()) or type(error).__name__
    is_ours = isinstance(error, (InputError, WrongAnswer))
    said = words if is_ours else f"{type(error).__name__}: {words}"
    said += f" ({place})" if place and place not in said else ""
    if place is None and not is_ours:
        said += f", {way}"
    return {"error": said, "mend": _mend(error, state), "is_located": is_ours or place is not None}


def _mend(error: BaseException, state: Any) -> str | None:
    if isinstance(error, AttributeError) and state is not None:
        if "can't set attribute" in str(error):
            return "fields cannot be set: keep what changes in an array, as in state.count[0] += 1"
        for part in _parts(state):
            name, known = type(part).__name__, part._fields
            if f"'{name}' object" in str(error):
                return f"{name} has {', '.join(known)}{nearest(error.name, known)}"
    if isinstance(error, IndexError) and state is not None:
        outside = ". Compiled, it would use memory that is not its own" if "out of bounds" in str(error) else ""
        return f"{_shapes(state)}{outside}"
    return None


def _parts(state: Any) -> Iterator[Any]:
    """A state and the NamedTuples in it."""
    yield state
    for value in state:
        if hasattr(value, "_fields"):
            yield from _parts(value)


def _shapes(state: Any) -> str:
    """The arrays of a state, as they were made."""
    arrays = [
        f"{name} {value.shape}"
        for part in _parts(state)
        for name, value in zip(part._fields, part, strict=True)
        if isinstance(value, np.ndarray)
    ]
    return f"start makes {', '.join(arrays[:8])}" if arrays else "start makes no array"


MAKES_ARRAYS = ("NRT required", "Only accept returning of array", "_ol_array_allocate", "<built-in function empty>")
"""What Numba says of kernels that make arrays, or other objects that grow."""


def _uncompilable(text: str) -> dict[str, Any]:
    """What Numba says, as far as it concerns foreign code: the place, and the mend of what happens most often."""
    place = _foreign_line(text)
    where = f" ({place})" if place else ""
    report = {"is_located": True}
    untyped = re.search(r"Untyped global name '(\w+)'[^\n]*\n?[^\n]*<class '(\w+)'>", text)
    if untyped and untyped[2] == "function":
        said = f"compiled code calls {untyped[1]}, which is plain Python{where}"
        return {**report, "error": said, "mend": f"write @kernel above def {untyped[1]}"}
    if any(sign in text for sign in MAKES_ARRAYS):
        said = f"compiled code cannot make arrays, lists, dictionaries or text{where}"
        mend = (
            "make arrays in start, keep them in the state, and write a loop over their entries; a random index is"
            " duelbench.kernels.sampling.draw_index(n, rng)"
        )
        return {**report, "error": said, "mend": mend}
    if untyped:
        said = f"compiled code cannot use {untyped[1]}, of the class {untyped[2]}{where}"
        return {**report, "error": said, "mend": "keep numbers and arrays in the state"}
    return {
        **report,
        "error": f"Numba cannot compile it: {_reason(text)}{where}",
        "mend": "compiled=False plays plain Python",
    }


def _foreign_line(text: str) -> str | None:
    """The first place in foreign code that a message of Numba names."""
    for file, line in re.findall(r'File "([^"]+)", line (\d+)', text):
        path = Path(os.path.abspath(file))
        if foreign.is_of_plug_in(path):
            return foreign.line_of(path, int(line))
    return None


def _reason(text: str) -> str:
    """What Numba gives for a reason in the function of the plug-in: the one within that for the engine's call of it."""
    reasons: Sequence[str] = re.findall(r"Failed in nopython mode pipeline[^\n]*\n\s*([^\n]+)", text)
    return (reasons[1] if len(reasons) > 1 else reasons[0] if reasons else text.splitlines()[0]).strip()[:200]
