"""``duelbench compare``: differences of regret with their intervals."""

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from duelbench.cli.options import AllowPartial, Csv, Json, PlugIn, Regret, whole
from duelbench.cli.printing import tell, tell_notes
from duelbench.cli.streams import say
from duelbench.errors import InputError


def compare(
    arguments: Annotated[
        list[str],
        typer.Argument(
            metavar="RESULTS... [LABEL...]",
            help="Results folders, a folder of several, or specs; then the labels to compare, by default all of them.",
        ),
    ],
    of: Annotated[
        str, typer.Option(metavar="STATISTIC", help="mean, median, or a quantile between 0 and 1, such as 0.9.")
    ] = "mean",
    at: Annotated[
        int | None,
        typer.Option(
            parser=whole(1, 2**62, "rounds"),
            metavar="ROUND",
            help="Compare after this round.",
            show_default="horizon",
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(metavar="LABEL", help="Compare every other algorithm with this one. Default: every pair."),
    ] = None,
    json: Json = False,
    csv: Csv = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Also draw the intervals as FILE (.png, .pdf, .svg or .pgf), with their numbers as .csv beside it.",
        ),
    ] = None,
    regret: Regret = None,
    allow_partial: AllowPartial = False,
    plug_in: PlugIn = None,
) -> None:
    """Compare the regret of algorithms, or the rounds before their answers, with intervals and tests.

    For each pair of algorithms on a problem the table has the difference of mean regret at the horizon, its 95%
    interval, and an outcome that allows for the number of pairs (Holm's method). Runs are paired by index, because they
    see the arms in the same order. Values of a parameter that the spec sweeps over are compared like algorithms, as
    `RUCB, alpha 0.6`. For specs with `identify`, rounds before the answer are compared unless --regret names a regret.
    docs/statistics.md has the measured coverage of the intervals.

    \b
    Examples:
      duelbench compare results/first
      duelbench compare results/mslr5 D-TS RUCB --of median
      duelbench compare results/old results/new --against old/D-TS --at 1e5 -o differences.pdf
    """
    if json and csv:
        raise InputError("--json and --csv exclude each other: choose one")
    from duelbench.common import atomic
    from duelbench.experiments import comparing
    from duelbench.experiments.drawing import forms_of
    from duelbench.experiments.execution.progress import Waiting
    from duelbench.experiments.figures import comparison_table
    from duelbench.experiments.figures.comparisons import Question

    paths, labels = comparing.paths_and_labels(arguments)
    question = Question(labels, of, at, regret, against)
    forms = forms_of(output) if output is not None else ()
    files: dict[Path, bytes] = {}
    notes: list[str] = []
    with closing(Waiting()) as waiting:
        experiments, pairs = comparing.compared(paths, question, plug_in, allow_partial, waiting, notes.append)
        if output is not None:
            waiting.doing(f"drawing {output}")
            files = comparing.drawing(experiments, pairs, output).files(forms, notes)
    tell_notes(notes)
    for path, content in files.items():
        atomic.write_asked(path, content, str(path))
        tell(f"wrote {path}")
    if json:
        text = comparison_table.as_json(pairs)
    elif csv:
        text = comparison_table.as_csv(pairs)
    else:
        text = comparison_table.as_text(pairs)
    say(text, end="")
