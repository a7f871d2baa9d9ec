"""The manifest of an experiment: resolved spec, matrices, cells and environment, so that results explain themselves.

It is a function of the spec, its place and the environment: running the same spec again writes the same bytes.
"""

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from duelbench.bandits.algorithms.exploration import scalar_decisions
from duelbench.bandits.problem.identification import Question
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.scalar_bandit import ScalarBandit
from duelbench.bandits.problem.worlds.world import AnyProblem, World
from duelbench.bandits.simulation.terms import FORMAT, Identity
from duelbench.bandits.statistics.interim import Until
from duelbench.common import atomic
from duelbench.common.shipped import is_spec, spec_file
from duelbench.errors import IncompleteResults, InputError, likeliest
from duelbench.experiments.results import lower_bounds
from duelbench.experiments.results.cells import AnyCell, Cell, run_file
from duelbench.experiments.results.environment import environment
from duelbench.experiments.results.store import NewerResult, Result, read_run
from duelbench.experiments.spec.experiment_spec import ExperimentSpec, Point
from duelbench.experiments.spec.scales import PROBLEM_KEYS

FILE = "manifest.json"

MAX_BYTES = 2**30
"""No larger manifest is read."""

_WRONG = (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError)
"""Errors that reading an invalid manifest raises."""


@dataclass(frozen=True, kw_only=True)
class StoredCell(AnyCell):
    """One algorithm on one problem up to one horizon, as a manifest lists it."""

    algorithm: str  # the id of the algorithm
    slug: str  # the name of the algorithm's folder
    anytime: bool  # False for an algorithm that is run again for each horizon
    position: int  # 0-based place of the algorithm's entry in the spec
    folder: Path  # the folder of the runs

    @property
    def horizon(self) -> int:
        """The number of rounds of each run."""
        return self.identity.horizon

    def path(self, run: int) -> Path:
        """Return the file of a run (0-based)."""
        return self.folder / run_file(run)

    def read(self, run: int) -> Result:
        """Read a run (0-based) and check all of it, as `duelbench.experiments.results.store.read_run`."""
        return read_run(self.path(run), self.identity, run)


@dataclass(frozen=True)
class Results:
    """An experiment's results folder."""

    folder: Path
    content: Mapping[str, Any]  # the manifest as written
    # by problem, then by algorithm, both in the order of the spec, then by increasing horizon
    cells: tuple[StoredCell, ...]

    @property
    def name(self) -> str:
        """The experiment's name."""
        return self.content["spec"]["name"]

    @property
    def question(self) -> Question | None:
        """The question of the key ``identify``; None if the spec has none."""
        identify = self.content["spec"].get("identify")
        if identify is None:
            return None
        from duelbench.experiments.spec.identification import Identify

        return Identify.model_validate(identify).question()

    @property
    def until(self) -> Until | None:
        """The rule that decides when there are enough runs; None if the spec gives their number."""
        runs = self.content["spec"]["runs"]
        if not isinstance(runs, dict):
            return None
        from duelbench.experiments.spec.runs import RunsUntil

        return RunsUntil.model_validate(runs).rule()

    @property
    def spec(self) -> Mapping[str, Any]:
        """The resolved spec in plain JSON types, as `ExperimentSpec.canonical` returns it."""
        return self.content["spec"]

    @property
    def spec_folder(self) -> Path:
        """The folder of the spec; the working folder if the spec is gone."""
        called = spec_called(self.folder, self.content)
        return spec_file(called).parent if called else Path()

    @property
    def spec_sha256(self) -> str:
        """SHA-256 of the resolved spec, which figures record."""
        return hashlib.sha256(json.dumps(self.spec, sort_keys=True).encode()).hexdigest()


def write_manifest(
    folder: Path, spec: ExperimentSpec, cells: Sequence[Cell], say: Callable[[str], None] = lambda _: None
) -> None:
    """Write the manifest of ``spec`` into its results folder, unless the folder has the same one.

    ``say`` is called when computing the spec's bounds will take a while; bounds in the existing manifest are kept.
    Raises `OSError` when the manifest cannot be written.
    """
    content = _describe(folder, spec, cells)
    if spec.bounds:
        old = read_content(folder)
        problems = old["problems"] if old.get("environment") == content["environment"] else ()
        known = {problem["sha256"]: problem["bounds"] for problem in problems if "bounds" in problem}
        for problem, lines in zip(content["problems"], lower_bounds.lines(spec, known, say), strict=True):
            problem["bounds"] = lines
    _write_if_new(folder / FILE, _encode(content))


def write_copy(results: Results, folder: Path) -> None:
    """Write the manifest of results into another folder, unless the folder has the same one.

    In the copy, the path of the spec is relative to that folder, and left out if it leads to no file. Raises `OSError`
    when the manifest cannot be written.
    """
    if folder.resolve() == results.folder.resolve():
        return
    content = dict(results.content)
    name = content.get("file")
    if name and not is_spec(name):
        source = Path(os.path.normpath(results.folder.resolve() / name))
        if source.is_file():
            content["file"] = os.path.relpath(source, folder.resolve())
        elif not (folder.resolve() / name).is_file():
            del content["file"]
    _write_if_new(folder / FILE, _encode(content))


def _write_if_new(path: Path, data: bytes) -> None:
    with contextlib.suppress(OSError):  # not there, or not readable: written again
        if atomic.read(path, MAX_BYTES) == data:
            return
    atomic.write(path, data)


def other_spec(folder: Path, content: Mapping[str, Any], spec: ExperimentSpec) -> str | None:
    """Return the path of another, existing spec whose results a folder holds by its manifest; None if there is none."""
    called = spec_called(folder, content)
    try:
        is_same = called and spec.source and spec_file(called).samefile(spec_file(spec.source))
    except OSError:
        return None
    return None if is_same else called


def spec_called(folder: Path, content: Mapping[str, Any]) -> str | None:
    """Return the path or name of the spec that made the results in a folder, by its manifest; None if it is gone."""
    if name := content.get("file"):
        with contextlib.suppress(OSError, InputError):
            path = folder.resolve() / spec_file(name)
            if path.is_file():
                return name if is_spec(name) else os.path.relpath(path, Path.cwd())
    return None


SHOWN_ONLY = {"title", "figure", "bounds", "labels"}
"""Keys of a spec that change what figures and tables show, but no result; ``labels`` are those of algorithms."""


def changed_keys(content: Mapping[str, Any], spec: ExperimentSpec) -> list[str]:
    """Return the keys that differ between the spec in a manifest and ``spec``; problems are compared by content.

    If only the labels of algorithms differ, the key ``algorithms`` is called ``labels``.
    """
    before, now = content.get("spec", {}), json.loads(json.dumps(spec.canonical()))
    old = {problem["name"]: problem["sha256"] for problem in content.get("problems", ())}
    new = {problem.name: problem.matrix.sha256 for problem in spec.problems}
    same = {key for key in PROBLEM_KEYS if old == new and key in before and key in now}
    are_different = any(old[name] != new[name] for name in old.keys() & new.keys())
    different = {key for key in PROBLEM_KEYS if key in before and are_different}
    changed = {key for key in {**before, **now} if before.get(key) != now.get(key) and key not in same}
    keys = [key for key in {**before, **now} if key in different or key in changed]
    if "algorithms" in keys and _unlabelled(before) == _unlabelled(now):
        keys[keys.index("algorithms")] = "labels"
    return keys


def _unlabelled(spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the algorithms of a resolved spec without their labels."""
    entries = [entry for algorithm in spec.get("algorithms", ()) for entry in algorithm.items()]
    return [{id: {name: x for name, x in keys.items() if name != "label"}} for id, keys in entries]


def read_content(folder: Path) -> Mapping[str, Any]:
    """Return the content of the manifest in a folder; empty if it cannot be read."""
    try:
        return _content(folder / FILE)
    except (*_WRONG, OSError, NewerResult):
        return {}


def _content(path: Path) -> dict[str, Any]:
    content = json.loads(atomic.read(path, MAX_BYTES))
    version = content["format"]
    if isinstance(version, int) and version > FORMAT:
        raise NewerResult(path, version)
    if content.pop("sha256") != _digest(content):
        raise ValueError("its content does not fit its SHA-256")
    return content


def open_results(folder: Path) -> Results:
    """Read the manifest of a results folder.

    Raises
    ------
    InputError
        When it is not a results folder.
    IncompleteResults
        When its manifest is damaged; `NewerResult` when a newer duelbench wrote it.
    """
    path = folder / FILE
    if path.is_dir():
        raise IncompleteResults(f"{path} is a folder, but must be a file: remove it, and run the spec again")
    try:
        content = _content(path)
        return Results(folder, content, tuple(_stored_cells(folder, content)))
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"{folder} is not a results folder: it has no {FILE}") from None
    except (*_WRONG, OSError, InputError) as error:
        raise IncompleteResults(f"{path} is damaged ({error}): run the spec again to restore it") from error


def find_experiments(path: Path) -> list[Path]:
    """Return the results folders at ``path``: itself, or those in it by name; raise an `InputError` if none exist."""
    if not path.is_dir():
        if path.exists():
            raise InputError(f"{path} is not a results folder; name one, or the spec (.yaml) that it came from")
        raise InputError(f"{path}: there is no such folder{_neighbour(path)}")
    if (path / FILE).exists():
        return [path]
    folders = sorted(manifest.parent for manifest in path.glob(f"*/{FILE}"))
    if not folders:
        raise InputError(f"{path} is not a results folder: neither it nor a folder in it has a {FILE}")
    return folders


def _neighbour(path: Path) -> str:
    """Return a hint at results with a similar name, beside a path that does not exist or one level below it."""
    beside = [manifest.parent for manifest in sorted(path.parent.glob(f"*/{FILE}"))]
    below = [manifest.parent for manifest in sorted(path.parent.glob(f"*/*/{FILE}"))]
    by_name = {folder.name: folder for folder in [*below, *(folder.parent for folder in below), *beside]}
    meant = by_name.get(likeliest(path.name, by_name))
    return f" (did you mean '{meant}'?)" if meant else ""


def without_manifest(path: Path) -> list[Path]:
    """Return the folders in ``path`` that hold runs but no manifest, which would say of which experiment."""
    return sorted(
        folder
        for folder in path.glob("*/")
        if not (folder / FILE).exists()
        and not any(folder.glob(f"*/{FILE}"))  # else it is a folder of experiments
        and any(folder.rglob("run-*.npz"))
    )


def _describe(folder: Path, spec: ExperimentSpec, cells: Sequence[Cell]) -> dict[str, Any]:
    source = spec.source and (
        spec.source.as_posix() if is_spec(spec.source) else os.path.relpath(spec.source.resolve(), folder.resolve())
    )
    problem_of = {problem.name: k for k, problem in enumerate(spec.problems)}
    entry_of = {entry.label: k for k, entry in enumerate(spec.entries)}
    return {
        "format": FORMAT,
        **({"file": source} if source else {}),
        "spec": spec.canonical(),
        "problems": [
            {
                "name": problem.name,
                "source": problem.described,
                "n_arms": problem.matrix.n_arms,
                "sha256": problem.matrix.sha256,
                "names": list(problem.matrix.names),
                **_values(problem.matrix),
            }
            for problem in spec.problems
        ],
        "entries": [
            {
                "algorithm": entry.algorithm.id,
                "name": entry.algorithm.name,
                "label": entry.label,
                "slug": entry.slug,
                "anytime": entry.algorithm.is_anytime(entry.parameters),
                "trace_version": entry.algorithm.trace_version,
                "parameters": entry.parameters,
                "horizons": list(entry.horizons),
            }
            for entry in spec.entries
        ],
        "cells": [
            {
                "problem": problem_of[cell.problem_name],
                "title": cell.problem,
                "entry": entry_of[cell.label],
                "folder": cell.folder.as_posix(),
                "runs": cell.n_runs,
                "identity": cell.identity.content(),
                **({"point": vars(cell.point)} if cell.point else {}),
            }
            for cell in cells
        ],
        "environment": environment(),
    }


def _values(problem: AnyProblem) -> dict[str, Any]:
    if isinstance(problem, World):
        return {"world": problem.content()}
    if not isinstance(problem, ScalarBandit):
        return {"P": problem.P.tolist()}
    named = {"decision": problem.decision.name, "parameters": dict(problem.parameters)}
    return {"means": problem.means.tolist(), **named}


def _problem(content: Mapping[str, Any]) -> AnyProblem:
    """Return the problem of an entry of a manifest."""
    names, source = content["names"], content["source"]
    if "world" in content:
        return World.from_content(content["world"], names, source)
    if "P" in content:
        return PreferenceMatrix(content["P"], names, source)
    decision = scalar_decisions.get(content["decision"])
    return ScalarBandit(content["means"], decision, content["parameters"], names, source)


def _encode(content: dict[str, Any]) -> bytes:
    """Return JSON that a person can read and `diff`: one line per part, problem, entry and cell."""
    parts = []
    for name, value in {**content, "sha256": _digest(content)}.items():
        if isinstance(value, list):
            lines = ",\n".join(f"  {json.dumps(item)}" for item in value)
            parts.append(f"{json.dumps(name)}: [\n{lines}\n]")
        else:
            parts.append(f"{json.dumps(name)}: {json.dumps(value)}")
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode()


def _digest(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _stored_cells(folder: Path, content: Mapping[str, Any]) -> Iterator[StoredCell]:
    problems = [_problem(problem) for problem in content["problems"]]
    for cell in content["cells"]:
        entry = content["entries"][cell["entry"]]
        yield StoredCell(
            problem=cell["title"],
            matrix=problems[cell["problem"]],
            algorithm=entry["algorithm"],
            label=entry["label"],
            slug=entry["slug"],
            anytime=entry["anytime"],
            position=cell["entry"],
            folder=folder / cell["folder"],
            identity=Identity.from_content(cell["identity"]),
            n_runs=cell["runs"],
            point=Point(**cell["point"]) if "point" in cell else None,
        )
