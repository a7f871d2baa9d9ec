"""A sweep is a set of plain experiments that differ in one setting."""

import json

import pytest
import yaml

from duelbench.errors import InputError
from duelbench.problem.family import game_seed
from duelbench.results.cells import cells, count_cells
from duelbench.spec.load import load
from duelbench.spec.schema import schema
from tests.spec.draft7 import is_valid

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


@pytest.mark.parametrize(
    "sweep, folder_of, plain",
    [
        ("over: feedback_delay, values: [1, 1e2]", "feedback-delay-100", TOP + "feedback_delay: 100\n"),
        ("over: horizon, values: [100, 1e3]", "horizon-100", TOP.replace("1e3", "100")),
        (
            "over: alpha, values: [0.6, 0.51]",
            "alpha-0.6",
            TOP.replace("[rucb, d-ts]", "[rucb: {alpha: 0.6}, d-ts: {alpha: 0.6}]"),
        ),
    ],
)
def test_each_run_is_the_run_of_a_plain_spec_with_that_setting(loaded, sweep, folder_of, plain):
    found = folders_and_keys(loaded(f"{TOP}sweep: {{{sweep}}}\n"))
    assert len(found) == 4 == len(set(found.values()))
    expected = plain_keys(loaded, plain)
    assert found[f"{folder_of}/rucb"] == expected["RUCB"]
    assert found[f"{folder_of}/d-ts"] == expected["D-TS"]


def test_a_parameter_of_one_algorithm_is_swept_and_the_others_run_once(loaded):
    spec = loaded(f"{TOP}sweep: {{over: rucb.alpha, values: [0.6, 0.51]}}\n")
    found = folders_and_keys(spec)
    assert list(found) == ["rucb-alpha-0.6/rucb", "d-ts", "rucb-alpha-0.51/rucb"]
    assert count_cells(spec) == 3
    plain = plain_keys(loaded, TOP)
    assert (found["d-ts"], found["rucb-alpha-0.51/rucb"]) == (plain["D-TS"], plain["RUCB"])
    assert found["rucb-alpha-0.6/rucb"] == plain_keys(loaded, TOP.replace("rucb", "rucb: {alpha: 0.6}"))["RUCB"]


def test_games_have_seeds_of_their_own_for_their_matrices_and_their_runs(loaded):
    found = folders_and_keys(loaded(f"{RANDOM}sweep: {{over: n_arms, values: [3, 5], games: 2}}\n"))
    assert list(found)[:3] == ["n-arms-3/game-00000/rucb", "n-arms-3/game-00000/d-ts", "n-arms-3/game-00001/rucb"]
    assert len(found) == 8 == len(set(found.values()))
    plain = RANDOM.replace("seed: 7", f"seed: {game_seed(7, 1)}, n_arms: 5") + f"seed: {game_seed(0, 1)}\n"
    assert found["n-arms-5/game-00001/d-ts"] == plain_keys(loaded, plain)["D-TS"]


def test_runs_of_the_same_number_on_different_games_are_independent(loaded):
    top = f"{RANDOM}sweep: {{over: n_arms, values: [3, 5], games: 3}}\n"
    for seed in (40, 2**128 - 1):
        of_games = {cell.identity.seed for cell in cells(loaded(f"{top}seed: {seed}\n"))}
        assert of_games == {game_seed(seed, game) for game in range(3)} and len(of_games) == 3


def test_sweeps_with_neighbouring_seeds_share_neither_a_matrix_nor_a_run(loaded):
    def drawn(seed):
        top = RANDOM.replace("seed: 7", f"seed: {seed}")
        found = cells(loaded(f"{top}seed: {seed}\nsweep: {{over: n_arms, values: [5], games: 20}}\n"))
        return {cell.identity.seed for cell in found}, {cell.identity.matrix for cell in found}

    drawn_by = [drawn(seed) for seed in range(5)]
    for kind in range(2):
        assert len(set().union(*(found[kind] for found in drawn_by))) == 5 * 20


def test_one_game_has_no_folder_and_problems_keep_theirs(loaded):
    text = RANDOM.replace("matrix: ", "problems:\n  one: ").replace("horizon", "  two: {family: random}\nhorizon")
    found = folders_and_keys(loaded(f"{text}sweep: {{over: n_arms, values: [3, 5]}}\n"))
    assert "one/n-arms-3/rucb" in found and "two/n-arms-5/d-ts" in found


def test_the_family_itself_can_be_swept_over(loaded):
    text = TOP.replace("cycle.csv", "{family: linear, n_arms: 4}") + "sweep: {over: family, values: [linear, flat]}\n"
    found = folders_and_keys(loaded(text))
    assert (
        found["family-flat/rucb"] == plain_keys(loaded, TOP.replace("cycle.csv", "{family: flat, n_arms: 4}"))["RUCB"]
    )


def test_the_order_of_arms_can_be_one_algorithms_own(loaded):
    spec = loaded(TOP.replace("rucb", "rucb, rucb: {shuffle_arms: no, label: fixed}"))
    assert [cell.identity.shuffle_arms for cell in cells(spec)] == [True, False, True]
    with pytest.raises(InputError, match=r"shuffle_arms: must be true or false"):
        loaded(TOP.replace("rucb", "rucb: {shuffle_arms: 3}"))


def test_an_algorithm_that_uses_the_horizon_runs_once_per_value(loaded):
    spec = loaded(TOP.replace("rucb", "savage-copeland") + "sweep: {over: feedback_delay, values: [1, 10]}\n")
    assert [cell.identity.horizon for cell in cells(spec)] == [1000] * 4


SWEEPS = [
    TOP + "sweep: {over: feedback_delay, values: [1, 1e2]}\n",
    TOP + "sweep: {over: alpha, values: 0.6}\n",
    TOP + "sweep: {over: rucb.alpha, values: [0.6, 0.7]}\n",
    TOP.replace("rucb, d-ts", "rucb") + "sweep: {over: variant, values: [icml, arxiv]}\n",
    RANDOM + "sweep: {over: n_arms, values: [3, 5], games: 2}\n",
    TOP.replace("cycle.csv", "{family: cyclic-blocks}") + "sweep: {over: sizes, values: [[1, 3], [3, 3]]}\n",
]


@pytest.mark.parametrize("text", SWEEPS)
def test_a_sweep_survives_the_round_trip_and_the_schema_accepts_it(loaded, text):
    spec = loaded(text)
    again = loaded(json.dumps(spec.canonical()))
    assert again == spec
    assert folders_and_keys(again) == folders_and_keys(spec)
    assert is_valid(json.loads(json.dumps(spec.canonical())), schema())


MISTAKES = [
    (
        "sweep: feedback_delay",
        "5:8 sweep: must be keys, as in '{over: feedback_delay, values: [1, 10, 100]}', not text",
    ),
    ("sweep: {over: horizon}", "5:8 sweep: the key 'values' is missing; add 'values: [1, 10, 100]'"),
    ("sweep: {values: [1]}", "5:8 sweep: the key 'over' is missing; add 'over: feedback_delay'"),
    ("sweep: {over: horizon, values: [1], gams: 3}", "5:37 sweep.gams: unknown key 'gams' (did you mean 'games'?)"),
    ("sweep: {over: horizon, valus: [1]}", "5:24 sweep.valus: unknown key 'valus' (did you mean 'values'?)"),
    ("sweep: {over: horizn, values: [1]}", "5:15 sweep.over: 'horizn' is no setting that all problems or all algor"),
    ("sweep: {over: n_arms, values: [3]}", "5:15 sweep.over: 'n_arms' is no setting that all problems or all"),
    ("sweep: {over: variant, values: [icml]}", "5:15 sweep.over: 'variant' is no parameter of d-ts; for one al"),
    (
        "sweep: {over: rucc.alpha, values: [1]}",
        "5:15 sweep.over: 'rucc' is not an algorithm of this spec (did yo",
    ),
    ("sweep: {over: ccb.alpha, values: [1]}", "5:15 sweep.over: 'ccb' is not an algorithm of this spec (there a"),
    ("sweep: {over: rucb.alhpa, values: [1]}", "5:15 sweep.over: unknown parameter 'alhpa' for rucb (did you mean 'al"),
    ("sweep: {over: rucb.alpha, values: [0.6, 0.2]}", "5:41 sweep.values.1: must be > 0.5, got 0.2"),
    ("sweep: {over: rucb.alpha, values: [1], games: 2}", "5:47 sweep.games: needs a sweep over a parameter of the"),
    ("sweep: {over: horizon, values: []}", "5:32 sweep.values: is an empty list; name at least one"),
    ("sweep: {over: horizon, values: [5, 1e4]}", "5:36 sweep.values.1: must be at most the horizon, 1_000 rounds, go"),
    ("sweep: {over: horizon, values: [5, 5.0]}", "5:36 sweep.values.1: stands twice, or gives the folder 'horizon-5'"),
    ("sweep: {over: alpha, values: [0.6, 0.2]}", "5:36 sweep.values.1: must be > 0.5, got 0.2"),
    ("sweep: {over: horizon, values: [5], games: 2}", "5:44 sweep.games: needs a sweep over a parameter of the matr"),
    ("sweep: {over: horizon, values: [5], games: 0}", "5:44 sweep.games: must be at least 1, got '0'"),
]


@pytest.mark.parametrize("line, expected", MISTAKES)
def test_a_mistake_has_its_place(loaded, folder, line, expected):
    with pytest.raises(InputError) as caught:
        loaded(f"{TOP}{line}\n")
    message = str(caught.value).replace(f"{folder}/", "").splitlines()
    assert message[0].startswith(f"spec.yaml:{expected}")
    assert len(message) == 2


@pytest.mark.parametrize(
    "text, expected",
    [
        (RANDOM + "sweep: {over: n_arms, values: [3, 1]}", "sweep.values.1.n_arms: must be >= 2, got 1"),
        (RANDOM + "sweep: {over: n_arms, values: [3], games: 9999}", "asks for 19998 combinations of problem, value"),
        (
            TOP.replace("cycle.csv", "{family: linear}") + "sweep: {over: n_arms, values: [3], games: 2}",
            "sweep.games: linear draws nothing: all games would be the same",
        ),
        (
            TOP.replace("rucb", "savage-copeland: {horizons: [10]}") + "sweep: {over: feedback_delay, values: [2]}",
            "sweep: stands beside 'horizons' of SAVAGE",
        ),
        (
            RANDOM.replace("unique", "condorcet") + "regret: weak\nsweep: {over: winners, values: [no-condorcet]}",
            "sweep: the regret 'weak' needs a Condorcet winner; random (winners=no-condorcet, seed=7) has none",
        ),
        (
            TOP.replace("rucb", "rucb: {alpha: 0.51}") + "sweep: {over: rucb.alpha, values: [0.6]}",
            "spec.yaml:5:15 sweep.over: 'rucb.alpha' stands beside algorithms.0.rucb.alpha; remove one of the two",
        ),
        (
            TOP.replace("d-ts", "d-ts: {alpha: 0.7}") + "sweep: {over: alpha, values: [0.6]}",
            "sweep.over: 'alpha' stands beside algorithms.1.d-ts.alpha; remove one of the two",
        ),
        (
            TOP + "feedback_delay: 10\nsweep: {over: feedback_delay, values: [1]}",
            "sweep: over 'feedback_delay' stands beside the key 'feedback_delay'; remove one of the two",
        ),
        (TOP.replace("1e3", "x") + "sweep: {over: horizon, values: [3]}", "horizon: 'x' is not a whole number"),
    ],
)
def test_what_cannot_be_swept_over_is_refused(loaded, text, expected):
    with pytest.raises(InputError, match="1 problem; nothing was run") as caught:
        loaded(text + "\n")
    assert expected in str(caught.value)


def test_a_sweep_over_huge_matrices_is_refused(loaded, monkeypatch):
    monkeypatch.setattr("duelbench.spec.problems.MAX_GENERATED", 100)
    with pytest.raises(InputError, match=r"sweep.values.1: the matrices generated up to here have more than 100"):
        loaded(RANDOM + "sweep: {over: n_arms, values: [5, 9]}\n")


def test_editors_know_a_sweep():
    for wrong in ("horizon", {"over": "horizon"}, {"values": [1]}, {"over": "a", "values": [1], "gams": 2}):
        assert not is_valid(yaml.safe_load(TOP) | {"horizon": 10, "sweep": wrong}, schema())
