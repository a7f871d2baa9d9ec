"""Claims about the page of ``duelbench report --html``, some of them looked at in a real browser."""

import re

import numpy as np
import pytest
import yaml

from duelbench.actions.reporting import page_of
from duelbench.figures.content.pairs_played import pairs_played
from duelbench.figures.drawing.canvas import house_style, new_grid
from duelbench.figures.page.panels import figure_in_html
from duelbench.results.cells import run_file
from duelbench.results.experiments import load_experiments
from duelbench.spec.load import load
from tests.browser import DESK, PHONE, browser, complaints, overflowing, visit
from tests.figures.made_up import SPEC, made_up_trace, make_results
from tests.results.writing import write_run
from tests.selection import quick

pytestmark = pytest.mark.xdist_group("page")  # what its fixtures make is made once

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

KIND = SPEC + "figure: {{kind: KIND}}\n"


def page_at(results, **options):
    return page_of(load_experiments([results], **options), None)


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    with browser(tmp_path_factory.mktemp("browser")) as driver:
        yield driver


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """By name: an ordinary page, one with many algorithms and awkward labels, and one with a single run."""
    folder = tmp_path_factory.mktemp("pages")
    made = {
        "plain": make_results(folder / "plain"),
        "many": make_results(folder / "many", "many", spec=MANY, runs=2),
        "single": make_results(folder / "single", "single", runs=1),
    }
    for name, results in made.items():
        (folder / f"{name}.html").write_text(page_at(results))
    return {name: folder / f"{name}.html" for name in made}


@pytest.mark.parametrize("name", quick(["plain", "many", "single"], "many"))
def test_a_page_fits_a_desk_and_a_phone_in_light_and_dark_without_an_error(driver, pages, name):
    for width in (DESK, PHONE):
        for dark in (False, True):
            visit(driver, pages[name], width, dark=dark)
            assert overflowing(driver) == []
            document = "document.documentElement"
            assert driver.execute_script(f"return {document}.scrollWidth <= {document}.clientWidth")
    assert complaints(driver) == []


def test_the_table_of_a_page_does_not_scroll_on_a_desk(driver, pages):
    for name in ("plain", "many"):
        visit(driver, pages[name], DESK)
        wide = "return [...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth).length"
        assert driver.execute_script(wide) == 0


def test_a_script_error_and_a_wide_element_would_be_noticed(driver, tmp_path):
    (tmp_path / "bad.html").write_text('<div style="width: 3000px">wide</div><script>no.such()</script>')
    visit(driver, tmp_path / "bad.html", DESK)
    assert "no is not defined" in complaints(driver)[0]
    assert "width: 3000px" in overflowing(driver)[0]


def column(driver, number):
    """The cells of a column, by problem."""
    script = """
      return [...document.querySelectorAll("table.sortable tbody")].map(
        (body) => [...body.querySelectorAll("tr.row")].map((row) => row.cells[arguments[0]].textContent));
    """
    return driver.execute_script(script, number)


def test_a_click_sorts_each_problem_by_itself_up_down_and_back(driver, pages):
    visit(driver, pages["many"], DESK)
    as_in_spec = column(driver, 0)
    assert len(as_in_spec) == 2 and len(as_in_spec[0]) == 39
    button = driver.find_element("css selector", "thead th:first-child button")
    head = driver.find_element("css selector", "thead th:first-child")
    seen = []
    for _ in range(3):
        button.click()
        seen.append((head.get_attribute("aria-sort"), column(driver, 0)))
    assert [direction for direction, _ in seen] == ["ascending", "descending", "none"]
    assert seen[0][1][0][1:3] == ["RUCB 60", "RUCB 61"]
    assert seen[1][1][0][:2] == ["RUCB 97", "RUCB 96"]
    assert seen[2][1] == as_in_spec
    assert complaints(driver) == []


def test_the_keyboard_sorts_by_value_and_not_by_text(driver, tmp_path):
    results = make_results(tmp_path, factor=lambda label, run: 3.5 if label == "D-TS" else 400.0)
    (tmp_path / "page.html").write_text(page_at(results))
    visit(driver, tmp_path / "page.html", PHONE)
    mean = next(k for k, head in enumerate(column_names(driver)) if head == "mean")
    assert column(driver, mean)[0] == ["10.50", "1200"]  # as text, 10.50 comes after 1200
    button = driver.find_elements("css selector", "thead button")[mean]
    button.send_keys("\n")
    button.send_keys(" ")
    assert column(driver, mean)[0] == ["1200", "10.50"]


def column_names(driver):
    return driver.execute_script("return [...document.querySelectorAll('thead th')].map((head) => head.textContent)")


def test_a_page_is_whole_without_its_script(pages):
    text = pages["plain"].read_text()
    rows = re.findall(r'<tr class="row"><th scope="row">([^<]*)</th>', text)
    assert rows == ["D-TS", "RUCB &amp; co"] * 2
    assert re.findall(r'scope="rowgroup">([^<]*)<', text) == ["two", "cycle"]  # each problem's name once


def test_labels_are_shown_as_they_are_and_are_no_html(pages):
    text = pages["many"].read_text()
    assert "<b>bold" not in text
    assert text.count("&lt;b&gt;bold&lt;/b&gt; &amp; ") >= 4  # legend, table and duels


@pytest.mark.parametrize("kind", ["regret", "bars", "survival", "quantiles", "self-duels"])
def test_every_kind_of_figure_becomes_panels_with_a_legend_beside_them(tmp_path, kind):
    results = make_results(tmp_path, spec=KIND.replace("KIND", kind))
    text = page_at(results)
    assert text.count('class="panel"') == {"bars": 1, "quantiles": 4}.get(kind, 2)
    figure = text[text.index("<figure>") : text.index("</figure>")]
    assert figure.count("<li>") == len(re.findall(r"<li><svg", figure)) > 0
    ids = re.findall(r' id="([^"]*)"', text)
    assert len(ids) == len(set(ids))


def test_a_figure_with_a_scale_of_colours_stays_whole():
    with house_style():
        grid = new_grid(2, None)
        image = grid.panels[0].imshow([[0.0, 1.0]])
        grid.figure.colorbar(image, ax=grid.panels)
    assert figure_in_html(grid.figure, "s0-", "duels").count('class="panel"') == 1


def test_every_panel_names_its_axes(tmp_path):
    text = page_at(make_results(tmp_path))
    assert text.count(">round t</text>") == text.count('class="panel"') == 2


def test_the_duels_of_a_page_are_means_over_its_runs(tmp_path):
    results = make_results(tmp_path, runs=2)
    (experiment,) = load_experiments([results])
    for run, duels in enumerate(([[500, 300], [200, 0]], [[700, 100], [0, 200]])):
        cell = experiment.cells[0].stored
        trace = made_up_trace(_as_cell(results, 0), run)
        trace.duels[:] = duels
        write_run(cell.folder / run_file(run), trace, cell.identity, run)
    (experiment,) = load_experiments([results])
    played = next(pairs_played(experiment))
    assert (played.problem, played.label, played.horizon) == ("two", "D-TS", 1000)
    np.testing.assert_array_equal(played.counts, [[600, 200], [100, 100]])
    assert played.most_played(5) == [("0 – 0", 0.6), ("0 – 1", 0.3), ("1 – 1", 0.1)]
    text = page_of([experiment], None)
    assert "<li>0 – 0: 60.0%</li><li>0 – 1: 30.0%</li><li>1 – 1: 10.0%</li>" in text


def _as_cell(results, number):
    from duelbench.results.cells import cells

    return cells(load(results.parent.parent / f"{results.name}.yaml"))[number]


def test_the_spec_on_a_page_is_the_spec_of_its_runs(tmp_path):
    results = make_results(tmp_path)
    text = page_at(results)
    spec = re.search(r"The spec, with all defaults</summary>\n<pre>(.*?)</pre>", text, re.DOTALL)[1]
    (tmp_path / "again.yaml").write_text(spec.replace("&amp;", "&").replace("&#x27;", "'").replace("&quot;", '"'))
    again, first = load(tmp_path / "again.yaml"), load(tmp_path / "demo.yaml")
    assert again.canonical() == first.canonical()
    assert yaml.safe_load((tmp_path / "again.yaml").read_text())["name"] == "demo"


def test_a_page_says_nothing_of_the_folder_that_results_are_in(tmp_path):
    results = make_results(tmp_path)
    (results / "two" / "d-ts" / "run-00001.npz").unlink()
    text = page_at(results, allow_partial=True)
    assert "partial: demo/two/d-ts: 3 of 4 runs of D-TS on two" in text
    assert str(tmp_path) not in text


def test_results_in_another_place_give_the_same_page(tmp_path):
    here, there = (make_results(tmp_path / name) for name in ("here", "there"))
    assert page_at(here) == page_at(there)


def test_one_round_and_one_run_are_named_in_the_singular(pages):
    text = pages["single"].read_text()
    assert "<dd>1 round</dd>" in text and "1 rounds" not in text
    assert "<dd>1,000 rounds</dd>" in text
