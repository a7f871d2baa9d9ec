"""The desk of the web page: every tab has a question of its own, every question is answered once, nothing is lost."""

import threading
from itertools import combinations

import pytest

from duelbench import Session
from duelbench.judging.arms import Arm, Output
from duelbench.judging.web.desk import SILENCE, Closed, Desk
from duelbench.judging.web.exhibits import Exhibit, exhibit
from duelbench.judging.web.server import shown_on_page

ARMS = ("tea", "water", "milk")


@pytest.fixture
def session():
    with Session("random", arms=ARMS, seed=1) as session:
        yield session


def desk_of(session, **options):
    return Desk(session, shown_on_page([Exhibit("name", name) for name in session.arms]), **options)


def number(view):
    return view["question"]["number"]


def test_the_second_answer_to_a_question_and_one_to_another_session_are_not_taken_and_the_page_goes_on(session):
    desk = desk_of(session)
    asked = desk.look("a")["question"]
    view = desk.answer("a", asked["number"], "first", arms=asked["arms"][::-1])
    assert session.told == 0 and view["question"] == asked and "another session" in view["note"]
    after = desk.answer("a", asked["number"], "first", arms=asked["arms"])
    wins = session.wins.copy()
    again = desk.answer("a", asked["number"], "second")
    assert (session.wins == wins).all() and session.told == 1
    assert "already" in again["note"] and again["question"] == after["question"]


def test_the_question_of_a_tab_that_is_closed_or_silent_goes_to_the_next_which_may_still_answer_second(session):
    now = 0.0
    desk = desk_of(session, clock=lambda: now)
    shown = desk.look("a")["question"]
    desk.leave("a")
    assert desk.look("asleep")["question"] == shown and len(session.out) == 1
    now = SILENCE
    assert desk.look("b")["question"] != shown
    now += 1
    assert desk.look("c")["question"] == shown
    desk.answer("asleep", shown["number"], "first")
    assert "already" in desk.answer("c", shown["number"], "second")["note"]
    assert session.told == 1


def test_a_tab_takes_back_its_own_answer_only_and_no_question_comes_after_the_last_that_was_asked_for(session):
    said = []
    desk = desk_of(session, budget=2, over=said.append)
    desk.look("b")
    view = desk.answer("a", number(desk.look("a")), "first")
    assert not desk.look("b")["undo"] and "by the page that gave it" in desk.undo("b")["note"] and session.told == 1
    assert not view["question"] and "Other tabs hold all open questions" in view["message"]  # the last is that of b
    desk.leave("b")
    view = desk.answer("a", number(desk.look("a")), "tie")
    assert session.told == 2 and not view["question"] and "All 2 answers" in view["message"]
    assert said == [desk.over()]
    assert desk.undo("a")["question"], "an answer was taken back"
    desk.leave("a")
    assert desk.look("b")["undo"], "the page may have been loaded again"


def test_the_number_of_answers_is_exact_with_several_tabs(session):
    desk = desk_of(session, budget=3)
    views = {tab: desk.look(tab) for tab in "abcde"}
    holders = [tab for tab in "abcde" if views[tab]["question"]]
    assert holders == ["a", "b", "c"]
    for tab in holders:
        desk.answer(tab, number(views[tab]), "first")
    assert session.told == 3
    desk = desk_of(session, budget=4)
    number_of_last = number(desk.look("a"))
    desk.leave("a")
    desk.answer("b", number(desk.look("b")), "first")
    assert "yours was not saved" in desk.answer("a", number_of_last, "second")["note"] or session.told == 4
    assert session.told == 4


def test_eight_judges_at_once_answer_every_question_once(session):
    desk = desk_of(session)
    answered, problems = [], []

    def judge(tab):
        try:
            view = desk.look(tab)
            for _ in range(10):
                answered.append(number(view))
                view = desk.answer(tab, number(view), "tie", tab)
        except Exception as problem:
            problems.append(problem)

    judges = [threading.Thread(target=judge, args=(f"judge {k}",)) for k in range(8)]
    for thread in judges:
        thread.start()
    for thread in judges:
        thread.join()
    assert not problems
    assert session.told == 80 == len(set(answered))


def test_each_outcome_is_told_to_the_session_as_the_page_shows_the_pair(session):
    desk = desk_of(session)
    view = desk.look("a")
    for told, (outcome, winner) in enumerate((("first", 0), ("second", 1)), 1):
        shown = [side["text"] for side in view["question"]["sides"]]
        assert shown == list(session.out[0])
        pair = [session.arms.index(name) for name in shown]
        before = session.wins[pair[winner], pair[1 - winner]]
        view = desk.answer("a", number(view), outcome)
        assert session.wins[pair[winner], pair[1 - winner]] == before + 1
        assert session.wins.sum() == session.told == view["told"] == told
    view = desk.answer("a", number(view), "tie")
    assert session.ties.sum() == 2 and session.told == 3
    assert number(desk.answer("a", number(view), "skip")) != number(view) and session.told == 3
    desk.close()
    with pytest.raises(Closed):
        desk.answer("a", number(view), "first")


def test_a_page_shows_the_input_once_with_two_outputs_and_an_answer_to_another_input_is_not_taken():
    arms = [Arm(name, outputs={q: Output(f"{name} {q}", f"{q}?") for q in ("q1", "q2")}) for name in ARMS]
    with Session("random", ARMS, seed=1) as session:
        desk = Desk(session, shown_on_page(list(map(exhibit, arms)), ARMS), arms=arms, instructions="Be fair.")
        view = desk.look("a")
        question = view["question"]
        q = question["input_text"].removesuffix("?")
        names = [ARMS[arm] for arm in question["arms"]]
        assert question["sides"] == [{"kind": "text", "text": f"{name} {q}", "name": name} for name in names]
        assert view["instructions"] == "Be fair."
        refused = desk.answer("a", question["number"], "first", arms=question["arms"], input_key="0" * 16)
        assert session.told == 0 and "another session" in refused["note"]
        after = desk.answer("a", question["number"], "first", arms=question["arms"], input_key=question["input"])
        assert session.told == 1 and session.inputs_used(names) == {q: 1}
        desk.answer("a", number(after), "skip")
        assert sum(sum(session.inputs_used(pair).values()) for pair in combinations(ARMS, 2)) == 2
