"""Chooses the pairs of a tournament, a session that asks each pair at most once.

It looks for an arm that beats all others. Arms that have not lost play each other; the last of them plays the arms that
it has not met. If every arm has lost or tied a duel, all other pairs are asked for the table.
"""

import numpy as np

from duelbench.bandits.algorithms.contract import NO_WINNER

Pair = tuple[int, int]


def next_pair(wins: np.ndarray, ties: np.ndarray, may_be_asked: np.ndarray) -> Pair | None:
    """Return the next pair i < j of a tournament; None if nothing is left to ask.

    Parameters
    ----------
    wins : (K, K) float64
        ``wins[i, j]``: whether (or how often) arm i has beaten arm j.
    ties : (K, K) float64
        Symmetric.
    may_be_asked : (K, K) bool
        Symmetric; False for pairs that are forbidden or that somebody is answering now.

    Examples
    --------
    Arm 0 has beaten arm 1, and arm 2 has not lost, so arms 0 and 2 play each other.

    >>> wins = np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]])
    >>> next_pair(wins, np.zeros((3, 3)), ~np.eye(3, dtype=bool))
    (0, 2)
    """
    if answer(wins, ties, may_be_asked) is not None:
        return None
    n_duels = wins + wins.T + ties
    is_new = np.triu((n_duels == 0) & may_be_asked, 1)
    is_unbeaten = unbeaten(wins, ties)
    played = n_duels.sum(axis=1)
    candidates = [(int(i), int(j)) for i, j in np.argwhere(is_new)]
    if not candidates:
        return None
    return min(
        candidates,
        key=lambda pair: (-int(is_unbeaten[pair[0]]) - int(is_unbeaten[pair[1]]), played[pair[0]] + played[pair[1]]),
    )


def unbeaten(wins: np.ndarray, ties: np.ndarray) -> np.ndarray:
    """Return which arms have neither lost nor tied a duel, (K,) bool."""
    return np.asarray((wins.T + ties).sum(axis=1) == 0)


def answer(wins: np.ndarray, ties: np.ndarray, may_be_asked: np.ndarray) -> int | None:
    """Return the arm that has beaten all others; `NO_WINNER` if there is none and nothing is left to ask; else None.

    Examples
    --------
    Rock, paper, scissors:

    >>> answer(np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]]), np.zeros((3, 3)), ~np.eye(3, dtype=bool)) == NO_WINNER
    True
    """
    n_duels = wins + wins.T + ties
    has_won_all = unbeaten(wins, ties) & ((n_duels > 0).sum(axis=1) == len(wins) - 1)
    if has_won_all.any():
        return int(np.argmax(has_won_all))
    is_left = np.triu((n_duels == 0) & may_be_asked, 1)
    return None if is_left.any() else NO_WINNER
