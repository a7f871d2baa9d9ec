"""``duelbench slurm``: a script by which SLURM plays an experiment."""

from pathlib import Path
from typing import Annotated

import typer

from duelbench.cli.completion import candidates
from duelbench.cli.folders import USUAL, PlugIn, Scale, whole
from duelbench.cli.run import Out, Output, Runs
from duelbench.cli.streams import say


def slurm(
    spec: Annotated[
        Path,
        typer.Argument(
            metavar="SPEC",
            help="Experiment file (YAML), or a name such as paper:wu2016/1a.",
            autocompletion=candidates.specs,
        ),
    ],
    tasks: Annotated[
        int, typer.Option("--tasks", parser=whole(1, 10**5, "tasks"), metavar="N", help="Tasks of the array, at most.")
    ] = 100,
    cpus: Annotated[
        int, typer.Option("--cpus", parser=whole(1, 1000), metavar="N", help="Processors of each task.")
    ] = 1,
    output: Output = USUAL,
    runs: Runs = None,
    scale: Scale = None,
    plug_in: PlugIn = None,
    out: Out = None,
) -> None:
    """Print a script for SLURM that plays an experiment.

    \b
    Examples:
      duelbench slurm first.yaml --tasks 200 > first.sbatch
      duelbench slurm configs/mslr5.yaml --tasks 50 --cpus 16 --runs 10000 > mslr5.sbatch

    Each task of the array plays its shard, `run --shard I/N`, for ten minutes or longer: short experiments get fewer
    tasks. The time limit is three times the estimate for this machine. The script has a place for what a node needs to
    find duelbench, and says how to follow it and what to do afterwards.
    """
    from duelbench.api.submitting import slurm_script

    script = slurm_script(spec, tasks, cpus=cpus, out=out or output, runs=runs, scale=scale, plug_in=plug_in or ())
    for note in script.notes:
        typer.echo(note, err=True)
    say(script.text, end="")
