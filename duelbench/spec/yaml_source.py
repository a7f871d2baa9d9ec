"""A YAML file as a tree of text, and the line and column of every part of it.

Scalars stay text as written, because what ``no``, ``1e6`` or ``010`` means depends on where it stands; the
keys of a spec decide that. What YAML can do beyond mappings, lists and text (tags, merge keys, recursive
anchors, several documents) is refused with a message, as is a file that would take long to read.
"""

import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from yaml.composer import ComposerError
from yaml.constructor import SafeConstructor
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from yaml.reader import Reader

from duelbench.errors import InputError, likeliest
from duelbench.shipped import spec_meant
from duelbench.spec.numerals import shown

MAX_BYTES = 2**20
MAX_DEPTH = 20
TOO_DEEP = f"nested more than {MAX_DEPTH} levels deep"
MAX_VALUES = 10_000
"""Keys and values in a file, counted again wherever an alias repeats them."""

MAX_SHOWN = 100
"""Mistakes listed in one message."""

_LONGEST_STEP = 80
"""Longest key that stands as it is in the way to a value."""

_TAG = "tag:yaml.org,2002:"
_SCALAR_TAGS = {_TAG + kind for kind in ("null", "bool", "int", "float", "str", "timestamp", "value")}
_TAGS = _SCALAR_TAGS | {_TAG + "seq", _TAG + "map"}

Location = tuple[str | int, ...]
"""Keys and list positions (from 0) that lead to a value, from the top of the file."""


class Place(NamedTuple):
    """Where something stands in a file: line and column, both from 1; without a file line 0."""

    line: int
    column: int


class Mistake(NamedTuple):
    """What is wrong, and where."""

    place: Place
    message: str


class Noted(NamedTuple):
    """A mistake in what a file says: in a value, or in its key."""

    location: Location
    message: str
    at_key: bool = False


class Scalar(str):
    """Text as in the file; ``truth`` is what YAML makes of a bare yes, no, on, off, true or false."""

    truth: bool | None = None


Value = Scalar | list["Value"] | dict[Scalar, "Value"] | None
"""A tree of text; None is a value left empty (or ``null`` or ``~``)."""


@dataclass(frozen=True)
class Source:
    """A YAML file that was read."""

    path: Path
    data: dict[Scalar, Value] = field(default_factory=dict)  # the top-level mapping
    mistakes: list[Mistake] = field(default_factory=list)  # wrong already as YAML, such as duplicate keys; not in data
    values: dict[Location, Place] = field(default_factory=dict)  # where each value begins
    keys: dict[Location, Place] = field(default_factory=dict)  # and each key

    def place(self, location: Location, *, key: bool = False) -> Place:
        """Where the value at ``location``, or its key, begins; of the value around it if there is none."""
        if key and location in self.keys:
            return self.keys[location]
        while location not in self.values:
            location = location[:-1]
        return self.values[location]

    def located(self, noted: Iterable[Noted]) -> list[Mistake]:
        """What was noted, each at its place; a value that is wrong already as YAML is not wrong twice."""
        already = {mistake.place for mistake in self.mistakes}
        found = []
        for location, message, at_key in noted:
            place = self.place(location, key=at_key)
            names_itself = at_key and len(location) == 1
            if at_key or not location or place not in already:
                way = "" if names_itself or not location else f"{dotted(location)}: "
                found.append(Mistake(place, way + message))
        return found


def dotted(location: Location) -> str:
    """The way to a value as one word, such as algorithms.1.rucb.alpha."""
    return ".".join(shown(step) if len(str(step)) > _LONGEST_STEP else str(step) for step in location)


def report(path: Path, mistakes: Iterable[Mistake]) -> str:
    """All mistakes in the order of the file, one per line, and how many they are.

    Examples
    --------
    >>> print(report(Path("a.yaml"), [Mistake(Place(2, 10), "runs: must be at least 1, got '0'")]))
    a.yaml:2:10 runs: must be at least 1, got '0'
    1 problem; nothing was run.
    """
    ordered = sorted(set(mistakes))
    lines = [
        f"{path}:{place.line}:{place.column} {message}" if place.line else f"{path}: {message}"
        for place, message in ordered[:MAX_SHOWN]
    ]
    if len(ordered) > MAX_SHOWN:
        lines.append(f"... and {len(ordered) - MAX_SHOWN} more")
    return "\n".join([*lines, f"{len(ordered)} problem{'' if len(ordered) == 1 else 's'}; nothing was run."])


def read(path: Path) -> Source:
    """Read a YAML file whose top is a mapping.

    Raises
    ------
    InputError
        When the file cannot be read, is not YAML or not a mapping; smaller mistakes stand in ``Source.mistakes``.
    """
    loader = _Loader(_text(path))
    try:
        node = loader.get_single_node()
        if node is None:
            raise ComposerError(problem="the file is empty: a spec begins with keys such as 'horizon: 1e6'")
        if not isinstance(node, MappingNode):
            kind = "a list" if isinstance(node, SequenceNode) else "text"
            raise _refused(f"this is {kind}, but a spec is keys with values, such as 'horizon: 1e6'", node)
        return _Tree(path).source(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        mistake = Mistake(_place(mark) if mark else Place(1, 1), _explained(error))
    except RecursionError:
        mistake = Mistake(Place(1, 1), TOO_DEEP)
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        # PyYAML lets errors of Python's own conversions through, e.g. for "\Uffffffff" in double quotes.
        mistake = Mistake(_place(loader.get_mark()), f"not YAML: {error}")
    raise InputError(report(path, [mistake]))


def _text(path: Path) -> str:
    data = _bytes(path)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{path}: is UTF-16 text; save it as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig")
        message = f"the byte 0x{data[error.start]:02x} is not UTF-8 text; save the file as UTF-8"
        raise InputError(report(path, [Mistake(_place_after(before), message)])) from None
    unprintable = Reader.NON_PRINTABLE.search(text)
    if unprintable:
        message = f"holds the control character U+{ord(unprintable[0]):04X}; remove it"
        raise InputError(report(path, [Mistake(_place_after(text[: unprintable.start()]), message)]))
    return text


def _bytes(path: Path) -> bytes:
    """The content of a regular file of moderate size; nothing else is ever opened."""
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise InputError(f"{path}: is a folder; name the spec in it (a .yaml file)")
        if not stat.S_ISREG(status.st_mode):
            raise InputError(f"{path}: is a pipe, socket or device; save the spec to a file and name that")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"{path}: there is no such file{_neighbour(path)}") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{shown(path)}: cannot be read: {reason}") from None
    if len(data) > MAX_BYTES:
        raise InputError(f"{path}: is larger than 1 MB; this is not a spec")
    return data


def _neighbour(path: Path) -> str:
    """A hint at the nearest name in the folder, or at a spec that comes with duelbench, for a missing file."""
    if named := spec_meant(path):
        return f" (did you mean '{named}'?)"
    if not path.parent.is_dir():
        return f", nor a folder {path.parent}"
    try:
        names = sorted(p.name for p in path.parent.iterdir() if p.name.endswith((".yaml", ".yml")) and p.exists())
    except OSError:
        return ""
    by_stem = {name.rpartition(".")[0]: name for name in names}  # all endings are alike, and say nothing
    meant = by_stem.get(likeliest(path.stem, by_stem))
    return f" (did you mean '{meant}'?)" if meant else ""


def _place(mark: yaml.Mark) -> Place:
    return Place(mark.line + 1, mark.column + 1)


def _place_after(text: str) -> Place:
    lines = text.replace("\r\n", "\n").split("\n")
    return Place(len(lines), len(lines[-1]) + 1)


_EXPLANATIONS = {
    r"found character '\t' that cannot start any token": "a tab stands here; YAML indents with spaces",
    "found character '@' that": "text cannot begin with '@'; put it in quotes",
    "found character '`' that": "text cannot begin with '`'; put it in quotes",
    "found character '%' that": "text cannot begin with '%'; put it in quotes",
    "mapping values are not allowed here": "a ':' cannot stand here; quote the text or check the indentation",
    "but found another document": "a second document begins here (after '---'); a spec is one document",
    "could not find expected ':'": "a key without ':'; write 'key: value'",
    "expected <block end>, but found '<scalar>'": "text after closing quotes; inside them write '' for '",
    "expected <block end>, but found": "the indentation does not fit the lines above",
    "found unexpected end of stream": "the file ends inside quotation marks",
    "found undefined alias": "no anchor of this name stands before; text that begins with '*' needs quotes",
    "second occurrence": "an anchor of this name stands before; choose another name",
}


def _explained(error: yaml.MarkedYAMLError) -> str:
    """The parser's message, or a plainer one for the mistakes that people make."""
    problem = (error.problem or "").replace("\t", r"\t")
    for beginning, explanation in _EXPLANATIONS.items():
        if problem.startswith(beginning):
            return explanation
    if error.context is None or error.context_mark is None:
        return problem
    return f"not YAML: {problem} ({error.context}, begun in line {error.context_mark.line + 1})"


def _refused(problem: str, where: Any) -> ComposerError:
    """The error for an event or node that is not allowed in a spec."""
    return ComposerError(problem=problem, problem_mark=where.start_mark)


class _Loader(yaml.SafeLoader):
    """Composes the node tree; refuses too many values as soon as they show."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._count = 0

    def compose_node(self, parent: Node | None, index: int) -> Node | None:
        self._count += 1
        if self._count > MAX_VALUES:
            raise _refused(f"more than {MAX_VALUES} values; this is not a spec", self.peek_event())
        return super().compose_node(parent, index)


class _Tree:
    """Turns nodes into a `Source`. Aliases are written out, so their values are counted each time."""

    def __init__(self, path: Path) -> None:
        self._source = Source(path)
        self._count = 0

    def source(self, top: MappingNode) -> Source:
        """The whole file."""
        self._source.values[()] = _place(top.start_mark)
        self._source.data.update(self._mapping(top, ()))
        return self._source

    def _value(self, node: Node, location: Location) -> Value:
        self._count += 1
        if self._count > MAX_VALUES:
            raise _refused(f"aliases make this more than {MAX_VALUES} values", node)
        if len(location) > MAX_DEPTH:  # or an alias inside what it repeats
            raise _refused(TOO_DEEP, node)
        self._source.values[location] = _place(node.start_mark)
        if node.tag not in _TAGS:
            self._mistake(node, f"the tag {shown(node.tag.replace(_TAG, '!!'))} is not used in specs; remove it")
        if isinstance(node, MappingNode):
            return dict(self._mapping(node, location))
        if isinstance(node, SequenceNode):
            return [self._value(item, (*location, k)) for k, item in enumerate(node.value)]
        return self._scalar(node)

    def _mapping(self, node: MappingNode, location: Location) -> dict[Scalar, Value]:
        content: dict[Scalar, Value] = {}
        for key_node, value_node in node.value:
            key = self._key(key_node)
            if key is None:
                continue
            if key in content:
                first = self._source.keys[(*location, key)].line
                self._mistake(key_node, f"the key {shown(key)} stands twice (first in line {first}); remove one")
                continue
            self._source.keys[(*location, key)] = _place(key_node.start_mark)
            content[key] = self._value(value_node, (*location, key))
        return content

    def _key(self, node: Node) -> Scalar | None:
        if node.tag == _TAG + "merge":
            self._mistake(node, "merge keys ('<<') are not used in specs; write the keys out")
            return None
        key = self._scalar(node) if isinstance(node, ScalarNode) else None
        if key is None:
            self._mistake(node, "a key must be a word")
        return key

    def _scalar(self, node: Node) -> Scalar | None:
        unprintable = Reader.NON_PRINTABLE.search(node.value)
        if unprintable:
            # Only escapes in double quotes can bring it in.
            self._mistake(node, f"holds the control character U+{ord(unprintable[0]):04X}; remove it")
            return None
        if node.tag == _TAG + "null":
            return None
        scalar = Scalar(node.value)
        if node.tag == _TAG + "bool":
            scalar.truth = SafeConstructor.bool_values.get(node.value.lower())
        return scalar

    def _mistake(self, node: Node, message: str) -> None:
        self._source.mistakes.append(Mistake(_place(node.start_mark), message))
