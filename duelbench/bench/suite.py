"""The suite of `duelbench bench`: what it measures, and how."""

import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duelbench.bench.published_speed import PARAMETERS, PUBLISHED, published
from duelbench.errors import InputError
from duelbench.execution import rates
from duelbench.execution.estimate import measure as measure_seconds

if TYPE_CHECKING:
    from duelbench.algorithms.contract import Algorithm
    from duelbench.problem.preferences import PreferenceMatrix
    from duelbench.problem.scalar_bandit import ScalarBandit

MATRICES = Path(__file__).parents[2] / "matrices"
"""The matrices of a checkout; an installed package has none."""

QUICK = (
    ("mslr5-condorcet", 200_000),
    ("noncondorcet-cyclic", 100_000),
    ("linear-order-64", 23_000),
    ("linear-means-16", 100_000),
)
FULL = tuple(
    (matrix, horizon)
    for matrix in (
        "mslr5-condorcet",
        "mslr5-noncondorcet",
        "noncondorcet-cyclic",
        "sushi16",
        "linear-order-64",
        "cycle-of-3-500",
        "linear-means-16",
    )
    for horizon in (10**5, 10**6, 10**7)
)
SUITES = {
    "quick": QUICK,
    "full": tuple(dict.fromkeys((*FULL, *((row.matrix, row.horizon) for row in PUBLISHED)))),
}
"""Suite -> (problem, horizon) of its rows. Algorithms are measured on the problems that they play."""

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

    def is_for(self, algorithm: "Algorithm") -> bool:
        """Whether the algorithm plays such a problem."""
        from duelbench.problem.scalar_bandit import ScalarBandit

        return ("samples" if isinstance(self.matrix, ScalarBandit) else "duels") in algorithm.plays


def problem(name: str) -> Problem:
    """The problem of a suite: made where its name says how, else the matrix in a file of the checkout.

    Raises
    ------
    InputError
        When it is a file, and not there.
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
    path = MATRICES / f"{name}.csv"
    if not path.is_file():
        raise InputError(f"the matrix {name} is not there: it comes with the sources of duelbench, as {path}")
    return Problem(name, PreferenceMatrix.load(path))


def seconds_expected(algorithm: "Algorithm", problem: Problem, horizon: int, limit: float) -> float:
    """Seconds of one run, estimated as for ``run --dry-run`` (`duelbench.execution.estimate`), from short runs.

    Nothing is played where the table of `duelbench.execution.rates` says far more than ``limit``: what becomes dear in
    later rounds (the linear programs of CW-RMED) does not show in short runs.
    """
    table = rates.table()
    model = rates.model(algorithm.id, problem.matrix, table)
    machine = rates.yardstick() / table["yardstick"]
    known = 0.0 if model is None else machine * model.cost(horizon).seconds
    if known > FAR_MORE * limit:
        return known
    measured = measure_seconds(
        lambda rounds: _seconds_of_run(algorithm, problem, rounds, 0)[1], horizon, model, limit, machine
    )
    return known if measured is None else measured


def measure(algorithm: "Algorithm", problem: Problem, horizon: int, budget: float) -> dict[str, Any]:
    """One row of the table: the mean of as many runs, each with a seed of its own, as ``budget`` seconds allow.

    Seconds are those of the processor, all that a run does included: start, bookkeeping at 200 checkpoints, trace.

    Returns
    -------
    dict
        ``algorithm``, ``parameters`` (those that are not at their defaults, to be like the published program),
        ``matrix``, ``n_arms``, ``horizon``, ``runs``, ``seconds_per_run``, ``decisions`` (per run), ``ns_per_round``,
        ``ns_per_decision``; and, None unless this row is on record for a published program,
        ``program``, ``published_ns_per_round`` and ``ratio``, how many times our time its time is.
    """
    runs = decisions = 0
    total = 0.0
    program, published_ns = published(algorithm.id, problem.name, horizon) or (None, None)
    parameters = PARAMETERS.get((program or "", algorithm.id), {})
    while runs == 0 or total < budget:
        seconds, decided = _seconds_of_run(algorithm, problem, horizon, runs, parameters)
        total += seconds
        decisions += decided
        runs += 1
    ns_per_round = 1e9 * total / runs / horizon
    return {
        "algorithm": algorithm.id,
        "parameters": parameters,
        "matrix": problem.name,
        "n_arms": problem.matrix.n_arms,
        "horizon": horizon,
        "runs": runs,
        "seconds_per_run": total / runs,
        "decisions": decisions / runs,
        "ns_per_round": ns_per_round,
        "ns_per_decision": 1e9 * total / decisions,
        "program": program,
        "published_ns_per_round": published_ns,
        "ratio": None if published_ns is None else published_ns / ns_per_round,
    }


def _seconds_of_run(
    algorithm: "Algorithm", problem: Problem, horizon: int, run: int, parameters: Mapping[str, Any] | None = None
) -> tuple[float, int]:
    from duelbench.simulation.simulate import simulate

    start = time.process_time()
    trace = simulate(algorithm, problem.matrix, horizon=horizon, run=run, shuffle_arms=True, **(parameters or {}))
    return time.process_time() - start, trace.decisions


def machine() -> dict[str, str]:
    """What the rows were measured on, and when."""
    import os

    from duelbench.results.environment import environment

    here = environment()
    return {
        "cpu": here["cpu"],
        "cores": str(os.cpu_count()),
        "system": f"{here['system']} {here['machine']}",
        **{name: here[name] for name in ("duelbench", "python", "numba", "numpy")},
        "date": time.strftime("%Y-%m-%d"),
    }


COLUMNS = ("algorithm", "matrix", "K", "T", "ms/run", "decisions", "ns/round", "ns/decision", "C++ ns/round", "ratio")


def cells(row: dict[str, Any]) -> tuple[str, ...]:
    """A row's `COLUMNS` in words."""
    known = row["published_ns_per_round"]
    return (
        " ".join([row["algorithm"], *(f"{name}={value}" for name, value in row["parameters"].items())]),
        row["matrix"],
        str(row["n_arms"]),
        f"{row['horizon']:.3g}".replace("e+0", "e"),
        f"{1e3 * row['seconds_per_run']:.3f}",
        f"{row['decisions']:.0f}",
        f"{row['ns_per_round']:.2f}",
        f"{row['ns_per_decision']:.0f}",
        "" if known is None else f"{known:g}",
        "" if known is None else f"{_two_digits(row['ratio'])}",
    )


def _two_digits(ratio: float) -> str:
    """A ratio as far as it can be trusted.

    Examples
    --------
    >>> _two_digits(3.14159), _two_digits(12345.6), _two_digits(0.987)
    ('3.1', '12000', '0.99')
    """
    digits = 1 - math.floor(math.log10(ratio))
    return f"{round(ratio, digits):.{max(digits, 0)}f}"


def markdown(rows: Iterable[dict[str, Any]], where: dict[str, str]) -> str:
    """The table as a page, with the machine and what the ratios mean."""
    lines = [
        "# Measured speed",
        "",
        "One core, processor time, all that a run does included: start, bookkeeping at 200 checkpoints, trace. A"
        " decision is a choice that stands for one round or more.",
        "",
        *(f"- {name}: {value}" for name, value in where.items()),
        "",
        "C++ ns/round: the original authors' C++ programs, measured once with g++ 12 -O3 -march=native, their"
        " bookkeeping left out. Ratio: how many times our time theirs is. On another machine it is indicative only.",
        "",
        "| " + " | ".join(COLUMNS) + " |",
        "|---|---|" + "---:|" * (len(COLUMNS) - 2),
        *("| " + " | ".join(cells(row)) + " |" for row in rows),
    ]
    return "\n".join(lines) + "\n"
