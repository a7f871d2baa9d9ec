"""Reading one value of a spec out of the tree of text: a line, a yes or no, a number, a name from a list.

Every reader here raises `ValueError` with a reason that makes a sentence after the key's name. `Errors`
collects several of them, each with the place that it is about, inside one pydantic validator.
"""

import unicodedata
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from duelbench.errors import nearest
from duelbench.spec.numerals import Whole, shown
from duelbench.spec.yaml_source import Location, Scalar, Value

T = TypeVar("T")

MAX_LISTED = 1000
"""Most algorithms or problems of a spec: each is a folder of results."""

MAX_TEXT = 200
"""Longest title or label, in characters."""

AT_KEY = "at_key"
"""Error type of mistakes in a key; all others are about the value."""


class Errors:
    """The errors of one validator, raised together.

    Examples
    --------
    >>> errors = Errors()
    >>> errors.read(("alpha",), Whole(1, 9).read, "0")
    >>> try:
    ...     errors.raise_any()
    ... except ValidationError as error:
    ...     print(error.errors()[0]["loc"], error.errors()[0]["msg"])
    ('alpha',) must be at least 1, got '0'
    """

    def __init__(self) -> None:
        self._details: list[InitErrorDetails] = []

    def __len__(self) -> int:
        return len(self._details)

    def add(self, location: Location, message: str, *, at_key: bool = False) -> None:
        """Note an error at a location below the validator's own."""
        # The message is not the template itself, for it may contain braces.
        error = PydanticCustomError(AT_KEY if at_key else "value", "{message}", {"message": message})
        self._details.append(InitErrorDetails(type=error, loc=location, input=None))

    def read(self, location: Location, reader: Callable[..., T], *arguments: Any, at_key: bool = False) -> T | None:
        """What ``reader(*arguments)`` returns, or None after noting the `ValueError` that it raised."""
        try:
            return reader(*arguments)
        except ValueError as error:
            self.add(location, str(error), at_key=at_key)
            return None

    def raise_any(self) -> None:
        """Raise what was noted, if anything was."""
        if self._details:
            raise ValidationError.from_exception_data("spec", self._details)


def kind(value: Value) -> str:
    """What a value is, in the words of a message.

    Examples
    --------
    >>> kind(["a"])
    'a list'
    """
    if value is None:
        return "empty"
    if isinstance(value, list):
        return "a list"
    return "keys with values" if isinstance(value, dict) else "text"


def scalar(value: Value, wanted: str) -> Scalar:
    """The text of a scalar; ``wanted`` says what it stands for."""
    if value is None:
        raise ValueError(f"has no value; write {wanted}, or remove the key")
    if not isinstance(value, Scalar):
        raise ValueError(f"must be {wanted}, not {kind(value)}")
    return value


def word(value: Value, wanted: str) -> str:
    """Text that is not one of the words that YAML takes for true or false."""
    text = scalar(value, wanted)
    if text.truth is not None:
        meaning = str(text.truth).lower()
        raise ValueError(f"must be {wanted}, but YAML reads a bare {text} as {meaning}; write '{text}' in quotes")
    return str(text)


def line(value: Value) -> str:
    """Text for people, a title or a label: one line, something to see, at most `MAX_TEXT` characters."""
    text = word(value, "text").strip()
    if not text:
        raise ValueError("is empty; write some text, or remove the key")
    if any(unicodedata.category(character) in ("Cc", "Zl", "Zp") for character in text):
        raise ValueError("must be one line of text")
    if len(text) > MAX_TEXT:
        raise ValueError(f"must have at most {MAX_TEXT} characters, not {len(text)}")
    return text


def truth(value: Value) -> bool:
    """True or false, in any of YAML's spellings but without quotes."""
    text = scalar(value, "true or false")
    if text.truth is None:
        raise ValueError(f"must be true or false (without quotes), got {shown(text)}")
    return text.truth


def whole(value: Value, numbers: Whole) -> int:
    """One of these whole numbers."""
    wanted = f"a whole number{' of ' + numbers.unit if numbers.unit else ''}"
    return numbers.read(word(value, wanted))


def choice(value: Value, known: Iterable[str], wanted: str) -> str:
    """One of the known names."""
    known = list(known)
    text = word(value, wanted)
    if text not in known:
        hint = nearest(text, known) or f" (there are {', '.join(known)})"
        raise ValueError(f"{shown(text)} is not {wanted}{hint}")
    return text


def items(value: Value, most: int | None = None) -> list[tuple[Location, Value]]:
    """The items of a list with their positions, or a lone value as if it were a list of one.

    Examples
    --------
    >>> items(["a", "b"])
    [((0,), 'a'), ((1,), 'b')]
    >>> items("a")
    [((), 'a')]
    """
    if not isinstance(value, list):
        return [((), value)]
    if not value:
        raise ValueError("is an empty list; name at least one")
    if most is not None and len(value) > most:
        raise ValueError(f"lists {len(value)}, but at most {most} are allowed")
    return [((k,), item) for k, item in enumerate(value)]


def one_or_more(item: dict[str, Any], at_least: int = 1) -> dict[str, Any]:
    """JSON Schema of one item or a list of them."""
    return {"anyOf": [item, {"type": "array", "items": item, "minItems": at_least}]}
