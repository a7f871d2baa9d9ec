"""The changes of the world of a panel: rounds that can be marked, or words."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from duelbench.bandits.problem.worlds.world import Drawn, DrawnScaled, Scaled, Segment, World
from duelbench.bandits.simulation.streams import world_stream
from duelbench.experiments.results.experiments import LoadedCell
from duelbench.experiments.results.manifest import StoredCell

MOST_MARKED = 20
"""More lines would hide the curves."""

MARKED = "upright lines: the world changes"
MARKED_FOR_LONGEST = "upright lines: the world changes in runs to the last round, in shorter ones earlier"


@dataclass(frozen=True)
class Changes:
    """Changes of a world that all runs of a panel share."""

    rounds: tuple[int, ...] = ()  # the rounds (1-based) in which another matrix comes; empty if they are not marked
    words: str = ""  # on the changes, for a caption; empty without any


NONE = Changes()
DIFFERENT = Changes((), "the worlds change in different rounds, which are not marked")


def changes_of(cells: Sequence[LoadedCell]) -> Changes:
    """The changes of the world of a panel, from its cells; `NONE` if nothing changes.

    Two consecutive segments with the same numbers are no change.
    """
    worlds = {cell.stored.matrix for cell in cells if isinstance(cell.stored.matrix, World)}
    if not worlds:
        return NONE
    if len({world.sha256 for world in worlds}) > 1:
        return DIFFERENT
    longest = max((cell.stored for cell in cells), key=lambda stored: stored.horizon)
    segments = worlds.pop().segments(longest.horizon, world_stream(longest.identity.seed, 0))
    rounds = tuple(after.start for before, after in pairwise(segments) if _numbers(before) != _numbers(after))
    return _as_marked(cells, longest, rounds) if rounds else NONE


def _numbers(segment: Segment) -> tuple[str, str]:
    return segment.matrix.sha256, segment.outcomes.sha256


def _as_marked(cells: Sequence[LoadedCell], longest: StoredCell, rounds: tuple[int, ...]) -> Changes:
    world = longest.matrix
    assert isinstance(world, World)
    often = "once" if len(rounds) == 1 else f"{len(rounds)} times"
    if world.starts.is_random and world.per_run:
        return Changes((), f"the world changes {often}, in different rounds in each run")
    if len(rounds) > MOST_MARKED:
        return Changes((), f"the world changes {often}, too often to be marked")
    horizons: dict[int, set[int]] = {}
    for cell in cells:
        horizons.setdefault(cell.stored.position, set()).add(cell.stored.horizon)
    if not _follows_horizon(world) or all(played == {longest.horizon} for played in horizons.values()):
        return Changes(rounds, MARKED)
    if any(played == {longest.horizon} for played in horizons.values()):
        return Changes(rounds, MARKED_FOR_LONGEST)
    return Changes((), f"the world changes {often}, in other rounds up to each horizon")


def _follows_horizon(world: World) -> bool:
    """Whether runs to another horizon see changes in other rounds."""
    is_drawn = isinstance(world.starts, Drawn) and world.starts.over is None
    is_flipped = world.flipped is not None and world.flipped.over is not None
    return is_drawn or is_flipped or isinstance(world.starts, Scaled | DrawnScaled)
