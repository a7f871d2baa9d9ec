"""A world as JSON holds it, in manifests."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from duelbench.errors import InputError
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.worlds.world import At, Drawn, DrawnScaled, Flipped, Pattern, Scaled, Starts, World


def content(world: World) -> dict[str, Any]:
    """The matrices, each once, and what happens when.

    Examples
    --------
    >>> still = PreferenceMatrix([[0.5, 0.9], [0.1, 0.5]])
    >>> content(World((still, still), At((1, 50))))
    {'matrices': [[[0.5, 0.9], [0.1, 0.5]]], 'segments': [0, 0], 'outcomes': [0, 0], 'starts': {'at': [1, 50]}, \
'per_run': False, 'flips': 0, 'flipped': None}
    """
    different = {matrix.sha256: matrix for matrix in (*world.matrices, *world.outcomes)}
    places = {sha256: k for k, sha256 in enumerate(different)}
    return {
        "matrices": [matrix.P.tolist() for matrix in different.values()],
        "segments": [places[matrix.sha256] for matrix in world.matrices],
        "outcomes": [places[matrix.sha256] for matrix in world.outcomes],
        "starts": world.starts.content(),
        "per_run": world.per_run,
        "flips": world.flips,
        "flipped": None if world.flipped is None else vars(world.flipped),
    }


def from_content(said: Mapping[str, Any], names: Sequence[str], source: str | None) -> World:
    """The world that `content` gave.

    Raises
    ------
    InputError, ValueError, KeyError, TypeError, IndexError
        When it is none.
    """
    matrices = [PreferenceMatrix(P, names) for P in said["matrices"]]
    segments, outcomes = (tuple(matrices[k] for k in said[name]) for name in ("segments", "outcomes"))
    flipped = Flipped(**said["flipped"]) if said.get("flipped") is not None else None
    return World(
        segments, _starts(said["starts"]), outcomes, bool(said["per_run"]), int(said["flips"]), source, flipped
    )


def _starts(said: Mapping[str, Any]) -> Starts:
    if "at" in said:
        return At(tuple(map(int, said["at"])))
    if "shares" in said:
        return Scaled(tuple(map(Fraction, said["shares"])))
    if "lengths" in said:
        return Pattern(tuple(map(int, said["lengths"])))
    if "scaled" in said:
        return DrawnScaled(int(said["least"]), int(said["over"]))
    if "least" in said:
        return Drawn(int(said["least"]), None if said["over"] is None else int(said["over"]))
    raise InputError("the starts of a world are at, shares, lengths or least")
