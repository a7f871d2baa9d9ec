"""ECW-RMED: its constants on published matrices, and what ties by index are worth."""

from pathlib import Path

import numpy as np
import pytest

import duelbench
from duelbench.bandits.algorithms.rmed.ecw_rmed import compute_costs, minimise, new_costs
from duelbench.bandits.algorithms.rmed.evidence import add_duels, new_evidence

ROOT = Path(__file__).parents[4]


def evidence_of(wins):
    """What is known after ``wins[i][j]`` victories of i over j."""
    wins = np.array(wins)
    evidence = new_evidence(len(wins))
    for i in range(len(wins)):
        for j in range(i):
            if wins[i, j] + wins[j, i] > 0:
                add_duels(evidence, i, j, wins[i, j], wins[j, i])
    return evidence


def constant(evidence, i1):
    """C^E* of the estimated winner i1."""
    costs = new_costs(evidence.losses.size)
    compute_costs(evidence, np.diag(range(evidence.losses.size)), costs, evidence.losses.min())
    return minimise(evidence, i1, costs, np.ones(evidence.wins.shape))


class TestConstant:
    """With 1,000 duels per pair, won exactly as often as the matrix says, the constants are those of the matrix."""

    @pytest.mark.parametrize(
        ("matrix", "winner", "expected"),
        [
            ("cyclic", 0, 49.6635),  # by hand: 3 (1/3) / d(0.6, 1/2)
            ("gap", 0, 1252.511),
            ("mslr5-condorcet", 0, 66.7693),
            ("mslr5-noncondorcet", 0, 727.13),
            ("mslr5-noncondorcet", 1, 261.955),
            ("mslr5-noncondorcet", 2, 9114.4),
            ("strong-borda", 0, 249.582),
            ("noncondorcet-strong-borda", 0, 219.633),
            ("noncondorcet-cyclic", 0, 62.3241),
            ("arxiv", 0, 186.338),
            ("sushi16", 0, 143.368),
        ],
    )
    def test_of_published_matrices(self, matrix, winner, expected):
        P = duelbench.PreferenceMatrix.load(ROOT / "matrices" / f"{matrix}.csv").P
        evidence = evidence_of(np.rint(1000 * P * (1 - np.eye(len(P)))).astype(np.int64))
        assert evidence.losses[winner] == evidence.losses.min()
        assert constant(evidence, winner) == pytest.approx(expected, rel=1e-5)


@pytest.mark.thorough
def test_ties_by_index_favour_a_winner_that_comes_first():
    P = duelbench.PreferenceMatrix.load(ROOT / "matrices" / "gap.csv")
    median = {
        ties: np.median(
            [
                duelbench.simulate("ecw-rmed", P, horizon=10**6, run=run, checkpoints=1, ties=ties).regret[0, -1]
                for run in range(40)
            ]
        )
        for ties in ("index", "private")
    }
    assert median["index"] < 300  # 174 is the mean of six runs of a straightforward program
    assert median["private"] > 5_000
