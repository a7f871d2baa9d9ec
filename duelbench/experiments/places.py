"""Finds the results in folders, and those of specs in the default folder."""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import yaml

from duelbench.bandits.algorithms.registry import load_plug_in
from duelbench.common.shipped import is_spec, spec_file
from duelbench.errors import InputError
from duelbench.experiments.execution.interim import plan_of
from duelbench.experiments.results.experiments import Incomplete, open_all
from duelbench.experiments.results.manifest import FILE, SHOWN_ONLY, Results, changed_keys
from duelbench.experiments.spec.experiment_spec import ExperimentSpec
from duelbench.experiments.spec.load import load

USUAL = Path("results")
"""The default folder of results."""


def is_of_spec(path: Path) -> bool:
    """Whether a path ends like a spec, or names one that comes with duelbench."""
    return path.suffix in (".yaml", ".yml") or is_spec(path)


def say_note(note: str) -> None:
    """Print a note on standard error."""
    print(f"note: {note}", file=sys.stderr)


def results_at(
    paths: Sequence[Path],
    plug_in: Sequence[str] = (),
    say: Callable[[str], object] = say_note,
) -> tuple[list[Results], Incomplete]:
    """The results at ``paths``, and those that cannot be read.

    A path is a results folder, a folder of several, or a spec, whose results are in the default folder. ``say`` prints
    which keys of a spec have changed since it was run.

    Raises
    ------
    InputError
        When a path has no results, or a spec is wrong.
    """
    for name in plug_in:
        load_plug_in(name)
    specs = _specs(paths)
    opened, damaged = open_all([_folder_of(specs[path], path) if path in specs else path for path in paths])
    for path, spec in specs.items():
        for results in opened:
            if results.folder.resolve() == (USUAL / spec.name).resolve():
                _note_changes(path, spec, results, say)
    return opened, damaged


def _specs(paths: Sequence[Path]) -> dict[Path, ExperimentSpec]:
    return {path: load(path) for path in paths if is_of_spec(path) and not path.is_dir()}


def still_to_run(paths: Sequence[Path], folders: Sequence[Path]) -> dict[Path, int]:
    """The number of runs that results lack, for those of ``folders`` whose spec is among ``paths``."""
    todo = {}
    for spec in _specs(paths).values():
        for folder in folders:
            if folder.resolve() == (USUAL / spec.name).resolve():
                todo[folder] = plan_of(spec, folder).n_todo
    return todo


def run_arguments(
    spec: str | os.PathLike[str],
    scale: str | None,
    runs: int | None,
    plug_in: Sequence[str],
    out: Path,
    run_timeout: float | None = None,
) -> list[str]:
    """The arguments with which ``duelbench`` runs a spec.

    Examples
    --------
    >>> run_arguments("my spec.yaml", None, 7, (), Path("results"))
    ['run', 'my spec.yaml', '--runs', '7']
    """
    words = ["run", os.fspath(spec)]
    if scale:
        words += ["--scale", scale]
    if runs:
        words += ["--runs", str(runs)]
    for name in plug_in:
        words += ["--plug-in", name]
    if out != USUAL:
        words += ["-o", str(out)]
    if run_timeout is not None:
        words += ["--run-timeout", f"{run_timeout:g}"]
    return words


def _folder_of(spec: ExperimentSpec, path: Path) -> Path:
    """The results folder of a spec. If there is none, raise an error that names the results of a scale, if any."""
    folder = USUAL / spec.name
    if folder.is_dir():
        return folder
    hint = ""
    for scale in yaml.safe_load(spec_file(path).read_text(encoding="utf-8")).get("scales") or {}:
        scale_folder = USUAL / f"{spec.name}-{scale}"
        if (scale_folder / FILE).is_file():
            hint = f" name {scale_folder}, the results of a scale, or"
            break
    raise InputError(f"{path}: there is no folder {folder} with its results;{hint} `duelbench run` it first")


def _note_changes(path: Path, spec: ExperimentSpec, results: Results, say: Callable[[str], object]) -> None:
    """Say which keys of a spec have changed since its results were made; a smaller number of runs is not a change."""
    fewest = min((cell.n_runs for cell in results.cells), default=0)
    changed = [key for key in changed_keys(results.content, spec) if key != "runs" or spec.most_runs > fewest]
    if not changed:
        return
    old = "these are the old results: `duelbench run` brings them up to date"
    if SHOWN_ONLY.issuperset(changed):
        old = "the results are the same, but figures show the old: `duelbench run` and then `duelbench plot` renew them"
    say(f"{path}: {', '.join(changed)} changed since {results.folder} was made; {old}")
