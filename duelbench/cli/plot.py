"""``duelbench plot``: figures of cumulative regret from results."""

from pathlib import Path
from typing import Annotated

import typer

from duelbench.cli.completion import candidates
from duelbench.cli.folders import PlugIn, Results, named_values
from duelbench.cli.pictures import write_files


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
        str | None,
        typer.Option(
            metavar="BAND",
            help="ci95: 95% confidence interval of the mean (with fewer than 8 runs their range); sem: standard error;"
            " std: standard deviation; iqr: median and quartiles of the runs; range: smallest to largest run."
            " By default what the spec says, or ci95.",
        ),
    ] = None,
    regret: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Which recorded regret to draw. By default the first of the spec.",
            autocompletion=candidates.regrets,
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LABEL", help="Draw this algorithm only; repeat for more.", autocompletion=candidates.labels
        ),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="Another kind of figure than the spec's: regret, bars, sweep, self-duels, survival, quantiles,"
            " distribution, accuracy, relative, duels, aggregate, exploration, waiting, error-map or error.",
            autocompletion=candidates.figures,
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Any option of the spec's `figure`, such as style=ieee, y_scale=log, width=8cm, legend=ends,"
            " columns=2, reference=RUCB or single_runs=20; first_round=ROUND and ymax=DUELS, where axes begin and end;"
            " title=TEXT, or title=no; together=yes, with --output: several experiments in one set of axes;"
            " beside=FILE:FIGURE, with the kind exploration: published curves from a CSV file. Repeat for more.",
        ),
    ] = None,
    formats: Annotated[
        list[str] | None,
        typer.Option(
            "--format", metavar="FORMAT", help="png, pdf, svg or pgf (for LaTeX), beside .csv; repeat for more."
        ),
    ] = None,
    allow_partial: Annotated[
        bool, typer.Option("--allow-partial", help="Draw incomplete results; the figure says so on its face.")
    ] = False,
    plug_in: PlugIn = None,
) -> None:
    """Draw the figures of experiments, by default regret over time.

    Each experiment's figure is the one that its spec asks for; by default the mean of cumulative regret against log
    time with a band, one panel per problem. The spec's `figure` says whether it is another kind of figure, and its
    limits; the options here win over it. With another --kind its limits do not count, and the files have the kind in
    their names. What is not complete is left out, and the command ends with exit code 4.

    \b
    Examples:
      duelbench plot results/mslr5
      duelbench plot results/mslr5 --only RUCB --only D-TS -o two.png
      duelbench plot results/first --band iqr --regret weak --set first_round=100
      duelbench plot results/first --kind survival -o tails.pdf
      duelbench plot results/first --set style=ieee --set title=no -o column.pgf
      duelbench plot results/first --kind relative --set reference=RUCB
    """
    from duelbench.api import places, plotting
    from duelbench.api.drawing import forms_of
    from duelbench.errors import InputError
    from duelbench.execution.progress import Waiting
    from duelbench.results.experiments import load_what_is_whole
    from duelbench.spec.figure_key import read_options

    said = {name: text for one in settings or () for name, text in named_values([one], "width=8cm").items()}
    options = read_options({"kind": kind, "band": band, **said})
    if options.get("together") and output is None:
        raise InputError("together: name the file of the one figure with --output")
    forms = forms_of(output, formats or ())
    asked = plotting.Asked(options, regret, only, allow_partial, output)
    waiting = Waiting()
    opened, incomplete = places.results_at(results, plug_in or ())
    chosen, notes = asked.having(opened)
    files: dict[Path, bytes] = {}
    try:
        experiments = load_what_is_whole(chosen, incomplete, allow_partial=allow_partial, count=waiting.reading)
        for drawing in plotting.drawings(experiments, incomplete, asked, waiting, notes):
            files.update(drawing.files(forms, notes))
    finally:
        waiting.close()
    write_files(files, notes)
    incomplete.raise_any(but_some=bool(files))
