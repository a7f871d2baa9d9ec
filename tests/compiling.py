"""Compile what most tests use, before the tests: ``python -m tests.compiling``.

Numba keeps in memory all that a process compiles, as long as the process lives. Here short-lived processes compile each
algorithm, two at a time, and the processes of the tests load it from disk. No test depends on it: what is not there is
compiled by the test that needs it.
"""

import contextlib
from multiprocessing import get_context
from typing import Any

import numpy as np

import duelbench
from duelbench.algorithms import registry
from duelbench.algorithms.thompson import dts_many_arms
from duelbench.errors import InputError
from duelbench.execution import worker
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.scalar_bandit import ScalarBandit
from duelbench.simulation import compiled_loops
from duelbench.simulation.compiled_loops import mark_of_loop
from duelbench.simulation.game import begin

PROCESSES = 2
PER_PROCESS = 3
"""Algorithms that a process compiles before another one takes its place."""

USE = "tests"
ROUNDS = 50
FEW_ARMS = 4
MANY_ARMS = dict.fromkeys(("d-ts", "d-ts-plus"), dts_many_arms.MANY)
"""Algorithms that are compiled in another form for so many arms."""

DECISIONS: dict[str, dict[str, Any]] = {
    "argmax": {},
    "rigged": {"m": 2},
    "counting": {"above": 0.35, "below": 0.8},
}


def main() -> None:
    marks = {id: mark_of_loop(registry.get(id), USE) for id in registry.BUILT_IN}
    cold = [id for id, mark in marks.items() if mark is None or not mark.exists() or not worker.is_warm(id)]
    if not cold:
        return
    print(f"compiling {len(cold)} algorithms; later runs of the tests load them", flush=True)
    with get_context("spawn").Pool(PROCESSES, maxtasksperchild=PER_PROCESS) as pool:
        pool.map(compile_algorithm, cold, chunksize=1)


def compile_algorithm(id: str) -> None:
    """Compile the loop that plays an algorithm, and the functions of the algorithm itself."""
    compiled_loops._loops.clear()  # the algorithm before may have one for the same state, kept in a folder of its own
    for problem in _problems(id):
        with contextlib.suppress(InputError):  # not every algorithm plays every problem
            _play(id, problem)
    worker.note_warm(id)  # else short runs of the commands would be interpreted
    mark = mark_of_loop(registry.get(id), USE)
    if mark is not None:
        mark.touch()


def _play(id: str, problem: PreferenceMatrix | ScalarBandit) -> None:
    duelbench.simulate(id, problem, horizon=ROUNDS)
    rng = np.random.default_rng(0)
    algorithm = registry.get(id)
    algorithm, state = begin(algorithm, problem, ROUNDS, rng, True, algorithm.resolve({}))
    algorithm.select(state, 1, rng)
    algorithm.update(state, 0, 0, 1, 0)
    algorithm.recommend(state)
    if algorithm.explored is not None:
        algorithm.explored(state)


def _problems(id: str) -> list[PreferenceMatrix | ScalarBandit]:
    plays = registry.get(id).plays
    problems: list[PreferenceMatrix | ScalarBandit] = []
    if "samples" in plays:
        problems += [duelbench.scalar_bandit([0.9, 0.2, 0.6], name, **given) for name, given in DECISIONS.items()]
    if "duels" in plays:
        problems += _matrices(id)
    return problems


def _matrices(id: str) -> list[PreferenceMatrix]:
    matrices = []
    for n_arms in {FEW_ARMS, MANY_ARMS.get(id, FEW_ARMS)}:
        P = np.full((n_arms, n_arms), 0.5)
        P[0, 1:], P[1:, 0] = 0.9, 0.1
        matrices.append(PreferenceMatrix(P))
    return matrices


if __name__ == "__main__":
    main()
