"""Reads the results of experiments for notebooks and commands: tables, arrays, matrices, the spec."""

import copy
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from duelbench.bandits.algorithms.registry import load_plug_in
from duelbench.bandits.problem.worlds.world import AnyProblem
from duelbench.bandits.statistics.curves import BANDS
from duelbench.common import markup
from duelbench.errors import InputError, nearest_or_all
from duelbench.experiments import places
from duelbench.experiments.execution.progress import Waiting
from duelbench.experiments.figures import comparison_table
from duelbench.experiments.figures.comparisons import Question, comparisons
from duelbench.experiments.figures.report import regret_lines
from duelbench.experiments.figures.summary import records, summary
from duelbench.experiments.results import experiments, manifest, settings, tables
from duelbench.experiments.results.experiments import Experiment
from duelbench.experiments.results.manifest import find_experiments, open_results

if TYPE_CHECKING:
    from pandas import DataFrame

MOST_SHOWN = 20
"""Most rows, and most sentences on missing runs, that a notebook shows."""


@dataclass(frozen=True, eq=False, repr=False)
class Results:
    """The results of one experiment; `duelbench.load` and `duelbench.run` return them.

    Tables are pandas DataFrames. Their first columns are ``problem``, the values of a sweep, ``algorithm`` (its id),
    ``label`` and ``horizon`` (rounds).
    """

    experiment: Experiment

    @property
    def name(self) -> str:
        """The experiment's name."""
        return self.experiment.name

    @property
    def folder(self) -> Path:
        """The results folder."""
        return self.experiment.results.folder

    @property
    def spec(self) -> dict[str, Any]:
        """The spec as it was run, with all defaults, in plain JSON types."""
        return copy.deepcopy(dict(self.experiment.results.spec))

    @property
    def definitions(self) -> tuple[str, ...]:
        """The definitions of regret that were recorded; tables show the first by default."""
        return self.experiment.definitions

    @property
    def incomplete(self) -> tuple[str, ...]:
        """A sentence for each algorithm and problem with missing or damaged runs."""
        return tuple(experiments.gaps_of(self.experiment))

    @property
    def verdicts(self) -> list[dict[str, Any]]:
        """What the interim analyses have decided, as in ``duelbench status --json``, in duels."""
        standing = self.experiment.standing
        return [verdict.content for verdict in standing.verdicts] if standing else []

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of `duelbench report`: on settings, mixed environments, and code that has changed."""
        return (*settings.notes([self.experiment]), *experiments.notes([self.experiment]))

    @cached_property
    def runs(self) -> "DataFrame":
        """One row for each run, with the columns of `duelbench.experiments.results.tables.runs`."""
        return tables.runs(self.experiment)

    def curves(self, definition: str | None = None, band: str = "ci95") -> "DataFrame":
        """Mean regret with a band: one row for each checkpoint of each curve.

        Parameters
        ----------
        definition : str, optional
            Of regret; by default the first that was recorded.
        band : str
            What ``low`` and ``high`` are, a key of `duelbench.bandits.statistics.curves.BANDS`: ``ci95``, ``sem``,
            ``std``, ``iqr``, ``range`` or ``none``. With fewer than 8 runs ``ci95`` is their range.

        Returns
        -------
        DataFrame
            After the first columns: ``round`` (1-based), ``mean``, ``low`` and ``high`` (cumulative, in duels), and
            ``runs``, the number of runs. With the band ``iqr`` also ``median``.

        Raises
        ------
        InputError
            When the definition was not recorded, or the band is unknown.
        """
        if band not in BANDS:
            raise InputError(f"band {band!r}: there is no such band{nearest_or_all(band, BANDS)}")
        return tables.curves(self.experiment, definition, band)

    def trajectories(self, definition: str | None = None) -> "DataFrame":
        """Regret at every checkpoint of every run: one row for each.

        Parameters
        ----------
        definition : str, optional
            Of regret; by default the first that was recorded.

        Returns
        -------
        DataFrame
            After the first columns: ``run`` (0-based), ``round`` (1-based) and ``regret`` (cumulative, in duels).

        Raises
        ------
        InputError
            When the definition was not recorded.
        """
        return tables.trajectories(self.experiment, definition)

    def array(
        self,
        label: str,
        problem: str | None = None,
        *,
        definition: str | None = None,
        horizon: int | None = None,
        **setting: Any,
    ) -> np.ndarray:
        """Cumulative regret of one algorithm, in duels, one row for each run.

        Parameters
        ----------
        label : str
            The algorithm's label in tables and legends.
        problem : str, optional
            Needed if there are several.
        definition : str, optional
            Of regret; by default the first that was recorded.
        horizon : int, optional
            Rounds; by default the algorithm's longest horizon.
        **setting
            A value of a sweep, as in ``n_arms=3``. Without ``game`` you get the runs on all random matrices of that
            value, one matrix after the other.

        Returns
        -------
        (runs, checkpoints) float64
            The checkpoints are those of `rounds` if the horizon is the experiment's.

        Raises
        ------
        InputError
            When there is no such curve, or more than one.
        """
        which = tables.index_of(self.experiment, definition)
        cells = tables.chosen(self.experiment, label, problem, horizon, setting)
        return np.concatenate([cell.regret[:, which] for cell in cells])

    @property
    def rounds(self) -> np.ndarray:
        """The checkpoints, (n,) int64, 1-based, of the runs with the longest horizon."""
        cells_with_runs = (cell for cell in self.experiment.cells if cell.n_runs)
        return max(cells_with_runs, key=lambda cell: cell.stored.horizon).rounds

    @property
    def matrices(self) -> dict[str, AnyProblem]:
        """The problems by name; in a sweep, names contain its value and the index of the random matrix."""
        return {cell.stored.problem: cell.stored.matrix for cell in self.experiment.cells}

    @property
    def matrix(self) -> AnyProblem:
        """The only problem.

        Raises
        ------
        InputError
            When there are several.
        """
        distinct = {matrix.sha256: matrix for matrix in self.matrices.values()}
        if len(distinct) > 1:
            raise InputError(f"{self.name} has {len(distinct)} problems: choose one of `matrices`, by name")
        return next(iter(distinct.values()))

    def summary(self, definition: str | None = None) -> "DataFrame":
        """Regret at the horizon: the table of ``duelbench report --csv``, one row for each algorithm and problem.

        Parameters
        ----------
        definition : str, optional
            Of regret; by default the first that was recorded.

        Raises
        ------
        InputError
            When the definition was not recorded.
        """
        tables.index_of(self.experiment, definition)
        return summary(records(self.experiment, definition))

    def compare(
        self,
        *labels: str,
        of: str | float = "mean",
        at: int | None = None,
        definition: str | None = None,
        against: str | None = None,
    ) -> "DataFrame":
        """Differences of regret, or of rounds before the answer: the table of ``duelbench compare --csv``.

        Parameters
        ----------
        *labels : str
            The algorithms to compare; by default all.
        of, at, definition, against
            As for `duelbench.compare`.

        Raises
        ------
        InputError
            As `duelbench.compare`.
        """
        question = Question(labels, of, at, definition, against)
        return comparison_table.as_frame(comparisons([self.experiment], question)[0])

    def __repr__(self) -> str:
        cells = self.experiment.cells
        labels = dict.fromkeys(cell.stored.label for cell in cells)
        n_runs, planned = sum(cell.n_runs for cell in cells), sum(cell.stored.n_runs for cell in cells)
        runs = f"{n_runs} runs" if n_runs == planned else f"{n_runs} of {planned} runs"
        return f"Results({self.name}: {runs} of {', '.join(labels)}; {self.spec['horizon']} rounds)"

    def _repr_html_(self) -> str:
        """The table of `duelbench report`, with the mean curves, for notebooks."""
        rows = records(self.experiment)
        heads, *lines = regret_lines(rows)[0]
        curves = []
        for row in rows[:MOST_SHOWN]:
            points = row["curve"]
            curves.append(markup.curve([point["round"] for point in points], [point["mean"] for point in points]))
        parts = [markup.paragraph(f"{self.experiment.title}: cumulative {self.definitions[0]} regret, in duels")]
        parts += [markup.paragraph(gap, strong=True) for gap in self.incomplete[:MOST_SHOWN]]
        parts.append(markup.table([*heads, "mean against log t"], lines[:MOST_SHOWN], pictures=curves))
        if len(rows) > MOST_SHOWN:
            parts.append(markup.paragraph(f"and {len(rows) - MOST_SHOWN} more rows: summary() has them"))
        return "".join(parts)


ResultsLike = Results | str | os.PathLike[str]


def load(folder: str | os.PathLike[str], plug_in: str | Iterable[str] | None = None, partial: bool = False) -> Results:
    """Read the results of one experiment, without running or writing anything.

    Parameters
    ----------
    folder : path
        The results folder, such as ``results/first``.
    plug_in : str or iterable of str, optional
        The .py files or modules of the experiment's own algorithms.
    partial : bool
        Whether to use incomplete results; `Results.incomplete` then says what is missing.

    Raises
    ------
    InputError
        When there is no experiment in the folder, or several.
    IncompleteResults
        When runs are missing, failed or damaged, or there are none at all.

    Examples
    --------
    >>> load("no such folder")
    Traceback (most recent call last):
    ...
    duelbench.errors.InputError: no such folder: there is no such folder
    """
    for name in named(plug_in):
        load_plug_in(name)
    if places.is_of_spec(Path(folder)):
        raise InputError(f"load('{folder}'): name the results folder; run('{folder}') gives the results of a spec")
    first, *others = find_experiments(Path(folder))
    if others:
        names = ", ".join(path.name for path in (first, *others))
        raise InputError(f"{folder} holds several experiments ({names}): load one of them, as in load('{first}')")
    incomplete = experiments.Incomplete()
    complete = experiments.load_complete([open_results(first)], incomplete, allow_partial=partial)
    incomplete.raise_any(partial="partial=True")
    return Results(complete[0])


def named(names: str | Iterable[str] | None) -> tuple[str, ...]:
    """The names in an argument that is one name, several or None."""
    return (names,) if isinstance(names, str) else tuple(names or ())


def read_all(
    results: ResultsLike | Sequence[ResultsLike],
    plug_in: str | Iterable[str] | None,
    partial: bool,
    waiting: Waiting,
    say: Callable[[str], object] = places.say_note,
    choose: Callable[[Sequence[manifest.Results]], Sequence[manifest.Results]] = lambda opened: opened,
) -> tuple[list[Experiment], experiments.Incomplete]:
    """Read several experiments; the second value says which are left out because they are incomplete.

    Parameters
    ----------
    results : Results, path, or several of them
        Results folders, folders of several, specs, or results that were loaded before.
    plug_in : str or iterable of str, optional
        .py files or modules with algorithms.
    partial : bool
        Whether to use incomplete results.
    waiting : Waiting
        Shows the progress.
    say : callable
        Prints notes: folders that are named twice, and keys of a spec that have changed since it was run.
    choose : callable
        Picks the results to read.
    """
    types = (Results, str, os.PathLike)
    items = [results] if isinstance(results, types) else list(results)
    if not items or not all(isinstance(item, types) for item in items):
        raise InputError("name one results folder or several, or give what `duelbench.load` returned")
    loaded = {item.folder.resolve(): item.experiment for item in items if isinstance(item, Results)}
    paths = [item.folder if isinstance(item, Results) else Path(item) for item in items]
    for folder, times in Counter(path.resolve() for path in paths).items():
        if times > 1:
            say(f"{os.path.relpath(folder)} is named {times} times: these are the same runs, which are read once")
    opened, incomplete = places.results_at(paths, named(plug_in), say)
    chosen = {results.folder.resolve(): results for results in choose(opened)}
    new = [results for folder, results in chosen.items() if folder not in loaded]
    complete = experiments.load_complete(new, incomplete, allow_partial=partial, count=waiting.reading)
    loaded |= {experiment.results.folder.resolve(): experiment for experiment in complete}
    return [loaded[folder] for folder in chosen if folder in loaded], incomplete


def notes_on(of_experiments: Sequence[Experiment]) -> list[str]:
    """Notes on experiments: what is missing, and what differs between them."""
    gaps = [f"partial: {gap}" for experiment in of_experiments for gap in experiments.gaps_of(experiment)]
    return [*gaps, *experiments.notes(of_experiments)]
