"""``duelbench show``: the facts of a preference matrix."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duelbench.cli import completion
from duelbench.cli.options import Json
from duelbench.cli.printing import columns
from duelbench.cli.streams import say, say_json
from duelbench.errors import InputError

if TYPE_CHECKING:
    from duelbench.problem.bounds import LowerBound
    from duelbench.problem.preferences import PreferenceMatrix
    from duelbench.problem.worlds.world import World
    from duelbench.spec.experiment_spec import ExperimentSpec

MANY_ARMS = 100
"""From this many arms on a line says that bounds are being computed."""


MOST_ROWS = 30
"""Segments listed for a reader."""


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
        _show_worlds(matrix, plot is not None or bounds, json)
        return
    form = _format(plot) if plot is not None else ""
    loaded = PreferenceMatrix.load(matrix)
    if plot is not None:
        _write_heat_map(loaded, plot, form)
    computed = _compute_bounds(loaded) if bounds else None
    if json:
        more = {} if computed is None else {"bounds": bound_facts(computed)}
        say_json({**matrix_facts(loaded), **more})
        return
    say(describe(loaded))
    if computed is not None:
        say("\n" + describe_bounds(loaded, computed))


def _show_worlds(path: str, asks_of_matrix: bool, json: bool) -> None:
    if asks_of_matrix:
        raise InputError(f"--plot and --bounds are for one matrix, and {path} is a spec; remove them")
    facts = worlds_facts(path)
    if json:
        say_json({"worlds": facts})
    else:
        say(describe_worlds(facts))


def _compute_bounds(matrix: "PreferenceMatrix") -> "dict[str, LowerBound | None]":
    """Every kind of bound; None where it needs a Condorcet winner and there is none."""
    from duelbench.problem.bounds import KINDS, NEED_CONDORCET_WINNER, lower_bound
    from duelbench.problem.winners import condorcet_winner

    if matrix.n_arms >= MANY_ARMS:
        typer.echo(f"computing the bounds of {matrix.n_arms} arms ...", err=True)
    has_winner = condorcet_winner(matrix) is not None
    return {
        kind: lower_bound(matrix, kind) if has_winner or kind not in NEED_CONDORCET_WINNER else None for kind in KINDS
    }


def bound_facts(bounds: "dict[str, LowerBound | None]") -> dict[str, Any]:
    """What ``show --bounds --json`` prints about bounds, by kind; None where a kind does not apply.

    ``constant`` is None where it is infinite, ``winner`` is 0-based, ``gap`` is that of the linear program.
    """
    return {kind: None if bound is None else _bound_object(bound) for kind, bound in bounds.items()}


def _bound_object(bound: "LowerBound") -> dict[str, Any]:
    import math

    return {
        "constant": bound.constant if math.isfinite(bound.constant) else None,
        "winner": bound.winner,
        "regret": bound.regret,
        "constants": {str(arm): constant for arm, constant in bound.constants.items()},
        "gap": None if bound.certificate is None else bound.certificate.gap,
        "notes": list(bound.notes),
    }


def describe_bounds(matrix: "PreferenceMatrix", bounds: "dict[str, LowerBound | None]") -> str:
    """The same facts for a reader."""
    rows = [["bound", "C in C ln T", "winner", "regret", "what it is"]]
    rows += [_bound_row(matrix, kind, bound) for kind, bound in bounds.items()]
    lines = columns(rows)
    for kind, bound in bounds.items():
        if bound is not None and len(bound.constants) > 1:
            listed = [f"{constant:.6g} for {matrix.listed([arm])}" for arm, constant in bound.constants.items()]
            lines.append(f"{kind}, by Copeland winner: {', '.join(listed)}")
    noted: dict[str, list[str]] = {}
    for kind, bound in bounds.items():
        for note in () if bound is None else bound.notes:
            noted.setdefault(note, []).append(kind)
    lines += [f"note on {' and '.join(kinds)}: {note}" for note, kinds in noted.items()]
    return "\n".join(lines)


_MEANINGS = {
    "copeland": "lower bound (Komiyama et al. 2016)",
    "ecw": "what ECW-RMED needs",
    "condorcet": "lower bound (Komiyama et al. 2015)",
    "rmed1": "what RMED1 needs",
    "ccb": "of CCB's guarantee",
}


def _bound_row(matrix: "PreferenceMatrix", kind: str, bound: "LowerBound | None") -> list[str]:
    from duelbench.problem.winners import ties

    meaning = _MEANINGS[kind]
    if bound is None:
        return [kind, "-", "-", "-", f"{meaning.partition(' (')[0]}; there is no Condorcet winner"]
    winner = "-" if bound.winner is None else matrix.listed([bound.winner])
    # Without ties `copeland` regret is the same thing.
    regret = "copeland" if bound.regret == "copeland-komiyama" and not ties(matrix) else bound.regret
    return [kind, f"{bound.constant:.6g}", winner, regret, meaning]


def matrix_facts(matrix: "PreferenceMatrix") -> dict[str, Any]:
    """What ``show --json`` prints about a matrix: arms 0-based, Copeland scores normalised to [0, 1].

    Examples
    --------
    >>> from duelbench.problem.preferences import PreferenceMatrix
    >>> facts = matrix_facts(PreferenceMatrix([[0.5, 0.75], [0.25, 0.5]]))
    >>> facts["condorcet_winner"], facts["copeland_scores"], facts["min_gap"], facts["ties"]
    (0, [1.0, 0.0], 0.25, [])
    """
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


def describe(matrix: "PreferenceMatrix") -> str:
    """The same facts for a reader, arms counted from 0.

    Examples
    --------
    >>> from duelbench.problem.preferences import PreferenceMatrix
    >>> print(describe(PreferenceMatrix([[0.5, 0.75], [0.25, 0.5]], names=["tuna", "egg"])))
    the matrix: 2 arms, counted from 0
    Condorcet winner  0 (tuna)
    Copeland winner   0 (tuna)
    Borda winner      0 (tuna)
    smallest gap      0.25, between 0 (tuna) and 1 (egg)
    ties              none
    <BLANKLINE>
    arm  Copeland score   Borda score  name
      0  1/1 = 1          0.75         tuna
      1  0/1 = 0          0.25         egg
    """
    from duelbench.problem.winners import closest_pair

    facts = matrix_facts(matrix)
    condorcet = facts["condorcet_winner"]
    pairs = [matrix.listed(pair, " and ") for pair in facts["ties"]]
    rows = {
        "Condorcet winner": "none" if condorcet is None else matrix.listed([condorcet]),
        _plural("Copeland winner", facts["copeland_winners"]): matrix.listed(facts["copeland_winners"]),
        _plural("Borda winner", facts["borda_winners"]): matrix.listed(facts["borda_winners"]),
        "smallest gap": f"{facts['min_gap']:.6g}, between {matrix.listed(closest_pair(matrix), ' and ')}",
        "ties": f"{len(pairs)}: {'; '.join(pairs)}" if pairs else "none",
    }
    head = f"{matrix.source or 'the matrix'}: {matrix.n_arms} arms, counted from 0"
    return "\n".join([head, *(f"{word:16}  {fact}" for word, fact in rows.items()), "", *_score_table(matrix)])


def _score_table(matrix: "PreferenceMatrix") -> list[str]:
    from duelbench.problem.winners import borda_scores, inferior_counts

    others = matrix.n_arms - 1
    is_named = matrix.names != tuple(str(arm) for arm in range(matrix.n_arms))
    lines = ["arm  Copeland score   Borda score  " + ("name" if is_named else "")]
    for arm, (beaten, borda) in enumerate(zip(inferior_counts(matrix), borda_scores(matrix), strict=True)):
        copeland = f"{beaten}/{others} = {beaten / others:.4g}"
        lines.append(f"{arm:3}  {copeland:15}  {borda:<11.6g}  {matrix.names[arm] if is_named else ''}")
    return [line.rstrip() for line in lines]


def _plural(word: str, arms: list[int]) -> str:
    return word if len(arms) == 1 else f"{word}s"


def _format(plot: Path) -> str:
    from duelbench.figures.drawing.canvas import FORMATS

    form = plot.suffix.lower().removeprefix(".")
    if form not in FORMATS:
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
    for note in font_notes(figure) if form != "svg" else []:
        typer.echo(f"note: {note}", err=True)
    typer.echo(f"wrote {plot}", err=True)


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
