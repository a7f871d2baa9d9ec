"""What can stand at a place of the command line: names that are known, and files and folders that fit.

It has to be quick: nothing here loads NumPy. Names of algorithms and the like are those of the schema, and results are
known by their manifests.
"""

import contextlib
import functools
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import typer

from duelbench import shipped

SPECS = (".yaml", ".yml")
MATRICES = (".csv", ".txt", ".npy", ".npz")
ARMS = (".txt", ".csv", *SPECS)
MANIFEST = "manifest.json"
MAX_BYTES = 2**26
"""A larger manifest or spec is not read for its names."""


def _never_failing(candidates: Callable[..., list[str]]) -> Callable[..., list[str]]:
    """The same, but nothing where it fails: a traceback would be printed into the line that is being typed."""

    @functools.wraps(candidates)
    def candidates_or_none(*arguments: Any, **named: Any) -> list[str]:
        try:
            return candidates(*arguments, **named)
        except Exception:
            return []

    return candidates_or_none


# --- files and names ---


@_never_failing
def specs(incomplete: str) -> list[str]:
    """The specs that come with duelbench, a step at a time, and files of specs.

    Examples
    --------
    >>> specs("paper:wu2016/1")
    ['paper:wu2016/1a', 'paper:wu2016/1b']
    """
    return [*_steps(shipped.specs(), incomplete), *_paths(incomplete, _ends_with(SPECS))]


@_never_failing
def results(incomplete: str) -> list[str]:
    """Results folders, and specs."""
    found = _paths(incomplete, lambda path: (path / MANIFEST).is_file() or _ends_with(SPECS)(path))
    return [*found, *_steps(shipped.specs(), incomplete)]


@_never_failing
def matrices(incomplete: str) -> list[str]:
    """The matrices that come with duelbench, and files of matrices.

    Examples
    --------
    >>> matrices("cyc")
    ['cyclic']
    """
    return [*_fitting(shipped.matrices(), incomplete), *_paths(incomplete, _ends_with(MATRICES))]


@_never_failing
def matrices_and_specs(incomplete: str) -> list[str]:
    """The matrices that come with duelbench, and files of matrices or specs."""
    return [*_fitting(shipped.matrices(), incomplete), *_paths(incomplete, _ends_with((*MATRICES, *SPECS)))]


@_never_failing
def plug_ins(incomplete: str) -> list[str]:
    """Python files."""
    return _paths(incomplete, _ends_with((".py",)))


@_never_failing
def arms(incomplete: str) -> list[str]:
    """Files of arms, and folders."""
    return _paths(incomplete, _ends_with(ARMS))


@_never_failing
def logs(incomplete: str) -> list[str]:
    """Logs of live sessions."""
    return _paths(incomplete, _ends_with((".jsonl",)))


@_never_failing
def algorithms(incomplete: str) -> list[str]:
    """Ids of algorithms.

    Examples
    --------
    >>> algorithms("rmed")
    ['rmed1', 'rmed2', 'rmed2fh']
    """
    from importlib.metadata import entry_points

    others = [entry.name for entry in entry_points(group="duelbench.algorithms")]
    return _fitting([*_first_enum(_schema()["algorithms"]), *others], incomplete)


@_never_failing
def families(incomplete: str) -> list[str]:
    """Families of matrices."""
    said = (form.get("properties", {}) for form in _schema()["matrix"]["anyOf"])
    return _fitting([name for keys in said if "family" in keys for name in _first_enum(keys["family"])], incomplete)


@_never_failing
def figures(incomplete: str) -> list[str]:
    """Kinds of figures.

    Examples
    --------
    >>> figures("s")
    ['sweep', 'self-duels', 'survival']
    """
    return _fitting(_first_enum(_schema()["figure"]["properties"]["kind"]), incomplete)


@_never_failing
def listed(ctx: typer.Context, incomplete: str) -> list[str]:
    """What `duelbench list` lists by its name."""
    kind = str(ctx.params.get("kind") or "algorithms")  # a StrEnum, or the word itself
    if kind == "regrets":
        return _fitting(_first_enum(_schema()["regret"]), incomplete)
    if kind == "matrices":
        return _fitting(shipped.matrices(), incomplete)
    if kind == "specs":
        return _steps(shipped.specs(), incomplete)
    return families(incomplete) if kind == "families" else algorithms(incomplete)


def _schema() -> dict[str, Any]:
    """The keys of a spec, as the schema describes them."""
    described = json.loads(shipped.SCHEMA.read_text(encoding="utf-8"))

    def resolved(part: Any) -> Any:
        if isinstance(part, list):
            return [resolved(one) for one in part]
        if not isinstance(part, dict):
            return part
        name = str(part.get("$ref")).removeprefix("#/$defs/")
        if name in described["$defs"]:
            return resolved(described["$defs"][name])
        return {key: resolved(value) for key, value in part.items()}

    return resolved(described["properties"])


def _first_enum(schema: Any) -> list[str]:
    """The words that can stand for a value, according to its schema."""
    if isinstance(schema, dict):
        return schema.get("enum") or next(filter(None, map(_first_enum, schema.values())), [])
    return next(filter(None, map(_first_enum, schema)), []) if isinstance(schema, list) else []


def _fitting(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def _steps(names: Iterable[str], incomplete: str) -> list[str]:
    """Names that fit, each up to its next slash; a single step is gone at once, for a shell would put a blank after it.

    Examples
    --------
    >>> _steps(["a/b/1", "a/b/2", "a/c", "d"], ""), _steps(["a/b/1", "a/b/2", "d"], "a")
    (['a/', 'd'], ['a/b/1', 'a/b/2'])
    """
    fitting = _fitting(names, incomplete)
    ends = (name.find("/", len(incomplete)) for name in fitting)
    steps = list(dict.fromkeys(name if end < 0 else name[: end + 1] for name, end in zip(fitting, ends, strict=True)))
    return _steps(fitting, steps[0]) if len(steps) == 1 and steps[0].endswith("/") else steps


def _ends_with(endings: tuple[str, ...]) -> Callable[[Path], bool]:
    return lambda path: path.suffix.lower() in endings and path.is_file()


def _paths(incomplete: str, is_wanted: Callable[[Path], bool]) -> list[str]:
    """Wanted files and folders, and folders that lead further; hidden ones where a dot was typed.

    Of a single folder, what is in it, for a shell would put a blank after it.
    """
    start = incomplete.rpartition("/")[2]
    head = incomplete.removesuffix(start) if start else incomplete
    folder = Path(head).expanduser()
    found = []
    with contextlib.suppress(OSError):
        for path in sorted(folder.iterdir()):
            if path.name.startswith(start) and (start or not path.name.startswith(".")):
                found += (
                    [f"{head}{path.name}{'' if is_wanted(path) else '/'}"] if is_wanted(path) or path.is_dir() else []
                )
    if len(found) == 1 and found[0].endswith("/"):
        return _paths(found[0], is_wanted) or found
    return found


# --- what is in the results that stand on the line already ---


@_never_failing
def labels(ctx: typer.Context, incomplete: str) -> list[str]:
    """Labels of the results that were named before."""
    return _fitting(
        _distinct(entry["label"] for content in _manifests(ctx) for entry in content["entries"]), incomplete
    )


@_never_failing
def results_or_labels(ctx: typer.Context, incomplete: str) -> list[str]:
    """Results, and after the first of them labels too."""
    return [*labels(ctx, incomplete), *results(incomplete)]


@_never_failing
def regrets(ctx: typer.Context, incomplete: str) -> list[str]:
    """Definitions of regret that were recorded in the results that were named before."""
    return _fitting(_distinct(name for content in _manifests(ctx) for name in content["spec"]["regret"]), incomplete)


@_never_failing
def scales(ctx: typer.Context, incomplete: str) -> list[str]:
    """Scales of the specs that were named before."""
    found = (_spec(path).get("scales") or {} for path in _named(ctx) if _is_spec(path))
    return _fitting(_distinct(str(name) for said in found for name in said), incomplete)


def _distinct(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _named(ctx: typer.Context) -> list[str]:
    """The arguments that were named before.

    An option that has no value yet ends their parsing: they are then what was left over.
    """
    given = ctx.params.get("results") or ctx.params.get("specs") or ctx.params.get("arguments") or ctx.args
    return [Path(path).as_posix() for path in given]


def _is_spec(path: str) -> bool:
    return shipped.is_spec(path) or path.endswith(SPECS)


def _manifests(ctx: typer.Context) -> Iterator[dict[str, Any]]:
    for path in _named(ctx):
        folder = _folder_of(ctx, path) if _is_spec(path) else Path(path)
        for manifest in [folder / MANIFEST] if (folder / MANIFEST).is_file() else sorted(folder.glob(f"*/{MANIFEST}")):
            with contextlib.suppress(OSError, ValueError):
                yield json.loads(_text(manifest))


def _folder_of(ctx: typer.Context, path: str) -> Path:
    """The folder of a spec's results."""
    name = _spec(path).get("name") or shipped.spec_file(path).stem
    scale = ctx.params.get("scale")
    return Path(ctx.params.get("out") or "results", f"{name}-{scale}" if scale else str(name))


def _spec(path: str) -> dict[str, Any]:
    """What a spec says, unchecked."""
    import yaml

    content = yaml.safe_load(_text(shipped.spec_file(path)))
    return content if isinstance(content, dict) else {}


def _text(path: Path) -> str:
    if path.stat().st_size > MAX_BYTES:
        raise OSError(f"{path} is too large")
    return path.read_text(encoding="utf-8")
