"""``duelbench plot``: figures of cumulative regret from results."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from duelbench.cli.completion import candidates
from duelbench.cli.folders import USUAL, Out, PlugIn, Results, Scale, rounds
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
    kind: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="Another kind of figure than the spec's: regret, bars, sweep, self-duels, survival, quantiles,"
            " distribution, accuracy, relative, duels, aggregate, exploration, waiting, error-map or error.",
            autocompletion=candidates.figures,
        ),
    ] = None,
    style: Annotated[
        str | None,
        typer.Option(
            metavar="STYLE",
            help="The page it is for: ieee (3.5 in wide, 8 pt), ieee-double (7.16 in), neurips (5.5 in, 9 pt) or slides"
            " (10 by 5.6 in, 18 pt).",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Any option that the spec's `figure` may have, such as width=8cm, font_size=7, legend=ends, columns=2,"
            " greyscale=yes, reference=RUCB or single_runs=20; repeat for more. With the kind exploration also"
            " beside=FILE:FIGURE, published curves from a CSV file.",
        ),
    ] = None,
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Another title than the spec's.", show_default="the spec's")
    ] = None,
    no_title: Annotated[bool, typer.Option("--no-title", help="No title.")] = False,
    together: Annotated[
        bool, typer.Option("--together", help="With --output: several experiments in one set of axes.")
    ] = False,
    formats: Annotated[
        list[str] | None,
        typer.Option(
            "--format", metavar="FORMAT", help="png, pdf, svg or pgf (for LaTeX), beside .csv; repeat for more."
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
      duelbench plot results/first --kind relative --set reference=RUCB
    """
    from duelbench.api import places, plotting
    from duelbench.api.drawing import forms_of
    from duelbench.errors import InputError
    from duelbench.execution.progress import Waiting
    from duelbench.results.experiments import load_what_is_whole
    from duelbench.spec.figure_key import read_options

    if no_title and title is not None:
        raise InputError("--title and --no-title exclude each other: choose one")
    if together and output is None:
        raise InputError("--together: name the file of the one figure with --output")
    forms = forms_of(output, formats or ())
    said = {"kind": kind, "band": band, "style": style, "first_round": first_round, "ymax": ymax}
    options = read_options(said | ({"y_scale": "log"} if log_regret else {}) | _settings(settings or ()))
    shown_title = "" if no_title else title
    asked = plotting.Asked(options, regret, only, shown_title, together, allow_partial, output)
    waiting = Waiting()
    opened, incomplete = places.results_at(results, out, scale, plug_in or ())
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


def _settings(said: Sequence[str]) -> dict[str, str]:
    """The settings ``KEY=VALUE`` by their keys."""
    from duelbench.errors import InputError

    for setting in said:
        if "=" not in setting:
            raise InputError(f"--set {setting}: write KEY=VALUE, as in width=8cm")
    return dict(setting.split("=", 1) for setting in said)
