"""What arms and judges may be called: what can be printed, so that it can be kept, read and told from other names."""

from collections.abc import Sequence

from duelbench.errors import InputError
from duelbench.problem.matrix_files import quoted

LONGEST_OF_JUDGE = 100
"""Characters of a judge's name."""

LONGEST_OF_ARM = 2000
"""Characters of an arm's name: room for a paragraph, as a file of texts may have in a line."""


def check_printable(name: str, place: str) -> None:
    """Check that a name can be printed.

    Parameters
    ----------
    name : str
    place : str
        Where it was said, for messages.

    Raises
    ------
    InputError

    Examples
    --------
    >>> check_printable("tea with milk", "drinks.txt:1")
    """
    if not name.isprintable():
        raise InputError(
            f"{place}: the name is {quoted(name)}, which cannot be printed; write it in letters, digits and the like"
        )


def check_arm_names(names: Sequence[str], place: str = "arms") -> None:
    """Check what the arms of a new session are called: names as `duelbench.live.arms.read_arms` reads them.

    Parameters
    ----------
    names : sequence of str
        Of which none is empty.
    place : str
        Where they were said, for messages.

    Raises
    ------
    InputError
        If one cannot be printed, has blanks around it, or has more than `LONGEST_OF_ARM` characters.

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
    """The name of a judge, without blanks around it.

    Parameters
    ----------
    name : str
    place : str
        Where it was said, for messages.

    Raises
    ------
    InputError
        If it is empty, longer than `LONGEST_OF_JUDGE`, or cannot be printed, as an arm's name must be.

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
