"""Measure the table that estimates are made from: ``python -m duelbench.bench.rates [--compiling] [ALGORITHM...]``.

Run it for a new algorithm, or for one whose speed has changed; without names it measures all, in twenty minutes or so,
and with ``--compiling`` only how long they compile. Seconds are those of the machine that the table names.
"""

import argparse
import contextlib
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

import numpy as np

from duelbench.errors import InputError
from duelbench.execution.rates import GAP, TABLE, yardstick
from duelbench.kernels.decorators import FOLDER_VARIABLE

if TYPE_CHECKING:
    from duelbench.algorithms.contract import Algorithm
    from duelbench.problem.preferences import PreferenceMatrix
    from duelbench.problem.scalar_bandit import ScalarBandit

ABOUT = f"Measure the table that the estimates of `run --dry-run` are made from, {TABLE.name}."
KINDS = ("order", "cycle", "means")
SIZES = (4, 16, 64, 256, 1024)
HORIZONS = tuple(10**k for k in range(3, 10))
ENOUGH_SECONDS, ENOUGH_ROUNDS = 0.1, 10**5
"""A run that takes so long is the last, and longer ones are extrapolated; but with many arms a short one takes so long
for its checkpoints alone."""

MOST_SECONDS = 10.0
"""A run that takes longer is ended. It stands in the table with the rounds that it had played then, and in half of the
time, all of them taken for decisions: what a decision costs at last is the difference."""

REPEAT_SECONDS, REPEATS = 0.02, 5
"""So many runs at most are played within so many seconds, and their means taken."""


def main(words: list[str]) -> None:
    """Measure algorithms and put them into the table.

    Raises
    ------
    InputError
        When one of them is not known: nothing is measured then.
    """
    from duelbench.algorithms import registry
    from duelbench.bench.table import machine

    parser = argparse.ArgumentParser("python -m duelbench.bench.rates", description=ABOUT)
    parser.add_argument("algorithms", nargs="*", metavar="ALGORITHM", help="ids of built-in algorithms; all by default")
    parser.add_argument("--compiling", action="store_true", help="measure only how long they compile")
    asked = parser.parse_args(words)
    chosen = [registry.get(id) for id in asked.algorithms or registry.BUILT_IN]
    document: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.exists() else {"algorithms": {}}
    document.setdefault("machine", machine())
    document.setdefault("yardstick", _rounded(yardstick()))
    for algorithm in chosen:
        scale = document["yardstick"] / yardstick()
        document.setdefault("compile", {})[algorithm.id] = _rounded(scale * compiling_seconds(algorithm.id))
        if not asked.compiling:
            document["algorithms"][algorithm.id] = measure(algorithm, scale)
        TABLE.write_text(as_json(document), encoding="utf-8")
        print(algorithm.id, flush=True)


def as_json(document: dict[str, Any]) -> str:
    """The table with a line for each algorithm, kind of problem and number of arms."""
    algorithms = []
    for id, kinds in sorted(document["algorithms"].items()):
        blocks = []
        for kind, sizes in kinds.items():
            lines = ",\n".join(f'   "{size}": {json.dumps(rows)}' for size, rows in sizes.items())
            blocks.append(f'  "{kind}": {{\n{lines}\n  }}')
        algorithms.append(f' "{id}": {{\n' + ",\n".join(blocks) + "\n }")
    head = {name: document[name] for name in ("machine", "yardstick", "compile")}
    return json.dumps(head)[:-1] + ', "algorithms": {\n' + ",\n".join(algorithms) + "\n}}\n"


def compiling_seconds(id: str) -> float:
    """Seconds of the processor that an algorithm compiles, in a process that finds no compiled code."""
    code = (
        "import time; from duelbench.bench import rates; from duelbench.algorithms import registry;"
        "from duelbench.simulation.simulate import simulate;"
        f"one = registry.get({id!r}); made = rates.problem('order' if 'duels' in one.plays else 'means', 4);"
        "start = time.process_time(); simulate(one, made, horizon=1); print(time.process_time() - start)"
    )
    with tempfile.TemporaryDirectory() as folder:
        environment = {name: value for name, value in os.environ.items() if name != FOLDER_VARIABLE}
        environment["XDG_CACHE_HOME"] = folder
        done = subprocess.run([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, check=True)
    return float(done.stdout)


def measure(algorithm: "Algorithm", scale: float = 1.0) -> dict[str, Any]:
    """By kind of problem and number of arms the rows (horizon, decisions, seconds times ``scale``) of the table."""
    from duelbench.simulation.simulate import simulate

    measured = {}
    for kind in KINDS:
        if ("samples" if kind == "means" else "duels") in algorithm.plays:
            simulate(algorithm, problem(kind, SIZES[0]), horizon=1)  # compiles
            rows = {str(size): _rows(algorithm, problem(kind, size)) for size in SIZES}
            points = {size: [[T, n, _rounded(scale * seconds)] for T, n, seconds in row] for size, row in rows.items()}
            measured[kind] = {size: row for size, row in points.items() if row}
    return measured


def problem(kind: str, n_arms: int) -> "PreferenceMatrix | ScalarBandit":
    """A problem of the table: all gaps are `GAP`."""
    from duelbench.algorithms.exploration import scalar_decisions
    from duelbench.problem.families import generate
    from duelbench.problem.scalar_bandit import ScalarBandit

    if kind == "means":
        return ScalarBandit([0.5 + GAP, *[0.5] * (n_arms - 1)], scalar_decisions.get("argmax"))
    return generate({"order": "flat", "cycle": "copeland-cycle"}[kind], n_arms=n_arms)


def _rows(algorithm: "Algorithm", problem: "PreferenceMatrix | ScalarBandit") -> Iterator[list[float]]:
    """Rows (horizon, decisions, seconds) while that is quick; measured in a process that can be ended."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_play, args=(there, algorithm, problem))
    process.start()
    there.close()
    with contextlib.suppress(EOFError):
        while True:
            yield here.recv()
    process.join()


def _play(report: Connection, algorithm: "Algorithm", problem: "PreferenceMatrix | ScalarBandit") -> None:
    from duelbench.simulation.simulate import simulate

    try:
        simulate(algorithm, problem, horizon=1)
    except InputError:  # so many arms it does not take
        return
    start, played = time.process_time(), np.zeros(0, np.int64)

    def watch(duels: np.ndarray) -> None:
        nonlocal played
        played = duels

    def end() -> None:
        half = 0, 0.0
        while (seconds := time.process_time() - start) < MOST_SECONDS:
            if half == (0, 0.0) or seconds < MOST_SECONDS / 2:
                half = int(played.sum()), seconds
            time.sleep(0.02)
        for rounds, taken in (half, (int(played.sum()), seconds)):
            if rounds:
                report.send([rounds, rounds, _rounded(taken)])
        os._exit(0)

    threading.Thread(target=end, daemon=True).start()
    for horizon in (1, *HORIZONS):
        seconds = decisions = runs = 0.0
        while runs == 0 or (seconds < REPEAT_SECONDS and runs < REPEATS):
            start = time.process_time()
            trace = simulate(algorithm, problem, horizon=horizon, run=int(runs), shuffle_arms=True, watch=watch)
            seconds += time.process_time() - start
            decisions += trace.decisions
            runs += 1
        report.send([horizon, _rounded(decisions / runs), _rounded(seconds / runs)])
        if horizon >= ENOUGH_ROUNDS and seconds / runs > ENOUGH_SECONDS:
            break


def _rounded(value: float) -> float:
    """To three digits: more would be noise."""
    rounded = float(f"{value:.3g}")
    return int(rounded) if rounded.is_integer() else rounded


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
