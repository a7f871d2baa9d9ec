"""A sweep is a set of plain experiments that differ in one setting."""

import pytest

from duelbench.bandits.problem.family import game_seed
from duelbench.errors import InputError
from duelbench.experiments.results.cells import cells, count_cells
from duelbench.experiments.spec.load import load

TOP = "matrix: cycle.csv\nhorizon: 1e3\nruns: 2\nalgorithms: [rucb, d-ts]\n"
RANDOM = "matrix: {family: random, winners: unique, seed: 7}\nhorizon: 1e3\nruns: 2\nalgorithms: [rucb, d-ts]\n"


@pytest.fixture
def loaded(folder):
    def read(text, name="spec.yaml"):
        (folder / name).write_text(text)
        return load(folder / name)

    return read


def folders_and_keys(spec):
    return {str(cell.folder): cell.identity.key(0) for cell in cells(spec)}


def plain_keys(loaded, text):
    """Label -> key of run 0 in a spec without sweep."""
    return {cell.label: cell.identity.key(0) for cell in cells(loaded(text, "plain.yaml"))}


FLAT = TOP.replace("cycle.csv", "{family: linear, n_arms: 4}")
BOTH = TOP.replace("[rucb, d-ts]", "[rucb: {alpha: 0.6}, d-ts: {alpha: 0.6}]")


@pytest.mark.parametrize(
    "text, folder_of, plain",
    [
        (f"{TOP}sweep: {{over: feedback_batch, values: [1, 1e2]}}", "feedback-batch-100", f"{TOP}feedback_batch: 100"),
        (f"{TOP}sweep: {{over: feedback_delay, values: [0, 1e2]}}", "feedback-delay-100", f"{TOP}feedback_delay: 100"),
        (f"{TOP}sweep: {{over: horizon, values: [100, 1e3]}}", "horizon-100", TOP.replace("1e3", "100")),
        (f"{TOP}sweep: {{over: alpha, values: [0.6, 0.51]}}", "alpha-0.6", BOTH),
        (f"{FLAT}sweep: {{over: family, values: [linear, flat]}}", "family-flat", FLAT.replace("linear", "flat")),
    ],
)
def test_each_run_is_the_run_of_a_plain_spec_with_that_setting(loaded, text, folder_of, plain):
    found = folders_and_keys(loaded(text))
    assert len(found) == 4 == len(set(found.values()))
    expected = plain_keys(loaded, plain)
    assert found[f"{folder_of}/rucb"] == expected["RUCB"]
    assert found[f"{folder_of}/d-ts"] == expected["D-TS"]


def test_games_have_seeds_of_their_own_for_their_matrices_and_their_runs(loaded):
    found = folders_and_keys(loaded(f"{RANDOM}sweep: {{over: n_arms, values: [3, 5], games: 2}}\n"))
    assert list(found)[:3] == ["n-arms-3/game-00000/rucb", "n-arms-3/game-00000/d-ts", "n-arms-3/game-00001/rucb"]
    assert len(found) == 8 == len(set(found.values()))
    plain = RANDOM.replace("seed: 7", f"seed: {game_seed(7, 1)}, n_arms: 5") + f"seed: {game_seed(0, 1)}\n"
    assert found["n-arms-5/game-00001/d-ts"] == plain_keys(loaded, plain)["D-TS"]


def test_sweeps_with_neighbouring_seeds_share_neither_a_matrix_nor_a_run(loaded):
    seeds, matrices = set(), set()
    for seed in range(5):
        top = RANDOM.replace("seed: 7", f"seed: {seed}")
        found = cells(loaded(f"{top}seed: {seed}\nsweep: {{over: n_arms, values: [5], games: 20}}\n"))
        seeds |= {cell.identity.seed for cell in found}
        matrices |= {cell.identity.matrix for cell in found}
    assert len(seeds) == len(matrices) == 5 * 20


@pytest.mark.parametrize(
    "text, expected",
    [
        (RANDOM + "sweep: {over: n_arms, values: [3, 1]}", r"sweep\.values\.1\.n_arms: must be >= 2"),
        (FLAT + "sweep: {over: slope, values: [0.1], games: 2}", r"sweep\.games: linear draws nothing"),
        (
            TOP.replace("rucb", "savage-copeland: {horizons: [10]}") + "sweep: {over: feedback_batch, values: [2]}",
            "sweep: conflicts with 'horizons'",
        ),
        (
            RANDOM.replace("unique", "condorcet") + "regret: weak\nsweep: {over: winners, values: [no-condorcet]}",
            "sweep: the regret 'weak' needs a Condorcet winner",
        ),
        (TOP + "feedback_batch: 10\nsweep: {over: feedback_batch, values: [1]}", "conflicts with the key"),
        (
            TOP + "feedback_batch: 10\nsweep: {over: feedback_delay, values: [1]}",
            "conflicts with the key 'feedback_batch'",
        ),
        (
            TOP.replace("rucb", "rex3") + "sweep: {over: feedback_delay, values: [0, 1]}",
            "give feedback_batch instead of feedback_delay",
        ),
        (
            TOP + "sweep: {over: rcs.alpha, values: [1]}",
            "'rcs.alpha' is not a parameter of an algorithm in 'algorithms'",
        ),
        (RANDOM + "sweep: {over: n_arms, values: [5, 9]}", r"sweep\.values\.1: the matrices up to here"),
    ],
)
def test_what_cannot_be_swept_over_is_refused(loaded, monkeypatch, text, expected):
    monkeypatch.setattr("duelbench.experiments.spec.problems.MAX_ENTRIES", 100)
    with pytest.raises(InputError, match="1 problem; nothing was run") as caught:
        loaded(text + "\n")
    assert caught.match(expected)


def test_a_parameter_of_one_algorithm_is_swept_and_the_others_run_once(loaded):
    spec = loaded(f"{TOP}sweep: {{over: rucb.alpha, values: [0.6, 0.51]}}\n")
    found, plain = folders_and_keys(spec), plain_keys(loaded, TOP)
    assert list(found) == ["rucb-alpha-0.6/rucb", "d-ts", "rucb-alpha-0.51/rucb"] and count_cells(spec) == 3
    assert (found["d-ts"], found["rucb-alpha-0.51/rucb"]) == (plain["D-TS"], plain["RUCB"])


def test_problems_have_folders_of_their_own_and_one_game_has_none(loaded):
    text = RANDOM.replace("matrix: ", "problems:\n  one: ").replace("horizon", "  two: {family: random}\nhorizon")
    found = folders_and_keys(loaded(f"{text}sweep: {{over: n_arms, values: [3, 5]}}\n"))
    assert "one/n-arms-3/rucb" in found and "two/n-arms-5/d-ts" in found
