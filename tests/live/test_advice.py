"""Advice: what is counted, what is played, who is named as best, and what is said of it."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from duelbench.errors import InputError
from duelbench.kernels.interpreting import interpreted
from duelbench.live import advising, candidates
from duelbench.live.advice import Advice, AtBudget, Line, best, budgets_around, in_words, judge
from duelbench.live.advising import Known, advise
from duelbench.live.candidates import Played, candidate, play
from duelbench.simulation.simulate import simulate
from tests.selection import quick

TWO = np.array([[0.5, 0.75], [0.25, 0.5]])
FOUR = np.array([[0.5, 0.6, 0.7, 0.8], [0.4, 0.5, 0.6, 0.7], [0.3, 0.4, 0.5, 0.6], [0.2, 0.3, 0.4, 0.5]])


def informative(trace):
    return trace.duels.sum() - np.trace(trace.duels)


@pytest.mark.parametrize("id", quick(["rucb", "d-ts", "random", "kelly-elimination", "sparring"], "rucb"))
def test_what_is_named_after_a_budget_is_what_the_simulated_run_recommends_there(id):
    """There: after the first round by which so many duels of two different arms are over."""
    chosen = candidate(id, 0.05)
    budgets = [5, 12, 20]
    played = play(chosen, FOUR[np.newaxis], budgets, seed=3)
    for k, budget in enumerate(budgets):
        t, trace = next((t, trace) for t, trace in simulated(chosen) if informative(trace) >= budget)
        assert informative(trace) == budget
        assert played.named[0, k] == trace.recommended[-1], t


def simulated(chosen):
    """Runs of 1, 2, 3, ... rounds."""
    with interpreted(math.inf):
        for t in range(1, 200):
            how = {"seed": 3, "shuffle_arms": True, "cut_at_checkpoints": True}
            yield t, simulate(chosen.algorithm, FOUR, horizon=t, **how, **chosen.parameters)


def test_a_budget_is_spent_to_the_duel_and_no_further():
    played = play(candidate("rucb", 1e-9), np.array([FOUR] * 5), [7, 20], seed=1)
    assert (played.duels == 20).all() and not played.answered.any()


def test_an_answer_ends_a_game_and_stays():
    certain = np.array([[0.5, 1.0], [0.0, 0.5]])
    played = play(candidate("uniform", 0.05), np.array([certain] * 3), [1, 5, 6, 100], seed=1)
    # Of two arms the evidence of n wins in a row is about 2^(n + 1) B(1/2, n + 1/2) / pi: 15.75 after five, 28.875
    # after six; and 1 / delta is 20.
    assert played.answered.tolist() == [[False, False, True, True]] * 3
    assert (played.named == 0).all() and (played.duels == 6).all()


def test_an_algorithm_that_uses_the_horizon_is_told_each_budget():
    chosen = candidate("batched-elimination", 0.05)
    assert not chosen.algorithm.is_anytime(chosen.algorithm.resolve(chosen.parameters))
    together = play(chosen, np.array([FOUR] * 20), [16, 64], seed=5)
    alone = play(chosen, np.array([FOUR] * 20), [64], seed=5)
    assert (together.named[:, 1] == alone.named[:, 0]).all()


def test_interpreted_and_compiled_games_are_the_same(monkeypatch):
    matrices = np.array([FOUR] * 10)
    interpreted = play(candidate("rucb", 0.05), matrices, [10, 40], seed=2)
    monkeypatch.setattr(candidates, "INTERPRETED_NUMBERS", 0)
    compiled = play(candidate("rucb", 0.05), matrices, [10, 40], seed=2)
    for name in ("named", "answered", "duels"):
        assert (getattr(interpreted, name) == getattr(compiled, name)).all(), name


def test_the_chance_of_two_arms_is_that_of_a_majority():
    """Uniform has one pair; with an odd budget the arm with more wins is named: a binomial probability."""
    n = 2000
    played = play(candidate("uniform", 1e-9), np.array([TWO] * n), [5], seed=8)
    (after,) = judge({"uniform": played}, np.array([TWO] * n), [5])
    truth = binom.sf(2, 5, 0.75)
    assert abs(after.lines["uniform"].chance - truth) < 4 * np.sqrt(truth * (1 - truth) / n)
    assert after.lines["uniform"].lost == pytest.approx(0.25 * (1 - after.lines["uniform"].chance))


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


def test_intervals_of_all_algorithms_hold_at_once():
    """Seven algorithms with a chance of one half each: all intervals hold it in 95% of the studies at least."""
    rng = np.random.default_rng(1)
    matrices = np.array([TWO] * 100)
    held = 0
    for _ in range(400):
        played = {
            str(k): Played(rng.integers(2, size=(100, 1)), np.zeros((100, 1), bool), np.ones(100)) for k in range(7)
        }
        (after,) = judge(played, matrices, [1])
        held += all(line.low <= 0.5 <= line.high for line in after.lines.values())
    assert held >= binom.ppf(0.001, 400, 0.95)


def test_the_best_algorithm_is_among_the_best_as_often_as_promised():
    """Ten equally good ones, which depend on each other: whichever counts as best is left out in 5% at most."""
    rng = np.random.default_rng(2)
    left_out = 0
    for _ in range(400):
        common = rng.random(300)
        right = {str(k): (common + rng.random(300)) / 2 < 0.5 for k in range(10)}
        left_out += "0" not in best(right, 0.05)
    assert left_out <= binom.ppf(0.999, 400, 0.05)


def test_an_algorithm_that_is_much_worse_is_not_among_the_best():
    right = {"good": np.ones(100, bool), "bad": np.arange(100) < 80, "same": np.ones(100, bool)}
    assert best(right, 0.05) == ["good", "same"]


@pytest.mark.parametrize("duels", [1, 2, 7, 200, 12_345])
def test_budgets_increase_and_hold_the_one_that_was_asked_about(duels):
    budgets = budgets_around(duels)
    assert duels in budgets and budgets == sorted(set(budgets)) and budgets[0] >= 1
    assert budgets[-1] == pytest.approx(4 * duels, rel=0.05)


def test_advice_depends_on_the_seed_and_not_on_how_many_work():
    def ask(seed, jobs):
        return advise(Known(3), 10, algorithms=["rucb", "uniform"], n_matrices=30, seed=seed, jobs=jobs)

    assert ask(1, 1) == ask(1, 2) != ask(2, 1)


def test_after_many_duels_of_each_pair_the_chance_is_that_on_the_matrix_itself():
    wins = 1e5 * FOUR * (1 - np.eye(4))
    known, unknown = (
        advise(one, 20, algorithms=["rucb"], n_matrices=100).now.lines["rucb"]
        for one in (Known(4, wins=wins), Known(4))
    )
    assert known.low > 0 and known.lost != unknown.lost


def test_the_rule_counts_duels_of_before():
    """28.875 > 20 is the evidence of six wins in a row: five of before and one now."""
    certain = np.array([[[0.5, 1.0], [0.0, 0.5]]])
    played = play(candidate("uniform", 0.05), certain, [1, 9], 0, np.array([[0.0, 5.5], [0.0, 0.0]]))
    assert played.answered.tolist() == [[True, True]] and played.duels.tolist() == [1]


def test_too_many_arms_are_refused_with_the_mend():
    with pytest.raises(InputError, match="1000 arms are more than the 100"):
        advising.drawn(Known(1000), 2, 0)
    with pytest.raises(InputError, match=r"leave out the table, or arms"):
        advising.drawn(Known(50, wins=np.zeros((50, 50))), 2, 0)


@pytest.mark.parametrize(
    ("id", "words"),
    [
        ("rucbb", "did you mean 'rucb'"),
        ("rucb-until-pairs", "name the algorithm alone, rucb"),
        ("ucb1", "plays no duels"),
    ],
)
def test_what_cannot_be_a_candidate_is_refused(id, words):
    with pytest.raises(InputError, match=words):
        candidate(id, 0.05)


def test_usual_candidates_exist_and_their_tests_keep_the_error_that_is_asked_for():
    for id in candidates.USUAL:
        chosen = candidate(id, 0.01)
        resolved = chosen.algorithm.resolve(chosen.parameters)
        assert resolved["stop_delta" if chosen.rule else "delta"] == 0.01
    assert candidate("lucb-borda", 0.05).rule and not candidate("kelly-elimination", 0.05).rule


def line(chance):
    return Line(chance, chance - 0.03, chance + 0.03, 0.0, None, 0.0, None, 0.0)


def at(duels, best, **chances):
    ordered = dict(sorted(chances.items(), key=lambda item: -item[1]))
    return AtBudget(duels, {id: line(chance) for id, chance in ordered.items()}, best)


def test_sentences_say_what_is_missing_and_where_the_advice_changes():
    advice = Advice(
        (
            at(100, ("b",), a=0.4, b=0.5),
            at(200, ("a", "c"), a=0.7, b=0.6, c=0.69),
            at(400, ("a",), a=0.75, b=0.7),
            at(800, ("b",), a=0.8, b=0.85),
        ),
        200,
        (0, 0.25),
    )
    assert in_words(advice, 0.8) == [
        "Take a: with 200 duels it names a Copeland winner with a chance of 70% [67, 73].",
        "c may be as good: these simulations cannot tell.",
        "No algorithm reaches 80% with 200 duels: 800 would do, with b (85%).",
        "The advice changes with the number of duels: with 100 or fewer b is better; with 800 or more b is better.",
    ]
    assert in_words(advice, 0.45)[2] == "For 45%, 100 duels would do, with b (50%)."
    assert in_words(advice, 0.9)[2].startswith("No algorithm reaches 90%, not with 800 duels either")


def test_where_a_table_alone_does_no_worse_that_is_said():
    names = ["tuna", "egg"]
    alone = Advice((at(10, ("a",), a=0.5),), 10, (1, 0.48))
    said = "The table alone, without any of them, names egg with a chance of 48%: algorithms begin without it."
    assert said in in_words(alone, 0.8, names)
    assert not any("table" in sentence for sentence in in_words(alone, 0.8))
    better = Advice((at(10, ("a",), a=0.5),), 10, (1, 0.46))
    assert not any("table" in sentence for sentence in in_words(better, 0.8, names))


def test_one_budget_alone_has_sentences_too():
    advice = Advice((at(1, ("a",), a=0.8),), 1, (0, 0.25))
    assert in_words(advice, 0.8)[1:] == [
        "Of the budgets that were tried it is the smallest with which 80% are reached.",
        "From 1 to 1 duel no other algorithm was shown to be better.",
    ]
