"""The trace of a run, and the rounds at which it is recorded."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from duelbench.bandits.algorithms.contract import NO_WINNER, UNANSWERED
from duelbench.common import markup
from duelbench.common.words import plural


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """One run of one algorithm on one problem. Arms are 0-based, in the problem's own order.

    Parameters
    ----------
    rounds : ndarray of int64, shape (n,)
        The checkpoints: rounds (1-based) after which values were recorded; the last is the horizon.
    regret : ndarray of float64, shape (n_definitions, n)
        Cumulative regret of rounds 1..rounds[k], one row per definition, in duels.
    duels : ndarray of int64, shape (K, K)
        ``duels[i, j]``: how often the pair with first arm i and second arm j was played, self-duels included. On a
        scalar bandit (N, 1): how often each arm was sampled.
    recommended : ndarray of int64, shape (n,)
        The arm (on a scalar bandit: the decision) that the algorithm recommends after that round; inside a batch of
        duels, what it recommends before the batch.
    decisions : int
        How many decisions the algorithm took; at most one per round, fewer if decisions stand for several rounds.
    explored : ndarray of int64, shape (n,), optional
        How many parameters the algorithm still explored after that round; None if the algorithm does not report it.
    finished : int, optional
        The first round (1-based) after the end of exploration, 0 if it never ended; None if `explored` is None.
    answer : int, optional
        The arm that exploration has ended with, -1 if it has found that there is no Condorcet winner, -2 if it has not
        ended; None if `explored` is None, or on a scalar bandit.
    places : ndarray of int64, shape (K,), optional
        The place of each arm at the end, from 0, the best; for a set of arms, 0 for those in it and 1 for the others.
        None for an algorithm that does not rank.
    definitions : tuple of str
        The regret definitions, in the order of the rows of ``regret``.
    algorithm : str
        The algorithm's id.

    Examples
    --------
    >>> arms = np.array([[7, 1], [2, 0]])
    >>> Trace(np.array([1, 10]), np.array([[0.5, 1.5]]), arms, np.array([1, 0]), 4, ("copeland",), algorithm="rucb")
    Trace(rucb, 10 rounds: copeland regret 1.5, recommends 0, 4 decisions)

    The first round after the answer is the tenth:

    >>> Trace(np.array([12]), np.array([[9.0]]), arms, np.array([1]), 4, ("copeland",), np.array([0]), 10, "nts", 1)
    Trace(nts, 12 rounds: copeland regret 9, recommends 1, answers 1 after 9 rounds, 4 decisions)
    """

    rounds: np.ndarray
    regret: np.ndarray
    duels: np.ndarray
    recommended: np.ndarray
    decisions: int
    definitions: tuple[str, ...]
    explored: np.ndarray | None = None
    finished: int | None = None
    algorithm: str = ""
    answer: int | None = None
    places: np.ndarray | None = None

    def __repr__(self) -> str:
        rounds, decisions = int(self.rounds[-1]), int(self.decisions)
        finals = [f"{name} regret {row[-1]:.6g}" for name, row in zip(self.definitions, self.regret, strict=True)]
        ends = [f"recommends {self.recommended[-1]}", *self._end_in_words()]
        facts = [*finals, *ends, f"{decisions:_} {plural(decisions, 'decision')}"]
        who = f"{self.algorithm}, " if self.algorithm else ""
        return f"Trace({who}{rounds:_} {plural(rounds, 'round')}: {', '.join(facts)})"

    def _end_in_words(self) -> list[str]:
        """Return the answer and its time in words; an empty list for an algorithm that never answers."""
        if self.answer is None or self.finished is None:
            return []
        if self.answer == UNANSWERED:
            return ["no answer"]
        answer = "answers that there is no winner" if self.answer == NO_WINNER else f"answers {self.answer}"
        before = self.finished - 1
        return [f"{answer} after {before:_} {plural(before, 'round')}"]

    def _repr_html_(self) -> str:
        """Return the trace as HTML for a notebook."""
        lines = [[name, f"{row[-1]:.6g}"] for name, row in zip(self.definitions, self.regret, strict=True)]
        curves = [markup.curve(self.rounds.tolist(), row.tolist()) for row in self.regret]
        return markup.paragraph(repr(self)) + markup.table(
            ["regret", "at the end", "against log t"], lines, pictures=curves
        )


def log_checkpoints(horizon: int, count: int) -> np.ndarray:
    """Return at most ``count`` increasing rounds, evenly spaced in log t from 1 to the horizon, each once; int64.

    Examples
    --------
    >>> log_checkpoints(1000, 4).tolist()
    [1, 10, 100, 1000]
    >>> log_checkpoints(4, 100).tolist()
    [1, 2, 3, 4]
    """
    return np.array(_log_spaced(horizon, count), dtype=np.int64)


@lru_cache(maxsize=64)
def _log_spaced(horizon: int, count: int) -> list[int]:
    """Return `log_checkpoints` as a list; cached, because it is slow and the same for all runs of an experiment."""
    if count == 1:
        return [horizon]
    # math.exp and not np.exp, whose last bit depends on the processor's vector instructions.
    step = math.log(horizon) / (count - 1)
    rounds = {round(math.exp(k * step)) for k in range(count - 1)} | {horizon}
    return sorted(t for t in rounds if t <= horizon)
