"""Options that commands share: where results are, and numbers as in specs."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from duelbench.cli.completion import candidates

if TYPE_CHECKING:
    from duelbench.spec.yaml_source import Scalar

USUAL = Path("results")

Results = Annotated[
    list[Path],
    typer.Argument(
        metavar="RESULTS...",
        help="Results folders, a folder of several (results/), or the specs they came from.",
        autocompletion=candidates.results,
    ),
]
Out = Annotated[Path, typer.Option("--out", metavar="DIR", help="Where the results of a spec are.")]
PlugIn = Annotated[
    list[str] | None,
    typer.Option(
        "--plug-in",
        metavar="FILE",
        help="Load the algorithms in a .py file or a module, as `run` does; repeat for more.",
        autocompletion=candidates.plug_ins,
    ),
]
PlugInFile = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="A .py file with algorithms, or a module, as for `run --plug-in`.",
        autocompletion=candidates.plug_ins,
    ),
]
Scale = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The size at which the specs were run, such as quick.",
        autocompletion=candidates.scales,
    ),
]


def whole(low: int, high: int = 2**63 - 1, unit: str = "") -> Callable[[str | int], int]:
    """A parser for options: whole numbers as in specs, 1e3 and 1_000 included, from ``low`` to ``high``.

    ``unit`` is what they count.

    Examples
    --------
    >>> whole(1, 10**6, "runs")("1e2")
    100
    """

    def parse(text: str | int) -> int:
        from duelbench.spec.kinds import Whole
        from duelbench.spec.yaml_source import Scalar

        try:
            return Whole(low, high, unit).parse(Scalar(text))
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None

    return parse


rounds = whole(1, 10**15, "rounds")
"""A parser for rounds, of which there are as many as in specs."""


def as_in_a_spec(text: str) -> "Scalar":
    """The value of a ``NAME=VALUE`` argument as the scalar that it would be in a spec.

    Examples
    --------
    >>> as_in_a_spec("yes").truth, as_in_a_spec(" 1e3").truth, as_in_a_spec(" 1e3")
    (True, None, '1e3')
    """
    from duelbench.spec.yaml_source import Scalar

    scalar = Scalar(text.strip())
    scalar.truth = {"true": True, "yes": True, "false": False, "no": False}.get(text.strip().lower())
    return scalar
