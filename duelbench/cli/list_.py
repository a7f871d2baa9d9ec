"""`duelbench list`: what there is to choose from."""

import json as json_module
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from duelbench.cli.completion import candidates
from duelbench.cli.folders import PlugIn
from duelbench.cli.streams import say
from duelbench.errors import InputError, nearest


class Kind(StrEnum):
    """What can be listed."""

    algorithms = "algorithms"
    matrices = "matrices"
    regrets = "regrets"
    families = "families"
    specs = "specs"


class Listing(NamedTuple):
    """How things of one kind are found, shown and called."""

    collect: Callable[[], list[dict[str, Any]]]
    as_text: Callable[[dict[str, Any]], str]
    name: Callable[[dict[str, Any]], str]


def list_(
    kind: Annotated[Kind, typer.Argument(help="What to list.")] = Kind.algorithms,
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="Only this one, such as rucb.", autocompletion=candidates.listed),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(help="Folder of the matrices to list.", show_default="those that come with duelbench"),
    ] = None,
    plug_in: PlugIn = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """List algorithms, families, matrices, regrets or specs.

    Algorithms and families come with their parameters and defaults, matrices with their winners. The specs are those of
    the papers' figures, which come with duelbench: `duelbench run paper:wu2016/1a`.

    \b
    Examples:
      duelbench list algorithms
      duelbench list algorithms rucb
      duelbench list algorithms --plug-in commit.py
      duelbench list families --json
    """
    from duelbench.algorithms.registry import load_plug_in

    for plug_in_name in plug_in or ():
        load_plug_in(plug_in_name)
    wrong: dict[str, str] = {}
    listing = {
        Kind.algorithms: Listing(_algorithms, _algorithm_text, lambda item: item["id"]),
        Kind.matrices: Listing(lambda: _matrices(folder, wrong), _matrix_text, lambda item: Path(item["path"]).stem),
        Kind.regrets: Listing(_regrets, _regret_text, lambda item: item["name"]),
        Kind.families: Listing(_families, _family_text, lambda item: item["name"]),
        Kind.specs: Listing(_specs, _spec_text, lambda item: item["name"]),
    }[kind]
    items = listing.collect()
    if name is not None:
        wrong = {name: wrong[name]} if name in wrong else {}
        items = [] if wrong else [_called(name, kind, {listing.name(item): item for item in items})]
    if json or items:
        say(json_module.dumps(items, indent=2) if json else "\n".join(map(listing.as_text, items)))
    if wrong:
        raise InputError("\n".join(wrong.values()))


def _called(name: str, kind: Kind, items: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The item that is called so."""
    from duelbench.algorithms.registry import suggestion

    if name in items:
        return items[name]
    hint = suggestion(name) if kind == Kind.algorithms else nearest(name, items)
    wanted = {Kind.matrices: "matrix", Kind.families: "family"}.get(kind, kind.removesuffix("s"))
    raise InputError(f"there is no {wanted} '{name}'{hint or f' (`duelbench list {kind}` shows what there is)'}")


def _algorithms() -> list[dict[str, Any]]:
    from duelbench.algorithms.registry import algorithms

    return [
        {
            "id": algorithm.id,
            "name": algorithm.name,
            "assumes": algorithm.assumes,
            "anytime": algorithm.anytime,
            "parameters": {
                name: {"default": parameter.default, "description": parameter.description}
                for name, parameter in algorithm.parameters.items()
            },
            "reference": algorithm.reference,
        }
        for algorithm in algorithms().values()
    ]


def _algorithm_text(item: dict[str, Any]) -> str:
    horizon = "anytime" if item["anytime"] else "needs the horizon"
    lines = [f"{item['id']:<20} {item['name']}: assumes {item['assumes']}, {horizon}. {item['reference']}"]
    lines += [
        f"    {name} = {parameter['default']}  {parameter['description']}"
        for name, parameter in item["parameters"].items()
    ]
    return "\n".join(lines)


def _matrices(folder: Path | None, wrong: dict[str, str]) -> list[dict[str, Any]]:
    """The matrices that can be read, by default those with a name; ``wrong`` is told what is wrong with the others."""
    from duelbench import shipped
    from duelbench.problem import winners
    from duelbench.problem.preferences import PreferenceMatrix
    from duelbench.third_party import shown

    paths = shipped.matrices() if folder is None else {str(path): path for path in sorted(folder.glob("*.csv"))}
    if not paths:
        raise InputError(f"{folder}: no matrices (*.csv) in this folder; name another with --folder")
    items = []
    for name, path in paths.items():
        try:
            matrix = PreferenceMatrix.load(path)
        except InputError as error:
            wrong[path.stem] = str(error)
            continue
        items.append(
            {
                "name": name,
                "path": shown(path),
                "n_arms": matrix.n_arms,
                "condorcet_winner": winners.condorcet_winner(matrix),
                "copeland_winners": [int(arm) for arm in winners.copeland_winners(matrix)],
            }
        )
    return items


def _matrix_text(item: dict[str, Any]) -> str:
    if item["condorcet_winner"] is not None:
        winner = f"Condorcet winner {item['condorcet_winner']}"
    else:
        winner = "no Condorcet winner; Copeland winners " + ", ".join(map(str, item["copeland_winners"]))
    return f"{item['name']:<45} {item['n_arms']:>4} arms  {winner}"


def _regrets() -> list[dict[str, Any]]:
    from duelbench.problem.regret import DEFINITIONS
    from duelbench.problem.round_losses import ANNOUNCED, SCALAR
    from duelbench.problem.worlds.losses import STATIC

    known = [
        *((one.name, one.description, "matrices", one.needs_condorcet_winner) for one in DEFINITIONS.values()),
        *((one.name, one.description, "matrices", one.needs_condorcet_winner) for one in ANNOUNCED.values()),
        *((name, description, "scalar bandits", False) for name, description in SCALAR.items()),
        *((name, description, "worlds that change", False) for name, description in STATIC.items()),
    ]
    return [dict(zip(("name", "description", "of", "needs_condorcet_winner"), one, strict=True)) for one in known]


def _regret_text(item: dict[str, Any]) -> str:
    needs = " (needs a Condorcet winner)" if item["needs_condorcet_winner"] else ""
    needs += f" (of {item['of']})" if item["of"] != "matrices" else ""
    return f"{item['name']:<19} {item['description']}{needs}"


def _families() -> list[dict[str, Any]]:
    from duelbench.problem.families import FAMILIES

    return [
        {
            "name": family.name,
            "description": family.description,
            "source": family.source,
            "random": family.is_random,
            "parameters": {
                name: {"default": parameter.default, "description": parameter.description}
                for name, parameter in family.parameters.items()
            },
        }
        for family in FAMILIES.values()
    ]


def _family_text(item: dict[str, Any]) -> str:
    lines = [f"{item['name']:<20} {item['description']}.", f"    source: {item['source']}"]
    lines += [
        f"    {name} = {_default_text(parameter['default'])}  {parameter['description']}"
        for name, parameter in item["parameters"].items()
    ]
    return "\n".join([*lines, *(["    seed = 0  which of the matrices that could be drawn"] if item["random"] else [])])


def _specs() -> list[dict[str, Any]]:
    from duelbench import shipped
    from duelbench.spec import yaml_source
    from duelbench.spec.yaml_source import Scalar
    from duelbench.third_party import shown

    items = []
    for name, path in shipped.specs().items():
        data = yaml_source.read(path).data
        scales = data.get(Scalar("scales"))
        items.append(
            {
                "name": name,
                "path": shown(path),
                "title": data.get(Scalar("title")) or name,
                "scales": list(scales) if isinstance(scales, dict) else [],
            }
        )
    return items


def _spec_text(item: dict[str, Any]) -> str:
    scales = f" (scales: {', '.join(item['scales'])})" if item["scales"] else ""
    return f"{item['name']:<27} {item['title']}{scales}"


def _default_text(value: Any) -> str:
    if value is None:
        return "none"
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
