"""The template of pages: what is text stays text, figures do not collide, nothing is loaded, tables sort."""

import re
from html.parser import HTMLParser

import pytest
from matplotlib.figure import Figure as MatplotlibFigure

from duelbench.common.pages.page import Figure, Page, Section, Table
from duelbench.experiments.figures.drawing.canvas import render
from tests.browser import DESK, browser, complaints, visit

HOSTILE = '</script><script>document.title = 1</script> & "quoted" \'it\' $5 {{ 1 }} url(#a) id="b"'

TABLE = Table(
    ("problem", "algorithm", "mean", "winner"),
    [
        ("two", "RUCB 10", "> 12", "5.0%"),
        ("two", HOSTILE, "-", "100%"),
        ("two", "RUCB 9", "3.5", "70.0% [65, 80]"),
        ("cycle", "RUCB 9", "1,000", "-"),
    ],
    notes=[HOSTILE],
    header=1,
    group=0,
)


class Parsed(HTMLParser):
    """The elements of a page, and the text in them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.texts.append(data)

    def attributes(self, name: str) -> list[str]:
        return [attributes[name] for _, attributes in self.elements if name in attributes]


def picture() -> Figure:
    """A figure with clipped lines, an image and a label."""
    figure = MatplotlibFigure()
    axes = figure.add_subplot()
    axes.plot([0, 1], marker="o")
    axes.imshow([[0.0, 1.0]])
    for place in (0.2, 0.8):
        axes.text(place, 0.5, "partial", gid="stamp")
    axes.set_title(HOSTILE.replace("$", r"\$"))
    return Figure(render(figure, "svg", {"title": "", "description": ""}).decode(), HOSTILE)


@pytest.fixture(scope="module")
def html():
    parts = [Section(HOSTILE, [HOSTILE], [HOSTILE], [HOSTILE], facts={HOSTILE: HOSTILE}, code=HOSTILE)]
    figures = [picture(), picture()]
    chosen = [Section(f"Part {name}", tables=[TABLE], choice={"b": name, "a": HOSTILE}) for name in "12"]
    sections = [Section("Figures", figures=figures, sections=parts), *chosen]
    return Page(HOSTILE, sections, HOSTILE, [HOSTILE], [HOSTILE], HOSTILE).html()


def test_texts_are_shown_as_they_are_and_are_no_html(html):
    page = Parsed(html)
    assert [tag for tag, _ in page.elements].count("script") == 1
    assert page.texts.count(HOSTILE) == 19
    assert page.attributes("aria-label") == [HOSTILE] * 2


def test_figures_of_one_page_share_no_ids_and_refer_to_their_own(html):
    page = Parsed(html)
    ids = page.attributes("id")
    references = [name[1:] for name in page.attributes("href") if name.startswith("#")]
    references += re.findall(r"url\(#([^)]*)\)", " ".join(page.attributes("clip-path")))
    assert len(set(ids)) == len(ids) and set(references) <= set(ids)
    assert sum(name.startswith("figure1-") for name in references) > 3


def test_a_page_loads_nothing(html):
    assert "http" not in html.replace('http-equiv="Content', "")
    places = Parsed(html).attributes("href") + Parsed(html).attributes("src")
    assert {place.partition(",")[0] for place in places if place[0] != "#"} == {"data:", "data:image/png;base64"}


def test_columns_of_numbers_are_told_from_text_and_equal_neighbours_have_one_heading(html):
    assert TABLE.numeric() == {2, 3}
    assert [(name, len(rows)) for name, rows in TABLE.groups()] == [("two", 3), ("cycle", 1)]
    assert Table(("problem", "mean"), [("two", "1"), ("two", "2")], group=0).groups()[0][0] == ""
    for text in ("-", "", "12", "-3.5", "1e-05", "> 3.4", "95%", "3 of 4", "2-5", "1,000", "5.0% [1.2, 9.9]"):
        assert Table(("a", "b"), [("x", text)]).numeric() == {1}, text
    for text in ("0 – 1", "1st", "D-TS", "90f885", "none", "0.25, between 0 and 1"):
        assert Table(("a", "b"), [("x", text)]).numeric() == set(), text


@pytest.mark.thorough
def test_in_a_browser_headings_sort_by_size_and_menus_choose(html, tmp_path):
    (tmp_path / "page.html").write_text(html, encoding="utf-8")
    with browser(tmp_path / "browser") as driver:
        visit(driver, tmp_path / "page.html", DESK)
        assert driver.title == HOSTILE
        assert [menu.text for menu in driver.find_elements("css selector", ".choice label")] == ["b\n1\n2"]
        assert len(driver.find_elements("css selector", "[data-choice]:not([hidden])")) == 1
        head = driver.find_element("css selector", "[data-choice] thead th:nth-child(2)")
        seen = []
        for _ in range(3):
            head.find_element("css selector", "button").send_keys("\n")  # by keyboard
            cells = driver.find_elements("css selector", "[data-choice] tbody:nth-of-type(1) td:nth-child(2)")
            seen.append((head.get_attribute("aria-sort"), [cell.text for cell in cells if cell.is_displayed()]))
        assert seen == [
            ("ascending", ["3.5", "> 12", "-"]),
            ("descending", ["> 12", "3.5", "-"]),
            ("none", ["> 12", "-", "3.5"]),
        ]
        assert complaints(driver) == []
