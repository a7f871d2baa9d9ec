"""``duelbench slurm``: a script with which SLURM runs an experiment."""

from pathlib import Path
from typing import Annotated

import typer

from duelbench.cli import options
from duelbench.cli.options import USUAL, Output, PlugIn, Runs, RunTimeout, Scale, whole
from duelbench.cli.printing import tell
from duelbench.cli.streams import say


def slurm(
    spec: Annotated[Path, options.Spec],
    tasks: Annotated[int, typer.Option(parser=whole(1, 10**5, "tasks"), metavar="N", help="Tasks of the array.")] = 100,
    cpus: Annotated[int, typer.Option(parser=whole(1, 1000), metavar="N", help="Processors of each task.")] = 1,
    output: Output = USUAL,
    runs: Runs = None,
    scale: Scale = None,
    run_timeout: RunTimeout = None,
    plug_in: PlugIn = None,
) -> None:
    """Print a script for SLURM that runs an experiment.

    \b
    Examples:
      duelbench slurm first.yaml --tasks 200 > first.sbatch
      duelbench slurm configs/mslr5.yaml --tasks 50 --cpus 16 --runs 10000 > mslr5.sbatch

    Each task of the array runs its shard, `run --shard I/N`, for ten minutes or longer: short experiments get fewer
    tasks. The time limit is three times the estimate for this machine. Tasks use the Python that made the script, with
    no virtual environment to activate. Comments in the script say how to follow the job, and what to do afterwards.
    """
    from duelbench.experiments.submitting import slurm_script

    script = slurm_script(
        spec, tasks, cpus=cpus, out=output, runs=runs, scale=scale, plug_in=plug_in or (), run_timeout=run_timeout
    )
    for note in script.notes:
        tell(note)
    say(script.text, end="")
