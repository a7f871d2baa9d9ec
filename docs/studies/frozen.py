"""Kelly elimination on matrices that its models were not chosen on, beside D-TS+ and RMED1 until e-bets.

    python docs/studies/frozen.py [FOLDER] > docs/studies/frozen.csv       a quarter of an hour of one core

The matrices were chosen before the first run. FOLDER has tables of wins of PrefLib elections, `<name>_wins.txt`;
without it, only the matrices of duelbench are played. Arms are relabelled in each run.
"""

import csv
import math
import sys
from pathlib import Path

import numpy as np
from duels_to_answer import bound

import duelbench
from duelbench import PreferenceMatrix
from duelbench.bandits.problem.families import generate
from duelbench.bandits.statistics.tails import clopper_pearson

DELTA = 0.05
ALGORITHMS = {
    "Kelly elimination": ("kelly-elimination", {"delta": DELTA}),
    "D-TS+ until e-bets": ("d-ts-plus-until-e-bets", {"stop_delta": DELTA}),
    "RMED1 until e-bets": ("rmed1-until-e-bets", {"stop_delta": DELTA}),
}
PEOPLE = ("cemschoice", "firstnames", "topmodel2007")
ELECTIONS = ("breakfast_overall", "irish_dublin_north_2002", "irish_dublin_west_2002", "irish_meath_2002")
GENERATED = {
    "Plackett-Luce, K = 5": ("plackett-luce", {"n_arms": 5, "seed": 101}),
    "Plackett-Luce, K = 8": ("plackett-luce", {"n_arms": 8, "seed": 102}),
    "Plackett-Luce, K = 16": ("plackett-luce", {"n_arms": 16, "seed": 103}),
    "Plackett-Luce, K = 32": ("plackett-luce", {"n_arms": 32, "seed": 104}),
    "Mallows, K = 10": ("mallows", {"n_arms": 10, "phi": 0.7}),
    "hard, K = 10": ("hard-condorcet", {"n_arms": 10}),
}
COLUMNS = (
    *("matrix", "n_arms", "gap", "bound", "algorithm", "runs", "unanswered"),
    *("duels", "standard_error", "ratio", "wrong", "wrong_at_most"),
)
RUNS = 400
HORIZON = 10**9  # rounds; RMED1 spends most of them on duels of one arm with itself
SEED = 20261128


def election(path: Path) -> PreferenceMatrix:
    """Return the shares of voters who prefer one option to another; 1/2 if nobody compared them."""
    wins = np.loadtxt(path)
    votes = wins + wins.T
    shares = np.full(wins.shape, 0.5)
    np.divide(wins, votes, out=shares, where=votes > 0)
    return PreferenceMatrix(shares)


def matrices(folder: Path | None) -> dict[str, PreferenceMatrix]:
    """Return the matrices by name."""
    found = {name: PreferenceMatrix.load(name) for name in PEOPLE}
    if folder is not None:
        for name in ELECTIONS:
            found[name] = election(folder / f"{name}_wins.txt")
    for name, (family, settings) in GENERATED.items():
        found[name] = generate(family, **settings)
    return found


def main() -> None:
    """Print the table as CSV."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(COLUMNS)
    for name, matrix in matrices(folder).items():
        P = np.array(matrix.P)
        winner = next(arm for arm, row in enumerate(P) if np.sum(row > 0.5) == len(P) - 1)
        gap = np.delete(P[winner], winner).min() - 0.5
        least = bound(P, DELTA)
        for label, (id, settings) in ALGORITHMS.items():
            duels = []
            wrong = unanswered = 0
            for run in range(RUNS):
                trace = duelbench.simulate(id, P, horizon=HORIZON, seed=SEED, run=run, shuffle_arms=True, **settings)
                duels.append(trace.duels.sum() - np.trace(trace.duels))
                if trace.answer is None or trace.answer < 0:
                    unanswered += 1
                elif trace.answer != winner:
                    wrong += 1
            mean = np.mean(duels)
            error = np.std(duels, ddof=1) / math.sqrt(RUNS)
            _, high = clopper_pearson(np.array([wrong]), RUNS)
            row = (name, len(P), f"{gap:.4f}", f"{least:.1f}", label, RUNS, unanswered)
            table.writerow((*row, f"{mean:.0f}", f"{error:.0f}", f"{mean / least:.2f}", wrong, f"{100 * high[0]:.1f}%"))
            sys.stdout.flush()


if __name__ == "__main__":
    main()
