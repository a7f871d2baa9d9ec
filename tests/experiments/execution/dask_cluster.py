"""A Dask cluster of real processes on this machine: a scheduler, and workers that can be killed."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from duelbench.bandits.third_party import PACKAGE

WAIT_SECONDS = 60


class Workers:
    """The processes of a cluster.

    Parameters
    ----------
    folder : Path
        For its files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / "scheduler.json"
        self.processes: list[subprocess.Popen] = []
        self.scheduler = self._start_scheduler(0)

    @property
    def address(self) -> str:
        """Of the scheduler."""
        return json.loads(self._file.read_text())["address"]

    def start_scheduler_again(self) -> None:
        """Start a scheduler where the killed one was; it has no workers."""
        self.scheduler.wait()
        port = self.address.rpartition(":")[2]
        self._file.unlink()
        self.scheduler = self._start_scheduler(port)

    def add(self, hidden: Path | None = None, **environment: str) -> subprocess.Popen:
        """Start another worker, which nobody starts again, and which does not see what is in a hidden folder."""
        place = self._folder / f"worker-{len(self.processes)}"
        options = ("--no-nanny", "--nthreads", 1, "--local-directory", place)
        hide = (
            [] if hidden is None else ["unshare", "-rm", "sh", "-c", f'mount -t tmpfs none "{hidden}"; exec "$@"', "sh"]
        )
        self.processes.append(self._start("worker", "--scheduler-file", self._file, *options, hide=hide, **environment))
        return self.processes[-1]

    def close(self) -> None:
        """End all of them."""
        for process in (*self.processes, self.scheduler):
            process.kill()
            process.wait()

    def _start_scheduler(self, port: int | str) -> subprocess.Popen:
        options = ("--port", port, "--host", "127.0.0.1", "--scheduler-file", self._file)
        scheduler = self._start("scheduler", *options)
        end = time.monotonic() + WAIT_SECONDS
        while not self._file.exists():
            assert time.monotonic() < end and scheduler.poll() is None, (self._folder / "log").read_text()
            time.sleep(0.05)
        return scheduler

    def _start(self, kind: str, *options: object, hide: Sequence[str] = (), **environment: str) -> subprocess.Popen:
        program = f"from distributed.cli.dask_{kind} import main; main()"
        with (self._folder / "log").open("ab") as log:
            return subprocess.Popen(
                [*hide, sys.executable, "-c", program, "--no-dashboard", *map(str, options)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self._folder,  # Python finds there no duelbench but the one that it is told of
                env={**os.environ, "PYTHONPATH": str(PACKAGE.parent), **environment},
            )


@contextmanager
def workers(folder: Path) -> Iterator[Workers]:
    """A cluster that has no workers yet."""
    folder.mkdir(parents=True, exist_ok=True)
    cluster = Workers(folder)
    try:
        yield cluster
    finally:
        cluster.close()
