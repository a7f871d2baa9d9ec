"""Describes mistakes in third-party code, each in one paragraph with the place and what to do."""

import os
import re
import sys
import traceback
from collections.abc import Iterator
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

import numba
import numpy as np

from duelbench.bandits import third_party
from duelbench.bandits.algorithms.contract import Algorithm
from duelbench.bandits.algorithms.dispatch import WrongAnswer
from duelbench.bandits.simulation.global_randomness import GlobalRandomness
from duelbench.errors import InputError, nearest


class Mistake(TypeError):
    """A mistake that would go unnoticed, and what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


class WholeNumbers(np.ndarray):
    """An array of whole numbers that refuses fractions; NumPy and compiled code would cut them off."""

    def __setitem__(self, key: Any, value: Any) -> None:
        """Store whole numbers; refuse others."""
        if np.asarray(value).dtype.kind == "f" and not np.all(np.mod(value, 1.0) == 0.0):
            raise Mistake(
                f"{value} is stored in an array of whole numbers, which cuts off the fraction",
                "make the array with np.float64 in start, or store int(...)",
            )
        super().__setitem__(key, value)


def guarded(algorithm: Algorithm) -> Algorithm:
    """Return the same algorithm, interpreted, with arrays of whole numbers that refuse fractions."""

    @wraps(algorithm.start)
    def start(*arguments: Any, **parameters: Any) -> Any:
        state = algorithm.start(*arguments, **parameters)
        return _guarded(state, algorithm) if type(state) is algorithm.state and hasattr(state, "_fields") else state

    return replace(algorithm, start=start)


def _guarded(state: Any, algorithm: Algorithm) -> Any:
    """Return the same state with its arrays of whole numbers as `WholeNumbers`, in the same memory."""
    values = []
    for name, value in zip(state._fields, state, strict=True):
        if hasattr(value, "_fields"):
            value = _guarded(value, algorithm)
        elif algorithm.compiled and not _can_be_compiled(value):
            kind = "an array of Python objects" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
            raise Mistake(
                f"{third_party.place_of_function(algorithm.start)} puts {kind} into the field {name} of the state",
                "compiled code takes arrays of numbers, numbers, and NamedTuples of them",
            )
        elif isinstance(value, np.ndarray) and value.dtype.kind in "iu":
            value = value.view(WholeNumbers)
        values.append(value)
    return type(state)(*values)


def _can_be_compiled(value: Any) -> bool:
    if isinstance(value, (list, set, dict)) or (isinstance(value, np.ndarray) and value.dtype.hasobject):
        return False
    try:
        return numba.typeof(value) is not None
    except ValueError:
        return False


UNCOMPILABLE = (numba.core.errors.NumbaError, numba.core.errors.UnsupportedBytecodeError)


def described(error: BaseException, algorithm: Algorithm, way: str) -> str:
    """Describe an error of an algorithm: the message, its place, and what to do.

    Parameters
    ----------
    way : str
        How the algorithm was played, for an error without a place.
    """
    if isinstance(error, UNCOMPILABLE):
        return _uncompilable(str(error), algorithm.state)
    place = third_party.place_of(error)
    if isinstance(error, GlobalRandomness):
        place = line_with(r"\b(?:np|numpy)\.random\.|(?<![\w.])random\.", algorithm.state)
    text = " ".join(str(error).split()) or type(error).__name__
    is_ours = isinstance(error, (InputError, WrongAnswer, Mistake, GlobalRandomness))
    message = text if is_ours else f"{type(error).__name__}: {text}"
    message += f" ({place})" if place and place not in message else ""
    message += f", {way}" if place is None and not is_ours else ""
    hint = _hint(error)
    return f"{message}; {hint}" if hint else message


def _hint(error: BaseException) -> str | None:
    if isinstance(error, Mistake):
        return error.hint
    if isinstance(error, AttributeError) and "can't set attribute" in str(error):
        return "fields cannot be set: keep what changes in an array, as in state.count[0] += 1"
    if isinstance(error, AttributeError) and hasattr(error.obj, "_fields"):
        known = error.obj._fields
        return f"{type(error.obj).__name__} has {', '.join(known)}{nearest(error.name, known)}"
    if isinstance(error, IndexError):
        frames = [frame.f_locals.get("state") for frame, _ in traceback.walk_tb(error.__traceback__)]
        states = [state for state in frames if hasattr(state, "_fields")]
        outside = ". Compiled, it would use memory that is not its own" if "out of bounds" in str(error) else ""
        return f"{_shapes(states[-1])}{outside}" if states else None
    if isinstance(error, ArithmeticError):
        return "compiled code ends at a division by zero: test the divisor first"
    return None


def _shapes(state: Any) -> str:
    """Return the arrays of a state with their shapes, in words."""
    arrays = [f"{name} {array.shape}" for name, array in _arrays(state)]
    return f"start makes {', '.join(arrays[:8])}" if arrays else "start makes no array"


def _arrays(state: Any) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the arrays of a state, and of the NamedTuples in it, with the names of their fields."""
    for name, value in zip(state._fields, state, strict=True):
        if isinstance(value, np.ndarray):
            yield name, value
        elif hasattr(value, "_fields"):
            yield from _arrays(value)


# --- Numba's messages about code that it cannot compile ---

DRAW = "draw_index(n, rng) of duelbench.plugin is a random index, rng.random() a number from [0, 1)"

MAKES_ARRAYS = "NRT required|Only accept returning of array|_ol_array_allocate|<built-in function empty>"
MAY_BE_NONE = r">>> [^\n]*(?:OptionalType\(|\bnone\b)"
UNDEFINED = r"NameError: (name '(\w+)' is not defined)"


def _uncompilable(text: str, state: type) -> str:
    """Translate a message of Numba into the mistake in third-party code, its place, and what to do."""
    text = re.sub(r"\x1b\[[\d;]*m", "", text)  # colours, which Numba uses if colorama is installed
    place = _third_party_line(text)
    if place is None and (undefined := re.search(UNDEFINED, text)):
        place = line_with(rf"\b{undefined[2]}\b", state)
    elif place is None and re.search(MAY_BE_NONE, text):
        place = line_with(r"^\s+\w[\w, ]*=.*\bNone\b|\breturn\b.*\bNone\b", state)
    message, hint = _in_words(text)
    return f"{message}{f' ({place})' if place else ''}; {hint}"


def _in_words(text: str) -> tuple[str, str]:
    """Return the mistake that a message of Numba is about, and what to do."""
    if undefined := re.search(UNDEFINED, text):
        return undefined[1], "define or import it"
    untyped = re.search(r"Untyped global name '(\w+)'[^\n]*\n?[^\n]*(?:<class '(\w+)'>|empty list)", text)
    if untyped and untyped[2] == "function":
        hint = f"write @kernel, of duelbench.plugin, above def {untyped[1]}"
        return f"compiled code calls {untyped[1]}, which is plain Python", hint
    if re.search(MAKES_ARRAYS, text):
        hint = f"make arrays in start, keep them in the state, and write a loop over their entries; {DRAW}"
        return "compiled code cannot make arrays, lists, dictionaries or text", hint
    if untyped:
        message = f"compiled code cannot use {untyped[1]}, of the class {untyped[2] or 'list'}"
        return message, "keep numbers and arrays in the state"
    if drawn := re.search(r"NumPyRandomGeneratorType_(\w+)|attribute '(\w+)' of type NumPyRandomGeneratorType", text):
        return f"compiled code cannot call rng.{drawn[1] or drawn[2]} in this way", DRAW
    if re.search(MAY_BE_NONE, text):
        return "compiled code uses what may be None", "start with a number that means nothing, such as -1"
    hint = "compiled=False runs it as plain Python"
    if "Can't unify" in text:
        hint = "give it the same type everywhere: the same number of values, all whole numbers or all with a fraction"
    elif "Exception object" in text:
        hint = "write it without `except ... as ...`; `except:` alone can be compiled"
    return f"Numba cannot compile it: {_reason(text)}", hint


def _third_party_line(text: str) -> str | None:
    """Return the first place in third-party code that a message of Numba names."""
    for match in re.finditer(r'File "([^"]+)", line (\d+)|(?:at|from) ([^\n"]+?\.py) \((\d+)\)', text):
        path = Path(os.path.abspath(match[1] or match[3]))
        if third_party.is_of_plug_in(path):
            return third_party.line_of(path, int(match[2] or match[4]))
    return None


def _reason(text: str) -> str:
    """Return Numba's reason about the plug-in's function, which is nested in that about the engine's call of it."""
    reasons = re.findall(
        r"Failed in nopython mode pipeline[^\n]*\n(?:\s*- Resolution failure[^\n]*\n)?\s*([^\n]+)", text
    )
    first: str = text.partition(". Raised from")[0].splitlines()[0]
    return [first, *reasons[:2]][-1].strip()[:200]


def line_with(pattern: str, state: type) -> str | None:
    """Return the first line that matches a pattern in the file of the class ``state``; None if none does."""
    file = getattr(sys.modules.get(state.__module__), "__file__", None)
    lines = [] if file is None else Path(file).read_text(encoding="utf-8", errors="replace").splitlines()
    numbers = [number for number, line in enumerate(lines, start=1) if re.search(pattern, line.partition("#")[0])]
    return third_party.line_of(file, numbers[0]) if file is not None and numbers else None
