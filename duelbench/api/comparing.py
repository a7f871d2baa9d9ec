"""Comparisons of algorithms two by two: read, compared, as a table or a figure."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from duelbench.api import loading, places
from duelbench.api.drawing import Drawing
from duelbench.api.loading import ResultsLike
from duelbench.errors import InputError
from duelbench.execution.progress import Waiting
from duelbench.figures import comparison_table
from duelbench.figures.comparisons import ROUNDS, Comparison, Question, comparisons
from duelbench.figures.drawing.difference_figure import MOST_LINES, difference_figure
from duelbench.results import settings
from duelbench.results.experiments import Experiment, gaps_of
from duelbench.results.manifest import FILE
from duelbench.version import VERSION

if TYPE_CHECKING:
    from pandas import DataFrame


def sorted_out(arguments: Sequence[str]) -> tuple[list[Path], list[str]]:
    """The arguments of the command that are results, and the labels: results are specs, folders of them, and the first.

    Examples
    --------
    >>> sorted_out(["results/first", "D-TS", "RUCB"])[1]
    ['D-TS', 'RUCB']
    """
    are = {argument: k == 0 or _is_results(Path(argument)) for k, argument in enumerate(arguments)}
    return [Path(one) for one, is_path in are.items() if is_path], [one for one in are if not are[one]]


def _is_results(path: Path) -> bool:
    return places.is_of_spec(path) or (path / FILE).exists() or any(path.glob(f"*/{FILE}"))


def compare(
    results: ResultsLike | Sequence[ResultsLike],
    *labels: str,
    of: str | float = "mean",
    at: int | None = None,
    definition: str | None = None,
    against: str | None = None,
    partial: bool = False,
    plug_in: str | Iterable[str] | None = None,
    quiet: bool = False,
) -> "DataFrame":
    """Compare algorithms two by two, as ``duelbench compare`` does; of one experiment, `Results.compare` does too.

    Parameters
    ----------
    results : Results, path, or several of them
        What `duelbench.load` returned, or a results folder, or a folder of several.
    *labels : str
        Of the algorithms to compare; by default all. One that several experiments have is named with the experiment
        before it, as in ``"first/D-TS"``.
    of : str or float
        ``mean``, ``median``, or a quantile between 0 and 1. The difference of medians is not the median of differences.
    at : int, optional
        The round (1-based) after which regret is compared; by default the horizon.
    definition : str, optional
        Of regret; by default rounds before the answer are compared where the spec has ``identify`` (a run without one
        counts as ``at`` rounds), else the first regret that was recorded.
    against : str, optional
        The label that all others are compared with; by default each is compared with each.
    partial : bool
        Whether to use incomplete results.
    plug_in : str or iterable of str, optional
        .py files or modules with algorithms.
    quiet : bool
        Whether to print nothing on standard error.

    Returns
    -------
    DataFrame
        A row for each pair: ``problem``, ``a``, ``b``, ``definition``, ``round``, ``of``, ``value_a`` and ``value_b``
        (duels), ``difference`` (of a minus b) with the ends ``low`` and ``high`` of its 95% interval, ``p``, ``p_holm``
        (corrected for the number of pairs on the problem), ``verdict``, ``n_a`` and ``n_b``, ``unit``, ``paired``,
        ``answered_a`` and ``answered_b`` (shares of the runs with an answer; none where regret is compared).

    Raises
    ------
    InputError
        When a label is unknown or alone, or the statistic or the round cannot be had.
    IncompleteResults
        When runs are missing, failed or damaged.
    """
    notes: list[str] = []
    with closing(Waiting(quiet=quiet)) as waiting:
        question = Question(labels, of, at, definition, against)
        _, found = compared(results, question, plug_in, partial, waiting, notes.append, "partial=True")
    for note in [] if quiet else notes:
        waiting.say(f"note: {note}")
    return comparison_table.as_frame(found)


def compared(
    results: ResultsLike | Sequence[ResultsLike],
    question: Question,
    plug_in: str | Iterable[str] | None,
    partial: bool,
    waiting: Waiting,
    say: Callable[[str], object],
    take_partial: str = "--allow-partial",
) -> tuple[list[Experiment], list[Comparison]]:
    """Read experiments and compare their algorithms; ``say`` prints notes. Raises as `compare`."""
    experiments, incomplete = loading.read_all(results, plug_in, partial, waiting, say)
    incomplete.raise_any(partial=take_partial)
    found, notes = comparisons(experiments, question)
    for note in [*loading.notes_on(experiments), *settings.notes(experiments), *notes]:
        say(note)
    return experiments, found


def drawing(experiments: Sequence[Experiment], found: Sequence[Comparison], base: Path) -> Drawing:
    """The figure of comparisons, as the file ``base`` whatever its ending.

    Raises
    ------
    InputError
        When they are of several definitions of regret, or too many.
    """
    definitions = sorted({pair["definition"] for pair in found})
    if len(definitions) > 1:
        raise InputError(f"the comparisons are of several regrets ({', '.join(definitions)}): choose one")
    if len(found) > MOST_LINES:
        raise InputError(
            f"{len(found)} pairs are too many for a figure (at most {MOST_LINES}): compare against one algorithm"
        )
    title = "; ".join(dict.fromkeys(one.title for one in experiments))
    specs = ", ".join(f"{one.name} (spec SHA-256 {one.spec_sha256})" for one in experiments)
    what = "rounds before the answer" if definitions == [ROUNDS] else f"{definitions[0]} regret"
    about = {
        "title": title,
        "description": f"Differences of {what} of {specs}; figure by duelbench {VERSION}",
    }
    warning = "partial" if any(gaps_of(one) for one in experiments) else None
    return Drawing(
        base,
        lambda: difference_figure(found, title, warning, "; ".join(settings.notes(experiments))),
        lambda: comparison_table.as_frame(found),
        about,
    )
