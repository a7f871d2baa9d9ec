"""The page of the figures: its specs load, and its list of kinds is the code's."""

import re
from pathlib import Path

import pytest

from duelbench.spec.figure_key import KINDS
from duelbench.spec.load import load

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "figures" / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS)
def test_the_specs_on_the_page_load(block, tmp_path):
    path = tmp_path / "spec.yaml"
    path.write_text(block.replace("../../matrices", str(ROOT / "matrices")))
    assert load(path).entries


def test_the_page_describes_every_kind_of_figure():
    assert sorted(re.findall(r"^\| `([a-z-]+)` \|", PAGE, re.MULTILINE)) == sorted(KINDS)
    assert len(BLOCKS) == 3


def test_links_between_the_pages_lead_somewhere():
    for page in (ROOT / "docs" / "figures").glob("*.md"):
        for link in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert link.startswith("http") or (page.parent / link).exists(), f"{page.name}: {link}"
