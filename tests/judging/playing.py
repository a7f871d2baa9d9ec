"""A session that is answered as `duelbench.simulate` draws outcomes, and the same run of `simulate`."""

import math

import numpy as np

import duelbench
from duelbench.bandits.algorithms import registry
from duelbench.bandits.kernels.interpreting import interpreted

CYCLE = np.array([[0.5, 0.6, 0.7, 0.4], [0.4, 0.5, 0.9, 0.6], [0.3, 0.1, 0.5, 0.8], [0.6, 0.4, 0.2, 0.5]])
"""No Condorcet winner: arms 0 and 1 beat two others each, arm 3 one, arm 2 one."""


def that_play_duels():
    """The ids of all algorithms that play duels."""
    return [id for id in registry.BUILT_IN if "duels" in registry.get(id).plays]


def simulated(id, P, rounds, **terms):
    """A run of `simulate`, interpreted; recommendations after every round."""
    with interpreted(math.inf):
        return duelbench.simulate(
            id, P, horizon=rounds, seed=5, checkpoints=range(1, rounds + 1), cut_at_checkpoints=True, **terms
        )


class Judge:
    """Answers by the very stream that `simulate` draws outcomes from."""

    def __init__(self, session, P):
        self.session = session
        self.P = P
        self.duels = np.zeros_like(P, dtype=np.int64)

    def ask_and_answer(self, n):
        """Ask for n pairs, then tell who wins in the order in which the engine does, outcomes of one pair together."""
        pairs, names, winners = [], [], []
        for _ in range(n):  # outcomes are drawn in the order of the rounds, coins of self-duels among them
            pair = self.session.ask()
            pairs.append(pair)
            names.append(self._named_by_algorithm(pair))
            winners.append(self._winner(pair))
        for k in sorted(range(n), key=lambda k: names.index(names[k])):
            self.session.tell(pairs[k], winners[k])

    def answer(self, pair):
        """Draw who wins, and tell it."""
        self.session.tell(pair, self._winner(pair))

    def _named_by_algorithm(self, pair):
        first, second = (self.session.arms.index(name) for name in pair)
        return (second, first) if pair.swapped else (first, second)

    def _winner(self, pair):
        first, second = self._named_by_algorithm(pair)
        self.duels[first, second] += 1
        has_won = first == second or self.session._history.memory.player._random.duels.random() < self.P[first, second]
        return self.session.arms[first if has_won else second]


def begun(id, P, rounds, **terms):
    """A session of so many rounds, with the seed of `simulated`, and who answers."""
    arms = [f"arm {arm}" for arm in range(len(P))]
    session = duelbench.Session(id, arms, **{"seed": 5, "horizon": rounds, "stop": False, **terms})
    return session, Judge(session, P)
