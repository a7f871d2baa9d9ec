"""Runs until it is decided: the interim analyses of an experiment, and what each of them decides.

The analyses are fixed before the first run. They share the error of 5% equally (Bonferroni), so that all intervals that
belong to one mean or one pair hold together in 95 of 100 experiments, wherever the experiment stops.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from duelbench.bandits.statistics.differences import LEVEL, Difference, of_means

GROWTH = 1.5
"""How many times the runs of the analysis before each one has."""

LEAST, MOST = 20, 5000
"""Runs at the first and at the last analysis, by default."""

RANKED = "ranked"

BELOW, ABOVE, WITHIN, PRECISE, OPEN = "<", ">", "within", "precise", "open"
"""What is decided: of a pair, which of the two is less, or that they are within the margin; of a mean, that it is known
precisely enough; or nothing yet."""


@dataclass(frozen=True)
class Until:
    """When there are enough runs.

    Examples
    --------
    >>> Until(0.02, most=100).analyses
    (20, 30, 45, 68, 100)
    >>> Until(None, 10, 40, margin=0.03).words
    'until ranked or within 3%, 10 to 40 runs'
    """

    # Half the length of the interval of each mean, as a part of the mean, at which its algorithm has enough runs; None
    # where it has them when all pairs are decided
    share: float | None
    least: int = LEAST  # runs of an algorithm on a problem at the first analysis
    most: int = MOST  # and at the last one
    margin: float | None = None  # of two means as good as equal neither is larger than the other by a larger part of it

    @cached_property
    def analyses(self) -> tuple[int, ...]:
        """The numbers of runs that are analysed: increasing, the largest number last."""
        runs = [self.least]
        while runs[-1] < self.most:
            runs.append(min(self.most, int(np.ceil(GROWTH * runs[-1]))))
        return tuple(runs)

    @property
    def error(self) -> float:
        """How often an interval of one analysis may be wrong."""
        return (1 - LEVEL) / len(self.analyses)

    @property
    def words(self) -> str:
        """The rule in words."""
        goal = "ranked" if self.share is None else f"each mean is known to {100 * self.share:g}%"
        margin = "" if self.margin is None else f" or within {100 * self.margin:g}%"
        return f"until {goal}{margin}, {self.least} to {self.most} runs"

    def content(self) -> dict[str, Any]:
        """The rule in plain JSON types, as a spec has it."""
        margin = {} if self.margin is None else {"margin": self.margin}
        return {"until": RANKED if self.share is None else self.share, "least": self.least, "most": self.most, **margin}

    def next_analysis(self, runs: float) -> int:
        """The first analysis with at least this number of runs, or else the last."""
        return next((n for n in self.analyses if n >= runs), self.most)


@dataclass(frozen=True)
class Finding:
    """The finding of the analyses on one mean, or on the means of a pair."""

    members: tuple[int, ...]  # place (0-based) of the algorithm, or of the two
    runs: int = 0  # of each of them at the analysis that decided, or at the last one; 0 before the first
    verdict: str = OPEN  # PRECISE; BELOW, ABOVE or WITHIN; or OPEN
    # The mean (minus 0), or the first mean minus the second, in duels; p is that of this analysis alone
    estimate: Difference | None = None

    @property
    def is_open(self) -> bool:
        """Whether nothing is decided."""
        return self.verdict == OPEN

    @property
    def half_width(self) -> float:
        """The distance from a mean to the farther end of its interval, as a part of the mean."""
        if self.estimate is None:
            return np.inf
        one = self.estimate
        half = max(one.high - one.value, one.value - one.low)
        return half / abs(one.value) if one.value else (np.inf if half else 0.0)


@dataclass(frozen=True)
class Judged:
    """What is decided, and which runs the next analysis needs."""

    findings: tuple[Finding, ...]
    needed: tuple[int, ...]  # runs that each algorithm needs, as far as the analyses have come
    is_over: bool  # whether no more runs are needed


def judge(rule: Until, samples: Sequence[np.ndarray], lost: Collection[int] = ()) -> Judged:
    """Go through the analyses as far as there are runs for them.

    An analysis of n runs uses the runs 0 to n - 1 of each algorithm, so that decisions do not depend on the order in
    which runs end.

    Parameters
    ----------
    rule : Until
    samples : sequence of (n,) float64
        Of each algorithm: what its runs 0, 1, 2 ... ended with, up to the first gap.
    lost : collection of int
        Places (0-based) of algorithms that have stopped; the others do not wait for them.

    Examples
    --------
    Runs without spread: the mean is known exactly at the first analysis, and so is the difference.

    >>> judge(Until(0.02), [np.ones(20)]).needed
    (20,)
    >>> [finding.verdict for finding in judge(Until(None), [np.ones(20), np.full(20, 2.0)]).findings]
    ['<']
    """
    findings, needed = _means(rule, samples) if rule.share is not None else _pairs(rule, samples, lost)
    waiting = {k for k, n in enumerate(needed) if len(samples[k]) < n}
    return Judged(tuple(findings), tuple(needed), waiting <= set(lost))


def _means(rule: Until, samples: Sequence[np.ndarray]) -> tuple[list[Finding], list[int]]:
    """Each algorithm continues until its own mean is known."""
    findings = [_mean(rule, k, sample) for k, sample in enumerate(samples)]
    return findings, [one.runs if not one.is_open else rule.next_analysis(one.runs + 1) for one in findings]


def _mean(rule: Until, place: int, sample: np.ndarray) -> Finding:
    found = Finding((place,))
    for n in rule.analyses:
        if len(sample) < n:
            break
        estimate = of_means(sample[:n], np.zeros(n), paired=True, level=1 - rule.error)
        found = Finding((place,), n, OPEN, estimate)
        assert rule.share is not None
        if found.half_width <= rule.share:
            return replace(found, verdict=PRECISE)
    return found


def _pairs(rule: Until, samples: Sequence[np.ndarray], lost: Collection[int]) -> tuple[list[Finding], list[int]]:
    """Both of a pair continue until it is decided."""
    findings = {pair: Finding(pair) for pair in combinations(range(len(samples)), 2)}
    needed = [rule.least] * len(samples)
    for n in rule.analyses:
        stuck = {k for k in lost if len(samples[k]) < n}
        going_on = [pair for pair, one in findings.items() if one.is_open and not stuck & set(pair)]
        for k in {k for pair in going_on for k in pair}:
            needed[k] = n
        if not going_on or any(len(samples[k]) < n for pair in going_on for k in pair):
            break
        _analyse(rule, samples, n, going_on, findings)
    return list(findings.values()), needed


def _analyse(
    rule: Until,
    samples: Sequence[np.ndarray],
    n: int,
    pairs: Sequence[tuple[int, int]],
    findings: dict[tuple[int, int], Finding],
) -> None:
    """Decide what can be decided with n runs; ``findings`` are updated in place.

    By Holm's method the error of a pair that is decided goes to those that are left. With a margin it stays where it
    is, for then there are two statements about each pair that may be wrong.
    """
    estimates = {(i, j): of_means(samples[i][:n], samples[j][:n], paired=True, level=1 - rule.error) for i, j in pairs}
    for pair in sorted(pairs, key=lambda pair: estimates[pair].p):
        estimate, (i, j) = estimates[pair], pair
        n_apart = 0 if rule.margin is not None else sum(one.verdict in (BELOW, ABOVE) for one in findings.values())
        error = rule.error / (len(findings) - n_apart)
        p_within = _p_within(samples[i][:n], samples[j][:n], rule.margin)
        verdict = OPEN
        if estimate.p < error:
            verdict = BELOW if estimate.value < 0 else ABOVE
        elif p_within < error:
            verdict = WITHIN
        findings[pair] = Finding(pair, n, verdict, estimate)


def _p_within(first: np.ndarray, second: np.ndarray, margin: float | None) -> float:
    """Of the hypothesis that one mean is larger than the other by more than the margin; 1 where there is no margin.

    It is rejected where a - (1 + margin) b and b - (1 + margin) a are both below 0. The two one-sided tests use
    two-sided p-values, which spends half of the error of a pair; the other half is left for deciding `BELOW` or `ABOVE`
    wrongly.
    """
    if margin is None:
        return 1.0
    sides = [of_means(a, (1 + margin) * b, paired=True) for a, b in ((first, second), (second, first))]
    return max(side.p if side.value < 0 else 1.0 for side in sides)
