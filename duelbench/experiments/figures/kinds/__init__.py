"""The kinds of figures, a module each, found by its name.

A module has ``TITLE``, what its figures show; ``Options``, a pydantic model; ``numbers(source, options)``, a table of
exactly what is drawn; and ``draw(numbers, options, scene)``, which returns the Matplotlib figure.
"""

import pkgutil
from functools import cache
from importlib import import_module
from typing import Any


@cache
def names() -> tuple[str, ...]:
    """The kinds of figures, in alphabetical order.

    Examples
    --------
    >>> names()[:3]
    ('accuracy', 'bars', 'distribution')
    """
    return tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__)))


def module_of(kind: str) -> Any:
    """The module of a kind of figure."""
    return import_module(f"{__name__}.{kind.replace('-', '_')}")


def summaries() -> dict[str, str]:
    """Each kind of figure -> what its figures show, in a sentence."""
    return {kind: module_of(kind).Options.__doc__.rstrip(".") for kind in names()}
