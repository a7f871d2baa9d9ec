"""Tables of what the runs of experiments ended with, for people: for the terminal, in Markdown, and on pages."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from duelbench.bandits.problem.identification import Question
from duelbench.errors import InputError, nearest_or_all
from duelbench.experiments.figures.numbers import TextTable, aligned, short
from duelbench.experiments.figures.summary import Record
from duelbench.experiments.results.experiments import Experiment
from duelbench.experiments.results.settings import Played, in_words

FIRST_COLUMNS = ("problem", "algorithm", "t", "runs")
"""Headings of the table of regret, before the columns that one can choose."""

USUAL_COLUMNS = ("mean", "sem", "median", "q05", "q95", "winner")
"""The columns that it has unless others are chosen."""

BOUND_SYMBOLS = {"copeland": "C*", "ecw": "CE*", "condorcet": "C"}
"""Kind of bound -> how headings write its constant."""

DETAILS = "when runs settle on a winner, in rounds, and how fast regret grows"
"""The heading of the table of details."""

SHOWN_QUANTILES = ("q10", "median", "q90", "q99")
"""Quantiles of the rounds before answers; JSON and CSV have more."""


def _locked_in_words(record: Record) -> str:
    """The share, and in brackets its interval, in per cent."""
    locked = record["locked"]
    share = f"{100 * locked['share']:.2f}%"
    return share if locked["low"] is None else f"{share} [{100 * locked['low']:.2f}, {100 * locked['high']:.2f}]"


def _statistic(name: str) -> Callable[[Record], str]:
    return lambda record: short(record["regret"][name])


COLUMNS: Mapping[str, Callable[[Record], str]] = {
    **{name: _statistic(name) for name in ("mean", "std", "sem", "median", "q05", "q95", "q99", "q99.9")},
    "winner": lambda record: f"{100 * record['recommends_winner']:.0f}%",
    "locked": _locked_in_words,
}
"""The columns that one can choose -> what they say of a record."""


def chosen_columns(text: str) -> tuple[str, ...]:
    """The columns in a text with commas between them, each once; an `InputError` if one is not in `COLUMNS`."""
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",")))
    for name in names:
        if name not in COLUMNS:
            raise InputError(f"columns {text}: no column is called '{name}'{nearest_or_all(name, COLUMNS)}")
    return names


def text_tables(
    experiments: Iterable[tuple[Experiment, Sequence[Record]]],
    chosen: Sequence[str] = USUAL_COLUMNS,
    details: bool = False,
) -> list[TextTable]:
    """The tables of each experiment, of which the records are given: answers, if any, regret, and perhaps details."""
    tables = []
    for experiment, records in experiments:
        name = experiment.name
        tables += [(f"{name}: {heading}", lines, below) for heading, lines, below in answer_tables(experiment, records)]
        heading = f"{name}: cumulative {records[0]['definition']} regret after round t, in duels"
        tables.append((heading, *regret_lines(records, chosen, experiment)))
        if details:
            tables.append((f"{name}: {DETAILS}", *detail_lines(records)))
    return tables


def as_text(tables: Iterable[TextTable]) -> str:
    """Tables with aligned columns, for the terminal."""
    return aligned(tables)


def as_markdown(tables: Iterable[TextTable]) -> str:
    """One Markdown table below each heading."""
    parts = []
    for heading, cells, below in tables:
        lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in cells]
        rule = "| --- | --- |" + " ---: |" * (len(cells[0]) - 2)
        parts.append("\n".join([f"**{heading}**", "", lines[0], rule, *lines[1:]]) + "\n")
        parts += [f"{line}\n" for line in below]
    return "\n".join(parts)


def regret_lines(
    records: Sequence[Record], chosen: Sequence[str] = USUAL_COLUMNS, experiment: Experiment | None = None
) -> tuple[list[tuple[str, ...]], list[str]]:
    """The table of regret of one experiment, its headings first, and the lines below it.

    Columns are `FIRST_COLUMNS`, the chosen keys of `COLUMNS`, and two for each kind of bound that the records have.
    """
    kinds = list(dict.fromkeys(kind for record in records for kind in record.get("bounds", ())))
    symbols = [BOUND_SYMBOLS[kind] for kind in kinds]
    of_bounds = [name for symbol in symbols for name in (f"slope/{symbol}", f"mean/({symbol} ln t)")]
    thresholds = {f"{record['reached']['threshold']:g}" for record in records if "reached" in record}
    of_threshold = [name for threshold in thresholds for name in (f"reaches {threshold}", "not by t")]
    lines: list[tuple[str, ...]] = [(*FIRST_COLUMNS, *chosen, *of_threshold, *of_bounds)]
    for record in records:
        ratios = []
        for kind in kinds:
            bound = record.get("bounds", {}).get(kind, {})
            ratios += [bound.get("slope_over_constant"), bound.get("regret_over_bound")]
        runs, planned = record["runs"], record["planned"]
        counted = str(runs) if runs == planned else f"{runs} of {planned}"
        cells = [COLUMNS[name](record) for name in chosen]
        if thresholds:
            cells += [_with_interval(record["reached"]), str(record["reached"]["not_reached"])]
        names = (record["problem"], record["label"], str(record["horizon"]), counted)
        lines.append((*names, *cells, *map(short, ratios)))
    settings = (Played(record["problem"], record["label"], record["settings"]) for record in records)
    words = in_words(settings, experiment.results.question if experiment else None)
    below = [f"played: {words}"] if words else []
    below += [
        f"reaches {threshold}: the first checkpoint with a regret of at least {threshold}, the median of the runs and"
        " its 95% interval (-: beyond t); not by t: the runs without one"
        for threshold in thresholds
    ]
    below += [_bound_line(kind, records) for kind in kinds]
    standing = experiment.standing if experiment else None
    if standing and any("verdicts" in record for record in records):
        below.append(f"runs {standing.rule.words} (of {standing.verdicts[0].regret} regret):")
        below += map(str, standing.verdicts)
    return lines, below


def detail_lines(records: Sequence[Record]) -> tuple[list[tuple[str, ...]], list[str]]:
    """The table on when runs settle, and how fast regret grows, its headings first, and the lines below it."""
    lines: list[tuple[str, ...]] = [(*FIRST_COLUMNS, "last wrong", "settled at 90%", "exponent")]
    for record in records:
        names = (record["problem"], record["label"], str(record["horizon"]), str(record["runs"]))
        numbers = (*record["settled"].values(), record["growth"])
        lines.append((*names, *map(_with_interval, numbers)))
    return lines, [
        "last wrong: the last checkpoint at which a run recommends no winner (0: none; t: it ends so), the median of"
        " the runs and its 95% interval",
        "settled at 90%: the checkpoint after which 90% of the runs recommend a winner up to the end",
        "exponent: the slope of ln mean regret against ln t since t / 10, which is 1 if regret is linear",
    ]


def _with_interval(estimate: Mapping[str, Any] | None) -> str:
    if estimate is None:
        return "-"
    ends = f" [{short(estimate['low'])}, {short(estimate['high'])}]"
    return short(estimate["value"]) + ("" if ends == " [-, -]" else ends)


def _bound_line(kind: str, records: Sequence[Record]) -> str:
    """A line on the constants of a kind of bound."""
    constants = {
        record["problem"]: f"{record['bounds'][kind]['constant']:.6g}"
        for record in records
        if kind in record.get("bounds", ())
    }
    words = _each_once(constants)
    symbol = BOUND_SYMBOLS[kind]
    return f"{symbol}, the constant of the bound '{kind}': {words}; slope: of the mean against ln t since t / 10"


def _each_once(values: Mapping[str, str]) -> str:
    """Problem -> its value, in words that say each value once.

    Examples
    --------
    >>> _each_once({"a": "3", "b": "3"}), _each_once({"a": "3", "b": "3", "c": "4"})
    ('3', '3 on a, b; 4 on c')
    """
    problems_of: dict[str, list[str]] = {}
    for problem, value in values.items():
        problems_of.setdefault(value, []).append(problem)
    if len(values) > 1 and len(problems_of) == 1:
        return next(iter(problems_of))
    separator = "; " if any(len(problems) > 1 for problems in problems_of.values()) else ", "
    return separator.join(f"{value} on {', '.join(problems)}" for value, problems in problems_of.items())


def answer_tables(experiment: Experiment, records: Sequence[Record]) -> list[TextTable]:
    """Tables of the answers of an experiment, or of the arms recommended after budgets; none without ``identify``."""
    question = experiment.results.question
    if question is None:
        return []
    answered = [record for record in records if "identified" in record]
    if answered:
        return [_table_of_answers(question, answered)]
    return [_table_of_budgets(records)] if any("budgets" in record for record in records) else []


def _table_of_answers(question: Question, records: Sequence[Record]) -> TextTable:
    heads = ("problem", "algorithm", "runs", "right", "wrong", "unanswered", "error", "rounds", "sem")
    cells: list[tuple[str, ...]] = [(*heads, *SHOWN_QUANTILES, "duels", "duels/bound")]
    for record in records:
        answers = record["identified"]
        counts = [answers["right"], answers["wrong"], answers["unanswered"]]
        mean = short(answers["rounds_mean"])
        if answers["rounds_mean"] is None:
            mean = f"> {short(answers['rounds_at_least'])}"
        quantiles = [short(answers[f"rounds_{name}"]) for name in SHOWN_QUANTILES]
        duels = f"{'> ' if answers['unanswered'] else ''}{short(answers['duels_at_least'])}"
        numbers = (_error_in_words(answers), mean, short(answers["rounds_sem"]), *quantiles, duels)
        names = (record["problem"], record["label"], str(sum(counts)), *map(str, counts))
        cells.append((*names, *numbers, short(answers["duels_over_least"])))
    return f"{question.words}: answers, and rounds before them", cells, _notes_on_answers(records)


def _notes_on_answers(records: Sequence[Record]) -> list[str]:
    """Notes on the meaning of the numbers, and on algorithms that err too often."""
    notes = ["error: share of wrong answers, with its 95% interval; duels: of two different arms"]
    by_algorithm = [(record["problem"], record["label"], record["identified"]) for record in records]
    if any(answers["unanswered"] for _, _, answers in by_algorithm):
        notes.append("unanswered runs count as the horizon: means are lower bounds, '-' is beyond the horizon")
    bounds = {
        f"{problem} at delta {answers['delta']:g}": short(answers["least_duels"])
        for problem, _, answers in by_algorithm
        if answers["least_duels"] is not None
    }
    if bounds:
        words = _each_once(bounds)
        notes.append(f"bound: the mean number of duels that every algorithm needs at least: {words}")
    for problem, label, answers in by_algorithm:
        if answers["above_delta"]:
            lacks = f" (assumes {answers['lacking']}, which {problem} does not have)" if answers["lacking"] else ""
            words = f"its runs show more errors than its delta, {answers['delta']:g}{lacks}"
            notes.append(f"above delta: {label} on {problem}: {words}")
    return notes


def _table_of_budgets(records: Sequence[Record]) -> TextTable:
    cells: list[tuple[str, ...]] = [("problem", "algorithm", "budget", "runs", "error", "rank", "sem", "winner's rank")]
    difficulties: dict[str, str] = {}
    for record in records:
        for at in record.get("budgets", ()):
            difficulties[record["problem"]] = f"{at['difficulty']:.6g}"
            numbers = (_error_in_words(at), short(at["rank"]), short(at["rank_sem"]), short(at["winner_rank"]))
            cells.append((record["problem"], record["label"], str(at["budget"]), str(record["runs"]), *numbers))
    words = _each_once(difficulties)
    below = [
        "error: share of wrong recommendations, with its 95% interval; rank: the true rank of what is recommended;"
        " winner's rank: that of the true winner in the algorithm's own order",
        f"squared gap of the two best arms: {words}",
    ]
    return "what is recommended after budgets, in rounds", cells, below


def _error_in_words(answers: Mapping[str, Any]) -> str:
    """The share, and in brackets its interval if there is one, in per cent."""
    share, low, high = answers["error"], answers["error_low"], answers["error_high"]
    interval = "" if (low, high) == (0.0, 1.0) else f" [{100 * low:.1f}, {100 * high:.1f}]"
    return f"{100 * share:.1f}%{interval}"
