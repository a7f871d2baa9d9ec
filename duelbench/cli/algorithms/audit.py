"""``duelbench audit``: whether somebody else's program is the algorithm that it says it is."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duelbench.cli import options
from duelbench.cli.options import Json, rounds, whole
from duelbench.cli.printing import columns
from duelbench.cli.streams import say, say_json

if TYPE_CHECKING:
    from duelbench.plugins.auditing import Audit


def audit(
    adapter: Annotated[Path, typer.Argument(metavar="ADAPTER.py", help="A file that runs the program.")],
    matrix: Annotated[
        str,
        typer.Option(metavar="MATRIX", help="The matrix to run on."),
    ] = "mslr5-condorcet",
    horizon: Annotated[
        int, typer.Option(metavar="T", parser=rounds, help="Regret is measured after T, 2 T and 4 T rounds.")
    ] = 10_000,
    runs: Annotated[int, typer.Option(metavar="N", parser=whole(2, 10**5, "runs"), help="Runs of the program.")] = 20,
    seed: Annotated[int, options.seed()] = 0,
    jobs: Annotated[int, options.jobs(default=True)] = 1,
    json: Json = False,
) -> None:
    """Compare a program with the algorithm that it claims to be.

    \b
    Example:
      duelbench audit my_adapter.py --matrix cyclic --horizon 1e3 -j 2

    Prints its regret after T, 2 T and 4 T rounds, how it grows, whether its distribution is that of duelbench's
    algorithm, and the first round in which it makes a choice that the algorithm would not make. docs/audit.md shows how
    to write an adapter.
    """
    from duelbench.plugins import auditing
    from duelbench.problem.preferences import PreferenceMatrix

    found = auditing.audit(auditing.load_adapter(adapter), PreferenceMatrix.load(matrix), horizon, runs, seed, jobs)
    if json:
        say_json(_as_json(found))
    else:
        say(_as_text(found))


def _as_json(found: "Audit") -> dict[str, Any]:
    parting = found.parting
    return {
        "program": found.adapter.name,
        "claims": found.adapter.claims.id,
        "parameters": dict(found.adapter.parameters),
        "rounds": list(found.rounds),
        "regret": found.theirs.mean(axis=0).tolist(),
        "regret_of_algorithm": found.ours.mean(axis=0).tolist(),
        "growth": [dict(zip(("ratio", "low", "high"), ratio, strict=True)) for ratio in found.growth],
        "linear": found.is_linear,
        "p_value": found.p_value,
        "other_law": found.is_other_law,
        "rounds_compared": found.traced,
        "first_parting": None if parting is None else parting._asdict(),
    }


def _as_text(found: "Audit") -> str:
    name, own = found.adapter.name, found.adapter.claims.named(found.adapter.parameters)
    law = f"not that of {own}" if found.is_other_law else f"no difference from {own} was seen"
    rows = [
        ["Copeland regret after", *(f"{t}" for t in found.rounds), "rounds"],
        ["  the program", *(f"{mean:.1f}" for mean in found.theirs.mean(axis=0)), f"{len(found.theirs)} runs"],
        [f"  {own}", *(f"{mean:.1f}" for mean in found.ours.mean(axis=0)), f"{len(found.ours)} runs"],
    ]
    return "\n".join(
        [
            f"{name}, which says it is {own} ({found.adapter.claims.id})",
            *columns(rows, right=range(1, len(found.rounds) + 1)),
            f"growth   {_growth(found)}",
            f"law      {law} (p = {found.p_value:.2g})",
            f"choices  {_choices(found, own)}",
        ]
    )


def _growth(found: "Audit") -> str:
    if not found.growth:
        return "not known: there was a regret of 0"
    ratios = [f"{ratio:.2f} ({low:.2f} to {high:.2f})" for ratio, low, high in found.growth]
    answer = "undecided: take more runs or rounds"
    if found.is_linear:
        answer = "it grows linearly, as far as these rounds show"
    elif found.is_slower:
        answer = "it grows slower than linearly at these rounds"
    return f"when the rounds double, regret is {' and then '.join(ratios)} times as large: {answer}"


def _choices(found: "Audit", own: str) -> str:
    if not found.traced:
        return f"not compared: those of {own} depend on more than the outcomes so far"
    if found.parting is None:
        return f"all of the first {found.traced} rounds are among those of {own}"
    t, pair, draws, usual, share = found.parting
    return (
        f"the first other one is in round {t}: it duels {pair[0]} and {pair[1]}, which {own} chose in none of"
        f" {draws} draws after the same outcomes ({usual[0]} and {usual[1]} in {share:.0%})"
    )
