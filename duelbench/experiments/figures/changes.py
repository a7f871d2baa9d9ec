"""When the world of a panel changes: in rounds that can be marked, or in words."""

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

    rounds: tuple[int, ...] = ()  # the rounds (1-based) in which another matrix comes; empty where they are not marked
    words: str = ""  # what a caption says of them; empty where nothing changes


NONE = Changes()
DIFFERENT = Changes((), "each world changes in rounds of its own, which are not marked")


def changes_of(cells: Sequence[LoadedCell]) -> Changes:
    """The changes of the world that the cells of a panel are runs in; `NONE` if nothing changes.

    What is the same in two segments that follow one another is no change.
    """
    worlds = {cell.stored.matrix for cell in cells if isinstance(cell.stored.matrix, World)}
    if not worlds:
        return NONE
    if len({world.sha256 for world in worlds}) > 1:
        return DIFFERENT
    longest = max((cell.stored for cell in cells), key=lambda stored: stored.horizon)
    rounds = _rounds(worlds.pop(), longest)
    return _as_marked(cells, longest, rounds) if rounds else NONE


def _rounds(world: World, stored: StoredCell) -> tuple[int, ...]:
    segments = world.segments(stored.horizon, world_stream(stored.identity.seed, 0))
    return tuple(after.start for before, after in pairwise(segments) if _numbers(before) != _numbers(after))


def _numbers(segment: Segment) -> tuple[str, str]:
    return segment.matrix.sha256, segment.outcomes.sha256


def _as_marked(cells: Sequence[LoadedCell], longest: StoredCell, rounds: tuple[int, ...]) -> Changes:
    world = longest.matrix
    assert isinstance(world, World)
    often = "once" if len(rounds) == 1 else f"{len(rounds)} times"
    if world.starts.is_random and world.per_run:
        return Changes((), f"the world changes {often}, each run in rounds of its own")
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
