"""Tables for people, and numbers as CSV and JSON, which are read back to the last bit."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pandas import DataFrame

TextTable = tuple[str, list[tuple[str, ...]], list[str]]
"""Heading, lines of cells with the names of the columns first, and lines below."""


def aligned(tables: Iterable[TextTable], left: Sequence[int] = (0, 1)) -> str:
    """Tables for the terminal; the columns ``left`` are flush left, the others right."""
    parts = []
    for heading, lines, below in tables:
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        cells = [
            [
                cell.ljust(width) if k in left else cell.rjust(width)
                for k, (cell, width) in enumerate(zip(line, widths, strict=True))
            ]
            for line in lines
        ]
        parts.append("\n".join([heading, *("  ".join(line).rstrip() for line in cells), *below]) + "\n")
    return "\n".join(parts)


def json_of(rows: Iterable[Mapping[str, Any]]) -> str:
    """One JSON document: a list with one object per row, each in a line of its own.

    Examples
    --------
    >>> json_of([{"a": 1}]), json_of([])
    ('[{"a": 1}]\\n', '[]\\n')
    """
    return "[" + ",\n ".join(json.dumps(row, ensure_ascii=False, allow_nan=False) for row in rows) + "]\n"


def short(number: float | None) -> str:
    """A number with about four digits and no exponent; a dash where there is none.

    Examples
    --------
    >>> short(12345.67), short(123.456), short(1.23456), short(0), short(None)
    ('12346', '123.5', '1.235', '0', '-')
    """
    if not number:
        return "-" if number is None else "0"
    magnitude = abs(number)
    return f"{number:.{0 if magnitude >= 1000 else 1 if magnitude >= 100 else 2 if magnitude >= 10 else 3}f}"


def table_of(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> "DataFrame":
    """Rows as a table; what a row lacks, or is None in it, is missing. Whole numbers stay whole.

    Examples
    --------
    >>> table_of(["mean", "runs"], [{"mean": 2.0, "other": 1}, {"runs": 3}]).to_csv(index=False).split()
    ['mean,runs', '2.0,', ',3']
    """
    import pandas

    kept = list(rows)
    table = pandas.DataFrame({name: [row.get(name) for row in kept] for name in columns})
    for name in columns:
        values = [row[name] for row in kept if row.get(name) is not None]
        if values and all(type(value) is int for value in values):
            table[name] = table[name].astype("Int64")
    return table


def as_csv(table: "DataFrame") -> str:
    """A table as CSV; numbers are read back to the last bit, and what is missing is empty."""
    return table.to_csv(index=False, lineterminator="\n")


def names_of(one: Any) -> dict[str, Any]:
    """The first columns of the numbers of nearly all figures."""
    return {"problem": one.problem, "algorithm": one.algorithm, "label": one.label}
