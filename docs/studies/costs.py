"""What a run of each algorithm costs: writes ``docs/algorithms/costs.csv`` (ten minutes on one core).

    python docs/studies/costs.py

Seconds of one run of 10^6 rounds on mslr5-condorcet on one core, the median of five runs with what compiles left out. A
run that takes over ten seconds is played once.
"""

import csv
import statistics
import time
from pathlib import Path

import duelbench
from duelbench.bandits.algorithms.registry import BUILT_IN

ROOT = Path(__file__).parents[2]
P = duelbench.PreferenceMatrix.load(ROOT / "matrices" / "mslr5-condorcet.csv")


def seconds(id: str) -> float:
    """The median of five runs."""
    duelbench.simulate(id, P, horizon=10**3, seed=1, run=0)
    taken: list[float] = []
    for run in range(5):
        began = time.process_time()
        duelbench.simulate(id, P, horizon=10**6, seed=1, run=run, shuffle_arms=True)
        taken.append(time.process_time() - began)
        if taken[-1] > 10:
            break
    return statistics.median(taken)


if __name__ == "__main__":
    with open(ROOT / "docs" / "algorithms" / "costs.csv", "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["algorithm", "seconds"])
        for id in BUILT_IN:
            if "duels" in duelbench.algorithms()[id].plays:
                rows.writerow([id, f"{seconds(id):.2g}"])
                file.flush()
