"""Windows over the latest outcomes of pairs, which detect changes.

A window holds the latest w outcomes of a pair, from the view of one arm. If it is full, and the wins of its newer half
and of its older half differ by more than b, the matrix has changed.
"""

from typing import NamedTuple

import numpy as np

from duelbench.bandits.kernels.decorators import kernel


class Windows(NamedTuple):
    """Windows 0, 1, ...; arrays are updated in place."""

    outcomes: np.ndarray  # (N, w) int8. The latest outcomes in a ring, 1 for a win; at first all 0.
    seen: np.ndarray  # (N,) int64. Outcomes so far.
    # (N,) int64. Wins among the newer w / 2 outcomes, and among the w / 2 before them.
    newer: np.ndarray
    older: np.ndarray
    due: np.ndarray  # (N,) int64. Duels played for the window without an outcome so far.
    # (N,) int64. Outcomes that have arrived but are not entered yet.
    wins: np.ndarray
    duels: np.ndarray
    arrived: np.ndarray  # (N + 1,) int64. The number of windows with such outcomes, then these windows by arrival.
    b: float  # The largest difference that does not count as a change


MOST_BYTES = 2**30  # of a run's memory


def new_windows(n_windows: int, size: int, b: float) -> Windows:
    """Return empty windows of ``size`` outcomes, an even number."""
    assert size % 2 == 0
    each = {name: np.zeros(n_windows, np.int64) for name in ("seen", "newer", "older", "due", "wins", "duels")}
    arrived = np.zeros(n_windows + 1, np.int64)
    return Windows(outcomes=np.zeros((n_windows, size), np.int8), arrived=arrived, b=b, **each)


def too_large(n_windows: int, size: int) -> str | None:
    """Return why there can be no such windows, or None."""
    if n_windows * size <= MOST_BYTES:
        return None
    return f"{n_windows} windows of {size:_} outcomes take more than a gigabyte; raise delta"


@kernel
def _clear(windows):
    """Forget all outcomes."""
    windows.outcomes[:, :] = 0
    windows.seen[:] = 0
    windows.newer[:] = 0
    windows.older[:] = 0
    windows.wins[:] = 0
    windows.duels[:] = 0
    windows.arrived[0] = 0


@kernel
def expect(windows, number):
    """Record that a duel is played for a window."""
    windows.due[number] += 1


@kernel
def take(windows, number, wins, duels):
    """Give the window its share of a pair's outcomes; return its (wins, duels).

    The wins are in proportion to the duels, rounded; a half is rounded up.
    """
    due = windows.due[number]
    if due == 0:
        return 0, 0
    due_wins = (2 * wins * due + duels) // (2 * duels)
    windows.due[number] = 0
    if windows.duels[number] == 0:
        windows.arrived[0] += 1
        windows.arrived[windows.arrived[0]] = number
    windows.wins[number] += due_wins
    windows.duels[number] += due
    return due_wins, due


@kernel
def enter(windows):
    """Enter the outcomes that have arrived, wins spread evenly; on a change, forget all outcomes and return True."""
    n_arrived = windows.arrived[0]
    windows.arrived[0] = 0
    for k in range(1, n_arrived + 1):
        number = windows.arrived[k]
        wins, duels = windows.wins[number], windows.duels[number]
        windows.wins[number] = 0
        windows.duels[number] = 0
        for entered in range(duels):
            if _push(windows, number, (entered + 1) * wins // duels - entered * wins // duels):
                _clear(windows)
                return True
    return False


@kernel
def _push(windows, number, outcome):
    """Enter one outcome; return whether it shows a change."""
    outcomes = windows.outcomes[number]
    size = outcomes.size
    place = windows.seen[number] % size
    half_old = outcomes[(place + size // 2) % size]
    windows.newer[number] += outcome - half_old
    windows.older[number] += half_old - outcomes[place]
    outcomes[place] = outcome
    windows.seen[number] += 1
    return windows.seen[number] >= size and abs(windows.newer[number] - windows.older[number]) > windows.b
