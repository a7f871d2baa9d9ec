"""The sources of a plug-in on their way to machines that do not have them."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from duelbench import foreign
from duelbench.errors import InputError
from duelbench.kernels.decorators import cache_folder
from duelbench.results import atomic

FOLDER = "plug-in-files"


@dataclass(frozen=True)
class PlugIn:
    """A plug-in as it is sent to another machine.

    Parameters
    ----------
    name : str
        Of the module; or of the file, without its folder.
    files : tuple of (str, bytes)
        The file and all that it imports beside libraries, by their places beside each other; empty for a module, which
        every machine must have installed.
    """

    name: str
    files: tuple[tuple[str, bytes], ...] = ()


def take(name: str) -> PlugIn:
    """The plug-in that was loaded by its name, as `duelbench.algorithms.registry.named_plug_ins` has it."""
    if not name.endswith(".py"):
        return PlugIn(name)
    sources = foreign.sources([Path(name)])
    if sources is None:
        raise InputError(f"the plug-in {name}: the file cannot be read any more")
    return PlugIn(Path(name).name, tuple(sorted((place, path.read_bytes()) for path, place in sources.files.items())))


def put(plug_in: PlugIn) -> str:
    """Put a plug-in where `duelbench.algorithms.registry.load_plug_in` can load it on this machine; by which name.

    The folder is named by what is in it, so that what is compiled of it is found again.
    """
    if not plug_in.files:
        return plug_in.name
    digest = hashlib.sha256(repr(plug_in.files).encode()).hexdigest()[:20]
    folder = cache_folder() / FOLDER / digest
    for place, content in plug_in.files:
        if not (folder / place).is_file() or (folder / place).read_bytes() != content:
            atomic.write(folder / place, content)
    return str(folder / plug_in.name)
