"""Advice: what is counted, what is played, who is named as best, and what is said of it."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from duelbench.errors import InputError
from duelbench.kernels.interpreting import interpreted
from duelbench.live import advising, candidates
from duelbench.live.advice import (
    Advice,
    AtBudget,
    Expected,
    Favourites,
    best,
    in_words,
    judge,
)
from duelbench.live.advising import Known, advise
from duelbench.live.beliefs import PEOPLE, matrices_with_gap
from duelbench.live.candidates import Played, candidate, play
from duelbench.live.certainty import certainty
from duelbench.live.player import LEARNS_FROM_ANY_PAIR
from duelbench.simulation.simulate import simulate
from duelbench.simulation.streams import streams
from tests.live.playing import CYCLE, begun
from tests.selection import quick

FOUR = np.array([[0.5, 0.6, 0.7, 0.8], [0.4, 0.5, 0.6, 0.7], [0.3, 0.4, 0.5, 0.6], [0.2, 0.3, 0.4, 0.5]])


@pytest.mark.parametrize("id", quick(["rucb", "random", "kelly-elimination"], "rucb"))
def test_what_is_named_after_a_budget_is_what_the_simulated_run_recommends_there(id):
    """There: after the first round by which so many duels of two different arms are over."""
    chosen = candidate(id, 0.05)
    budgets = [5, 12, 20]
    played = play(chosen, FOUR[np.newaxis], budgets, seed=3)
    how = {"seed": 3, "shuffle_arms": True, "cut_at_checkpoints": True, **chosen.parameters}
    with interpreted(math.inf):
        traces = [simulate(chosen.algorithm, FOUR, horizon=t, **how) for t in range(1, 80)]
    for k, budget in enumerate(budgets):
        trace = next(trace for trace in traces if informative(trace) >= budget)
        assert informative(trace) == budget
        assert played.named[0, k] == trace.recommended[-1]


def informative(trace):
    return trace.duels.sum() - np.trace(trace.duels)


def test_a_budget_is_spent_to_the_duel_and_an_answer_ends_a_game_and_stays():
    """Evidence of n wins in a row is 2^(n + 1) B(1/2, n + 1/2) / pi: 15.75 of five, 28.875 of six; 1 / delta is 20."""
    played = play(candidate("rucb", 1e-9), np.array([FOUR] * 5), [7, 20], seed=1)
    assert (played.duels == 20).all() and not played.answered.any()
    certain = np.array([[0.5, 1.0], [0.0, 0.5]])
    chosen = candidate("uniform", 0.05, has_earlier=True)
    played = play(chosen, np.array([certain] * 3), [1, 5, 6, 100], seed=1)
    assert played.answered.tolist() == [[False, False, True, True]] * 3
    assert (played.named == 0).all() and (played.duels == 6).all()
    before = np.array([[0.0, 5.5], [0.0, 0.0]])
    played = play(chosen, certain[np.newaxis], [1, 9], 0, before)
    assert played.answered.tolist() == [[True, True]] and played.duels.tolist() == [1]


@pytest.mark.thorough
def test_interpreted_and_compiled_games_are_the_same(monkeypatch):
    matrices = np.array([FOUR] * 10)
    with monkeypatch.context() as before_it_was_compiled:
        before_it_was_compiled.setattr(candidates, "is_warm", lambda chosen: False)
        interpreted = play(candidate("rucb", 0.05), matrices, [10, 40], seed=2)
    monkeypatch.setattr(candidates, "INTERPRETED_NUMBERS", 0)
    compiled = play(candidate("rucb", 0.05), matrices, [10, 40], seed=2)
    for name in ("named", "answered", "duels"):
        assert (getattr(interpreted, name) == getattr(compiled, name)).all(), name


def test_numbers_of_a_line_are_those_of_a_plain_loop():
    rng = np.random.default_rng(0)
    matrices = np.array([FOUR, FOUR[::-1, ::-1], np.full((4, 4), 0.5)])
    named = rng.integers(4, size=(3, 1))
    none = np.array([[True], [False], [False]])
    (after,) = judge({"a": Played(named, none, np.ones(3))}, matrices, [1])
    rights, regrets, losses = [], [], []
    for P, (arm,) in zip(matrices, named, strict=True):
        beaten = [sum(P[i, j] > 0.5 for j in range(4)) for i in range(4)]
        winners = [i for i in range(4) if beaten[i] == max(beaten)]
        rights.append(arm in winners)
        regrets.append((max(beaten) - beaten[arm]) / 3)
        losses.append(0 if arm in winners else max(P[w, arm] - 0.5 for w in winners))
    line = after.lines["a"]
    assert (line.chance, line.answered) == (np.mean(rights), 1 / 3)
    assert line.regret == pytest.approx(np.mean(regrets)) and line.lost == pytest.approx(np.mean(losses))


@pytest.mark.thorough
def test_intervals_of_all_algorithms_hold_at_once():
    """Seven algorithms with a chance of one half each: all intervals hold it in 95% of the studies at least."""
    rng = np.random.default_rng(1)
    matrices = np.full((100, 2, 2), [[0.5, 0.75], [0.25, 0.5]])
    held = 0
    for _ in range(100):
        played = {
            str(k): Played(rng.integers(2, size=(100, 1)), np.zeros((100, 1), bool), np.ones(100)) for k in range(7)
        }
        (after,) = judge(played, matrices, [1])
        held += all(line.low <= 0.5 <= line.high for line in after.lines.values())
    assert held >= binom.ppf(0.001, 100, 0.95)


@pytest.mark.thorough
def test_the_best_algorithm_is_among_the_best_as_often_as_promised():
    """Ten equally good ones, which depend on each other: whichever counts as best is left out in 5% at most."""
    rng = np.random.default_rng(2)
    left_out = 0
    for _ in range(100):
        common = rng.random(300)
        right = {str(k): (common + rng.random(300)) / 2 < 0.5 for k in range(10)}
        left_out += "0" not in best(right, 0.05)
    assert left_out <= binom.ppf(0.999, 100, 0.05)


@pytest.mark.thorough
def test_advice_depends_on_the_seed_and_not_on_how_many_work():
    def ask(seed, jobs):
        return advise(Known(3), 4, algorithms=["rucb", "uniform"], n_matrices=12, seed=seed, jobs=jobs)

    assert ask(1, 1) == ask(1, 2) != ask(2, 1)


EARLIER = np.array([[0, 6, 3, 1.5], [2, 0, 7, 4], [5, 1, 0, 9], [4.5, 4, 1, 0]])


@pytest.mark.parametrize("id", quick([*sorted(LEARNS_FROM_ANY_PAIR)], "rucb", "uniform", "d-ts"))
def test_after_a_table_a_candidate_makes_the_duels_of_a_warm_started_session(id):
    """Other duels would soon lead to other names. For the half win both throw the same coin."""
    budgets = list(range(1, 61))
    played = play(candidate(id, 1e-9, has_earlier=True), CYCLE[np.newaxis], budgets, seed=5, wins=EARLIER)
    arms = streams(5, 0).arms.permutation(4)  # the order in which the candidate sees them
    reordered = np.ix_(arms, arms)
    stop = {"rule": "e-condorcet", "delta": 1e-9}
    session, judge = begun(id, CYCLE[reordered], 10**6, warm=EARLIER[reordered], stop=stop)
    named = []
    for _ in budgets:
        pair = session.ask()
        assert not pair.offered
        judge.answer(pair)
        named.append(arms[session.arms.index(session.recommend())])
    assert played.named[0].tolist() == named
    without = play(candidate(id, 1e-9), CYCLE[np.newaxis], budgets, seed=5)
    assert played.named[0].tolist() != without.named[0].tolist()


def test_candidates_end_as_sessions_do():
    ids = ("rucb", "kelly-elimination", "savage-sampling")
    ids = [candidate(id, 0.1, earlier).algorithm.id for id in ids for earlier in (False, True)]
    assert ids == [
        *("rucb-until-e-bets", "rucb-until-e-condorcet"),
        *("kelly-elimination", "kelly-elimination-until-e-condorcet"),
        *("savage-sampling-until-e-bets", "savage-sampling-until-e-condorcet"),  # its delta promises nothing
    ]


def test_candidates_that_cannot_be_warm_started_start_cold_and_who_uses_the_horizon_is_told_each_budget():
    many = np.array([FOUR] * 10)
    cold = candidate("ws-w", 1e-9, has_earlier=True)
    with_table, without = (play(cold, many, [1, 5, 20], 2, w) for w in (EARLIER, None))
    assert (with_table.named == without.named).all()
    chosen = candidate("savage-copeland", 0.05)
    together, alone = play(chosen, many, [16, 64], seed=5), play(chosen, many, [64], seed=5)
    assert (together.named[:, 1] == alone.named[:, 0]).all()


def test_what_else_would_do_is_said_with_its_number_and_so_is_what_the_table_alone_reaches():
    def line(chance):
        return Expected(chance, chance - 0.03, chance + 0.03, 0.0, None, 0.0, None, 0.0)

    small = AtBudget(100, {"b": line(0.5), "a": line(0.4)}, ("b",))
    large = AtBudget(800, {"b": line(0.85), "a": line(0.8)}, ("b",))
    now = AtBudget(200, {"a": line(0.7), "b": line(0.6)}, ("a",))
    advice = Advice((small, now, large), 200, Favourites((1,), 0.974))
    assert "800 would do, with b (85.0%)" in " ".join(in_words(replace(advice, favourites=None), 0.8, 0.05))
    assert "100 or fewer b" in in_words(replace(advice, favourites=None), 0.8, 0.05)[-1]
    assert any("no duel is needed" in sentence for sentence in in_words(advice, 0.974, 0.05, ["tuna", "egg"]))
    assert advice.table_reaches(0.974) and not advice.table_reaches(0.975)


def test_a_table_decides_where_certainty_has_an_answer_and_a_large_one_that_leaves_it_open_is_refused():
    tables = [6.0 * np.triu(np.ones((3, 3)), 1) * k for k in range(4)] + [20.0 * np.roll(np.eye(3), 1, axis=1)]
    answers = [advising.decided(wins, 0.05) for wins in tables]
    assert answers == [certainty(wins).answer for wins in tables] and {None, 0} < set(answers)
    with pytest.raises(InputError, match=r"wins: 800,000,000 duels leave open who wins"):
        advise(Known(2, wins=[[0, 4e8], [4e8, 0]]), 10, algorithms=["rucb"], n_matrices=2)
    advice = advise(Known(2, wins=[[0, 4e8], [3e8, 0]]), 10, algorithms=["rucb"], n_matrices=2)
    assert advice.decided == 0 and advice.now.lines["rucb"].answered == 1.0


def test_a_favourite_does_not_depend_on_matrices_and_there_is_none_where_a_table_holds_nothing_or_as_much_for_all():
    def favourites(wins, n_matrices=2):
        return advise(Known(2, wins=wins), 1, algorithms=["uniform"], n_matrices=n_matrices).favourites

    assert favourites([[0, 8], [5, 0]]) == favourites([[0, 8], [5, 0]], 50)
    assert favourites([[0, 8], [5, 0]]).arms == (0,) and 0.5 < favourites([[0, 8], [5, 0]]).chance < 1
    assert favourites([[0, 0], [0, 0]]) is None and set(favourites([[0, 3], [3, 0]]).arms) == {0, 1}


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: Known(2, gap=0.7), "gap 0.7"),
        (lambda: Known(2, gap=0.1, gaps="small"), "all but one"),
        (lambda: Known(1), "n_arms"),
        (lambda: Known(2, wins=[[0, 1.3], [1, 0]]), "'arm 0' against 'arm 1': 1.3"),
        (lambda: Known(2, wins="games.csv"), "wins must be a table"),
        (lambda: Known(2, wins=[[0, 1], [2, 0]], names=["tuna"]), "1 names for 2 arms"),
        (lambda: advise(Known(2), 0), "duels must be a whole number from 1"),
        (lambda: advise(Known(2), 5, n_matrices=0), "n_matrices"),
        (lambda: advise(Known(2), 5, algorithms="rucb"), "list of ids"),
        (lambda: advising.drawn(Known(1000), 2, 0), "1000 arms are more than the 100"),
        (lambda: advising.drawn(Known(50, wins=np.zeros((50, 50))), 2, 0), "leave out the table, or arms"),
        (lambda: candidate("rucbb", 0.05), "'rucb'"),
        (lambda: candidate("ucb1", 0.05), "plays no duels"),
        (lambda: matrices_with_gap(PEOPLE, 50, 0.499999, 10, np.random.default_rng(0)), r"the gap 0\.499999"),
    ],
)
def test_what_makes_no_sense_is_refused(ask, said):
    with pytest.raises(InputError, match=said):
        ask()
