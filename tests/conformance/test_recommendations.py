"""What `recommend` says is what the algorithm would exploit."""

import pytest

from tests.conformance.recommendations import FOLDER, IDS, MATRICES, compare

EXPLAINED = {"anaconda": 3, "doubler": 2, "sup-klucb": 2, "ws-s": 2}
"""What these exploit may have changed in the second half of a run, in so many of 30 runs at most: their pages say how,
under "Recommendation"."""


@pytest.mark.thorough
@pytest.mark.parametrize("id", [id for id in IDS if id not in EXPLAINED])
def test_a_settled_run_recommends_a_winner_if_it_exploits_one_and_only_then(id):
    for matrix in ("cyclic", "strong-borda"):
        assert compare(id, matrix, horizon=20_000, runs=8).apart == 0, matrix


@pytest.mark.slow
@pytest.mark.parametrize("id", IDS)
def test_so_it_is_on_every_printed_matrix(id):
    shares = {matrix: compare(id, matrix) for matrix in MATRICES}
    apart = {matrix: share for matrix, share in shares.items() if share.apart > 0}
    if id not in EXPLAINED:
        assert apart == {}
    assert all(share.apart <= EXPLAINED[id] for share in apart.values())


@pytest.mark.parametrize("id", sorted(EXPLAINED))
def test_the_page_of_an_algorithm_that_is_an_exception_says_why(id):
    page = FOLDER.parent / "docs" / "algorithms" / f"{id}.md"
    assert "## Recommendation" in page.read_text(encoding="utf-8")
