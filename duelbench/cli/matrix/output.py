"""Option and functions of the commands that write a matrix."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from duelbench.cli.options import check_not_input
from duelbench.common.words import counted
from duelbench.errors import InputError

if TYPE_CHECKING:
    from duelbench.bandits.problem.preferences import PreferenceMatrix

Output = Annotated[
    Path,
    typer.Option("--output", "-o", metavar="FILE", help="The file to write, a matrix as .csv; overwrites it."),
]


def check_output(output: Path, *sources: str | Path) -> None:
    """Refuse an output file that cannot be written, or is one of the sources, before anything is computed."""
    if output.suffix.lower() != ".csv":
        raise InputError(f"--output {output}: the name must end with .csv")
    if output.is_dir():
        raise InputError(f"--output {output}: is a folder; name a file in it")
    check_not_input("--output", output, map(Path, sources))


def write_matrix(matrix: "PreferenceMatrix", output: Path, comments: list[str]) -> str:
    """Write a matrix, with comments on its origin; return a one-line summary."""
    from duelbench.bandits.problem.matrix_files import as_csv
    from duelbench.common.atomic import write_asked
    from duelbench.version import VERSION

    text = as_csv(matrix.P, matrix.names, [*comments, f"written by duelbench {VERSION}"])
    write_asked(output, text.encode(), f"--output {output}:")
    return summary(matrix, output)


def summary(matrix: "PreferenceMatrix", output: Path) -> str:
    """Summarise a matrix in one line: its file, size, winners, smallest gap and ties.

    Examples
    --------
    >>> from duelbench.bandits.problem.preferences import PreferenceMatrix
    >>> summary(PreferenceMatrix([[0.5, 0.75], [0.25, 0.5]], names=["tuna", "egg"]), Path("two.csv"))
    'two.csv: K=2, Condorcet winner 0 (tuna), smallest gap 0.25, no ties'
    >>> summary(PreferenceMatrix([[0.5, 0.75], [0.25, 0.5]], names=["1", "2"]), Path("two.csv"))
    'two.csv: K=2, arms counted from 0, Condorcet winner 0 (named 1), smallest gap 0.25, no ties'
    """
    from duelbench.bandits.problem.winners import min_gap, ties
    from duelbench.experiments.describing import winner_in_words

    facts = [f"K={matrix.n_arms}"]
    if any(name.isdecimal() and name != str(k) for k, name in enumerate(matrix.names)):
        facts.append("arms counted from 0")
    n_ties = len(ties(matrix))
    facts += [winner_in_words(matrix), f"smallest gap {min_gap(matrix):.6g}"]
    facts.append(counted(n_ties, "tie") if n_ties else "no ties")
    return f"{output}: {', '.join(facts)}"
