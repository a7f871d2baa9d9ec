"""Finds cycles of preferences, and judges whose answers never change."""

from collections import Counter, deque
from collections.abc import Iterable, Mapping

import numpy as np

MIN_REPEATS = 3
"""The minimum number of repeated questions; fewer show nothing about whether answers change."""

REPEATS_LEVEL = 1e-3
"""Answers that never change are reported if independent answers would agree with a probability below this."""


def shortest_cycle(wins: np.ndarray) -> list[int]:
    """Return the shortest cycle of arms in which each leads against the next; empty if no cycle exists.

    Examples
    --------
    Arm 0 leads against 1, 1 against 2, and 2 against 0:

    >>> shortest_cycle(np.array([[0, 3, 1], [1, 0, 4], [2, 0, 0]]))
    [0, 1, 2]
    """
    leads = wins > wins.T
    cycles = [cycle for arm in range(len(wins)) if (cycle := _cycle_through(arm, leads))]
    return min(cycles, key=len, default=[])


def _cycle_through(start: int, leads: np.ndarray) -> list[int]:
    """Return the shortest cycle through an arm, by a breadth-first search."""
    paths = deque([[start]])
    reached = {start}
    while paths:
        path = paths.popleft()
        for arm in np.flatnonzero(leads[path[-1]]).tolist():
            if arm == start:
                return path
            if arm not in reached:
                reached.add(arm)
                paths.append([*path, arm])
    return []


Question = tuple[int, int, str | None]
"""Two arms, in the order shown if that is known, and the input."""


def tally(answers: Iterable[tuple[Question, int | None]]) -> dict[Question, Counter[int | None]]:
    """Count the answers to each question; an answer is an arm, or None for a tie."""
    tallies: dict[Question, Counter[int | None]] = {}
    for question, answer in answers:
        tallies.setdefault(question, Counter())[answer] += 1
    return tallies


def repeats_agree(tallies: Mapping[Question, Counter[int | None]]) -> bool:
    """Return whether questions were repeated at least `MIN_REPEATS` times in all, each with the same answer every time.

    Questions with only ties do not count.
    """
    repeated = _repeated(tallies)
    n_repeats = sum(answers.total() - 1 for answers in repeated.values())
    return n_repeats >= MIN_REPEATS and all(len(answers) == 1 for answers in repeated.values())


def repeats_agree_beyond_chance(tallies: Mapping[Question, Counter[int | None]], probabilities: np.ndarray) -> bool:
    """Return whether `repeats_agree`, and independent answers would agree with a probability below `REPEATS_LEVEL`.

    ``probabilities[i, j]``, (K, K), is the probability that arm i beats arm j.

    Examples
    --------
    A judge who plays rock, paper, scissors: 9 answers to each of three questions all agree with probability
    (2 / 2^9)^3 if all arms are equal.

    >>> circle = tally([((k, (k + 1) % 3, None), k) for k in range(3)] * 9)
    >>> repeats_agree_beyond_chance(circle, np.full((3, 3), 0.5))
    True
    """
    if not repeats_agree(tallies):
        return False
    log_probability = 0.0
    for (first, second, _input), answers in _repeated(tallies).items():
        p, n = probabilities[first, second], answers.total()
        log_probability += float(np.log(p**n + (1.0 - p) ** n))
    return bool(log_probability < np.log(REPEATS_LEVEL))


def _repeated(tallies: Mapping[Question, Counter[int | None]]) -> dict[Question, Counter[int | None]]:
    """Return the questions that were asked more than once, without those with only ties."""
    return {question: answers for question, answers in tallies.items() if answers.total() > 1 and {*answers} != {None}}
