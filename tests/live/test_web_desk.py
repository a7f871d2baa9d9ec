"""The desk of the web page: every tab has a question of its own, every question is answered once, nothing is lost."""

import threading

import pytest

from duelbench import Session
from duelbench.errors import InputError
from duelbench.live.web.desk import SILENCE, Closed, Desk
from duelbench.live.web.exhibits import Exhibit
from duelbench.live.web.server import shown_on_page

ARMS = ("tea", "water", "milk")


class Clock:
    """Time that passes when a test says so."""

    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def session():
    with Session("random", arms=ARMS, seed=1) as session:
        yield session


def desk_of(session, **options):
    return Desk(session, shown_on_page([Exhibit("name", name) for name in session.arms]), **options)


def number(view):
    return view["question"]["number"]


def test_a_tab_that_looks_again_has_the_same_question(session):
    desk = desk_of(session)
    assert desk.look("a") == desk.look("a")
    assert len(session.out) == 1


def test_two_tabs_have_different_questions(session):
    desk = desk_of(session)
    assert number(desk.look("a")) != number(desk.look("b"))


def test_the_pair_is_shown_in_the_order_in_which_the_session_wants_it(session):
    view = desk_of(session).look("a")
    assert [side["text"] for side in view["question"]["sides"]] == list(session.out[0])


@pytest.mark.parametrize(("outcome", "winner"), [("first", 0), ("second", 1)])
def test_an_answer_is_told_to_the_session(session, outcome, winner):
    desk = desk_of(session)
    shown = number(desk.look("a"))
    pair = [session.arms.index(name) for name in session.out[0]]
    view = desk.answer("a", shown, outcome)
    assert session.wins[pair[winner], pair[1 - winner]] == session.wins.sum() == session.told == view["told"] == 1
    assert number(view) != shown


def test_a_tie_is_told_as_a_tie(session):
    desk = desk_of(session)
    desk.answer("a", number(desk.look("a")), "tie")
    assert session.told == 1
    assert not session.wins.any() and session.ties.any()


def test_what_is_skipped_is_no_answer_and_another_question_comes(session):
    desk = desk_of(session)
    shown = number(desk.look("a"))
    view = desk.answer("a", shown, "skip")
    assert session.told == 0
    assert number(view) != shown


def test_the_second_answer_to_a_question_is_not_taken_and_the_page_goes_on(session):
    desk = desk_of(session)
    shown = number(desk.look("a"))
    after = desk.answer("a", shown, "first")
    wins = session.wins.copy()
    again = desk.answer("a", shown, "second")
    assert (session.wins == wins).all() and session.told == 1
    assert "already" in again["note"]
    assert again["question"] == after["question"]


def test_an_answer_to_a_question_of_another_session_is_not_taken(session):
    desk = desk_of(session)
    asked = desk.look("a")["question"]
    view = desk.answer("a", asked["number"], "first", arms=asked["arms"][::-1])
    assert session.told == 0 and view["question"] == asked and "another session" in view["note"]
    assert desk.answer("a", asked["number"], "first", arms=asked["arms"])["told"] == 1


def test_the_question_of_a_tab_that_is_closed_goes_to_the_next_one(session):
    desk = desk_of(session)
    shown = desk.look("a")["question"]
    desk.leave("a")
    assert desk.look("b")["question"] == shown
    assert len(session.out) == 1


def test_the_question_of_a_tab_that_says_nothing_any_more_goes_to_the_next_one(session, clock):
    desk = desk_of(session, clock=clock)
    shown = number(desk.look("a"))
    clock.now += SILENCE
    assert number(desk.look("b")) != shown
    clock.now += 1
    assert number(desk.look("c")) == shown


def test_a_tab_that_was_taken_for_closed_may_still_answer_first(session, clock):
    desk = desk_of(session, clock=clock)
    shown = number(desk.look("asleep"))
    clock.now += SILENCE + 1
    assert number(desk.look("b")) == shown
    desk.answer("asleep", shown, "first")
    assert session.told == 1
    assert "already" in desk.answer("b", shown, "second")["note"]
    assert session.told == 1


def test_an_answer_taken_back_brings_its_pair_back(session):
    desk = desk_of(session)
    before = desk.look("a")
    desk.answer("a", number(before), "first")
    view = desk.undo("a")
    assert session.told == 0 and not session.wins.any()
    assert view["question"]["sides"] == before["question"]["sides"]
    assert not view["undo"]


def test_a_tab_takes_back_its_own_answer_only(session):
    desk = desk_of(session)
    desk.look("b")
    desk.answer("a", number(desk.look("a")), "first")
    assert not desk.look("b")["undo"]
    assert "no answer" in desk.undo("b")["note"]
    assert session.told == 1
    desk.leave("a")
    assert desk.look("b")["undo"], "the page may have been loaded again"


def test_nothing_is_taken_back_before_there_is_an_answer(session):
    desk = desk_of(session)
    assert not desk.look("a")["undo"]
    assert "no answer" in desk.undo("a")["note"]


def test_no_question_comes_after_the_last_answer_that_was_asked_for(session):
    said = []
    desk = desk_of(session, budget=2, over=said.append)
    assert desk.over() == ""
    view = desk.look("a")
    while view["question"]:
        view = desk.answer("a", number(view), "tie")
    assert session.told == 2
    assert "All 2 answers" in view["message"]
    assert said == [desk.over()] == ["All 2 answers that were asked for are given."]
    assert desk.undo("a")["question"], "an answer was taken back"


def test_when_it_is_decided_the_page_says_so():
    with Session("random", arms=("tea", "water"), seed=1) as session:
        desk = desk_of(session)
        view = desk.look("a")
        for _ in range(100):
            if view["question"] is None:
                break
            tea_is_first = view["question"]["sides"][0]["text"] == "tea"
            view = desk.answer("a", number(view), "first" if tea_is_first else "second")
        assert session.done and "decided: tea wins" in view["message"]


def test_an_unknown_outcome_changes_nothing(session):
    desk = desk_of(session)
    shown = number(desk.look("a"))
    with pytest.raises(InputError, match="'third'"):
        desk.answer("a", shown, "third")
    assert session.told == 0 and number(desk.look("a")) == shown


def test_nothing_is_taken_after_the_end(session):
    desk = desk_of(session)
    shown = number(desk.look("a"))
    desk.close()
    with pytest.raises(Closed):
        desk.answer("a", shown, "first")
    assert session.told == 0


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
