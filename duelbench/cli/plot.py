"""``duelbench plot``: figures of cumulative regret from results."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from duelbench.cli.folders import USUAL, Out, PlugIn, Results, Scale, results_at, whole
from duelbench.cli.pictures import Asked, Band, Drawn, forms_of, provenance, write_files
from duelbench.errors import IncompleteResults, InputError

if TYPE_CHECKING:
    from duelbench.execution.progress import Waiting
    from duelbench.figures.content.panels import Panel
    from duelbench.figures.options import FigureOptions
    from duelbench.figures.picture import Picture
    from duelbench.results.experiments import Experiment, Incomplete
    from duelbench.results.manifest import Results as Opened


def plot(
    results: Results,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write one figure with the panels of all experiments to FILE (.png, .pdf or .svg),"
            " and a .csv beside it. By default each experiment gets .png, .pdf and .csv in its own folder.",
        ),
    ] = None,
    band: Annotated[
        Band | None,
        typer.Option(
            help="ci95: 95% confidence interval of the mean (with fewer than 8 runs their range); sem: standard error;"
            " std: standard deviation; iqr: median and quartiles of the runs; range: smallest to largest run."
            " By default what the spec says, or ci95."
        ),
    ] = None,
    log_regret: Annotated[bool, typer.Option("--log-regret", help="Draw regret on a logarithmic axis.")] = False,
    regret: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Which recorded regret to draw. By default the first of the spec."),
    ] = None,
    first_round: Annotated[
        int | None,
        typer.Option(
            "--from",
            parser=whole(1, 2**62, "rounds"),
            metavar="ROUND",
            help="Where the time axis begins.",
            show_default="the spec's, or 10",
        ),
    ] = None,
    ymax: Annotated[
        float | None, typer.Option(metavar="DUELS", help="Top of the regret axes; curves above are cut off.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="LABEL", help="Draw this algorithm only; repeat for more.")
    ] = None,
    exploration: Annotated[
        bool,
        typer.Option(
            "--exploration", help="Draw what explorers are judged by: accuracy, regret and what is still explored."
        ),
    ] = False,
    beside: Annotated[
        str | None,
        typer.Option(
            metavar="FILE:FIGURE",
            help="With --exploration: published curves of the same labels as marks, from a CSV file.",
        ),
    ] = None,
    allow_partial: Annotated[
        bool, typer.Option("--allow-partial", help="Draw incomplete results; the figure says so on its face.")
    ] = False,
    out: Out = USUAL,
    scale: Scale = None,
    plug_in: PlugIn = None,
) -> None:
    """Draw the figures of experiments, by default regret over time.

    Each experiment's figure is the one that its spec asks for; by default the mean of cumulative regret against log
    time with a band, one panel per problem. The spec's `figure` says whether it is another kind of figure, and its
    limits; the options here win over it. What is not complete is left out, and the command ends with exit code 4.

    \b
    Examples:
      duelbench plot results/mslr5
      duelbench plot configs/mslr5.yaml --only RUCB --only D-TS -o two.png
      duelbench plot results/first --band iqr --regret weak --from 100
    """
    from duelbench.execution.progress import Waiting

    waiting = Waiting()
    _check_ymax(ymax)
    asked = Asked(regret, band, log_regret, first_round, ymax, only, allow_partial, forms_of(output), output)
    opened, incomplete = results_at(results, out, scale, plug_in or ())
    if beside is not None and not exploration:
        raise InputError("--beside: published curves stand beside those of --exploration only")
    chosen, notes = asked.having(opened)
    try:
        if exploration:
            from duelbench.cli.exploration import figures

            drawn = figures(chosen, incomplete, asked, beside, waiting)
        else:
            drawn = _figures(chosen, incomplete, asked, waiting)
    finally:
        waiting.close()
    write_files(drawn.files, [*notes, *drawn.notes])
    drawn.incomplete.raise_any(but_some=bool(drawn.files))


def _figures(opened: "Sequence[Opened]", incomplete: "Incomplete", asked: Asked, waiting: "Waiting") -> Drawn:
    """The figures that the specs of experiments ask for."""
    from duelbench.results.experiments import bound_notes, code_notes, environment_notes, gaps_of, load_what_is_whole

    experiments = load_what_is_whole(opened, incomplete, allow_partial=asked.allow_partial, count=waiting.reading)
    notes = [f"partial: {gap}" for experiment in experiments for gap in gaps_of(experiment)]
    notes += bound_notes(experiments) + code_notes(experiment.results for experiment in experiments)
    groups = [experiments] if asked.output and experiments else [[experiment] for experiment in experiments]
    files: dict[Path, bytes] = {}
    for group in groups:
        waiting.doing(f"drawing {', '.join(experiment.name for experiment in group)}")
        try:
            figure = _collect(group, asked)
        except IncompleteResults as error:
            incomplete.errors.append(str(error))
            continue
        base = asked.output or group[0].results.folder / f"{group[0].name}.png"
        files.update(_files(figure, base, asked.forms))
        notes += environment_notes(group)
    return Drawn(files, notes, incomplete)


@dataclass(frozen=True)
class _Figure:
    """All that a figure is made of."""

    picture: "Picture"
    provenance: Mapping[str, str]


def _collect(experiments: "Sequence[Experiment]", asked: Asked) -> _Figure:
    from duelbench.figures.options import options_of
    from duelbench.figures.picture import picture
    from duelbench.results.experiments import choose_definition, version_notes

    regret = choose_definition(experiments, asked.regret)
    mixed = version_notes(experiments)
    if mixed and not asked.allow_partial:
        raise IncompleteResults(
            "\n  ".join(["these results cannot share a figure:", *mixed])
            + "\n`duelbench run` with the older spec computes its runs again;"
            " --allow-partial draws them as they are, and says so"
        )
    options = [asked.over(options_of(experiment.results.spec)) for experiment in experiments]
    about = provenance(experiments, regret, options[0].band)
    if all(own.kind == "regret" for own in options):
        return _Figure(_regret_picture(experiments, options, regret, asked, bool(mixed)), about)
    names = ", ".join(experiment.name for experiment in experiments)
    if len(experiments) > 1:
        raise InputError(f"--output: only figures of the kind 'regret' can be drawn together ({names})")
    stamp = "mixed trace versions" if mixed else None
    drawn = picture(experiments[0], options[0], regret, experiments[0].title, asked.only, stamp)
    if asked.only and not set(asked.only).intersection(drawn.labels):
        raise IncompleteResults(f"{names}: its figure has nothing of {', '.join(asked.only)}; `duelbench run` its spec")
    return _Figure(drawn, about)


def _regret_picture(
    experiments: "Sequence[Experiment]", options: "Sequence[FigureOptions]", regret: str, asked: Asked, mixed: bool
) -> "Picture":
    """Regret of one or several experiments, all of their panels in one figure, each with the limits of its spec."""
    from duelbench.figures.content.panels import last_round, panels_of
    from duelbench.figures.drawing.regret_figure import plotted_numbers, regret_figure
    from duelbench.figures.picture import Picture, regret_options

    _check_bands(experiments, options)
    alone = len(experiments) == 1
    drawn, hows = [], []
    for experiment, own in zip(experiments, options, strict=True):
        panels = panels_of(experiment, own, regret)
        last = last_round(panels)
        how = regret_options(own, regret, experiment.title if alone else None, last)
        how = replace(how, first_round=asked.first_round or how.first_round, columns=how.columns if alone else None)
        if how.first_round >= last > 1:
            begins = f"{experiment.name}: the time axis of its figure begins at round {how.first_round}, but"
            begins = f"--from {asked.first_round}:" if asked.first_round else begins
            raise InputError(f"{begins} the longest run ends at round {last}")
        for panel in panels:
            drawn.append(panel if alone else _in_company(panel, experiment, only_one=len(panels) == 1))
            hows.append(how)
    labels = tuple(dict.fromkeys(entry.label for panel in drawn for entry in panel.entries))
    kept = [k for k, panel in enumerate(drawn) if not asked.only or any(e.label in asked.only for e in panel.entries)]
    shown = [replace(drawn[k], mixed_versions=mixed) for k in kept]
    how_shown = [hows[k] for k in kept]
    return Picture(
        lambda: regret_figure(shown, how_shown, asked.only),
        lambda: plotted_numbers(shown, how_shown, asked.only),
        labels,
    )


def _check_bands(experiments: "Sequence[Experiment]", options: "Sequence[FigureOptions]") -> None:
    """One legend says what the bands are."""
    bands = {own.band: experiment.name for experiment, own in zip(experiments, options, strict=True)}
    if len(bands) > 1:
        listed = ", ".join(f"{band} of {name}" for band, name in bands.items())
        raise InputError(f"--output: the specs ask for different bands ({listed}): choose one with --band")


def _in_company(panel: "Panel", experiment: "Experiment", only_one: bool) -> "Panel":
    """The panel with its experiment in its names, for a figure of several experiments."""
    title = experiment.title if only_one else f"{experiment.title}: {panel.title}"
    return replace(panel, title=title, problem=f"{experiment.name}/{panel.problem}")


def _files(figure: _Figure, base: Path, forms: Sequence[str]) -> dict[Path, bytes]:
    """The files of a figure: path -> bytes."""
    from duelbench.figures.drawing.canvas import render

    files = {}
    pictures = [form for form in forms if form != "csv"]
    if pictures:
        drawn = figure.picture.draw()
        for form in pictures:
            files[base.with_suffix(f".{form}")] = render(drawn, form, figure.provenance)
    files[base.with_suffix(".csv")] = figure.picture.numbers().encode()
    return files


def _check_ymax(ymax: float | None) -> None:
    if ymax is not None and not (math.isfinite(ymax) and ymax > 0):
        raise InputError(f"--ymax {ymax}: must be a positive number of duels")
