"""The results of one experiment, as a notebook wants them: tables, arrays, matrices, the spec."""

import copy
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from duelbench import markup
from duelbench.algorithms.registry import load_plug_in
from duelbench.api import places
from duelbench.errors import InputError, nearest_or_all
from duelbench.execution.progress import Waiting
from duelbench.figures import comparison_table
from duelbench.figures.comparisons import Question, comparisons
from duelbench.figures.report import regret_lines
from duelbench.figures.summary import records, summary
from duelbench.problem.worlds.world import AnyProblem
from duelbench.results import experiments, manifest, settings, tables
from duelbench.results.experiments import Experiment
from duelbench.results.manifest import find_experiments, open_results
from duelbench.statistics.curves import BANDS

if TYPE_CHECKING:
    from pandas import DataFrame

MOST_SHOWN = 20
"""Most rows, and most notes on missing runs, that a notebook shows."""


@dataclass(frozen=True, eq=False, repr=False)
class Results:
    """The results of one experiment; `duelbench.load` and `duelbench.run` return them.

    Tables are pandas DataFrames. Their first columns say what a row is of: ``problem``, what a sweep is over,
    ``algorithm`` (its id), ``label`` and ``horizon`` (rounds).
    """

    experiment: Experiment  # what was read

    @property
    def name(self) -> str:
        """The experiment's name."""
        return self.experiment.name

    @property
    def folder(self) -> Path:
        """Where the results are."""
        return self.experiment.results.folder

    @property
    def spec(self) -> dict[str, Any]:
        """The spec with every default filled in, in plain JSON types: as it was run, whatever its file says now."""
        return copy.deepcopy(dict(self.experiment.results.spec))

    @property
    def definitions(self) -> tuple[str, ...]:
        """The regret definitions that were recorded; the first is the one that all tables show by default."""
        return self.experiment.definitions

    @property
    def incomplete(self) -> tuple[str, ...]:
        """What is missing or damaged, a sentence for each algorithm and problem; nothing where all runs are there."""
        return tuple(experiments.gaps_of(self.experiment))

    @property
    def verdicts(self) -> list[dict[str, Any]]:
        """What is decided, where the spec says until when to run: as in ``duelbench status --json``, in duels."""
        found = self.experiment.standing
        return [one.content for one in found.verdicts] if found else []

    @property
    def notes(self) -> tuple[str, ...]:
        """What `duelbench report` notes beside its table: settings, mixed environments, code that has changed since."""
        return (*settings.notes([self.experiment]), *experiments.notes([self.experiment]))

    @cached_property
    def runs(self) -> "DataFrame":
        """One row for each run; `duelbench.results.tables.runs` says what the columns are."""
        return tables.runs(self.experiment)

    def curves(self, definition: str | None = None, band: str = "ci95") -> "DataFrame":
        """Mean regret with a band: one row for each checkpoint of each curve.

        Parameters
        ----------
        definition : str, optional
            Of regret; by default the first that was recorded.
        band : str
            What ``low`` and ``high`` are, a key of `duelbench.statistics.curves.BANDS`: ``ci95``, ``sem``, ``std``,
            ``iqr``, ``range`` or ``none``. With fewer than 8 runs ``ci95`` is their range.

        Returns
        -------
        DataFrame
            After the columns that all tables have: ``round`` (1-based), ``mean``, ``low`` and ``high`` (cumulative, in
            duels), and ``runs``, how many the mean is of. With the band ``iqr`` also ``median``.

        Raises
        ------
        InputError
            When the definition was not recorded, or there is no such band.
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
            After the columns that all tables have: ``run`` (0-based), ``round`` (1-based) and ``regret`` (cumulative,
            in duels).

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
            The algorithm's, as in tables and legends.
        problem : str, optional
            Can be left out where there is one.
        definition : str, optional
            Of regret; by default the first that was recorded.
        horizon : int, optional
            Rounds; by default the longest that the algorithm was run to.
        **setting
            The value of what a sweep is over, as in ``n_arms=3``. Without ``game`` the runs on all random matrices of
            that value are there, one after the other.

        Returns
        -------
        (runs, checkpoints) float64
            The checkpoints are those of `rounds` if the horizon is the experiment's.

        Raises
        ------
        InputError
            When there are no such results, or several curves of them.
        """
        which = tables.index_of(self.experiment, definition)
        cells = tables.chosen(self.experiment, label, problem, horizon, setting)
        return np.concatenate([cell.regret[:, which] for cell in cells])

    @property
    def rounds(self) -> np.ndarray:
        """The checkpoints, (n,) int64, 1-based, of the runs to the longest horizon."""
        return max((cell for cell in self.experiment.cells if cell.n_runs), key=lambda cell: cell.stored.horizon).rounds

    @property
    def matrices(self) -> dict[str, AnyProblem]:
        """The problems by name; in a sweep names contain its value, and the number of the random matrix."""
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
        """Regret at the horizon: the numbers of `duelbench report --csv`, one row for each algorithm and problem.

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
        """Differences of regret, or of rounds before the answer: the numbers of ``duelbench compare --csv``.

        Parameters
        ----------
        *labels : str
            Of the algorithms to compare; by default all.
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
        """What a notebook shows: the table of `duelbench report`, with the mean curves."""
        found = records(self.experiment)
        heads, *lines = regret_lines(found)[0]
        curves = []
        for record in found:
            points = record["curve"]
            curves.append(markup.curve([point["round"] for point in points], [point["mean"] for point in points]))
        warnings = [markup.paragraph(gap, strong=True) for gap in self.incomplete[:MOST_SHOWN]]
        left_out = len(found) - MOST_SHOWN
        more = [markup.paragraph(f"and {left_out} more rows: summary() has them")] if left_out > 0 else []
        return "".join(
            [
                markup.paragraph(f"{self.experiment.title}: cumulative {self.definitions[0]} regret, in duels"),
                *warnings,
                markup.table(
                    [*heads, "mean against log t"],
                    lines[:MOST_SHOWN],
                    pictures=curves[:MOST_SHOWN],
                ),
                *more,
            ]
        )


ResultsLike = Results | str | os.PathLike[str]


def load(folder: str | os.PathLike[str], plug_in: str | Iterable[str] | None = None, partial: bool = False) -> Results:
    """Read the results of one experiment; nothing is run and nothing is written.

    Parameters
    ----------
    folder : path
        Where they are, such as ``results/first``.
    plug_in : str or iterable of str, optional
        The .py files or modules that the experiment was run with.
    partial : bool
        Whether to use incomplete results; `Results.incomplete` then says what is missing.

    Raises
    ------
    InputError
        When there is no experiment in the folder, or several.
    IncompleteResults
        When runs are missing, failed or damaged, with all of them counted; or when there is no run at all.

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
    found = find_experiments(Path(folder))
    if len(found) > 1:
        names = ", ".join(path.name for path in found)
        raise InputError(f"{folder} holds several experiments ({names}): load one of them, as in load('{found[0]}')")
    incomplete = experiments.Incomplete()
    whole = experiments.load_what_is_whole([open_results(found[0])], incomplete, allow_partial=partial)
    incomplete.raise_any(partial="partial=True")
    return Results(whole[0])


def named(plug_in: str | Iterable[str] | None) -> tuple[str, ...]:
    """The plug-ins of an argument that names one, several or none; likewise of labels."""
    return (plug_in,) if isinstance(plug_in, str) else tuple(plug_in or ())


def read_all(
    results: ResultsLike | Sequence[ResultsLike],
    plug_in: str | Iterable[str] | None,
    partial: bool,
    waiting: Waiting,
    say: Callable[[str], object] = places.say_note,
    choose: Callable[[Sequence[manifest.Results]], Sequence[manifest.Results]] = lambda opened: opened,
) -> tuple[list[Experiment], experiments.Incomplete]:
    """Read the experiments that ``results`` names or is, and note what was left out because it is not complete.

    Parameters
    ----------
    results : Results, path, or several of them
        Results folders, folders of several, specs, or what was loaded.
    plug_in : str or iterable of str, optional
        .py files or modules with algorithms.
    partial : bool
        Whether to use incomplete results.
    waiting : Waiting
        Shows how far it is.
    say : callable
        Prints which keys of a spec have changed since it was run.
    choose : callable
        Picks the results that are wanted.
    """
    like = (Results, str, os.PathLike)
    several = [results] if isinstance(results, like) else list(results)
    if not several or not all(isinstance(one, like) for one in several):
        raise InputError("name one results folder or several, or give what `duelbench.load` returned")
    known = {one.folder.resolve(): one.experiment for one in several if isinstance(one, Results)}
    paths = [one.folder if isinstance(one, Results) else Path(one) for one in several]
    opened, incomplete = places.results_at(paths, named(plug_in), say)
    chosen = choose(opened)
    new = [one for one in chosen if one.folder.resolve() not in known]
    whole = experiments.load_what_is_whole(new, incomplete, allow_partial=partial, count=waiting.reading)
    known |= {experiment.results.folder.resolve(): experiment for experiment in whole}
    return [known[one.folder.resolve()] for one in chosen if one.folder.resolve() in known], incomplete


def notes_on(found: Sequence[Experiment]) -> list[str]:
    """Notes on experiments: what is missing, and what differs between them."""
    gaps = [f"partial: {gap}" for experiment in found for gap in experiments.gaps_of(experiment)]
    return [*gaps, *experiments.notes(found)]
