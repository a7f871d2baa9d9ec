"""``duelbench plot``: figures of cumulative regret from results."""

import re
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import typer

from duelbench.cli.options import AllowPartial, PlugIn, Regret, Results, named_values
from duelbench.cli.printing import write_files
from duelbench.errors import InputError
from duelbench.experiments.figures import kinds


def plot(
    results: Results,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write one figure of all experiments to FILE (.png, .pdf, .svg or .pgf), and its numbers to"
            " a .csv beside it; FILE.csv is the numbers alone. By default each experiment gets .png, .pdf"
            " and .csv in its own folder.",
        ),
    ] = None,
    band: Annotated[
        str | None,
        typer.Option(
            metavar="BAND",
            help="ci95: 95% confidence interval of the mean (with fewer than 8 runs their range); sem: standard error;"
            " std: standard deviation; iqr: median and quartiles of the runs; range: smallest to largest run."
            " Default: the spec's, or ci95.",
        ),
    ] = None,
    regret: Regret = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="LABEL", help="Draw only this algorithm; repeat for more."),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(metavar="KIND", help=f"Another kind of figure than the spec's: {', '.join(kinds.names())}."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Any option of the spec's `figure`, such as style=ieee, y_scale=log, width=8cm, legend=below,"
            " columns=2, single_runs=20, title=TEXT (or no), xlabel=TEXT, styles.RUCB.color=red, or the ends of an"
            " axis: y=[0,500], x=[100,]. Repeat for more.",
        ),
    ] = None,
    together: Annotated[
        bool, typer.Option("--together", help="With --output: draw several experiments in one set of axes.")
    ] = False,
    formats: Annotated[
        list[str] | None,
        typer.Option(
            "--format", metavar="FORMAT", help="png, pdf, svg or pgf (for LaTeX), beside .csv; repeat for more."
        ),
    ] = None,
    allow_partial: AllowPartial = False,
    plug_in: PlugIn = None,
) -> None:
    """Draw figures of experiments, by default regret over time.

    The spec's `figure` determines the figure; by default mean cumulative regret over log time with a band, one panel
    per problem. Options on the command line take precedence. Another --kind ignores the spec's limits, and the files
    have the kind in their names. Incomplete results are left out, with exit code 4; --allow-partial draws them, with a
    note in the figure.

    \b
    Examples:
      duelbench plot results/mslr5
      duelbench plot results/mslr5 --only RUCB --only D-TS -o two.png
      duelbench plot results/first --band iqr --regret weak --set x=[100,]
      duelbench plot results/first --kind survival -o tails.pdf
      duelbench plot results/first --set style=ieee --set title=no -o column.pgf
      duelbench plot results/first --kind quantiles --set y_scale=linear
    """
    from duelbench.experiments import plotting
    from duelbench.experiments.drawing import forms_of
    from duelbench.experiments.execution.progress import Waiting

    options = {"kind": kind, "band": band, **_options(settings or [])}
    if together and output is None:
        raise InputError("--together: name the file of the one figure with --output")
    forms = forms_of(output, formats or ())
    plot_options = plotting.PlotOptions(options, regret, only, allow_partial, output, together)
    notes: list[str] = []
    files: dict[Path, bytes] = {}
    with closing(Waiting()) as waiting:
        drawings, incomplete = plotting.drawings(results, plot_options, plug_in, waiting, notes)
        for drawing in drawings:
            files |= drawing.files(forms, notes)
    write_files(files, notes)
    incomplete.raise_any(but_some=bool(files))


def _options(settings: list[str]) -> dict[str, Any]:
    """Return the options of a figure from ``KEY=VALUE`` texts; ``styles.LABEL.KEY=VALUE`` sets part of a look.

    Examples
    --------
    >>> _options(["columns=2", "styles.RUCB, alpha=0.6.color=red"])
    {'columns': '2', 'styles': {'RUCB, alpha=0.6': {'color': 'red'}}}
    """
    styles: dict[str, dict[str, str]] = {}
    others = []
    for setting in settings:
        look = re.fullmatch(r"styles\.(.+)\.(\w+)=([^=]*)", setting)  # labels may have dots and equals signs
        if look is None:
            others.append(setting)
            continue
        label, key, value = look.groups()
        if key in styles.setdefault(label, {}):
            raise InputError(f"'{setting}': the {key} of {label} is given twice")
        styles[label][key] = value
    options = named_values(others, "width=8cm")
    if styles and "styles" in options:
        raise InputError("--set styles: give it whole, or the looks of labels by key, not both")
    return {**options, "styles": styles} if styles else {**options}
