"""Errors that a user can cause: one sentence and an exit code.

Code raises these with a message that can be printed as it is; the command line prints it after ``error:`` and
ends with the class's exit code. Any other exception is a fault of duelbench and ends with exit code 1.
"""

import difflib
import errno
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache

FULL_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""What is wrong with a disk and not with what the user asked for."""


class DuelbenchError(Exception):
    """Base of all errors that carry a message for the user.

    Examples
    --------
    >>> InputError("horizon must be positive").exit_code
    2
    """

    exit_code = 1


class InputError(DuelbenchError):
    """The user's input (spec, matrix, data file, flag) is wrong: exit code 2."""

    exit_code = 2


@contextmanager
def reading(path: object) -> Iterator[None]:
    """Turn an OSError inside the block into an InputError that names the file."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None


class RunsFailed(DuelbenchError):
    """Some runs of an experiment failed; the others are kept: exit code 3."""

    exit_code = 3


class IncompleteResults(DuelbenchError):
    """Results are missing or damaged, so that what was asked for cannot be shown: exit code 4."""

    exit_code = 4


_ALIKE = 0.6
"""From which likeness on, between 0 and 1, a word may have been meant."""


def nearest(word: object, known: Iterable[object]) -> str:
    """`` (did you mean 'x'?)`` for the known word nearest to ``word``, or nothing where none is near.

    Examples
    --------
    >>> nearest("aplha", ["alpha", "beta"]), nearest("DTS+", ["d-ts", "d-ts-plus"])
    (" (did you mean 'alpha'?)", " (did you mean 'd-ts-plus'?)")
    >>> nearest("zzz", ["alpha", "beta"])
    ''
    """
    meant = likeliest(word, known)
    return f" (did you mean '{meant}'?)" if meant else ""


def nearest_or_all(word: object, known: Iterable[object]) -> str:
    """`nearest`, or all known words where none is near.

    Examples
    --------
    >>> nearest_or_all("zzz", ["alpha", "beta"])
    ' (there are alpha, beta)'
    """
    known = list(known)
    return nearest(word, known) or f" (there are {', '.join(map(str, known)) or 'none'})"


def likeliest(word: object, known: Iterable[object]) -> str:
    """The known word nearest to ``word``; empty where none is near.

    Examples
    --------
    >>> likeliest("aplha", ["alpha", "beta"])
    'alpha'

    One letter is like no word but itself.

    >>> likeliest("L", ["pl"]), likeliest("K", ["k"])
    ('', 'k')
    """
    return _likeliest(letters(word), tuple(str(other) for other in known))


@lru_cache(maxsize=100)
def _by_letters(known: tuple[str, ...]) -> dict[str, str]:
    """The words by their letters; of several with the same, the first."""
    by_letters: dict[str, str] = {}
    for other in known:
        by_letters.setdefault(letters(other), other)
    return by_letters


@lru_cache(maxsize=1000)
def _likeliest(word: str, known: tuple[str, ...]) -> str:
    by_letters = _by_letters(known)
    if len(word) == 1:
        return by_letters.get(word, "")
    matcher = difflib.SequenceMatcher(b=word)

    def likeness(other: str) -> float:
        matcher.set_seq1(other)
        alike = matcher.real_quick_ratio() >= _ALIKE and matcher.quick_ratio() >= _ALIKE  # bounds that cost little
        return matcher.ratio() if alike else 0.0

    best = max(by_letters, key=likeness, default="")  # the first of several: rmed1, and not rmed2, for RMED
    return by_letters[best] if best and likeness(best) >= _ALIKE else ""


def letters(word: object) -> str:
    """What words have in common that are spelled in several ways: their letters, small, and their digits.

    Examples
    --------
    >>> letters("D-TS+"), letters("d_ts plus")
    ('dtsplus', 'dtsplus')
    """
    return "".join(character for character in str(word).lower().replace("+", "plus") if character.isalnum())
