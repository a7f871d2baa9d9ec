"""Tables on a terminal."""

from collections.abc import Sequence


def columns(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Lines of a table, two spaces between columns.

    Parameters
    ----------
    rows : sequence of sequence of str
        All of one length, the head among them.
    right : sequence of int
        Columns (0-based) that are flush right.

    Examples
    --------
    >>> columns([["algorithm", "runs"], ["rucb", "20"]], right=[1])
    ['algorithm  runs', 'rucb         20']
    """
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return [
        "  ".join(
            cell.rjust(width) if k in right else cell.ljust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
