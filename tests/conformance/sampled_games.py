"""Games of D-TS and D-TS+ where samples are drawn ahead: laws in one state, instead of duels.

They are played interpreted: they set constants that compiled code has in it.
"""

import importlib
import itertools
from typing import NamedTuple

import numpy as np
from scipy import stats

from tests.conformance.literal.d_ts import DTS

VOTED = np.array([[0, 4, 4, 0, 4], [0, 0, 3, 3, 1], [0, 1, 0, 4, 3], [4, 1, 0, 0, 3], [0, 3, 1, 1, 0]])
"""Duels of five arms, after which each may win the vote."""

VOTES = 3000

LATE = 10**15
"""A round in which all five arms are candidates."""


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
        dts = importlib.import_module("duelbench.bandits.algorithms.thompson.dts")
        many_arms = importlib.import_module("duelbench.bandits.algorithms.thompson.dts_many_arms")
        wins = 3 * VOTED if self.best_known else VOTED[::-1, ::-1]  # the arm drawn first has the last index
        state = dts.start(len(wins), 1, None, False, alpha=0.51)
        state = state._replace(many=many_arms.new_many_arms(len(wins), np.random.default_rng(1)))
        for i, j in itertools.combinations(range(len(wins)), 2):
            dts.update(state, i, j, wins[i, j], wins[j, i])
        probability = probabilities_of_the_vote(state.posterior.above)
        rng = np.random.default_rng(2)
        count = np.zeros(len(wins))
        for _ in range(VOTES):
            count[dts.select(state, LATE, rng)[0]] += 1
        far = np.abs(count / VOTES - probability) / np.sqrt(probability * (1.0 - probability) / VOTES)
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
        many_arms = importlib.import_module("duelbench.bandits.algorithms.thompson.dts_many_arms")
        rows = many_arms.new_many_arms(64, np.random.default_rng(1)).rows
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


TIED = np.array([[0, 14, 4, 14, 12], [5, 0, 14, 13, 14], [13, 4, 0, 7, 12], [4, 4, 8, 0, 9], [3, 4, 4, 5, 0]])
"""Duels of five arms, after which arms 0, 1 and 2 may win the vote, and tie."""

ROUND = 40
ROUNDS = 6000


class TiedRounds(NamedTuple):
    """Pairs of arms, chosen again and again in one state, must be as frequent as those of the transcription."""

    scale: int
    sure: float

    def expected(self) -> np.ndarray:
        oracle = DTS(len(TIED), ROUND, np.random.default_rng(1), plus=True)
        oracle.W += self.scale * TIED
        return np.array([oracle.choose(ROUND) for _ in range(ROUNDS)])

    def difference(self, expected: np.ndarray) -> str | None:
        dts = importlib.import_module("duelbench.bandits.algorithms.thompson.dts")
        dts_plus = importlib.import_module("duelbench.bandits.algorithms.thompson.dts_plus")
        ties = importlib.import_module("duelbench.bandits.algorithms.thompson.dts_ties")
        ties.SURE = self.sure
        rng = np.random.default_rng(2)
        state = dts_plus.start(len(TIED), 1, rng, True, alpha=0.51, best_score="all")
        for i, j in itertools.combinations(range(len(TIED)), 2):
            dts.update(state, i, j, self.scale * TIED[i, j], self.scale * TIED[j, i])
        pairs: list[tuple[int, int]] = []
        dts.select(state, ROUND, rng)
        while len(pairs) < ROUNDS:
            now = ROUND
            state.ties.ahead[0].age = ties.WARM_UP
            end = min(state.bounds.event[0], ROUND + 300)
            while now < end:
                first, second, rounds = dts.select(state, now, rng)
                pairs += [(first, second)] * rounds
                now += rounds
        counts = [np.zeros(len(TIED) ** 2), np.zeros(len(TIED) ** 2)]
        for count, played in zip(counts, (expected, np.array(pairs)), strict=True):
            np.add.at(count, played @ [len(TIED), 1], 1)
        table = np.array(counts)
        table = table[:, table.sum(axis=0) >= 20]
        p = stats.chi2_contingency(table).pvalue
        return f"pairs are played more often or less often, p = {p:.1g}" if p < 1e-6 else None


class Columns(NamedTuple):
    """Samples from few columns, many of which are turned down, must have the law of the posterior."""

    won: int
    lost: int

    def expected(self) -> None:
        return None

    def difference(self, expected: None) -> str | None:
        beta_columns = importlib.import_module("duelbench.bandits.algorithms.thompson.beta_columns")
        beta_columns.AIM = 5
        columns = np.zeros((beta_columns.MOST_COLUMNS, 4))
        count = beta_columns.fill_columns(columns, self.won, self.lost)
        uniforms = beta_columns.new_uniforms(ROUNDS, seed=3)
        y = np.zeros(ROUNDS)
        rng = np.random.default_rng(4)
        beta_columns.draw_samples(columns, count, self.won, self.lost, uniforms, np.arange(ROUNDS), ROUNDS, y, rng)
        posterior = stats.beta(self.won + 1, self.lost + 1)
        p = stats.kstest(1.0 - posterior.sf(0.5 + 0.5 * y) / posterior.sf(0.5), "uniform").pvalue
        return f"samples are not those of the posterior, p = {p:.1g}" if p < 1e-6 else None


GAMES = {
    "d-ts": (Undecided(), Votes(True), Votes(False)),
    "d-ts-plus": (
        TiedRounds(1, sure=1 / 256),
        TiedRounds(2, sure=1 / 256),
        TiedRounds(1, sure=0.3),
        Columns(20, 9),
        Columns(3, 9),
    ),
}
