"""``duelbench new``: files to start from."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from duelbench.cli.streams import say
from duelbench.errors import InputError


def new(
    kind: Annotated[Literal["algorithm", "spec", "judge"], typer.Argument(help="What to write.")],
    name: Annotated[str, typer.Argument(help="Its name: lower-case letters, digits and hyphens, such as my-rule.")],
    compiled: Annotated[
        bool, typer.Option("--compiled", help="Write a compiled algorithm instead of plain Python.")
    ] = False,
    matrix: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The matrix of the spec: a file or a name such as cyclic. Default: a family of matrices.",
        ),
    ] = None,
    runs_prompts: Annotated[
        bool, typer.Option("--runs-prompts", help="Write a judge that runs both prompts on an input first.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write an algorithm, a spec or a judge to start from.

    \b
    Examples:
      duelbench new algorithm my-rule --compiled
      duelbench new spec first-try
      duelbench new spec first-try --matrix matrices/cyclic.csv
      duelbench new judge my-judge

    Writes a file into this folder that works as it is. After you change the rule of an algorithm, `duelbench check`
    tests whether it still keeps the contract. A spec gets algorithms that suit its matrix. A
    judge asks a language model, for `duelbench live --exec`.
    """
    from duelbench.experiments.plugins.starting import write_algorithm, write_judge, write_spec

    for option, only, value in (
        ("matrix", "spec", matrix),
        ("compiled", "algorithm", compiled),
        ("runs-prompts", "judge", runs_prompts),
    ):
        if value and kind != only:
            raise InputError(f"--{option} is for {'an' if only == 'algorithm' else 'a'} {only}; leave it out")
    if kind == "spec":
        path = write_spec(name, matrix, force)
        then = f"run {path} --dry-run"
    elif kind == "judge":
        path = write_judge(name, runs_prompts, force)
        then = f'live {"prompts.yaml" if runs_prompts else "outputs.csv"} --exec "python3 {path}" --budget 1'
    else:
        path = write_algorithm(name, compiled, force)
        then = f"check {path}"
    say(str(path))
    say(f"next: duelbench {then}")
