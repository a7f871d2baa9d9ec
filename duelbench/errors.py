"""Errors that a user can cause: a message for the user and an exit code.

Any other exception is a fault of duelbench and ends with exit code 1.
"""

import difflib
import errno
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache

FULL_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors of the disk, and not of the user's input."""


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
    """Some runs of an experiment failed; the others are stored: exit code 3."""

    exit_code = 3


class IncompleteResults(DuelbenchError):
    """Results are missing or damaged, so the command cannot show them: exit code 4."""

    exit_code = 4


_ALIKE = 0.6
"""The least similarity, between 0 and 1, of a word that may have been meant."""


def nearest(word: object, known: Iterable[object]) -> str:
    """`` (did you mean 'x'?)`` for the known word nearest to ``word``, or nothing if none is near.

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
    """`nearest`, or all known words if none is near.

    Examples
    --------
    >>> nearest_or_all("zzz", ["alpha", "beta"])
    ' (there are alpha, beta)'
    """
    known = list(known)
    return nearest(word, known) or f" (there are {', '.join(map(str, known)) or 'none'})"


def likeliest(word: object, known: Iterable[object]) -> str:
    """The known word nearest to ``word``; empty if none is near.

    Examples
    --------
    >>> likeliest("aplha", ["alpha", "beta"])
    'alpha'

    One letter is like no word but itself.

    >>> likeliest("L", ["pl"]), likeliest("K", ["k"])
    ('', 'k')
    """
    return _likeliest(letters(str(word)), tuple(map(str, known)))


@lru_cache(maxsize=1000)
def _likeliest(word: str, known: tuple[str, ...]) -> str:
    matcher = difflib.SequenceMatcher(b=word)
    least = 1.0 if len(word) == 1 else _ALIKE
    best = ""
    for candidate in known:
        matcher.set_seq1(letters(candidate))
        alike = matcher.real_quick_ratio() >= least and matcher.quick_ratio() >= least  # bounds that cost little
        ratio = matcher.ratio() if alike else 0.0
        if ratio >= least and (ratio > least or not best):
            best, least = candidate, ratio
    return best


@lru_cache(maxsize=10_000)
def letters(word: object) -> str:
    """The letters and digits of a word in lower case, which spellings of it have in common.

    Examples
    --------
    >>> letters("D-TS+"), letters("d_ts plus")
    ('dtsplus', 'dtsplus')
    """
    return "".join(character for character in str(word).lower().replace("+", "plus") if character.isalnum())
