"""The published subsets of MSLR rankers: their scores and gaps are those that the papers print."""

import json

import numpy as np
import pytest

from duelbench.errors import InputError
from duelbench.problem import winners
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.sources.importing import import_matrix, parse_arms
from duelbench.problem.sources.mslr import SUBSETS, read_mslr
from tests.optional_data import ROOT, optional

PUBLISHED = {
    "mslr5-condorcet": "zoghi2015/wu2016 K = 5, Condorcet",
    "mslr5-noncondorcet": "zoghi2015/wu2016 K = 5, non-Condorcet",
    "mslr16-condorcet": "wu2016 K = 16, Condorcet",
    "mslr16-noncondorcet": "wu2016 K = 16, non-Condorcet",
    "mslr32-condorcet": "wu2016 K = 32, Condorcet",
    "mslr32-noncondorcet": "wu2016 K = 32, non-Condorcet",
}
WINNERS = {"mslr16-condorcet": {115}, "mslr32-condorcet": {115}, "mslr16-noncondorcet": {60, 106, 130}} | {
    "mslr32-noncondorcet": {60, 120}
}
"""As Wu & Liu 2016 print them in Table 9, counted from 1."""


def informational():
    return optional("data", "mslr", "MSLR_Informational_PMat.npz")


def test_subsets_have_the_size_that_their_name_says_and_no_ranker_twice():
    for name, rankers in SUBSETS.items():
        assert len(set(rankers)) == len(rankers) == int(name.removeprefix("mslr").split("-")[0])
        assert 1 <= min(rankers) <= max(rankers) <= 136


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_subsets_reproduce(name):
    published = json.loads(optional("data", "mslr", "subsets.json").read_text(encoding="utf-8"))[PUBLISHED[name]]
    assert list(parse_arms(name)) == published["rankers"]
    found = import_matrix(informational(), arms=parse_arms(name))
    assert found.form == "mslr"
    assert winners.inferior_counts(found.matrix).tolist() == published["copeland"]
    assert winners.min_gap(found.matrix) == pytest.approx(published["min_gap"], abs=5e-7)
    best = {published["rankers"][arm] for arm in winners.copeland_winners(found.matrix)}
    assert best == WINNERS.get(name, best)
    assert found.matrix.names[0] == f"ranker {published['rankers'][0]}"


@pytest.mark.parametrize("name", ["mslr5-condorcet", "mslr5-noncondorcet"])
def test_the_five_rankers_are_the_rounded_matrices_that_ship(name):
    exact = import_matrix(informational(), arms=parse_arms(name)).matrix
    assert np.array_equal(exact.P.round(3), PreferenceMatrix.load(ROOT / "matrices" / f"{name}.csv").P)


def test_the_numbers_of_the_file_are_used_as_they_are():
    path = informational()
    with np.load(path) as file:
        assert (file["PMat"] == read_mslr(path).P).all()


@pytest.mark.parametrize("model", ["Informational", "Navigational", "Perfect"])
def test_a_published_file_is_recognised_by_its_sha256(model):
    found = import_matrix(optional("data", "mslr", f"MSLR_{model}_PMat.npz"))
    assert found.notes == (f"byte for byte the published MSLR_{model}_PMat.npz",)


def test_other_sizes_are_refused(tmp_path):
    np.savez(tmp_path / "small.npz", PMat=np.full((3, 3), 0.5))
    with pytest.raises(InputError, match="holds 3 arms; the MSLR matrices have 136 rankers"):
        read_mslr(tmp_path / "small.npz")
    assert import_matrix(tmp_path / "small.npz").form == "matrix"
