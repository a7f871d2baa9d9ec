"""The algorithms by id: a literal table of the built-in ones, and those that other packages plug in.

A package adds its own through the entry-point group ``duelbench.algorithms``: the entry's name is the id, its object an
`~duelbench.algorithms.contract.Algorithm`.
"""

import importlib
from importlib.metadata import EntryPoint, entry_points

from duelbench.algorithms.contract import Algorithm
from duelbench.errors import InputError, nearest

BUILT_IN = {
    "random": "baselines:RANDOM",
    "uniform": "uniform:UNIFORM",
    "interleaved-filter": "interleaved_filter:INTERLEAVED_FILTER",
    "btm": "btm:BTM",
    "savage-copeland": "savage:SAVAGE_COPELAND",
    "savage-condorcet": "savage:SAVAGE_CONDORCET",
    "savage-borda": "savage:SAVAGE_BORDA",
    "pbr-copeland": "pbr:PBR_COPELAND",
    "rankel-copeland": "rankel:RANKEL_COPELAND",
    "doubler": "reductions:DOUBLER",
    "multisbm": "reductions:MULTISBM",
    "sparring": "reductions:SPARRING",
    "self-sparring": "reductions:SELF_SPARRING",
    "rucb": "rucb:RUCB",
    "rcs": "rcs:RCS",
    "mergerucb": "merging:MERGERUCB",
    "merge-dts": "merging:MERGE_DTS",
    "ccb": "ccb:CCB",
    "scb": "scb:SCB",
    "rmed1": "rmed:RMED1",
    "rmed2": "rmed2:RMED2",
    "rmed2fh": "rmed2:RMED2FH",
    "cw-rmed": "cw_rmed:CW_RMED",
    "ecw-rmed": "ecw_rmed:ECW_RMED",
    "d-ts": "dts:DTS",
    "d-ts-plus": "dts:DTS_PLUS",
    "d-ts-pure": "dts:DTS_PURE",
    "sup-klucb": "sup_klucb:SUP_KLUCB",
    "vdb": "vdb:VDB",
    "ws-w": "winner_stays:WS_W",
    "ws-s": "winner_stays:WS_S",
}
"""id -> module of this package and the name of its `Algorithm`."""


def ids() -> tuple[str, ...]:
    """The ids of all algorithms, built-in ones first. Imports none of them.

    Examples
    --------
    >>> "rucb" in ids()
    True
    """
    return (*BUILT_IN, *(name for name in _plug_ins() if name not in BUILT_IN))


def get(id: str) -> Algorithm:
    """The algorithm called ``id``.

    Raises
    ------
    InputError
        When there is none, naming the nearest id.

    Examples
    --------
    >>> get("rucb").parameters["alpha"].default
    0.51
    """
    if id in BUILT_IN:
        module, attribute = BUILT_IN[id].split(":")
        return getattr(importlib.import_module(f"duelbench.algorithms.{module}"), attribute)
    plug_ins = _plug_ins()
    if id in plug_ins:
        return _load(plug_ins[id])
    hint = nearest(id, ids()) or " (`duelbench list algorithms` shows them)"
    raise InputError(f"there is no algorithm '{id}'{hint}")


def algorithms() -> dict[str, Algorithm]:
    """All algorithms by id.

    Examples
    --------
    >>> algorithms()["d-ts"].name
    'D-TS'
    """
    return {id: get(id) for id in ids()}


def _plug_ins() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group="duelbench.algorithms")}


def _load(entry: EntryPoint) -> Algorithm:
    try:
        algorithm = entry.load()
    except Exception as error:
        raise InputError(f"the plug-in algorithm '{entry.name}' ({entry.value}) cannot be loaded: {error}") from error
    if not isinstance(algorithm, Algorithm):
        raise InputError(f"the plug-in algorithm '{entry.name}' ({entry.value}) is not a duelbench Algorithm")
    return algorithm
