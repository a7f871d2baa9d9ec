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
    from duelbench.figures.panels import Panel
    from duelbench.figures.regret_figure import Options
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
        Band,
        typer.Option(
            help="ci95: 95% confidence interval of the mean; sem: standard error; std: standard deviation;"
            " iqr: quartiles of the runs."
        ),
    ] = Band.ci95,
    log_regret: Annotated[bool, typer.Option("--log-regret", help="Draw regret on a logarithmic axis.")] = False,
    regret: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Which recorded regret to draw. By default the first of the spec."),
    ] = None,
    first_round: Annotated[str, typer.Option("--from", metavar="ROUND", help="Where the time axis begins.")] = "10",
    ymax: Annotated[
        float | None, typer.Option(metavar="DUELS", help="Top of the regret axes; curves above are cut off.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="LABEL", help="Draw this algorithm only; repeat for more.")
    ] = None,
    allow_partial: Annotated[
        bool, typer.Option("--allow-partial", help="Draw incomplete results; the figure says so on its face.")
    ] = False,
) -> None:
    """Draw cumulative regret against log time: the mean of the runs with a band, one panel per problem."""
    first = _first_round(first_round)
    _check_ymax(ymax)
    forms = _forms(output)

    from duelbench.figures.regret_figure import Options
    from duelbench.figures.results import bound_notes, choose_definition, environment_notes, gaps_of, load_experiments

    experiments = load_experiments(results, allow_partial=allow_partial)
    notes = [f"partial: {gap}" for experiment in experiments for gap in gaps_of(experiment)]
    notes += bound_notes(experiments)
    groups = [experiments] if output else [[experiment] for experiment in experiments]
    files: dict[Path, bytes] = {}
    for group in groups:
        options = Options(choose_definition(group, regret), log_regret, first, ymax)
        figure = _collect(group, options, band.value, only, allow_partial)
        base = output or group[0].results.folder / f"{group[0].name}.png"
        files.update(_files(figure, base, forms))
        notes += environment_notes(group)
    for note in notes:
        typer.echo(f"note: {note}", err=True)
    write_files(files)


@dataclass(frozen=True)
class _Figure:
    """All that a figure is made of."""

    panels: "Sequence[Panel]"
    options: "Options"
    only: Sequence[str] | None
    provenance: Mapping[str, str]


def _collect(
    experiments: "Sequence[Experiment]",
    options: "Options",
    band: str,
    only: Sequence[str] | None,
    allow_partial: bool,
) -> _Figure:
    from duelbench.figures.results import panels, version_notes

    mixed = version_notes(experiments)
    if mixed and not allow_partial:
        raise IncompleteResults(
            "\n  ".join(["these results cannot share a figure:", *mixed])
            + "\n`duelbench run` with the older spec computes its runs anew;"
            " --allow-partial draws them as they are, and says so"
        )
    alone = len(experiments) == 1
    drawn = []
    for experiment in experiments:
        own = panels(experiment, options.regret, band)
        for panel in own:
            drawn.append(panel if alone else _in_company(panel, experiment, only_one=len(own) == 1))
    if mixed:
        drawn = [replace(panel, mixed_versions=True) for panel in drawn]
    _check_rounds(drawn, options.first_round)
    drawn = _with_labels(drawn, only)
    options = replace(options, title=experiments[0].title if alone else None)
    return _Figure(drawn, options, only, provenance(experiments, options.regret, band))


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
    labels = list(dict.fromkeys(entry.label for panel in panels for entry in panel.entries))
    for label in only or ():
        if label not in labels:
            hint = nearest(label, labels) or f" (there are {', '.join(labels)})"
            raise InputError(f"--only {label}: no algorithm of these results has that label{hint}")
    return [panel for panel in panels if not only or any(entry.label in only for entry in panel.entries)]


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
    from duelbench.figures.regret_figure import plotted_numbers, regret_figure

    files = {}
    pictures = [form for form in forms if form != "csv"]
    if pictures:
        drawn = regret_figure(figure.panels, figure.options, figure.only)
        for form in pictures:
            files[base.with_suffix(f".{form}")] = render(drawn, form, figure.provenance)
    files[base.with_suffix(".csv")] = plotted_numbers(figure.panels, figure.options, figure.only).encode()
    return files


def write_files(files: Mapping[Path, bytes]) -> None:
    """Write files, each whole or not at all, and print their paths.

    Raises
    ------
    InputError
        When one cannot be written.
    """
    from duelbench.experiment import atomic

    for path, content in files.items():
        try:
            atomic.write(path, content)
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror or error}") from None
        typer.echo(str(path))


def _forms(output: Path | None) -> tuple[str, ...]:
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
