"""The tables of docs/changing-worlds.md: they are worked out rightly, and the page has what the spec plays."""

import re
from pathlib import Path

import pytest

import duelbench
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.winners import condorcet_winner
from duelbench.problem.worlds.world import World
from duelbench.spec.load import load
from tests.figures.made_up import make_results
from tests.statistical.changing_worlds import BESIDE, STILL, TABLES, Table, beside_the_best, folder_of, lines, not_worse

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "configs" / "changing-worlds.yaml"
PAGE = (ROOT / "docs" / "changing-worlds.md").read_text(encoding="utf-8")
MAKE = (ROOT / "configs" / "figures.mk").read_text(encoding="utf-8")


def two_horizons(folder: Path) -> Path:
    """Made-up results, called as those of the spec at no scale and at its scale short; RUCB has half the regret."""

    def factor(label, run):
        return (10 + run) * (1 if label == "D-TS" else 0.5)

    spec = SPEC_OF_ONE.replace("{horizon}", "1000")
    results = make_results(folder, "changing-worlds", runs=10, spec=spec, factor=factor).parent
    make_results(folder, "changing-worlds-short", runs=10, spec=SPEC_OF_ONE.replace("{horizon}", "100"), factor=factor)
    return results


SPEC_OF_ONE = """
name: {name}
title: {title}
matrix: two.csv
horizon: {horizon}
runs: {runs}
seed: 5
regret: {regret}
checkpoints: [1, 10]
algorithms:
  - d-ts
  - rucb: {{alpha: {alpha}, label: "RUCB & co"}}
"""


BOTH = ("D-TS", "RUCB & co")


def test_a_column_has_means_with_intervals_and_one_of_growth_their_ratio(tmp_path):
    # Regret is the factor times log10(t): at 1000 rounds 3 (10 + run), run = 0, ..., 9, and at 100 two thirds of it.
    head, _, first, second = lines(Table("copeland", (STILL, f"x {STILL}")), two_horizons(tmp_path))
    assert head == "| algorithm | still | x still |"
    mean, low, high, growth = map(float, re.findall(r"[\d.]+", first))
    assert mean == 43.5 and low < mean < high and growth == 1.5
    # Student's interval, 2.262 standard errors of 3 (0, ..., 9), is 6.5 to each side; Hall's is near it.
    assert low == pytest.approx(mean - 6.5, abs=1) and high == pytest.approx(mean + 6.5, abs=1)
    assert second.startswith("| RUCB & co | **21.8 [")


def test_a_column_of_some_rounds_has_the_regret_of_these_rounds(tmp_path):
    # The factor, 10 + run, run = 0, ..., 9, once up to round 10 and twice from there to round 1000; and half of it.
    (*_, first, second) = lines(Table("copeland", (f"{STILL} 0-10", f"{STILL} 10-1000")), two_horizons(tmp_path))
    assert re.findall(r"\| ([\d.]+) \[", first) == ["14.5", "29.0"]
    assert re.findall(r"\| ([\d.]+) \[", second) == ["7.2", "14.5"]


def test_what_a_comparison_run_by_run_cannot_tell_from_the_best_is_bold_with_it(tmp_path):
    results = two_horizons(tmp_path)
    assert not_worse(duelbench.load(results / "changing-worlds"), "copeland", BOTH) == {"RUCB & co"}
    alike = make_results(
        tmp_path / "alike",
        runs=10,
        spec=SPEC_OF_ONE.replace("{horizon}", "1000"),
        factor=lambda label, run: 1 + run % 3,
    )
    assert not_worse(duelbench.load(alike), "copeland", BOTH) == {"RUCB & co", "D-TS"}


def labels(spec) -> list[str]:
    return [entry.label for entry in spec.entries]


def on_the_page(table: Table) -> list[list[str]]:
    """The rows of the table on the page with the same head, and the head itself first."""
    head = "| algorithm | " + " | ".join(table.columns) + " |"
    (found,) = [part for part in PAGE.split("\n\n") if part.splitlines()[:1] == [head]]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in found.splitlines()]


def test_an_algorithm_stands_beside_the_best_of_a_world(tmp_path):
    (*_, row) = beside_the_best("D-TS", two_horizons(tmp_path), [(STILL, "copeland")])
    assert re.sub(r" \[.*?\]", "", row) == "| still | copeland | 43.5 | RUCB & co 21.8 | 2.0 |"


def test_the_page_has_vdb_beside_the_best_of_each_world():
    (table,) = [part for part in PAGE.split("\n\n") if part.startswith("| world | regret | VDB | the best | times |")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
    assert [tuple(row[:2]) for row in rows] == list(BESIDE)


def test_every_scale_of_the_tables_is_one_of_the_spec_and_is_played_by_make():
    scales = {head.removeprefix("x ").split()[0] for table in TABLES.values() for head in table.columns} - {STILL}
    scales |= {f"{head[2:]}-short" for table in TABLES.values() for head in table.columns if head[:2] == "x "}
    scales = scales - {f"{STILL}-short"}
    played = re.search(r"^WORLDS := ((?:.*\\\n)*.*)$", MAKE, re.MULTILINE)[1].replace("\\", "").split()
    assert scales == {*played}
    for scale in scales:
        assert folder_of(Path("results"), scale).name == load(SPEC, scale).name


def test_the_worlds_are_what_the_page_says():
    P = PreferenceMatrix.load("mslr5-condorcet").P
    flip4 = load(SPEC, "flip4").problems[0].matrix
    assert isinstance(flip4, World) and len(flip4.matrices) == 4
    there, back = flip4.matrices[:2]
    assert (there.P == P).all() and (back.P[::-1, ::-1] == P).all()
    assert [condorcet_winner(matrix) for matrix in flip4.matrices] == [0, 4, 0, 4]
    assert [condorcet_winner(one) for one in load(SPEC, "same-winner").problems[0].matrix.matrices] == [0] * 4
    assert len(load(SPEC, "flip20").problems[0].matrix.matrices) == 20
    winners = [condorcet_winner(matrix) for matrix in load(SPEC, "drift").problems[0].matrix.matrices]
    assert list(dict.fromkeys(winners)) == [0, 2, 4]


@pytest.mark.parametrize("name", TABLES)
def test_the_page_has_each_table_with_all_of_its_algorithms(name):
    table = TABLES[name]
    head, _, *rows = on_the_page(table)
    assert head == ["algorithm", *table.columns]
    assert [row[0] for row in rows] == (list(table.labels) or labels(load(SPEC)))


@pytest.mark.parametrize("name", TABLES)
def test_the_numbers_of_the_page_lie_in_their_intervals(name):
    for row in on_the_page(TABLES[name])[2:]:
        for cell in row[1:]:
            numbers = [float(number.replace(",", "")) for number in re.findall(r"-?[\d,.]+", cell)]
            if len(numbers) == 3:
                mean, low, high = numbers
                assert low <= mean <= high
            else:
                assert len(numbers) == 1 or cell == ""
