"""What a live session promises whoever answers."""

import pytest

import duelbench
from duelbench.errors import InputError


def test_a_session_asks_until_its_rule_has_the_answer():
    session = duelbench.Session("rucb", ["a", "b", "c"], seed=1)
    while (pair := session.ask()) is not None:
        session.tell(pair, min(pair))
    assert session.done and session.answer == session.recommend() == "a"
    assert session.wins.sum() == session.told


def test_several_questions_may_be_out_and_answered_in_any_order():
    session = duelbench.Session("d-ts", ["a", "b", "c", "d"], seed=1)
    pairs = session.ask(6)
    assert session.out == tuple(pairs) and [pair.number for pair in pairs] == [0, 1, 2, 3, 4, 5]
    for pair in reversed(pairs):
        session.tell(pair, pair[0])
    assert session.out == () and session.told == 6


def test_a_question_is_answered_once():
    session = duelbench.Session("rucb", ["a", "b", "c"])
    pair = session.ask()
    session.tell(pair, pair[1])
    with pytest.raises(InputError, match=r"question 0, .* was answered already"):
        session.tell(pair, pair[1])
    assert session.told == 1


def test_an_answer_is_taken_back_and_its_question_is_out_again():
    session = duelbench.Session("rucb", ["a", "b", "c"])
    pair = session.ask()
    session.tell(pair, pair[0])
    session.ask()
    session.undo()
    assert session.out == (pair,) and session.told == 0 and session.wins.sum() == 0
