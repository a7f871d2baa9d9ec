"""What can go wrong, as the user sees it: one sentence and an exit code.

Code raises these with a message that can be printed as it is; the command line prints it after ``error:`` and
ends with the class's exit code. Any other exception is a fault of duelbench and ends with exit code 1.
"""

import difflib
from collections.abc import Iterable


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


class RunsFailed(DuelbenchError):
    """Some runs of an experiment failed; the others are kept: exit code 3."""

    exit_code = 3


class IncompleteResults(DuelbenchError):
    """Results are missing or damaged, so that what was asked for cannot be shown: exit code 4."""

    exit_code = 4


def nearest(word: object, known: Iterable[object]) -> str:
    """`` (did you mean 'x'?)`` for the known word nearest to ``word``, or nothing where none is near.

    Examples
    --------
    >>> nearest("aplha", ["alpha", "beta"])
    " (did you mean 'alpha'?)"
    >>> nearest("zzz", ["alpha", "beta"])
    ''
    """
    close = difflib.get_close_matches(str(word), [str(other) for other in known], n=1)
    return f" (did you mean '{close[0]}'?)" if close else ""
