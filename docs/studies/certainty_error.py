"""How often answers and intervals of live sessions are wrong: docs/studies/identification-error.md.

    python docs/studies/certainty_error.py [errors|position] ...

It prints the first table of the page and the numbers on the order, both where none is named: some minutes of one core
once all is compiled.
"""

import math
import sys
from collections.abc import Iterator

import numba
import numpy as np
from live_play import MATRICES, UNDECIDED, Played, play

from duelbench.bandits.kernels.threshold_evidence import log_mixture_at
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.winners import borda_scores, condorcet_winner, copeland_winners, inferior_counts
from duelbench.bandits.statistics.answers import error_rate
from duelbench.judging.evidence import intervals, log_pair_level, surely_beats

DELTA = 0.05
RUNS, DUELS = 1000, 5000
CLOSE = 1e-9

OF_CONDORCET_WINNER = ("e-condorcet", "e-bets")
"""The rules that are right where there is a Condorcet winner."""


@numba.njit
def _ever_misses(winners, losers, P, level):
    """Whether the interval of some pair is ever without the truth."""
    wins = np.zeros(P.shape, np.int64)
    for n in range(winners.size):
        i, j = winners[n], losers[n]
        wins[i, j] += 1
        if 0.0 < P[i, j] < 1.0 and log_mixture_at(wins[i, j], wins[j, i], P[i, j]) >= level:
            return True
    return False


@numba.njit
def first_seen(first_won):
    """After how many duels a position bias is first seen, looked for after each; 0 if it never is."""
    won = 0
    for n in range(first_won.size):
        won += first_won[n]
        if log_mixture_at(won, n + 1 - won, 0.5) >= math.log(1.0 / 0.05):
            return n + 1
    return 0


def misses(P: np.ndarray, wins: np.ndarray, delta: float = DELTA) -> tuple[bool, bool, bool]:
    """Whether some interval of a pair, of a Copeland score and of a Borda score is without the truth."""
    low, high = intervals(wins.astype(float), delta)
    beats = surely_beats(wins.astype(float), delta)
    others = len(P) - 1
    truth, borda = inferior_counts(P), borda_scores(P)
    of_pairs = (low - CLOSE > P) | (high + CLOSE < P)
    of_copeland = (truth < beats.sum(axis=1)) | (truth > others - beats.sum(axis=0))
    of_borda = (borda < (low.sum(axis=1) - 0.5) / others - CLOSE) | (borda > (high.sum(axis=1) - 0.5) / others + CLOSE)
    return bool(of_pairs.any()), bool(of_copeland.any()), bool(of_borda.any())


def errors(name: str, id: str, runs: int, duels: int = DUELS, delta: float = DELTA) -> dict[str, int]:
    """Counts of runs: answered and wrong by each rule, misses when a Copeland winner is known, misses at any time."""
    matrix = PreferenceMatrix.load(name)
    condorcet, winners = condorcet_winner(matrix), copeland_winners(matrix)
    rules = [*OF_CONDORCET_WINNER, "pairs"] if condorcet is not None else ["pairs"]
    count = {f"{what} {rule}": 0 for rule in rules for what in ("answered", "wrong")}
    count |= dict.fromkeys(("pair", "copeland", "borda", "ever"), 0)
    for run in range(runs):
        played = play(id, matrix, "pairs", duels, [DUELS, run], delta)
        wins = played.wins(len(matrix.P), len(played.winners))
        count["answered pairs"] += played.answer != UNDECIDED
        count["wrong pairs"] += played.answer not in (UNDECIDED, *winners)
        for key, missed in zip(("pair", "copeland", "borda"), misses(matrix.P, wins, delta), strict=True):
            count[key] += missed
        level = log_pair_level(len(matrix.P), delta)
        count["ever"] += _ever_misses(played.winners, played.losers, matrix.P, level)
        for number, rule in enumerate(rules[:-1], start=1):
            answer = play(id, matrix, rule, duels, [DUELS, run, number], delta).answer
            count[f"answered {rule}"] += answer != UNDECIDED
            count[f"wrong {rule}"] += answer not in (UNDECIDED, condorcet)
    return count


def _errors_table() -> Iterator[str]:
    yield (
        "| matrix | sampler | e-condorcet: answered | wrong | e-bets: answered | wrong | pairs: answered | wrong | pair"
        " | Copeland | Borda | ever |"
    )
    yield "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    total: dict[str, int] = {}
    runs: dict[str, int] = {}
    for name in MATRICES:
        for id in ("d-ts-plus", "uniform"):
            count = errors(name, id, RUNS)
            empty = [""] * (12 - 2 - len(count))  # of rules for a winner that is not there
            yield f"| {name} | {id} | " + " | ".join([*empty, *map(str, count.values())]) + " |"
            for key, value in count.items():
                total[key] = total.get(key, 0) + value
                runs[key] = runs.get(key, 0) + RUNS
    for key in total:
        if not key.startswith("answered"):
            rate = error_rate(total[key], runs[key])
            yield f"{key}: {rate.wrong} of {rate.runs}, {100 * rate.low:.2f} to {100 * rate.high:.2f}%"


def alternating(played: Played, n_arms: int, random: np.random.Generator) -> np.ndarray:
    """Whether the arm shown first won each duel, where each pair is shown in turns, drawn which way first."""
    is_low_first = np.triu(random.random((n_arms, n_arms)) < 0.5)
    won = np.zeros(len(played.winners), bool)
    for n, (winner, loser) in enumerate(zip(played.winners, played.losers, strict=True)):
        pair = min(winner, loser), max(winner, loser)
        won[n] = is_low_first[pair] == (winner == pair[0])
        is_low_first[pair] = not is_low_first[pair]
    return won


def blamed(name: str, runs: int, duels: int = 1000) -> int:
    """In how many runs of D-TS+ with a balanced order a bias is ever seen, where there is none."""
    matrix = PreferenceMatrix.load(name)
    random = np.random.default_rng(9)
    count = 0
    for run in range(runs):
        played = play("d-ts-plus", matrix, "never", duels, [duels, run])
        count += first_seen(alternating(played, len(matrix.P), random)) > 0
    return count


def _position_table() -> Iterator[str]:
    random = np.random.default_rng(8)
    yield "| true share of the first | runs of 5000 duels in which a bias is seen | median duels until then |"
    yield "|---:|---:|---:|"
    for share in (0.5, 0.52, 0.55, 0.6, 0.7):
        seen = np.array([first_seen(random.random(5000) < share) for _ in range(RUNS)])
        half = np.sort(np.where(seen > 0, seen, 10**9))[RUNS // 2]
        found = str(half) if half < 10**9 else "more than 5000"
        yield f"| {100 * share:.0f}% | {100 * np.mean(seen > 0):.1f}% | {found} |"
    for name in ("cyclic", "strong-borda", "arxiv", "germanparties2009", "cemschoice"):
        yield f"{name}, balanced: {blamed(name, 500)} of 500"


TABLES = {
    "errors": _errors_table,
    "position": _position_table,
}


def main() -> None:
    """Print the tables that are named."""
    for name in sys.argv[1:] or TABLES:
        for line in TABLES[name]():
            print(line, flush=True)


if __name__ == "__main__":
    main()
