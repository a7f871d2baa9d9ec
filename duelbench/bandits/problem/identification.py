"""Questions of identification about a preference matrix, and whether an answer is right.

A question has a target, which defines the right answers, and a tolerance epsilon for a gap or a score; if it is 0, the
answer must be exact. Arms are 0-based. Arm i beats arm j if ``P[i, j] > 1/2``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.winners import BORDA_TOLERANCE, as_array, borda_scores, condorcet_winner, copeland_scores

TARGETS = ("condorcet", "copeland", "borda", "ranking", "top-k")
RANKED = ("ranking", "top-k")  # Targets whose answer is the place of every arm
BY = ("pairs", "borda")  # The arms of a set beat each of the others, or have larger Borda scores

NO_WINNER = -1  # The answer that there is no Condorcet winner
TOLERANCE = BORDA_TOLERANCE  # Differences of scores below this are rounding errors


@dataclass(frozen=True)
class Question:
    """A question: what to identify, and how reliably."""

    # one of TARGETS: condorcet, the arm that beats every other, or that there is none; copeland and borda, an arm of
    # highest score; ranking, all arms in order; top-k, the k best
    target: str
    delta: float = 0.05  # how often an answer may be wrong, in (0, 1)
    epsilon: float = 0.0  # how far from the best an answer may be, in [0, 1/2)
    k: int | None = None  # size of the set for ``top-k``
    by: str = "pairs"  # for ``top-k``: one of `BY`

    @property
    def asked(self) -> str:
        """The target as stopping rules name it: 'copeland', 'top-k by borda'."""
        return f"{self.target} by borda" if self.by == "borda" else self.target

    @property
    def is_ranked(self) -> bool:
        """Whether the answer is the place of every arm, not a single arm."""
        return self.target in RANKED

    @property
    def words(self) -> str:
        """The question in one line.

        Examples
        --------
        >>> Question("top-k", epsilon=0.1, k=2).words
        'the 2 arms that beat all others, up to 0.1'
        """
        of_set = "of largest Borda scores" if self.by == "borda" else "that beat all others"
        answer = {
            "condorcet": "the Condorcet winner, or that there is none",
            "copeland": "a Copeland winner",
            "borda": "a Borda winner",
            "ranking": "the order of all arms",
            "top-k": f"the {self.k} arms {of_set}",
        }[self.target]
        return f"{answer}, up to {self.epsilon:g}" if self.epsilon else answer

    def content(self) -> dict[str, Any]:
        """Return the question in plain JSON types, as in a spec."""
        of_set = {"k": self.k, "by": self.by} if self.target == "top-k" else {}
        return {"target": self.target, "delta": self.delta, "epsilon": self.epsilon, **of_set}


def is_right(
    P: PreferenceMatrix | ArrayLike, question: Question, answer: int, places: Sequence[int] | np.ndarray | None = None
) -> bool:
    """Return whether an answer is right.

    ``answer`` is an arm, or `NO_WINNER` for "there is no Condorcet winner". A ranking or a set is judged by ``places``
    alone: the place of each arm, 0 for the best; for a set, 0 for the arms in it and 1 for the others.

    Examples
    --------
    Arm 0 beats both others, and 1 beats 2.

    >>> P = [[0.5, 0.6, 0.9], [0.4, 0.5, 0.7], [0.1, 0.3, 0.5]]
    >>> [is_right(P, Question("condorcet"), arm) for arm in (0, 1, NO_WINNER)]
    [True, False, False]
    >>> is_right(P, Question("ranking"), 0, [0, 1, 2]), is_right(P, Question("top-k", k=2), 0, [0, 1, 0])
    (True, False)
    """
    if question.is_ranked:
        return places is not None and _is_right_order(P, question, np.asarray(places))
    if answer < 0:
        return question.target == "condorcet" and answer == NO_WINNER and condorcet_winner(P) is None
    return bool(right_arms(P, question)[answer])


def right_arms(P: PreferenceMatrix | ArrayLike, question: Question) -> np.ndarray:
    """Return which arms are right answers, (K,) bool; none if "there is no Condorcet winner" is right.

    Examples
    --------
    Each of three arms beats one other: there is no Condorcet winner, and all three are Copeland winners.

    >>> P = [[0.5, 0.6, 0.1], [0.4, 0.5, 0.7], [0.9, 0.3, 0.5]]
    >>> right_arms(P, Question("condorcet")).tolist(), right_arms(P, Question("copeland")).tolist()
    ([False, False, False], [True, True, True])
    """
    if question.target == "condorcet":
        return np.all(_precedes(P, question) | np.eye(len(as_array(P)), dtype=bool), axis=1)
    scores = scores_of(P, question)
    return scores >= scores.max() - question.epsilon - TOLERANCE


def scores_of(P: PreferenceMatrix | ArrayLike, question: Question) -> np.ndarray:
    """Return the scores that a question is about, Borda or Copeland: (K,) float64 in [0, 1]."""
    return borda_scores(P) if "borda" in (question.target, question.by) else copeland_scores(P)


def true_rank(scores: np.ndarray, arm: int) -> int:
    """Return the rank of an arm: 1 + the number of arms with a larger score."""
    return 1 + int(np.count_nonzero(scores > scores[arm] + TOLERANCE))


def has_right_answer(P: PreferenceMatrix | ArrayLike, question: Question) -> bool:
    """Return whether any answer is right: a ranking or a set may not exist.

    Always true for sets by pairs with a tolerance, because it is not checked for these.

    Examples
    --------
    >>> cycle = [[0.5, 0.6, 0.1], [0.4, 0.5, 0.7], [0.9, 0.3, 0.5]]
    >>> has_right_answer(cycle, Question("ranking")), has_right_answer(cycle, Question("ranking", epsilon=0.4))
    (False, True)
    """
    if not question.is_ranked:
        return True
    precedes = _precedes(P, question)
    if question.target == "top-k":
        best = np.argsort(-np.count_nonzero(precedes, axis=1), kind="stable")
        is_unclear = question.by == "pairs" and question.epsilon > 0
        return is_unclear or bool(precedes[np.ix_(best[: question.k], best[question.k :])].all())
    remaining = list(range(len(precedes)))
    while remaining:  # next come the arms that may be above all remaining ones
        top = next((i for i in remaining if all(precedes[i, j] for j in remaining if j != i)), None)
        if top is None:
            return False
        remaining.remove(top)
    return True


def _is_right_order(P: PreferenceMatrix | ArrayLike, question: Question, places: np.ndarray) -> bool:
    n_arms = len(as_array(P))
    wanted = list(range(n_arms))
    if question.target == "top-k":
        assert question.k is not None
        wanted = [0] * question.k + [1] * (n_arms - question.k)
    if sorted(places.tolist()) != wanted:
        return False
    above = places[:, None] < places[None, :]
    return bool(_precedes(P, question)[above].all())


def _precedes(P: PreferenceMatrix | ArrayLike, question: Question) -> np.ndarray:
    """Return whether arm i may be above arm j, (K, K) bool."""
    if question.by == "borda":
        scores = borda_scores(P)
        gaps = scores[:, None] - scores[None, :]
        return gaps > TOLERANCE if question.epsilon == 0 else gaps >= -question.epsilon - TOLERANCE
    values = as_array(P)
    return values > 0.5 if question.epsilon == 0 else values >= 0.5 - question.epsilon
