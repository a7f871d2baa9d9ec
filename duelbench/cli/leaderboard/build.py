"""``duelbench leaderboard build``: from the results of experiments to a page and its data."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from duelbench.cli.folders import PlugIn, Results
from duelbench.cli.streams import say


def build(
    results: Results,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="The folder that the leaderboard is written into.")
    ] = Path("results/leaderboard"),
    allow_partial: Annotated[
        bool, typer.Option("--allow-partial", help="Rank incomplete results, by the runs that are there.")
    ] = False,
    plug_in: PlugIn = None,
) -> None:
    """Make a leaderboard of results.

    \b
    Examples:
      duelbench leaderboard build results/first
      duelbench leaderboard build results/mslr5 results/mine -o board

    The folder gets index.html, a page that needs no network; leaderboard.json, all that the page shows; and
    digests.csv, the SHA-256 of every run. Algorithms that have runs on all matrices of a setting (a total order, a
    Condorcet winner, none) are ranked by the geometric mean of their regret. docs/leaderboard.md says how it is read.
    """
    from duelbench.api import places
    from duelbench.execution.progress import Waiting
    from duelbench.leaderboard import writing

    writing.check_folder(output)
    waiting = Waiting()
    opened, incomplete = places.results_at(results, plug_in=plug_in or ())

    from duelbench.leaderboard.building import build as built
    from duelbench.results.experiments import gaps_of, load_what_is_whole, notes

    try:
        experiments = load_what_is_whole(opened, incomplete, allow_partial=allow_partial, count=waiting.reading)
        incomplete.raise_any()
        waiting.doing("ranking")
        summary = built(experiments)
        waiting.doing(f"writing {output}")
        written = writing.write(output, summary, experiments)
    finally:
        waiting.close()
    for gap in (gap for experiment in experiments for gap in gaps_of(experiment)):
        typer.echo(f"note: partial: {gap}", err=True)
    for note in notes(experiments):
        typer.echo(f"note: {note}", err=True)
    for path in written:
        say(str(path))
    say(f"next: duelbench leaderboard show --summary {shlex.quote(str(output / writing.FILE))}")
