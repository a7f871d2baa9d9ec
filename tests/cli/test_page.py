"""Claims about the page of ``duelbench report --html``, some of them looked at in a real browser."""

import re
from html import unescape

import pytest

from duelbench.experiments.reporting import page_of
from duelbench.experiments.results.experiments import load_experiments
from duelbench.experiments.spec.load import load
from tests.browser import DESK, PHONE, browser, complaints, overflowing, visit
from tests.experiments.figures.made_up import SPEC, make_results

AWKWARD = "<b>bold</b> & \\\"quoted\\\" 'it', with a label that is very much longer than any column should be"

MANY = (
    """
name: {name}
title: {title}
problems: {{two: two.csv, a-problem-with-rather-a-long-name: cycle.csv}}
horizon: 1000
runs: {runs}
regret: {regret}
checkpoints: [1, 10, 100]
algorithms:
  - rucb: {{alpha: {alpha}, label: "AWKWARD"}}
""".replace("AWKWARD", AWKWARD)
    + "".join(f"  - rucb: {{{{alpha: 0.{k}, label: RUCB {k}}}}}\n" for k in range(60, 98))
)


def page_at(results):
    return page_of(load_experiments([results]), None)


def test_a_page_is_whole_without_its_script_and_says_nothing_of_its_place(tmp_path):
    spec = SPEC.replace('"RUCB & co"', '"<b>bold</b>"')
    here, there = (make_results(tmp_path / name, spec=spec) for name in ("here", "there"))
    text = page_at(here)
    assert text == page_at(there)
    assert "<b>bold" not in text  # labels are shown as they are, and are no HTML
    rows = re.findall(r'<tr class="row"><th scope="row">([^<]*)</th>', text)
    assert rows == ["D-TS", "&lt;b&gt;bold&lt;/b&gt;"] * 6
    assert re.findall(r'scope="rowgroup">([^<]*)<', text) == ["two", "cycle"] * 3  # of regret, its details, and duels
    assert text.count("<figure ") == 5  # regret, and for each problem duels and its matrix
    spec = re.search(r"The spec, with all defaults</summary>.*?<pre>(.*?)</pre>", text, re.DOTALL)[1]
    (tmp_path / "here" / "again.yaml").write_text(unescape(spec))
    again, first = (load(tmp_path / "here" / f"{name}.yaml") for name in ("again", "demo"))
    assert again.canonical() == first.canonical() and again.name == "demo"


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    with browser(tmp_path_factory.mktemp("browser")) as driver:
        yield driver


def column(driver, number):
    """The cells of a column, by problem."""
    script = """
      return [...document.querySelector("table").tBodies].map(
        (body) => [...body.querySelectorAll("tr.row")].map((row) => row.cells[arguments[0]].textContent));
    """
    return driver.execute_script(script, number)


@pytest.mark.thorough
def test_a_page_fits_a_desk_and_a_phone_in_light_and_dark_and_its_table_is_sorted(driver, tmp_path):
    (tmp_path / "many.html").write_text(page_at(make_results(tmp_path, "many", spec=MANY, runs=2)))
    for width in (PHONE, DESK):
        for dark in (False, True):
            visit(driver, tmp_path / "many.html", width, dark=dark)
            assert overflowing(driver) == []
            document = "document.documentElement"
            assert driver.execute_script(f"return {document}.scrollWidth <= {document}.clientWidth")
    wide = "return [...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth).length"
    assert driver.execute_script(wide) == 0  # on a desk no table scrolls
    as_in_spec = column(driver, 0)
    head = driver.find_element("css selector", "thead th:first-child")
    seen = []
    for _ in range(3):
        driver.find_element("css selector", "thead th:first-child button").click()
        seen.append((head.get_attribute("aria-sort"), column(driver, 0)))
    assert [direction for direction, _ in seen] == ["ascending", "descending", "none"]
    assert seen[0][1][0][1:3] == ["RUCB 60", "RUCB 61"] and seen[1][1][0][:2] == ["RUCB 97", "RUCB 96"]
    assert seen[2][1] == as_in_spec and len(as_in_spec[0]) == 39
    assert complaints(driver) == []


def test_the_page_of_many_experiments_has_a_short_heading(tmp_path):
    three = load_experiments([make_results(tmp_path, name, title=f"Title {name}") for name in ("a", "b", "c")])
    assert "<title>3 experiments" in page_of(three, None)
    assert "<title>Title a, Title b" in page_of(three[:2], None)
