"""A session in a terminal: keys answer, lines of a script too, and what stands on the screen can be read."""

import io
import os
import termios

import pytest

import duelbench
from duelbench.cli.live.presentation import Presentation
from duelbench.cli.live.terminal import Answer, Keyboard, Terminal
from duelbench.judging.arms import Arm, Output
from tests.cli.live.person import Person

ARMS = (Arm("tea", "A cup of tea.\nHot."), Arm("[red]water"), Arm("milk"))
BY_NAME = {arm.name: arm for arm in ARMS}


@pytest.fixture
def session():
    with duelbench.Session("rucb", BY_NAME, seed=1) as made:
        yield made


def scripted(session, script, names=False, **options):
    """What is shown to a script."""
    screen = io.StringIO()
    show = Presentation("Which?", names=names)
    Terminal(session, BY_NAME, presentation=show, stream=io.StringIO(script), screen=screen, **options).run()
    return screen.getvalue()


def sit(session, person, names=False, arms=BY_NAME):
    """Let a person answer the questions of a session."""
    with (
        person.sitting(),
        open(os.dup(person.terminal)) as stream,
        open(os.dup(person.terminal), "w") as screen,
    ):
        person.note_modes()
        show = Presentation("Which?", names=names)
        Terminal(session, arms, presentation=show, stream=stream, screen=screen).run()
        person.note_modes()
    return person


def counts(session):
    return int(session.wins.sum()), int(session.ties.sum()) // 2


def test_the_first_and_the_second_are_those_that_are_shown(session):
    pair = session.ask()
    scripted(session, "2\nq\n1\n")
    first, second = (session.arms.index(name) for name in pair)
    assert session.wins[second, first] == session.wins.sum() == 1


def test_at_the_end_of_the_budget_the_last_answer_can_still_be_taken_back(session):
    shown = scripted(session, "1\n1\n1\nu\n2\n", budget=2)
    assert counts(session) == (2, 0)
    assert "duel 2 of 2" in shown and "all 2 answers are given" in shown and "There is nothing to answer." in shown
    assert shown.count("The last answer is taken back.") == 1


def test_texts_cannot_command_the_terminal(session):
    evil = {name: Arm(name, "\x1b[2J\x9bevil\tx") for name in BY_NAME}
    screen = io.StringIO()
    Terminal(session, evil, presentation=Presentation(), stream=io.StringIO("q\n"), screen=screen).run()
    assert "?[2J?evil" in screen.getvalue()
    assert "\x1b" not in screen.getvalue() and "\x9b" not in screen.getvalue()


def test_both_arms_stand_side_by_side_where_they_fit(session):
    person = sit(session, Person(["1", "1", "q"]))
    rows = [line for line in person.lines if line.count("│") == 3]
    assert max(map(len, person.lines)) <= 80
    assert any("A cup of tea." in row and "[red]water" in row for row in rows), person.heard
    narrow = sit(session, Person(["q"], columns=40))
    assert not any("│" in line for line in narrow.lines)


def test_a_text_without_blanks_is_shown_whole(session, monkeypatch):
    text = "俳句を書いてください。" * 6
    for name in BY_NAME:
        monkeypatch.setitem(BY_NAME, name, Arm(name, text))
    person = sit(session, Person(["q"]))
    cells = [line.split("│")[1:3] for line in person.lines if line.count("│") == 3][1:]
    for side in (0, 1):
        assert "".join(cell[side].strip() for cell in cells) == text


def test_a_key_that_was_pressed_before_the_question_answers_nothing():
    person = Person(["2"])
    with person.sitting(), open(os.dup(person.terminal)) as stream, open(os.dup(person.terminal), "w") as screen:
        keyboard = Keyboard(stream, screen)
        with keyboard.opened():
            person.press("1")
            assert keyboard.answer("which: ") is Answer.SECOND


def test_the_lines_of_a_script_answer_and_its_end_quits(session):
    shown = scripted(session, "u\n1\nright\nT\ntie\nskip\n\nu\n", judge="Anna")
    assert counts(session) == (2, 1) and session.judges == {"Anna": 3}
    assert "There is no answer to take back." in shown
    assert "duel 4" in shown and "a tie" in shown and "skipped" in shown and "'' is no answer:" in shown
    assert "The last answer is taken back." in shown


def test_on_a_terminal_single_keys_and_arrows_answer_and_it_is_left_as_it_was(session):
    person = sit(session, Person(["1", "\x1b[D", "\x1bOC", "2", "t", "s", "u", "x", "\x04"]))
    assert counts(session) == (4, 0)
    assert "'x' is no answer:" in person.heard and "skipped" in person.heard
    before, after = person.modes
    assert after == before and before[3] & termios.ICANON and before[3] & termios.ECHO


def test_a_name_beside_a_text_is_hidden_unless_it_is_asked_for(session):
    blind = scripted(session, "1\nt\n2\n1\n")
    assert "A cup of tea." in blind and "  tea\n" not in blind and "2  milk\n" in blind
    assert "  tea\n" in scripted(session, "1\n1\n1\n1\n", names=True)
    person = sit(session, Person(["1", "1", "1", "q"], columns=90), names=True)
    assert any("1  tea" in line or "2  tea" in line for line in person.lines)


def test_the_input_is_shown_once_above_two_outputs_and_long_texts_are_shortened():
    outputs = {"tea": "t" * 3000, "milk": ""}
    arms = {name: Arm(name, outputs={"q1": Output(text, "What \x1bto drink?")}) for name, text in outputs.items()}
    for columns in (80, 40):
        with duelbench.Session("random", arms) as session:
            person = Person(["1", "q"], columns=columns)
            sit(session, person, arms=arms)
            assert session.inputs_used(("tea", "milk")) == {"q1": 1}
        assert person.heard.count("What ?to drink?") == 2  # of two questions
        words = " ".join("".join(character for character in person.heard if character not in "│\r\n").split())
        assert "(empty)" in words and "3,000" in words and person.heard.count("t" * 3000) == 0
        assert "milk" not in person.heard.partition("q: ")[0], "names are hidden"
