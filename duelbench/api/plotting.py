"""Figures of results, as files for the command and as Matplotlib figures for Python."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial as given
from pathlib import Path
from typing import TYPE_CHECKING

from duelbench.api import loading, places
from duelbench.api.drawing import Asked, Drawing, forms_of
from duelbench.api.exploration import exploration_drawings
from duelbench.api.keywords import in_keywords, naming_keywords
from duelbench.errors import IncompleteResults, InputError
from duelbench.execution.progress import Waiting
from duelbench.figures.content.panels import Panel, by_algorithm, last_round, panels_of
from duelbench.figures.content.together import together as merged
from duelbench.figures.drawing.regret_figure import Options, plotted_numbers, regret_figure
from duelbench.figures.frame import frame_of, framed
from duelbench.figures.options import FigureOptions, options_of
from duelbench.figures.picture import Picture, check_time_axis, picture, regret_options
from duelbench.results import atomic
from duelbench.results.experiments import (
    Experiment,
    Incomplete,
    bound_notes,
    choose_definition,
    code_notes,
    environment_notes,
    gaps_of,
    load_what_is_whole,
    version_notes,
)
from duelbench.results.manifest import Results
from duelbench.version import VERSION

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ResultsLike = loading.Results | str | os.PathLike[str]


def drawings(
    opened: Sequence[Results], incomplete: Incomplete, asked: Asked, waiting: Waiting, notes: list[str]
) -> Iterator[Drawing]:
    """The figures of results, one after the other.

    Parameters
    ----------
    opened : sequence of Results
    incomplete : Incomplete
        Is told what cannot be drawn.
    asked : Asked
    waiting : Waiting
        Is told what takes a while.
    notes : list of str
        Is told what to say of the figures.
    """
    if asked.exploration:
        return exploration_drawings(opened, incomplete, asked, waiting, notes)
    experiments = load_what_is_whole(opened, incomplete, allow_partial=asked.partial, count=waiting.reading)
    return regret_drawings(experiments, incomplete, asked, waiting, notes)


def regret_drawings(
    experiments: Sequence[Experiment], incomplete: Incomplete, asked: Asked, waiting: Waiting, notes: list[str]
) -> Iterator[Drawing]:
    """The figures that the specs of experiments ask for; see `drawings`."""
    notes += [f"partial: {gap}" for experiment in experiments for gap in gaps_of(experiment)]
    notes += bound_notes(experiments) + code_notes(experiment.results for experiment in experiments)
    in_one = asked.output or asked.together
    groups = [experiments] if in_one and experiments else [[experiment] for experiment in experiments]
    for group in groups:
        waiting.doing(f"drawing {', '.join(experiment.name for experiment in group)}")
        try:
            yield _regret_drawing(group, asked)
        except IncompleteResults as error:
            incomplete.errors.append(str(error))
            continue
        notes += environment_notes(group)


@naming_keywords
def plot(
    results: ResultsLike | Sequence[ResultsLike],
    output: str | os.PathLike[str] | None = None,
    *,
    regret: str | None = None,
    band: str | None = None,
    log_regret: bool = False,
    first_round: int | None = None,
    ymax: float | None = None,
    only: str | Sequence[str] | None = None,
    exploration: bool = False,
    beside: str | None = None,
    kind: str | None = None,
    reference: str | None = None,
    bound: str | None = None,
    form: str | None = None,
    style: str | None = None,
    width: str | float | None = None,
    height: str | float | None = None,
    font_size: float | None = None,
    title: str | bool | None = None,
    legend: str | None = None,
    columns: int | None = None,
    greyscale: bool = False,
    panels: str | None = None,
    single_runs: int | None = None,
    together: bool = False,
    formats: str | Sequence[str] = (),
    partial: bool = False,
    out: str | os.PathLike[str] = places.USUAL,
    scale: str | None = None,
    plug_in: str | Iterable[str] | None = None,
    quiet: bool = False,
) -> "Figure | list[Figure]":
    """Draw the figure that the spec of an experiment asks for, as ``duelbench plot`` does.

    Parameters
    ----------
    results : Results, path, or several of them
        What `duelbench.load` returned; a results folder, a folder of several, or a spec.
    output : path, optional
        Write the figure to this file (.png, .pdf, .svg or .pgf), and its numbers beside it as .csv; several experiments
        then share one figure. Nothing is written without it.
    regret : str, optional
        Which recorded regret to draw; by default the first of the spec.
    band : str, optional
        ``ci95``, ``sem``, ``std``, ``iqr``, ``range`` or ``none``; by default what the spec says, or ``ci95``.
    log_regret : bool
        Whether the regret axis is logarithmic.
    first_round : int, optional
        Where the time axis begins; by default the spec's, or 10.
    ymax : float, optional
        Top of the regret axes, in duels.
    only : str or sequence of str, optional
        Labels of the algorithms to draw.
    exploration : bool
        Whether to draw what explorers are judged by.
    beside : str, optional
        ``FILE:FIGURE`` with published curves, for ``exploration``.
    kind : str, optional
        Another kind of figure than the spec's: a key of `duelbench.spec.figure_key.KINDS`, such as ``survival``. The
        options of the spec's figure do not count for another kind.
    reference : str, optional
        For ``relative`` and ``aggregate``: the label of the algorithm whose mean regret others are divided by.
    bound : str, optional
        For ``relative``: divide by C ln t of the bound ``copeland``, ``condorcet`` or ``ecw`` instead.
    form : str, optional
        For ``distribution``: ``ecdf`` or ``box``.
    style : str, optional
        The page that the figure is for: ``ieee``, ``ieee-double``, ``neurips`` or ``slides``.
    width, height : str or float, optional
        Of the whole figure: ``"3.25in"``, ``"8cm"``, or a number of inches.
    font_size : float, optional
        In points.
    title : str or False, optional
        In place of the experiment's; False for none.
    legend : str, optional
        ``best``, ``right``, ``below``, ``ends`` (names at the ends of the lines) or ``none``.
    columns : int, optional
        Panels in a row.
    greyscale : bool
        Whether curves and bars are grey, and told apart by dashes, markers and patterns.
    panels : str, optional
        ``algorithm``: a panel per algorithm, the others thin and grey behind it.
    single_runs : int, optional
        So many single runs of each algorithm as thin lines.
    together : bool
        Whether several experiments share one set of axes.
    formats : str or sequence of str, optional
        Further endings to write, ``"pgf"`` say, beside that of ``output``.
    partial : bool
        Whether to draw results that are not complete; the figure says so on its face. So does that of `Results` which
        were loaded so.
    out, scale
        Where the results of a spec are, and the size at which it was run.
    plug_in : str or iterable of str, optional
        .py files or modules with algorithms.
    quiet : bool
        Whether nothing is said on standard error.

    Returns
    -------
    Figure or list of Figure
        One where there is one experiment or an ``output``, else one for each experiment. A notebook shows it.

    Raises
    ------
    InputError
        When something about an argument is wrong.
    IncompleteResults
        When results are not complete.
    """
    target = None if output is None else Path(output)
    forms = forms_of(target, [formats] if isinstance(formats, str) else formats)
    labels = [only] if isinstance(only, str) else only
    asked = Asked(
        *(regret, band, log_regret, first_round, ymax, labels, partial, target, exploration, beside),
        take_partial="partial=True",
        kind=kind,
        frame=frame_of(style, width, height, font_size, legend, greyscale),
        title="" if title is False else None if title is None or title is True else title,
        columns=columns,
        panels=panels,
        single_runs=single_runs,
        together=together,
        reference=reference,
        bound=bound,
        form=form,
    )
    several = [results] if isinstance(results, (loading.Results, str, os.PathLike)) else list(results)
    named = [plug_in] if isinstance(plug_in, str) else list(plug_in or ())
    waiting, notes = Waiting(quiet=quiet), list[str]()
    try:
        found, incomplete = _drawings_of(several, asked, waiting, notes, (Path(out), scale, named))
        drawn = [(drawing, drawing.drawn(notes)) for drawing in found]
    finally:
        waiting.close()
    incomplete.raise_any(partial="partial=True")
    if target is not None:
        for drawing, figure in drawn:
            for path, content in drawing.files(forms, notes, figure).items():
                atomic.write_asked(path, content, str(path))
    for note in [] if quiet else dict.fromkeys(notes):
        waiting.say(f"note: {in_keywords(note)}")
    for drawing, figure in drawn:
        # Matplotlib shows figures in notebooks that pyplot made; this one looks there as it does in its file.
        vars(figure)["_repr_png_"] = given(drawing.rendered, figure, "png")
    figures = [figure for _, figure in drawn]
    return figures[0] if len(figures) == 1 else figures


def _drawings_of(
    several: Sequence[ResultsLike],
    asked: Asked,
    waiting: Waiting,
    notes: list[str],
    place: tuple[Path, str | None, Sequence[str]],
) -> tuple[list[Drawing], Incomplete]:
    """The figures of results, those that were read already not being read again."""
    loaded = {one.folder: one.experiment for one in several if isinstance(one, loading.Results)}
    paths = [one.folder if isinstance(one, loading.Results) else Path(one) for one in several]
    opened, incomplete = places.results_at(paths, *place, say=notes.append)
    chosen, said = asked.having(opened)
    notes += said
    if asked.exploration or not loaded:
        return list(drawings(chosen, incomplete, asked, waiting, notes)), incomplete
    new = [results for results in chosen if results.folder not in loaded]
    read = load_what_is_whole(new, incomplete, allow_partial=asked.partial, count=waiting.reading)
    all_read = {**loaded, **{experiment.results.folder: experiment for experiment in read}}
    experiments = [all_read[results.folder] for results in chosen if results.folder in all_read]
    return list(regret_drawings(experiments, incomplete, asked, waiting, notes)), incomplete


def _regret_drawing(experiments: Sequence[Experiment], asked: Asked) -> Drawing:
    """The figure that the specs of experiments ask for, all of them in one."""

    regret = choose_definition(experiments, asked.regret)
    mixed = version_notes(experiments)
    if mixed and not asked.partial:
        raise IncompleteResults(
            "\n  ".join(["these results cannot share a figure:", *mixed])
            + "\n`duelbench run` with the older spec computes its runs again;"
            f" {asked.take_partial} draws them as they are, and says so"
        )
    options = [asked.over(_options_of(experiment, asked.kind)) for experiment in experiments]
    base = asked.output or _usual_place(experiments[0], asked.kind)
    about = provenance(experiments, regret, options[0].band, options[0].kind)
    frame = options[0].frame
    if all(own.kind == "regret" for own in options):
        drawn = _regret_picture(experiments, options, regret, asked, bool(mixed))
        return Drawing(base, drawn.draw, drawn.numbers, about, frame)
    names = ", ".join(experiment.name for experiment in experiments)
    if len(experiments) > 1:
        raise InputError(f"--output: only figures of the kind 'regret' can be drawn together ({names})")
    stamp = "mixed trace versions" if mixed else None
    title = asked.title_of(experiments[0].title)
    with framed(frame):
        drawn = picture(experiments[0], options[0], regret, title, asked.only, stamp, asked.first_round)
    if asked.only and not set(asked.only).intersection(drawn.labels):
        raise IncompleteResults(f"{names}: its figure has nothing of {', '.join(asked.only)}; `duelbench run` its spec")
    return Drawing(base, drawn.draw, drawn.numbers, about, frame)


def _usual_place(experiment: Experiment, kind: str | None) -> Path:
    """Where the figure of an experiment goes; one of another kind than the spec's does not take the place of that."""
    is_another = kind is not None and kind != options_of(experiment.results.spec).kind
    return experiment.results.folder / f"{experiment.name}{f'-{kind}' if is_another else ''}.png"


def _regret_picture(
    experiments: Sequence[Experiment], options: Sequence[FigureOptions], regret: str, asked: Asked, mixed: bool
) -> Picture:
    """Regret of one or several experiments, all of their panels in one figure, each with the limits of its spec.

    The numbers are those of the panels of each experiment, in whatever panels they are drawn.
    """
    _check_bands(experiments, options)
    alone = len(experiments) == 1
    of_each = [panels_of(experiment, own, regret) for experiment, own in zip(experiments, options, strict=True)]
    drawn, hows = [], []
    for experiment, own, panels in zip(experiments, options, of_each, strict=True):
        last = last_round(panels)
        how = regret_options(own, regret, asked.title_of(experiment.title if alone else None), last)
        columns = how.columns if alone else asked.columns
        how = replace(how, first_round=asked.first_round or how.first_round, columns=columns)
        check_time_axis(experiment, how.first_round, asked.first_round, last)
        for panel in panels:
            drawn.append(panel if alone else _in_company(panel, experiment, only_one=len(panels) == 1))
            hows.append(how)
    labels = tuple(dict.fromkeys(entry.label for panel in drawn for entry in panel.entries))
    kept = [k for k, panel in enumerate(drawn) if not asked.only or any(e.label in asked.only for e in panel.entries)]
    shown = [replace(drawn[k], mixed_versions=mixed) for k in kept]
    how_shown = [hows[k] for k in kept]
    in_figure, how_in_figure, only = shown, how_shown, asked.only
    if asked.together and not alone:
        found = {experiment.name: panels for experiment, panels in zip(experiments, of_each, strict=True)}
        in_figure, only = merged(found, asked.only)
        in_figure = [replace(panel, mixed_versions=mixed) for panel in in_figure]
        how_in_figure = [_common(hows)] * len(in_figure)
    if options[0].panels == "algorithm":
        how_in_figure = [
            how
            for panel, how in zip(in_figure, how_in_figure, strict=True)
            for entry in panel.entries
            if only is None or entry.label in only
        ]
        in_figure = by_algorithm(in_figure, only)
    return Picture(
        lambda: regret_figure(in_figure, how_in_figure, only),
        lambda: plotted_numbers(shown, how_shown, asked.only),
        labels,
    )


def _common(hows: Sequence[Options]) -> Options:
    """The options of axes that experiments share: the ends that their specs agree on, else what fits the data."""
    first = hows[0]
    same = {
        name: value if all(getattr(how, name) == value for how in hows) else None
        for name, value in (("ymin", first.ymin), ("ymax", first.ymax), ("last_round", first.last_round))
    }
    return replace(first, first_round=min(how.first_round for how in hows), **same)  # type: ignore[arg-type]


def _options_of(experiment: Experiment, kind: str | None) -> FigureOptions:
    """The options of the spec, or those of another kind of figure."""
    if kind == "sweep" and "sweep" not in experiment.results.spec:
        raise InputError(f"--kind sweep: the spec of {experiment.name} sweeps over nothing")
    return options_of(experiment.results.spec, kind)


def _check_bands(experiments: Sequence[Experiment], options: Sequence[FigureOptions]) -> None:
    """One legend says what the bands are."""
    bands = {own.band: experiment.name for experiment, own in zip(experiments, options, strict=True)}
    if len(bands) > 1:
        listed = ", ".join(f"{band} of {name}" for band, name in bands.items())
        raise InputError(f"--output: the specs ask for different bands ({listed}): choose one with --band")


def _in_company(panel: Panel, experiment: Experiment, only_one: bool) -> Panel:
    """The panel with its experiment in its names, for a figure of several experiments."""
    title = experiment.title if only_one else f"{experiment.title}: {panel.title}"
    return replace(panel, title=title, problem=f"{experiment.name}/{panel.problem}")


def provenance(experiments: "Sequence[Experiment]", definition: str, band: str, kind: str = "regret") -> dict[str, str]:
    """Title and description of a figure, for the metadata of its files; without dates."""
    versions = sorted({env.get("duelbench", "unknown") for e in experiments for env in e.environments})
    what = f"band {band}" if kind in ("regret", "bars", "sweep", "self-duels") else kind
    specs = ", ".join(f"{experiment.name} (spec SHA-256 {experiment.spec_sha256})" for experiment in experiments)
    return {
        "title": "; ".join(dict.fromkeys(experiment.title for experiment in experiments)),
        "description": f"Cumulative {definition} regret, {what}, of {specs}; "
        f"runs by duelbench {', '.join(versions)}, figure by duelbench {VERSION}",
    }
