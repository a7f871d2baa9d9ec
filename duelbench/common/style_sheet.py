"""Checks Matplotlib style sheets, so that messages name the file and line of a mistake."""

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from duelbench.errors import nearest

ENDING = ".mplstyle"
"""The ending of a style sheet's name."""

UNUSED = (
    "errorbar.capsize",
    "figure.autolayout",
    "figure.constrained_layout.use",
    "image.cmap",
    "legend.loc",
    "lines.color",
    "lines.linestyle",
    "lines.marker",
    "savefig.bbox",
    "savefig.format",
    "savefig.pad_inches",
)
"""Settings that figures of duelbench do not take from a style sheet; ``savefig.bbox`` would change their width."""


def of_figure(options: Mapping[str, Any] | None, folder: Path) -> Path | None:
    """Return the style sheet that the key ``figure`` of a spec in ``folder`` names; None if it names none."""
    style = str((options or {}).get("style"))
    return folder / style if style.endswith(ENDING) else None


def settings(path: Path) -> dict[str, Any]:
    """Return all settings in a style sheet without mistakes, `UNUSED` ones included."""
    return _settings(path, path.read_bytes())


@lru_cache(maxsize=8)
def _settings(path: Path, content: bytes) -> dict[str, Any]:
    from matplotlib import rc_params_from_file

    parameters: Any = rc_params_from_file(path, use_default_template=False)
    return dict(parameters)


def identity(path: Path) -> str:
    """Return the name of a style sheet and a digest of its content, for the metadata of figures."""
    return f"style sheet {path.name} SHA-256 {hashlib.sha256(path.read_bytes()).hexdigest()}"


def note(path: Path) -> list[str]:
    """Return a list with a sentence about the settings of a style sheet that figures do not use; empty if none."""
    unused = [name for name in UNUSED if name in settings(path)]
    return [f"{path}: figures do not use {', '.join(unused)}"] if unused else []


def mistake(path: Path) -> str | None:
    """Return the mistake in a style sheet, with its file and, if possible, its line; None if there is none."""
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
