"""From orders to counts of wins: the sushi survey's own format, PrefLib's, and rankings in words.

A person who puts a before b is a win of a against b; b in the same group of a tie is 1/2 for each. What an order says
of the arms that it leaves out is a convention, `Unranked`:

- ``ignore``: nothing. Only pairs that the person ranked count (the sushi survey: everyone ranked 10 of 100).
- ``lose``: every ranked arm wins against every unranked one; two unranked ones are not compared (elections).

Adding up takes time that grows with the square of an order's length. A file that would take minutes is refused before
the first order is added.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from duelbench.errors import InputError
from duelbench.problem.labelled import MAX_COUNT
from duelbench.problem.matrix_files import MAX_ARMS, quoted
from duelbench.problem.sources.counts import PairCounts
from duelbench.problem.sources.text import check_arms, numbered_lines, whole_number

Unranked = Literal["ignore", "lose"]

PREFLIB_TYPES = {
    "soc": "strict complete orders",
    "toc": "complete orders with ties",
    "soi": "strict incomplete orders",
    "toi": "incomplete orders with ties",
}

MAX_WORK = 2 * 10**9
"""Most pairs of arms that the orders of a file compare, all together: some twenty seconds."""

_ORDER_WORK = 2500
_ARM_WORK = 100
"""What an order, and each arm in it, takes beside its pairs, in pairs."""

_BLOCK = 2**16
"""Pairs that are added at once: few enough for a processor's cache."""

_GROUP = re.compile(r"\{([0-9, \t]+)\}|([0-9]+)")
_ORDER = re.compile(rf"\s*(?:{_GROUP.pattern})(?:\s*,\s*(?:{_GROUP.pattern}))*\s*")

_COUNTED = re.compile(r"([0-9]+)\s*:")
_TIE = re.compile(r"[=~]")
_RANKING_EXAMPLE = "it is written as in 'tacos > sushi = pizza', or '3: tacos > sushi' for three of a kind"

_CONVENTIONS = {
    "ignore": "pairs that an order does not rank both of are ignored",
    "lose": "a ranked arm wins against every unranked one, two unranked ones are not compared",
}


@dataclass(frozen=True)
class _Ballot:
    """An order: groups of arms (0-based), the best first, given ``count`` times."""

    line: int
    count: int
    groups: list[list[int]]


class _Tally:
    """Adds up the orders of a file."""

    def __init__(self, path: Path, n_arms: int, unranked: Unranked) -> None:
        self._path = path
        self._wins = np.zeros((n_arms, n_arms))
        self._unranked = unranked
        self._is_complete = True
        self.n_ballots = 0

    def add(self, ballot: _Ballot) -> None:
        arms = np.array([arm for group in ballot.groups for arm in group])
        if arms.max() >= len(self._wins):
            raise self._error(ballot, "names an arm that the file does not have")
        is_ranked = np.zeros(len(self._wins), dtype=bool)
        is_ranked[arms] = True
        if is_ranked.sum() != len(arms):
            raise self._error(ballot, "names an arm twice")
        level = np.repeat(np.arange(len(ballot.groups)), [len(group) for group in ballot.groups])
        rows = max(1, _BLOCK // len(arms))
        for k in range(0, len(arms), rows):
            one = level[k : k + rows, None]
            self._wins[arms[k : k + rows, None], arms] += ballot.count * (0.5 * (one < level) + 0.5 * (one <= level))
        self._is_complete &= bool(is_ranked.all())
        if self._unranked == "lose":
            self._wins[np.ix_(is_ranked, ~is_ranked)] += ballot.count
        self.n_ballots += ballot.count
        if self.n_ballots > MAX_COUNT:
            raise self._error(ballot, f"makes more than {MAX_COUNT:g} orders")

    def check_complete(self, ballot: _Ballot, kind: str) -> None:
        ranked = sum(len(group) for group in ballot.groups)
        if ranked < len(self._wins):
            missing = f"ranks {ranked} of {len(self._wins)} arms, but {kind} says complete orders"
            raise self._error(ballot, f"{missing}; for incomplete ones it is {kind[0]}oi")

    def counts(self, names: tuple[str, ...], notes: tuple[str, ...]) -> PairCounts:
        np.fill_diagonal(self._wins, 0.0)
        if not self.n_ballots:
            raise InputError(f"{self._path}: holds no orders")
        convention = () if self._is_complete else (_CONVENTIONS[self._unranked],)
        notes = (f"{self.n_ballots} orders of {len(names)} arms", *notes, *convention)
        return PairCounts(self._wins, names, str(self._path), notes)

    def _error(self, ballot: _Ballot, problem: str) -> InputError:
        return InputError(f"{self._path}: line {ballot.line}: the order {problem}")


def _check_work(path: Path, ranked: Callable[[str], int], n_arms: int, unranked: Unranked) -> None:
    """Refuse a file that takes too long to add up; ``ranked`` says how many arms a line ranks."""
    work = 0
    for line, text in numbered_lines(path):
        named = min(ranked(text), n_arms)
        work += _ORDER_WORK + named * (_ARM_WORK + (n_arms if unranked == "lose" else named))
        if work > MAX_WORK:
            raise InputError(
                f"{path}: the orders up to line {line} compare more than {MAX_WORK / 1e9:g} billion pairs of arms, "
                "which takes too long to add up; keep fewer orders (equal ones can be one with a count), or fewer arms"
            )


def read_sushi(path: Path, unranked: Unranked = "ignore") -> PairCounts:
    """An ``.order`` file of the sushi survey: set A (10 sorts, all ranked) or set B (10 of 100 ranked).

    The first line holds the number of items and 1. Every other line is one person: 0, how many items follow, and their
    numbers (from 0), the best first. Arms are named by these numbers: ``item 0``, ``item 1``, ...

    Raises
    ------
    InputError
        Naming the line and the mend.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "sushi3a.order")
    ...     _ = file.write_text("3 1\\n0 3 2 0 1\\n0 3 0 2 1\\n")
    ...     counts = read_sushi(file)
    >>> counts.wins.tolist()
    [[0.0, 2.0, 1.0], [0.0, 0.0, 0.0], [1.0, 2.0, 0.0]]
    """
    tally = None
    n_arms = 0
    for line, text in numbered_lines(path):
        numbers = [whole_number(cell, 10**6) for cell in text.split()]
        if tally is None:
            if len(numbers) != 2 or numbers[1] != 1 or not numbers[0] or numbers[0] < 2:
                raise InputError(f"{path}: line {line}: begin with the number of items and 1, as in '10 1'")
            n_arms = numbers[0]
            check_arms(n_arms, path, line)
            tally = _Tally(path, n_arms, unranked)
            _check_work(path, lambda text: len(text.split()) - 2, n_arms, unranked)
            continue
        items = [number for number in numbers[2:] if number is not None]
        if len(numbers) < 3 or numbers[0] != 0 or numbers[1] != len(items) or len(items) != len(numbers) - 2:
            raise InputError(
                f"{path}: line {line}: an order is 0, the number of items, and the items, in whole numbers"
            )
        tally.add(_Ballot(line, 1, [[item] for item in items]))
    if tally is None:
        raise InputError(f"{path}: holds no orders")
    return tally.counts(tuple(f"item {k}" for k in range(n_arms)), ())


def read_preflib(path: Path, unranked: Unranked = "lose") -> PairCounts:
    """A PrefLib file of orders (.soc, .toc, .soi, .toi), in the syntax with ``#`` lines or the one before it.

    Arms are in the order of their numbers in the file (which count from 1) and have its names.

    Raises
    ------
    InputError
        Naming the line and the mend.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "lunch.toi")
    ...     head = "# DATA TYPE: toi\\n# NUMBER ALTERNATIVES: 3\\n"
    ...     _ = file.write_text(head + "2: 1,{2,3}\\n1: 3\\n")
    ...     counts = read_preflib(file)
    >>> counts.wins.tolist()
    [[0.0, 2.0, 2.0], [0.0, 0.0, 1.0], [1.0, 2.0, 0.0]]
    """
    head = _Head(path)
    tally = None
    for line, text in numbered_lines(path):
        if head.takes(line, text):
            continue
        if tally is None:
            head.check(line)
            tally = _Tally(path, head.n_arms, unranked)
            _check_work(path, lambda text: 0 if text.startswith("#") else text.count(",") + 1, head.n_arms, unranked)
        ballot = _ballot(path, line, text, head.separator)
        if head.kind in ("soc", "toc"):
            tally.check_complete(ballot, head.kind)
        if head.kind in ("soc", "soi") and len(ballot.groups) < sum(len(group) for group in ballot.groups):
            raise InputError(f"{path}: line {line}: the order has ties, but {head.kind} says strict orders")
        tally.add(ballot)
    if tally is None:
        raise InputError(f"{path}: holds no orders")
    ties = ("in a tie each side has 1/2",) if head.kind.startswith("t") else ()
    return tally.counts(head.names(), (f"PrefLib {head.kind}: {PREFLIB_TYPES[head.kind]}", *ties))


def read_rankings(path: Path, unranked: Unranked = "ignore") -> PairCounts:
    """A text file of rankings, one per line: ``tacos > sushi = pizza``, the best first, ``=`` or ``~`` for ties.

    A number and a colon before a ranking say how often it was given. Lines that begin with ``#`` are passed over. Arms
    are in the order in which they first appear.

    Raises
    ------
    InputError
        Naming the line and the mend.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "lunch.txt")
    ...     _ = file.write_text("tacos > sushi = pizza\\n2: pizza > tacos\\n")
    ...     counts = read_rankings(file)
    >>> counts.names, counts.wins.tolist()
    (('tacos', 'sushi', 'pizza'), [[0.0, 1.0, 1.0], [0.0, 0.0, 0.5], [2.0, 0.5, 0.0]])
    """
    _check_work(path, _named, MAX_ARMS, "ignore")
    arms: dict[str, int] = {}
    for line, _, groups in _rankings(path):
        for group in groups:
            for name in group:
                arms.setdefault(name, len(arms))
        check_arms(len(arms), path, line)
    if len(arms) < 2:
        raise InputError(f"{path}: holds no rankings of two arms and more; {_RANKING_EXAMPLE}")
    _check_work(path, _named, len(arms), unranked)
    tally = _Tally(path, len(arms), unranked)
    for line, count, groups in _rankings(path):
        tally.add(_Ballot(line, count, [[arms[name] for name in group] for group in groups]))
    return tally.counts(tuple(arms), ("in a tie each side has 1/2",))


def _named(text: str) -> int:
    """How many arms a ranking in words names."""
    return 1 + text.count(">") + text.count("=") + text.count("~")


def _rankings(path: Path) -> Iterator[tuple[int, int, list[list[str]]]]:
    """Line, count and groups of names, the best first, of each ranking."""
    for line, text in numbered_lines(path):
        if text.startswith("#"):
            continue
        counted = _COUNTED.match(text)
        count = whole_number(counted[1], MAX_COUNT) if counted else 1
        ranking = text[counted.end() :] if counted else text
        groups = [[name.strip() for name in _TIE.split(group)] for group in ranking.split(">")]
        is_list = len(groups) == len(groups[0]) == 1 and "," in groups[0][0]
        if not count or is_list or any(not name for group in groups for name in group):
            raise InputError(f"{path}: line {line}: {quoted(text)} is no ranking; {_RANKING_EXAMPLE}")
        yield line, count, groups


class _Head:
    """What stands before the orders of a PrefLib file.

    ``# NUMBER ALTERNATIVES: 3`` and ``# ALTERNATIVE NAME 1: tea`` in the syntax since 2022; before it a line with the
    number of alternatives, one line ``1,tea`` for each, and a line with three totals.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._names: dict[int, str] = {}
        self._is_old = False
        self._is_done = False
        self.n_arms = 0
        self.separator = ":"
        ending = path.suffix.lower().removeprefix(".")
        self.kind = ending if ending in PREFLIB_TYPES else ""

    def takes(self, line: int, text: str) -> bool:
        """Whether the line belongs to the head."""
        if text.startswith("#"):
            self._take_metadata(line, text[1:].strip())
            return True
        if not self.n_arms:
            self._is_old, self.separator = True, ","
            self._set_number(line, text)
            return True
        if not self._is_old or self._is_done:
            return False
        if len(self._names) < self.n_arms:
            number, _, name = text.partition(",")
            self._set_name(line, number, name)
            return True
        totals = [whole_number(cell, MAX_COUNT) for cell in text.split(",")]
        if len(totals) != 3 or None in totals:
            raise self._error(line, "after the names there is a line with three totals: orders, their sum, kinds")
        self._is_done = True
        return True

    def _take_metadata(self, line: int, text: str) -> None:
        key, _, value = text.partition(":")
        key = " ".join(key.upper().split())
        if key == "NUMBER ALTERNATIVES":
            self._set_number(line, value)
        elif key == "DATA TYPE":
            self.kind = value.strip().lower()
            if self.kind not in PREFLIB_TYPES:
                kinds = ", ".join(PREFLIB_TYPES)
                raise self._error(line, f"data of type {quoted(self.kind)} are no orders; there are {kinds}")
        elif key.startswith("ALTERNATIVE NAME "):
            self._set_name(line, key.removeprefix("ALTERNATIVE NAME "), value)

    def _set_number(self, line: int, text: str) -> None:
        number = whole_number(text, 10**9)
        if number is None or number < 2:
            raise self._error(line, f"the number of alternatives is {quoted(text.strip())}; it is a whole number >= 2")
        check_arms(number, self._path, line)
        self.n_arms = number

    def _set_name(self, line: int, number: str, name: str) -> None:
        k = whole_number(number, MAX_ARMS)
        if not k or not name.strip() or (self.n_arms and k > self.n_arms):
            raise self._error(line, f"the name of alternative {quoted(number.strip())} of {self.n_arms} is not clear")
        self._names[k] = name.strip()

    def check(self, line: int) -> None:
        """Raise unless all is known that is needed to read orders, the first of which is in ``line``."""
        if not self.kind:
            kinds = ", ".join(f".{kind}" for kind in PREFLIB_TYPES)
            raise self._error(line, f"no line '# DATA TYPE: ...' stands before it; give the file one of {kinds}")

    def names(self) -> tuple[str, ...]:
        return tuple(self._names.get(k, f"alternative {k}") for k in range(1, self.n_arms + 1))

    def _error(self, line: int, problem: str) -> InputError:
        return InputError(f"{self._path}: line {line}: {problem}")


def _ballot(path: Path, line: int, text: str, separator: str) -> _Ballot:
    count_text, _, order = text.partition(separator)
    count = whole_number(count_text, MAX_COUNT)
    if not count or not _ORDER.fullmatch(order):
        example = f"2{separator} 1,{{2,3}}"
        raise InputError(f"{path}: line {line}: {quoted(text)} is no order; it is written as in '{example}'")
    return _Ballot(line, count, list(_groups(path, line, order)))


def _groups(path: Path, line: int, order: str) -> Iterator[list[int]]:
    for several, one in _GROUP.findall(order):
        members = [whole_number(cell, MAX_ARMS) for cell in (several or one).split(",")]
        arms = [member - 1 for member in members if member]
        if len(arms) < len(members):
            raise InputError(f"{path}: line {line}: {quoted(several or one)} are no numbers from 1 to {MAX_ARMS}")
        yield arms
