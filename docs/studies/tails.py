"""How regret at the horizon is distributed: the table of docs/studies/tails.md.

duelbench run configs/tails.yaml
duelbench run configs/tails.yaml --scale non-condorcet
python docs/studies/tails.py results/tails results/tails-non-condorcet
"""

import sys
from collections.abc import Iterator, Sequence

import numpy as np

import duelbench
from duelbench.bandits.statistics.tails import clopper_pearson, upper_quantile
from duelbench.experiments.figures.summary import records

COLUMNS = (
    "problem",
    "algorithm",
    "runs",
    "median",
    "90%",
    "99%",
    "99.9%",
    "largest",
    "mean",
    "share of the largest 1%",
    "locked",
)


def share_of_largest(regret: np.ndarray, part: float = 0.01) -> float:
    """Which share of all regret the costliest runs have.

    Parameters
    ----------
    regret : (n,) float64
    part : float
        Of the runs, rounded up to whole ones.

    Examples
    --------
    Ninety-nine runs with 1, and one with 99: half of all.

    >>> share_of_largest(np.array([1.0] * 99 + [99.0]))
    0.5
    """
    n_largest = int(np.ceil(part * len(regret)))
    return float(np.sort(regret)[len(regret) - n_largest :].sum() / regret.sum())


def row(regret: np.ndarray) -> list[str]:
    """What the table says of runs: their number, quantiles, the largest, the mean and the share of the largest 1%."""
    quantiles = [upper_quantile(regret, name) for name in ("50", "90", "99", "99.9")]
    shown = ["" if quantile is None else f"{quantile:.0f}" for quantile in quantiles]
    share = f"{100 * share_of_largest(regret):.1f}%"
    return [str(len(regret)), *shown, f"{regret.max():.0f}", f"{regret.mean():.0f}", share]


def locked(n_locked: int, n: int) -> str:
    """The number of locked runs, their share and its 95% interval, in percent with three digits.

    Examples
    --------
    >>> locked(4, 100_000)
    '4: 0.004% [0.00109, 0.0102]'
    """
    low, high = (100 * end.item() for end in clopper_pearson(np.array([n_locked]), n))
    return f"{n_locked:,}: {100 * n_locked / n:.3g}% [{low:.3g}, {high:.3g}]"


def table(folders: Sequence[str]) -> Iterator[list[str]]:
    """The lines of the table of the results in some folders."""
    for folder in folders:
        experiment = duelbench.load(folder).experiment
        for cell, reported in zip(experiment.cells, records(experiment), strict=True):
            regret = cell.regret[:, 0, -1]
            n_locked = round(reported.locked * len(regret))
            yield [cell.stored.problem, cell.stored.label, *row(regret), locked(n_locked, len(regret))]


def main() -> None:
    """Print the table as Markdown."""
    print("| " + " | ".join(COLUMNS) + " |")
    print("|---|---" + "|---:" * (len(COLUMNS) - 2) + "|")
    for line in table(sys.argv[1:]):
        print("| " + " | ".join(line) + " |")


if __name__ == "__main__":
    main()
