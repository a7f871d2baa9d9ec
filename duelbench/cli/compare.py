"""``duelbench compare``: differences of regret with their intervals."""

from pathlib import Path
from typing import Annotated

import typer

from duelbench.cli.completion import candidates
from duelbench.cli.folders import PlugIn, whole
from duelbench.cli.streams import say
from duelbench.errors import InputError


def compare(
    arguments: Annotated[
        list[str],
        typer.Argument(
            metavar="RESULTS... [LABEL...]",
            help="Results folders, a folder of several, or specs; then the labels to compare, by default all.",
            autocompletion=candidates.labels,
        ),
    ],
    of: Annotated[
        str, typer.Option(metavar="STATISTIC", help="mean, median, or a quantile between 0 and 1, such as 0.9.")
    ] = "mean",
    at: Annotated[
        int | None,
        typer.Option(
            parser=whole(1, 2**62, "rounds"), metavar="ROUND", help="Compare after this round.", show_default="horizon"
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="LABEL",
            help="Compare all others with this one. By default each with each.",
            autocompletion=candidates.labels,
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Also draw the intervals as FILE (.png, .pdf, .svg or .pgf), with their numbers as .csv beside it.",
        ),
    ] = None,
    regret: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Which recorded regret to compare. By default the first of each spec.",
            autocompletion=candidates.regrets,
        ),
    ] = None,
    allow_partial: Annotated[
        bool, typer.Option("--allow-partial", help="Compare what is there of results that are not complete.")
    ] = False,
    plug_in: PlugIn = None,
) -> None:
    """Say which algorithm has less regret, and how sure that is.

    For each pair of algorithms on a problem the table has the difference of mean regret at the horizon, its 95%
    interval, and a verdict that allows for the number of pairs (Holm). Runs of one number are subtracted, since they
    were shown the arms in the same order. docs/statistics.md says how often the intervals hold.

    \b
    Examples:
      duelbench compare results/first
      duelbench compare results/mslr5 D-TS RUCB --of median
      duelbench compare results/old results/new --against old/D-TS --at 1e5 -o differences.pdf
    """
    if json and csv:
        raise InputError("--json and --csv exclude each other: choose one")
    from duelbench.api import comparing, exporting, places
    from duelbench.api.drawing import forms_of
    from duelbench.execution.progress import Waiting
    from duelbench.figures import comparison_table
    from duelbench.figures.content.comparisons import Question, comparisons
    from duelbench.results import atomic
    from duelbench.results.experiments import load_what_is_whole

    paths, labels = comparing.sorted_out(arguments)
    question = Question(labels, of, at, regret, against)
    forms = forms_of(output) if output is not None else ()
    waiting = Waiting()
    files: dict[Path, bytes] = {}
    drawn: list[str] = []
    try:
        opened, incomplete = places.results_at(paths, plug_in or ())
        experiments = load_what_is_whole(opened, incomplete, allow_partial=allow_partial, count=waiting.reading)
        incomplete.raise_any()
        found, notes = comparisons(experiments, question)
        if output is not None:
            waiting.doing(f"drawing {output}")
            files = comparing.drawing(experiments, found, output).files(forms, drawn)
    finally:
        waiting.close()
    for note in [*exporting.notes(experiments), *notes, *drawn]:
        typer.echo(f"note: {note}", err=True)
    for path, content in files.items():
        atomic.write_asked(path, content, str(path))
        typer.echo(f"wrote {path}", err=True)
    form = comparison_table.as_json if json else comparison_table.csv_of if csv else comparison_table.as_text
    say(form(found), end="")
