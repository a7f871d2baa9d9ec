"""Matplotlib's style sheets, checked so that a mistake has its place."""

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from duelbench.errors import nearest

ENDING = ".mplstyle"
"""How the name of a style sheet ends."""

UNUSED = (
    "errorbar.capsize",
    "figure.autolayout",
    "figure.constrained_layout.use",
    "image.cmap",
    "legend.loc",
    "lines.color",
    "lines.linestyle",
    "lines.marker",
    "savefig.format",
)
"""Settings that figures of duelbench cannot take from a style sheet."""


def of_figure(options: Mapping[str, Any] | None, folder: Path) -> Path | None:
    """The style sheet in the key ``figure`` of a spec in ``folder``; None if it names none."""
    style = str((options or {}).get("style"))
    return folder / style if style.endswith(ENDING) else None


def settings(path: Path) -> dict[str, Any]:
    """The settings in a style sheet without mistakes."""
    return _settings(path, path.read_bytes())


@lru_cache(maxsize=8)
def _settings(path: Path, content: bytes) -> dict[str, Any]:
    from matplotlib import rc_params_from_file

    own: Any = rc_params_from_file(path, use_default_template=False)
    return dict(own)


def identity(path: Path) -> str:
    """Name a style sheet and its content, for the metadata of figures."""
    return f"style sheet {path.name} SHA-256 {hashlib.sha256(path.read_bytes()).hexdigest()}"


def note(path: Path) -> list[str]:
    """A sentence on the settings of a style sheet that figures do not use, if there are such."""
    unused = [name for name in UNUSED if name in settings(path)]
    return [f"{path}: figures do not use {', '.join(unused)}"] if unused else []


def mistake(path: Path) -> str | None:
    """What is wrong with a style sheet, with its file and, if possible, its line; None if Matplotlib can use it."""
    from matplotlib import rc_params_from_file, rcParams

    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError) as error:
        return f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}"
    line_of: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        name = line.partition("#")[0].partition(":")[0].strip()
        if name and name not in rcParams:
            return f"{path}:{number}: unknown setting '{name}'{nearest(name, rcParams)}"
        line_of[name] = number
    try:
        settings = rc_params_from_file(path, use_default_template=False, fail_on_error=True)
    except ValueError as error:
        return f"{path}: {error}"
    if settings.get("text.usetex"):
        return f"{path}:{line_of['text.usetex']}: figures need no LaTeX: remove 'text.usetex', and write a .pgf file"
    return None
