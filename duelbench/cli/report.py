"""``duelbench report``: regret at the horizon as a table, and a page with everything."""

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from duelbench.cli.options import AllowPartial, Csv, Json, PlugIn, Regret, Results
from duelbench.cli.printing import tell, tell_notes
from duelbench.cli.streams import say
from duelbench.errors import InputError


def report(
    results: Results,
    json: Json = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown tables.")] = False,
    csv: Csv = False,
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write an HTML page with figures, tables, duels and matrices."),
    ] = None,
    regret: Regret = None,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Columns of the printed table, separated by commas: mean, std, sem, median, q05, q95, q99,"
            " q99.9, winner, locked. JSON and CSV have all.",
            show_default="mean,sem,median,q05,q95,winner",
        ),
    ] = None,
    details: Annotated[
        bool, typer.Option("--details", help="Also print when runs settle on a winner, and how fast regret grows.")
    ] = False,
    reach: Annotated[
        float | None,
        typer.Option(
            metavar="DUELS", help="Also tabulate the round in which regret reaches this, and the runs without one."
        ),
    ] = None,
    allow_partial: AllowPartial = False,
    plug_in: PlugIn = None,
) -> None:
    """Tabulate regret at the horizon.

    The table has mean, standard error and quantiles of the runs, and the share of runs that recommend a winner at round
    t. `locked` is the share of runs that recommend no winner at any checkpoint from t / 10 to t, with its 95% interval.
    For specs with `identify` a table of answers comes first: how many are right, wrong or missing, and after how many
    rounds they came; with `budget`, what was recommended after each. JSON has the curves and --details, too. Incomplete
    results are left out, with exit code 4.

    \b
    Examples:
      duelbench report results/mslr5
      duelbench report results/ --json
      duelbench report results/tails --columns median,q99,q99.9,locked
      duelbench report results/mslr5 --details
      duelbench report results/mslr5 --reach 1000
      duelbench report results/mslr5 --regret copeland --html mslr5.html --markdown
    """
    if json + markdown + csv > 1:
        raise InputError("--json, --markdown and --csv exclude each other: choose one")
    if columns is not None and (json or csv):
        raise InputError("--columns: JSON and CSV have all columns; leave it out")
    if html is not None and (html.is_dir() or html.suffix.lower() not in (".html", ".htm")):
        raise InputError(f"--html {html}: name a file that ends with .html")
    if reach is not None and not 0 < reach < float("inf"):
        raise InputError(f"--reach {reach:g}: write a regret above 0, in duels")
    if details and csv:
        raise InputError("--details: CSV has none; use --json, or leave it out")
    from duelbench.experiments import loading
    from duelbench.experiments.execution.progress import Waiting
    from duelbench.experiments.figures import report as tables
    from duelbench.experiments.figures.numbers import as_csv, json_of
    from duelbench.experiments.figures.summary import records, summary
    from duelbench.experiments.results.experiments import check_recorded

    chosen = tables.USUAL_COLUMNS if columns is None else tables.chosen_columns(columns)
    with closing(Waiting()) as waiting:
        experiments, incomplete = loading.read_all(results, plug_in, allow_partial, waiting)
        for experiment in experiments:
            check_recorded(experiment, regret or experiment.definitions[0])
        if not experiments:
            if json:
                say(json_of([]), end="")
            incomplete.raise_any()
        if html is not None:
            from duelbench.common.atomic import write_asked
            from duelbench.experiments.reporting import page_of

            waiting.doing(f"drawing {html}")
            write_asked(html, page_of(experiments, regret, chosen).encode(), f"--html {html}:")
    if html is not None:
        tell(f"wrote {html}")
    tell_notes(loading.notes_on(experiments))
    by_experiment = [(experiment, records(experiment, regret, reach)) for experiment in experiments]
    all_records = [record for _, records_of_one in by_experiment for record in records_of_one]
    if json:
        text = json_of(all_records)
    elif csv:
        text = as_csv(summary(all_records))
    else:
        write = tables.as_markdown if markdown else tables.as_text
        text = write(tables.text_tables(by_experiment, chosen, details))
    say(text, end="")
    incomplete.raise_any(but_some=True)
