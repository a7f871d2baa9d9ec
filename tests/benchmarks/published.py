"""How long published programs take for a round, to compare ours with.

The original authors' C++ programs, measured once with g++ 12 -O3 -march=native on one core of a busy two-core
machine: nanoseconds per round, from round 1 to the horizon, of the algorithm alone, their bookkeeping left out. They
pay for every round, settled or not. Good to perhaps 20 per cent; ratios to times of another machine are indicative.
"""

from typing import Any

WU_LIU = "Wu and Liu 2016"
KOMIYAMA = "Komiyama et al. 2015"

IDS = {
    WU_LIU: "btm ccb d-ts d-ts-plus ecw-rmed multisbm rcs rmed1 rmed2 rucb savage-copeland scb sparring",
    KOMIYAMA: "rmed1 rmed2 rmed2fh rucb interleaved-filter btm savage-condorcet sparring multisbm random",
}

# Of Komiyama et al. only the numbers of arms are on record (4, 6, 16, 64), not the matrices; these have as many. The
# runs with 500 arms are short: ecw-rmed in its forced phase, rmed2 in its initial round robin.
# fmt: off
PUBLISHED = {
    (WU_LIU, "mslr5-condorcet", 200_000): (
        107, 1144, 1222, 1185, 1498, 49, 753, 192, 217, 282, 48, 32, 77),
    (WU_LIU, "noncondorcet-cyclic", 100_000): (
        189, 2673, 3507, 3704, 5193, 64, 2654, 626, 721, 662, 164, 37, 126),
    (WU_LIU, "linear-order-16", 40_000): (
        325, 5946, 10_600, 10_800, 14_200, 102, 8398, 1563, 1817, 1734, 784, 28, 207),
    (WU_LIU, "linear-order-64", 23_000): (
        3734, 62_100, 168_000, 166_000, 1_520_000, 130, 144_000, 19_400, 24_100, 25_300, 12_800, 29, 776),
    (WU_LIU, "linear-order-500", 100_000): (
        134_000, 5_460_000, 10_100_000, 10_300_000, 74_200, 487, 9_150_000, 2_670_000, 67, 2_240_000, 1_480_000, 49,
        1806),
    (KOMIYAMA, "cyclic", 100_000): (278, 338, 336, 155, 10, 31, 37, 87, 47, 11.5),
    (KOMIYAMA, "arxiv", 100_000): (475, 515, 573, 269, 45, 154, 96, 106, 62, 11.6),
    (KOMIYAMA, "sushi16", 100_000): (2305, 3426, 3537, 1399, 58, 340, 864, 205, 113, 11.7),
    (KOMIYAMA, "linear-order-64", 100_000): (28_600, 48_500, 47_900, 15_700, 56, 2072, 34_600, 716, 374, 11.5),
}
# fmt: on
"""Program, matrix and horizon -> nanoseconds per round of the algorithms in `IDS`."""

PARAMETERS: dict[str, dict[str, dict[str, Any]]] = {
    KOMIYAMA: {"btm": {"gamma": 1.2, "const": 1.0, "self_duels": False, "ties": "lowest"}},
}
"""Program -> algorithm -> what its rule differs in from ours with its defaults, where that changes when it settles."""


def published(algorithm: str, matrix: str, horizon: int) -> tuple[str, float] | None:
    """The program and its nanoseconds per round, where this very row is on record.

    Examples
    --------
    >>> published("rucb", "mslr5-condorcet", 200_000)
    ('Wu and Liu 2016', 282)
    >>> published("rucb", "mslr5-condorcet", 10**6) is None
    True
    """
    for (program, *played), times in PUBLISHED.items():
        ids = IDS[program].split()
        if played == [matrix, horizon] and algorithm in ids:
            return program, times[ids.index(algorithm)]
    return None
