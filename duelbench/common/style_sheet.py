"""Checks Matplotlib style sheets, so that messages name the file and line of a mistake."""

from pathlib import Path

from duelbench.errors import nearest


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
