"""Merges results folders of one experiment: of shards, of several machines, of an interrupted run.

Everything is read first, and nothing is written if the folders contradict each other. The merged folders stay as they
are. You can repeat an interrupted merge.
"""

import contextlib
import itertools
import os
import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from duelbench.common import atomic
from duelbench.common.words import counted, first_few
from duelbench.errors import FULL_DISK, InputError, RunsFailed
from duelbench.experiments.execution.progress import Waiting
from duelbench.experiments.places import run_arguments
from duelbench.experiments.results import failures, run_files
from duelbench.experiments.results.cells import run_file
from duelbench.experiments.results.identity import differences
from duelbench.experiments.results.manifest import (
    FILE,
    Results,
    find_experiments,
    open_results,
    spec_called,
    write_copy,
)
from duelbench.experiments.results.status import Status, status_of
from duelbench.experiments.results.store import DamagedResult, read_key, read_run, sealed_key
from duelbench.experiments.spec.load import load
from duelbench.experiments.verifying import differing

SHOWN = 3
"""Most contradictions and damaged files that are listed."""


@dataclass
class Merged:
    """The result of a merge."""

    status: Status  # of the merged folder
    n_before: int  # runs that it had before
    n_from: dict[Path, int]  # folder -> runs that were copied from it
    notes: list[str]
    command: str  # runs what is missing


@dataclass
class _Sources:
    """The results folders of an experiment, and the files in them."""

    group: list[Results]
    target: Path
    merged: Results  # the manifest of the merged folder
    files: dict[str, list[Path]] = field(default_factory=dict)  # key -> all files with this run
    first_folder: dict[str, Path] = field(default_factory=dict)  # key -> the first folder with this run
    damaged: list[DamagedResult] = field(default_factory=list)
    unknown: Counter[Path] = field(default_factory=Counter)  # folder -> runs that are not in the manifest
    twins: list[tuple[Path, Path]] = field(default_factory=list)  # files of a run with the same numbers
    conflicts: list[tuple[Path, Path]] = field(default_factory=list)  # files of a run with different numbers

    def places(self, folder: Path) -> dict[str, list[Path]]:
        """The paths of all runs in a results folder, by key."""
        paths: dict[str, list[Path]] = {}
        for cell in self.merged.cells:
            cell_folder = folder / cell.folder.relative_to(self.merged.folder)
            for run, key in enumerate(cell.identity.keys(range(cell.n_runs))):
                paths.setdefault(key, []).append(cell_folder / run_file(run))
        return paths


def merge(
    folders: Sequence[str | os.PathLike[str]], out: str | os.PathLike[str] = "results", *, quiet: bool = False
) -> list[Merged]:
    """Merge results folders of the same experiment into one, ``<out>/<name of the experiment>``.

    Runs are identified by their keys, wherever they are in a folder, and copied unchanged. Runs that are already in
    ``out`` take part. Records of failed runs are copied, unless another folder has the run. Each of ``folders`` is a
    results folder, or a folder of several; each experiment is merged separately. Standard error says what takes long,
    unless ``quiet``.

    Raises
    ------
    InputError
        When a folder has no results, folders with one name have different experiments, or two folders have different
        numbers for a run. Then nothing is written.
    IncompleteResults
        When a manifest is damaged.
    RunsFailed
        When the disk is full; the same call continues.
    """
    groups: dict[str, dict[Path, Results]] = {}
    for folder in itertools.chain.from_iterable(find_experiments(Path(path)) for path in folders):
        results = open_results(folder)
        target = Path(out, results.name)
        group = groups.setdefault(results.name, {})
        if not group and (target / FILE).exists():
            group[target.resolve()] = open_results(target)
        group.setdefault(folder.resolve(), results)
    paths_of = {
        results.folder: [*run_files.all_of(results.folder)] for group in groups.values() for results in group.values()
    }
    total = sum(map(len, paths_of.values()))
    with contextlib.closing(Waiting(quiet=quiet)) as waiting:
        all_sources = []
        for name, group in groups.items():
            count = partial(waiting.reading, total, name)
            all_sources.append(_read([*group.values()], Path(out, name), paths_of, count))
        return [_write(sources, waiting) for sources in all_sources]


def _read(
    group: list[Results], target: Path, paths_of: Mapping[Path, list[Path]], count: Callable[[], None]
) -> _Sources:
    """Read all files, ``count`` each, and refuse contradictions; ``paths_of`` has the files of each folder."""
    for results in group[1:]:
        if difference := _difference(group[0], results):
            raise InputError(
                f"{group[0].folder} and {results.folder} are not of the same experiment: {difference}; merge them into"
                " different folders, or give one of the specs another name"
            )
    sources = _Sources(group, target, merged=max(group, key=lambda results: results.spec["runs"]))
    places = sources.places(target)
    for results in group:
        for path in paths_of[results.folder]:
            count()
            try:
                key = read_key(path)
            except DamagedResult as error:
                sources.damaged.append(error)
                continue
            if key not in places:
                sources.unknown[results.folder] += 1
                continue
            files = sources.files.setdefault(key, [])
            sources.first_folder.setdefault(key, results.folder)
            if files and files[0].read_bytes() != path.read_bytes():
                if differing(read_run(files[0]).trace, read_run(path).trace):
                    sources.conflicts.append((files[0], path))
                else:
                    sources.twins.append((files[0], path))
            files.append(path)
    if sources.conflicts:
        raise InputError(_conflicts_in_words(sources.conflicts))
    return sources


def _difference(first: Results, second: Results) -> str | None:
    """What differs between two experiments, in words; numbers of runs, labels and titles may differ."""
    first_cells = {cell.identity.key(0): cell for cell in first.cells}
    second_cells = {cell.identity.key(0): cell for cell in second.cells}
    for key, cell in first_cells.items():
        if key in second_cells:
            continue
        for similar in second_cells.values():
            if (similar.problem, similar.label) == (cell.problem, cell.label):
                return f"{cell.name}: {', '.join(differences(cell.identity, similar.identity))}"
        return f"only {first.folder} has {cell.name} to round {cell.horizon}"
    for key, cell in second_cells.items():
        if key not in first_cells:
            return f"only {second.folder} has {cell.name} to round {cell.horizon}"
    return None


def _conflicts_in_words(conflicts: list[tuple[Path, Path]]) -> str:
    """Describe the first conflicts, and how to solve them."""
    runs = "1 run is" if len(conflicts) == 1 else f"{len(conflicts)} runs are"
    lines = [f"{runs} stored twice with different numbers; nothing was written:"]
    for pair in conflicts[:SHOWN]:
        first, second = (read_run(path).environment for path in pair)
        names = [name for name in {**first, **second} if first.get(name) != second.get(name)]
        for path, environment in zip(pair, (first, second), strict=True):
            values = ", ".join(f"{name} {environment.get(name)}" for name in names) or "the same environment"
            lines.append(f"  {path}  ({values})")
    if len(conflicts) > SHOWN:
        lines.append(f"  and {len(conflicts) - SHOWN} more")
    lines.append(
        "move one of two such files away, or leave one folder out; duelbench.rerun(FILE), in Python, runs it again"
    )
    return "\n".join(lines)


def _write(sources: _Sources, waiting: Waiting) -> Merged:
    target = sources.target
    try:
        target.mkdir(parents=True, exist_ok=True)
        atomic.sweep(target)
        write_copy(sources.merged, target)
        copied, n_before, n_from = _copy_runs(sources, waiting)
        _copy_failures(sources, copied)
    except OSError as error:
        kind = RunsFailed if error.errno in FULL_DISK else InputError
        raise kind(
            f"cannot write results: {error.strerror or error}: {error.filename or target}; fix that and repeat the"
            " command"
        ) from None
    waiting.doing(f"checking {target}")
    status = status_of(open_results(target))
    return Merged(status, n_before, n_from, _notes(sources), _command(sources.merged, target.parent))


def _copy_runs(sources: _Sources, waiting: Waiting) -> tuple[set[str], int, dict[Path, int]]:
    """Copy the runs to the target: the keys of its runs, how many it had before, and how many come from each folder."""
    target, places = sources.target, sources.places(sources.target)
    keys: set[str] = set()
    n_before, n_from = 0, Counter[Path]()
    misplaced: set[Path] = set()  # files in the target that are copied to another place in it
    with contextlib.closing(atomic.Background()) as files:
        for key, paths in sources.files.items():
            waiting.still(f"copying runs to {target}")
            source, content = _content(key, [*paths, run_files.aside(target, key)])
            if source is None:
                continue  # it has changed since, and counts as missing
            keys.add(key)
            for path in places[key]:
                if _is_in_place(path, key, target):
                    n_before += 1
                    continue
                files.write(path, content)
                n_from[sources.first_folder[key]] += 1
                if source.is_relative_to(target):
                    misplaced.add(source)
    for error in files.failed.values():
        raise error
    cell_folders = {path.parent for paths in places.values() for path in paths}
    run_files.remove((path for path in misplaced if path.parent not in cell_folders), target)
    return keys, n_before, dict(n_from)


def _content(key: str, paths: Sequence[Path]) -> tuple[Path | None, bytes]:
    """The first file that still holds a run, and its content: others may have been moved meanwhile."""
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            content = path.read_bytes()
            if sealed_key(content) == key:
                return path, content
    return None, b""


def _is_in_place(path: Path, key: str, target: Path) -> bool:
    """Whether a run is in its place; set aside any other file there."""
    if not os.path.lexists(path):
        return False
    try:
        present = read_key(path)
    except DamagedResult:
        run_files.put_away(path, target)
        return False
    if present != key:
        run_files.move(path, run_files.aside(target, present))
    return present == key


def _copy_failures(sources: _Sources, keys: Set[str]) -> None:
    """Copy the records of runs that no folder has, and remove those of the runs ``keys``."""
    places = sources.places(sources.target / failures.FOLDER)
    records = failures.read(sources.target)
    run_files.remove((record.path for key, record in records.items() if key in keys), sources.target)
    for results in sources.group:
        for key, record in failures.read(results.folder).items():
            if key in places and key not in keys and key not in records:
                atomic.write(places[key][-1].with_suffix(".json"), atomic.read(record.path, failures.MAX_BYTES))
                records[key] = record


def _notes(sources: _Sources) -> list[str]:
    merged = sources.merged
    notes = [
        f"{results.folder} is of {results.spec['runs']} runs of each algorithm; {merged.folder} has"
        f" {merged.spec['runs']}"
        for results in sources.group
        if results.spec["runs"] != merged.spec["runs"]
    ]
    damaged = [f"damaged, and left out: {error.path} ({error.reason})" for error in sources.damaged]
    notes += first_few(damaged, SHOWN, "{} more files are damaged, and left out")
    for folder, count in sources.unknown.items():
        notes.append(f"{folder}: {counted(count, 'run')} not in the manifest, and not copied")
    if sources.twins:
        used, left_out = sources.twins[0]
        runs = f"{len(sources.twins)} runs were" if len(sources.twins) > 1 else "1 run was"
        notes.append(f"{runs} made in two environments, with the same numbers: {used} is used, not {left_out}")
    return notes


def _command(results: Results, out: Path) -> str:
    """The command that runs what is missing."""
    source = spec_called(results.folder, results.content)
    plug_in = ["FILE"] if any(cell.identity.code for cell in results.cells) else []
    scale, runs = None, None
    with contextlib.suppress(InputError):  # the spec needs a plug-in
        spec = load(source) if source else None
        if spec and results.name.startswith(f"{spec.name}-"):
            scale = results.name.removeprefix(f"{spec.name}-")
            spec = load(source, scale) if source else None
        if spec and spec.runs != results.spec["runs"]:
            runs = results.spec["runs"]
    return shlex.join(["duelbench", *run_arguments(source or "SPEC", scale, runs, plug_in, out)])
