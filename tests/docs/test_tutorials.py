"""The tutorials can be followed: their files are saved, their commands run, and print what the pages show."""

import shutil

import pytest

from tests.docs.test_readme import ROOT, follow
from tests.selection import quick

TUTORIALS = sorted((ROOT / "docs" / "tutorial").glob("*.md"))


@pytest.mark.parametrize("name", quick([page.stem for page in TUTORIALS], "own-matrix"))
def test_a_tutorial_can_be_followed_from_top_to_bottom(name, tmp_path):
    """In a folder with the matrices alone."""
    page = ROOT / "docs" / "tutorial" / f"{name}.md"
    shutil.copytree(ROOT / "matrices", tmp_path / "matrices")
    follow(page.read_text(encoding="utf-8"), tmp_path)


def test_there_are_tutorials():
    assert {page.stem for page in TUTORIALS} >= {"first-figure", "own-matrix", "own-algorithm", "eight-prompts"}
