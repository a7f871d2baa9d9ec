"""The `duelbench` command: registers the commands and turns errors into one line and an exit code."""

import sys
from typing import Annotated

import typer

from duelbench.cli import bench, list_, matrix, plot, report, run, schema, show, status
from duelbench.errors import DuelbenchError
from duelbench.version import VERSION

# \b keeps a paragraph's line breaks.
EPILOG = """
\b
Examples:
  duelbench run configs/mslr5.yaml
  duelbench plot results/
  duelbench show matrices/cyclic.csv
  duelbench matrix generate bradley-terry n_arms=64 --seed 7 -o bt64.csv
  duelbench list algorithms

\b
Exit codes:
  0 done                          3 some runs failed
  1 a fault of duelbench          4 results are incomplete or damaged
  2 the input is wrong            130 interrupted
"""

app = typer.Typer(
    name="duelbench",
    help="Dueling bandits: run experiments, draw their figures, look at matrices.",
    epilog=EPILOG,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"duelbench {VERSION}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Dueling bandits: run experiments, draw their figures, look at matrices."""


app.command("run")(run.run)
app.command("plot")(plot.plot)
app.command("report")(report.report)
app.command("status")(status.status)
app.command("show")(show.show)
app.command("list")(list_.list_)
app.add_typer(matrix.matrix, name="matrix")
app.command("schema")(schema.schema)
app.command("bench")(bench.bench)


def main() -> None:
    """Entry point of the `duelbench` command."""
    try:
        app()
    except DuelbenchError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # The reader (`| head`) has seen enough; keep Python from complaining while it flushes.
        sys.stdout = None
        sys.exit(0)


if __name__ == "__main__":
    main()
