"""``duelbench show``: the facts of a preference matrix, or of the worlds of a spec."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from duelbench.cli.options import Json
from duelbench.cli.printing import tell, tell_notes
from duelbench.cli.streams import say, say_json
from duelbench.errors import InputError

if TYPE_CHECKING:
    from duelbench.bandits.problem.preferences import PreferenceMatrix

MANY_ARMS = 100
"""For matrices with at least this many arms, a message says that bounds are being computed."""


def show(
    matrix: Annotated[
        str,
        typer.Argument(
            metavar="MATRIX",
            help="Matrix file (CSV, white-space text, .npy or .npz), log of a live session, name of a matrix that"
            " comes with duelbench, or spec (.yaml) with a world that changes.",
        ),
    ],
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a heat map to FILE (.png, .pdf or .svg).")
    ] = None,
    bounds: Annotated[
        bool, typer.Option("--bounds", help="Also print the constants C of asymptotic bounds C ln T on regret.")
    ] = False,
    json: Json = False,
) -> None:
    """Show the winners, scores and gaps of a preference matrix.

    For a spec with worlds that change, show the segments and their winners.

    \b
    Examples:
      duelbench show cyclic
      duelbench show matrices/cyclic.csv --bounds --plot cyclic.png
    """
    from duelbench.bandits.problem.preferences import PreferenceMatrix
    from duelbench.cli.matrix import describing

    if matrix.lower().endswith((".yaml", ".yml")):
        if plot is not None or bounds:
            raise InputError(f"--plot and --bounds are for one matrix, and {matrix} is a spec; remove them")
        worlds = describing.worlds_of(matrix)
        if json:
            say_json({"worlds": [facts for facts, _ in worlds]})
        else:
            say("\n\n".join("\n".join(describing.lines_of_world(*world)) for world in worlds))
        return
    file_format = _format(plot)
    loaded = _of_log(Path(matrix)) or PreferenceMatrix.load(matrix)
    if plot is not None:
        _write_heat_map(loaded, plot, file_format)
    if bounds and loaded.n_arms >= MANY_ARMS:
        tell(f"computing the bounds of {loaded.n_arms} arms ...")
    computed = describing.bounds_of(loaded) if bounds else {}
    if json:
        more = {"bounds": describing.bound_facts(computed)} if bounds else {}
        say_json({**describing.facts_of(loaded), **more})
    else:
        below = ["", *describing.lines_of_bounds(loaded, computed)] if bounds else []
        say("\n".join([*describing.lines_of_matrix(loaded), *below]))


def _of_log(path: Path) -> "PreferenceMatrix | None":
    """The matrix of frequencies in the log of a live session, unanswered pairs as ties; None for another file."""
    from duelbench.data.importing import import_matrix
    from duelbench.data.session_log import is_log

    if not is_log(path):
        return None
    imported = import_matrix(path, missing="half")
    tell_notes(imported.notes)
    return imported.matrix


def _format(plot: Path | None) -> str:
    """The format of a heat map, by the ending of its file."""
    from duelbench.experiments.figures.drawing.canvas import FORMATS

    file_format = "" if plot is None else plot.suffix.lower().removeprefix(".")
    if plot is not None and file_format not in FORMATS:
        endings = ", ".join(f".{known}" for known in FORMATS)
        raise InputError(f"--plot {plot}: the name must end with one of {endings}")
    return file_format


def _write_heat_map(matrix: "PreferenceMatrix", plot: Path, file_format: str) -> None:
    from duelbench.common.atomic import write_asked
    from duelbench.experiments.figures.drawing.canvas import font_notes, render
    from duelbench.experiments.figures.drawing.heat_map import heat_map

    title = Path(matrix.source).stem if matrix.source else "preference matrix"
    provenance = {"title": title, "description": f"Preference matrix, SHA-256 {matrix.sha256}"}
    figure = heat_map(matrix, title)
    write_asked(plot, render(figure, file_format, provenance), f"--plot {plot}:")
    tell_notes(font_notes(figure) if file_format != "svg" else [])
    tell(f"wrote {plot}")
