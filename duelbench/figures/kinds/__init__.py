"""The kinds of figures, each from results to what is drawn and written."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from duelbench.figures.drawing import canvas
from duelbench.figures.kinds.answers import waiting
from duelbench.figures.kinds.bars import bars, self_duels
from duelbench.figures.kinds.curves import accuracy, error
from duelbench.figures.kinds.distribution import distribution, survival
from duelbench.figures.kinds.duels import duels
from duelbench.figures.kinds.exploration import exploration
from duelbench.figures.kinds.quantiles import quantiles
from duelbench.figures.kinds.regret import regret, regret_of
from duelbench.figures.kinds.sweep import sweep
from duelbench.figures.options import FigureOptions
from duelbench.figures.picture import Picture, Request
from duelbench.results.experiments import Experiment
from duelbench.results.settings import in_words, played

KINDS: Mapping[str, Callable[[Request], Picture]] = {
    "regret": regret,
    "bars": bars,
    "sweep": sweep,
    "self-duels": self_duels,
    "survival": survival,
    "quantiles": quantiles,
    "distribution": distribution,
    "accuracy": accuracy,
    "duels": duels,
    "exploration": exploration,
    "waiting": waiting,
    "error": error,
}
"""`duelbench.spec.figure_key.KINDS` says what they show."""


def picture(
    experiment: Experiment,
    options: FigureOptions,
    regret: str,
    title: str | None = None,
    only: Sequence[str] | None = None,
    stamp: str | None = None,
) -> Picture:
    """The figure of an experiment; parameters are those of `Request`.

    Raises
    ------
    InputError
        When the figure cannot have what is asked for.
    IncompleteResults
        When a run is missing that it cannot do without.
    """
    return picture_of([Request(experiment, options, regret, title, only, stamp)])


def picture_of(requests: Sequence[Request]) -> Picture:
    """One figure of what is asked for, whose caption names what is not played as by default.

    Several requests are for figures of the kind ``regret``.
    """
    first, only = requests[0], requests[0].only
    made = regret_of(requests) if first.options.kind == "regret" else KINDS[first.options.kind](first)
    notes = []
    for request in requests:
        cells = (cell.stored for cell in request.experiment.cells if not only or cell.stored.label in only)
        if words := in_words(played(cells)):
            notes.append(words if len(requests) == 1 else f"{request.experiment.name}: {words}")
    return replace(made, draw=canvas.with_note("; ".join(notes), made.draw))
