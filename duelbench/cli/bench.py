"""`duelbench bench`: what a round and a decision of each algorithm cost, and which became slower or faster."""

import json as json_module
import os
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duelbench.cli.completion import candidates
from duelbench.cli.folders import PlugIn, rounds, whole
from duelbench.cli.streams import is_read, say
from duelbench.errors import InputError, RunsFailed

if TYPE_CHECKING:
    from duelbench.algorithms.contract import Algorithm
    from duelbench.bench.comparing import Compared
    from duelbench.bench.measuring import Session, Side
    from duelbench.bench.suite import Problem, Row

HORIZONS = (10**5, 10**7)
MAX_SECONDS = 86_400
TURNS = 3
FORMATS = (".md", ".json")
START_SECONDS = 1.5
"""Until a player has started and loaded its compiled code."""

SILENT_SECONDS = 20.0
"""Between two lines of progress; on a terminal one line is rewritten every second."""


class Suite(StrEnum):
    """Rows to measure where nothing else is asked for."""

    QUICK = "quick"
    FULL = "full"
    WORLDS = "worlds"


def bench(
    algorithms: Annotated[
        list[str] | None,
        typer.Argument(help="Algorithms to measure; all where none is named.", autocompletion=candidates.algorithms),
    ] = None,
    suite: Annotated[
        Suite | None,
        typer.Option(
            help="quick: two minutes, once all is compiled; full: a quarter of an hour, and every row that C++ times"
            " exist of; worlds: algorithms for worlds that change and for adversaries, two minutes.",
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
    matrix: Annotated[
        list[Path] | None,
        typer.Option(help="Instead of a suite: matrices; repeatable.", autocompletion=candidates.matrices),
    ] = None,
    horizon: Annotated[
        list[int] | None,
        typer.Option(
            parser=rounds,
            metavar="ROUNDS",
            help="Horizons, with --arms or --matrix or in place of a suite's; repeatable.",
        ),
    ] = None,
    turns: Annotated[
        int,
        typer.Option(parser=whole(1, 1000), metavar="N", help="Measure each row so often, each time in a new process."),
    ] = TURNS,
    budget: Annotated[
        float,
        typer.Option(min=0, max=MAX_SECONDS, help="Seconds to spend on each row in each turn (at least one run)."),
    ] = 0.2,
    limit: Annotated[float, typer.Option(min=0, help="Leave out rows of which one run takes more seconds.")] = 5.0,
    compare: Annotated[
        Path | None,
        typer.Option(metavar="OLD.json", help="Measure the rows of an earlier --output again, and compare."),
    ] = None,
    compare_with: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH", help="Measure with another checkout of duelbench, or another Python, in turns, and compare."
        ),
    ] = None,
    fail_if_slower: Annotated[
        bool, typer.Option("--fail-if-slower", help="Exit code 1 where a comparison finds a row slower.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be measured and how long it takes.")
    ] = False,
    output: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="Write the table to a .md or .json file; repeatable.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over what is there.")] = False,
    plug_in: PlugIn = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document, as --output writes it.")] = False,
) -> None:
    """Measure nanoseconds per round and per decision on one core.

    \b
    Examples:
      duelbench bench rucb d-ts --matrix matrices/cyclic.csv --horizon 1e5
      duelbench bench --suite full --output before.json
      duelbench bench --compare before.json
      duelbench bench --compare-with ../duelbench-before

    Where the row is on record for an original author's C++ program, its time and the ratio of the times stand beside
    it. Those were measured on another machine: the ratio is indicative. What is left out is named on standard error.

    A row is measured in three turns, each in a new process that has compiled before. A comparison calls it slower or
    faster where all turns of one side are on one side of all turns of the other, and the medians are farther apart than
    the resolution: what turns of one side differ by, over all rows. Where nothing has changed, fewer than one row in a
    hundred is so called, if the machine is as busy as it was. For it may have been another one then: --compare-with
    measures both now, in turns.
    """
    from duelbench.algorithms import registry
    from duelbench.bench import comparing
    from duelbench.bench.measuring import Session, Side, other_side

    _check_files(output or [], force)
    _check_options(suite, arms, matrix, horizon, turns, compare, compare_with, fail_if_slower)
    for name in plug_in or ():
        registry.load_plug_in(name)
    plug_ins = tuple(str(name) for name in plug_in or ())
    sides = [Side(plug_ins=plug_ins)]
    if compare_with is not None:
        sides.append(other_side(compare_with, plug_ins, f"--compare-with {compare_with}"))
    chosen = [registry.get(id) for id in dict.fromkeys(algorithms or registry.ids())]
    missing: list[str] = []
    old = None
    if compare is not None:
        old = comparing.read(compare)
        rows = _rows_again(old, {one.id for one in chosen}, not algorithms, missing)
        asked_suite = old["suite"]
    else:
        asked_suite = None if arms or matrix or horizon else (suite or Suite.QUICK).value
        problems = _problems(suite or Suite.QUICK, arms or [], matrix or [])
        rows = list(_rows(chosen, problems, asked_suite, suite or Suite.QUICK, bool(arms or matrix), horizon or []))
        rows = _able(rows, bool(algorithms), bool(arms or matrix), chosen, problems)
    rows, expected = _within(rows, limit)
    seconds = _seconds_in_all(rows, expected, turns * len(sides), budget)
    for note in missing:
        print(f"not compared: {note}", file=sys.stderr)
    if dry_run:
        _say_plan(rows, expected, seconds, turns, len(sides), json)
        return
    session = Session(rows, sides, turns, budget, limit)
    answer = _Answer(session, asked_suite, old, missing)
    if rows:
        print(_plan_in_words(rows, seconds, turns, len(sides)), file=sys.stderr)
    if output and turns < comparing.LEAST_TURNS:
        least = comparing.LEAST_TURNS
        print(f"note: --compare takes at least {least} turns; it will refuse rows of these files", file=sys.stderr)
    try:
        _measure(session, answer, seconds, is_silent=json, may_stop=not output)
    except KeyboardInterrupt:
        _write(answer, output or [])
        done = len(answer.document()["rows"])
        where = f"; {', '.join(map(str, output))}: these only" if output and done else ""
        print(f"interrupted: {done} of {_counted(len(rows), 'row')} measured, in part{where}", file=sys.stderr)
        raise
    answer.is_complete = True
    _write(answer, output or [])
    if json:
        say(json_module.dumps(answer.document(), indent=2))
    for text in answer.summary():
        say(text) if not json else print(text, file=sys.stderr)
    if not answer.document()["rows"] and not _failures(session):
        if compare is not None and not rows:
            raise InputError(f"--compare {compare}: none of its rows can be measured again, for the reasons above")
        raise InputError("nothing was measured: every row was left out; ask for others, or for a larger --limit")
    if failed := _failures(session):
        raise RunsFailed(f"{_counted(len(failed), 'row')} missing, because a run failed: {'; '.join(failed)}")
    if fail_if_slower and any(row.verdict == "slower" for row in answer.compared()[0]):
        raise typer.Exit(1)


class _Answer:
    """What the command has to say of a session, as far as it is."""

    def __init__(self, session: "Session", suite: str | None, old: dict[str, Any] | None, missing: list[str]) -> None:
        from duelbench.bench import comparing

        self.session, self.suite, self.file = session, suite, old
        self.missing = missing
        self.old_rows = {} if old is None else {comparing.key(row): row for row in old["rows"]}
        self.compares = old is not None or len(session.sides) > 1
        self.is_complete = False

    def old(self) -> dict[str, Any]:
        from duelbench.bench import table

        return self.file if self.file is not None else table.document(self.session, None, side=1)

    def drift(self) -> float:
        """How many times as long the yardstick took as for the file; 1 where sides take turns, on one machine."""
        yardsticks = self.session.yardsticks[0]
        if self.file is None or not yardsticks:
            return 1.0
        return statistics.median(yardsticks) / float(self.file["yardstick"])

    def pair(self, k: int) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """A row (old, new), where both sides have it."""
        from duelbench.bench import comparing, table

        new = table.measured(self.session, k)
        if new is None:
            return None
        old = table.measured(self.session, k, 1) if self.file is None else self.old_rows[comparing.key(new)]
        return None if old is None else (old, new)

    def compared(self) -> "tuple[list[Compared], float]":
        from duelbench.bench import comparing, table

        pairs = [pair for k in range(len(self.session.rows)) if (pair := self.pair(k)) is not None]
        is_same = not self.file or not comparing.differences(self.file["machine"], table.machine())
        return comparing.compare(pairs, self.drift() if is_same else 1.0)

    def notes(self) -> list[str]:
        from duelbench.bench import comparing, table

        old, new = self.old()["machine"], table.machine(self.session.hellos[0])
        which = [f"{name}: {_version(where)}" for name, where in (("old", old), ("new", new))]
        return [*which, *comparing.differences(old, new), *(f"not compared: {one}" for one in self.missing)]

    def document(self) -> dict[str, Any]:
        from duelbench.bench import comparing, table

        document = {**table.document(self.session, self.suite), "complete": self.is_complete}
        if self.compares:
            rows, resolution = self.compared()
            told = comparing.as_json(rows, resolution, self.drift(), self.missing)
            document["comparison"] = {"old": self.old()["machine"], **told}
        return document

    def page(self) -> str:
        from duelbench.bench import comparing, table

        if not self.compares:
            return table.markdown(self.document())
        rows, resolution = self.compared()
        return comparing.markdown(rows, self.notes(), comparing.summary(rows, resolution, self.drift()))

    def summary(self) -> list[str]:
        """What stands below the table of a comparison, and the table, which needs all rows."""
        from duelbench.bench import comparing, table

        if not self.compares:
            return []
        rows, resolution = self.compared()
        lines = [table.line(row.cells(), comparing.WIDTHS) for row in rows]
        head = [table.line(comparing.COLUMNS, comparing.WIDTHS)] if rows else []
        return [*head, *lines, *self.notes(), *comparing.summary(rows, resolution, self.drift())]


def _version(machine: dict[str, str]) -> str:
    commit = f" at {machine['commit']}" if machine["commit"] else ""
    libraries = ", ".join(f"{name} {machine[name]}" for name in ("python", "numba", "numpy"))
    return f"duelbench {machine['duelbench']}{commit}, {libraries}, {machine['date']}, {machine['cpu']}"


def _measure(session: "Session", answer: _Answer, seconds: float, is_silent: bool, may_stop: bool) -> None:
    """Measure everything, with progress; where nothing is compared, the table grows in the last turn."""
    from duelbench.bench import table

    progress = _Progress(session, seconds)
    shows = not (is_silent or answer.compares)
    if shows:
        say(table.line(table.COLUMNS))
    told: set[int] = set()
    for turn, k in session.measure():
        for timings, side in zip(session.timings, session.sides, strict=True):
            if timings[k].missing and k not in told:
                told.add(k)
                progress.clear()
                _tell_missing(session.rows[k], timings[k].missing, side, answer)
        if turn == session.turns - 1 and shows:
            if may_stop and not is_read():
                return
            row = table.measured(session, k)
            if row is not None:
                progress.clear()
                say(table.line(table.cells(row)), flush=True)
        progress.step(turn, k)
    progress.clear()


def _tell_missing(row: "Row", why: str, side: "Side", answer: _Answer) -> None:
    if side.checkout is None or side.called != "bench":
        answer.missing.append(f"{row}: on the other side: {why}")
        print(f"not compared: {answer.missing[-1]}", file=sys.stderr)
    elif why.startswith("failed: "):
        print(f"failed: {row}: {why.removeprefix('failed: ')}", file=sys.stderr)
    else:
        print(f"left out: {row}: {why}", file=sys.stderr)


def _failures(session: "Session") -> list[str]:
    """The rows that failed on this side."""
    both = zip(session.rows, session.timings[0], strict=True)
    return [str(row) for row, timing in both if timing.missing.startswith("failed: ")]


class _Progress:
    """How far the session is, on standard error."""

    def __init__(self, session: "Session", seconds: float) -> None:
        self.session, self.seconds = session, seconds
        self.began = self.said = time.monotonic()
        self.rewrites = sys.stderr.isatty()
        self.width = 0

    def step(self, turn: int, k: int) -> None:
        """A row was played by all sides."""
        now = time.monotonic()
        if now - self.said < (1.0 if self.rewrites else SILENT_SECONDS):
            return
        from duelbench.execution.progress import duration

        self.said = now
        rows, turns = len(self.session.rows), self.session.turns
        done = (turn * rows + k + 1) / (turns * rows)
        left = (1 - done) * max((now - self.began) / done, self.seconds if turn == 0 else 0.0)
        text = f"turn {turn + 1} of {turns}, row {k + 1} of {rows}: {self.session.rows[k]}; about {duration(left)} left"
        end = "\r" if self.rewrites else "\n"
        print(text.ljust(self.width), file=sys.stderr, end=end, flush=True)
        self.width = len(text) if self.rewrites else 0

    def clear(self) -> None:
        """Make room for another line."""
        if self.width:
            print(" " * self.width, file=sys.stderr, end="\r", flush=True)
            self.width = 0


def _check_files(output: Sequence[Path], force: bool) -> None:
    for path in output:
        if path.suffix not in FORMATS:
            raise InputError(f"--output {path}: the file's name must end with {' or '.join(FORMATS)}")
        if not path.parent.is_dir():
            raise InputError(f"--output {path}: there is no folder {path.parent}; make it first")
        if path.exists() and not force:
            raise InputError(f"--output {path}: is there already; --force writes over it")
        if not os.access(path.parent, os.W_OK | os.X_OK):
            raise InputError(f"--output {path}: the folder {path.parent} cannot be written to; choose another one")


def _check_options(
    suite: Suite | None,
    arms: Sequence[int] | None,
    matrix: Sequence[Path] | None,
    horizon: Sequence[int] | None,
    turns: int,
    compare: Path | None,
    compare_with: Path | None,
    fail_if_slower: bool,
) -> None:
    from duelbench.bench.comparing import LEAST_TURNS

    compares = compare is not None or compare_with is not None
    if suite is not None and (arms or matrix):
        raise InputError(f"--suite {suite.value}: --arms and --matrix are measured instead of a suite; leave one out")
    if compare is not None and compare_with is not None:
        raise InputError("--compare and --compare-with: there is one old side; leave one out")
    if compare is not None and (suite or arms or matrix or horizon):
        raise InputError(
            f"--compare {compare}: its rows are measured again; leave out --suite, --arms, --matrix, --horizon"
        )
    if compares and turns < LEAST_TURNS:
        raise InputError(f"--turns {turns}: a comparison takes at least {LEAST_TURNS} turns")
    if fail_if_slower and not compares:
        raise InputError("--fail-if-slower: takes --compare or --compare-with")


def _problems(suite: Suite, arms: Sequence[int], matrices: Sequence[Path]) -> "list[Problem]":
    """What to measure on."""
    from duelbench.bench.suite import MEANS, Problem, names_of, problem
    from duelbench.problem.preferences import PreferenceMatrix
    from duelbench.shipped import matrix_file

    given = [
        Problem(path.stem, PreferenceMatrix.load(path), str((matrix_file(str(path)) or path).resolve()))
        for path in matrices
    ]
    given += [problem(f"{kind}-{K}") for K in arms for kind in ("linear-order", MEANS)]
    if given:
        return given
    found = []
    for name in names_of(suite.value):
        try:
            found.append(problem(name))
        except InputError as error:
            print(f"left out: {error}", file=sys.stderr)
    return found


def _rows(
    chosen: "Sequence[Algorithm]",
    problems: "Sequence[Problem]",
    asked_suite: str | None,
    suite: Suite,
    is_given: bool,
    horizons: Sequence[int],
) -> "Iterator[Row]":
    """The rows that are asked for: a suite, or all problems to all horizons."""
    from duelbench.bench.suite import SUITES, row, rows_of

    by_name = {one.name: one for one in problems}
    if asked_suite is not None:
        for algorithm in chosen:
            yield from rows_of(asked_suite, algorithm, by_name)
        return
    of_suite = dict(SUITES[suite.value])
    for algorithm in chosen:
        for one in problems:
            if one.is_for(algorithm) and (is_given or one.name in of_suite):
                for T in sorted(set(horizons)) or HORIZONS:
                    yield row(algorithm, one, T)


def _able(
    rows: "Sequence[Row]",
    is_named: bool,
    is_given: bool,
    chosen: "Sequence[Algorithm]",
    problems: "Sequence[Problem]",
) -> "list[Row]":
    """The rows that can be played; what cannot is named, or refused where just that was asked for."""
    from duelbench.algorithms import registry
    from duelbench.simulation import trial
    from duelbench.spec.fitting import why_not

    for algorithm in chosen if is_named and problems else ():
        if not any(problem.is_for(algorithm) for problem in problems):
            registry.check_plays(algorithm, is_scalar=False)
    able, refused = [], []
    for row in rows:
        algorithm = registry.get(row.algorithm)
        reason = why_not(algorithm, algorithm.resolve(row.parameters), row.problem.matrix, row.horizon)
        if reason is None:
            able.append(row)
        else:
            refused.append(reason)
    refused = list(dict.fromkeys(refused))
    if refused and ((is_named and is_given) or not able):
        raise InputError("\n".join(refused))
    for reason in refused:
        print(f"left out: {reason}", file=sys.stderr)
    for row in able:
        algorithm = registry.get(row.algorithm)
        trial.require(algorithm, row.problem.matrix, row.horizon, algorithm.resolve(row.parameters))
    return able


def _rows_again(old: dict[str, Any], wanted: set[str], is_all: bool, missing: list[str]) -> "list[Row]":
    """The rows of a document, to be measured again; why others are not is added to ``missing``."""
    from duelbench.algorithms import registry
    from duelbench.bench import comparing
    from duelbench.bench.suite import Row, horizon_in_words, names_of, problem, rows_of
    from duelbench.bench.table import identity

    rows = []
    problems: dict[tuple[str, str | None], Problem | str] = {}
    for one in old["rows"]:
        if one["algorithm"] not in wanted and not is_all:
            continue
        where = (one["matrix"], one["matrix_path"])
        if where not in problems:
            problems[where] = _problem_again(*where)
        found = problems[where]
        why = found if isinstance(found, str) else _why_not_again(one, found)
        if why:
            missing.append(f"{one['algorithm']} on {one['matrix']} to T = {horizon_in_words(one['horizon'])}: {why}")
        elif not isinstance(found, str):
            rows.append(Row(one["algorithm"], found, one["horizon"], one["parameters"], one["runs"]))
    if old["suite"] in list(Suite):
        known = {comparing.key(row) for row in old["rows"]}
        here = {}
        for name in names_of(old["suite"]):
            try:
                here[name] = problem(name)
            except InputError:
                continue
        for id in sorted(wanted):
            news = [
                row
                for row in rows_of(old["suite"], registry.get(id), here)
                if comparing.key(identity(row)) not in known
            ]
            missing += [f"{row}: not in the file" for row in news]
    return rows


def _problem_again(name: str, path: str | None) -> "Problem | str":
    """The problem of an earlier document, or why it is not there."""
    from duelbench.bench.suite import Problem, problem
    from duelbench.problem.preferences import PreferenceMatrix

    try:
        return problem(name) if path is None else Problem(name, PreferenceMatrix.load(path), path)
    except InputError as error:
        return str(error)


def _why_not_again(old: dict[str, Any], problem: "Problem") -> str:
    """Why a row of a document cannot be measured again; empty where it can."""
    from duelbench.algorithms import registry
    from duelbench.bench.comparing import LEAST_TURNS
    from duelbench.spec.fitting import why_not

    if len(old["seconds"]) < LEAST_TURNS:
        return f"was measured in fewer than {LEAST_TURNS} turns"
    if problem.digest != old["matrix_digest"]:
        return "the matrix is another one now"
    if old["algorithm"] not in registry.ids():
        return "there is no such algorithm any more"
    algorithm = registry.get(old["algorithm"])
    try:
        if not problem.is_for(algorithm):
            registry.check_plays(algorithm, problem.kind == "samples")
        return why_not(algorithm, algorithm.resolve(old["parameters"]), problem.matrix, old["horizon"]) or ""
    except ValueError as error:
        return str(error)
    except InputError as error:
        return str(error)


def _within(rows: "Sequence[Row]", limit: float) -> "tuple[list[Row], list[float | None]]":
    """The rows that may keep to the limit, and the seconds that a run of each should take."""
    from duelbench.bench.suite import FAR_MORE, seconds_expected

    kept: list[Row] = []
    expected: list[float | None] = []
    for row, seconds in zip(rows, seconds_expected(rows), strict=True):
        if seconds is not None and seconds > FAR_MORE * limit:
            print(f"left out: {row}, about {seconds:.0f} s a run (--limit)", file=sys.stderr)
        else:
            kept.append(row)
            expected.append(seconds)
    return kept, expected


def _seconds_in_all(rows: "Sequence[Row]", expected: Sequence[float | None], turns: int, budget: float) -> float:
    """How long measuring takes, once all is compiled."""
    each = [budget if seconds is None else max(budget, seconds) + min(budget, seconds) for seconds in expected]
    return turns * (START_SECONDS + sum(each)) if rows else 0.0


def _plan_in_words(rows: "Sequence[Row]", seconds: float, turns: int, sides: int) -> str:
    from duelbench.execution.estimate import compiling_seconds
    from duelbench.execution.progress import duration
    from duelbench.execution.worker import is_warm

    ids = {row.algorithm for row in rows}
    cold = [id for id in ids if sides > 1 or not is_warm(id)]
    compiling = compiling_seconds(cold) * sides if cold else 0.0
    more = f", and up to {duration(compiling)} before to compile" if compiling else ""
    size = ", ".join(_counted(*one) for one in ((len(ids), "algorithm"), (len(rows), "row"), (turns, "turn")))
    return f"{size}{' by both sides' if sides > 1 else ''}: about {duration(seconds)} on one core{more}"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _say_plan(
    rows: "Sequence[Row]", expected: Sequence[float | None], seconds: float, turns: int, sides: int, json: bool
) -> None:
    """Say what would be measured, and how long that takes."""
    from duelbench.bench.suite import horizon_in_words
    from duelbench.bench.table import identity, line

    if json:
        listed = [{**identity(row), "seconds_per_run": known} for row, known in zip(rows, expected, strict=True)]
        say(json_module.dumps({"seconds": seconds, "turns": turns, "sides": sides, "rows": listed}, indent=2))
        return
    widths = (18, 20, 4, 6, 11)
    say(line(("algorithm", "matrix", "K", "T", "ms/run"), widths))
    for row, known in zip(rows, expected, strict=True):
        time = "?" if known is None else f"~{1e3 * known:.3g}"
        n_arms = str(row.problem.matrix.n_arms)
        say(line((row.algorithm, row.problem.name, n_arms, horizon_in_words(row.horizon), time), widths))
    say(f"{_plan_in_words(rows, seconds, turns, sides)}. Nothing was measured.")


def _write(answer: _Answer, output: Sequence[Path]) -> None:
    """Write the table to files, where anything was measured."""
    from duelbench.results.atomic import write_asked

    document = answer.document()
    if not document["rows"]:
        return
    for path in output:
        text = answer.page() if path.suffix == ".md" else json_module.dumps(document, indent=2) + "\n"
        write_asked(path, text.encode(), f"--output {path}")
