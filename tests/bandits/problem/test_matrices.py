"""What the page of the shipped matrices says of them is true; the SHA-256 there holds their numbers.

Arms are 1-based here, as in the papers.
"""

import csv
import re
from pathlib import Path

import pytest

from duelbench.bandits.problem import winners
from duelbench.bandits.problem.preferences import PreferenceMatrix
from tests.optional_data import optional

MATRICES = Path(__file__).parents[3] / "matrices"
PEOPLE = ("soundquality", "germanparties2009", "firstnames", "topmodel2007", "cemschoice")


def rows(n_cells: int) -> list[list[str]]:
    """The rows of the tables of the page with this number of cells, the first of which names a file."""
    found = []
    for line in (MATRICES / "README.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) == n_cells:
            found.append([cells[0].strip("`").removesuffix(".csv"), *(cell.strip("`") for cell in cells[1:])])
    return found


def one_based(arms) -> list[int]:
    return [arm + 1 for arm in arms]


def numbers(cell: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", cell.partition(" (")[0])]


def test_the_page_lists_every_matrix_and_its_facts_hold():
    facts = {name: cells for name, *cells in rows(7)}
    assert set(facts) == {path.stem for path in MATRICES.glob("*.csv")} | set(PEOPLE)
    for name, (size, *cells) in facts.items():
        copeland, beaten, gap = cells[1:4] if name in PEOPLE else (cells[0], cells[1], cells[3])
        matrix = PreferenceMatrix.load(name)
        assert matrix.n_arms == int(size)
        counts = winners.inferior_counts(matrix).tolist()
        assert counts == (list(range(15, -1, -1)) if "..." in beaten else numbers(beaten)), name
        decimals = len(gap.partition(".")[2].partition(" ")[0])
        assert round(winners.min_gap(matrix), decimals) == float(re.split("[ :]", gap)[0]), name
        assert (winners.condorcet_winner(matrix) is not None) == ("(Condorcet)" in copeland), name
        if name in PEOPLE:
            best = [matrix.names[arm] for arm in winners.copeland_winners(matrix)]
            assert all(arm in copeland for arm in best) and copeland.count(",") == (len(best) if len(best) > 1 else 0)
        else:
            assert one_based(winners.copeland_winners(matrix)) == numbers(copeland), name
            assert one_based(winners.borda_winners(matrix)) == numbers(cells[2]), name
            ties = [tuple(one_based(pair)) for pair in winners.ties(matrix)]
            assert ties == ([(4, 6)] if name == "arxiv" else [])


def test_the_page_has_the_sha256_of_every_matrix_of_a_paper():
    sums = dict(row for row in rows(2) if len(row[1]) == 64)
    assert sums == {path.stem: PreferenceMatrix.load(path).sha256 for path in MATRICES.glob("*.csv")}


@pytest.mark.parametrize("name", PEOPLE)
def test_judgements_of_people_are_those_counted(name):
    matrix = PreferenceMatrix.load(name)
    with open(optional(f"data/human/{name}.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(file):
            i, j = matrix.names.index(row["first"]), matrix.names.index(row["second"])
            wins, losses, ties = (int(row[column]) for column in ("first_wins", "second_wins", "ties"))
            assert matrix.P[i, j] == pytest.approx((wins + ties / 2) / (wins + losses + ties), abs=1e-12)
