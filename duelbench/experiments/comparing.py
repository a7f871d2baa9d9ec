"""Compares algorithms two by two, and draws the comparisons."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from duelbench.errors import InputError
from duelbench.experiments import loading, places
from duelbench.experiments.drawing import Drawing
from duelbench.experiments.execution.progress import Waiting
from duelbench.experiments.figures import comparison_table
from duelbench.experiments.figures.comparisons import ROUNDS, Comparison, Question, comparisons
from duelbench.experiments.figures.drawing.difference_figure import MOST_LINES, difference_figure
from duelbench.experiments.loading import ResultsLike
from duelbench.experiments.results import settings
from duelbench.experiments.results.experiments import Experiment, gaps_of
from duelbench.experiments.results.manifest import FILE
from duelbench.version import VERSION

if TYPE_CHECKING:
    from pandas import DataFrame


def paths_and_labels(arguments: Sequence[str]) -> tuple[list[Path], list[str]]:
    """Split the arguments of the command into paths and labels.

    The first argument is a path, and so are specs and folders with results.

    Examples
    --------
    >>> paths_and_labels(["results/first", "D-TS", "RUCB"])[1]
    ['D-TS', 'RUCB']
    """
    paths: list[Path] = []
    labels: list[str] = []
    for argument in arguments:
        path = Path(argument)
        if not paths or places.is_of_spec(path) or (path / FILE).exists() or any(path.glob(f"*/{FILE}")):
            paths.append(path)
        elif argument not in labels:
            labels.append(argument)
    return paths, labels


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
    """Compare algorithms two by two, as ``duelbench compare``. For one experiment there is `Results.compare`, too.

    Parameters
    ----------
    results : Results, path, or several of them
        From `duelbench.load`, or a results folder, or a folder of several.
    *labels : str
        The algorithms to compare; by default all. If several experiments have a label, write the experiment before it,
        as in ``"first/D-TS"``.
    of : str or float
        ``mean``, ``median``, or a quantile between 0 and 1. The difference of medians is not the median of differences.
    at : int, optional
        The round (1-based) after which regret is compared; by default the horizon.
    definition : str, optional
        The definition of regret; by default the first that was recorded, or if the spec has ``identify``, the rounds
        before the answer (``at`` rounds for a run without one).
    against : str, optional
        The label to compare all others with; by default all pairs are compared.
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
        ``answered_a`` and ``answered_b`` (shares of the runs with an answer; empty for regret).

    Raises
    ------
    InputError
        When a label is unknown or the only one, or the statistic or the round is not available.
    IncompleteResults
        When runs are missing, failed or damaged.
    """
    notes: list[str] = []
    with closing(Waiting(quiet=quiet)) as waiting:
        question = Question(labels, of, at, definition, against)
        _, pairs = compared(results, question, plug_in, partial, waiting, notes.append, "partial=True")
    if not quiet:
        for note in notes:
            waiting.say(f"note: {note}")
    return comparison_table.as_frame(pairs)


def compared(
    results: ResultsLike | Sequence[ResultsLike],
    question: Question,
    plug_in: str | Iterable[str] | None,
    partial: bool,
    waiting: Waiting,
    say: Callable[[str], object],
    take_partial: str = "--allow-partial",
) -> tuple[list[Experiment], list[Comparison]]:
    """Read experiments and compare their algorithms. ``say`` prints notes. Raises as `compare`."""
    experiments, incomplete = loading.read_all(results, plug_in, partial, waiting, say)
    incomplete.raise_any(partial=take_partial)
    pairs, notes = comparisons(experiments, question)
    for note in [*loading.notes_on(experiments), *settings.notes(experiments), *notes]:
        say(note)
    return experiments, pairs


def drawing(experiments: Sequence[Experiment], pairs: Sequence[Comparison], base: Path) -> Drawing:
    """The figure of comparisons, for files named ``base`` with any ending.

    Raises
    ------
    InputError
        When there are several definitions of regret, or too many pairs.
    """
    definitions = sorted({pair["definition"] for pair in pairs})
    if len(definitions) > 1:
        raise InputError(f"the comparisons are of several regrets ({', '.join(definitions)}): choose one")
    if len(pairs) > MOST_LINES:
        raise InputError(
            f"{len(pairs)} pairs are too many for a figure (at most {MOST_LINES}): compare against one algorithm"
        )
    title = "; ".join(dict.fromkeys(experiment.title for experiment in experiments))
    measure = "rounds before the answer" if definitions == [ROUNDS] else f"{definitions[0]} regret"
    specs = ", ".join(f"{experiment.name} (spec SHA-256 {experiment.spec_sha256})" for experiment in experiments)
    description = f"Differences of {measure} of {specs}; figure by duelbench {VERSION}"
    warning = "partial" if any(gaps_of(experiment) for experiment in experiments) else None
    return Drawing(
        base,
        lambda: difference_figure(pairs, title, warning, "; ".join(settings.notes(experiments))),
        lambda: comparison_table.as_frame(pairs),
        {"title": title, "description": description},
    )
