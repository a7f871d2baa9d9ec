"""The decisions of an experiment's interim analyses, with the names of algorithms and problems."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, takewhile
from typing import Any

import numpy as np

from duelbench.bandits.statistics.interim import ABOVE, BELOW, WITHIN, Finding, Until, judge
from duelbench.common.words import first_few
from duelbench.experiments.results.cells import AnyCell

MOST_LINES = 60
"""The maximum number of decisions in a message."""


@dataclass(frozen=True)
class Verdict:
    """The finding of the interim analyses on the mean of an algorithm, or on a pair of means."""

    problem: str
    horizon: int  # the round (1-based) whose regret is analysed
    regret: str  # the definition of regret: the first of the spec
    labels: tuple[str, ...]  # the label of one algorithm, or the labels of two
    finding: Finding
    rule: Until
    is_over: bool  # whether no more runs are made for it

    @property
    def content(self) -> dict[str, Any]:
        """The verdict in plain JSON types, with numbers in duels.

        The numbers of an open verdict are those of the last analysis.
        """
        finding, estimate = self.finding, self.finding.estimate
        content = {
            "problem": self.problem,
            "horizon": self.horizon,
            "regret": self.regret,
            "algorithms": list(self.labels),
            "verdict": finding.verdict,
            "runs": finding.runs,
        }
        if estimate is not None:
            content |= {"value": estimate.value, "low": estimate.low, "high": estimate.high}
        return content

    def __str__(self) -> str:
        sentence = self._of_pair() if self.rule.share is None else self._of_mean(self.rule.share)
        return f"{self.problem}, {self.regret} regret after round {self.horizon}: {sentence}"

    def _of_mean(self, share: float) -> str:
        (label,) = self.labels
        finding, estimate = self.finding, self.finding.estimate
        if estimate is None:
            return f"{label} waits for its first {self.rule.least} runs"
        numbers = f"({estimate.value:.4g}, from {estimate.low:.4g} to {estimate.high:.4g})"
        precision = f"{label} is known to {100 * finding.half_width:.2g}% with {finding.runs} runs {numbers}"
        return precision + self._ending(f"not to {100 * share:g}%")

    def _of_pair(self) -> str:
        a, b = self.labels
        finding, estimate = self.finding, self.finding.estimate
        if estimate is None:
            return f"{a} and {b} wait for their first {self.rule.least} runs"
        value, low, high = estimate.value, estimate.low, estimate.high
        if finding.verdict in (BELOW, ABOVE):
            if value < 0:
                return f"{a} < {b} by {-value:.4g} ({-high:.4g} to {-low:.4g}) with {finding.runs} runs"
            return f"{b} < {a} by {value:.4g} ({low:.4g} to {high:.4g}) with {finding.runs} runs"
        numbers = f"({a} - {b}: {value:.4g}, from {low:.4g} to {high:.4g})"
        if finding.verdict == WITHIN:
            margin = 100 * (self.rule.margin or 0)
            return f"{a} and {b} are within {margin:g}% with {finding.runs} runs {numbers}"
        return f"{a} and {b} have {finding.runs} runs {numbers}" + self._ending("not told apart")

    def _ending(self, not_yet: str) -> str:
        if not self.finding.is_open:
            return ""
        return f": {not_yet}" if self.is_over else f": {not_yet} yet"


@dataclass(frozen=True)
class Standing:
    """The verdicts of the interim analyses so far, and the runs that the next analysis needs."""

    rule: Until
    verdicts: tuple[Verdict, ...]
    needed: tuple[int, ...]  # how many runs of each cell the analyses need so far
    waiting: tuple[int, ...]  # places (0-based) of the cells with fewer runs than that

    @property
    def is_over(self) -> bool:
        """Whether no more runs are needed."""
        return not self.waiting

    @property
    def n_open(self) -> int:
        """The number of undecided verdicts."""
        return sum(verdict.finding.is_open for verdict in self.verdicts)

    @property
    def summary(self) -> str:
        """The number of decided verdicts, in words."""
        means = "pairs" if self.rule.share is None else "means"
        regrets = ", ".join(dict.fromkeys(verdict.regret for verdict in self.verdicts))
        total = len(self.verdicts)
        return f"{total - self.n_open} of {total} {means} of {regrets} regret decided"

    @property
    def most(self) -> tuple[int, ...]:
        """The most runs that each cell can have in the end."""
        return tuple(self.rule.most if k in self.waiting else n for k, n in enumerate(self.needed))

    @property
    def how_far(self) -> str:
        """The number of runs at the next analysis, in words; empty if no more runs are needed."""
        if self.is_over:
            return ""
        needed = [self.needed[k] for k in self.waiting]
        fewest, most = min(needed), max(needed)
        runs = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        return f"next analysis at {runs} runs, at most {self.rule.most}"

    @property
    def content(self) -> dict[str, Any]:
        """Everything in plain JSON types."""
        return {
            "rule": self.rule.content(),
            "looks": list(self.rule.analyses),
            "over": self.is_over,
            "open": self.n_open,
            "verdicts": [verdict.content for verdict in self.verdicts],
        }

    def lines(self) -> list[str]:
        """Return the rule, and a sentence for each verdict, open ones first."""
        ordered = sorted(self.verdicts, key=lambda verdict: not verdict.finding.is_open)
        so_far = "" if self.is_over else " so far"
        verdicts = first_few([str(verdict) for verdict in ordered], MOST_LINES)
        return [f"runs {self.rule.words}: {self.summary}{so_far}", *(f"  {verdict}" for verdict in verdicts)]


def in_sequence(regret: Mapping[int, float]) -> np.ndarray:
    """Return the regret of the runs 0, 1, 2 ... before the first missing one.

    Examples
    --------
    >>> in_sequence({0: 5.0, 1: 4.0, 3: 9.0}).tolist()
    [5.0, 4.0]
    """
    return np.array([regret[run] for run in takewhile(regret.__contains__, count())], dtype=np.float64)


def standing(
    rule: Until, cells: Sequence[AnyCell], samples: Sequence[np.ndarray], lost: Collection[int] = ()
) -> Standing:
    """Judge the interim analyses for which there are enough runs.

    Algorithms are ranked on each problem by regret at their longest horizon; cells with shorter horizons get as many
    runs as the cell with the longest. A rule about means judges each cell on its own.

    Parameters
    ----------
    cells : sequence
        All cells of an experiment.
    samples : sequence of (n,) float64
        The regret of each cell at its horizon, by the first definition, from `in_sequence`.
    lost : collection of int
        Places (0-based) of cells that stop because a run failed.
    """
    verdicts: list[Verdict] = []
    needed = [rule.least] * len(cells)
    for entrants, followers in _groups(rule, cells):
        judged = judge(rule, [samples[k] for k in entrants], [p for p, k in enumerate(entrants) if k in lost])
        for place, k in enumerate(entrants):
            needed[k] = judged.needed[place]
        waiting = {p for p, k in enumerate(entrants) if len(samples[k]) < needed[k] and k not in lost}
        for finding in judged.findings:
            cell = cells[entrants[finding.members[0]]]
            labels = tuple(cells[entrants[place]].label for place in finding.members)
            is_over = not waiting & {*finding.members}
            horizon, regret = cell.identity.horizon, cell.identity.regret[0]
            verdicts.append(Verdict(cell.setting, horizon, regret, labels, finding, rule, is_over))
        for k, leader in followers.items():
            needed[k] = needed[leader]
    in_need = tuple(k for k, n in enumerate(needed) if len(samples[k]) < n and k not in lost)
    return Standing(rule, tuple(verdicts), tuple(needed), in_need)


def _groups(rule: Until, cells: Sequence[AnyCell]) -> Iterator[tuple[list[int], dict[int, int]]]:
    """Yield the places of cells that are judged together, and their followers.

    The followers map the place of another cell to the place of the cell whose number of runs it gets.
    """
    if rule.share is not None:
        yield list(range(len(cells))), {}
        return
    problems: dict[tuple[str, str], dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for k, cell in enumerate(cells):
        problems[cell.setting, cell.identity.matrix][cell.label].append(k)
    for places_of in problems.values():
        longest = {label: max(places, key=lambda k: cells[k].identity.horizon) for label, places in places_of.items()}
        followers = {k: longest[label] for label, places in places_of.items() for k in places if k != longest[label]}
        yield list(longest.values()), followers
