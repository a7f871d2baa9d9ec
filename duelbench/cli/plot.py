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
            help="Write one figure with the panels of all experiments to FILE (.png, .pdf or .svg),"
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
            help="Another kind of figure than the spec's: regret, bars, sweep, self-duels, survival or quantiles.",
            autocompletion=candidates.figures,
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
    limits; the options here win over it, and with another --kind its limits do not count. What is not complete is left
    out, and the command ends with exit code 4.

    \b
    Examples:
      duelbench plot results/mslr5
      duelbench plot configs/mslr5.yaml --only RUCB --only D-TS -o two.png
      duelbench plot results/first --band iqr --regret weak --from 100
      duelbench plot results/first --kind survival -o tails.pdf
    """
    from duelbench.actions import places, plotting
    from duelbench.execution.progress import Waiting

    forms = plotting.forms_of(output)
    asked = plotting.Asked(
        *(regret, band, log_regret, first_round, ymax, only, allow_partial, output, exploration, beside), kind=kind
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
