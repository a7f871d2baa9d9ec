"""A command plays a session: its answers are told, several at a time, and an end in the middle loses none."""

import sys
import threading

import pytest

import duelbench
from duelbench.errors import RunsFailed
from duelbench.live import judging
from duelbench.live.arms import Arm
from duelbench.live.judging import Judge, Undecided, play

NAMES = ("a", "b", "c")
ARMS = {name: Arm(name) for name in NAMES}
JUDGE = Judge(("judge",), 600.0, 0)


@pytest.fixture
def session():
    with duelbench.Session("rucb", NAMES, seed=3) as made:
        yield made


@pytest.fixture
def deciding(monkeypatch):
    """``deciding(function)``: it decides in the place of a command, given the number and two names."""

    def replace(function):
        monkeypatch.setattr(
            judging.Processes, "answer", lambda self, judge, number, first, second: function(number, first, second)
        )

    return replace


def first_by_name(number, first, second):
    return min(first.name, second.name)


def test_a_command_that_always_prefers_one_arm_leads_to_it(session):
    code = "import sys; print(min(sys.argv[1:]))"
    play(session, ARMS, Judge((sys.executable, "-S", "-E", "-c", code), 600.0, 0), jobs=2)
    assert session.done and session.answer == "a"
    assert session.wins[0].sum() > 0 == session.wins[:, 0].sum()


def test_with_one_at_a_time_a_command_and_a_person_with_the_same_answers_are_asked_the_same(session, deciding):
    asked = []
    deciding(
        lambda number, first, second: (asked.append((first.name, second.name)), first_by_name(0, first, second))[1]
    )
    play(session, ARMS, JUDGE)
    with duelbench.Session("rucb", NAMES, seed=3) as other:
        shown = []
        while (pair := other.ask()) is not None:
            shown.append(tuple(pair))
            other.tell(pair, min(pair))
    assert asked == shown


def test_ties_are_ties_and_the_judge_is_kept(session, deciding):
    deciding(lambda number, first, second: None if number % 2 else first.name)
    play(session, ARMS, JUDGE, budget=6)
    assert (int(session.wins.sum()), int(session.ties.sum()) // 2) == (3, 3)


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_no_more_is_asked_than_the_budget_and_no_more_at_a_time_than_jobs(session, deciding, jobs):
    at_once, most, lock = set(), [], threading.Lock()

    def decide(number, first, second):
        with lock:
            at_once.add(number)
            most.append(len(at_once))
        with lock:
            at_once.remove(number)
        return None

    deciding(decide)
    play(session, ARMS, JUDGE, jobs=jobs, budget=7)
    assert session.told == len(most) == 7
    assert not session.out
    assert max(most) <= jobs


def test_several_commands_do_run_at_the_same_time(session, deciding):
    both = threading.Barrier(2, timeout=600)
    deciding(lambda number, first, second: (both.wait(), None)[1])
    play(session, ARMS, JUDGE, jobs=2, budget=2)  # one at a time, the first would wait for ever
    assert session.told == 2


def test_when_a_command_fails_those_that_are_under_way_are_told_and_nothing_more_is_asked(session, deciding):
    began = threading.Event()

    def decide(number, first, second):
        if number == 0:
            began.wait(600)
            raise Undecided("exit code 3")
        began.set()
        return first.name

    deciding(decide)
    with pytest.raises(RunsFailed, match=r"^judge: '.' against '.': exit code 3$"):
        play(session, ARMS, JUDGE, jobs=2, budget=50)
    assert [pair.number for pair in session.out] == [0]
    assert session.told >= 1


def test_a_question_that_was_left_out_is_decided_first(session, deciding):
    numbers = []
    deciding(lambda number, first, second: numbers.append(number))
    left = session.ask(2)
    play(session, ARMS, JUDGE, budget=3)
    assert numbers[:2] == [pair.number for pair in left]
    assert session.told == 3


def test_an_interruption_keeps_what_was_told_and_ends_the_rest(session, deciding):
    told = []

    def tell():
        told.append(session.told)
        raise KeyboardInterrupt

    deciding(first_by_name)
    with pytest.raises(KeyboardInterrupt):
        play(session, ARMS, JUDGE, jobs=3, progress=tell)
    assert session.told == told[0] == 1
    left = session.out
    play(session, ARMS, JUDGE)
    assert session.done and session.answer == "a"
    assert not set(left) & set(session.out)
