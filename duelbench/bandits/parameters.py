"""Parameters that a spec or the command line can set: what they mean, and which values they may have."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from duelbench.common.numerals import real_number, truth, whole_number, within, word
from duelbench.errors import nearest


@dataclass(frozen=True)
class Parameter:
    """One parameter of an algorithm or of a family of matrices: its default, its meaning and its range.

    Parameters
    ----------
    default : float, int, bool, str or None
        Its type is the parameter's type; None stands for a number that the algorithm derives from the number of arms or
        the horizon.
    description : str
        One line, with the unit where there is one.
    low, high : float, optional
        Ends of the range; not part of it when ``low_open`` or ``high_open``.
    choices : tuple, optional
        The values allowed, for a parameter that names a variant.
    proven_above : float, optional
        The theorems on the algorithm need a larger value; others are allowed, with a note.

    Examples
    --------
    >>> alpha = Parameter(0.51, "exploration rate", low=0.5, low_open=True)
    >>> alpha.check(1)
    1.0
    >>> alpha.check(0.5)
    Traceback (most recent call last):
    ...
    ValueError: must be > 0.5, got 0.5
    """

    default: Any
    description: str
    low: float | None = None
    high: float | None = None
    low_open: bool = False
    high_open: bool = False
    choices: tuple[Any, ...] | None = None
    proven_above: float | None = None

    def check(self, value: Any) -> Any:
        """Return ``value`` as the parameter's type; raise `ValueError` where it is not one of its values."""
        if value is None and self.default is None:
            return None
        if self.choices is not None:
            if value in self.choices and isinstance(value, type(self.default)):
                return value
            allowed = ", ".join(map(str, self.choices))
            raise ValueError(f"must be one of {allowed}, got {value!r}{nearest(value, self.choices)}")
        if isinstance(self.default, bool):
            if not isinstance(value, bool):
                raise ValueError(f"must be true or false, got {value!r}")
            return value
        return self._check_number(value)

    def read(self, value: Any) -> Any:
        """`check` a value that may be written as text, as in a spec.

        Examples
        --------
        >>> Parameter(0.51, "exploration rate", low=0.5).read("6e-1")
        0.6
        """
        if value is None and self.default is None:
            return None
        if isinstance(self.default, bool):
            return self.check(truth(value))
        if isinstance(self.default, str):
            return self.check(word(value, "a name"))
        is_whole = isinstance(self.default, int)
        return self.check(whole_number(value, -(2**63), 2**63 - 1) if is_whole else real_number(value))

    def _check_number(self, value: Any) -> int | float:
        whole = isinstance(self.default, int)
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and not math.isnan(value)
        if not is_number or (whole and not float(value).is_integer()):
            raise ValueError(f"must be {'a whole number' if whole else 'a number'}, got {value!r}")
        within(value, self.low, self.high, self.low_open, self.high_open)
        return int(value) if whole else float(value)


def resolve(parameters: Mapping[str, Parameter], given: Mapping[str, Any], name: str, kind: str = "") -> dict[str, Any]:
    """All parameters in their order: those given, checked, and defaults for the rest.

    Parameters
    ----------
    name, kind : str
        The name and the kind of what has the parameters, for messages.

    Raises
    ------
    ValueError
        Naming the parameter that is unknown or out of range.

    Examples
    --------
    >>> resolve({"alpha": Parameter(0.51, "rate"), "m": Parameter(1, "rank")}, {"m": 4}, "rule")
    {'alpha': 0.51, 'm': 4}
    >>> resolve({"alpha": Parameter(0.51, "rate")}, {"aplha": 1.0}, "half", "the decision ")
    Traceback (most recent call last):
    ...
    ValueError: unknown parameter 'aplha' for the decision half (did you mean 'alpha'?)
    """
    for asked in given:
        if asked not in parameters:
            known = nearest(asked, parameters) or f" (it has {', '.join(parameters) or 'none'})"
            raise ValueError(f"unknown parameter '{asked}' for {kind}{name}{known}")
    resolved = {}
    for key, parameter in parameters.items():
        try:
            resolved[key] = parameter.check(given.get(key, parameter.default))
        except ValueError as error:
            raise ValueError(f"{name}: {key} {error}") from None
    return resolved
