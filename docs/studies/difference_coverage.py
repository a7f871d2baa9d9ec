"""How often the intervals of `duelbench compare` hold the true difference: the table of docs/statistics.md.

    python docs/studies/difference_coverage.py        some twelve minutes of one core

Of each algorithm 20,000 runs are played, which stand for all runs there could be; two laws are made up. From them two
samples of n runs are drawn thousands of times, as two algorithms with n runs each draw them.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from band_coverage import population

from duelbench.bandits.statistics.differences import Difference, of_means, of_quantiles

ALL_RUNS, SEED = 20_000, 2016
SIZES = (5, 10, 20, 50, 100, 500)
"""Numbers of runs of an experiment."""

EXPERIMENTS = {"mean": 4000, "mean, not paired": 4000, "median": 2000, "0.9-quantile": 2000}
"""Statistic -> how many experiments."""

PLAYED = {
    "D-TS": ("d-ts", "mslr5-condorcet"),
    "RUCB": ("rucb", "mslr5-condorcet"),
    "ECW-RMED, no winner": ("ecw-rmed", "mslr5-noncondorcet"),
}

PAIRS = (
    ("D-TS", "D-TS"),
    ("ECW-RMED, no winner", "ECW-RMED, no winner"),
    ("lognormal", "lognormal"),
    ("rare", "rare"),
    ("D-TS", "RUCB"),
    ("D-TS", "normal"),
    ("ECW-RMED, no winner", "normal"),
    ("lognormal", "normal"),
    ("rare", "normal"),
)
"""Of two that are one, what counts is how seldom they are called different. The normal law has hardly any spread beside
the others, as an algorithm whose runs are alike."""


def made_up(n_runs: int = ALL_RUNS) -> dict[str, np.ndarray]:
    """Laws of known shape: lognormal (skewness 6), normal, and one run in 100 that is 100 times as large."""
    rng = np.random.default_rng(SEED)
    rare = rng.normal(1, 0.1, n_runs)
    rare[: n_runs // 100] *= 100
    return {"lognormal": rng.lognormal(size=n_runs), "normal": rng.normal(1, 0.1, n_runs), "rare": rare}


def compared(first: np.ndarray, second: np.ndarray, statistic: str) -> Difference:
    """One experiment."""
    if statistic.startswith("mean"):
        return of_means(first, second, paired=statistic == "mean")
    return of_quantiles(first, second, 0.5 if statistic == "median" else 0.9)


def share_held(first: np.ndarray, second: np.ndarray, statistic: str, n_runs: int, n_experiments: int) -> float:
    """How often the interval of so many runs holds the difference of all runs.

    Two equal populations are one whose samples are drawn one by one: what is not held is called different. Of others
    runs of one number are drawn together, as they were played.
    """
    rng = np.random.default_rng(SEED)
    truth = compared(first, second, "mean, not paired" if statistic == "mean" else statistic).value
    held = 0
    for _ in range(n_experiments):
        here = rng.integers(len(first), size=n_runs)
        together = second is not first and statistic != "mean, not paired"
        there = here if together else rng.integers(len(second), size=n_runs)
        found = compared(first[here], second[there], statistic)
        assert (found.p < 0.05) == (not found.low <= 0 <= found.high)
        held += found.low <= truth <= found.high
    return held / n_experiments


def table(
    populations: Mapping[str, np.ndarray],
    pairs: Sequence[tuple[str, str]],
    statistic: str,
    sizes: Sequence[int],
    n: int,
) -> Iterator[list[str]]:
    """The lines of a table: the two that are compared, and for each number of runs `share_held` in per cent."""
    for one, other in pairs:
        shares = [share_held(populations[one], populations[other], statistic, size, n) for size in sizes]
        yield [statistic, f"{one} - {other}", *(f"{100 * share:.1f}" for share in shares)]


def main() -> None:
    """Print the table as Markdown."""
    print(f"playing {ALL_RUNS} runs of each of {len(PLAYED)}", file=sys.stderr)
    populations = {**made_up(), **{name: population(*played, ALL_RUNS) for name, played in PLAYED.items()}}
    print("| statistic | difference | " + " | ".join(map(str, SIZES)) + " |")
    print("|---|---|" + "---:|" * len(SIZES))
    for statistic, n in EXPERIMENTS.items():
        for line in table(populations, PAIRS, statistic, SIZES, n):
            print("| " + " | ".join(line) + " |", flush=True)


if __name__ == "__main__":
    main()
