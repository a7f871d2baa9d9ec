"""How long published programs take for a round, to compare ours with.

The original authors' C++ programs, measured once with g++ 12 -O3 -march=native on one core of a busy two-core
machine: nanoseconds per round, from round 1 to the horizon, of the algorithm alone, their bookkeeping left out. They
pay for every round, settled or not. Good to perhaps 20 per cent; ratios to times of another machine are indicative.
"""

from typing import Any, NamedTuple


class Published(NamedTuple):
    """A row: who, on what, up to which round, and nanoseconds per round by algorithm id."""

    program: str
    matrix: str
    horizon: int
    ns_per_round: dict[str, float]


WU_LIU = "Wu and Liu 2016"
KOMIYAMA = "Komiyama et al. 2015"


def _wu_liu(matrix: str, horizon: int, **times: float) -> Published:
    return Published(WU_LIU, matrix, horizon, {id.replace("_", "-"): time for id, time in times.items()})


def _komiyama(matrix: str, *times: float) -> Published:
    return Published(KOMIYAMA, matrix, 100_000, dict(zip(_KOMIYAMA_IDS, times, strict=True)))


_KOMIYAMA_IDS = (
    "rmed1",
    "rmed2",
    "rmed2fh",
    "rucb",
    "interleaved-filter",
    "btm",
    "savage-condorcet",
    "sparring",
    "multisbm",
    "random",
)

PUBLISHED = (
    _wu_liu(
        "mslr5-condorcet",
        200_000,
        btm=107,
        ccb=1144,
        d_ts=1222,
        d_ts_plus=1185,
        ecw_rmed=1498,
        multisbm=49,
        rcs=753,
        rmed1=192,
        rmed2=217,
        rucb=282,
        savage_copeland=48,
        scb=32,
        sparring=77,
    ),
    _wu_liu(
        "noncondorcet-cyclic",
        100_000,
        btm=189,
        ccb=2673,
        d_ts=3507,
        d_ts_plus=3704,
        ecw_rmed=5193,
        multisbm=64,
        rcs=2654,
        rmed1=626,
        rmed2=721,
        rucb=662,
        savage_copeland=164,
        scb=37,
        sparring=126,
    ),
    _wu_liu(
        "linear-order-16",
        40_000,
        btm=325,
        ccb=5946,
        d_ts=10_600,
        d_ts_plus=10_800,
        ecw_rmed=14_200,
        multisbm=102,
        rcs=8398,
        rmed1=1563,
        rmed2=1817,
        rucb=1734,
        savage_copeland=784,
        scb=28,
        sparring=207,
    ),
    _wu_liu(
        "linear-order-64",
        23_000,
        btm=3734,
        ccb=62_100,
        d_ts=168_000,
        d_ts_plus=166_000,
        ecw_rmed=1_520_000,
        multisbm=130,
        rcs=144_000,
        rmed1=19_400,
        rmed2=24_100,
        rucb=25_300,
        savage_copeland=12_800,
        scb=29,
        sparring=776,
    ),
    # Short for so many arms: ecw-rmed in its forced phase, rmed2 in its initial round robin.
    _wu_liu(
        "linear-order-500",
        100_000,
        btm=134_000,
        ccb=5_460_000,
        d_ts=10_100_000,
        d_ts_plus=10_300_000,
        ecw_rmed=74_200,
        multisbm=487,
        rcs=9_150_000,
        rmed1=2_670_000,
        rmed2=67,
        rucb=2_240_000,
        savage_copeland=1_480_000,
        scb=49,
        sparring=1806,
    ),
    # Only the numbers of arms are on record (4, 6, 16, 64), not the matrices; these have as many.
    _komiyama("cyclic", 278, 338, 336, 155, 10, 31, 37, 87, 47, 11.5),
    _komiyama("arxiv", 475, 515, 573, 269, 45, 154, 96, 106, 62, 11.6),
    _komiyama("sushi16", 2305, 3426, 3537, 1399, 58, 340, 864, 205, 113, 11.7),
    _komiyama("linear-order-64", 28_600, 48_500, 47_900, 15_700, 56, 2072, 34_600, 716, 374, 11.5),
)


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
    for row in PUBLISHED:
        if (row.matrix, row.horizon) == (matrix, horizon) and algorithm in row.ns_per_round:
            return row.program, row.ns_per_round[algorithm]
    return None
