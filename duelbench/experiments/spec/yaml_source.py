"""A YAML file, or a mapping of Python, as a tree of text, with the line and column of every part.

Scalars stay text as written: what ``no``, ``1e6`` or ``010`` means depends on the key. Tags, recursive
anchors and several documents are refused, and so are files that would take long to read.
"""

import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from yaml.composer import ComposerError
from yaml.constructor import SafeConstructor
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from yaml.reader import Reader

from duelbench.bandits.problem.matrix_files import check_file
from duelbench.common.numerals import shown
from duelbench.common.shipped import spec_meant
from duelbench.common.words import counted
from duelbench.errors import InputError, reading

MAX_BYTES = 2**20
MAX_DEPTH = 20
TOO_DEEP = f"nested more than {MAX_DEPTH} levels deep"
MAX_VALUES = 10_000
"""The maximum number of keys and values in a file, counted again wherever an alias repeats them."""

MAX_MISTAKES_SHOWN = 100
"""The maximum number of mistakes in one message."""

_LONGEST_STEP = 80
"""The length of the longest key that is shown in full in the path to a value."""

_TAG = "tag:yaml.org,2002:"
_TAGS = {_TAG + kind for kind in ("null", "bool", "int", "float", "str", "timestamp", "value", "seq", "map")}

Location = tuple[str | int, ...]
"""Keys and list positions (from 0) that lead to a value, from the top of the file."""


class Place(NamedTuple):
    """A position in a file: line and column, both from 1; the line is 0 without a file."""

    line: int
    column: int


class Mistake(NamedTuple):
    """A mistake in the value at a location or, if ``at_key``, in its key."""

    location: Location
    message: str
    at_key: bool = False


class PlacedMistake(NamedTuple):
    """A mistake at its place in a file."""

    place: Place
    message: str


class Scalar(str):
    """Text as in the file; ``truth`` is the value that YAML gives a bare yes, no, on, off, true or false."""

    truth: bool | None = None


@dataclass(frozen=True, eq=False)
class PythonValue:
    """A Python value other than text, a number, a list or a mapping: perhaps a matrix, such as a DataFrame."""

    content: Any

    @property
    def type_name(self) -> str:
        """The name of its type, for messages."""
        return type(self.content).__name__


Value = Scalar | list["Value"] | dict[Scalar, "Value"] | PythonValue | None
"""A tree of text; None is a value left empty (or ``null`` or ``~``)."""


@dataclass(frozen=True)
class Source:
    """A YAML file, or a mapping of Python, that was read."""

    path: Path
    data: dict[Scalar, Value] = field(default_factory=dict)  # the top-level mapping
    # parts that are wrong already as YAML, such as duplicate keys; they are not in data
    mistakes: list[PlacedMistake] = field(default_factory=list)
    values: dict[Location, Place] = field(default_factory=dict)  # the place at which each value starts
    keys: dict[Location, Place] = field(default_factory=dict)  # the place at which each key starts

    def place(self, location: Location, *, key: bool = False) -> Place:
        """Return the place of the value at ``location``, or of its key; if missing, that of the value around it."""
        if key and location in self.keys:
            return self.keys[location]
        while location not in self.values:
            location = location[:-1]
        return self.values[location]

    def placed(self, mistakes: Iterable[Mistake]) -> list[PlacedMistake]:
        """Return the mistakes with their places, without those in values that are already wrong as YAML."""
        already = {mistake.place for mistake in self.mistakes}
        placed = []
        for location, message, at_key in mistakes:
            place = self.place(location, key=at_key)
            # A message that quotes the key needs no "key: " before it.
            names_itself = at_key and shown(location[-1]) in message and len(location) == 1
            if at_key or not location or place not in already:
                placed.append(PlacedMistake(place, message if names_itself else _at(location, message)))
        return placed


def _at(location: Location, message: str) -> str:
    """Return the message after the path of its value, such as algorithms.1.rucb.alpha."""
    path = ".".join(shown(step) if len(str(step)) > _LONGEST_STEP else str(step) for step in location)
    return f"{path}: {message}" if location else message


def report(path: Path, mistakes: Iterable[PlacedMistake]) -> str:
    """List all mistakes in the order of the file, one per line, and their number.

    Examples
    --------
    >>> print(report(Path("a.yaml"), [PlacedMistake(Place(2, 10), "runs: must be at least 1, got '0'")]))
    a.yaml:2:10 runs: must be at least 1, got '0'
    1 problem; nothing was run.
    """
    ordered = sorted(set(mistakes))
    lines = [
        f"{path}:{place.line}:{place.column} {message}" if place.line else f"{path}: {message}"
        for place, message in ordered[:MAX_MISTAKES_SHOWN]
    ]
    if len(ordered) > MAX_MISTAKES_SHOWN:
        lines.append(f"... and {len(ordered) - MAX_MISTAKES_SHOWN} more")
    return "\n".join([*lines, f"{counted(len(ordered), 'problem')}; nothing was run."])


def read(path: Path) -> Source:
    """Read a YAML file whose top is a mapping.

    Raises
    ------
    InputError
        When the file cannot be read, is not YAML or not a mapping; smaller mistakes are in ``Source.mistakes``.
    """
    loader = _Loader(_text(path))
    try:
        node = loader.get_single_node()
        if node is None:
            raise ComposerError(problem="the file is empty: a spec begins with keys such as 'horizon: 1e6'")
        if not isinstance(node, MappingNode):
            kind = "a list" if isinstance(node, SequenceNode) else "text"
            raise _refused(f"this is {kind}, but a spec is keys with values, such as 'horizon: 1e6'", node)
        return _SourceBuilder(path, node).source
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        mistake = PlacedMistake(_place(mark) if mark else Place(1, 1), _explained(error))
    except RecursionError:
        mistake = PlacedMistake(Place(1, 1), TOO_DEEP)
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        # PyYAML lets errors of Python's own conversions through, e.g. for "\Uffffffff" in double quotes.
        mistake = PlacedMistake(_place(loader.get_mark()), f"not YAML: {error}")
    raise InputError(report(path, [mistake]))


def of_mapping(content: Mapping[str, Any]) -> Source:
    """Turn a mapping with the keys of a spec into a source without lines; messages call it ``spec``.

    Raises
    ------
    InputError
        When it is nested too deep; smaller mistakes are in ``Source.mistakes``.

    Examples
    --------
    >>> of_mapping({"name": "first", "horizon": 1e5, "shuffle_arms": False}).data
    {'name': 'first', 'horizon': '100000', 'shuffle_arms': 'false'}
    """
    path = Path("spec")
    try:
        source = _SourceBuilder(path, _node(content, count()), math.inf).source
    except (RecursionError, ComposerError):
        raise InputError(report(path, [PlacedMistake(Place(0, 0), TOO_DEEP)])) from None
    if "name" not in content:
        source.mistakes.append(
            PlacedMistake(Place(0, 0), "the key 'name' is missing; it says which folder the results go to")
        )
    return source


_PYTHON_VALUE = "given:"
"""The tag of a `PythonValue`."""


def _node(value: Any, numbers: Iterator[int]) -> Node:
    """Return a value of Python as a node of YAML; its column is a running number, so that mistakes stay in order."""
    mark = yaml.Mark("", 0, -1, next(numbers), None, 0)
    if hasattr(value, "tolist") and getattr(value, "ndim", 0) != 2:  # NumPy's
        value = value.tolist()
    if isinstance(value, Mapping):
        items = [(_node(key, numbers), _node(item, numbers)) for key, item in value.items()]
        return MappingNode(_TAG + "map", items, mark)
    if isinstance(value, (list, tuple, range)):
        return SequenceNode(_TAG + "seq", [_node(item, numbers) for item in value], mark)
    if value is None or isinstance(value, bool):
        return ScalarNode(_TAG + ("null" if value is None else "bool"), str(value).lower(), mark)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    if isinstance(value, (int, float, str, os.PathLike)):
        return ScalarNode(_TAG + "str", str(value), mark)
    return ScalarNode(_PYTHON_VALUE, value, mark)


def _text(path: Path) -> str:
    """Return the text of a regular file of moderate size; other files are never opened."""
    if not os.path.exists(path) and (named := spec_meant(path)):
        raise InputError(f"{path}: there is no such file (did you mean '{named}'?)")
    check_file(str(path), "spec")
    with reading(path), path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise InputError(f"{path}: is larger than 1 MB; this is not a spec")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig")
        message = f"the byte 0x{data[error.start]:02x} is not UTF-8 text; save the file as UTF-8"
    else:
        unprintable = Reader.NON_PRINTABLE.search(text)
        if unprintable is None:
            return text
        before, message = text[: unprintable.start()], _control_character(unprintable)
    lines = before.replace("\r\n", "\n").split("\n")
    raise InputError(report(path, [PlacedMistake(Place(len(lines), len(lines[-1]) + 1), message)]))


def _control_character(unprintable: re.Match[str]) -> str:
    character = ord(unprintable[0])
    escapes = {0x07: "a", 0x08: "b", 0x0B: "v", 0x0C: "f", 0x1B: "e"}  # escapes of YAML in double quotes
    if character in escapes:
        escape = f"\\{escapes[character]}"
        return (
            f"holds the control character U+{character:04X}: {escape} is one in double quotes; use single quotes, as in"
            " '$\\alpha = 0.5$'"
        )
    return f"holds the control character U+{character:04X}; remove it"


def _place(mark: yaml.Mark) -> Place:
    return Place(mark.line + 1, mark.column + 1)


_EXPLANATIONS = {
    r"found character '\t' that cannot start any token": "a tab is not allowed here; YAML indents with spaces",
    "found character '@' that": "text cannot begin with '@'; put it in quotes",
    "found character '`' that": "text cannot begin with '`'; put it in quotes",
    "found character '%' that": "text cannot begin with '%'; put it in quotes",
    "mapping values are not allowed here": "a ':' is not allowed here; quote the text or check the indentation",
    "but found another document": "a second document starts here (after '---'); a spec is one document",
    "could not find expected ':'": "a key without ':'; write 'key: value'",
    "expected <block end>, but found '<scalar>'": "text after closing quotes; inside them write '' for '",
    "expected <block end>, but found": "the indentation does not fit the lines above",
    "found unexpected end of stream": "the file ends inside quotation marks",
    "found undefined alias": "there is no anchor of this name before; text that begins with '*' needs quotes",
    "found unknown escape character": "a backslash in double quotes begins an escape; use single quotes",
    "second occurrence": "there already is an anchor of this name; choose another name",
}


def _explained(error: yaml.MarkedYAMLError) -> str:
    """Return the parser's message, or a plainer one for frequent mistakes."""
    problem = (error.problem or "").replace("\t", r"\t")
    for beginning, explanation in _EXPLANATIONS.items():
        if problem.startswith(beginning):
            return explanation
    if error.context is None or error.context_mark is None:
        return problem
    return f"not YAML: {problem} ({error.context}, begun in line {error.context_mark.line + 1})"


def _refused(problem: str, where: Any) -> ComposerError:
    """Return the error for an event or node that is not allowed in a spec."""
    return ComposerError(problem=problem, problem_mark=where.start_mark)


EXTENSION = "x-"
"""Keys at the top of a spec that start with this are ignored: a place for anchors, as in Compose files."""


class _Loader(yaml.SafeLoader):
    """Composes the node tree; refuses a file as soon as it has too many values."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._count = 0

    def compose_node(self, parent: Node | None, index: int) -> Node | None:
        self._count += 1
        if self._count > MAX_VALUES:
            raise _refused(f"more than {MAX_VALUES} values; keep a large matrix in its own file", self.peek_event())
        return super().compose_node(parent, index)


class _SourceBuilder:
    """Turns nodes into a `Source`. Values count again wherever an alias repeats them."""

    def __init__(self, path: Path, top: Node, limit: float = MAX_VALUES) -> None:
        self.source = Source(path)
        self._count, self._limit = 0, limit
        content = self._value(top, ())
        assert isinstance(content, dict)
        self.source.data.update(content)

    def _value(self, node: Node, location: Location) -> Value:
        self._count_value(node)
        if len(location) > MAX_DEPTH:  # also stops an alias that contains itself
            raise _refused(TOO_DEEP, node)
        self.source.values[location] = _place(node.start_mark)
        if node.tag == _PYTHON_VALUE:
            return PythonValue(node.value)
        if node.tag not in _TAGS:
            tag = shown(node.tag.replace(_TAG, "!!"))
            self._mistake(node, _at(location, f"the tag {tag} is not used in specs; remove it"))
        if isinstance(node, MappingNode):
            return self._mapping(node, location)
        if isinstance(node, SequenceNode):
            return [self._value(item, (*location, k)) for k, item in enumerate(node.value)]
        return self._scalar(node, location)

    def _count_value(self, node: Node) -> None:
        self._count += 1
        if self._count > self._limit:
            raise _refused(f"aliases make this more than {MAX_VALUES} values", node)

    def _mapping(self, node: MappingNode, location: Location) -> dict[Scalar, Value]:
        content: dict[Scalar, Value] = {}
        for key_node, value_node, is_merged in self._pairs(node, len(location)):
            key = None
            if isinstance(key_node, ScalarNode) and key_node.tag != _PYTHON_VALUE:
                key = self._scalar(key_node, location)
            if key is None:
                self._mistake(key_node, "a key must be a word")
            elif not (location or is_merged) and key.startswith(EXTENSION):
                self._value(value_node, (key,))  # its parts count, and may have mistakes
            elif key not in content:
                self.source.keys[(*location, key)] = _place(key_node.start_mark)
                content[key] = self._value(value_node, (*location, key))
            elif is_merged:
                self._count_value(key_node)
            else:
                first = self.source.keys[(*location, key)].line
                self._mistake(key_node, f"the key {shown(key)} appears twice (first in line {first}); remove one")
        return content

    def _pairs(self, node: MappingNode, depth: int) -> Iterator[tuple[Node, Node, bool]]:
        """Yield the keys of a mapping with their values, then those that ``<<`` adds, which are marked.

        If a key occurs several times, the first one counts.
        """
        if depth > MAX_DEPTH:  # also stops a mapping that merges itself
            raise _refused(TOO_DEEP, node)
        merged: list[Node] = []
        for key_node, value_node in node.value:
            if key_node.tag != _TAG + "merge":
                yield key_node, value_node, False
            else:
                merged += value_node.value if isinstance(value_node, SequenceNode) else [value_node]
        for mapping in merged:
            if not isinstance(mapping, MappingNode):
                self._mistake(mapping, "'<<' adds the keys of another mapping; write '<<: *name', or a list of such")
                continue
            for key_node, value_node, _is_merged in self._pairs(mapping, depth + 1):
                yield key_node, value_node, True

    def _scalar(self, node: Node, location: Location) -> Scalar | None:
        if unprintable := Reader.NON_PRINTABLE.search(node.value):  # by an escape in double quotes
            self._mistake(node, _at(location, _control_character(unprintable)))
            return None
        if node.tag == _TAG + "null":
            return None
        scalar = Scalar(node.value)
        if node.tag == _TAG + "bool":
            scalar.truth = SafeConstructor.bool_values.get(node.value.lower())
        return scalar

    def _mistake(self, node: Node, message: str) -> None:
        self.source.mistakes.append(PlacedMistake(_place(node.start_mark), message))
