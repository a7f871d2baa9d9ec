"""Runs a plan on all cores, and copes with failing runs, dying workers and interruptions.

Results depend neither on the number of workers nor on the order of the runs. Workers write the files
themselves, so that a finished run is never lost.
"""

import contextlib
import warnings
from typing import TYPE_CHECKING

from duelbench.bandits.algorithms import registry
from duelbench.experiments.execution import heartbeat
from duelbench.experiments.execution.account import Account, Outcome
from duelbench.experiments.execution.chunks import CHUNK_SECONDS, Queue
from duelbench.experiments.execution.estimate import cold, interpretable, work
from duelbench.experiments.execution.fan_out import Workers, can_start_workers, in_threads
from duelbench.experiments.execution.plan import Work
from duelbench.experiments.execution.progress import Progress
from duelbench.experiments.execution.worker import is_ours

if TYPE_CHECKING:
    from duelbench.experiments.execution.cluster import Cluster

SMALL = 10**6
"""If rounds times arms, over all runs, are at most this, starting workers takes longer than running in this process."""


def execute(
    plan: Work,
    *,
    jobs: int,
    cluster: "Cluster | None" = None,
    fail_fast: bool = False,
    progress: Progress | None = None,
    run_timeout: float | None = None,
) -> Outcome:
    """Run a prepared plan.

    Parameters
    ----------
    jobs : int
        Workers (of the cluster, if there is one); 1 runs the algorithms of duelbench in this process. A process
        that may not start workers runs everything itself.
    run_timeout : float, optional
        Seconds after which a run is ended and counts as failed.

    Raises
    ------
    RunsFailed
        When results cannot be written.
    KeyboardInterrupt
        After the workers were stopped; finished runs are saved.
    """
    progress = progress or Progress(plan.n_todo, quiet=True)
    todo = [(cell_plan.cell, cell_plan.todo) for cell_plan in plan.cells]
    folder = plan.folder.resolve()
    # The client does not know what a cluster's workers have compiled.
    budgets = {} if cluster else interpretable([cell for cell, _ in todo], [len(runs) for _, runs in todo])
    queue = Queue(folder, todo, jobs, budgets, cluster.chunk_seconds if cluster else CHUNK_SECONDS)
    to_compile = [] if cluster else cold(cell for cell in queue.cells() if cell.folder not in budgets)
    queue.one_of_each_first(to_compile)
    needs_processes = run_timeout is not None or not all(is_ours(cell) for cell in queue.cells())
    is_small = not to_compile and sum(work(cell, cell.folder in budgets) * len(runs) for cell, runs in todo) <= SMALL
    if not cluster and not can_start_workers():
        needs_processes, is_small = False, True
    if cluster:
        done, beats = cluster.run(queue, folder, run_timeout), cluster.beats
    elif not needs_processes and (jobs == 1 or is_small):
        done, beats = in_threads(queue), heartbeat.here
    else:
        workers = Workers(queue, jobs, run_timeout, tuple(registry.named_plug_ins))
        done, beats = workers.run(), workers.beats
    account = Account(plan, queue, progress, jobs, beats, to_compile)
    # If this loop ends early, joblib warns that results will not be fetched.
    with warnings.catch_warnings(), contextlib.closing(done):
        warnings.filterwarnings("ignore", category=UserWarning, module="joblib")
        for chunk, reports in done:
            account.enter(chunk, reports)
            if fail_fast and account.outcome.failures:
                return account.outcome
    return account.outcome


def is_running() -> bool:
    """Return whether a thread of this process still runs something, as happens if `execute` is interrupted.

    Then the process must end with `os._exit`: Python crashes when it shuts down with a thread in compiled code.
    """
    return bool(heartbeat.here())
