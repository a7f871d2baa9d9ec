"""Regret of the figures as it stands in ``docs/figures/numbers.csv``: where the pages' tables come from.

One row per curve and round. A row keeps the trace version of its algorithm and a digest of what determines its runs, so
that it can be told from what the tree would compute today.
"""

import csv
import hashlib
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from duelbench.experiments.figures.kinds import exploration
from duelbench.experiments.figures.scene import groups
from duelbench.experiments.figures.source import Source
from duelbench.experiments.results.cells import Cell
from duelbench.experiments.results.experiments import LoadedCell, load_experiments
from duelbench.experiments.results.manifest import StoredCell

FILE = Path(__file__).parents[2] / "docs" / "figures" / "numbers.csv"


class Curve(NamedTuple):
    """What a row of numbers is of; the same from a results folder and from a spec.

    problem : str. Empty where the experiment has one; "all" where the figure takes all together.
    label : str.
    horizon : int. Rounds.
    """

    problem: str
    label: str
    horizon: int


class Made(NamedTuple):
    """What the runs of a curve were made by.

    algorithm : str. Its id.
    trace_version : int. 0 where it is not known.
    cell : str. Digest of the identities, 12 hexadecimal digits; empty for numbers from before they were recorded.
    runs : int.
    """

    algorithm: str
    trace_version: int
    cell: str
    runs: int


class Number(NamedTuple):
    """One row: a curve at one round.

    mean, sem, median : float or None
        Cumulative regret, in duels. Runs on one of several random matrices are alike: the error is that of the means
        of the matrices. No median where the figure is one of exploration.
    accuracy, explored : float or None
        Of exploration: share of runs whose announced decision is optimal, mean number of parameters still explored.
    """

    experiment: str
    curve: Curve
    made: Made
    round: int
    mean: float
    sem: float | None
    median: float | None = None
    accuracy: float | None = None
    explored: float | None = None


COLUMNS = ("experiment", *Curve._fields, *Made._fields, *Number._fields[3:])


def read(path: Path = FILE) -> list[Number]:
    """The recorded numbers, in the order of the file."""
    with path.open(encoding="utf-8", newline="") as file:
        return [_from_row(row) for row in csv.DictReader(file)]


def write(numbers: Iterable[Number], path: Path = FILE) -> None:
    """Write numbers, sorted by experiment."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for number in sorted(numbers, key=lambda number: number.experiment):
        values = (_digits(value) for value in number[4:])
        writer.writerow([number.experiment, *number.curve, *number.made, number.round, *values])
    path.write_text(text.getvalue(), encoding="utf-8")


def _digits(value: float | None) -> str:
    return "" if value is None else f"{value:.8g}"


def _from_row(row: dict[str, str]) -> Number:
    optional = {name: float(row[name]) if row[name] else None for name in Number._fields[5:]}
    return Number(
        row["experiment"],
        Curve(row["problem"], row["label"], int(row["horizon"])),
        Made(row["algorithm"], int(row["trace_version"]), row["cell"], int(row["runs"])),
        int(row["round"]),
        float(row["mean"]),
        **optional,
    )


def curves(cells: Sequence[Cell | StoredCell], together: bool) -> dict[Curve, list[Any]]:
    """The cells of each curve, those of all problems together if the figure takes them so."""
    settings = {cell.setting for cell in cells}
    found: dict[Curve, list[Any]] = {}
    for cell in cells:
        problem = "all" if together else cell.setting if len(settings) > 1 else ""
        found.setdefault(Curve(problem, cell.label, cell.identity.horizon), []).append(cell)
    return found


def made_by(cells: Sequence[Cell | StoredCell]) -> Made:
    """What makes the runs of a curve's cells."""
    identity = cells[0].identity
    digest = hashlib.sha256("".join(cell.identity.key(0) for cell in cells).encode()).hexdigest()[:12]
    return Made(identity.algorithm, identity.trace_version, digest, sum(cell.n_runs for cell in cells))


def is_pooled(spec: Any) -> bool:
    """Whether the figure of a spec (canonical) takes all problems together."""
    return bool((spec.get("figure") or {}).get("pool"))


def record(folder: Path, rounds: Sequence[int]) -> list[Number]:
    """The numbers of a results folder: every curve at its horizon, and at ``rounds`` if it goes so far.

    Between two checkpoints curves are interpolated. An algorithm that is run again for each horizon has one curve for
    each, and only their ends are numbers.
    """
    if folder.name.startswith("urvoy2013"):
        return _record_exploration(folder, rounds)
    (experiment,) = load_experiments([folder])
    loaded = {cell.stored.folder: cell for cell in experiment.cells}
    last = experiment.results.spec["horizon"]
    numbers = []
    for curve, cells in curves(experiment.results.cells, is_pooled(experiment.results.spec)).items():
        if curve.horizon in (last, *rounds):
            restarts = not cells[0].anytime
            wanted = {curve.horizon} if restarts else {t for t in rounds if t < curve.horizon} | {curve.horizon}
            for t in sorted(wanted):
                summary = _summary([loaded[cell.folder] for cell in cells], t)
                numbers.append(Number(experiment.name, curve, made_by(cells), t, *summary))
    return numbers


def _summary(cells: Sequence[LoadedCell], t: int) -> tuple[float, float | None, float]:
    """Mean of the runs after round t, its standard error, and the median."""
    of_cells = [np.array([np.interp(t, cell.rounds, run) for run in cell.regret[:, 0]]) for cell in cells]
    runs = np.concatenate(of_cells)
    independent = runs if len(cells) == 1 else np.array([of_cell.mean() for of_cell in of_cells])
    sem = float(independent.std(ddof=1) / np.sqrt(len(independent))) if len(independent) > 1 else None
    return float(runs.mean()), sem, float(np.median(runs))


def _record_exploration(folder: Path, rounds: Sequence[int]) -> list[Number]:
    (experiment,) = load_experiments([folder])
    numbers = []
    by_curve = curves(experiment.results.cells, together=False)
    source = Source(experiment, experiment.definitions[0])
    for (name, label), rows in groups(exploration.numbers(source, exploration.Options()), "problem", "label"):
        problem = name if any(curve.problem for curve in by_curve) else ""
        curve = max((c for c in by_curve if c[:2] == (problem, label)), key=lambda c: c.horizon)
        table = rows.set_index(["round", "panel"])[["mean", "sem"]].unstack()
        for t in (t for t in rounds if t in table.index):
            mean, sem = table.loc[t, "mean"], table.loc[t, "sem"]
            regret, error = float(mean["regret"]), float(sem["regret"])
            number = Number(folder.name, curve, made_by(by_curve[curve]), t, regret, error)
            explored = float(mean["explored"]) if "explored" in mean else None
            numbers.append(number._replace(accuracy=float(mean["accuracy"]), explored=explored))
    return numbers
