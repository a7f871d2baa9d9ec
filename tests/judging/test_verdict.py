"""What a session says about the best arm: a name only for an arm that leads in all of its pairs."""

import random

import numpy as np
import pytest

from duelbench import Session
from duelbench.errors import InputError
from duelbench.judging.cycles import repeats_agree, repeats_agree_beyond_chance, shortest_cycle, tally
from duelbench.judging.judges import REPEATS
from duelbench.judging.known import known, sentences

BEATS = {("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")}
RULES = ({"rule": "e-bets"}, {"rule": "e-condorcet"}, {"rule": "glr-condorcet"})


def judged(session, winner_of, most=3000):
    """Answer until the session is done."""
    while session.told < most and (pair := session.ask()) is not None:
        session.tell(pair, winner_of(pair))
    return session


def circle(pair):
    return pair[0] if tuple(pair) in BEATS else pair[1]


@pytest.mark.parametrize("stop", RULES)
@pytest.mark.parametrize("algorithm", ["d-ts-plus", "self-sparring", "rucb"])
def test_a_judge_in_a_cycle_gets_no_name(stop, algorithm):
    session = judged(Session(algorithm, ["rock", "paper", "scissors"], stop=stop), circle)
    assert (session.done, session.verdict, session.answer) == (True, "no winner", None)
    status = session.status()
    assert "no arm beats all others (rock > scissors > paper > rock)" in status, status
    assert "at most 0.1 (" in status  # two tests, each with delta = 0.05
    assert known(session)["verdict"] == "no winner"


def test_so_does_the_test_of_an_algorithm():
    session = judged(Session("kelly-elimination", ["rock", "paper", "scissors"], seed=1), circle)
    assert (session.verdict, session.answer) == ("no winner", None)


def test_few_sessions_with_a_judge_who_mostly_goes_round_in_a_circle_get_a_name():
    named = 0
    for seed in range(40):
        coin = random.Random(seed)
        session = Session("d-ts-plus", ["rock", "paper", "scissors", "lizard"], seed=seed)

        def judge(pair, coin=coin):
            if "lizard" in pair:
                return next(name for name in pair if name != "lizard")
            winner = circle(pair)
            return winner if coin.random() < 0.8 else next(name for name in pair if name != winner)

        named += judged(session, judge).answer is not None
    assert named <= 4


def test_the_answer_leads_in_each_of_its_pairs_and_is_the_first_of_the_ranking():
    for seed in range(20):
        coin = random.Random(seed)
        session = Session("d-ts-plus", ["a", "b", "c", "d"], seed=seed)
        judged(session, lambda pair, coin=coin: min(pair) if coin.random() < 0.7 else max(pair))
        arm = session.arms.index(session.answer)
        lead = session.wins[arm] - session.wins[:, arm]
        assert (lead[(session.wins + session.wins.T)[arm] > 0] > 0).all()
        assert session.recommend() == session.ranking()[0] == session.answer == known(session)["arms"][0]["name"]


def test_a_doubtful_pair_that_is_skipped_lets_others_have_their_turn():
    session = Session("d-ts-plus", ["rock", "paper", "scissors"], seed=2, stop={"rule": "e-condorcet"})
    while len(session.may_still_win()) > 1:
        session.tell(session.ask(), circle(session.out[-1]))
    doubtful = session.ask()
    assert not session.done and doubtful.offered
    session.skip(doubtful)
    assert {*session.ask()} != {*doubtful}
    assert judged(session, circle).verdict == "no winner"


def test_a_session_is_undecided_until_it_is_done():
    session = Session("rucb", ["a", "b", "c"])
    assert session.verdict == "undecided" and session.recommend() == "a" and session.may_still_win() == ("a", "b", "c")
    session.tell(("c", "b"), "c", evidence=True)
    assert session.recommend() == "c"
    assert "undecided; c is ahead by a Bradley-Terry fit" in session.status()


def test_strengths_come_with_ordinary_intervals_in_the_order_of_the_ranking():
    session = Session("rucb", ["a", "b"])
    for winner in "bbba":
        session.tell(("a", "b"), winner, evidence=True)
    (name, (share, low, high)), _ = session.strengths().items()
    assert name == "b" and 0.2 < low < 0.5 < share < high < 0.95
    arm = known(session)["arms"][0]
    assert (arm["strength"], arm["strength_low"]) == (share, low)
    assert arm["borda_low"] < low and high < arm["borda_high"]  # those that hold at every look are wider


# --- answers that repeat ---


@pytest.mark.parametrize("n_arms", [5, 8])
def test_a_judge_who_always_answers_a_pair_alike_is_noticed(n_arms):
    random_order = random.Random(3)
    noticed = 0
    for seed in range(10):
        prefers = {}
        session = Session("d-ts-plus", list("abcdefgh"[:n_arms]), seed=seed)

        def judge(pair, prefers=prefers):
            return prefers.setdefault(frozenset(pair), random_order.choice(pair))

        judged(session, judge)
        noticed += session.repeats_agree_beyond_chance
        assert session.repeats_agree and REPEATS in sentences(known(session))
    assert noticed >= 6  # the others ended before it was improbable


def test_hardly_any_judge_who_answers_independently_is_suspected():
    suspected = 0
    for seed in range(30):
        coin = random.Random(seed)
        session = Session("d-ts-plus", ["a", "b", "c", "d", "e"], seed=seed)
        judged(session, lambda pair, coin=coin: min(pair) if coin.random() < 0.85 else max(pair))
        suspected += session.repeats_agree_beyond_chance
    assert suspected <= 1


def test_few_repeats_and_ties_say_nothing_and_other_inputs_are_other_questions():
    even = np.full((3, 3), 0.5)
    assert not repeats_agree(tally([((0, 1, None), 0)] * 3))
    assert repeats_agree(tally([((0, 1, None), 0)] * 4))
    assert not repeats_agree(tally([((0, 1, None), None)] * 50))
    assert not repeats_agree(tally([((0, 1, None), 0)] * 4 + [((0, 1, None), None)]))
    assert not repeats_agree(tally([((0, 1, f"input {k}"), 0) for k in range(50)]))
    assert repeats_agree_beyond_chance(tally([((0, 1, "input"), 0)] * 11), even)
    assert not repeats_agree_beyond_chance(tally([((0, 1, "input"), 0)] * 10), even)  # 2 / 2^10 is more than 1 / 1000
    assert repeats_agree_beyond_chance(
        tally([((0, 1, None), 0), ((1, 0, None), 1)] * 7), even
    )  # a judge who goes by the place


def test_the_shortest_cycle_is_found_and_none_in_an_order():
    assert shortest_cycle(np.triu(np.ones((4, 4)), 1)) == []
    wins = np.array([[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1, 1, 0, 0]])
    assert shortest_cycle(wins) == [1, 2, 3]


# --- each pair once ---


def test_each_pair_is_asked_at_most_once_until_an_arm_has_beaten_all_others():
    session = judged(Session("rucb", list("dbacef"), once=True), min)
    assert session.answer == "a" and session.told < 15
    assert (session.wins + session.wins.T).max() == 1
    assert "a has beaten all others; each pair was asked at most once" in session.status()


def test_in_a_cycle_all_pairs_are_asked_once():
    session = judged(Session("rucb", ["rock", "paper", "scissors"], once=True), circle)
    assert session.told == 3 and session.verdict == "no winner"
    assert "rock > scissors > paper > rock" in session.status() and not session.repeats_agree_beyond_chance


def test_a_pair_that_is_out_skipped_or_forbidden_is_not_asked_again(tmp_path):
    with Session("rucb", list("abc"), once=True, forbidden=[("a", "b")], log=tmp_path / "log.jsonl") as session:
        pair = session.ask()
        session.skip(pair)
        assert {*session.ask()} != {*pair}
        assert {*session.ask()} == {*pair} and session.ask() is None
        for question in session.out:
            session.tie(question)
        assert session.verdict == "no winner" and session.told == 2
    with Session.open(tmp_path / "log.jsonl") as again:
        assert again.verdict == "no winner" and again.settings["once"]


def test_once_goes_with_no_stopping_rule():
    with pytest.raises(InputError, match="each pair is asked once, so no stopping rule can be used"):
        Session("rucb", ["a", "b"], once=True, stop={"rule": "e-bets"})
    with pytest.raises(InputError, match="a tie cannot be asked again"):
        Session("rucb", ["a", "b"], once=True, ties="drop")
    with pytest.raises(InputError, match="once must be True or False"):
        Session("rucb", ["a", "b"], once=1)


# --- an answer in words ---


def test_what_the_rule_says_and_who_is_ahead_are_told_apart():
    session = Session("uniform", ["a", "b", "c"], stop={"rule": "e-condorcet"})
    for winner, loser, n in (("a", "b", 2), ("c", "a", 14), ("b", "c", 1)):
        for _ in range(n):
            session.tell((winner, loser), winner, evidence=True)
    left = session.may_still_win()
    assert left is not None and session.recommend() == "c" and "a" not in left
    words = " ".join(sentences(known(session)))
    assert "If one arm beats all others, it is one of c, b." in words


def test_level_arms_are_not_ahead_of_each_other():
    session = Session("rucb", ["a", "b"])
    session.tie(("a", "b"), evidence=True)
    assert session.status().endswith("undecided; no arm is ahead")
