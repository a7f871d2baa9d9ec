"""Preference matrices drawn from a prior, or given a table of wins.

With x_i, e_ij and z independent and standard normal, the prior is

    logit p_ij = spread exp(uncertainty z) (x_i - x_j + own e_ij),     i < j:

arms have strengths, on a scale of each matrix's own, and pairs depart from them a little. Without the noise (``own`` 0)
it is the model of Bradley and Terry [1]_. docs/studies/advice.md has the fit to matrices of people.

What a table of wins leaves likely is drawn by elliptical slice sampling [2]_, each matrix by a chain of its own, with
ellipses of a normal law near the right one, as in [3]_: those of the prior are far too wide for tables of many duels.

References
----------
.. [1] R. A. Bradley, M. E. Terry, "Rank Analysis of Incomplete Block Designs: I. The Method of Paired Comparisons",
   Biometrika 39 (1952), pages 324-345.
.. [2] I. Murray, R. P. Adams, D. J. C. MacKay, "Elliptical slice sampling", AISTATS 2010, figure 2.
.. [3] R. Nishihara, I. Murray, R. P. Adams, "Parallel MCMC with Generalized Elliptical Slice Sampling", Journal of
   Machine Learning Research 15 (2014), pages 2087-2112, section 2.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from duelbench.errors import InputError


@dataclass(frozen=True)
class Prior:
    """How far arms are believed to lie apart: standard deviations, in units of the logit."""

    spread: float = 0.75  # of the strengths of a typical matrix
    uncertainty: float = 0.5  # of the logarithm of that between matrices
    own: float = 0.15  # of what a pair departs from the strengths, as a part of theirs


PEOPLE = Prior()
"""The prior of matrices of people."""

GAPS = {"small": Prior(0.4, 0.25), "middling": Prior(0.75, 0.25), "large": Prior(1.4, 0.25)}
"""Priors by a word: the lower, the middle and the upper part of `PEOPLE`, about a third of the matrices each."""

STEPS = 50
"""Of each chain. After three no test could tell the law from the right one."""

WARM_UP, USED = 10, 20
"""Steps of the chains of `winners_given` that are left out, and those that count."""

CHAINS, FEWEST_CHAINS, CHAIN_NUMBERS = 1000, 100, 4 * 10**7
"""Chains of `winners_given`; at least; and chains times the square of the number of pairs from which they are fewer."""

BATCH_NUMBERS = 2**22
"""Numbers, about, that are drawn at a time where most are thrown away."""

LEAST_ACCEPTED = 2e-4
"""The smallest part of the matrices that must be able to have a gap."""


def prior_matrices(prior: Prior, n_arms: int, n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw ``n`` matrices of ``n_arms`` arms from a prior, (n, K, K)."""
    scales = prior.spread * np.exp(prior.uncertainty * rng.standard_normal((n, 1)))
    return _matrices(scales * _contrasts(prior, n_arms, n, rng), n_arms)


def matrices_with_gap(prior: Prior, n_arms: int, gap: float, n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw ``n`` matrices from a prior, given ``gap``, p - 1/2 of their Condorcet winner's closest duel, (n, K, K).

    Given the shape of a matrix (x and e) its smallest gap rises with the scale: so one scale alone has the gap, and the
    shape is accepted with a probability in proportion to the prior density of the scale's logarithm. `InputError` where
    the prior has next to no such matrices.
    """
    wanted = math.log((0.5 + gap) / (0.5 - gap))
    size = max(1, BATCH_NUMBERS // n_arms**2)
    drawn: list[np.ndarray] = []
    tried = found = 0
    while found < n:
        if tried * LEAST_ACCEPTED > max(found, 1):
            raise InputError(
                f"next to no matrix of {n_arms} arms that is like those of people has a winner with the gap {gap:g};"
                " ask for a gap that is nearer to 0.1, or leave it out"
            )
        shapes = _contrasts(prior, n_arms, size, rng)
        leads = _square(shapes, n_arms)
        leads[:, range(n_arms), range(n_arms)] = np.inf
        closest = leads.min(axis=2).max(axis=1)  # not above 0 where there is no Condorcet winner
        scales = np.divide(wanted, closest, out=np.full(size, np.inf), where=closest > 0)
        with np.errstate(divide="ignore"):
            from_typical = np.log(scales / prior.spread) / prior.uncertainty
        accepted = rng.random(size) < np.exp(-(from_typical**2) / 2)
        drawn.append(scales[accepted, np.newaxis] * shapes[accepted])
        tried += size
        found += int(accepted.sum())
    return _matrices(np.concatenate(drawn)[:n], n_arms)


def matrices_given(
    prior: Prior, wins: np.ndarray, n: int, rng: np.random.Generator, n_steps: int = STEPS
) -> np.ndarray:
    """Draw ``n`` independent matrices from what a table of wins leaves of a prior, (n, K, K).

    ``wins[i, j]`` = how often i has beaten j; ties half each. 0 on the diagonal. ``n_steps`` is the length of a chain.
    """
    n_arms = len(wins)
    target = _Target(prior, wins)
    start = rng.standard_normal((n, 1 + n_arms * (n_arms - 1) // 2))
    return _matrices(target.logits(_slice_sampled(target.log_weight, start, n_steps, rng)), n_arms)


def winners_given(prior: Prior, wins: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """How likely each arm is to be a Copeland winner after a table of wins, (n_chains, K).

    The chains are independent of each other; the best estimate is their mean.
    """
    target = _Target(prior, wins)
    first, second = np.triu_indices(len(wins), 1)
    score_of_first, score_of_second = np.eye(len(wins), dtype=np.float32)[[first, second]]
    n_chains = min(CHAINS, max(FEWEST_CHAINS, CHAIN_NUMBERS // len(first) ** 2))
    points = rng.standard_normal((n_chains, 1 + len(first)))
    points = _slice_sampled(target.log_weight, points, WARM_UP, rng)
    won = np.zeros((n_chains, len(wins)))
    for _ in range(USED):
        points = _slice_sampled(target.log_weight, points, 1, rng)
        is_first = (target.logits(points) > 0).astype(np.float32)
        scores = is_first @ score_of_first + (1 - is_first) @ score_of_second
        won += scores == scores.max(axis=1, keepdims=True)
    return won / USED


class _Target:
    """What a table leaves of the prior, in coordinates (z, q) in which it is nearly the standard normal law.

    The contrasts x_i - x_j + own e_ij are L w with independent standard normal w. Were the likelihood normal, with the
    curvature W at the likeliest logits, w given sigma would be normal with the precision 1 + sigma^2 L' W L. Along its
    eigenvectors w has independent coordinates, and q is these less their means, over their standard deviations.
    """

    def __init__(self, prior: Prior, wins: np.ndarray) -> None:
        first, second = np.triu_indices(len(wins), 1)
        won, lost = wins[first, second].astype(float), wins[second, first].astype(float)
        self._prior, self._won, self._lost = prior, won, lost
        strengths = np.eye(len(wins))
        design = strengths[first] - strengths[second]  # makes differences x_i - x_j, i < j, of strengths
        root = np.linalg.cholesky(design @ design.T + prior.own**2 * np.eye(len(won)))
        likeliest = prior.spread * root @ self._likeliest(prior.spread * root)
        expected = (won + lost) * _expit(likeliest)
        curvature = expected * (1 - _expit(likeliest))
        self._eigenvalues, vectors = np.linalg.eigh(root.T @ (curvature[:, np.newaxis] * root))
        self._eigenvalues = np.maximum(self._eigenvalues, 0.0)  # rounding errors
        self._root = root @ vectors
        self._pull = self._root.T @ (curvature * likeliest + won - expected)

    def _likeliest(self, root: np.ndarray) -> np.ndarray:
        """The w of the largest density where the logits are ``root`` w; there is one: the density is log-concave."""
        from scipy.optimize import minimize

        def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
            logits = root @ w
            slopes = self._won - (self._won + self._lost) * _expit(logits)
            return float(w @ w / 2 - self._log_likelihood(logits)), w - root.T @ slopes

        return np.asarray(minimize(loss, np.zeros(len(root)), jac=True, method="L-BFGS-B").x)

    def _log_likelihood(self, logits: np.ndarray) -> np.ndarray:
        """Of the table, given the logits of the pairs along the last axis."""
        return -(self._won * np.logaddexp(0, -logits) + self._lost * np.logaddexp(0, logits)).sum(axis=-1)

    def _along(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of points (z, q): sigma, (n, 1); v, and the precision of its coordinates given sigma, (n, n_pairs)."""
        scales = self._prior.spread * np.exp(self._prior.uncertainty * points[:, :1])
        precisions = 1 + scales**2 * self._eigenvalues
        return scales, scales * self._pull / precisions + points[:, 1:] / np.sqrt(precisions), precisions

    def logits(self, points: np.ndarray) -> np.ndarray:
        """Of the points (z, q), (n, 1 + n_pairs), the logit of each pair's probability, (n, n_pairs)."""
        scales, along, _ = self._along(points)
        return np.asarray(scales * (along @ self._root.T))

    def log_weight(self, points: np.ndarray) -> np.ndarray:
        """How much likelier points (z, q) are than the standard normal law says: a logarithm, up to a constant."""
        scales, along, precisions = self._along(points)
        likelihood = self._log_likelihood(scales * (along @ self._root.T))
        of_coordinates = (points[:, 1:] ** 2 - along**2 - np.log(precisions)).sum(axis=1) / 2
        return np.asarray(likelihood + of_coordinates)


def _slice_sampled(
    log_weight: Callable[[np.ndarray], np.ndarray], points: np.ndarray, n_steps: int, rng: np.random.Generator
) -> np.ndarray:
    """Elliptical slice sampling of the standard normal law, weighted: figure 2 of [2]_ for several chains at once."""
    points = points.copy()
    weights = log_weight(points)
    for _ in range(n_steps):
        others = rng.standard_normal(points.shape)
        levels = weights + np.log1p(-rng.random(len(points)))
        angles = 2 * math.pi * rng.random(len(points))
        lowest, highest = angles - 2 * math.pi, angles.copy()
        before = points.copy()
        left = np.arange(len(points))
        while len(left):
            angle = angles[left, np.newaxis]
            proposed = before[left] * np.cos(angle) + others[left] * np.sin(angle)
            found = log_weight(proposed)
            is_in = found > levels[left]
            points[left[is_in]], weights[left[is_in]] = proposed[is_in], found[is_in]
            left = left[~is_in]
            is_below = angles[left] < 0
            lowest[left[is_below]] = angles[left[is_below]]
            highest[left[~is_below]] = angles[left[~is_below]]
            angles[left] = lowest[left] + (highest[left] - lowest[left]) * rng.random(len(left))
    return points


def _contrasts(prior: Prior, n_arms: int, n: int, rng: np.random.Generator) -> np.ndarray:
    """x_i - x_j + own e_ij for the pairs i < j, (n, n_pairs)."""
    first, second = np.triu_indices(n_arms, 1)
    strengths = rng.standard_normal((n, n_arms))
    noise = rng.standard_normal((n, len(first)))
    return strengths[:, first] - strengths[:, second] + prior.own * noise


def _square(of_pairs: np.ndarray, n_arms: int) -> np.ndarray:
    """Numbers of the pairs i < j as tables, (n, K, K), of which those of j and i are the negatives."""
    first, second = np.triu_indices(n_arms, 1)
    tables = np.zeros((len(of_pairs), n_arms, n_arms))
    tables[:, first, second] = of_pairs
    tables[:, second, first] = -of_pairs
    return tables


def _matrices(logits: np.ndarray, n_arms: int) -> np.ndarray:
    """Preference matrices of the logits of the pairs i < j; what is won and what is lost add up to 1 exactly."""
    return 0.5 + _square(_expit(logits) - 0.5, n_arms)


def _expit(logits: np.ndarray) -> np.ndarray:
    from scipy.special import expit

    return np.asarray(expit(logits))
