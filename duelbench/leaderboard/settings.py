"""The settings of the leaderboard: what a matrix has that algorithms assume, and how large it is."""

import numpy as np

from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.winners import condorcet_winner, gaps, inferior_counts

TITLES = {"order": "A total order", "condorcet": "A Condorcet winner", "copeland": "No Condorcet winner"}
"""The settings, and what tables call them. Of a matrix with a total order the other two are not said."""

SIZES = {"small": range(2, 17), "large": range(17, 10**6)}
"""Numbers of arms whose matrices have a table of their own."""


def setting_of(matrix: PreferenceMatrix) -> str:
    """The setting of a matrix, worked out from it.

    Returns
    -------
    str
        ``copeland`` where no arm beats all others. Elsewhere ``order`` where the arms can be ordered so that each
        beats all that come after it, some of which may be level with each other; else ``condorcet``.

    Examples
    --------
    Arm 0 beats all others, and these are in a circle; without arm 0 no arm beats the others.

    >>> P = [[0.5, 0.6, 0.6, 0.6], [0.4, 0.5, 0.7, 0.3], [0.4, 0.3, 0.5, 0.7], [0.4, 0.7, 0.3, 0.5]]
    >>> setting_of(PreferenceMatrix(P)), setting_of(PreferenceMatrix([row[1:] for row in P[1:]]))
    ('condorcet', 'copeland')
    >>> setting_of(PreferenceMatrix([[0.5, 0.6, 0.6], [0.4, 0.5, 0.5], [0.4, 0.5, 0.5]]))
    'order'
    """
    if condorcet_winner(matrix) is None:
        return "copeland"
    # In an order, who beats more arms beats those that beat fewer, and is level with those that beat as many.
    beaten = inferior_counts(matrix)
    return "order" if np.array_equal(np.sign(gaps(matrix)), np.sign(beaten[:, None] - beaten)) else "condorcet"


def size_of(n_arms: int) -> str:
    """The key of `SIZES` for a number of arms.

    Examples
    --------
    >>> size_of(16), size_of(64)
    ('small', 'large')
    """
    return next(size for size, numbers in SIZES.items() if n_arms in numbers)
