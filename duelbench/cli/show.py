"""``duelbench show``: the facts of a preference matrix, or of the worlds of a spec."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duelbench.cli import completion
from duelbench.cli.options import Json
from duelbench.cli.printing import columns, tell, tell_notes
from duelbench.cli.streams import say, say_json
from duelbench.errors import InputError

if TYPE_CHECKING:
    from duelbench.problem.bounds import LowerBound
    from duelbench.problem.preferences import PreferenceMatrix
    from duelbench.problem.worlds.world import World
    from duelbench.spec.experiment_spec import ExperimentSpec

Bounds = dict[str, "LowerBound | None"]
"""By kind; None where it needs a Condorcet winner and there is none."""

MANY_ARMS = 100
"""From this many arms on a line says that bounds are being computed."""

MOST_ROWS = 30
"""Segments listed for a reader."""

MEANINGS = {
    "copeland": "lower bound (Komiyama et al. 2016)",
    "ecw": "what ECW-RMED needs",
    "condorcet": "lower bound (Komiyama et al. 2015)",
    "rmed1": "what RMED1 needs",
    "ccb": "of CCB's guarantee",
}


def show(
    matrix: Annotated[
        str,
        typer.Argument(
            metavar="MATRIX",
            help="Matrix file: CSV, white-space text, .npy or .npz; or the name of one that comes with duelbench. Or a "
            "spec (.yaml) with a world that changes.",
            autocompletion=completion.matrices,
        ),
    ],
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a heat map to FILE (.png, .pdf or .svg).")
    ] = None,
    bounds: Annotated[
        bool, typer.Option("--bounds", help="Also the constants C of asymptotic bounds C ln T on regret.")
    ] = False,
    json: Json = False,
) -> None:
    """Show the winners, scores and gaps of a preference matrix.

    For a spec with worlds that change, show the segments and their winners.

    \b
    Examples:
      duelbench show cyclic
      duelbench show matrices/cyclic.csv --bounds --plot cyclic.png
    """
    from duelbench.problem.preferences import PreferenceMatrix

    if matrix.lower().endswith((".yaml", ".yml")):
        if plot is not None or bounds:
            raise InputError(f"--plot and --bounds are for one matrix, and {matrix} is a spec; remove them")
        worlds = _worlds(matrix)
        if json:
            say_json({"worlds": [facts for facts, _ in worlds]})
        else:
            say("\n\n".join("\n".join(_lines_of_world(*one)) for one in worlds))
        return
    form = _format(plot)
    loaded = PreferenceMatrix.load(matrix)
    if plot is not None:
        _write_heat_map(loaded, plot, form)
    computed = _bounds(loaded) if bounds else None
    if json:
        say_json({**_facts(loaded), **({} if computed is None else {"bounds": _bound_facts(computed)})})
    else:
        say("\n".join([*_lines(loaded), *([] if computed is None else ["", *_bound_lines(loaded, computed)])]))


def _facts(matrix: "PreferenceMatrix") -> dict[str, Any]:
    """Arms 0-based, Copeland scores normalised to [0, 1]."""
    from duelbench.problem import winners

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


def _lines(matrix: "PreferenceMatrix") -> list[str]:
    from duelbench.api.describing import matrix_facts
    from duelbench.problem.winners import borda_scores, inferior_counts

    others = matrix.n_arms - 1
    is_named = matrix.names != tuple(str(arm) for arm in range(matrix.n_arms))
    scores = [["arm", "Copeland score", "Borda score", "name" * is_named]]
    for arm, (beaten, borda) in enumerate(zip(inferior_counts(matrix), borda_scores(matrix), strict=True)):
        copeland = f"{beaten}/{others} = {beaten / others:.4g}"
        scores.append([str(arm), copeland, f"{borda:.6g}", matrix.names[arm] if is_named else ""])
    return [
        f"{matrix.source or 'the matrix'}: {matrix.n_arms} arms, counted from 0",
        *(f"{word:16}  {fact}" for word, fact in matrix_facts(matrix).items()),
        "",
        *columns(scores, right=[0]),
    ]


def _bounds(matrix: "PreferenceMatrix") -> Bounds:
    from duelbench.problem.bounds import KINDS, NEED_CONDORCET_WINNER, lower_bound
    from duelbench.problem.winners import condorcet_winner

    if matrix.n_arms >= MANY_ARMS:
        tell(f"computing the bounds of {matrix.n_arms} arms ...")
    has_winner = condorcet_winner(matrix) is not None
    return {
        kind: lower_bound(matrix, kind) if has_winner or kind not in NEED_CONDORCET_WINNER else None for kind in KINDS
    }


def _bound_facts(bounds: Bounds) -> dict[str, Any]:
    """``constant`` is None where it is infinite, ``winner`` is 0-based, ``gap`` is that of the linear program."""
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


def _bound_lines(matrix: "PreferenceMatrix", bounds: Bounds) -> list[str]:
    from duelbench.problem.winners import ties

    rows = [["bound", "C in C ln T", "winner", "regret", "what it is"]]
    below = []
    noted: dict[str, list[str]] = {}
    for kind, bound in bounds.items():
        if bound is None:
            rows.append([kind, "-", "-", "-", f"{MEANINGS[kind].partition(' (')[0]}; there is no Condorcet winner"])
            continue
        winner = "-" if bound.winner is None else matrix.listed([bound.winner])
        # Without ties `copeland` regret is the same thing.
        regret = "copeland" if bound.regret == "copeland-komiyama" and not ties(matrix) else bound.regret
        rows.append([kind, f"{bound.constant:.6g}", winner, regret, MEANINGS[kind]])
        if len(bound.constants) > 1:
            listed = [f"{constant:.6g} for {matrix.listed([arm])}" for arm, constant in bound.constants.items()]
            below.append(f"{kind}, by Copeland winner: {', '.join(listed)}")
        for note in bound.notes:
            noted.setdefault(note, []).append(kind)
    return [*columns(rows), *below, *(f"note on {' and '.join(kinds)}: {note}" for note, kinds in noted.items())]


def _format(plot: Path | None) -> str:
    from duelbench.figures.drawing.canvas import FORMATS

    form = "" if plot is None else plot.suffix.lower().removeprefix(".")
    if plot is not None and form not in FORMATS:
        endings = ", ".join(f".{known}" for known in FORMATS)
        raise InputError(f"--plot {plot}: the name must end with one of {endings}")
    return form


def _write_heat_map(matrix: "PreferenceMatrix", plot: Path, form: str) -> None:
    from duelbench.figures.drawing.canvas import font_notes, render
    from duelbench.figures.drawing.heat_map import heat_map
    from duelbench.results.atomic import write_asked

    title = Path(matrix.source).stem if matrix.source else "preference matrix"
    provenance = {"title": title, "description": f"Preference matrix, SHA-256 {matrix.sha256}"}
    figure = heat_map(matrix, title)
    write_asked(plot, render(figure, form, provenance), f"--plot {plot}:")
    tell_notes(font_notes(figure) if form != "svg" else [])
    tell(f"wrote {plot}")


def _worlds(path: str) -> "list[tuple[dict[str, Any], World]]":
    """The facts of the worlds of a spec, and these.

    Arms are 0-based, starts of segments 1-based. Starts that are drawn for each run are those of run 0.
    """
    from duelbench.problem.worlds.world import World
    from duelbench.spec.load import load

    spec = load(path)
    found = [(problem.name, problem.matrix) for problem in spec.problems if isinstance(problem.matrix, World)]
    if not found:
        raise InputError(f"{path} has no world that changes; for a matrix name its file, as in 'duelbench show cyclic'")
    return [(_facts_of_world(name, world, spec), world) for name, world in found]


def _facts_of_world(name: str, world: "World", spec: "ExperimentSpec") -> dict[str, Any]:
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
        "names": list(world.names),
        "source": world.source,
        "per_run": world.per_run,
        "flips": world.flips,
        "sha256": world.sha256,
        "segments": segments,
    }


def _lines_of_world(facts: dict[str, Any], world: "World") -> list[str]:
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
        *(["rounds are drawn for each run; these are those of run 0"] if facts["per_run"] else []),
    ]
