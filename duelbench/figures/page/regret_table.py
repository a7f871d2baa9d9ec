"""The table of regret on a page: a part for each problem, whose name stands once above it, and columns that sort."""

from collections.abc import Sequence
from html import escape

from duelbench.figures.report import USUAL_COLUMNS, answer_tables, regret_lines
from duelbench.figures.summary import Record
from duelbench.results.experiments import Experiment

PROBLEM, ALGORITHM, ROUND = 0, 1, 2
"""Places in a row of the text table; the horizon is said once where it is the same everywhere."""


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
"""Column -> what it is, where its name does not say so."""


def regret_table(experiment: Experiment, records: Sequence[Record], chosen: Sequence[str] = USUAL_COLUMNS) -> str:
    """Regret at the horizon of one experiment, with the ``chosen`` keys of `duelbench.figures.report.COLUMNS`."""
    lines, below = regret_lines(records, chosen, experiment.standing)
    horizons = {record["horizon"] for record in records}
    left_out = {PROBLEM, ROUND} if len(horizons) == 1 else {PROBLEM}
    at = f"after round {horizons.pop():,}" if len(horizons) == 1 else "after round t"
    meanings = "; ".join(f"{name}: {MEANINGS[name]}" for name in chosen if name in MEANINGS)
    return _table(
        f"Cumulative {records[0]['definition']} regret {at}, in duels",
        lines,
        left_out,
        [*([f"{meanings}."] if meanings else []), *below],
    )


def answer_parts(experiment: Experiment, records: Sequence[Record]) -> list[str]:
    """The tables of what was identified, where the experiment asks for that."""
    return [
        _table(heading[0].upper() + heading[1:], lines, {PROBLEM}, [f"{line}." for line in below])
        for heading, lines, below in answer_tables(experiment, records)
    ]


def _table(heading: str, lines: Sequence[Sequence[str]], left_out: set[int], below: Sequence[str]) -> str:
    """An HTML table with a part for each problem; ``lines[0]`` holds the column heads."""
    heads, *cells = lines
    shown = [k for k in range(len(heads)) if k not in left_out]
    by_problem: dict[str, list[Sequence[str]]] = {}
    for line in cells:
        by_problem.setdefault(line[PROBLEM], []).append(line)
    columns = "".join(f'<th scope="col">{escape(heads[k])}</th>' for k in shown)
    return "\n".join(
        [
            f"<h2>{escape(heading)}</h2>",
            '<div class="scroll"><table class="sortable">',
            f"<thead><tr>{columns}</tr></thead>",
            *(_part(problem, own, shown, len(by_problem) > 1) for problem, own in by_problem.items()),
            "</table></div>",
            *(f'<p class="small">{escape(line)}</p>' for line in below),
        ]
    )


def _part(problem: str, lines: Sequence[Sequence[str]], shown: Sequence[int], is_named: bool) -> str:
    """The rows of a problem."""
    parts = [f'<tr><th colspan="{len(shown)}" scope="rowgroup">{escape(problem)}</th></tr>'] if is_named else []
    for cells in lines:
        numbers = "".join(f"<td>{escape(cells[k])}</td>" for k in shown if k != ALGORITHM)
        parts.append(f'<tr class="row"><th scope="row">{escape(cells[ALGORITHM])}</th>{numbers}</tr>')
    return "\n".join(["<tbody>", *parts, "</tbody>"])
