"""Makes a script that runs an experiment with SLURM: an array of tasks, one for each shard."""

import math
import os
import shlex
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from duelbench.common.words import counted
from duelbench.errors import InputError
from duelbench.experiments.execution.estimate import compiling_seconds, estimate, one_of_each_loop
from duelbench.experiments.execution.plan import Plan
from duelbench.experiments.execution.progress import duration
from duelbench.experiments.places import run_arguments
from duelbench.experiments.results.failures import one_line
from duelbench.experiments.running import plans_of
from duelbench.experiments.spec.naming import slug

LEAST_SECONDS = 600.0
"""Shortest time of a task: SLURM needs seconds to start one, and many clusters require longer tasks."""

MARGIN = 3.0
"""A time limit is this many times the estimate, which is rough and made for another processor."""

STEP_SECONDS = 600
"""Time limits are multiples of this."""

GIGABYTES_PER_CPU = 1
"""Memory of a task; a worker process takes about 0.4."""

USUAL_MOST = 1000
"""Most tasks of an array by SLURM's default (``MaxArraySize`` 1001)."""


@dataclass(frozen=True)
class Script:
    """A script, and notes for the user."""

    text: str
    notes: tuple[str, ...]


def slurm_script(
    spec: str | os.PathLike[str],
    tasks: int = 100,
    *,
    cpus: int = 1,
    out: str | os.PathLike[str] = "results",
    runs: int | None = None,
    scale: str | None = None,
    plug_in: Iterable[str] = (),
    run_timeout: float | None = None,
) -> Script:
    """A script for ``sbatch`` that runs the missing runs of an experiment, one shard in each task.

    There are at most ``tasks``, and fewer if they would be short. Each has ``cpus`` processors, and starts the Python
    of this process. The other arguments are those of `duelbench.run`.

    Raises
    ------
    InputError
        When the spec or an argument is wrong, or there is nothing to run.
    """
    plug_in = list(plug_in)
    (plan,) = plans_of([spec], Path(out), runs, scale, run_timeout=run_timeout, plug_in=plug_in)
    if plan.standing is not None:
        raise InputError(
            f"{spec}: how many runs it needs depends on results, which tasks of an array do not share: give a number of"
            " runs; after merging the results, continue with `duelbench run` without a number"
        )
    if not plan.n_todo:
        raise InputError(f"{spec}: all {plan.n_runs} runs exist; there is nothing to submit")
    cell_plans = [cell_plan for cell_plan in plan.cells if cell_plan.todo]
    cells = [cell_plan.cell for cell_plan in cell_plans]
    estimates = estimate(cells, [len(cell_plan.todo) for cell_plan in cell_plans])
    seconds = {id(cell_plan): of_run.seconds for cell_plan, of_run in zip(cell_plans, estimates, strict=True)}
    total = sum(len(cell_plan.todo) * seconds[id(cell_plan)] for cell_plan in cell_plans)
    count = n_tasks(total, plan.n_todo, tasks, cpus)
    compiling = compiling_seconds(len(one_of_each_loop(cells)), cpus)
    longest = compiling + max(seconds.values()) + _longest_shard(plan, seconds, count) / cpus
    limit = STEP_SECONDS * math.ceil(MARGIN * longest / STEP_SECONDS)

    is_guess = any(of_run.is_guess for of_run in estimates)
    precision = "a guess: some algorithms are plug-ins, or not compiled here" if is_guess else "rough"
    tasks_in_words = counted(count, "task")
    notes = [
        f"{counted(plan.n_todo, 'run')}, {_about(total)} of one core in all ({precision}); "
        f"{tasks_in_words} of {_about(total / count / cpus)}, and {_about(compiling)} to compile if that "
        "is not done yet"
    ]
    if count < tasks:
        notes.append(f"{tasks_in_words}, not {tasks}: a task should run for at least {duration(LEAST_SECONDS)}")
    if count > USUAL_MOST:
        notes.append(f"SLURM accepts {USUAL_MOST} tasks in an array unless configured otherwise (MaxArraySize)")
    command = shlex.join(run_arguments(spec, scale, runs, plug_in, Path(out), run_timeout))
    return Script(_text(plan, command, count, cpus, limit, notes), tuple(notes))


def n_tasks(seconds: float, n_runs: int, most: int, cpus: int) -> int:
    """The number of tasks for work of ``seconds`` on one processor, so that each runs for at least `LEAST_SECONDS`.

    Examples
    --------
    An hour of one core is six times ten minutes.

    >>> n_tasks(3600.0, 1000, most=200, cpus=1)
    6
    >>> n_tasks(3600.0, 1000, most=200, cpus=4)
    1
    >>> n_tasks(3600.0, 5, most=200, cpus=1)
    5
    """
    return max(1, min(most, n_runs, int(seconds / (LEAST_SECONDS * cpus))))


def _about(seconds: float) -> str:
    return "less than 1 s" if seconds < 1 else f"about {duration(seconds)}"


def _longest_shard(plan: Plan, seconds: dict[int, float], count: int) -> float:
    """Processor seconds of the longest shard."""
    shards = [0.0] * count
    first = 0
    for cell_plan in plan.cells:
        for run in cell_plan.todo:
            shards[(first + run) % count] += seconds[id(cell_plan)]
        first += cell_plan.cell.n_runs
    return max(shards)


def _text(plan: Plan, command: str, count: int, cpus: int, limit: int, notes: list[str]) -> str:
    paths = (plan.folder, plan.folder.name, plan.folder.parent)
    folder, name, parent = (one_line(shlex.quote(str(path))) for path in paths)
    hours, minutes = divmod(limit // 60, 60)
    jobs = f'--jobs "${{SLURM_CPUS_PER_TASK:-{cpus}}}"'
    comments = "\n".join(f"# {one_line(note)}" for note in notes)
    return f"""#!/bin/bash
#SBATCH --job-name={slug(plan.spec.name)}
#SBATCH --array=1-{count}
#SBATCH --cpus-per-task={cpus}
#SBATCH --time={hours:02d}:{minutes:02d}:00
#SBATCH --mem-per-cpu={GIGABYTES_PER_CPU}G
#SBATCH --output={slug(plan.spec.name)}-%a.log

{comments}
# The time limit is {MARGIN:g} times that. A task that reaches it loses only its unfinished runs.

# The Python that made this script. Change it if the nodes have duelbench elsewhere.
python={shlex.quote(sys.executable)}

exec "$python" -P -m duelbench {command} --shard "$SLURM_ARRAY_TASK_ID/{count}" {jobs}

# Submit it with sbatch from the folder in which it was made: its paths are relative to that folder. Submit it again to
# run what is missing. While it runs, and afterwards:
#   duelbench status {folder}
#   duelbench plot {folder}
# Nodes that do not share this folder need separate results, as with -o "/scratch/shard-$SLURM_ARRAY_TASK_ID". Merge
# them with
#   duelbench merge /scratch/shard-*/{name} -o {parent}
"""
