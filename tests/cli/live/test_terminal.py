"""A session in a terminal: keys answer, lines of a script too, and what stands on the screen can be read."""

import io
import os
import termios

import pytest

import duelbench
from duelbench.cli.live.keys import Answer, Keyboard
from duelbench.cli.live.terminal import Terminal
from duelbench.live.arms import Arm
from tests.cli.live.person import Person

ARMS = (Arm("tea", "A cup of tea.\nHot."), Arm("[red]water"), Arm("milk"))
BY_NAME = {arm.name: arm for arm in ARMS}


@pytest.fixture
def session():
    with duelbench.Session("rucb", BY_NAME, seed=1) as made:
        yield made


def scripted(session, script, **options):
    """What is shown to a script."""
    screen = io.StringIO()
    Terminal(session, BY_NAME, asked="Which?", stream=io.StringIO(script), screen=screen, **options).run()
    return screen.getvalue()


def sit(session, person, **options):
    """Let a person answer the questions of a session."""
    with (
        person.sitting(),
        open(os.dup(person.terminal)) as stream,
        open(os.dup(person.terminal), "w") as screen,
    ):
        person.note_modes()
        Terminal(session, BY_NAME, asked="Which?", stream=stream, screen=screen, **options).run()
        person.note_modes()
    return person


def counts(session):
    return int(session.wins.sum()), int(session.ties.sum()) // 2


def test_the_lines_of_a_script_answer_and_its_end_quits(session):
    shown = scripted(session, "1\nright\nT\ntie\nskip\n\nu\n")
    assert counts(session) == (2, 1)
    assert "duel 4" in shown and "a tie" in shown and "skipped" in shown and "'' is no answer:" in shown
    assert "The last answer is taken back." in shown


def test_the_first_and_the_second_are_those_that_are_shown(session):
    pair = session.ask()
    scripted(session, "2\nq\n1\n")
    first, second = (session.arms.index(name) for name in pair)
    assert session.wins[second, first] == session.wins.sum() == 1


def test_the_judge_is_kept_with_each_answer(session):
    scripted(session, "1\nt\n", judge="Anna")
    assert session.judges == {"Anna": 2}


def test_nothing_can_be_taken_back_before_the_first_answer(session):
    assert "There is no answer to take back." in scripted(session, "u\n1\nu\nu\n")
    assert session.told == 0


def test_at_the_end_of_the_budget_the_last_answer_can_still_be_taken_back(session):
    shown = scripted(session, "1\n1\n1\nu\n2\n", budget=2)
    assert counts(session) == (2, 0)
    assert "duel 2 of 2" in shown and "all 2 answers are given" in shown and "There is nothing to answer." in shown
    assert shown.count("The last answer is taken back.") == 1


def test_when_it_is_decided_this_is_said(session):
    while (pair := session.ask()) is not None:
        session.tell(pair, min(pair))
    assert f"{session.answer} is the winner" in scripted(session, "")


def test_texts_cannot_command_the_terminal(session):
    evil = {name: Arm(name, "\x1b[2J\x9bevil\tx") for name in BY_NAME}
    screen = io.StringIO()
    Terminal(session, evil, asked="Which?", stream=io.StringIO("q\n"), screen=screen).run()
    assert "?[2J?evil" in screen.getvalue()
    assert "\x1b" not in screen.getvalue() and "\x9b" not in screen.getvalue()


def test_on_a_terminal_single_keys_and_arrows_answer(session):
    person = sit(session, Person(["1", "\x1b[D", "\x1bOC", "2", "t", "s", "u", "x", "Q"]))
    assert counts(session) == (4, 0)
    assert "'x' is no answer:" in person.heard and "skipped" in person.heard


def test_both_arms_stand_side_by_side_where_they_fit(session):
    person = sit(session, Person(["1", "1", "q"]))
    rows = [line for line in person.lines if line.count("│") == 3]
    assert max(map(len, person.lines)) <= 80
    assert any("A cup of tea." in row and "[red]water" in row for row in rows), person.heard
    narrow = sit(session, Person(["q"], columns=40))
    assert not any("│" in line for line in narrow.lines)


@pytest.mark.parametrize("text", ["俳句を書いてください。" * 6, "x" * 100])
def test_a_text_without_blanks_is_shown_whole(session, text, monkeypatch):
    for name in BY_NAME:
        monkeypatch.setitem(BY_NAME, name, Arm(name, text))
    person = sit(session, Person(["q"]))
    cells = [line.split("│")[1:3] for line in person.lines if line.count("│") == 3][1:]
    for side in (0, 1):
        assert "".join(cell[side].strip() for cell in cells) == text


def test_of_keys_that_come_together_the_first_answers(session):
    sit(session, Person(["1111111111", "q"]))
    assert session.told == 1


def test_a_key_that_was_pressed_before_the_question_answers_nothing():
    person = Person(["2"])
    with person.sitting(), open(os.dup(person.terminal)) as stream, open(os.dup(person.terminal), "w") as screen:
        keyboard = Keyboard(stream, screen)
        with keyboard.opened():
            person.press("1")
            assert keyboard.answer("which: ") is Answer.SECOND


def test_control_d_ends_it(session):
    sit(session, Person(["1", "\x04"]))
    assert session.told == 1


def test_the_terminal_is_left_as_it_was(session):
    person = sit(session, Person(["1", "q"]))
    before, after = person.modes
    assert after == before
    assert before[3] & termios.ICANON and before[3] & termios.ECHO


def test_a_key_is_read_as_the_answer_that_it_is():
    keyboard = Keyboard(io.StringIO("LEFT\n2\nundo\n?\nquit\n"), io.StringIO())
    said = [keyboard.answer("") for _ in range(6)]
    assert said == [Answer.FIRST, Answer.SECOND, Answer.UNDO, Answer.KNOWN, Answer.QUIT, Answer.QUIT]
