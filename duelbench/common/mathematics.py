"""Mathematics in titles and labels, as in ``RUCB, $\\alpha = 0.51$``: TeX between dollar signs, as Matplotlib draws it.

A dollar sign starts mathematics only if no space follows. It ends mathematics only if no space precedes, and no digit
follows, so that "from $5 to $10" is plain text. Mathematics that Matplotlib cannot draw is plain text, too. ``\\$`` is
a dollar sign everywhere.
"""

import re
from functools import cache

_MATHEMATICS = re.compile(r"(?<!\\)\$(?=\S)[^$]*[^\s\\$]\$(?!\d)")
_DRAWN = re.compile(r"(?<!\\)\$.*?(?<!\\)\$")
"""A piece of mathematics in text in which all other dollar signs are escaped."""

_LONGEST_REASON = 60  # characters; longer ones list all of mathtext's grammar


def escaped(text: str) -> str:
    r"""Escape the dollar signs that do not enclose mathematics, so that Matplotlib shows them.

    Examples
    --------
    >>> print(escaped(r"$\alpha$ for $5"))
    $\alpha$ for \$5
    """
    parts, end = [], 0
    for match in _MATHEMATICS.finditer(text):
        if mistake(match.group()) is None:
            parts += [_plain(text[end : match.start()]), match.group()]
            end = match.end()
    return "".join([*parts, _plain(text[end:])])


def _plain(text: str) -> str:
    return re.sub(r"\\?\$", r"\\$", text)


def pieces(drawn: str) -> list[str]:
    r"""Split text from `escaped` into plain text and mathematics, in turn.

    Examples
    --------
    >>> pieces(r"$\alpha$ for \$5")
    ['', '$\\alpha$', ' for \\$5']
    """
    return re.split(f"({_DRAWN.pattern})", drawn)


def check(text: str) -> None:
    r"""Raise a `ValueError` if a text has mathematics that cannot be drawn.

    Examples
    --------
    >>> check("from $5 to $10")
    >>> check(r"$\foo{$")
    Traceback (most recent call last):
    ...
    ValueError: the mathematics $\foo{$ cannot be drawn: Unknown symbol: \foo; for a dollar sign write \$
    """
    for match in _MATHEMATICS.finditer(text):
        if (why := mistake(match.group())) is not None:
            raise ValueError(f"the mathematics {match.group()} cannot be drawn: {why}; for a dollar sign write \\$")


@cache
def mistake(mathematics: str) -> str | None:
    """Return what is wrong with a piece of mathematics; None if Matplotlib can draw it."""
    from matplotlib.mathtext import MathTextParser

    try:
        MathTextParser("path").parse(mathematics)
    except ValueError as error:
        reason = str(error).strip().splitlines()[-1]
        reason = re.sub(r"^Parse\w*: |, found .*|  \(at char.*", "", reason)
        return reason if len(reason) <= _LONGEST_REASON else "its form is wrong"
    return None
