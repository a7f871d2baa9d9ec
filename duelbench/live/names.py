"""What arms and judges may be called."""

from collections.abc import Sequence

from duelbench.errors import InputError
from duelbench.problem.matrix_files import quoted

LONGEST_OF_JUDGE, LONGEST_OF_ARM = 100, 2000
"""Characters of a name; that of an arm may be a paragraph."""


def check_arm_name(name: str, place: str) -> None:
    """Check the name of an arm, given at ``place``: printable, no blanks around it, of `LONGEST_OF_ARM` at most."""
    _check_printable(name, place)
    if name != name.strip():
        raise InputError(f"{place}: the name {quoted(name)} has blanks around it; leave them out")
    if len(name) > LONGEST_OF_ARM:
        raise InputError(
            f"{place}: the name {quoted(name)} has {len(name)} characters, and {LONGEST_OF_ARM} are the most; give the"
            " arm a short name, and show the text beside it"
        )


def judge_named(name: str, place: str = "the judge") -> str:
    """The name of a judge, without blanks around it; `InputError` if it is empty, too long, or cannot be printed."""
    name = name.strip()
    if not name:
        raise InputError(f"{place}: the name is empty; leave it out, or say who answers")
    if len(name) > LONGEST_OF_JUDGE:
        raise InputError(f"{place}: the name has {len(name)} characters; {LONGEST_OF_JUDGE} are the most")
    _check_printable(name, place)
    return name


def first_of(names: Sequence[str], most: int = 3, between: str = ", ") -> str:
    """The first of several names, and how many more there are.

    Examples
    --------
    >>> first_of(["a", "b", "c", "d", "e"]), first_of(["a", "b"])
    ('a, b, c and 2 more', 'a, b')
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return between.join(names[:most]) + more


def _check_printable(name: str, place: str) -> None:
    if not name.isprintable():
        raise InputError(
            f"{place}: the name is {quoted(name)}, which cannot be printed; write it in letters, digits and the like"
        )
