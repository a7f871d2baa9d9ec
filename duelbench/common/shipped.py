"""Files that come with duelbench: specs and matrices, which have names, and the JSON Schema.

In a checkout they are beside the package; an installed package has them in ``duelbench/_shipped``.
"""

import os
import re
from functools import cache
from pathlib import Path

from duelbench.errors import InputError, likeliest, nearest

_PACKAGE = Path(__file__).parents[1]
_INSTALLED = _PACKAGE / "_shipped"

ROOT = _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent

MATRICES = ROOT / "matrices"
SCHEMA = ROOT / "configs" / "spec.schema.json"

PAPER = "paper:"
"""Prefix of the names of specs that come with duelbench."""

_NAME = re.compile(r"[\w-]{1,80}")
"""Names that a matrix can have: without a slash or an ending."""


@cache
def specs() -> dict[str, Path]:
    """Return the specs that come with duelbench, by name.

    Examples
    --------
    >>> specs()["paper:wu2016/1a"].name
    '1a.yaml'
    """
    configs = ROOT / "configs"
    names = {path: path.relative_to(configs).with_suffix("").as_posix() for path in configs.rglob("*.yaml")}
    return {PAPER + name: path for path, name in sorted(names.items(), key=lambda item: _sort_key(item[1]))}


def _sort_key(name: str) -> tuple[str, int, str]:
    """Return the sort key of a spec's name: papers by name, their figures by number, so that 2 comes before 10."""
    paper, _, figure = name.rpartition("/")
    digits = figure[: len(figure) - len(figure.lstrip("0123456789"))]
    return (paper or figure, int(digits or 0), figure)


def is_spec(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is the name of a spec that comes with duelbench, and not of a file.

    Examples
    --------
    >>> is_spec("paper:wu2016/1a"), is_spec("first.yaml")
    (True, False)
    """
    return os.fspath(path).startswith(PAPER) and not os.path.isfile(path)


def spec_file(path: str | os.PathLike[str]) -> Path:
    """Return the file of a spec, given by its path or by a name such as ``paper:wu2016/1a``.

    Raises
    ------
    InputError
        If there is no spec with this name.

    Examples
    --------
    >>> spec_file("paper:wu2016/1z")
    Traceback (most recent call last):
    ...
    duelbench.errors.InputError: paper:wu2016/1z: no spec of this name comes with duelbench (did you mean
    'paper:wu2016/1a'?); `duelbench list specs` shows them
    """
    if not is_spec(path):
        return Path(path)
    name = Path(path).as_posix()
    if name not in specs():
        known = [known.removeprefix(PAPER) for known in specs()]
        meant = likeliest(name.removeprefix(PAPER).removesuffix(".yaml"), known)
        hint = f" (did you mean '{PAPER}{meant}'?)" if meant else ""
        raise InputError(f"{name}: no spec of this name comes with duelbench{hint}; `duelbench list specs` shows them")
    return specs()[name]


def spec_meant(path: Path) -> str:
    """Return the name of the shipped spec that a path without a file was meant for; empty if there is none.

    Examples
    --------
    >>> spec_meant(Path("wu2016/1a")), spec_meant(Path("configs/wu2016/1a.yaml")), spec_meant(Path("mine.yaml"))
    ('paper:wu2016/1a', 'paper:wu2016/1a', '')
    """
    name = PAPER + path.with_suffix("").as_posix().removeprefix("configs/")
    return name if name in specs() else ""


@cache
def matrices() -> dict[str, Path]:
    """Return the preference matrices that come with duelbench, by name.

    Examples
    --------
    >>> matrices()["cyclic"].name
    'cyclic.csv'
    """
    return {path.stem: path for path in sorted(MATRICES.rglob("*.csv"))}


def matrix_file(name: str, folder: str | os.PathLike[str] = "") -> Path | None:
    """Return the file of a matrix that comes with duelbench; None if ``name`` is the path of another file.

    A name has no slash and no ending. A file with this name in ``folder`` (by default the working folder) has priority.

    Raises
    ------
    InputError
        If ``name`` is not a path, and there is neither a file nor a matrix with this name.

    Examples
    --------
    >>> matrix_file("cyclic").name, matrix_file("matrices/cyclic"), matrix_file("cyclic.csv")
    ('cyclic.csv', None, None)
    >>> matrix_file("cyclik")
    Traceback (most recent call last):
    ...
    duelbench.errors.InputError: cyclik: there is no such file, and no matrix of this name comes with duelbench
    (did you mean 'cyclic'?)
    """
    place = Path(folder, name)
    is_folder = os.path.isdir(place)
    if not _NAME.fullmatch(name) or (os.path.lexists(place) and not is_folder):
        return None
    if name in matrices():
        return matrices()[name]
    if is_folder:
        return None  # the reader of the file refuses folders
    beside = sorted(path.name for path in place.parent.glob("*"))
    hint = nearest(name, [*matrices(), *beside]) or "; `duelbench list matrices` shows them"
    raise InputError(f"{name}: there is no such file, and no matrix of this name comes with duelbench{hint}")
