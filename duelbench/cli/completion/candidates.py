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


def _never_failing(candidates: Callable[..., list[str]]) -> Callable[..., list[str]]:
    """The same, but nothing where it fails: a traceback would be printed into the line that is being typed."""

    @functools.wraps(candidates)
    def candidates_or_none(*arguments: Any, **named: Any) -> list[str]:
        try:
            return list(dict.fromkeys(candidates(*arguments, **named)))
        except Exception:
            return []

    return candidates_or_none


def _fitting(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


@_never_failing
def specs(incomplete: str) -> list[str]:
    """Names of specs that come with duelbench.

    Examples
    --------
    >>> specs("paper:wu2016/1")
    ['paper:wu2016/1a', 'paper:wu2016/1b']
    """
    return _fitting(shipped.specs(), incomplete)


@_never_failing
def matrices(incomplete: str) -> list[str]:
    """Names of matrices that come with duelbench."""
    return _fitting(shipped.matrices(), incomplete)


@_never_failing
def algorithms(incomplete: str) -> list[str]:
    """Ids of algorithms.

    Examples
    --------
    >>> algorithms("rmed")
    ['rmed1', 'rmed2', 'rmed2fh']
    """
    return _fitting(_enum("algorithms"), incomplete)


@_never_failing
def families(incomplete: str) -> list[str]:
    """Families of matrices."""
    forms = (form.get("properties", {}) for form in _schema()["properties"]["matrix"]["anyOf"])
    return _fitting([name for keys in forms if "family" in keys for name in _first_enum(keys["family"])], incomplete)


@_never_failing
def figures(incomplete: str) -> list[str]:
    """Kinds of figures."""
    return _fitting(_first_enum(_schema()["properties"]["figure"]["properties"]["kind"]), incomplete)


@_never_failing
def listed(ctx: typer.Context, incomplete: str) -> list[str]:
    """What `duelbench list` lists by its name."""
    kind = str(ctx.params.get("kind") or "algorithms")
    if kind == "regrets":
        return _fitting(_enum("regret"), incomplete)
    if kind in ("specs", "matrices"):
        return _fitting(shipped.specs() if kind == "specs" else shipped.matrices(), incomplete)
    return families(incomplete) if kind == "families" else algorithms(incomplete)


@functools.cache
def _schema() -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(shipped.SCHEMA.read_text(encoding="utf-8"))
    return schema


def _enum(key: str) -> list[str]:
    return _first_enum(_schema()["properties"][key])


def _first_enum(part: Any) -> list[str]:
    """The first list of words in a part of the schema."""
    if isinstance(part, dict):
        if "$ref" in part:
            return _first_enum(_schema()["$defs"][part["$ref"].rpartition("/")[2]])
        return part.get("enum") or _first_enum(list(part.values()))
    return next(filter(None, map(_first_enum, part)), []) if isinstance(part, list) else []


@_never_failing
def labels(ctx: typer.Context, incomplete: str) -> list[str]:
    """Labels of the results that were named before."""
    return _fitting((entry["label"] for content in _manifests(ctx) for entry in content["entries"]), incomplete)


@_never_failing
def regrets(ctx: typer.Context, incomplete: str) -> list[str]:
    """Definitions of regret that were recorded in the results that were named before."""
    return _fitting((name for content in _manifests(ctx) for name in content["spec"]["regret"]), incomplete)


def _manifests(ctx: typer.Context) -> Iterator[dict[str, Any]]:
    # An option without a value ends the parsing: the arguments are then what is left over.
    given = ctx.params.get("results") or ctx.params.get("arguments") or ctx.args
    for folder in map(Path, given):
        for path in [folder / MANIFEST] if (folder / MANIFEST).is_file() else folder.glob(f"*/{MANIFEST}"):
            yield json.loads(path.read_text(encoding="utf-8"))
