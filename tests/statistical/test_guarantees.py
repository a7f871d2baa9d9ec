"""Guarantees of error, by simulation: of stopping rules, of intervals of sessions, of comparisons, of ranks.

The simulations are those of docs/studies, with fewer runs. Bounds are such that a promise that is just kept fails once
in a thousand tests; that promises which are not kept are caught is shown with some.
"""

import math

import numpy as np
import pytest

from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.statistics.interim import Until
from duelbench.bandits.statistics.tails import clopper_pearson
from tests.statistical.studies import FOLDER, study

DELTA = 0.05


def is_surely_above_delta(count, runs):
    """Whether the lower end of the 99.8% interval of a share is."""
    low, _ = clopper_pearson(np.array(count), runs, 0.998)
    return bool(np.any(low > DELTA))


def most(n):
    """Of n correct decisions of error 5% one series in a thousand has a larger share that is wrong."""
    return DELTA + 3.1 * (DELTA * (1 - DELTA) / n) ** 0.5


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.py")))
def test_every_study_can_be_loaded(name):
    assert study(name).__doc__


@pytest.mark.parametrize("name", ["germanparties2009", "cemschoice", "firstnames", "topmodel2007", "soundquality"])
def test_the_matrices_of_people_are_the_shares_of_their_judgements(name):
    counted = study("human_judgements").judgements(name)
    np.testing.assert_allclose(counted.P, PreferenceMatrix.load(name).P, rtol=0, atol=1e-12)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("id", "n_arms", "runs", "duels"),
    [("uniform", 2, 1000, 5000), ("rucb", 3, 200, 2000)],
)
def test_e_condorcet_puts_a_winner_out_in_no_more_than_delta_of_the_runs(id, n_arms, runs, duels):
    """Even where nothing tells the winner from the others."""
    assert not is_surely_above_delta(study("evidence_error").times_out(id, n_arms, 0.0, runs, 99, duels), runs)


@pytest.mark.thorough
def test_an_e_condorcet_that_promises_less_is_caught(monkeypatch):
    evidence_error = study("evidence_error")
    monkeypatch.setattr(evidence_error, "DELTA", 4 * DELTA)
    assert is_surely_above_delta(evidence_error.times_out("uniform", 2, 0.0, 400, 99, 2000), 400)


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "id"), [("cemschoice", "uniform"), ("multisol", "uniform")])
def test_answers_and_intervals_of_sessions_are_wrong_in_no_more_than_delta_of_the_runs(name, id):
    count = study("certainty_error").errors(name, id, 100, 2000)
    assert not is_surely_above_delta([n for key, n in count.items() if not key.startswith("answered")], 100)


@pytest.mark.thorough
def test_intervals_of_sessions_that_promise_less_are_caught(monkeypatch):
    """At a level of ln 4, each of 15 pairs misses in a good part of the runs."""
    certainty_error = study("certainty_error")
    monkeypatch.setattr(certainty_error, "log_pair_level", lambda *_: math.log(4.0))
    assert is_surely_above_delta(certainty_error.errors("cemschoice", "uniform", 60, 500)["ever"], 60)


def test_the_interval_of_a_session_is_without_a_probability_that_its_table_contradicts():
    P = PreferenceMatrix([[0.5, 0.6], [0.4, 0.5]]).P
    misses = study("certainty_error").misses
    assert misses(P, np.array([[0, 60], [40, 0]])) == (False, False, False)
    assert misses(P, np.array([[0, 95], [5, 0]])) == (True, False, True)
    assert misses(P, np.array([[0, 5], [95, 0]])) == (True, True, True)


@pytest.mark.thorough
@pytest.mark.parametrize("statistic", ["mean", "mean, not paired", "median", "0.9-quantile"])
def test_what_is_equal_is_called_different_in_5_of_100_comparisons_at_most(statistic):
    difference_coverage = study("difference_coverage")
    for drawn in difference_coverage.made_up().values():
        assert difference_coverage.share_held(drawn, drawn, statistic, 40, 200) >= 1 - most(200)


@pytest.mark.thorough
def test_a_disaster_in_one_run_of_a_hundred_is_missed_by_means_and_not_by_medians():
    difference_coverage = study("difference_coverage")
    laws = difference_coverage.made_up()
    assert difference_coverage.share_held(laws["rare"], laws["normal"], "mean", 20, 200) < 0.3
    assert difference_coverage.share_held(laws["rare"], laws["normal"], "median", 20, 200) >= 1 - most(200)


@pytest.mark.thorough
@pytest.mark.parametrize("law", ["lognormal", "normal", "rare"])
def test_what_is_equal_is_called_different_in_5_of_100_experiments_at_most_however_often_one_looks(law):
    one = study("looks_coverage").laws()[law]
    counted = study("looks_coverage").ranking([one, one], Until(None, most=60), 500)
    assert counted["wrong"] <= most(500) and counted["held"] >= 1 - most(500)


@pytest.mark.thorough
def test_interim_analyses_that_do_not_share_the_error_are_caught():
    class Careless(Until):
        error = DELTA

    one = study("looks_coverage").laws()["normal"]
    assert study("looks_coverage").ranking([one, one], Careless(None, most=400), 300)["wrong"] > most(300)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["normal", "lognormal", "rare"])
def test_copies_of_one_algorithm_are_told_apart_in_5_leaderboards_of_100_at_most(name):
    leaderboard_ranks = study("leaderboard_ranks")
    assert leaderboard_ranks.found([leaderboard_ranks.law(name)[:3]], 10, 20, 150)["apart"] <= most(150)


@pytest.mark.thorough
def test_algorithms_that_differ_are_told_apart_and_ranges_hold_the_true_ranks():
    leaderboard_ranks = study("leaderboard_ranks")
    laws = [factor * leaderboard_ranks.law("normal")[:1] for factor in (1, 2, 2, 3)]
    shares = leaderboard_ranks.found(laws, 4, 20, 50)
    assert shares["wrong"] <= most(50) and 1.4 < shares["ranks"] < 1.6
