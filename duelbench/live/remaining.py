"""How many duels are still needed until the stopping rule has its answer: an estimate, not a promise.

Matrices that the wins leave possible are drawn, and the session is continued on each. The wins also show how close the
pairs of this matrix are: probabilities have the law Beta(c / 2 + wins, c / 2 + losses), with one c of `SCALES` for all
pairs, drawn by how well it explains the wins. Open pairs are asked about in proportion to their duels so far plus one,
in lots of a twentieth of all duels so far: results are rounded up to whole lots.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from duelbench.live.evidence import checked, open_pairs
from duelbench.simulation.simulate import MOST_SEED, whole

SCALES = np.array([2.0, 8.0, 32.0, 128.0])
"""How many duels of a pair, half of them won, the prior belief is worth; those of the rule ``e-bets``."""

MATRICES, FEWEST, ENTRIES = 100, 8, 20_000
"""How many matrices are drawn: `MATRICES`, or fewer of many arms, for `ENTRIES` entries, but at least `FEWEST`."""

GROWTH = 0.05
"""A lot, as a part of the duels so far."""

MOST = 10**7
"""Duels after which the estimate gives up."""


@dataclass(frozen=True)
class Remaining:
    """Duels still needed, as an estimate: quantiles 5%, 50% and 95%; infinite beyond ten million."""

    low: float
    likely: float
    high: float
    is_early: bool = False  # fewer duels than arms: the numbers are little more than a guess

    @property
    def sentence(self) -> str:
        """In words.

        Examples
        --------
        >>> Remaining(40.0, 260.0, math.inf).sentence
        'about 260 more duels (an estimate: 40 to more than 10,000,000)'
        """
        if self.is_early:
            return "too early to say, with fewer duels than arms"
        if self.high == 0.0:
            return "no more duels"
        numbers = (self.low, self.likely, self.high)
        low, likely, high = (f"{n:,.0f}" if n < math.inf else f"more than {MOST:,}" for n in numbers)
        about = "about " if self.likely < math.inf else ""
        estimate = f" (an estimate: {low} to {high})" if self.low < math.inf else ""
        return f"{about}{likely} more duels{estimate}"


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
    forbidden : sequence of (int, int)
        Pairs i < j of arms, 0-based, that are never asked.

    Examples
    --------
    Two arms, a hundred wins to none: the answer is there. After five to none one more win is enough, and likely.

    >>> remaining([[0, 100], [0, 0]])
    Remaining(low=0.0, likely=0.0, high=0.0, is_early=False)
    >>> remaining([[0, 5], [0, 0]]).likely
    1.0
    """
    counts = checked(wins, delta, rule)
    whole("seed", seed, 0, MOST_SEED)
    random = np.random.default_rng(np.random.SeedSequence(seed))
    may_be_asked = np.ones(counts.shape, bool)
    for i, j in forbidden:
        may_be_asked[i, j] = False
    more = _more_duels(counts, _matrices(counts, random), delta, rule, may_be_asked, random)
    low, likely, high = (float(end) for end in np.quantile(more, (0.05, 0.5, 0.95), method="inverted_cdf"))
    return Remaining(low, likely, high, is_early=bool(counts.sum() < len(counts)))


def _matrices(wins: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Matrices that the wins leave possible, as probabilities of the pairs i < j, (matrices, pairs)."""
    from scipy.special import betaln

    i, j = np.triu_indices(len(wins), 1)
    half = SCALES[:, np.newaxis] / 2
    likelihood = (betaln(half + wins[i, j], half + wins[j, i]) - betaln(half, half)).sum(axis=1)
    weights = np.exp(likelihood - likelihood.max())
    many = min(MATRICES, max(FEWEST, ENTRIES // len(wins) ** 2))
    drawn = random.choice(SCALES, size=(many, 1), p=weights / weights.sum()) / 2
    return random.beta(drawn + wins[i, j], drawn + wins[j, i])


def _more_duels(
    wins: np.ndarray, p: np.ndarray, delta: float, rule: str, may_be_asked: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    """How many more duels the rule needs on each matrix; infinite beyond `MOST`, and where it waits for other pairs."""
    i, j = np.triu_indices(len(wins), 1)
    tables = np.repeat(wins[np.newaxis], len(p), axis=0)
    needed = np.full(len(p), np.inf)
    going = np.arange(len(p))
    more = 0
    while more <= MOST:
        is_open = open_pairs(tables[going], delta, rule)[:, i, j]
        needed[going[~is_open.any(axis=1)]] = more
        is_open &= may_be_asked[i, j]
        is_going = is_open.any(axis=1)
        going, is_open = going[is_going], is_open[is_going]
        if going.size == 0:
            break
        lot = max(1, int(GROWTH * (wins.sum() + more)))
        weights = is_open * (tables[going][:, i, j] + tables[going][:, j, i] + 1.0)
        duels = random.multinomial(lot, weights / weights.sum(axis=1, keepdims=True))
        won = random.binomial(duels, p[going])
        tables[going[:, np.newaxis], i, j] += won
        tables[going[:, np.newaxis], j, i] += duels - won
        more += lot
    return needed
