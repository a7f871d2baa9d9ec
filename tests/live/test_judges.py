"""The table of judges: what it counts, and who is warned of."""

import math
import random

import pytest

from duelbench import Session
from duelbench.live.judges import Watch, records, weighed
from duelbench.live.known import known, sentences

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
        (said,), session = warned(lambda pair, place=place: pair[place], 60)
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
    assert said == [] and abs(record.ranking.share - (1 - error)) < 0.08


def test_judges_are_weighed_by_the_most_likely_parameters_of_crowd_bt():
    truth, strength = {"good": 0.95, "fine": 0.85, "coin": 0.5, "contrary": 0.1}, {"a": 4.0, "b": 1.0, "c": 0.5}
    draw, events = random.Random(1), []
    for number in range(800):
        (i, j), judge = draw.sample("abc", 2), draw.choice([*truth])
        p = strength[i] / (strength[i] + strength[j])
        says_i = draw.random() < truth[judge] * p + (1 - truth[judge]) * (1 - p)
        events.append(event("answer", number, i, j, i if says_i else j, judge))
    s, etas = weighed(events, "abc")
    assert [*s] == [*strength] and [*etas] == [*truth]

    def log_likelihood(s, etas):
        found = sum(math.log(x / (1 + x) ** 2) for x in s.values()) + sum(map(math.log, etas.values()))
        for one in events:
            loser = one["second"] if one["winner"] == one["first"] else one["first"]
            p, eta = s[one["winner"]] / (s[one["winner"]] + s[loser]), etas[one["judge"]]
            found += math.log(eta * p + (1 - eta) * (1 - p))
        return found

    for parameters in (s, etas):
        for name, value in [*parameters.items()]:
            for factor in (0.99, 1.01):
                moved = {**parameters, name: value * factor}
                assert log_likelihood(*((moved, etas) if parameters is s else (s, moved))) < log_likelihood(s, etas)
