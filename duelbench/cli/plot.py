"""``duelbench plot``: figures of cumulative regret from results."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from duelbench.errors import IncompleteResults, InputError, nearest
from duelbench.version import VERSION

if TYPE_CHECKING:
    from duelbench.figures.options import FigureOptions
    from duelbench.figures.panels import Panel
    from duelbench.figures.picture import Picture
    from duelbench.figures.results import Experiment


class Band(StrEnum):
    """The bands that ``--band`` offers; `duelbench.figures.curves` says what they are."""

    ci95 = "ci95"
    sem = "sem"
    std = "std"
    iqr = "iqr"
    none = "none"


def plot(
    results: Annotated[
        list[Path],
        typer.Argument(metavar="RESULTS", help="Results folders: of one experiment, of several, or of all (results/)."),
    ],
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
            help="ci95: 95% confidence interval of the mean; sem: standard error; std: standard deviation;"
            " iqr: quartiles of the runs. By default what the spec says, or ci95."
        ),
    ] = None,
    log_regret: Annotated[bool, typer.Option("--log-regret", help="Draw regret on a logarithmic axis.")] = False,
    regret: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Which recorded regret to draw. By default the first of the spec."),
    ] = None,
    first_round: Annotated[
        str | None,
        typer.Option("--from", metavar="ROUND", help="Where the time axis begins.", show_default="the spec's, or 10"),
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
) -> None:
    """Draw the figures that the specs ask for; by default cumulative regret against log time.

    That is the mean of the runs with a band, one panel per problem. The spec's `figure` says whether it is another kind
    of figure, and its limits; the options here win over it.
    """
    first = None if first_round is None else _first_round(first_round)
    _check_ymax(ymax)
    forms = forms_of(output)
    if exploration:
        from duelbench.cli.exploration import draw
        from duelbench.figures.picture import FIRST_ROUND

        draw(results, output, beside, first or FIRST_ROUND, ymax, allow_partial)
        return
    if beside is not None:
        raise InputError("--beside: published curves stand beside those of --exploration only")

    from duelbench.figures.results import bound_notes, choose_definition, environment_notes, gaps_of, load_experiments

    experiments = load_experiments(results, allow_partial=allow_partial)
    notes = [f"partial: {gap}" for experiment in experiments for gap in gaps_of(experiment)]
    notes += bound_notes(experiments)
    groups = [experiments] if output else [[experiment] for experiment in experiments]
    files: dict[Path, bytes] = {}
    for group in groups:
        asked = _Asked(choose_definition(group, regret), band, log_regret, first, ymax, only, allow_partial)
        figure = _collect(group, asked)
        base = output or group[0].results.folder / f"{group[0].name}.png"
        files.update(_files(figure, base, forms))
        notes += environment_notes(group)
    write_files(files, notes)


@dataclass(frozen=True)
class _Asked:
    """What the command line says of a figure; None where it says nothing."""

    regret: str
    band: Band | None
    log_regret: bool
    first_round: int | None
    ymax: float | None
    only: Sequence[str] | None
    allow_partial: bool

    def over(self, options: "FigureOptions") -> "FigureOptions":
        """The options of a spec with those of the command line over them."""
        if self.first_round is not None and options.kind != "regret":
            raise InputError(f"--from: a figure of the kind '{options.kind}' has no time axis")
        if self.log_regret and options.kind == "self-duels":
            raise InputError("--log-regret: a figure of the kind 'self-duels' has no regret axis")
        if self.band is not None:
            options = replace(options, band=self.band.value)
        if self.log_regret:
            options = replace(options, y_scale="log")
        if self.ymax is not None:
            low = options.y[0] if options.y and options.y[0] < self.ymax else 0
            options = replace(options, y=(low, self.ymax))
        return options


@dataclass(frozen=True)
class _Figure:
    """All that a figure is made of."""

    picture: "Picture"
    provenance: Mapping[str, str]


def _collect(experiments: "Sequence[Experiment]", asked: _Asked) -> _Figure:
    from duelbench.figures.options import options_of
    from duelbench.figures.picture import picture
    from duelbench.figures.results import version_notes

    mixed = version_notes(experiments)
    if mixed and not asked.allow_partial:
        raise IncompleteResults(
            "\n  ".join(["these results cannot share a figure:", *mixed])
            + "\n`duelbench run` with the older spec computes its runs anew;"
            " --allow-partial draws them as they are, and says so"
        )
    first, *others = (asked.over(options_of(experiment.results.spec)) for experiment in experiments)
    about = provenance(experiments, asked.regret, first.band)
    if first.kind == "regret" and all(options.kind == "regret" for options in others):
        return _Figure(_regret_picture(experiments, asked, bool(mixed)), about)
    if others:
        kinds = ", ".join(f"{experiment.name}" for experiment in experiments)
        raise InputError(f"--output: only figures of the kind 'regret' can be drawn together ({kinds})")
    (experiment,) = experiments
    stamp = "mixed trace versions" if mixed else None
    drawn = picture(experiment, first, asked.regret, experiment.title, asked.only, stamp)
    _check_labels(list(drawn.labels), asked.only)
    return _Figure(drawn, about)


def _regret_picture(experiments: "Sequence[Experiment]", asked: _Asked, mixed: bool) -> "Picture":
    """Regret of one or several experiments, all of their panels in one figure."""
    from duelbench.figures.options import options_of
    from duelbench.figures.picture import FIRST_ROUND, Picture, panels_of, regret_options
    from duelbench.figures.regret_figure import plotted_numbers, regret_figure

    alone = len(experiments) == 1
    options = asked.over(options_of(experiments[0].results.spec))
    drawn = []
    for experiment in experiments:
        own = panels_of(experiment, replace(options, pool=options_of(experiment.results.spec).pool), asked.regret)
        for panel in own:
            drawn.append(panel if alone else _in_company(panel, experiment, only_one=len(own) == 1))
    if mixed:
        drawn = [replace(panel, mixed_versions=True) for panel in drawn]
    how = regret_options(options, asked.regret, experiments[0].title if alone else None, FIRST_ROUND)
    how = replace(how, first_round=asked.first_round or how.first_round)
    _check_rounds(drawn, how.first_round)
    drawn = _with_labels(drawn, asked.only)
    labels = tuple(dict.fromkeys(entry.label for panel in drawn for entry in panel.entries))
    return Picture(
        lambda: regret_figure(drawn, how, asked.only), lambda: plotted_numbers(drawn, how, asked.only), labels
    )


def _in_company(panel: "Panel", experiment: "Experiment", only_one: bool) -> "Panel":
    """The panel with its experiment in its names, for a figure of several experiments."""
    title = experiment.title if only_one else f"{experiment.title}: {panel.title}"
    return replace(panel, title=title, problem=f"{experiment.name}/{panel.problem}")


def _with_labels(panels: "Sequence[Panel]", only: Sequence[str] | None) -> "list[Panel]":
    """The panels that have an entry with a label in ``only``.

    Raises
    ------
    InputError
        When a label is in none of them.
    """
    _check_labels(list(dict.fromkeys(entry.label for panel in panels for entry in panel.entries)), only)
    return [panel for panel in panels if not only or any(entry.label in only for entry in panel.entries)]


def _check_labels(labels: Sequence[str], only: Sequence[str] | None) -> None:
    for label in only or ():
        if label not in labels:
            hint = nearest(label, labels) or f" (there are {', '.join(labels)})"
            raise InputError(f"--only {label}: no algorithm of these results has that label{hint}")


def _check_rounds(panels: "Sequence[Panel]", first_round: int) -> None:
    last = max(int(entry.curve.rounds.max(initial=0)) for panel in panels for entry in panel.entries)
    if first_round >= last:
        raise InputError(f"--from {first_round}: the longest run ends at round {last}")


def provenance(experiments: "Sequence[Experiment]", definition: str, band: str) -> dict[str, str]:
    """Title and description of a figure, for the metadata of its files; without dates."""
    versions = sorted({env.get("duelbench", "unknown") for e in experiments for env in e.environments})
    specs = ", ".join(f"{experiment.name} (spec SHA-256 {experiment.spec_sha256})" for experiment in experiments)
    return {
        "title": "; ".join(dict.fromkeys(experiment.title for experiment in experiments)),
        "description": f"Cumulative {definition} regret, band {band}, of {specs}; "
        f"runs by duelbench {', '.join(versions)}, figure by duelbench {VERSION}",
    }


def _files(figure: _Figure, base: Path, forms: Sequence[str]) -> dict[Path, bytes]:
    """The files of a figure: path -> bytes."""
    from duelbench.figures.drawing import render

    files = {}
    pictures = [form for form in forms if form != "csv"]
    if pictures:
        drawn = figure.picture.draw()
        for form in pictures:
            files[base.with_suffix(f".{form}")] = render(drawn, form, figure.provenance)
    files[base.with_suffix(".csv")] = figure.picture.numbers().encode()
    return files


def write_files(files: Mapping[Path, bytes], notes: Sequence[str] = ()) -> None:
    """Write files, each whole or not at all; then print the notes, and the paths of what was written.

    Nothing is printed earlier: where whoever reads has left (``| head -1``), printing ends the command, and a new
    picture would stand beside the old numbers.

    Raises
    ------
    InputError
        When one cannot be written.
    """
    written: list[Path] = []
    try:
        for path, content in files.items():
            _write(path, content)
            written.append(path)
    finally:
        for note in notes:
            typer.echo(f"note: {note}", err=True)
        for path in written:
            typer.echo(str(path))


def _write(path: Path, content: bytes) -> None:
    from duelbench.experiment import atomic

    try:
        atomic.write(path, content)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from None


def forms_of(output: Path | None) -> tuple[str, ...]:
    """The endings of the files to write; always with csv."""
    if output is None:
        return ("png", "pdf", "csv")
    from duelbench.figures.drawing import FORMATS

    known = (*FORMATS, "csv")
    form = output.suffix.lower().removeprefix(".")
    if output.is_dir() or form not in known:
        endings = ", ".join(f".{ending}" for ending in known)
        raise InputError(f"--output {output}: name a file that ends with one of {endings}")
    return (form, "csv")


def _first_round(text: str) -> int:
    from duelbench.experiment.numerals import Whole

    try:
        return Whole(1, 2**62, "rounds").read(text)
    except ValueError as error:
        raise InputError(f"--from: {error}") from None


def _check_ymax(ymax: float | None) -> None:
    if ymax is not None and not (math.isfinite(ymax) and ymax > 0):
        raise InputError(f"--ymax {ymax}: must be a positive number of duels")
