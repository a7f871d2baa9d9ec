"""A command decides duels: what it is given and may answer, and what becomes of one that fails, hangs or ends early."""

import json
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from duelbench import Session
from duelbench.errors import InputError, RunsFailed
from duelbench.judging import judging
from duelbench.judging.arms import Arm
from duelbench.judging.judging import Answer, Judge, Processes, Refused, Undecided, answer_of, judge_of, play, spending
from duelbench.judging.outputs import Question
from duelbench.judging.session import Pair
from tests.faults.killing import is_alive

TEA, WATER = Arm("tea", 'A cup.\n"So" ü'), Arm("-o water")
QUESTION = Question(Pair(TEA.name, WATER.name, 7), TEA, WATER)
LONG = 600.0


@pytest.fixture
def script(tmp_path):
    """``script(code)`` is a judge that runs Python code; ``sys.argv[1:]`` are the names."""

    def make(code, timeout=LONG, retries=0):
        path = tmp_path / "judge.py"
        path.write_text(f"import json, os, subprocess, sys, time\nfirst, second = sys.argv[1:]\n{code}\n")
        return Judge((sys.executable, "-S", "-E", str(path)), timeout, retries, pause=0.001)

    return make


def answered(judge):
    with Processes() as processes:
        return processes.answer(judge, QUESTION, 1).winner


def test_a_command_gets_two_names_as_arguments_and_everything_as_json(script, tmp_path):
    path = tmp_path / "said"
    judge = script(f"print(json.dumps([first, second, json.load(sys.stdin)]), file=open({str(path)!r}, 'w')); print(1)")
    assert answered(judge) == "tea"
    assert json.loads(path.read_text()) == [
        "tea",
        "-o water",
        {
            "number": 7,
            "attempt": 1,
            "question": None,
            "instructions": None,
            "input": None,
            "input_text": None,
            "first": {"name": "tea", "text": TEA.text, "path": None},
            "second": {"name": "-o water", "text": None, "path": None},
        },
    ]


def test_an_answer_is_a_name_a_place_or_tie_and_any_other_is_none_and_is_shown(script):
    for printed, winner in (("tea", "tea"), (" -o water \n", "-o water"), ("1", "tea"), ("2\n\n", "-o water")):
        assert answer_of(printed, "tea", "-o water").winner == winner
    assert answer_of("tie\n", "tea", "water").winner is None
    for printed in ("", "3", "Tea", "tea\nwater", "I prefer tea.", "\x1b[2J", '{"winner": 3}', '{"winner": 1', "{}"):
        with pytest.raises(Undecided) as said:
            answer_of(printed, "tea", "water")
        assert str(said.value).isprintable()
        assert (repr(printed) if printed else "printed nothing") in str(said.value)
    with pytest.raises(Undecided, match=r"^exit code 3: no key. in the file$"):
        answered(script(r"print('1'); print('so\nno key\a in the file', file=sys.stderr); sys.exit(3)"))


def test_one_that_hangs_is_ended_with_all_that_it_started(script, tmp_path):
    judge = script(
        f"child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(child.pid)); time.sleep(600)"
    )
    for seconds in (1, 8, 64):  # until it was quick enough to begin
        with pytest.raises(Undecided, match=rf"^no answer within {seconds} s$"):
            answered(judge._replace(timeout=seconds))
        if (tmp_path / "pid").exists():
            break
    assert_ended(int((tmp_path / "pid").read_text()))


def assert_ended(pid):
    """A process that was killed is gone, at the latest when its new parent has buried it."""
    last = time.monotonic() + 60
    while is_alive(pid):
        assert time.monotonic() < last, f"{pid} still runs"
        time.sleep(0.01)


def test_a_command_that_fails_is_tried_again_and_it_is_said_why(script, tmp_path):
    judge = script(
        f"with open({str(tmp_path / 'n')!r}, 'a') as file: file.write('x')\n"
        f"print(1 if len(open({str(tmp_path / 'n')!r}).read()) == 3 else 'hm')",
        retries=2,
    )
    notes = []
    with Processes() as processes:
        assert processes.decide(judge, QUESTION, notes.append).winner == "tea"
    assert [note.partition(";")[0] for note in notes] == ["'tea' against '-o water': printed 'hm'"] * 2
    assert [note.rpartition("; ")[2] for note in notes] == ["again in 0.001 s", "again in 0.002 s"]


def test_at_the_end_what_still_decides_is_ended_and_nothing_more_is_started(script, tmp_path):
    path = tmp_path / "pid"
    judge = script(f"open({str(path)!r}, 'w').write(str(os.getpid())); time.sleep(600)", retries=9)
    with ThreadPoolExecutor(1) as pool:
        with Processes() as processes:
            asked = pool.submit(processes.decide, judge, QUESTION, str)
            while not path.exists() or not path.read_text():
                time.sleep(0.01)
        with pytest.raises(Undecided):
            asked.result(60)
    assert_ended(int(path.read_text()))
    with pytest.raises(Undecided, match="the session has ended"):
        processes.answer(judge, QUESTION, 1)


@pytest.mark.parametrize(
    ("command", "second", "said"),
    [
        ("no-such-program -x", "water", "'no-such-program'"),
        ("'open", "water", "quotation"),
        ("  ", "water", "no program"),
        (sys.executable, "2", "an arm is called '2'"),
        (sys.executable, "TIE", "an arm is called 'TIE'"),
    ],
)
def test_a_command_that_cannot_be_is_refused_beforehand(command, second, said):
    with pytest.raises(InputError, match=said):
        judge_of(command, [TEA, Arm(second)], LONG)
    assert judge_of(f"{sys.executable} 'a b'", [TEA, WATER], LONG).words == (sys.executable, "a b")


NAMES = ("a", "b", "c")
ARMS = {name: Arm(name) for name in NAMES}
JUDGE = Judge(("judge",), LONG, 0)


@pytest.fixture
def session():
    with Session("rucb", NAMES, seed=3) as made:
        yield made


@pytest.fixture
def deciding(monkeypatch):
    """``deciding(function)``: it decides in the place of a command, by the number and two arms."""

    def decide_by(function):
        def answer(_processes, _judge, question, _attempt):
            decided = function(question.pair.number, question.first, question.second)
            return decided if isinstance(decided, Answer) else Answer(decided)

        monkeypatch.setattr(judging.Processes, "answer", answer)

    return decide_by


def test_with_one_at_a_time_a_command_and_a_person_with_the_same_answers_are_asked_the_same(session, deciding):
    asked = []

    def decide(number, first, second):
        asked.append((first.name, second.name))
        return min(first.name, second.name)

    deciding(decide)
    session.ask(2)  # what was left out is decided first
    play(session, ARMS, JUDGE)
    with Session("rucb", NAMES, seed=3) as other:
        shown = [tuple(pair) for pair in other.ask(2)]
        for pair in other.out:
            other.tell(pair, min(pair))
        while (pair := other.ask()) is not None:
            shown.append(tuple(pair))
            other.tell(pair, min(pair))
    assert asked == shown


def test_an_interruption_keeps_what_was_told_and_ends_the_rest(session, deciding):
    def tell():
        raise KeyboardInterrupt

    deciding(lambda number, first, second: min(first.name, second.name))
    with pytest.raises(KeyboardInterrupt):
        play(session, ARMS, JUDGE, jobs=3, progress=tell)
    assert session.told == 1
    left = session.out
    play(session, ARMS, JUDGE)
    assert session.done and session.answer == "a"
    assert not set(left) & set(session.out)


@pytest.mark.parametrize("jobs", [1, 3])
def test_no_more_is_asked_than_the_budget_and_no_more_at_a_time_than_jobs(session, deciding, jobs):
    at_once, most, lock = set(), [], threading.Lock()

    def decide(number, first, second):
        with lock:
            at_once.add(number)
            most.append(len(at_once))
        time.sleep(0.001)
        with lock:
            at_once.remove(number)

    deciding(decide)
    play(session, ARMS, JUDGE, jobs=jobs, budget=7)
    assert session.told == len(most) == 7 and not session.out
    assert max(most) <= jobs


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
        play(session, ARMS, JUDGE, jobs=2, budget=50, stops_on_failure=True)
    assert [pair.number for pair in session.out] == [0] and session.told >= 1


def undecided(number, first, second):
    raise Undecided("exit code 3")


def test_a_duel_that_a_command_does_not_decide_is_set_aside_and_the_others_go_on(session, deciding):
    calls = []

    def decide(number, first, second):
        calls.append({first.name, second.name})
        if {first.name, second.name} == {"b", "c"} or number % 7 == 0:
            raise Undecided("exit code 3")
        return min(first.name, second.name)

    deciding(decide)
    notes = []
    play(session, ARMS, JUDGE, note=notes.append)
    assert session.done and session.answer == "a"
    assert calls.count({"b", "c"}) <= judging.FAILURES_OF_A_PAIR
    n_aside = sum(note.endswith(": exit code 3; set aside") for note in notes)
    assert notes[-1] == f"{n_aside} duels without an answer set aside" and n_aside > 2


@pytest.mark.parametrize(("id", "jobs", "least"), [("rucb", 1, 11), ("rucb", 3, 11), ("kelly-elimination", 1, 2)])
def test_a_session_ends_when_its_answer_needs_a_pair_that_is_set_aside(deciding, id, jobs, least):
    def decide(number, first, second):
        if {first.name, second.name} == {"a", "b"}:
            raise Undecided("exit code 3")
        return min(first.name, second.name)

    deciding(decide)
    with Session(id, NAMES, seed=3) as session:
        end = "no other pair can decide the session"
        with pytest.raises(RunsFailed, match=rf"^judge: '.' against '.': exit code 3; . duels .* set aside, {end}$"):
            play(session, ARMS, JUDGE, jobs=jobs, note=str)
        assert session.told >= least and not session.done


@pytest.mark.parametrize("answers", [0, 4])
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_command_that_always_fails_ends_the_session_soon(session, deciding, answers, jobs):
    deciding(lambda number, first, second: first.name if number < answers else undecided(number, first, second))
    limit = judging.FAILURES_IN_A_ROW if answers else judging.FIRST_FAILURES
    with pytest.raises(RunsFailed, match=f"exit code 3; .* set aside, {limit} in a row$"):
        play(session, ARMS, JUDGE, jobs=jobs, note=str)
    assert session.told == answers
    deciding(lambda number, first, second: min(first.name, second.name))
    play(session, ARMS, JUDGE, note=str)
    assert session.answer == "a"


def test_in_both_orders_equal_answers_are_one_duel_and_a_flip_is_a_tie(session, deciding):
    shown = []

    def decide(number, first, second):
        shown.append((first.name, second.name))
        return first.name if {first.name, second.name} == {"b", "c"} else min(first.name, second.name)

    deciding(decide)
    play(session, ARMS, JUDGE, budget=12, in_both_orders=True)
    assert shown[1::2] == [pair[::-1] for pair in shown[::2]] and len(shown) == 24
    (record,) = session.judge_records()
    n_flips = sum({*pair} == {"b", "c"} for pair in shown) // 2
    assert session.told == 12 and session.ties[1, 2] == n_flips == record.ties > 0
    assert (record.flips.n, record.flips.share) == (12, n_flips / 12)


def test_what_a_command_says_beside_the_winner_is_stored_with_the_answer(session, deciding):
    deciding(lambda number, first, second: Answer(first.name, {"model": "m", "cost": 0.5}, input="q7"))
    play(session, ARMS, JUDGE, budget=1)
    play(session, ARMS, JUDGE, budget=2, in_both_orders=True)
    one_way, both_ways = session.details
    assert one_way == {"model": "m", "cost": 0.5} and both_ways == {"orders": [one_way, one_way]}
    assert [event["input"] for event in session._history.answers()] == ["q7", "q7"]
    assert spending(session.details) == "Answers took unknown tokens and cost $1.5000."
    assert spending([{"tokens": 3, "cost": 0.5}, {"tokens": 4}]).endswith("and cost $0.5000, and 1 an unknown sum.")


@pytest.mark.parametrize("in_both_orders", [False, True])
def test_a_command_is_called_no_more_often_than_that_and_what_it_did_not_decide_stays_open(
    session, deciding, in_both_orders
):
    calls, notes = [], []

    def decide(number, first, second):
        calls.append(number)
        if len(calls) == 1:
            raise Undecided("exit code 3")
        return min(first.name, second.name)

    deciding(decide)
    judge = JUDGE._replace(retries=1, pause=0.001)
    play(session, ARMS, judge, max_calls=4, in_both_orders=in_both_orders, note=notes.append)
    assert session.told == (1 if in_both_orders else 3) and not session.out
    assert notes[-1] == f"{len(calls)} of 4 calls of the command are made" and len(calls) == 4 - in_both_orders
    calls.clear()
    play(session, ARMS, judge, max_calls=4, jobs=4, in_both_orders=in_both_orders, note=notes.append)
    assert session.told >= 2, "questions at the same time do not take each other's calls"


def test_a_command_that_ends_the_session_is_not_called_again(session, script, deciding):
    with pytest.raises(Refused, match=r"^the command ends the session \(exit code 78\): no key$"):
        answered(script("print('no key', file=sys.stderr); sys.exit(78)"))
    calls = []

    def decide(number, first, second):
        calls.append(number)
        raise Refused("exit code 78: no key")

    deciding(decide)
    with pytest.raises(RunsFailed, match=r"^judge: '.' against '.': exit code 78: no key$"):
        play(session, ARMS, JUDGE._replace(retries=5))
    assert len(calls) == 1 and len(session.out) == 1


def test_a_question_that_comes_again_says_how_often_it_was_asked_before(monkeypatch):
    attempts = []

    def answer(_processes, judge, question, attempt):
        attempts.append(attempt)
        raise Undecided("exit code 3")

    monkeypatch.setattr(judging.Processes, "answer", answer)
    with Session("rucb", ["a", "b"]) as session, pytest.raises(RunsFailed):
        play(session, ARMS, JUDGE._replace(retries=1, pause=0.001), note=str)
    assert attempts == [1, 2, 3, 4]
