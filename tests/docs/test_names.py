"""What pages name is there: tests, commands with their options, files, keys, algorithms; what the README links to."""

import re
from functools import cache
from pathlib import Path

import pytest
import typer

from duelbench.cli.app import app
from duelbench.experiments.figures import kinds
from duelbench.experiments.figures.frame import VENUES
from duelbench.experiments.figures.options import KindOptions
from tests.docs.following import ROOT
from tests.lowest import lowest

PAGES = sorted(
    [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")), *(ROOT / "docs").rglob("*.md")]
)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_every_test_that_stands_for_a_promise_exists():
    named = re.findall(r"`(tests/[\w/]+\.py)?(?:::(\w+))?`", text_of("docs/reliability.md"))
    missing = []
    path = ""
    for file, test in named:
        path = file or path
        is_there = path and (ROOT / path).exists()
        if file and not is_there:
            missing.append(file)
        if test and is_there and not re.search(rf"^\s*def {test}\(", text_of(path), re.MULTILINE):
            missing.append(f"{path}::{test}")
    assert len(named) > 15 and not missing, missing


def test_all_fifteen_promises_name_their_tests():
    rows = re.findall(r"^\| (\d+) \| .+? \| .+? \| (.+?) \|$", text_of("docs/reliability.md"), re.MULTILINE)
    assert [int(number) for number, _ in rows] == list(range(1, 16))
    assert all(re.search(r"`tests/[\w/]+\.py", tests) for _, tests in rows)


def test_the_links_of_the_readme_lead_somewhere():
    """Those of the pages in docs are checked where the site is built."""
    text = re.sub(r"^```.*?^```$", "", text_of("README.md"), flags=re.MULTILINE | re.DOTALL)
    for target in LINK.findall(text):
        path, _, heading = target.partition("#")
        if not path.startswith("http"):
            aim = ROOT / (path or "README.md")
            assert aim.exists(), target
            assert not heading or heading in headings(aim), target


def headings(page: Path) -> set[str]:
    """The anchors of a page's headings."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def test_the_index_links_every_page_but_those_of_algorithms():
    index = ROOT / "docs" / "index.md"
    linked = {(index.parent / target.partition("#")[0]).resolve() for target in LINK.findall(text_of("docs/index.md"))}
    wanted = [page for page in PAGES if page != index and page.parent.name != "algorithms"]
    assert not [str(page.relative_to(ROOT)) for page in wanted if page not in linked]


@cache
def options() -> dict[tuple[str, ...], set[str]]:
    """The options of every command, by its words."""

    def below(command, words):
        yield words, {option for one in command.params for option in (*one.opts, *one.secondary_opts)} | {"--help"}
        for name, other in getattr(command, "commands", {}).items():
            yield from below(other, (*words, name))

    return dict(below(typer.main.get_command(app), ()))


def unknown(line: str) -> set[str]:
    """What a command line of duelbench has that there is not: the command itself, or options of it."""
    words = line.split()[1:]
    known = max((known for known in options() if tuple(words[: len(known)]) == known), key=len)
    if not known and words and not words[0].startswith(("-", "<", "[")):
        return {words[0]}
    return set(re.findall(r"(?<!\S)--[a-z][\w-]*", line)) - options()[known]


@pytest.mark.parametrize("name", ["README.md", "docs"])
def test_the_commands_of_pages_and_their_options_exist(name):
    pages = [ROOT / name] if name.endswith(".md") else [*(ROOT / name).rglob("*.md")]
    wrong = {}
    for page in pages:
        text = page.read_text(encoding="utf-8")
        lines = re.findall(r"^\$ (duelbench [^#|;\n]*)", text, re.MULTILINE)
        lines += [" ".join(span.split()) for span in re.findall(r"`(duelbench [a-z][^`|<]*)`", text)]
        if found := {line for line in lines if unknown(line)}:
            wrong[str(page.relative_to(ROOT))] = found
    assert not wrong


@pytest.mark.parametrize("page", [page.stem for page in (ROOT / "docs" / "algorithms").glob("*.md")])
def test_the_files_that_the_page_of_an_algorithm_names_are_there(page):
    text = text_of(f"docs/algorithms/{page}.md")
    named = re.findall(r"`(duelbench/[\w/]+\.py)`", text) + re.findall(r"\]\(\.\./\.\./([\w/]+\.py)\)", text)
    assert len(named) > 1 and not [name for name in named if not (ROOT / name).is_file()]


def in_tables(name: str) -> list[str]:
    """The code words in the first columns of a page's tables."""
    return re.findall(r"^\| `([a-z][\w-]*)` \|", text_of(name), re.MULTILINE)


def test_every_kind_style_and_legend_is_explained():
    assert set(kinds.names()) <= {*in_tables("docs/figures/README.md")}
    properties = KindOptions.model_json_schema()["properties"]
    choices = [*VENUES, *properties["legend"]["anyOf"][0]["enum"]]
    assert sorted(in_tables("docs/figures/for-papers.md")) == sorted(choices)


TARGETS = set(re.findall(r"\bfig-[a-z]+\d{4}-\w+", text_of("configs/figures.mk")))


def test_the_gallery_shows_every_figure_or_says_why_not():
    cards, not_here = text_of("docs/gallery.md").split("\n## Limits\n")
    shown = re.findall(r"^    \[.* `make (fig-\S+)`$", cards, re.MULTILINE)
    excused = re.findall(r"^\| `make (fig-\S+)` \| \S", not_here, re.MULTILINE)
    assert len(TARGETS) > 40 and sorted([*shown, *excused]) == sorted(TARGETS)
    pictures = {path.stem for path in (ROOT / "docs" / "images" / "gallery").glob("*.png")}
    assert pictures == {target.removeprefix("fig-") for target in shown}


def test_everything_that_users_install_is_tried_at_its_lowest_version():
    assert {"numpy", "scipy", "numba"} <= {line.partition("==")[0] for line in lowest()}
