"""What docs/matrices.md shows is true: its commands and its Python are run, its lists are complete."""

import re
import shutil

from duelbench.problem.families import FAMILIES
from duelbench.problem.sources.datasets import DATASETS
from duelbench.problem.sources.importing import FORMATS
from duelbench.problem.sources.mslr import SUBSETS
from tests.docs.test_readme import ROOT, follow

PAGE = (ROOT / "docs" / "matrices.md").read_text(encoding="utf-8")


def test_the_page_can_be_followed_from_top_to_bottom(tmp_path, monkeypatch):
    """In a folder of its own, with nothing fetched."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data-home"))
    shutil.copytree(ROOT / "matrices", tmp_path / "matrices")
    follow(PAGE, tmp_path)


def in_table(head: str) -> list[str]:
    """The code words in the first column of the table with this head."""
    table = re.search(rf"^\| {re.escape(head)} \|.*?(?=\n\n)", PAGE, re.MULTILINE | re.DOTALL)
    assert table
    return [word for row in table[0].splitlines()[2:] for word in re.findall(r"`([^`]+)`", row.split("|")[1])]


def test_families_are_described_by_the_names_of_their_parameters():
    for name, family in FAMILIES.items():
        row = re.search(rf"^\| `{name}` \|.*\|.*\|$", PAGE, re.MULTILINE)
        assert row, name
        shown = set(re.findall(r"`([a-z_]+)", row[0]))
        assert set(family.parameters) - {"n_arms"} <= shown, name  # n_arms is K, as the page says above


def test_every_family_format_and_data_set_is_on_the_page():
    assert in_table("family") == list(FAMILIES)
    assert sorted(in_table("`--format`")) == sorted(FORMATS)
    assert in_table("name") == list(DATASETS)
    assert all(f"`{name}`" in PAGE for name in SUBSETS)
