"""How often the rule e-condorcet puts a Condorcet winner out: the second table of docs/studies/identification-error.md.

    python docs/studies/evidence_error.py FILE [SECONDS]
    python docs/studies/evidence_error.py e-bets        the same for e-bets, without a gap: some minutes

All probabilities are 1/2, but for those of arm 0, the winner, who beats each other arm with probability 1/2 + gap. A
run goes on for 20,000 duels, and counts if the winner is out in any of them. FILE keeps what was counted, a line of
JSON for each block of runs; what is in it is not played again. After SECONDS (480) no new block begins; call it again
for the rest. It prints the table of what there is. All of it takes an hour of one core.
"""

import json
import math
import sys
import time
from collections import Counter
from itertools import product
from pathlib import Path

import numba
import numpy as np

from duelbench.bandits.algorithms import dispatch, registry
from duelbench.bandits.algorithms.stopping import e_bets, e_condorcet
from duelbench.bandits.statistics.tails import clopper_pearson

DELTA = 0.05
DUELS = 20_000
ARMS = (2, 3, 5, 8, 16, 64)
GAPS = (0.0, 0.001, 0.01)
RUNS = {"uniform": 100_000, "rucb": 10_000}
"""How many runs of each sampler there are to be without a gap; with one there are a fifth."""

ARMS_OF_BETS = (2, 3, 5, 8)
RUNS_OF_BETS = 4000

BLOCKS = 10
WINNER = 0
MOST_PER_LOSS = math.log(2.0)
"""No duel makes a test grow by more than this: nobody can do better than to double the stake."""


@numba.njit
def is_ever_out(state, tests, gap, duels, rng):
    """Whether the winner's test ever reaches its level, in the duels that a sampler chooses.

    Parameters
    ----------
    state : NamedTuple
        Of the sampler, before round 1.
    tests : e_condorcet.Tests
        Before any duel. It counts only the duels of the winner: no others enter the winner's test.
    gap : float
        Beyond 1/2.
    duels : int
    rng : numpy.random.Generator

    Returns
    -------
    bool
    """
    t = 1
    losses_before_a_look = 1
    while t <= duels:
        first, second, rounds = dispatch.select(state, t, rng)
        if first == second:
            t += rounds
            continue
        p = 0.5
        if first == WINNER:
            p += gap
        if second == WINNER:
            p -= gap
        won = int(rng.random() < p)
        dispatch.update(state, first, second, won, 1 - won)
        t += 1
        if first == WINNER or second == WINNER:
            e_condorcet.update(tests, first, second, won, 1 - won)
            losses_before_a_look -= won if second == WINNER else 1 - won
            if losses_before_a_look <= 0:
                e_condorcet.settle(tests)
                if not tests.is_in[WINNER]:
                    return True
                left = tests.log_level - e_condorcet.log_test(tests, WINNER)
                losses_before_a_look = math.ceil(left / MOST_PER_LOSS)
    return False


@numba.njit
def bets_put_winner_out(state, bets, duels, rng):
    """Return whether e-bets ever puts arm 0 out, if all probabilities are 1/2; arguments as of `is_ever_out`."""
    for t in range(1, duels + 1):
        first, second, _ = dispatch.select(state, t, rng)
        won = int(rng.random() < 0.5)
        dispatch.update(state, first, second, won, 1 - won)
        e_bets.update(bets, first, second, won, 1 - won)
        e_bets.settle(bets)
        if not bets.is_in[WINNER]:
            return True
    return False


def print_bets() -> None:
    """Print how often e-bets puts the winner out, as Markdown."""
    algorithm = registry.get("uniform")
    dispatch.register(algorithm)
    print("| K | runs | out |\n|---:|---:|---:|")
    for n_arms in ARMS_OF_BETS:
        out = 0
        for run in range(RUNS_OF_BETS):
            rng = np.random.default_rng([n_arms, run])
            state = algorithm.start(n_arms, DUELS, rng, True, **algorithm.resolve({}))
            out += bets_put_winner_out(state, e_bets.new_tests(n_arms, DELTA), DUELS, rng)
        print(f"| {n_arms} | {RUNS_OF_BETS} | {_cell(out, RUNS_OF_BETS)} |", flush=True)


def times_out(id: str, n_arms: int, gap: float, runs: int, block: int = 0, duels: int = DUELS) -> int:
    """In how many of ``runs`` runs of the sampler the winner is ever out."""
    algorithm = registry.get(id)
    dispatch.register(algorithm)
    parameters = algorithm.resolve({})
    count = 0
    for run in range(runs):
        rng = np.random.default_rng([n_arms, round(1000 * gap), list(RUNS).index(id), block, run])
        state = algorithm.start(n_arms, duels, rng, True, **parameters)
        count += is_ever_out(state, e_condorcet.new_tests(n_arms, DELTA), gap, duels, rng)
    return count


def play(path: Path, seconds: float) -> None:
    """Play the blocks that the file lacks, until the time is up."""
    until = time.monotonic() + seconds
    done = {(id, n_arms, gap, block) for id, n_arms, gap, block, _, _ in _lines(path)}
    for block, id, n_arms, gap in product(range(BLOCKS), RUNS, ARMS, GAPS):
        if (id, n_arms, gap, block) in done or (gap > 0.0 and block >= BLOCKS // 5):
            continue
        if time.monotonic() > until:
            return
        runs = RUNS[id] // BLOCKS
        out = times_out(id, n_arms, gap, runs, block)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([id, n_arms, gap, block, runs, out]) + "\n")


def _lines(path: Path) -> list[list]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def table(path: Path) -> list[list[str]]:
    """Sampler, arms, runs without a gap, and for each gap the share of runs and its 95% interval, in percent."""
    runs: Counter = Counter()
    out: Counter = Counter()
    for id, n_arms, gap, _, n, count in _lines(path):
        runs[id, n_arms, gap] += n
        out[id, n_arms, gap] += count
    rows = []
    for id in RUNS:
        for n_arms in ARMS:
            if all(runs[id, n_arms, gap] for gap in GAPS):
                cells = [_cell(out[id, n_arms, gap], runs[id, n_arms, gap]) for gap in GAPS]
                rows.append([registry.get(id).name, str(n_arms), str(runs[id, n_arms, 0.0]), *cells])
    return rows


def _cell(count: int, runs: int) -> str:
    low, high = clopper_pearson(np.array([count]), runs)
    return f"{100 * count / runs:.2f} ({100 * low[0]:.2f} to {100 * high[0]:.2f})"


def main() -> None:
    """Play, and print the table as Markdown."""
    if sys.argv[1] == "e-bets":
        print_bets()
        return
    path = Path(sys.argv[1])
    play(path, float(sys.argv[2]) if len(sys.argv) > 2 else 480.0)
    print("| sampler | K | runs | " + " | ".join(f"gap {gap:g}" for gap in GAPS) + " |")
    print("|---|---:|---:|" + "---:|" * len(GAPS))
    for row in table(path):
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
