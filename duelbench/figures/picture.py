"""What every kind of figure is made from and made into, and the figure with a panel for each problem."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from duelbench.errors import IncompleteResults, InputError
from duelbench.figures.drawing import canvas
from duelbench.figures.drawing.style import Style, styles_of
from duelbench.figures.options import FigureOptions
from duelbench.results.experiments import Experiment, LoadedCell
from duelbench.statistics.curves import missing_in_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

Key = tuple[str, str]
"""An algorithm's id and its label."""

Looks = dict[Key, Style]

FIRST_ROUND = 10
"""Where time axes begin, as in the papers."""


@dataclass(frozen=True, eq=False, kw_only=True)
class OfRuns:
    """What the runs of an algorithm on a problem show."""

    problem: str
    algorithm: str
    label: str
    runs: int  # how many there are, and how many the spec asks for
    planned: int

    @property
    def key(self) -> Key:
        """The algorithm's id and its label."""
        return self.algorithm, self.label


def about(cells: Sequence[LoadedCell]) -> dict[str, Any]:
    """The fields of `OfRuns` for cells that are taken together."""
    stored = cells[0].stored
    counts = {"runs": sum(cell.n_runs for cell in cells), "planned": sum(cell.stored.n_runs for cell in cells)}
    return {"problem": stored.problem, "algorithm": stored.algorithm, "label": stored.label, **counts}


Found = TypeVar("Found", bound=OfRuns)


@dataclass(frozen=True)
class Request:
    """The figure that is asked for."""

    experiment: Experiment
    options: FigureOptions
    regret: str  # the definition of regret to show
    title: str | None = None
    only: Sequence[str] | None = None  # labels to draw; by default all
    stamp: str | None = None  # A warning to write across every panel, besides those about missing runs

    @property
    def which(self) -> int:
        """The row of the definition in what the runs have recorded."""
        return self.experiment.definitions.index(self.regret)

    @cached_property
    def looks(self) -> Looks:
        """The looks of all algorithms of the experiment."""
        return styles_of((cell.stored.algorithm, cell.stored.label) for cell in self.experiment.cells)

    def has(self, label: str) -> bool:
        """Whether a label is to be drawn."""
        return self.only is None or label in self.only

    def shown(self, found: Sequence[Found]) -> list[Found]:
        """Those whose label is to be drawn; raises IncompleteResults if there are none."""
        own = [one for one in found if self.has(one.label)]
        if self.only and not own:
            nothing = f"{self.experiment.name}: no runs of {', '.join(self.only)} to draw"
            raise IncompleteResults(f"{nothing}; `duelbench run` its spec")
        return own

    def handles(self, found: Iterable[OfRuns], joined: bool = True) -> list[Any]:
        """A line for each algorithm, or its marker alone."""
        return self.lines({one.key: one.label for one in found}, joined)

    def lines(self, labels: Mapping[Key, str], joined: bool = True) -> list[Any]:
        """A line for each algorithm, or its marker alone, with these labels."""
        from matplotlib.lines import Line2D

        return [
            Line2D([], [], label=canvas.literal(label), **canvas.line(self.looks[key], joined))
            for key, label in labels.items()
        ]

    def first_round(self, last: int, begins: int | None = None) -> int:
        """Where the time axis begins: where the options say, or at ``begins``, `FIRST_ROUND`, or 1 if runs end before.

        Raises
        ------
        InputError
            When the longest run has ended by then, at the round ``last``.
        """
        usual = max(1, int(self.options.x[0])) if self.options.x else FIRST_ROUND if last > FIRST_ROUND else 1
        begins = self.options.first_round or begins or usual
        if begins >= last > 1:
            raise InputError(
                f"{self.experiment.name}: the time axis of its figure begins at round {begins}, but the longest run"
                f" ends at round {last}"
            )
        return begins


@dataclass(frozen=True)
class Picture:
    """A figure that can be drawn, and its numbers."""

    draw: "Callable[[], Figure]"  # returns the Matplotlib figure
    numbers: "Callable[[], DataFrame]"  # returns exactly the numbers in it


def in_reading_order(cells: Iterable[LoadedCell]) -> list[LoadedCell]:
    """Algorithm by algorithm, each on all problems, in the order of the spec."""
    return sorted(cells, key=lambda cell: cell.stored.position)


def missing_of(own: Iterable[OfRuns]) -> str:
    """A panel's warning about missing runs; empty if there are none."""
    own = list(own)
    return missing_in_words(sum(one.runs for one in own), sum(one.planned for one in own))


def longest(cells: Iterable[LoadedCell]) -> list[LoadedCell]:
    """Of each algorithm on each problem the cell with the longest horizon, which comes last among its cells."""
    return list({(cell.stored.problem, cell.stored.position): cell for cell in cells}.values())


def panel_per_problem(
    request: Request,
    drawn: Sequence[Found],
    draw: "Callable[[Axes, list[Found]], None]",
    names: tuple[str, str],
    caption: str,
    *,
    handles: Callable[[], list[Any]] | None = None,
) -> "Figure":
    """A figure with a panel for each problem, drawn by ``draw``; ``names`` are those of the axes.

    The caption stands above the legend. ``handles`` makes its entries; by default a line for each algorithm.
    """
    problems = list(dict.fromkeys(one.problem for one in drawn))
    with canvas.house_style():
        grid = canvas.new_grid(problems, request.title, request.options.columns)
        for axes, problem in zip(grid.panels, problems, strict=True):
            own = [one for one in drawn if one.problem == problem]
            draw(axes, own)
            canvas.stamp(axes, missing_of(own), request.stamp)
        canvas.name_axes(grid, *names)
        canvas.add_legend(grid, handles() if handles else request.handles(drawn), caption)
    return grid.figure


def panel_per_algorithm(request: Request, found: Sequence[Found], draw: "Callable[[Axes, Found], None]") -> canvas.Grid:
    """A figure with a panel for each algorithm and problem, unfinished; several problems stand side by side."""
    problems = {one.problem for one in found}
    titles = [f"{one.label} on {one.problem}" if len(problems) > 1 else one.label for one in found]
    usual = min(len(problems), canvas.MOST_COLUMNS) if len(problems) > 1 else None
    grid = canvas.new_grid(titles, request.title, request.options.columns or usual)
    for axes, one in zip(grid.panels, found, strict=True):
        draw(axes, one)
        canvas.stamp(axes, missing_of([one]), request.stamp)
    return grid
