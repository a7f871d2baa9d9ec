"""Advice on which algorithm to take: matrices are drawn from what is known, and algorithms are played on them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from duelbench.errors import InputError

if TYPE_CHECKING:
    from duelbench.live.advice import Advice
    from duelbench.live.candidates import Candidate, Played

MOST_ARMS = 100
"""A thousand matrices of so many take 80 megabytes."""

MOST_ARMS_OF_WINS = 40
"""The same where there is a table of wins: the time grows with the square of the number of pairs."""

MATRICES_STREAM = 6
"""The key of the generator that the matrices come from; games have others."""


Games = tuple[np.ndarray, list[int], int, np.ndarray | None]
"""Matrices, budgets, seed and wins of before, as `duelbench.live.candidates.play` takes them."""


@dataclass(frozen=True)
class Known:
    """What is known of the arms before the first duel; at most one of ``gap``, ``gaps`` and ``wins``.

    Parameters
    ----------
    n_arms : int
        K.
    gap : float, optional
        p - 1/2 of the closest duel of the winner.
    gaps : str, optional
        A key of `duelbench.live.beliefs.GAPS`.
    wins : (K, K) float64, optional
        ``wins[i, j]`` = how often i has beaten j, ties half each.
    names : tuple of str
        Of the arms of the table; else empty.
    """

    n_arms: int
    gap: float | None = None
    gaps: str | None = None
    wins: np.ndarray | None = None
    names: tuple[str, ...] = ()


def known_from(path: Path) -> Known:
    """What a file says in which duels are counted, as `duelbench matrix import` reads it.

    Raises
    ------
    InputError
        Naming the file, the place and the mend.
    """
    from duelbench.problem.sources.importing import read_counts

    counts = read_counts(path)
    return Known(len(counts.names), wins=counts.wins, names=counts.names)


def drawn(known: Known, n: int, seed: int) -> np.ndarray:
    """Draw matrices from what is known, (n, K, K).

    Raises
    ------
    InputError
        Where there are too many arms, or no matrix has the gap.

    Examples
    --------
    >>> drawn(Known(3, gap=0.1), 2, seed=0).shape
    (2, 3, 3)
    """
    from duelbench.live import beliefs

    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(0, MATRICES_STREAM))))
    most = MOST_ARMS if known.wins is None else MOST_ARMS_OF_WINS
    if known.n_arms > most:
        mend = "leave out those that cannot win" if known.wins is None else "leave out the table, or arms"
        raise InputError(f"{known.n_arms} arms are more than the {most} that advice can be given on; {mend}")
    if known.wins is not None:
        return beliefs.matrices_given(beliefs.PEOPLE, known.wins, n, rng)
    if known.gap is not None:
        return beliefs.matrices_with_gap(beliefs.PEOPLE, known.n_arms, known.gap, n, rng)
    prior = beliefs.PEOPLE if known.gaps is None else beliefs.GAPS[known.gaps]
    return beliefs.prior_matrices(prior, known.n_arms, n, rng)


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
) -> "Advice":
    """Play algorithms on matrices that are drawn from what is known, and compare what they name.

    Parameters
    ----------
    known : Known
    duels : int
        The budget: duels of two different arms.
    algorithms : sequence of str, optional
        Ids; by default `duelbench.live.candidates.USUAL`.
    error : float
        How often answers may be wrong that end a session early.
    n_matrices : int
    seed : int
        Determines all randomness; the result does not depend on ``jobs``.
    jobs : int
        How many algorithms are played at the same time.
    tell : callable
        Told how many algorithms are done, of how many.

    Returns
    -------
    Advice

    Raises
    ------
    InputError
        When an algorithm does not exist or cannot play this, or no matrix is like what is known.
    """
    from duelbench.live.advice import Advice, budgets_around, judge, likeliest_winner
    from duelbench.live.candidates import USUAL, candidate

    chosen = [candidate(id, error) for id in dict.fromkeys(USUAL if algorithms is None else algorithms)]
    matrices = drawn(known, n_matrices, seed)
    budgets = budgets_around(duels)
    played: dict[str, Played] = {}
    tell(0, len(chosen))
    for id, one in _all_played(chosen, error, (matrices, budgets, seed, known.wins), jobs):
        played[id] = one
        tell(len(played), len(chosen))
    ordered = {one.id: played[one.id] for one in chosen}
    return Advice(tuple(judge(ordered, matrices, budgets)), duels, likeliest_winner(matrices))


def _all_played(chosen: "Sequence[Candidate]", error: float, games: Games, jobs: int) -> "Iterator[tuple[str, Played]]":
    """What each has named, in the order in which they are done."""
    from joblib import Parallel, delayed

    if jobs == 1 or len(chosen) == 1:
        return (_played(one.id, error, games) for one in chosen)
    workers = Parallel(n_jobs=min(jobs, len(chosen)), return_as="generator_unordered", pre_dispatch="n_jobs")
    return workers(delayed(_played)(one.id, error, games) for one in chosen)


def _played(id: str, error: float, games: Games) -> "tuple[str, Played]":
    """In a worker process: the algorithm is found by its id, for its functions cannot be handed over."""
    from duelbench.live.candidates import candidate, play

    return id, play(candidate(id, error), *games)
