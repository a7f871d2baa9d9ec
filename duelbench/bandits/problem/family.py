"""A family of synthetic matrices, and its random numbers.

Random numbers are computed by exact arithmetic from the raw 64-bit words of PCG64, which NumPy never changes. So they
are the same everywhere, up to the last digit of normal and exponential numbers.
"""

import hashlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

from duelbench.bandits.parameters import Parameter, resolve
from duelbench.bandits.problem.matrix_files import MAX_ARMS
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.winners import as_array
from duelbench.common.numerals import real_number, word
from duelbench.errors import InputError

MAX_SEED = 2**128 - 1


def game_seed(seed: int, game: int) -> int:
    """Return the seed, 0 to `MAX_SEED`, of one random matrix of a sweep (``game``, 0-based) and of the runs on it.

    It is a child of ``seed`` by `numpy.random.SeedSequence`, so that experiments with neighbouring seeds share no
    matrix.
    """
    words = np.random.SeedSequence(seed, spawn_key=(game,)).generate_state(4, np.uint32)
    return int.from_bytes(words.astype("<u4").tobytes(), "little")


@dataclass(frozen=True)
class Numbers(Parameter):
    """A parameter that is a list of at least ``fewest`` numbers; ``low``, ``high`` and ``whole`` hold for each.

    Examples
    --------
    >>> Numbers((1, 3), "sizes", low=1, fewest=2, whole=True).check([3, 5])
    (3, 5)
    """

    fewest: int = 1
    whole: bool = False

    def check(self, value: Any) -> Any:
        """Return ``value`` as a tuple of floats (of int if ``whole``); None is allowed if it is the default."""
        if value is None and self.default is None:
            return None
        if not isinstance(value, (list, tuple)):
            raise ValueError(f"must be a list of numbers, got {value!r}")
        if not self.fewest <= len(value) <= MAX_ARMS:
            raise ValueError(f"must list {self.fewest} to {MAX_ARMS} numbers, got {len(value)}")
        zero = 0 if self.whole else 0.0  # the default of a parameter sets its type
        item = Parameter(zero, "", self.low, self.high, self.low_open, self.high_open)
        return tuple(item.check(number) for number in value)

    def read(self, value: Any) -> Any:
        """Return what `check` does for numbers that may be written as text; a single number is a list of one."""
        if value is None and self.default is None:
            return None
        numbers = value if isinstance(value, (list, tuple)) else [value]
        return self.check([real_number(number) for number in numbers[: MAX_ARMS + 1]])


@dataclass(frozen=True)
class MatrixName(Parameter):
    """A parameter that is the path of a matrix file or the name of fetched data; it has no default."""

    def check(self, value: Any) -> Any:
        """Return ``value``, which must be text that is not blank."""
        if not isinstance(value, str) or not value.strip():
            raise ValueError("has no default: name a matrix file, or data that `duelbench matrix fetch` fetched")
        return value

    def read(self, value: Any) -> Any:
        """Return the text of ``value``, checked."""
        return self.check(word(value, "the path of a matrix file"))


class Draws:
    """The random numbers of one matrix.

    Two families with the same seed share none of them, and neither do a matrix and the runs on it. The numbers are made
    from the words of ``PCG64(SeedSequence(seed, spawn_key=key))`` in their order, where ``key`` is the first twelve
    bytes of the SHA-256 of ``"duelbench family <name>"`` as three big-endian 32-bit numbers.
    """

    def __init__(self, family: str, seed: int) -> None:
        digest = hashlib.sha256(f"duelbench family {family}".encode()).digest()
        key = tuple(int.from_bytes(digest[k : k + 4], "big") for k in (0, 4, 8))
        self._words = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key))

    def uniform(self, count: int) -> np.ndarray:
        """Return numbers uniform on [0, 1), (count,) float64: k / 2**53, k the upper 53 bits of a word."""
        return (self._words.random_raw(count) >> np.uint64(11)) * 2.0**-53

    def uniform_open(self, count: int) -> list[float]:
        """Return numbers uniform on (0, 1), without the ends: (k + 1/2) / 2**52, k the upper 52 bits of a word."""
        return ((self._words.random_raw(count) >> np.uint64(12)) * 2.0**-52 + 2.0**-53).tolist()

    def normal(self, count: int) -> list[float]:
        """Return standard normal quantiles of `uniform_open`; their last digit depends on the C library."""
        return [NormalDist().inv_cdf(u) for u in self.uniform_open(count)]

    def exponential(self, count: int) -> list[float]:
        """Return exponential numbers of mean 1, -ln of `uniform_open`; their last digit depends on the C library."""
        return [-math.log(u) for u in self.uniform_open(count)]

    def subsets(self, size: int, n_indices: int, count: int) -> np.ndarray:
        """Return ``count`` random subsets of the indices 0 to ``n_indices - 1``, each increasing: (count, size).

        The first steps of a Fisher-Yates shuffle draw them: step k swaps places k and k + floor(u (n_indices - k)).
        """
        u = self.uniform(count * size).reshape(count, size)
        order, rows = np.tile(np.arange(n_indices), (count, 1)), np.arange(count)
        for k in range(size):
            place = k + (u[:, k] * (n_indices - k)).astype(np.int64)
            order[rows, k], order[rows, place] = order[rows, place], order[rows, k]
        return np.sort(order[:, :size], axis=1)


# build(draws, **parameters) returns the (K, K) probabilities, or a matrix if the arms have names. Families that draw
# nothing have no argument ``draws``.
Build = Callable[..., "np.ndarray | PreferenceMatrix"]

Load = Callable[[str, Path], PreferenceMatrix]


@dataclass(frozen=True)
class Family:
    """A family of matrices."""

    name: str
    description: str  # exact definition of the matrix by the parameters; arms i, j = 0, ..., K - 1, K = n_arms
    source: str  # where the family comes from
    parameters: Mapping[str, Parameter]
    build: Build
    is_random: bool = False  # whether it draws random numbers
    list_parameter: str = ""  # the parameter that lists one number per arm, if any; its length sets n_arms

    def resolve(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return all parameters, with defaults for missing values; a ValueError names a wrong one."""
        resolved = resolve(self.parameters, values, self.name)
        if resolved.get(self.list_parameter) is not None:
            n_listed = len(resolved[self.list_parameter])
            if values.get("n_arms", n_listed) != n_listed:
                raise ValueError(
                    f"{self.name}: {n_listed} {self.list_parameter}, but n_arms={values['n_arms']}; leave it out"
                )
            resolved["n_arms"] = n_listed
        return resolved

    def generate(
        self,
        values: Mapping[str, Any] | None = None,
        seed: int = 0,
        folder: Path = Path(),
        load: Load = PreferenceMatrix.load,
    ) -> PreferenceMatrix:
        """Return the matrix of these parameters and a seed from 0 to `MAX_SEED` (0 for a family that draws nothing).

        The path of a matrix file is relative to ``folder``; ``load(name, folder)`` reads a matrix that a parameter
        names. Raises an InputError if no matrix meets the conditions.
        """
        if not isinstance(seed, int) or not 0 <= seed <= MAX_SEED:
            raise InputError(f"{self.name}: the seed is a whole number from 0 to 2^128 - 1, got {seed!r}")
        if seed and not self.is_random:
            raise InputError(f"{self.name} draws nothing: leave out the seed")
        try:
            parameters = self.resolve(values or {})
        except ValueError as error:
            raise InputError(str(error)) from None
        for name, parameter in self.parameters.items():
            if isinstance(parameter, MatrixName):
                parameters[name] = load(parameters[name], folder)
        draws = (Draws(self.name, seed),) if self.is_random else ()
        matrix = self.build(*draws, **parameters)
        names = matrix.names if isinstance(matrix, PreferenceMatrix) else None
        return PreferenceMatrix(as_array(matrix), names, self.label(values or {}, seed))

    def label(self, values: Mapping[str, Any], seed: int) -> str:
        """Return a label of the matrix: the family, the parameters that are not the default, and a random one's seed.

        Examples
        --------
        >>> from duelbench.bandits.problem.families import FAMILIES
        >>> FAMILIES["flat"].label({"n_arms": 4, "p": 0.6}, 0)
        'flat (n_arms=4)'
        """
        details = []
        for name, value in self.resolve(values).items():
            if value != self.parameters[name].default:
                details.append(f"{name}={'/'.join(map(str, value)) if isinstance(value, tuple) else value}")
        if self.is_random:
            details.append(f"seed={seed}")
        return f"{self.name} ({', '.join(details)})" if details else self.name
