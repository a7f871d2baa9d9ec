"""The specs under ``configs`` load, say what their comments say, and tell editors where the schema is."""

import shutil
from pathlib import Path

import pytest
import yaml

from duelbench.errors import InputError
from duelbench.problem.sources.datasets import data_folder
from duelbench.problem.winners import condorcet_winner, copeland_winners
from duelbench.spec.load import load
from tests.optional_data import FOLDER

ROOT = Path(__file__).parents[2]
SHIPPED = sorted((ROOT / "configs").rglob("*.yaml"))
MSLR5 = [ROOT / "configs" / "mslr5.yaml", ROOT / "configs" / "wu2016" / "fig1.yaml"]


@pytest.fixture(autouse=True, scope="module")
def data_home(tmp_path_factory):
    """Fetched data for the specs that need some, where there are any."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data-home")))
        copy = FOLDER / "data" / "mslr"
        if copy.exists():
            kept = data_folder() / "mslr"
            kept.mkdir(parents=True)
            for path in copy.glob("*.npz"):
                shutil.copy(path, kept)
        yield


def loaded(path):
    """The spec; the test that asks is skipped where the data it needs are not there."""
    try:
        return load(path)
    except InputError as error:
        if "`duelbench matrix fetch mslr`" not in str(error):
            raise
        pytest.skip("needs the matrices of the MSLR rankers")


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_shipped_spec_loads_and_names_its_schema(path):
    assert loaded(path).source == path
    first = path.read_text(encoding="utf-8").splitlines()[0]
    schema = first.removeprefix("# yaml-language-server: $schema=")
    assert (path.parent / schema).resolve() == ROOT / "spec.schema.json"


def test_the_names_of_shipped_specs_are_different():
    names = [yaml.safe_load(path.read_text(encoding="utf-8"))["name"] for path in SHIPPED]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("path", MSLR5, ids=lambda path: path.stem)
def test_wu_and_lius_figure_1_has_a_matrix_with_and_one_without_a_condorcet_winner(path):
    spec = load(path)
    with_winner, without = (problem.matrix for problem in spec.problems)
    assert [problem.name for problem in spec.problems] == ["Condorcet", "non-Condorcet"]
    assert condorcet_winner(with_winner) == 0
    assert condorcet_winner(without) is None
    assert copeland_winners(without) == (0, 1, 2)
    assert (spec.horizon, spec.seed, spec.shuffle_arms) == (10**6, 20161205, True)
    assert [entry.algorithm.id for entry in spec.entries] == [
        *("random", "rucb", "ccb", "rmed1", "ecw-rmed", "d-ts", "d-ts-plus"),
    ]


def test_the_small_figure_1_differs_from_the_papers_in_runs_and_its_lower_bound_only():
    small, full = (load(path).canonical() for path in MSLR5)
    assert (small["runs"], full["runs"]) == (100, 500)
    assert (small["bounds"], full["bounds"]) == (["copeland"], [])
    for key in ("name", "title", "problems", "runs", "bounds"):
        small.pop(key), full.pop(key)
    assert small == full
