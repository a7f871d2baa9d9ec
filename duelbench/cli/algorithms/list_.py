"""``duelbench list``: list algorithms, matrices, regrets, families or specs."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

import typer

from duelbench.bandits.parameters import Parameter
from duelbench.cli.options import Json, PlugIn
from duelbench.cli.streams import say, say_json
from duelbench.errors import InputError, nearest

Kind = Literal["algorithms", "matrices", "regrets", "families", "specs"]


def list_(
    kind: Annotated[Kind, typer.Argument(help="What to list.")] = "algorithms",
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="List only this one, such as rucb."),
    ] = None,
    plug_in: PlugIn = None,
    json: Json = False,
) -> None:
    """List algorithms, families, matrices, regrets or specs.

    Algorithms and families come with their parameters and defaults, matrices with their winners. Matrices and specs are
    those that come with duelbench.

    \b
    Examples:
      duelbench list algorithms rucb
      duelbench list algorithms --plug-in commit.py
      duelbench list families --json
    """
    from duelbench.bandits.algorithms.registry import load_plug_in

    for file in plug_in or ():
        load_plug_in(file)
    collect, as_text = LISTINGS[kind]
    items = collect()
    if name is not None:
        items = [_chosen(name, kind, items)]
    if json:
        say_json(items)
    else:
        say("\n".join(map(as_text, items)))


def _chosen(name: str, kind: Kind, items: list[dict[str, Any]]) -> dict[str, Any]:
    """The item with this name."""
    from duelbench.bandits.algorithms.registry import suggestion

    by_name = {item["id" if kind == "algorithms" else "name"]: item for item in items}
    if name in by_name:
        return by_name[name]
    hint = suggestion(name) if kind == "algorithms" else nearest(name, by_name)
    wanted = {"matrices": "matrix", "families": "family"}.get(kind, kind.removesuffix("s"))
    raise InputError(f"there is no {wanted} '{name}'{hint or f'; `duelbench list {kind}` lists them all'}")


def _algorithms() -> list[dict[str, Any]]:
    from duelbench.bandits.algorithms.registry import algorithms

    return [
        {
            "id": algorithm.id,
            "name": algorithm.name,
            "assumes": algorithm.assumes,
            "anytime": algorithm.anytime,
            "parameters": _parameters(algorithm.parameters),
            "reference": algorithm.reference,
            "source": algorithm.source,
        }
        for algorithm in algorithms().values()
    ]


_SOURCE_IN_WORDS = {
    "paper": "checked with the paper",
    "program": "checked with a published program",
    "description": "checked with a description",
    "own": "our own",
}
"""`Algorithm.source` in words."""


def _algorithm_text(item: dict[str, Any]) -> str:
    horizon = "anytime" if item["anytime"] else "needs the horizon"
    first = f"{item['id']:<20} {item['name']}: assumes {item['assumes']}, {horizon}. {item['reference']}"
    return "\n".join([f"{first} ({_SOURCE_IN_WORDS[item['source']]})", *_parameter_lines(item)])


def _matrices() -> list[dict[str, Any]]:
    from duelbench.bandits.problem import winners
    from duelbench.bandits.problem.preferences import PreferenceMatrix
    from duelbench.bandits.third_party import shown
    from duelbench.common import shipped

    loaded = {name: (path, PreferenceMatrix.load(path)) for name, path in shipped.matrices().items()}
    return [
        {
            "name": name,
            "path": shown(path),
            "n_arms": matrix.n_arms,
            "condorcet_winner": winners.condorcet_winner(matrix),
            "copeland_winners": list(winners.copeland_winners(matrix)),
        }
        for name, (path, matrix) in loaded.items()
    ]


def _matrix_text(item: dict[str, Any]) -> str:
    if item["condorcet_winner"] is not None:
        winner = f"Condorcet winner {item['condorcet_winner']}"
    else:
        winner = "no Condorcet winner; Copeland winners " + ", ".join(map(str, item["copeland_winners"]))
    return f"{item['name']:<45} {item['n_arms']:>4} arms  {winner}"


def _regrets() -> list[dict[str, Any]]:
    from duelbench.bandits.problem.regret import DEFINITIONS
    from duelbench.bandits.problem.round_losses import ANNOUNCED, SCALAR
    from duelbench.bandits.problem.worlds.losses import STATIC

    of_matrices = [*DEFINITIONS.values(), *ANNOUNCED.values()]
    known = [
        *(
            (definition.name, definition.description, "matrices", definition.needs_condorcet_winner)
            for definition in of_matrices
        ),
        *((name, description, "scalar bandits", False) for name, description in SCALAR.items()),
        *((name, description, "worlds that change", False) for name, description in STATIC.items()),
    ]
    return [dict(zip(("name", "description", "of", "needs_condorcet_winner"), row, strict=True)) for row in known]


def _regret_text(item: dict[str, Any]) -> str:
    text = f"{item['name']:<19} {item['description']}"
    if item["needs_condorcet_winner"]:
        text += " (needs a Condorcet winner)"
    if item["of"] != "matrices":
        text += f" (for {item['of']})"
    return text


def _families() -> list[dict[str, Any]]:
    from duelbench.bandits.problem.families import FAMILIES

    return [
        {
            "name": family.name,
            "description": family.description,
            "source": family.source,
            "random": family.is_random,
            "parameters": _parameters(family.parameters),
        }
        for family in FAMILIES.values()
    ]


def _family_text(item: dict[str, Any]) -> str:
    lines = [f"{item['name']:<20} {item['description']}.", f"    source: {item['source']}"]
    seed = ["    seed = 0  seed of the random matrix"] if item["random"] else []
    return "\n".join([*lines, *_parameter_lines(item), *seed])


def _specs() -> list[dict[str, Any]]:
    from duelbench.bandits.third_party import shown
    from duelbench.common import shipped
    from duelbench.experiments.spec import yaml_source
    from duelbench.experiments.spec.yaml_source import Scalar

    items = []
    for name, path in shipped.specs().items():
        data = yaml_source.read(path).data
        title, scales = data.get(Scalar("title")) or name, data.get(Scalar("scales"))
        names_of_scales = list(scales) if isinstance(scales, dict) else []
        items.append({"name": name, "path": shown(path), "title": title, "scales": names_of_scales})
    return items


def _spec_text(item: dict[str, Any]) -> str:
    scales = f" (scales: {', '.join(item['scales'])})" if item["scales"] else ""
    return f"{item['name']:<27} {item['title']}{scales}"


def _parameters(parameters: Mapping[str, Parameter]) -> dict[str, Any]:
    return {
        name: {"default": parameter.default, "description": parameter.description}
        for name, parameter in parameters.items()
    }


def _parameter_lines(item: dict[str, Any]) -> list[str]:
    lines = []
    for name, parameter in item["parameters"].items():
        default = parameter["default"]
        shown = ",".join(map(str, default)) if isinstance(default, tuple) else default
        lines.append(f"    {name} = {shown}  {parameter['description']}")
    return lines


LISTINGS: dict[Kind, tuple[Callable[[], list[dict[str, Any]]], Callable[[dict[str, Any]], str]]] = {
    "algorithms": (_algorithms, _algorithm_text),
    "matrices": (_matrices, _matrix_text),
    "regrets": (_regrets, _regret_text),
    "families": (_families, _family_text),
    "specs": (_specs, _spec_text),
}
"""Kind -> the function that collects the items, and the one that formats an item."""
