"""The interim analyses of an experiment: when they are made, and what each of them decides.

The analyses are fixed before the first run. They share the error of 5% equally (Bonferroni), so that in 95 of 100
experiments all intervals of a mean or a pair are right, no matter when the experiment stops.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from duelbench.bandits.statistics.differences import LEVEL, Difference, of_means

GROWTH = 1.5
"""The factor by which the number of runs grows from one analysis to the next."""

LEAST, MOST = 20, 5000
"""Default numbers of runs at the first and at the last analysis."""

RANKED = "ranked"

BELOW, ABOVE, WITHIN, PRECISE, OPEN = "<", ">", "within", "precise", "open"
"""Verdicts: on a pair, that the first is smaller, larger, or within the margin; on a mean; or none yet."""


@dataclass(frozen=True)
class Until:
    """A rule that says when there are enough runs.

    Examples
    --------
    >>> Until(0.02, most=100).analyses
    (20, 30, 45, 68, 100)
    >>> Until(None, 10, 40, margin=0.03).words
    'until ranked or within 3%, 10 to 40 runs'
    """

    # An algorithm has enough runs if half the interval of its mean is at most this part of the mean. If None, there are
    # enough runs if all pairs are decided
    share: float | None
    least: int = LEAST  # runs of an algorithm on a problem at the first analysis
    most: int = MOST  # runs at the last analysis
    # two means count as equal if neither exceeds the other by more than this part of the other
    margin: float | None = None

    @cached_property
    def analyses(self) -> tuple[int, ...]:
        """The numbers of runs that are analysed: increasing, the largest number last."""
        runs = [self.least]
        while runs[-1] < self.most:
            runs.append(min(self.most, int(np.ceil(GROWTH * runs[-1]))))
        return tuple(runs)

    @property
    def error(self) -> float:
        """The largest probability with which an interval of one analysis may be wrong."""
        return (1 - LEVEL) / len(self.analyses)

    @property
    def words(self) -> str:
        """The rule in words."""
        goal = "ranked" if self.share is None else f"each mean is known to {100 * self.share:g}%"
        margin = "" if self.margin is None else f" or within {100 * self.margin:g}%"
        return f"until {goal}{margin}, {self.least} to {self.most} runs"

    def content(self) -> dict[str, Any]:
        """Return the rule in plain JSON types, as in a spec."""
        margin = {} if self.margin is None else {"margin": self.margin}
        return {"until": RANKED if self.share is None else self.share, "least": self.least, "most": self.most, **margin}

    def next_analysis(self, runs: float) -> int:
        """Return the first analysis with at least ``runs`` runs, or else the last, as its number of runs."""
        return next((n for n in self.analyses if n >= runs), self.most)


@dataclass(frozen=True)
class Finding:
    """What the analyses have found out about one mean, or about the two means of a pair."""

    members: tuple[int, ...]  # position (0-based) of the algorithm, or of both
    runs: int = 0  # runs of each at the deciding analysis, or at the last one so far; 0 before the first
    verdict: str = OPEN  # PRECISE; BELOW, ABOVE or WITHIN; or OPEN
    # The mean (minus 0), or the first mean minus the second, in duels; p is that of this analysis alone
    estimate: Difference | None = None

    @property
    def is_open(self) -> bool:
        """Whether nothing is decided yet."""
        return self.verdict == OPEN

    @property
    def half_width(self) -> float:
        """The distance from a mean to the farther end of its interval, as a part of the mean."""
        if self.estimate is None:
            return np.inf
        estimate = self.estimate
        half = max(estimate.high - estimate.value, estimate.value - estimate.low)
        return half / abs(estimate.value) if estimate.value else (np.inf if half else 0.0)


@dataclass(frozen=True)
class Judged:
    """The findings so far, and the runs that the next analysis needs."""

    findings: tuple[Finding, ...]
    needed: tuple[int, ...]  # runs that each algorithm needs for the next analysis
    is_over: bool  # whether no more runs are needed


def judge(rule: Until, samples: Sequence[np.ndarray], lost: Collection[int] = ()) -> Judged:
    """Make all analyses for which there are enough runs.

    An analysis of n runs uses the runs 0 to n - 1 of each algorithm, so that decisions do not depend on the order in
    which runs end.

    Parameters
    ----------
    rule : Until
    samples : sequence of (n,) float64
        For each algorithm, the final values of its runs 0, 1, 2, ..., up to the first missing run.
    lost : collection of int
        Positions (0-based) of algorithms that have stopped; the others do not wait for them.

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
    """Return a finding for each mean, and the runs needed: each algorithm continues until its own mean is known."""
    findings = [_mean(rule, k, sample) for k, sample in enumerate(samples)]
    needed = [rule.next_analysis(finding.runs + 1) if finding.is_open else finding.runs for finding in findings]
    return findings, needed


def _mean(rule: Until, place: int, sample: np.ndarray) -> Finding:
    finding = Finding((place,))
    for n in rule.analyses:
        if len(sample) < n:
            break
        estimate = of_means(sample[:n], np.zeros(n), paired=True, level=1 - rule.error)
        finding = Finding((place,), n, OPEN, estimate)
        assert rule.share is not None
        if finding.half_width <= rule.share:
            return replace(finding, verdict=PRECISE)
    return finding


def _pairs(rule: Until, samples: Sequence[np.ndarray], lost: Collection[int]) -> tuple[list[Finding], list[int]]:
    """Return a finding for each pair, and the runs needed: both algorithms continue until the pair is decided."""
    findings = {pair: Finding(pair) for pair in combinations(range(len(samples)), 2)}
    needed = [rule.least] * len(samples)
    for n in rule.analyses:
        stuck = {k for k in lost if len(samples[k]) < n}
        open_pairs = [pair for pair, finding in findings.items() if finding.is_open and not stuck & set(pair)]
        for k in {k for pair in open_pairs for k in pair}:
            needed[k] = n
        if not open_pairs or any(len(samples[k]) < n for pair in open_pairs for k in pair):
            break
        _analyse(rule, samples, n, open_pairs, findings)
    return list(findings.values()), needed


def _analyse(
    rule: Until,
    samples: Sequence[np.ndarray],
    n: int,
    pairs: Sequence[tuple[int, int]],
    findings: dict[tuple[int, int], Finding],
) -> None:
    """Decide the pairs that n runs can decide; ``findings`` are updated in place.

    By Holm's method, the error of a decided pair is passed on to the open pairs. This is not done with a margin,
    because then two statements about each pair may be wrong.
    """
    estimates = {(i, j): of_means(samples[i][:n], samples[j][:n], paired=True, level=1 - rule.error) for i, j in pairs}
    for pair in sorted(pairs, key=lambda pair: estimates[pair].p):
        estimate, (i, j) = estimates[pair], pair
        n_apart = 0
        if rule.margin is None:
            n_apart = sum(finding.verdict in (BELOW, ABOVE) for finding in findings.values())
        error = rule.error / (len(findings) - n_apart)
        p_within = _p_within(samples[i][:n], samples[j][:n], rule.margin)
        verdict = OPEN
        if estimate.p < error:
            verdict = BELOW if estimate.value < 0 else ABOVE
        elif p_within < error:
            verdict = WITHIN
        findings[pair] = Finding(pair, n, verdict, estimate)


def _p_within(first: np.ndarray, second: np.ndarray, margin: float | None) -> float:
    """Return the p-value of: one mean exceeds the other by more than the margin. It is 1 without a margin.

    It is rejected if a - (1 + margin) b and b - (1 + margin) a are both below 0. The two one-sided tests use two-sided
    p-values, and so spend half of the error of a pair; the other half is left for a wrong `BELOW` or `ABOVE`.
    """
    if margin is None:
        return 1.0
    sides = [of_means(a, (1 + margin) * b, paired=True) for a, b in ((first, second), (second, first))]
    return max(side.p if side.value < 0 else 1.0 for side in sides)
