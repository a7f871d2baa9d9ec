"""Functions that call one of many functions, chosen by the class of the first argument.

Algorithms and decisions have functions of the same names, which are found by the classes of their states. Python looks
a function up on every call. Numba looks it up once, when it compiles the caller, and caches the result; a function
passed as an argument would be compiled again by every process.
"""

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from numba import types
from numba.extending import overload

from duelbench.bandits import third_party
from duelbench.bandits.kernels.decorators import plain
from duelbench.errors import InputError


def found_by_type(function_of: Callable[[type], Callable[..., Any]], options: Mapping[str, Any]) -> Callable[..., Any]:
    """Decorate a function so that compiled code calls another function instead; Python still calls this one.

    ``function_of(cls)`` returns the other function for a first argument of the NamedTuple class ``cls``. Its arguments
    have the same names; it is compiled with these ``options`` of `numba.njit`.
    """

    def decorate(stub: Callable[..., Any]) -> Callable[..., Any]:
        def find(first: Any, *_rest: Any) -> Callable[..., Any] | None:
            return plain(function_of(first.instance_class)) if isinstance(first, types.BaseNamedTuple) else None

        find.__signature__ = inspect.signature(stub)  # type: ignore[attr-defined]  # Numba compares the names
        overload(stub, jit_options=options)(find)
        return stub

    return decorate


class Dispatcher(dict[type, Any]):
    """The owners of functions (algorithms, decisions or stopping rules) by the classes of their states.

    ``check(owner)`` raises an InputError if a third-party owner is invalid. Every owner has ``state``, ``compiled`` and
    ``rules``, its functions by name.
    """

    def __init__(self, check: Callable[[Any], None]) -> None:
        super().__init__()
        self._check = check
        self._compiled: dict[type, Any] = {}

    def function(self, options: Mapping[str, Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Decorate a function so that it calls the owner's function of the same name; its body is the default.

        The owner is found by the class of the first argument. Compiled functions have these ``options`` of
        `numba.njit`.
        """

        def decorate(default: Callable[..., Any]) -> Callable[..., Any]:
            def function_of(state: type) -> Callable[..., Any]:
                return self[state].rules.get(default.__name__, default)

            @functools.wraps(default)
            def call(state: Any, *arguments: Any) -> Any:
                return function_of(type(state))(state, *arguments)

            return found_by_type(function_of, options)(call)

        return decorate

    def register(self, owner: Any) -> None:
        """Register ``owner``, an algorithm or a decision, for states of the class ``owner.state``.

        Raises an InputError if its functions cannot be called, or if the class already leads to other functions.
        """
        if self.get(owner.state) is owner:
            return
        if third_party.modules([owner]):
            self._check(owner)
        if owner.compiled:
            first = self._compiled.setdefault(owner.state, owner)
            if _functions(owner) != _functions(first):
                name, name_of_first = (getattr(each, "id", None) or each.name for each in (owner, first))
                if name_of_first == name:
                    name_of_first = "another one of this name"
                raise InputError(
                    f"{name}: compiled functions are found by the class of the state, and {owner.state.__qualname__}"
                    f" leads to those of {name_of_first}; give each a class of its own"
                )
        self[owner.state] = owner


def _functions(owner: Any) -> list[Callable[..., Any]]:
    return [inspect.unwrap(function) for function in owner.rules.values()]
