"""``duelbench report``: regret at the horizon as a table, and a page with everything."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from duelbench.cli.completion import candidates
from duelbench.cli.folders import USUAL, Out, PlugIn, Results, Scale
from duelbench.cli.streams import say
from duelbench.errors import InputError

if TYPE_CHECKING:
    from duelbench.figures.page import Section
    from duelbench.problem.preferences import PreferenceMatrix
    from duelbench.problem.scalar_bandit import ScalarBandit
    from duelbench.results.experiments import Experiment


MAX_CELLS_WITH_MATRIX = 200
"""Of the cells of an experiment, so many at most have their matrices described: a sweep can have thousands."""


def report(
    results: Results,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document, with the curves.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown tables.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write FILE, one HTML page with figures, tables and matrices."),
    ] = None,
    regret: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Which recorded regret to tabulate. By default the first of each spec.",
            autocompletion=candidates.regrets,
        ),
    ] = None,
    allow_partial: Annotated[
        bool, typer.Option("--allow-partial", help="Report incomplete results; the report says so.")
    ] = False,
    out: Out = USUAL,
    scale: Scale = None,
    plug_in: PlugIn = None,
) -> None:
    """Tabulate regret at the horizon.

    The table has mean, standard error and quantiles of the runs, and the share of the runs that found a winner. What is
    not complete is left out, and the command ends with exit code 4.

    \b
    Examples:
      duelbench report results/mslr5
      duelbench report results/ --json
      duelbench report configs/mslr5.yaml --regret copeland --html mslr5.html --markdown
    """
    if json + markdown + csv > 1:
        raise InputError("--json, --markdown and --csv exclude each other: choose one")
    _check_html(html)
    from duelbench.actions import places
    from duelbench.execution.progress import Waiting

    waiting = Waiting()
    opened, incomplete = places.results_at(results, out, scale, plug_in or ())

    from duelbench.figures import table
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
            _write_page(html, experiments, regret)
    finally:
        waiting.close()
    lines = [row for experiment in experiments for row in rows(experiment, regret)]
    form = table.as_json if json else table.as_markdown if markdown else table.as_csv if csv else table.as_text
    if html is not None:
        typer.echo(f"wrote {html}", err=True)
    for gap in (gap for experiment in experiments for gap in gaps_of(experiment)):
        typer.echo(f"note: partial: {gap}", err=True)
    for note in notes(experiments):
        typer.echo(f"note: {note}", err=True)
    say(form(lines), end="")
    incomplete.raise_any(but_some=True)


def _check_html(html: Path | None) -> None:
    if html is not None and (html.is_dir() or html.suffix.lower() not in (".html", ".htm")):
        raise InputError(f"--html {html}: name a file that ends with .html")


def _write_page(path: Path, experiments: "Sequence[Experiment]", regret: str | None) -> None:
    from duelbench.figures.page import page
    from duelbench.results.atomic import write_asked

    write_asked(path, page([_section(experiment, regret) for experiment in experiments]).encode(), f"--html {path}:")


def _section(experiment: "Experiment", regret: str | None) -> "Section":
    from duelbench.actions.plotting import provenance
    from duelbench.figures.content.rows import rows
    from duelbench.figures.drawing.canvas import render
    from duelbench.figures.options import options_of
    from duelbench.figures.page import Section
    from duelbench.figures.picture import picture
    from duelbench.results.experiments import gaps_of, notes

    definition = regret or experiment.definitions[0]
    options = options_of(experiment.results.spec)
    figure = picture(experiment, options, definition).draw()
    svg = render(figure, "svg", provenance([experiment], definition, options.band, options.kind)).decode()
    matrices = {cell.stored.problem: cell.stored.matrix for cell in experiment.cells[:MAX_CELLS_WITH_MATRIX]}
    return Section(
        title=experiment.title,
        svg=svg,
        rows=rows(experiment, definition),
        settings=_settings(experiment),
        matrices={problem: _matrix_facts(matrix) for problem, matrix in matrices.items()},
        warnings=[*(f"partial: {gap}" for gap in gaps_of(experiment)), *notes([experiment])],
    )


def _settings(experiment: "Experiment") -> dict[str, str]:
    spec = experiment.results.spec
    environments = [", ".join(f"{name} {value}" for name, value in env.items()) for env in experiment.environments]
    return {
        "name": experiment.name,
        "horizon": f"{spec['horizon']} rounds",
        "runs": str(spec["runs"]),
        "seed": str(spec["seed"]),
        "arms shuffled": "yes" if spec["shuffle_arms"] else "no",
        "feedback delay": f"{spec['feedback_delay']} rounds",
        "regret": ", ".join(experiment.definitions),
        "spec SHA-256": experiment.spec_sha256,
        "computed with": "; ".join(environments),
    }


def _matrix_facts(matrix: "PreferenceMatrix | ScalarBandit") -> dict[str, str]:
    from duelbench.cli.show import matrix_facts
    from duelbench.problem.scalar_bandit import ScalarBandit

    if isinstance(matrix, ScalarBandit):
        asked = ", ".join([matrix.decision.name, *(f"{name} = {value}" for name, value in matrix.parameters.items())])
        return {
            "arms": f"{matrix.n_arms}, counted from 0",
            "decision": asked,
            "best decisions": ", ".join(map(str, matrix.best)),
            "source": matrix.source or "",
            "SHA-256": matrix.sha256,
        }
    facts = matrix_facts(matrix)
    condorcet = facts["condorcet_winner"]
    return {
        "arms": f"{facts['n_arms']}, counted from 0",
        "Condorcet winner": "none" if condorcet is None else matrix.listed([condorcet]),
        "Copeland winners": matrix.listed(facts["copeland_winners"]),
        "Borda winners": matrix.listed(facts["borda_winners"]),
        "smallest gap": f"{facts['min_gap']:.6g}",
        "ties": str(len(facts["ties"])),
        "source": matrix.source or "",
        "SHA-256": matrix.sha256,
    }
