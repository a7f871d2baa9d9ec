"""The end of a Dask cluster that hands out runs, and writes the files that come back.

Results travel back to where the command was given, so that no folder need be shared; see
`duelbench.execution.cluster.at_worker`.
"""

import asyncio
import contextlib
import itertools
import logging
import os
import re
import threading
import uuid
from collections.abc import Generator, Iterator
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

from duelbench.algorithms import registry
from duelbench.errors import InputError, RunsFailed
from duelbench.execution.cluster import plug_in_files, sameness
from duelbench.execution.pulse import Pulse
from duelbench.execution.queue import CHUNK_SECONDS, RunQueue
from duelbench.execution.worker import Chunk, Report
from duelbench.results import atomic
from duelbench.results.cells import run_file
from duelbench.results.store import sealed_key
from duelbench.version import VERSION

CONNECT_SECONDS = 5.0
"""How long a scheduler may take to answer."""

WORKERS_SECONDS = 10.0
"""How long it may take until there is a worker."""

CHUNKS_PER_SECOND = 50
"""So many one client hands out and brings back without being late; a larger cluster gets longer ones."""

Played = tuple[Chunk, list[Report]]


def connect(address: str | None, most: int | None = None) -> "Cluster":
    """The cluster of a Dask scheduler, its workers looked at.

    Parameters
    ----------
    address : str or None
        As in ``tcp://10.0.0.1:8786``, or the path of a scheduler file; None for what Dask's own settings name
        (``DASK_SCHEDULER_ADDRESS``).
    most : int, optional
        Never play more runs at a time.

    Raises
    ------
    InputError
        When Dask is not installed, nothing answers, there is no worker, or a worker has another duelbench.
    """
    try:
        import dask
        from distributed import Client
    except ImportError:
        raise InputError(
            "--backend dask needs Dask, which is not installed here: pip install 'duelbench[dask]'"
        ) from None
    address = address or dask.config.get("scheduler-address", None)
    if address is None:
        raise InputError("--backend dask needs the address of a scheduler: --scheduler tcp://HOST:8786")
    if "://" not in address and not re.search(r":\d+$", address) and not os.path.isfile(address):
        raise InputError(
            f"--scheduler {address}: there is no such file, and it is no address, such as tcp://HOST:8786; a scheduler"
            " that ends removes its file"
        )
    place = {"scheduler_file": address} if os.path.isfile(address) else {"address": address}
    try:
        client = Client(**place, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"--scheduler {address}: no Dask scheduler answers there ({reason})") from None
    cluster = Cluster(client, address, most)
    try:
        cluster.check()
    except BaseException:
        cluster.close()
        raise
    return cluster


class Cluster:
    """A Dask cluster; made by `connect`.

    Parameters
    ----------
    client : distributed.Client
    address : str
        What messages call it.
    most : int, optional
        Never play more runs at a time.
    """

    def __init__(self, client: Any, address: str, most: int | None = None) -> None:
        self._client = client
        self._address = address
        self._most = most
        self._pulses: dict[int, Pulse] = {}
        self._log = logging.getLogger("distributed.client")  # it tells a lost scheduler in thirty lines, and we in one
        self._log_level = self._log.level
        self._log.setLevel(logging.CRITICAL)

    @property
    def n_threads(self) -> int:
        """How many runs it can play at a time, at this moment."""
        n_threads = sum(self._client.ncores().values())
        return min(n_threads, self._most or n_threads)

    @property
    def chunk_seconds(self) -> float:
        """How long a chunk of runs should keep a worker busy."""
        return max(CHUNK_SECONDS, self.n_threads / CHUNKS_PER_SECOND)

    def check(self) -> None:
        """Wait for a worker, and look whether all that are there have this duelbench.

        Raises
        ------
        InputError
            When there is none, or one has not.
        """
        named = f"--scheduler-file {self._address}" if os.path.isfile(self._address) else self._address
        try:
            self._client.submit(len, (), pure=False).result(timeout=WORKERS_SECONDS)
            found = self._client.run(sameness.question(), on_error="return")
        except TimeoutError:
            raise InputError(
                f"--scheduler {self._address}: it has no workers; start some, as with `dask worker {named}`"
            ) from None
        except (OSError, CancelledError, asyncio.CancelledError) as error:
            raise InputError(
                f"--scheduler {self._address}: the scheduler is gone ({type(error).__name__}); start another one"
            ) from None
        wrong = {worker: answer for worker, answer in found.items() if answer != sameness.own_answer()}
        if wrong:
            worker, answer = next(iter(wrong.items()))
            others = f", as have {len(wrong) - 1} more of {len(found)}" if len(wrong) > 1 else ""
            raise InputError(
                f"--scheduler {self._address}: the worker {worker} has {sameness.in_words(answer)}{others}, and this is"
                f" duelbench {VERSION}: install the same in the workers' environment"
            )

    def pulses(self) -> list[Pulse]:
        """How far the runs are that take long, as the workers told last."""
        return list(self._pulses.values())

    def play(self, queue: RunQueue, folder: Path, time_limit: float | None = None) -> Generator[Played, None, None]:
        """Have everything in a queue played, and write the files that come back.

        Parameters
        ----------
        queue : RunQueue
        folder : Path
            Of the experiment.
        time_limit : float, optional
            Seconds after which a run is ended.

        Raises
        ------
        RunsFailed
            When the cluster is lost; the runs that are over are kept.
        """
        from distributed import KilledWorker

        queue.one_of_each_first()
        answers = self._answers(queue, folder, time_limit)
        with contextlib.closing(atomic.Background()) as files, contextlib.closing(answers):
            try:
                for chunk, reports, contents in answers:
                    for run, content in contents.items():
                        files.write(folder / chunk.cell.folder / run_file(run), content)
                    yield chunk, [*reports, *_unwritable(chunk, files)]
            except KilledWorker as error:
                raise RunsFailed(
                    f"the cluster lost {error.allowed_failures + 1} workers, one after the other, that played the same"
                    " runs; those that are over are kept; run the same command to go on"
                ) from None
            except (OSError, CancelledError, asyncio.CancelledError) as error:
                raise RunsFailed(
                    f"the scheduler {self._address} is gone ({type(error).__name__}); the runs that are over are kept;"
                    " run the same command to go on"
                ) from None
            files.close()
            if files.failed:
                yield chunk, _unwritable(chunk, files)

    def close(self) -> None:
        """Leave the cluster; what it still plays is ended there."""
        with contextlib.suppress(Exception):
            self._client.close(timeout=1)
        self._log.setLevel(self._log_level)

    def _answers(
        self, queue: RunQueue, folder: Path, time_limit: float | None
    ) -> Generator[tuple[Chunk, list[Report], dict[int, bytes]], None, None]:
        from joblib import Parallel, delayed

        from duelbench.execution.cluster import at_worker
        from duelbench.execution.cluster.backend import PatientBackend

        cells = queue.cells()
        places = {cell.folder: k for k, cell in enumerate(cells)}
        handed_out: dict[int, Chunk] = {}
        numbers = itertools.count()
        is_empty = threading.Event()
        name = f"duelbench-{uuid.uuid4().hex}"

        def tasks() -> Iterator[Any]:
            for chunk in iter(queue.take, None):
                number = next(numbers)
                handed_out[number] = chunk
                yield delayed(at_worker.play)(name, number, places[chunk.cell.folder], chunk.runs, time_limit)
            is_empty.set()

        plug_ins = tuple(map(plug_in_files.take, registry.named_plug_ins))
        with _marker(folder) as marker:
            experiment = at_worker.Experiment(name, cells, plug_ins, folder, marker)
            with self._told(experiment), self._heard(name):
                while not queue.is_empty():
                    is_empty.clear()
                    backend = PatientBackend(self._client, lambda: not is_empty.is_set(), self._most)
                    parallel = Parallel(
                        backend=backend,
                        return_as="generator_unordered",
                        batch_size=1,
                        pre_dispatch=backend.n_wanted(self.n_threads),
                    )
                    for number, reports, contents in parallel(tasks()):
                        self._pulses.pop(number, None)
                        yield _checked(handed_out.pop(number), reports, contents)

    @contextlib.contextmanager
    def _told(self, experiment: Any) -> Iterator[None]:
        """Tell all workers of an experiment, those that come later included; at the end they end what they play."""
        try:
            self._client.register_plugin(experiment, name=experiment.name)
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            raise InputError(f"--scheduler {self._address}: a worker cannot take the experiment ({reason})") from None
        try:
            yield
        finally:
            if self._client.status == "running":
                with contextlib.suppress(Exception):  # the cluster is lost
                    self._client.unregister_worker_plugin(experiment.name)

    @contextlib.contextmanager
    def _heard(self, name: str) -> Iterator[None]:
        """Hear how far the runs of an experiment are."""

        def hear(event: tuple[float, Any]) -> None:
            number, *told = event[1]
            self._pulses[number] = Pulse(*told)

        self._client.subscribe_topic(name, hear)
        try:
            yield
        finally:
            self._pulses.clear()
            with contextlib.suppress(Exception):
                self._client.unsubscribe_topic(name)


def _checked(
    chunk: Chunk, reports: list[Report], contents: dict[int, bytes]
) -> tuple[Chunk, list[Report], dict[int, bytes]]:
    """A chunk with its reports and files; a run whose file is not whole has failed."""
    keys = dict(zip(chunk.runs, chunk.cell.identity.keys(chunk.runs), strict=True))
    broken = {run for run, content in contents.items() if sealed_key(content) != keys[run]}
    sound = [report for report in reports if report.run not in broken]
    failed = [Report(run, None, "its file did not arrive as it was sent") for run in sorted(broken)]
    return chunk, [*sound, *failed], {run: content for run, content in contents.items() if run not in broken}


def _unwritable(chunk: Chunk, files: atomic.Background) -> list[Report]:
    """What to report of files that could not be written."""
    return [
        Report(chunk.runs[0], None, f"{error.strerror or error}: {error.filename or path}", is_unwritable=True)
        for path, error in files.failed.items()
    ]


@contextlib.contextmanager
def _marker(folder: Path) -> Iterator[str]:
    """A file by which a worker knows that it shares the folder; its name, which no other file has."""
    name = f".tmp-{os.getpid()}-{uuid.uuid4().hex}"  # when this process is killed, it is swept
    atomic.write(folder / name, b"")
    try:
        yield name
    finally:
        with contextlib.suppress(OSError):
            (folder / name).unlink()
