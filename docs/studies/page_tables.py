"""The tables on the pages of the figures, filled from the recorded numbers.

    python docs/studies/page_tables.py results/wu2016-3f ...

records the numbers of these results folders (by default of all in ``results``) and fills all pages. So does ``make
page-numbers``. Without new results it only writes on the pages which numbers are of an earlier trace version.
"""

import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import page_numbers
from page_numbers import Number

from duelbench.bandits.algorithms import registry
from duelbench.errors import DuelbenchError

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "figures"

ROUNDS = {
    "komiyama2016-1b": (10**6,),
    "komiyama2016-1c": (10**6,),
    "zoghi2015-1": (10**5, 10**6, 10**7, 2 * 10**7),
    "zoghi2015-500": (10**6, 10**7),
}
"""Experiment -> the rounds that its page speaks of, beside the horizon."""


def page_of(experiment: str) -> str:
    """The page that shows an experiment: its own, its figure's or its paper's."""
    name = experiment
    while not (PAGES / f"{name}.md").exists():
        name = name.rpartition("-")[0]
    return f"{name}.md"


def rounds_of(experiment: str) -> tuple[int, ...]:
    """The rounds at which an experiment's numbers are recorded."""
    if experiment in ROUNDS:
        return ROUNDS[experiment]
    sections = re.split(r"^## ", (PAGES / page_of(experiment)).read_text(encoding="utf-8"), flags=re.MULTILINE)
    spec = spec_of(experiment).relative_to(ROOT).as_posix()
    own = "".join(section for section in sections if f"/{spec})" in section)
    heads = re.findall(r"^\| samples \|(.*)\|$", own, re.MULTILINE)
    return tuple(sorted({int(cell) for head in heads for cell in head.split("|")}))


# --- how numbers are written ---


def mean_and_error(number: Number, unit: float = 1) -> str:
    """The mean and its standard error, in multiples of ``unit``.

    Examples
    --------
    >>> from page_numbers import Curve, Made
    >>> mean_and_error(Number("x", Curve("", "D-TS", 10), Made("d-ts", 1, "", 2), 10, 1234.5, 7.25))
    '1,234 +- 7.2'
    """
    mean, sem = number.mean / unit, number.sem
    written = f"{mean:,.0f}" if unit == 1 or mean >= 100 else f"{mean:#.3g}"
    if sem is None:
        return written
    sem /= unit
    return f"{written} +- {sem:,.0f}" if sem >= 9.95 else f"{written} +- {sem:#.2g}"


def brief(value: float) -> str:
    """A value of exploration: three digits, more of large ones, and millions.

    Examples
    --------
    >>> brief(0.19312), brief(1611.3), brief(24512345.0)
    ('0.193', '1611', '24.5 M')
    """
    if value >= 1e6:
        return f"{value / 1e6:.3g} M"
    return f"{value:.0f}" if value >= 999.5 else f"{value:.3g}"


# --- what stands in which table ---


class Numbers:
    """The recorded numbers, looked up by what tables say."""

    def __init__(self, numbers: Sequence[Number]) -> None:
        self._by_label: dict[str, dict[str, list[Number]]] = {}
        for number in numbers:
            self._by_label.setdefault(number.experiment, {}).setdefault(number.curve.label, []).append(number)

    def find(self, experiment: str, label: str, problem: str = "", t: int | None = None) -> Number | None:
        """The number of a curve after round t, by default its last; None where the experiment has no such curve.

        ``problem`` is the problem's name, or the end of it.
        """
        of_problem = [n for n in self._by_label[experiment].get(label, ()) if n.curve.problem.endswith(problem)]
        if not of_problem:
            return None
        t = t or max(n.round for n in of_problem)
        (number,) = (n for n in of_problem if n.round == t)
        return number


Fill = Callable[[Numbers, Sequence[str], str, str], str | None]
"""Numbers, the cells of the row, the head of the column, the cell as it is -> as it should be; None: as it is."""


def _in_words(number: Number | None) -> str:
    return "-" if number is None else mean_and_error(number)


def by_figure(figure: str) -> Fill:
    """Labels down, panels across: column (a) is the experiment ``figure`` + a."""
    return lambda numbers, row, column, _: _in_words(numbers.find(figure + column.strip("()"), row[0]))


def by_value(experiment: str) -> Fill:
    """Labels down, values of a sweep across."""
    return lambda numbers, row, column, _: _in_words(numbers.find(experiment, row[0], f" {column}"))


def komiyama_1(numbers: Numbers, row: Sequence[str], column: str, _: str) -> str | None:
    """Panels and rounds down, labels across."""
    if column == "T":
        return None
    return _in_words(numbers.find(f"komiyama2016-1{row[0][1]}", _LONGER.get(column, column), t=_rounds(row[1])))


def komiyama_2(numbers: Numbers, row: Sequence[str], column: str, _: str) -> str | None:
    """Targets down, labels across."""
    if column == "matrix":
        return None
    return _in_words(numbers.find(row[0].strip("`").removeprefix("make fig-"), _LONGER.get(column, column)))


def zoghi_1(numbers: Numbers, row: Sequence[str], column: str, _: str) -> str:
    """Rounds down, labels across, in thousands."""
    number = numbers.find("zoghi2015-1", _LONGER.get(column, column), t=_rounds(row[0]))
    assert number is not None
    return mean_and_error(number, 1e3)


def zoghi_500(numbers: Numbers, row: Sequence[str], column: str, _: str) -> str | None:
    """Probabilities and rounds down, labels across, in millions."""
    if column == "T":
        return None
    number = numbers.find("zoghi2015-500", column, f"p-{row[0]}", _rounds(row[1]))
    assert number is not None
    return mean_and_error(number, 1e6)


def agrawal_b(numbers: Numbers, row: Sequence[str], column: str, _: str) -> str:
    """K down; labels across, each with its median."""
    number = numbers.find("agrawal2019-b", column.removesuffix(", median"), f" {row[0]}")
    assert number is not None
    return f"{number.median:,.0f}" if column.endswith(", median") else mean_and_error(number)


def beside_published(experiment: str, quantity: str, problem: str = "") -> Fill:
    """Labels down, samples across: ours / published."""

    def fill(numbers: Numbers, row: Sequence[str], column: str, cell: str) -> str:
        number = numbers.find(experiment, row[0], problem, int(column))
        assert number is not None
        return f"{brief(getattr(number, quantity))} / {cell.split(' / ')[1]}"

    return fill


def _two(experiment: str, problem: str = "") -> tuple[Fill, ...]:
    return tuple(beside_published(experiment, quantity, problem) for quantity in ("accuracy", "explored"))


_LONGER = {"SAVAGE": "SAVAGE (Copeland)", "PBR": "PBR (Copeland)"}
"""What a table calls an algorithm for short -> its label."""


def _rounds(words: str) -> int:
    """The number of rounds that a table writes as 10^6 or 3 x 10^6."""
    factor, _, power = words.rpartition("10^")
    return int(factor.removesuffix(" x ") or 1) * 10 ** int(power)


TABLES: dict[str, tuple[Fill | None, ...]] = {
    "wu2016.md": (
        by_figure("wu2016-1"),
        by_figure("wu2016-3"),
        by_figure("wu2016-4"),
        by_value("wu2016-6a"),
        by_value("wu2016-6b"),
        by_figure("wu2016-7"),
        None,
    ),
    "komiyama2016.md": (komiyama_1, komiyama_2, None),
    "zoghi2015.md": (zoghi_1, zoghi_500, None),
    "agrawal2019.md": (agrawal_b,),
    "urvoy2013.md": (
        *_two("urvoy2013-3"),
        *_two("urvoy2013-4", "zero-based"),
        beside_published("urvoy2013-4", "explored", "printed"),
        beside_published("urvoy2013-4-tests", "explored"),
        *(fill for figure in (5, 6, 8, 9, 10, 11) for fill in _two(f"urvoy2013-{figure}")),
        None,
    ),
}
"""Page -> how its tables are filled, in their order; None: not with numbers of runs."""


def filled(page: str, text: str, numbers: Sequence[Number]) -> str:
    """A page with its tables filled, and with a sentence on its numbers that are older than the tree, if there are."""
    fills = iter(TABLES.get(page, ()))
    known = Numbers(numbers)
    parts = re.split(r"^((?:\|.*\n)+)", text, flags=re.MULTILINE)
    parts[1::2] = [_filled_table(table, next(fills), known) for table in parts[1::2]]
    return _with_sentence("".join(parts), older_sentence(numbers))


def _filled_table(table: str, fill: Fill | None, numbers: Numbers) -> str:
    if fill is None:
        return table
    head, rule, *lines = table.splitlines()
    columns = _cells(head)
    rows = []
    for line in lines:
        row = _cells(line)
        new = [fill(numbers, row, column, cell) for column, cell in zip(columns[1:], row[1:], strict=True)]
        row[1:] = [cell if filled is None else filled for cell, filled in zip(row[1:], new, strict=True)]
        rows.append(f"| {' | '.join(row)} |")
    return "\n".join([head, rule, *rows]) + "\n"


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


# --- what is older than the tree ---

_OLDER = "Older than this tree and not run again with it: "


def older_sentence(numbers: Sequence[Number]) -> str:
    """Which experiments have numbers of earlier trace versions than the tree's, or of runs that were not recorded.

    Empty where there are none.
    """
    experiments: dict[str, None] = {}
    versions: dict[str, None] = {}
    for number in numbers:
        made, now = number.made, registry.get(number.made.algorithm).trace_version
        if made.trace_version != now:
            versions[f"of {number.curve.label} {made.trace_version or 'not known'}, now {now}"] = None
        if made.trace_version != now or not made.cell:
            experiments[f"`{number.experiment}`"] = None
    said = f" (`trace_version` {'; '.join(versions)})" if versions else ""
    return f"{_OLDER}{', '.join(experiments)}{said}." if experiments else ""


def _with_sentence(text: str, sentence: str) -> str:
    """The page with the sentence below its title, instead of the one that is there."""
    without = re.sub(rf"^{re.escape(_OLDER[:20])}.*?\n\n", "", text, flags=re.MULTILINE | re.DOTALL)
    title, rest = without.split("\n\n", 1)
    middle = [textwrap.fill(sentence, 120, break_long_words=False, break_on_hyphens=False)] if sentence else []
    return "\n\n".join([title, *middle, rest])


def pages() -> Iterator[tuple[Path, str]]:
    """Every page with numbers, and what it should say."""
    numbers = page_numbers.read()
    for page in TABLES:
        own = [number for number in numbers if page_of(number.experiment) == page]
        path = PAGES / page
        yield path, filled(page, path.read_text(encoding="utf-8"), own)


def spec_of(experiment: str) -> Path:
    """The spec of an experiment, which need not be there."""
    paper, _, figure = experiment.partition("-")
    return ROOT / "configs" / paper / f"{figure}.yaml"


def main(folders: Sequence[str]) -> None:
    """Record the numbers of results folders, by default those of all specs of figures, and fill the pages."""
    found = [Path(folder) for folder in folders] or sorted((ROOT / "results").glob("*-*"))
    found = [folder for folder in found if spec_of(folder.name).exists() and page_of(folder.name) in TABLES]
    new = [number for folder in found for number in page_numbers.record(folder, rounds_of(folder.name))]
    recorded = {number.experiment for number in new}
    page_numbers.write([*(number for number in page_numbers.read() if number.experiment not in recorded), *new])
    for path, text in pages():
        path.write_text(text, encoding="utf-8")
    print(f"recorded: {', '.join(sorted(recorded)) or 'nothing'}; the pages are filled")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except DuelbenchError as error:
        sys.exit(f"error: {error}")
