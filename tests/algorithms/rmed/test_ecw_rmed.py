"""ECW-RMED: its constants, sets and forced draws against facts derived by hand, brute force and a transcription."""

import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

import duelbench
from duelbench.algorithms.contract import NEVER
from duelbench.algorithms.rmed.ecw_rmed import ECW_RMED, minimise
from duelbench.algorithms.rmed.ecw_rmed_costs import compute_costs, new_costs
from duelbench.algorithms.rmed.evidence import add_duels, new_evidence
from duelbench.algorithms.rmed.forced_draws import is_too_rare, overdue_round
from duelbench.algorithms.rmed.proofs import lead
from tests.algorithms.comparing import assert_same_duels
from tests.algorithms.odd_matrices import MATRICES, assert_standing_decisions_change_no_bit
from tests.conformance.literal import ecw_rmed as literal

ROOT = Path(__file__).parents[3]
UNUSED = np.random.default_rng(0)
LN2 = math.log(2.0)


def evidence_of(wins):
    """What is known after ``wins[i][j]`` victories of i over j."""
    wins = np.array(wins)
    evidence = new_evidence(len(wins))
    for i in range(len(wins)):
        for j in range(i):
            if wins[i, j] + wins[j, i] > 0:
                add_duels(evidence, i, j, wins[i, j], wins[j, i])
    return evidence


def shares(evidence, i1, order=None):
    """C^E* of the estimated winner i1, and its e = q* d as a (K, K) array with entries i > j."""
    costs = computed(evidence, item_of(range(evidence.losses.size) if order is None else order))
    share = np.ones(evidence.wins.shape)
    return minimise(evidence, i1, costs, share), share


def item_of(order):
    """The numbers of the self-pairs in private order; those of the others do not matter here."""
    return np.diag(np.argsort(order))


def computed(evidence, items):
    """All costs, computed from nothing."""
    costs = new_costs(evidence.losses.size)
    compute_costs(evidence, items, costs, evidence.losses.min())
    return costs


def estimated_winners(evidence):
    return np.flatnonzero(evidence.losses == evidence.losses.min()).tolist()


def random_evidence(rng, n_arms, plays=12):
    wins = rng.integers(0, plays, (n_arms, n_arms))
    return evidence_of(wins - np.diag(np.diag(wins)))


class TestConstant:
    """With 1,000 duels per pair, won exactly as often as the matrix says, the constants are those of the matrix."""

    @pytest.mark.parametrize(
        ("matrix", "winner", "constant"),
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
    def test_of_published_matrices(self, matrix, winner, constant):
        P = duelbench.PreferenceMatrix.load(ROOT / "matrices" / f"{matrix}.csv").P
        evidence = evidence_of(np.rint(1000 * P * (1 - np.eye(len(P)))).astype(np.int64))
        assert winner in estimated_winners(evidence)
        assert shares(evidence, winner)[0] == pytest.approx(constant, rel=1e-5)

    @pytest.mark.parametrize("n_arms", [3, 4, 5])
    def test_is_the_minimum_of_the_linear_program(self, n_arms):
        rng = np.random.default_rng(n_arms)
        for _ in range(25):
            evidence = random_evidence(rng, n_arms)
            for i1 in estimated_winners(evidence):
                constant, share = shares(evidence, i1)
                optimum = linear_program(evidence, i1)
                assert constant == pytest.approx(optimum.fun * optimum.scale, rel=1e-6, abs=1e-9)
                assert np.all(optimum.rows @ share[np.tril_indices(n_arms, -1)] >= 1 - 1e-12)


def linear_program(evidence, i1):
    """Minimum of sum c e under (4) and (5), every constraint written out."""
    n_arms = evidence.losses.size
    losses, ahead = evidence.losses, evidence.ahead
    place = {frozenset(pair): k for k, pair in enumerate(zip(*np.tril_indices(n_arms, -1), strict=True))}
    cost = np.zeros(len(place))
    for pair, k in place.items():
        i, j = pair
        if ahead[i, j] != 0:
            cost[k] = (losses[i] + losses[j] - 2 * losses[i1]) / (2 * (n_arms - 1)) / evidence.divergence[i, j]
    sets = [[(i1, j)] for j in range(n_arms) if ahead[i1, j] > 0]
    for i2 in set(range(n_arms)) - {i1}:
        superiors = [j for j in range(n_arms) if ahead[j, i2] > 0 and j != i1]
        sets += [[(j, i2) for j in S] for S in combinations(superiors, losses[i2] - losses[i1] + 1)]
    rows = np.zeros((len(sets), len(place)))
    for row, pairs in zip(rows, sets, strict=True):
        row[[place[frozenset(pair)] for pair in pairs]] = 1
    scale = cost.max() or 1.0
    optimum = linprog(cost / scale, A_ub=-rows, b_ub=-np.ones(len(sets)), bounds=(0, 1), method="highs")
    optimum.scale, optimum.rows = scale, rows
    return optimum


class TestConfidence:
    @pytest.mark.parametrize("n_arms", [2, 3, 4, 5])
    def test_lead_is_the_least_weight_over_all_constraints(self, n_arms):
        rng = np.random.default_rng(n_arms)
        for _ in range(40):
            evidence = random_evidence(rng, n_arms, plays=int(rng.integers(2, 20)))
            least, second = (int(x) for x in np.sort(evidence.losses)[:2])
            for i1 in estimated_winners(evidence):
                for i2 in set(range(n_arms)) - {i1}:
                    found = lead(evidence, i1, i2, least, second, np.zeros((2, n_arms)))
                    assert found == pytest.approx(brute_force_lead(evidence, i1, i2, least, second))


def brute_force_lead(evidence, i1, i2, least, second):
    """Equation (2), all subsets tried."""
    arms = range(evidence.losses.size)
    inferiors = [j for j in arms if evidence.ahead[i1, j] > 0]
    superiors = [j for j in arms if evidence.ahead[i2, j] < 0 and j != i1]
    result = math.inf
    for level in range(max(0, least - 1), second + 1):
        for lost in combinations(inferiors, level + 1 - least):
            for gained in combinations(superiors, max(0, evidence.losses[i2] - level - (i2 in lost))):
                weight = sum(evidence.weight[i1, j] for j in lost) + sum(evidence.weight[i2, j] for j in gained)
                result = min(result, weight)
    return result


class TestForcedDraws:
    @pytest.mark.parametrize("alpha", [0.3, 1.0, 3.0, 7.5])
    def test_a_pair_is_overdue_from_the_first_round_that_makes_its_duels_too_few(self, alpha):
        for plays in range(40):
            t = overdue_round(plays, alpha)
            if t == NEVER:
                assert not is_too_rare(plays, alpha, math.log(1e15))
                continue
            assert is_too_rare(plays, alpha, math.log(t))
            assert not is_too_rare(plays, alpha, math.log(t - 1))


VARIANTS = [
    {"beta": 0.0},
    {"alpha": 0.7, "beta": 0.05},
    {"check": "E"},
    {"check": "R-box"},
    {"ties": "index"},
    {"ties": "index", "beta": 0.0},
]


@pytest.mark.parametrize("parameters", VARIANTS, ids=str)
def test_plays_the_same_duels_as_the_literal_transcription(parameters):
    given = dict(parameters)
    boxed = given.get("check") == "R-box" and given.pop("check")

    def oracle(n_arms, horizon, rng):
        made = literal.ECWRMED(n_arms, horizon, rng, **given)
        if boxed:
            made.confident = lambda p, G, i, log_t: literal.confident(p, G, i, log_t) and G.max() <= log_t
        return made

    for P in MATRICES.values():
        assert_same_duels(ECW_RMED, oracle, P, 1, 120, **parameters)


@pytest.mark.thorough
@pytest.mark.parametrize("parameters", [*VARIANTS, {"forced": "loop"}, {"forced": "loop", "beta": 0.0}], ids=str)
def test_standing_decisions_change_no_bit_of_a_trace(parameters):
    for delay in (1, 7):
        assert_standing_decisions_change_no_bit("ecw-rmed", 10_000, feedback_delay=delay, **parameters)


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
