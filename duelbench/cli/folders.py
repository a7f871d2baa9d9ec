"""Where results are: folders as named on the command line, or those of the specs that are."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from duelbench.errors import InputError

SPEC_ENDINGS = (".yaml", ".yml")
USUAL = Path("results")

Results = Annotated[
    list[Path],
    typer.Argument(
        metavar="RESULTS...", help="Results folders, a folder of several (results/), or the specs they came from."
    ),
]
Out = Annotated[Path, typer.Option("--out", metavar="DIR", help="Where the results of a spec are.")]
PlugIn = Annotated[
    list[str] | None,
    typer.Option(
        "--plug-in",
        metavar="FILE",
        help="Load the algorithms in a .py file or a module, as `run` does; repeat for more.",
    ),
]
Scale = Annotated[str | None, typer.Option(metavar="NAME", help="The size at which the specs were run, such as quick.")]


def folders_of(
    paths: Sequence[Path], out: Path = USUAL, scale: str | None = None, plug_in: Sequence[str] = ()
) -> list[Path]:
    """The results folders that the command line names, each once.

    Parameters
    ----------
    paths : sequence of Path
        Results folders, folders of such, or specs.
    out : Path
        Where the results of specs are.
    scale : str, optional
        The scale at which specs were run.
    plug_in : sequence of str
        What to load before specs are read.

    Raises
    ------
    InputError
        When there are no results at one of them, or a spec is wrong; or when there is no spec for a scale or a place.
    """
    from duelbench.algorithms.registry import load_plug_in
    from duelbench.results.manifest import find_experiments

    specs = [path for path in paths if path.suffix in SPEC_ENDINGS and not path.is_dir()]
    for option, is_given in (("--scale", scale is not None), ("--out", out != USUAL)):
        if is_given and not specs:
            raise InputError(f"{option}: is about the results of a spec, but {', '.join(map(str, paths))} is none")
    for name in plug_in:
        load_plug_in(name)
    folders = []
    for path in paths:
        place = _folder_of(path, out, scale) if path in specs else path
        folders += [folder for folder in find_experiments(place) if folder not in folders]
    return folders


def _folder_of(spec: Path, out: Path, scale: str | None) -> Path:
    from duelbench.spec.load import load

    folder = out / load(spec, scale).name
    if not folder.is_dir():
        raise InputError(f"{spec}: there is no folder {folder} with its results; `duelbench run` it first")
    return folder
