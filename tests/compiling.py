"""Compile what the compiled tests use, before they run: ``python -m tests.compiling [--all]``.

Numba keeps in memory all that a process compiles while the process lives. Here short-lived processes compile a few
algorithms, or all of them, two at a time, and the processes of the tests load them from disk. No test depends on it:
what is not there is compiled by the test that needs it.
"""

import sys
from collections.abc import Iterator
from multiprocessing import get_context
from typing import Any

import numpy as np

import duelbench
from duelbench.bandits.algorithms import registry
from duelbench.bandits.algorithms.thompson import dts_many_arms
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.scalar_bandit import ScalarBandit
from duelbench.bandits.simulation import compiled_loops
from duelbench.bandits.simulation.compiled_loops import mark_of_loop
from duelbench.bandits.simulation.game import begin
from duelbench.experiments.execution import worker

FEW = ("random", "rucb", "ccb", "d-ts", "ecw-rmed", "savage", "btm", "kelly-elimination")
"""The algorithms that quick tests may compile."""

LATE = ("rucb",)
"""Those of them that are compiled for outcomes that arrive late, too; with ``--all`` these are `FEW`."""

PER_PROCESS = 3
"""Algorithms that a process compiles before another one takes its place."""

ROUNDS = 50
MANY_ARMS = dict.fromkeys(("d-ts", "d-ts-plus"), dts_many_arms.MANY)
"""Algorithms that are compiled in another form for so many arms; quick tests play that form interpreted."""

DECISIONS: dict[str, dict[str, Any]] = {
    "argmax": {},
    "rigged": {"m": 2},
    "counting": {"above": 0.35, "below": 0.8},
}


def main(everything: bool) -> None:
    """Compile what is not compiled yet."""
    use = "all-tests" if everything else "quick-tests"
    cold = []
    for id in registry.BUILT_IN if everything else FEW:
        mark = mark_of_loop(registry.get(id), use)
        if mark is None or not mark.exists() or not worker.is_warm(id):
            cold.append((id, use, id in (FEW if everything else LATE), everything))
    if not cold:
        return
    print(f"compiling {len(cold)} algorithms; later runs of the tests load them", flush=True)
    with get_context("spawn").Pool(2, maxtasksperchild=PER_PROCESS) as pool:
        pool.starmap(compile_algorithm, cold, chunksize=1)


def compile_algorithm(id: str, use: str, late: bool, many_arms: bool) -> None:
    """Compile the loops that play an algorithm, and the functions of the algorithm itself."""
    compiled_loops._loops.clear()  # the algorithm before may have one for the same state, kept in a folder of its own
    algorithm = registry.get(id)
    for problem in _problems(id, many_arms):
        duelbench.simulate(id, problem, horizon=ROUNDS)
        if late and isinstance(problem, PreferenceMatrix):
            duelbench.simulate(id, problem, horizon=ROUNDS, feedback_batch=2)
        rng = np.random.default_rng(0)
        played, state = begin(algorithm, problem, ROUNDS, rng, True, algorithm.resolve({}))
        played.select(state, 1, rng)
        played.update(state, 0, 0, 1, 0)
        played.recommend(state)
        if played.explored is not None:
            played.explored(state)
    worker.note_warm(id)  # else short runs of the commands would be interpreted
    mark = mark_of_loop(algorithm, use)
    if mark is not None:
        mark.touch()


def _problems(id: str, many_arms: bool) -> Iterator[PreferenceMatrix | ScalarBandit]:
    algorithm = registry.get(id)
    if "samples" in algorithm.plays:
        for name, given in DECISIONS.items():
            bandit = duelbench.scalar_bandit([0.9, 0.2, 0.6], name, **given)
            question = {"question": bandit.question}
            if algorithm.refuses is None or not algorithm.refuses(3, ROUNDS, **algorithm.resolve({}), **question):
                yield bandit
    if "duels" in algorithm.plays:
        for n_arms in {4, MANY_ARMS.get(id, 4) if many_arms else 4}:
            P = np.full((n_arms, n_arms), 0.5)
            P[0, 1:], P[1:, 0] = 0.9, 0.1
            yield PreferenceMatrix(P)


if __name__ == "__main__":
    main(everything="--all" in sys.argv[1:])
