"""What pages say of where the transcriptions come from is what the algorithms declare in `Algorithm.source`."""

import re
from collections import Counter
from typing import get_args

import pytest

from duelbench.bandits.algorithms.contract import Source
from duelbench.bandits.algorithms.registry import BUILT_IN, get
from tests.docs.following import ROOT

SENTENCES = {
    "paper": r"(Checked line by line with|Written line by line from|Written from) the paper\b",
    "program": r"Checked with (the authors'( Java)?|a public) program,",
    "description": r"Written from (descriptions|quotations)\b.*(not read|only the abstract was read)\b",
    "own": r"Our own\b",
}
"""How the sentence begins, in the first paragraph of an algorithm's page, that says what it was checked with."""

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


def sources_in(paragraph: str) -> list[str]:
    return [source for source, sentence in SENTENCES.items() if re.search(sentence, paragraph)]


@pytest.mark.parametrize("id", BUILT_IN)
def test_the_page_of_an_algorithm_begins_with_its_source(id):
    page = (ROOT / "docs" / "algorithms" / f"{id}.md").read_text(encoding="utf-8")
    first_paragraph = page.split("\n\n")[1].replace("\n", " ")
    assert sources_in(first_paragraph) == [get(id).source]


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
