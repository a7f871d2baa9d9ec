"""Numbers as people write them in a spec: 1e6, 1_000_000 and 1000000 are the same whole number.

YAML 1.1 reads ``1e6`` and ``1.0e6`` as text, ``010`` as eight and ``1:30`` as ninety. Here numbers are read
from the text of the file; doubtful spellings are refused.
"""

import decimal
import re
from collections.abc import Mapping
from decimal import Decimal

_NUMBER = re.compile(r"[+-]?(?=\.?[0-9])[0-9_]*(\.[0-9_]*)?([eE][+-]?[0-9]+)?")
_OCTAL = re.compile(r"[+-]?0[0-9_]+$")
_SHOWN_CHARACTERS = 40


def shown(text: object) -> str:
    """``text`` in quotes for a message, without control characters and cut to a readable length.

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


def real_number(text: str) -> float | int:
    """The number that ``text`` spells, or `ValueError`: an int where it is whole and below 2^63, otherwise a float.

    Examples
    --------
    >>> real_number("0.51"), real_number("1e3"), real_number(".5")
    (0.51, 1000, 0.5)
    """
    value = decimal_number(text, "a number")
    if value.adjusted() > 300:
        raise ValueError(f"{shown(text)} is too large")
    if is_whole(value) and -(2**63) < value < 2**63:
        return int(value)
    return float(value)


def decimal_number(text: str, kind: str) -> Decimal:
    """The exact value of a decimal number, however large; ``kind`` says in messages what it should be."""
    if _OCTAL.match(text):
        # YAML 1.1 reads 010 as eight, YAML 1.2 as ten.
        plain = text.replace("_", "").lstrip("+-0") or "0"
        raise ValueError(f"{shown(text)} begins with a zero, which YAML reads as octal: write {shown(plain)[1:-1]}")
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"{shown(text)} is not {kind}{_hint(text)}")
    try:
        return Decimal(text.replace("_", ""))
    except decimal.InvalidOperation:
        # The exponent itself has too many digits.
        raise ValueError(f"{shown(text)} is too large or too small") from None


def is_whole(value: Decimal) -> bool:
    """Whether there is nothing behind the decimal point."""
    return value == value.to_integral_value()


_HINTS: Mapping[str, str] = {
    r"\d{1,3}([, ]\d{3})+": "write 1_000_000 or 1e6, without commas or spaces",
    r"\d+(\*\*|\^)\d+": "write 1e6 or 1_000_000, without powers",
    r"\d+,\d+": "write a decimal point",
    r"0[xob][0-9a-fA-F]+": "write it in decimal digits",
    r"[0-9.]+[kKmM]": "write 1e3 for a thousand, 1e6 for a million",
}


def _hint(text: str) -> str:
    """How to write what was probably meant."""
    return next((f": {hint}" for pattern, hint in _HINTS.items() if re.fullmatch(pattern, text)), "")
