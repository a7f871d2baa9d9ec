"""The ``scales`` of a spec: other sizes of the experiment, such as one that takes minutes instead of days.

A scale replaces whole keys of the spec. `scaled` replaces them in the tree of text, before anything is read, and keeps
the places at which mistakes are reported. The ends of axes in the spec's ``figure`` are meant for the full size: at a
scale without its own ``figure``, the axes fit the data.
"""

from collections.abc import Container, Iterator
from typing import Any

from duelbench.experiments.spec.yaml_source import Location, Place, Scalar, Source, Value

KEY = "scales"

FIXED = ("name", KEY)
"""Keys that a scale cannot replace."""

PROBLEM_KEYS = ("matrix", "problem", "problems", "world", "worlds")
"""Keys of which a spec has exactly one."""

ENDS_OF_AXES = ("x", "y")
"""Options of ``figure`` that do not apply at another size."""

MAX_SCALES = 20


def replaced(source: Source, known: Container[str]) -> dict[str, dict[Scalar, Value]]:
    """Return the keys that each scale of a file replaces, but no unknown or fixed keys; the file may have mistakes."""
    content = source.data.get(Scalar(KEY))
    return {
        str(name): {key: value for key, value in keys.items() if key in known and key not in FIXED}
        for name, keys in (content.items() if isinstance(content, dict) else ())
        if isinstance(keys, dict)
    }


def scaled(source: Source, name: str, changed: dict[Scalar, Value]) -> Source:
    """Return the file at one of its scales: the keys of the scale replace those at the top, and no scales remain."""
    hidden = {KEY, *changed} | ({*PROBLEM_KEYS} if {*PROBLEM_KEYS} & {*changed} else set())
    data = {key: value for key, value in source.data.items() if key not in hidden}
    if isinstance(figure := data.get(Scalar("figure")), dict):
        data[Scalar("figure")] = {key: value for key, value in figure.items() if key not in ENDS_OF_AXES}
    return Source(
        source.path,
        {**data, **changed},
        source.mistakes,
        {(): source.values[()], **dict(_moved(source.values, name, hidden))},
        dict(_moved(source.keys, name, hidden)),
    )


def _moved(places: dict[Location, Place], name: str, hidden: set[Any]) -> Iterator[tuple[Location, Place]]:
    """Yield the places outside of the scales, and those in one scale moved to the top."""
    for location, place in places.items():
        if location and location[0] not in hidden:
            yield location, place
        elif location[:2] == (KEY, name) and len(location) > 2:
            yield location[2:], place
