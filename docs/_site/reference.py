"""The reference pages, made from the code when the site is built: nothing in them is written by hand."""

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args, get_origin

import docstrings
import typer

import duelbench
from duelbench import plugin
from duelbench.bandits.algorithms import contract
from duelbench.bandits.algorithms.registry import BUILT_IN
from duelbench.bandits.parameters import Parameter
from duelbench.bandits.problem.families import FAMILIES
from duelbench.bandits.problem.regret import DEFINITIONS
from duelbench.bandits.problem.round_losses import ANNOUNCED, SCALAR
from duelbench.bandits.simulation.trace import Trace
from duelbench.cli.app import app
from duelbench.experiments.spec.schema import schema

DOCS = Path(__file__).parents[1]

MOST_CHOICES = 12
"""As many values of a key are listed one by one."""


def pages() -> dict[str, str]:
    """Page of the site -> its Markdown."""
    return {
        "reference/commands.md": commands(),
        "reference/spec.md": spec(),
        "reference/algorithms.md": algorithms(),
        "reference/regrets.md": regrets(),
        "reference/families.md": families(),
        "reference/python.md": python(),
    }


def _page(title: str, introduction: str, sections: Sequence[str]) -> str:
    return "\n\n".join([f"# {title}", introduction, *sections]) + "\n"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *(map(_cell, row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    """The text of a cell: in code the site wants bars as they are, elsewhere with a backslash."""
    return "`".join(part if k % 2 else part.replace("|", "\\|") for k, part in enumerate(text.split("`")))


# --- commands ---


def commands() -> str:
    """Every command: how it is called, what it does, its arguments and options."""
    root = typer.Context(typer.main.get_command(app), info_name="duelbench")
    return _page(
        "Commands",
        "What `--help` says. Exit codes: 0 done, 1 a fault of duelbench, 2 the input is wrong, 3 some runs failed, 4 "
        "results are incomplete or damaged, 130 interrupted.",
        [_command(context) for context in _below(root) if not hasattr(context.command, "commands")],
    )


def _below(context: typer.Context) -> Iterator[typer.Context]:
    yield context
    for name, command in getattr(context.command, "commands", {}).items():
        yield from _below(typer.Context(command, info_name=name, parent=context))


def _command(context: typer.Context) -> str:
    usage = context.command.get_usage(context).removeprefix("Usage: ")
    parts = [f"## {context.command_path}", f"```text\n{usage}\n```", _help(context.command.help or "")]
    records = [record for one in context.command.get_params(context) if (record := one.get_help_record(context))]
    parts.append(
        _table(
            ["argument or option", "meaning"], [(f"`{name}`", " ".join(meaning.split())) for name, meaning in records]
        )
    )
    return "\n\n".join(parts)


def _help(text: str) -> str:
    """A help text as Markdown: what keeps its line breaks is code."""
    return "\n\n".join(_help_paragraph(paragraph) for paragraph in re.split(r"\n\s*\n", text.strip()))


def _help_paragraph(paragraph: str) -> str:
    if not paragraph.startswith("\b"):
        return " ".join(paragraph.split())
    head, _, rest = paragraph.removeprefix("\b").lstrip("\n").partition("\n")
    return f"{head}\n\n```text\n{rest}\n```" if head.endswith(":") else f"```text\n{head}\n{rest}\n```"


# --- specs ---


def spec() -> str:
    """Every key of a spec, with what it may hold; keys of keys below."""
    described = schema()
    sections = [_keys(described)]
    for name, key in described["properties"].items():
        if "properties" in key:
            sections += [f"## Keys of `{name}`", _keys(key)]
    return _page(
        "Keys of a spec",
        "What the JSON Schema of `duelbench schema` says. [A first figure](../tutorial/first-figure.md) "
        "shows a spec, [Figures](../figures/README.md) what `sweep`, `figure` and `scales` are for; the parameters of "
        "[algorithms](algorithms.md) and [families](families.md) have pages of their own.",
        sections,
    )


def _keys(described: Mapping[str, Any]) -> str:
    required = described.get("required", ())
    rows = [
        (
            f"`{name}`",
            " ".join(key.get("description", "").split()),
            ", ".join(dict.fromkeys(_values(key))),
            "must be given" if name in required else _written(key["default"]) if "default" in key else "",
        )
        for name, key in described["properties"].items()
    ]
    return _table(["key", "meaning", "values", "default"], rows)


def _values(key: Any) -> Iterator[str]:
    """What a key may hold, in words."""
    if not isinstance(key, Mapping):
        return
    for other in (*key.get("anyOf", ()), *key.get("oneOf", ())):
        yield from _values(other)
    if "enum" in key:
        names = [f"`{value}`" for value in key["enum"]]
        yield ", ".join(names) if len(names) <= MOST_CHOICES else f"one of {len(names)} names"
        return
    kinds = key.get("type", ())
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        if kind == "array":
            yield "a list"
        elif kind == "object":
            yield "a mapping"
        elif kind in ("integer", "number"):
            yield ("a whole number" if kind == "integer" else "a number") + _range(key)
        elif kind == "boolean":
            yield "`true`, `false`"
        elif kind == "string" and re.search(key.get("pattern", ""), "a-name"):  # and no number in another spelling
            yield "text"


def _range(key: Mapping[str, Any]) -> str:
    words = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}
    return " and".join(f" {sign} {key[word]:g}" for word, sign in words.items() if word in key)


def _written(value: Any) -> str:
    """A default as YAML has it."""
    if isinstance(value, bool) or value is None:
        return f"`{str(value).lower()}`" if value is not None else "none"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_written, value)) or "none"
    return f"`{value}`"


# --- algorithms, regrets, families ---


def _parameters(parameters: Mapping[str, Parameter]) -> str:
    rows = [(f"`{name}`", one.description, _written(one.default), _allowed(one)) for name, one in parameters.items()]
    return _table(["parameter", "meaning", "default", "values"], rows)


def _allowed(one: Parameter) -> str:
    if one.choices is not None:
        return ", ".join(map(_written, one.choices))
    if isinstance(one.default, bool):
        return "`true`, `false`"
    low = "" if one.low is None else f"{'>' if one.low_open else '>='} {one.low:g}"
    high = "" if one.high is None else f"{'<' if one.high_open else '<='} {one.high:g}"
    return " and ".join(filter(None, (low, high)))


def algorithms() -> str:
    """Every algorithm in one table, which sorts by its heads, and its parameters below."""
    known = duelbench.algorithms()
    regret = _regret_of_leaderboard()
    costs = {row["algorithm"]: row["seconds"] for row in _rows_of(DOCS / "algorithms" / "costs.csv")}
    rows = []
    for id in BUILT_IN:
        year = re.search(r"\b(?:19|20)\d\d\b", known[id].reference)
        horizon = "yes" if known[id].anytime else "no"
        facts = (known[id].assumes, horizon, year[0] if year else "", *regret.get(id, ("", "")), costs.get(id, ""))
        rows.append((f"[{known[id].name}](../algorithms/{id}.md)", *facts))
    head = ["algorithm", "assumes", "anytime", "year", *(f"regret on {name}" for name in MATRICES), "seconds"]
    return _page(
        "Algorithms",
        "A click on a head sorts the table. *Regret* is the mean Copeland regret of 10^6 rounds, from the "
        "[leaderboard](../leaderboard.md); it is empty where an algorithm is not ranked: it explores or identifies "
        "without a horizon, or lacks what it assumes. *Seconds* is what a run of 10^6 rounds on mslr5-condorcet takes "
        "on one core.",
        [_table(head, rows), *(_algorithm(known[id]) for id in BUILT_IN)],
    )


MATRICES = ("mslr5-condorcet", "mslr5-noncondorcet")
"""The matrices whose regret the table of algorithms shows."""


def _regret_of_leaderboard() -> dict[str, list[str]]:
    """Id -> its mean Copeland regret of 10^6 rounds on `MATRICES`; empty where it was not ranked there."""
    board = json.loads((DOCS / "leaderboard" / "leaderboard.json").read_text(encoding="utf-8"))
    names = [problem["name"] for problem in board["problems"]]
    ids = {algorithm["label"]: algorithm["id"] for algorithm in board["algorithms"]}
    found: dict[str, list[str]] = {}
    for label, means in board["means"][str(10**6)].items():
        cells = [means[names.index(name)] for name in MATRICES]
        found[ids[label]] = ["" if mean is None else f"{mean:,.0f}" for mean in cells]
    return found


def links_to_algorithms() -> str:
    """A table for ``docs/index.md``: the pages of all algorithms, by what they assume."""
    known = duelbench.algorithms()
    rows = []
    for assumed in get_args(contract.Assumption):
        ids = [id for id in BUILT_IN if known[id].assumes == assumed]
        rows.append((assumed, ", ".join(f"[{id}](algorithms/{id}.md)" for id in ids)))
    return _table(["assumes", "algorithms"], rows)


def _algorithm(one: contract.Algorithm) -> str:
    horizon = "anytime" if one.anytime else "needs the horizon"
    plays = " and ".join({"duels": "matrices", "samples": "scalar bandits"}[kind] for kind in one.plays)
    facts = f"{one.name}, in specs `{one.id}`: assumes {one.assumes}; {horizon}; plays {plays}. {one.reference}."
    parts = [f"## [{one.id}](../algorithms/{one.id}.md)", facts]
    return "\n\n".join([*parts, *([_parameters(one.parameters)] if one.parameters else [])])


MEASURED = "## Measured, beside other programs"
CRITERION = (
    "Two programs count as agreeing if their means are within four standard errors of the difference. Rows of one"
    " program with the same settings are separate experiments, with other random numbers."
)


def with_regret(page: str, id: str) -> str:
    """The page of an algorithm, and at its end the tables of what was measured."""
    tables = [f"{title}, mean +- standard error:\n\n{table}" for title, table in _measured(id)]
    return "\n\n".join([page.rstrip(), MEASURED, CRITERION, *tables]) + "\n" if tables else page


@lru_cache
def _rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file, by column; read once for all pages."""
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _measured(id: str) -> Iterator[tuple[str, str]]:
    """Title and table of each kind of regret in ``algorithms/regret.csv``: rounds as columns, rows in its order."""
    lines = [line for line in _rows_of(DOCS / "algorithms" / "regret.csv") if line["algorithm"] == id]
    for regret in dict.fromkeys(line["regret"] for line in lines):
        rows: list[tuple[list[str], dict[str, str]]] = []
        for line in (line for line in lines if line["regret"] == regret):
            head = [line["matrix"], line["program"], line["settings"], line["runs"]]
            if not rows or rows[-1][0] != head or line["round"] in rows[-1][1]:  # several rows may have the same head
                rows.append((head, {}))
            between = " " if line["error"].startswith("sd") else " +- "
            rows[-1][1][line["round"]] = between.join(filter(None, (line["mean"], line["error"])))
        rounds = sorted({round for _, cells in rows for round in cells}, key=lambda text: (len(text), text))
        table = [[*head, *(cells.get(round, "") for round in rounds)] for head, cells in rows]
        title = regret.capitalize() if " " in regret else f"Regret `{regret}`"
        yield title, _table(["matrix", "program", "settings", "runs", *rounds], table)


def regrets() -> str:
    """Every regret definition."""
    duels = [(f"`{one.name}`", one.description, _needs(one), one.reference) for one in DEFINITIONS.values()]
    announced = [(f"`{one.name}`", one.description, _needs(one), one.reference) for one in ANNOUNCED.values()]
    head = ["name", "what a round costs", "needs", "source"]
    return _page(
        "Regret definitions",
        "What a spec's `regret` may name, and `duelbench list regrets` lists.",
        [
            "## Of duels",
            _table(head, duels),
            "## Of what is announced",
            "Pure exploration is judged by the arm that the algorithm would answer with after each round.",
            _table(head, announced),
            "## Of scalar bandits",
            _table(head[:2], [(f"`{name}`", description) for name, description in SCALAR.items()]),
        ],
    )


def _needs(one: Any) -> str:
    return "a Condorcet winner" if one.needs_condorcet_winner else ""


def families() -> str:
    """Every family of matrices."""
    return _page(
        "Families of matrices",
        "What `{family: linear, n_arms: 64}` in a spec and `duelbench matrix generate` may name; "
        "[Matrices](../matrices.md) says more. Random families have a `seed`, too.",
        [
            f"## {one.name}\n\n{one.description}{' (random)' if one.is_random else ''}. Source: {one.source}.\n\n"
            f"{_parameters(one.parameters)}"
            for one in FAMILIES.values()
        ],
    )


# --- Python ---


def python() -> str:
    """Every public name with its docstring."""
    public = {f"duelbench.{name}": getattr(duelbench, name) for name in duelbench.__all__ if name != "__version__"}
    of_plug_ins = {f"duelbench.plugin.{name}": getattr(plugin, name) for name in plugin.__all__}
    described = {name: value for name, value in of_plug_ins.items() if callable(value) and get_origin(value) is None}
    return docstrings.page(
        "Python",
        "The names that scripts and notebooks may rely on. [Results in Python](../results-in-python.md) shows them at "
        "work, [an algorithm of your own](../tutorial/own-algorithm.md) the contract, and "
        "[duelbench.plugin](../plugin.md) lists what such an algorithm imports.",
        {**public, "duelbench.bandits.simulation.trace.Trace": Trace, **described},
    )
