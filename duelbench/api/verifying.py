"""Results run again: whether runs chosen at random are what the same code gives today, to the last bit.

The same installation must give the same file, byte for byte. Another version of duelbench with the same libraries and
processor must give the same numbers, for a change that alters traces raises an algorithm's trace version. With other
libraries or another processor the last bit of a probability may fall otherwise, and a run then goes another way: such
runs are compared by their law.
"""

import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path, PurePosixPath

import numpy as np

from duelbench.algorithms import registry
from duelbench.errors import InputError
from duelbench.execution.account import Outcome
from duelbench.execution.plan import CellPlan, Work
from duelbench.execution.rerun import check_playable
from duelbench.results.cells import Cell, run_file
from duelbench.results.manifest import Results, StoredCell
from duelbench.results.store import DamagedResult, Result, read_run
from duelbench.simulation.terms import Terms
from duelbench.simulation.trace import Trace

SAME_BYTES = "the same, byte for byte"
SAME_NUMBERS = "the same numbers, from other versions or another machine"
OTHER_NUMBERS = "other numbers, from other libraries or another processor"
DIFFERENT = "DIFFERENT, from the same libraries and processor"
DAMAGED = "damaged"
NOT_RUN = "not run again"
FAILED = "failed when run again"

KINDS = (SAME_BYTES, SAME_NUMBERS, OTHER_NUMBERS, DIFFERENT, DAMAGED, FAILED, NOT_RUN)

WRONG = (DIFFERENT, DAMAGED, FAILED)

NOT_LOADED = "its plug-in is not loaded; name it with --plug-in FILE"

LEVEL = 0.001
"""p-value below which runs with other numbers have another distribution."""

FEWEST = 8
"""Fewer runs with other numbers are too few to test their distribution."""

Play = Callable[[Work], Outcome]


@dataclass(frozen=True)
class Checked:
    """How one run (0-based) compares."""

    cell: StoredCell
    run: int
    kind: str  # one of `KINDS`
    why: str = ""  # if it is not the same
    rank: float | None = None  # of other numbers: the place of the final regret among the cell's runs, from 0 to 1


@dataclass
class Verification:
    """The runs of an experiment that were chosen."""

    results: Results
    n_files: int  # how many runs could be chosen
    seed: int  # what they were chosen with
    checked: list[Checked] = field(default_factory=list)

    def of(self, *kinds: str) -> list[Checked]:
        """The runs of some kinds."""
        return [one for one in self.checked if one.kind in kinds]

    @property
    def counts(self) -> dict[str, int]:
        """How many runs are of each kind; only kinds that there are."""
        return {kind: len(self.of(kind)) for kind in KINDS if self.of(kind)}

    @property
    def p_value(self) -> float | None:
        """How likely ranks so uneven are where the law is the same; None where there are few. See `likely`."""
        ranks = [one.rank for one in self.checked if one.rank is not None]
        return likely(ranks) if len(ranks) >= FEWEST else None

    @property
    def is_good(self) -> bool:
        """Whether all runs were compared, and none contradicts the results."""
        return not self.of(*WRONG, NOT_RUN) and (self.p_value is None or self.p_value >= LEVEL)


def verify(results: Results, sample: int | None, seed: int, play: Play) -> Verification:
    """Run a sample of an experiment again and compare the files; the folder is left as it is.

    ``sample`` runs are chosen at random, with ``seed``, from those that have a file; None takes all. ``play`` does
    the work, as `duelbench.execution.runner.execute`.
    """
    rng = np.random.default_rng(seed)
    files = [(cell, run) for cell in results.cells for run in range(cell.n_runs) if cell.path(run).exists()]
    wanted = len(files) if sample is None else min(sample, len(files))
    chosen = [files[k] for k in sorted(rng.choice(len(files), wanted, replace=False))] if files else []
    found = Verification(results, len(files), seed)
    readable: dict[int, list[tuple[StoredCell, Result]]] = defaultdict(list)
    for cell, run in chosen:
        try:
            result = cell.read(run)
            check_playable(cell.path(run), cell.identity, cell.matrix)
        except DamagedResult as error:
            found.checked.append(Checked(cell, run, DAMAGED, error.reason))
        except InputError as error:
            is_known = registry.is_known(cell.identity.algorithm)
            why = str(error).removeprefix(f"{cell.path(run)}: ") if is_known else NOT_LOADED
            found.checked.append(Checked(cell, run, NOT_RUN, why))
        else:
            readable[id(cell)].append((cell, result))
    with tempfile.TemporaryDirectory(prefix="duelbench-verify-") as name:
        work = Work(Path(name), [_plan(k, runs) for k, runs in enumerate(readable.values())])
        failures = play(work).failures if work.n_todo else []
        errors = {(failure.cell.folder, failure.run): failure.error for failure in failures}
        for plan, runs in zip(work.cells, readable.values(), strict=True):
            for cell, result in runs:
                again = work.folder / plan.cell.folder / run_file(result.run)
                lost = "" if again.exists() else "its worker was not tried again"
                why = errors.get((plan.cell.folder, result.run), lost)
                one = Checked(cell, result.run, FAILED, why) if why else _compared(cell, result, again, rng)
                found.checked.append(one)
    return found


def _plan(number: int, runs: Sequence[tuple[StoredCell, Result]]) -> CellPlan:
    """The runs of one cell, to be run in a folder of their own."""
    cell, first = runs[0]
    copy = Cell(
        problem=cell.problem,
        problem_name="",
        matrix=cell.matrix,
        label=cell.label,
        folder=PurePosixPath(f"{number:05d}"),
        identity=cell.identity,
        terms=Terms.of(cell.identity, cell.matrix, first.trace.rounds.tolist()),
        n_runs=cell.n_runs,
    )
    return CellPlan(copy, todo=[result.run for _, result in runs])


def _compared(cell: StoredCell, result: Result, path: Path, rng: np.random.Generator) -> Checked:
    """A run and the file of the same run, made again."""
    if path.read_bytes() == cell.path(result.run).read_bytes():
        return Checked(cell, result.run, SAME_BYTES)
    again = read_run(path)
    unequal = differing(result.trace, again.trace)
    if not unequal:
        return Checked(cell, result.run, SAME_NUMBERS)
    why = f"{', '.join(unequal)} of {cell.path(result.run)}"
    if _machine(result.environment) == _machine(again.environment):
        return Checked(cell, result.run, DIFFERENT, why)
    others = (_regret(cell, run) for run in range(cell.n_runs) if run != result.run and cell.path(run).exists())
    known = [regret for regret in others if regret is not None]
    return Checked(cell, result.run, OTHER_NUMBERS, why, rank(float(again.trace.regret[0, -1]), known, rng))


def _machine(environment: Mapping[str, str]) -> dict[str, str]:
    """All that may change the last bit of a number, but for duelbench, whose changes raise trace versions."""
    return {name: value for name, value in environment.items() if name != "duelbench"}


def _regret(cell: StoredCell, run: int) -> float | None:
    try:
        return float(cell.read(run).trace.regret[0, -1])
    except DamagedResult:
        return None


def differing(before: Trace, again: Trace) -> list[str]:
    """The parts in which a trace differs from another one, of those that it has."""
    names = [part.name for part in fields(Trace) if part.name not in ("definitions", "algorithm")]
    pairs = [(name, getattr(before, name), getattr(again, name)) for name in names]
    return [name for name, old, new in pairs if old is not None and not np.array_equal(old, new)]


def rank(value: float, others: Iterable[float], rng: np.random.Generator) -> float:
    """The place of a number among others of the same distribution, uniform in [0, 1]: ties are broken at random."""
    there = np.fromiter(others, float)
    smaller, equal = np.count_nonzero(there < value), np.count_nonzero(there == value)
    return float((smaller + rng.random() * (equal + 1)) / (len(there) + 1))


def likely(ranks: Sequence[float]) -> float:
    """The Kolmogorov-Smirnov test of ranks that are uniform where runs have the same law: its p-value.

    Ranks of one cell rest on the same other runs, so that where it has few of them the value is too small, not by much.

    Examples
    --------
    >>> likely([0.1, 0.3, 0.5, 0.7, 0.9]) > 0.9, likely([0.99] * 8) < 0.001
    (True, True)
    """
    from scipy import stats

    return float(stats.kstest(ranks, "uniform").pvalue)
