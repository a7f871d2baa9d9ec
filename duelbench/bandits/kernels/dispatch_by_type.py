"""A function that stands for one of many: which it is, the class of its first argument says.

Algorithms and decisions have functions of the same names, which are found by the classes of their states. Python looks
a function up whenever it is called. Numba looks it up once, when it compiles the caller, and caches the result; a
function that is handed over as an argument would be compiled again by every process.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from numba import types
from numba.extending import overload

from duelbench.bandits import third_party
from duelbench.bandits.kernels.decorators import plain
from duelbench.errors import InputError


def found_by_type(function_of: Callable[[type], Callable[..., Any]], options: Mapping[str, Any]) -> Callable[..., Any]:
    """Decorate a function that, in compiled code, stands for another one; Python still calls the function itself.

    ``function_of(cls)`` is the other one for first arguments of the NamedTuple class ``cls``, with arguments of the
    same names; it is compiled with these ``options`` of `numba.njit`.
    """

    def decorate(stub: Callable[..., Any]) -> Callable[..., Any]:
        def find(first: Any, *_others: Any) -> Callable[..., Any] | None:
            return plain(function_of(first.instance_class)) if isinstance(first, types.BaseNamedTuple) else None

        find.__signature__ = inspect.signature(stub)  # type: ignore[attr-defined]  # Numba compares the names
        overload(stub, jit_options=options)(find)
        return stub

    return decorate


class ByState(dict[type, Any]):
    """Algorithms, or decisions, by the classes of their states; ``check(owner)`` refuses those that are wrong."""

    def __init__(self, check: Callable[[Any], None]) -> None:
        super().__init__()
        self._check = check
        self._compiled: dict[type, Any] = {}

    def register(self, owner: Any) -> None:
        """Let states of the class ``owner.state`` belong to ``owner``, an algorithm or a decision.

        An InputError says that its functions cannot be called or found, or another one's are found by the same class.
        """
        if self.get(owner.state) is owner:
            return
        if third_party.modules([owner]):
            self._check(owner)
        if owner.compiled:
            first = self._compiled.setdefault(owner.state, owner)
            one, other = ([inspect.unwrap(rule) for rule in each.rules.values()] for each in (owner, first))
            if one != other:
                name, others = (getattr(each, "id", None) or each.name for each in (owner, first))
                raise InputError(
                    f"{name}: compiled functions are found by the class of the state, and {owner.state.__qualname__}"
                    f" leads to those of {others if others != name else 'another one of this name'}; give each a class"
                    " of its own"
                )
        self[owner.state] = owner
