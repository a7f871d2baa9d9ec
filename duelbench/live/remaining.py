"""How many duels are still needed until the stopping rule has its answer: an estimate, not a promise.

Matrices are drawn from what the wins leave of the law of people's matrices (`duelbench.live.beliefs`), and the session
is continued on each, by a stand-in for its algorithm that is quick: Thompson sampling in lots. A draw of each
probability names a Copeland winner, and a second one its most dangerous rival among the pairs that are open.
docs/studies/certainty.md has how often the interval holds.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from duelbench.live.beliefs import PEOPLE, STEPS, WARM_UP, matrices_given
from duelbench.live.evidence import checked, open_pairs
from duelbench.simulation.simulate import MOST_SEED, whole

LEVEL = 0.8
"""Of the interval."""

QUANTILES = (0.1, 0.5, 0.9)

MATRICES, FEWEST, ENTRIES = 60, 12, 12_000
"""How many matrices are drawn: `MATRICES`, or fewer of many arms, for `ENTRIES` entries, but at least `FEWEST`."""

MANY_ARMS, MOST_ARMS = 16, 64
"""From `MANY_ARMS` on chains are shorter, and a lot is that part of the arms at least. Above `MOST_ARMS` there is no
estimate: its time grows with the sixth power."""

GROWTH, PAIRS_OF_A_LOT = 0.05, 8
"""A lot, as a part of the duels drawn before, and the most pairs that share it."""

WIDER = 1.4
"""Times the standard deviations of Beta(1 + wins, 1 + losses): then the stand-in takes as many duels as D-TS+."""

PARTS = {"e-bets": 2 / 3, "kelly-elimination": 1 / 2}
"""Duels to the answer of a rule, or of an algorithm with its own test, as a part of those of e-condorcet.

For e-bets see docs/studies/human-judgements.md. For Kelly elimination the interval held in 272 of 304 estimates after
16 to 800 duels, on Bradley-Terry matrices, arithmetic8, mslr5-condorcet and three matrices of people."""

MOST = 10**6
"""Duels after which the estimate gives up."""


@dataclass(frozen=True)
class Remaining:
    """Duels still needed, as an estimate: an interval of level `LEVEL` and its median; infinite beyond a million."""

    low: float
    likely: float
    high: float
    unknown: str = ""  # why there is no estimate; the numbers are nan then

    @property
    def sentence(self) -> str:
        """In words.

        Examples
        --------
        >>> Remaining(40.0, 262.0, math.inf).sentence
        'about 260 more duels (80% interval: 40 to more than 1,000,000)'
        """
        if self.unknown:
            return self.unknown
        if self.high == 0.0:
            return "no more duels"
        low, likely, high = (
            f"{float(f'{n:.2g}'):,.0f}" if n < math.inf else f"more than {MOST:,}"
            for n in (self.low, self.likely, self.high)
        )
        about = "about " if self.likely < math.inf else ""
        interval = f" ({100 * LEVEL:g}% interval: {low} to {high})" if self.low < math.inf else ""
        return f"{about}{likely} more duels{interval}"


def remaining(
    wins: ArrayLike,
    *,
    delta: float = 0.05,
    rule: str = "e-condorcet",
    seed: int = 0,
    forbidden: Sequence[tuple[int, int]] = (),
) -> Remaining:
    """Estimate how many duels are still needed until a rule has its answer; parameters are those of `certainty`.

    Parameters
    ----------
    rule : str
        Also a key of `PARTS`, which is taken to need this part of the duels of ``e-condorcet``, and one more at least.
    forbidden : sequence of (int, int)
        Pairs i < j of arms, 0-based, that are never asked.

    Examples
    --------
    Two arms, a hundred wins to none: the answer is there. After five to none one more win is enough, and likely.

    >>> remaining([[0, 100], [0, 0]])
    Remaining(low=0.0, likely=0.0, high=0.0, unknown='')
    >>> remaining([[0, 5], [0, 0]]).likely, remaining([[0, 5], [0, 0]], rule="e-bets").likely
    (1.0, 1.0)
    """
    part = PARTS.get(rule)
    rule = rule if part is None else "e-condorcet"
    counts = checked(wins, delta, rule)
    whole("seed", seed, 0, MOST_SEED)
    if counts.sum() < len(counts):
        return Remaining(math.nan, math.nan, math.nan, "too early to say, with fewer duels than arms")
    if len(counts) > MOST_ARMS:
        return Remaining(math.nan, math.nan, math.nan, f"no estimate for more than {MOST_ARMS} arms")
    random = np.random.default_rng(np.random.SeedSequence(seed))
    may_be_asked = ~np.eye(len(counts), dtype=bool)
    for i, j in forbidden:
        may_be_asked[i, j] = may_be_asked[j, i] = False
    many = min(MATRICES, max(FEWEST, ENTRIES // counts.size))
    p = matrices_given(PEOPLE, counts, many, random, STEPS if len(counts) < MANY_ARMS else WARM_UP)
    more = _more_duels(counts, p, delta, rule, may_be_asked, random)
    low, likely, high = (float(end) for end in np.quantile(more, QUANTILES, method="inverted_cdf"))
    if part is not None:
        n = counts.sum()
        low, likely, high = (max(1.0, round(part * (n + end) - n, 0)) for end in (low, likely, high))
    return Remaining(low, likely, high)


def _more_duels(
    wins: np.ndarray, p: np.ndarray, delta: float, rule: str, may_be_asked: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    """How many more duels the rule needs on each matrix; infinite beyond `MOST`, and where it waits for other pairs."""
    tables = np.repeat(wins[np.newaxis], len(p), axis=0)
    needed = np.full(len(p), np.inf)
    going = np.arange(len(p))
    more = 0
    while more <= MOST:
        is_open = open_pairs(tables[going], delta, rule)
        needed[going[~is_open.any(axis=(1, 2))]] = more
        is_open &= may_be_asked
        is_going = is_open.any(axis=(1, 2))
        going, is_open = going[is_going], is_open[is_going]
        if going.size == 0:
            break
        lot = max(1, len(wins) // MANY_ARMS, int(GROWTH * more))
        n_pairs = min(lot, PAIRS_OF_A_LOT)
        duels = lot // n_pairs
        first, second = _pairs(tables[going], is_open, n_pairs, random)
        rows = going[:, np.newaxis]
        won = random.binomial(duels, p[rows, first, second])
        np.add.at(tables, (rows, first, second), won)
        np.add.at(tables, (rows, second, first), duels - won)
        more += n_pairs * duels
    return needed


def _pairs(
    wins: np.ndarray, is_open: np.ndarray, n_pairs: int, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Open pairs of each table, (tables, n_pairs), by Thompson sampling."""
    n_tables, n_arms = wins.shape[:2]
    losses = np.swapaxes(wins, 1, 2)
    n = wins + losses
    means, errors = (wins + 1) / (n + 2), WIDER * np.sqrt((wins + 1) * (losses + 1) / (n + 3)) / (n + 2)
    drawn = means[:, np.newaxis] + errors[:, np.newaxis] * random.standard_normal((n_tables, n_pairs, n_arms, n_arms))
    scores = np.triu(drawn > 0.5, 1).sum(axis=3) + np.triu(drawn <= 0.5, 1).sum(axis=2)
    may_be_first = is_open.any(axis=1, keepdims=True)  # it is symmetric
    first = np.where(may_be_first, scores + random.random(scores.shape), -1.0).argmax(axis=2)
    rows = np.arange(n_tables)[:, np.newaxis]
    rivals = means[rows, :, first] + errors[rows, :, first] * random.standard_normal(scores.shape)
    return first, np.where(is_open[rows, first], rivals, -np.inf).argmax(axis=2)
