"""The plan of which runs to compute, and why: a spec compared with the files on disk.

A run is reused exactly if its file is undamaged and its key (`duelbench.experiments.results.identity`) is the one in
the spec, wherever in the experiment's folder the file is. `make_plan` writes nothing; `prepare` puts the folder in
order. No undamaged result is ever deleted: files in the way are set aside, and used again when a spec needs
them.
"""

import contextlib
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from duelbench.bandits.problem.worlds.world import World
from duelbench.bandits.simulation.terms import Identity
from duelbench.common import atomic
from duelbench.common.words import counted
from duelbench.errors import InputError
from duelbench.experiments.results import failures, lower_bounds, run_files
from duelbench.experiments.results.cells import Cell, cells, count_cells, run_file
from duelbench.experiments.results.decided import Standing
from duelbench.experiments.results.identity import differences
from duelbench.experiments.results.manifest import FILE, changed_keys, other_spec, read_content, write_manifest
from duelbench.experiments.results.store import DamagedResult, NewerResult, read_key, read_run
from duelbench.experiments.spec import assumptions
from duelbench.experiments.spec.experiment_spec import MAX_CELLS, MAX_RUNS, ExperimentSpec

UP_TO_DATE = "up to date"
FOUND = "found under another name"
BACK = "set aside before"
NEW = "new"
OTHERS = "left to other shards"
NOT_CHOSEN = "not chosen"


@dataclass
class CellPlan:
    """The work for one cell. Runs are 0-based."""

    cell: Cell
    kept: list[int] = field(default_factory=list)  # runs whose file is in its place
    found: dict[int, Path] = field(default_factory=dict)  # runs whose file lies elsewhere in the experiment's folder
    todo: list[int] = field(default_factory=list)  # runs to compute, increasing
    others: list[int] = field(default_factory=list)  # left to other shards, or in cells that are not chosen
    reasons: dict[str, int] = field(default_factory=dict)  # reason in words -> number of runs
    wrong: dict[int, str] = field(default_factory=dict)  # run with a wrong file in its place -> what is wrong

    @property
    def n_reused(self) -> int:
        """The number of runs that need not be computed."""
        return len(self.kept) + len(self.found)

    @property
    def why(self) -> str:
        """The reasons in one line, with the numbers of runs if there are several reasons."""
        if len(self.reasons) == 1:
            return next(iter(self.reasons))
        return ", ".join(f"{count} {reason}" for reason, count in self.reasons.items())


@dataclass
class Work:
    """Runs of several cells, and the folder that their files go to."""

    folder: Path
    cells: list[CellPlan]

    @property
    def n_todo(self) -> int:
        """The number of runs to compute."""
        return sum(len(plan.todo) for plan in self.cells)


@dataclass
class Plan(Work):
    """The work for an experiment."""

    spec: ExperimentSpec
    damaged: dict[Path, str] = field(default_factory=dict)  # damaged files in the places of runs, and the reasons
    displaced: dict[Path, str] = field(default_factory=dict)  # files in the place of another run, and their keys
    # undamaged files that the spec does not need, at their paths after `prepare`
    left_over: list[Path] = field(default_factory=list)
    # content of the manifest on disk, loaded only if files are left over
    manifest: Mapping[str, Any] = field(default_factory=dict)
    standing: Standing | None = None  # the state of the interim analyses, if these decide the number of runs

    @property
    def n_runs(self) -> int:
        """The number of all runs of the spec."""
        return sum(plan.cell.n_runs for plan in self.cells)

    @property
    def n_others(self) -> int:
        """The number of runs that are not computed now."""
        return sum(len(plan.others) for plan in self.cells)

    def n_left(self, reason: str) -> int:
        """Return the number of runs that are not computed now for one reason: `OTHERS` or `NOT_CHOSEN`."""
        return sum(plan.reasons.get(reason, 0) for plan in self.cells)

    def notes(self) -> list[str]:
        """Return notes for the user on assumptions, bounds, damage and unneeded results, one sentence each."""
        sentences = [
            *assumptions.notes(self.spec),
            *assumptions.note_of_horizons(self.spec),
            *lower_bounds.notes(self.spec),
        ]
        if self.damaged:
            path, reason = next(iter(self.damaged.items()))
            others = f" and {len(self.damaged) - 1} more" if len(self.damaged) > 1 else ""
            sentences.append(
                f"damaged: {path} ({reason}){others}; a run moves such files to {self.folder / run_files.DAMAGED}"
            )
        if name_of_other := other_spec(self.folder, self.manifest, self.spec):
            sentences.append(
                f"{self.folder} holds the results of {name_of_other}, and {self.spec.called} takes their place; if"
                " these are different experiments, give one of them another name, or another folder for its results"
            )
        is_last = self.standing is None or self.standing.is_over  # else a later analysis may need these files
        # If neither the spec nor code has changed since the last run, that run reported what it left over.
        if is_last and (self.displaced or changed_keys(self.manifest, self.spec)):
            for folder, count in sorted(Counter(path.parent for path in self.left_over).items()):
                where = f"in {folder}" if folder.is_dir() else f"which a run sets aside in {folder}"
                sentences.append(f"left over: {counted(count, 'run')} that the spec does not need, {where}")
        return sentences


@dataclass(frozen=True)
class Shard:
    """Part ``number`` (from 1) of the ``count`` parts of an experiment; every run is in exactly one part.

    Examples
    --------
    >>> Shard.parse("2/3")
    Shard(number=2, count=3)
    >>> [k for k in range(7) if Shard(2, 3).has(k)]
    [1, 4]
    """

    number: int
    count: int

    @classmethod
    def parse(cls, text: str) -> "Shard":
        """Return the shard that ``i/n`` names."""
        match = re.fullmatch(r"([1-9][0-9]{0,5})/([1-9][0-9]{0,5})", text)
        if not match or int(match[1]) > int(match[2]):
            raise InputError(f"shard {text}: write i/n, part i of n, as in 1/4, 2/4, 3/4 and 4/4")
        return cls(int(match[1]), int(match[2]))

    def has(self, position: int) -> bool:
        """Return whether the run at a position (0-based) among all runs of a spec belongs to this shard."""
        return position % self.count == self.number - 1

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


@dataclass(frozen=True)
class Chosen:
    """The part of an experiment with some of its problems, some of its algorithms, or both."""

    problems: tuple[str, ...] = ()  # names as in tables, for all values of a sweep; empty for all problems
    labels: tuple[str, ...] = ()  # labels of algorithms; empty for all algorithms

    @property
    def is_all(self) -> bool:
        """Whether nothing is left out."""
        return not self.problems and not self.labels

    def has(self, cell: Cell) -> bool:
        """Return whether a cell is in this part."""
        return cell.base in (self.problems or (cell.base,)) and cell.label in (self.labels or (cell.label,))


EVERYTHING = Chosen()


def make_plan(
    spec: ExperimentSpec,
    folder: Path,
    shard: Shard | None = None,
    runs_of_cells: Sequence[int] | None = None,
    chosen: Chosen = EVERYTHING,
) -> Plan:
    """Compare a spec with its results folder ``results/<spec name>``; nothing is written.

    Parameters
    ----------
    shard, chosen : Shard, Chosen, optional
        The part to run; by default all runs, and all cells.
    runs_of_cells : sequence of int, optional
        Runs of each cell; by default those of the spec, or of its first interim analysis.

    Raises
    ------
    InputError
        When a file is in the place of a folder.
    NewerResult
        When a newer duelbench has written files there.
    """
    _check_number_of_runs(spec)
    spec_cells = cells(spec)
    if runs_of_cells is not None:
        spec_cells = tuple(replace(cell, n_runs=n) for cell, n in zip(spec_cells, runs_of_cells, strict=True))
    plan = Plan(folder, [CellPlan(cell) for cell in spec_cells], spec)
    keys = [cell_plan.cell.identity.keys(range(cell_plan.cell.n_runs)) for cell_plan in plan.cells]
    for cell_plan, cell_keys in zip(plan.cells, keys, strict=True):
        _find(plan, cell_plan, cell_keys)
    elsewhere = _files_elsewhere(plan)
    failed = {key: record.error for key, record in failures.read(folder).items()}
    first = 0  # position of the cell's first run among all runs of the spec
    for cell_plan, cell_keys in zip(plan.cells, keys, strict=True):
        n_runs = cell_plan.cell.n_runs
        others = dict.fromkeys((run for run in range(n_runs) if shard and not shard.has(first + run)), OTHERS)
        if not chosen.has(cell_plan.cell):
            others = dict.fromkeys(range(n_runs), NOT_CHOSEN)
        _decide(cell_plan, cell_keys, elsewhere, failed, others)
        first += n_runs
    wanted = {path for cell_plan in plan.cells for path in cell_plan.found.values()}
    plan.left_over += [path for path in elsewhere.values() if path not in wanted]
    plan.manifest = read_content(folder) if plan.left_over else {}
    return plan


def _check_number_of_runs(spec: ExperimentSpec) -> None:
    """Refuse a spec whose plan would not fit into memory, before anything is made for its runs."""
    n_cells, most = count_cells(spec), spec.most_runs
    combinations = "combinations of problem, algorithm and horizon"
    if n_cells > MAX_CELLS:
        raise InputError(
            f"{spec.called}: has {n_cells} {combinations}; at most {MAX_CELLS} are allowed: make several specs"
        )
    if n_cells * most > MAX_RUNS:
        raise InputError(
            f"{spec.called}: has {n_cells * most} runs ({most} of each of {n_cells} {combinations}); at most"
            f" {MAX_RUNS} are allowed: lower runs, or make several specs of it"
        )


def _find(plan: Plan, cell_plan: CellPlan, keys: list[str]) -> None:
    """Record which files are in the places of a cell's runs."""
    cell = cell_plan.cell
    known: list[Identity] = []  # identities of files that are not in their place
    folder = plan.folder / cell.folder
    start = os.path.join(folder, "")
    for run, name in _run_files(folder):
        try:
            key = read_key(start + name)
        except DamagedResult as error:
            plan.damaged[folder / name] = error.reason
            cell_plan.wrong[run] = f"damaged: {error.reason}"
            continue
        if run < cell.n_runs and key == keys[run]:
            cell_plan.kept.append(run)
        elif key == cell.identity.key(run):
            plan.left_over.append(folder / name)  # from a spec with more runs
        else:
            plan.displaced[folder / name] = key
            cell_plan.wrong[run] = _what_changed(folder / name, key, run, cell, known)


def _what_changed(path: Path, key: str, run: int, cell: Cell, known: list[Identity]) -> str:
    """Return why an undamaged file is not run ``run`` of ``cell``; ``known`` collects the identities met so far."""
    old = next((identity for identity in known if identity.key(run) == key), None)
    if old is None:
        result = read_run(path)
        old = result.identity
        if result.run != run:
            return f"misplaced: the file held run {result.run}"
        known.append(old)
    return ", ".join(differences(old, cell.identity, isinstance(cell.matrix, World)))


def _files_elsewhere(plan: Plan) -> dict[str, Path]:
    """Return undamaged results that are not in the place of a run of the spec, by key; displaced ones at new paths."""
    elsewhere = {key: run_files.aside(plan.folder, key) for key in plan.displaced.values()}
    in_cells = {plan.folder / cell_plan.cell.folder for cell_plan in plan.cells}
    for path in run_files.all_of(plan.folder, without=in_cells):
        with contextlib.suppress(DamagedResult, NewerResult):  # no spec needs such a file
            elsewhere.setdefault(read_key(path), path)
    return elsewhere


def _decide(
    cell_plan: CellPlan, keys: list[str], elsewhere: dict[str, Path], failed: dict[str, str], others: dict[int, str]
) -> None:
    """Sort the runs of a cell that are not in their places into found, todo and others; count the reasons."""
    why_not: Counter[str] = Counter()
    cell_plan.kept.sort()
    kept = set(cell_plan.kept)
    for run, key in enumerate(keys):
        if run in kept:
            continue
        if key in elsewhere:
            cell_plan.found[run] = elsewhere[key]
            continue
        why = f"failed before: {failed[key]}" if key in failed else cell_plan.wrong.get(run, NEW)
        why_not[others.get(run, why)] += 1
        (cell_plan.others if run in others else cell_plan.todo).append(run)
    back = sum(path.parent.name == run_files.SET_ASIDE and path.exists() for path in cell_plan.found.values())
    reused = {UP_TO_DATE: len(cell_plan.kept), FOUND: len(cell_plan.found) - back, BACK: back}
    cell_plan.reasons = {**{reason: count for reason, count in reused.items() if count}, **why_not}


def _run_files(folder: Path) -> Iterator[tuple[int, str]]:
    """Yield the runs of a cell that have a file, and the names of the files, including folders and broken links."""
    try:
        names = sorted(os.listdir(folder))
    except FileNotFoundError:
        return
    except NotADirectoryError:
        raise InputError(f"{folder} is in the way of results: it, or a part of it, is a file; move it") from None
    except OSError as error:
        raise InputError(f"{folder} cannot be read: {error.strerror}") from None
    for name in names:
        run = run_files.number(name)
        if run is not None:
            yield run, name


def prepare(plan: Plan, say: Callable[[str], None] = lambda _: None) -> None:
    """Prepare the results folder for the plan: write the manifest, move damaged and displaced files, fetch found ones.

    A run whose file vanished or broke since the plan was made is computed after all; ``plan`` is updated in place.
    ``say`` is called before slow steps. Raises `OSError` when the folder cannot be written.
    """
    plan.folder.mkdir(parents=True, exist_ok=True)
    atomic.sweep(plan.folder)
    for path in plan.damaged:
        run_files.put_away(path, plan.folder)
    for path, key in plan.displaced.items():
        run_files.move(path, run_files.aside(plan.folder, key))
    _fetch(plan)
    _forget_failures(plan)
    write_manifest(plan.folder, plan.spec, [cell_plan.cell for cell_plan in plan.cells], say)


def check_writable(plan: Plan) -> None:
    """Refuse folders that the runs of a plan cannot be written to, before any run starts; nothing is written."""
    if (manifest := plan.folder / FILE).is_dir():
        raise InputError(f"{manifest} is a folder and must be a file: remove it")
    for folder in {plan.folder / cell_plan.cell.folder: None for cell_plan in plan.cells if cell_plan.todo}:
        existing = next((path for path in (folder, *folder.parents) if path.exists()), None)
        if existing and not os.access(existing, os.W_OK | os.X_OK):
            raise InputError(f"results cannot be written to {existing}: make it writable, or choose another folder")


def count_files(plan: Plan) -> int:
    """Count the runs of the spec that have a file."""
    return sum(
        os.path.exists(plan.folder / cell_plan.cell.folder / run_file(run))
        for cell_plan in plan.cells
        for run in range(cell_plan.cell.n_runs)
    )


def _fetch(plan: Plan) -> None:
    """Copy found files to their places, then remove the originals: one file may serve two cells."""
    fetched = set()
    for cell_plan in plan.cells:
        for run, source in cell_plan.found.items():
            try:
                if read_key(source) != cell_plan.cell.identity.key(run):
                    raise DamagedResult(source, "it is another run now")
                content = source.read_bytes()
            except (DamagedResult, OSError):
                cell_plan.todo.append(run)
                continue
            atomic.write(plan.folder / cell_plan.cell.folder / run_file(run), content)
            cell_plan.kept.append(run)
            fetched.add(source)
        cell_plan.found.clear()
        cell_plan.kept.sort()
        cell_plan.todo.sort()
    run_files.remove(fetched, plan.folder)


def _forget_failures(plan: Plan) -> None:
    """Remove the failure records of runs that now exist, for example from an older version of a plug-in."""
    known = failures.read(plan.folder)
    if known:
        for cell_plan in plan.cells:
            for run in cell_plan.kept:
                failures.forget(plan.folder, cell_plan.cell, run, known)
