"""The transcriptions on the pages of the algorithms are the oracles that the tests play."""

import pytest

from duelbench.algorithms import registry
from tests.docs.transcriptions import MAKERS, PAGES, excerpt, filled, oracles


def test_every_algorithm_has_a_page_and_a_transcription():
    assert {path.stem for path in PAGES.glob("*.md")} == set(registry.BUILT_IN) == set(MAKERS)


@pytest.mark.parametrize("id", MAKERS)
def test_the_page_shows_the_oracle_as_it_is(id):
    page = (PAGES / f"{id}.md").read_text(encoding="utf-8")
    assert filled(id, page) == page, f"stale; fill it again: python -m tests.docs.transcriptions {id}"


def test_a_page_without_its_block_is_refused():
    with pytest.raises(
        ValueError, match=r"rucb\.md: has blocks for \[\], needs \['tests/conformance/literal/rucb\.py'\]"
    ):
        filled("rucb", "# RUCB\n")


def test_a_block_of_another_file_is_refused():
    with pytest.raises(ValueError, match="needs"):
        filled("rucb", "<!-- transcription: tests/conformance/literal/rcs.py -->\n<!-- end of transcription -->\n")


def test_an_excerpt_has_what_is_used_and_nothing_else():
    source = (
        '"""Docstring."""\n\nimport math\nimport os\n\nA = 1\nB = A\n\n\n'
        "@cache\ndef f():\n    return B\n\n\nclass C:\n    x = math\n"
    )
    assert excerpt(source, "f") == "A = 1\n\n\nB = A\n\n\n@cache\ndef f():\n    return B"
    assert excerpt(source, "C") == "import math\n\n\nclass C:\n    x = math"


def test_an_algorithm_with_two_oracles_shows_both():
    assert oracles("savage-sampling") == {
        "tests/conformance/literal/savage_sampling.py": "SamplingSAVAGE",
        "tests/conformance/literal/generic_savage.py": "GenericSamplingSAVAGE",
    }
