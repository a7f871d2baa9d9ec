"""What commands share: where results are (folders as named, or those of the specs that are), and numbers of options."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from duelbench.errors import InputError

if TYPE_CHECKING:
    from duelbench.results.experiments import Incomplete
    from duelbench.results.manifest import Results as Opened
    from duelbench.spec.experiment_spec import ExperimentSpec

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


def results_at(
    paths: Sequence[Path], out: Path = USUAL, scale: str | None = None, plug_in: Sequence[str] = ()
) -> "tuple[list[Opened], Incomplete]":
    """The results that the command line names, each once, and those whose manifest is damaged.

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
    from duelbench.results.experiments import open_all
    from duelbench.spec.load import load

    specs = [path for path in paths if path.suffix in SPEC_ENDINGS and not path.is_dir()]
    for option, is_given in (("--scale", scale is not None), ("--out", out != USUAL)):
        if is_given and not specs:
            raise InputError(f"{option}: is about the results of a spec, but {', '.join(map(str, paths))} is none")
    for name in plug_in:
        load_plug_in(name)
    asked = {path: load(path, scale) for path in specs}
    opened, damaged = open_all([_folder_of(asked[path], path, out) if path in asked else path for path in paths])
    for path, spec in asked.items():
        for results in opened:
            if results.folder.resolve() == (out / spec.name).resolve():
                _note_changes(path, spec, results)
    return opened, damaged


def _folder_of(spec: "ExperimentSpec", path: Path, out: Path) -> Path:
    folder = out / spec.name
    if not folder.is_dir():
        raise InputError(f"{path}: there is no folder {folder} with its results; `duelbench run` it first")
    return folder


def _note_changes(path: Path, spec: "ExperimentSpec", results: "Opened") -> None:
    """Say which keys of a spec the results are not of; fewer runs than there are is no change."""
    from duelbench.results.manifest import changed_keys

    changed = [key for key in changed_keys(results.spec, spec) if key != "runs" or spec.runs > results.spec["runs"]]
    if changed:
        typer.echo(
            f"note: {path}: {', '.join(changed)} changed since {results.folder} was made; these are the old results:"
            " `duelbench run` brings them up to date",
            err=True,
        )


def whole_rounds(option: str, text: str) -> int:
    """The number of rounds that an option gives, written as in specs.

    Examples
    --------
    >>> whole_rounds("--horizon", "1e3")
    1000
    """
    from duelbench.spec.kinds import Whole
    from duelbench.spec.yaml_source import Scalar

    try:
        return Whole(1, 2**62, "rounds").parse(Scalar(text))
    except ValueError as error:
        raise InputError(f"{option}: {error}") from None


def whole(low: int, high: int = 2**63 - 1, unit: str = "") -> Callable[[str | int], int]:
    """A parser for options: whole numbers as in specs, 1e3 and 1_000 included, from ``low`` to ``high``.

    ``unit`` is what they count.

    Examples
    --------
    >>> whole(1, 10**6, "runs")("1e2")
    100
    """

    def parse(text: str | int) -> int:
        from duelbench.spec.kinds import Whole
        from duelbench.spec.yaml_source import Scalar

        try:
            return Whole(low, high, unit).parse(Scalar(text))
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None

    return parse
