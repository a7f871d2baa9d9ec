"""Comparisons as a table: for the terminal, CSV and JSON."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from duelbench.experiments.figures import numbers
from duelbench.experiments.figures.comparisons import PLURALS, ROUNDS, Comparison
from duelbench.experiments.figures.numbers import TextTable, aligned, short
from duelbench.experiments.results.settings import Played, in_words

if TYPE_CHECKING:
    from pandas import DataFrame

HEADS = ("problem", "A", "B", "t", "n", "A - B", "low", "high", "p", "verdict")
"""Heads of the table for people; ``p`` is Holm's, ``n`` how many were subtracted, or how many A and B each have."""

_LEFT = (0, 1, 2, len(HEADS) - 1)
"""Columns that are flush left."""


def as_frame(pairs: Sequence[Comparison]) -> "DataFrame":
    """A row for each pair; an end that an interval lacks is nan. Settings are columns if any is not the default."""
    import pandas

    table = pandas.DataFrame(pairs)
    may_lack = ["low", "high", "answered_a", "answered_b"]
    table[may_lack] = table[may_lack].astype("float64")
    has_settings = any(pair["settings_a"] or pair["settings_b"] for pair in pairs)
    if not has_settings:
        return table.drop(columns=["settings_a", "settings_b"])
    for side in ("a", "b"):
        table[f"settings_{side}"] = [
            in_words([Played(pair["problem"], pair[side], pair[f"settings_{side}"])]) for pair in pairs
        ]
    return table


def as_csv(pairs: Sequence[Comparison]) -> str:
    """The rows of `as_frame` as CSV."""
    return numbers.as_csv(as_frame(pairs))


def as_json(pairs: Sequence[Comparison]) -> str:
    """One JSON document with an object for each pair."""
    return numbers.json_of(pairs)


def as_text(pairs: Sequence[Comparison]) -> str:
    """A table with aligned columns for each definition of regret, for the terminal."""
    tables: list[TextTable] = []
    for definition in dict.fromkeys(pair["definition"] for pair in pairs):
        alike = [pair for pair in pairs if pair["definition"] == definition]
        quantity = f"cumulative {definition} regret after round t, in duels"
        if definition == ROUNDS:
            quantity = "rounds before the answer, at most t"
        head = f"{alike[0]['of']} of {quantity}: A - B with its 95% interval"
        tables.append((head, [HEADS, *map(_cells, alike)], [_below(alike)]))
    return aligned(tables, _LEFT)


def _cells(pair: Comparison) -> tuple[str, ...]:
    n_a, n_b, p = pair["n_a"], pair["n_b"], pair["p_holm"]
    return (
        *(pair["problem"], pair["a"], pair["b"], str(pair["round"])),
        str(n_a) if pair["paired"] else f"{n_a}, {n_b}",
        *(short(pair[name]) for name in ("difference", "low", "high")),
        "<0.001" if p < 0.001 else f"{p:.3f}",
        pair["verdict"],
    )


def _below(pairs: Sequence[Comparison]) -> str:
    """A line on the meaning of the numbers."""
    counted = " and ".join(PLURALS[unit] for unit in dict.fromkeys(pair["unit"] for pair in pairs))
    unpaired = "" if all(pair["paired"] for pair in pairs) else ", two numbers if they are not paired"
    line = f"n: {counted}{unpaired}; p and verdict: corrected for the number of pairs on a problem (Holm)"
    n = min(min(pair["n_a"], pair["n_b"]) for pair in pairs)
    if pairs[0]["of"] != "mean" or n < 6:
        return line
    unit = "run" if pairs[0]["unit"] == "run" else "matrix"
    return f"{line};\nevents rarer than 1 {unit} in {n // 3} may be missing from these means"
