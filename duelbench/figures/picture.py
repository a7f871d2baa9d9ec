"""What every kind of figure is made from and made into, and the figure with a panel for each problem."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from duelbench.errors import InputError
from duelbench.figures.drawing import canvas
from duelbench.figures.drawing.style import Style, styles_of
from duelbench.figures.options import FigureOptions
from duelbench.results.experiments import Experiment, LoadedCell
from duelbench.statistics.curves import missing_in_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Looks = dict[tuple[str, str], Style]
"""(algorithm id, label) -> look."""

FIRST_ROUND = 10
"""Where time axes begin, as in the papers."""

_MARKERS_PER_CURVE = 6


class OfRuns(Protocol):
    """What the runs of an algorithm on a problem show."""

    @property
    def problem(self) -> str: ...
    @property
    def algorithm(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def runs(self) -> int:
        """How many there are."""

    @property
    def planned(self) -> int:
        """How many the spec asks for."""


Found = TypeVar("Found", bound=OfRuns)


@dataclass(frozen=True)
class Request:
    """The figure that is asked for."""

    experiment: Experiment
    options: FigureOptions
    regret: str  # the definition of regret to show
    title: str | None = None
    only: Sequence[str] | None = None  # labels to draw; by default all
    stamp: str | None = None  # A warning to write across every panel, beside those about missing runs

    @property
    def which(self) -> int:
        """The row of the definition in what the runs have recorded."""
        return self.experiment.definitions.index(self.regret)

    @cached_property
    def looks(self) -> Looks:
        """The looks of all algorithms of the experiment."""
        return styles_of((cell.stored.algorithm, cell.stored.label) for cell in self.experiment.cells)

    def shown(self, found: Sequence[Found]) -> list[Found]:
        """Those whose label is to be drawn."""
        return [one for one in found if self.only is None or one.label in self.only]


@dataclass(frozen=True)
class Picture:
    """A figure that can be drawn, and its numbers."""

    draw: "Callable[[], Figure]"  # returns the Matplotlib figure
    numbers: Callable[[], str]  # returns exactly the numbers in it, as CSV
    labels: tuple[str, ...]  # of the algorithms in it


def labels_of(found: Iterable[Any]) -> tuple[str, ...]:
    """The labels of what a figure shows, each once."""
    return tuple(dict.fromkeys(one.label for one in found))


def in_reading_order(found: Sequence[Found]) -> list[Found]:
    """Algorithm by algorithm, each on all problems, in the order of the spec."""
    keys = list(dict.fromkeys((one.algorithm, one.label) for one in found))
    return sorted(found, key=lambda one: keys.index((one.algorithm, one.label)))


def missing_of(own: Iterable[Any]) -> str:
    """What a panel says of the runs of all in it; nothing where they are all there."""
    counts = [(one.runs, one.planned) for one in own]
    return missing_in_words(sum(runs for runs, _ in counts), sum(planned for _, planned in counts))


def longest(cells: Iterable[LoadedCell]) -> list[LoadedCell]:
    """Of each algorithm on each problem the cell with the longest horizon."""
    found: dict[tuple[str, int], LoadedCell] = {}
    for cell in cells:
        known = found.setdefault((cell.stored.problem, cell.stored.position), cell)
        if cell.stored.horizon > known.stored.horizon:
            found[cell.stored.problem, cell.stored.position] = cell
    return list(found.values())


def panel_per_problem(
    request: Request,
    found: Sequence[Found],
    draw: "Callable[[Axes, list[Found]], None]",
    names: tuple[str, str],
    caption: str,
    *,
    handles: "Sequence[Any] | None" = None,
) -> "Figure":
    """Draw a figure with a panel for each problem.

    Parameters
    ----------
    request : Request
    found : sequence
        At least one, in the order of the spec; those whose label is not asked for are left out.
    draw : callable
        Draws those of one problem into its panel.
    names : (str, str)
        Of the axes.
    caption : str
        Stands above the legend.
    handles : sequence of Artist, optional
        Of the legend; by default a line for each algorithm.
    """
    drawn = request.shown(found)
    problems = list(dict.fromkeys(one.problem for one in drawn))
    with canvas.house_style():
        grid = canvas.new_grid(len(problems), request.title, request.options.columns)
        for axes, problem in zip(grid.panels, problems, strict=True):
            own = [one for one in drawn if one.problem == problem]
            draw(axes, own)
            canvas.stamp(axes, missing_of(own), request.stamp)
            if len(problems) > 1:
                axes.set_title(canvas.wrapped(problem, 0.9 * grid.panel_width))
        canvas.name_axes(grid, *names)
        canvas.add_legend(grid, line_handles(request, drawn) if handles is None else handles, caption)
    return grid.figure


def line_handles(request: Request, drawn: Sequence[Found], joined: bool = True) -> list[Any]:
    """A line for each algorithm, or its marker alone."""
    from matplotlib.lines import Line2D

    keys = dict.fromkeys((one.algorithm, one.label) for one in drawn)
    with canvas.house_style():
        return [Line2D([], [], label=canvas.literal(key[1]), **canvas.line(request.looks[key], joined)) for key in keys]


def marker_places(number: int, n_curves: int) -> np.ndarray:
    """Where on curve ``number`` the markers are, from 0 to 1: each curve's are shifted, so that none are covered."""
    return (np.arange(_MARKERS_PER_CURVE) + (number + 0.5) / n_curves) / _MARKERS_PER_CURVE


def layer(number: int, n_curves: int) -> float:
    """The first algorithms of the spec lie on top."""
    return 3 + 0.001 * (n_curves - number)


def check_time_axis(experiment: Experiment, begins: int, last: int) -> None:
    """Refuse a time axis that begins at or after the round ``last``, at which the longest run ends.

    Raises
    ------
    InputError
        Saying where the axis begins, and where the run ends.
    """
    if begins >= last > 1:
        raise InputError(
            f"{experiment.name}: the time axis of its figure begins at round {begins}, but the longest run ends at"
            f" round {last}"
        )
