"""Games of D-TS with rows of signs, which few arms do not need: exact probabilities of the vote instead of duels."""

import importlib
import itertools
from typing import NamedTuple

import numpy as np

WINS = np.array([[0, 4, 4, 0, 4], [0, 0, 3, 3, 1], [0, 1, 0, 4, 3], [4, 1, 0, 0, 3], [0, 3, 1, 1, 0]])
"""Duels of five arms, after which each may win the vote."""

TIMES = 3000


def probabilities_of_the_vote(above: np.ndarray) -> np.ndarray:
    """Of each arm: that it wins the vote, ties being drawn; by the sum over all signs."""
    n_arms = len(above)
    pairs = list(itertools.combinations(range(n_arms), 2))
    total = np.zeros(n_arms)
    for signs in itertools.product((True, False), repeat=len(pairs)):
        probability = 1.0
        votes = np.zeros(n_arms)
        for (i, j), wins in zip(pairs, signs, strict=True):
            probability *= above[i, j] if wins else 1.0 - above[i, j]
            votes[i if wins else j] += 1
        best = votes == votes.max()
        total += probability * best / best.sum()
    return total


class Votes(NamedTuple):
    """Winners of the vote, drawn again and again in one state, must be as frequent as they are probable."""

    best_known: bool

    def expected(self) -> None:
        return None

    def difference(self, expected: None) -> str | None:
        dts = importlib.import_module("duelbench.algorithms.thompson.dts")
        many_arms = importlib.import_module("duelbench.algorithms.thompson.dts_many_arms")
        standing = importlib.import_module("duelbench.algorithms.thompson.dts_standing")
        wins = 3 * WINS if self.best_known else WINS[::-1, ::-1]  # the arm drawn first has the last index
        state = dts.start_dts(len(wins), 1, None, True, alpha=0.51)
        state = state._replace(many=many_arms.new_many_arms(len(wins), np.random.default_rng(1)))
        for i, j in itertools.combinations(range(len(wins)), 2):
            dts.update(state, i, j, wins[i, j], wins[j, i])
        probability = probabilities_of_the_vote(state.posterior.above)
        rng = np.random.default_rng(2)
        count = np.zeros(len(wins))
        for _ in range(TIMES):
            count[dts._first_candidate(state, state.many, standing.FREE, rng)] += 1
        far = np.abs(count / TIMES - probability) / np.sqrt(probability * (1.0 - probability) / TIMES)
        return (
            f"arm {far.argmax()} wins by {far.max():.1f} standard errors too often or too seldom"
            if far.max() > 4.5
            else None
        )


class Undecided(NamedTuple):
    """Signs for which 16 random bits are not enough."""

    def expected(self) -> float:
        return 0.25

    def difference(self, expected: float) -> str | None:
        many_arms = importlib.import_module("duelbench.algorithms.thompson.dts_many_arms")
        rows = many_arms.new_sign_rows(64, np.random.default_rng(1))
        above = np.full((64, 64), 0.5)
        rng = np.random.default_rng(3)
        count = 0
        for _ in range(60):
            start = rows.words[many_arms.GENERATOR, 0]
            many_arms.open_all_but(rows, np.zeros(64))
            many_arms.draw_row(rows, above, 0, 0, rng)
            rows.words[many_arms.GENERATOR, 0] = start  # the same bits again
            many_arms.open_all_but(rows, np.zeros(64))
            for j in range(64):
                above[0, j] = (float(rows.bench[many_arms.BITS, j]) + expected) / 65536.0
                rows.threshold[0, j] = many_arms.threshold_of(above[0, j])
            total = many_arms.draw_row(rows, above, 0, 0, rng)
            if total != rows.bench[many_arms.WON].sum() or total + rows.bench[many_arms.VOTES].sum() != 63:
                return "signs and votes do not agree"
            count += total
        share = count / (60 * 63)
        return f"{share:.3f} of the signs are 1, not {expected}" if abs(share - expected) > 0.035 else None


GAMES = (Undecided(), Votes(True), Votes(False))
