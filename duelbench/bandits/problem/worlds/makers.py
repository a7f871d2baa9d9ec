"""Makes worlds: staircases between matrices, and random families by name.

References
----------
.. [1] P. Kolpaczki, V. Bengs, E. Hüllermeier, "Non-Stationary Dueling Bandits", 2022; the program of its authors.
.. [2] J. Suk, "Non-Stationary Dueling Bandits", the program joesuk/nonstationary-duel.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from duelbench.bandits.parameters import Parameter
from duelbench.bandits.problem.family import Draws
from duelbench.bandits.problem.labelled import from_upper
from duelbench.bandits.problem.matrix_files import MAX_ARMS
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.worlds.world import Starts, World, equal


def drift(first: PreferenceMatrix, last: PreferenceMatrix, steps: int) -> World:
    """Return a staircase from matrix A to matrix B: step k = 0, ..., S - 1 of S has (1 - x) A + x B, x = k / (S - 1).

    Examples
    --------
    >>> A, B = PreferenceMatrix([[0.5, 1.0], [0.0, 0.5]]), PreferenceMatrix([[0.5, 0.0], [1.0, 0.5]])
    >>> [float(matrix.P[0, 1]) for matrix in drift(A, B, 5).matrices]
    [1.0, 0.75, 0.5, 0.25, 0.0]
    """
    World((first, last), equal(2))  # refuses matrices with different arms
    above = np.triu_indices(first.n_arms, 1)
    matrices = []
    for k in range(steps):
        x = k / (steps - 1)
        upper = (1 - x) * first.P[above] + x * last.P[above]
        matrices.append(PreferenceMatrix(from_upper(first.n_arms, upper), first.names))
    return World(tuple(matrices), equal(steps))


def changing_winner(n_arms: int, segments: int, p_min: float, seed: int, starts: Starts | None = None) -> World:
    """Return a world of random matrices with a new Condorcet winner in each segment, as `FAMILIES` describes them.

    The program of [1]_ also forces one entry to change by exactly a given amount; this is left out here. Segments are
    of equal length unless ``starts`` says otherwise.
    """
    draws = Draws("changing-winner", seed)
    winner, matrices = -1, []
    for _ in range(segments):
        winner = _another(winner, n_arms, float(draws.uniform(1)[0]))
        matrices.append(_with_winner(draws, n_arms, winner, p_min))
    return World(tuple(matrices), starts or equal(segments))


def _another(arm: int, n_arms: int, u: float) -> int:
    """Return a random arm other than ``arm``; any arm if ``arm`` is -1."""
    if arm < 0:
        return int(u * n_arms)
    drawn = int(u * (n_arms - 1))
    return drawn + (drawn >= arm)


def _with_winner(draws: Draws, n_arms: int, winner: int, p_min: float) -> PreferenceMatrix:
    upper = draws.uniform(n_arms * (n_arms - 1) // 2)
    P = from_upper(n_arms, upper)
    wins = p_min + (1 - p_min) * draws.uniform(n_arms)
    wins[_another(winner, n_arms, float(draws.uniform(1)[0]))] = p_min
    P[:, winner] = 1 - wins
    P[winner] = 1 - P[:, winner]
    P[winner, winner] = 0.5
    return PreferenceMatrix(P)


def geometric_order(n_arms: int, segments: int, seed: int, starts: Starts | None = None) -> World:
    """Return a world with a random order of the arms in each segment, that of K uniform numbers, as in [2]_.

    In this order, the arms have the weights 1, 1/2, 1/4, ... of a Bradley-Terry model. The parameters are those of
    `changing_winner`.
    """
    draws = Draws("geom-btl", seed)
    i, j = np.triu_indices(n_arms, 1)
    matrices = []
    for _ in range(segments):
        places = np.argsort(np.argsort(draws.uniform(n_arms), kind="stable"))
        upper = 1 / (1 + np.exp2(np.asarray(places[i] - places[j], np.float64)))
        matrices.append(PreferenceMatrix(from_upper(n_arms, upper)))
    return World(tuple(matrices), starts or equal(segments))


@dataclass(frozen=True)
class WorldFamily:
    """A family of random worlds."""

    description: str  # of the matrix of a segment
    source: str  # the paper that describes it
    parameters: Mapping[str, Parameter]  # besides the number of segments, the seed and the starts
    make: Callable[..., World]  # make(segments=..., seed=..., **parameters)


_N_ARMS = Parameter(5, "number of arms", low=2, high=MAX_ARMS)

FAMILIES = {
    "changing-winner": WorldFamily(
        "a Condorcet winner w other than the one before: p_wj = p_min + (1 - p_min) u, but p_min for one random j; all "
        "other pairs uniform on [0, 1)",
        "the program of Kolpaczki et al. 2022",
        {"n_arms": _N_ARMS, "p_min": Parameter(0.6, "least p_wj", low=0.5, high=1.0, low_open=True)},
        changing_winner,
    ),
    "geom-btl": WorldFamily(
        "p_ij = 1 / (1 + 2^(r_i - r_j)), r_i the place of arm i in a random order",
        "Suk's program joesuk/nonstationary-duel",
        {"n_arms": _N_ARMS},
        geometric_order,
    ),
}
"""Families of worlds by their names in specs."""
