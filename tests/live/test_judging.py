"""A command decides duels: what it is given, what it may answer, and what becomes of one that fails or hangs."""

import json
import os
import sys
import threading
import time

import pytest

from duelbench.errors import InputError
from duelbench.live.arms import Arm
from duelbench.live.judging import Judge, Processes, Undecided, decide, judge_of, winner_of
from duelbench.system import is_running

TEA, WATER = Arm("tea", 'A cup.\n"So" ü'), Arm("-o water")
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
        return processes.answer(judge, 7, TEA, WATER)


def test_a_command_gets_two_names_as_arguments_and_everything_as_json(script, tmp_path):
    judge = script("print(json.dumps([first, second, json.load(sys.stdin)]), file=open('said', 'w')); print(1)")
    here = os.getcwd()
    os.chdir(tmp_path)
    try:
        assert answered(judge) == "tea"
    finally:
        os.chdir(here)
    first, second, said = json.loads((tmp_path / "said").read_text())
    assert (first, second) == ("tea", "-o water")
    assert said == {
        "number": 7,
        "first": {"name": "tea", "text": TEA.text, "path": None},
        "second": {"name": "-o water", "text": None, "path": None},
    }


@pytest.mark.parametrize(
    ("printed", "winner"),
    [("tea", "tea"), (" -o water \n", "-o water"), ("1", "tea"), ("2\n\n", "-o water"), ("tie\n", None)],
)
def test_an_answer_is_a_name_a_place_or_tie(printed, winner):
    assert winner_of(printed, "tea", "-o water") == winner


@pytest.mark.parametrize("printed", ["", "3", "Tea", "tea\nwater", "I prefer tea.", "\x1b[2J"])
def test_any_other_answer_is_none_and_is_shown(printed):
    with pytest.raises(Undecided) as said:
        winner_of(printed, "tea", "water")
    assert str(said.value).isprintable()
    assert (repr(printed) if printed else "printed nothing") in str(said.value)


def test_the_exit_code_and_the_last_line_of_a_command_that_fails_are_said(script):
    with pytest.raises(Undecided, match=r"^exit code 3: no key. in the file$"):
        answered(script(r"print('1'); print('so\nno key\a in the file', file=sys.stderr); sys.exit(3)"))
    with pytest.raises(Undecided, match=r"^exit code 1: printed only$"):
        answered(script("print('printed only'); sys.exit(1)"))


def test_a_command_that_reads_nothing_and_one_that_leaves_its_input_open_are_heard(script):
    assert answered(script("os.close(0); print(2)")) == "-o water"


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
    while is_running(pid) and _state(pid) != "Z":
        assert time.monotonic() < last, f"{pid} still runs"
        time.sleep(0.01)


def _state(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


def test_a_command_that_fails_is_tried_again_and_it_is_said_why(script, tmp_path):
    judge = script(
        f"with open({str(tmp_path / 'n')!r}, 'a') as file: file.write('x')\n"
        f"print(1 if len(open({str(tmp_path / 'n')!r}).read()) == 3 else 'hm')",
        retries=2,
    )
    notes = []
    with Processes() as processes:
        assert decide(processes, judge, 0, TEA, WATER, notes.append) == "tea"
    assert [note.partition(";")[0] for note in notes] == ["'tea' against '-o water': printed 'hm'"] * 2
    assert [note.rpartition("; ")[2] for note in notes] == ["again in 0.001 s", "again in 0.002 s"]


def test_after_the_last_try_the_last_reason_is_said(script):
    with Processes() as processes, pytest.raises(Undecided, match=r"^exit code 5$"):
        decide(processes, script("sys.exit(5)", retries=1), 0, TEA, WATER, str)


def test_at_the_end_what_still_decides_is_ended_and_nothing_more_is_started(script, tmp_path):
    judge = script(f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid())); time.sleep(600)", retries=9)
    reasons = []

    def ask():
        try:
            decide(processes, judge, 0, TEA, WATER, str)
        except Undecided as error:
            reasons.append(str(error))

    with Processes() as processes:
        thread = threading.Thread(target=ask)
        thread.start()
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
            time.sleep(0.01)
    thread.join(60)
    assert not thread.is_alive()
    assert len(reasons) == 1
    assert_ended(int((tmp_path / "pid").read_text()))
    with pytest.raises(Undecided, match="not asked any more"):
        processes.answer(judge, 0, TEA, WATER)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("no-such-program -x", "there is no program 'no-such-program'; a program of this folder is called as ./"),
        ("'open", "no closing quotation"),
        ("  ", "names no program"),
    ],
)
def test_a_command_that_cannot_be_is_refused_beforehand(command, said):
    with pytest.raises(InputError, match=said):
        judge_of(command, [TEA, WATER], LONG, 0)


@pytest.mark.parametrize("name", ["1", "2", "tie", "TIE"])
def test_an_arm_that_is_called_like_an_answer_is_refused(name):
    with pytest.raises(InputError, match=f"an arm is called '{name}'"):
        judge_of(sys.executable, [TEA, Arm(name)], LONG, 0)


def test_the_words_of_a_command_are_those_of_a_shell():
    assert judge_of(f"{sys.executable} 'a b' \"c\"", [TEA, WATER], LONG, 0).words == (sys.executable, "a b", "c")
