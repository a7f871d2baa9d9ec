"""The constants that pages print are those that duelbench computes."""

import math
import re
from pathlib import Path

import pytest

from duelbench.problem.bounds import NEED_CONDORCET_WINNER, lower_bound
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.winners import condorcet_winner

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "bounds.md").read_text()
MATRICES = (ROOT / "matrices" / "README.md").read_text()

OF_PAGE = {1: "copeland", 3: "ecw", 4: "condorcet", 5: "rmed1", 6: "ccb"}
OF_MATRICES = {1: "copeland", 2: "ecw", 3: "rmed1"}
"""Column of a table -> the kind of bound."""


def table(text: str, head: str) -> dict[str, list[str]]:
    """The rows below a heading line, by the matrix in the first column."""
    lines = text[text.index(head) :].splitlines()[2:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[: lines.index("")]]
    return {re.match(r"`?([\w-]+)", row[0]).group(1): row for row in rows}


PRINTED = table(PAGE, "| matrix | C* | winner |")
PRINTED_IN_MATRICES = table(MATRICES, "| matrix | C* | C^E* | RMED1 |")


def check(name: str, row: list[str], columns: dict[int, str]) -> None:
    P = PreferenceMatrix.load(ROOT / "matrices" / f"{name}.csv")
    for column, kind in columns.items():
        printed = row[column].rstrip(" *")
        if kind in NEED_CONDORCET_WINNER and condorcet_winner(P) is None:
            assert printed == "-"
            continue
        constant = lower_bound(P, kind).constant
        decimals = len(printed.partition(".")[2])
        assert printed == ("inf" if math.isinf(constant) else f"{constant:.{decimals}f}"), (kind, constant)


@pytest.mark.parametrize("name", PRINTED)
def test_the_table_of_constants_is_what_is_computed(name):
    check(name, PRINTED[name], OF_PAGE)
    best = lower_bound(PreferenceMatrix.load(ROOT / "matrices" / f"{name}.csv"))
    assert best.constants[int(PRINTED[name][2])] == pytest.approx(best.constant)


@pytest.mark.parametrize("name", PRINTED_IN_MATRICES)
def test_the_page_of_matrices_has_the_same_constants(name):
    check(name, PRINTED_IN_MATRICES[name], OF_MATRICES)


def test_every_matrix_that_ships_is_in_the_table():
    assert set(PRINTED) == {file.stem for file in (ROOT / "matrices").glob("*.csv")}


def test_the_example_of_show_is_what_it_prints():
    from typer.testing import CliRunner

    from duelbench.cli.app import app

    shown = PAGE[PAGE.index("...\nbound  ") + 4 : PAGE.index("```\n\n```python")]
    result = CliRunner().invoke(app, ["show", str(ROOT / "matrices" / "cyclic.csv"), "--bounds"])
    assert result.stdout.endswith(f"\n\n{shown}")
