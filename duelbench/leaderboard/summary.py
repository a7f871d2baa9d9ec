"""The summary of a leaderboard: all that its page and its commands show, as data and as JSON.

Numbers have four significant digits (mean regret: eight), keys are sorted, and nothing depends on when or where it was
made: the same results give the same bytes. Algorithms, problems and checkpoints are referred to by their place in the
summary's lists, from 0.
"""

import base64
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from duelbench.errors import InputError
from duelbench.leaderboard.typed import load
from duelbench.results import atomic

FORMAT = 1

FILE = "leaderboard.json"

MAX_BYTES = 2**28
"""No larger file is read."""

TITLES = {"order": "A total order", "condorcet": "A Condorcet winner", "copeland": "No Condorcet winner"}
"""The settings, each of which assumes less than the one before, and what tables call them. A matrix is in one only."""

SIZES = {"small": range(2, 17), "large": range(17, 10**6)}
"""Numbers of arms whose matrices have a table of their own."""

STEPS = 100
"""Steps from 0 to 1 in which correlations are stored."""


@dataclass(frozen=True)
class Setting:
    """A key of `TITLES`, and what tables call it."""

    id: str
    title: str


@dataclass(frozen=True)
class Algorithm:
    """An algorithm with its parameters; no two have the same label."""

    label: str
    id: str
    name: str
    yaml: str  # its entry in a spec, with the parameters that are not at their defaults
    assumes: str | None  # as is `reference`, of an algorithm that is installed
    anytime: bool
    reference: str | None
    trace_version: int
    plug_in: str | None = None  # the file or module that it comes from, without folders


@dataclass(frozen=True)
class Problem:
    """A matrix; no two of one setting have the same name."""

    name: str
    setting: str
    n_arms: int
    winners: list[int]  # the Copeland winners, 0-based
    yaml: str  # as a spec has it
    sha256: str
    # C of the asymptotic lower bound C ln T on Copeland regret, in duels; None where it bounds none
    bound: float | None


class Figures(NamedTuple):
    """The regret of the runs of a cell.

    The third central moment of the mean is skewness * error^3 / sqrt(n), in parts of the mean's cube.
    """

    mean: float
    error: float  # the standard error of the mean, as a part of it
    skewness: float  # third central moment (mean over the runs) by the cube of the standard deviation (of n - 1)
    median: float
    q95: float
    maximum: float


@dataclass(frozen=True)
class Cell:
    """What the runs of an algorithm on a problem show after some number of rounds."""

    problem: int
    algorithm: int
    horizon: int
    experiment: str
    spec: str | None  # its file, as seen from the folder in which the folder of results lies
    scale: str | None  # that it was run at
    runs: int
    right: float  # of the runs that recommend a Copeland winner after ``horizon`` rounds
    locked_in: float | None  # that recommend none then, nor at the last checkpoint up to a tenth, if there is one
    digest: str  # SHA-256 of the digests of the runs in their order
    rounds: int  # the checkpoints of the runs
    regret: dict[str, Figures]
    curve: dict[str, list[float]] | None  # means after each checkpoint; None where a longer cell has the same runs


@dataclass(frozen=True)
class Table:
    """Where the algorithms stand that have runs on all problems of a setting."""

    setting: str
    size: str | None  # a key of `SIZES`; None for all problems of the setting
    horizon: int
    regret: str
    problems: list[int]  # those that count: on which every algorithm has regret
    algorithms: list[int]  # by increasing score
    score: list[float]  # mean over the problems of the logarithm of mean regret
    low: list[int]  # the first rank, from 1, that the runs leave open
    high: list[int]  # and the last
    group: list[int]  # from 1; no algorithm is told apart from the first of its group
    floor: float | None  # the relative difference that neighbours must have to be told apart, as a rule


@dataclass(frozen=True)
class LeftOut:
    """Algorithms that some tables are without."""

    algorithms: list[str]  # ids
    setting: str
    horizon: int
    n_arms: list[int] | None  # of the matrices on which they are missing; None for all
    rule: str  # assumes, identification, time, refuses, or not played where no rule says so
    why: str


@dataclass(frozen=True)
class Choice:
    """The algorithm to take in one table; see `duelbench.leaderboard.choosing`."""

    setting: str
    horizon: int
    size: str | None
    take: str
    tied: list[str]  # the labels of the others than which none is known to be better, by increasing regret
    because: str
    beware: str


@dataclass(frozen=True)
class Summary:
    """A leaderboard."""

    made_with: dict[str, str]  # versions and machine; where runs come from several, all of them
    level: float  # of tables in which all that they tell apart is different
    horizons: list[int]
    regrets: list[str]
    settings: list[Setting]
    algorithms: list[Algorithm]
    problems: list[Problem]
    rounds: list[list[int]]  # checkpoints
    cells: list[Cell]
    correlations: dict[str, str]  # see `correlation_key` and `Summary.correlations_of`
    # See `across_key`: how far the runs of each algorithm with the same index go together on different problems
    # (`duelbench.statistics.ranks.across`), in hundredths rounded up; None where it has no runs there.
    across: dict[str, list[float | None]]
    tables: list[Table] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)

    @cached_property
    def at(self) -> Mapping[tuple[int, int, int], Cell]:
        """Cells by problem, algorithm and horizon."""
        return {(cell.problem, cell.algorithm, cell.horizon): cell for cell in self.cells}

    def played(self, problem: int, horizon: int, regret: str) -> list[int]:
        """The algorithms that have a cell there with that regret, increasing."""
        cells = (self.at.get((problem, algorithm, horizon)) for algorithm in range(len(self.algorithms)))
        return [cell.algorithm for cell in cells if cell is not None and regret in cell.regret]

    def correlations_of(self, problem: int, horizon: int, regret: str) -> np.ndarray:
        """The correlations of the algorithms that `played` there, (n, n) float64."""
        n = len(self.played(problem, horizon, regret))
        return decode_correlations(self.correlations[correlation_key(problem, horizon, regret)], n)

    def content(self) -> dict[str, Any]:
        """The summary as JSON can hold it."""
        return {"format": FORMAT, **asdict(self)}

    @classmethod
    def from_content(cls, content: Any) -> "Summary":
        """The summary that `content` gave; `ValueError` with the place where it is none."""
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise ValueError(f"it is not a leaderboard of format {FORMAT}")
        return cast(Summary, load(cls, {name: value for name, value in content.items() if name != "format"}))

    def encode(self) -> bytes:
        """JSON that a person can read and `diff`: one line per algorithm, problem, cell and table."""
        lines = []
        for name, value in sorted(self.content().items()):
            if isinstance(value, list) and value and isinstance(value[0], dict | list):
                text = "[\n" + ",\n".join(_json(one) for one in value) + "\n]"
            elif name in ("correlations", "across"):
                text = "{\n" + ",\n".join(f"{_json(key)}: {_json(one)}" for key, one in sorted(value.items())) + "\n}"
            else:
                text = _json(value)
            lines.append(f"{_json(name)}: {text}")
        return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def read(path: Path) -> Summary:
    """Read a summary; `InputError` where there is none, or it is damaged."""
    try:
        return Summary.from_content(json.loads(atomic.read(path, MAX_BYTES)))
    except OSError as error:
        wrong: object = error.strerror or error
    except (ValueError, RecursionError) as error:
        wrong = error
    raise InputError(f"{path}: {wrong}; `python -m duelbench.leaderboard` writes one")


def short(number: float, digits: int = 4) -> float:
    """A number with a few significant digits; a whole number where it is one.

    Examples
    --------
    >>> short(0.123456), short(1234567.0), short(0.0)
    (0.1235, 1235000, 0)
    """
    rounded = float(f"{number:.{digits}g}")
    return int(rounded) if rounded.is_integer() else rounded


def as_typed(rounds: int) -> str:
    """A number of rounds as one types it.

    Examples
    --------
    >>> as_typed(10_000), as_typed(2000)
    ('1e4', '2000')
    """
    zeros = len(str(rounds)) - 1
    return f"1e{zeros}" if rounds == 10**zeros and zeros > 2 else str(rounds)


def correlation_key(problem: int, horizon: int, regret: str) -> str:
    """The key of the correlations of all algorithms on a problem, as ``3/10000/weak``."""
    return f"{problem}/{horizon}/{regret}"


def across_key(setting: str, size: str | None, horizon: int, regret: str) -> str:
    """The key of how far runs go together on different problems, as ``order/all/10000/weak`` or with a size."""
    return f"{setting}/{size or 'all'}/{horizon}/{regret}"


def encode_correlations(matrix: np.ndarray) -> str:
    """Correlations (N, N) as text: hundredths of the upper triangle row by row, as signed bytes, in base64.

    They are rounded down: runs seem to have less in common than they have, and differences less certain than they are.

    Examples
    --------
    >>> decode_correlations(encode_correlations(np.array([[1.0, 0.509], [0.509, 1.0]])), 2).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    upper = matrix[np.triu_indices(len(matrix), 1)]
    # A correlation of 1 is computed as a little less.
    steps = np.floor(np.round(STEPS * upper, 6))
    return base64.b64encode(steps.astype(np.int8).tobytes()).decode()


def decode_correlations(text: str, n: int) -> np.ndarray:
    """The correlations that `encode_correlations` wrote of ``n`` algorithms, (n, n) float64, with 1 on the diagonal.

    Raises
    ------
    ValueError
        When they are not of that many.
    """
    steps = np.frombuffer(base64.b64decode(text), dtype=np.int8)
    first, second = np.triu_indices(n, 1)
    if len(steps) != len(first):
        raise ValueError(f"these are not the correlations of {n} algorithms")
    matrix = np.eye(n)
    matrix[first, second] = matrix[second, first] = steps / STEPS
    return matrix


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
