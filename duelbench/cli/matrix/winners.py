"""``duelbench matrix winners``: winners of random parts of a matrix."""

from pathlib import Path
from typing import Annotated

import typer

from duelbench.cli.completion import candidates
from duelbench.cli.folders import whole
from duelbench.cli.matrix.output import parse_seed
from duelbench.errors import InputError

MAX_DRAWS = 10**6
MOST_ARMS = 10
"""Of a set, where nothing else is asked for."""


def winners(
    matrices: Annotated[
        list[str],
        typer.Argument(
            metavar="MATRIX",
            help="Matrix files, names such as cyclic, or fetched data such as mslr-informational.",
            autocompletion=candidates.matrices,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="The figure (.png, .pdf or .svg); a .csv goes beside it."),
    ],
    sizes: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Arms of a set: numbers and ranges, as in 3-10,16,32.",
            show_default="2-10, or as far as the matrix goes",
        ),
    ] = None,
    draws: Annotated[
        int, typer.Option(parser=whole(1, MAX_DRAWS), metavar="N", help="Random sets of each size.")
    ] = 1000,
    seed: Annotated[str, typer.Option(metavar="N", help="Which sets.")] = "0",
    title: Annotated[str | None, typer.Option(help="Title of the figure.")] = None,
) -> None:
    """Draw who wins in random sets of a matrix's arms.

    \b
    Examples:
      duelbench matrix winners matrices/sushi16.csv --sizes 3-6 -o winners.png
      duelbench matrix winners mslr-informational --sizes 3-10 -o winners.png

    The figure says how often a set has a Condorcet winner, how many Copeland winners, and what other notions of winning
    say.
    """
    from duelbench.api.drawing import spare_other_data
    from duelbench.cli.pictures import write_files
    from duelbench.figures.drawing.canvas import FORMATS, font_notes, render
    from duelbench.figures.drawing.winner_figure import plotted_numbers, winner_figure
    from duelbench.problem.preferences import PreferenceMatrix
    from duelbench.problem.sources.datasets import is_dataset
    from duelbench.problem.sources.importing import load_dataset
    from duelbench.problem.winner_study import study
    from duelbench.version import VERSION

    form = output.suffix.lower().removeprefix(".")
    if form not in FORMATS or output.is_dir():
        raise InputError(f"--output {output}: name a file that ends with one of .png, .pdf, .svg")
    spare_other_data(output)
    asked = None if sizes is None else _sizes(sizes)
    number = parse_seed(seed)
    loaded = {
        Path(name).stem: load_dataset(name) if is_dataset(name) else PreferenceMatrix.load(name) for name in matrices
    }
    if len(loaded) < len(matrices):
        raise InputError("two of the matrices have the same name; rename a file")
    studies = {
        name: study(matrix, asked or range(2, min(MOST_ARMS, matrix.n_arms) + 1), draws, number)
        for name, matrix in loaded.items()
    }
    hashes = ", ".join(f"{name} (SHA-256 {matrix.sha256})" for name, matrix in loaded.items())
    about = {
        "title": title or "Winners of random sets of arms",
        "description": f"sets drawn with seed {number} from {hashes}; duelbench {VERSION}",
    }
    figure = winner_figure(studies, title)
    files = {output: render(figure, form, about), output.with_suffix(".csv"): plotted_numbers(studies).encode()}
    write_files(files, font_notes(figure) if form != "svg" else [])


def _sizes(text: str) -> list[int]:
    """The sizes that ``--sizes`` names, increasing, each once."""
    from duelbench.problem.sources.importing import parse_arms

    try:
        if text[:1].isdigit():  # and not the name of a published set
            return sorted(set(parse_arms(text)))
    except InputError:
        pass
    raise InputError(f"--sizes {text}: write numbers and ranges with commas, the smaller number first: 3-10,16,32")
