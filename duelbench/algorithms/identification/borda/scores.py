"""Borda scores by samples: duels of an arm with an opponent drawn from all others, whose score does not move."""

import math
from typing import NamedTuple

import numpy as np

from duelbench.kernels.decorators import kernel
from duelbench.kernels.sampling import draw_index


class Scores(NamedTuple):
    # (K,) int64. Of each arm: how many duels with a random opponent it has won, and of how many.
    wins: np.ndarray
    samples: np.ndarray
    mean: np.ndarray  # (K,) float64. wins / samples; 1/2 before the first.
    order: np.ndarray  # (K,) int64. The private order of the arms.
    place: np.ndarray  # (K,) int64. The place of each arm in it.


def new_scores(n_arms, rng):
    """Scores before any duel; draws the private order of the arms."""
    order = rng.permutation(n_arms)
    return Scores(
        wins=np.zeros(n_arms, np.int64),
        samples=np.zeros(n_arms, np.int64),
        mean=np.full(n_arms, 0.5),
        order=order,
        place=np.argsort(order),
    )


@kernel
def add_samples(scores, arm, wins, losses):
    """Count duels of an arm with random opponents."""
    scores.wins[arm] += wins
    scores.samples[arm] += wins + losses
    scores.mean[arm] = scores.wins[arm] / scores.samples[arm]


@kernel
def draw_opponent(arm, n_arms, rng):
    """An arm drawn uniformly from all others."""
    opponent = draw_index(n_arms - 1, rng)
    return opponent + (opponent >= arm)


@kernel
def is_ahead(scores, i, j):
    """Whether arm i has a higher mean than arm j; ties in private order."""
    if scores.mean[i] != scores.mean[j]:
        return scores.mean[i] > scores.mean[j]
    return scores.place[i] < scores.place[j]


@kernel
def sort_arms(scores, arms, count):
    """Sort the first ``count`` entries in place, those ahead first: nearly sorted from the last time."""
    for k in range(1, count):
        arm = arms[k]
        at = k
        while at > 0 and is_ahead(scores, arm, arms[at - 1]):
            arms[at] = arms[at - 1]
            at -= 1
        arms[at] = arm


def log_term(n_arms, delta):
    """The part of beta(n) that does not depend on n: ln(K / delta) + 3/4 ln ln(K / delta)."""
    return math.log(n_arms / delta) + 0.75 * math.log(math.log(n_arms / delta))


@kernel
def radius(samples, log_term):
    """alpha(n) = sqrt(beta(n) / (2n)), beta(n) = ``log_term`` + 3/2 ln(1 + ln(n/2)); infinite for n = 0."""
    if samples == 0:
        return math.inf
    return math.sqrt((log_term + 1.5 * math.log(1.0 + math.log(0.5 * samples))) / (2.0 * samples))


def refuses(n_arms, horizon, *, delta, k, **others):
    """Why it cannot find the k best, or None."""
    if k >= n_arms:
        return f"k must be from 1 to {n_arms - 1}, got {k}"
    if log_term(n_arms, delta) + 1.5 * math.log(1.0 - math.log(2.0)) < 0.0:
        return f"delta = {delta:g} is too large for its confidence intervals of {n_arms} arms; 0.4 is small enough"
    return None
