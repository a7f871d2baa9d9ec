"""Comparisons as a table: for the terminal, CSV and JSON."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from duelbench.figures.content.comparisons import PLURALS, ROUNDS, Comparison
from duelbench.figures.numbers import TextTable, aligned, as_csv, json_of, short
from duelbench.results.settings import Played, in_words
from duelbench.results.tables import frame

if TYPE_CHECKING:
    from pandas import DataFrame

HEADS = ("problem", "A", "B", "t", "n", "A - B", "low", "high", "p", "verdict")
"""Of the table for people; ``p`` is Holm's, ``n`` how many were subtracted, or how many there are of A and of B."""

_LEFT = (0, 1, 2, len(HEADS) - 1)
"""Columns that are flush left."""


_COLUMNS = (
    *("problem", "a", "b", "definition", "round", "of", "value_a", "value_b", "difference", "low", "high"),
    *("p", "p_holm", "verdict", "n_a", "n_b", "unit", "paired", "answered_a", "answered_b"),
)


def _rows(found: Sequence[Comparison]) -> list[dict[str, Any]]:
    """The numbers of comparisons; None where an interval has no end."""
    rows = []
    for one in found:
        of = one.difference
        low, high = (end if np.isfinite(end) else None for end in (of.low, of.high))
        numbers = {"value_a": of.first, "value_b": of.second, "difference": of.value, "low": low, "high": high}
        row = {**vars(one), **numbers, "p": of.p, "verdict": one.verdict}
        rows.append({name: row[name] for name in _COLUMNS})
    return rows


def as_frame(found: Sequence[Comparison]) -> "DataFrame":
    """The numbers as a table, a row for each pair; an end that an interval lacks is nan."""
    table = frame(_COLUMNS, ([row[name] for name in _COLUMNS] for row in _rows(found)))
    if any(one.settings_a or one.settings_b for one in found):
        table["settings_a"] = [_in_words(one, one.a, one.settings_a) for one in found]
        table["settings_b"] = [_in_words(one, one.b, one.settings_b) for one in found]
    return table


def _in_words(comparison: Comparison, label: str, settings: Mapping[str, Any]) -> str:
    return in_words([Played(comparison.problem, label, settings)])


def csv_of(found: Sequence[Comparison]) -> str:
    """The numbers as CSV, read back to the last bit; an end that an interval lacks is empty."""
    return as_csv(as_frame(found))


def as_json(found: Sequence[Comparison]) -> str:
    """One JSON document: a list with one object per pair."""
    return json_of(
        {**row, "settings_a": dict(one.settings_a), "settings_b": dict(one.settings_b)}
        for row, one in zip(_rows(found), found, strict=True)
    )


def as_text(found: Sequence[Comparison]) -> str:
    """One table with aligned columns for each definition of regret, for the terminal."""
    tables: list[TextTable] = []
    for definition in dict.fromkeys(one.definition for one in found):
        own = [one for one in found if one.definition == definition]
        regret = f"cumulative {definition} regret after round t, in duels"
        what = "rounds before the answer, at most t" if definition == ROUNDS else regret
        head = f"{own[0].of} of {what}: A - B with its 95% interval"
        tables.append((head, [HEADS, *map(_cells, own)], [_below(own)]))
    return aligned(tables, _LEFT)


def _cells(one: Comparison) -> tuple[str, ...]:
    difference = one.difference
    numbers = (difference.value, difference.low, difference.high)
    return (
        *(one.problem, one.a, one.b, str(one.round)),
        str(one.n_a) if one.paired else f"{one.n_a}, {one.n_b}",
        *(short(number) if np.isfinite(number) else "-" for number in numbers),
        "<0.001" if one.p_holm < 0.001 else f"{one.p_holm:.3f}",
        one.verdict,
    )


def _below(found: Sequence[Comparison]) -> str:
    """One line on what the numbers mean."""
    counted = " and ".join(PLURALS[unit] for unit in dict.fromkeys(one.unit for one in found))
    pairs = "" if all(one.paired for one in found) else ", two numbers where they are not paired"
    line = f"n: {counted}{pairs}; p and verdict: corrected for the number of pairs on a problem (Holm)"
    n = min(min(one.n_a, one.n_b) for one in found)
    if found[0].of != "mean" or n < 6:
        return line
    rare = "run" if found[0].unit == "run" else "matrix"
    return f"{line};\nevents rarer than 1 {rare} in {n // 3} may be missing from these means"
