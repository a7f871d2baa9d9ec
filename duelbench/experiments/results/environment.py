"""The environment of a computation: the versions and the processor that can change the last bit of a number."""

import platform
from contextlib import suppress
from functools import lru_cache
from importlib import metadata
from pathlib import Path

from duelbench.version import VERSION

LIBRARIES = ("numpy", "scipy", "numba")


@lru_cache(maxsize=1)
def environment() -> dict[str, str]:
    """Return the versions and the machine, which are the same in all processes of an installation."""
    return {
        "duelbench": VERSION,
        "python": platform.python_version(),
        **{library: metadata.version(library) for library in LIBRARIES},
        "system": platform.system(),
        "machine": platform.machine(),
        "cpu": _cpu(),
    }


def _cpu() -> str:
    """Return the processor's model name: on Linux from a file, elsewhere from `platform`."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()
