"""Checks that the engine can call the functions of a third-party algorithm or decision, and use its state."""

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from duelbench.bandits.third_party import is_third_party, place_of_class, place_of_function
from duelbench.errors import InputError


def check_arguments(
    owner: str, function: Callable[..., Any], names: Iterable[str], keywords: Iterable[str] = (), by_name: bool = False
) -> None:
    """Raise an InputError unless a function takes exactly the positional arguments ``names`` and the ``keywords``.

    Its arguments may have other names, but those in ``names`` must be in this order. With ``by_name``, the function
    must use exactly these names, as compiled functions must. The message names the ``owner`` of the function, and the
    function's file and line.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # a class or a built-in function without a signature
    wanted, keywords = list(names), list(keywords)
    positional = [
        p.name for p in signature.parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    try:
        signature.bind(*wanted, **dict.fromkeys(keywords))
        is_in_order = all(wanted.index(name) == k for k, name in enumerate(positional) if name in wanted)
        is_right = list(signature.parameters) == wanted if by_name else is_in_order
    except TypeError:
        is_right = False
    if not is_right:
        called = ", ".join([*wanted, *(f"{name}=..." for name in keywords)])
        raise InputError(
            f"{owner}: {place_of_function(function)} takes ({', '.join(signature.parameters)}), but is called with"
            f" ({called}); give it these arguments"
        )


def check_class(owner: str, state: type | None, functions: Iterable[Callable[..., Any]], compiled: bool) -> None:
    """Raise an InputError unless the class of the state tells the engine which functions to call.

    It must be a class of the plug-in, and if the functions are compiled, a NamedTuple that is not part of duelbench.
    """
    if not isinstance(state, type) or state.__module__ == "builtins":
        raise InputError(
            f"{owner}: state is {state!r}; it must be a class of your own, of which start returns an object, as in"
            " `class State(NamedTuple):`"
        )
    if not compiled:
        return
    if not (issubclass(state, tuple) and hasattr(state, "_fields")):
        place = place_of_class(state)
        raise InputError(f"{owner}: {place} must be a class derived from NamedTuple, as in `class State(NamedTuple):`")
    others = [function for function in functions if is_third_party(function)]
    if others and not is_third_party(state):
        raise InputError(
            f"{owner}: compiled functions are found by the class of the state, but {state.__qualname__} is a class of"
            f" duelbench ({state.__module__}), so {place_of_function(others[0])} would not be called; derive a class of"
            f" your own, as in `class OwnState({state.__qualname__}): pass`, and return it from start"
        )
