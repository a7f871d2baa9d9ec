"""Mistakes in compiled code that is not part of duelbench: one paragraph with the place and the mend."""

import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numba
import numpy as np

from duelbench import foreign
from duelbench.algorithms.dispatch import WrongAnswer
from duelbench.errors import InputError, nearest
from duelbench.simulation.global_randomness import GlobalRandomness


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


class LostFraction(TypeError):
    """A number with a fraction is stored in an array of whole numbers."""


class WholeNumbers(np.ndarray):
    """An array of whole numbers that refuses others, where NumPy and compiled code would store them cut off."""

    def __setitem__(self, key: Any, value: Any) -> None:
        """Store whole numbers."""
        if np.asarray(value).dtype.kind == "f" and not np.all(np.mod(value, 1.0) == 0.0):
            raise LostFraction(f"{value} is stored in an array of whole numbers, which cuts off the fraction")
        super().__setitem__(key, value)


def guarded(state: Any) -> Any:
    """The same state, whose arrays of whole numbers are `WholeNumbers`; they share their memory.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> Own = NamedTuple("Own", [("count", np.ndarray)])
    >>> guarded(Own(np.zeros(3, np.int64))).count[0] = 0.5
    Traceback (most recent call last):
    ...
    duelbench.simulation.mistakes.LostFraction: 0.5 is stored in an array of whole numbers, which cuts off the fraction
    """
    return type(state)(*map(_guarded, state))


def _guarded(value: Any) -> Any:
    if hasattr(value, "_fields"):
        return guarded(value)
    return value.view(WholeNumbers) if isinstance(value, np.ndarray) and value.dtype.kind in "iu" else value


def described(error: BaseException, state: Any, way: str) -> dict[str, Any]:
    """What an error says about code that was played in some way, with a state if it came so far.

    Returns
    -------
    dict
        ``error`` and ``mend``, in words, and ``is_located``, whether the place is known.
    """
    if isinstance(error, UNCOMPILABLE):
        return _uncompilable(re.sub(ESCAPE_CODES, "", str(error)), state)
    place = foreign.place_of(error)
    if isinstance(error, GlobalRandomness):
        place = line_with(r"\b(?:np|numpy)\.random\.|(?<![\w.])random\.", type(state))
    words = " ".join(str(error).split()) or type(error).__name__
    is_ours = isinstance(error, (InputError, WrongAnswer))
    said = words if is_ours or isinstance(error, LostFraction) else f"{type(error).__name__}: {words}"
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
    if isinstance(error, LostFraction):
        return "make the array with np.float64 in start, or store int(...)"
    if isinstance(error, ArithmeticError):
        return "compiled code ends where it divides by zero: test the divisor before"
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


DRAW = "draw_index(n, rng) of duelbench.kernels.sampling is a random index, rng.random() a number from [0, 1)"

MAKES_ARRAYS = ("NRT required", "Only accept returning of array", "_ol_array_allocate", "<built-in function empty>")
"""What Numba says of kernels that make arrays, or other objects that grow."""

_MENDS = {
    "Can't unify": "let it be of one type everywhere: as many values, whole numbers or numbers with a fraction",
    "Exception object": "write it without `except ... as ...`; `except:` alone can be compiled",
}
"""What Numba says, as a pattern -> the mend."""

ESCAPE_CODES = r"\x1b\[[\d;]*m"
"""Bold type and colours, in which Numba writes its messages where the package colorama is installed."""

UNCOMPILABLE = (numba.core.errors.NumbaError, numba.core.errors.UnsupportedBytecodeError)


MAY_BE_NONE = r">>> [^\n]*(?:OptionalType\(|\bnone\b)"
"""What Numba says of a call with a value that is None, or may be."""

_BECOMES_NONE = r"^\s+\w[\w, ]*=.*\bNone\b|\breturn\b.*\bNone\b"
"""A line that gives None to a name, or returns it."""


def _uncompilable(text: str, state: Any) -> dict[str, Any]:
    """What Numba says, as far as it concerns foreign code: the place, and the mend of what happens most often."""
    unknown = re.search(r"NameError: (name '(\w+)' is not defined)", text)
    pattern = rf"\b{unknown[2]}\b" if unknown else _BECOMES_NONE if re.search(MAY_BE_NONE, text) else None
    place = _foreign_line(text) or (line_with(pattern, type(state)) if pattern else None)
    said, mend = _in_words(text, unknown)
    return {"error": f"{said}{f' ({place})' if place else ''}", "mend": mend, "is_located": True}


def _in_words(text: str, unknown: "re.Match[str] | None") -> tuple[str, str]:
    """What is wrong, and the mend."""
    if unknown:
        return unknown[1], "define or import it"
    untyped = re.search(r"Untyped global name '(\w+)'[^\n]*\n?[^\n]*(?:<class '(\w+)'>|empty list)", text)
    if untyped and untyped[2] == "function":
        return f"compiled code calls {untyped[1]}, which is plain Python", f"write @kernel above def {untyped[1]}"
    if any(sign in text for sign in MAKES_ARRAYS):
        mend = f"make arrays in start, keep them in the state, and write a loop over their entries; {DRAW}"
        return "compiled code cannot make arrays, lists, dictionaries or text", mend
    if untyped:
        said = f"compiled code cannot use {untyped[1]}, of the class {untyped[2] or 'list'}"
        return said, "keep numbers and arrays in the state"
    drawn = re.search(r"NumPyRandomGeneratorType_(\w+)|attribute '(\w+)' of type NumPyRandomGeneratorType", text)
    if drawn:
        return f"compiled code cannot call rng.{drawn[1] or drawn[2]} so", DRAW
    if re.search(MAY_BE_NONE, text):
        return "compiled code uses what may be None", "begin with a number that stands for nothing, such as -1"
    mends = [mend for sign, mend in _MENDS.items() if re.search(sign, text)]
    return f"Numba cannot compile it: {_reason(text)}", (mends or ["compiled=False plays plain Python"])[0]


def _foreign_line(text: str) -> str | None:
    """The first place in foreign code that a message of Numba names."""
    for match in re.finditer(r'File "([^"]+)", line (\d+)|(?:at|from) ([^\n"]+?\.py) \((\d+)\)', text):
        path = Path(os.path.abspath(match[1] or match[3]))
        if foreign.is_of_plug_in(path):
            return foreign.line_of(path, int(match[2] or match[4]))
    return None


def line_with(pattern: str, state: type) -> str | None:
    """The first line in which a pattern is found, in the file of a class of states; None where there is none.

    Examples
    --------
    >>> line_with("^class LostFraction", LostFraction).partition(": ")[2]
    '`class LostFraction(TypeError):`'
    """
    file = getattr(sys.modules.get(state.__module__), "__file__", None)
    lines = [] if file is None else Path(file).read_text(encoding="utf-8", errors="replace").splitlines()
    found = [number for number, line in enumerate(lines, start=1) if re.search(pattern, line.partition("#")[0])]
    return foreign.line_of(file, found[0]) if file is not None and found else None


def _reason(text: str) -> str:
    """What Numba gives for a reason in the function of the plug-in: the one within that for the engine's call of it."""
    reasons: Sequence[str] = re.findall(
        r"Failed in nopython mode pipeline[^\n]*\n(?:\s*- Resolution failure[^\n]*\n)?\s*([^\n]+)", text
    )
    return (
        reasons[1]
        if len(reasons) > 1
        else reasons[0]
        if reasons
        else text.partition(". Raised from")[0].splitlines()[0]
    ).strip()[:200]
