"""The matrices that ship with duelbench hold the numbers of the papers, and what they say of them is true.

Arms are 1-based here, as in the papers.
"""

import csv
import math
import os
import re
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from duelbench.problem import winners
from duelbench.problem.preferences import PreferenceMatrix

MATRICES = Path(__file__).parents[2] / "matrices"
DATA = Path(os.environ.get("DUELBENCH_DATA", Path(__file__).parents[3] / "shared"))

PRINTED = {
    "cyclic": """
        .6 .6 .6
        .9 .1
        .9
    """,
    "strong-borda": """
        .55 .55 .55 .55
        .95 .95 .95
        .95 .95
        .95
    """,
    "arxiv": """
        .55 .55 .54 .61 .61
        .55 .55 .58 .6
        .54 .51 .56
        .54 .5
        .51
    """,
    "gap": """
        .8 .8 .51 .2
        .8 .2 .8
        .8 .8
        .2
    """,
    "multisol": """
        .2 .8 .8 .8
        .2 .8 .8
        .8 .8
        .6
    """,
    "mslr5-condorcet": """
        .535 .613 .757 .765
        .58 .727 .738
        .659 .669
        .51
    """,
    "mslr5-noncondorcet": """
        .484 .519 .529 .518
        .481 .53 .539
        .504 .512
        .503
    """,
    "noncondorcet-strong-borda": """
        .05 .55 .55 .55 .55
        .95 .95 .45 .45
        .95 .95 .95
        .95 .95
        .95
    """,
    "noncondorcet-cyclic": """
        .4 .6 .1 .6 .6 .6 .6 .6
        .4 .6 .1 .6 .6 .6 .6
        .6 .6 .1 .6 .6 .6
        .1 .9 .6 .6 .4
        .1 .4 .6 .6
        .6 .4 .6
        .1 .9
        .1
    """,
    "sushi16": """
        .512 .622 .655 .698 .726 .711 .708 .749 .8 .741 .783 .847 .817 .854 .868
        .602 .683 .652 .776 .663 .683 .738 .709 .786 .802 .83 .85 .871 .873
        .528 .554 .533 .534 .591 .573 .593 .661 .705 .734 .672 .787 .822
        .553 .619 .566 .641 .675 .687 .665 .696 .803 .823 .796 .844
        .513 .524 .518 .608 .538 .643 .61 .695 .672 .681 .775
        .513 .559 .575 .621 .591 .701 .702 .787 .829 .811
        .559 .553 .613 .564 .607 .703 .735 .736 .801
        .556 .527 .562 .58 .668 .805 .777 .767
        .512 .548 .542 .612 .786 .71 .685
        .543 .579 .613 .718 .685 .747
        .564 .625 .618 .702 .684
        .542 .644 .7 .733
        .577 .607 .596
        .578 .637
        .586
    """,
}
"""The entries above the diagonal, row by row, as the papers print them (README.md names table and paper)."""


@dataclass(frozen=True)
class Facts:
    """What the papers say, or what anyone can count in their tables.

    ``beaten`` is the number of arms that each arm beats. ``ccb`` is the constant 2 K (C + L + 1) / gap^2 of
    the regret bound of CCB (Zoghi et al. 2015, Theorem 3, with the smallest gap as Komiyama et al. 2016 read
    it), C the number of Copeland winners and L of the arms that beat one; it pins the smallest gap. ``rmed1``
    is the constant of the regret bound of RMED1 (Komiyama et al. 2015); it pins the Condorcet winner's row.
    """

    beaten: list[int]
    condorcet: int | None
    copeland: list[int]
    min_gap: float
    ccb: float
    borda: list[int]
    ties: tuple[tuple[int, int], ...] = ()
    rmed1: float | None = None


FACTS = {
    "cyclic": Facts([3, 1, 1, 1], 1, [1], 0.1, 1600, [1], rmed1=7.4495),
    "strong-borda": Facts([4, 3, 2, 1, 0], 1, [1], 0.05, 8000, [2], rmed1=19.967),
    "arxiv": Facts([5, 4, 3, 1, 1, 0], 1, [1], 0.0, math.inf, [1], ties=((4, 6),), rmed1=20.735),
    "gap": Facts([3, 2, 2, 1, 2], None, [1], 0.01, 3.0e5, [1]),
    "multisol": Facts([3, 3, 3, 1, 0], None, [1, 2, 3], 0.1, 5000, [1, 2, 3]),
    "mslr5-condorcet": Facts([4, 3, 2, 1, 0], 1, [1], 0.01, 2.0e5, [1], rmed1=11.153),
    "mslr5-noncondorcet": Facts([3, 3, 3, 1, 0], None, [1, 2, 3], 0.003, 5.56e6, [2]),
    "noncondorcet-strong-borda": Facts([4, 3, 3, 2, 2, 1], None, [1], 0.05, 14400, [2]),
    "noncondorcet-cyclic": Facts([6, 6, 6, 4, 4, 4, 2, 2, 2], None, [1, 2, 3], 0.1, 10800, [4, 5, 6]),
    "sushi16": Facts(list(range(15, -1, -1)), 1, [1], 0.012, 4.44e5, [1], rmed1=35.249),
    "arithmetic8": Facts([7, 6, 5, 4, 3, 2, 1, 0], 1, [1], 0.05, 12800, [1]),
}


def load(name: str) -> PreferenceMatrix:
    return PreferenceMatrix.load(MATRICES / f"{name}.csv")


def cells(name: str) -> list[list[Decimal]]:
    """The numbers of a file as decimals, exactly as written."""
    lines = (MATRICES / f"{name}.csv").read_text(encoding="utf-8").split()
    return [[Decimal(cell) for cell in line.split(",")] for line in lines]


def one_based(arms) -> list[int]:
    return [arm + 1 for arm in arms]


def divergence_from_half(p: float) -> float:
    """d(p, 1/2), the Kullback-Leibler divergence of Bernoulli distributions."""
    return math.log(2) + sum(x * math.log(x) for x in (p, 1 - p) if x > 0)


def test_every_file_is_tested():
    assert {path.stem for path in MATRICES.glob("*.csv")} == set(FACTS) == {*PRINTED, "arithmetic8"}


@pytest.mark.parametrize("name", PRINTED)
def test_a_file_holds_the_printed_numbers(name):
    upper = [[Decimal(number) for number in row.split()] for row in PRINTED[name].split("\n") if row.strip()]
    P = cells(name)
    assert len(P) == len(upper) + 1
    for i, row in enumerate(P):
        assert row[i] == Decimal("0.5")
        for j in range(i + 1, len(P)):
            assert row[j] == upper[i][j - i - 1], f"row {i + 1}, column {j + 1}"
            assert P[j][i] == 1 - row[j], f"row {j + 1}, column {i + 1}"


def test_the_arithmetic_matrix_follows_its_formula():
    P = cells("arithmetic8")
    for i in range(8):
        for j in range(8):
            assert P[i][j] == Decimal("0.5") + Decimal("0.05") * (j - i)


@pytest.mark.parametrize("name", FACTS)
def test_the_facts_of_the_papers_hold(name):
    matrix, facts = load(name), FACTS[name]
    condorcet = winners.condorcet_winner(matrix)
    assert winners.inferior_counts(matrix).tolist() == facts.beaten
    assert (None if condorcet is None else condorcet + 1) == facts.condorcet
    assert one_based(winners.copeland_winners(matrix)) == facts.copeland
    assert one_based(winners.borda_winners(matrix)) == facts.borda
    assert winners.min_gap(matrix) == pytest.approx(facts.min_gap, abs=1e-12)
    assert [tuple(one_based(pair)) for pair in winners.ties(matrix)] == list(facts.ties)


@pytest.mark.parametrize("name", FACTS)
def test_the_constant_of_ccb_is_the_published_one(name):
    matrix, facts = load(name), FACTS[name]
    beaten_by = int(winners.superior_counts(matrix).min())
    numerator = 2 * matrix.n_arms * (len(facts.copeland) + beaten_by + 1)
    gap = winners.min_gap(matrix)
    assert (numerator / gap**2 if gap else math.inf) == pytest.approx(facts.ccb, rel=2e-3)


@pytest.mark.parametrize("name", [name for name in FACTS if FACTS[name].rmed1])
def test_the_constant_of_rmed1_is_the_published_one(name):
    winner = load(name).P[0, 1:]
    constant = sum((p - 0.5) / (2 * divergence_from_half(p)) for p in winner)
    assert constant == pytest.approx(FACTS[name].rmed1, abs=6e-4)


def test_the_readme_lists_every_matrix_with_its_size_and_sha256():
    readme = (MATRICES / "README.md").read_text(encoding="utf-8")
    sizes = {name: int(size) for name, size in re.findall(r"^\| `([\w-]+)\.csv` \| (\d+) \|", readme, re.MULTILINE)}
    sums = dict(re.findall(r"^\| `([\w-]+)\.csv` \| `([0-9a-f]{64})` \|", readme, re.MULTILINE))
    assert sizes == {name: load(name).n_arms for name in FACTS}
    assert sums == {name: load(name).sha256 for name in FACTS}


def data_file(relative: str) -> Path:
    path = DATA / relative
    if not path.is_file():
        pytest.skip(f"needs {relative} in the data folder {DATA} (set DUELBENCH_DATA to another one)")
    return path


TITLES = {
    "MSLR, K=5, Condorcet": "mslr5-condorcet",
    "MSLR, K=5, non-Condorcet": "mslr5-noncondorcet",
    "Cyclic, K=4": "cyclic",
    "StrongBorda, K=5": "strong-borda",
    "ArXiv, K=6": "arxiv",
    "Gap, K=5": "gap",
    "Non-Condorcet StrongBorda, K=6": "noncondorcet-strong-borda",
    "Non-Condorcet Cyclic, K=9": "noncondorcet-cyclic",
    "MultiSol, K=5": "multisol",
    "Sushi, K=16": "sushi16",
}


@pytest.mark.parametrize("title", TITLES)
def test_a_file_equals_the_collected_tables(title):
    text = data_file("MATRICES.md").read_text(encoding="utf-8")
    table = re.search(rf"^## {re.escape(title)}\b[^`]*```\n(.*?)```", text, re.MULTILINE | re.DOTALL)
    assert table, title
    assert cells(TITLES[title]) == [[Decimal(x) for x in line.split()] for line in table[1].splitlines()]


@pytest.mark.parametrize(
    ("name", "rankers"), [("mslr5-condorcet", [2, 4, 3, 1, 5]), ("mslr5-noncondorcet", [93, 7, 92, 94, 105])]
)
def test_the_mslr_matrices_are_rounded_parts_of_the_full_one(name, rankers):
    full = PreferenceMatrix.load(data_file("data/mslr/MSLR_Informational_PMat.npz"))
    part = full.submatrix([ranker - 1 for ranker in rankers])
    assert np.array_equal(part.P.round(3), load(name).P)


def test_sushi_is_the_rounded_full_precision_matrix():
    full = PreferenceMatrix.load(data_file("data/sushi/sushi16_total_order.txt"))
    assert np.array_equal(full.P.round(3), load("sushi16").P)


@pytest.mark.parametrize(
    ("click_model", "condorcet", "most_beaten"),
    [("Informational", None, 134), ("Navigational", 109, 135), ("Perfect", 109, 135)],
)
def test_the_full_mslr_matrices_have_their_known_winners(click_model, condorcet, most_beaten):
    matrix = PreferenceMatrix.load(data_file(f"data/mslr/MSLR_{click_model}_PMat.npz"))
    assert matrix.n_arms == 136
    assert winners.condorcet_winner(matrix) == condorcet
    assert winners.inferior_counts(matrix).max() == most_beaten
    assert winners.copeland_winners(matrix) == ((109,) if condorcet else (114,))


PEOPLE = {
    "soundquality": ([0, 1, 6, 4, 6, 3, 2, 6], 0.00064),
    "germanparties2009": ([1, 0, 5, 4, 3, 2], 0.05208),
    "firstnames": ([4, 5, 3, 1, 0, 2], 0.00521),
    "topmodel2007": ([5, 2, 4, 3, 0, 1], 0.01042),
    "cemschoice": ([5, 4, 1, 3, 2, 0], 0.00825),
}
"""Name -> how many arms each arm beats, and the smallest gap."""


@pytest.mark.parametrize("name", PEOPLE)
def test_judgements_of_people_have_the_facts_of_their_page(name):
    matrix = PreferenceMatrix.load(name)
    beaten, gap = PEOPLE[name]
    assert winners.inferior_counts(matrix).tolist() == beaten
    assert np.abs(matrix.P - 0.5)[~np.eye(matrix.n_arms, dtype=bool)].min() == pytest.approx(gap, abs=5e-6)


@pytest.mark.parametrize("name", PEOPLE)
def test_judgements_of_people_are_those_counted(name):
    matrix = PreferenceMatrix.load(name)
    with open(data_file(f"data/human/{name}.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(file):
            i, j = matrix.names.index(row["first"]), matrix.names.index(row["second"])
            wins, losses, ties = (int(row[column]) for column in ("first_wins", "second_wins", "ties"))
            assert matrix.P[i, j] == pytest.approx((wins + ties / 2) / (wins + losses + ties), abs=1e-12)
