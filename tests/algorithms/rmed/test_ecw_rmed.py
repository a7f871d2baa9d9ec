"""ECW-RMED: its constants, sets and forced draws against facts derived by hand, brute force and a transcription."""

import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

import duelbench
from duelbench.algorithms.contract import NEVER
from duelbench.algorithms.rmed.ecw_rmed import ECW_RMED, minimise, solve_row
from duelbench.algorithms.rmed.ecw_rmed_prices import new_prices, price
from duelbench.algorithms.rmed.evidence import add_duels, new_evidence
from duelbench.algorithms.rmed.forced_draws import is_too_close, is_too_rare, overdue_round
from duelbench.algorithms.rmed.proofs import efficient_lead, lead
from tests.conformance.literal import ecw_rmed as literal
from tests.conformance.literal import play
from tests.conformance.players import pairs_played

ROOT = Path(__file__).parents[3]
UNUSED = np.random.default_rng(0)
LN2 = math.log(2.0)

MATRICES = {
    "two arms": [[0.5, 0.7], [0.3, 0.5]],
    "condorcet winner": [[0.5, 0.6, 0.7], [0.4, 0.5, 0.55], [0.3, 0.45, 0.5]],
    "three winners": [[0.5, 0.2, 0.8, 0.8], [0.8, 0.5, 0.2, 0.8], [0.2, 0.8, 0.5, 0.8], [0.2, 0.2, 0.2, 0.5]],
    "one winner that loses a duel": [
        [0.5, 0.8, 0.8, 0.8, 0.3],
        [0.2, 0.5, 0.7, 0.2, 0.8],
        [0.2, 0.3, 0.5, 0.8, 0.8],
        [0.2, 0.8, 0.2, 0.5, 0.2],
        [0.7, 0.2, 0.2, 0.8, 0.5],
    ],
    "a tie at the top": [[0.5, 0.5, 0.9], [0.5, 0.5, 0.9], [0.1, 0.1, 0.5]],
    "all equal": np.full((4, 4), 0.5),
    "deterministic order": np.triu(np.ones((5, 5)), 1) + 0.5 * np.eye(5),
    "quarters": [[0.5, 0.25, 0.75, 0.75], [0.75, 0.5, 0.75, 0.25], [0.25, 0.25, 0.5, 0.5], [0.25, 0.75, 0.5, 0.5]],
}
VARIANTS = [
    {},
    {"beta": 0.0},
    {"alpha": 0.7, "beta": 0.05},
    {"check": "E"},
    {"check": "R-box"},
    {"ties": "index"},
    {"ties": "index", "beta": 0.0},
]


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
    prices = priced(evidence, item_of(range(evidence.losses.size) if order is None else order))
    share = np.ones(evidence.wins.shape)
    return minimise(evidence, i1, prices, share), share


def item_of(order):
    """The numbers of the self-pairs in private order; those of the others do not matter here."""
    return np.diag(np.argsort(order))


def priced(evidence, items):
    """All prices, computed from nothing."""
    prices = new_prices(evidence.losses.size)
    price(evidence, items, prices, evidence.losses.min())
    return prices


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

    def test_of_the_cyclic_matrix_by_hand(self):
        d = LN2 + 0.6 * math.log(0.6) + 0.4 * math.log(0.4)
        P = duelbench.PreferenceMatrix.load(ROOT / "matrices" / "cyclic.csv").P
        constant, share = shares(evidence_of(np.rint(10 * P * (1 - np.eye(4))).astype(np.int64)), 0)
        assert constant == pytest.approx(1 / d)
        assert share[1:, 0].tolist() == [1.0, 1.0, 1.0] and share[:, 1:].sum() == 0

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

    def test_equally_dear_superiors_are_chosen_in_private_order(self):
        # Arm 4 has the superiors 1 and 2, both of cost c. To overtake arm 0, with one, it would have to beat both
        # (2 - 1 + 1), so that k = 0: one of them at e = 1 costs c, both at e = 1/2 the same, and the smaller h wins.
        wins = np.zeros((5, 5), np.int64)
        for i, j in [(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (4, 0)]:
            wins[i, j] = 4
        evidence = evidence_of(wins)
        assert evidence.losses.tolist() == [1, 1, 1, 1, 2]
        assert shares(evidence, 0, [0, 1, 2, 3, 4])[1][4].tolist() == [0, 1, 0, 0, 0]
        assert shares(evidence, 0, [0, 3, 2, 1, 4])[1][4].tolist() == [0, 0, 1, 0, 0]

    def test_prices_kept_up_to_date_are_the_prices_computed_again(self):
        rng = np.random.default_rng(5)
        P = np.array(MATRICES["one winner that loses a duel"])
        state = ECW_RMED.start(5, 1, rng, True, **ECW_RMED.resolve({}))
        evidence = state.core.evidence
        prices = state.prices
        compared = 0
        for t in range(1, 1500):
            i, j, _ = ECW_RMED.select(state, t, UNUSED)
            if i != j:
                won = int(rng.random() < P[i, j])
                ECW_RMED.update(state, i, j, won, 1 - won)
            if prices.memo[0].version == evidence.version[0].signs:
                fresh = priced(evidence, state.core.item_of)
                assert np.array_equal(prices.losses, evidence.losses) and not prices.stale.any()
                for arm, losses in enumerate(evidence.losses):
                    row = prices.superiors[arm, :losses]
                    assert row.tolist() == fresh.superiors[arm, :losses].tolist()
                    assert np.array_equal(prices.cost[arm, row], fresh.cost[arm, row])
                compared += 1
        assert compared > 300

    def test_the_cheapest_winner_is_that_of_least_constant(self):
        rng = np.random.default_rng(6)
        state = ECW_RMED.start(6, 1, rng, True, **ECW_RMED.resolve({}))
        evidence = state.core.evidence
        compared = 0
        for t in range(1, 3000):
            i, j, _ = ECW_RMED.select(state, t, UNUSED)
            if state.choice[0].version == evidence.version[0].duels:
                order = state.core.arm_order
                winners = [arm for arm in order if evidence.losses[arm] == evidence.losses.min()]
                constants = [shares(evidence, arm, order)[0] for arm in winners]
                assert state.choice[0].winner == winners[np.argmin(constants)]
                compared += len(winners) > 1
            if i != j:
                won = int(rng.random() < 0.5)
                ECW_RMED.update(state, i, j, won, 1 - won)
        assert compared > 100

    def test_an_early_end_of_the_search_for_h_misses_no_better_h(self):
        rng = np.random.default_rng(8)
        for _ in range(200):
            evidence = random_evidence(rng, 9)
            prices = priced(evidence, item_of(range(9)))
            for i1 in estimated_winners(evidence):
                for i2 in set(range(9)) - {i1}:
                    h, share, _ = solve_row(evidence.ahead, evidence.losses, prices, i1, i2)
                    S = [prices.cost[i2, j] for j in prices.superiors[i2, : evidence.losses[i2]] if j != i1]
                    k = len(S) - (evidence.losses[i2] - evidence.losses[i1] + 1)
                    means = [sum(S[:n]) / (n - k) for n in range(k + 1, len(S) + 1)] if k >= 0 else []
                    assert h == (k + 1 + int(np.argmin(means)) if means else 0)
                    assert share == (1 / (h - k) if means else 0)


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

    def test_proof_in_the_sense_of_4_and_5_is_proof_in_the_sense_of_2(self):
        rng = np.random.default_rng(7)
        sums = np.zeros((2, 5))
        for _ in range(60):
            evidence = random_evidence(rng, 5)
            least, second = (int(x) for x in np.sort(evidence.losses)[:2])
            for i1 in estimated_winners(evidence):
                others = set(range(5)) - {i1}
                efficient = min(efficient_lead(evidence, i1, i2, sums) for i2 in others)
                assert min(lead(evidence, i1, i2, least, second, sums) for i2 in others) >= efficient - 1e-12

    def test_a_beaten_rival_that_never_won_is_ahead_by_nothing(self):
        evidence = evidence_of([[0, 5, 5], [0, 0, 0], [0, 0, 0]])
        assert lead(evidence, 0, 1, 0, 1, np.zeros((2, 3))) == 5 * LN2
        assert efficient_lead(evidence, 0, 1, np.zeros((2, 3))) == 5 * LN2

    def test_where_no_pair_is_decided_there_is_no_constraint(self):
        evidence = evidence_of([[0, 3], [3, 0]])
        assert lead(evidence, 0, 1, 0, 0, np.zeros((2, 2))) == math.inf


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

    def test_a_tie_is_too_close_whatever_beta_but_zero(self):
        assert is_too_close(5, 10, 1e-9, 1.0)
        assert not is_too_close(5, 10, 0.0, 1.0)

    def test_the_band_around_one_half_narrows_with_the_logarithm_of_the_logarithm(self):
        log_t = math.exp(2.0)  # ln ln t = 2
        assert is_too_close(52, 100, 0.05, log_t)
        assert not is_too_close(53, 100, 0.05, log_t)
        assert is_too_close(53, 100, 0.05, 1.0)  # for t < 16 the divisor is 1

    @pytest.mark.parametrize("delay", [1, 5])
    def test_every_pair_is_drawn_often_enough(self, delay):
        trace = duelbench.simulate("ecw-rmed", MATRICES["condorcet winner"], horizon=10**5, feedback_delay=delay)
        drawn = (trace.duels + trace.duels.T)[np.tril_indices(3, -1)]
        assert np.all(drawn >= 3.0 * math.sqrt(math.log(10**5)))

    def test_before_a_pass_every_pair_is_drawn_once_at_most(self):
        parameters = ECW_RMED.resolve({"forced": "loop", "beta": 1.0})
        state = ECW_RMED.start(4, 1, np.random.default_rng(3), True, **parameters)
        order = state.core.arms_of[:6].tolist()  # with beta = 1 every pair is too close to 1/2, always
        drawn = []
        for t in range(1, 31):
            i, j, _ = ECW_RMED.select(state, t, UNUSED)
            drawn.append([int(i), int(j)])
            if i != j:
                ECW_RMED.update(state, i, j, 1, 0)
        assert drawn[:6] == order  # line 4
        assert drawn[6:12] == order  # the first pass
        assert drawn[12:18] == order  # line 4 again, although every pair has just been drawn

    def test_in_every_round_the_first_pair_in_private_order_goes_first(self):
        state = ECW_RMED.start(4, 1, np.random.default_rng(3), True, **ECW_RMED.resolve({"beta": 1.0}))
        first = state.core.arms_of[0].tolist()
        for t in range(1, 31):
            i, j, _ = ECW_RMED.select(state, t, UNUSED)
            assert [int(i), int(j)] == first
            ECW_RMED.update(state, i, j, t % 2, 1 - t % 2)


class TestStandingDecisions:
    @pytest.mark.parametrize("delay", [1, 7])
    @pytest.mark.parametrize("parameters", [*VARIANTS, {"forced": "loop"}, {"forced": "loop", "beta": 0.0}])
    def test_change_no_bit_of_a_trace(self, parameters, delay):
        for P in MATRICES.values():
            on, off = (
                duelbench.simulate(
                    "ecw-rmed",
                    P,
                    horizon=10_000,
                    feedback_delay=delay,
                    standing_decisions=standing,
                    **parameters,
                )
                for standing in (True, False)
            )
            assert on.regret.tobytes() == off.regret.tobytes()
            assert np.array_equal(on.duels, off.duels)
            assert np.array_equal(on.recommended, off.recommended)

    def test_a_proven_winner_stands_until_its_proof_fails_or_a_pair_is_overdue(self):
        state = ECW_RMED.start(2, 1, np.random.default_rng(0), True, **ECW_RMED.resolve({}))
        for t in range(1, 13):
            i, j, rounds = ECW_RMED.select(state, t, UNUSED)
            assert (i, j, rounds) == (1, 0, 1) or i == j
            if i != j:
                ECW_RMED.update(state, i, j, 0, 1)
        plays = int(state.core.evidence.wins[0, 1])
        i, j, rounds = (int(x) for x in ECW_RMED.select(state, 13, UNUSED))
        assert (i, j) == (0, 0)
        fails = 2**plays + 1  # plays ln 2 < ln t
        assert 13 + rounds == min(fails + 1, overdue_round(plays, 3.0))

    def test_settled_rounds_cost_nothing(self):
        assert duelbench.simulate("ecw-rmed", MATRICES["condorcet winner"], horizon=10**10).decisions < 10_000


@pytest.mark.parametrize("parameters", VARIANTS)
@pytest.mark.parametrize("name", MATRICES)
def test_plays_the_same_duels_as_the_literal_transcription(name, parameters):
    P = np.array(MATRICES[name])
    horizon = 300
    for seed in range(2):
        given = dict(parameters)
        boxed = given.get("check") == "R-box" and given.pop("check")
        oracle = literal.ECWRMED(len(P), horizon, np.random.default_rng(seed), **given)
        if boxed:
            oracle.confident = lambda p, G, i, log_t: literal.confident(p, G, i, log_t) and G.max() <= log_t
        expected = play(oracle, P, horizon, np.random.default_rng([seed, 1]))
        rngs = np.random.default_rng(seed), np.random.default_rng([seed, 1])
        assert pairs_played(ECW_RMED, P, horizon, *rngs, **parameters) == expected


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


@pytest.mark.parametrize("matrix", ["cyclic", "noncondorcet-strong-borda"])
def test_regret_is_logarithmic_with_and_without_a_condorcet_winner(matrix):
    P = duelbench.PreferenceMatrix.load(ROOT / "matrices" / f"{matrix}.csv")
    runs = [
        duelbench.simulate("ecw-rmed", P, horizon=160_000, run=run, shuffle_arms=True, checkpoints=[80_000]).regret[0]
        for run in range(40)
    ]
    at = np.mean(runs, axis=0)
    assert at[1] / at[0] < 1.2
