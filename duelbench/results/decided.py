"""What interim analyses have decided in an experiment: in names instead of places."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, takewhile
from typing import Any

import numpy as np

from duelbench.results.cells import AnyCell
from duelbench.statistics.interim import ABOVE, BELOW, WITHIN, Finding, Until, judge

MOST_LINES = 60
"""Decisions shown to people."""


@dataclass(frozen=True)
class Verdict:
    """The finding of the interim analyses on one mean of an experiment, or on a pair."""

    problem: str
    horizon: int  # the round (1-based) whose regret is analysed
    regret: str  # its definition, the first that the spec asks for
    labels: tuple[str, ...]  # of the algorithm, or of the two
    finding: Finding
    rule: Until
    is_over: bool  # whether nothing more is run for it

    @property
    def content(self) -> dict[str, Any]:
        """It in plain JSON types; numbers are in duels, and those of the last analysis where it is open."""
        found, one = self.finding, self.finding.estimate
        numbers = {} if one is None else {"value": one.value, "low": one.low, "high": one.high}
        return {
            "problem": self.problem,
            "horizon": self.horizon,
            "regret": self.regret,
            "algorithms": list(self.labels),
            "verdict": found.verdict,
            "runs": found.runs,
            **numbers,
        }

    def __str__(self) -> str:
        said = self._of_pair() if self.rule.share is None else self._of_mean()
        return f"{self.problem}, {self.regret} regret after round {self.horizon}: {said}"

    def _of_mean(self) -> str:
        found, one, (label,) = self.finding, self.finding.estimate, self.labels
        if one is None:
            return f"{label} waits for its first {self.rule.least} runs"
        known = f"{label} is known to {100 * found.half_width:.2g}%"
        numbers = f"({one.value:.4g}, from {one.low:.4g} to {one.high:.4g})"
        return f"{known} with {found.runs} runs {numbers}{self._end(f'not to {100 * (self.rule.share or 0):g}%')}"

    def _of_pair(self) -> str:
        found, one, (a, b) = self.finding, self.finding.estimate, self.labels
        if one is None:
            return f"{a} and {b} wait for their first {self.rule.least} runs"
        if found.verdict in (BELOW, ABOVE):
            less, more, low, high = (a, b, -one.high, -one.low) if one.value < 0 else (b, a, one.low, one.high)
            return f"{less} < {more} by {abs(one.value):.4g} ({low:.4g} to {high:.4g}) with {found.runs} runs"
        numbers = f"({a} - {b}: {one.value:.4g}, from {one.low:.4g} to {one.high:.4g})"
        if found.verdict == WITHIN:
            return f"{a} and {b} are within {100 * (self.rule.margin or 0):g}% with {found.runs} runs {numbers}"
        return f"{a} and {b} have {found.runs} runs {numbers}{self._end('not told apart')}"

    def _end(self, not_yet: str) -> str:
        if not self.finding.is_open:
            return ""
        return f": {not_yet}" if self.is_over else f": {not_yet} yet"


@dataclass(frozen=True)
class Standing:
    """What is decided in an experiment, and what to run for the next interim analysis."""

    rule: Until
    verdicts: tuple[Verdict, ...]
    needed: tuple[int, ...]  # runs of each cell that the analyses so far ask for
    waiting: tuple[int, ...]  # places (0-based) of the cells that have fewer runs than they need

    @property
    def is_over(self) -> bool:
        """Whether no more runs are needed."""
        return not self.waiting

    @property
    def n_open(self) -> int:
        """How many are not decided."""
        return sum(one.finding.is_open for one in self.verdicts)

    @property
    def summary(self) -> str:
        """How far it is, in words."""
        what = "pairs" if self.rule.share is None else "means"
        of = ", ".join(dict.fromkeys(one.regret for one in self.verdicts))
        return f"{len(self.verdicts) - self.n_open} of {len(self.verdicts)} {what} of {of} regret decided"

    @property
    def most(self) -> tuple[int, ...]:
        """Runs that each cell can have in the end: of those that need more, the most that there can be."""
        return tuple(self.rule.most if k in self.waiting else n for k, n in enumerate(self.needed))

    @property
    def how_far(self) -> str:
        """When the next analysis is; empty when no more runs are needed."""
        if self.is_over:
            return ""
        ahead = sorted({self.needed[k] for k in self.waiting})
        span = str(ahead[0]) if len(ahead) == 1 else f"{ahead[0]} to {ahead[-1]}"
        return f"next analysis at {span} runs, at most {self.rule.most}"

    @property
    def content(self) -> dict[str, Any]:
        """All of it in plain JSON types."""
        return {
            "rule": self.rule.content(),
            "looks": list(self.rule.analyses),
            "over": self.is_over,
            "open": self.n_open,
            "verdicts": [one.content for one in self.verdicts],
        }

    def lines(self) -> list[str]:
        """All of it for people: the rule, and a sentence for each mean or pair, the open ones first."""
        ordered = sorted(self.verdicts, key=lambda one: not one.finding.is_open)
        more = len(ordered) - MOST_LINES
        return [
            f"runs {self.rule.words}: {self.summary}{'' if self.is_over else ' so far'}",
            *(f"  {one}" for one in ordered[:MOST_LINES]),
            *([f"  and {more} more"] if more > 0 else []),
        ]


def in_sequence(regret: Mapping[int, float]) -> np.ndarray:
    """The regret of the runs 0, 1, 2 ... up to the first gap.

    Examples
    --------
    >>> in_sequence({0: 5.0, 1: 4.0, 3: 9.0}).tolist()
    [5.0, 4.0]
    """
    return np.array([regret[run] for run in takewhile(regret.__contains__, count())], dtype=np.float64)


def standing(
    rule: Until, cells: Sequence[AnyCell], samples: Sequence[np.ndarray], lost: Collection[int] = ()
) -> Standing:
    """Go through the interim analyses as far as there are runs for them.

    Algorithms on one problem are ranked by regret at the longest horizon, and get as many runs up to shorter ones. A
    mean is known for each horizon on its own.

    Parameters
    ----------
    cells : sequence
        All cells of an experiment.
    samples : sequence of (n,) float64
        The regret of each at the horizon, by the first definition: `in_sequence`.
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
            verdicts.append(
                Verdict(cell.setting, cell.identity.horizon, cell.identity.regret[0], labels, finding, rule, is_over)
            )
        for k, leader in followers.items():
            needed[k] = needed[leader]
    in_need = tuple(k for k, n in enumerate(needed) if len(samples[k]) < n and k not in lost)
    return Standing(rule, tuple(verdicts), tuple(needed), in_need)


def _groups(rule: Until, cells: Sequence[AnyCell]) -> Iterator[tuple[list[int], dict[int, int]]]:
    """Places of cells that are judged together, and of those that follow another, with its place."""
    if rule.share is not None:
        yield list(range(len(cells))), {}
        return
    problems: dict[tuple[str, str], dict[str, list[int]]] = {}
    for k, cell in enumerate(cells):
        problems.setdefault((cell.setting, cell.identity.matrix), {}).setdefault(cell.label, []).append(k)
    for by_label in problems.values():
        leaders = [max(own, key=lambda k: cells[k].identity.horizon) for own in by_label.values()]
        followers = {k: leader for leader, own in zip(leaders, by_label.values(), strict=True) for k in own}
        yield leaders, {k: leader for k, leader in followers.items() if k != leader}
