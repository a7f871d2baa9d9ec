"""What pages say of where the transcriptions come from is what the algorithms declare in `Algorithm.source`."""

import re
from collections import Counter
from typing import get_args

import heads
import pytest

from duelbench.bandits.algorithms.contract import Source
from duelbench.bandits.algorithms.registry import BUILT_IN, get
from tests.docs.following import ROOT

NOT_READ = re.compile(r"not read|only the abstracts? (was|were) read")
"""What the first row of a head says unless the transcription was written from the paper."""

CLAIM = re.compile(
    r"papers? \((\d+)\),[^()]*programs? \((\d+)\),[^()]*descriptions[^()]*\((\d+)\) (?:and|or) [^()]*our own \((\d+)\)"
)
"""How many transcriptions are of each source, in the order of `Source`."""

CLAIMING = (
    "README.md",
    "CHANGELOG.md",
    "docs/index.md",
    "docs/reliability.md",
    "docs/paper/paper.md",
    "tests/conformance/literal/README.md",
)


def text_of(name: str) -> str:
    """A page with its lines joined."""
    return re.sub(r"\s*\n\s*", " ", (ROOT / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("id", BUILT_IN)
def test_the_page_of_an_algorithm_has_a_head_that_begins_with_its_source(id):
    page = (ROOT / "docs" / "algorithms" / f"{id}.md").read_text(encoding="utf-8")
    assert page == heads.with_head(page, id), "write the heads again: make record"
    first_row = page.split("|---|---|\n", 1)[1].partition("\n")[0]
    source = get(id).source
    assert first_row.startswith(f"| written from | {heads.WRITTEN_FROM[source]}")
    if source in ("program", "description"):
        assert NOT_READ.search(first_row), "say what of the paper was not read"
    if source == "program":
        assert "](https://" in first_row, "link the program"


def test_every_entry_of_the_sources_is_of_an_algorithm_and_every_paper_is_cited():
    known = dict(heads.sources())
    papers = known.pop("papers")
    assert set(known) <= set(BUILT_IN)
    assert {entry["paper"] for entry in known.values() if "paper" in entry} == set(papers)


@pytest.mark.parametrize("page", CLAIMING)
def test_a_page_counts_the_transcriptions_of_each_source_rightly(page):
    counts = Counter(get(id).source for id in BUILT_IN)
    claims = CLAIM.findall(text_of(page))
    assert claims and set(claims) == {tuple(str(counts[source]) for source in get_args(Source))}


@pytest.mark.parametrize("page", CLAIMING)
def test_no_page_says_that_every_transcription_is_of_a_paper(page):
    """Each sentence that has literal transcriptions and papers has programs and descriptions, too."""
    for sentence in re.split(r"(?<=[.:;|]) ", text_of(page)):
        if "literal transcription" in sentence and re.search(r"\bpapers?\b", sentence):
            assert "program" in sentence and "description" in sentence, sentence
