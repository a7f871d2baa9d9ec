"""Counts and lists for messages."""

from collections.abc import Sequence


def counted(n: float, noun: str, nouns: str = "") -> str:
    """Return a number with the noun that it counts.

    Examples
    --------
    >>> counted(1, "run"), counted(2, "run"), counted(2, "matrix", "matrices")
    ('1 run', '2 runs', '2 matrices')
    """
    return f"{n:g} {noun}" if n == 1 else f"{n} {nouns or f'{noun}s'}"


def plural(n: int, noun: str) -> str:
    """Return a noun without its number, with an s unless the number is 1.

    Examples
    --------
    >>> plural(1, "run"), plural(2, "run")
    ('run', 'runs')
    """
    return noun if n == 1 else f"{noun}s"


def first_few(items: Sequence[str], most: int, more: str = "and {} more") -> list[str]:
    """Return at most ``most`` items, then how many are left out, in the words of ``more``.

    Examples
    --------
    >>> first_few(["a", "b", "c"], most=1)
    ['a', 'and 2 more']
    >>> first_few(["a"], most=1)
    ['a']
    """
    left_out = len(items) - most
    return [*items[:most], more.format(left_out)] if left_out > 0 else list(items)
