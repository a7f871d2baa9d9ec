"""``duelbench plot``: figures of cumulative regret from results."""

from pathlib import Path
from typing import Annotated

import typer

from duelbench.cli.completion import candidates
from duelbench.cli.folders import USUAL, Out, PlugIn, Results, Scale, rounds
from duelbench.cli.pictures import Band, write_files


def plot(
    results: Results,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write one figure with the panels of all experiments to FILE (.png, .pdf, .svg or .pgf),"
            " and its numbers to a .csv beside it; a FILE.csv is its numbers alone. By default each experiment gets"
            " .png, .pdf and .csv in its own folder.",
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
        typer.Option(
            metavar="NAME",
            help="Which recorded regret to draw. By default the first of the spec.",
            autocompletion=candidates.regrets,
        ),
    ] = None,
    first_round: Annotated[
        int | None,
        typer.Option(
            "--from",
            parser=rounds,
            metavar="ROUND",
            help="Where the time axis begins.",
            show_default="the spec's, or 10",
        ),
    ] = None,
    ymax: Annotated[
        float | None, typer.Option(metavar="DUELS", help="Top of the regret axes; curves above are cut off.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LABEL", help="Draw this algorithm only; repeat for more.", autocompletion=candidates.labels
        ),
    ] = None,
    exploration: Annotated[
        bool,
        typer.Option(
            "--exploration", help="Draw what explorers are judged by: accuracy, regret and what is still explored."
        ),
    ] = False,
    kind: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="Another kind of figure than the spec's: regret, bars, sweep, self-duels, survival, quantiles,"
            " distribution, accuracy, relative, duels, aggregate, waiting, error-map or error.",
            autocompletion=candidates.figures,
        ),
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option(
            metavar="LABEL",
            help="With the kinds relative and aggregate: divide regret by the mean regret of this algorithm.",
            show_default="relative: the first of the spec; aggregate: random duels",
        ),
    ] = None,
    bound: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="With the kind relative: divide regret by C ln t of the bound copeland, condorcet or ecw.",
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(metavar="FORM", help="With the kind distribution: ecdf or box.", show_default="ecdf"),
    ] = None,
    style: Annotated[
        str | None,
        typer.Option(
            metavar="STYLE",
            help="The page it is for: ieee (3.5 in wide, 8 pt), ieee-double (7.16 in), neurips (5.5 in, 9 pt) or slides"
            " (10 by 5.6 in, 18 pt).",
        ),
    ] = None,
    width: Annotated[
        str | None, typer.Option(metavar="LENGTH", help="Width of the whole figure, such as 3.25in, 8cm or 252pt.")
    ] = None,
    height: Annotated[
        str | None, typer.Option(metavar="LENGTH", help="Height of the whole figure, with its legend.")
    ] = None,
    font_size: Annotated[
        float | None, typer.Option("--font-size", metavar="POINTS", help="Size of letters; lines go with it.")
    ] = None,
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Another title than the spec's.", show_default="the spec's")
    ] = None,
    no_title: Annotated[bool, typer.Option("--no-title", help="No title.")] = False,
    legend: Annotated[
        str | None,
        typer.Option(
            metavar="PLACE",
            help="best (inside the first panel), right, below, ends (names at the ends of the lines) or none.",
        ),
    ] = None,
    columns: Annotated[int | None, typer.Option(metavar="N", help="Panels in a row.")] = None,
    greyscale: Annotated[
        bool, typer.Option("--greyscale", help="Grey curves and bars; dashes, markers and patterns tell them apart.")
    ] = False,
    panels: Annotated[
        str | None,
        typer.Option(
            metavar="WHAT", help="problem, or algorithm: a panel for each, the others thin and grey behind it."
        ),
    ] = None,
    single_runs: Annotated[
        int | None, typer.Option("--single-runs", metavar="N", help="N single runs of each algorithm as thin lines.")
    ] = None,
    together: Annotated[
        bool, typer.Option("--together", help="With --output: several experiments in one set of axes.")
    ] = False,
    formats: Annotated[
        list[str] | None,
        typer.Option(
            "--format", metavar="FORMAT", help="png, pdf, svg or pgf (for LaTeX), beside .csv; repeat for more."
        ),
    ] = None,
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
    limits; the options here win over it. With another --kind its limits do not count, and the files have the kind in
    their names. What is not complete is left
    out, and the command ends with exit code 4.

    \b
    Examples:
      duelbench plot results/mslr5
      duelbench plot configs/mslr5.yaml --only RUCB --only D-TS -o two.png
      duelbench plot results/first --band iqr --regret weak --from 100
      duelbench plot results/first --kind survival -o tails.pdf
      duelbench plot results/first --style ieee --no-title -o column.pgf
      duelbench plot results/first --kind relative --reference RUCB
    """
    from duelbench.api import places, plotting
    from duelbench.errors import InputError
    from duelbench.execution.progress import Waiting
    from duelbench.figures.frame import frame_of

    if no_title and title is not None:
        raise InputError("--title and --no-title exclude each other: choose one")
    if together and output is None:
        raise InputError("--together: name the file of the one figure with --output")
    forms = plotting.forms_of(output, formats or ())
    asked = plotting.Asked(
        *(regret, band, log_regret, first_round, ymax, only, allow_partial, output, exploration, beside),
        kind=kind,
        frame=frame_of(style, width, height, font_size, legend, greyscale),
        title="" if no_title else title,
        columns=columns,
        panels=panels,
        single_runs=single_runs,
        together=together,
        reference=reference,
        bound=bound,
        form=form,
    )
    waiting = Waiting()
    opened, incomplete = places.results_at(results, out, scale, plug_in or ())
    chosen, notes = asked.having(opened)
    files: dict[Path, bytes] = {}
    try:
        for drawing in plotting.drawings(chosen, incomplete, asked, waiting, notes):
            files.update(drawing.files(forms, notes))
    finally:
        waiting.close()
    write_files(files, notes)
    incomplete.raise_any(but_some=bool(files))
