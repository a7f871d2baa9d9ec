"""`duelbench bench`: what a round and a decision of each algorithm cost."""

import json as json_module
import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duelbench.cli.folders import PlugIn, rounds, whole
from duelbench.cli.streams import is_read, say
from duelbench.errors import InputError, RunsFailed

if TYPE_CHECKING:
    from duelbench.algorithms.contract import Algorithm
    from duelbench.bench.suite import Problem

HORIZONS = (10**5, 10**7)
MAX_SECONDS = 86_400
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
        Suite | None,
        typer.Option(
            help="quick: a minute, once all is compiled; full: hours, and every row that C++ times exist of.",
            show_default="quick",
        ),
    ] = None,
    arms: Annotated[
        list[int] | None,
        typer.Option(
            parser=whole(2),
            metavar="K",
            help="Instead of a suite: linear orders (for scalar bandits, means) of so many arms; repeatable.",
        ),
    ] = None,
    matrix: Annotated[list[Path] | None, typer.Option(help="Instead of a suite: matrix files; repeatable.")] = None,
    horizon: Annotated[
        list[int] | None,
        typer.Option(
            parser=rounds,
            metavar="ROUNDS",
            help="Horizons, with --arms or --matrix or in place of a suite's; repeatable.",
        ),
    ] = None,
    budget: Annotated[
        float, typer.Option(min=0, max=MAX_SECONDS, help="Seconds to spend on each row (at least one run).")
    ] = 0.2,
    limit: Annotated[float, typer.Option(min=0, help="Leave out rows of which one run would take more seconds.")] = 5.0,
    output: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="Write the table to a .md or .json file; repeatable.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over what is there.")] = False,
    plug_in: PlugIn = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Measure nanoseconds per round and per decision on one core.

    \b
    Examples:
      duelbench bench rucb d-ts --matrix matrices/cyclic.csv --horizon 1e5
      duelbench bench --suite quick --output bench.md

    Where the row is on record for an original author's C++ program, its time and the ratio of the times stand beside
    it. Those were measured on another machine: the ratio is indicative. A short run is spent beforehand on compiling
    and on guessing how long a whole one takes. What is left out is named on standard error.
    """
    from duelbench.algorithms import registry
    from duelbench.bench.suite import COLUMNS, cells
    from duelbench.simulation import trial
    from duelbench.spec.fitting import why_not

    for path in output or []:
        if path.suffix not in FORMATS:
            raise InputError(f"--output {path}: the file's name must end with {' or '.join(FORMATS)}")
        if not path.parent.is_dir():
            raise InputError(f"--output {path}: there is no folder {path.parent}; make it first")
        if path.exists() and not force:
            raise InputError(f"--output {path}: is there already; --force writes over it")
    for name in plug_in or ():
        registry.load_plug_in(name)
    if suite is not None and (arms or matrix):
        raise InputError(f"--suite {suite.value}: --arms and --matrix are measured instead of a suite; leave one out")
    chosen = [registry.get(id) for id in dict.fromkeys(algorithms or registry.ids())]
    horizons = sorted(set(horizon or []))
    problems = list(_problems(suite or Suite.QUICK, arms or [], matrix or [], horizons))
    for algorithm in chosen if algorithms and problems else ():
        if not any(problem.is_for(algorithm) for problem, _ in problems):
            registry.check_plays(algorithm, is_scalar=False)
    rows: list[dict[str, Any]] = []
    asked = [(algorithm, problem, T) for algorithm in chosen for problem, T in problems if problem.is_for(algorithm)]
    reasons = [why_not(algorithm, algorithm.resolve({}), problem.matrix, T) for algorithm, problem, T in asked]
    refused = list(dict.fromkeys(reason for reason in reasons if reason is not None))
    if refused and ((algorithms and (arms or matrix)) or None not in reasons):
        raise InputError("\n".join(refused))
    for reason in refused:
        print(f"left out: {reason}", file=sys.stderr)
    able = [row for row, reason in zip(asked, reasons, strict=True) if reason is None]
    for algorithm, problem, T in able:
        trial.require(algorithm, problem.matrix, T, algorithm.resolve({}))
    failed: list[str] = []
    if not json:
        say(_line(COLUMNS))
    try:
        for row in _rows(able, budget, limit, failed, bool(output)):
            rows.append(row)
            if not json:
                say(_line(cells(row)), flush=True)
    finally:
        if rows:
            _write(rows, output or [])
    if json:
        say(json_module.dumps(rows, indent=2))
    if not rows and not failed and is_read():
        raise InputError("nothing was measured: every row was left out; ask for others, or for a larger --limit")
    if failed:
        raise RunsFailed(f"{len(failed)} rows are missing, because a run failed: {'; '.join(failed)}")


def _rows(
    asked: "list[tuple[Algorithm, Problem, int]]", budget: float, limit: float, failed: list[str], output: bool
) -> Iterator[dict[str, Any]]:
    """Measure row after row; what failed is noted in ``failed``. Ends where nobody reads and no file is asked for."""
    from duelbench.bench.suite import measure, seconds_expected

    for algorithm, problem, T in asked:
        if not (output or is_read()):
            return
        what = f"{algorithm.id} on {problem.name} to T = {T:.0e}"
        try:
            expected = seconds_expected(algorithm, problem, T, limit)
            if expected > limit:
                print(f"left out: {what}, about {expected:.0f} s a run (--limit)", file=sys.stderr)
                continue
            row = measure(algorithm, problem, T, budget)
        except Exception as error:
            failed.append(what)
            print(f"failed: {what}: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        yield row


def _write(rows: list[dict[str, Any]], output: list[Path]) -> None:
    """Write the table to files."""
    from duelbench.bench.suite import machine, markdown
    from duelbench.results.atomic import write_asked

    for path in output:
        document = {"machine": machine(), "rows": rows}
        text = markdown(rows, machine()) if path.suffix == ".md" else json_module.dumps(document, indent=2) + "\n"
        write_asked(path, text.encode(), f"--output {path}")


def _problems(
    suite: Suite, arms: list[int], matrices: list[Path], horizons: list[int]
) -> "Iterator[tuple[Problem, int]]":
    """What to measure on, and up to which horizons."""
    from duelbench.bench.suite import MEANS, SUITES, Problem, problem
    from duelbench.problem.preferences import PreferenceMatrix

    given = [Problem(path.stem, PreferenceMatrix.load(path)) for path in matrices]
    given += [problem(f"{kind}-{K}") for K in arms for kind in ("linear-order", MEANS)]
    if given:
        yield from ((one, T) for one in given for T in horizons or HORIZONS)
        return
    rows: dict[str, list[int]] = {}
    for name, T in SUITES[suite.value]:
        rows.setdefault(name, []).append(T)
    for name, usual in rows.items():
        try:
            one = problem(name)
        except InputError as error:
            print(f"left out: {error}", file=sys.stderr)
            continue
        yield from ((one, T) for T in horizons or usual)


def _line(words: tuple[str, ...]) -> str:
    widths = (18, 20, 4, 6, 11, 10, 10, 12, 13, 8)
    left = [f"{word:<{width}}" for word, width in zip(words[:2], widths[:2], strict=True)]
    return " ".join(left + [f"{word:>{width}}" for word, width in zip(words[2:], widths[2:], strict=True)]).rstrip()
