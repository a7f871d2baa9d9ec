"""How often a session recommends a best arm after a few answers, by sampler.

Every session plays one algorithm on one matrix, asks about two different arms at a time, and recommends the arm that a
Bradley-Terry fit of its answers ranks first, as `duelbench live` does. Run it from a checkout::

    python docs/studies/budgets.py docs/studies/budgets.csv

It takes about an hour of one core. Each row has the sessions that were right after so many answers.
"""

import csv
import sys
from pathlib import Path

import numba
import numpy as np
from live_play import HORIZON

from duelbench.bandits.algorithms import dispatch, registry
from duelbench.bandits.problem.families import generate
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.winners import copeland_winners
from duelbench.bandits.statistics.bradley_terry import fit

SAMPLERS = ("self-sparring", "ws-w", "d-ts", "d-ts-plus", "kelly-elimination", "rucb", "uniform")
BUDGETS = (25, 50, 100, 200, 500, 1000)
SESSIONS = 200
PATIENCE = 1000
"""After this many decisions in a row without a question, a session chooses the pair itself."""


def matrices() -> dict[tuple[str, str], PreferenceMatrix]:
    """(family, name) -> matrix: tables of people's judgements, Bradley-Terry, and one arm that beats a circle."""
    folder = Path(__file__).parents[2] / "matrices"
    chosen = {("people", path.stem): PreferenceMatrix.load(path) for path in sorted((folder / "people").glob("*.csv"))}
    sushi = PreferenceMatrix.load(folder / "sushi16.csv").P
    for n_arms in (4, 8, 16):
        for start in range(0, 16, n_arms):
            part = np.ix_(range(start, start + n_arms), range(start, start + n_arms))
            if n_arms == 16 or start < 8:
                chosen["people", f"sushi-{n_arms}-{start}"] = PreferenceMatrix(sushi[part])
    for n_arms in (3, 4, 6, 8, 12, 16, 24, 30):
        for seed, scale in enumerate((0.4, 0.6, 0.8, 1.0), start=1):
            bradley_terry = generate("bradley-terry", n_arms=n_arms, scale=scale, seed=seed)
            chosen["Bradley-Terry", f"bt-{n_arms}-{scale:g}"] = bradley_terry
        if n_arms > 3:
            for p in (0.6, 0.7):
                circle = generate("cyclic-blocks", sizes=[1, n_arms - 1], p_within=0.6, p_between=p)
                chosen["circle", f"circle-{n_arms}-{p:g}"] = circle
    return chosen


@numba.njit
def _play(state, P, winners, losers, rng):
    """Play until all answers are there, or nothing is asked any more; return the number of answers."""
    n = 0
    t = 1
    idle = 0
    while n < winners.size and t <= HORIZON and idle < PATIENCE:
        first, second, rounds = dispatch.select(state, t, rng)
        if first == second or first < 0:
            t += rounds
            idle += 1
            continue
        idle = 0
        won = rng.random() < P[first, second]
        winners[n] = first if won else second
        losers[n] = second if won else first
        dispatch.update(state, first, second, int(won), int(not won))
        n += 1
        t += 1
    return n


def right_after(sampler: str, matrix: PreferenceMatrix, seed: list[int]) -> list[bool]:
    """Return whether one session recommends a best arm after each of `BUDGETS` answers."""
    algorithm = registry.get(sampler)
    dispatch.register(algorithm)
    rng = np.random.default_rng(seed)
    n_arms = len(matrix.P)
    order = rng.permutation(n_arms)
    P = np.ascontiguousarray(matrix.P[np.ix_(order, order)])
    best = copeland_winners(matrix)
    state = algorithm.start(n_arms, HORIZON, rng, True, **algorithm.resolve({}))
    winners, losers = np.zeros(max(BUDGETS), np.int64), np.zeros(max(BUDGETS), np.int64)
    n = _play(state, P, winners, losers, rng)
    right = []
    for budget in BUDGETS:
        wins = np.zeros((n_arms, n_arms))
        np.add.at(wins, (winners[: min(n, budget)], losers[: min(n, budget)]), 1.0)
        right.append(bool(order[np.argmax(fit(wins).utilities)] in best))
    return right


def main() -> None:
    """Play all sessions, and write one row for each matrix, sampler and budget."""
    chosen = matrices()
    with open(sys.argv[1], "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["family", "matrix", "arms", "sampler", "answers", "sessions", "right"])
        for sampler in SAMPLERS:
            for number, ((family, name), matrix) in enumerate(chosen.items()):
                sessions = [right_after(sampler, matrix, [20261128, number, k]) for k in range(SESSIONS)]
                for budget, right in zip(BUDGETS, np.sum(sessions, axis=0).tolist(), strict=True):
                    writer.writerow([family, name, len(matrix.P), sampler, budget, SESSIONS, right])
                file.flush()


if __name__ == "__main__":
    main()
