"""The table of judges: what it counts, and who is warned of."""

import random

import numpy as np
import pytest

from duelbench import Session
from duelbench.cli.live.knowledge import lines_of
from duelbench.judging.judges import REPEATS, Watch, records, weighed
from duelbench.judging.known import known, sentences

NAMES = [f"arm {k}" for k in range(5)]


def event(kind, number, first, second, winner=None, judge=None, second_of_day=0):
    at = f"2026-01-01T00:{second_of_day // 60:02}:{second_of_day % 60:02}Z"
    asked = {"event": kind, "number": number, "first": first, "second": second}
    return {**asked, "winner": winner, "judge": judge, "time": at}


def test_a_judge_is_counted_and_compared_with_the_others_and_with_the_ranking():
    said = [("ann", "a"), ("bob", "a"), ("ann", "a"), ("bob", "a"), ("eve", "b"), ("ann", None)]
    events = []
    for number, (judge, winner) in enumerate(said):
        events.append(event("ask", number, "a", "b", second_of_day=10 * number))
        events.append(event("answer", number, "a", "b", winner, judge, second_of_day=10 * number + number))
    ann, bob, eve = records(events, ["a", "b", "c"])
    assert (ann.judge, ann.answers, ann.ties, ann.seconds) == ("ann", 3, 1, 2.0)
    assert (ann.first.n, ann.first.share, eve.first.share) == (2, 1.0, 0.0)
    assert (ann.ranking.n, ann.ranking.share, bob.ranking.share, eve.ranking.share) == (2, 1.0, 1.0, 0.0)
    assert (ann.others.n, ann.others.share, eve.others.share) == (1, 1.0, 0.0)
    assert 0 < ann.ranking.low < ann.ranking.high == 1.0
    assert ann.warning == ""


def test_agreement_with_others_is_said_with_its_number_of_pairs():
    with Session("rucb", ["a", "b"], stop=False) as session:
        for judge in ("ann", "bob"):
            session.tell(("a", "b"), "a", judge=judge, evidence=True)
        assert sum("  1 of 1  " in line for line in lines_of(known(session))) == 2


def warned(answer, n, seed=1):
    """What is said while a judge answers, and the session."""
    said = []
    session = Session("uniform", NAMES, seed=seed, stop=False)
    watch = Watch(session, said.append)
    for _ in range(n):
        pair = session.ask()
        session.tell(pair, answer(pair), judge="ann")
        watch()
    return said, session


def test_a_judge_by_position_and_one_at_random_are_warned_of_once():
    for place, shown in enumerate(("first", "second")):
        warnings, session = warned(lambda pair, place=place: pair[place], 60)
        (said,) = (text for text in warnings if text != REPEATS)
        assert said.startswith(f"The judge ann prefers the arm shown {shown} in 100% of 20 answers")
    assert sum("shown" in sentence for sentence in sentences(known(session))) == 1
    coin = random.Random(3)
    (said,), session = warned(lambda pair: pair[coin.random() < 0.5], 700)
    assert "hardly more than a coin" in said
    assert session.judge_records()[0].ranking.low < 0.5


@pytest.mark.parametrize("p, n_warnings", [(1.0, 1), (0.6, 0)])
def test_a_judge_by_position_is_warned_of_when_asked_in_both_orders(p, n_warnings):
    coin, said = random.Random(5), []
    session = Session("uniform", NAMES, stop=False)
    watch = Watch(session, said.append)
    for _ in range(100):
        session.tie(session.ask(), flipped=coin.random() < p)
        watch()
    assert len(said) == n_warnings and all("with the order in 100% of 20 duels" in text for text in said)


@pytest.mark.parametrize("error", [0.0, 0.15, 0.3])
def test_a_judge_with_an_opinion_is_not_warned_of(error):
    coin = random.Random(4)
    said, session = warned(lambda pair: max(pair) if coin.random() < error else min(pair), 400)
    (record,) = session.judge_records()
    assert [text for text in said if error or text != REPEATS] == [] and abs(record.ranking.share - (1 - error)) < 0.08


def test_judges_are_weighed_by_the_most_likely_parameters_of_crowd_bt():
    def chances(s, etas):
        """(judges, K, K): of a judge to prefer the first arm to the second."""
        p, eta = s[:, np.newaxis] / (s[:, np.newaxis] + s), etas[:, np.newaxis, np.newaxis]
        return eta * p + (1 - eta) * (1 - p)

    def log_likelihood(s, etas):
        return (won * np.log(chances(s, etas))).sum() + np.log(s / (1 + s) ** 2).sum() + np.log(etas).sum()

    judges = ["good", "fine", "coin", "contrary"]
    won = np.triu(
        np.random.default_rng(1).binomial(70, chances(np.array([4, 1, 0.5]), np.array([0.95, 0.85, 0.5, 0.1]))), 1
    )
    won += np.triu(70 - won, 1).transpose(0, 2, 1)
    given = [(judges[k], "abc"[i], "abc"[j]) for k, i, j in np.ndindex(won.shape) for _ in range(won[k, i, j])]
    found = weighed([event("answer", 0, winner, loser, winner, judge) for judge, winner, loser in given], "abc")
    assert [*found.strengths] == [*"abc"] and [*found.etas] == judges
    s, etas = (np.array([*some.values()]) for some in found)
    for moved in [*(1 + 0.01 * np.eye(7)), *(1 - 0.01 * np.eye(7))]:
        assert log_likelihood(s * moved[:3], etas * moved[3:]) < log_likelihood(s, etas)
