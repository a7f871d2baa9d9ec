"""``duelbench new``: files to start from."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from duelbench.cli.streams import say
from duelbench.errors import InputError


def new(
    kind: Annotated[Literal["algorithm", "spec"], typer.Argument(help="What to write.")],
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
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write an algorithm or a spec to start from.

    \b
    Examples:
      duelbench new algorithm my-rule --compiled
      duelbench new spec first-try
      duelbench new spec first-try --matrix matrices/cyclic.csv

    Writes a file into this folder that works as it is. After you change the rule of an algorithm, `duelbench check`
    tests whether it still keeps the contract. A spec gets algorithms that suit its matrix.
    """
    from duelbench.experiments.plugins.starting import write_algorithm, write_spec

    is_spec = kind == "spec"
    if not is_spec and matrix is not None:
        raise InputError("--matrix is for a spec; leave it out")
    if is_spec and compiled:
        raise InputError("--compiled is for an algorithm; leave it out")
    path = write_spec(name, matrix, force) if is_spec else write_algorithm(name, compiled, force)
    say(str(path))
    say(f"next: duelbench {f'run {path} --dry-run' if is_spec else f'check {path}'}")
