"""The table of docs/performance.md about what a user waits for, here and in an older checkout, measured in turns.

    python docs/studies/waits.py ../duelbench-before            # ten minutes of two cores, with nothing else running

Each time is the smallest of `TURNS`. Both checkouts run with this Python. The folder of compiled code is empty before
each first use, and before `run`.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "studies"))

from performance_tables import fill, table, two_digits, write_csv  # noqa: E402

TURNS = 2
FIRST_USES = ("uniform", "rmed1", "rucb", "ecw-rmed", "d-ts", "d-ts-plus")
FIRST = """
import sys, duelbench
duelbench.simulate(sys.argv[2], duelbench.PreferenceMatrix.load(sys.argv[1]), horizon=1000)
"""
MATRIX = ROOT / "matrices" / "mslr5-condorcet.csv"
MANY = f"""
name: many
horizon: 2000
runs: 10000
checkpoints: 50
matrix: {MATRIX}
algorithms: [rucb, rmed1]
"""
"""20,000 runs of one or two milliseconds."""


def seconds(checkout: Path, cache: Path, *arguments: str, folder: Path) -> tuple[float, float]:
    """Run this Python with a checkout in a folder; return seconds of the clock and of processors."""
    environment = {**os.environ, "PYTHONPATH": str(checkout), "XDG_CACHE_HOME": str(cache)}
    before, started = os.times(), time.perf_counter()
    subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, check=True, capture_output=True)
    wall, after = time.perf_counter() - started, os.times()
    return wall, after.children_user - before.children_user + after.children_system - before.children_system


def measured(checkout: Path) -> dict[str, float]:
    """Measure everything once."""
    times = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for k, algorithm in enumerate(FIRST_USES):
            cache = folder / f"cache-{k}"
            _, times[f"first use of `{algorithm}`"] = seconds(
                checkout, cache, "-c", FIRST, str(MATRIX), algorithm, folder=folder
            )
            if algorithm == "d-ts":
                _, times["`d-ts-plus` after `d-ts`"] = seconds(
                    checkout, cache, "-c", FIRST, str(MATRIX), "d-ts-plus", folder=folder
                )
        cache, spec = folder / "cache", ROOT / "configs" / "mslr5.yaml"
        run, _ = seconds(checkout, cache, "-m", "duelbench", "run", str(spec), "--out", "results", folder=folder)
        plot, _ = seconds(checkout, cache, "-m", "duelbench", "plot", "results/mslr5", folder=folder)
        times["`duelbench run configs/mslr5.yaml` and `plot`"] = run + plot
        (folder / "many.yaml").write_text(MANY, encoding="utf-8")
        seconds(checkout, cache, "-m", "duelbench", "run", "many.yaml", "--runs", "1", "--out", "one", folder=folder)
        times["20,000 runs of 2,000 rounds"], _ = seconds(
            checkout, cache, "-m", "duelbench", "run", "many.yaml", "--out", "results", folder=folder
        )
        times["`duelbench report` of them"], _ = seconds(
            checkout, cache, "-m", "duelbench", "report", "results/many", folder=folder
        )
    return times


def main(before: Path) -> None:
    """Measure both checkouts, and write the CSV file and the table."""
    of_before, of_now = [], []
    for _ in range(TURNS):
        of_before.append(measured(before))
        of_now.append(measured(ROOT))
    rows = [["wait", "seconds_before", "seconds", "ratio"]]
    for name in of_now[0]:
        earlier, now = (min(times[name] for times in turns) for turns in (of_before, of_now))
        rows.append([name, two_digits(earlier), two_digits(now), f"{now / earlier:.2f}"])
    write_csv(ROOT / "docs" / "studies" / "waits.csv", rows)
    heads = ["", "before, s", "now, s", "ratio"]
    fill(ROOT / "docs" / "performance.md", "waits", table(heads, rows[1:]))


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
