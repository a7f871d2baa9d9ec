"""The arms of a live session as a person sees them: names with texts or files, read from a file or a folder.

What arms and judges may be called is here, too.
"""

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

from duelbench.bandits.problem.matrix_files import MAX_ARMS, check_file, check_text, quoted
from duelbench.errors import InputError, nearest, reading

TEXTS = (".txt", ".md")
"""Endings of files whose content is shown as text."""

TABLES = (".csv", ".tsv")
"""Endings of files that have columns."""

MOST_BYTES = 2**27
"""Of a file of arms, or of the text of one."""

LONGEST_OF_JUDGE, LONGEST_OF_ARM = 100, 2000
"""Characters of a name; that of an arm may be a paragraph."""

COLUMNS = ("name", "text", "path")

Described = tuple[str, dict[str, str]]
"""Where an arm stands, for messages, and its description by `COLUMNS`."""


class Output(NamedTuple):
    """What an arm has made of an input."""

    text: str
    input_text: str | None = None  # the input in words, where its name is not that
    more: Mapping[str, Any] = {}  # what else the file says of it


class Arm(NamedTuple):
    """An arm and what is shown of it: the same each time, or an output on an input that is drawn."""

    name: str  # printable, without blanks around it
    text: str | None = None  # what is shown; where there is neither text nor path, the name is
    path: Path | None = None  # the file that holds the arm: a picture, a page, a text
    outputs: Mapping[str, Output] = {}  # by their inputs; then there is neither text nor path
    more: Mapping[str, Any] = {}  # what else a program is to know of it

    @property
    def shown(self) -> str:
        """The arm in words: its text, or else where its file is, or else its name."""
        if self.text is not None:
            return self.text
        return self.name if self.path is None else str(self.path)

    @property
    def digest(self) -> str:
        """A digest of the text or the file, which shows whether it has changed."""
        if self.outputs:
            return hashlib.sha256(json.dumps(sorted(self.outputs.items())).encode()).hexdigest()[:16]
        if self.path is None or self.text is not None:
            return hashlib.sha256(self.shown.encode()).hexdigest()[:16]
        with reading(self.path), self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:16]


def read_arms(path: Path) -> tuple[Arm, ...]:
    """The arms that a file or a folder names.

    Parameters
    ----------
    path : Path
        - .txt: one arm a line; empty lines are passed over;
        - .csv or .tsv: a first line with the columns ``name`` and, where you want them, ``text`` or ``path``;
        - .yaml or .yml: names with their texts, names with ``{path: file}``, or a list of names;
        - a folder: each file in it is an arm, called by its name without ending; hidden files are passed over.

        Paths are relative to the file. A file that ends with .txt or .md is the arm's text, too.

    Returns
    -------
    tuple of Arm
        At least two, in the order of the file; those of a folder in the order of their names.

    Raises
    ------
    InputError
        Naming the file, the line and what to do.

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


def _in_lines(path: Path) -> Iterator[Described]:
    for number, line in enumerate(content_of(path).split("\n"), start=1):
        if line.strip():
            yield f"{path}:{number}", {"name": line}


def _in_table(path: Path) -> Iterator[Described]:
    head = head_of(path)
    for k, name in enumerate(head):
        _check_key(f"{path}:1: the column", name, head[:k], COLUMNS)
    if "name" not in head:
        raise InputError(f"{path}:1: there is no column name; an arm has a name, and a text or a path")
    yield from rows_of(path)


def head_of(path: Path) -> list[str]:
    """The columns that the first line of a table names."""
    with reading(path), path.open("rb") as file:
        beginning = file.read(8)
    check_text(beginning, str(path))
    return next(_cells_of(path), (1, []))[1]


def rows_of(path: Path) -> Iterator[Described]:
    """The rows below the first line of a table (.csv, .tsv) that are not empty, by its columns."""
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
    """The line on which each row of a table begins, and its cells; the columns in small letters."""
    rows = csv.reader(
        io.StringIO(content_of(path), newline=""), strict=True, delimiter="\t" if path.suffix.lower() == ".tsv" else ","
    )
    line = 1
    try:
        for row in rows:
            yield line, [cell.strip().lower() for cell in row] if line == 1 else row
            line = rows.line_num + 1
    except csv.Error as error:
        raise InputError(f"{path}:{rows.line_num}: not a table: {error}") from None


def _check_key(what: str, key: str, before: Collection[str], known: tuple[str, ...]) -> None:
    if key not in known or key in before:
        problem = "there twice" if key in before else f"not known{nearest(key, known)}"
        raise InputError(f"{what} {quoted(key)} is {problem}; an arm has a name, and a text or a path")


def _in_yaml(path: Path) -> Iterator[Described]:
    try:
        top = yaml.compose(content_of(path), yaml.BaseLoader)
        if not isinstance(top, (yaml.SequenceNode, yaml.MappingNode)):
            raise InputError(f"{path}: must be names with texts, 'tea: A cup of tea.', or a list of names")
        pairs = top.value if isinstance(top, yaml.MappingNode) else [(node, None) for node in top.value]
        for name, node in pairs:
            place = f"{path}:{name.start_mark.line + 1}"
            described = {"name": _scalar(path, name)}
            if isinstance(node, yaml.MappingNode):
                for key, value in node.value:
                    where = f"{path}:{key.start_mark.line + 1}: the key"
                    _check_key(where, _scalar(path, key), described, COLUMNS[1:])
                    described[key.value] = _scalar(path, value)
            elif node is not None:
                described["text"] = _scalar(path, node)
            yield place, described
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


def _in_folder(folder: Path) -> Iterator[Described]:
    files = [path for path in _visible(folder) if path.is_file()]
    for file in files:
        yield str(file), {"name": _name_of(file, files), "path": file.name}


def remarks(path: Path) -> list[str]:
    """Notes on how `read_arms` reads a folder; none on a file."""
    if not path.is_dir():
        return []
    notes = []
    if inner := [inner.name for inner in _visible(path) if inner.is_dir()]:
        which = f"the folder {inner[0]} in it is" if len(inner) == 1 else f"{len(inner)} folders in it are"
        notes.append(f"{path}: {which} passed over")
    if broken := [file.name for file in _visible(path) if not file.exists()]:
        notes.append(f"{path}: links that lead nowhere are passed over: {first_of(broken)}")
    files = [file for file in _visible(path) if file.is_file()]
    if links := [f"{file.name} to {file.resolve()}" for file in files if file.is_symlink()]:
        notes.append(f"{path}: links are followed, and what they lead to is shown: {first_of(links)}")
    if alike := [file.name for file in files if _name_of(file, files) == file.name != file.stem]:
        what = "keep their endings in their names, which would be the same without them"
        notes.append(f"{path}: {first_of(alike)} {what}")
    return notes


def _visible(folder: Path) -> list[Path]:
    """What is in a folder, hidden files and folders left out, in the order of their names."""
    with reading(folder):
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))


def _name_of(file: Path, files: list[Path]) -> str:
    """The name of the arm in a file, given all files of the folder."""
    return file.stem if [file_of_arm.stem for file_of_arm in files].count(file.stem) == 1 else file.name


def _checked(path: Path, described: Iterable[Described]) -> tuple[Arm, ...]:
    """The arms, at least two, each with a name of its own."""
    folder = path if path.is_dir() else path.parent
    places: dict[str, str] = {}
    arms = []
    for place, parts in described:
        arm = _arm(place, folder, parts)
        check_arm_name(arm.name, place)
        letters = unicodedata.normalize("NFC", arm.name)  # an accent may be stored in two ways that look the same
        if letters in places:
            raise InputError(
                f"{place}: a second arm is called {quoted(arm.name)}, as at {places[letters]}; arms need different"
                " names"
            )
        places[letters] = place
        arms.append(arm)
        if len(arms) > MAX_ARMS:
            raise InputError(f"{place}: more than {MAX_ARMS} arms are not supported")
    if len(arms) < 2:
        raise InputError(f"{path}: {len(arms) or 'no'} arm{'s' * (not arms)}; a duel needs two")
    return tuple(arms)


def _arm(place: str, folder: Path, parts: dict[str, str]) -> Arm:
    """An arm as it was written; an empty text or path is none."""
    name, text, path = parts.get("name", "").strip(), parts.get("text") or None, parts.get("path", "").strip()
    if not name:
        raise InputError(f"{place}: the name is empty; name every arm in letters, digits and the like")
    if not path:
        return Arm(name, text)
    if text is not None:
        raise InputError(f"{place}: has a text and a path; say one of them")
    file = folder / os.path.expanduser(path)
    if not file.is_file():
        raise InputError(f"{place}: there is no file {file}; paths are relative to {folder}")
    return Arm(name, content_of(file) if file.suffix.lower() in TEXTS else None, file)


def content_of(path: Path) -> str:
    """The text that a file holds."""
    with reading(path):
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"{path}: has more than {MOST_BYTES >> 20} MB; this is no text to show")
        data = path.read_bytes()
    check_text(data[:8], str(path))
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line, byte = data.count(b"\n", 0, error.start) + 1, data[error.start]
        raise InputError(f"{path}:{line}: the byte 0x{byte:02x} is not UTF-8 text; save the file as UTF-8") from None


def check_arm_name(name: str, place: str) -> None:
    """Check the name of an arm, given at ``place``: printable, no blanks around it, of `LONGEST_OF_ARM` at most."""
    _check_printable(name, place)
    if name != name.strip():
        raise InputError(f"{place}: the name {quoted(name)} has blanks around it; leave them out")
    if len(name) > LONGEST_OF_ARM:
        raise InputError(
            f"{place}: the name {quoted(name)} has {len(name)} characters, and {LONGEST_OF_ARM} are the most; give the"
            " arm a short name, and show the text beside it"
        )


def judge_named(name: str, place: str = "the judge") -> str:
    """The name of a judge, without blanks around it; `InputError` if it is empty, too long, or cannot be printed."""
    name = name.strip()
    if not name:
        raise InputError(f"{place}: the name is empty; leave it out, or say who answers")
    if len(name) > LONGEST_OF_JUDGE:
        raise InputError(f"{place}: the name has {len(name)} characters; {LONGEST_OF_JUDGE} are the most")
    _check_printable(name, place)
    return name


def first_of(names: Sequence[str], most: int = 3, between: str = ", ") -> str:
    """The first of several names, and how many more there are.

    Examples
    --------
    >>> first_of(["a", "b", "c", "d", "e"]), first_of(["a", "b"])
    ('a, b, c and 2 more', 'a, b')
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return between.join(names[:most]) + more


def _check_printable(name: str, place: str) -> None:
    if not name.isprintable():
        raise InputError(
            f"{place}: the name is {quoted(name)}, which cannot be printed; write it in letters, digits and the like"
        )
