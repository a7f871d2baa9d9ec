"""Completion in bash, which takes words apart at colons and equals signs, and inserts what it is told as it is.

The script that Typer installs there hands over the parts of ``paper:wu2016/1a`` as three words, and a label with a
blank would be inserted as two.
"""

import contextlib
import io
import os
import re
import sys
from collections.abc import Iterator, Sequence

INSTRUCTION = "_DUELBENCH_COMPLETE"
"""The variable by which the script asks; see `typer.completion`."""

_BREAKS = {":", "="}
_SPECIAL = re.compile(r"([^\w@%+=:,./~-])")


@contextlib.contextmanager
def whole_words() -> Iterator[None]:
    """Where bash asks for completions, they are asked for of whole words, and printed as it needs them."""
    if os.environ.get(INSTRUCTION) != "complete_bash" or "COMP_WORDS" not in os.environ:
        yield
        return
    parts = os.environ["COMP_WORDS"].split("\n")
    words, before = joined(parts[: int(os.environ["COMP_CWORD"]) + 1])
    os.environ["COMP_WORDS"], os.environ["COMP_CWORD"] = "\n".join(words), str(len(words) - 1)
    is_quoted = words[-1].removeprefix(before)[:1] in ("'", '"')
    found = io.StringIO()
    try:
        with contextlib.redirect_stdout(found):
            yield
    finally:
        for line in found.getvalue().splitlines():
            part = line.removeprefix(before)
            sys.stdout.write((part if is_quoted else _SPECIAL.sub(r"\\\1", part)) + "\n")


def joined(parts: Sequence[str]) -> tuple[list[str], str]:
    """The words up to the one that is being typed, and what stands in that one before the part that bash replaces.

    Parameters
    ----------
    parts : sequence of str
        As bash takes them apart, up to the one that is being typed.

    Examples
    --------
    >>> joined(["duelbench", "run", "paper", ":", "wu"])
    (['duelbench', 'run', 'paper:wu'], 'paper:')
    >>> joined(["duelbench", "run", "paper", ":"])
    (['duelbench', 'run', 'paper:'], 'paper:')
    >>> joined(["duelbench", "run", ""])
    (['duelbench', 'run', ''], '')
    """
    words: list[str] = []
    before, is_after_break = "", False
    for part in parts:
        is_break = bool(part) and {*part} <= _BREAKS
        if words and part and (is_break or is_after_break):
            before = words[-1] + (part if is_break else "")
            words[-1] += part
        else:
            before = ""
            words.append(part)
        is_after_break = is_break
    return words, before
