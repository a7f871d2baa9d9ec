"""Arguments and options that commands share."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duelbench.common.numerals import whole_number
from duelbench.errors import InputError

if TYPE_CHECKING:
    from duelbench.experiments.spec.yaml_source import Scalar

USUAL = Path("results")
"""The default folder of results."""


def whole(low: int, high: int = 2**63 - 1, unit: str = "") -> Callable[[str | int], int]:
    """A parser for whole numbers from ``low`` to ``high``, written as in specs: 1e3 and 1_000 are allowed.

    Examples
    --------
    >>> whole(1, 10**6, "runs")("1e2")
    100
    """

    def parse(text: str | int) -> int:
        try:
            return whole_number(text, low, high, unit)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None

    return parse


rounds = whole(1, 10**15, "rounds")
"""A parser for numbers of rounds, with the limits of specs."""


def jobs(help_text: str = "Worker processes.", default: str | bool = "all cores") -> Any:
    """The option ``--jobs``."""
    return typer.Option("--jobs", "-j", parser=whole(1), metavar="N", help=help_text, show_default=default)


def seed(help_text: str = "Seed of all random draws.", default: str | bool = True) -> Any:
    """The option ``--seed``, with the limits of specs."""
    return typer.Option("--seed", parser=whole(0, 2**128 - 1), metavar="N", help=help_text, show_default=default)


Spec = typer.Argument(metavar="SPEC", help="Experiment file (YAML), or a name such as paper:wu2016/1a.")
Results = Annotated[
    list[Path],
    typer.Argument(
        metavar="RESULTS...", help="Results folders, a folder of several (results/), or the specs they came from."
    ),
]
PlugIn = Annotated[
    list[str] | None,
    typer.Option("--plug-in", metavar="FILE", help="Load algorithms from a .py file or a module; repeat for more."),
]
PlugInFile = Annotated[
    str, typer.Argument(metavar="FILE", help="A .py file with algorithms, or a module, as for `run --plug-in`.")
]
Scale = Annotated[str | None, typer.Option(metavar="NAME", help="A size from the spec's `scales`, such as quick.")]
Runs = Annotated[
    int | None,
    typer.Option(parser=whole(1, 10**6, "runs"), metavar="N", help="Runs of each algorithm, instead of the spec's."),
]
RunTimeout = Annotated[
    float | None, typer.Option(metavar="SECONDS", help="End runs that take longer, and count them as failed.")
]
Output = Annotated[Path, typer.Option("--output", "-o", "--out", metavar="DIR", help="Where results go.")]
Regret = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Which recorded regret. Default: the first of each spec."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Print what would run, why and roughly how long; write nothing.")
]
AllowPartial = Annotated[bool, typer.Option("--allow-partial", help="Use incomplete results, too.")]


def as_in_a_spec(text: str) -> "Scalar":
    """Convert the value of a ``NAME=VALUE`` argument to the scalar that the same text would be in a spec.

    Its attribute ``truth`` is the truth value of a yes or no, and None for other text.

    Examples
    --------
    >>> as_in_a_spec("yes").truth, as_in_a_spec(" 1e3").truth, as_in_a_spec(" 1e3")
    (True, None, '1e3')
    """
    from duelbench.experiments.spec.yaml_source import Scalar

    scalar = Scalar(text.strip())
    scalar.truth = {"true": True, "yes": True, "false": False, "no": False}.get(text.strip().lower())
    return scalar


def named_values(arguments: list[str] | None, example: str) -> dict[str, str]:
    """Parse ``NAME=VALUE`` arguments into a mapping.

    Raises
    ------
    InputError
        If an argument is not of this form, or a name appears twice.

    Examples
    --------
    >>> named_values(["n_arms=64"], "n_arms=64")
    {'n_arms': '64'}
    """
    values: dict[str, str] = {}
    for argument in arguments or ():
        name, equals, text = argument.partition("=")
        if not (name and equals):
            raise InputError(f"'{argument}': write NAME=VALUE, as in {example}")
        if name in values:
            raise InputError(f"'{argument}': {name} is given twice")
        values[name] = text
    return values


Columns = Annotated[
    str | None,
    typer.Option(
        metavar="ROLE=COLUMN,...",
        help="What the columns of a table mean: a=left,b=right,winner=choice; or winner=best,loser=other; also weight,"
        " tie, judge, time, input and others.",
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Do not use a column of a table, whatever its name; repeat for more."),
]
WithoutJudge = Annotated[
    list[str] | None,
    typer.Option("--without-judge", metavar="NAME", help="Leave out the votes of a judge; repeat for more."),
]


def check_not_input(option: str, path: Path, sources: Iterable[Path]) -> None:
    """Refuse an output file that is one of the sources."""
    if any(path.exists() and source.exists() and path.samefile(source) for source in sources):
        raise InputError(f"{option} {path}: is the input; name another file")


def columns_of(text: str | None) -> dict[str, str]:
    """The columns that ``--columns`` names, by role.

    Examples
    --------
    >>> columns_of("winner=best,loser=other")
    {'winner': 'best', 'loser': 'other'}
    """
    from duelbench.bandits.problem.matrix_files import csv_cells

    return named_values(csv_cells(text, 1, "--columns") if text else None, "a=left,b=right,winner=choice")
