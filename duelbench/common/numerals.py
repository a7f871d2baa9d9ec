"""Values as people write them in specs, in options of commands and in Python: numbers, shares, lengths, words.

YAML 1.1 reads ``1e6`` and ``1.0e6`` as text, ``010`` as eight and ``1:30`` as ninety. Here numbers are read from the
text of the file: 1e6, 1_000_000 and 1000000 are the same whole number, and ambiguous spellings are refused. Numbers of
Python and NumPy are read, too; truth values are not numbers.

Each function raises a `ValueError` whose message continues a sentence that starts with the name of the value.
"""

import decimal
import numbers
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

_NUMBER = re.compile(r"[+-]?(?=\.?[0-9])[0-9_]*(\.[0-9_]*)?([eE][+-]?[0-9]+)?")
_OCTAL = re.compile(r"[+-]?0[0-9_]+$")
_SHOWN_CHARACTERS = 40
_IN_DIGITS = "; write the number in digits"

PER_INCH = {"in": 1.0, "cm": 2.54, "mm": 25.4, "pt": 72.27}
"""How many of each unit of length an inch has; a point is TeX's."""

LENGTH = rf"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*({'|'.join(PER_INCH)})\s*"
"""Regular expression of a length with its unit."""


def shown(text: object) -> str:
    """Return ``text`` in quotes for a message, without control characters and cut to a readable length.

    Examples
    --------
    >>> print(shown("1e7.5"))
    '1e7.5'
    >>> print(shown("9" * 5000))
    '999999999999...' (5000 characters)
    """
    text = str(text)
    if len(text) <= _SHOWN_CHARACTERS:
        return repr(text)
    return f"{text[:12] + '...'!r} ({len(text)} characters)"


def form_of(value: Any) -> str:
    """Describe the type of a value for a message.

    Examples
    --------
    >>> form_of(["a"]), form_of({}), form_of({"a": 1}), form_of("a")
    ('a list', 'empty', 'keys with values', 'text')
    """
    if value is None or (isinstance(value, (str, list, tuple, dict)) and not value):
        return "empty"
    if isinstance(value, (list, tuple)):
        return "a list"
    if isinstance(value, Mapping):
        return "keys with values"
    return "text" if isinstance(value, str) else f"a value of type {getattr(value, 'type_name', type(value).__name__)}"


def truth_of(value: Any) -> bool | None:
    """Return a truth value: Python's, or a bare yes, no, on, off, true or false of a YAML file; None for all others."""
    truth = value if type(value).__name__ in ("bool", "bool_") else getattr(value, "truth", None)
    return None if truth is None else bool(truth)


def word(value: Any, wanted: str, fix: str = "; write '{}' in quotes") -> str:
    """Return the text of a value that is not a truth value; ``wanted`` describes it in messages.

    ``fix`` says what to do about a bare word that YAML reads as true or false.
    """
    if value is None:
        raise ValueError(f"has no value; write {wanted}, or remove it")
    if isinstance(value, str) and (truth := truth_of(value)) is not None:
        raise ValueError(f"must be {wanted}, but YAML reads a bare {value} as {str(truth).lower()}{fix.format(value)}")
    if truth_of(value) is not None:
        raise ValueError(f"must be {wanted}, not {value}")
    if isinstance(value, (str, numbers.Number)) or hasattr(value, "__fspath__"):
        return str(value)
    raise ValueError(f"must be {wanted}, not {form_of(value)}")


def truth(value: Any) -> bool:
    """Return the truth value that a value spells, in any of YAML's spellings but without quotes."""
    result = truth_of(value)
    if result is None:
        if value is None or not isinstance(value, (str, numbers.Number)):
            word(value, "true or false")
        raise ValueError(f"must be true or false (without quotes), got {shown(value)}")
    return result


def real_number(value: Any, wanted: str = "a number") -> float | int:
    """Return the number that a value spells: an int if it is whole and below 2^63, otherwise a float.

    Examples
    --------
    >>> real_number("0.51"), real_number("1e3"), real_number(".5"), real_number(2.0)
    (0.51, 1000, 0.5, 2)
    """
    number = decimal_number(word(value, wanted, _IN_DIGITS), wanted)
    if number.adjusted() > 300:
        raise ValueError(f"{shown(value)} is too large")
    if is_whole(number) and -(2**63) < number < 2**63:
        return int(number)
    return float(number)


def whole_number(value: Any, low: int, high: int, unit: str = "", high_text: str = "") -> int:
    """Return a whole number from ``low`` to ``high``, both included; ``unit`` is what it counts.

    Examples
    --------
    >>> [whole_number(value, 1, 10**15, "rounds") for value in ("1000000", "1_000_000", "1e6", "1.0e6", 1e6)]
    [1000000, 1000000, 1000000, 1000000, 1000000]
    >>> whole_number("0", 1, 10)
    Traceback (most recent call last):
    ...
    ValueError: must be at least 1, got '0'
    """
    wanted = f"a whole number of {unit}" if unit else "a whole number"
    text = word(value, wanted, _IN_DIGITS)
    number = decimal_number(text, wanted)  # exact, because it may be huge until its range is checked
    if not is_whole(number):
        raise ValueError(f"{shown(text)} is not {wanted}")
    if number < low:
        raise ValueError(f"must be at least {low}, got {shown(text)}")
    if number > high:
        raise ValueError(f"must be at most {high_text or f'{high:_}'}, got {shown(text)}")
    return int(number)


def within(
    value: Any, low: float | None = None, high: float | None = None, low_open: bool = False, high_open: bool = False
) -> Any:
    """Return a number that is between ``low`` and ``high``, if they are given; open ends are excluded.

    Examples
    --------
    >>> within(0.5, low=0.5, low_open=True)
    Traceback (most recent call last):
    ...
    ValueError: must be > 0.5, got 0.5
    """
    if low is not None and not (value > low if low_open else value >= low):
        raise ValueError(f"must be {'>' if low_open else '>='} {low:g}, got {value!r}")
    if high is not None and not (value < high if high_open else value <= high):
        raise ValueError(f"must be {'<' if high_open else '<='} {high:g}, got {value!r}")
    return value


def share(value: Any, wanted: str = "a share, such as 2%") -> float:
    """Return the share that a value spells: per cent, or a number below 1.

    Examples
    --------
    >>> share("2%"), share("0.02"), share(0.5)
    (0.02, 0.02, 0.5)
    """
    text = word(value, wanted)
    try:
        number = real_number(text.removesuffix("%").rstrip())
    except ValueError:
        raise ValueError(f"{shown(text)} is not {wanted}") from None
    number = number / 100 if text.endswith("%") else number
    if not 1e-5 <= number < 1:
        raise ValueError(f"must be from 0.001% to below 100%, got {shown(text)}; write 2% or 0.02 for two per cent")
    return float(number)


def inches(value: Any, shortest: float = 0.0, longest: float = 1000.0) -> float:
    """Return the inches of a length with its unit; a number without a unit is in inches.

    Examples
    --------
    >>> inches("3.25in"), inches("25.4 mm"), round(inches("72.27pt"), 12), inches(2)
    (3.25, 1.0, 1.0, 2.0)
    """
    wanted = f"a length with its unit ({', '.join(PER_INCH)}), as in 3.25in or 8cm"
    text = word(value, wanted)
    match = re.fullmatch(LENGTH, text if isinstance(value, str) else f"{text}in")
    if not match:
        raise ValueError(f"must be {wanted}, got {shown(text)}")
    length = float(match[1]) / PER_INCH[match[2]]
    if not shortest <= length <= longest:
        raise ValueError(f"must be from {shortest:g} to {longest:g} inches, and is {length:.4g}")
    return length


def decimal_number(text: str, wanted: str) -> Decimal:
    """Return the exact value of a decimal number, however large; ``wanted`` describes it in messages."""
    if _OCTAL.match(text):
        # YAML 1.1 reads 010 as eight, YAML 1.2 as ten.
        plain = text.replace("_", "").lstrip("+-0") or "0"
        raise ValueError(f"{shown(text)} begins with a zero, which YAML reads as octal: write {shown(plain)[1:-1]}")
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"{shown(text)} is not {wanted}{_hint(text)}")
    try:
        return Decimal(text.replace("_", ""))
    except decimal.InvalidOperation:
        # The exponent itself has too many digits.
        raise ValueError(f"{shown(text)} is too large or too small") from None


def is_whole(value: Decimal) -> bool:
    """Return whether a number is an integer."""
    return value == value.to_integral_value()


_HINTS: Mapping[str, str] = {
    r"\d{1,3}([, ]\d{3})+": "write 1_000_000 or 1e6, without commas or spaces",
    r"\d+(\*\*|\^)\d+": "write 1e6 or 1_000_000, without powers",
    r"\d+,\d+": "write a decimal point",
    r"0[xob][0-9a-fA-F]+": "write it in decimal digits",
    r"[0-9.]+[kKmM]": "write 1e3 for a thousand, 1e6 for a million",
}


def _hint(text: str) -> str:
    """Return a hint on how to write what was probably meant; empty if there is none."""
    for pattern, hint in _HINTS.items():
        if re.fullmatch(pattern, text):
            return f": {hint}"
    return ""
