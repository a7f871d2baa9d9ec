"""What `duelbench bench` measures: problems, rows, and how long they should take."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from duelbench import shipped
from duelbench.bench.published_speed import PARAMETERS, PUBLISHED, published
from duelbench.errors import InputError
from duelbench.execution import rates

if TYPE_CHECKING:
    from duelbench.algorithms.contract import Algorithm
    from duelbench.problem.preferences import PreferenceMatrix
    from duelbench.problem.scalar_bandit import ScalarBandit

QUICK = (
    ("mslr5-condorcet", 200_000),
    ("noncondorcet-cyclic", 100_000),
    ("linear-order-64", 23_000),
    ("linear-means-16", 100_000),
)
FULL = (
    ("mslr5-condorcet", 10**7),
    ("mslr5-noncondorcet", 10**6),
    ("noncondorcet-cyclic", 10**6),
    ("sushi16", 10**6),
    ("linear-order-64", 10**5),
    ("cycle-of-3-500", 10**5),
    ("linear-means-16", 10**6),
)
WORLDS = (
    ("mslr5-condorcet", 10**6),
    ("sushi16", 10**6),
    ("linear-order-64", 10**5),
)
SUITES = {"quick": QUICK, "full": FULL, "worlds": WORLDS}
"""Suite -> (problem, horizon) of its rows; of an algorithm that is slow there the horizon is shorter (`LONGEST_RUN`),
and in the full suite it has its rows that are on record for published programs beside them."""

OF_WORLDS: dict[str, tuple[dict[str, Any], ...]] = {
    "vdb": ({},),
    "sparring": ({"machine": "exp3"}, {"machine": "exp3ix"}, {"machine": "exp3s", "switches": 4}),
    "rex3": ({}, {"anytime": True}),
    **dict.fromkeys(("d-exp3", "d-exp3-hp", "bcb", "btw", "btwr", "detect", "mdb", "anaconda"), ({},)),
    "wiwr": ({}, {"scale": 1 / 256}),
}
"""Algorithms of the suite for worlds that change, with the parameters of their rows; other algorithms have none."""

LONGEST_RUN = 1.0
"""Seconds of a suite's run by the table of `duelbench.execution.rates`, so that rows are the same on all machines."""

SHORTEST_HORIZON = 1000

GENERATED = {"linear-order": "linear", "cycle-of-3": "copeland-cycle"}
"""How the name of a generated matrix begins, before its number of arms -> the family, with its other parameters left
at their defaults: p_ij = 1/2 + (j - i) / (4 K), and the shape of the 500-armed instance of Zoghi et al. (2015)."""

MEANS = "linear-means"
"""How the name of a scalar bandit begins, before its N: mean_i = 3/4 - i / (2 N), and asked is which arm is best."""


FAR_MORE = 4.0
"""Times the limit: nearer to it the table is too rough."""


@dataclass(frozen=True)
class Problem:
    """A matrix or a scalar bandit, and what the table calls it."""

    name: str
    matrix: "PreferenceMatrix | ScalarBandit"
    path: str | None = None

    @property
    def kind(self) -> str:
        """What is played on it: duels or samples."""
        from duelbench.problem.scalar_bandit import ScalarBandit

        return "samples" if isinstance(self.matrix, ScalarBandit) else "duels"

    def is_for(self, algorithm: "Algorithm") -> bool:
        """Whether the algorithm plays such a problem."""
        return self.kind in algorithm.plays

    def numbers(self) -> list[Any]:
        """The matrix by rows, or the means."""
        from duelbench.problem.scalar_bandit import ScalarBandit

        values = self.matrix.means if isinstance(self.matrix, ScalarBandit) else self.matrix.P
        return list(values.tolist())

    @cached_property
    def digest(self) -> str:
        """Of its numbers: two problems of one name may be two."""
        return hashlib.sha256(json.dumps(self.numbers()).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Row:
    """An algorithm on a problem up to a horizon.

    Parameters
    ----------
    algorithm : str
        Its id.
    problem : Problem
    horizon : int
    parameters : mapping
        Those that are not at their defaults.
    runs : int
        That make a repetition; 0 where measuring is to find out.
    """

    algorithm: str
    problem: Problem
    horizon: int
    parameters: Mapping[str, Any] = field(default_factory=dict)
    runs: int = 0

    def __str__(self) -> str:
        return f"{self.algorithm} on {self.problem.name} to T = {horizon_in_words(self.horizon)}"


def horizon_in_words(horizon: int) -> str:
    """A horizon, short.

    Examples
    --------
    >>> horizon_in_words(200_000), horizon_in_words(12)
    ('2e5', '12')
    """
    return f"{horizon:.3g}".replace("e+0", "e").replace("e+", "e")


def problem(name: str) -> Problem:
    """The problem of a suite: made where its name says how, else a matrix that comes with duelbench.

    Raises
    ------
    InputError
        When there is no such matrix.
    """
    from duelbench.algorithms.exploration import scalar_decisions
    from duelbench.problem.families import generate
    from duelbench.problem.preferences import PreferenceMatrix
    from duelbench.problem.scalar_bandit import ScalarBandit

    family, _, n_arms = name.rpartition("-")
    if family == MEANS:
        means = [0.75 - i / (2 * int(n_arms)) for i in range(int(n_arms))]
        return Problem(name, ScalarBandit(means, scalar_decisions.get("argmax")))
    if family in GENERATED:
        return Problem(name, generate(GENERATED[family], n_arms=int(n_arms)))
    path = shipped.matrices().get(name)
    if path is None:
        raise InputError(f"the matrix {name} is not there: none of this name comes with duelbench")
    return Problem(name, PreferenceMatrix.load(path))


def row(algorithm: "Algorithm", problem: Problem, horizon: int) -> Row:
    """A row, with the parameters of the published program where it is on record."""
    program, _ = published(algorithm.id, problem.name, horizon) or ("", 0.0)
    return Row(algorithm.id, problem, horizon, PARAMETERS.get((program, algorithm.id), {}))


def on_record(one: Row) -> tuple[str, float] | None:
    """The published program of a row and its ns per round; None where none is on record with these parameters."""
    found = published(one.algorithm, one.problem.name, one.horizon)
    return found if found and PARAMETERS.get((found[0], one.algorithm), {}) == dict(one.parameters) else None


def rows_of(suite: str, algorithm: "Algorithm", problems: Mapping[str, Problem]) -> Iterator[Row]:
    """The rows of an algorithm in a suite, on those of its problems that are there."""
    if suite == "worlds":
        yield from _rows_of_worlds(algorithm, problems)
        return
    asked = []
    for name, horizon in SUITES[suite]:
        if name in problems and problems[name].is_for(algorithm):
            asked.append((name, affordable(algorithm, problems[name], horizon)))
    if suite == "full":
        asked += [(one.matrix, one.horizon) for one in PUBLISHED if algorithm.id in one.ns_per_round]
    for name, horizon in dict.fromkeys(asked):
        if name in problems:
            yield row(algorithm, problems[name], horizon)


def _rows_of_worlds(algorithm: "Algorithm", problems: Mapping[str, Problem]) -> Iterator[Row]:
    for parameters in OF_WORLDS.get(algorithm.id, ()):
        for name, horizon in WORLDS:
            if name in problems:
                yield Row(algorithm.id, problems[name], affordable(algorithm, problems[name], horizon), parameters)


def names_of(suite: str) -> Sequence[str]:
    """The problems of a suite."""
    on_record = [one.matrix for one in PUBLISHED] if suite == "full" else []
    return list(dict.fromkeys([*(name for name, _ in SUITES[suite]), *on_record]))


def affordable(algorithm: "Algorithm", problem: Problem, horizon: int) -> int:
    """The horizon, or a tenth of it, or a tenth of that, of which a run takes `LONGEST_RUN` by the table."""
    model = rates.model(algorithm.id, problem.matrix, rates.table())
    while model is not None and horizon > SHORTEST_HORIZON and model.cost(horizon).seconds > LONGEST_RUN:
        horizon = max(horizon // 10, SHORTEST_HORIZON)
    return horizon


def seconds_expected(rows: Sequence[Row]) -> list[float | None]:
    """Seconds of one run of each row by the table and the speed of this machine; None for what the table lacks."""
    table = rates.table()
    machine = rates.yardstick() / table["yardstick"]
    expected: list[float | None] = []
    for one in rows:
        model = rates.model(one.algorithm, one.problem.matrix, table)
        expected.append(None if model is None else machine * model.cost(one.horizon).seconds)
    return expected
