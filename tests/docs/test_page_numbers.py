"""The numbers on the pages of the figures are the recorded ones, and a page says which are older than the tree."""

import re

import pytest

from duelbench.algorithms import registry
from tests.docs import page_numbers
from tests.docs.page_numbers import Curve, Made, Number
from tests.docs.page_tables import PAGES, TABLES, brief, filled, mean_and_error, page_of, pages
from tests.figures.made_up import make_results

NUMBERS = page_numbers.read()
UNITS = (1, 1e3, 1e6)

OTHER_RUNS: dict[str, set[str]] = {
    "komiyama2016.md": {"434 +- 3", "153,927 +- 26,429", "12,225 +- 1,356", "1,150"},
    "urvoy2013-5.md": {"140 +- 8", "147 +- 10", "187 +- 9"},
    "wu2016.md": {"12,324 +- 361", "5,174", "23,475"},
    "zoghi2015.md": {"240,000 +- 7,700"},
}
"""Page -> numbers in its text that are not in the file: of runs that no spec asks for, and errors not recorded."""


@pytest.mark.parametrize(("path", "wanted"), list(pages()), ids=lambda value: getattr(value, "name", ""))
def test_a_page_has_the_recorded_numbers_and_says_which_are_older_than_the_tree(path, wanted):
    assert path.read_text(encoding="utf-8") == wanted, "fill the pages: make page-numbers"


def test_every_table_is_either_filled_or_known_to_have_no_numbers_of_runs():
    for page in PAGES.glob("*.md"):
        tables = re.findall(r"^(?:\|.*\n)+", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert page.name not in TABLES or len(tables) == len(TABLES[page.name]), page.name
    assert {page_of(number.experiment) for number in NUMBERS} == set(TABLES)


@pytest.mark.parametrize("page", TABLES)
def test_numbers_with_errors_in_the_text_of_a_page_are_recorded_ones(page):
    text = re.sub(r"^\|.*\n", "", (PAGES / page).read_text(encoding="utf-8"), flags=re.MULTILINE)
    own = [number for number in NUMBERS if page_of(number.experiment) == page]
    known = {mean_and_error(number, unit) for number in own for unit in UNITS} | OTHER_RUNS.get(page, set())
    written = re.findall(r"\d[\d,.]*\s\+-\s\d[\d,.]*\d|\d[\d,.]*\s\+-\s\d", text)
    assert {re.sub(r"\s", " ", number) for number in written} <= known
    medians = {f"{number.median:,.0f}" for number in own if number.median is not None}
    assert {*re.findall(r"\bmedian,?\s(\d[\d,]*\d)", text)} <= medians | OTHER_RUNS.get(page, set())


# --- what the two rest on ---

PAGE = """# A page

What it is about.

| | (a) |
|---|---|
| D-TS | 12 +- 3.0 |
"""


def a_number(mean: float, trace_version: int) -> Number:
    return Number("wu2016-7a", Curve("", "D-TS", 100), Made("d-ts", trace_version, "0" * 12, 4), 100, mean, 2.0, mean)


@pytest.fixture
def one_table(monkeypatch):
    monkeypatch.setitem(TABLES, "a.md", (TABLES["wu2016.md"][-3],))


def test_a_number_that_is_not_the_recorded_one_is_replaced(one_table):
    version = registry.get("d-ts").trace_version
    assert filled("a.md", PAGE, [a_number(12.4, version)]) == PAGE.replace("12 +- 3.0", "12 +- 2.0")


def test_a_page_with_numbers_of_an_earlier_trace_version_says_so_below_its_title(one_table):
    version = registry.get("d-ts").trace_version
    old = filled("a.md", PAGE, [a_number(12.4, version - 1)])
    sentence = f"not run again with it: `wu2016-7a` (`trace_version` of D-TS {version - 1}, now {version})."
    assert sentence in old.split("\n\n")[1].replace("\n", " ")
    assert filled("a.md", old, [a_number(12.4, version - 1)]) == old
    assert filled("a.md", old, [a_number(12.4, version)]) == PAGE.replace("12 +- 3.0", "12 +- 2.0")


def test_a_page_with_numbers_of_runs_that_were_not_recorded_says_so(one_table):
    number = a_number(12.4, registry.get("d-ts").trace_version)
    unknown = number._replace(made=number.made._replace(cell=""))
    assert "not run again with it: `wu2016-7a`." in filled("a.md", PAGE, [unknown]).replace("\n", " ")


def test_a_number_that_is_recorded_is_the_mean_of_the_runs_and_its_error(tmp_path):
    # Run k has (k + 1) log10(t) duels: at 1000 rounds 3, 6, 9 and 12, halfway from 100 to 1000 rounds 2.5 (k + 1).
    folder = make_results(tmp_path, runs=4)
    numbers = page_numbers.record(folder, [550])
    two = {number.round: number for number in numbers if number.curve[:2] == ("two", "D-TS")}
    assert list(two) == [550, 1000]
    assert (two[1000].mean, two[1000].median, two[550].mean) == pytest.approx((7.5, 7.5, 6.25))
    assert two[1000].sem == pytest.approx(15**0.5 / 2)  # deviations -4.5, -1.5, 1.5, 4.5: variance 45 / 3
    assert two[1000].made[:2] == ("d-ts", registry.get("d-ts").trace_version) and two[1000].made.runs == 4
    page_numbers.write(numbers, tmp_path / "numbers.csv")
    again = page_numbers.read(tmp_path / "numbers.csv")
    assert [number[:4] for number in again] == [number[:4] for number in numbers]
    assert [number.sem for number in again] == pytest.approx([number.sem for number in numbers])


def test_what_makes_the_runs_of_a_curve_is_another_thing_with_another_parameter(tmp_path):
    one, other = (page_numbers.record(make_results(tmp_path / f"{a}", alpha=a), []) for a in (0.51, 0.6))
    same = {number.curve.label for number, its in zip(one, other, strict=True) if number.made == its.made}
    assert same == {"D-TS"}


@pytest.mark.parametrize(
    ("mean", "sem", "unit", "written"),
    [
        (1234567.0, 20.4, 1, "1,234,567 +- 20"),
        (64.6, 9.96, 1, "65 +- 10"),
        (64.6, 0.94, 1, "65 +- 0.94"),
        (4898123.0, 187001.0, 1e3, "4,898 +- 187"),
        (15812784.0, 80123.0, 1e6, "15.8 +- 0.080"),
    ],
)
def test_a_number_is_written_with_its_error(mean, sem, unit, written):
    assert mean_and_error(a_number(mean, 1)._replace(sem=sem), unit) == written


def test_values_of_exploration_have_three_digits_and_large_ones_all_of_theirs():
    written = {0: "0", 0.19349: "0.193", 34.21: "34.2", 999.6: "1000", 1611.2: "1611", 24.53e6: "24.5 M"}
    assert [brief(value) for value in written] == list(written.values())
