"""How people write the numbers of a preference matrix, and checks of these numbers in the notation of their file."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from duelbench.bandits.problem.matrix_files import import_hint
from duelbench.errors import InputError

# How far P[i, j] + P[j, i] may be from 1. Decimals that add up to 1 on paper differ from it by less than 1e-15; larger
# differences come from separate rounding or typing errors.
TOLERANCE = 1e-9

UNNAMED = "the matrix"
"""The label of a matrix without a file, in messages."""


@dataclass(frozen=True)
class Notation:
    """A way to write probabilities as the numbers of a square table."""

    low: float
    high: float
    even: float  # the number of an arm against itself
    total: float  # the sum, or the product, of the two numbers of a pair
    wanted: str
    note: str = ""  # how the numbers are converted to probabilities
    are_ratios: bool = False  # the two numbers of a pair multiply to ``total``; else they add up to it

    def joined(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Return the sums, or the products, of the numbers of pairs."""
        return first * second if self.are_ratios else first + second

    def opposite(self, number: np.ndarray) -> np.ndarray:
        """Return what the other number of a pair must be."""
        with np.errstate(divide="ignore"):
            return self.total / number if self.are_ratios else self.total - number

    def probabilities(self, numbers: np.ndarray) -> np.ndarray:
        """Return the probabilities that the numbers mean."""
        return numbers / (numbers + 1) if self.are_ratios else (numbers - self.low) / (self.high - self.low)

    def last_digit(self, values: np.ndarray) -> float:
        """Return by how much the numbers of a pair may miss ``total`` because they were rounded.

        It is one unit of the last digit of the table, because each of the two numbers is wrong by at most half a unit.
        If probabilities have a single digit, no rounding is assumed, since 0.7 and 0.4 are a typing error.

        Examples
        --------
        >>> PROBABILITIES.last_digit(np.array([0.667, 0.34])), PROBABILITIES.last_digit(np.array([0.7, 0.4]))
        (0.001, 1e-09)
        >>> PERCENTAGES.last_digit(np.array([67.0, 34.0]))
        1.0
        """
        if self.are_ratios:
            return 0.05  # for 0.33 * 3 and 0.14 * 7
        size = self.high - self.low
        shift = round(np.log10(size))
        for digits in range(1, 9):
            if np.array_equal(np.round(values, digits - shift), values):
                return float(10.0 ** (shift - digits)) if digits > 1 else TOLERANCE * size
        return (1e-6 if are_single(values) else TOLERANCE) * size


PROBABILITIES = Notation(0.0, 1.0, 0.5, 1.0, "a probability from 0 to 1")
PERCENTAGES = Notation(0.0, 100.0, 50.0, 100.0, "a percentage from 0 to 100", "percentages: divided by 100")
GAPS = Notation(
    -0.5,
    0.5,
    0.0,
    0.0,
    "a gap p - 1/2 from -0.5 to 0.5",
    "gaps p - 1/2 with 0 on the diagonal: 1/2 was added (if they are differences p_ij - p_ji, halve them first)",
)
RATIOS = Notation(
    0.0, np.inf, 1.0, 1.0, "a ratio above 0", "ratios a with 1 on the diagonal (AHP): p = a / (a + 1)", are_ratios=True
)


@dataclass(frozen=True)
class Place:
    """Where numbers come from and how they are written there, for messages."""

    label: str
    lines: tuple[int, ...] | None = None  # line numbers of the rows in the file
    notation: Notation = PROBABILITIES
    point: str = "."  # decimal point or comma

    def entry(self, i: int, j: int, note: str = "counted from 1") -> str:
        """Return the row and the column of an entry in words, and how they are counted."""
        line = f"line {self.lines[i]}" if self.lines else ""
        notes = "; ".join(filter(None, [note, line]))
        return f"row {i + 1}, column {j + 1} ({notes})" if notes else f"row {i + 1}, column {j + 1}"

    def number(self, value: Any) -> str:
        """Return a number as it is written in the file."""
        return repr(float(value)).removesuffix(".0").replace(".", self.point)

    def short(self, value: Any) -> str:
        """Return a computed number as text, without its rounding errors."""
        return f"{value:.12g}".replace(".", self.point)


@np.errstate(over="ignore", invalid="ignore")
def check_numbers(P: np.ndarray, place: Place, tolerance: float = TOLERANCE) -> None:
    """Refuse the first invalid entry of the most serious kind of fault."""
    notation = place.notation
    even = place.number(notation.even)
    for wrong, hint in (
        (~np.isfinite(P), f"; write {notation.wanted}"),
        ((notation.low > P) | (notation.high < P), None),
        (
            np.eye(len(P), dtype=bool) & (notation.even != P),
            f", but an arm against itself has exactly {even}: write {even}",
        ),
    ):
        if wrong.any():
            i, j = _first(wrong)
            others = f" ({wrong.sum()} entries are wrong in this way)" if wrong.sum() > 1 else ""
            hint = hint or f", not {notation.wanted}; {_hint_at_numbers(P, place)}"
            raise InputError(f"{place.label}: {place.entry(i, j)} is {place.number(P[i, j])}{hint}{others}")
    _check_pairs(P, place, tolerance)


def check_ties(P: np.ndarray, place: Place) -> None:
    """Refuse pairs that add up to 1 within the tolerance, although only one side is a tie."""
    one_sided = (P > 0.5) != (P.T < 0.5)
    if (one_sided | one_sided.T).any():
        rule = "in a tie both are exactly 0.5, else only one is above it: correct one"
        raise InputError(f"{place.label}: {_pair(P, one_sided | one_sided.T, place, 'but')}; {rule}")


def _hint_at_numbers(P: np.ndarray, place: Place) -> str:
    """Return a hint for numbers that are too low or too high, which depends on what they look like."""
    is_file, most = place.label != UNNAMED, np.abs(P).max()
    if np.allclose(P, -P.T) and 0.5 < most <= 1:
        return "for differences d = p_ij - p_ji, write (d + 1) / 2 for every number"
    if place.notation is not PROBABILITIES:
        return "correct it"
    if (np.diagonal(P) == 50).all() or np.allclose(P + P.T, 100):
        kind, hint = "percentages,", "divide every number by 100"
    elif np.allclose(P, -P.T) and most <= 0.5:
        kind, hint = "gaps p - 1/2,", "add 1/2 to every number"
    elif look_like_counts(P) and (P >= 0).all():
        kind, hint = "counts of wins,", "write wins[i, j] / (wins[i, j] + wins[j, i]), and 0.5 on the diagonal"
        if is_file and np.any(np.diagonal(P)):
            kind += " write 0 on the diagonal:"
    else:
        return "correct it"
    return f"for {kind} {import_hint(place.label) if is_file else hint}"


@np.errstate(over="ignore")
def look_like_counts(values: np.ndarray) -> bool:
    """Return whether numbers, some of them outside [0, 1], can be counts of wins, whole or with a half for a tie."""
    is_half = np.mod(values, 0.5) == 0
    return bool(is_half.all() and (np.diagonal(values) != 0.5).all() and not np.allclose(values + values.T, 100))


def are_single(values: np.ndarray) -> bool:
    """Return whether all numbers have single precision (float32)."""
    return np.array_equal(values, values.astype(np.float32))


def _check_pairs(P: np.ndarray, place: Place, tolerance: float) -> None:
    notation = place.notation
    joined = notation.joined(P, P.T)
    wrong = np.abs(joined - notation.total) > tolerance * (1 + 1e-6)
    if not wrong.any():
        return
    others = f" ({wrong.sum() // 2} pairs are wrong in this way)" if wrong.sum() > 2 else ""
    is_rounded = np.abs(joined - notation.total).max() <= notation.last_digit(P) * (1 + 1e-6)
    is_file, is_single = place.label != UNNAMED, are_single(P)
    if is_rounded and (is_file or is_single):
        cause = "have single precision (float32)" if is_single else "were rounded"
        code = "P = P.astype(float); i, j = np.triu_indices(len(P), 1); P[j, i] = 1 - P[i, j]"
        others += f"; if the numbers {cause}, {import_hint(place.label) if is_file else f'make them exact: {code}'}"
    i, j = _first(wrong)
    word, rule = ("multiplied", "multiply") if notation.are_ratios else ("together", "add up")
    raise InputError(
        f"{place.label}: {_pair(P, wrong, place, 'and')}, {word} {place.short(joined[i, j])}; they must {rule} to"
        f" {place.short(notation.total)} within {place.short(tolerance)}: write"
        f" {place.short(notation.opposite(P[i, j]))} for the second, or correct the first{others}"
    )


def _pair(P: np.ndarray, wrong: np.ndarray, place: Place, conjunction: str) -> str:
    """Describe both entries of the first wrong pair."""
    i, j = _first(wrong)
    first_entry = f"{place.entry(i, j, note='')} is {place.number(P[i, j])}"
    return f"{first_entry} {conjunction} {place.entry(j, i)} is {place.number(P[j, i])}"


def _first(wrong: np.ndarray) -> tuple[int, int]:
    """Return the row and the column of the first true entry, row by row."""
    return divmod(int(wrong.argmax()), wrong.shape[1])
