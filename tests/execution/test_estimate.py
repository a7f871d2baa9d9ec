"""The dry run's estimate is quick, never compiles anything, and follows the table and what it measures."""

from types import SimpleNamespace

import pytest

from duelbench.algorithms import registry
from duelbench.bench.rates import KINDS, problem
from duelbench.execution import estimate, rates
from duelbench.execution.rates import Model, Point
from duelbench.execution.worker import warm_up
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.results.cells import cells
from tests.execution.experiments import spec_of

EVERY_ROUND = [[1, 1, 0.0], [1000, 1000, 0.001], [10_000, 10_000, 0.01]]
SETTLES = [[1, 1, 0.0], [1000, 1000, 0.001], [10_000, 2000, 0.002], [100_000, 3000, 0.003], [1_000_000, 4000, 0.004]]
MADE_UP = {
    "yardstick": 1.0,
    "compile": {"rucb": 4.0},
    "algorithms": {
        "random": {"order": {"4": EVERY_ROUND}, "cycle": {"4": EVERY_ROUND}},
        "rucb": {"order": {"4": SETTLES, "16": [[T, 4 * n, 4 * s] for T, n, s in SETTLES]}},
    },
}


@pytest.fixture(autouse=True)
def made_up(monkeypatch):
    """A table and a machine of known speed; a file costs nothing."""
    monkeypatch.setattr(rates, "table", lambda: MADE_UP)
    monkeypatch.setattr(rates, "yardstick", lambda: 1.0)
    monkeypatch.setattr(estimate, "RUN_SECONDS", 0.0)
    monkeypatch.setattr(estimate, "PAIR_SECONDS", 0.0)


def long_experiment(tmp_path):
    algorithms = [{"random": {"label": f"random {k}"}} for k in range(12)]
    return cells(spec_of(tmp_path, horizon="1e12", algorithms=algorithms))


def never(*arguments):
    raise AssertionError("an algorithm was played")


def play_as(monkeypatch, decisions, seconds_each=1e-6):
    """Make runs take ``decisions(horizon)`` decisions and so many seconds each, on a clock of their own; returns it."""
    now = [0.0]

    def simulate(cell, run, horizon):
        now[0] += decisions(horizon) * seconds_each
        return SimpleNamespace(decisions=decisions(horizon))

    clock = SimpleNamespace(monotonic=lambda: now[0], process_time=lambda: now[0])
    monkeypatch.setattr(estimate, "time", clock)
    monkeypatch.setattr(estimate, "is_warm", lambda algorithm: True)
    monkeypatch.setattr(estimate, "simulate_cell", simulate)
    return now


def test_an_estimate_keeps_to_its_budget_however_long_the_experiment(tmp_path, monkeypatch):
    now = play_as(monkeypatch, decisions=lambda horizon: horizon)
    estimates = estimate.estimate(long_experiment(tmp_path), [1] * 12, budget=0.5)
    assert [one.seconds for one in estimates] == pytest.approx([1e6] * 12)
    assert now[0] <= 0.5 + 12 * (1 + estimate.FIRST_HORIZON) / 1e6


def test_runs_are_measured_and_extrapolated(tmp_path):
    assert warm_up(cells(spec_of(tmp_path, algorithms=["random"]))[0])
    (one,) = estimate.estimate(long_experiment(tmp_path)[:1], [1], budget=0.1)
    assert one.seconds > 60 and not one.is_guess  # a round takes nanoseconds at least


def test_what_is_not_compiled_is_not_played_but_told_by_the_table_and_marked_as_a_guess(tmp_path, monkeypatch):
    monkeypatch.setattr(estimate, "is_warm", lambda algorithm: False)
    monkeypatch.setattr(estimate, "simulate_cell", never)
    cold = cells(spec_of(tmp_path, horizon="1e9"))
    assert [cell.identity.algorithm for cell in cold] == ["rucb", "random"]
    rucb, random = estimate.estimate(cold, [4, 4])
    assert random == (pytest.approx(1000.0), True)  # a microsecond for each round
    assert rucb.seconds < 0.1 and rucb.is_guess  # it settles
    assert estimate.seconds_in_all(cold, [4, 4], [1.0, 1.0], jobs=1) == 4.0 + estimate.COMPILE_SECONDS + 8.0


def test_a_machine_that_is_half_as_fast_takes_twice_as_long(tmp_path, monkeypatch):
    monkeypatch.setattr(estimate, "is_warm", lambda algorithm: False)
    (once,) = estimate.estimate(long_experiment(tmp_path)[:1], [1])
    monkeypatch.setattr(rates, "yardstick", lambda: 2.0)
    (twice,) = estimate.estimate(long_experiment(tmp_path)[:1], [1])
    assert twice.seconds == pytest.approx(2 * once.seconds)


def test_a_plug_in_and_what_the_table_does_not_know_are_guessed(tmp_path, monkeypatch):
    monkeypatch.setattr(estimate, "is_warm", lambda algorithm: True)
    monkeypatch.setattr(estimate, "is_ours", lambda cell: False)
    monkeypatch.setattr(estimate, "simulate_cell", never)
    (one,) = estimate.estimate(long_experiment(tmp_path)[:1], [1])
    assert one == (estimate.GUESS_SECONDS * 1e12**estimate.GUESS_POWER, True)


def test_files_count_and_those_of_many_arms_more(tmp_path, monkeypatch):
    monkeypatch.setattr(estimate, "RUN_SECONDS", 1.0)
    monkeypatch.setattr(estimate, "PAIR_SECONDS", 0.25)
    play_as(monkeypatch, decisions=lambda horizon: horizon)
    (one, _) = estimate.estimate(cells(spec_of(tmp_path)), [1, 1])  # four arms, 300 rounds
    assert one.seconds == pytest.approx(1.0 + 16 * 0.25 + 300e-6)


def test_a_problem_that_settles_later_than_that_of_the_table_takes_longer(tmp_path, monkeypatch):
    """All decisions up to round 1000, and the table's growth from there on, ten times as late."""
    model = Model({4: [Point(*row) for row in SETTLES]}, 4, 10.0)
    play_as(monkeypatch, decisions=lambda horizon: model.cost(horizon).decisions)
    (rucb,) = estimate.estimate(cells(spec_of(tmp_path, horizon="1e7", algorithms=["rucb"])), [1], budget=0.2)
    assert rucb.seconds == pytest.approx(0.04, rel=0.01)


def test_a_fit_finds_how_many_times_later_all_happens():
    model = Model({4: [Point(*row) for row in SETTLES]}, 4, 1.0)
    late = Model(model.points, 4, 7.0)
    assert model.fitted(50_000, late.cost(50_000).decisions).stretch == pytest.approx(7.0)
    assert late.fitted(1000, 1000) is late  # nothing is settled, and nothing was expected to be
    assert model.fitted(100_000, 100_000).cost(100_000).decisions >= 0.95 * 100_000


def test_between_two_numbers_of_arms_powers_are_interpolated():
    points = {4: [Point(1, 1, 0.0), Point(1000, 100, 0.1)], 16: [Point(1, 1, 0.0), Point(1000, 400, 0.4)]}
    cost = Model(points, 8, 1.0).cost(1000)
    assert (cost.decisions, cost.seconds) == (pytest.approx(200.0), pytest.approx(0.2))


def test_half_the_gap_takes_four_times_as_long_and_ties_do_not_count():
    assert rates.stretch(PreferenceMatrix([[0.5, 0.55], [0.45, 0.5]])) == 4.0
    assert rates.stretch(PreferenceMatrix([[0.5, 0.6, 0.5], [0.4, 0.5, 0.5], [0.5, 0.5, 0.5]])) == 1.0


def test_the_problems_of_the_table_are_of_the_kinds_and_the_hardness_that_it_says():
    for kind in KINDS:
        made = problem(kind, 16)
        assert rates.kind(made) == kind and made.n_arms == 16
        assert rates.stretch(made) == pytest.approx(1.0)


def test_the_table_knows_every_algorithm_of_duelbench(monkeypatch):
    """Otherwise: python -m duelbench.bench.rates ALGORITHM."""
    monkeypatch.undo()
    known = rates.table()["algorithms"]
    assert set(known) == set(registry.BUILT_IN)
    for id, kinds in known.items():
        for sizes in kinds.values():
            for rows in sizes.values():
                points = [Point(*row) for row in rows]
                assert len(points) >= 2 and points[0].horizon == 1, id
                assert all(1 <= p.decisions <= p.horizon and p.seconds > 0 for p in points), id


def test_algorithms_compile_side_by_side_and_the_longest_is_waited_for(monkeypatch):
    monkeypatch.setattr(rates, "table", lambda: {"yardstick": 1.0, "compile": {"a": 9.0, "b": 2.0, "c": 1.0}})
    assert estimate.compiling_seconds("abc", workers=1) == 12.0
    assert estimate.compiling_seconds("abc", workers=2) == 9.0
    assert estimate.compiling_seconds("", workers=2) == 0.0
    monkeypatch.setattr(rates, "yardstick", lambda: 2.0)
    assert estimate.compiling_seconds("bc", workers=1) == 6.0


DEAR = [[1, 1, 0.0], [1000, 1000, 0.001], [10_000, 10_000, 0.01], [11_000, 11_000, 10.01]]
"""From round 10,000 on each decision takes a hundredth of a second."""


def test_decisions_that_become_dear_at_some_round_do_so_on_harder_problems_too():
    points = {4: [Point(*row) for row in DEAR]}
    for stretch in (1.0, 20.0):
        assert Model(points, 4, stretch).cost(10_000).seconds == pytest.approx(0.01)
        assert Model(points, 4, stretch).cost(20_000).seconds == pytest.approx(100.01)


def test_runs_that_would_become_dear_are_not_played_to_see_how_long_they_take(tmp_path, monkeypatch):
    monkeypatch.setitem(MADE_UP["algorithms"]["rucb"], "order", {"4": DEAR})
    played = []

    def decisions(horizon):
        played.append(horizon)
        return horizon

    play_as(monkeypatch, decisions)
    (rucb,) = estimate.estimate(cells(spec_of(tmp_path, horizon="2e4", algorithms=["rucb"])), [1], budget=1.0)
    assert max(played) == 10_000 and rucb.seconds == pytest.approx(100.01)


def test_decisions_in_the_table_may_fall_and_rise_to_where_they_were():
    """What is measured of few runs is not monotone; more decisions than ever measured cost as many times more."""
    points = {
        4: [Point(1, 1, 0.0), Point(10, 10, 0.1), Point(100, 60, 0.6), Point(1000, 50, 0.5), Point(10**4, 60, 0.6)]
    }
    cost = Model(points, 4, 2.0).cost(2 * 10**4)
    assert (cost.decisions, cost.seconds) == (pytest.approx(120), pytest.approx(1.2))


def test_work_is_divided_among_the_workers_that_find_some(tmp_path, monkeypatch):
    monkeypatch.setattr(estimate, "is_warm", lambda algorithm: True)
    both = cells(spec_of(tmp_path))
    assert estimate.seconds_in_all(both, [10, 10], [3.0, 1.0], jobs=4) == 10.0 + estimate.START_SECONDS
    assert estimate.seconds_in_all(both, [1, 0], [3.0, 1.0], jobs=4) == 3.0
    assert estimate.seconds_in_all(both, [1, 4], [100.0, 1.0], jobs=4) == 100.0 + estimate.START_SECONDS  # the longest


def test_one_cell_of_each_loop_is_cold_those_first_that_take_longest_to_compile(tmp_path, monkeypatch):
    monkeypatch.setattr(estimate, "is_warm", lambda algorithm: algorithm == "random")
    seconds = {"rucb": 5.0, "d-ts": 11.0, "d-ts-pure": 11.0, "random": 20.0}
    monkeypatch.setattr(rates, "table", lambda: {"yardstick": 1.0, "compile": seconds})
    every = cells(spec_of(tmp_path, algorithms=["random", "rucb", "d-ts", "d-ts-pure", {"rucb": {"alpha": 0.8}}]))
    assert estimate.cold(every) == [every[2], every[1]]


@pytest.fixture
def cold_and_short(monkeypatch):
    """Nothing is compiled; a run takes a hundredth of a second compiled and a second interpreted, if it is of ours."""
    seconds = dict.fromkeys(("rucb", "random", "d-ts", "d-ts-pure"), 10.0)
    monkeypatch.setattr(rates, "table", lambda: {"yardstick": rates.yardstick(), "compile": seconds, "algorithms": {}})
    monkeypatch.setattr(rates, "yardstick", lambda: 1.0)
    monkeypatch.setattr(estimate, "SAME_BITS", True)
    monkeypatch.setattr(estimate, "INTERPRETED", 100.0)
    monkeypatch.setattr(estimate, "GUESS_SECONDS", 0.01 / 300**0.75)
    monkeypatch.setattr(estimate, "WORTH_INTERPRETING", 0.5001)
    monkeypatch.setattr(estimate, "is_warm", lambda algorithm: False)


def test_cells_are_interpreted_whose_runs_take_at_most_half_as_long_as_their_loop_to_compile(tmp_path, cold_and_short):
    """Five runs, five seconds, of the ten that compiling takes."""
    rucb, random = cells(spec_of(tmp_path))
    assert estimate.interpretable([rucb, random], [5, 6]) == {rucb.folder: 10.0}
    five, six = estimate.estimate([rucb, random], [5, 6])
    assert five.seconds - six.seconds == pytest.approx(1.0 - 0.01) and five.is_guess and six.is_guess
    assert estimate.seconds_in_all([rucb, random], [5, 6], [1.0, 0.01], jobs=1) == pytest.approx(10.0 + 5.06)


def test_whether_runs_are_interpreted_is_decided_for_all_that_one_loop_plays(tmp_path, cold_and_short):
    algorithms = ["d-ts", "d-ts-pure", {"d-ts": {"label": "with another alpha", "alpha": 0.8}}, "rucb"]
    every = cells(spec_of(tmp_path, algorithms=algorithms))
    assert set(estimate.interpretable(every, [2, 2, 2, 2])) == {every[3].folder}
    assert set(estimate.interpretable(every, [1, 2, 2, 6])) == {cell.folder for cell in every[:3]}


def test_what_is_compiled_is_not_interpreted_nor_are_plug_ins_nor_where_bits_may_differ(
    tmp_path, monkeypatch, cold_and_short
):
    rucb, random = cells(spec_of(tmp_path))
    monkeypatch.setattr(estimate, "is_warm", lambda algorithm: algorithm == "rucb")
    assert set(estimate.interpretable([rucb, random], [1, 1])) == {random.folder}
    with monkeypatch.context() as other:
        other.setattr(estimate, "is_ours", lambda cell: False)
        assert estimate.interpretable([rucb, random], [1, 1]) == {}
    monkeypatch.setattr(estimate, "SAME_BITS", False)
    assert estimate.interpretable([rucb, random], [1, 1]) == {}
