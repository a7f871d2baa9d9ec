"""How often the default band of figures holds the true mean of regret: the table of docs/statistics.md.

    python docs/studies/band_coverage.py        some twelve minutes of one core

Of each algorithm 20,000 runs are played, which stand for all runs there could be: their mean is the true one. From them
n runs are drawn 10,000 times, as an experiment with n runs draws them, and it is counted how often the band at the
horizon holds the true mean.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from scipy import stats

import duelbench
from duelbench.bandits.statistics.curves import summarise

ROOT = Path(__file__).parents[2]
ALGORITHMS = ("d-ts", "rucb", "ecw-rmed")
MATRICES = ("mslr5-condorcet", "mslr5-noncondorcet")
HORIZON, SEED = 10**5, 2016
ALL_RUNS, EXPERIMENTS = 20_000, 10_000
SIZES = (3, 5, 8, 10, 20, 50, 100, 200, 500)
"""Numbers of runs of an experiment."""


def population(algorithm: str, matrix: str, n_runs: int, horizon: int = HORIZON) -> np.ndarray:
    """Copeland regret of many runs at the horizon, in duels: (n_runs,) float64."""
    P = duelbench.PreferenceMatrix.load(ROOT / "matrices" / f"{matrix}.csv")
    played = (
        duelbench.simulate(algorithm, P, horizon=horizon, seed=SEED, run=run, checkpoints=1, shuffle_arms=True)
        for run in range(n_runs)
    )
    return np.array([trace.regret[0, -1] for trace in played])


def share_held(regret: np.ndarray, n_runs: int, n_experiments: int, seed: int = SEED) -> tuple[float, float, float]:
    """How often the band of so many runs holds the mean of all runs.

    Parameters
    ----------
    regret : (n,) float64
        Of all runs.
    n_runs : int
        Of an experiment.
    n_experiments, seed : int

    Returns
    -------
    held, too_low, students : float
        Shares of the experiments: those whose band holds the mean, those whose band ends below it, and for comparison
        those whose interval of Student's t holds it.
    """
    drawn = np.random.default_rng(seed).choice(regret, (n_runs, n_experiments))
    band, mean = summarise(np.arange(n_experiments), drawn), regret.mean()
    half = stats.t.ppf(0.975, n_runs - 1) * stats.sem(drawn, axis=0)
    held = np.mean((band.low <= mean) & (mean <= band.high))
    return float(held), float(np.mean(band.high < mean)), float(np.mean(np.abs(drawn.mean(axis=0) - mean) <= half))


def table(populations: Sequence[np.ndarray], sizes: Sequence[int], n_experiments: int) -> Iterator[list[str]]:
    """The lines of the table: the number of runs, and for each population what `share_held` says, in per cent."""
    for n_runs in sizes:
        shares = [share_held(regret, n_runs, n_experiments) for regret in populations]
        yield [str(n_runs), *("{:.1f} ({:.1f}; {:.1f})".format(*(100 * share for share in each)) for each in shares)]


def main() -> None:
    """Print the table as Markdown."""
    names = [(algorithm, matrix) for matrix in MATRICES for algorithm in ALGORITHMS]
    print(f"playing {ALL_RUNS} runs of each of {len(names)}", file=sys.stderr)
    populations = Parallel(n_jobs=-1)(delayed(population)(*name, ALL_RUNS) for name in names)
    print("| runs | " + " | ".join(f"{algorithm}, {matrix}" for algorithm, matrix in names) + " |")
    print("|---:" * (1 + len(names)) + "|")
    for line in table(populations, SIZES, EXPERIMENTS):
        print("| " + " | ".join(line) + " |")
    shape = (f"{regret.mean():.0f}; {stats.skew(regret):.1f}" for regret in populations)
    print("| mean; skewness | " + " | ".join(shape) + " |")


if __name__ == "__main__":
    main()
