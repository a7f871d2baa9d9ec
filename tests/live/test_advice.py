"""Advice: what is counted, what is played, who is named as best, and what is said of it."""

import contextlib
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom, norm

from duelbench.errors import InputError
from duelbench.kernels.interpreting import interpreted
from duelbench.live import advising, candidates
from duelbench.live.advice import (
    Advice,
    AtBudget,
    Favourites,
    Line,
    best,
    budgets_around,
    favourites_in_words,
    in_words,
    judge,
)
from duelbench.live.advising import Known, advise
from duelbench.live.candidates import Played, candidate, play
from duelbench.live.certainty import certainty
from duelbench.live.player import LEARNS_FROM_ANY_PAIR
from duelbench.simulation.simulate import simulate
from duelbench.simulation.streams import streams
from tests.live.playing import CYCLE, begun
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
    with monkeypatch.context() as before_it_was_compiled:
        before_it_was_compiled.setattr(candidates, "is_warm", lambda chosen: False)
        interpreted = play(candidate("rucb", 0.05), matrices, [10, 40], seed=2)
    monkeypatch.setattr(candidates, "INTERPRETED_NUMBERS", 0)
    compiled = play(candidate("rucb", 0.05), matrices, [10, 40], seed=2)
    for name in ("named", "answered", "duels"):
        assert (getattr(interpreted, name) == getattr(compiled, name)).all(), name


@pytest.mark.parametrize("warm", [False, True])
def test_what_is_compiled_already_is_played_so_however_few_the_games(monkeypatch, warm):
    how = []
    monkeypatch.setattr(candidates, "is_warm", lambda chosen: warm)
    monkeypatch.setattr(candidates, "interpreted", lambda most: how.append(most) or contextlib.nullcontext())
    play(candidate("rucb", 0.05), np.array([FOUR]), [10], seed=2)
    assert bool(how) is not warm


def test_many_short_games_of_few_arms_are_compiled():
    rucb = candidate("rucb", 0.05)
    assert candidates.are_compiled(rucb, 300, 3, [160])  # 25 s where they are interpreted
    assert not candidates.are_compiled(rucb, 20, 3, [160])


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


CYCLE_OF_BEFORE = np.array([[0, 6, 3, 1.5], [2, 0, 7, 4], [5, 1, 0, 9], [4.5, 4, 1, 0]])


@pytest.mark.parametrize("id", quick([*sorted(LEARNS_FROM_ANY_PAIR)], "rucb", "uniform", "d-ts"))
def test_after_a_table_a_candidate_makes_the_duels_of_a_session_that_is_told_of_it(id):
    """Other duels would soon lead to other names. For the half win both throw the same coin."""
    budgets = list(range(1, 61))
    played = play(candidate(id, 1e-9), CYCLE[np.newaxis], budgets, seed=5, wins=CYCLE_OF_BEFORE)
    arms = streams(5, 0).arms.permutation(4)  # the order in which the candidate sees them
    reordered = np.ix_(arms, arms)
    stop = {"rule": "e-condorcet", "delta": 1e-9}
    session, judge = begun(id, CYCLE[reordered], 10**6, warm=CYCLE_OF_BEFORE[reordered], stop=stop)
    named = []
    for _ in budgets:
        pair = session.ask()
        assert not pair.offered
        judge.answer(pair)
        named.append(arms[session.arms.index(session.recommend())])
    assert played.named[0].tolist() == named
    without = play(candidate(id, 1e-9), CYCLE[np.newaxis], budgets, seed=5)
    assert played.named[0].tolist() != without.named[0].tolist()


def test_a_few_duels_after_a_large_table_do_not_undo_it():
    """Uniform names who has won most of all duels, those of the table too: five cannot change a lead of twenty."""
    wins = np.array([[0, 30, 35], [10, 0, 30], [5, 10, 0]])
    played = play(candidate("uniform", 1e-9), np.array([1 - FOUR[:3, :3]] * 20), [5], 0, wins)
    assert (played.named == 0).all()


def test_candidates_that_cannot_be_told_begin_without_the_table():
    budgets = [1, 5, 20]
    with_table, without = (
        play(candidate("ws-w", 1e-9), np.array([FOUR] * 10), budgets, 2, wins) for wins in (CYCLE_OF_BEFORE, None)
    )
    assert (with_table.named == without.named).all()


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
    )
    assert in_words(advice, 0.8, 0.05) == [
        "Take a: with 200 duels it names a Copeland winner with a chance of 70.0% [67.0, 73.0].",
        "c may be as good: these simulations cannot tell.",
        "No algorithm reaches 80% with 200 duels: 800 would do, with b (85.0%).",
        "The advice changes with the number of duels: with 100 or fewer b is better; with 800 or more b is better.",
    ]
    assert in_words(advice, 0.45, 0.05)[2] == "For 45%, 100 duels or fewer would do, with b (50.0%)."
    assert in_words(advice, 0.9, 0.05)[2].startswith("No algorithm reaches 90%, not with 800 duels either")
    larger = replace(advice, duels=800)
    assert in_words(larger, 0.7, 0.05)[1] == "For 70%, 200 duels would do, with a (70.0%)."


@pytest.mark.parametrize(("chance", "duels", "printed"), [(0.7996, 10, "80.0%"), (0.7994, 20, "79.9%")])
def test_a_chance_reaches_the_one_wanted_where_it_is_printed_so(chance, duels, printed):
    advice = Advice((at(10, ("a",), a=chance), at(20, ("a",), a=0.9)), 10)
    said = in_words(advice, 0.8, 0.05)
    assert advice.first_with(0.8).duels == duels
    assert printed in said[0] and ("No algorithm reaches 80%" in said[1]) == (duels > 10)


def test_where_a_table_alone_does_no_worse_that_is_said():
    names = ["tuna", "egg"]
    alone = Advice((at(10, ("a",), a=0.5),), 10, Favourites((1,), 0.48))
    said = (
        "Whoever names egg by the table alone is right with a chance of 48.0%: no algorithm was shown to do better with"
        " 10 duels."
    )
    assert said in in_words(alone, 0.8, 0.05, names)
    better = Advice((at(10, ("a",), a=0.5),), 10, Favourites((1,), 0.46))
    assert not any("table" in sentence for sentence in in_words(better, 0.8, 0.05, names))


def test_where_the_table_alone_is_better_than_any_algorithm_that_is_said_before_one_is_named():
    alone = Advice((at(10, ("a",), a=0.5),), 10, Favourites((1,), 0.62))
    assert in_words(alone, 0.8, 0.05, ["tuna", "egg"])[:2] == [
        "Whoever names egg by the table alone is right with a chance of 62.0%: no algorithm does as well with 10"
        " duels.",
        "If they are judged all the same, take a: with 10 duels it names a Copeland winner with a chance of 50.0%"
        " [47.0, 53.0].",
    ]


def test_where_the_table_decides_that_is_said_first():
    line = (at(10, ("a",), a=0.5),)
    first = in_words(Advice(line, 10, decided=1), 0.8, 0.05, ["tuna", "egg"])[0]
    assert first == (
        "The table already decides: egg wins (the rule e-condorcet, wrong with a probability of 5% at most), and no"
        " other duel is needed."
    )
    assert "that no arm beats all others" in in_words(Advice(line, 10, decided=-1), 0.8, 0.05)[0]


@pytest.mark.parametrize("answer", [0, -1])
def test_where_the_table_decides_nothing_is_said_of_budgets_and_one_sentence_of_algorithms(answer):
    budgets = (at(5, ("b",), a=0.8, b=0.9), at(10, ("a", "b"), a=0.9, b=0.89), at(20, ("b",), a=0.9, b=0.95))
    for likeliest in (None, Favourites((0,), 0.5), Favourites((0,), 0.974)):
        said = in_words(Advice(budgets, 10, likeliest, answer), 0.8, 0.05)
        assert said[1:] == [
            "If they are judged all the same, take a: with 10 duels it names a Copeland winner with a chance of 90.0%"
            " [87.0, 93.0]."
        ]


def test_where_the_table_alone_reaches_the_chance_wanted_no_duel_is_needed_for_it():
    budgets = (at(5, ("a",), a=0.9), at(10, ("a",), a=0.99))
    advice = Advice(budgets, 10, Favourites((1,), 0.974))
    no_duel = "For {}%, no duel is needed: naming egg by the table alone reaches it (97.4%)."
    for wanted, said in ((0.8, no_duel.format(80)), (0.974, no_duel.format(97.4))):
        assert said in in_words(advice, wanted, 0.05, ["tuna", "egg"])
        assert advice.table_reaches(wanted)
    assert not advice.table_reaches(0.975) and not Advice(budgets, 10).table_reaches(0.1)
    assert not any("no duel is needed" in sentence for sentence in in_words(advice, 0.975, 0.05))


def test_a_table_decides_where_certainty_has_an_answer():
    tables = [6.0 * np.triu(np.ones((3, 3)), 1) * k for k in range(4)] + [20.0 * np.roll(np.eye(3), 1, axis=1)]
    answers = [advising.decided(wins, 0.05) for wins in tables]
    assert answers == [certainty(wins).answer for wins in tables]
    assert {None, 0} < set(answers)


def test_the_favourite_is_who_summing_over_a_fine_grid_says_and_matrices_do_not_matter():
    wins = np.array([[0, 8], [5.0, 0]])
    few, many = (advise(Known(2, wins=wins), 1, algorithms=["uniform"], n_matrices=n) for n in (2, 50))
    assert few.favourites == many.favourites
    z, d = np.meshgrid(np.linspace(-5, 5, 401), np.linspace(-8, 8, 1601), indexing="ij")
    p = 1 / (1 + np.exp(-0.75 * np.exp(0.5 * z) * d))
    density = norm.pdf(z) * norm.pdf(d, scale=np.sqrt(2 + 0.15**2)) * p**8 * (1 - p) ** 5
    truth = (density * (p > 0.5)).sum() / (density * (p != 0.5)).sum()
    assert few.favourites.arms == (0,)
    assert few.favourites.chance == pytest.approx(truth, abs=0.01)


def test_where_a_table_holds_nothing_or_as_much_for_all_nobody_is_the_favourite():
    empty = advise(Known(2, wins=np.zeros((2, 2))), 1, algorithms=["uniform"], n_matrices=2)
    assert empty.favourites is None
    assert favourites_in_words(None, 2) == "the table says nothing yet: there is no duel in it"
    even = advise(Known(2, wins=[[0, 3], [3, 0]]), 1, algorithms=["uniform"], n_matrices=2)
    assert "no arm is likelier" in favourites_in_words(even.favourites, 2)


def test_one_budget_alone_has_sentences_too():
    advice = Advice((at(1, ("a",), a=0.8),), 1)
    assert in_words(advice, 0.8, 0.05)[1:] == [
        "Of the budgets that were tried it is the smallest with which 80% are reached.",
        "From 1 to 1 duel no other algorithm was shown to be better.",
    ]


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ({"gap": 0.7}, "gap 0.7: write a number between 0 and 0.5, both excluded"),
        ({"gap": "wide"}, "gap wide: write a number"),
        ({"gaps": "big"}, "there are no gaps 'big' (there are small, middling, large)"),
        ({"gap": 0.1, "gaps": "small"}, "leave out all but one of them"),
        ({"gap": 0.1, "wins": [[0, 1], [1, 0]]}, "leave out all but one of them"),
        ({"n_arms": 1}, "n_arms must be a whole number from 2"),
        ({"n_arms": 2.5}, "n_arms must be a whole number from 2"),
        ({"wins": [[0, 1.3], [1, 0]]}, "wins: 'arm 0' against 'arm 1': 1.3 wins; write a whole number from 0"),
        ({"wins": [[0, 1, 2], [1, 0, 3], [4, 5, 0]]}, "wins: 3 x 3 counts for 2 arms"),
        ({"wins": [[0, -1], [1, 0]], "names": ["tuna", "egg"]}, "wins: 'tuna' against 'egg': -1 wins"),
        ({"wins": "games.csv"}, "wins must be a table of wins, 2 x 2"),
        ({"wins": [[0, 1], [2, 0]], "names": ["tuna"]}, "there are 1 names for 2 arms"),
    ],
)
def test_what_cannot_be_known_is_refused(known, said):
    with pytest.raises(InputError) as caught:
        Known(**{"n_arms": 2, **known})
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"duels": 0}, "duels must be a whole number from 1 to 100_000, got 0"),
        ({"duels": 12.5}, "duels must be a whole number"),
        ({"n_matrices": 0}, "n_matrices must be a whole number from 2"),
        ({"seed": -1}, "seed must be a whole number from 0"),
        ({"jobs": 0}, "jobs must be a whole number from 1"),
        ({"error": 2}, "error 2: write a number between 0 and 1, both excluded"),
        ({"algorithms": "rucb"}, "algorithms must be a list of ids"),
        ({"algorithms": []}, "algorithms must be a list of ids"),
    ],
)
def test_what_cannot_be_asked_is_refused(asked, said):
    with pytest.raises(InputError) as caught:
        advise(Known(2), **{"duels": 5, **asked})
    assert said in str(caught.value)


def test_a_whole_number_of_duels_may_be_a_float():
    advice = advise(Known(2), 4.0, algorithms=["uniform"], n_matrices=2)
    assert [one.duels for one in advice.budgets] == budgets_around(4) and type(advice.duels) is int


def test_a_large_table_is_refused_only_where_it_leaves_open_who_wins():
    even, clear = np.array([[0, 4e8], [4e8, 0]]), np.array([[0, 4e8], [3e8, 0]])
    with pytest.raises(InputError, match=r"wins: 800,000,000 duels leave open who wins, .* 1,000,000 at most"):
        advise(Known(2, wins=even), 10, algorithms=["rucb"], n_matrices=2)
    advice = advise(Known(2, wins=clear), 10, algorithms=["rucb"], n_matrices=2)
    assert advice.decided == 0 and advice.now.lines["rucb"].answered == 1.0
