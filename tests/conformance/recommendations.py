"""What `recommend` says, beside what the algorithm exploits: the arm that duels itself, late in a run.

The table of all algorithms and all printed matrices (five minutes)::

    python -m tests.conformance.recommendations [ALGORITHM ...]

A run is settled where, in the second half of its rounds, one arm has dueled itself at least `ENOUGH` times and twice as
often as all others together: the arm that is exploited. In such a run that arm and the recommended one should both be
winners, or neither.
"""

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

from duelbench.algorithms import registry
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.winners import copeland_winners
from duelbench.simulation.game import begin, play
from duelbench.simulation.run_log import new_log
from duelbench.simulation.streams import streams

FOLDER = Path(__file__).parents[2] / "matrices"
MATRICES = sorted(path.stem for path in FOLDER.glob("*.csv"))
IDS = [id for id in registry.BUILT_IN if "duels" in registry.get(id).plays]
RUNS = 30
HORIZON = 10**5
SEED = 20161205
ENOUGH = 20


class Ending(NamedTuple):
    """How a run ends, in the matrix's own order of arms.

    recommended : int. The arm that is recommended after the last round.
    self_duels : (K,) int64. How often each arm has dueled itself in the second half of the rounds.
    """

    recommended: int
    self_duels: np.ndarray

    def exploited(self) -> int | None:
        """The arm that the run has settled for, or None.

        Examples
        --------
        >>> Ending(0, np.array([0, 30, 15])).exploited(), Ending(0, np.array([0, 30, 16])).exploited()
        (1, None)
        """
        arm = int(self.self_duels.argmax())
        most = self.self_duels[arm]
        return arm if most >= ENOUGH and most >= 2 * (self.self_duels.sum() - most) else None


class Shares(NamedTuple):
    """Counts of runs of an algorithm on a matrix.

    right : int. Runs that recommend a Copeland winner.
    settled : int. Runs that have settled for an arm.
    right_of_settled : int. Of these, runs that recommend a winner.
    exploiting : int. Of these, runs that have settled for a winner.
    apart : int. Of these, runs that do one and not the other.
    """

    right: int
    settled: int
    right_of_settled: int
    exploiting: int
    apart: int


def ending(id: str, matrix: PreferenceMatrix, horizon: int, run: int) -> Ending:
    """Play a run with shuffled arms, with the self-duels of each arm in the place of a definition of regret."""
    random = streams(SEED, run)
    arm = np.arange(matrix.n_arms)
    self_duels = np.zeros((matrix.n_arms, matrix.n_arms, matrix.n_arms))
    self_duels[arm, arm, arm] = 1.0
    algorithm = registry.get(id)
    algorithm, state = begin(algorithm, matrix, horizon, random.algorithm, True, algorithm.resolve({}))
    log = new_log(np.array([horizon // 2, horizon]), self_duels, explores=algorithm.explored is not None)
    play(algorithm, state, matrix, log, random, random.arms.permutation(matrix.n_arms))
    return Ending(int(log.recommended[-1]), np.diff(log.regret)[:, 0].astype(np.int64))


def compare(id: str, matrix: str, horizon: int = HORIZON, runs: int = RUNS) -> Shares:
    """How often an algorithm recommends a winner of a printed matrix, and how often it exploits one."""
    P = PreferenceMatrix.load(FOLDER / f"{matrix}.csv")
    winners = copeland_winners(P)
    endings = [ending(id, P, horizon, run) for run in range(runs)]
    settled = [
        (one.recommended in winners, one.exploited() in winners) for one in endings if one.exploited() is not None
    ]
    return Shares(
        right=sum(one.recommended in winners for one in endings),
        settled=len(settled),
        right_of_settled=sum(right for right, _ in settled),
        exploiting=sum(exploits for _, exploits in settled),
        apart=sum(right != exploits for right, exploits in settled),
    )


def main() -> None:
    print(f"{RUNS} runs to {HORIZON}: recommend a winner | settled: recommend one, exploit one, do not do both or none")
    for id in sys.argv[1:] or IDS:
        for matrix in MATRICES:
            right, settled, right_of_settled, exploiting, apart = compare(id, matrix)
            mark = f"  {apart} apart" if apart else ""
            print(f"{id:19} {matrix:26} {right:3} | {settled:3}: {right_of_settled:3} {exploiting:3}{mark}", flush=True)


if __name__ == "__main__":
    main()
