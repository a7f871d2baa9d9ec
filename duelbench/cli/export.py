"""``duelbench export``: the runs, or their curves, as one tidy table."""

from pathlib import Path
from typing import Annotated

import typer

from duelbench.cli.completion import candidates
from duelbench.cli.folders import AllowPartial, PlugIn, Results
from duelbench.cli.streams import say


def export(
    results: Results,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write FILE (.csv; .parquet where pandas and pyarrow are installed). By default, and for -, standard"
            " output.",
        ),
    ] = None,
    runs: Annotated[
        bool, typer.Option("--runs", help="One row for each run instead of each checkpoint of it.")
    ] = False,
    regret: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Which recorded regret the curves are of. By default the first of each spec.",
            autocompletion=candidates.regrets,
        ),
    ] = None,
    allow_partial: AllowPartial = False,
    plug_in: PlugIn = None,
) -> None:
    """Write results as one tidy table.

    It has the regret of every run at every checkpoint.

    \b
    Examples:
      duelbench export results/first -o curves.csv
      duelbench export results/first --runs -o runs.csv
      duelbench export configs/mslr5.yaml --regret copeland > curves.csv

    Of several experiments the first column is the experiment. Rounds are counted from 1, runs and arms from 0.
    """
    from duelbench.api import exporting, places
    from duelbench.execution.progress import Waiting
    from duelbench.results.experiments import load_what_is_whole

    target = None if output in (None, Path("-")) else output
    exporting.check(target, runs, regret)
    waiting = Waiting()
    try:
        opened, incomplete = places.results_at(results, plug_in=plug_in or ())
        experiments = load_what_is_whole(opened, incomplete, allow_partial=allow_partial, count=waiting.reading)
        incomplete.raise_any()
        columns = exporting.columns_of(experiments, runs, regret)
        if target is not None:
            waiting.doing(f"writing {target}")
            exporting.write(columns, target)
    finally:
        waiting.close()
    for note in exporting.notes(experiments):
        typer.echo(f"note: {note}", err=True)
    if target is not None:
        say(str(target))
        return
    for part in exporting.as_csv(columns):
        say(part, end="")
