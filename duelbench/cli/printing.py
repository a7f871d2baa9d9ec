"""Prints tables, notes, and the paths of written files."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from duelbench.cli.streams import say


def columns(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Format the rows of a table, with two spaces between columns; the columns ``right`` are right-aligned.

    Examples
    --------
    >>> columns([["algorithm", "runs"], ["rucb", "20"]], right=[1])
    ['algorithm  runs', 'rucb         20']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    forms = [f"{'>' if k in right else '<'}{width}" for k, width in enumerate(widths)]
    return ["  ".join(map(format, row, forms)).rstrip() for row in rows]


def tell(line: str) -> None:
    """Print a line on standard error."""
    print(line, file=sys.stderr, flush=True)


LARGE = 4_000_000
"""Bytes of votes that take about two seconds to read."""


def tell_large(files: Iterable[Path]) -> None:
    """Say on standard error that files are read, if that takes more than about two seconds."""
    size = sum(file.stat().st_size for file in files if file.is_file())
    if size > LARGE:
        tell(f"reading {size / 1e6:.0f} MB ...")


def tell_notes(notes: Iterable[str]) -> None:
    """Print notes on standard error, each once."""
    for note in dict.fromkeys(notes):
        tell(f"note: {note}")


def write_files(files: Mapping[Path, bytes], notes: Iterable[str] = ()) -> None:
    """Write files, each completely or not at all; then print the notes, and the paths of the written files."""
    from duelbench.common import atomic

    written: list[Path] = []
    try:
        for path, content in files.items():
            atomic.write_asked(path, content, str(path))
            written.append(path)
    finally:
        tell_notes(notes)
        for path in written:
            say(str(path))
