"""A terminal for tests: what stands on its screen after it was written to."""

import re

_PIECE = re.compile(r"\x1b\[(?P<numbers>[?\d;]*)(?P<letter>[A-Za-z])|(?P<character>.)", re.DOTALL)


class Screen:
    """Knows line feeds, returns, and the sequences by which lines are drawn again; it never scrolls.

    Examples
    --------
    >>> Screen().feed("one\\r\\ntwo\\x1b[2K\\x1b[1A\\rO").lines()
    ['One']
    """

    def __init__(self) -> None:
        self.rows: list[str] = [""]
        self.row = self.column = 0
        self.is_cursor_shown = True

    def feed(self, text: str) -> "Screen":
        """Write to it; a line feed alone begins the next line, as terminals that are set up as usual have it."""
        for piece in _PIECE.finditer(text):
            if piece["letter"]:
                self._obey(piece["letter"], piece["numbers"])
            elif piece["character"] == "\n":
                self.row, self.column = self.row + 1, 0
            elif piece["character"] == "\r":
                self.column = 0
            else:
                self._put(piece["character"])
        return self

    def lines(self) -> list[str]:
        """What stands on it, without empty lines at the end."""
        lines = [row.rstrip() for row in self.rows]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def _put(self, character: str) -> None:
        self.rows += [""] * (self.row + 1 - len(self.rows))
        line = self.rows[self.row].ljust(self.column)
        self.rows[self.row] = line[: self.column] + character + line[self.column + 1 :]
        self.column += 1

    def _obey(self, letter: str, numbers: str) -> None:
        self.rows += [""] * (self.row + 1 - len(self.rows))
        if letter == "A":
            self.row -= int(numbers or 1)
        elif letter == "K":
            self.rows[self.row] = "" if numbers == "2" else self.rows[self.row][: self.column]
        elif numbers == "?25":
            self.is_cursor_shown = letter == "h"
        elif letter != "m":
            raise AssertionError(f"a sequence that the tests do not know: {numbers}{letter}")
