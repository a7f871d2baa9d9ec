"""Text files of data, line by line, whatever is in them."""

from collections.abc import Iterator
from pathlib import Path

from duelbench.errors import InputError
from duelbench.problem.matrix_files import MAX_ARMS, MAX_LINE, check_file, check_line, check_text

MAX_DATA_BYTES = 64 * 2**20
"""Largest data file read."""

MAX_DATA_LINES = 5 * 10**6
"""Most lines of a data file that are read."""


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 text file that are not blank, stripped, each with its number from 1.

    Raises
    ------
    InputError
        When it cannot be read, is too large, or is no text: names the file, the line and the mend.
    """
    source = str(path)
    check_file(source, "data set")
    try:
        if path.stat().st_size > MAX_DATA_BYTES:
            raise InputError(f"{source}: has more than {MAX_DATA_BYTES >> 20} MB; this is more than any known data set")
        with path.open("rb") as binary:
            check_text(binary.read(8), source)
        with path.open(encoding="utf-8-sig", errors="surrogateescape", newline=None) as file:
            number = 0
            while text := file.readline(MAX_LINE):
                number += 1
                check_line(text, number, source, "data set")
                if number > MAX_DATA_LINES:
                    raise InputError(f"{source}: has more than {MAX_DATA_LINES} lines; add up what is in them first")
                if text.strip():
                    yield number, text.strip()
    except OSError as error:
        raise InputError(f"{source}: cannot be read: {error.strerror or error}") from None


def whole_number(text: str, most: int) -> int | None:
    """The whole number from 0 to ``most`` that ``text`` is, in ASCII digits; None where it is none.

    Examples
    --------
    >>> whole_number(" 12 ", 99), whole_number("1e3", 99), whole_number("100", 99)
    (12, None, None)
    """
    digits = text.strip()
    if not (digits.isascii() and digits.isdigit()) or len(digits) > len(str(most)):
        return None
    number = int(digits)
    return number if number <= most else None


def check_arms(count: int, path: Path, line: int) -> None:
    """Refuse more arms than are supported, before anything of that size is made."""
    if count > MAX_ARMS:
        raise InputError(f"{path}: line {line}: {count} arms; at most {MAX_ARMS} are supported")
