"""The published subsets of MSLR rankers: their scores and gaps are those that the papers print."""

import json

import numpy as np
import pytest

from duelbench.errors import InputError
from duelbench.problem import winners
from duelbench.problem.sources.importing import import_matrix, parse_arms
from duelbench.problem.sources.mslr import SUBSETS, read_mslr
from tests.optional_data import optional

WINNERS = {"mslr16-condorcet": {115}, "mslr32-condorcet": {115}, "mslr16-noncondorcet": {60, 106, 130}} | {
    "mslr32-noncondorcet": {60, 120}
}
"""As Wu & Liu 2016 print them in Table 9, counted from 1."""


def test_the_published_subsets_have_the_scores_gaps_and_winners_that_are_printed():
    published = json.loads(optional("data", "mslr", "subsets.json").read_text(encoding="utf-8"))
    path = optional("data", "mslr", "MSLR_Informational_PMat.npz")
    for name, rankers in SUBSETS.items():
        size, kind = name.removeprefix("mslr").split("-")
        title = f"wu2016 K = {size}, {'Condorcet' if kind == 'condorcet' else 'non-Condorcet'}"
        facts = published["zoghi2015/" + title if size == "5" else title]
        assert list(parse_arms(name)) == list(rankers) == facts["rankers"]
        found = import_matrix(path, arms=parse_arms(name))
        assert (found.form, found.matrix.names[0]) == ("mslr", f"ranker {rankers[0]}")
        assert winners.inferior_counts(found.matrix).tolist() == facts["copeland"]
        assert winners.min_gap(found.matrix) == pytest.approx(facts["min_gap"], abs=5e-7)
        best = {rankers[arm] for arm in winners.copeland_winners(found.matrix)}
        assert best == WINNERS.get(name, best)


def test_a_published_file_is_recognised_by_its_sha256_and_used_as_it_is():
    for model in ("Informational", "Navigational", "Perfect"):
        path = optional("data", "mslr", f"MSLR_{model}_PMat.npz")
        assert import_matrix(path).notes == (f"byte for byte the published {path.name}",)
        with np.load(path) as file:
            assert (file["PMat"] == read_mslr(path).P).all()


def test_other_sizes_are_no_mslr_matrix(tmp_path):
    np.savez(tmp_path / "small.npz", PMat=np.full((3, 3), 0.5))
    with pytest.raises(InputError, match=r"holds 3 arms; .* 136 rankers"):
        read_mslr(tmp_path / "small.npz")
    assert import_matrix(tmp_path / "small.npz").form == "matrix"
