"""Reads tables with named columns: text with any usual separator, JSON, and JSON lines."""

import csv
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

from duelbench.bandits.problem.matrix_files import (
    CLOSE_QUOTES,
    MAX_BYTES,
    MAX_LINES,
    SAMPLE,
    as_number,
    quoted,
    separator_of,
    starts_json,
    text_lines,
)
from duelbench.errors import InputError

SEPARATORS = {",": "comma", "\t": "tab", ";": "semicolon"}

LONGEST = 2**24
"""Longest line and longest cell of a table, in characters: tables of prompts have long ones."""

NESTED = "[...]"
"""The cell of a list or an object in JSON."""

_JSON_ROWS = re.compile(r'\s*(\{\s*("names"\s*:\s*\[[^]]*\]\s*,\s*)?"P"\s*:\s*)?\[\s*\[\s*(-?[\d.]|null|"")')
_WHITE = re.compile(r"\s*")
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}")
_POINTS = re.compile(r"[-+]?[1-9]\d{0,2}\.\d{3}")


@dataclass(frozen=True)
class Table:
    """A table with named columns, whose rows are read lazily, once."""

    source: str
    columns: tuple[str, ...]  # names, as written
    rows: Iterable[tuple[int, Sequence[str]]]  # the line of each row, counted from 1, and its cells
    has_decimal_commas: bool = False  # whether 0,5 is a number
    n_comments: int = 0  # lines with # above the names
    head_line: int = 1  # the line of the names
    is_json: bool = False

    def number(self, text: str) -> float | None:
        """Return the number in a cell, or None.

        Examples
        --------
        >>> Table("votes.csv", (), (), has_decimal_commas=True).number("0,5")
        0.5
        """
        if self.has_decimal_commas and "," in text:
            return None if _THOUSANDS.fullmatch(text) else as_number(text.replace(",", ".", 1))
        return as_number(text)


class Points:
    """Notices numbers such as 1.250, which mean 1250 if points separate thousands.

    Examples
    --------
    >>> points = Points()
    >>> points.see("1.250", "line 2")
    >>> points.see("0.5", "line 3")
    >>> points.refuse("votes.csv", are_counts=True)  # 0.5 shows that points are decimal: no error
    """

    def __init__(self) -> None:
        self._unclear: tuple[str, str] | None = None  # the first such number, and its place
        self._has_decimals = self._has_whole = False

    def see(self, text: str, place: str) -> None:
        """Take notice of a number."""
        if _POINTS.fullmatch(text):
            self._unclear = self._unclear or (text, place)
        elif "." in text:
            self._has_decimals = True
        else:
            self._has_whole = True

    def refuse(self, source: str, are_counts: bool) -> None:
        """Raise an InputError if a number is not clear: in counts, or beside whole numbers."""
        if self._unclear and not self._has_decimals and (are_counts or self._has_whole):
            text, place = self._unclear
            whole = text.replace(".", "")
            raise InputError(
                f"{source}: {place}: {text} may mean {whole}, with a point between thousands, or {float(text):g}; write"
                f" numbers without points between thousands, as {whole} (a decimal number with another digit: {text}0)"
            )


def read_table(path: Path) -> Table:
    """Read a table; its content tells its format.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "votes.txt")
    ...     _ = file.write_text("winner;loser\\ntea;coffee\\n")
    ...     table = read_table(file)
    ...     table.columns, list(table.rows)
    (('winner', 'loser'), [(2, ['tea', 'coffee'])])
    """
    return _json_table(path) if is_json(path) else _text_table(path)


def is_json(path: Path) -> bool:
    """Return whether a text file starts like JSON."""
    return starts_json("".join(text for _, text in islice(text_lines(path, longest=MAX_BYTES), 10)))


def is_json_matrix(path: Path) -> bool:
    """Return whether a text file starts like a JSON list of rows of numbers, as it is or as ``P`` beside ``names``."""
    start = ""
    for _, text in text_lines(path, longest=MAX_BYTES):
        start += text
        if len(start) > LONGEST:
            break
    return _JSON_ROWS.match(start) is not None


def json_rows(path: Path) -> list[tuple[int, list[str]]]:
    """Return the rows of a JSON list of lists, each with the line where it begins, as texts."""
    rows = []
    records = [*_json_values(str(path), _whole_text(path))]
    line, matrix = records[0] if len(records) == 1 else (1, None)
    if isinstance(matrix, dict) and isinstance(matrix.get("P"), list) and matrix.keys() <= {"P", "names"}:
        head = [matrix["names"]] if "names" in matrix else []
        records = [(line, row) for row in head + matrix["P"]]
    for line, record in records:
        if not isinstance(record, list):
            raise InputError(
                f"{path}: is JSON, not a square table; write a list of rows, as in [[0.5, 0.9], [0.1, 0.5]], or the"
                " rows as lines, with commas between the numbers"
            )
        rows.append((line, [_cell(value) for value in record]))
    return rows


def _whole_text(path: Path) -> str:
    return "".join(text for _, text in text_lines(path, longest=MAX_BYTES))


def first_rows(path: Path) -> list[list[str]]:
    """Return the cells of the first rows of a text table, without the comments above them."""
    lines: list[str] = []
    for _, text in text_lines(path, longest=LONGEST):
        line = text[:100_000].strip("\r\n ")
        if line.strip() and (lines or not (line.startswith("#") or _separator_line(line))):
            lines.append(line)
        if len(lines) == SAMPLE:
            break
    separator = separator_of(lines) or ","
    rows = (next(csv.reader([line], delimiter=separator, skipinitialspace=True), []) for line in lines)
    return [[cell.strip() for cell in row] for row in rows]


def _separator_line(text: str) -> str | None:
    """Return the separator in the line ``sep=;`` that Excel writes above a table; None for other lines."""
    match = re.fullmatch(r'"?sep=([,;\t])"?', text.strip("\r\n "))
    return match[1] if match else None


def _text_table(path: Path) -> Table:
    source = str(path)
    lines = text_lines(path, longest=LONGEST)
    n_comments, separator, head_line, head_text = 0, None, 0, ""
    for number, text in lines:
        separator = separator or _separator_line(text)
        if text.startswith("#"):
            n_comments += 1
        elif text.strip() and not _separator_line(text):
            head_line, head_text = number, text
            break
    if not head_line:
        raise InputError(f"{source}: holds no table; it needs a line of column names, such as winner,loser")
    sample = [head_text, *(text for _, text in islice(lines, SAMPLE - 1))]
    separator = separator or separator_of([text[:100_000] for text in sample]) or ","
    rows = _text_rows(source, chain(sample, (text for _, text in lines)), head_line, separator)
    _, head = next(rows)
    return Table(
        source, tuple(head), _equally_long(source, rows, head, separator), separator != ",", n_comments, head_line
    )


def _text_rows(source: str, lines: Iterable[str], first: int, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield rows with their first lines; a cell in quotes may contain line breaks."""
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)
    line = first
    former_limit = csv.field_size_limit(LONGEST)
    try:
        for cells in reader:
            if any(cells):
                yield line, [cell.strip() for cell in cells]
            line = first + reader.line_num
    except csv.Error as error:
        raise InputError(f"{source}: line {line} is not valid CSV ({error}); {CLOSE_QUOTES}") from None
    finally:
        csv.field_size_limit(former_limit)


def _equally_long(
    source: str, rows: Iterable[tuple[int, list[str]]], head: Sequence[str], separator: str
) -> Iterator[tuple[int, list[str]]]:
    for line, cells in rows:
        if len(cells) != len(head) and (len(cells) < len(head) or any(cells[len(head) :])):
            raise InputError(
                f"{source}: line {line}: {len(cells)} cells, but the first line has {len(head)}; quote cells with a"
                f" {SEPARATORS[separator]}"
            )
        yield line, cells[: len(head)]


def _json_table(path: Path) -> Table:
    source = str(path)
    text = _whole_text(path)
    records = list(_json_values(source, text))
    if len(records) == 1 and isinstance(records[0][1], dict):
        columns = records[0][1]
        listed = next(iter(columns.values()), None)
        if len(columns) == 1 and isinstance(listed, list) and all(isinstance(record, dict) for record in listed):
            columns = {name: [record.get(name) for record in listed] for record in listed for name in record}
        if columns and all(isinstance(values, (list, dict)) for values in columns.values()):
            return _table_of_columns(source, columns)
    names: dict[str, None] = {}
    for line, record in records:
        if not isinstance(record, dict):
            raise InputError(
                f"{source}: line {line} holds {_kind(record)}; JSON is read as a list of objects, one per vote, as in"
                ' [{"winner": "tea", "loser": "coffee"}], or as columns, as in {"winner": ["tea"], "loser": ["coffee"]}'
            )
        names |= dict.fromkeys(record)
    rows = ((line, [_cell(record.get(name)) for name in names]) for line, record in records)
    return Table(source, tuple(names), rows, is_json=True)


def _table_of_columns(source: str, columns: dict[str, Any]) -> Table:
    """Return a table that is stored column by column; its rows are counted from 1."""
    listed = [list(values.values()) if isinstance(values, dict) else values for values in columns.values()]
    lengths = {name: len(values) for name, values in zip(columns, listed, strict=True)}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name} has {n}" for name, n in lengths.items())
        raise InputError(f"{source}: the columns are not equally long: {shown} values")
    rows = ((k, [_cell(value) for value in row]) for k, row in enumerate(zip(*listed, strict=True), 1))
    return Table(source, tuple(columns), rows, is_json=True)


def _json_values(source: str, text: str) -> Iterator[tuple[int, Any]]:
    """Yield the elements of a list, or consecutive values, each with its line."""
    decoder = json.JSONDecoder()
    at = _white_end(text, 0)
    is_list = text[at] == "["
    at += is_list
    line, counted = 1, 0
    for _ in range(MAX_LINES):
        at = _white_end(text, at)
        line, counted = line + text.count("\n", counted, at), at
        if at == len(text) and not is_list:
            return
        if is_list and text[at : at + 1] == "]":
            at = _white_end(text, at + 1)
            if at < len(text):
                raise InputError(f"{source}: line {line}: text follows the end of the JSON list; remove it")
            return
        try:
            value, at = decoder.raw_decode(text, at)
            at = _white_end(text, at)
            if is_list and text[at : at + 1] not in (",", "]"):
                raise json.JSONDecodeError("expecting ',' or ']'", text, at)
        except json.JSONDecodeError as error:
            is_cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")
            reason = "it ends too early" if is_cut else error.msg
            start = f"line {line}: the JSON that begins here is not complete"
            raise InputError(f"{source}: {start} (line {error.lineno}: {reason}); write it again") from None
        except (ValueError, RecursionError) as error:
            raise InputError(f"{source}: line {line}: JSON that cannot be read ({type(error).__name__})") from None
        yield line, value
        at += is_list and text[at] == ","
    raise InputError(f"{source}: has more than {MAX_LINES} records")


def _white_end(text: str, at: int) -> int:
    match = _WHITE.match(text, at)
    return match.end() if match else at


def _kind(value: Any) -> str:
    if isinstance(value, list):
        return "a list of numbers" if all(isinstance(cell, (int, float)) for cell in value) else "a list"
    return quoted(json.dumps(value))


def _cell(value: Any) -> str:
    """Return a value of JSON as a cell of a table."""
    if isinstance(value, str):
        return value.strip().encode("utf-8", "replace").decode()
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, dict)):
        return NESTED
    return repr(value).removesuffix(".0")
