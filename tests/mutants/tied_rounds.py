"""Games of D-TS+ with several leaders: rounds and samples that are drawn ahead in one state, instead of duels."""

import importlib
import itertools
from typing import NamedTuple

import numpy as np
from scipy import stats

from tests.conformance.literal.d_ts import DTS

WINS = np.array([[0, 14, 4, 14, 12], [5, 0, 14, 13, 14], [13, 4, 0, 7, 12], [4, 4, 8, 0, 9], [3, 4, 4, 5, 0]])
"""Duels of five arms, after which arms 0, 1 and 2 may win the vote, and tie."""

ROUND = 40
TIMES = 6000


class TiedRounds(NamedTuple):
    """Pairs of arms, chosen again and again in one state, must be as frequent as those of the transcription."""

    scale: int
    sure: float

    def expected(self) -> np.ndarray:
        oracle = DTS(len(WINS), ROUND, np.random.default_rng(1), plus=True)
        oracle.W += self.scale * WINS
        return np.array([oracle.choose(ROUND) for _ in range(TIMES)])

    def difference(self, expected: np.ndarray) -> str | None:
        dts_plus = importlib.import_module("duelbench.algorithms.thompson.dts_plus")
        ties = importlib.import_module("duelbench.algorithms.thompson.dts_ties")
        ties.SURE = self.sure
        rng = np.random.default_rng(2)
        state = dts_plus.start(len(WINS), 1, rng, True, alpha=0.51, best_score="all")
        for i, j in itertools.combinations(range(len(WINS)), 2):
            dts_plus.update(state, i, j, self.scale * WINS[i, j], self.scale * WINS[j, i])
        pairs: list[tuple[int, int]] = []
        dts_plus.select(state, ROUND, rng)
        while len(pairs) < TIMES:
            now = ROUND
            state.ties.ahead[0].age = ties.PATIENCE
            end = min(state.core.bounds.event[0], ROUND + 300)
            while now < end:
                first, second, rounds = dts_plus.select(state, now, rng)
                pairs += [(first, second)] * rounds
                now += rounds
        counts = [np.zeros(len(WINS) ** 2), np.zeros(len(WINS) ** 2)]
        for count, played in zip(counts, (expected, np.array(pairs)), strict=True):
            np.add.at(count, played @ [len(WINS), 1], 1)
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
        beta_columns = importlib.import_module("duelbench.algorithms.thompson.beta_columns")
        beta_columns.AIM = 5
        columns = np.zeros((beta_columns.MOST_COLUMNS, 4))
        count = beta_columns.fill_columns(columns, self.won, self.lost)
        uniforms = beta_columns.new_uniforms(TIMES, seed=3)
        y = np.zeros(TIMES)
        rng = np.random.default_rng(4)
        beta_columns.draw_samples(columns, count, self.won, self.lost, uniforms, np.arange(TIMES), TIMES, y, rng)
        posterior = stats.beta(self.won + 1, self.lost + 1)
        p = stats.kstest(1.0 - posterior.sf(0.5 + 0.5 * y) / posterior.sf(0.5), "uniform").pvalue
        return f"samples are not those of the posterior, p = {p:.1g}" if p < 1e-6 else None


GAMES = (
    TiedRounds(1, sure=1 / 256),
    TiedRounds(2, sure=1 / 256),
    TiedRounds(1, sure=0.3),
    Columns(20, 9),
    Columns(3, 9),
)
