"""Writes the head of each page of an algorithm: from its `Algorithm`, docs/algorithms/sources.toml and costs.csv.

python docs/_site/heads.py
"""

import csv
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from duelbench.bandits.algorithms.contract import Algorithm
from duelbench.bandits.algorithms.registry import BUILT_IN, get

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "algorithms"
LITERAL = ROOT / "tests" / "conformance" / "literal"
BEGIN, END = "<!-- head: `make record` writes it -->", "<!-- end of the head -->"

WRITTEN_FROM = {
    "paper": "the paper",
    "program": "a published program",
    "description": "descriptions at second hand",
    "own": "our own ideas",
}
"""`Algorithm.source` -> what it says in the first row of a head."""

ASSUMES = {
    "nothing": "nothing",
    "condorcet": "a Condorcet winner",
    "copeland": "a Copeland winner, which every matrix has",
    "total order": "a total order of the arms",
    "borda": "an arm with the highest Borda score",
}
PLAYS = {"duels": "duels of a matrix", "samples": "samples of a scalar bandit"}


@lru_cache
def sources() -> dict[str, Any]:
    """What `sources.toml` says of each algorithm, by id; its papers under ``papers``."""
    return tomllib.loads((PAGES / "sources.toml").read_text(encoding="utf-8"))


@lru_cache
def _costs() -> dict[str, str]:
    with open(PAGES / "costs.csv", encoding="utf-8", newline="") as file:
        return {row["algorithm"]: row["seconds"] for row in csv.DictReader(file)}


@lru_cache
def _has_regret() -> set[str]:
    with open(PAGES / "regret.csv", encoding="utf-8", newline="") as file:
        return {row["algorithm"] for row in csv.DictReader(file)}


@lru_cache
def _transcriptions() -> dict[str, list[str]]:
    """Id -> the files that declare its transcription in ``ORACLES``, as paths below the root."""
    found: dict[str, list[str]] = {}
    for path in sorted(LITERAL.rglob("*.py")):
        for id in re.findall(r'"([a-z0-9-]+)": Transcription\(', path.read_text(encoding="utf-8")):
            found.setdefault(id, []).append(path.relative_to(ROOT).as_posix())
    return found


def head(id: str) -> str:
    """The tables at the head of an algorithm's page: its facts and its parameters."""
    one = get(id)
    parts = ["\n".join(["| | |", "|---|---|", *(f"| {name} | {_cell(text)} |" for name, text in _facts(one))])]
    if one.parameters:
        rows = [f"| `{name}` | {_default(p.default)} | {_cell(p.description)} |" for name, p in one.parameters.items()]
        parts.append("\n".join(["| parameter | default | meaning |", "|---|---|---|", *rows]))
    return "\n\n".join(parts)


def _facts(one: Algorithm) -> Iterator[tuple[str, str]]:
    known = sources().get(one.id, {})
    joint = ", " if one.source == "description" else ": "
    yield "written from", joint.join(filter(None, (WRITTEN_FROM[one.source], known.get("read"))))
    yield "reference", sources()["papers"][known["paper"]] if "paper" in known else one.reference
    yield "in specs", f"`{one.id}`"
    yield "assumes", ASSUMES[one.assumes]
    yield "horizon", _horizon(one)
    yield "plays", " and ".join(PLAYS[kind] for kind in one.plays)
    if one.answers:
        yield "answers", ", ".join(f"`{question}`" for question in one.answers)
    if one.id in _costs():
        yield "10^6 rounds", f"{_costs()[one.id]} s on mslr5-condorcet, on one core"
    if one.id in _has_regret():
        yield "measured", "[regret.csv](regret.csv); the site shows its rows below"
    module = BUILT_IN[one.id].partition(":")[0].replace(".", "/")
    yield "module", f"`duelbench/bandits/algorithms/{module}.py`"
    literal = [*_transcriptions().get(one.id, []), *known.get("transcriptions", [])]
    yield "transcription", ", ".join(f"[{Path(path).name}](../../{path})" for path in literal)


def _horizon(one: Algorithm) -> str:
    words = "not needed (anytime)" if one.anytime else "needed"
    if one.anytime_with is None:
        return words
    return f"{words}; some parameters change that"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _default(value: object) -> str:
    """A default as YAML has it."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"`{value:.6g}`" if value < 1e5 else f"`{value:.0e}`".replace("e+0", "e")
    return f"`{str(value).lower()}`" if isinstance(value, bool) else f"`{value}`"


def with_head(page: str, id: str) -> str:
    """The page with its head made again; a page without one gets it below its title."""
    if BEGIN not in page:
        title, _, rest = page.partition("\n")
        page = f"{title}\n\n{BEGIN}\n{END}\n{rest}"
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{head(id)}\n\n{END}{after}"


def main() -> None:
    """Write all heads again; a new algorithm needs its page first."""
    for id in BUILT_IN:
        path = PAGES / f"{id}.md"
        if not path.exists():
            sys.exit(f"write {path.relative_to(ROOT)}: a title and what the algorithm does")
        path.write_text(with_head(path.read_text(encoding="utf-8"), id), encoding="utf-8")


if __name__ == "__main__":
    main()
