"""Verifies results: repeats runs that are chosen at random, and compares the files.

The same installation must give the same file, byte for byte. Another version of duelbench with the same libraries and
processor must give the same numbers, since changes of traces raise an algorithm's trace version. With other libraries
or another processor the last bit of a probability may differ, and then the whole run: such runs are compared by their
distribution.
"""

import tempfile
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from pathlib import Path, PurePosixPath

import numpy as np

from duelbench.bandits.algorithms import registry
from duelbench.bandits.simulation.terms import Terms
from duelbench.bandits.simulation.trace import Trace
from duelbench.errors import InputError
from duelbench.experiments.execution.account import Outcome
from duelbench.experiments.execution.plan import CellPlan, Work
from duelbench.experiments.execution.rerun import check_playable
from duelbench.experiments.results.cells import Cell, run_file
from duelbench.experiments.results.manifest import Results, StoredCell
from duelbench.experiments.results.store import DamagedResult, Result, read_run

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
"""p-value below which runs with other numbers count as having another distribution."""

FEWEST = 8
"""Fewest runs with other numbers whose distribution is tested."""

Play = Callable[[Work], Outcome]


@dataclass(frozen=True)
class Checked:
    """The comparison of one run."""

    cell: StoredCell
    run: int  # 0-based
    kind: str  # one of `KINDS`
    why: str = ""  # empty if it is the same
    rank: float | None = None  # of other numbers: the rank of the final regret among the cell's runs, from 0 to 1


@dataclass
class Verification:
    """The comparisons of the chosen runs of an experiment."""

    results: Results
    n_files: int  # the runs with a file, of which some are chosen
    seed: int  # of the choice
    checked: list[Checked] = field(default_factory=list)

    def of(self, *kinds: str) -> list[Checked]:
        """The comparisons of some kinds."""
        return [checked for checked in self.checked if checked.kind in kinds]

    @property
    def counts(self) -> dict[str, int]:
        """The number of runs of each kind that occurs."""
        return {kind: len(self.of(kind)) for kind in KINDS if self.of(kind)}

    @property
    def p_value(self) -> float | None:
        """The p-value of `likely` for the ranks of the runs; None if they are too few."""
        ranks = [checked.rank for checked in self.checked if checked.rank is not None]
        return likely(ranks) if len(ranks) >= FEWEST else None

    @property
    def is_good(self) -> bool:
        """Whether all chosen runs were compared, and none contradicts the results."""
        return not self.of(*WRONG, NOT_RUN) and (self.p_value is None or self.p_value >= LEVEL)


def verify(results: Results, sample: int | None, seed: int, play: Play) -> Verification:
    """Repeat some runs of an experiment in a temporary folder, and compare the files.

    ``sample`` runs are chosen at random, with ``seed``, from those that have a file; None chooses all. ``play`` runs
    them, as `duelbench.experiments.execution.runner.execute`.
    """
    rng = np.random.default_rng(seed)
    files = [(cell, run) for cell in results.cells for run in range(cell.n_runs) if cell.path(run).exists()]
    wanted = len(files) if sample is None else min(sample, len(files))
    chosen = [files[k] for k in sorted(rng.choice(len(files), wanted, replace=False))] if files else []
    verification = Verification(results, len(files), seed)
    readable: dict[int, list[tuple[StoredCell, Result]]] = defaultdict(list)
    for cell, run in chosen:
        try:
            result = cell.read(run)
            check_playable(cell.path(run), cell.identity, cell.matrix)
        except DamagedResult as error:
            verification.checked.append(Checked(cell, run, DAMAGED, error.reason))
        except InputError as error:
            is_known = registry.is_known(cell.identity.algorithm)
            why = str(error).removeprefix(f"{cell.path(run)}: ") if is_known else NOT_LOADED
            verification.checked.append(Checked(cell, run, NOT_RUN, why))
        else:
            readable[id(cell)].append((cell, result))
    with tempfile.TemporaryDirectory(prefix="duelbench-verify-") as name:
        work = Work(Path(name), [_plan(k, runs) for k, runs in enumerate(readable.values())])
        failures = play(work).failures if work.n_todo else []
        errors = {(failure.cell.folder, failure.run): failure.error for failure in failures}
        for plan, runs in zip(work.cells, readable.values(), strict=True):
            for cell, result in runs:
                again = work.folder / plan.cell.folder / run_file(result.run)
                why = errors.get((plan.cell.folder, result.run), "")
                if not why and not again.exists():
                    why = "its worker was not tried again"
                if why:
                    verification.checked.append(Checked(cell, result.run, FAILED, why))
                else:
                    verification.checked.append(_compared(cell, result, again, rng))
    return verification


def _plan(number: int, runs: Sequence[tuple[StoredCell, Result]]) -> CellPlan:
    """The plan that repeats runs of one cell in a separate folder."""
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
    """Compare a run with the file of its repetition."""
    if path.read_bytes() == cell.path(result.run).read_bytes():
        return Checked(cell, result.run, SAME_BYTES)
    again = read_run(path)
    unequal = differing(result.trace, again.trace)
    if not unequal:
        return Checked(cell, result.run, SAME_NUMBERS)
    why = f"{', '.join(unequal)} of {cell.path(result.run)}"
    if _machine(result.environment) == _machine(again.environment):
        return Checked(cell, result.run, DIFFERENT, why)
    others = []
    for run in range(cell.n_runs):
        if run != result.run and cell.path(run).exists():
            with suppress(DamagedResult):
                others.append(float(cell.read(run).trace.regret[0, -1]))
    return Checked(cell, result.run, OTHER_NUMBERS, why, rank(float(again.trace.regret[0, -1]), others, rng))


def _machine(environment: Mapping[str, str]) -> dict[str, str]:
    """The part of an environment that can change the last bit of a number; duelbench raises trace versions instead."""
    return {name: value for name, value in environment.items() if name != "duelbench"}


def differing(before: Trace, again: Trace) -> list[str]:
    """The fields of a trace that differ from another trace, without those that it lacks."""
    names = [field.name for field in fields(Trace) if field.name not in ("definitions", "algorithm")]
    pairs = [(name, getattr(before, name), getattr(again, name)) for name in names]
    return [name for name, old, new in pairs if old is not None and not np.array_equal(old, new)]


def rank(value: float, others: Sequence[float], rng: np.random.Generator) -> float:
    """The rank of a number among others, from 0 to 1; uniform if all have the same distribution. Ties are random."""
    values = np.array(others)
    smaller, equal = np.count_nonzero(values < value), np.count_nonzero(values == value)
    return float((smaller + rng.random() * (equal + 1)) / (len(values) + 1))


def likely(ranks: Sequence[float]) -> float:
    """The p-value of the Kolmogorov-Smirnov test that ranks are uniform, as for runs with the same distribution.

    The ranks of a cell share their other runs, so with few runs the p-value is slightly too small.

    Examples
    --------
    >>> likely([0.1, 0.3, 0.5, 0.7, 0.9]) > 0.9, likely([0.99] * 8) < 0.001
    (True, True)
    """
    from scipy import stats

    return float(stats.kstest(ranks, "uniform").pvalue)
