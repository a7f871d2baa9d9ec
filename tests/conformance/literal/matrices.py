"""Matrices that the algorithms and their transcriptions are played on."""

from collections.abc import Iterable, Mapping

import numpy as np

LINEAR = 0.5 + 0.08 * (np.arange(5)[None, :] - np.arange(5)[:, None])
CYCLIC = np.array([[0.5, 0.6, 0.6, 0.6], [0.4, 0.5, 0.9, 0.1], [0.4, 0.1, 0.5, 0.9], [0.4, 0.9, 0.1, 0.5]])
NO_CONDORCET_WINNER = np.array(
    [
        [0.5, 0.2, 0.8, 0.8, 0.8],
        [0.8, 0.5, 0.2, 0.8, 0.8],
        [0.2, 0.8, 0.5, 0.8, 0.8],
        [0.2, 0.2, 0.2, 0.5, 0.6],
        [0.2, 0.2, 0.2, 0.4, 0.5],
    ]
)
MATRICES = {"linear": LINEAR, "cyclic": CYCLIC, "no Condorcet winner": NO_CONDORCET_WINNER}
"""All algorithms are played on these."""

MANY_ARMS = {"many arms": 0.5 + 0.04 * (np.arange(11)[None, :] - np.arange(11)[:, None])}


def total_order(n_arms: int, chance: float) -> np.ndarray:
    """Every arm beats every later one with the same ``chance``."""
    upper = np.triu(np.ones((n_arms, n_arms)), 1)
    return 0.5 + (chance - 0.5) * (upper - upper.T)


def circle(n_arms: int, chance: float) -> np.ndarray:
    """An odd number of arms, each of which beats the next half of them: all are Copeland winners."""
    ahead = (np.arange(n_arms)[None, :] - np.arange(n_arms)[:, None]) % n_arms
    return np.where(ahead == 0, 0.5, np.where(ahead <= n_arms // 2, chance, 1.0 - chance))


STEEP = {"steep": 0.5 + 0.12 * (np.arange(5)[None, :] - np.arange(5)[:, None])}
CLEAR = {"order": total_order(5, 0.95), "certain": total_order(5, 1.0)[::-1, ::-1], "steep circle": circle(5, 0.95)}
"""So clear that algorithms with wide confidence intervals settle within the horizon."""


class Turning:
    """A matrix that is turned round after so many duels: what seemed certain proves wrong."""

    def __init__(self, P: np.ndarray, duels: int):
        self._P = P
        self._left = duels

    def __len__(self) -> int:
        return len(self._P)

    def __getitem__(self, pair: tuple[int, int]) -> float:
        self._left -= 1
        return self._P[pair] if self._left >= 0 else 1.0 - self._P[pair]


def reversed_after(duels: int) -> dict[str, Turning]:
    """Three arms in a steep order, which is turned round after so many duels."""
    return {f"turning after {duels}": Turning(total_order(3, 0.95), duels)}


def certain_but(
    n_arms: int, wins: Mapping[int, Iterable[int]], doubtful: Iterable[tuple[int, int]], chance: float = 0.7
) -> np.ndarray:
    """Arm i surely beats the arms ``wins[i]``; of each doubtful pair the first arm wins with this ``chance``."""
    P = np.full((n_arms, n_arms), 0.5)
    for i, losers in wins.items():
        for j in losers:
            P[i, j], P[j, i] = 1.0, 0.0
    for i, j in doubtful:
        P[i, j], P[j, i] = chance, 1.0 - chance
    return P


IN_DOUBT = {
    "certain circle": circle(5, 1.0),
    "an arm dominated": certain_but(
        6, {0: (3, 4, 5), 1: (3, 4, 5), 3: (2, 4), 4: (2, 5), 5: (2, 3)}, [(0, 1), (0, 2), (1, 2)]
    ),
    "losers dominated": certain_but(
        6, dict.fromkeys((0, 1, 2), (3, 4, 5)), [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]
    ),
    "one arm in doubt": certain_but(
        6, {0: (3, 4, 5), 1: (0, 3), 2: (0, 1), 3: (2, 4), 4: (2, 5), 5: (2, 3)}, [(1, 4), (1, 5)]
    ),
    "one opponent in doubt": certain_but(5, {0: (1, 2, 3), 1: (2, 4), 2: (3, 4), 3: (1,), 4: (3,)}, [(0, 4)]),
}
"""Where pairs stay undecided that matter, or that no longer do."""

LOSES_TO_THE_WEAK = certain_but(
    8,
    {6: (0,), 7: (0,)},
    [*((0, j) for j in range(1, 6)), *((i, (i + step - 1) % 7 + 1) for i in range(1, 8) for step in (1, 2, 3))],
    chance=0.85,
)
"""The Copeland winner loses to two arms; what proves it is that these have several superiors of their own."""
