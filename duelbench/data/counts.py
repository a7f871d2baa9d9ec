"""Counts of wins of every arm against every other, and the preference matrix that they make.

``wins[i, j]`` is how often arm i won a comparison with arm j, a tie counting 1/2 for each side, and
``p_ij = wins[i, j] / (wins[i, j] + wins[j, i])``: empirical frequencies are taken as the true probabilities.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from duelbench.bandits.problem.labelled import frequencies
from duelbench.bandits.problem.preferences import PreferenceMatrix

Missing = Literal["error", "half"]


@dataclass(frozen=True, eq=False)
class PairCounts:
    """How often each arm won against each other arm."""

    wins: np.ndarray  # (K, K), float64. ``wins[i, j]`` = wins of i against j, ties half each; 0 on the diagonal
    names: tuple[str, ...]
    source: str  # the file they came from
    notes: tuple[str, ...] = ()  # what the counts mean and how they were made, one sentence each
    first: int = 0  # the published number of the first arm

    def part(self, arms: Sequence[int]) -> "PairCounts":
        """The counts among some of the arms (0-based), in that order."""
        names = tuple(self.names[arm] for arm in arms)
        return PairCounts(self.wins[np.ix_(arms, arms)], names, self.source, self.notes, self.first)

    def matrix(self, min_count: int = 1, missing: Missing = "error") -> PreferenceMatrix:
        """The frequencies as a preference matrix.

        A pair with fewer comparisons than ``min_count`` is an error that names it, or a tie (``missing`` is "half").

        Examples
        --------
        >>> counts = PairCounts(np.array([[0, 3, 0], [1, 0, 1], [0, 1, 0]]), ("a", "b", "c"), "games.csv")
        >>> counts.matrix(missing="half").P.tolist()
        [[0.5, 0.75, 0.5], [0.25, 0.5, 0.5], [0.5, 0.5, 0.5]]
        """
        hint = "leave arms out, or make them ties with --missing half (in Python missing='half')"
        P = frequencies(self.wins, self.names, self.source, missing == "half", hint, min_count)
        return PreferenceMatrix(P, self.names, self.source)
