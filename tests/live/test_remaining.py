"""The estimate of the duels still needed, where the answer can be worked out."""

import math

import numpy as np

from duelbench import Session
from duelbench.live.certainty import certainty
from duelbench.live.known import known, sentences
from duelbench.live.remaining import remaining


def sure_of_one(n):
    """Arm 0 wins n duels against each of three others, which are even among themselves."""
    wins = np.full((4, 4), n / 2.0)
    wins[0], wins[:, 0] = n, 0
    np.fill_diagonal(wins, 0)
    return wins


def test_nothing_is_needed_exactly_when_the_rule_has_its_answer():
    decided = 0
    for n in (4, 8, 40):
        for rule in ("e-condorcet", "pairs"):
            found, known = remaining(sure_of_one(n), rule=rule), certainty(sure_of_one(n), rule=rule)
            assert (found.low == 0) == (found.high == 0) == known.is_decided
            decided += known.is_decided
    assert 0 < decided < 6


def test_ends_are_in_order_and_the_same_for_the_same_seed():
    wins = [[0, 3, 1], [2, 0, 4], [1, 1, 0]]
    found = remaining(wins, seed=3)
    assert 0 < found.low <= found.likely <= found.high
    assert found == remaining(wins, seed=3) != remaining(wins, seed=4)


def test_strengths_say_how_pairs_that_never_met_would_end():
    """Each of six arms beats the next 15 : 5. With odds of 3^k for k places a session takes about a hundred more."""
    wins = 15 * np.eye(6, k=1) + 5 * np.eye(6, k=-1)
    found = remaining(wins)
    assert found.low < 110 < found.likely < 300 < found.high
    assert "more duels (80% interval: " in found.sentence
    assert remaining(wins / 20).sentence == "too early to say, with fewer duels than arms"
    assert remaining(2 * np.eye(65, k=1)).sentence == "no estimate for more than 64 arms"


def test_the_test_of_kelly_elimination_has_an_estimate():
    session = Session("kelly-elimination", ["a", "b"])
    for _ in range(2):
        pair = session.ask()
        session.tell(pair, min(pair))
    assert known(session)["duels_needed"]["likely"] >= 1


def test_a_forbidden_pair_is_said_to_be_undecidable_and_no_duels_are_promised_for_it():
    """By earlier duels c has lost to a and b for sure, and a against b was never asked."""
    warm = [[0, 0, 40], [0, 0, 40], [0, 0, 0]]
    with Session("rucb", ["a", "b", "c"], forbidden=[("a", "b")], warm=warm) as session:
        document = known(session)
        said = " ".join(sentences(document))
    assert document["open_pairs"] == [] and document["forbidden_pairs"] == [["a", "b"]]
    assert "1 pair between this and an answer is forbidden and cannot be decided: a against b." in said
    assert document["duels_needed"] is None and "Still needed" not in said


def test_where_a_forbidden_pair_may_have_to_be_decided_the_estimate_has_no_upper_end():
    wins = [[0, 1, 4], [2, 0, 5], [0, 1, 0]]
    assert remaining(wins).high < math.inf == remaining(wins, forbidden=[(0, 1)]).high


def test_where_no_pair_is_open_but_the_algorithms_own_test_goes_on_no_pairs_are_counted():
    session = Session("kelly-elimination", ["a", "b"])
    while (pair := session.ask()) is not None:
        session.tell(pair, min(pair))
    session.undo()
    document = known(session)
    assert not document["done"] and document["open_pairs"] == []
    assert not any("stand between" in line for line in sentences(document))
