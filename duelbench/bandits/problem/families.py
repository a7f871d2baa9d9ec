"""Synthetic preference matrices: families with parameters, each described exactly.

`FAMILIES` is the list. The same family, parameters and seed always give the same matrix. Arithmetic is exact; only if a
description says exp, ln or "normal", the last digit of an entry can differ between C libraries. In every matrix,
``P[i, j] + P[j, i] = 1`` exactly (see `duelbench.bandits.problem.labelled.from_upper`), but for ``submatrix``, whose
numbers are those of its file.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

from duelbench.bandits.parameters import Parameter
from duelbench.bandits.problem.family import Build, Draws, Family, Load, MatrixName, Numbers
from duelbench.bandits.problem.labelled import from_upper
from duelbench.bandits.problem.matrix_files import MAX_ARMS
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.winners import condorcet_winner, copeland_winners
from duelbench.errors import InputError, nearest_or_all

MAX_TRIES = 10_000  # Largest number of random matrices drawn until one fulfils a condition
MAX_DRAWN = 2 * 10**8  # Largest number of probabilities drawn for these matrices (one matrix is always drawn)
MAX_SUBSETS = 100_000  # Largest number of random subsets of arms drawn until one fulfils a condition
MAX_UTILITY = 300.0  # Largest utility by size, so that e^(u - v) stays within floats


def generate(
    name: str, *, seed: int = 0, folder: Path = Path(), load: Load = PreferenceMatrix.load, **parameters: Any
) -> PreferenceMatrix:
    """Return a matrix of one of `FAMILIES`; its parameters, seed, folder and ``load`` are as for `Family.generate`.

    Examples
    --------
    >>> generate("flat", n_arms=3, p=0.75).P.tolist()
    [[0.5, 0.75, 0.75], [0.25, 0.5, 0.75], [0.25, 0.25, 0.5]]
    """
    return family(name).generate(parameters, seed, folder, load)


def family(name: str) -> Family:
    """Return the family with this name; if there is none, an InputError suggests the nearest name."""
    if name not in FAMILIES:
        raise InputError(f"there is no family '{name}'{nearest_or_all(name, FAMILIES)}")
    return FAMILIES[name]


_WINNERS: Mapping[str, Callable[[np.ndarray], bool]] = {
    "any": lambda P: True,
    "unique": lambda P: len(copeland_winners(P)) == 1,
    "several": lambda P: len(copeland_winners(P)) > 1,
    "condorcet": lambda P: condorcet_winner(P) is not None,
    "no-condorcet": lambda P: condorcet_winner(P) is None,
}

AILON: Mapping[str, tuple[float, ...]] = {
    "1good": (0.8, 0.2, 0.2, 0.2, 0.2, 0.2),
    "2good": (0.8, 0.7, 0.2, 0.2, 0.2, 0.2),
    "3good": (0.8, 0.7, 0.7, 0.2, 0.2, 0.2),
    "arith": (0.8, 0.7, 0.575, 0.45, 0.325, 0.2),
    "geom": (0.8, 0.7, 0.512, 0.374, 0.274, 0.2),
}
"""The utilities of Ailon et al. 2014."""


def _n_arms(default: int) -> Parameter:
    return Parameter(default, "number of arms K", low=2, high=MAX_ARMS)


def _above_half(default: float, description: str) -> Parameter:
    return Parameter(default, description, low=0.5, low_open=True, high=1)


_MIN_GAP = Parameter(0.0, "smallest |p_ij - 1/2| allowed", low=0, high=0.5, high_open=True)

_ANY_WINNERS = Parameter("any", "condition on the winners", choices=tuple(_WINNERS))

_THEMSELVES = "themselves, one per arm, in this order; nothing is drawn then"


FAMILIES: dict[str, Family] = {}
"""All families by name."""


def _family(
    description: str, source: str, *, list_parameter: str = "", **parameters: Parameter
) -> Callable[[Build], Build]:
    """Decorate a function that builds matrices: add a `Family` with the function's name to `FAMILIES`."""

    def add(build: Build) -> Build:
        name, is_random = build.__name__.strip("_").replace("_", "-"), "draws" in signature(build).parameters
        FAMILIES[name] = Family(name, description, source, parameters, build, is_random, list_parameter)
        return build

    return add


def _by_distance(n_arms: int, probability: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Return the matrix with P[i, j] = probability(j - i) for i < j."""
    by_distance = probability(np.arange(n_arms, dtype=np.float64))
    return from_upper(n_arms, np.concatenate([by_distance[1 : n_arms - i] for i in range(n_arms - 1)]))


@_family(
    "p_ij = 1/2 + slope (j - i) / K: a linear order, arm 0 the Condorcet winner",
    "the linear order of the SPEED paper with slope 1/4: p_ij = 1/2 + (j - i) / (4K)",
    n_arms=_n_arms(16),
    slope=Parameter(0.25, "gap of two arms K places apart", low=0, low_open=True, high=0.5),
)
def _linear(n_arms: int, slope: float) -> np.ndarray:
    return _by_distance(n_arms, lambda distance: 0.5 + slope * distance / n_arms)


@_family(
    "p_ij = 1/2 + step (j - i): a linear order, arm 0 the Condorcet winner",
    "Komiyama et al. 2015 (Arithmetic, K = 8, step 0.05)",
    n_arms=_n_arms(8),
    step=Parameter(0.05, "gap of neighbours", low=0, low_open=True, high=0.5),
)
def _arithmetic(n_arms: int, step: float) -> np.ndarray:
    if 0.5 + step * (n_arms - 1) > 1:
        raise InputError(f"arithmetic: step is at most 1/2 / (n_arms - 1) = {0.5 / (n_arms - 1):.6g}, got {step:g}")
    return _by_distance(n_arms, lambda distance: 0.5 + step * distance)


@_family(
    "p_ij = p for i < j: a linear order, arm 0 the Condorcet winner",
    "Yue & Joachims 2011; Urvoy et al. 2013, Figure 11 (K = 100)",
    n_arms=_n_arms(100),
    p=_above_half(0.6, "probability that the better arm wins"),
)
def _flat(n_arms: int, p: float) -> np.ndarray:
    return _by_distance(n_arms, lambda distance: np.full(n_arms, p))


@_family(
    "p_ij = low + (high - low) u, u uniform on [0, 1), one per pair i < j in lexicographic order: a linear "
    "order with random gaps, arm 0 the Condorcet winner",
    "our choice",
    n_arms=_n_arms(16),
    low=_above_half(0.55, "least probability that the better arm wins"),
    high=_above_half(0.95, "greatest probability that the better arm wins"),
)
def _random_order(draws: Draws, n_arms: int, low: float, high: float) -> np.ndarray:
    if not low <= high:
        raise InputError(f"random-order: low is at most high, got {low:g} and {high:g}")
    # min: the product can round up to high - low + an ulp.
    return from_upper(n_arms, np.minimum(low + (high - low) * draws.uniform(n_arms * (n_arms - 1) // 2), high))


@_family(
    "p_ij = 1/2 + (j + 1) / (2K) for i < j, or 1/2 + j / (2K) if zero_based: a linear order in which the best "
    "arms are the hardest to tell apart, arm 0 the Condorcet winner",
    "Urvoy et al. 2013, Figure 4 (K = 30) and 5 (K = 400); the text prints the first formula, the published "
    "curves fit the second",
    n_arms=_n_arms(30),
    zero_based=Parameter(False, "count j from 0, as the published curves of Figure 4 do"),
)
def _hard_condorcet(n_arms: int, zero_based: bool) -> np.ndarray:
    _, j = np.triu_indices(n_arms, k=1)
    return from_upper(n_arms, 0.5 + (j if zero_based else j + 1) / (2 * n_arms))


def _ratio(weights: Sequence[float]) -> np.ndarray:
    """Return the matrix P[i, j] = w_i / (w_i + w_j)."""
    w = np.array(weights)
    i, j = np.triu_indices(len(w), k=1)
    return from_upper(len(w), w[i] / (w[i] + w[j]))


def _logistic(utilities: Sequence[float]) -> np.ndarray:
    """Return the matrix P[i, j] = 1 / (1 + exp(u_j - u_i)), computed with only K exponentials."""
    top = max(utilities)
    return _ratio([math.exp(u - top) for u in utilities])


@_family(
    "p_ij = 1 / (1 + e^(u_j - u_i)). Utilities u, sorted so that arm 0 has the highest: scale times standard "
    "normal (distribution normal) or uniform on [0, 1) (uniform), or evenly from scale down to 0 (even)",
    "Bradley & Terry 1952; the distributions are our choice",
    list_parameter="utilities",
    n_arms=_n_arms(16),
    distribution=Parameter("normal", "how utilities are drawn", choices=("normal", "uniform", "even")),
    scale=Parameter(1.0, "standard deviation, or width, of the utilities", low=0, low_open=True, high=30),
    utilities=Numbers(None, f"the utilities {_THEMSELVES}", low=-MAX_UTILITY, high=MAX_UTILITY, fewest=2),
)
def _bradley_terry(
    draws: Draws, n_arms: int, distribution: str, scale: float, utilities: tuple[float, ...] | None
) -> np.ndarray:
    if utilities is not None:
        return _logistic(utilities)
    if distribution == "even":
        drawn = [scale * (n_arms - 1 - i) / (n_arms - 1) for i in range(n_arms)]
    else:
        drawn = [
            scale * x for x in (draws.normal(n_arms) if distribution == "normal" else draws.uniform(n_arms).tolist())
        ]
    return _logistic(sorted(drawn, reverse=True))


@_family(
    "p_ij = w_i / (w_i + w_j), how often i comes before j in an order drawn item by item with probabilities "
    "proportional to the weights w. Weights exponential with mean 1 (in proportion, uniform on the simplex), "
    "sorted so that arm 0 has the highest",
    "Luce 1959, Plackett 1975; the distribution of the weights is our choice",
    list_parameter="weights",
    n_arms=_n_arms(16),
    weights=Numbers(None, f"the weights {_THEMSELVES}", low=1e-100, high=1e100, fewest=2),
)
def _plackett_luce(draws: Draws, n_arms: int, weights: tuple[float, ...] | None) -> np.ndarray:
    if weights is not None:
        return _ratio(weights)
    return _ratio(sorted(draws.exponential(n_arms), reverse=True))


@_family(
    "p_ij = how often i comes before j, i < j, in an order drawn with probability proportional to "
    "phi^(number of pairs in the wrong order), 0, 1, ..., K - 1 being the right one. With d = j - i and "
    "S_m = 1 + phi + ... + phi^(m-1): p_ij = (1 + 2 phi + ... + d phi^(d-1)) / (S_d S_(d+1))",
    "Mallows 1957; the marginals as in Busa-Fekete et al. 2014, equal to (d+1) / (1 - phi^(d+1)) - d / (1 - phi^d)",
    n_arms=_n_arms(16),
    phi=Parameter(0.7, "dispersion: 0 is always the right order, near 1 any", low=0, high=1, high_open=True),
)
def _mallows(n_arms: int, phi: float) -> np.ndarray:
    powers = np.cumprod(np.concatenate([[1.0], np.full(n_arms - 1, phi)]))
    totals = np.cumsum(powers)
    ahead = np.cumsum(np.arange(1, n_arms + 1) * powers)
    # by_distance[d] = ahead[d - 1] / (totals[d - 1] totals[d]); the distance is never 0.
    by_distance = np.concatenate([[0.5], ahead[:-1] / (totals[:-1] * totals[1:])])
    return _by_distance(n_arms, lambda distance: np.minimum(by_distance, 1.0))


@_family(
    "arms in blocks of the given odd sizes. An arm beats every arm of a later block with p_between, and in its "
    "own block of size m the next (m - 1) / 2 arms around the circle with p_within. The arms of the first "
    "block are the Copeland winners",
    "our generalisation; sizes 1 and 3, p_within 0.9 and p_between 0.6 are Cyclic of Komiyama et al. 2015",
    sizes=Numbers((3, 3, 3), "arms of each block, all odd", low=1, high=MAX_ARMS, whole=True),
    p_within=_above_half(0.9, "probability of winning inside a block"),
    p_between=_above_half(0.6, "probability that the earlier block wins"),
)
def _cyclic_blocks(sizes: tuple[int, ...], p_within: float, p_between: float) -> np.ndarray:
    n_arms = sum(sizes)
    if any(size % 2 == 0 for size in sizes):
        raise InputError("cyclic-blocks: every block has an odd number of arms, so that each beats as many as beat it")
    if not 2 <= n_arms <= MAX_ARMS:
        raise InputError(f"cyclic-blocks: sizes add up to {n_arms} arms; 2 to {MAX_ARMS} are supported")
    block = np.repeat(np.arange(len(sizes)), sizes)
    size = np.repeat(sizes, sizes)
    i, j = np.triu_indices(n_arms, k=1)
    wins_cycle = j - i <= (size[i] - 1) // 2
    within = np.where(wins_cycle, p_within, 1 - p_within)
    return from_upper(n_arms, np.where(block[i] == block[j], within, p_between))


@_family(
    "arms 0 to n_winners - 1 are the Copeland winners: each beats the next (n_winners - 1) / 2 of them around "
    "the circle with p_cycle, and every other arm with p_top; of the others i beats j > i with p_rest. With "
    "distribution uniform each of these probabilities is 1/2 + u/2 instead, u uniform on [0, 1), one per pair i < j in "
    "lexicographic order",
    "the signs are those of the 500-armed instance of Zoghi et al. 2015 (winners that beat 498, others that "
    "beat 496, ..., 0), which these counts determine; its probabilities are not known: these are our choice, "
    "and this is not the matrix of that paper",
    n_arms=_n_arms(500),
    n_winners=Parameter(3, "number of Copeland winners, odd", low=1, high=MAX_ARMS),
    p_cycle=_above_half(0.6, "probability of winning among the winners"),
    p_top=_above_half(0.6, "probability that a winner beats another arm"),
    p_rest=_above_half(0.6, "probability of winning among the others"),
    distribution=Parameter("fixed", "fixed or random probabilities", choices=("fixed", "uniform")),
)
def _copeland_cycle(
    draws: Draws, n_arms: int, n_winners: int, p_cycle: float, p_top: float, p_rest: float, distribution: str
) -> np.ndarray:
    if n_winners % 2 == 0 or n_winners > n_arms:
        raise InputError(f"copeland-cycle: n_winners is odd and at most n_arms, got {n_winners} of {n_arms}")
    i, j = np.triu_indices(n_arms, k=1)
    winning = np.select([j < n_winners, i < n_winners], [p_cycle, p_top], p_rest)
    if distribution == "uniform":
        winning = 0.5 + 0.5 * draws.uniform(len(i))
    first_wins = (j >= n_winners) | (j - i <= (n_winners - 1) // 2)
    return from_upper(n_arms, np.where(first_wins, winning, 1 - winning))


@_family(
    "p_ij for i < j, in lexicographic order, uniform on [0, 1/2 - g) and [1/2 + g, 1), g = min_gap: "
    "x = (1 - 2g) u with u uniform on [0, 1), then x, or x + 2g if x >= 1/2 - g. Matrices are drawn one "
    "after the other until the winners are as required: any, a unique Copeland winner, several, a Condorcet "
    f"winner, none; {MAX_TRIES} at most",
    "Urvoy et al. 2013, Figures 6 and 10; Agrawal & Chaporkar (unique)",
    n_arms=_n_arms(10),
    winners=_ANY_WINNERS,
    min_gap=_MIN_GAP,
)
def _random(draws: Draws, n_arms: int, winners: str, min_gap: float) -> np.ndarray:
    pairs = n_arms * (n_arms - 1) // 2
    tries = max(1, min(MAX_TRIES, MAX_DRAWN // pairs))
    for _ in range(tries):
        # Join the two allowed intervals, then separate them by the excluded gap.
        x = draws.uniform(pairs) * (1 - 2 * min_gap)
        matrix = from_upper(n_arms, np.where(x < 0.5 - min_gap, x, np.minimum(x + 2 * min_gap, 1.0)))
        if _WINNERS[winners](matrix):
            return matrix
    raise InputError(
        f"random: none of {tries} matrices drawn had winners={winners}; take fewer arms, another seed or condition"
    )


@_family(
    "arms of utility u: p_ij = (1 + u_i - u_j) / 2 (link linear), u_i / (u_i + u_j) (natural) or "
    "1 / (1 + e^(u_j - u_i)) (logit). Instances: "
    + "; ".join(f"{name} {' '.join(f'{u:g}' for u in values)}" for name, values in AILON.items()),
    "Ailon et al. 2014, section 5",
    instance=Parameter("1good", "which utilities", choices=tuple(AILON)),
    utilities=Numbers(None, "other utilities instead, one per arm", low=-MAX_UTILITY, high=MAX_UTILITY, fewest=2),
    link=Parameter("linear", "from utilities to probabilities", choices=("linear", "natural", "logit")),
)
def _utility(instance: str, utilities: tuple[float, ...] | None, link: str) -> np.ndarray:
    u = np.array(AILON[instance] if utilities is None else utilities)
    if len(u) < 2:
        raise InputError("utility: a duel needs two arms, so at least 2 utilities")
    if link == "logit":
        return _logistic(u.tolist())
    if link == "natural":
        if u.min() <= 0:
            raise InputError("utility: the link 'natural' needs utilities above 0")
        return _ratio(u.tolist())
    if u.min() < 0 or u.max() > 1:
        raise InputError("utility: the link 'linear' needs utilities from 0 to 1")
    i, j = np.triu_indices(len(u), k=1)
    return from_upper(len(u), (1 + (u[i] - u[j])) / 2)


@_family(
    "n_arms arms of another matrix, all sets equally likely, in increasing order: sets are drawn one after the other "
    "until every pair has |p_ij - 1/2| >= min_gap and the winners are as required (the same choices as for "
    f"random); {MAX_SUBSETS} at most",
    "Komiyama et al. 2016, Figure 1 (a)-(c): K = 16 of the MSLR informational matrix with gaps >= 0.005, or "
    "K = 64 with gaps >= 0.0005; their sets are not published",
    matrix=MatrixName(None, "path of a matrix file, or data fetched such as mslr-informational"),
    n_arms=_n_arms(16),
    winners=_ANY_WINNERS,
    min_gap=_MIN_GAP,
)
def _submatrix(draws: Draws, matrix: PreferenceMatrix, n_arms: int, winners: str, min_gap: float) -> PreferenceMatrix:
    if n_arms > matrix.n_arms:
        raise InputError(f"submatrix: n_arms={n_arms}, but {matrix.source} has {matrix.n_arms} arms")
    too_close = (np.abs(matrix.P - 0.5) < min_gap) & ~np.eye(matrix.n_arms, dtype=bool)
    n_together = max(1, min(1000, 10**6 // max(n_arms**2, matrix.n_arms)))  # sets of a few megabytes
    for drawn_before in range(0, MAX_SUBSETS, n_together):
        drawn = draws.subsets(n_arms, matrix.n_arms, min(n_together, MAX_SUBSETS - drawn_before))
        refused = too_close[drawn[:, :, np.newaxis], drawn[:, np.newaxis, :]].any(axis=(1, 2))
        for arms in drawn[~refused]:
            if _WINNERS[winners](matrix.P[np.ix_(arms, arms)]):
                return matrix.submatrix(arms.tolist())
    raise InputError(
        f"submatrix: none of {MAX_SUBSETS} random sets of {n_arms} arms of {matrix.source} had every gap >= "
        f"{min_gap:g} and winners={winners}; take fewer arms, a smaller gap, another seed or condition"
    )
