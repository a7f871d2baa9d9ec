"""Reads the arms of a live session from a file or a folder, and checks names of arms and judges."""

import csv
import hashlib
import io
import json
import os
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from duelbench.bandits.problem.matrix_files import MAX_ARMS, SAMPLE, check_file, check_text, quoted, separator_of
from duelbench.errors import InputError, nearest, reading

TEXTS = (".txt", ".md")
"""Endings of text files, whose content is shown."""

TABLES = (".csv", ".tsv")
"""Endings of tables."""

MAX_BYTES = 2**27
"""Size limit of a file of arms, and of the text file of an arm."""

MAX_JUDGE_NAME, MAX_ARM_NAME = 100, 2000
"""The maximum number of characters in a name; the name of an arm may be a paragraph."""

COLUMNS = ("name", "text", "path")

Entry = tuple[str, dict[str, str]]
"""The location of an arm for messages, ``file:line``, and its values by `COLUMNS`."""


class Output(NamedTuple):
    """The output of an arm on an input."""

    text: str
    input_text: str | None = None  # the text of the input; None if the name of the input is its text
    more: Mapping[str, Any] = {}  # values of further columns


class Arm(NamedTuple):
    """An arm and its content: always the same text or file, or one of several outputs."""

    name: str  # printable, without blanks around it
    text: str | None = None  # the content; an arm with neither text nor path shows its name
    path: Path | None = None  # the file with the content: a picture, a page or a text
    outputs: Mapping[str, Output] = {}  # by input; an arm with outputs has neither text nor path
    more: Mapping[str, Any] = {}  # further values, which judging programs read

    @property
    def shown(self) -> str:
        """The text of the arm, else the path of its file, else its name."""
        if self.text is not None:
            return self.text
        return self.name if self.path is None else str(self.path)

    @property
    def digest(self) -> str:
        """A digest of the content, which changes if the content does."""
        if self.outputs:
            return hashlib.sha256(json.dumps(sorted(self.outputs.items())).encode()).hexdigest()[:16]
        if self.path is None or self.text is not None:
            return hashlib.sha256(self.shown.encode()).hexdigest()[:16]
        with reading(self.path), self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:16]


def read_arms(path: Path) -> tuple[Arm, ...]:
    """Read the arms in a file or a folder.

    Parameters
    ----------
    path : Path
        - .txt: one arm per line; empty lines are ignored;
        - .csv or .tsv: a table with the column ``name`` and optionally ``text`` or ``path``;
        - .yaml or .yml: names with texts, names with ``{path: file}``, or a list of names;
        - a folder: each file is an arm, named after the file without its ending; hidden files are ignored.

        Paths are relative to the file. The content of a .txt or .md file is also the text of its arm.

    Returns
    -------
    tuple of Arm
        At least two, in the order of the file; arms of a folder are sorted by file name.

    Raises
    ------
    InputError
        If the file is wrong; the message names the file, the line and what to do.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "drinks.csv"
    >>> _ = path.write_text("name,text\\ntea,A cup of tea.\\nwater,\\n")
    >>> [(arm.name, arm.text) for arm in read_arms(path)]
    [('tea', 'A cup of tea.'), ('water', None)]
    """
    if path.is_dir():
        return _checked(path, _in_folder(path))
    check_file(str(path), "arms")
    readers = {".txt": _in_lines, **dict.fromkeys(TABLES, _in_table), ".yaml": _in_yaml, ".yml": _in_yaml}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise InputError(
            f"{path}: arms are read from .txt (one a line), .csv (with the columns name, and text or path), .yaml"
            " (names with texts), a folder with a file for each, or .csv, .tsv or .jsonl with the columns arm, input"
            " and output"
        )
    return _checked(path, reader(path))


def _in_lines(path: Path) -> Iterator[Entry]:
    for number, line in enumerate(content_of(path).split("\n"), start=1):
        if line.strip():
            yield f"{path}:{number}", {"name": line}


def _in_table(path: Path) -> Iterator[Entry]:
    head = head_of(path)
    for k, name in enumerate(head):
        _check_key(f"{path}:1: the column", name, head[:k], COLUMNS)
    if "name" not in head:
        raise InputError(f"{path}:1: the column 'name' is missing; an arm has a name, and a text or a path")
    yield from rows_of(path)


def head_of(path: Path) -> list[str]:
    """Return the column names of a table."""
    with reading(path), path.open("rb") as file:
        first_bytes = file.read(8)
    check_text(first_bytes, str(path))
    return next(_cells_of(path), (1, []))[1]


def rows_of(path: Path) -> Iterator[Entry]:
    """Yield the location of each row of a table (.csv, .tsv) and its cells by column; skip empty rows."""
    head: list[str] | None = None
    for line, row in _cells_of(path):
        if head is None:
            head = row
            continue
        if len(row) > len(head):
            raise InputError(
                f"{path}:{line}: {len(row)} columns, but the first line names {len(head)}; put texts with"
                ' commas into double quotes: "so, so"'
            )
        if any(cell.strip() for cell in row):
            yield f"{path}:{line}", dict(zip(head, row, strict=False))


def _cells_of(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the line (from 1) at which each row of a table starts, and its cells; column names are in lower case."""
    content = content_of(path)
    separator = separator_of(content.splitlines()[:SAMPLE]) or ("\t" if path.suffix.lower() == ".tsv" else ",")
    rows = csv.reader(io.StringIO(content, newline=""), strict=True, delimiter=separator)
    line = 1
    try:
        for row in rows:
            yield line, [cell.strip().lower() for cell in row] if line == 1 else row
            line = rows.line_num + 1
    except csv.Error as error:
        raise InputError(f"{path}:{rows.line_num}: not a table: {error}") from None


def _check_key(subject: str, key: str, earlier: Collection[str], allowed: tuple[str, ...]) -> None:
    if key in allowed and key not in earlier:
        return
    problem = "given twice" if key in earlier else f"not known{nearest(key, allowed)}"
    raise InputError(f"{subject} {quoted(key)} is {problem}; an arm has a name, and a text or a path")


def _in_yaml(path: Path) -> Iterator[Entry]:
    try:
        top = yaml.compose(content_of(path), yaml.BaseLoader)
        if not isinstance(top, (yaml.SequenceNode, yaml.MappingNode)):
            raise InputError(f"{path}: must be names with texts, 'tea: A cup of tea.', or a list of names")
        pairs = top.value if isinstance(top, yaml.MappingNode) else [(node, None) for node in top.value]
        for name, node in pairs:
            location = f"{path}:{name.start_mark.line + 1}"
            values = {"name": _scalar(path, name)}
            if isinstance(node, yaml.MappingNode):
                for key, value in node.value:
                    subject = f"{path}:{key.start_mark.line + 1}: the key"
                    _check_key(subject, _scalar(path, key), values, COLUMNS[1:])
                    values[key.value] = _scalar(path, value)
            elif node is not None:
                values["text"] = _scalar(path, node)
            yield location, values
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise InputError(f"{path}:{mark.line + 1 if mark else 1}: not YAML: {error.problem or error.context}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: not YAML: {error}") from None


def _scalar(path: Path, node: yaml.Node) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise InputError(
            f"{path}:{node.start_mark.line + 1}: must be a text; write an arm as 'tea: A cup of tea.' or"
            " 'tea: {path: tea.png}'"
        )
    return str(node.value)


def _in_folder(folder: Path) -> Iterator[Entry]:
    files = [path for path in _visible(folder) if path.is_file()]
    for file in files:
        yield str(file), {"name": _name_of(file, files), "path": file.name}


def remarks(path: Path) -> list[str]:
    """Return notes on how `read_arms` reads a folder; no notes on a file."""
    if not path.is_dir():
        return []
    notes = []
    folders = [folder.name for folder in _visible(path) if folder.is_dir()]
    if folders:
        subject = f"the folder {folders[0]} in it is" if len(folders) == 1 else f"{len(folders)} folders in it are"
        notes.append(f"{path}: {subject} ignored")
    broken_links = [file.name for file in _visible(path) if not file.exists()]
    if broken_links:
        notes.append(f"{path}: broken links are ignored: {first_of(broken_links)}")
    files = [file for file in _visible(path) if file.is_file()]
    links = [f"{file.name} to {file.resolve()}" for file in files if file.is_symlink()]
    if links:
        notes.append(f"{path}: links are followed, and their targets are shown: {first_of(links)}")
    with_endings = [file.name for file in files if _name_of(file, files) == file.name != file.stem]
    if with_endings:
        reason = "keep their endings in their names, which would be the same without them"
        notes.append(f"{path}: {first_of(with_endings)} {reason}")
    return notes


def _visible(folder: Path) -> list[Path]:
    """Return the files and folders in a folder that are not hidden, sorted by name."""
    with reading(folder):
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))


def _name_of(file: Path, files: list[Path]) -> str:
    """Return the name of a file's arm: without the ending, unless another of the ``files`` would have the same name."""
    stems = [other.stem for other in files]
    return file.stem if stems.count(file.stem) == 1 else file.name


def _checked(path: Path, entries: Iterable[Entry]) -> tuple[Arm, ...]:
    """Return the arms; refuse fewer than two, and equal names."""
    folder = path if path.is_dir() else path.parent
    locations: dict[str, str] = {}
    arms = []
    for location, values in entries:
        arm = _arm(location, folder, values)
        check_arm_name(arm.name, location)
        letters = unicodedata.normalize("NFC", arm.name)  # an accent may be stored in two ways that look the same
        if letters in locations:
            raise InputError(
                f"{location}: a second arm is called {quoted(arm.name)}, as at {locations[letters]}; arms need"
                " different names"
            )
        locations[letters] = location
        arms.append(arm)
        if len(arms) > MAX_ARMS:
            raise InputError(f"{location}: more than {MAX_ARMS} arms are not supported")
    if len(arms) < 2:
        raise InputError(f"{path}: {'1 arm' if arms else 'no arms'}; a duel needs two")
    return tuple(arms)


def _arm(location: str, folder: Path, values: dict[str, str]) -> Arm:
    """Return the arm with these values by `COLUMNS`; an empty text or path counts as missing."""
    name, text, path = values.get("name", "").strip(), values.get("text") or None, values.get("path", "").strip()
    if not name:
        raise InputError(f"{location}: the name is empty; name every arm")
    if not path:
        return Arm(name, text)
    if text is not None:
        raise InputError(f"{location}: has a text and a path; keep one of them")
    file = folder / os.path.expanduser(path)
    if not file.is_file():
        raise InputError(f"{location}: there is no file {file}; paths are relative to {folder}")
    return Arm(name, content_of(file) if file.suffix.lower() in TEXTS else None, file)


def content_of(path: Path) -> str:
    """Return the text in a file."""
    with reading(path):
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path}: has more than {MAX_BYTES >> 20} MB, which is too long to show; shorten it")
        data = path.read_bytes()
    check_text(data[:8], str(path))
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line, byte = data.count(b"\n", 0, error.start) + 1, data[error.start]
        raise InputError(f"{path}:{line}: the byte 0x{byte:02x} is not UTF-8 text; save the file as UTF-8") from None


def check_arm_name(name: str, location: str) -> None:
    """Refuse an arm's name that is not printable, has blanks around it, or is longer than `MAX_ARM_NAME` characters."""
    _check_printable(name, location)
    if name != name.strip():
        raise InputError(f"{location}: the name {quoted(name)} has blanks around it; leave them out")
    if len(name) > MAX_ARM_NAME:
        raise InputError(
            f"{location}: the name {quoted(name)} has {len(name)} characters, more than {MAX_ARM_NAME}; give the arm a"
            " short name, and put the text into a column or file of its own"
        )


def judge_named(name: str, location: str = "the judge") -> str:
    """Return the name of a judge without blanks around it; refuse a name that is empty, too long or not printable."""
    name = name.strip()
    if not name:
        raise InputError(f"{location}: the name is empty; leave it out, or name the judge")
    if len(name) > MAX_JUDGE_NAME:
        raise InputError(f"{location}: the name has {len(name)} characters; at most {MAX_JUDGE_NAME} are allowed")
    _check_printable(name, location)
    return name


def first_of(names: Sequence[str], most: int = 3, between: str = ", ") -> str:
    """Return the first ``most`` names and the number of the others, as text.

    Examples
    --------
    >>> first_of(["a", "b", "c", "d", "e"]), first_of(["a", "b"])
    ('a, b, c and 2 more', 'a, b')
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return between.join(names[:most]) + more


def _check_printable(name: str, location: str) -> None:
    if not name.isprintable():
        raise InputError(f"{location}: the name {quoted(name)} has characters that cannot be printed; remove them")
