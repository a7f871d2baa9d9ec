"""joblib's Dask backend, made to end where it would wait for ever, and to use workers that come later."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

from joblib._dask import DaskDistributedBackend

GROW_SECONDS = 1.0
"""How often it is looked whether there are more workers."""

TASKS_PER_THREAD = 2
"""Handed out at a time: one to play and one to wait, so that nobody waits for the network."""


class PatientBackend(DaskDistributedBackend):
    """What joblib 1.5 and 1.6 lack: with their backend a task that has cost all its workers, or a scheduler that is
    gone, is waited for without end; a cluster with one thread is not asked, and the number of tasks that are handed
    out stays what it was at first.

    Parameters
    ----------
    client : distributed.Client
    may_ask : callable
        Whether joblib may be asked to hand out more.
    most : int, optional
        Never hand out more tasks at a time.
    """

    def __init__(self, client: Any, may_ask: Callable[[], bool], most: int | None) -> None:
        super().__init__(client=client)
        self._may_ask = may_ask
        self._most = most

    def effective_n_jobs(self, n_jobs: int) -> int:
        """At least 2: with 1 joblib would play in this process."""
        return max(2, super().effective_n_jobs(n_jobs))

    def n_wanted(self, n_threads: int) -> int:
        """How many tasks are to be handed out at a time."""
        return min(self._most or TASKS_PER_THREAD * n_threads, TASKS_PER_THREAD * n_threads)

    def start_call(self) -> None:
        """At the beginning, as joblib's; and look for more workers from now on."""
        super().start_call()
        self.client.loop.add_callback(self._grow)

    def retrieve_result_callback(self, out: Any) -> Any:
        """What a task has answered; its error is raised."""
        if isinstance(out, BaseException):
            raise out
        return super().retrieve_result_callback(out)

    async def _collect(self) -> None:
        """joblib's, but for tasks without an answer, of which it tells nobody."""
        while self._continue:
            async for future, answer in self.waiting_futures:
                self._results.pop(future)
                callback = self._callbacks.pop(future)
                if future.status == "finished":
                    callback(answer)
                else:
                    error = answer[1] if isinstance(answer, tuple) else answer
                    callback(error if isinstance(error, BaseException) else asyncio.CancelledError())
            await asyncio.sleep(0.01)

    async def _grow(self) -> None:
        while self._continue:
            await asyncio.sleep(GROW_SECONDS)
            with contextlib.suppress(OSError):  # that the scheduler is gone is told by the tasks
                n_threads = sum((await self.client.scheduler.ncores()).values())
                for _ in range(self.n_wanted(n_threads) - len(self._results)):
                    if self._continue and self._may_ask():
                        self.parallel.dispatch_next()
