"""Names that plug-ins import from where they were before: they work for one version, with a warning."""

import importlib
import warnings
from collections.abc import Callable, Sequence
from typing import Any


def former(module: str, places: Sequence[str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a module whose names are to be found elsewhere now.

    Parameters
    ----------
    module : str
        The former module.
    places : sequence of str
        Modules that hold its names now.

    Examples
    --------
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     former("old", ["duelbench.errors"])("InputError")
    <class 'duelbench.errors.InputError'>
    """

    def __getattr__(name: str) -> Any:
        for place in places:
            found = importlib.import_module(place)
            if hasattr(found, name) and not name.startswith("__"):
                warnings.warn(f"{module}.{name} is now {place}.{name}", DeprecationWarning, stacklevel=2)
                return getattr(found, name)
        raise AttributeError(f"module '{module}' has no attribute '{name}'")

    return __getattr__
