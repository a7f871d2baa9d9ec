"""Names that can stand at a place of the command line; where none fits, shells complete to files.

It has to be quick: nothing here loads NumPy. Names of algorithms and the like come from the JSON Schema of specs, and
labels from the manifests of results.
"""

import functools
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import typer

from duelbench import shipped

MANIFEST = "manifest.json"


def _completing(names: Callable[[typer.Context], Iterable[str]]) -> Callable[[typer.Context, str], list[str]]:
    """Those of some names that fit; none where something fails: a traceback would be printed into the line."""

    def fitting(ctx: typer.Context, incomplete: str) -> list[str]:
        try:
            return [name for name in dict.fromkeys(names(ctx)) if name.startswith(incomplete)]
        except Exception:
            return []

    return fitting


@functools.cache
def _schema() -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(shipped.SCHEMA.read_text(encoding="utf-8"))
    return schema


def _words(part: Any) -> list[str]:
    """The first list of words in a part of the schema."""
    if isinstance(part, dict):
        if "$ref" in part:
            return _words(_schema()["$defs"][part["$ref"].rpartition("/")[2]])
        return part.get("enum") or _words(list(part.values()))
    return next(filter(None, map(_words, part)), []) if isinstance(part, list) else []


def _of(key: str) -> list[str]:
    return _words(_schema()["properties"][key])


def _families() -> list[str]:
    forms = (form.get("properties", {}) for form in _schema()["properties"]["matrix"]["anyOf"])
    return [name for form in forms if "family" in form for name in _words(form["family"])]


def _manifests(ctx: typer.Context) -> Iterator[dict[str, Any]]:
    """Those of the results that were named before."""
    # An option without a value ends the parsing: the arguments are then what is left over.
    for folder in map(Path, ctx.params.get("results") or ctx.params.get("arguments") or ctx.args):
        for path in [folder / MANIFEST] if (folder / MANIFEST).is_file() else folder.glob(f"*/{MANIFEST}"):
            yield json.loads(path.read_text(encoding="utf-8"))


_LISTED: dict[str, Callable[[], Iterable[str]]] = {
    "algorithms": lambda: _of("algorithms"),
    "regrets": lambda: _of("regret"),
    "families": _families,
    "specs": shipped.specs,
    "matrices": shipped.matrices,
}

specs = _completing(lambda ctx: shipped.specs())
matrices = _completing(lambda ctx: shipped.matrices())
algorithms = _completing(lambda ctx: _of("algorithms"))
families = _completing(lambda ctx: _families())
figures = _completing(lambda ctx: _words(_schema()["properties"]["figure"]["properties"]["kind"]))
listed = _completing(lambda ctx: _LISTED[ctx.params.get("kind") or "algorithms"]())
labels = _completing(lambda ctx: (entry["label"] for found in _manifests(ctx) for entry in found["entries"]))
regrets = _completing(lambda ctx: (name for found in _manifests(ctx) for name in found["spec"]["regret"]))
