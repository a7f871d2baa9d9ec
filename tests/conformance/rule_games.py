"""Games of stopping rules, interpreted: duels of random pairs, until a plain reading of the rule answers."""

import importlib
from typing import Any, NamedTuple

import numpy as np

from tests.bandits.algorithms.stopping.plain import CYCLE, PLAIN, Borda, Ranking, TopTwo, order_of

DUELS = 1500
STREAK = 4
"""Each pair duels so often in a row, so that the rule may promise to say nothing before the next of these duels."""

KINDS: dict[str, tuple[type, dict[str, Any], int]] = {
    **PLAIN,
    "borda": (Borda, {"epsilon": 0.0, "k": 1, "intervals": "mixture"}, 3),
}


class Ended(NamedTuple):
    """A rule must answer after the same duel as its plain reading, and the same."""

    name: str
    matrix: str
    seed: int

    def duels(self) -> list[tuple[int, int, bool]]:
        """Pairs, and whether the first arm has won."""
        n_arms = KINDS[self.name][2]
        P = MATRICES[self.matrix][:n_arms, :n_arms]
        rng = np.random.default_rng(self.seed)
        pairs = [rng.permutation(n_arms)[:2].tolist() for _ in range(DUELS // STREAK)]
        return [(i, j, bool(rng.random() < P[i, j])) for i, j in pairs for _ in range(STREAK)]

    def expected(self) -> tuple[int, int]:
        """The number of the duel that brings the answer, and the answer; (-1, -1) where there is none."""
        kind, _, n_arms = KINDS[self.name]
        plain = kind(n_arms, DELTA)
        for t, (i, j, is_won) in enumerate(self.duels()):
            plain.wins[(i, j) if is_won else (j, i)] += 1
            answer = plain.answer()
            if answer is not None:
                return t, answer
        return -1, -1

    def difference(self, expected: tuple[int, int]) -> str | None:
        """How the rule, as it is loaded, departs from it, or from what it has promised."""
        _, parameters, n_arms = KINDS[self.name]
        rule = importlib.import_module("duelbench.bandits.algorithms.stopping.rules").RULES[self.name.split()[0]]
        tests = rule.start(n_arms, delta=DELTA, **parameters)
        answered = (-1, -1)
        silent_until = 0
        for t, (i, j, is_won) in enumerate(self.duels()):
            if t % STREAK == 0:
                silent_until = t + rule.rounds_to_next(tests, i, j) - 1
            rule.update(tests, i, j, int(is_won), int(not is_won))
            rule.settle(tests)
            if rule.n_left(tests) == 0:
                answered = t, rule.answer(tests)
                break
        if answered != expected:
            return f"{self.name}, {self.matrix}, seed {self.seed}: duel and answer {answered}, not {expected}"
        if 0 <= answered[0] < silent_until:
            return (
                f"{self.name}, {self.matrix}, seed {self.seed}: answers in duel {answered[0]}, before it said it could"
            )
        return None


DELTA = 0.1
MATRICES = {
    "order": order_of(4),
    "cycle": CYCLE,
    "even": np.full((4, 4), 0.5),
    "order, last first": order_of(4)[::-1, ::-1],
}
IN_ORDER = {"order", "order, last first"}


def games_of(rule: str) -> list[Ended]:
    """The games of all forms of a rule; those that rest on an order of the arms are played with one."""
    return [
        Ended(name, matrix, seed)
        for seed in range(3)
        for name, (kind, _, _) in KINDS.items()
        for matrix in MATRICES
        if name.split()[0] == rule and (matrix in IN_ORDER or kind not in (Ranking, TopTwo, Borda))
    ]
