"""What a judge may be called: what can be printed, so that it can be kept, read and told from other names."""

from duelbench.errors import InputError
from duelbench.problem.matrix_files import quoted

LONGEST = 100
"""Characters of a judge's name."""


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
        If it is empty, longer than `LONGEST`, or cannot be printed, as an arm's name must be.

    Examples
    --------
    >>> judge_named(" Ann ")
    'Ann'
    """
    name = name.strip()
    if not name:
        raise InputError(f"{place}: the name is empty; leave it out, or say who answers")
    if len(name) > LONGEST:
        raise InputError(f"{place}: the name has {len(name)} characters; {LONGEST} at most are kept")
    if not name.isprintable():
        raise InputError(
            f"{place}: the name is {quoted(name)}, which cannot be printed; write it in letters, digits and the like"
        )
    return name
