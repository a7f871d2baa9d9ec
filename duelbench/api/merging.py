"""Results folders of one experiment put together: of shards, of several machines, of one that was interrupted.

First everything is read, and nothing is written where the folders contradict each other. The folders that are
merged are never changed; an interrupted merge can be repeated, and continues.
"""

import contextlib
import os
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path

from duelbench.api.places import run_command
from duelbench.api.verifying import differing
from duelbench.errors import FULL_DISK, InputError, RunsFailed
from duelbench.results import atomic, failures, run_files
from duelbench.results.cells import run_file
from duelbench.results.identity import differences
from duelbench.results.manifest import (
    FILE,
    Results,
    find_experiments,
    open_results,
    spec_called,
    write_copy,
)
from duelbench.results.status import Status, status_of
from duelbench.results.store import DamagedResult, read_key, read_run, sealed_key
from duelbench.spec.load import load

SHOWN = 3
"""Contradictions that are listed."""


@dataclass
class Merged:
    """What became of a merge."""

    status: Status  # of the folder in which everything is now
    n_before: int  # runs that were there before
    n_from: dict[Path, int]  # how many runs each folder has given
    notes: list[str]
    command: str  # runs what is missing


@dataclass
class _Found:
    """The folders of an experiment, and the runs that were found in them."""

    group: list[Results]
    target: Path
    whole: Results  # the manifest of the merged folder
    files: dict[str, list[Path]] = field(default_factory=dict)  # key -> all files that hold it
    owner: dict[str, Path] = field(default_factory=dict)  # key -> the first folder that has it
    damaged: list[DamagedResult] = field(default_factory=list)
    others: Counter[Path] = field(default_factory=Counter)  # runs in each folder that the manifest does not ask for
    twins: list[tuple[Path, Path]] = field(default_factory=list)  # two files of a run with the same numbers
    conflicts: list[tuple[Path, Path]] = field(default_factory=list)  # and with other numbers

    def places(self, folder: Path) -> dict[str, list[Path]]:
        """Where the runs lie in a results folder: key -> paths."""
        found: dict[str, list[Path]] = {}
        for cell in self.whole.cells:
            for run, key in enumerate(cell.identity.keys(range(cell.n_runs))):
                found.setdefault(key, []).append(folder / cell.folder.relative_to(self.whole.folder) / run_file(run))
        return found


def merge(folders: Sequence[str | os.PathLike[str]], out: str | os.PathLike[str] = "results") -> list[Merged]:
    """Put the runs of results folders of the same experiment into one, ``<out>/<name of the experiment>``.

    A run is what its key says, wherever in its folder it lies; its bytes are copied as they are. What is in ``out``
    already takes part. Records of failed runs are copied, unless another folder has the run. Each of ``folders`` is a
    results folder, or a folder of several; each experiment is merged on its own.

    Raises
    ------
    InputError
        When a folder holds no results; when folders of one name differ in what is run; when two of them have other
        numbers for the same run. Nothing was written then.
    IncompleteResults
        When a manifest is damaged.
    RunsFailed
        When the disk is full; the same call continues.
    """
    named = [experiment for folder in folders for experiment in find_experiments(Path(folder))]
    groups: dict[str, dict[Path, Results]] = {}
    for folder in named:
        results = open_results(folder)
        target = Path(out, results.name)
        group = groups.setdefault(results.name, {})
        if not group and (target / FILE).exists():
            group[target.resolve()] = open_results(target)
        group.setdefault(folder.resolve(), results)
    found = [_look([*group.values()], Path(out, name)) for name, group in groups.items()]
    return [_put_together(one) for one in found]


def _look(group: list[Results], target: Path) -> _Found:
    """All checks before anything is written."""
    for other in group[1:]:
        if difference := _difference(group[0], other):
            raise InputError(
                f"{group[0].folder} and {other.folder} are not of the same experiment: {difference}; merge them into"
                " different folders, or give one of the specs another name"
            )
    found = _Found(group, target, whole=max(group, key=lambda results: results.spec["runs"]))
    wanted = found.places(target)
    for results in group:
        for path in run_files.all_of(results.folder):
            try:
                key = read_key(path)
            except DamagedResult as error:
                found.damaged.append(error)
                continue
            if key not in wanted:
                found.others[results.folder] += 1
                continue
            alike = found.files.setdefault(key, [])
            found.owner.setdefault(key, results.folder)
            if alike and alike[0].read_bytes() != path.read_bytes():
                is_other = differing(read_run(alike[0]).trace, read_run(path).trace)
                (found.conflicts if is_other else found.twins).append((alike[0], path))
            alike.append(path)
    if found.conflicts:
        raise InputError(_conflicts_in_words(found.conflicts))
    return found


def _difference(first: Results, other: Results) -> str | None:
    """In words, in what two manifests differ that is run; the number of runs, labels and titles may."""
    ours = {cell.identity.key(0): cell for cell in first.cells}
    theirs = {cell.identity.key(0): cell for cell in other.cells}
    for one, two, whose in ((ours, theirs, first), (theirs, ours, other)):
        for cell in (cell for key, cell in one.items() if key not in two):
            like = next((c for c in two.values() if (c.problem, c.label) == (cell.problem, cell.label)), None)
            if like is not None and whose is first:
                return f"{cell.label} on {cell.problem}: {', '.join(differences(cell.identity, like.identity))}"
            if like is None:
                return f"only {whose.folder} has {cell.label} on {cell.problem} to round {cell.horizon}"
    return None


def _conflicts_in_words(conflicts: list[tuple[Path, Path]]) -> str:
    runs = "1 run is" if len(conflicts) == 1 else f"{len(conflicts)} runs are"
    lines = [f"{runs} there twice, with other numbers, and nothing was written:"]
    for pair in conflicts[:SHOWN]:
        first, second = (read_run(path).environment for path in pair)
        names = [name for name in {**first, **second} if first.get(name) != second.get(name)]
        for path, environment in zip(pair, (first, second), strict=True):
            where = ", ".join(f"{name} {environment.get(name)}" for name in names) or "the same environment"
            lines.append(f"  {path}  ({where})")
    if len(conflicts) > SHOWN:
        lines.append(f"  and {len(conflicts) - SHOWN} more")
    hint = "move one of two such files away, or leave one folder out; duelbench.rerun(FILE), in Python, runs it again"
    return "\n".join([*lines, hint])


def _put_together(found: _Found) -> Merged:
    target = found.target
    try:
        target.mkdir(parents=True, exist_ok=True)
        atomic.sweep(target)
        write_copy(found.whole, target)
        there, before, given = _copy(found)
        _bring_failures(found, there)
    except OSError as error:
        kind = RunsFailed if error.errno in FULL_DISK else InputError
        raise kind(
            f"cannot write results: {error.strerror or error}: {error.filename or target}; fix that and repeat the"
            " command"
        ) from None
    return Merged(status_of(open_results(target)), before, given, _notes(found), _command(found.whole, target.parent))


def _copy(found: _Found) -> tuple[set[str], int, dict[Path, int]]:
    """Copy the runs to their places; which are there now, how many were before, and how many each folder has given."""
    target, wanted = found.target, found.places(found.target)
    there: set[str] = set()
    before, given = 0, Counter[Path]()
    own: set[Path] = set()  # files of the target in other places
    with contextlib.closing(atomic.Background()) as files:
        for key, sources in found.files.items():
            source, content = _content(key, [*sources, run_files.aside(target, key)])
            if source is None:
                continue  # changed since: it counts as missing
            there.add(key)
            for path in wanted[key]:
                if _clear(path, key, target):
                    before += 1
                    continue
                files.write(path, content)
                given[found.owner[key]] += 1
                if source.is_relative_to(target):
                    own.add(source)
    for error in files.failed.values():
        raise error
    folders = {path.parent for paths in wanted.values() for path in paths}
    run_files.remove((path for path in own if path.parent not in folders), target)
    return there, before, dict(given)


def _content(key: str, sources: Sequence[Path]) -> tuple[Path | None, bytes]:
    """The first file that holds a run at this moment, and its content: some may have been moved out of the way."""
    for source in sources:
        with contextlib.suppress(FileNotFoundError):
            content = source.read_bytes()
            if sealed_key(content) == key:
                return source, content
    return None, b""


def _clear(path: Path, key: str, target: Path) -> bool:
    """Whether the run is already in its place; any other file there is set aside."""
    if not os.path.lexists(path):
        return False
    try:
        there = read_key(path)
    except DamagedResult:
        run_files.put_away(path, target)
        return False
    if there != key:
        run_files.move(path, run_files.aside(target, there))
    return there == key


def _bring_failures(found: _Found, there: Set[str]) -> None:
    """Copy the records of runs that no folder has; remove those of runs that are there now."""
    places = found.places(found.target / failures.FOLDER)
    known = failures.read(found.target)
    run_files.remove((record.path for key, record in known.items() if key in there), found.target)
    for results in found.group:
        for key, record in failures.read(results.folder).items():
            if key in places and key not in there and key not in known:
                atomic.write(places[key][-1].with_suffix(".json"), atomic.read(record.path, failures.MAX_BYTES))
                known[key] = record


def _notes(found: _Found) -> list[str]:
    whole = found.whole
    notes = [
        f"{results.folder} is of {results.spec['runs']} runs of each algorithm; {whole.folder} has {whole.spec['runs']}"
        for results in found.group
        if results.spec["runs"] != whole.spec["runs"]
    ]
    notes += [f"damaged, and left out: {error.path} ({error.reason})" for error in found.damaged[:SHOWN]]
    if len(found.damaged) > SHOWN:
        notes.append(f"{len(found.damaged) - SHOWN} more files are damaged, and left out")
    notes += [
        f"{folder}: {count} run{'s' * (count > 1)} that the manifest does not ask for, left there"
        for folder, count in found.others.items()
    ]
    if found.twins:
        one, other = found.twins[0]
        count = f"{len(found.twins)} runs were" if len(found.twins) > 1 else "1 run was"
        notes.append(f"{count} made in two environments, with the same numbers: {one} is used, not {other}")
    return notes


def _command(results: Results, out: Path) -> str:
    """The command that runs what is missing."""
    source = spec_called(results.folder, results.content)
    plug_in = ["FILE"] if any(cell.identity.code for cell in results.cells) else []
    scale, runs = None, None
    with contextlib.suppress(InputError):  # a spec that asks for a plug-in
        spec = load(source) if source else None
        if spec and results.name.startswith(f"{spec.name}-"):
            scale = results.name.removeprefix(f"{spec.name}-")
            spec = load(source, scale) if source else None
        if spec and spec.runs != results.spec["runs"]:
            runs = results.spec["runs"]
    return run_command(source or "SPEC", scale, runs, plug_in, out)
