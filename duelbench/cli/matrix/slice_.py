"""``duelbench matrix slice``: who wins in the matrices of three arms whose probabilities sum to 1."""

from pathlib import Path
from typing import Annotated

import typer

from duelbench.cli.folders import whole
from duelbench.errors import InputError


def slice_(
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="The figure (.png, .pdf or .svg); a .csv goes beside it."),
    ],
    steps: Annotated[
        int, typer.Option(parser=whole(1, 1000), metavar="N", help="Along each side of the map: how fine it is.")
    ] = 240,
    title: Annotated[str | None, typer.Option(help="Title of the figure.")] = None,
) -> None:
    """Draw which of three arms wins, by Borda and by Copeland.

    \b
    Example:
      duelbench matrix slice -o slice.png

    The map shows all matrices of three arms in which p_01 + p_02 + p_12 = 1.
    """
    from duelbench.api.drawing import spare_other_data
    from duelbench.cli.pictures import write_files
    from duelbench.figures.drawing.canvas import FORMATS, font_notes, render
    from duelbench.figures.drawing.slice_figure import plotted_numbers, slice_figure
    from duelbench.version import VERSION

    form = output.suffix.lower().removeprefix(".")
    if form not in FORMATS or output.is_dir():
        raise InputError(f"--output {output}: name a file that ends with one of .png, .pdf, .svg")
    spare_other_data(output)
    about = {
        "title": title or "Winners of three arms",
        "description": f"p_01 + p_02 + p_12 = 1, {steps} steps; duelbench {VERSION}",
    }
    figure = slice_figure(steps, title)
    files = {output: render(figure, form, about), output.with_suffix(".csv"): plotted_numbers(steps).encode()}
    write_files(files, font_notes(figure) if form != "svg" else [])
