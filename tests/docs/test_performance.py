"""The tables of speed on the pages have the numbers of their CSV files."""

import csv
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMES = {"D-TS": "d-ts", "RUCB": "rucb", "RMED1": "rmed1", "CCB": "ccb"}


def rows_of(page: str, table: str) -> list[list[str]]:
    """The cells of a table on a page, without its head."""
    text = (ROOT / page).read_text(encoding="utf-8")
    between = re.search(f"<!-- table: {table} -->(.*?)<!-- end: {table} -->", text, re.DOTALL)
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in between[1].strip().splitlines()[2:]]


@pytest.mark.parametrize(
    ("page", "table", "program"),
    [
        ("docs/performance.md", "wu-liu", "Wu and Liu 2016"),
        ("docs/performance.md", "komiyama", "Komiyama et al. 2015"),
        ("README.md", "speed", "Wu and Liu 2016"),
    ],
)
def test_a_table_of_factors_has_the_numbers_of_the_file(page, table, program):
    rows = rows_of(page, table)
    shown = {NAMES.get(name, name.strip("`")): [cell.replace(",", "") for cell in cells] for name, *cells in rows}
    measured: dict[str, list[str]] = {}
    with open(ROOT / "docs" / "studies" / "speed-published.csv", encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            if line["program"] == program and line["algorithm"] in shown:
                measured.setdefault(line["algorithm"], []).append(line["factor"])
    assert shown == measured and shown


def test_the_table_of_waits_has_the_numbers_of_the_file():
    shown = rows_of("docs/performance.md", "waits")
    with open(ROOT / "docs" / "studies" / "waits.csv", encoding="utf-8", newline="") as file:
        assert shown == [*csv.reader(file)][1:] and shown
