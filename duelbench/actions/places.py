"""Where results are: folders as named, or those of the specs that are."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from duelbench.algorithms.registry import load_plug_in
from duelbench.errors import InputError
from duelbench.results.experiments import Incomplete, open_all
from duelbench.results.manifest import Results, changed_keys
from duelbench.shipped import is_spec
from duelbench.spec.experiment_spec import ExperimentSpec
from duelbench.spec.load import load

USUAL = Path("results")


def is_of_spec(path: Path) -> bool:
    """Whether a path looks like a spec, or is the name of one that comes with duelbench.

    Examples
    --------
    >>> is_of_spec(Path("first.yaml")), is_of_spec(Path("paper:wu2016/1a")), is_of_spec(Path("results/first"))
    (True, True, False)
    """
    return path.suffix in (".yaml", ".yml") or is_spec(path)


def _tell(note: str) -> None:
    print(f"note: {note}", file=sys.stderr)


def results_at(
    paths: Sequence[Path],
    out: Path = USUAL,
    scale: str | None = None,
    plug_in: Sequence[str] = (),
    say: Callable[[str], None] = _tell,
) -> tuple[list[Results], Incomplete]:
    """The results at some places, each once, and those whose manifest is damaged.

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
    say : callable
        Is told which keys of a spec have changed since it was run.

    Raises
    ------
    InputError
        When there are no results at one of them, or a spec is wrong; or when there is no spec for a scale or a place.
    """
    specs = [path for path in paths if is_of_spec(path) and not path.is_dir()]
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
                _note_changes(path, spec, results, say)
    return opened, damaged


def _folder_of(spec: ExperimentSpec, path: Path, out: Path) -> Path:
    folder = out / spec.name
    if not folder.is_dir():
        raise InputError(f"{path}: there is no folder {folder} with its results; `duelbench run` it first")
    return folder


def _note_changes(path: Path, spec: ExperimentSpec, results: Results, say: Callable[[str], None]) -> None:
    """Say which keys of a spec the results are not of; fewer runs than there are is no change."""
    changed = [key for key in changed_keys(results.content, spec) if key != "runs" or spec.runs > results.spec["runs"]]
    if changed:
        say(
            f"{path}: {', '.join(changed)} changed since {results.folder} was made; these are the old results:"
            " `duelbench run` brings them up to date"
        )
