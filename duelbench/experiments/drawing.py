"""Figures, and the files in which they are saved."""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from duelbench.common import style_sheet
from duelbench.errors import InputError, nearest_or_all
from duelbench.experiments.figures.drawing.canvas import FORMATS, PGF, dollar_notes, font_notes, render, settle
from duelbench.experiments.figures.frame import USUAL_FRAME, Frame, framed
from duelbench.experiments.figures.numbers import as_csv

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

_STARTS = (b"problem,algorithm,label,", b"problem,panel,algorithm,label,", b"problem,a,b,definition,")
"""The first bytes of the numbers of figures."""


@dataclass(frozen=True)
class Drawing:
    """A figure that is not drawn yet, and its numbers."""

    base: Path  # its file, with any ending
    draw: "Callable[[], Figure]"
    numbers: "Callable[[], DataFrame]"  # returns exactly the numbers in the figure
    metadata: Mapping[str, str]  # the title and description in files
    frame: Frame = USUAL_FRAME  # the size and style of the page that it is for

    def drawn(self, notes: list[str]) -> "Figure":
        """Draw the figure in its frame; add to ``notes`` what does not fit."""
        with framed(self.frame):
            figure = self.draw()
            found = [*settle(figure), *dollar_notes(figure)]
            if self.frame.sheet:
                found += style_sheet.note(Path(self.frame.sheet))
            notes += [note for note in dict.fromkeys(found) if note not in notes]
        return figure

    def rendered(self, figure: "Figure", form: str) -> bytes:
        """The bytes of a file with a figure from `drawn`."""
        with framed(self.frame):
            return render(figure, form, self.metadata)

    def files(self, forms: Sequence[str], notes: list[str], figure: "Figure | None" = None) -> dict[Path, bytes]:
        """The files with the endings ``forms``, and the numbers as .csv: path -> bytes.

        Pass ``figure`` if it is drawn already. ``notes`` gets the characters that the fonts lack, and the numbers that
        are overwritten.
        """
        spare_other_data(self.base)
        pictures = [form for form in forms if form != "csv"]
        files = {}
        if pictures:
            figure = figure or self.drawn(notes)
            if "png" in forms or "pdf" in forms:  # an SVG file uses the fonts of its viewer
                with framed(self.frame):
                    notes += [note for note in font_notes(figure) if note not in notes]
            files = {self.base.with_suffix(f".{form}"): self.rendered(figure, form) for form in pictures}
        table, numbers = self.base.with_suffix(".csv"), as_csv(self.numbers()).encode()
        is_new = files and not any(path.exists() for path in files)
        if is_new and table.exists() and table.read_bytes() != numbers:
            notes.append(f"{table}: held the numbers of another figure and is overwritten")
        return {**files, table: numbers}


def forms_of(output: Path | None, formats: Sequence[str] = ()) -> tuple[str, ...]:
    """The endings of the files to write: that of ``output``, the ``formats``, and csv."""
    known = (*FORMATS, PGF, "csv")
    for form in formats:
        if form not in known:
            raise InputError(f"unknown format '{form}'{nearest_or_all(form, known)}")
    if output is None:
        return tuple(dict.fromkeys([*(formats or ("png", "pdf")), "csv"]))
    form = output.suffix.lower().removeprefix(".")
    if output.is_dir() or form not in known:
        endings = ", ".join(f".{ending}" for ending in known)
        raise InputError(f"output {output}: name a file that ends with one of {endings}")
    spare_other_data(output)
    return tuple(dict.fromkeys([form, *formats, "csv"]))


def spare_other_data(figure: Path) -> None:
    """Refuse to overwrite a .csv file beside a figure that does not hold the numbers of a figure."""
    table = figure.with_suffix(".csv")
    if not table.exists():
        return
    start = b""
    if table.is_file():  # to read a pipe would wait for its writer
        with contextlib.suppress(OSError), open(table, "rb") as file:
            start = file.read(max(map(len, _STARTS)))
    if not start.startswith(_STARTS):
        raise InputError(
            f"{table} exists and does not hold the numbers of a figure: choose another name for the output"
        )
