"""What docs/rankings.md shows is true: its commands are run, its click models and defaults are those of the code."""

import re

from duelbench.rankings.clicks import NAMES, named
from duelbench.rankings.comparing import MOST_WORK, Procedure
from duelbench.rankings.generator import SHARES
from duelbench.rankings.probabilistic import EXPONENT, work
from tests.docs.test_readme import ROOT, follow

PAGE = (ROOT / "docs" / "rankings.md").read_text(encoding="utf-8")


def test_the_page_can_be_followed_from_top_to_bottom(tmp_path, monkeypatch):
    """In an empty folder, with nothing kept."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    follow(PAGE, tmp_path)


def test_the_click_models_are_those_of_the_code():
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", PAGE, re.MULTILINE))
    for name in NAMES:
        columns = [tuple(map(float, cell.split(", "))) for cell in rows[name].split(" | ")]
        five, three = named(name, 5), named(name, 3)
        assert columns == [five.click, five.stop, three.click, three.stop]


def test_defaults_are_those_of_the_code():
    usual = Procedure("probabilistic", named("perfect", 5))
    assert f"proportional to 1/r^{EXPONENT}" in PAGE and "A list** of ten" in PAGE and usual.length == 10
    assert f"at most {MOST_WORK:.0f}" in PAGE and f"by default {usual.standard_error}" in PAGE
    assert work(5, 5) <= MOST_WORK < work(6, 6)
    assert [round(100 * share) for share in SHARES[5]] == [52, 32, 13, 2, 1]
