"""Facts about matrices, bounds and worlds for ``duelbench show``, as JSON and as lines of text."""

import math
from typing import Any

from duelbench.bandits.problem import winners
from duelbench.bandits.problem.bounds import KINDS, NEED_CONDORCET_WINNER, LowerBound, lower_bound
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.worlds.world import World
from duelbench.bandits.simulation.streams import world_stream
from duelbench.cli.printing import columns
from duelbench.errors import InputError
from duelbench.experiments.describing import matrix_facts
from duelbench.experiments.spec.experiment_spec import ExperimentSpec
from duelbench.experiments.spec.load import load

Bounds = dict[str, LowerBound | None]

MOST_ROWS = 30
"""Most segments that are listed in text."""

MEANINGS = {
    "copeland": "lower bound (Komiyama et al. 2016)",
    "ecw": "what ECW-RMED needs",
    "condorcet": "lower bound (Komiyama et al. 2015)",
    "rmed1": "what RMED1 needs",
    "ccb": "in the guarantee of CCB",
}


def facts_of(matrix: PreferenceMatrix) -> dict[str, Any]:
    """Facts about a matrix for ``show --json``: arms are 0-based, Copeland scores normalised to [0, 1]."""
    return {
        "n_arms": matrix.n_arms,
        "names": list(matrix.names),
        "condorcet_winner": winners.condorcet_winner(matrix),
        "copeland_winners": list(winners.copeland_winners(matrix)),
        "copeland_scores": winners.copeland_scores(matrix).tolist(),
        "borda_winners": list(winners.borda_winners(matrix)),
        "borda_scores": winners.borda_scores(matrix).tolist(),
        "min_gap": winners.min_gap(matrix),
        "ties": [list(pair) for pair in winners.ties(matrix)],
        "sha256": matrix.sha256,
    }


def lines_of_matrix(matrix: PreferenceMatrix) -> list[str]:
    """Describe a matrix in lines of text."""
    others = matrix.n_arms - 1
    is_named = matrix.names != tuple(str(arm) for arm in range(matrix.n_arms))
    scores = [["arm", "Copeland score", "Borda score", "name" if is_named else ""]]
    beaten_arms, bordas = winners.inferior_counts(matrix), winners.borda_scores(matrix)
    for arm, (beaten, borda) in enumerate(zip(beaten_arms, bordas, strict=True)):
        copeland = f"{beaten}/{others} = {beaten / others:.4g}"
        scores.append([str(arm), copeland, f"{borda:.6g}", matrix.names[arm] if is_named else ""])
    return [
        f"{matrix.source or 'the matrix'}: {matrix.n_arms} arms, counted from 0",
        *(f"{word:16}  {fact}" for word, fact in matrix_facts(matrix).items()),
        "",
        *columns(scores, right=[0]),
    ]


def bounds_of(matrix: PreferenceMatrix) -> Bounds:
    """The bounds of all kinds; None for one that needs a Condorcet winner if there is none."""
    has_winner = winners.condorcet_winner(matrix) is not None
    return {
        kind: lower_bound(matrix, kind) if has_winner or kind not in NEED_CONDORCET_WINNER else None for kind in KINDS
    }


def bound_facts(bounds: Bounds) -> dict[str, Any]:
    """Facts about bounds for ``show --json``.

    ``constant`` is None if it is infinite, ``winner`` is 0-based, ``gap`` is that of the linear program.
    """
    return {
        kind: bound
        and {
            "constant": bound.constant if math.isfinite(bound.constant) else None,
            "winner": bound.winner,
            "regret": bound.regret,
            "constants": {str(arm): constant for arm, constant in bound.constants.items()},
            "gap": None if bound.certificate is None else bound.certificate.gap,
            "notes": list(bound.notes),
        }
        for kind, bound in bounds.items()
    }


def lines_of_bounds(matrix: PreferenceMatrix, bounds: Bounds) -> list[str]:
    """Describe bounds in lines of text."""
    rows = [["bound", "C in C ln T", "winner", "regret", "what it is"]]
    below = []
    noted: dict[str, list[str]] = {}
    for kind, bound in bounds.items():
        if bound is None:
            rows.append([kind, "-", "-", "-", f"{MEANINGS[kind].partition(' (')[0]}; there is no Condorcet winner"])
            continue
        winner = "-" if bound.winner is None else matrix.listed([bound.winner])
        # Without ties `copeland` regret is the same thing.
        regret = "copeland" if bound.regret == "copeland-komiyama" and not winners.ties(matrix) else bound.regret
        rows.append([kind, f"{bound.constant:.6g}", winner, regret, MEANINGS[kind]])
        if len(bound.constants) > 1:
            listed = [f"{constant:.6g} for {matrix.listed([arm])}" for arm, constant in bound.constants.items()]
            below.append(f"{kind}, by Copeland winner: {', '.join(listed)}")
        for note in bound.notes:
            noted.setdefault(note, []).append(kind)
    return [*columns(rows), *below, *(f"note on {' and '.join(kinds)}: {note}" for note, kinds in noted.items())]


def worlds_of(path: str) -> list[tuple[dict[str, Any], World]]:
    """The worlds of a spec, each after its facts.

    Arms are 0-based, starts of segments 1-based. Starts that are drawn for each run are those of run 0.
    """
    spec = load(path)
    worlds = [(problem.name, problem.matrix) for problem in spec.problems if isinstance(problem.matrix, World)]
    if not worlds:
        raise InputError(f"{path} has no world that changes; for a matrix name its file, as in 'duelbench show cyclic'")
    return [(_facts_of_world(name, world, spec), world) for name, world in worlds]


def _facts_of_world(name: str, world: World, spec: ExperimentSpec) -> dict[str, Any]:
    segments = [
        {
            "start": segment.start,
            "condorcet_winner": winners.condorcet_winner(segment.matrix),
            "copeland_winners": list(winners.copeland_winners(segment.matrix)),
            "min_gap": float(winners.min_gap(segment.matrix)),
            "flipped": segment.outcomes.sha256 != segment.matrix.sha256,
        }
        for segment in world.segments(spec.horizon, world_stream(spec.seed, 0))
    ]
    return {
        "name": name,
        "n_arms": world.n_arms,
        "names": list(world.names),
        "source": world.source,
        "per_run": world.per_run,
        "flips": world.flips,
        "sha256": world.sha256,
        "segments": segments,
    }


def lines_of_world(facts: dict[str, Any], world: World) -> list[str]:
    """Describe a world in lines of text."""
    untouched = "flipped while the budget lasts" if facts["flips"] else "as they are"
    rows = [["from round", "Condorcet winner", "Copeland winners", "min gap", "outcomes"]]
    for segment in facts["segments"][:MOST_ROWS]:
        winner = segment["condorcet_winner"]
        rows.append(
            [
                str(segment["start"]),
                "none" if winner is None else world.matrices[0].listed([winner]),
                world.matrices[0].listed(segment["copeland_winners"]),
                f"{segment['min_gap']:.3g}",
                "flipped" if segment["flipped"] else untouched,
            ]
        )
    more = len(facts["segments"]) - MOST_ROWS
    head = f"{facts['name']}: " if facts["name"] else ""
    return [
        f"{head}K={facts['n_arms']}, {facts['source']}",
        *columns(rows),
        *([f"and {more} more"] if more > 0 else []),
        *(["rounds are drawn for each run; the table shows run 0"] if facts["per_run"] else []),
    ]
