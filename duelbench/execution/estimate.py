"""How long an experiment will take, roughly: a table of what runs cost, set right by short runs of each cell."""

import math
import platform
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import PurePosixPath
from typing import NamedTuple

from duelbench.algorithms import registry
from duelbench.algorithms.registry import UNTIL
from duelbench.execution import rates
from duelbench.execution.worker import is_ours, is_warm, simulate_cell
from duelbench.problem.worlds.world import at_first
from duelbench.results.cells import Cell
from duelbench.simulation.compiled_loops import loop_name

BUDGET_SECONDS = 2.0
"""How long measuring may take, for all cells together."""

FIRST_HORIZON = 1000
GROWTH = 10

GUESS_SECONDS, GUESS_POWER = 1e-6, 0.75
"""For cells that neither were measured nor are in the table, ``GUESS_SECONDS * horizon**GUESS_POWER``.

Between an algorithm that decides in every round and one that soon settles.
"""

RUN_SECONDS, PAIR_SECONDS = 2e-3, 1.5e-7
"""What a run takes beside playing, and what each of its K^2 numbers of duels adds: making its file and counting it."""

COMPILE_SECONDS = 6.0
"""What an algorithm takes to compile that is not in the table."""

START_SECONDS = 1.0

INTERPRETED = 200.0
"""How many times as long a run takes that is interpreted: nine of ten measured, of all algorithms and up to 64 arms,
took 50 to 380 times as long."""

WORTH_INTERPRETING = 0.5
"""Runs that take longer than this share of what their loop takes to compile are not interpreted."""

SAME_BITS = platform.machine() in ("x86_64", "AMD64")
"""Elsewhere NumPy's C code may round Beta variates otherwise than what Numba compiles."""


class Estimate(NamedTuple):
    """What one run of a cell takes on one core, its file included; a guess where nothing was measured here."""

    seconds: float
    is_guess: bool


def estimate(
    cells: Sequence[Cell],
    n_todo: Sequence[int],
    budget: float = BUDGET_SECONDS,
    patience: Mapping[PurePosixPath, float] | None = None,
) -> list[Estimate]:
    """Estimate for each cell what one of its runs takes.

    First the table (`duelbench.execution.rates`) says it for all. Then, of the cells that take longest first, runs of
    growing horizon are played while there is time: they tell how quickly this problem settles, and this machine works.
    What is not compiled yet is not measured, nor are plug-ins.

    Parameters
    ----------
    cells : sequence of Cell
    n_todo : sequence of int
        How many runs of each cell.
    budget : float
        Seconds for all cells together; exceeded at most by the first short runs.
    patience : mapping, optional
        Which cells are interpreted, as `interpretable` says by default.

    Returns
    -------
    list of Estimate
        In the order of ``cells``.
    """
    machine = rates.yardstick() / rates.table()["yardstick"]
    models = [_model(cell) for cell in cells]
    patience = interpretable(cells, n_todo) if patience is None else patience
    playing = [
        machine * (INTERPRETED if cell.folder in patience else 1.0) * _from_table(cell, model)
        for cell, model in zip(cells, models, strict=True)
    ]
    weights = [count * seconds for count, seconds in zip(n_todo, playing, strict=True)]
    guesses = [not (is_ours(cell) and is_warm(cell.identity.algorithm)) for cell in cells]
    deadline = time.monotonic() + budget
    ahead = sum(weights)
    for k in sorted(range(len(cells)), key=lambda k: -weights[k]):
        left = deadline - time.monotonic()
        if left > 0 and not guesses[k]:
            play = partial(_decisions, cells[k])
            measured = measure(play, cells[k].identity.horizon, models[k], left * weights[k] / ahead, machine)
            playing[k] = playing[k] if measured is None else measured
        ahead -= weights[k]
    return [
        Estimate(seconds + machine * (RUN_SECONDS + PAIR_SECONDS * cell.matrix.n_arms**2), is_guess)
        for cell, seconds, is_guess in zip(cells, playing, guesses, strict=True)
    ]


def seconds_in_all(cells: Sequence[Cell], n_todo: Sequence[int], per_run: Sequence[float], jobs: int) -> float:
    """Estimate how long ``n_todo[k]`` runs of ``cells[k]`` take on ``jobs`` workers, compiling included.

    Examples
    --------
    >>> seconds_in_all([], [], [], jobs=4)
    0.0
    """
    work = sum(count * seconds for count, seconds in zip(n_todo, per_run, strict=True))
    if not work:
        return 0.0
    patience = interpretable(cells, n_todo)
    to_compile = [cell.identity.algorithm for cell in cold(cell for cell in cells if cell.folder not in patience)]
    workers = min(jobs, sum(n_todo))
    start = START_SECONDS if workers > 1 and work > START_SECONDS else 0.0
    longest = max(seconds for count, seconds in zip(n_todo, per_run, strict=True) if count)
    return compiling_seconds(to_compile, workers) + start + max(work / workers, longest)


def interpretable(cells: Iterable[Cell], n_todo: Iterable[int]) -> dict[PurePosixPath, float]:
    """Which cells are better interpreted: those of loops that take longer to compile than all their runs to interpret.

    Parameters
    ----------
    cells : iterable of Cell
    n_todo : iterable of int
        How many runs of each cell.

    Returns
    -------
    dict
        By the cell's folder, seconds that its runs may be interpreted before it is compiled after all: the estimate may
        have been too low.
    """
    loops: dict[str, list[tuple[Cell, int]]] = {}
    for cell, count in zip(cells, n_todo, strict=True):
        if SAME_BITS and is_ours(cell) and not is_warm(cell.identity.algorithm):
            loops.setdefault(loop_name(registry.get(cell.identity.algorithm)), []).append((cell, count))
    patience: dict[PurePosixPath, float] = {}
    for waiting in loops.values():
        compiling = max(_compiling_seconds(cell.identity.algorithm) for cell, _ in waiting)
        playing = sum(count * _from_table(cell, _model(cell)) for cell, count in waiting)
        if INTERPRETED * playing <= WORTH_INTERPRETING * compiling:
            patience.update((cell.folder, compiling) for cell, _ in waiting)
    return patience


def cold(cells: Iterable[Cell]) -> list[Cell]:
    """One cell for each loop that has to be compiled, those first that take longest."""
    return one_of_each_loop(cell for cell in cells if not is_warm(cell.identity.algorithm))


def one_of_each_loop(cells: Iterable[Cell]) -> list[Cell]:
    """One cell for each compiled loop, those first that take longest to compile."""
    first: dict[str, Cell] = {}
    for cell in cells:
        first.setdefault(loop_name(registry.get(cell.identity.algorithm)), cell)
    return sorted(first.values(), key=lambda cell: -_compiling_seconds(cell.identity.algorithm))


def compiling_seconds(algorithms: Iterable[str], workers: int = 1) -> float:
    """What it takes to compile algorithms, each by one of the workers."""
    machine = rates.yardstick() / rates.table()["yardstick"]
    each = [machine * _compiling_seconds(algorithm) for algorithm in algorithms]
    return max([sum(each) / workers, *each])


def _compiling_seconds(algorithm: str) -> float:
    """On the machine of the table."""
    return rates.table()["compile"].get(algorithm.partition(UNTIL)[0], COMPILE_SECONDS)


def _model(cell: Cell) -> rates.Model | None:
    """What the table says of a cell."""
    return rates.model(cell.identity.algorithm, at_first(cell.matrix), rates.table()) if is_ours(cell) else None


def _from_table(cell: Cell, model: rates.Model | None) -> float:
    """Seconds that a run takes to play, on the machine of the table."""
    horizon = cell.identity.horizon
    return GUESS_SECONDS * horizon**GUESS_POWER if model is None else model.cost(horizon).seconds


def measure(
    play: Callable[[int], int], full: int, model: rates.Model | None, seconds: float, machine: float
) -> float | None:
    """Seconds of the processor of a run, from runs that together take about ``seconds``; None if none is played.

    A run that would take too long by the table is not played: a decision may suddenly take a thousand times as long.

    Parameters
    ----------
    play : callable
        Plays a run to a horizon, and returns the number of decisions; 1 comes first, which loads the compiled code.
    full : int
        The horizon that is asked for.
    model : Model, optional
        What the table says.
    seconds, machine : float
        Time for all runs; and how many times as long this machine takes as that of the table.
    """
    decisions: list[tuple[int, int]] = []
    left, last = seconds, 0.0
    try:
        play(1)
        for horizon in _horizons(full):
            if GROWTH * last > left or (model and machine * model.cost(horizon).seconds > left):
                break
            start = time.process_time()
            decided = play(horizon)
            last = time.process_time() - start
            left -= last
            decisions.append((horizon, decided))
            model = model and model.fitted(horizon, decided)
    except (Exception, SystemExit):  # the run itself will tell
        return None
    if not decisions:
        return None
    played, decided = decisions[-1]
    if model is None or played == full:
        return last * extrapolate(decisions, full) / decided
    return last * model.cost(full).seconds / model.cost(played).seconds


def _decisions(cell: Cell, horizon: int) -> int:
    return simulate_cell(cell, 0, horizon).decisions


def _horizons(full: int) -> list[int]:
    horizons = [min(FIRST_HORIZON, full)]
    while horizons[-1] < full:
        horizons.append(min(GROWTH * horizons[-1], full))
    return horizons


def extrapolate(decisions: Sequence[tuple[int, int]], horizon: int) -> float:
    """Decisions up to ``horizon`` by the power law through the last two of ``decisions`` (horizon, decisions) pairs.

    The power is kept between 0 (all decisions are taken) and 1 (decisions come at a constant rate).

    Examples
    --------
    >>> extrapolate([(1000, 50), (10_000, 500)], 100_000)
    5000.0
    >>> extrapolate([(1000, 50), (10_000, 50)], 100_000)
    50.0
    >>> extrapolate([(1000, 50)], 2000)
    100.0
    """
    last_horizon, last = decisions[-1]
    power = 1.0
    if len(decisions) > 1:
        before_horizon, before = decisions[-2]
        power = math.log(last / before) / math.log(last_horizon / before_horizon)
    return last * (horizon / last_horizon) ** min(max(power, 0.0), 1.0)
