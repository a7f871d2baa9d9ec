"""Where results are: folders as named, or those of the specs that are."""

import os
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import yaml

from duelbench.algorithms.registry import load_plug_in
from duelbench.errors import InputError
from duelbench.execution.interim import plan_of
from duelbench.results.experiments import Incomplete, open_all
from duelbench.results.manifest import FILE, Results, changed_keys
from duelbench.shipped import is_spec, spec_file
from duelbench.spec.experiment_spec import ExperimentSpec
from duelbench.spec.load import load

USUAL = Path("results")


def is_of_spec(path: Path) -> bool:
    """Whether a path looks like a spec, or is the name of one that comes with duelbench."""
    return path.suffix in (".yaml", ".yml") or is_spec(path)


def say_note(note: str) -> None:
    """Print a note on standard error."""
    print(f"note: {note}", file=sys.stderr)


def results_at(
    paths: Sequence[Path],
    plug_in: Sequence[str] = (),
    say: Callable[[str], object] = say_note,
) -> tuple[list[Results], Incomplete]:
    """The results in folders, in folders of such, or of specs in the usual folder; and those that cannot be read.

    ``say`` prints which keys of a spec have changed since it was run.

    Raises
    ------
    InputError
        When there are no results at one of the places, or a spec is wrong.
    """
    for name in plug_in:
        load_plug_in(name)
    asked = {path: load(path) for path in _specs(paths)}
    opened, damaged = open_all([_folder_of(asked[path], path) if path in asked else path for path in paths])
    for path, spec in asked.items():
        for results in opened:
            if results.folder.resolve() == (USUAL / spec.name).resolve():
                _note_changes(path, spec, results, say)
    return opened, damaged


def _specs(paths: Sequence[Path]) -> list[Path]:
    return [path for path in paths if is_of_spec(path) and not path.is_dir()]


def still_to_run(paths: Sequence[Path], folders: Sequence[Path], out: Path, scale: str | None) -> dict[Path, int]:
    """How many runs the specs among ``paths`` ask for that their results, of ``folders``, lack: by folder."""
    known = {folder.resolve(): folder for folder in folders}
    specs = [load(path, scale) for path in _specs(paths)]
    found = {(out / spec.name).resolve(): spec for spec in specs}
    return {known[at]: plan_of(spec, known[at]).n_todo for at, spec in found.items() if at in known}


def run_command(
    spec: str | os.PathLike[str], scale: str | None, runs: int | None, plug_in: Sequence[str], out: Path
) -> str:
    """The command that runs a spec, for a shell.

    Examples
    --------
    >>> run_command("my spec.yaml", None, 7, (), Path("results"))
    "duelbench run 'my spec.yaml' --runs 7"
    """
    options = [*(["--scale", scale] if scale else []), *(["--runs", str(runs)] if runs else [])]
    options += [word for name in plug_in for word in ("--plug-in", name)]
    options += ["-o", str(out)] if out != USUAL else []
    return shlex.join(["duelbench", "run", os.fspath(spec), *options])


def _folder_of(spec: ExperimentSpec, path: Path) -> Path:
    folder = USUAL / spec.name
    if not folder.is_dir():
        scales = _scales_played(spec, path)
        of_scale = f" name {USUAL / f'{spec.name}-{scales[0]}'}, the results of a scale, or" if scales else ""
        raise InputError(f"{path}: there is no folder {folder} with its results;{of_scale} `duelbench run` it first")
    return folder


def _scales_played(spec: ExperimentSpec, path: Path) -> list[str]:
    """The scales of a spec that have results."""
    known = yaml.safe_load(spec_file(path).read_text(encoding="utf-8")).get("scales") or {}
    return [scale for scale in known if (USUAL / f"{spec.name}-{scale}" / FILE).is_file()]


def _note_changes(path: Path, spec: ExperimentSpec, results: Results, say: Callable[[str], object]) -> None:
    """Say which keys of a spec the results are not of; fewer runs than there are is no change."""
    fewest = min((cell.n_runs for cell in results.cells), default=0)
    changed = [key for key in changed_keys(results.content, spec) if key != "runs" or spec.most_runs > fewest]
    if changed:
        say(
            f"{path}: {', '.join(changed)} changed since {results.folder} was made; these are the old results:"
            " `duelbench run` brings them up to date"
        )
