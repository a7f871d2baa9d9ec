"""Regret at the horizon as a table: for the terminal, Markdown, CSV and JSON.

Where the spec asks for bounds C ln t, the table compares with them: the slope of mean regret against ln t over the last
decade, over C; and mean regret at the horizon T over C ln T. Both tend to 1 or more for a consistent algorithm, the
slope sooner, because it forgets what the beginning has cost.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from duelbench.errors import InputError, nearest_or_all
from duelbench.figures import answer_table
from duelbench.figures.content.answers import AtBudget, Identified
from duelbench.figures.numbers import TextTable, aligned, json_of, short
from duelbench.figures.numbers import as_csv as csv_of
from duelbench.results.decided import Verdict
from duelbench.results.settings import Played, in_words
from duelbench.statistics.tails import upper_quantile

FIRST_COLUMNS = ("problem", "algorithm", "t", "runs")
"""Headings of every table for people, before the columns that one can choose."""

USUAL_COLUMNS = ("mean", "sem", "median", "q05", "q95", "winner")
"""Those that it has unless others are chosen; ``winner`` is the share of runs that recommend one at round t."""

CSV_COLUMNS = (
    *("experiment", "problem", "algorithm", "label", "horizon", "definition", "runs", "planned"),
    *("mean", "std", "sem", "median", "q05", "q95", "recommends_winner", "q99", "q99.9"),
    *("locked", "locked_low", "locked_high"),
)


BOUND_SYMBOLS = {"copeland": "C*", "ecw": "CE*", "condorcet": "C"}
"""Kind of bound -> how headings write its constant."""

DECADE = 10


Point = tuple[int, float, float | None]
"""Round (1-based), mean and standard error (None for a single run), in duels."""


@dataclass(frozen=True)
class Summary:
    """Regret of several runs at one round, in duels."""

    mean: float  # `q05` and `q95` are the 5% and 95% quantiles, interpolated linearly
    std: float | None  # standard deviation with n - 1 in the denominator, and that over sqrt(n); None for a single run
    sem: float | None
    median: float
    q05: float
    q95: float
    # the 99% and 99.9% quantiles; None with fewer than 200 or 2,000 runs, of which two are to be expected beyond
    q99: float | None
    q999: float | None

    @property
    def named(self) -> dict[str, float | None]:
        """The numbers by the names of columns."""
        return {name.replace("q999", "q99.9"): number for name, number in vars(self).items()}


@dataclass(frozen=True)
class AgainstBound:
    """Mean regret compared with a bound C ln t."""

    kind: str  # `copeland`, `ecw` or `condorcet`
    constant: float  # C, in duels, for the regret that the row is of
    # (R(T) - R(s)) / (ln T - ln s), R being mean regret, T the horizon and s the last checkpoint up to T / 10. None
    # where there is no such checkpoint, and for an algorithm that uses the horizon
    slope: float | None
    slope_over_constant: float | None  # None also where C is 0
    regret_over_bound: float | None  # R(T) / (C ln T); None where the bound is 0


def against_bound(kind: str, constant: float, curve: Sequence[Point], anytime: bool) -> AgainstBound:
    """Compare mean regret, whose curve ends at the horizon, with a bound.

    Examples
    --------
    Regret 3 ln t against a bound of 2 ln t:

    >>> curve = [(t, 3 * math.log(t), None) for t in (10, 100, 1000)]
    >>> found = against_bound("copeland", 2.0, curve, anytime=True)
    >>> round(found.slope, 9), round(found.slope_over_constant, 9), round(found.regret_over_bound, 9)
    (3.0, 1.5, 1.5)
    """
    horizon, regret, _ = curve[-1]
    early = [point for point in curve if DECADE * point[0] <= horizon]
    slope = None
    if early and anytime:
        start, before, _ = early[-1]
        slope = (regret - before) / math.log(horizon / start)
    bound = constant * math.log(horizon)
    slope_over_constant = slope / constant if slope is not None and constant > 0 else None
    return AgainstBound(kind, constant, slope, slope_over_constant, regret / bound if bound > 0 else None)


@dataclass(frozen=True, eq=False)
class Row:
    """One algorithm on one problem at one horizon."""

    experiment: str
    problem: str
    algorithm: str
    label: str
    horizon: int  # rounds
    definition: str  # the regret definition that the numbers are of
    runs: int  # how many runs the numbers are of, and how many the spec asks for
    planned: int
    regret: Summary  # at the horizon
    curve: tuple[Point, ...]  # at every checkpoint
    recommends_winner: float  # share of the runs that recommend an arm of no regret at the horizon, in [0, 1]
    locked: float  # share of the runs that recommend no such arm at any checkpoint of the last decade, T / 10 <= t <= T
    # ends of Clopper and Pearson's 95% confidence interval of its probability; None for several random matrices, on
    # each of which runs are alike
    locked_low: float | None = None
    locked_high: float | None = None
    bounds: tuple[AgainstBound, ...] = ()  # those that the spec asks for and that are bounds on this regret
    verdicts: tuple[Verdict, ...] = ()  # on this algorithm, where the number of runs was decided by looking at them
    # answers and when they came, of an algorithm that ends with them, where the spec asks for that
    identified: Identified | None = None
    at_budgets: tuple[AtBudget, ...] = ()  # what is recommended after budgets, where the spec has some
    played: tuple[Played, ...] = ()  # what is not the default, one for each random matrix


def describe(rounds: np.ndarray, regret: np.ndarray) -> tuple[Summary, tuple[Point, ...]]:
    """Regret, (n_runs, n): a summary at the last of n rounds, and mean and standard error at every round.

    Examples
    --------
    >>> at_end, curve = describe(np.array([10, 20]), np.array([[1.0, 1.0], [1.0, 3.0]]))
    >>> at_end
    Summary(mean=2.0, std=1.4142135623730951, sem=1.0, median=2.0, q05=1.1, q95=2.9, q99=None, q999=None)
    >>> curve
    ((10, 1.0, 0.0), (20, 2.0, 1.0))
    """
    n_runs = len(regret)
    means = regret.mean(axis=0).tolist()
    q05, median, q95 = np.quantile(regret[:, -1], [0.05, 0.5, 0.95]).tolist()
    quantiles = (median, q05, q95, upper_quantile(regret[:, -1], "99"), upper_quantile(regret[:, -1], "99.9"))
    std, errors = None, [None] * len(means)
    if n_runs > 1:
        deviations = regret.std(axis=0, ddof=1)
        std, errors = float(deviations[-1]), (deviations / np.sqrt(n_runs)).tolist()
    curve = tuple(zip(rounds.tolist(), means, errors, strict=True))
    return Summary(means[-1], std, errors[-1], *quantiles), curve


def as_json(rows: Sequence[Row]) -> str:
    """One JSON document: a list with one object per row."""
    return json_of(map(_object, rows))


def _object(row: Row) -> dict[str, Any]:
    names = ("experiment", "problem", "algorithm", "label", "definition", "runs", "planned", "horizon")
    bounds = {bound.kind: {name: getattr(bound, name) for name in _BOUND_FIELDS} for bound in row.bounds}
    return {
        **{name: getattr(row, name) for name in names},
        "settings": dict(row.played[0].settings) if row.played else {},
        "regret": row.regret.named,
        "curve": [{"round": t, "mean": mean, "sem": sem} for t, mean, sem in row.curve],
        "recommends_winner": row.recommends_winner,
        "locked": {"share": row.locked, "low": row.locked_low, "high": row.locked_high},
        **({"bounds": bounds} if row.bounds else {}),
        **({"verdicts": [one.content for one in row.verdicts]} if row.verdicts else {}),
        **({"identified": answer_table.content(row.identified)} if row.identified else {}),
        **({"budgets": [answer_table.budget_content(one) for one in row.at_budgets]} if row.at_budgets else {}),
    }


def as_csv(rows: Sequence[Row]) -> str:
    """The table as CSV with the columns `CSV_COLUMNS`, and those of the bounds, answers and budgets that rows have."""
    heads, lines = numbers(rows)
    return csv_of(table_of(heads, [dict(zip(heads, line, strict=True)) for line in lines]))


def numbers(rows: Sequence[Row]) -> tuple[list[str], list[list[Any]]]:
    """The columns of `as_csv`, and the values of each row in them: text, numbers, None where there is none."""
    kinds = kinds_of(rows)
    has_answers = any(row.identified for row in rows)
    budget_heads, of_budgets = answer_table.budget_columns([row.at_budgets for row in rows])
    bound_heads = [f"{kind}_{name}" for kind in kinds for name in _BOUND_FIELDS]
    settings = [in_words(row.played) for row in rows]
    settings_heads = ["settings"] if any(settings) else []
    answer_heads = answer_table.ANSWER_FIELDS if has_answers else ()
    heads = [*CSV_COLUMNS, *bound_heads, *answer_heads, *budget_heads, *settings_heads]
    lines: list[list[Any]] = []
    for row, own_budgets, words in zip(rows, of_budgets, settings, strict=True):
        values = {**vars(row), **row.regret.named}
        bounds = [number for kind in kinds for number in _bound_numbers(row, kind)]
        answers = answer_table.numbers(row.identified) if has_answers else []
        lines.append(
            [
                *(values[name] for name in CSV_COLUMNS),
                *bounds,
                *answers,
                *own_budgets,
                *([words] if settings_heads else []),
            ]
        )
    return heads, lines


_BOUND_FIELDS = ("constant", "slope", "slope_over_constant", "regret_over_bound")


def _bound_numbers(row: Row, kind: str) -> list[float | None]:
    """The `_BOUND_FIELDS` of a kind; None where the row has no such bound."""
    bound = next((bound for bound in row.bounds if bound.kind == kind), None)
    return [getattr(bound, name, None) for name in _BOUND_FIELDS]


def kinds_of(rows: Sequence[Row]) -> tuple[str, ...]:
    """The kinds of bounds that any of the rows has, in the order in which they come."""
    return tuple(dict.fromkeys(bound.kind for row in rows for bound in row.bounds))


def as_markdown(rows: Sequence[Row], chosen: Sequence[str] = USUAL_COLUMNS) -> str:
    """One Markdown table per experiment, below its heading, with the ``chosen`` keys of `COLUMNS`."""
    parts = []
    for heading, cells, below in _tables(rows, chosen):
        lines = [_markdown_line(line) for line in cells]
        rule = "| --- | --- |" + " ---: |" * (len(cells[0]) - 2)
        parts.append("\n".join([f"**{heading}**", "", lines[0], rule, *lines[1:]]) + "\n")
        parts += [f"{line}\n" for line in below]
    return "\n".join(parts)


def _markdown_line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def as_text(rows: Sequence[Row], chosen: Sequence[str] = USUAL_COLUMNS) -> str:
    """One table per experiment with aligned columns, for the terminal; with the ``chosen`` keys of `COLUMNS`."""
    return aligned(_tables(rows, chosen))


def _tables(rows: Sequence[Row], chosen: Sequence[str]) -> list[TextTable]:
    """The tables of each experiment, in the order of the rows."""
    by_experiment: dict[str, list[Row]] = {}
    for row in rows:
        by_experiment.setdefault(row.experiment, []).append(row)
    tables = []
    for experiment, own in by_experiment.items():
        tables += [(f"{experiment}: {heading}", lines, below) for heading, lines, below in answer_tables(own)]
        heading = f"{experiment}: cumulative {own[0].definition} regret after round t, in duels"
        tables.append((heading, *regret_lines(own, chosen)))
    return tables


def answer_tables(rows: Sequence[Row]) -> list[TextTable]:
    """What was identified, of one experiment: the answers, or what is recommended after budgets; none where neither."""
    answers = [(row.problem, row.label, row.identified) for row in rows if row.identified is not None]
    budgets = [(row.problem, row.label, one) for row in rows for one in row.at_budgets]
    tables = [answer_table.of_answers(answers)] if answers else []
    return [*tables, *([answer_table.of_budgets(budgets)] if budgets else [])]


def regret_lines(rows: Sequence[Row], chosen: Sequence[str] = USUAL_COLUMNS) -> tuple[list[tuple[str, ...]], list[str]]:
    """The table of regret of one experiment as people read it, its heads first, and the lines below it.

    Columns are `FIRST_COLUMNS`, the chosen keys of `COLUMNS`, and two for each kind of bound that the rows have.
    """
    kinds = kinds_of(rows)
    symbols = [BOUND_SYMBOLS[kind] for kind in kinds]
    of_bounds = (name for symbol in symbols for name in (f"slope/{symbol}", f"mean/({symbol} ln t)"))
    lines: list[tuple[str, ...]] = [(*FIRST_COLUMNS, *chosen, *of_bounds)]
    for row in rows:
        ratios = [number for kind in kinds for number in _bound_numbers(row, kind)[2:]]
        runs = str(row.runs) if row.runs == row.planned else f"{row.runs} of {row.planned}"
        cells = (COLUMNS[name](row) for name in chosen)
        lines.append((row.problem, row.label, str(row.horizon), runs, *cells, *map(short, ratios)))
    verdicts = list(dict.fromkeys(one for row in rows for one in row.verdicts))
    decided = (
        [f"runs {verdicts[0].rule.words} (of {verdicts[0].regret} regret):", *map(str, verdicts)] if verdicts else []
    )
    words = in_words(one for row in rows for one in row.played)
    return lines, [*([f"played: {words}"] if words else []), *(_bound_line(kind, rows) for kind in kinds), *decided]


def _bound_line(kind: str, rows: Sequence[Row]) -> str:
    """What the constants of a kind of bound are."""
    constants = {row.problem: bound.constant for row in rows for bound in row.bounds if bound.kind == kind}
    words = ", ".join(f"{constant:.6g} on {problem}" for problem, constant in constants.items())
    symbol = BOUND_SYMBOLS[kind]
    return f"{symbol}, the constant of the bound '{kind}': {words}; slope: of the mean against ln t since t / 10"


def _locked_in_words(row: Row) -> str:
    """The share, and in brackets its interval, in per cent."""
    share = f"{100 * row.locked:.2f}%"
    if row.locked_low is None or row.locked_high is None:
        return share
    return f"{share} [{100 * row.locked_low:.2f}, {100 * row.locked_high:.2f}]"


def _statistic(name: str) -> Callable[[Row], str]:
    return lambda row: short(row.regret.named[name])


COLUMNS: Mapping[str, Callable[[Row], str]] = {
    **{name: _statistic(name) for name in ("mean", "std", "sem", "median", "q05", "q95", "q99", "q99.9")},
    "winner": lambda row: f"{100 * row.recommends_winner:.0f}%",
    "locked": _locked_in_words,
}
"""The columns that one can choose for tables for people -> what they say of a row."""


def chosen_columns(text: str) -> tuple[str, ...]:
    """The columns in a text with commas between them, each once; an `InputError` where one is not in `COLUMNS`."""
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",")))
    for name in names:
        if name not in COLUMNS:
            raise InputError(f"columns {text}: no column is called '{name}'{nearest_or_all(name, COLUMNS)}")
    return names


def table_of(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> Any:
    import pandas

    table = pandas.DataFrame({name: [row.get(name) for row in rows] for name in columns})
    for name in columns:
        values = [row[name] for row in rows if row.get(name) is not None]
        if values and all(type(value) is int for value in values):
            table[name] = table[name].astype("Int64")
    return table
