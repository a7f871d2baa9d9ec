"""Estimates how long an experiment takes, from short runs of each cell."""

import math
import platform
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import PurePosixPath
from typing import NamedTuple

from duelbench.bandits.algorithms import registry
from duelbench.bandits.simulation.compiled_loops import loop_name
from duelbench.experiments.execution.worker import is_ours, is_warm
from duelbench.experiments.results.cells import Cell

BUDGET_SECONDS = 2.0
"""The longest time for measuring, all cells together."""

FIRST_HORIZON = 1000
GROWTH = 10

GUESS_SECONDS, GUESS_POWER = 1e-6, 0.75
"""``GUESS_SECONDS * horizon**GUESS_POWER`` for cells that were not measured."""

RUN_SECONDS, PAIR_SECONDS = 2e-3, 1.5e-7
"""The time of a run beside that of its rounds: a constant, and a part for each of its K^2 counts of duels."""

COMPILE_SECONDS = 8.0
"""The rough time to compile a loop."""

START_SECONDS = 1.0

INTERPRETED = 200.0
"""The factor by which interpreted runs are slower; measured for all algorithms up to 64 arms: mostly 50 to 380."""

WORTH_INTERPRETING = 10**5
"""The largest sum of rounds times arms, over all runs of a loop, for which interpreting is quicker than compiling: it
takes a second or two."""

SAME_BITS = platform.machine() in ("x86_64", "AMD64", "aarch64")
"""Whether interpreted and compiled runs are bitwise equal; some processors may round Beta variates differently."""


class Estimate(NamedTuple):
    """The time of one run of a cell on one core, including writing its file; a guess if nothing was measured."""

    seconds: float
    is_guess: bool


def work(cell: Cell, is_interpreted: bool = False) -> float:
    """Return the relative cost of a run of a cell: rounds times arms, scaled to compiled code."""
    return cell.identity.horizon * cell.identity.n_arms * (INTERPRETED if is_interpreted else 1.0)


def estimate(cells: Sequence[Cell], n_todo: Sequence[int]) -> list[Estimate]:
    """Estimate for each cell how long one of its ``n_todo`` runs takes; guess for plug-ins and uncompiled code."""
    interpreted = interpretable(cells, n_todo)
    deadline = time.monotonic() + BUDGET_SECONDS
    estimates = []
    for k, cell in enumerate(cells):
        seconds = None
        if n_todo[k] and is_ours(cell) and is_warm(cell.identity.algorithm):
            share = max(0.0, deadline - time.monotonic()) / (len(cells) - k)
            seconds = measure(partial(_decisions, cell), cell.identity.horizon, share)
        guess = GUESS_SECONDS * cell.identity.horizon**GUESS_POWER * (INTERPRETED if cell.folder in interpreted else 1)
        overhead = RUN_SECONDS + PAIR_SECONDS * cell.matrix.n_arms**2
        estimates.append(Estimate((guess if seconds is None else seconds) + overhead, seconds is None))
    return estimates


def seconds_in_all(cells: Sequence[Cell], n_todo: Sequence[int], per_run: Sequence[float], jobs: int) -> float:
    """Estimate how long ``n_todo[k]`` runs of ``cells[k]`` take on ``jobs`` workers, compiling included."""
    running = sum(count * seconds for count, seconds in zip(n_todo, per_run, strict=True))
    if not running:
        return 0.0
    interpreted = interpretable(cells, n_todo)
    to_compile = cold(cell for cell in cells if cell.folder not in interpreted)
    workers = min(jobs, sum(n_todo))
    start = START_SECONDS if workers > 1 and running > START_SECONDS else 0.0
    longest = max(seconds for count, seconds in zip(n_todo, per_run, strict=True) if count)
    return compiling_seconds(len(to_compile), workers) + start + max(running / workers, longest)


def interpretable(cells: Iterable[Cell], n_todo: Iterable[int]) -> dict[PurePosixPath, float]:
    """Return the cells whose loop takes longer to compile than all runs of the loop take to interpret.

    The keys are the folders of the cells. The values are the seconds for which runs may be interpreted before the loop
    is compiled after all, because the estimate may be too low.
    """
    loops: dict[str, list[tuple[Cell, int]]] = {}
    for cell, count in zip(cells, n_todo, strict=True):
        if SAME_BITS and is_ours(cell) and not is_warm(cell.identity.algorithm):
            loops.setdefault(loop_name(registry.get(cell.identity.algorithm)), []).append((cell, count))
    short = [waiting for waiting in loops.values() if sum(n * work(cell) for cell, n in waiting) <= WORTH_INTERPRETING]
    return {cell.folder: COMPILE_SECONDS for waiting in short for cell, _ in waiting}


def cold(cells: Iterable[Cell]) -> list[Cell]:
    """Return one cell for each loop that must be compiled."""
    return one_of_each_loop(cell for cell in cells if not is_warm(cell.identity.algorithm))


def one_of_each_loop(cells: Iterable[Cell]) -> list[Cell]:
    """Return one cell for each compiled loop."""
    first: dict[str, Cell] = {}
    for cell in cells:
        first.setdefault(loop_name(registry.get(cell.identity.algorithm)), cell)
    return list(first.values())


def compiling_seconds(n_loops: int, workers: int = 1) -> float:
    """Return the seconds to compile ``n_loops`` loops, each by one of the workers."""
    return COMPILE_SECONDS * math.ceil(n_loops / workers)


def _decisions(cell: Cell, horizon: int) -> int:
    from duelbench.bandits.simulation.simulate import simulate_terms

    return simulate_terms(cell.terms.until(horizon), 0).decisions


def measure(run: Callable[[int], int], full: int, seconds: float) -> float | None:
    """Estimate the processor seconds of a run to the horizon ``full``, from shorter runs; None if these raise errors.

    All shorter runs together take about ``seconds``. The number of decisions, which ``run(horizon)`` returns, is
    extrapolated by a power of the horizon, between 0 (all decisions are taken) and 1. The first horizon is 1, which
    loads the compiled code.

    Examples
    --------
    >>> measure(lambda horizon: horizon, 10**4, seconds=0.0) < 0.1
    True
    """
    tried: list[tuple[int, int]] = []
    left, last = seconds, 0.0
    horizon = min(FIRST_HORIZON, full)
    try:
        run(1)
        while GROWTH * last <= left and (not tried or tried[-1][0] < full):
            start = time.process_time()
            tried.append((horizon, run(horizon)))
            last = time.process_time() - start
            left -= last
            horizon = min(GROWTH * horizon, full)
    except (Exception, SystemExit):  # the run itself will report it
        return None
    power = 1.0
    if len(tried) > 1:
        (before, few), (after, many) = tried[-2:]
        power = math.log(many / few) / math.log(after / before)
    return last * (full / tried[-1][0]) ** min(max(power, 0.0), 1.0)
