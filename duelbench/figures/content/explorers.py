"""The content of figures of pure exploration: accuracy, regret and what is still explored, of each algorithm."""

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from duelbench.errors import IncompleteResults, InputError
from duelbench.problem.scalar_bandit import ScalarBandit
from duelbench.results.experiments import winners_of
from duelbench.results.manifest import Results, StoredCell
from duelbench.results.store import DamagedResult
from duelbench.statistics.curves import Curve, proportion_interval, summarise

PANELS = ("accuracy", "regret", "explored")
"""The names are those of the column ``panel`` in files of published curves."""


Published = Mapping[str, Mapping[str, Mapping[int, float]]]
"""Panel -> label -> samples -> value."""


@dataclass(frozen=True, eq=False)
class Explorer:
    """One algorithm on one problem, or on all random matrices at one value of a sweep.

    Parameters
    ----------
    problem, algorithm, label : str
    rounds : (n,) int64
        Checkpoints, 1-based.
    mean, sem : mapping of str to (n,) float64
        Panel -> mean of the runs and its standard error; without ``explored`` where the algorithm does not say.
    low, high : mapping of str to (n,) float64
        Panel -> the ends of its band; without those that have none.
    definition : str
        Of regret.
    band : str
        That of regret, a key of `duelbench.statistics.curves.BANDS`.
    finished : (n_runs,) int64 or None
        First round after exploration; 0 where it never ended.
    found, planned : int
        How many runs there are, and how many the spec asks for.
    matrices : int
        On how many matrices they are.
    """

    problem: str
    algorithm: str
    label: str
    rounds: np.ndarray
    mean: Mapping[str, np.ndarray]
    sem: Mapping[str, np.ndarray]
    low: Mapping[str, np.ndarray]
    high: Mapping[str, np.ndarray]
    definition: str
    band: str
    finished: np.ndarray | None
    found: int
    planned: int
    matrices: int


def read_explorers(
    results: Results,
    allow_partial: bool = False,
    regret: str | None = None,
    band: str = "ci95",
    count: Callable[[], None] = lambda: None,
) -> list[Explorer]:
    """All algorithms of an experiment, each at its longest horizon.

    Parameters
    ----------
    results : Results
    allow_partial : bool
        Whether missing and damaged runs are left out instead of refused.
    regret : str, optional
        The regret definition; by default the first that was recorded.
    band : str
        ``ci95``, of fewer than `duelbench.statistics.curves.FEWEST` runs or matrices their range; or ``none``.
    count : callable, optional
        Is called before each run is read.

    Raises
    ------
    IncompleteResults
        When runs are missing or damaged and that is not allowed, or when there are none.
    """
    longest: dict[tuple[str, int], dict[str, StoredCell]] = {}
    for cell in results.cells:
        together = longest.setdefault((cell.setting, cell.position), {})
        if cell.problem not in together or cell.horizon > together[cell.problem].horizon:
            together[cell.problem] = cell
    definitions = results.spec["regret"]
    which = 0 if regret is None else definitions.index(regret)
    asked = (which, definitions[which], band, count)
    explorers = [_read(list(together.values()), *asked) for together in longest.values()]
    gaps = [f"{e.label} on {e.problem}: {e.found} of {e.planned} runs" for e in explorers if e.found < e.planned]
    if gaps and not allow_partial:
        raise IncompleteResults("\n  ".join(["these results are not complete:", *gaps]))
    explorers = [explorer for explorer in explorers if explorer.found]
    if not explorers:
        raise IncompleteResults(f"{results.folder}: no run of it is there; `duelbench run` its spec")
    return explorers


def _read(cells: Sequence[StoredCell], which: int, definition: str, band: str, count: Callable[[], None]) -> Explorer:
    """One algorithm: a cell, or those of all matrices at one value of a sweep."""
    first = cells[0]
    matrices = [matrix for cell in cells if (matrix := _read_runs(cell, which, definition, count)).found]
    panels = [panel for panel in PANELS if matrices and all(panel in matrix.values for matrix in matrices)]
    means = {panel: np.array([matrix.values[panel].mean(axis=0) for matrix in matrices]) for panel in panels}
    alike = {panel: means[panel] if len(matrices) > 1 else matrices[0].values[panel] for panel in panels}
    rounds = matrices[0].rounds if matrices else np.zeros(0, np.int64)
    bands = {} if band == "none" or not matrices else _bands(rounds, alike)
    regret = bands.get("regret")
    return Explorer(
        problem=first.setting,
        algorithm=first.algorithm,
        label=first.label,
        rounds=rounds,
        mean={panel: means[panel].mean(axis=0) for panel in panels},
        sem={panel: _standard_error(alike[panel]) for panel in panels},
        low={panel: curve.low for panel, curve in bands.items()},
        high={panel: curve.high for panel, curve in bands.items()},
        definition=definition,
        band=regret.band if regret else "none",
        finished=np.concatenate([matrix.finished for matrix in matrices]) if "explored" in panels else None,
        found=sum(matrix.found for matrix in matrices),
        planned=sum(cell.n_runs for cell in cells),
        matrices=len(matrices),
    )


def _bands(rounds: np.ndarray, alike: Mapping[str, np.ndarray]) -> dict[str, Curve]:
    """Accuracy and regret with their bands, of (n, n_rounds) values that are independent; none of a single one."""
    regret = summarise(rounds, alike["regret"])
    if regret.band == "none":
        return {}
    share = alike["accuracy"].mean(axis=0)
    low, high = proportion_interval(share, len(alike["accuracy"]))
    return {"accuracy": replace(regret, mean=share, low=low, high=high), "regret": regret}


def _standard_error(values: np.ndarray) -> np.ndarray:
    """Of the mean of (n, n_rounds) values that are independent; 0 for a single one."""
    n = len(values)
    return values.std(axis=0, ddof=1 if n > 1 else 0) / np.sqrt(n)


@dataclass(frozen=True, eq=False)
class _Runs:
    """The runs of a cell.

    found : int. How many there are.
    rounds : (n,) int64. Checkpoints, 1-based.
    values : mapping of str to (found, n) float64. Panel -> each run's; without those that the runs do not have.
    finished : (found,) int64. First round after exploration; 0 where it never ended, or is not known.
    """

    found: int
    rounds: np.ndarray
    values: Mapping[str, np.ndarray]
    finished: np.ndarray


def _read_runs(cell: StoredCell, which: int, definition: str, count: Callable[[], None]) -> _Runs:
    """``which`` is the row of the regret ``definition`` in the traces."""
    traces = []
    for run in range(cell.n_runs):
        count()
        try:
            traces.append(cell.read(run).trace)
        except DamagedResult:
            continue
    if not traces:
        return _Runs(0, np.zeros(0, np.int64), {}, np.zeros(0, np.int64))
    best = winners_of(definition, cell)
    values = {
        "accuracy": np.array([np.isin(trace.recommended, best) for trace in traces], np.float64),
        "regret": np.array([trace.regret[which] for trace in traces]),
    }
    explored = [trace.explored for trace in traces if trace.explored is not None]
    if len(explored) == len(traces):
        last = isinstance(cell.matrix, ScalarBandit) and cell.matrix.decision.names_parameter
        values["explored"] = np.maximum(np.array(explored, np.float64), 1.0 if last else 0.0)
    finished = np.array([trace.finished or 0 for trace in traces])
    return _Runs(len(traces), traces[0].rounds, values, finished)


def read_published(path: Path, figure: str) -> Published:
    """Published curves of one figure from a CSV file with the columns figure, panel, algorithm, samples, value.

    Raises
    ------
    InputError
        When the file cannot be read, or has no curve of that figure.
    """
    curves: dict[str, dict[str, dict[int, float]]] = {}
    figures = set()
    try:
        with open(path, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                figures.add(row["figure"])
                if row["figure"] == figure:
                    curve = curves.setdefault(row["panel"], {}).setdefault(row["algorithm"], {})
                    curve[int(row["samples"])] = float(row["value"])
    except OSError as error:
        raise InputError(f"--beside {path}: cannot be read: {error.strerror or error}") from None
    except (KeyError, TypeError, ValueError, csv.Error):
        raise InputError(f"--beside {path}: needs the columns figure, panel, algorithm, samples, value") from None
    if not curves:
        known = ", ".join(sorted(figures)) or "none"
        raise InputError(f"--beside {path}: has no figure '{figure}' (there are {known})")
    return curves
