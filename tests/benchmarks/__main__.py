"""Measure what a round and a decision of algorithms cost, here or in two checkouts by turns.

Usage: ``python -m tests.benchmarks [ID ...] [--suite full|worlds] [--against CHECKOUT] [--output bench.json]``.

Each repetition is played by a new process: repetitions then differ by all that the machine does meanwhile, and by where
a process happens to have its code and its arrays. The smallest time of each row counts.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from duelbench.bandits.problem.families import generate
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.common import shipped
from tests.benchmarks.published import PARAMETERS, PUBLISHED, published

HERE = Path(__file__).parents[2]
SUITES = {
    "quick": {
        "mslr5-condorcet": 200_000,
        "noncondorcet-cyclic": 100_000,
        "linear-order-64": 23_000,
        "linear-means-16": 100_000,
    },
    "full": {
        "mslr5-condorcet": 10**7,
        "mslr5-noncondorcet": 10**6,
        "noncondorcet-cyclic": 10**6,
        "sushi16": 10**6,
        "linear-order-64": 10**5,
        "cycle-of-3-500": 10**5,
        "linear-means-16": 10**6,
    },
    "worlds": {"mslr5-condorcet": 10**6, "sushi16": 10**6, "linear-order-64": 10**5},
}
"""Suite -> problem -> horizon; an algorithm that is slow there gets a tenth or a hundredth of it."""

WORLDS = ("vdb", "sparring", "rex3", "d-exp3", "d-exp3-hp", "bcb", "btw", "btwr", "detect", "mdb", "anaconda", "wiwr")
GENERATED = {"linear-order": "linear", "cycle-of-3": "copeland-cycle"}
"""How the name of a generated matrix begins, before its number of arms -> the family."""

LONGEST_RUN = 2.0
"""Processor seconds of one run."""

BUDGET = 0.4
"""Processor seconds of a row in one repetition."""

MOST_RUNS = 300


def problem(name):
    """The rows of a matrix; or the means of a scalar bandit, 3/4 - i / (2 N)."""
    family, _, n_arms = name.rpartition("-")
    if family == "linear-means":
        return [0.75 - i / (2 * int(n_arms)) for i in range(int(n_arms))]
    if family in GENERATED:
        return generate(GENERATED[family], n_arms=int(n_arms)).P.tolist()
    return PreferenceMatrix.load(shipped.matrices()[name]).P.tolist()


class Player:
    """A process that plays for the checkout in ``folder``."""

    def __init__(self, folder, cache=None):
        environment = {**os.environ, "PYTHONPATH": str(folder), **({"XDG_CACHE_HOME": cache} if cache else {})}
        command = [sys.executable, "-P", str(Path(__file__).with_name("player.py"))]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._process = subprocess.Popen(command, env=environment, text=True, **pipes)
        found, self.algorithms = self._read()
        assert os.path.samefile(found, folder), f"Python finds the duelbench in {found}, not that in {folder}"

    def play(self, algorithm, matrix, horizon, runs, parameters):
        self._process.stdin.write(json.dumps([algorithm, matrix, horizon, parameters, runs]) + "\n")
        self._process.stdin.flush()
        return self._read()

    def close(self):
        self._process.stdin.close()
        self._process.wait()

    def _read(self):
        line = self._process.stdout.readline()
        if not line:
            sys.exit(f"the player ended with exit code {self._process.wait()}")
        return json.loads(line)


def rows(suite, ids, player):
    """Yield (id, problem, horizon, runs) for what each algorithm can play; a first run finds the last two."""
    asked = list(SUITES[suite].items())
    if suite == "full":
        asked += [(name, horizon) for _, name, horizon in PUBLISHED]
    for name, most in dict.fromkeys(asked):
        numbers = problem(name)
        kind = "duels" if isinstance(numbers[0], list) else "samples"
        for id in ids or (WORLDS if suite == "worlds" else player.algorithms):
            if kind not in player.algorithms[id] or (SUITES[suite].get(name) != most and not published(id, name, most)):
                continue
            horizon = most // 100
            seconds, _ = player.play(id, numbers, horizon, 1, {})
            if seconds is None:  # too many arms for the algorithm
                continue
            while horizon < most and 10 * seconds < LONGEST_RUN:
                horizon *= 10
                seconds, _ = player.play(id, numbers, horizon, 1, {})
            yield id, name, horizon, min(max(math.ceil(BUDGET / max(seconds, 1e-6)), 1), MOST_RUNS)


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("ids", nargs="*", metavar="ID", help="algorithms; by default all")
    parser.add_argument("--suite", choices=SUITES, default="quick")
    parser.add_argument("--turns", type=int, default=4, help="repetitions of every row")
    parser.add_argument("--against", type=Path, metavar="CHECKOUT", help="an older checkout, played in turns")
    parser.add_argument("--output", type=Path, metavar="FILE.json")
    options = parser.parse_args()
    folders = [HERE, *([options.against.resolve()] if options.against else [])]
    player = Player(HERE)
    table = [(row, problem(row[1])) for row in rows(options.suite, options.ids, player)]
    player.close()
    times = {(row, k): [] for row, _ in table for k in range(len(folders))}
    decisions = {}
    cache = tempfile.TemporaryDirectory()  # of the older checkout: each removes what another has compiled
    for turn in range(options.turns):
        players = [Player(folder, None if folder == HERE else cache.name) for folder in folders]
        for n, (row, numbers) in enumerate(table):
            id, name, horizon, runs = row
            parameters = PARAMETERS.get((published(id, name, horizon) or ("",))[0], {}).get(id, {})
            for k in sorted(range(len(folders)), reverse=(turn + n) % 2 == 1):
                seconds, made = players[k].play(id, numbers, horizon, runs, parameters)
                times[row, k].append(seconds / runs)
                decisions[row] = made / runs
        for player in players:
            player.close()
    report(options, table, times, decisions)


def report(options, table, times, decisions):
    """Print a table in Markdown, and write what was measured."""
    print("| algorithm | problem | T | ns/round | ns/decision | decisions | published program | before | ratio |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|")
    measured, ratios = [], []
    for row, _ in table:
        id, name, horizon, runs = row
        seconds = min(times[row, 0])
        known = published(id, name, horizon)
        cells = [f"{seconds / horizon * 1e9:.3g}", f"{seconds / decisions[row] * 1e9:.3g}", f"{decisions[row]:.0f}"]
        cells.append(f"{known[1]:,} ({known[1] * horizon / seconds / 1e9:.1f} times)" if known else "")
        measured.append({"algorithm": id, "problem": name, "horizon": horizon, "runs": runs, "seconds": times[row, 0]})
        if options.against:
            before = min(times[row, 1])
            ratios.append(seconds / before)
            cells += [f"{before / horizon * 1e9:.3g}", f"{ratios[-1]:.3f}"]
            measured[-1]["seconds_before"] = times[row, 1]
        print(f"| {id} | {name} | {horizon} | {' | '.join(cells)} |", flush=True)
    if ratios:
        print(f"\nmedian ratio {statistics.median(ratios):.3f}, from {min(ratios):.3f} to {max(ratios):.3f}")
    if options.output:
        options.output.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
