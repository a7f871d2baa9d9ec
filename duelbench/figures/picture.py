"""From results to the figure that their spec asks for, and the numbers in it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from duelbench.errors import InputError
from duelbench.figures.content.accuracy import accuracies, errors
from duelbench.figures.content.aggregates import aggregate
from duelbench.figures.content.answer_times import answer_times, question_of
from duelbench.figures.content.distributions import quantiles, survivals
from duelbench.figures.content.finals import finals
from duelbench.figures.content.labelled import labelled, missing_of
from duelbench.figures.content.pairs import pair_duels
from duelbench.figures.content.panels import Panel, by_algorithm, last_round, panels_of
from duelbench.figures.content.ratios import ratios, reference_of
from duelbench.figures.content.spreads import OTHERS, self_duels, spreads
from duelbench.figures.content.sweep_points import sweep_points
from duelbench.figures.drawing import (
    aggregate_figure,
    answer_figures,
    bars,
    curve_numbers,
    distribution_figures,
    final_figures,
    pair_figure,
    sweep_figure,
)
from duelbench.figures.drawing.bars import Bar
from duelbench.figures.drawing.regret_figure import REGRET_NAMES, Options, plotted_numbers, regret_figure
from duelbench.figures.drawing.style import COLOURS, styles_of
from duelbench.figures.options import FigureOptions
from duelbench.results.experiments import Experiment
from duelbench.statistics.curves import count_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


FIRST_ROUND = 10
"""Where time axes begin, as in the papers."""


@dataclass(frozen=True)
class Picture:
    """A figure that can be drawn, and its numbers.

    Parameters
    ----------
    draw : callable
        Returns the Matplotlib figure.
    numbers : callable
        Returns exactly the numbers in it, as CSV.
    labels : tuple of str
        Of the algorithms in it.
    """

    draw: Callable[[], "Figure"]
    numbers: Callable[[], str]
    labels: tuple[str, ...]


def regret_options(options: FigureOptions, regret: str, title: str | None, last: int) -> Options:
    """Options of a regret figure.

    Parameters
    ----------
    options : FigureOptions
    regret : str
        The definition of regret.
    title : str, optional
    last : int
        The last round of which there is data: the axis begins at `FIRST_ROUND`, or at 1 if that is not before it,
        unless the spec says where.
    """
    first = max(1, int(options.x[0])) if options.x else FIRST_ROUND if last > FIRST_ROUND else 1
    return Options(
        regret=regret,
        log_regret=options.y_scale == "log",
        first_round=first,
        ymax=options.y[1] if options.y else None,
        title=title,
        ymin=options.y[0] if options.y else None,
        last_round=int(options.x[1]) if options.x else None,
        log_time=options.x_scale != "linear",
        columns=options.columns,
    )


def picture(
    experiment: Experiment,
    options: FigureOptions,
    regret: str,
    title: str | None = None,
    only: Sequence[str] | None = None,
    stamp: str | None = None,
    first_round: int | None = None,
) -> Picture:
    """The figure of an experiment.

    Parameters
    ----------
    experiment : Experiment
    options : FigureOptions
    regret : str
        The definition of regret to show.
    title : str, optional
    only : sequence of str, optional
        Labels to draw; by default all.
    stamp : str, optional
        A warning to write across figures of other kinds than regret, beside those about missing runs.
    first_round : int, optional
        Where the time axis of other kinds than regret begins; by default where the spec says, or at `FIRST_ROUND`.

    Raises
    ------
    InputError
        When a figure would have too many panels, or a time axis that begins where the longest run has ended.
    IncompleteResults
        When the run is missing whose self-duels are to be shown, or every run of the algorithm to normalise to.
    """
    if options.kind == "sweep":
        points = sweep_points(experiment, options, regret)
        return Picture(
            lambda: sweep_figure.sweep_figure(points, options, regret, title, only),
            lambda: sweep_figure.plotted_numbers(points, only),
            tuple(dict.fromkeys(point.label for point in points)),
        )
    if options.kind == "bars":
        return _spread_picture(experiment, options, regret, title, only, stamp)
    if options.kind == "self-duels":
        return _self_duel_picture(experiment, options, title, only, stamp)
    if options.kind == "survival":
        return _survival_picture(experiment, options, regret, title, only, stamp)
    if options.kind in ("accuracy", "relative", "error"):
        return _curve_picture(experiment, options, regret, title, only, stamp, first_round)
    if options.kind == "distribution":
        return _final_picture(experiment, options, regret, title, only, stamp)
    if options.kind == "duels":
        return _pair_picture(experiment, options, title, only, stamp)
    if options.kind == "aggregate":
        return _aggregate_picture(experiment, options, regret, title, only, stamp)
    if options.kind in ("waiting", "error-map"):
        return _answer_picture(experiment, options, title, only, stamp)
    if options.kind == "quantiles":
        return _quantile_picture(experiment, options, regret, title, only, stamp, first_round)
    drawn = panels_of(experiment, options, regret)
    how = regret_options(options, regret, title, last_round(drawn))
    in_figure = by_algorithm(drawn, only) if options.panels == "algorithm" else drawn
    return Picture(
        lambda: regret_figure(in_figure, how, only),
        lambda: plotted_numbers(drawn, how, only),
        tuple(dict.fromkeys(entry.label for panel in drawn for entry in panel.entries)),
    )


def _spread_picture(
    experiment: Experiment,
    options: FigureOptions,
    regret: str,
    title: str | None,
    only: Sequence[str] | None,
    stamp: str | None,
) -> Picture:
    found = spreads(experiment, options, regret)
    looks = styles_of((spread.algorithm, spread.label) for spread in found)
    drawn = labelled(found, only)
    warning = "\n".join(filter(None, (missing_of(drawn), stamp)))
    what = "standard deviation" if options.statistic == "std" else "mean"
    name = f"{what} of {REGRET_NAMES.get(regret, regret)} at the horizon"
    relative = f", over the mean of {options.normalise_to}" if options.normalise_to else " (duels)"
    shown = [
        Bar("", spread.problem, spread.label, looks[spread.algorithm, spread.label].colour, spread.height)
        for spread in drawn
    ]
    caption = count_of([spread.runs for spread in found])
    return Picture(
        lambda: bars.bar_figure(shown, name + relative, caption, options, title, warning or None),
        lambda: bars.spread_numbers(drawn, options),
        tuple(dict.fromkeys(spread.label for spread in found)),
    )


def _survival_picture(
    experiment: Experiment,
    options: FigureOptions,
    regret: str,
    title: str | None,
    only: Sequence[str] | None,
    stamp: str | None,
) -> Picture:
    found = survivals(experiment, regret)
    return Picture(
        lambda: distribution_figures.survival_figure(found, options, regret, title, only, stamp),
        lambda: distribution_figures.survival_numbers(found, only),
        tuple(dict.fromkeys(one.label for one in found)),
    )


def _quantile_picture(
    experiment: Experiment,
    options: FigureOptions,
    regret: str,
    title: str | None,
    only: Sequence[str] | None,
    stamp: str | None,
    first_round: int | None,
) -> Picture:
    found = quantiles(experiment, regret, only)
    looks = styles_of((cell.stored.algorithm, cell.stored.label) for cell in experiment.cells)
    last = max((int(one.rounds[-1]) for one in found), default=1)
    first = first_round or regret_options(options, regret, title, last).first_round
    check_time_axis(experiment, first, first_round, last)
    last_round = int(options.x[1]) if options.x else None
    return Picture(
        lambda: distribution_figures.quantile_figure(found, options, regret, title, first, looks, stamp),
        lambda: distribution_figures.quantile_numbers(found, first, last_round),
        tuple(dict.fromkeys(one.label for one in found)),
    )


def _curve_picture(
    experiment: Experiment,
    options: FigureOptions,
    regret: str,
    title: str | None,
    only: Sequence[str] | None,
    stamp: str | None,
    first_round: int | None,
) -> Picture:
    """Other curves over time than regret, drawn as those are."""
    reference = f"{options.bound} bound" if options.bound else reference_of(experiment, options)
    found = {
        "relative": lambda: ratios(experiment, options, regret),
        "accuracy": lambda: accuracies(experiment, regret),
        "error": lambda: errors(experiment, question_of(experiment)),
    }[options.kind]()
    found = [replace(panel, mixed_versions=stamp is not None) for panel in found]
    if not any(len(entry.curve.rounds) for panel in found for entry in panel.entries):
        raise InputError(
            f"{experiment.name}: {reference} has no regret at any checkpoint, by which others could be divided"
        )
    last = last_round(found)
    how = regret_options(options, regret, title, last)
    if options.kind == "error" and not options.x:
        how = replace(how, first_round=_first_look(found))
    check_time_axis(experiment, first_round or how.first_round, first_round, last)
    how = replace(how, first_round=first_round or how.first_round, **_in_words(found, options, regret, reference))
    return Picture(
        lambda: regret_figure(found, how, only),
        {
            "relative": lambda: curve_numbers.ratio_numbers(found, how, only, reference),
            "accuracy": lambda: curve_numbers.accuracy_numbers(found, how, only),
            "error": lambda: curve_numbers.error_numbers(found, how, only),
        }[options.kind],
        tuple(dict.fromkeys(entry.label for panel in found for entry in panel.entries)),
    )


def _first_look(panels: Sequence[Panel]) -> int:
    """The first round at which there is anything to see: the smallest budget, where there are such."""
    return min(int(entry.curve.rounds[0]) for panel in panels for entry in panel.entries if len(entry.curve.rounds))


def _in_words(panels: Sequence[Panel], options: FigureOptions, regret: str, reference: str) -> dict[str, Any]:
    """The name of the upright axis, what stands above the legend, and where the axis of shares ends."""
    curves = [entry.curve for panel in panels for entry in panel.entries if len(entry.curve.rounds)]
    runs = count_of([int(number) for curve in curves for number in (curve.runs.min(), curve.runs.max())])
    games = max(curve.games for curve in curves)
    of = runs + (f" on {games} matrices" if games > 1 else "")
    if options.kind == "accuracy":
        caption = f"share of {of}, band: 95% confidence interval (Wilson)"
        return {
            "y_name": "share that recommends a winner",
            "caption": caption,
            "ymax": options.y[1] if options.y else 1.03,
        }
    if options.kind == "error":
        is_linear = options.y_scale != "log"
        return {
            "y_name": "share of wrong recommendations",
            "caption": f"share of {of}, band: 95% confidence interval (Wilson)",
            "ymax": options.y[1] if options.y else 1.03 if is_linear else None,
        }
    over = f"C ln t, the {reference}" if options.bound else f"that of {reference}"
    name = REGRET_NAMES.get(regret, f"{regret} regret")
    caption = f"means of {of}, band: 95% confidence interval of the ratio"
    if games == 1 and max(int(curve.runs.max()) for curve in curves) == 1:
        caption = "a single run, no band"
    return {"y_name": f"{name} over {over}", "caption": caption}


def _final_picture(
    experiment: Experiment,
    options: FigureOptions,
    regret: str,
    title: str | None,
    only: Sequence[str] | None,
    stamp: str | None,
) -> Picture:
    found = finals(experiment, regret)
    return Picture(
        lambda: final_figures.final_figure(found, options, regret, title, only, stamp),
        lambda: final_figures.final_numbers(found, options, only),
        tuple(dict.fromkeys(one.label for one in found)),
    )


def _answer_picture(
    experiment: Experiment, options: FigureOptions, title: str | None, only: Sequence[str] | None, stamp: str | None
) -> Picture:
    found = answer_times(experiment)
    is_map = options.kind == "error-map"
    draw = answer_figures.error_map if is_map else answer_figures.waiting_figure
    numbers = answer_figures.error_numbers if is_map else answer_figures.waiting_numbers
    return Picture(
        lambda: draw(found, options, title, only, stamp),
        lambda: numbers(found, only),
        tuple(dict.fromkeys(one.label for one in found)),
    )


def _pair_picture(
    experiment: Experiment, options: FigureOptions, title: str | None, only: Sequence[str] | None, stamp: str | None
) -> Picture:
    found = pair_duels(experiment, only)
    return Picture(
        lambda: pair_figure.pair_figure(found, options, title, stamp),
        lambda: pair_figure.pair_numbers(found),
        tuple(dict.fromkeys(one.label for one in found)),
    )


def _aggregate_picture(
    experiment: Experiment,
    options: FigureOptions,
    regret: str,
    title: str | None,
    only: Sequence[str] | None,
    stamp: str | None,
) -> Picture:
    found = aggregate(experiment, options, regret, only)
    entries = [(cell.stored.algorithm, cell.stored.label) for cell in experiment.cells]
    return Picture(
        lambda: aggregate_figure.aggregate_figure(found, entries, title, only, stamp),
        lambda: aggregate_figure.aggregate_numbers(found, only),
        tuple(label for _, label in found.algorithms),
    )


def check_time_axis(experiment: Experiment, begins: int, asked: int | None, last: int) -> None:
    """Refuse a time axis that begins where the longest run has ended.

    Parameters
    ----------
    experiment : Experiment
    begins : int
        The first round of the axis.
    asked : int, optional
        What was asked for with ``--from``.
    last : int
        The last round of the longest run.

    Raises
    ------
    InputError
        Saying where the axis begins, and where the run ends.
    """
    if begins >= last > 1:
        where = f"{experiment.name}: the time axis of its figure begins at round {begins}, but"
        where = f"--from {asked}:" if asked else where
        raise InputError(f"{where} the longest run ends at round {last}")


def _self_duel_picture(
    experiment: Experiment, options: FigureOptions, title: str | None, only: Sequence[str] | None, stamp: str | None
) -> Picture:
    found = self_duels(experiment, options)
    drawn = labelled(found, only)
    arms = list(dict.fromkeys(one.arm for one in found if one.arm != OTHERS))
    hues = [COLOURS[name] for name in ("blue", "orange", "green", "pink", "sky", "vermilion", "olive", "indigo")]
    colour = {**{arm: hues[k % len(hues)] for k, arm in enumerate(arms)}, OTHERS: COLOURS["grey"]}
    labels = {arm: f"arm {arm}" if arm.isdecimal() else arm for arm in arms} | {OTHERS: "all other arms"}
    shown = [Bar(one.problem, one.label, labels[one.arm], colour[one.arm], one.share) for one in drawn]
    counted = " (arms from 0)" if any(arm.isdecimal() for arm in arms) else ""
    caption = f"run {options.run}, Copeland winners{counted}"
    return Picture(
        lambda: bars.bar_figure(shown, "share of the self-duels", caption, options, title, stamp),
        lambda: bars.self_duel_numbers(drawn),
        tuple(dict.fromkeys(one.label for one in found)),
    )
