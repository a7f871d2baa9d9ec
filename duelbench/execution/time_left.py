"""How long an experiment will still take, by what its runs have taken so far."""

import heapq
import math
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from duelbench.execution.heartbeat import LOADING, Beat
from duelbench.results.cells import Cell

THINNING = 1.1
"""How far a run was is remembered for times that grow by this factor."""

DEALT_ONE_BY_ONE = 100
"""So many of the last runs, and two more for each worker, are looked at one by one."""

Kind = tuple[str, int, int]


class Left(NamedTuple):
    """What there is still to do.

    seconds : float, optional. Until the last run is over; None where it is not known, or something is compiled.
    share : float, optional. Of all work, how much is done, in [0, 1]; None where it is not known.
    """

    seconds: float | None
    share: float | None


@dataclass
class _Runs:
    """The runs of a cell: how many are to come, and seconds of those that are over."""

    cell: Cell
    n_left: int
    n_measured: int = 0
    measured: float = 0.0
    begun: float | None = None  # what a run seems to take, by those that are being played

    @property
    def mean(self) -> float | None:
        return self.measured / self.n_measured if self.n_measured else None


class TimeLeft:
    """Keeps the account of an experiment's time; safe to use from several threads.

    Each cell has a rate of its own, which is the first of these that is known: the mean of its runs that are over; what
    the rounds of its present runs say; the mean of runs of the same algorithm, number of arms and horizon.

    Parameters
    ----------
    todo : iterable of (Cell, int)
        How many runs of each cell are to be played, in this order.
    jobs : int
        Workers that play at the same time.
    """

    def __init__(self, todo: Iterable[tuple[Cell, int]], jobs: int) -> None:
        self._jobs = jobs
        self._runs = {str(cell.folder): _Runs(cell, count) for cell, count in todo if count}
        self._alike: dict[Kind, _Runs] = {}
        self._seen: dict[tuple[str, int], list[Beat]] = {}
        self._over = 0.0
        self._lock = threading.Lock()

    def over(self, cell: Cell, seconds: float | None) -> None:
        """One run of a cell is over, and took so long where that is known."""
        with self._lock:
            own = self._runs[str(cell.folder)]
            own.n_left -= 1
            if seconds is not None:
                self._over += seconds
                for runs in (own, self._alike.setdefault(_kind(cell), _Runs(cell, 0))):
                    runs.measured += seconds
                    runs.n_measured += 1
            if not own.n_left:
                del self._runs[str(cell.folder)]

    def seconds(self, beats: Iterable[Beat] = ()) -> float | None:
        """Seconds until the last run is over; see `estimate`."""
        return self.estimate(beats).seconds

    def estimate(self, beats: Iterable[Beat] = ()) -> Left:
        """What there is still to do; nothing is known of it before something is known of every cell.

        Parameters
        ----------
        beats : iterable of Beat
            What is being played.
        """
        with self._lock:
            present = [beat for beat in beats if beat.cell in self._runs]
            playing = [beat for beat in present if beat.run != LOADING and not beat.compiling]
            self._remember(playing)
            waiting = {name: runs.n_left for name, runs in self._runs.items()}
            busy = []
            spent = self._over
            for beat in playing:
                if waiting[beat.cell]:  # else it is over, and the news of that was quicker
                    waiting[beat.cell] -= 1
                    busy.append(self._to_come(beat))
                    spent += beat.seconds
            rates = {name: self._rate(self._runs[name]) for name, count in waiting.items() if count}
        if None in rates.values() or None in busy:
            return Left(None, None)
        to_come = [seconds for seconds in busy if seconds is not None]
        to_begin = [(waiting[name], rate) for name, rate in rates.items() if rate is not None]
        work = sum(to_come) + sum(count * rate for count, rate in to_begin)
        share = spent / (spent + work) if spent + work > 0 else 0.0
        if any(beat.compiling for beat in present):
            return Left(None, share)
        return Left(makespan(to_come, to_begin, self._jobs), share)

    def _rate(self, runs: _Runs) -> float | None:
        alike = self._alike.get(_kind(runs.cell))
        known = (runs.mean, runs.begun, alike.mean if alike else None)
        return next((seconds for seconds in known if seconds is not None), None)

    def _to_come(self, beat: Beat) -> float | None:
        """Seconds until a run is over that is being played."""
        runs = self._runs[beat.cell]
        if runs.mean is not None and beat.seconds < runs.mean:
            return runs.mean - beat.seconds
        whole = self._whole(beat)
        if whole is None:
            rate = self._rate(runs)
            return None if rate is None else max(0.0, rate - beat.seconds)
        return whole - beat.seconds

    def _remember(self, playing: Sequence[Beat]) -> None:
        """Note how far the present runs are, forget the others, and learn what runs of their cells take."""
        self._seen = {(beat.cell, beat.run): self._seen.get((beat.cell, beat.run), []) for beat in playing}
        for beat in playing:
            seen = self._seen[beat.cell, beat.run]
            if beat.rounds and (not seen or beat.seconds > THINNING * seen[-1].seconds):
                seen.append(beat)
            self._runs[beat.cell].begun = self._whole(beat) or self._runs[beat.cell].begun

    def _whole(self, beat: Beat) -> float | None:
        """Seconds of a whole run of which a part is played.

        The time of a run grows like a power of its rounds: where decisions stand, the power is below 1. It is that of
        the second half of the time so far, and nothing is said before there are two halves.
        """
        before = [seen for seen in self._seen[beat.cell, beat.run] if 2 * seen.seconds <= beat.seconds]
        if not before:
            return None
        power = 1.0
        if beat.rounds > before[-1].rounds:
            power = math.log(beat.seconds / before[-1].seconds) / math.log(beat.rounds / before[-1].rounds)
        horizon = self._runs[beat.cell].cell.identity.horizon
        return beat.seconds * (horizon / beat.rounds) ** min(power, 1.0)


def _kind(cell: Cell) -> Kind:
    return cell.identity.algorithm, cell.identity.n_arms, cell.identity.horizon


def makespan(busy: Sequence[float], waiting: Sequence[tuple[int, float]], jobs: int) -> float:
    """Seconds until all is done, where each worker that becomes free takes the next of the runs that wait.

    The last runs are dealt out one by one; those before fill the workers evenly.

    Parameters
    ----------
    busy : sequence of float
        How long runs take that workers have begun; the other workers are free.
    waiting : sequence of (int, float)
        So many runs of so many seconds each, in their order.
    jobs : int
        Workers.

    Examples
    --------
    Three runs of ten seconds keep one of two workers busy for twenty, or the one that is busy now for ten more.

    >>> makespan([], [(3, 10.0)], jobs=2)
    20.0
    >>> makespan([15.0], [(3, 10.0)], jobs=2)
    25.0
    >>> makespan([], [(101, 1.0), (1, 30.0)], jobs=2)
    80.0
    """
    last: list[float] = []
    before = 0.0
    for count, seconds in reversed(waiting):
        n_last = min(count, DEALT_ONE_BY_ONE + 2 * jobs - len(last))
        last += [seconds] * n_last
        before += (count - n_last) * seconds
    ends = _filled([*busy, *[0.0] * (jobs - len(busy))], before)
    heapq.heapify(ends)
    for seconds in reversed(last):
        heapq.heapreplace(ends, ends[0] + seconds)
    return max(ends)


def _filled(ends: list[float], work: float) -> list[float]:
    """When workers end that end at ``ends``, after ``work`` went to whoever was free first."""
    ends = sorted(ends)
    below = 0.0
    for k, end in enumerate(ends):
        above = ends[k + 1] if k + 1 < len(ends) else math.inf
        below += end
        level = (below + work) / (k + 1)
        if level <= above:
            return [level] * (k + 1) + ends[k + 1 :]
    return ends
