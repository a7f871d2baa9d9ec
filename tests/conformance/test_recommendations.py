"""What `recommend` says is what the algorithm exploits: the arm that duels itself, late in a run."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from duelbench.bandits.algorithms import registry
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.winners import copeland_winners
from duelbench.bandits.simulation.game import begin, play
from duelbench.bandits.simulation.run_log import new_log
from duelbench.bandits.simulation.streams import streams

ROOT = Path(__file__).parents[2]
MATRICES = sorted(path.stem for path in (ROOT / "matrices").glob("*.csv"))
IDS = [id for id in registry.BUILT_IN if "duels" in registry.get(id).plays]
SEED = 20161205
ENOUGH = 20

EXPLAINED = {"anaconda": 3, "doubler": 2, "sup-klucb": 2, "ws-s": 2}
"""What these exploit may have changed in the second half of a run, in so many of 30 runs at most: their pages say how,
under "Recommendation"."""


class Ending(NamedTuple):
    """How a run ends, in the matrix's own order of arms.

    recommended : int. The arm that is recommended after the last round.
    self_duels : (K,) int64. How often each arm has dueled itself in the second half of the rounds.
    """

    recommended: int
    self_duels: np.ndarray

    def exploited(self) -> int | None:
        """The arm that dueled itself at least `ENOUGH` times and twice as often as all others together, or None."""
        arm = int(self.self_duels.argmax())
        most = self.self_duels[arm]
        return arm if most >= ENOUGH and most >= 2 * (self.self_duels.sum() - most) else None


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


def runs_apart(id: str, matrix: str, horizon: int, runs: int) -> int:
    """In how many runs an algorithm exploits a winner of a matrix and recommends none, or the other way round."""
    P = PreferenceMatrix.load(ROOT / "matrices" / f"{matrix}.csv")
    winners = copeland_winners(P)
    endings = (ending(id, P, horizon, run) for run in range(runs))
    settled = ((one.recommended, one.exploited()) for one in endings)
    return sum((right in winners) != (arm in winners) for right, arm in settled if arm is not None)


@pytest.mark.thorough
@pytest.mark.parametrize("id", [id for id in IDS if id not in EXPLAINED])
def test_a_settled_run_recommends_a_winner_if_it_exploits_one_and_only_then(id):
    for matrix in ("cyclic", "strong-borda"):
        assert runs_apart(id, matrix, horizon=20_000, runs=8) == 0, matrix


@pytest.mark.slow
@pytest.mark.parametrize("id", IDS)
def test_so_it_is_on_every_printed_matrix(id):
    for matrix in MATRICES:
        assert runs_apart(id, matrix, horizon=10**5, runs=30) <= EXPLAINED.get(id, 0), matrix


@pytest.mark.parametrize("id", sorted(EXPLAINED))
def test_the_page_of_an_algorithm_that_is_an_exception_says_why(id):
    assert "It recommends" in (ROOT / "docs" / "algorithms" / f"{id}.md").read_text(encoding="utf-8")
