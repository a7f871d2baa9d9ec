"""How often ranks are right: the tables of docs/studies/leaderboard-ranks.md.

    python docs/studies/leaderboard_ranks.py        all tables: some twenty minutes of one core
    python docs/studies/leaderboard_ranks.py power  the table of power alone: some minutes

3,000 runs of each algorithm on each of eight matrices take the place of all runs; other distributions are made up. From
them whole tables are drawn in which algorithms are entered several times, each time with other runs. If copies of one
algorithm are told apart, that is an error. For the power, the regret of one copy is multiplied by a factor.
"""

import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np

import duelbench
from duelbench.bandits.problem.families import generate
from duelbench.bandits.statistics.ranks import Ranks, Scores, across, ranks

ROOT = Path(__file__).parents[2]
SEED, HORIZON, ALL_RUNS = 2016, 10**4, 3000
FILES = ("mslr5-condorcet", "cyclic", "arxiv")
FAMILIES = ("linear", "bradley-terry", "mallows", "hard-condorcet", "random-order")
"""Five arms of each. They and the first of the files have a total order, so that their Copeland scores are the same."""

PLAYED = {
    "random": "random",
    "RUCB": "rucb",
    "RMED1": "rmed1",
    "D-TS": "d-ts",
    "D-TS+": "d-ts-plus",
    "ECW-RMED": "ecw-rmed",
    "Sup-KLUCB": "sup-klucb",
}
"""One run in two of the last one ends on a wrong arm of mslr5-condorcet: its regret has two values, not a spread."""

MADE_UP = ("normal", "lognormal", "rare")
TABLES = 1000
N_MATRICES, SIZES, RUNS = (1, 3, 8), (10, 30), (20, 50)
FIVE = ("RUCB", "RMED1", "D-TS", "D-TS+", "ECW-RMED")
SETUPS = tuple((m, entries, runs) for m in N_MATRICES for entries in SIZES for runs in RUNS)
KINDS = (*((name,) for name in (*PLAYED, *MADE_UP)), FIVE)
"""What a table has copies of."""

FACTORS = (1.1, 1.25, 1.5, 2.0)
"""How many times as much regret one copy has, for the power."""

OF_POWER = ("RUCB", "D-TS", "ECW-RMED")

UNLIKE = (("normal", "lognormal"), ("normal", "rare"), ("normal", "D-TS"), ("normal", "ECW-RMED"), (*FIVE, "normal"))
"""Laws that are scaled to one mean: alike in this and in nothing else."""


def made_up(name: str, n_runs: int = ALL_RUNS) -> np.ndarray:
    """A law of known shape on each of the matrices, as those of docs/statistics.md: (M, n_runs) float64."""
    rng = np.random.default_rng([SEED, MADE_UP.index(name)])
    if name == "lognormal":
        return rng.lognormal(size=(max(N_MATRICES), n_runs))
    drawn = rng.normal(1, 0.1, (max(N_MATRICES), n_runs))
    if name == "rare":
        drawn[:, : n_runs // 100] *= 100
        drawn = rng.permuted(drawn, axis=1)
    return drawn


@cache
def law(name: str) -> np.ndarray:
    """Regret of all the runs there could be on each matrix: (M, n) float64; runs of one number stand in one column."""
    if name in MADE_UP:
        return made_up(name)
    problems = [duelbench.PreferenceMatrix.load(ROOT / "matrices" / f"{file}.csv") for file in FILES]
    problems += [generate(family, n_arms=5) for family in FAMILIES]
    return np.array([[_regret(PLAYED[name], P, run) for run in range(ALL_RUNS)] for P in problems])


def _regret(algorithm: str, P: duelbench.PreferenceMatrix, run: int) -> float:
    trace = duelbench.simulate(algorithm, P, horizon=HORIZON, seed=SEED, run=run, checkpoints=1, shuffle_arms=True)
    return float(trace.regret[0, -1])


def scores_of(regret: np.ndarray) -> Scores:
    """What a leaderboard stores of runs: correlations are rounded down to hundredths, as there.

    Parameters
    ----------
    regret : (N, M, n) float64
    """
    n_entries, n_matrices, n = regret.shape
    means, spread = regret.mean(axis=2), regret.std(axis=2)
    some = np.where(spread > 0, spread, 1.0)
    from_mean = (regret - means[..., None]) / some[..., None]
    correlations = np.einsum("amr,bmr->mab", from_mean, from_mean) / n
    return Scores(
        means,
        errors=spread / np.sqrt(n - 1) / means,
        skewness=(from_mean**3).mean(axis=2),
        runs=np.full((n_entries, n_matrices), n),
        correlations=np.floor(100 * correlations) / 100,
        across=np.array([across(one) for one in regret]),
    )


def drawn(laws: Sequence[np.ndarray], n_entries: int, n_runs: int, rng: np.random.Generator) -> np.ndarray:
    """Runs for a table: (n_entries, M, n_runs) float64. Entry k is of law k modulo their number.

    Entries of one law have other runs. The first copies of all laws have the runs of the same numbers, as algorithms of
    one experiment do, so have the second ones, and so on.
    """
    n_copies = -(-n_entries // len(laws))
    numbers = rng.choice(laws[0].shape[1], (n_copies, n_runs), replace=False)
    return np.array([laws[k % len(laws)][:, numbers[k // len(laws)]] for k in range(n_entries)])


def found(laws: Sequence[np.ndarray], n_entries: int, n_runs: int, n_tables: int) -> dict[str, float]:
    """Whole tables, counted.

    Parameters
    ----------
    laws : sequence of (M, n) float64
        All the runs there could be.
    n_entries, n_runs, n_tables : int

    Returns
    -------
    dict
        Shares of the tables: ``apart`` where two entries of one law are told apart, ``wrong`` where any pair is that
        has equal scores or the opposite order, so that the range of some rank is without the true one. And ``ranks``,
        the mean number of ranks in a range.
    """
    rng = np.random.default_rng(SEED)
    of_law = np.arange(n_entries) % len(laws)
    truth = np.array([np.log(one.mean(axis=1)).mean() for one in laws]).round(9)[of_law]
    apart, wrong, width = 0, 0, 0.0
    for _ in range(n_tables):
        table = ranks(scores_of(drawn(laws, n_entries, n_runs, rng)))
        apart += bool(table.better[of_law[:, None] == of_law].any())
        wrong += not _holds(table, truth)
        width += float((table.high - table.low + 1).mean())
    return {"apart": apart / n_tables, "wrong": wrong / n_tables, "ranks": width / n_tables}


def _holds(table: Ranks, truth: np.ndarray) -> bool:
    """Whether each range has all ranks that its algorithm truly shares with those of the same score."""
    least = 1 + (truth < truth[:, None]).sum(axis=1)
    most = len(truth) - (truth > truth[:, None]).sum(axis=1)
    return bool(((table.low <= least) & (most <= table.high)).all())


def alike(names: Sequence[str], n_matrices: int) -> list[np.ndarray]:
    """The laws scaled to the mean 1 on each matrix."""
    return [one / one.mean(axis=1, keepdims=True) for one in (law(name)[:n_matrices] for name in names)]


def table(kinds: Sequence[Sequence[str]], scaled: bool, what: str, n_tables: int) -> Iterator[list[str]]:
    """The lines of a table: for each kind, numbers of matrices and entries, and runs, a share in per cent."""
    for names in kinds:
        cells = []
        for n_matrices, n_entries, n_runs in SETUPS:
            laws = alike(names, n_matrices) if scaled else [law(name)[:n_matrices] for name in names]
            cells.append(f"{100 * found(laws, n_entries, n_runs, n_tables)[what]:.1f}")
        yield [", ".join(names), *cells]


def power(regret: np.ndarray, factor: float, n_entries: int, n_runs: int, n_tables: int) -> float:
    """Return how often a table tells a copy with ``factor`` times the regret from another copy, as a share.

    Parameters
    ----------
    regret : (M, n) float64
        Regret of all runs there could be on each matrix.
    """
    rng = np.random.default_rng(SEED)
    apart = 0.0
    for _ in range(n_tables):
        entries = drawn([regret], n_entries, n_runs, rng)
        entries[-1] *= factor
        apart += float(ranks(scores_of(entries)).better[:-1, -1].mean())
    return apart / n_tables


def print_power() -> None:
    """Print the table of power as Markdown."""
    setups = [(m, runs) for m in N_MATRICES for runs in RUNS]
    print("| copies of | factor | " + " | ".join(f"{m}; {runs}" for m, runs in setups) + " |")
    print("|---|---:|" + "---:|" * len(setups))
    for name in OF_POWER:
        for factor in FACTORS:
            shares = [power(law(name)[:m], factor, min(SIZES), runs, TABLES) for m, runs in setups]
            print(f"| {name} | {factor} | " + " | ".join(f"{100 * share:.0f}" for share in shares) + " |", flush=True)


def main() -> None:
    """Print the tables as Markdown."""
    if sys.argv[1:] == ["power"]:
        print_power()
        return
    print(f"playing {ALL_RUNS} runs of each of {len(PLAYED)} on {max(N_MATRICES)} matrices", file=sys.stderr)
    for kinds, scaled, what in ((KINDS, False, "apart"), (UNLIKE, True, "wrong")):
        print("| entries of | " + " | ".join(f"{m}; {n}; {runs}" for m, n, runs in SETUPS) + " |")
        print("|---|" + "---:|" * len(SETUPS))
        for line in table(kinds, scaled, what, TABLES):
            print("| " + " | ".join(line) + " |", flush=True)
    print_power()


if __name__ == "__main__":
    main()
