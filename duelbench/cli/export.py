"""``duelbench export``: the runs, or their curves, as one tidy table."""

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from duelbench.cli.options import AllowPartial, PlugIn, Regret, Results
from duelbench.cli.printing import tell_notes
from duelbench.cli.streams import say


def export(
    results: Results,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write FILE (.csv; .parquet if pyarrow is installed). Default, and -: standard output.",
        ),
    ] = None,
    runs: Annotated[bool, typer.Option("--runs", help="One row per run instead of one per checkpoint.")] = False,
    regret: Regret = None,
    allow_partial: AllowPartial = False,
    plug_in: PlugIn = None,
) -> None:
    """Write results as one tidy table.

    The table has the regret of every run at every checkpoint.

    \b
    Examples:
      duelbench export results/first -o curves.csv
      duelbench export results/first --runs -o runs.csv
      duelbench export configs/mslr5.yaml --regret copeland > curves.csv

    With several experiments the first column names the experiment. Rounds count from 1, runs and arms from 0.
    """
    from duelbench.experiments import exporting, loading
    from duelbench.experiments.execution.progress import Waiting
    from duelbench.experiments.figures.numbers import as_csv
    from duelbench.experiments.results import settings

    target = None if output in (None, Path("-")) else output
    exporting.check(target, runs, regret)
    with closing(Waiting()) as waiting:
        experiments, incomplete = loading.read_all(results, plug_in, allow_partial, waiting)
        incomplete.raise_any()
        table = exporting.table_of(experiments, runs, regret)
        if target is not None:
            waiting.doing(f"writing {target}")
            exporting.write(table, target)
    tell_notes([*loading.notes_on(experiments), *settings.notes(experiments)])
    say(as_csv(table) if target is None else f"{target}\n", end="")
