"""The rankers of the MSLR data set: three matrices of 136 rankers, and the parts of them that papers use.

Ranker f orders the documents of a query by feature f; p_ij is how often clicks on an interleaved list prefer ranker i.
The matrices of the three click models (perfect, navigational, informational) were published with [1]_; rankers are
counted from 1, as in the papers. All entries are used as they are.

References
----------
.. [1] M. Zoghi, Z. Karnin, S. Whiteson, M. de Rijke, "Copeland Dueling Bandits", NIPS 2015.
.. [2] H. Wu, X. Liu, "Double Thompson Sampling for Dueling Bandits", NIPS 2016, Table 9.
"""

from collections.abc import Mapping
from pathlib import Path

from duelbench.errors import InputError
from duelbench.problem.preferences import PreferenceMatrix

N_RANKERS = 136

SUBSETS: Mapping[str, tuple[int, ...]] = {
    "mslr5-condorcet": (2, 4, 3, 1, 5),
    "mslr5-noncondorcet": (93, 7, 92, 94, 105),
    "mslr16-condorcet": (10, 22, 36, 58, 59, 66, 67, 68, 77, 98, 109, 112, 115, 116, 117, 125),
    "mslr16-noncondorcet": (2, 21, 42, 60, 67, 70, 79, 90, 91, 98, 99, 103, 106, 109, 117, 130),
    "mslr32-condorcet": (
        *(7, 21, 24, 28, 32, 35, 37, 38, 43, 44, 45, 48, 52, 56, 61, 68),
        *(71, 73, 82, 85, 87, 91, 96, 99, 100, 105, 112, 115, 117, 121, 123, 133),
    ),
    "mslr32-noncondorcet": tuple(range(4, 129, 4)),
}
"""Rankers (from 1) of the informational matrix: the five of [1]_ and [2]_ (Tables 7 and 8), 16 and 32 of [2]_."""


def read_mslr(path: Path) -> PreferenceMatrix:
    """One of the published files (``.npz``, array ``PMat``); arm k is named ``ranker k+1``."""
    matrix = PreferenceMatrix.load(path)
    if matrix.n_arms != N_RANKERS:
        raise InputError(f"{path}: holds {matrix.n_arms} arms; the MSLR matrices have {N_RANKERS} rankers")
    return PreferenceMatrix(matrix.P, [f"ranker {k}" for k in range(1, N_RANKERS + 1)], str(path))
