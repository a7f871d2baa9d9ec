"""A live session in a terminal: both arms are shown, a key answers."""

import os
import sys
import unicodedata
from collections.abc import Mapping
from typing import TYPE_CHECKING, TextIO

from duelbench.cli.live.keys import KEYS, Answer, Keyboard
from duelbench.cli.live.known import known, lines_of
from duelbench.execution.display import USUAL_SIZE

if TYPE_CHECKING:
    from duelbench.live.arms import Arm
    from duelbench.live.session import Pair, Session

NARROWEST = 50
"""Columns from which on two arms stand side by side."""

PROMPT = "1, 2, t, s, u, ? or q: "
LAST_PROMPT = "u takes back the last answer, ? says what is known, q ends: "


class Terminal:
    """Shows pairs, and takes answers until somebody quits.

    Parameters
    ----------
    session : Session
    arms : mapping of str to Arm
        By their names.
    asked : str
        The question itself, in words.
    budget : int, optional
        Answers of the session after which nothing more is asked.
    judge : str, optional
        Who answers.
    stream, screen : file, optional
        Default: standard input and standard error.
    """

    def __init__(
        self,
        session: "Session",
        arms: "Mapping[str, Arm]",
        *,
        asked: str,
        budget: int | None = None,
        judge: str | None = None,
        stream: TextIO | None = None,
        screen: TextIO | None = None,
    ) -> None:
        self._session, self._arms, self._asked, self._budget, self._judge = session, arms, asked, budget, judge
        self._screen = screen or sys.stderr
        self._keyboard = Keyboard(stream, self._screen)

    def run(self) -> None:
        """Ask until somebody quits, or a script ends."""
        with self._keyboard.opened():
            self._say(self._asked, KEYS)
            while self._turn():
                """Another question."""

    def _turn(self) -> bool:
        """Ask one question and do what is answered; False to quit."""
        pair = self._next()
        if pair is None:
            self._say("", f"{self._over()}.")
            return self._obey(self._keyboard.answer(LAST_PROMPT), None)
        self._show(pair)
        return self._obey(self._keyboard.answer(PROMPT), pair)

    def _next(self) -> "Pair | None":
        """The question that was asked already, or a new one."""
        session = self._session
        if self._budget is not None and session.told >= self._budget:
            return None
        return session.out[0] if session.out else session.ask()

    def _over(self) -> str:
        """Why nothing more is asked."""
        session = self._session
        if not session.done and self._budget is not None and session.told >= self._budget:
            return f"{session.status()}; all {self._budget} answers are given"
        return session.status()

    def _obey(self, answer: Answer, pair: "Pair | None") -> bool:
        session = self._session
        if answer is Answer.QUIT:
            return False
        if answer is Answer.KNOWN:
            self._say("", *lines_of(known(session)))
        elif answer is Answer.UNDO:
            self._undo()
        elif pair is None:
            self._say("There is nothing to answer.")
        elif answer is Answer.SKIP:
            session.skip(pair)
            self._say("skipped")
        elif answer is Answer.TIE:
            session.tie(pair, judge=self._judge)
            self._say("a tie")
        else:
            winner = pair[0] if answer is Answer.FIRST else pair[1]
            session.tell(pair, winner, judge=self._judge)
            self._say(f"{answer.value}: {winner}")
        return True

    def _undo(self) -> None:
        if self._session.told:
            self._session.undo()
            self._say("The last answer is taken back.")
        else:
            self._say("There is no answer to take back.")

    # --- what stands on the screen ---

    def _show(self, pair: "Pair") -> None:
        """Both arms, side by side where they fit."""
        first, second = (self._arms[name] for name in pair)
        of_all = "" if self._budget is None else f" of {self._budget}"
        self._say("", f"duel {self._session.told + 1}{of_all}")
        width = self._width()
        if width >= NARROWEST:
            _print_side_by_side(self._screen, width, first, second)
        else:
            self._say(*_below_each_other("1", first), *_below_each_other("2", second))

    def _width(self) -> int:
        """Columns of the terminal; 0 where it is none."""
        if not self._screen.isatty():
            return 0
        try:
            return os.get_terminal_size(self._screen.fileno()).columns or USUAL_SIZE[0]
        except OSError:
            return USUAL_SIZE[0]

    def _say(self, *lines: str) -> None:
        print("\n".join(lines), file=self._screen, flush=True)


def _print_side_by_side(screen: TextIO, width: int, first: "Arm", second: "Arm") -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.ROUNDED, expand=True, show_header=True)
    for key, arm in (("1", first), ("2", second)):
        title = Text(f"{key}  {arm.name}" if arm.shown != arm.name else key, style="bold")
        table.add_column(title, ratio=1, overflow="fold")
    table.add_row(*(Text(plain(arm.shown)) for arm in (first, second)))
    Console(file=screen, width=width, highlight=False, emoji=False, markup=False).print(table)


def _below_each_other(key: str, arm: "Arm") -> list[str]:
    text = [] if arm.shown == arm.name else [f"   {line}" for line in plain(arm.shown).splitlines()]
    return [f"{key}  {arm.name}", *text]


def plain(text: str) -> str:
    """A text without what would command a terminal, and without empty lines at its end.

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
