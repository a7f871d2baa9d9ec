"""The dry run's estimate is quick, and never compiles anything."""

from types import SimpleNamespace

import pytest

from duelbench.experiment import estimate
from duelbench.experiment.cells import cells
from tests.runner.experiments import play, spec_of


def long_experiment(tmp_path):
    algorithms = [{"random": {"label": f"random {k}"}} for k in range(12)]
    return cells(spec_of(tmp_path, horizon="1e12", algorithms=algorithms))


def test_an_estimate_keeps_to_its_budget_however_long_the_experiment(tmp_path, monkeypatch):
    now = [0.0]

    def play_a_microsecond_per_round(cell, run, horizon):
        now[0] += horizon / 1e6
        return SimpleNamespace(decisions=horizon)

    clock = SimpleNamespace(monotonic=lambda: now[0], perf_counter=lambda: now[0])
    monkeypatch.setattr(estimate, "time", clock)
    monkeypatch.setattr(estimate, "is_warm", lambda algorithm: True)
    monkeypatch.setattr(estimate, "simulate_cell", play_a_microsecond_per_round)
    seconds = estimate.seconds_per_run(long_experiment(tmp_path), budget=0.5)
    assert seconds == pytest.approx([1e6] * 12)
    assert now[0] <= 0.5 + 12 * (1 + estimate.FIRST_HORIZON) / 1e6


def test_runs_are_measured_and_extrapolated(tmp_path):
    play(tmp_path, algorithms=["random"], runs=1)  # compiles
    (seconds,) = estimate.seconds_per_run(long_experiment(tmp_path)[:1], budget=0.1)
    assert seconds > 60  # a round takes nanoseconds at least


def test_what_is_not_compiled_is_guessed(tmp_path, monkeypatch):
    def never(*arguments):
        raise AssertionError("an algorithm was played")

    monkeypatch.setattr(estimate, "is_warm", lambda algorithm: False)
    monkeypatch.setattr(estimate, "simulate_cell", never)
    cold = cells(spec_of(tmp_path))
    per_run = estimate.seconds_per_run(cold)
    assert per_run == [estimate.GUESS_SECONDS * 300**estimate.GUESS_POWER] * 2
    assert estimate.seconds_in_all(cold, [4, 4], per_run, jobs=1) >= 2 * estimate.COMPILE_SECONDS


def test_work_is_divided_among_the_workers_that_find_some(tmp_path):
    play(tmp_path, runs=1)  # compiles
    both = cells(spec_of(tmp_path))
    assert estimate.seconds_in_all(both, [10, 10], [3.0, 1.0], jobs=4) == 10.0 + estimate.START_SECONDS
    assert estimate.seconds_in_all(both, [1, 0], [3.0, 1.0], jobs=4) == 3.0
