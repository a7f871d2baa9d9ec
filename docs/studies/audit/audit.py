"""Compares published programs with duelbench's algorithms of the same name: the table of docs/studies/audit.md.

    pip install dueling-bandit==0.1.2 scikit-learn duelpy==1.0.0     (in a new environment, beside duelbench)
    python docs/studies/audit/audit.py [ADAPTER.py ...]     half a minute of one core for all four

An adapter is a file that makes a program play: it has the program's ``name``, the id of the algorithm that it
``claims`` to be with its ``parameters``, the ``horizon`` T and the number of ``runs`` of the comparison, and a function
``play(duel, n_arms, horizon, seed)``. This calls ``duel(first, second)``, which returns whether the first arm has won,
and raises `Over` after the last round.
"""

import contextlib
import runpy
import sys
from pathlib import Path

import numpy as np
from scipy import stats

import duelbench
from duelbench.bandits.problem.regret import loss

np.float = float  # duelpy 1.0.0 uses this name, which NumPy no longer has

MATRIX = "mslr5-condorcet"

SEED = 0

OURS_FOR_EACH = 10
"""Runs of duelbench's algorithm for each of the program's."""

LINEAR = 1.8
"""When the rounds double, linear regret grows by a factor of 2, and logarithmic regret by one near 1."""

HEAD = (
    "| program | claims | Copeland regret after T, 2 T, 4 T | the algorithm's | growth | distribution |\n"
    + 6 * "|---"
    + "|"
)


class Over(Exception):
    """Ends a program after its last round."""


def regret_of(play, P, rounds, seed):
    """The program's Copeland regret after each of ``rounds``, in one run."""
    horizon = rounds[-1]
    draws = np.random.default_rng([seed, 0]).random(horizon)
    costs = loss("copeland", P)
    regret = []

    def duel(first, second):
        t = len(regret)
        if t == horizon:
            raise Over
        if not (0 <= first < P.n_arms and 0 <= second < P.n_arms):
            raise SystemExit(f"in round {t + 1} it duels {first!r} with {second!r}; arms are 0 to {P.n_arms - 1}")
        regret.append(costs[int(first), int(second)])
        return bool(draws[t] < P.P[int(first), int(second)])

    with contextlib.suppress(Over):
        play(duel, P.n_arms, horizon, seed)
    if len(regret) < horizon:
        raise SystemExit(f"it stopped after {len(regret)} of {horizon} duels")
    return np.cumsum(regret)[np.array(rounds) - 1]


def growth(later, earlier):
    """The ratio of the means of two paired samples, with Fieller's 95% interval."""
    n, t = len(later), stats.t.ppf(0.975, len(later) - 1)
    (xx, xy), (_, yy) = np.cov(later, earlier) * t**2 / n
    x, y = later.mean(), earlier.mean()
    a, b, c = y**2 - yy, x * y - xy, x**2 - xx  # the ends are the roots of a r^2 - 2 b r + c
    if a <= 0:
        return x / y, -np.inf, np.inf
    half = np.sqrt(max(b**2 - a * c, 0.0))
    return x / y, (b - half) / a, (b + half) / a


def same_distribution(theirs, ours):
    """The p-value of equal distributions of regret: the least of a test after each of T, 2 T and 4 T, times three."""
    p_values = [stats.ks_2samp(*samples).pvalue for samples in zip(theirs.T, ours.T, strict=True)]
    return min(1.0, len(p_values) * min(p_values))


def audit(path):
    """The row of one adapter."""
    adapter = runpy.run_path(str(path))
    P = duelbench.PreferenceMatrix.load(MATRIX)
    rounds = tuple(adapter["horizon"] * factor for factor in (1, 2, 4))
    theirs = np.array([regret_of(adapter["play"], P, rounds, SEED + run) for run in range(adapter["runs"])])
    settings = {"horizon": rounds[-1], "seed": SEED, "checkpoints": rounds, **adapter.get("parameters", {})}
    n_ours = OURS_FOR_EACH * adapter["runs"]
    ours = np.array([duelbench.simulate(adapter["claims"], P, run=run, **settings).regret[0] for run in range(n_ours)])
    first, _, _ = growth(theirs[:, 1], theirs[:, 0])
    second, low, high = growth(theirs[:, 2], theirs[:, 1])
    is_linear = ": linear" if low >= LINEAR else ""
    p = same_distribution(theirs, ours)
    means = [", ".join(f"{mean:,.1f}" for mean in sample.mean(axis=0)) for sample in (theirs, ours)]
    cells = [
        adapter["name"],
        duelbench.algorithms()[adapter["claims"]].name,
        f"{means[0]} (T = {rounds[0]:,}, {adapter['runs']} runs)",
        means[1],
        f"{first:.2f}, {second:.2f} ({low:.2f} to {high:.2f}){is_linear}",
        f"another (p = {p:.0e})" if p < 0.001 else f"no difference seen (p = {p:.2f})",
    ]
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    adapters = [Path(name) for name in sys.argv[1:]]
    adapters = adapters or sorted(path for path in Path(__file__).parent.glob("*.py") if path.name != "audit.py")
    print(HEAD)
    for path in adapters:
        print(audit(path), flush=True)
