"""Names that plug-ins know from before: they work for one version, with a warning."""

import functools
import importlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any


def former(
    module: str, places: Sequence[str], renamed: Mapping[str, str] = MappingProxyType({})
) -> Callable[[str], Any]:
    """The ``__getattr__`` of a module whose names are to be found elsewhere now.

    Parameters
    ----------
    module : str
        The former module.
    places : sequence of str
        Modules that hold its names now.
    renamed : mapping of str to str
        Former name -> present name, where that is another one.

    Examples
    --------
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     former("old", ["duelbench.errors"])("InputError")
    <class 'duelbench.errors.InputError'>
    """

    def __getattr__(name: str) -> Any:
        present = renamed.get(name, name)
        for place in places:
            found = importlib.import_module(place)
            if hasattr(found, present) and not name.startswith("__"):
                warnings.warn(f"{module}.{name} is now {place}.{present}", DeprecationWarning, stacklevel=2)
                return getattr(found, present)
        raise AttributeError(f"module '{module}' has no attribute '{name}'")

    return __getattr__


def former_keywords(bundle: str, fields: Callable[..., Any]) -> Callable[[Any], Any]:
    """Decorate a class that was made with keywords which are the fields of a NamedTuple now.

    Parameters
    ----------
    bundle : str
        The keyword that takes the NamedTuple.
    fields : NamedTuple class
        Whose fields all have defaults.
    """

    def decorate(cls: Any) -> Any:
        init = cls.__init__

        @functools.wraps(init)
        def __init__(self: Any, *arguments: Any, **named: Any) -> None:
            former = {name: named.pop(name) for name in fields._fields if name in named}  # type: ignore[attr-defined]
            if former:
                example = ", ".join(f"{name}=..." for name in former)
                said = f"{cls.__name__}({example}) is now {cls.__name__}({bundle}={fields.__name__}({example}))"
                warnings.warn(said, DeprecationWarning, stacklevel=2)
                named[bundle] = named.get(bundle, fields())._replace(**former)
            init(self, *arguments, **named)

        cls.__init__ = __init__
        return cls

    return decorate
