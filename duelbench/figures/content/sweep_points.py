"""The points of a figure of a sweep: regret at the horizon of each algorithm at each value."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from duelbench.figures.content.panels import pool_cells
from duelbench.figures.options import FigureOptions
from duelbench.results.experiments import Experiment, LoadedCell
from duelbench.spec.experiment_spec import Point
from duelbench.statistics.curves import Curve, summarise


@dataclass(frozen=True, eq=False)
class SweepPoint:
    """Regret at the horizon of one algorithm at one value, in duels.

    Parameters
    ----------
    problem, algorithm, label, over : str
    value : number or str
    curve : Curve
        At the horizon alone, of the runs on all random matrices together.
    planned : int
        Runs that the spec asks for.
    """

    problem: str
    algorithm: str
    label: str
    over: str
    value: Any
    curve: Curve
    planned: int

    @property
    def runs(self) -> int:
        """How many runs there are, on all random matrices together."""
        return int(self.curve.runs[0])


def sweep_points(experiment: Experiment, options: FigureOptions, regret: str) -> list[SweepPoint]:
    """The points of a sweep, those without any run left out."""
    which = experiment.definitions.index(regret)
    groups: dict[tuple[str, int], list[LoadedCell]] = {}
    for cell in _at_every_value(experiment):
        groups.setdefault((cell.stored.setting, cell.stored.position), []).append(cell)
    points = []
    for cells in groups.values():
        pooled = pool_cells(experiment, cells)
        point = cells[0].stored.point
        if not pooled.n_runs or point is None:
            continue
        stored = pooled.stored
        points.append(
            SweepPoint(
                problem=point.problem,
                algorithm=stored.algorithm,
                label=stored.label,
                over=point.over,
                value=tuple(point.value) if isinstance(point.value, list) else point.value,
                curve=summarise(pooled.rounds[-1:], pooled.regret[:, which, -1:], options.band, pooled.games),
                planned=stored.n_runs,
            )
        )
    return points


def _at_every_value(experiment: Experiment) -> Iterator[LoadedCell]:
    """The cells; those of algorithms that a sweep leaves as they are stand at each of its values."""
    sweep = experiment.results.spec.get("sweep", {"values": ()})
    for cell in experiment.cells:
        if cell.stored.point is not None:
            yield cell
            continue
        for value in sweep["values"]:
            point = Point(cell.stored.problem, sweep["over"], value)
            yield replace(cell, stored=replace(cell.stored, point=point))
