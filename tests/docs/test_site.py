"""The site is built without a warning, shows what GitHub shows, and fits the browsers of a desk and of a phone."""

import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import outside
import pytest

from duelbench.leaderboard.page import document
from tests.docs.test_readme import ROOT

pytest.importorskip("mkdocs", reason="MkDocs is missing: `make setup`")
pytest.importorskip("material", reason="MkDocs Material is missing: `make setup`")

DESK, PHONE = 1280, 390
"""Widths of windows, in pixels."""

PARTS = ("docs", "configs", "matrices", "tests/conformance/literal")
FILES = ("mkdocs.yml", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "CITATION.cff")
"""What the site is made of, beside the code."""


def build(site, project=ROOT):
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)],
        cwd=project,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    done = build(folder)
    assert done.returncode == 0, done.stderr
    return folder


def html(page: Path) -> str:
    """Where the site has a page."""
    return re.sub(r"README\.html$", "index.html", outside.uri_of(page).removesuffix(".md") + ".html")


class Content(HTMLParser):
    """How many headings, lists, rows, blocks of code and so on a page has."""

    COUNTED = ("h1", "h2", "h3", "li", "ul", "ol", "tr", "pre", "code", "em", "strong", "img", "blockquote")

    def __init__(self, text: str, within: str | None = None) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter()
        self.within, self.is_counting = within, within is None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.is_counting |= tag == self.within
        if self.is_counting and tag in self.COUNTED:
            self.counts[tag] += 1

    def handle_endtag(self, tag):
        self.is_counting &= tag != self.within


@pytest.mark.xdist_group("site")
def test_the_site_has_the_structure_that_pages_have_on_github(site):
    """A list that Python-Markdown does not nest as GitHub does, or a star that it takes for emphasis, would differ."""
    markdown_it = pytest.importorskip("markdown_it", reason="markdown-it-py is missing: `make setup`")
    github = markdown_it.MarkdownIt("commonmark").enable("table")
    pages = [*(ROOT / "docs").rglob("*.md"), *(ROOT / name for name in FILES if name.endswith(".md"))]
    for page in [*pages, ROOT / "matrices" / "README.md", ROOT / "tests/conformance/literal/README.md"]:
        there = Content(github.render(page.read_text(encoding="utf-8"))).counts
        here = Content((site / html(page)).read_text(encoding="utf-8"), "article").counts
        assert here == there, page


@pytest.mark.xdist_group("site")
def test_the_site_links_to_no_page_that_it_does_not_have(site):
    """Those of files outside docs included, which hooks rewrite."""
    for page in site.rglob("*.html"):
        for link in re.findall(r'<a[^>]* href="([^"#?]+)', page.read_text(encoding="utf-8")):
            if page.name != "404.html" and "://" not in link:
                assert (page.parent / link).exists(), f"{page.relative_to(site)}: {link}"


@pytest.mark.xdist_group("site")
def test_a_spec_that_a_page_links_to_is_a_page_too(site):
    assert '<div class="highlight">' in (site / "repository/configs/wu2016/1a.yaml.html").read_text(encoding="utf-8")
    assert "repository/configs/wu2016/1a.yaml.html" in (site / "figures/wu2016.html").read_text(encoding="utf-8")


@pytest.mark.xdist_group("site")
def test_the_leaderboard_of_the_site_is_that_of_the_committed_summary(site):
    summary = ROOT / "docs" / "leaderboard" / "leaderboard.json"
    shown = site / "leaderboard" / "index.html"
    assert shown.exists() == summary.exists()
    if summary.exists():
        assert shown.read_text(encoding="utf-8") == document.page(json.loads(summary.read_text(encoding="utf-8")))


@pytest.mark.xdist_group("site")
def test_nothing_comes_from_another_machine(site):
    for file in [*site.rglob("*.html"), *site.rglob("*.css")]:
        text = file.read_text(encoding="utf-8")
        assert not re.findall(r'(?:\ssrc="|<link[^>]* href="|url\(["\']?)(?:https?:)?//[^"\')]*', text), file


def test_links_in_code_are_left():
    text = "[a](../README.md)\n\n```text\n[a](../README.md)\n```\n"
    assert outside.linked(text, "bands.md") == text.replace("(../README.md)", "(repository/README.md)", 1)


@pytest.mark.thorough
def test_broken_links_missing_headings_and_forgotten_pages_are_errors(tmp_path):
    for name in PARTS:
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in FILES:
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "docs" / "forgotten.md").write_text("# Forgotten\n")
    with (tmp_path / "docs" / "bands.md").open("a") as page:
        page.write("\n[a](nowhere.md), [b](tails.md#no-such-heading), [c](../no-such-file.txt)\n")
    done = build(tmp_path / "site", tmp_path)
    assert done.returncode == 1
    for wrong in ("nowhere.md", "#no-such-heading", "../no-such-file.txt", "forgotten.md"):
        assert wrong in done.stderr, done.stderr


@pytest.fixture(scope="module")
def address():
    """A server on this machine: from a folder to its address."""
    servers = []

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format, *args):
            pass

    def serve(folder):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}/"

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is missing: `make setup`")
    from selenium.webdriver.chrome.service import Service

    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("there is no Chromium with its driver on this machine")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in (
        *("headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking"),
        *("disable-component-update", "disable-sync", f"user-data-dir={tmp_path_factory.mktemp('browser')}"),
    ):
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(driver))
    yield browser
    browser.quit()


def faults(browser, url: str, width: int) -> list[str]:
    """What is wrong with a page in a window so wide."""
    view = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width == PHONE}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", view)
    browser.get(url)
    found = [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    root = "document.documentElement"
    wide, shown = browser.execute_script(f"return [{root}.scrollWidth, {root}.clientWidth]")
    if wide > shown:
        found.append(f"{wide} pixels wide, {shown} are shown")
    loaded = browser.execute_script("return performance.getEntriesByType('resource').map(entry => entry.name)")
    return [*found, *(f"loads {name}" for name in loaded if not name.startswith((url.split("/", 3)[0], "data:")))]


def check(browser, site, start, pages):
    wrong = {
        f"{page} at {width} pixels": found
        for page in pages
        for width in (DESK, PHONE)
        if (found := faults(browser, start + page, width))
    }
    assert not wrong


SHOWN = ("index.html", "gallery.html")


@pytest.mark.xdist_group("site")
def test_pages_have_no_script_errors_and_fit_a_desk_and_a_phone(site, browser, address):
    check(browser, site, address(site), SHOWN)


def _is_one_of_many(page: str) -> bool:
    """The pages of algorithms are alike; some are looked at."""
    return page.startswith("algorithms/") and page[len("algorithms/")] not in "cdk"


@pytest.mark.slow
@pytest.mark.xdist_group("site")
def test_pages_of_every_kind_have_no_script_errors_and_fit_a_desk_and_a_phone(site, browser, address):
    pages = sorted(page.relative_to(site).as_posix() for page in site.rglob("*.html"))
    assert len(pages) > 100
    check(browser, site, address(site), [page for page in pages if page != "404.html" and not _is_one_of_many(page)])


@pytest.mark.xdist_group("site")
@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("<p>Nothing.</p>", None),
        ("<script>no_such_function()</script>", "no_such_function is not defined"),
        ('<div style="width: 2000px">wide</div>', "2008 pixels wide, {} are shown"),
        ('<img src="missing.png">', "404"),
    ],
)
@pytest.mark.parametrize("width", [DESK, PHONE])
def test_what_is_wrong_with_a_page_is_noticed(body, fault, width, browser, address, tmp_path):
    head = '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">'
    (tmp_path / "page.html").write_text(f"<!doctype html><head>{head}</head><body>{body}</body>")
    found = faults(browser, address(tmp_path) + "page.html", width)
    assert len(found) == (fault is not None), found
    assert fault is None or fault.format(width) in found[0]


@pytest.mark.xdist_group("site")
def test_a_search_finds_the_page_of_an_algorithm(site, browser, address):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import WebDriverWait

    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", _desk())
    browser.get(address(site) + "index.html")
    browser.find_element(By.CSS_SELECTOR, "input.md-search__input").send_keys("interleaved filter")
    links = WebDriverWait(browser, 20).until(
        lambda page: page.find_elements(By.CSS_SELECTOR, "a.md-search-result__link")
    )
    assert any("algorithms/interleaved-filter.html" in link.get_attribute("href") for link in links)


def _desk():
    return {"width": DESK, "height": 900, "deviceScaleFactor": 1, "mobile": False}
