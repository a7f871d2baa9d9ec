"""``duelbench report``: regret at the horizon as a table, and a page with everything."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from duelbench.cli.completion import candidates
from duelbench.cli.folders import PlugIn, Results
from duelbench.cli.streams import say
from duelbench.errors import InputError

if TYPE_CHECKING:
    from duelbench.results.experiments import Experiment


def report(
    results: Results,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document, with the curves.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown tables.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write FILE, one HTML page with figures, tables, duels and matrices."),
    ] = None,
    regret: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Which recorded regret to tabulate. By default the first of each spec.",
            autocompletion=candidates.regrets,
        ),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Columns of the table for people, with commas between them: mean, std, sem, median, q05, q95, q99,"
            " q99.9, winner, locked. JSON and CSV always have all of them.",
            show_default="mean,sem,median,q05,q95,winner",
        ),
    ] = None,
    allow_partial: Annotated[
        bool, typer.Option("--allow-partial", help="Report incomplete results; the report says so.")
    ] = False,
    plug_in: PlugIn = None,
) -> None:
    """Tabulate regret at the horizon.

    The table has mean, standard error and quantiles of the runs, and the share of the runs that recommend a winner at
    round t. `locked` is the share of those that recommend none at any checkpoint from t / 10 to t, with its 95%
    interval. Of specs with `identify` a table of answers comes first: how many were right, wrong or not given, and
    after how many rounds they came; with `budget`, what was recommended after each. What is not complete is left out,
    and the command ends with exit code 4.

    \b
    Examples:
      duelbench report results/mslr5
      duelbench report results/ --json
      duelbench report results/tails --columns median,q99,q99.9,locked
      duelbench report results/mslr5 --regret copeland --html mslr5.html --markdown
    """
    if json + markdown + csv > 1:
        raise InputError("--json, --markdown and --csv exclude each other: choose one")
    if columns is not None and (json or csv):
        raise InputError("--columns: JSON and CSV have all columns; leave it out")
    _check_html(html)
    from duelbench.api import places
    from duelbench.execution.progress import Waiting
    from duelbench.figures import table

    chosen = table.USUAL_COLUMNS if columns is None else table.chosen_columns(columns)
    waiting = Waiting()
    opened, incomplete = places.results_at(results, plug_in or ())

    from duelbench.figures.content.rows import rows
    from duelbench.results.experiments import check_recorded, gaps_of, load_what_is_whole, notes

    try:
        experiments = load_what_is_whole(opened, incomplete, allow_partial=allow_partial, count=waiting.reading)
        if regret is not None:
            for experiment in experiments:
                check_recorded(regret, experiment.name, experiment.definitions)
        if not experiments:
            if json:
                say(table.as_json([]), end="")
            incomplete.raise_any()
        if html is not None:
            waiting.doing(f"drawing {html}")
            _write_page(html, experiments, regret, chosen)
    finally:
        waiting.close()
    lines = [row for experiment in experiments for row in rows(experiment, regret)]
    for_people = table.as_markdown if markdown else table.as_text
    text = table.as_json(lines) if json else table.as_csv(lines) if csv else for_people(lines, chosen)
    if html is not None:
        typer.echo(f"wrote {html}", err=True)
    for gap in (gap for experiment in experiments for gap in gaps_of(experiment)):
        typer.echo(f"note: partial: {gap}", err=True)
    for note in notes(experiments):
        typer.echo(f"note: {note}", err=True)
    say(text, end="")
    incomplete.raise_any(but_some=True)


def _check_html(html: Path | None) -> None:
    if html is not None and (html.is_dir() or html.suffix.lower() not in (".html", ".htm")):
        raise InputError(f"--html {html}: name a file that ends with .html")


def _write_page(path: Path, experiments: "Sequence[Experiment]", regret: str | None, columns: Sequence[str]) -> None:
    from duelbench.api.reporting import page_of
    from duelbench.results.atomic import write_asked

    write_asked(path, page_of(experiments, regret, columns).encode(), f"--html {path}:")
