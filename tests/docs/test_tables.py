"""Numbers in the tables of pages are those that duelbench computes, or that were recorded from results."""

import math
import re

import numpy as np
import pytest
from typer.testing import CliRunner

from duelbench.bandits.algorithms import registry
from duelbench.bandits.problem.bounds import NEED_CONDORCET_WINNER, lower_bound
from duelbench.bandits.problem.families import FAMILIES
from duelbench.bandits.problem.identification_bounds import least_duels
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.winners import as_array, condorcet_winner
from duelbench.cli.app import app
from duelbench.data.datasets import DATASETS
from duelbench.data.rankings.clicks import NAMES, named
from duelbench.experiments.spec.load import load
from tests.docs.following import ROOT
from tests.experiments.figures.made_up import make_results
from tests.statistical.studies import study

page_numbers, page_tables = study("page_numbers"), study("page_tables")
Curve, Made, Number = page_numbers.Curve, page_numbers.Made, page_numbers.Number


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def table(text: str, head: str) -> dict[str, list[str]]:
    """The rows below a heading line, by the name in the first column."""
    lines = text[text.index(head) :].split("\n\n")[0].splitlines()[2:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {re.match(r"`?([\w-]+)", row[0]).group(1): row for row in rows}


# --- constants of matrices ---

BOUNDS = table(page("docs/bounds.md"), "| matrix | C* | winner |")


@pytest.mark.parametrize("name", BOUNDS)
def test_the_constants_of_a_matrix_are_what_is_computed(name):
    P = PreferenceMatrix.load(ROOT / "matrices" / f"{name}.csv")
    kinds = ("copeland", "ecw", "condorcet", "rmed1", "ccb")
    printed = zip(kinds, (BOUNDS[name][k] for k in (1, 3, 4, 5, 6)), strict=True)
    for kind, number in printed:
        if kind in NEED_CONDORCET_WINNER and condorcet_winner(P) is None:
            assert number == "-"
            continue
        constant = lower_bound(P, kind).constant
        decimals = len(number.partition(".")[2])
        assert number == ("inf" if math.isinf(constant) else f"{constant:.{decimals}f}"), (kind, constant)


def test_every_matrix_that_ships_has_its_constants_on_the_page():
    assert set(BOUNDS) == {file.stem for file in (ROOT / "matrices").glob("*.csv")}


def test_the_example_of_bounds_is_what_show_prints():
    text = page("docs/bounds.md")
    shown = text[text.index("...\nbound  ") + 4 : text.index("```\n\n```python")]
    result = CliRunner().invoke(app, ["show", str(ROOT / "matrices" / "cyclic.csv"), "--bounds"])
    assert result.stdout.endswith(f"\n\n{shown}")


WHO = load(ROOT / "configs" / "identification" / "who.yaml")


def test_bounds_and_ratios_of_how_many_duels_are_those_of_the_matrices():
    rows = table(page("docs/studies/how-many-duels.md"), "| matrix | K | gap | bound |")
    assert list(rows) == [problem.name for problem in WHO.problems]
    for problem in WHO.problems:
        P, row = as_array(problem.matrix), rows[problem.name]
        gap = np.delete(P[condorcet_winner(P)], condorcet_winner(P)).min() - 0.5
        bound = least_duels(P, WHO.identify)
        assert row[1:4] == [str(len(P)), f"{gap:.3f}", f"{bound:,.1f}"]
        for duels, ratio in re.findall(r"([\d,]+) \+- [\d,]+ \(([\d.]+)\)", " | ".join(row[4:7])):
            rounding = 0.5 * 10 ** -len(ratio.partition(".")[2]) + 0.5 / bound
            assert abs(float(duels.replace(",", "")) / bound - float(ratio)) <= rounding * 1.001, problem.name


def test_the_click_models_of_rankings_are_those_of_the_code():
    rows = table(page("docs/matrices.md"), "| `--clicks` |")
    for name in NAMES:
        columns = [tuple(map(float, cell.split(", "))) for cell in rows[name][1:5]]
        five, three = named(name, 5), named(name, 3)
        assert columns == [five.click, five.stop, three.click, three.stop]


def test_every_family_and_data_set_is_on_the_page_on_matrices():
    families, data = page("docs/matrices.md").split("\n## Data\n")
    assert not [name for name in FAMILIES if f"`{name}`" not in families]
    sets = table(data, "| name | what | from | terms |").values()
    assert re.findall(r"`([\w-]+)`", " ".join(row[0] for row in sets)) == list(DATASETS)


# --- regret of the figures ---


@pytest.mark.parametrize(("path", "wanted"), list(page_tables.pages()), ids=lambda value: getattr(value, "name", ""))
def test_a_page_has_the_recorded_numbers_and_says_which_are_older_than_the_tree(path, wanted):
    assert path.read_text(encoding="utf-8") == wanted, "fill the pages: make page-numbers"


PAGE = "# A page\n\nWhat it is about.\n\n| | (a) |\n|---|---|\n| D-TS | 12 +- 3.0 |\n"
VERSION = registry.get("d-ts").trace_version


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (Made("d-ts", VERSION, "0" * 12, 4), ""),
        (Made("d-ts", VERSION - 1, "0" * 12, 4), f" (`trace_version` of D-TS {VERSION - 1}, now {VERSION})"),
        (Made("d-ts", VERSION, "", 4), ""),
    ],
)
def test_a_number_is_replaced_by_the_recorded_one_and_an_old_one_is_said_to_be_old(monkeypatch, made, said):
    monkeypatch.setitem(page_tables.TABLES, "a.md", (page_tables.TABLES["wu2016.md"][-2],))
    number = Number("wu2016-7a", Curve("", "D-TS", 100), made, 100, 12.4, 2.0, 12.4)
    filled = page_tables.filled("a.md", PAGE, [number])
    assert "| D-TS | 12 +- 2.0 |" in filled
    is_old = made.trace_version != VERSION or not made.cell
    assert (f"not run again with it: `wu2016-7a`{said}." in filled.replace("\n", " ")) == is_old
    assert page_tables.filled("a.md", filled, [number]) == filled


def test_a_number_that_is_recorded_is_the_mean_of_the_runs_and_its_error(tmp_path):
    # Run k has (k + 1) log10(t) duels: at 1000 rounds 3, 6, 9 and 12, halfway from 100 to 1000 rounds 2.5 (k + 1).
    numbers = page_numbers.record(make_results(tmp_path, runs=4), [550])
    two = {number.round: number for number in numbers if number.curve[:2] == ("two", "D-TS")}
    assert (two[1000].mean, two[1000].median, two[550].mean) == pytest.approx((7.5, 7.5, 6.25))
    assert two[1000].sem == pytest.approx(15**0.5 / 2)  # deviations -4.5, -1.5, 1.5, 4.5: variance 45 / 3
    assert two[1000].made.trace_version == VERSION and two[1000].made.runs == 4
    page_numbers.write(numbers, tmp_path / "numbers.csv")
    again = page_numbers.read(tmp_path / "numbers.csv")
    assert [number[:4] for number in again] == [number[:4] for number in numbers]
    other = page_numbers.record(make_results(tmp_path / "other", runs=4, alpha=0.6), [550])
    same = {number.curve.label for number, its in zip(numbers, other, strict=True) if number.made == its.made}
    assert same == {"D-TS"}


# --- pages of algorithms ---


def test_every_algorithm_has_a_page_that_links_its_transcription():
    pages = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "algorithms").glob("*.md")}
    assert set(pages) == set(registry.BUILT_IN)
    assert not [id for id, text in pages.items() if "](../../tests/conformance/literal/" not in text]
