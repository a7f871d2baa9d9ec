"""Right answers, against a plain reading of what is asked."""

import itertools

import numpy as np
import pytest

from duelbench.bandits.problem.identification import (
    NO_WINNER,
    Question,
    has_right_answer,
    is_right,
    right_arms,
    scores_of,
    true_rank,
)

TARGETS = [
    Question("condorcet"),
    Question("copeland"),
    Question("borda"),
    Question("ranking"),
    *(Question("top-k", k=k, by=by) for k in (1, 2) for by in ("pairs", "borda")),
]


def random_matrix(n_arms: int, seed: int) -> np.ndarray:
    """Probabilities in steps of 1/20, so that some are 1/2 and some scores are equal."""
    upper = np.triu(np.random.default_rng(seed).integers(0, 21, (n_arms, n_arms)) / 20, 1)
    return upper + np.tril(1 - upper.T, -1) + 0.5 * np.eye(n_arms)


def in_order(n_arms: int, seed: int) -> np.ndarray:
    """Arms that beat each other in a drawn order."""
    rng = np.random.default_rng(seed)
    place = rng.permutation(n_arms)
    gaps = np.abs(random_matrix(n_arms, seed) - 0.5) + 0.05
    gaps = np.minimum(np.triu(gaps, 1) + np.triu(gaps, 1).T, 0.5)
    return 0.5 + gaps * np.sign(place[None, :] - place[:, None])


def may_be_answer(P: np.ndarray, question: Question, arm: int) -> bool:
    """Whether an arm is right, read off the definitions."""
    n, eps = len(P), question.epsilon
    others = [j for j in range(n) if j != arm]
    if question.target == "condorcet":
        return all(P[arm, j] > 0.5 if eps == 0 else P[arm, j] >= 0.5 - eps for j in others)
    if question.target == "copeland":
        scores = [sum(P[i, j] > 0.5 for j in range(n)) / (n - 1) for i in range(n)]
    else:
        scores = [sum(P[i, j] for j in range(n) if j != i) / (n - 1) for i in range(n)]
    return max(scores) - scores[arm] <= eps + 1e-9


def may_stand(P: np.ndarray, question: Question, i: int, j: int) -> bool:
    """Whether i may stand above j."""
    eps = question.epsilon
    if question.by == "borda":
        b = [sum(P[a, c] for c in range(len(P)) if c != a) / (len(P) - 1) for a in (i, j)]
        return b[0] - b[1] > 1e-9 if eps == 0 else b[0] - b[1] >= -eps - 1e-9
    return P[i, j] > 0.5 if eps == 0 else P[i, j] >= 0.5 - eps


def orders(question: Question, n_arms: int) -> list[list[int]]:
    """All places that there can be."""
    if question.target == "ranking":
        return [list(places) for places in itertools.permutations(range(n_arms))]
    sets = itertools.combinations(range(n_arms), question.k)
    return [[0 if arm in chosen else 1 for arm in range(n_arms)] for chosen in sets]


@pytest.mark.parametrize("epsilon", [0.0, 0.1])
@pytest.mark.parametrize("target", TARGETS, ids=lambda target: f"{target.asked} {target.k}")
def test_what_is_right_is_what_the_definition_says(target, epsilon):
    question = Question(target.target, epsilon=epsilon, k=target.k, by=target.by)
    n_right = 0
    for seed in range(24):
        P = (in_order if seed % 2 else random_matrix)(4, seed)
        if not question.is_ranked:
            expected = [may_be_answer(P, question, arm) for arm in range(4)]
            assert right_arms(P, question).tolist() == expected
            assert [is_right(P, question, arm) for arm in range(4)] == expected
            n_right += any(expected)
            continue
        judged = []
        for places in orders(question, 4):
            above = [(i, j) for i in range(4) for j in range(4) if places[i] < places[j]]
            judged.append(all(may_stand(P, question, i, j) for i, j in above))
            assert is_right(P, question, 0, places) == judged[-1]
        if epsilon == 0 or question.target == "ranking" or question.by == "borda":
            assert has_right_answer(P, question) == any(judged)
        n_right += any(judged)
    assert n_right > 5


def test_no_winner_no_ranking_and_equal_ranks_are_judged_as_asked():
    cycle = [[0.5, 0.9, 0.1], [0.1, 0.5, 0.9], [0.9, 0.1, 0.5]]
    assert is_right(cycle, Question("condorcet"), NO_WINNER)
    assert not is_right(cycle, Question("copeland"), NO_WINNER)
    assert not is_right([[0.5, 0.6], [0.4, 0.5]], Question("condorcet"), NO_WINNER)
    for question, places in ((Question("ranking"), [0, 0, 1]), (Question("top-k", k=1), [0, 0, 1])):
        assert not is_right(in_order(3, 1), question, 0, places)
    assert not is_right(in_order(3, 1), Question("ranking"), 0)
    scores = scores_of([[0.5, 0.6, 0.6], [0.4, 0.5, 0.5], [0.4, 0.5, 0.5]], Question("condorcet"))
    assert [true_rank(scores, arm) for arm in range(3)] == [1, 2, 2]  # one more than those strictly better
