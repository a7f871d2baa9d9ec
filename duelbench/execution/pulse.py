"""How far the runs are that are being played: noted by whoever plays them, and read while they last.

A run is one call of compiled code, which says nothing before it is over. But it counts its duels in an array, which
another thread can read. A worker process writes what it reads into a small file in the experiment's folder, now and
then, where the process that waits for it looks. The file's name is that of a temporary file (`atomic`): when processes
are killed, it is swept like any other.
"""

import contextlib
import json
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import numpy as np

from duelbench import system

BEAT_SECONDS = 1.0
"""How often a worker process tells; it says nothing of what takes less."""

RECORD_BYTES = 1024


class Pulse(NamedTuple):
    """What one process or thread does.

    cell : str. The folder of the run's cell in that of the experiment.
    run : int. 0-based; `LOADING` before the first.
    rounds : int. Rounds played so far.
    seconds : float. Since it began.
    compiling : bool. Whether it is being compiled at this moment.
    """

    cell: str
    run: int
    rounds: int
    seconds: float
    compiling: bool


LOADING = -1


@dataclass
class Playing:
    """A run that is being played, as `playing` hands it out.

    Parameters
    ----------
    folder : Path
        Of the experiment.
    cell : PurePosixPath
        The folder of the cell in it.
    run : int
    started : float
        By `time.monotonic`.
    duels : ndarray of int64, optional
        What `simulate` hands to ``watch``.
    compiling : int
        How many functions are being compiled, one for the other.
    compiling_seconds : float
        What compiling has taken.
    """

    folder: Path
    cell: PurePosixPath
    run: int
    started: float
    duels: np.ndarray | None = None
    compiling: int = 0
    compiling_since: float = 0.0
    compiling_seconds: float = 0.0

    def watch(self, duels: np.ndarray) -> None:
        """For `simulate`: the array in which rounds are counted."""
        self.duels = duels

    def pulse(self) -> Pulse:
        rounds = 0 if self.duels is None else int(self.duels.sum())
        return Pulse(str(self.cell), self.run, rounds, time.monotonic() - self.started, self.compiling > 0)


_playing: dict[int, Playing] = {}
"""By thread."""

_lock = threading.Lock()


@contextlib.contextmanager
def playing(folder: Path, cell: PurePosixPath, run: int = LOADING) -> Iterator[Playing]:
    """Note that this thread plays a run, or loads an algorithm, as long as the context lasts."""
    _listen()
    thread = threading.get_ident()
    _playing[thread] = noted = Playing(folder, cell, run, time.monotonic())
    try:
        yield noted
    finally:
        with _lock:  # nothing is told of it any more
            del _playing[thread]


def here() -> list[Pulse]:
    """The runs that this process plays."""
    return [noted.pulse() for noted in list(_playing.values())]


@lru_cache(maxsize=1)
def _listen() -> None:
    """Hear of everything that Numba compiles in this process."""
    from numba.core import event

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            noted = _playing.get(threading.get_ident())
            if noted:
                noted.compiling_since = noted.compiling_since if noted.compiling else time.monotonic()
                noted.compiling += 1

        def on_end(self, event: Any) -> None:
            noted = _playing.get(threading.get_ident())
            if noted and noted.compiling:
                noted.compiling -= 1
                noted.compiling_seconds += 0.0 if noted.compiling else time.monotonic() - noted.compiling_since

    event.register("numba:compile", Listener())


def tell_others(parent: int) -> None:
    """In a worker process: begin to tell the process ``parent`` what is played."""
    threading.Thread(target=_tell, args=(parent,), daemon=True).start()


def _tell(parent: int) -> None:
    system.block_signals()
    told: Path | None = None
    while True:
        time.sleep(BEAT_SECONDS)
        with _lock, contextlib.suppress(OSError):  # where a folder cannot be written, the runs will say so
            slow = [
                (noted.folder, pulse) for noted in _playing.values() if (pulse := noted.pulse()).seconds > BEAT_SECONDS
            ]
            if slow:
                folder, pulse = slow[0]
                told = folder / f".tmp-{os.getpid()}-{parent:032x}"
                _write(told, json.dumps(pulse), os.O_CREAT)
            elif told:
                _write(told, "", 0)  # the parent may have removed it: it is done
                told = None


def _write(path: Path, record: str, flags: int) -> None:
    file = os.open(path, os.O_WRONLY | system.AS_IT_IS | flags, 0o666)
    try:
        os.write(file, record.encode().ljust(RECORD_BYTES))
    finally:
        os.close(file)


def elsewhere(folder: Path) -> list[Pulse]:
    """The runs of the experiment in ``folder`` that worker processes of this process play, as they told last."""
    pulses = []
    for path in _files(folder):
        with contextlib.suppress(OSError, ValueError, TypeError):  # nothing is played, or it is just being written
            if system.is_running(int(path.name.split("-")[1])):
                pulses.append(Pulse(*json.loads(path.read_bytes())))
    return pulses


def remove(folder: Path) -> None:
    """Remove what worker processes of this process told, once they play no more."""
    for path in _files(folder):
        with contextlib.suppress(OSError):
            path.unlink()


def _files(folder: Path) -> list[Path]:
    return list(folder.glob(f".tmp-*-{os.getpid():032x}"))
