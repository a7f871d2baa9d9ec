"""``duelbench doctor``: the facts for a bug report."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

from duelbench.cli.options import Json
from duelbench.cli.printing import columns
from duelbench.cli.streams import say, say_json

LIBRARIES = ("joblib", "matplotlib", "pandas")
"""Libraries whose versions change no result; results do not record them."""

PREFIXES = ("DUELBENCH_", "NUMBA_", "OMP_", "MKL_", "OPENBLAS_", "JOBLIB_")
VARIABLES = ("XDG_CACHE_HOME", "XDG_DATA_HOME", "MPLBACKEND", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED")
"""Environment variables, some by their prefix, that change how duelbench computes or where it looks for files."""


def doctor(json: Json = False) -> None:
    """Print the facts for a bug report.

    \b
    Examples:
      duelbench doctor
      duelbench doctor --json

    Versions, machine, cache, relevant environment variables, and whether compiled code works. The first time takes some
    seconds. Nothing is sent anywhere.
    """
    facts = diagnosis()
    if json:
        say_json(facts)
    else:
        say("\n".join(described(facts)))


def diagnosis() -> dict[str, Any]:
    """Facts about this installation and machine; ``compiled`` is ``ok`` or what is wrong."""
    from duelbench.experiments.results.environment import environment

    variables = {
        name: value
        for name, value in sorted(os.environ.items())
        if value and (name.startswith(PREFIXES) or name in VARIABLES)
    }
    installed = environment()
    return {
        "versions": {
            **{name: installed[name] for name in ("duelbench", "python", "numpy", "numba", "scipy")},
            **{name: _or_none(metadata.version, name) for name in LIBRARIES},
        },
        "commit": _commit(Path(__file__).parents[2]),
        "place": str(Path(__file__).parents[1]),
        "interpreter": sys.executable,
        "machine": {
            "system": f"{installed['system']} {installed['machine']}",
            "cpu": installed["cpu"],
            "cores": os.cpu_count(),
            "memory": _or_none(lambda: os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")),  # bytes
        },
        "cache": _or_reason(_cache),
        "variables": variables,
        "compiled": _or_reason(_compiled),
    }


def _commit(folder: Path) -> str | None:
    """The commit of a checkout, with ``-dirty`` if files differ from it; None if there is none."""
    command = ["git", "-C", str(folder), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    with contextlib.suppress(OSError, subprocess.CalledProcessError):
        if (folder / ".git").exists():
            return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    return None


def _or_none(function: Callable[..., Any], *arguments: str) -> Any:
    """Call a function; return its result, or None if it fails."""
    with contextlib.suppress(Exception):
        return function(*arguments)
    return None


def _or_reason(function: Callable[[], Any]) -> Any:
    """Call a function; return its result, or its error in one line: the report must work on a broken installation."""
    try:
        return function()
    except Exception as error:
        return " ".join(f"{type(error).__name__}: {error}".split())


def _cache() -> dict[str, Any]:
    """The intended folder of compiled code, the folder in use, and the size of that in bytes."""
    from duelbench.bandits.kernels.decorators import cache_folder
    from duelbench.common.system import user_cache

    used, wanted = cache_folder().parent, user_cache()
    size = 0
    for path in used.rglob("*"):
        with contextlib.suppress(FileNotFoundError):  # other processes may write and remove
            size += path.stat().st_size
    return {"wanted": None if wanted is None else str(wanted), "used": str(used), "bytes": size}


def _compiled() -> str:
    """Compile a function and run ten rounds; return ``ok``, or what is wrong."""
    import numba

    from duelbench.bandits.kernels.decorators import KERNEL_OPTIONS
    from duelbench.bandits.simulation.simulate import simulate

    def following(t: Any) -> Any:
        return t + 1

    if numba.njit(**KERNEL_OPTIONS)(following)(1) != 2:
        return "a compiled function returns a different result than in plain Python"
    n_rounds = simulate("random", [[0.5, 0.7], [0.3, 0.5]], horizon=10).duels.sum()
    if n_rounds != 10:
        return f"a run of ten rounds played {n_rounds}"
    return "off: NUMBA_DISABLE_JIT is set" if numba.config.DISABLE_JIT else "ok"


def described(facts: dict[str, Any]) -> list[str]:
    """The lines of the report, one for each fact."""
    machine, memory = facts["machine"], facts["machine"]["memory"]
    rows = {
        **{name: version or "not installed" for name, version in facts["versions"].items()},
        **({"commit": facts["commit"]} if facts["commit"] else {}),
        "place": facts["place"],
        "interpreter": facts["interpreter"],
        "system": machine["system"],
        "processor": machine["cpu"],
        "cores": str(machine["cores"]),
        "memory": "unknown" if memory is None else f"{memory / 2**30:.1f} GiB",
        "cache": _cache_in_words(facts["cache"]),
        **facts["variables"],
        "compiled code": facts["compiled"],
    }
    return columns([*rows.items()])


def _cache_in_words(cache: dict[str, Any] | str) -> str:
    """Describe where compiled code is stored."""
    if isinstance(cache, str):
        return cache
    in_use = f"{cache['used']}, {cache['bytes'] / 1e6:.1f} MB"
    if cache["used"] == cache["wanted"]:
        return f"{in_use}, can be written"
    missing = f"{cache['wanted']} cannot be written" if cache["wanted"] else "there is no home folder"
    return f"{missing}; {in_use}, is used until the process ends"
