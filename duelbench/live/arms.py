"""The arms of a live session as a person sees them: names with texts or files, read from a file or a folder."""

import csv
import hashlib
import io
import os
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import yaml

from duelbench.errors import InputError, nearest
from duelbench.live.names import check_printable
from duelbench.problem.matrix_files import MAX_ARMS, check_file, check_text, numbered_lines, quoted

TEXTS = (".txt", ".md")
"""Endings of files whose content is shown as text."""

MOST_BYTES = 2**24
"""Of a file of arms, or of the text of one."""

DIGITS = 16
"""Of the digest of an arm."""

MOST_NAMES = 3
"""That one remark has."""

COLUMNS = ("name", "text", "path")
"""What a table of arms can say of each."""


class Arm(NamedTuple):
    """An arm and what is shown of it.

    name : str. Printable, without blanks around it.
    text : str, optional. What is shown; where there is neither text nor path, the name is.
    path : Path, optional. The file that holds the arm: a picture, a page, a text.
    """

    name: str
    text: str | None = None
    path: Path | None = None

    @property
    def shown(self) -> str:
        """The arm in words: its text, or else where its file is, or else its name.

        Examples
        --------
        >>> Arm("tea").shown, Arm("tea", "A cup of tea.").shown
        ('tea', 'A cup of tea.')
        """
        if self.text is not None:
            return self.text
        return self.name if self.path is None else str(self.path)

    @property
    def digest(self) -> str:
        """A digest of the text or the file, by which it is seen that it has changed.

        Raises
        ------
        InputError
            When the file cannot be read.

        Examples
        --------
        >>> Arm("tea").digest == Arm("tea", "A cup of tea.").digest
        False
        """
        if self.path is None or self.text is not None:
            return hashlib.sha256(self.shown.encode()).hexdigest()[:DIGITS]
        try:
            with self.path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()[:DIGITS]
        except OSError as error:
            raise InputError(f"{self.path}: cannot be read: {error.strerror or error}") from None


class _Found(NamedTuple):
    """An arm that was read, and where it stands, for messages."""

    place: str
    arm: Arm


def read_arms(path: Path) -> tuple[Arm, ...]:
    """The arms that a file or a folder names.

    Parameters
    ----------
    path : Path
        - .txt: one arm a line; empty lines are passed over;
        - .csv: a first line with the columns ``name`` and, where they are wanted, ``text`` or ``path``;
        - .yaml or .yml: names with their texts, names with ``{path: file}``, or a list of names;
        - a folder: each file in it is an arm, called by its name without ending; hidden files are passed over.

        Paths are relative to the file. What a path with the ending .txt or .md leads to is the arm's text, too.

    Returns
    -------
    tuple of Arm
        At least two, in the order of the file; those of a folder in the order of their names.

    Raises
    ------
    InputError
        Naming the file, the line and the mend.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "drinks.csv"
    >>> _ = path.write_text("name,text\\ntea,A cup of tea.\\nwater,\\n")
    >>> read_arms(path)
    (Arm(name='tea', text='A cup of tea.', path=None), Arm(name='water', text=None, path=None))
    """
    if path.is_dir():
        return _checked(path, _in_folder(path))
    check_file(str(path), "arms")
    reader = {".txt": _in_lines, ".csv": _in_table, ".yaml": _in_yaml, ".yml": _in_yaml}.get(path.suffix.lower())
    if reader is None:
        raise InputError(
            f"{path}: arms are read from .txt (one a line), .csv (with the columns name, and text or path), .yaml"
            " (names with texts), or a folder with a file for each"
        )
    return _checked(path, reader(path))


def _in_lines(path: Path) -> Iterator[_Found]:
    for number, line in numbered_lines(path):
        yield _Found(f"{path}:{number}", Arm(line))


def _in_table(path: Path) -> Iterator[_Found]:
    rows = csv.reader(io.StringIO(_content(path), newline=""), strict=True)
    try:
        head = [cell.strip().lower() for cell in next(rows, [])]
        _check_head(path, head)
        for row in rows:
            if any(cell.strip() for cell in row):
                place = f"{path}:{rows.line_num}"
                if len(row) > len(head):
                    raise InputError(
                        f"{place}: {len(row)} columns, but the first line names {len(head)}; put texts with commas into"
                        ' double quotes: "so, so"'
                    )
                said = dict(zip(head, row, strict=False))
                yield _Found(place, _arm(place, path.parent, **{name: said.get(name) for name in COLUMNS}))
    except csv.Error as error:
        raise InputError(f"{path}:{rows.line_num}: not CSV: {error}") from None


def _check_head(path: Path, head: list[str]) -> None:
    for name in head:
        if name not in COLUMNS or head.count(name) > 1:
            problem = "there twice" if head.count(name) > 1 else f"not known{nearest(name, COLUMNS)}"
            raise InputError(f"{path}:1: the column {quoted(name)} is {problem}; a table of arms has {_columns()}")
    if "name" not in head:
        raise InputError(f"{path}:1: there is no column name; a table of arms has {_columns()}")


def _columns() -> str:
    return "the columns name, and text or path"


def _in_yaml(path: Path) -> Iterator[_Found]:
    try:
        top = yaml.compose(_content(path), yaml.BaseLoader)
        if isinstance(top, yaml.SequenceNode):
            for node in top.value:
                place = _place(path, node)
                yield _Found(place, _arm(place, path.parent, _scalar(place, node)))
        elif isinstance(top, yaml.MappingNode):
            for key, node in top.value:
                place = _place(path, key)
                yield _Found(place, _arm(place, path.parent, _scalar(place, key), **_said(path, node)))
        else:
            raise InputError(f"{path}: must be names with texts, 'tea: A cup of tea.', or a list of names")
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise InputError(f"{path}:{mark.line + 1 if mark else 1}: not YAML: {error.problem or error.context}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: not YAML: {error}") from None


def _said(path: Path, node: yaml.Node) -> dict[str, str]:
    """The text or the path of an arm."""
    if not isinstance(node, yaml.MappingNode):
        return {"text": _scalar(_place(path, node), node)}
    said = {}
    for key, value in node.value:
        place = _place(path, key)
        name = _scalar(place, key)
        if name not in COLUMNS[1:] or name in said:
            problem = "there twice" if name in said else f"not known{nearest(name, COLUMNS[1:])}"
            raise InputError(f"{place}: the key {quoted(name)} is {problem}; an arm has a text or a path")
        said[name] = _scalar(place, value)
    return said


def _scalar(place: str, node: yaml.Node) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise InputError(f"{place}: must be a text; write an arm as 'tea: A cup of tea.' or 'tea: {{path: tea.png}}'")
    return str(node.value)


def _place(path: Path, node: yaml.Node) -> str:
    return f"{path}:{node.start_mark.line + 1}"


def remarks(path: Path) -> list[str]:
    """What there is to say of how a folder is read: nothing of a file.

    Parameters
    ----------
    path : Path
        As of `read_arms`.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name in ("a.png", "a.txt", "b.png"): _ = (folder / name).write_text("")
    >>> (folder / "old").mkdir()
    >>> for remark in remarks(folder): print(remark.replace(str(folder), "photos"))
    photos: the folder old in it is passed over
    photos: a.png, a.txt keep their endings in their names, which would be the same without them
    """
    if not path.is_dir():
        return []
    said = []
    if inner := [inner.name for inner in _visible(path) if inner.is_dir()]:
        which = f"the folder {inner[0]} in it is" if len(inner) == 1 else f"{len(inner)} folders in it are"
        said.append(f"{path}: {which} passed over")
    files = [file for file in _visible(path) if file.is_file()]
    if kept := [file.name for file in files if _name_of(file, files) == file.name != file.stem]:
        names = ", ".join(kept[:MOST_NAMES]) + (f" and {len(kept) - MOST_NAMES} more" if len(kept) > MOST_NAMES else "")
        said.append(f"{path}: {names} keep their endings in their names, which would be the same without them")
    return said


def _visible(folder: Path) -> list[Path]:
    """What is in a folder, hidden files and folders left out, in the order of their names."""
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise InputError(f"{folder}: cannot be read: {error.strerror or error}") from None


def _name_of(file: Path, files: list[Path]) -> str:
    """The name of the arm in a file, given all files of the folder."""
    return file.stem if [other.stem for other in files].count(file.stem) == 1 else file.name


def _in_folder(folder: Path) -> Iterator[_Found]:
    files = [path for path in _visible(folder) if path.is_file()]
    for file in files:
        yield _Found(str(file), _arm(str(file), folder, _name_of(file, files), path=file.name))


def _arm(place: str, folder: Path, name: str | None, text: str | None = None, path: str | None = None) -> Arm:
    """An arm as it was written; an empty text or path is none."""
    text, path = text or None, (path or "").strip() or None
    if text is not None and path is not None:
        raise InputError(f"{place}: has a text and a path; say one of them")
    name = (name or "").strip()
    if path is None:
        return Arm(name, text)
    file = folder / os.path.expanduser(path)
    if not file.is_file():
        raise InputError(f"{place}: there is no file {file}; paths are relative to {folder}")
    return Arm(name, _content(file) if file.suffix.lower() in TEXTS else None, file)


def _content(path: Path) -> str:
    """The text that a file holds."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"{path}: has more than {MOST_BYTES >> 20} MB; this is no text to show")
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
    check_text(data[:8], str(path))
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start]
        raise InputError(f"{path}:{line}: the byte 0x{byte:02x} is not UTF-8 text; save the file as UTF-8") from None


def _checked(path: Path, found: Iterable[_Found]) -> tuple[Arm, ...]:
    """The arms, at least two, each with a name of its own that can be printed."""
    places: dict[str, str] = {}
    arms = []
    for place, arm in found:
        if not arm.name:
            raise InputError(f"{place}: the name is empty; name every arm in letters, digits and the like")
        check_printable(arm.name, place)
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
