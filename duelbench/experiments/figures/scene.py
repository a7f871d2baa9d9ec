"""Shared parts of figures of all kinds: everything drawn besides the numbers, and figures of several panels."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from duelbench.bandits.statistics.curves import count_of, missing_in_words
from duelbench.errors import InputError
from duelbench.experiments.figures.changes import NONE, Changes
from duelbench.experiments.figures.drawing import canvas
from duelbench.experiments.figures.drawing.style import Key, Style
from duelbench.experiments.figures.options import KindOptions

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

    from duelbench.experiments.results.samples import Sample

FIRST_ROUND = 10
"""The first round on axes of time, as in the papers."""

_CELL = ("problem", "algorithm", "label", "horizon", "value")
"""Columns that identify the runs behind a row of numbers."""


@dataclass(frozen=True)
class Scene:
    """Everything that a figure shows besides its numbers."""

    regret: str  # the definition of regret
    styles: Mapping[Key, Style]  # of all algorithms, drawn or not
    title: str | None = None
    stamp: str | None = None  # a warning across every panel, besides one about missing runs
    note: str = ""  # follows the caption
    changes: Mapping[str, Changes] = field(default_factory=dict)  # of the worlds, by problem
    titles: Mapping[str, str] = field(default_factory=dict)  # of panels, by problem, if it is not the problem itself
    limits: Mapping[str, KindOptions] = field(default_factory=dict)  # the options of a panel that has its own

    def style(self, rows: "DataFrame") -> Style:
        """The look of the algorithm of rows of numbers."""
        return self.styles[key_of(rows)]

    def style_of(self, row: Any) -> Style:
        """The look of the algorithm of a row from `DataFrame.itertuples`."""
        return self.styles[row.algorithm, row.label]

    def changes_of(self, problem: str) -> Changes:
        """The changes of a problem's world."""
        return self.changes.get(problem, NONE)

    def caption(self, *sentences: str) -> str:
        """The sentences that are not empty, and the note."""
        return "; ".join(filter(None, (*sentences, self.note)))


def key_of(rows: "DataFrame") -> Key:
    """The algorithm and the label of rows that have one."""
    return rows["algorithm"].iat[0], rows["label"].iat[0]


def groups(rows: "DataFrame", *columns: str) -> "list[tuple[Any, DataFrame]]":
    """The rows of each value of a column (of each combination of several), in the order in which they come."""
    by: Any = columns[0] if len(columns) == 1 else list(columns)
    return list(rows.groupby(by, sort=False, dropna=False))


def counted(rows: "DataFrame") -> "DataFrame":
    """The columns ``runs`` and ``planned``, once for the runs behind the rows."""
    names = [name for name in _CELL if name in rows]
    return rows.drop_duplicates(names)[["runs", "planned"]]


def missing_of(rows: "DataFrame") -> str:
    """A panel's warning about missing runs; empty if there are none."""
    runs, planned = counted(rows).sum()
    return missing_in_words(int(runs), int(planned))


def runs_in_words(rows: "DataFrame") -> str:
    """The number of runs behind each curve of a figure: ``100 runs`` or ``1 to 100 runs``."""
    return count_of(counted(rows)["runs"].astype(int).tolist())


def labels_with_runs(rows: "DataFrame") -> dict[Key, str]:
    """The name of each algorithm in a legend: its label, with its runs if some are missing."""
    labels = {}
    for key, part in groups(rows, "algorithm", "label"):
        runs, planned = (int(number) for number in counted(part).sum())
        labels[key] = f"{key[1]} ({runs} of {planned} runs)" if runs < planned else key[1]
    return labels


def has_runs(rows: "DataFrame") -> "DataFrame":
    """The rows of numbers, without those for missing runs."""
    return rows[rows["runs"] > 0]


def without_runs(rows: "DataFrame") -> str:
    """The algorithms without runs on some problem, in words; empty if there are none."""
    lacking = rows[rows["runs"] == 0]["label"].unique()
    return f"no runs of {', '.join(lacking)}" if len(lacking) else ""


def first_round(ends: tuple[Any, Any] | None, last: int, start: int | None = None) -> int:
    """The round at which an axis of time starts.

    Parameters
    ----------
    ends : tuple, optional
        The ends of the axis, as the options have them.
    last : int
        The last round of the longest run.
    start : int, optional
        The start if the options have none; by default `FIRST_ROUND`, or 1 if the runs end before.
    """
    if ends and ends[0] is not None:
        return max(1, int(ends[0]))
    return start or (FIRST_ROUND if last > FIRST_ROUND else 1)


def window(
    ends: tuple[Any, Any] | None, curves: "Sequence[Sequence[Sample]]", name: str, start: int | None = None
) -> tuple[int, int]:
    """The first and the last round that a figure shows of curves, each of which has a sample for each horizon.

    ``name`` is that of the experiment in messages; the other parameters are those of `first_round`.

    Raises
    ------
    InputError
        When the longest run has ended by the first round, or no curve has a point between the two.
    """
    points: list[int] = []
    for horizons in curves:
        for sample in horizons:
            points += (sample.rounds[-1:] if len(horizons) > 1 else sample.rounds).tolist()
    longest = max(points, default=1)
    first = first_round(ends, longest, start)
    last = int(ends[1]) if ends and ends[1] is not None else longest
    if first >= longest > 1:
        raise InputError(
            f"{name}: the time axis of its figure starts at round {first}, but the longest run ends at round {longest}"
        )
    if points and not any(first <= point <= last for point in points):
        raise InputError(f"{name}: no checkpoint is between rounds {first} and {last}, the ends of its time axis")
    return first, last


def within(rows: "DataFrame", window: tuple[int, int]) -> "DataFrame":
    """The rows whose round is in a window, and those without a round."""
    return rows[rows["round"].isna() | rows["round"].between(*window)]


def handles(rows: "DataFrame", scene: Scene, markers: bool = True) -> list[Any]:
    """A line for each algorithm, for the legend."""
    from matplotlib.lines import Line2D

    return [
        Line2D([], [], label=canvas.literal(label), **canvas.line(scene.styles[key], markers=markers))
        for key, label in labels_with_runs(rows).items()
    ]


def panel_per_problem(
    numbers: "DataFrame",
    options: Any,
    scene: Scene,
    draw: "Callable[[Axes, DataFrame], None]",
    names: tuple[str, str],
    caption: str,
    *,
    entries: Sequence[Any] | None = None,
) -> "Figure":
    """A figure with a panel for each problem, drawn by ``draw``.

    Parameters
    ----------
    numbers : DataFrame
        Has the columns ``problem``, ``algorithm``, ``label``, ``runs`` and ``planned``, besides those of the kind.
    options : KindOptions
        Options with ``columns``.
    scene : Scene
    draw : callable
        Draws the rows of a problem that has runs.
    names : tuple of str
        The names of the axes.
    caption : str
        Above the legend.
    entries : sequence of Artist, optional
        The entries of the legend; by default a line for each algorithm.
    """
    panels = groups(numbers, "problem")
    with canvas.house_style():
        grid = canvas.new_grid([problem for problem, _ in panels], scene.title, options.columns)
        for axes, (_, rows) in zip(grid.panels, panels, strict=True):
            if len(has_runs(rows)):
                draw(axes, rows)
            else:
                axes.set(xticks=[], yticks=[])
            canvas.stamp(axes, missing_of(rows), scene.stamp)
        canvas.name_axes(grid, *names)
        canvas.add_legend(grid, handles(numbers, scene) if entries is None else entries, scene.caption(caption))
    return grid.figure


def panel_per_algorithm(
    numbers: "DataFrame", options: Any, scene: Scene, draw: "Callable[[Axes, DataFrame], None]"
) -> canvas.Grid:
    """A figure with a panel for each algorithm and problem, without a legend; several problems are side by side."""
    drawn = has_runs(numbers)
    problems = drawn["problem"].nunique()
    panels = []  # algorithm by algorithm, each on all problems
    for (_, label), rows in groups(drawn, "algorithm", "label"):
        for problem, part in groups(rows, "problem"):
            panels.append((f"{label} on {problem}" if problems > 1 else label, part))
    usual = min(problems, canvas.MOST_COLUMNS) if problems > 1 else None
    grid = canvas.new_grid([title for title, _ in panels], scene.title, options.columns or usual)
    for axes, (_, rows) in zip(grid.panels, panels, strict=True):
        draw(axes, rows)
        canvas.stamp(axes, missing_of(rows), scene.stamp)
    return grid
