"""A spec that is written in Python, as a mapping, as the tree of text that a YAML file would be."""

import os
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

from yaml.reader import Reader

from duelbench.spec.numerals import shown
from duelbench.spec.yaml_source import MAX_DEPTH, TOO_DEEP, Location, Mistake, Place, Scalar, Source, Value

CALLED = Path("spec")
"""What messages call it; paths in it are relative to the working folder."""

_LARGEST_WHOLE = 1e15


def source_of(content: Mapping[str, Any]) -> Source:
    """A mapping with the keys of a spec as a source; what cannot be in one stands in ``mistakes``.

    Examples
    --------
    >>> source_of({"name": "first", "horizon": 1e5, "shuffle_arms": False}).data
    {'name': 'first', 'horizon': '100000', 'shuffle_arms': 'false'}
    """
    tree = _Tree()
    tree.source.values[()] = Place(0, 0)
    tree.source.data.update(tree.mapping(content, ()))
    if "name" not in content:
        tree.mistake((), "the key 'name' is missing; it says which folder the results go to")
    return tree.source


class _Tree:
    """Turns values into text. Places have no line, and columns that number the values in their order."""

    def __init__(self) -> None:
        self.source = Source(CALLED)
        self._number = count(1)

    def mistake(self, location: Location, message: str) -> None:
        way = ".".join(map(str, location))
        self.source.mistakes.append(Mistake(self.source.place(location), f"{way}: {message}" if way else message))

    def mapping(self, content: Mapping[Any, Any], location: Location) -> dict[Scalar, Value]:
        tree: dict[Scalar, Value] = {}
        for key, value in content.items():
            if not isinstance(key, str):
                self.mistake(location, f"the key {shown(key)} must be a word")
                continue
            here = (*location, Scalar(key))
            self.source.keys[here] = Place(0, next(self._number))
            tree[Scalar(key)] = self._value(value, here)
        return tree

    def _value(self, value: Any, location: Location) -> Value:
        self.source.values[location] = Place(0, next(self._number))
        if len(location) > MAX_DEPTH:
            self.mistake(location[:1], TOO_DEEP)
            return None
        if hasattr(value, "tolist"):  # NumPy's
            value = value.tolist()
        if isinstance(value, Mapping):
            return dict(self.mapping(value, location))
        if isinstance(value, (list, tuple, range)):
            return [self._value(item, (*location, k)) for k, item in enumerate(value)]
        return self._scalar(value, location)

    def _scalar(self, value: Any, location: Location) -> Scalar | None:
        if value is None:
            return None
        if isinstance(value, bool):
            scalar = Scalar(str(value).lower())
            scalar.truth = value
            return scalar
        if isinstance(value, float):
            is_whole = value.is_integer() and abs(value) < _LARGEST_WHOLE
            return Scalar(int(value) if is_whole else repr(value))
        if isinstance(value, (int, str, os.PathLike)):
            text = str(value)
            unprintable = Reader.NON_PRINTABLE.search(text)
            if unprintable:
                self.mistake(location, f"holds the control character U+{ord(unprintable[0]):04X}; remove it")
            return Scalar(text)
        fix = "save it with its method `save` and give the path" if hasattr(value, "save") else "give numbers or text"
        self.mistake(location, f"cannot be a {type(value).__name__}: {fix}")
        return None
