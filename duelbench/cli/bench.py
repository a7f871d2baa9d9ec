"""`duelbench bench`: what a round and a decision of each algorithm cost."""

import json as json_module
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from duelbench.algorithms.contract import Algorithm
    from duelbench.problem.preferences import PreferenceMatrix

ARMS = (5, 16, 64, 500)
HORIZONS = (1e5, 1e7)


def bench(
    algorithms: Annotated[
        list[str] | None, typer.Argument(help="Algorithms to measure; all where none is named.")
    ] = None,
    arms: Annotated[list[int] | None, typer.Option(help="Numbers of arms (linear order); may be repeated.")] = None,
    matrix: Annotated[
        list[Path] | None, typer.Option(help="Matrix files to measure on, in place of linear orders.")
    ] = None,
    horizon: Annotated[list[float] | None, typer.Option(help="Horizons; may be repeated.")] = None,
    budget: Annotated[float, typer.Option(help="Seconds to spend on each row (at least one run).")] = 0.5,
    limit: Annotated[float, typer.Option(help="Leave out rows of which one run would take more seconds.")] = 10.0,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Measure nanoseconds per round and per decision on one core.

    Matrices: those given with --matrix, and a linear order with p_ij = 1/2 + (j - i) / (4 K) for each number of arms.
    A short run is spent beforehand on compiling and on guessing how long a whole one takes; runs are repeated, with
    other seeds, for the budget. What is left out is named on standard error.
    """
    from duelbench.algorithms import registry
    from duelbench.problem.preferences import PreferenceMatrix

    problems = [PreferenceMatrix.load(path) for path in matrix or []]
    problems += [linear_order(K) for K in arms or ([] if matrix else ARMS)]
    rows = []
    if not json:
        print(HEADER)
    for id in algorithms or registry.ids():
        algorithm = registry.get(id)
        for problem in problems:
            for T in sorted(int(T) for T in horizon or HORIZONS):
                expected = _seconds_expected(algorithm, problem, T)
                if expected > limit:
                    what = f"{id} on {_title(problem)} to T = {T:.0e}"
                    print(f"left out: {what}, about {expected:.0f} s a run (--limit)", file=sys.stderr)
                    continue
                rows.append(_measure(algorithm, problem, T, budget))
                if not json:
                    print(_line(rows[-1]), flush=True)
    if json:
        print(json_module.dumps(rows, indent=2))


def linear_order(n_arms: int) -> "PreferenceMatrix":
    """The matrix p_ij = 1/2 + (j - i) / (4 K): arm 0 beats arm 1 beats arm 2 ...

    Examples
    --------
    >>> float(linear_order(4).P[0, 3])
    0.6875
    """
    import numpy as np

    from duelbench.problem.preferences import PreferenceMatrix

    arms = np.arange(n_arms)
    return PreferenceMatrix(0.5 + (arms[None, :] - arms[:, None]) / (4 * n_arms), source="linear order")


def _title(problem: "PreferenceMatrix") -> str:
    return Path(problem.source).stem if problem.source else "?"


def _seconds_expected(algorithm: "Algorithm", problem: "PreferenceMatrix", horizon: int) -> float:
    """From a short run; too much for an algorithm that settles later."""
    from duelbench.simulation.simulate import simulate

    simulate(algorithm, problem, horizon=1)
    short = min(horizon, max(2000, 2 * problem.n_arms**2))
    start = time.perf_counter()
    simulate(algorithm, problem, horizon=short, shuffle_arms=True)
    first = time.perf_counter() - start
    if first * horizon / short < 1.0 or short == horizon:
        return first * horizon / short
    longer = min(horizon, 50 * short)
    start = time.perf_counter()
    simulate(algorithm, problem, horizon=longer, shuffle_arms=True)
    return (time.perf_counter() - start) * horizon / longer


def _measure(algorithm: "Algorithm", problem: "PreferenceMatrix", horizon: int, budget: float) -> dict[str, Any]:
    from duelbench.simulation.simulate import simulate

    runs = decisions = 0
    start = time.perf_counter()
    while runs == 0 or time.perf_counter() - start < budget:
        decisions += simulate(algorithm, problem, horizon=horizon, run=runs, shuffle_arms=True).decisions
        runs += 1
    seconds = (time.perf_counter() - start) / runs
    per_run = decisions / runs
    return {
        "algorithm": algorithm.id,
        "matrix": _title(problem),
        "n_arms": problem.n_arms,
        "horizon": horizon,
        "seconds_per_run": seconds,
        "decisions": per_run,
        "ns_per_round": 1e9 * seconds / horizon,
        "ns_per_decision": 1e9 * seconds / per_run,
    }


HEADER = (
    f"{'algorithm':<18} {'matrix':<22} {'K':>4} {'T':>6} {'ms/run':>10} {'decisions':>10} {'ns/round':>9} "
    f"{'ns/decision':>12}"
)


def _line(row: dict[str, Any]) -> str:
    return (
        f"{row['algorithm']:<18} {row['matrix']:<22} {row['n_arms']:>4} {row['horizon']:>6.0e} "
        f"{1e3 * row['seconds_per_run']:>10.3f} {row['decisions']:>10.0f} {row['ns_per_round']:>9.2f} "
        f"{row['ns_per_decision']:>12.0f}"
    )
