"""Runs on the workers of a Dask cluster.

A task is a chunk of runs. A worker that shares the experiment's folder writes the files of the runs; other workers send
them back. A worker records which runs it starts in a log of the scheduler. If the worker dies, Dask hands its tasks to
another worker, which reads this log: a run that was late has failed, and so has a run that has cost `MOST_DEATHS`
workers.

joblib's Dask backend is not used: joblib 1.6 waits forever for a task that can no longer run and for a lost
scheduler, and gives workers that join later nothing to do.
"""

import asyncio
import contextlib
import hashlib
import itertools
import logging
import os
import pickle
import re
import sys
import uuid
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from duelbench.bandits import opened_files, third_party
from duelbench.bandits.algorithms import registry
from duelbench.bandits.kernels.decorators import cache_folder
from duelbench.common import atomic
from duelbench.errors import InputError, RunsFailed
from duelbench.experiments.execution import heartbeat
from duelbench.experiments.execution.chunks import CHUNK_SECONDS, Queue
from duelbench.experiments.execution.fan_out import DIED, Done, late
from duelbench.experiments.execution.heartbeat import Beat
from duelbench.experiments.execution.worker import Chunk, Report, run_chunk, unwritable

CONNECT_SECONDS = 5.0
"""The longest time to wait for the scheduler."""

WORKERS_SECONDS = 10.0
"""The longest time to wait for the first worker."""

WAIT_SECONDS = 1.0
"""Time between checks for more workers, and for a lost scheduler."""

TASKS_PER_THREAD = 2
"""The chunks handed to each thread of a worker: one runs and one waits, so that no worker waits for the network."""

MOST_GIVEN_UP = 20
"""How often a chunk is tried again, at most, after Dask has given up on it."""

CHUNKS_PER_SECOND = 50
"""How many chunks one client can hand out and take back per second; a larger cluster gets longer chunks."""

MOST_DEATHS = 2
"""A run has failed after this many workers have died with it, not counting the first, which may have died for another
reason. Dask itself gives up after one more."""

Answer = tuple[Chunk, list[Report], dict[int, bytes]]
"""A chunk, its reports, and the files that came back, by run."""


def connect(address: str | None, most: int | None = None) -> "Cluster":
    """Return the cluster of a Dask scheduler, after checking its workers; it computes at most ``most`` runs at a time.

    ``address`` is as in ``tcp://10.0.0.1:8786``, or the path of a scheduler file; None for the address in Dask's own
    settings (``DASK_SCHEDULER_ADDRESS``). Raises `InputError` when Dask is not installed, nothing answers, there is no
    worker, or a worker has another duelbench.
    """
    try:
        import dask
        from distributed import Client
    except ImportError:
        raise InputError(
            "a Dask cluster needs Dask, which is not installed here: pip install 'duelbench[dask]'"
        ) from None
    address = address or dask.config.get("scheduler-address", None)
    if address is None:
        raise InputError("a Dask cluster needs the address of its scheduler, such as tcp://HOST:8786")
    if "://" not in address and not re.search(r":\d+$", address) and not os.path.isfile(address):
        raise InputError(
            f"scheduler {address}: there is no such file, and it is not an address such as tcp://HOST:8786; a scheduler"
            " that ends removes its file"
        )
    place = {"scheduler_file": address} if os.path.isfile(address) else {"address": address}
    try:
        client = Client(**place, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"scheduler {address}: no Dask scheduler answers there ({reason})") from None
    cluster = Cluster(client, address, most)
    try:
        cluster.check()
    except BaseException:
        cluster.close()
        raise
    return cluster


class Cluster:
    """A Dask cluster; made by `connect`."""

    def __init__(self, client: Any, address: str, most: int | None = None) -> None:
        self._client = client
        self._address = address
        self._most = most
        self._beats: dict[int, Beat] = {}
        # Its logger reports a lost scheduler in thirty lines; our message is one line.
        self._log = logging.getLogger("distributed.client")
        self._log_level = self._log.level
        self._log.setLevel(logging.CRITICAL)

    @property
    def n_threads(self) -> int:
        """The number of runs that can be computed at the same time now."""
        n_threads = sum(self._client.ncores().values())
        return min(n_threads, self._most or n_threads)

    @property
    def chunk_seconds(self) -> float:
        """The time for which a chunk of runs should keep a worker busy."""
        return max(CHUNK_SECONDS, self.n_threads / CHUNKS_PER_SECOND)

    def check(self) -> None:
        """Wait for a worker; refuse a cluster without workers, or with a worker that has another duelbench."""
        named = f"--scheduler-file {self._address}" if os.path.isfile(self._address) else self._address
        try:
            self._client.submit(len, (), pure=False).result(timeout=WORKERS_SECONDS)
            answers = self._client.run(question(), on_error="return")
        except TimeoutError:
            raise InputError(
                f"scheduler {self._address}: it has no workers; start some, as with `dask worker {named}`"
            ) from None
        except (OSError, CancelledError, asyncio.CancelledError) as error:
            raise InputError(
                f"scheduler {self._address}: the scheduler is gone ({type(error).__name__}); start another one"
            ) from None
        wrong = {worker: answer for worker, answer in answers.items() if answer != own_answer()}
        if wrong:
            worker, answer = next(iter(wrong.items()))
            others = f", as have {len(wrong) - 1} more of {len(answers)}" if len(wrong) > 1 else ""
            raise InputError(
                f"scheduler {self._address}: the worker {worker} has {answer}{others}, and this is {own_answer()}:"
                " install the same in the workers' environment"
            )

    def beats(self) -> list[Beat]:
        """Return the heartbeats of the workers."""
        return list(self._beats.values())

    def run(self, queue: Queue, folder: Path, time_limit: float | None) -> Generator[Done, None, None]:
        """Run everything in a queue, and write the returned files to the experiment's folder.

        A run is ended after ``time_limit`` seconds. Raises `RunsFailed` when the cluster is lost.
        """
        from distributed import KilledWorker

        plug_ins = tuple(map(take, registry.named_plug_ins))
        try:
            with contextlib.closing(atomic.Background()) as files, _marker(folder) as marker:
                kept = dict(opened_files.kept)
                terms = Terms(f"duelbench-{uuid.uuid4().hex}", own_answer(), plug_ins, kept, marker, time_limit)
                with self._receiving_beats(terms.topic):
                    for chunk, reports, contents in self._answers(queue, terms):
                        for run, content in contents.items():
                            files.write(chunk.path(run), content)
                        yield chunk, [*reports, *_unwritable(chunk, files)]
                files.close()
                if files.failed:
                    yield chunk, _unwritable(chunk, files)
        except KilledWorker as error:
            raise RunsFailed(
                f"the cluster lost {error.allowed_failures + 1} workers, one after the other, with the same runs;"
                " finished ones are saved; run the same command to continue"
            ) from None
        except (OSError, CancelledError, asyncio.CancelledError) as error:
            raise RunsFailed(
                f"the scheduler {self._address} is gone ({type(error).__name__}); finished runs are saved;"
                " run the same command to continue"
            ) from None

    def close(self) -> None:
        """Leave the cluster; its running tasks are cancelled."""
        with contextlib.suppress(Exception):
            self._client.close(timeout=1)
        self._log.setLevel(self._log_level)

    def _answers(self, queue: Queue, terms: "Terms") -> Generator[Answer, None, None]:
        from distributed import KilledWorker, wait

        numbers = itertools.count()
        handed_out: dict[Any, tuple[int, Chunk]] = {}
        given_up: Counter[int] = Counter()

        def hand_out(number: int, chunk: Chunk) -> None:
            task = self._client.submit(at_worker, terms, number, pickle.dumps(chunk), pure=False)
            handed_out[task] = number, chunk

        try:
            while handed_out or not queue.is_empty():
                wanted = TASKS_PER_THREAD * self.n_threads
                while len(handed_out) < max(1, min(self._most or wanted, wanted)) and (chunk := queue.take()):
                    hand_out(next(numbers), chunk)
                with self._client.as_current(), contextlib.suppress(TimeoutError):
                    wait(list(handed_out), timeout=WAIT_SECONDS, return_when="FIRST_COMPLETED")
                if self._client.status != "running":
                    raise OSError("the connection is lost")
                for task in [task for task in handed_out if task.done()]:
                    number, chunk = handed_out.pop(task)
                    self._beats.pop(number, None)
                    if isinstance(task.exception(), KilledWorker) and given_up[number] < MOST_GIVEN_UP:
                        given_up[number] += 1  # Dask blames all tasks of a worker, even those that it had not started
                        hand_out(number, chunk)
                        continue
                    reports, contents = task.result()
                    yield chunk, reports, contents
        finally:
            with contextlib.suppress(Exception):  # the cluster is lost
                self._client.cancel(list(handed_out), force=True)

    @contextlib.contextmanager
    def _receiving_beats(self, topic: str) -> Iterator[None]:
        """Receive the heartbeats of an experiment's runs."""

        def receive(event: tuple[float, Any]) -> None:
            beat = Beat(*event[1])
            self._beats[beat.chunk] = beat

        self._client.subscribe_topic(topic, receive)
        try:
            yield
        finally:
            self._beats.clear()
            with contextlib.suppress(Exception):
                self._client.unsubscribe_topic(topic)


def _unwritable(chunk: Chunk, files: atomic.Background) -> list[Report]:
    """Return reports on files that could not be written."""
    return [unwritable(chunk.runs[0], path, error) for path, error in files.failed.items()]


@contextlib.contextmanager
def _marker(folder: Path) -> Iterator[str]:
    """Make a file that shows a worker that it shares the folder; yield the unique name of the file."""
    name = f".tmp-{os.getpid()}-{uuid.uuid4().hex}"  # a later run removes it if this process is killed
    atomic.write(folder / name, b"")
    try:
        yield name
    finally:
        with contextlib.suppress(OSError):
            (folder / name).unlink()


@dataclass(frozen=True)
class Terms:
    """The data on an experiment that its workers need."""

    topic: str  # the topic of heartbeats in the scheduler's log
    duelbench: str  # the client's answer to `question`
    plug_ins: tuple["PlugIn", ...]
    # the files that plug-ins are known to open, as `duelbench.bandits.opened_files.kept`
    opened_files: dict[str, tuple[str, ...]]
    marker: str  # name of a file in the experiment's folder; a worker that sees it writes results there itself
    time_limit: float | None


def at_worker(terms: Terms, number: int, pickled: bytes) -> tuple[list[Report], dict[int, bytes]]:
    """Run a chunk as a task; return its reports, and the files that were not written to a shared folder.

    Raises `RunsFailed` when this worker has another duelbench.
    """
    from distributed import get_client, get_worker

    worker, client = get_worker(), get_client()
    if terms.duelbench != own_answer():
        raise RunsFailed(
            f"the worker {worker.address}, which joined in the middle, has another duelbench; finished runs are"
            " saved; end it, and run the same command to continue"
        )
    task = worker.get_current_task()

    def is_wanted() -> bool:
        known = worker.state.tasks.get(task)
        return known is not None and known.state != "cancelled"

    opened_files.kept.update(terms.opened_files)
    registry.load_named_plug_ins([put(plug_in) for plug_in in terms.plug_ins])
    chunk: Chunk = pickle.loads(pickled)
    attempts = f"{terms.topic}-{number}"
    earlier = [Beat(*event) for _, event in client.get_events(attempts)]
    failed = _failed_before(chunk, earlier, terms.time_limit)
    left = chunk.of(*(run for run in chunk.runs if run not in failed))
    client.log_event(attempts, list(Beat(number, "", heartbeat.LOADING, 0, 0.0, False)))

    def send(beat: Beat) -> None:
        if beat.late or (earlier and not beat.rounds):
            client.log_event(attempts, list(beat))  # not the worker's log_event, which is delayed
        if beat.seconds >= heartbeat.BEAT_SECONDS:
            worker.log_event(terms.topic, list(beat))

    files = _Collected()
    is_process = worker.nanny is not None or "distributed.cli.dask_worker" in sys.modules
    if not is_process and terms.time_limit is not None:
        raise RunsFailed(
            f"a time limit for runs needs workers that are processes of their own, and {worker.address} is a thread of"
            " another program; start workers with `dask worker`, or run without the limit"
        )
    with heartbeat.watched(send, terms.time_limit, may_end=is_process, is_wanted=is_wanted):
        reports = run_chunk(replace(left, is_alone=False), number, send, files=files)
    contents = {report.run: files.contents[chunk.path(report.run)] for report in reports if report.error is None}
    if (chunk.folder / terms.marker).exists() and os.access(chunk.folder, os.W_OK):
        with contextlib.closing(atomic.Background()) as shared:
            for run, content in contents.items():
                shared.write(chunk.path(run), content)
        contents = {run: content for run, content in contents.items() if chunk.path(run) in shared.failed}
    return [*failed.values(), *reports], contents


class _Collected(atomic.Background):
    """Collects files instead of writing them."""

    def __init__(self) -> None:
        super().__init__()
        self.contents: dict[Path, bytes] = {}

    def write(self, path: Path, data: bytes) -> None:
        """Keep a file."""
        self.contents[path] = data


def _failed_before(chunk: Chunk, earlier: list[Beat], time_limit: float | None) -> dict[int, Report]:
    """Return reports of the runs that ended other workers: late ones, or too often the last run of a dead worker."""
    failed = {beat.run: Report(beat.run, None, late(time_limit or 0.0), is_lost=True) for beat in earlier if beat.late}
    deaths = Counter(beat.run for beat, next_beat in pairwise([*earlier, *earlier[:1]]) if next_beat.run < beat.run)
    for run in chunk.runs:
        if deaths[run] >= MOST_DEATHS:
            failed.setdefault(run, Report(run, None, DIED, is_lost=True))
    return failed


def question() -> Callable[[], str]:
    """Return a function that returns a worker's version; it is sent as code, because workers may lack duelbench."""

    def version_and_sources() -> str:
        import hashlib
        import pathlib

        try:
            from duelbench import version
        except ImportError:
            return "no duelbench"
        package = pathlib.Path(version.__file__).parent
        sources = hashlib.sha256()
        for file in sorted(package.rglob("*.py")):
            sources.update(file.relative_to(package).as_posix().encode() + b"\0" + file.read_bytes())
        return f"duelbench {version.VERSION} (sources {sources.hexdigest()[:16]})"

    return version_and_sources


@lru_cache(maxsize=1)
def own_answer() -> str:
    """Return the answer of this process to `question`; cached, because the function reads all sources."""
    return question()()


FOLDER = "plug-in-files"

PlugIn = tuple[str, tuple[tuple[str, bytes], ...]]
"""A plug-in as it is sent to another machine: either the name of a module that must be installed there, and no files;
or the name of its file, and this file with all files in its folder that it imports or opens, by relative path."""


def take(name: str) -> PlugIn:
    """Pack the plug-in that was loaded under this name."""
    if not name.endswith(".py"):
        return name, ()
    sources = third_party.sources([Path(name)])
    if sources is None:
        raise InputError(f"the plug-in {name}: the file can no longer be read")
    return Path(name).name, tuple(sorted((place, path.read_bytes()) for path, place in sources.files.items()))


def put(plug_in: PlugIn) -> str:
    """Unpack a plug-in on this machine; return the name by which `load_plug_in` loads it.

    The name of the folder is a digest of its content, so that compiled code is found again.
    """
    name, files = plug_in
    if not files:
        return name
    folder = cache_folder() / FOLDER / hashlib.sha256(repr(files).encode()).hexdigest()[:20]
    for place, content in files:
        if not (folder / place).is_file() or (folder / place).read_bytes() != content:
            atomic.write(folder / place, content)
    return str(folder / name)
