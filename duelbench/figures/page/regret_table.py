"""The table of regret on a page: a part for each problem, whose name stands once above it, and columns that sort."""

from collections.abc import Sequence
from html import escape

from duelbench.figures.table import Row, bound_lines, kinds_of, text_cells, text_columns

PROBLEM, ALGORITHM, ROUND = 0, 1, 2
"""Places in a row of the text table; the horizon is said once where it is the same everywhere."""


def regret_table(rows: Sequence[Row]) -> str:
    """Regret at the horizon, with what the columns are.

    Parameters
    ----------
    rows : sequence of Row
        Of one experiment, at least one.
    """
    kinds = kinds_of(rows)
    heads = text_columns(rows)
    horizons = {row.horizon for row in rows}
    left_out = {PROBLEM, ROUND} if len(horizons) == 1 else {PROBLEM}
    kept = [k for k in range(len(heads)) if k not in left_out]
    by_problem: dict[str, list[tuple[str, ...]]] = {}
    for row in rows:
        by_problem.setdefault(row.problem, []).append(text_cells(row, kinds))
    at = f"after round {horizons.pop():,}" if len(horizons) == 1 else "after round t"
    columns = "".join(f'<th scope="col">{escape(heads[k])}</th>' for k in kept)
    return "\n".join(
        [
            f"<h2>Cumulative {escape(rows[0].definition)} regret {at}, in duels</h2>",
            '<div class="scroll"><table class="sortable">',
            f"<thead><tr>{columns}</tr></thead>",
            *(_part(problem, own, kept, len(by_problem) > 1) for problem, own in by_problem.items()),
            "</table></div>",
            '<p class="small">sem: standard error of the mean; q05 and q95: 5% and 95% quantiles of the runs; winner:'
            " share of the runs that recommend a winner in the end.</p>",
            *(f'<p class="small">{escape(line)}</p>' for line in bound_lines(rows)),
        ]
    )


def _part(problem: str, lines: Sequence[Sequence[str]], kept: Sequence[int], is_named: bool) -> str:
    """The rows of a problem."""
    parts = [f'<tr><th colspan="{len(kept)}" scope="rowgroup">{escape(problem)}</th></tr>'] if is_named else []
    for cells in lines:
        numbers = "".join(f"<td>{escape(cells[k])}</td>" for k in kept if k != ALGORITHM)
        parts.append(f'<tr class="row"><th scope="row">{escape(cells[ALGORITHM])}</th>{numbers}</tr>')
    return "\n".join(["<tbody>", *parts, "</tbody>"])
