"""Runs a live session in a terminal: shows both arms, and reads a key, or a line of a script."""

import contextlib
import os
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import TextIO

from duelbench.cli.live.knowledge import lines_of
from duelbench.cli.live.presentation import Presentation
from duelbench.common import system
from duelbench.judging.arms import Arm
from duelbench.judging.judges import Watch
from duelbench.judging.known import known
from duelbench.judging.outputs import Draws, Question
from duelbench.judging.session import Session

NARROWEST = 50
"""The width in columns from which on two arms are shown side by side."""

LONGEST_SHOWN = 2000
"""Characters to which longer texts are shortened."""

EMPTY = "(empty)"
"""Shown for an empty output."""

USUAL_COLUMNS = 80
"""The width of a terminal whose width is unknown."""

QUIET_SECONDS = 0.15
"""A pause without keys before a question reads a key, so that a held key answers nothing."""

PROMPT = "1, 2, t, s, u, ? or q: "
LAST_PROMPT = "u takes back the last answer, ? shows the results so far, q quits: "
KEYS = "1 or left, 2 or right; t tie, s skip, u undo, ? results so far, q quit"


class Answer(Enum):
    """The answers of a person: words in a script, their first letters as keys."""

    FIRST = "1"
    SECOND = "2"
    TIE = "tie"
    SKIP = "skip"
    UNDO = "undo"
    KNOWN = "?"
    QUIT = "quit"


MEANING = {
    **{key: answer for answer in Answer for key in (answer.value, answer.value[0])},
    **dict.fromkeys(("left", "\x1b[D", "\x1bOD"), Answer.FIRST),  # what arrow keys send
    **dict.fromkeys(("right", "\x1b[C", "\x1bOC"), Answer.SECOND),
    "\x04": Answer.QUIT,  # Ctrl-D
}


class Keyboard:
    """Reads a key, or a line, after each question; prints unknown ones to ``screen``."""

    def __init__(self, stream: TextIO, screen: TextIO) -> None:
        self.stream, self.screen = stream, screen
        self.has_keys = stream.isatty() and screen.isatty()

    @contextlib.contextmanager
    def opened(self) -> Iterator[None]:
        """Let a terminal pass on each key at once, in the ``with`` block."""
        with system.key_by_key(self.stream.fileno()) if self.has_keys else contextlib.nullcontext():
            yield

    def answer(self, prompt: str) -> Answer:
        """Return the next answer, after asking again for unknown keys; the end of a script is `Answer.QUIT`."""
        while True:
            if self.has_keys:
                while system.read_keys(self.stream.fileno(), QUIET_SECONDS):
                    """Drop keys that were pressed before the question was shown."""
            self._print(prompt)
            typed = self._key() if self.has_keys else self.stream.readline()
            self._print("\n")
            if not typed:
                return Answer.QUIT
            typed = typed if self.has_keys else typed.strip().lower()
            if typed in MEANING:
                return MEANING[typed]
            shown = "".join(character if character.isprintable() else "?" for character in typed)[:40]
            self._print(f"{ascii(typed) if self.has_keys else repr(shown)} is no answer: {KEYS}\n")

    def _key(self) -> str:
        keys = system.read_keys(self.stream.fileno()) or ""
        return keys if keys.startswith("\x1b") else keys[:1].lower()

    def _print(self, text: str) -> None:
        print(text, end="", file=self.screen, flush=True)


class Terminal:
    """Shows pairs, and takes answers until the user quits.

    Parameters
    ----------
    arms : mapping of str to Arm
        By name.
    budget : int, optional
        The number of answers at which the session stops asking.
    judge : str, optional
        The name of the judge.
    stream, screen : TextIO, optional
        Input and output; standard input and standard error by default.
    """

    def __init__(
        self,
        session: Session,
        arms: Mapping[str, Arm],
        *,
        presentation: Presentation,
        budget: int | None = None,
        judge: str | None = None,
        stream: TextIO | None = None,
        screen: TextIO | None = None,
    ) -> None:
        self._session, self._presentation, self._budget, self._judge = session, presentation, budget, judge
        self._draws = Draws(session, arms)
        self._watch = Watch(session, self._say)
        self._screen = screen or sys.stderr
        self._keyboard = Keyboard(stream or sys.stdin, self._screen)

    def run(self) -> None:
        """Ask until the user quits, or the script ends."""
        with self._keyboard.opened():
            instructions = self._presentation.instructions
            self._say(self._presentation.question, *([plain(instructions), ""] if instructions else []), KEYS)
            while self._turn():
                """Ask the next question."""

    def _turn(self) -> bool:
        """Ask a question, and carry out the answer; return False to quit."""
        session = self._session
        question = self._draws.next(budget=self._budget)
        pair = None if question is None else question.pair
        if question is None:
            is_spent = self._budget is not None and session.told >= self._budget
            reason = f"; all {self._budget} answers are given" if is_spent and not session.done else ""
            self._say("", f"{session.status()}{reason}.")
        else:
            self._show(question)
        answer = self._keyboard.answer(PROMPT if pair else LAST_PROMPT)
        if answer is Answer.QUIT:
            return False
        if answer is Answer.KNOWN:
            self._say("", *lines_of(known(session)))
        elif answer is Answer.UNDO:
            if session.judges:
                session.undo()
                self._say("The last answer is taken back.")
            else:
                self._say("There is no answer to take back.")
        elif question is None or pair is None:
            self._say("There is nothing to answer.")
        elif answer is Answer.SKIP:
            session.skip(pair, input=question.input)
            self._say("skipped")
        elif answer is Answer.TIE:
            session.tie(pair, judge=self._judge, input=question.input)
            self._say("a tie")
        else:
            winner = question.first if answer is Answer.FIRST else question.second
            session.tell(pair, winner.name, judge=self._judge, input=question.input)
            self._say(self._named(answer.value, winner, is_shown=False))
        self._watch()
        return True

    def _show(self, question: Question) -> None:
        """Print the input of a question, if it has one, and both arms, side by side if they fit."""
        from rich import box
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        total = "" if self._budget is None else f" of {self._budget}"
        self._say("", f"duel {self._session.told + 1}{total}")
        if question.input_text is not None:
            self._say(shortened(plain(question.input_text)), "")
        sides = (("1", question.first), ("2", question.second))
        width = os.get_terminal_size(self._screen.fileno()).columns or USUAL_COLUMNS if self._screen.isatty() else 0
        if width < NARROWEST:
            for key, arm in sides:
                lines = [] if arm.shown == arm.name else shortened(plain(arm.shown) or EMPTY).splitlines()
                self._say(self._named(key, arm, is_shown=False), *(f"   {line}" for line in lines))
            return
        table = Table(box=box.ROUNDED, expand=True, show_header=True)
        for key, arm in sides:
            table.add_column(Text(self._named(key, arm, is_shown=True), style="bold"), ratio=1, overflow="fold")
        table.add_row(*(Text(shortened(plain(arm.shown) or EMPTY)) for _, arm in sides))
        Console(file=self._screen, width=width, highlight=False, emoji=False, markup=False).print(table)

    def _named(self, key: str, arm: Arm, is_shown: bool) -> str:
        """Return a key, with the name of its arm if the judge may see it, and it is not shown elsewhere."""
        has_name = not is_shown if arm.shown == arm.name else self._presentation.names
        return f"{key}  {arm.name}" if has_name else key

    def _say(self, *lines: str) -> None:
        print("\n".join(lines), file=self._screen, flush=True)


def shortened(text: str, most: int = LONGEST_SHOWN) -> str:
    """Shorten a text to ``most`` characters, and add a line with its full length.

    Examples
    --------
    >>> shortened("abcdefgh", most=3)
    'abc ...\\n(3 of 8 characters; --web shows all)'
    """
    if len(text) <= most:
        return text
    return f"{text[:most].rstrip()} ...\n({most:,} of {len(text):,} characters; --web shows all)"


def plain(text: str) -> str:
    """Replace control characters of a text by question marks, and remove blank lines at its end.

    Examples
    --------
    >>> plain("one\\x1b[2J\\n")
    'one?[2J'
    """
    kept = (
        character if character == "\n" or unicodedata.category(character) != "Cc" else "?"
        for character in text.expandtabs(4).rstrip()
    )
    return "".join(kept)
