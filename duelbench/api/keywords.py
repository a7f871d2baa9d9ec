"""Messages for programs: what a command calls ``--first-option`` is the argument ``first_option`` of its function."""

import functools
import re
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from duelbench.errors import DuelbenchError

_OTHERWISE = {"from": "first_round", "allow-partial": "partial"}
"""Options whose argument has another name."""

P = ParamSpec("P")
R = TypeVar("R")


def in_keywords(message: str) -> str:
    """A message with arguments in the place of options; commands to type, which stand between backticks, stay.

    Examples
    --------
    >>> in_keywords("--log-regret: there is no axis; `duelbench run --jobs 2` helps, and --from 3")
    'log_regret: there is no axis; `duelbench run --jobs 2` helps, and first_round 3'
    """
    parts = re.split(r"(`[^`]*`)", message)
    return "".join(part if part.startswith("`") else _OPTION.sub(_argument, part) for part in parts)


_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")


def _argument(option: re.Match[str]) -> str:
    return _OTHERWISE.get(option[1], option[1].replace("-", "_"))


def naming_keywords(function: Callable[P, R]) -> Callable[P, R]:
    """A function whose errors name its arguments, and not the options of the command that does the same."""

    @functools.wraps(function)
    def naming(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except DuelbenchError as error:
            error.args = tuple(in_keywords(str(one)) for one in error.args)
            raise

    return naming
