"""Ranks arms by a Bradley-Terry fit, with shares of wins, and pairs worth asking next."""

import html
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from duelbench.bandits.statistics.bradley_terry import LEVEL_DIFFERENCE, Fit, fit
from duelbench.bandits.statistics.differences import LEVEL
from duelbench.data.votes import Votes
from duelbench.errors import InputError
from duelbench.judging.ranking.agreement import Agreement

if TYPE_CHECKING:
    import pandas as pd

MOST_PAIRS = 5
"""The maximum number of pairs in `Ranking.worth_asking`."""


WIDE_PRIOR = 3.0
"""The standard deviation of the second prior under which a difference must be clear, too.

Two arms that are linked by few answers differ clearly under the narrow prior alone, which draws both to the middle.
"""


class Pair(NamedTuple):
    """Two arms, and the probability that the first beats the second, with its 95% interval."""

    first: str
    second: str
    comparisons: float
    probability: float
    low: float
    high: float


class SessionStatus(NamedTuple):
    """The status of a live session in words, and its answer if it is an arm."""

    log: str
    status: str
    answer: str | None
    warnings: tuple[str, ...] = ()  # warnings about the judges of the session
    is_undecided: bool = False


@dataclass(frozen=True, eq=False)
class Ranking:
    """A ranking of arms.

    Arms that were compared, directly or through others, form a group. The largest group comes first, and strengths are
    relative to the arms of their group.

    Attributes
    ----------
    arms : tuple of str
        Best first in each group.
    wins : (K, K) float64
        ``wins[i, j]``: how often ``arms[i]`` won against ``arms[j]``, a tie being half a win for each.
    ties : (K, K) float64
        The number of ties, symmetric; 0 for tables of wins, which do not contain it.
    group : (K,) int64
        The group of each arm, counted from 0.
    shares, low, high : (K,) float64
        The strength, which is the expected share of wins against the other arms of the group, and its ordinary 95%
        interval; NaN for an arm without comparisons.
    judges : tuple of Agreement
        The agreement of judges, those with most answers first; empty for fewer than two judges.
    sessions : tuple of SessionStatus
        The status of each session whose log is among the files.
    notes : tuple of str
        Notes on the format of each file, and on rows that were left out.
    votes : Votes or None
        The votes; None for a table of wins.
    sentences : tuple of str
        The results in words, the headline first.
    """

    arms: tuple[str, ...]
    wins: np.ndarray
    ties: np.ndarray
    group: np.ndarray
    fit: Fit
    shares: np.ndarray
    low: np.ndarray
    high: np.ndarray
    judges: tuple[Agreement, ...] = ()
    sessions: tuple[SessionStatus, ...] = ()
    notes: tuple[str, ...] = ()
    votes: Votes | None = None
    sentences: tuple[str, ...] = ()

    @cached_property
    def comparisons(self) -> np.ndarray:
        """(K, K) float64: the number of comparisons of two arms."""
        return self.wins + self.wins.T

    @cached_property
    def table(self) -> "pd.DataFrame":
        """A row for each arm: ``arm, group, comparisons, won, share_won, strength, strength_low, strength_high``."""
        import pandas as pd

        compared, won = self.comparisons.sum(axis=1), self.wins.sum(axis=1)
        share_won = np.divide(won, compared, out=np.full(len(won), np.nan), where=compared > 0)
        strengths = {"strength": self.shares, "strength_low": self.low, "strength_high": self.high}
        counts = {"group": self.group + 1, "comparisons": compared, "won": won, "share_won": share_won}
        return pd.DataFrame({"arm": pd.Series(self.arms, dtype=object), **counts, **strengths})

    @cached_property
    def p_values(self) -> np.ndarray:
        """(K,) float64: the two-sided p-value of each arm being as strong as the first arm of its group.

        The p-value of the first arm is 1. Of the fits with the usual prior and with `WIDE_PRIOR` the larger p-value
        counts, so that the answers decide and not the prior.
        """
        return np.maximum(self._p_values(self.fit), self._p_values(fit(self.wins, WIDE_PRIOR)))

    def _p_values(self, fitted: Fit) -> np.ndarray:
        from scipy.special import ndtr

        first = np.searchsorted(self.group, self.group)
        u, covariance = fitted.utilities, fitted.covariance
        every = np.arange(len(u))
        variance = covariance[first, first] + covariance[every, every] - 2 * covariance[first, every]
        deviations = np.divide(u[first] - u, np.sqrt(variance), out=np.zeros(len(u)), where=first != every)
        return 2 * ndtr(-np.maximum(deviations, 0))  # 1 for an arm that this prior puts ahead of the first

    def clear_by_prior(self) -> tuple[str, ...]:
        """Return the arms that are clearly behind the first arm by the usual prior only."""
        is_behind = self._p_values(self.fit) <= 1 - LEVEL
        return tuple(name for name in self.may_be_best if is_behind[self.arms.index(name)])

    @property
    def may_be_best(self) -> tuple[str, ...]:
        """The first arm and all arms that are not clearly behind it; empty if there are several groups.

        An arm is clearly behind if the 95% interval of the difference of the two Bradley-Terry utilities excludes 0, by
        the fits with the usual prior and with `WIDE_PRIOR`.
        """
        if len(self.groups()) != 1:
            return ()
        return tuple(self.arms[arm] for arm in self.groups()[0] if self.p_values[arm] > 1 - LEVEL)

    def level(self) -> tuple[str, ...]:
        """Return the first arm and all arms that are as strong."""
        u = self.fit.utilities
        return tuple(self.arms[arm] for arm in self.groups()[0] if u[0] - u[arm] < LEVEL_DIFFERENCE)

    @property
    def best(self) -> str | None:
        """The first arm, if all others are clearly behind; None otherwise."""
        return self.may_be_best[0] if len(self.may_be_best) == 1 else None

    def groups(self) -> list[list[int]]:
        """Return the indices in ``arms`` of each group, without arms that were never compared."""
        groups = [np.flatnonzero(self.group == number).tolist() for number in range(self.group[-1] + 1)]
        return [group for group in groups if len(group) > 1]

    def never_compared(self) -> list[str]:
        """Return the arms without a comparison."""
        return [name for name, n in zip(self.arms, self.comparisons.sum(axis=1), strict=True) if not n]

    @cached_property
    def worth_asking(self) -> tuple[Pair, ...]:
        """The pairs that would tell most about which arm is best, at most `MOST_PAIRS`.

        Both arms of a pair may be best, and the pair has one of the largest values of the variance of the difference
        of utilities times both p-values: an arm that is nearly ruled out matters little. If there are several groups,
        the pairs are the first arm of the first group with the first arm of each other group.
        """
        groups = self.groups()
        if len(groups) > 1:
            return tuple(self._pair(groups[0][0], group[0]) for group in groups[1 : MOST_PAIRS + 1])
        arms = np.array([self.arms.index(name) for name in self.may_be_best], dtype=int)
        first, second = (arms[indices] for indices in np.triu_indices(len(arms), 1))
        value = self._variance(first, second) * self.p_values[first] * self.p_values[second]
        order = np.argsort(-value, kind="stable")[:MOST_PAIRS]
        return tuple(self._pair(first[k], second[k]) for k in order)

    def _variance(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Return the variance of the difference of utilities."""
        covariance = self.fit.covariance
        return covariance[first, first] + covariance[second, second] - 2 * covariance[first, second]

    def _pair(self, first: int, second: int) -> Pair:
        from scipy.special import expit, ndtri

        names, compared = (self.arms[first], self.arms[second]), float(self.comparisons[first, second])
        if self.group[first] != self.group[second]:
            return Pair(*names, compared, 0.5, 0.0, 1.0)
        difference = self.fit.utilities[first] - self.fit.utilities[second]
        half = ndtri((1 + LEVEL) / 2) * np.sqrt(self._variance(np.array(first), np.array(second)))
        return Pair(*names, compared, *(float(expit(difference + x)) for x in (0.0, -half, half)))

    def __repr__(self) -> str:
        return f"<Ranking of {len(self.arms)} arms: {' '.join(self.sentences[:1])}>"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(' '.join(self.sentences))}</p>{self.table.to_html()}"


def ranking_of(names: Iterable[str], wins: np.ndarray, ties: np.ndarray | None = None, **more: Any) -> Ranking:
    """Rank arms by (K, K) wins, which count a tie as half a win for each.

    The `Ranking` also stores ``ties``, and ``more``: further fields of it.

    Examples
    --------
    Two pairs that were never compared with each other:

    >>> ranking = ranking_of("abcd", np.array([[0, 3, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 3, 0]]))
    >>> ranking.arms, ranking.group.tolist(), ranking.may_be_best
    (('a', 'b', 'd', 'c'), [0, 0, 1, 1], ())
    """
    from scipy.sparse.csgraph import connected_components

    listed = tuple(names)
    if not wins.any():
        raise InputError("nothing was compared; there is nothing to rank")
    _, part = connected_components(wins + wins.T, directed=False)
    sizes = np.bincount(part)[part]
    utilities = fit(wins).utilities.round(10)  # equally strong arms keep their order
    order = np.lexsort((np.arange(len(part)), -utilities, part, -sizes))
    ordered = wins[np.ix_(order, order)].astype(np.float64)
    fitted = fit(ordered)
    group = np.concatenate([[0], np.cumsum(np.diff(part[order]) != 0)])
    strengths = np.full((3, len(order)), np.nan)
    for number in range(group[-1] + 1):
        members = np.flatnonzero(group == number)
        if len(members) > 1:
            within = Fit(fitted.utilities[members], fitted.covariance[np.ix_(members, members)])
            strengths[:, members] = within.shares, *within.share_intervals()
    ties = np.zeros_like(ordered) if ties is None else ties[np.ix_(order, order)]
    arms = tuple(listed[k] for k in order)
    return Ranking(arms, ordered, ties, group, fitted, *strengths, **more)
