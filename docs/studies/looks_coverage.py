"""What looking at the runs promises, counted: the tables of docs/statistics.md.

    python docs/studies/looks_coverage.py        some five minutes of one core

Of each algorithm 20,000 runs are played, which stand for all runs there could be; other laws are made up. From them
whole experiments are drawn, each of which goes from look to look as an experiment that is played does.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from band_coverage import population
from difference_coverage import ALL_RUNS, PLAYED, SEED, made_up

from duelbench.bandits.statistics.interim import Until, judge

EXPERIMENTS = 1000
RANKED, RANKED_SHORT, PRECISE = Until(None, most=1000), Until(None, most=100), Until(0.05, most=5000)
ALGORITHMS = ("D-TS", "RUCB")
"""Algorithms on mslr5-condorcet: one with a heavy tail, one without."""

EQUAL = (*ALGORITHMS, "lognormal", "normal", "rare")
OTHERS = (("D-TS", "RUCB"), ("D-TS", "normal"), ("lognormal", "normal"), ("near", "normal"))
MARGIN = Until(None, most=5000, margin=0.05)


def laws() -> dict[str, np.ndarray]:
    """The made-up laws of the tables of differences, and one that is 2% above the normal one."""
    found = made_up()
    return {**found, "near": 1.02 * np.random.default_rng(SEED).permutation(found["normal"])}


def drawn(regret: Sequence[np.ndarray], rule: Until, rng: np.random.Generator, together: bool) -> list[np.ndarray]:
    """As many runs of each algorithm as there can be; together the runs of one number, as they were played."""
    here = [rng.integers(len(one), size=rule.most) for one in regret]
    return [one[here[0] if together else own] for one, own in zip(regret, here, strict=True)]


def ranking(regret: Sequence[np.ndarray], rule: Until, n: int, together: bool = False) -> dict[str, float]:
    """Whole experiments that rank algorithms.

    Parameters
    ----------
    regret : sequence of (m,) float64
        All the runs there could be of each.
    rule : Until
    n : int
        Experiments.
    together : bool
        Whether runs of one number are drawn together. Of two that are one algorithm they must not be.

    Returns
    -------
    dict
        Shares of the experiments: ``wrong`` with a verdict that does not hold, ``held`` where all intervals at the end
        hold the true differences, ``decided`` without an open pair; and the mean number of ``runs`` of an algorithm.
    """
    rng = np.random.default_rng(SEED)
    truth = [float(one.mean()) for one in regret]
    counted: dict[str, list[float]] = {"wrong": [], "held": [], "decided": [], "runs": []}
    for _ in range(n):
        judged = judge(rule, drawn(regret, rule, rng, together))
        verdicts = [(truth[i], truth[j], one) for one in judged.findings for i, j in [one.members]]
        counted["wrong"].append(any(not _is_right(a, b, one.verdict, rule.margin or 0) for a, b, one in verdicts))
        ends = [(a - b, one.estimate) for a, b, one in verdicts if one.estimate]
        counted["held"].append(all(end.low <= true <= end.high for true, end in ends))
        counted["decided"].append(not any(one.is_open for one in judged.findings))
        counted["runs"].append(float(np.mean(judged.needed)))
    return {name: float(np.mean(values)) for name, values in counted.items()}


def _is_right(a: float, b: float, verdict: str, margin: float) -> bool:
    return {"open": True, "<": a < b, ">": a > b, "within": max(a, b) <= (1 + margin) * min(a, b)}[verdict]


def precision(regret: np.ndarray, rule: Until, n: int) -> dict[str, float]:
    """Whole experiments that go on until a mean is known: as `ranking`, without ``wrong``."""
    rng = np.random.default_rng(SEED)
    truth = float(regret.mean())
    counted: dict[str, list[float]] = {"held": [], "decided": [], "runs": []}
    for _ in range(n):
        judged = judge(rule, drawn([regret], rule, rng, together=False))
        (found,) = judged.findings
        assert found.estimate is not None
        counted["held"].append(found.estimate.low <= truth <= found.estimate.high)
        counted["decided"].append(not found.is_open)
        counted["runs"].append(float(judged.needed[0]))
    return {name: float(np.mean(values)) for name, values in counted.items()}


def table(populations: Mapping[str, np.ndarray], n: int) -> Iterator[list[str]]:
    """The lines of all tables: what was done, with which algorithms, and what was counted."""
    for name in EQUAL:
        one = populations[name]
        for rule in (RANKED_SHORT, RANKED):
            yield _line(rule, f"{name}, {name}", ranking([one, one], rule, n))
    for name in ("D-TS", "normal"):
        yield _line(RANKED, f"four times {name}", ranking([populations[name]] * 4, RANKED, n))
    for names in OTHERS:
        regret = [populations[name] for name in names]
        together = "near" not in names
        yield _line(RANKED, ", ".join(names), ranking(regret, RANKED, n, together))
    near = [populations["near"], populations["normal"]]
    yield _line(MARGIN, "near, normal", ranking(near, MARGIN, n))
    yield _line(MARGIN, "normal, normal", ranking([populations["normal"]] * 2, MARGIN, n))
    edge = [1.05 / 1.02 * (1 + 1e-9) * populations["near"], populations["normal"]]
    yield _line(MARGIN, "just beyond the margin, normal", ranking(edge, MARGIN, n))
    for name in EQUAL:
        yield _line(PRECISE, name, precision(populations[name], PRECISE, n))


def _line(rule: Until, who: str, counted: Mapping[str, float]) -> list[str]:
    shares = (f"{100 * counted[name]:.1f}" if name in counted else "" for name in ("wrong", "held", "decided"))
    return [rule.words, who, *shares, f"{counted['runs']:.0f}"]


def main() -> None:
    """Print the tables as Markdown."""
    print(f"playing {ALL_RUNS} runs of each of {len(ALGORITHMS)}", file=sys.stderr)
    populations = {**laws(), **{name: population(*PLAYED[name], ALL_RUNS) for name in ALGORITHMS}}
    print("| runs | algorithms | wrong | held | decided | runs on average |")
    print("|---|---|---:|---:|---:|---:|")
    for line in table(populations, EXPERIMENTS):
        print("| " + " | ".join(line) + " |", flush=True)


if __name__ == "__main__":
    main()
