"""``duelbench new``: files to start from."""

from pathlib import Path
from typing import Annotated

import typer

from duelbench.cli.completion import candidates
from duelbench.cli.streams import say

new = typer.Typer(help="Write an algorithm or a spec to start from.", no_args_is_help=True, rich_markup_mode=None)

Force = Annotated[bool, typer.Option("--force", help="Write over what is there.")]


@new.command("algorithm")
def algorithm(
    name: Annotated[str, typer.Argument(help="Its id: small letters, digits and hyphens, as in my-rule.")],
    compiled: Annotated[
        bool, typer.Option("--compiled", help="For code that is compiled, and not plain Python.")
    ] = False,
    force: Force = False,
) -> None:
    """Write an algorithm of your own to start from.

    \b
    Examples:
      duelbench new algorithm my-rule
      duelbench new algorithm my-rule --compiled

    It is a file in this folder that works as it is. Change the rule, and `duelbench check` says whether it still does
    what duelbench relies on.
    """
    from duelbench.plugins.starting import write_algorithm

    path = write_algorithm(name, compiled, force)
    say(str(path))
    say(f"next: duelbench check {path}")


@new.command("spec")
def spec(
    name: Annotated[str, typer.Argument(help="The spec's name: small letters, digits and hyphens, as in first-try.")],
    matrix: Annotated[
        Path | None,
        typer.Option(
            "--matrix",
            metavar="FILE",
            help="A matrix, a file or a name such as cyclic. By default, a family of matrices stands there.",
            autocompletion=candidates.matrices,
        ),
    ] = None,
    force: Force = False,
) -> None:
    """Write a spec to start from.

    \b
    Examples:
      duelbench new spec first-try
      duelbench new spec first-try --matrix matrices/cyclic.csv

    It is a file in this folder that works as it is, with algorithms that suit the matrix.
    """
    from duelbench.plugins.starting import write_spec

    path = write_spec(name, matrix, force)
    say(str(path))
    say(f"next: duelbench run {path} --dry-run")
