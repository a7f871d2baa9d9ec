"""The page of ``duelbench report --html``."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
import yaml

from duelbench.bandits.problem import winners
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.scalar_bandit import ScalarBandit
from duelbench.bandits.problem.worlds.world import AnyProblem, World
from duelbench.common.pages.page import Figure, Page, Section, Table
from duelbench.common.words import plural
from duelbench.experiments.describing import bandit_in_words, matrix_facts
from duelbench.experiments.figures.drawing.canvas import MAX_PANELS, render
from duelbench.experiments.figures.drawing.heat_map import heat_map
from duelbench.experiments.figures.drawing.names import regret_name, unit
from duelbench.experiments.figures.figure import Drawable, Request, options_of
from duelbench.experiments.figures.report import (
    DETAILS,
    USUAL_COLUMNS,
    answer_tables,
    detail_lines,
    regret_lines,
)
from duelbench.experiments.figures.summary import records
from duelbench.experiments.results.experiments import gaps_of, notes
from duelbench.experiments.results.samples import longest, samples
from duelbench.experiments.results.settings import in_words, played
from duelbench.version import VERSION

if TYPE_CHECKING:
    from matplotlib.figure import Figure as MatplotlibFigure

    from duelbench.experiments.results.experiments import Experiment
    from duelbench.experiments.results.manifest import StoredCell

MOST_PROBLEMS = 40
"""Most problems that are described; of the random matrices at one value of a sweep only the first is."""

MOST_ARMS = 200
"""Most arms of a matrix that is drawn."""

MOST_PAIRS = 3
"""Most pairs that the table of duels lists for each algorithm."""

MOST_TITLES = 2
"""Most experiments that the heading of a page names."""

MEANINGS = {
    "std": "standard deviation of the runs",
    "sem": "standard error of the mean",
    "q05": "5% quantile of the runs",
    "q95": "95% quantile of the runs",
    "q99": "99% quantile of the runs",
    "q99.9": "99.9% quantile of the runs",
    "winner": "share of the runs that recommend a winner in the end",
    "locked": "share of the runs that recommend no winner from a tenth of the horizon on",
}
"""Column -> its meaning, unless the name says so."""


def page_of(experiments: "Sequence[Experiment]", regret: str | None, columns: Sequence[str] = USUAL_COLUMNS) -> str:
    """The page of experiments as HTML.

    Parameters
    ----------
    experiments : sequence of Experiment
        At least one.
    regret : str, optional
        Which recorded regret; by default the first of each spec.
    columns : sequence of str
        The columns of the tables: keys of `duelbench.experiments.figures.report.COLUMNS`.
    """
    parts = [_section(experiment, regret or experiment.definitions[0], columns) for experiment in experiments]
    footer = f"Made with duelbench {VERSION}."
    if len(parts) > 1:
        titles = [part.heading for part in parts]
        heading = ", ".join(titles) if len(titles) <= MOST_TITLES else f"{len(titles)} experiments"
        return Page(heading, parts, footer=footer).html()
    (part,) = parts
    return Page(part.heading, part.sections, warnings=part.warnings, notes=part.notes, footer=footer).html()


def _section(experiment: "Experiment", regret: str, columns: Sequence[str]) -> Section:
    parent = f"{experiment.results.folder.parent}{os.sep}"
    spec_text = yaml.safe_dump(
        dict(experiment.results.spec), sort_keys=False, allow_unicode=True, width=100, default_flow_style=None
    )
    return Section(
        experiment.title,
        warnings=[f"partial: {gap.replace(parent, '')}" for gap in gaps_of(experiment)],
        notes=notes([experiment]),
        sections=[
            *_results(experiment, regret, columns),
            *_duels(experiment, regret),
            _problems(experiment),
            Section("Experiment", facts=_settings(experiment)),
            Section(
                "Reproduce these results",
                code=_commands(experiment),
                sections=[Section("The spec, with all defaults", code=spec_text, is_folded=True)],
            ),
        ],
    )


def _results(experiment: "Experiment", regret: str, columns: Sequence[str]) -> list[Section]:
    """Sections on answers, if the experiment has ``identify``, and on regret; the first section has the figure."""
    all_records = records(experiment, regret)
    sections = []
    for heading, lines, below in answer_tables(experiment, all_records):
        heading = heading[0].upper() + heading[1:]
        sections.append(Section(heading, tables=[_table(lines, [f"{line}." for line in below])]))
    lines, below = regret_lines(all_records, columns, experiment)
    horizons = {record["horizon"] for record in all_records}
    after = "round t"
    if len(horizons) == 1:
        after = f"round {horizons.pop():,}"
        lines = [tuple(cell for name, cell in zip(lines[0], line, strict=True) if name != "t") for line in lines]
    meanings = "; ".join(f"{name}: {MEANINGS[name]}" for name in columns if name in MEANINGS)
    below = [*([f"{meanings}."] if meanings else []), *below]
    sections.append(
        Section(f"Cumulative {regret_name(regret)} after {after}, in {unit(regret)}", tables=[_table(lines, below)])
    )
    sections.append(Section(DETAILS[0].upper() + DETAILS[1:], tables=[_table(*detail_lines(all_records))]))
    sections[0] = replace(sections[0], figures=[_main_figure(experiment, regret)])
    return sections


def _main_figure(experiment: "Experiment", regret: str) -> Figure:
    """The figure of the spec, but with a size for screens instead of paper."""
    options = options_of(experiment.results.spec, None, experiment.results.spec_folder)
    size = {"style": None, "width": None, "height": None, "font_size": None, "legend": "below"}
    drawn = Drawable([Request(experiment, options.model_copy(update=size), regret)]).draw()
    return _figure(drawn, f"{regret} regret, a figure of the kind {options.kind}")


def _table(lines: Sequence[Sequence[str]], notes: Sequence[str]) -> Table:
    """A table whose first columns are the problem and the algorithm; ``lines`` begin with the names of columns."""
    return Table(lines[0], lines[1:], notes, header=1, group=0)


def _figure(figure: "MatplotlibFigure", label: str) -> Figure:
    return Figure(render(figure, "svg", {"title": "", "description": ""}).decode(), label)


def _duels(experiment: "Experiment", regret: str) -> Iterator[Section]:
    """A section on how often each pair was played; random matrices, which differ, are left out."""
    sampled = [sample.cells[0] for sample in longest(samples(experiment, "matrix"))]
    cells = [cell for cell in sampled if cell.duels is not None and cell.n_runs]
    if not cells:
        return
    pairs = [cell for cell in cells if not isinstance(cell.stored.matrix, ScalarBandit)]
    drawn = [cell for cell in pairs if cell.stored.matrix.n_arms <= MOST_ARMS][:MAX_PANELS]
    problems = [(problem, tuple(group)) for problem, group in groupby(drawn, key=lambda cell: cell.stored.problem)]
    options, figures = options_of({}, {"kind": "duels", "columns": 4}), []
    for problem, group in problems:
        title = problem if len(problems) > 1 else None
        request = Request(replace(experiment, cells=group), options, regret, title)
        figures.append(_figure(Drawable([request]).draw(), f"how often each pair was played on {problem}"))
    heads = ["problem", "algorithm", "most played", "share", *["then", "share"] * (MOST_PAIRS - 1)]
    rows = [
        [cell.stored.problem, cell.stored.label, *most_played(np.asarray(cell.duels), cell.stored.matrix.names)]
        for cell in cells
    ]
    below = ["Means over the runs. The share is that of the rounds, whichever arm of a pair was first."]
    swept = {cell.stored.label for cell in sampled if cell.duels is None and cell.n_runs}
    if swept:
        below.append(f"Left out, because a sweep gives them several settings: {', '.join(sorted(swept))}.")
    if len(pairs) > len(drawn):
        below.append(f"{len(pairs) - len(drawn)} more heat maps are not shown.")
    heading = f"How often each {'pair' if pairs else 'arm'} was played"
    yield Section(heading, figures=figures, tables=[_table([heads, *rows], below)])


def most_played(counts: np.ndarray, names: Sequence[str]) -> list[str]:
    """The pairs (or the arms of a scalar bandit) that were played most often, each with its share of the rounds.

    Parameters
    ----------
    counts : (K, K) or (K, 1) array
        Rounds by first and second arm, or by arm.
    names : sequence of str
        The names of the arms.

    Examples
    --------
    Of ten rounds five are duels of a with b:

    >>> most_played(np.array([[4, 3], [2, 1]]), ("a", "b"))
    ['a – b', '50.0%', 'a – a', '40.0%', 'b – b', '10.0%']
    """
    if counts.shape[1] == 1:
        labels, rounds = list(names), counts[:, 0]
    else:
        first, second = np.triu_indices(len(counts))
        labels = [f"{names[i]} \N{EN DASH} {names[j]}" for i, j in zip(first.tolist(), second.tolist(), strict=True)]
        rounds = (counts + np.tril(counts, -1).T)[first, second]
    order = [k for k in np.argsort(-rounds, kind="stable")[:MOST_PAIRS] if rounds[k] > 0]
    cells = [text for k in order for text in (labels[k], f"{rounds[k] / rounds.sum():.1%}")]
    return cells + ["-"] * (2 * MOST_PAIRS - len(cells))


def _problems(experiment: "Experiment") -> Section:
    first: dict[str, StoredCell] = {}
    for cell in experiment.cells:
        first.setdefault(cell.stored.setting, cell.stored)
    described = list(first.values())[:MOST_PROBLEMS]
    more = len({cell.stored.problem for cell in experiment.cells}) - len(described)
    return Section(
        "Problems",
        text=[f"{more} more are not shown."] if more > 0 else [],
        sections=[
            Section(stored.problem, figures=_heat_maps(stored), facts=_problem_facts(stored.matrix))
            for stored in described
        ],
    )


def _heat_maps(stored: "StoredCell") -> list[Figure]:
    """The heat map of a problem, if it is one matrix that is not too large."""
    matrix = stored.matrix
    if not isinstance(matrix, PreferenceMatrix) or matrix.n_arms > MOST_ARMS:
        return []
    return [_figure(heat_map(matrix, ""), f"the preference matrix of {stored.problem}")]


def _settings(experiment: "Experiment") -> dict[str, str]:
    spec, until = experiment.results.spec, experiment.results.until
    words = in_words(played(cell.stored for cell in experiment.cells), experiment.results.question)
    environments = [", ".join(f"{name} {value}" for name, value in env.items()) for env in experiment.environments]
    return {
        "name": experiment.name,
        "horizon": f"{spec['horizon']:,} {plural(spec['horizon'], 'round')}",
        "runs": f"{until.words}, by {experiment.definitions[0]} regret" if until else f"{spec['runs']:,}",
        "seed": str(spec["seed"]),
        "arms shuffled": "yes" if spec["shuffle_arms"] else "no",
        "played": words or "as by default",
        "regret": ", ".join(experiment.definitions),
        "spec SHA-256": experiment.spec_sha256,
        "computed with": "; ".join(environments),
    }


def _commands(experiment: "Experiment") -> str:
    """Shell commands that reproduce the results, with the default results folder."""
    name = experiment.name
    return "\n".join(
        [
            f"# Save the spec below as {name}.yaml beside the files that it names; then",
            f"duelbench run {name}.yaml",
            f"duelbench plot results/{name}",
            f"duelbench report results/{name} --html {name}.html",
        ]
    )


def _problem_facts(matrix: AnyProblem) -> dict[str, str]:
    if isinstance(matrix, World):
        facts = {
            "segments": f"{len(matrix.matrices)}",
            "Condorcet winners": _winners_in_turn(matrix),
            "outcomes that may be flipped": str(matrix.flips),
        }
    elif isinstance(matrix, ScalarBandit):
        facts = {"decision": bandit_in_words(matrix), "best decisions": ", ".join(map(str, matrix.best))}
    else:
        facts = matrix_facts(matrix)
    arms = f"{matrix.n_arms}, counted from 0"
    return {"arms": arms, **facts, "source": matrix.source or "", "SHA-256": matrix.sha256}


MOST_WINNERS = 12
"""Most winners of segments that are listed."""


def _winners_in_turn(world: World) -> str:
    """The Condorcet winner of each stretch of segments with the same one."""
    names: list[str] = []
    for matrix in world.matrices:
        winner = winners.condorcet_winner(matrix)
        name = "none" if winner is None else matrix.listed([winner])
        names += [name] if names[-1:] != [name] else []
    more = f", and {len(names) - MOST_WINNERS} more" if len(names) > MOST_WINNERS else ""
    return ", then ".join(names[:MOST_WINNERS]) + more
