"""`duelbench bench`: what a round and a decision of each algorithm cost."""

import json as json_module
import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duelbench.cli.streams import is_read
from duelbench.errors import InputError

if TYPE_CHECKING:
    from duelbench.cli.bench_suite import Problem

HORIZONS = (1e5, 1e7)
FORMATS = (".md", ".json")


class Suite(StrEnum):
    """Rows to measure where nothing else is asked for."""

    QUICK = "quick"
    FULL = "full"


def bench(
    algorithms: Annotated[
        list[str] | None, typer.Argument(help="Algorithms to measure; all where none is named.")
    ] = None,
    suite: Annotated[
        Suite,
        typer.Option(help="quick: a minute, once all is compiled; full: hours, and every row that C++ times exist of."),
    ] = Suite.QUICK,
    arms: Annotated[
        list[int] | None, typer.Option(min=2, help="Instead of a suite: linear orders of so many arms; repeatable.")
    ] = None,
    matrix: Annotated[list[Path] | None, typer.Option(help="Instead of a suite: matrix files; repeatable.")] = None,
    horizon: Annotated[
        list[float] | None, typer.Option(min=1, help="Horizons, with --arms or --matrix or in place of a suite's.")
    ] = None,
    budget: Annotated[float, typer.Option(help="Seconds to spend on each row (at least one run).")] = 0.2,
    limit: Annotated[float, typer.Option(help="Leave out rows of which one run would take more seconds.")] = 5.0,
    output: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="Write the table to a .md or .json file; repeatable.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Measure nanoseconds per round and per decision on one core.

    Where the row is on record for an original author's C++ program, its time and the ratio of the times stand beside
    it. Those were measured on another machine: the ratio is indicative. A short run is spent beforehand on compiling
    and on guessing how long a whole one takes. What is left out is named on standard error.
    """
    from duelbench.algorithms import registry
    from duelbench.cli.bench_suite import COLUMNS, cells, machine, markdown, measure, seconds_expected

    for path in output or []:
        if path.suffix not in FORMATS:
            raise InputError(f"--output {path}: the file's name must end with {' or '.join(FORMATS)}")
    chosen = [registry.get(id) for id in algorithms or registry.ids()]
    problems = list(_problems(suite, arms or [], matrix or [], [int(T) for T in horizon or []]))
    rows: list[dict[str, Any]] = []
    if not json:
        print(_line(COLUMNS))
    for algorithm in chosen:
        for problem, T in problems:
            if not (output or is_read()):
                return
            expected = seconds_expected(algorithm, problem, T)
            if expected > limit:
                what = f"{algorithm.id} on {problem.name} to T = {T:.0e}"
                print(f"left out: {what}, about {expected:.0f} s a run (--limit)", file=sys.stderr)
                continue
            rows.append(measure(algorithm, problem, T, budget))
            if not json:
                print(_line(cells(rows[-1])), flush=True)
    for path in output or []:
        document = {"machine": machine(), "rows": rows}
        text = markdown(rows, machine()) if path.suffix == ".md" else json_module.dumps(document, indent=2) + "\n"
        path.write_text(text, encoding="utf-8")
    if json:
        print(json_module.dumps(rows, indent=2))


def _problems(
    suite: Suite, arms: list[int], matrices: list[Path], horizons: list[int]
) -> "Iterator[tuple[Problem, int]]":
    """The matrices and horizons to measure on."""
    from duelbench.cli.bench_suite import SUITES, Problem, problem
    from duelbench.problem.preferences import PreferenceMatrix

    given = [Problem(path.stem, PreferenceMatrix.load(path)) for path in matrices]
    given += [problem(f"linear-order-{K}") for K in arms]
    if given:
        yield from ((one, T) for one in given for T in sorted(horizons or map(int, HORIZONS)))
        return
    known: dict[str, Problem] = {}
    for name, T in SUITES[suite.value]:
        if horizons and T not in horizons:
            continue
        try:
            known[name] = known.get(name) or problem(name)
        except InputError as error:
            print(f"left out: {error}", file=sys.stderr)
            continue
        yield known[name], T


def _line(words: tuple[str, ...]) -> str:
    widths = (18, 20, 4, 6, 11, 10, 10, 12, 13, 8)
    left = [f"{word:<{width}}" for word, width in zip(words[:2], widths[:2], strict=True)]
    return " ".join(left + [f"{word:>{width}}" for word, width in zip(words[2:], widths[2:], strict=True)]).rstrip()
