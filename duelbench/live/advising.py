"""Advice on which algorithm to take: matrices are drawn from what is known, and algorithms are played on them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from duelbench.algorithms import registry
from duelbench.algorithms.contract import NO_WINNER
from duelbench.errors import InputError, nearest_or_all
from duelbench.live import beliefs
from duelbench.live.advice import Advice, Favourites, budgets_around, favourites, judge
from duelbench.live.candidates import USUAL, Played, are_compiled, candidate, is_warm, play
from duelbench.live.evidence import stand
from duelbench.live.player import LEARNS_FROM_ANY_PAIR
from duelbench.live.settings import RULE_AFTER_EARLIER_DUELS, checked_counts
from duelbench.problem.matrix_files import MAX_ARMS
from duelbench.problem.sources.importing import read_counts
from duelbench.simulation.simulate import MOST_SEED, whole

MOST_ARMS, MOST_ARMS_OF_WINS = 100, 40
"""Without and with a table of wins, where the time grows with the square of the number of pairs."""

MOST_DUELS = 100_000
"""Games are played to four times as many."""

MOST_EARLIER = 10**6
"""Duels in a table that leaves open who wins; to go on from more takes hours."""

MATRICES_STREAM, TABLE_STREAM = 6, 7
"""The keys of the generators that the matrices come from, and what a table alone says; games have others."""

Games = tuple[np.ndarray, list[int], int, np.ndarray | None]
"""Matrices, budgets, seed and earlier wins, as `duelbench.live.candidates.play` takes them."""


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of the arms before the first duel; at most one of ``gap``, ``gaps`` and ``wins``.

    Examples
    --------
    >>> Known(2, wins=[[0, 3], [1, 0]]).wins.tolist()
    [[0.0, 3.0], [1.0, 0.0]]
    """

    n_arms: int
    gap: float | None = None  # p - 1/2 of the closest duel of the winner, between 0 and 1/2, both excluded
    gaps: str | None = None  # a key of `duelbench.live.beliefs.GAPS`
    wins: np.ndarray | None = None  # (K, K): wins[i, j] = how often i has beaten j, ties half each
    names: Sequence[str] = ()  # of the arms of the table
    source: str = "wins"  # what messages call the table

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_arms", whole("n_arms", self.n_arms, 2, MAX_ARMS))
        if sum(one is not None for one in (self.gap, self.gaps, self.wins)) > 1:
            raise InputError("gap, gaps and wins say the same in several ways; leave out all but one of them")
        if self.gap is not None:
            object.__setattr__(self, "gap", between(0, 0.5, self.gap, "gap"))
        if self.gaps is not None and self.gaps not in beliefs.GAPS:
            raise InputError(f"there are no gaps {self.gaps!r}{nearest_or_all(self.gaps, beliefs.GAPS)}")
        if self.wins is not None:
            if self.names and len(self.names) != self.n_arms:
                raise InputError(f"{self.source}: there are {len(self.names)} names for {self.n_arms} arms")
            names = self.names or [f"arm {arm}" for arm in range(self.n_arms)]
            object.__setattr__(self, "wins", checked_counts(self.wins, names, self.source))


def between(low: float, high: float, value: Any, name: str) -> float:
    """A number between two others, which are excluded; it may be given as text."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = low
    if not low < number < high:
        raise InputError(f"{name} {value}: write a number between {low:g} and {high:g}, both excluded")
    return number


def known_from(path: Path) -> Known:
    """What is known by a file in which duels are counted, as `duelbench matrix import` reads it."""
    counts = read_counts(path)
    return Known(len(counts.names), wins=counts.wins, names=counts.names, source=counts.source)


def drawn(known: Known, n: int, seed: int) -> np.ndarray:
    """Draw matrices from what is known, (n, K, K); `InputError` where there are too many arms, or none has the gap."""
    rng = _generator(seed, MATRICES_STREAM)
    most = MOST_ARMS if known.wins is None else MOST_ARMS_OF_WINS
    if known.n_arms > most:
        hint = "leave out those that cannot win" if known.wins is None else "leave out the table, or arms"
        raise InputError(f"{known.n_arms} arms are more than the {most} that advice can be given on; {hint}")
    if known.wins is not None:
        return beliefs.matrices_given(beliefs.PEOPLE, known.wins, n, rng)
    if known.gap is not None:
        return beliefs.matrices_with_gap(beliefs.PEOPLE, known.n_arms, known.gap, n, rng)
    prior = beliefs.PEOPLE if known.gaps is None else beliefs.GAPS[known.gaps]
    return beliefs.prior_matrices(prior, known.n_arms, n, rng)


def _generator(seed: int, role: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(0, role))))


def decided(wins: np.ndarray, error: float) -> int | None:
    """The answer of the stopping rule by a table alone: an arm, `NO_WINNER`, or None without any."""
    may_win, is_decided = stand(wins, error, RULE_AFTER_EARLIER_DUELS)
    if not is_decided:
        return None
    return int(may_win.argmax()) if may_win.any() else NO_WINNER


def advise(
    known: Known,
    duels: int,
    *,
    algorithms: Sequence[str] | None = None,
    error: float = 0.05,
    n_matrices: int = 1000,
    seed: int = 0,
    jobs: int = 1,
    tell: Callable[[int, int], object] = lambda done, all_of_them: None,
    tell_compiling: Callable[[list[str]], object] = lambda ids: None,
) -> Advice:
    """Play algorithms on matrices that are drawn from what is known, and compare what they name.

    Parameters
    ----------
    duels : int
        The budget: duels of two different arms.
    algorithms : sequence of str, optional
        Ids; by default `duelbench.live.candidates.USUAL`.
    error : float
        The maximum error probability of answers that end a session early.
    jobs : int
        How many algorithms are played at the same time; the result does not depend on it.
    tell : callable
        Called with how many algorithms are done, of how many.
    tell_compiling : callable
        Called with the algorithms that must be compiled first, if any.

    Raises
    ------
    InputError
        When an argument is wrong, an algorithm does not exist or cannot play this, or no matrix is like what is known.
    """
    duels = whole("duels", duels, 1, MOST_DUELS)
    n_matrices = whole("n_matrices", n_matrices, 2, 10**6)
    seed, jobs = whole("seed", seed, 0, MOST_SEED), whole("jobs", jobs, 1, MOST_SEED)
    error = between(0, 1, error, "error")
    ids = USUAL if algorithms is None else algorithms
    if isinstance(ids, str) or not isinstance(ids, Iterable) or not all(isinstance(id, str) for id in ids) or not ids:
        raise InputError(f"algorithms must be a list of ids, such as ['rucb', 'd-ts'], got {algorithms!r}")
    wins = None if known.wins is None or not known.wins.any() else known.wins
    chosen = {id: candidate(id, error, wins is not None) for id in ids}
    answer = None if wins is None else decided(wins, error)
    if wins is not None and answer is None and wins.sum() > MOST_EARLIER:
        raise InputError(
            f"{known.source}: {wins.sum():,.0f} duels leave open who wins, and advice goes on from"
            f" {MOST_EARLIER:,} at most; leave out arms that cannot win, or part of the duels"
        )
    matrices = drawn(known, n_matrices, seed)
    budgets = budgets_around(duels)
    long = [one for one in chosen.values() if are_compiled(one, n_matrices, known.n_arms, budgets, wins)]
    if cold := [one.id for one in long if not is_warm(one)]:
        tell_compiling(cold)
    played: dict[str, Played] = {}
    tell(0, len(chosen))
    for id, found in _all_played(list(chosen), error, (matrices, budgets, seed, wins), jobs):
        played[id] = found
        tell(len(played), len(chosen))
    likeliest: Favourites | None = None
    if wins is not None:
        rng = _generator(seed, TABLE_STREAM)
        likeliest = favourites(beliefs.winners_given(beliefs.PEOPLE, wins, rng))
    warm = () if known.wins is None else tuple(id for id in chosen if id in LEARNS_FROM_ANY_PAIR)
    return Advice(tuple(judge({id: played[id] for id in chosen}, matrices, budgets)), duels, likeliest, answer, warm)


def _all_played(ids: Sequence[str], error: float, games: Games, jobs: int) -> Iterator[tuple[str, Played]]:
    """What each has named, in the order in which they are done."""
    from joblib import Parallel, delayed

    if jobs == 1 or len(ids) == 1:
        return (_played(id, error, games, ()) for id in ids)
    workers = Parallel(n_jobs=min(jobs, len(ids)), return_as="generator_unordered", pre_dispatch="n_jobs")
    return workers(delayed(_played)(id, error, games, tuple(registry.named_plug_ins)) for id in ids)


def _played(id: str, error: float, games: Games, plug_ins: Sequence[str]) -> tuple[str, Played]:
    """In a worker process: the algorithm is found by its id, for its functions cannot be handed over."""
    for name in plug_ins:
        registry.load_plug_in(name)
    return id, play(candidate(id, error, games[-1] is not None), *games)
