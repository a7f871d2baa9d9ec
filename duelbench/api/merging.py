"""Results folders of one experiment put together: of shards, of several machines, of one that was interrupted.

First everything is looked at, and nothing is written where the folders contradict each other. The folders that are
merged are never changed; a merge that was interrupted goes on where it was.
"""

import contextlib
import os
import shlex
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from duelbench.errors import FULL_DISK, InputError, RunsFailed
from duelbench.results import atomic, failures, run_files
from duelbench.results.cells import run_file
from duelbench.results.identity import differences
from duelbench.results.manifest import (
    FILE,
    Results,
    StoredCell,
    find_experiments,
    open_results,
    spec_called,
    write_copy,
)
from duelbench.results.status import CellStatus, Status
from duelbench.results.store import DamagedResult, read_key, read_run, sealed_key
from duelbench.spec.load import load

SHOWN = 3
"""Contradictions that are listed."""

Place = tuple[StoredCell, int]


@dataclass
class Merged:
    """What became of a merge."""

    status: Status  # of the folder in which everything is now
    n_before: int  # runs that were there before
    n_from: dict[Path, int]  # how many runs each folder has given
    notes: list[str]
    command: str  # what plays the runs that are missing


@dataclass
class _Found:
    """The runs that were found: key -> all files that hold it; and the first folder that has one."""

    files: dict[str, list[Path]] = field(default_factory=dict)
    owner: dict[str, Path] = field(default_factory=dict)
    damaged: list[DamagedResult] = field(default_factory=list)
    others: dict[Path, int] = field(default_factory=dict)
    twins: list[tuple[Path, Path]] = field(default_factory=list)
    conflicts: list[tuple[Path, Path]] = field(default_factory=list)


def merge(folders: Sequence[str | os.PathLike[str]], out: str | os.PathLike[str] = "results") -> list[Merged]:
    """Put the runs of results folders of the same experiment into one, ``<out>/<name of the experiment>``.

    A run is what its key says, wherever in its folder it lies; its bytes are copied as they are. What is in ``out``
    already takes part. Records of failed runs are copied, unless another folder has the run. Each of ``folders`` is a
    results folder, or a folder of several; each experiment is merged on its own.

    Raises
    ------
    InputError
        When a folder holds no results; when folders of one name differ in what is played; when two of them have other
        numbers for the same run. Nothing was written then.
    IncompleteResults
        When a manifest is damaged.
    RunsFailed
        When the disk is full; the same call goes on.
    """
    named = [experiment for folder in folders for experiment in find_experiments(Path(folder))]
    opened = {folder.resolve(): open_results(folder) for folder in named}
    groups: dict[str, list[Results]] = {}
    for results in opened.values():
        groups.setdefault(results.name, []).append(results)
    for name, group in groups.items():
        target = Path(out, name)
        if (target / FILE).exists():
            group.insert(0, opened.get(target.resolve()) or open_results(target))
            group[:] = {results.folder.resolve(): results for results in group}.values()
    prepared = [_look(group, Path(out, name)) for name, group in groups.items()]
    return [_put_together(*one) for one in prepared]


def _look(group: list[Results], target: Path) -> tuple[list[Results], Results, Path, dict[str, list[Place]], _Found]:
    """Everything that must be known before something is written; the second is the manifest that holds for all."""
    for other in group[1:]:
        if difference := _difference(group[0], other):
            raise InputError(
                f"{group[0].folder} and {other.folder} are not of the same experiment: {difference}; merge them into"
                " different folders, or give one of the specs another name"
            )
    whole = max(group, key=lambda results: results.spec["runs"])  # the first of those with the most
    wanted: dict[str, list[Place]] = {}
    for cell in whole.cells:
        for run, key in enumerate(cell.identity.keys(range(cell.n_runs))):
            wanted.setdefault(key, []).append((cell, run))
    found = _Found()
    for results in group:
        _find(results.folder, wanted, found)
    if found.conflicts:
        raise InputError(_told(found.conflicts))
    return group, whole, target, wanted, found


def _difference(first: Results, other: Results) -> str | None:
    """In words, in what two manifests differ that is played; the number of runs, labels and titles may."""
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


def _find(folder: Path, wanted: dict[str, list[Place]], found: _Found) -> None:
    """Look at all files of a folder that may hold runs."""
    for path in run_files.all_of(folder):
        try:
            key = read_key(path)
        except DamagedResult as error:
            found.damaged.append(error)
            continue
        if key not in wanted:
            found.others[folder] = found.others.get(folder, 0) + 1
            continue
        alike = found.files.setdefault(key, [])
        found.owner.setdefault(key, folder)
        if alike and alike[0].read_bytes() != path.read_bytes():
            (found.twins if _same_numbers(alike[0], path) else found.conflicts).append((alike[0], path))
        alike.append(path)


def _same_numbers(one: Path, other: Path) -> bool:
    """Whether two files of a run differ in nothing but the environment that computed them."""
    numbers = _numbers(one), _numbers(other)
    kept_by_both = [name for name in LATER if None not in (numbers[0][name], numbers[1][name])]
    return all(numbers[0][name] == numbers[1][name] for name in (*ALWAYS, *kept_by_both))


ALWAYS = ("rounds", "regret", "duels", "recommended", "decisions", "explored", "finished")
LATER = ("answer", "places")
"""What is compared of traces; results from before answers were kept are without the last."""


def _numbers(path: Path) -> dict[str, bytes | None]:
    trace = read_run(path).trace
    values = {name: getattr(trace, name) for name in (*ALWAYS, *LATER)}
    return {name: None if value is None else np.asarray(value).tobytes() for name, value in values.items()}


def _told(conflicts: list[tuple[Path, Path]]) -> str:
    lines = []
    for one, other in conflicts[:SHOWN]:
        first, second = read_run(one).environment, read_run(other).environment
        names = [name for name in {**first, **second} if first.get(name) != second.get(name)]
        lines += [
            f"  {path}  ({', '.join(f'{name} {environment.get(name)}' for name in names) or 'the same environment'})"
            for path, environment in ((one, first), (other, second))
        ]
    more = f"\n  and {len(conflicts) - SHOWN} more" if len(conflicts) > SHOWN else ""
    runs = "1 run is" if len(conflicts) == 1 else f"{len(conflicts)} runs are"
    return (
        f"{runs} there twice, with other numbers, and nothing was written:\n"
        + "\n".join(lines)
        + more
        + "\nmove one of two such files away, or leave one folder out; duelbench.rerun(FILE), in Python, plays it again"
    )


def _put_together(
    group: list[Results], whole: Results, target: Path, wanted: dict[str, list[Place]], found: _Found
) -> Merged:
    try:
        target.mkdir(parents=True, exist_ok=True)
        atomic.sweep(target)
        write_copy(whole, target)
        there, before, given = _copy(whole, target, wanted, found)
        merged = open_results(target)
        _bring_failures(group, merged, there)
    except OSError as error:
        kind = RunsFailed if error.errno in FULL_DISK else InputError
        raise kind(
            f"cannot write results: {error.strerror or error}: {error.filename or target}; fix that and repeat the"
            " command"
        ) from None
    status = _status(merged, there)
    return Merged(status, before, given, _notes(group, whole, found), _command(whole, target.parent))


def _copy(
    whole: Results, target: Path, wanted: dict[str, list[Place]], found: _Found
) -> tuple[set[str], int, dict[Path, int]]:
    """Copy the runs to their places; which are there now, how many were before, and how many each folder has given."""
    there: set[str] = set()
    before, given = 0, dict.fromkeys(found.owner.values(), 0)
    own: set[Path] = set()
    with contextlib.closing(atomic.Background()) as files:
        for key, sources in found.files.items():
            source, content = _content(key, [*sources, run_files.aside(target, key)])
            if source is None:
                continue  # changed since: it counts as missing
            there.add(key)
            for cell, run in wanted[key]:
                path = target / cell.folder.relative_to(whole.folder) / run_file(run)
                if _clear(path, key, target):
                    before += 1
                    continue
                files.write(path, content)
                given[found.owner[key]] += 1
                if source.is_relative_to(target):
                    own.add(source)
    for error in files.failed.values():
        raise error
    places = {target / cell.folder.relative_to(whole.folder) for cell in whole.cells}
    run_files.remove((path for path in own if path.parent not in places), target)
    return there, before, {folder: count for folder, count in given.items() if count}


def _content(key: str, sources: Sequence[Path]) -> tuple[Path | None, bytes]:
    """The first file that holds a run at this moment, and its content: some may have been moved out of the way."""
    for source in sources:
        with contextlib.suppress(FileNotFoundError):
            content = source.read_bytes()
            if sealed_key(content) == key:
                return source, content
    return None, b""


def _clear(path: Path, key: str, target: Path) -> bool:
    """Whether the run is in its place already; something else that is there is moved out of the way."""
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


def _status(merged: Results, there: Set[str]) -> Status:
    """The state of the merged folder, in which runs of these keys were just written."""
    failed = failures.read(merged.folder)
    cells = []
    for cell in merged.cells:
        status = CellStatus(cell)
        for run, key in enumerate(cell.identity.keys(range(cell.n_runs))):
            if key in there:
                status.done.append(run)
            elif key in failed:
                status.failed[run] = failed[key]
            else:
                status.missing.append(run)
        cells.append(status)
    return Status(merged, cells)


def _bring_failures(group: Sequence[Results], merged: Results, there: Set[str]) -> None:
    """Copy the records of runs that no folder has; remove those of runs that are there now."""
    places = {
        key: (merged.folder / failures.FOLDER / cell.folder.relative_to(merged.folder) / run_file(run))
        for cell in merged.cells
        for run, key in enumerate(cell.identity.keys(range(cell.n_runs)))
    }
    known = failures.read(merged.folder)
    run_files.remove((record.path for key, record in known.items() if key in there), merged.folder)
    for results in group:
        for key, record in failures.read(results.folder).items():
            if key in places and key not in there and key not in known:
                atomic.write(places[key].with_suffix(".json"), atomic.read(record.path, failures.MAX_BYTES))
                known[key] = record


def _notes(group: Sequence[Results], whole: Results, found: _Found) -> list[str]:
    notes = [
        f"{results.folder} is of {results.spec['runs']} runs of each algorithm; {whole.folder} has {whole.spec['runs']}"
        for results in group
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
        notes.append(f"{count} played in two environments, with the same numbers: {one} is used, not {other}")
    return notes


def _command(results: Results, out: Path) -> str:
    """The command that plays what is missing."""
    source = spec_called(results.folder, results.content)
    options = [] if out == Path("results") else ["-o", str(out)]
    if any(cell.identity.code for cell in results.cells):
        options += ["--plug-in", "FILE"]
    if source is None:
        return shlex.join(["duelbench", "run", "SPEC", *options])
    with contextlib.suppress(InputError):  # a spec that asks for a plug-in
        spec = load(source)
        if results.name.startswith(f"{spec.name}-"):
            scale = results.name.removeprefix(f"{spec.name}-")
            spec = load(source, scale)
            options = ["--scale", scale, *options]
        if spec.runs != results.spec["runs"]:
            options = ["--runs", str(results.spec["runs"]), *options]
    return shlex.join(["duelbench", "run", source, *options])
