"""Figures that can be drawn, and the files that they become."""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from duelbench.errors import InputError, nearest_or_all
from duelbench.figures.drawing.canvas import FORMATS, PGF, font_notes, render, settle
from duelbench.figures.frame import USUAL_FRAME, Frame, framed
from duelbench.figures.numbers import as_csv

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

_BEGINNINGS = (
    *(b"problem,algorithm,label,", b"problem,panel,algorithm,label,"),
    b"problem,a,b,definition,",
)
"""How the numbers of all figures begin."""


@dataclass(frozen=True)
class Drawing:
    """A figure that can be drawn, and its numbers."""

    base: Path  # the file that it becomes, whatever its ending
    draw: "Callable[[], Figure]"  # returns the Matplotlib figure
    numbers: "Callable[[], DataFrame]"  # returns exactly the numbers in it
    about: Mapping[str, str]  # its title and description
    frame: Frame = USUAL_FRAME  # the page that it is for

    def drawn(self, notes: list[str]) -> "Figure":
        """The figure in its frame; ``notes`` gets what did not fit in."""
        with framed(self.frame):
            figure = self.draw()
            notes += [note for note in settle(figure) if note not in notes]
        return figure

    def rendered(self, figure: "Figure", form: str) -> bytes:
        """The figure that `drawn` returned, as the bytes of a file."""
        with framed(self.frame):
            return render(figure, form, self.about)

    def files(self, forms: Sequence[str], notes: list[str], figure: "Figure | None" = None) -> dict[Path, bytes]:
        """The files with these endings: path -> bytes; of ``figure`` where it is drawn already.

        ``notes`` gets which characters the fonts lack, and which numbers are overwritten.
        """
        spare_other_data(self.base)
        pictures = [form for form in forms if form != "csv"]
        figure = figure or (self.drawn(notes) if pictures else None)
        if figure and {"png", "pdf"}.intersection(forms):  # in an SVG file the viewer's fonts have them
            with framed(self.frame):
                notes += [note for note in font_notes(figure) if note not in notes]
        files = {self.base.with_suffix(f".{form}"): self.rendered(figure, form) for form in pictures if figure}
        table, numbers = self.base.with_suffix(".csv"), as_csv(self.numbers()).encode()
        if files and table.exists() and not any(path.exists() for path in files) and table.read_bytes() != numbers:
            notes.append(f"{table}: held the numbers of another figure and is overwritten")
        return {**files, table: numbers}


def forms_of(output: Path | None, formats: Sequence[str] = ()) -> tuple[str, ...]:
    """The endings of the files to write: of ``output`` and the ``formats``; always with csv."""
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
    """Refuse to write the numbers of a figure, beside it as .csv, over a file that holds no such numbers."""
    table = figure.with_suffix(".csv")
    beginning = b""
    if table.is_file():  # not a pipe, for whose writer one would wait
        with contextlib.suppress(OSError), open(table, "rb") as file:
            beginning = file.read(max(map(len, _BEGINNINGS)))
    if table.exists() and not beginning.startswith(_BEGINNINGS):
        raise InputError(
            f"{table} is there and holds no numbers of a figure, whose place it has: choose another name for the output"
        )
