"""The specs under ``configs`` load, say what their comments say, and tell editors where the schema is."""

from pathlib import Path

import pytest

from duelbench.experiment.spec import load
from duelbench.problem.winners import condorcet_winner, copeland_winners

ROOT = Path(__file__).parents[2]
SHIPPED = sorted((ROOT / "configs").rglob("*.yaml"))
MSLR5 = [ROOT / "configs" / "mslr5.yaml", ROOT / "configs" / "wu2016" / "fig1.yaml"]


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_spec_loads_and_names_its_schema(path):
    assert load(path).source == path
    first = path.read_text(encoding="utf-8").splitlines()[0]
    schema = first.removeprefix("# yaml-language-server: $schema=")
    assert (path.parent / schema).resolve() == ROOT / "spec.schema.json"


def test_the_names_of_shipped_specs_are_different():
    names = [load(path).name for path in SHIPPED]
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
