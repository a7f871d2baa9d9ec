"""Reads orders as counts of wins, in the formats of the sushi survey, PrefLib and Condorcet elections, and in words.

A person who ranks a before b counts as a win of a against b, and a tie as half a win for each. Arms that an order
leaves out are treated by a convention, `Unranked`:

- ``ignore``: only pairs that the person ranked count (the sushi survey: everyone ranked 10 of 100).
- ``lose``: every ranked arm wins against every unranked arm; two unranked arms are not compared (elections).
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import Literal

import numpy as np

from duelbench.bandits.problem.labelled import MAX_COUNT
from duelbench.bandits.problem.matrix_files import MAX_ARMS, after_comments, numbered_lines, quoted, whole_number
from duelbench.common.words import counted
from duelbench.data.counts import PairCounts
from duelbench.errors import InputError

Unranked = Literal["ignore", "lose"]

PREFLIB_TYPES = {
    "soc": "strict complete orders",
    "toc": "complete orders with ties",
    "soi": "strict incomplete orders",
    "toi": "incomplete orders with ties",
}

MAX_PAIRS = 2 * 10**9  # Most pairs of arms that all orders of a file compare: about twenty seconds

_BLOCK = 2**16  # Pairs that are added at once, which fit into a processor's cache

_GROUP = re.compile(r"\{([0-9, \t]+)\}|([0-9]+)")
_ORDER = re.compile(rf"\s*(?:{_GROUP.pattern})(?:\s*,\s*(?:{_GROUP.pattern}))*\s*")

_COUNTED = re.compile(r"([0-9]+)\s*:")
_PARAMETER = re.compile(r"#/\s*([^:]*[^:\s])\s*:(.*)")
_CVOTES_BALLOT = re.compile(r"\|\|.*[>=]|^[^#]*[^#\s]\s*\*\s*[0-9]+\s*(#|$)|^/EMPTY(_RANKING)?/", re.IGNORECASE)
_CVOTES_LINE = re.compile(r"([^<*^|]*?)\s*(?:\^\s*([0-9]+))?\s*(?:\*\s*([0-9]+))?")
_RANKING_EXAMPLE = "it is written as in 'tacos > sushi = pizza', or '3: tacos > sushi' for three of a kind"

Order = tuple[int, int, Sequence[Sequence[int]]]
"""The line of an order, its count, and its groups of arms (0-based), the best first."""

_Levels = tuple[int, np.ndarray, np.ndarray]
"""The count of an order, its arms, and the rank of each arm's group."""

_CONVENTIONS = {
    "ignore": "an order counts only for pairs of which it ranks both arms",
    "lose": "a ranked arm wins against every unranked arm, two unranked arms are not compared",
}


@contextmanager
def _at(path: Path, line: int) -> Iterator[None]:
    """Turn a ValueError into an InputError that names the line."""
    try:
        yield
    except ValueError as error:
        raise InputError(f"{path}: line {line}: {error}") from None


def _check_arms(n_arms: int) -> None:
    if n_arms > MAX_ARMS:
        raise ValueError(f"{n_arms} arms; at most {MAX_ARMS} are supported")


def _collected(path: Path, orders: Iterable[Order], names: Sized, unranked: Unranked) -> list[_Levels]:
    """Collect the orders; refuse orders that name an arm twice, and files that would take too long to add up."""
    levels: list[_Levels] = []
    n_orders = n_pairs = 0
    for line, count, groups in orders:
        n_arms = len(names)
        arms = np.array([arm for group in groups for arm in group], dtype=np.int32)
        n_orders += count
        n_pairs += len(arms) * (n_arms if unranked == "lose" else len(arms))
        with _at(path, line):
            if arms.max() >= n_arms:
                raise ValueError("the order names an arm that the file does not have")
            if len(np.unique(arms)) < len(arms):
                raise ValueError("the order names an arm twice")
            if n_orders > MAX_COUNT:
                raise ValueError(f"the order makes more than {MAX_COUNT:g} orders")
        if n_pairs > MAX_PAIRS:
            raise InputError(
                f"{path}: the orders up to line {line} compare more than {MAX_PAIRS / 1e9:g} billion pairs of arms, "
                "which takes too long to add up; keep fewer orders (equal ones can be one with a count), or fewer arms"
            )
        levels.append((count, arms, np.repeat(np.arange(len(groups), dtype=np.int32), list(map(len, groups)))))
    if not levels:
        raise InputError(f"{path}: holds no orders")
    return levels


def counts_of(
    path: Path, orders: Iterable[Order], names: Collection[str], unranked: Unranked, *notes: str, first: int = 0
) -> PairCounts:
    """Add up orders to counts of wins; ``names``, those of the arms, may grow while orders are read."""
    collected = _collected(path, orders, names, unranked)
    wins = _added_up(collected, len(names), unranked)
    convention = () if all(len(arms) == len(names) for _, arms, _ in collected) else (_CONVENTIONS[unranked],)
    notes = (f"{sum(count for count, _, _ in collected)} orders of {len(names)} arms", *notes, *convention)
    return PairCounts(wins, tuple(names), str(path), notes, first)


def _added_up(orders: Iterable[_Levels], n_arms: int, unranked: Unranked) -> np.ndarray:
    wins = np.zeros((n_arms, n_arms))
    for count, arms, level in orders:
        rows = max(1, _BLOCK // len(arms))
        for k in range(0, len(arms), rows):
            row_level = level[k : k + rows, None]
            wins[arms[k : k + rows, None], arms] += count * (0.5 * (row_level < level) + 0.5 * (row_level <= level))
        if unranked == "lose":
            others = np.setdiff1d(np.arange(n_arms), arms, assume_unique=True)
            wins[np.ix_(arms, others)] += count
    np.fill_diagonal(wins, 0.0)
    return wins


def read_sushi(path: Path, unranked: Unranked = "ignore") -> PairCounts:
    """Read an ``.order`` file of the sushi survey: set A (10 sorts, all ranked) or set B (10 of 100 ranked).

    The first line has the number of items and 1. Every other line is the order of a person: 0, the number of items, and
    the items (from 0), the best first. Arms are named by these numbers: ``item 0``, ``item 1``, ...
    """
    lines = numbered_lines(path)
    line, text = next(lines, (1, ""))
    with _at(path, line):
        head = [whole_number(cell, 10**6) for cell in text.split()]
        n_arms = head[0] if len(head) == 2 and head[1] == 1 else None
        if n_arms is None or n_arms < 2:
            raise ValueError("the first line must be the number of items and 1, as in '10 1'")
        _check_arms(n_arms)
    return counts_of(path, _sushi_orders(path, lines), [f"item {k}" for k in range(n_arms)], unranked, first=1)


def _sushi_orders(path: Path, lines: Iterable[tuple[int, str]]) -> Iterator[Order]:
    for line, text in lines:
        numbers = [whole_number(cell, 10**6) for cell in text.split()]
        items = [number for number in numbers[2:] if number is not None]
        if not items or numbers[0] != 0 or not numbers[1] == len(items) == len(numbers) - 2:
            rule = "an order is 0, the number of items, and the items, in whole numbers"
            raise InputError(f"{path}: line {line}: {rule}")
        yield line, 1, [[item] for item in items]


def read_preflib(path: Path, unranked: Unranked = "lose") -> PairCounts:
    """Read a PrefLib file of orders (.soc, .toc, .soi, .toi), in the syntax with ``#`` lines or the older one.

    Arms have the names and the order of the file. Their numbers start with 1, or with 0 if the file has an alternative
    0.
    """
    kind = path.suffix.lower().removeprefix(".")
    head = _Head(kind if kind in PREFLIB_TYPES else "")
    lines = numbered_lines(path)
    for line, text in lines:
        with _at(path, line):
            if text.startswith("#"):
                head.take(text[1:])
            elif head.n_arms:  # the first order
                break
            else:
                head.take_old(path, text, lines)
    else:
        raise InputError(f"{path}: holds no orders")
    if not head.kind:
        kinds = ", ".join(f".{kind}" for kind in PREFLIB_TYPES)
        problem = (
            f"no line '# DATA TYPE: ...' comes before the orders; add it, or end the name of the file with {kinds}"
        )
        raise InputError(f"{path}: line {line}: {problem}")
    if not head.names and re.search(r"[:,{]\s*0\s*(?:[,}]|$)", text):
        head.first = 0
    names = [head.names.get(k, f"alternative {k}") for k in range(head.first, head.first + head.n_arms)]
    ties = ["in a tie each side has 1/2"] if head.kind.startswith("t") else []
    orders = _preflib_orders(path, head, chain([(line, text)], lines))
    kind = f"PrefLib {head.kind}: {PREFLIB_TYPES[head.kind]}"
    zero = ["alternatives are numbered from 0"] if head.first == 0 else []
    return counts_of(path, orders, names, unranked, kind, *ties, *zero, first=head.first)


class _Head:
    """The lines before the orders of a PrefLib file."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.names: dict[int, str] = {}
        self.n_arms = 0
        self.first = 1  # number of the first alternative
        self.separator = ":"

    def take(self, text: str) -> None:
        """Read a line without its ``#``: ``NUMBER ALTERNATIVES: 3``, ``ALTERNATIVE NAME 1: tea``."""
        key, _, value = text.partition(":")
        key = " ".join(key.upper().split())
        if key == "NUMBER ALTERNATIVES":
            self._set_number(value)
        elif key == "DATA TYPE":
            self.kind = value.strip().lower()
            if self.kind not in PREFLIB_TYPES:
                raise ValueError(
                    f"data of type {quoted(self.kind)} are not orders; the types are {', '.join(PREFLIB_TYPES)}"
                )
        elif key.startswith("ALTERNATIVE NAME "):
            self._set_name(key.removeprefix("ALTERNATIVE NAME "), value)

    def take_old(self, path: Path, text: str, lines: Iterator[tuple[int, str]]) -> None:
        """Read the syntax before 2022: the number of alternatives, one line ``1,tea`` for each, and three totals."""
        self._set_number(text)
        self.separator = ","
        for line, text in islice(lines, self.n_arms):
            with _at(path, line):
                number, _, name = text.partition(",")
                self._set_name(number, name)
        for line, text in islice(lines, 1):
            with _at(path, line):
                totals = [whole_number(cell, MAX_COUNT) for cell in text.split(",")]
                if len(totals) != 3 or None in totals:
                    raise ValueError("the line after the names must have three totals: orders, their sum, kinds")

    def _set_number(self, text: str) -> None:
        number = whole_number(text, 10**9)
        if number is None or number < 2:
            raise ValueError(f"the number of alternatives is {quoted(text.strip())}; it must be a whole number >= 2")
        _check_arms(number)
        self.n_arms = number

    def _set_name(self, number: str, name: str) -> None:
        k = whole_number(number, MAX_ARMS)
        if k == 0 and not self.names:
            self.first = 0
        if k is None or k < self.first or not name.strip() or (self.n_arms and k >= self.first + self.n_arms):
            raise ValueError(f"the name of alternative {quoted(number.strip())} of {self.n_arms} is not clear")
        self.names[k] = name.strip()

    def check(self, groups: Sequence[Sequence[int]]) -> None:
        """Raise a ValueError if an order is not of the kind in the file's head."""
        n_ranked = sum(map(len, groups))
        if self.kind in ("soc", "toc") and n_ranked < self.n_arms:
            missing = f"the order ranks {n_ranked} of {self.n_arms} arms, but {self.kind} says complete orders"
            raise ValueError(f"{missing}; for incomplete ones it is {self.kind[0]}oi")
        if self.kind in ("soc", "soi") and len(groups) < n_ranked:
            raise ValueError(f"the order has ties, but {self.kind} says strict orders")


def _preflib_orders(path: Path, head: _Head, lines: Iterable[tuple[int, str]]) -> Iterator[Order]:
    for line, text in lines:
        if not text.startswith("#"):
            with _at(path, line):
                count, groups = _preflib_order(text, head)
                head.check(groups)
            yield line, count, groups


def _preflib_order(text: str, head: _Head) -> tuple[int, list[list[int]]]:
    count_text, _, order = text.partition(head.separator)
    count = whole_number(count_text, MAX_COUNT)
    if not count or not _ORDER.fullmatch(order):
        raise ValueError(f"{quoted(text)} is not an order; write it as in '2{head.separator} 1,{{2,3}}'")
    groups = []
    for group, single in _GROUP.findall(order):
        members = [whole_number(cell, MAX_ARMS) for cell in (group or single).split(",")]
        arms = [member - head.first for member in members if member is not None and member >= head.first]
        if len(arms) < len(members):
            raise ValueError(f"arms are numbers from {head.first} to {MAX_ARMS}, got {quoted(group or single)}")
        groups.append(arms)
    return count, groups


def read_rankings(path: Path, unranked: Unranked = "ignore") -> PairCounts:
    """Read a text file of rankings, one per line: ``tacos > sushi = pizza``, the best first, ``=`` or ``~`` for ties.

    A number and a colon before a ranking are its count. Lines that start with ``#`` before the first ranking are
    comments. Arms are in the order of their first appearance.
    """
    arms: dict[str, int] = {}
    n_comments, lines = after_comments(path)
    notes = ["in a tie each side has 1/2", *comment_notes(n_comments)]
    return counts_of(path, _rankings(path, lines, arms), arms, unranked, *notes)


def comment_notes(n_comments: int) -> list[str]:
    """Return a note on lines that were read as comments, if any."""
    if not n_comments:
        return []
    return ["the first line is a comment (#)" if n_comments == 1 else f"the first {n_comments} lines are comments (#)"]


def _rankings(path: Path, lines: Iterable[tuple[int, str]], arms: dict[str, int]) -> Iterator[Order]:
    """Yield the rankings of a file; a new name gets the next number in ``arms``."""
    for line, text in lines:
        prefix = _COUNTED.match(text)
        count = whole_number(prefix[1], MAX_COUNT) if prefix else 1
        groups = _groups(text[prefix.end() :] if prefix else text, "[=~]")
        is_list = len(groups) == len(groups[0]) == 1 and "," in groups[0][0]
        if not count or is_list or not all(map(all, groups)):
            raise InputError(f"{path}: line {line}: {quoted(text)} is not a ranking; {_RANKING_EXAMPLE}")
        yield line, count, _numbered(path, line, groups, arms)
    if len(arms) < 2:
        raise InputError(f"{path}: holds no rankings of two arms and more; {_RANKING_EXAMPLE}")


def _groups(ranking: str, ties: str) -> list[list[str]]:
    """Return the names in each group of a ranking."""
    return [[name.strip() for name in re.split(ties, group)] for group in ranking.split(">")]


def _numbered(path: Path, line: int, groups: Sequence[Sequence[str]], arms: dict[str, int]) -> list[list[int]]:
    numbers = [[arms.setdefault(name, len(arms)) for name in group] for group in groups]
    with _at(path, line):
        _check_arms(len(arms))
    return numbers


def is_cvotes(lines: Iterable[str]) -> bool:
    """Return whether lines are from a file in the Condorcet Election Format."""
    return any(_PARAMETER.match(text) or _CVOTES_BALLOT.search(text) for text in lines)


def read_cvotes(path: Path, unranked: Unranked | None = None) -> PairCounts:
    """Read a file in the Condorcet Election Format: ``voter || A > B = C ^2 * 3``.

    The arms are those of the line ``#/Candidates: A ; B``, and other names are left out, as the format requires.
    Without this line, arms are in the order of their first appearance. The weight ``^2`` counts if the file has the
    line ``#/Weight Allowed: true``. Candidates that a ballot leaves out are tied for the last place unless the file has
    the line ``#/Implicit Ranking: false``; ``unranked`` overrides this rule.
    """
    parameters: dict[str, str] = {}
    arms: dict[str, int] = {}
    ballots: list[Order] = []
    unknown: dict[str, None] = {}
    n_empty = 0
    for line, text in numbered_lines(path):
        if parameter := _PARAMETER.match(text):
            parameters[" ".join(parameter[1].lower().split())] = parameter[2].strip()
            if parameter[1].strip().lower() == "candidates":
                arms = {name.strip(): k for k, name in enumerate(parameter[2].split(";")) if name.strip()}
            continue
        ballot = text.partition("#")[0].rpartition("||")[2].strip()
        match = _CVOTES_LINE.fullmatch(ballot)
        if not ballot:
            continue
        numbers = match.groups()[1:] if match else ("0", "0")
        weight, count = (whole_number(number or "1", MAX_COUNT) for number in numbers)
        groups = _groups(match[1], "=") if match else []
        if not weight or not count or not all(map(all, groups)):
            example = "write it as in 'A > B = C * 3', with ^ and the weight before *"
            raise InputError(f"{path}: line {line}: {quoted(text)} is no ballot; {example}")
        if _is_true(parameters.get("weight allowed", "false")):
            count *= weight
        if re.fullmatch("/EMPTY(_RANKING)?/", ballot.split("*")[0].strip(), re.IGNORECASE):
            n_empty += count
            continue
        if "candidates" in parameters:
            unknown |= dict.fromkeys(name for group in groups for name in group if name not in arms)
            known_groups = [[name for name in group if name in arms] for group in groups]
            groups = [group for group in known_groups if group]
        if groups:
            ballots.append((line, count, _numbered(path, line, groups, arms)))
    notes = ["Condorcet Election Format", "in a tie each side has 1/2"]
    notes += [f"left out: {counted(n_empty, 'empty ballot')}"] if n_empty else []
    notes += [f"not candidates, and left out: {', '.join(map(quoted, unknown))}"] if unknown else []
    if unranked is None and _is_true(parameters.get("implicit ranking", "true")):
        ballots = [(line, count, _with_last_place(groups, len(arms))) for line, count, groups in ballots]
        notes.append("candidates that a ballot leaves out are tied for its last place")
    return counts_of(path, ballots, arms, unranked or "ignore", *notes)


def _with_last_place(groups: Sequence[Sequence[int]], n_arms: int) -> list[Sequence[int]]:
    others = sorted({*range(n_arms)} - {arm for group in groups for arm in group})
    return [*groups, others] if others else [*groups]


def _is_true(text: str) -> bool:
    return text.strip().lower() in ("true", "1", "yes")
