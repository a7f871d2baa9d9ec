"""The files that commands write: figures and their numbers."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import typer

from duelbench.cli.streams import say


def write_files(files: Mapping[Path, bytes], notes: Sequence[str] = ()) -> None:
    """Write files, each whole or not at all; then print the notes, and the paths of what was written.

    Raises
    ------
    InputError
        When one cannot be written.
    """
    from duelbench.results import atomic

    written: list[Path] = []
    try:
        for path, content in files.items():
            atomic.write_asked(path, content, str(path))
            written.append(path)
    finally:
        for note in dict.fromkeys(notes):
            typer.echo(f"note: {note}", err=True)
        for path in written:
            say(str(path))
