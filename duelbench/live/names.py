"""What arms and judges may be called: what can be printed and told from other names."""

from collections.abc import Sequence

from duelbench.errors import InputError
from duelbench.problem.matrix_files import quoted

LONGEST_OF_JUDGE, LONGEST_OF_ARM = 100, 2000
"""Characters of a name; that of an arm may be a paragraph."""


def check_printable(name: str, place: str) -> None:
    """Check that a name, given at ``place``, can be printed.

    Examples
    --------
    >>> check_printable("tea with milk", "drinks.txt:1")
    """
    if not name.isprintable():
        raise InputError(
            f"{place}: the name is {quoted(name)}, which cannot be printed; write it in letters, digits and the like"
        )


def check_arm_names(names: Sequence[str], place: str = "arms") -> None:
    """Check what the arms of a new session are called, none of them empty; ``place`` is where, for messages.

    Raises
    ------
    InputError
        If one cannot be printed, has blanks around it, or is longer than `LONGEST_OF_ARM`.

    Examples
    --------
    >>> check_arm_names(["tea", "water"])
    """
    for name in names:
        check_printable(name, place)
        if name != name.strip():
            raise InputError(f"{place}: the name {quoted(name)} has blanks around it; leave them out")
        if len(name) > LONGEST_OF_ARM:
            raise InputError(
                f"{place}: the name {quoted(name)} has {len(name)} characters, and {LONGEST_OF_ARM} are the most; give"
                " the arm a short name, and show the text beside it"
            )


def judge_named(name: str, place: str = "the judge") -> str:
    """The name of a judge, without blanks around it; `InputError` if it is empty, too long, or cannot be printed.

    Examples
    --------
    >>> judge_named(" Ann ")
    'Ann'
    """
    name = name.strip()
    if not name:
        raise InputError(f"{place}: the name is empty; leave it out, or say who answers")
    if len(name) > LONGEST_OF_JUDGE:
        raise InputError(f"{place}: the name has {len(name)} characters; {LONGEST_OF_JUDGE} at most are kept")
    check_printable(name, place)
    return name
