"""The table of regret on a page: a part for each problem, whose name stands once above it, and columns that sort."""

from collections.abc import Sequence
from html import escape

from duelbench.figures.table import Row, bound_lines, bound_ratios, kinds_of, text_cells, text_columns

ROUND = 2
"""Which of `text_columns` is the horizon: it is said once where it is the same everywhere."""


def regret_table(rows: Sequence[Row]) -> str:
    """Regret at the horizon, with what the columns are.

    Parameters
    ----------
    rows : sequence of Row
        Of one experiment, at least one.
    """
    kinds = kinds_of(rows)
    horizons = {row.horizon for row in rows}
    kept = [k for k in range(1, len(text_columns(rows))) if k != ROUND or len(horizons) > 1]
    heads = [f'<th scope="col">{escape(text_columns(rows)[k])}</th>' for k in kept]
    by_problem: dict[str, list[Row]] = {}
    for row in rows:
        by_problem.setdefault(row.problem, []).append(row)
    at = f"after round {horizons.pop():,}" if len(horizons) == 1 else "after round t"
    return "\n".join(
        [
            f"<h2>Cumulative {escape(rows[0].definition)} regret {at}, in duels</h2>",
            '<div class="scroll"><table class="sortable">',
            f"<thead><tr>{''.join(heads)}</tr></thead>",
            *(_part(problem, own, kinds, kept, len(by_problem) > 1) for problem, own in by_problem.items()),
            "</table></div>",
            '<p class="small">sem: standard error of the mean; q05 and q95: 5% and 95% quantiles of the runs; winner:'
            " share of the runs that recommend a winner in the end.</p>",
            *(f'<p class="small">{escape(line)}</p>' for line in bound_lines(rows)),
        ]
    )


def _part(problem: str, rows: Sequence[Row], kinds: Sequence[str], kept: Sequence[int], is_named: bool) -> str:
    """The rows of a problem."""
    head = f'<tr><th colspan="{len(kept)}" scope="rowgroup">{escape(problem)}</th></tr>'
    lines = [head] if is_named else []
    for row in rows:
        texts, values = text_cells(row, kinds), _values(row, kinds)
        cells = [_cell(texts[k], values[k - ROUND]) for k in kept if k >= ROUND]
        lines.append(f'<tr class="row"><th scope="row">{escape(row.label)}</th>{"".join(cells)}</tr>')
    return "\n".join(["<tbody>", *lines, "</tbody>"])


def _values(row: Row, kinds: Sequence[str]) -> list[float | None]:
    """What the columns from `ROUND` on are sorted by."""
    regret = row.regret
    numbers = (regret.mean, regret.sem, regret.median, regret.q05, regret.q95, row.recommends_winner)
    return [row.horizon, row.runs, *numbers, *bound_ratios(row, kinds)]


def _cell(text: str, value: float | None) -> str:
    return f"<td>{escape(text)}</td>" if value is None else f'<td data-value="{value!r}">{escape(text)}</td>'
