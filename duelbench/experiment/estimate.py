"""How long an experiment will take, roughly: short runs of each cell, extrapolated."""

import math
import time
from collections.abc import Sequence

from duelbench.experiment.cells import Cell
from duelbench.experiment.worker import is_ours, is_warm, simulate_cell

BUDGET_SECONDS = 2.0
"""How long measuring may take, for all cells together."""

FIRST_HORIZON = 1000
GROWTH = 10

GUESS_SECONDS, GUESS_POWER = 1e-6, 0.75
"""For cells that were not measured, ``GUESS_SECONDS * horizon**GUESS_POWER``.

Between an algorithm that decides in every round and one that soon settles.
"""

COMPILE_SECONDS = 5.0
START_SECONDS = 1.0


def seconds_per_run(cells: Sequence[Cell], budget: float = BUDGET_SECONDS) -> list[float]:
    """Estimate for each cell what one of its runs takes on one core.

    Runs of growing horizon are played while that is cheap; the number of decisions at the full horizon follows from a
    power law through the last two, and the time from it. An algorithm that is not compiled yet, and one for which no
    time is left, is guessed instead.

    Parameters
    ----------
    cells : sequence of Cell
    budget : float
        Seconds for all cells together; kept but for the first short run of each cell.

    Returns
    -------
    list of float
        Seconds.
    """
    deadline = time.monotonic() + budget
    estimates = []
    for k, cell in enumerate(cells):
        share = (deadline - time.monotonic()) / (len(cells) - k)
        is_quick = is_ours(cell) and is_warm(cell.identity.algorithm)  # who knows what a plug-in does
        measured = _measure(cell, share) if share > 0 and is_quick else None
        guess = GUESS_SECONDS * cell.identity.horizon**GUESS_POWER
        estimates.append(guess if measured is None else measured)
    return estimates


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
    cold = {cell.identity.algorithm for cell in cells if not is_warm(cell.identity.algorithm)}
    workers = min(jobs, sum(n_todo))
    start = START_SECONDS if workers > 1 and work > START_SECONDS else 0.0
    return math.ceil(len(cold) / workers) * COMPILE_SECONDS + start + work / workers


def _measure(cell: Cell, seconds: float) -> float | None:
    """Seconds of a run of the cell, from runs that together take about ``seconds``; None if they fail."""
    full = cell.identity.horizon
    decisions: list[tuple[int, int]] = []
    left, last = seconds, 0.0
    try:
        simulate_cell(cell, 0, 1)  # loads the compiled code
        for horizon in _horizons(full):
            if GROWTH * last > left:
                break
            start = time.perf_counter()
            trace = simulate_cell(cell, 0, horizon)
            last = time.perf_counter() - start
            left -= last
            decisions.append((horizon, trace.decisions))
    except (Exception, SystemExit):  # the run itself will tell
        return None
    return last * extrapolate(decisions, full) / decisions[-1][1]


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
