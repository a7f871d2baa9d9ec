"""Duels that Kelly elimination needs to name the Condorcet winner: the table of its study.

    python docs/studies/duels_to_answer.py [DELTA [ID...]]       some four minutes of one core

Arms are relabelled in each run. Beside the mean stands its ratio to the bound: no algorithm can stay below that if it
answers wrongly with probability delta at most on every matrix with a Condorcet winner.
"""

import math
import sys
from collections.abc import Iterator

import numpy as np

import duelbench
from duelbench import PreferenceMatrix
from duelbench.bandits.problem.families import generate
from duelbench.bandits.statistics.tails import clopper_pearson

IDS = ("kelly-elimination",)
LOADED = ("cyclic", "mslr5-condorcet", "strong-borda", "arxiv", "arithmetic8", "sushi16")
GENERATED = {
    "linear, K = 16": ("linear", {"n_arms": 16, "slope": 0.25}),
    "flat, K = 10": ("flat", {"n_arms": 10, "p": 0.6}),
    "Bradley-Terry, K = 8": ("bradley-terry", {"n_arms": 8, "seed": 1}),
    "Mallows, K = 6": ("mallows", {"n_arms": 6, "phi": 0.8}),
    "random, K = 5": ("random", {"n_arms": 5, "winners": "condorcet", "min_gap": 0.05, "seed": 1}),
    "random, K = 12": ("random", {"n_arms": 12, "winners": "condorcet", "min_gap": 0.05, "seed": 2}),
    "random order, K = 16": ("random-order", {"n_arms": 16, "seed": 1}),
    "Bradley-Terry, K = 16": ("bradley-terry", {"n_arms": 16, "seed": 2}),
    "random order, K = 64": ("random-order", {"n_arms": 64, "seed": 1}),
    "Bradley-Terry, K = 64": ("bradley-terry", {"n_arms": 64, "seed": 1}),
    "Bradley-Terry, K = 64, again": ("bradley-terry", {"n_arms": 64, "seed": 5}),
}
DUELS = 2_000_000
"""As many of the bound are played of a matrix, in all its runs."""

FEWEST, MOST = 100, 2000
FOR_EVER = 10**9


def matrices() -> dict[str, PreferenceMatrix]:
    """Those of the table, by what stands in its first column."""
    loaded = {name: PreferenceMatrix.load(name) for name in LOADED}
    return {**loaded, **{name: generate(family, **given) for name, (family, given) in GENERATED.items()}}


def bound(P: np.ndarray, delta: float) -> float:
    """kl(delta, 1 - delta) times the sum of 1 / d(p_ij, 1/2), each arm but the winner with its strongest superior."""
    total = 0.0
    for row in P:
        p = min(row)
        if p < 0.5:
            total += 1.0 / (math.log(2.0) + (p * math.log(p) if p > 0 else 0.0) + (1.0 - p) * math.log(1.0 - p))
    return total * (1.0 - 2.0 * delta) * math.log((1.0 - delta) / delta)


def answers(id: str, P: np.ndarray, delta: float, runs: int) -> tuple[np.ndarray, int]:
    """The duels to the answer of each run, and how many answers are wrong."""
    winner = next(arm for arm, row in enumerate(P) if min(row) >= 0.5)
    duels = []
    wrong = 0
    for run in range(runs):
        played = duelbench.simulate(id, P, horizon=FOR_EVER, seed=1, run=run, shuffle_arms=True, delta=delta)
        assert played.finished > 0, "an answer is there long before"
        duels.append(played.finished - 1)
        wrong += played.recommended[-1] != winner
    return np.array(duels), wrong


def table(delta: float, ids: tuple[str, ...]) -> Iterator[list[str]]:
    """The lines of the table, and one of geometric means of the ratios."""
    ratios: dict[str, list[float]] = {id: [] for id in ids}
    for name, matrix in matrices().items():
        P = np.array(matrix.P)
        least = bound(P, delta)
        runs = int(min(MOST, max(FEWEST, DUELS / least)))
        cells = []
        for id in ids:
            duels, wrong = answers(id, P, delta, runs)
            _, high = clopper_pearson(np.array([wrong]), runs)
            mean, error = duels.mean(), duels.std(ddof=1) / runs**0.5
            ratios[id].append(mean / least)
            cells += [f"{mean:,.0f} +- {error:,.0f}", f"{mean / least:.2f}", f"{wrong} ({100 * high[0]:.1f}%)"]
        yield [name, f"{least:,.1f}", str(runs), *cells]
    means = [f"{math.exp(np.mean(np.log(ratios[id]))):.2f}" for id in ids]
    yield ["geometric mean", "", "", *[cell for mean in means for cell in ("", mean, "")]]


def main() -> None:
    """Print the table as Markdown."""
    delta = float(sys.argv[1]) if len(sys.argv) > 1 else 0.05
    ids = tuple(sys.argv[2:]) or IDS
    print("| matrix | bound | runs |" + " duels | ratio | wrong |" * len(ids))
    print("|---|---:|---:|" + "---:|" * 3 * len(ids))
    for line in table(delta, ids):
        print("| " + " | ".join(line) + " |", flush=True)


if __name__ == "__main__":
    main()
