"""``duelbench leaderboard compare``: whether runs played again are those of the leaderboard."""

import json as json_module
from dataclasses import asdict
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duelbench.cli.folders import PlugIn, Results
from duelbench.cli.leaderboard.tables import OfSummary, board_at
from duelbench.cli.streams import say

if TYPE_CHECKING:
    from duelbench.leaderboard.comparing import Comparison


def compare(
    results: Results,
    summary: OfSummary = None,
    plug_in: PlugIn = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Compare runs that you played with the leaderboard.

    \b
    Examples:
      duelbench leaderboard compare again/leaderboard-order
      duelbench leaderboard compare results/leaderboard-order --json

    The page of the leaderboard has, for each number, the command that plays its runs. With the same versions and kind
    of machine they are the same to the last bit. With others they may not be, and then means must agree within 5
    standard errors. What you have not played is passed over. A cell that differs, or lacks runs, ends the command with
    exit code 4.
    """
    from duelbench.api import places
    from duelbench.errors import IncompleteResults
    from duelbench.execution.progress import Waiting
    from duelbench.leaderboard import comparing
    from duelbench.results.experiments import load_what_is_whole

    board = board_at(summary)
    waiting = Waiting()
    opened, incomplete = places.results_at(results, plug_in=plug_in or ())
    try:
        experiments = load_what_is_whole(opened, incomplete, allow_partial=True, count=waiting.reading)
    finally:
        waiting.close()
    incomplete.raise_any()
    found = comparing.compare(experiments, board)
    counts = {kind: sum(one.kind == kind for one in found) for kind in comparing.KINDS}
    if json:
        say(json_module.dumps({"counts": counts, "cells": [_as_json(one) for one in found]}, indent=2))
    else:
        say("\n".join(_as_line(one) for one in found))
        cells = f"{len(found)} {'cell' if len(found) == 1 else 'cells'}"
        say(f"{cells} of the leaderboard: {'; '.join(f'{n} {kind}' for kind, n in counts.items() if n)}")
    bad = counts[comparing.DIFFERENT] + counts[comparing.PARTIAL]
    if bad:
        lacking = "differ from the leaderboard or lack runs"
        raise IncompleteResults(f"{', '.join(map(str, results))}: {bad} of {len(found)} cells {lacking}")


def _as_line(one: "Comparison") -> str:
    name = f"{one.label} on {one.problem} after {one.horizon} rounds"
    return f"{name}: {one.kind}" + (f": {one.why}" if one.why else "")


def _as_json(one: "Comparison") -> dict[str, Any]:
    """A comparison in plain JSON types, which have no infinity."""
    return asdict(one) | {"apart": one.apart if one.apart is not None and isfinite(one.apart) else None}
