"""Tables for people, and numbers as CSV and JSON, which are read back to the last bit."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pandas import DataFrame

    from duelbench.experiments.results.samples import Sample

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
    """One JSON document: a list with one object per row, each on a separate line.

    Examples
    --------
    >>> json_of([{"a": 1}]), json_of([])
    ('[{"a": 1}]\\n', '[]\\n')
    """
    return "[" + ",\n ".join(json.dumps(row, ensure_ascii=False, allow_nan=False) for row in rows) + "]\n"


def short(number: float | None) -> str:
    """A number with about four digits and no exponent; a dash for None.

    Examples
    --------
    >>> short(12345.67), short(123.456), short(1.23456), short(0), short(None)
    ('12346', '123.5', '1.235', '0', '-')
    """
    if not number:
        return "-" if number is None else "0"
    magnitude = abs(number)
    decimals = sum(magnitude < limit for limit in (1000, 100, 10))  # one for each digit fewer before the point
    return f"{number:.{decimals}f}"


def rows_of(sample: "Sample", columns: Mapping[str, Any]) -> "DataFrame":
    """Rows of a table: the identity of the sample, then ``columns``, then the numbers of runs and of planned runs.

    A sample without runs has one row, without the columns.
    """
    import pandas

    counts = {"runs": sample.runs, "planned": sample.planned}
    if not sample.runs:
        return pandas.DataFrame([{**sample.identity, **counts}])
    lengths = (len(values) for values in columns.values() if not isinstance(values, str) and hasattr(values, "__len__"))
    n_rows = max(lengths, default=1)
    return pandas.DataFrame({**sample.identity, **columns, **counts}, index=range(n_rows))


def joined(tables: Iterable["DataFrame"]) -> "DataFrame":
    """Several tables as one; whole numbers stay whole if some tables lack them.

    Examples
    --------
    >>> import pandas
    >>> parts = pandas.DataFrame({"round": [10]}), pandas.DataFrame({"label": ["RUCB"]})
    >>> joined(parts)["round"].tolist()
    [10, <NA>]
    """
    import pandas

    parts = list(tables)
    table = pandas.concat(parts, ignore_index=True)
    for name in table:
        kinds = {part[name].dtype.kind for part in parts if name in part and part[name].notna().any()}
        if kinds == {"i"} and table[name].dtype.kind != "i":
            table[name] = table[name].astype("Int64")
    return table


def with_columns_first(table: "DataFrame", columns: Sequence[str]) -> "DataFrame":
    """The table with these columns first, as far as it has them."""
    first = [name for name in columns if name in table]
    return table[[*first, *(name for name in table if name not in first)]]


def as_csv(table: "DataFrame") -> str:
    """A table as CSV; numbers are read back to the last bit, and missing values are empty."""
    return table.to_csv(index=False, lineterminator="\n")
