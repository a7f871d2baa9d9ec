"""What ``duelbench show`` says of the worlds of a spec."""

from typing import TYPE_CHECKING, Any

from duelbench.cli.columns import columns
from duelbench.errors import InputError

if TYPE_CHECKING:
    from duelbench.problem.worlds.world import World
    from duelbench.spec.experiment_spec import ExperimentSpec

MOST_ROWS = 30
"""Segments listed for a reader."""


def worlds_facts(path: str) -> list[dict[str, Any]]:
    """What ``show --json`` prints about the worlds of a spec.

    Arms are 0-based, starts of segments 1-based. Starts that are drawn for each run are those of run 0.

    Raises
    ------
    InputError
        When the spec is wrong, or has no world.
    """
    from duelbench.problem.worlds.world import World
    from duelbench.spec.load import load

    spec = load(path)
    found = [(problem.name, problem.matrix) for problem in spec.problems if isinstance(problem.matrix, World)]
    if not found:
        raise InputError(f"{path} has no world that changes; for a matrix name its file, as in 'duelbench show cyclic'")
    return [_facts(name, world, spec) for name, world in found]


def _facts(name: str, world: "World", spec: "ExperimentSpec") -> dict[str, Any]:
    from duelbench.problem.winners import condorcet_winner, copeland_winners, min_gap
    from duelbench.simulation.streams import world_stream

    segments = [
        {
            "start": segment.start,
            "condorcet_winner": condorcet_winner(segment.matrix),
            "copeland_winners": list(copeland_winners(segment.matrix)),
            "min_gap": float(min_gap(segment.matrix)),
            "flipped": segment.outcomes.sha256 != segment.matrix.sha256,
        }
        for segment in world.segments(spec.horizon, world_stream(spec.seed, 0))
    ]
    return {
        "name": name,
        "n_arms": world.n_arms,
        "source": world.source,
        "per_run": world.per_run,
        "flips": world.flips,
        "sha256": world.sha256,
        "segments": segments,
    }


def describe_worlds(facts: list[dict[str, Any]]) -> str:
    """The same facts for a reader.

    Examples
    --------
    >>> segment = {"start": 1, "condorcet_winner": 0, "copeland_winners": [0], "min_gap": 0.4, "flipped": True}
    >>> world = {"name": "hurt", "n_arms": 2, "source": "two", "per_run": False, "flips": 0, "segments": [segment]}
    >>> print(describe_worlds([world]))
    hurt: K=2, two
    from round  Condorcet winner  Copeland winners  min gap  outcomes
    1           0                 0                 0.4      flipped
    """
    return "\n\n".join("\n".join(_lines(world)) for world in facts)


def _lines(world: dict[str, Any]) -> list[str]:
    untouched = "flipped while the budget lasts" if world["flips"] else "as they are"
    rows = [["from round", "Condorcet winner", "Copeland winners", "min gap", "outcomes"]]
    for segment in world["segments"][:MOST_ROWS]:
        winner = segment["condorcet_winner"]
        rows.append(
            [
                str(segment["start"]),
                "none" if winner is None else str(winner),
                ", ".join(map(str, segment["copeland_winners"])),
                f"{segment['min_gap']:.3g}",
                "flipped" if segment["flipped"] else untouched,
            ]
        )
    more = len(world["segments"]) - MOST_ROWS
    head = f"{world['name']}: " if world["name"] else ""
    return [
        f"{head}K={world['n_arms']}, {world['source']}",
        *columns(rows),
        *([f"and {more} more"] if more > 0 else []),
        *(["rounds are drawn for each run; these are those of run 0"] if world["per_run"] else []),
    ]
